// SPDX-License-Identifier: Apache-2.0
#include "models/asic/front_port.h"

#include <utility>

#include "models/asic/port_checks.h"
#include "models/timeline/property.h"

namespace weir::asic {

front_port::front_port(sc_core::sc_module_name module_name, timeline& time, ethernet::frame_pool& frames,
                       const port::port_parameters& p, digest* record, bool crossbar)
    : sc_module(module_name),
      actor(time, name()),
      mac("mac", time, p, record),
      flow("flow", time, frames),
      egress("egress", time, p.number),
      time_(time),
      capability_(p.rate) {
    flow.transmitter.bind(*this);
    egress.transmitter.bind(*this);
    if (properties_checked()) {
        checks_ = std::make_unique<port_checks>(time, name(), flow, egress, !crossbar);
        mac.control.bind(checks_->control);
        mac.source.bind(checks_->dequeue);
        egress.gate.bind(checks_->control);
        egress.progress.bind(checks_->stall);
        flow.gated.bind(checks_->waiting);
    } else {
        mac.control.bind(flow.control);
        mac.source.bind(egress.emptying);
        egress.gate.bind(flow.gate);
        egress.progress.bind(flow.progress);
        flow.gated.bind(egress.gated);
    }
    flow.receiver.set_busy_until([this] { return mac.last_octet_at(); });
    set_speed(0);
}

front_port::~front_port() = default;

bool front_port::set_speed(std::uint32_t megabits) {
    const auto rate = megabits == 0 ? capability_ : data_rate::from_megabits(megabits);
    if (!rate || rate->megabits() > capability_.megabits()) return false;
    mac.set_rate(*rate);
    flow.set_rate(*rate);
    egress.set_rate(*rate);
    if (on_speed_) on_speed_(*rate);
    return true;
}

void front_port::set_admin(bool up) {
    const bool changed = std::exchange(admin_, up) != up;
    if (!up) {
        flush.port_down();
    } else if (changed && flush.done()) {
        flush.forget();
    }
    if (changed && on_admin_) on_admin_(up);
}

// A flush throws frames away before the MAC decides about them, and not in the middle of whatever opened a queue.
void front_port::wake() {
    if (flush.under_way()) time_.at(time_.now(), phase::transmit, *this, 0);
    mac.wake();
}

}  // namespace weir::asic
