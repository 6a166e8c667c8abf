// SPDX-License-Identifier: Apache-2.0
#include "models/scheduler/dequeue_checker.h"

#include <fmt/format.h>

#include <utility>

#include "models/timeline/property.h"

namespace weir::scheduler {

dequeue_checker::dequeue_checker(std::string place, dequeue_if& feeder, pfc::control_checker& control, view seen)
    : place_(std::move(place)), queues_(feeder), control_(control), seen_(std::move(seen)) {}

selection dequeue_checker::dequeue(picoseconds now) {
    const auto broken = [&](const char* property, const std::string& text) {
        report_property(property, place_, now, text);
    };
    if (seen_.look) seen_.look();
    const pfc::bitmap stopped = control_.stopped_queues();
    const pfc::bitmap holding = seen_.holding();
    const auto may_go = static_cast<pfc::bitmap>(holding & ~stopped);
    if (seen_.eligible() != may_go) {
        broken("P20", fmt::format("queues {:#04x} hold frames and {:#04x} are stopped, yet {:#04x} are eligible",
                                  holding, stopped, seen_.eligible()));
    }
    if (seen_.blocked() != (holding != 0 && may_go == 0)) {
        broken("P23", fmt::format("queues {:#04x} hold frames, {:#04x} are stopped, and the port {} blocked", holding,
                                  stopped, seen_.blocked() ? "is" : "is not"));
    }
    // The frame's own departure may end a pause: what that makes due follows the frame.
    const bool control_waits = control_.pending();
    const selection next = queues_.dequeue(now);
    if (next.frame == nullptr) {
        const auto goes = static_cast<pfc::bitmap>(may_go & seen_.enabled());
        if (next.retry == never && goes != 0 && (!shaped_ || (goes & ~shaped_()) != 0)) {
            broken("P20", fmt::format("queues {:#04x} hold frames and may go, and none is sent", may_go));
        }
        return next;
    }
    const std::uint8_t queue = next.frame->note.queue;
    if ((stopped >> queue & 1U) != 0) broken("P19", fmt::format("queue {} is stopped and sends", queue));
    if (control_.wire().busy(now)) {
        broken(control_.wire().data() ? "P21" : "P4", "a data frame starts before the frame in progress has ended");
    }
    if (control_waits) broken("P22", fmt::format("queue {} sends, and a control frame waits", queue));
    control_.wire().take(now, seen_.rate(), next.frame->length, true);
    return next;
}

}  // namespace weir::scheduler
