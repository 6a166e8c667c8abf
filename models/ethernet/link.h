// SPDX-License-Identifier: Apache-2.0
// A full-duplex cable between two ports: what is sent into one end arrives at the other, later by the cable's delay.
//
//    port a ──tx──► a.in ═══════ 5 ns/m ═══════► b.out ──► rx port b
//    port a ◄──rx── a.out ◄══════ 5 ns/m ═══════ b.in ◄──tx── port b
//
// The link knows no rate: serialisation belongs to the port that sends. It holds no frame either: the delay travels
// with the call, so what is on the cable is already in the receiver's future.
#pragma once

#include <cstdint>

#include <array>
#include <functional>

#include "models/ethernet/protocol.h"

namespace weir::ethernet {

class link : public sc_core::sc_module {
    /// One way through the cable.
    class direction : public receiver, public sender {
    public:
        direction(const char* in_name, const char* out_name, link& owner);
        tlm::tlm_sync_enum nb_transport_fw(frame& f, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
        rx_socket in;
        tx_socket out;
        std::uint64_t carried{0};
        std::uint64_t lost{0};

    private:
        link& owner_;
    };
    direction a_to_b_;
    direction b_to_a_;
    sc_core::sc_time delay_;
    picoseconds cable_delay_;
    bool plugged_{true};
    bool up_{true};
    std::array<bool, 2> enabled_{true, true};
    std::array<std::function<void(bool)>, 2> listeners_;

    void judge();

public:
    /// One end of the cable, as the port there sees it: bind its tx to `in`, and `out` to its rx.
    struct end {
        rx_socket& in;
        tx_socket& out;
    };

    /// `metres` of cable, 5 ns each; 0 is allowed.
    link(sc_core::sc_module_name name, std::uint32_t metres);

    [[nodiscard]] end a() { return {a_to_b_.in, b_to_a_.out}; }
    [[nodiscard]] end b() { return {b_to_a_.in, a_to_b_.out}; }

    [[nodiscard]] picoseconds cable_delay() const { return cable_delay_; }

    enum class side : std::uint8_t { a, b };
    /// The link is up while both ends are enabled and the cable is plugged in. One that is down releases every frame
    /// given to it and counts it as lost.
    void set_enabled(side which, bool on);
    void set_plugged(bool on);
    [[nodiscard]] bool up() const { return up_; }
    /// Called at that end whenever the link goes up or down.
    void listen(side which, std::function<void(bool)> listener) {
        listeners_[static_cast<std::size_t>(which)] = std::move(listener);
    }

    /// Frames handed over and frames lost, both directions together.
    [[nodiscard]] std::uint64_t carried() const { return a_to_b_.carried + b_to_a_.carried; }
    [[nodiscard]] std::uint64_t lost() const { return a_to_b_.lost + b_to_a_.lost; }
};

}  // namespace weir::ethernet
