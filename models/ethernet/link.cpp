// SPDX-License-Identifier: Apache-2.0
// The cable's delay, and what happens while it is unplugged.
#include "models/ethernet/link.h"

#include <utility>

namespace weir::ethernet {

link::direction::direction(const char* in_name, const char* out_name, link& owner)
    : in(in_name), out(out_name), owner_(owner) {
    in.bind(static_cast<fw_interface&>(*this));
    out.bind(static_cast<bw_interface&>(*this));
}

tlm::tlm_sync_enum link::direction::nb_transport_fw(frame& f, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (!owner_.up_) {
        ++lost;
        f.release();
        return tlm::TLM_COMPLETED;
    }
    ++carried;
    delay += owner_.delay_;
    return out->nb_transport_fw(f, phase, delay);
}

link::link(sc_core::sc_module_name name, std::uint32_t metres)
    : sc_module(name),
      a_to_b_("a_in", "b_out", *this),
      b_to_a_("b_in", "a_out", *this),
      cable_delay_(cable_delay_per_metre * std::int64_t{metres}) {
    // Exact: a double holds every whole number of picoseconds that a cable can take.
    delay_ = sc_core::sc_time(static_cast<double>(cable_delay_.count()), sc_core::SC_PS);
}

void link::set_enabled(side which, bool on) {
    enabled_[static_cast<std::size_t>(which)] = on;
    judge();
}

void link::set_plugged(bool on) {
    plugged_ = on;
    judge();
}

void link::judge() {
    const bool up = plugged_ && enabled_[0] && enabled_[1];
    if (up == up_) return;
    up_ = up;
    for (const auto& listener : listeners_) {
        if (listener) listener(up);
    }
}

}  // namespace weir::ethernet
