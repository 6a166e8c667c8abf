// SPDX-License-Identifier: Apache-2.0
#include "models/mmu/memory_checker.h"

#include <fmt/format.h>

#include <utility>

#include "models/timeline/property.h"

namespace weir::mmu {

memory_checker::memory_checker(const timeline& time, std::string place, admission_if& admission,
                               departure_if& departure, mmu& memory)
    : time_(time), place_(std::move(place)), admission_(admission), departure_(departure), memory_(memory) {}

void memory_checker::broken(const char* property, const std::string& where, const std::string& text) const {
    report_property(property, fmt::format("{} {}", place_, where), time_.now(), text);
}

void memory_checker::settled(std::uint16_t port, std::uint8_t admitted) {
    if (port < ports_.size() && ports_[port].wishes != nullptr) ports_[port].wishes->settled(admitted);
}

drop_reason memory_checker::admit(const arrival& a) {
    const wish_checker* wishes = a.ingress_port < ports_.size() ? ports_[a.ingress_port].wishes : nullptr;
    const std::uint64_t overflows = wishes != nullptr ? wishes->overflows() : 0;
    const drop_reason why = admission_.admit(a);
    settled(a.ingress_port, why == drop_reason::none ? a.group : std::uint8_t{8});
    const group_profile& profile = memory_.group(a.ingress_port, a.group).profile;
    if (why == drop_reason::none || !profile.lossless) return why;
    const std::string where = fmt::format("port {} PG {}", a.ingress_port, a.group);
    const bool for_room = why == drop_reason::headroom || why == drop_reason::no_cell;
    if (for_room && wishes != nullptr && wishes->overflows() == overflows) {
        broken("P28", where, "a lossless frame was dropped for want of room, and nobody was told");
    }
    const bool queue_is_lossless = memory_.queue(a.egress_port, a.queue).profile.lossless;
    if (why == drop_reason::wred && queue_is_lossless) broken("P28", where, "WRED dropped on a lossless queue");
    if (why == drop_reason::group_limit && profile.enabled) {
        broken("P28", where, "a lossless frame was dropped for the group's limit");
    }
    return why;
}

void memory_checker::depart(std::uint16_t port, std::uint8_t queue, const queued_frame& f, picoseconds end) {
    const std::uint16_t ingress = f.ingress_port;
    departure_.depart(port, queue, f, end);
    settled(ingress, 8);
}

void memory_checker::discard(std::uint16_t port, std::uint8_t queue, const queued_frame& f, drop_reason why) {
    const std::uint16_t ingress = f.ingress_port;
    departure_.discard(port, queue, f, why);
    settled(ingress, 8);
    if (!memory_.queue(port, queue).profile.lossless) return;
    const std::string where = fmt::format("port {} queue {}", port, queue);
    const bool emptied = why == drop_reason::escape || why == drop_reason::watchdog;
    if (emptied && port < ports_.size() && ports_[port].escapes() == 0) {
        broken("P28", where, "a lossless queue is emptied, and no escape was told");
    }
    if (!emptied && why != drop_reason::flushed) {
        broken("P28", where, "a frame is thrown out of a lossless queue without a reason that says so");
    }
}

}  // namespace weir::mmu
