// SPDX-License-Identifier: Apache-2.0
#include "models/asic/front_port.h"

#include <utility>

namespace weir::asic {

front_port::front_port(sc_core::sc_module_name name, timeline& time, ethernet::frame_pool& frames,
                       const port::port_parameters& p, digest* record)
    : sc_module(name),
      mac("mac", time, p, record),
      flow("flow", time, frames),
      egress("egress", time, p.number),
      capability_(p.rate) {
    mac.control.bind(flow.control);
    mac.source.bind(egress.emptying);
    flow.transmitter.bind(mac.transmitter);
    egress.transmitter.bind(mac.transmitter);
    egress.gate.bind(flow.gate);
    set_speed(0);
}

bool front_port::set_speed(std::uint32_t megabits) {
    const auto rate = megabits == 0 ? capability_ : data_rate::from_megabits(megabits);
    if (!rate || rate->megabits() > capability_.megabits()) return false;
    mac.set_rate(*rate);
    flow.set_rate(*rate);
    egress.set_rate(*rate);
    return true;
}

void front_port::set_admin(bool up) {
    const bool changed = std::exchange(admin_, up) != up;
    if (changed && on_admin_) on_admin_(up);
}

void front_port::start_flush() {
    flush_asked_ = true;
    egress.flush();
}

// A queue that was stopped or not enabled when the flush began lets go when it may: software that polls without having
// opened it polls for ever, as on silicon.
bool front_port::flushing() {
    if (flush_asked_ && !egress.empty()) egress.flush();
    return flush_asked_ && !egress.empty();
}

bool front_port::flushed() {
    return flush_asked_ && !flushing();
}

}  // namespace weir::asic
