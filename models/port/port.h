// SPDX-License-Identifier: Apache-2.0
// A port: the MAC's two halves, of a switch or of an end station.
//
//   rx: last octet arrives → MAC Control to flow control → FCS, length → ingress
//   tx: at each frame boundary the control frame first, past every gate (G4), else what the source selects
//
// A frame whose transmission has started is finished, whatever arrives meanwhile (M12).
#pragma once

#include <algorithm>
#include <systemc>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/ethernet/protocol.h"
#include "models/mmu/drop_reason.h"
#include "models/pfc/pfc_if.h"
#include "models/pipeline/ingress_if.h"
#include "models/port/port_if.h"
#include "models/port/tap.h"
#include "models/scheduler/scheduler_if.h"
#include "models/timeline/digest.h"
#include "models/timeline/fifo.h"
#include "models/timeline/timeline.h"

namespace weir::port {

struct port_counters {
    std::uint64_t rx_frames{0};  ///< good data frames, dropped later or not; MAC Control frames count in pfc.*
    std::uint64_t rx_octets{0};
    std::uint64_t rx_fcs_errors{0};
    std::uint64_t rx_length_errors{0};
    std::uint64_t rx_discards{0};  ///< data frames dropped on the way into a queue, whatever the reason
    std::uint64_t tx_frames{0};    ///< data frames
    std::uint64_t tx_octets{0};
    std::array<std::uint64_t, mmu::drop_reasons> drops{};
};

/// What the hardware of a port is.
struct port_parameters {
    std::uint16_t number{0};
    data_rate rate;
    std::int32_t clock_ppm{0};        ///< how much faster than nominal the transmit clock runs, in parts per million
    picoseconds receive_latency{0};   ///< PHY and FEC: last octet on the wire to last octet at the MAC
    picoseconds transmit_latency{0};  ///< the same the other way
    picoseconds pipeline_latency{0};  ///< last octet at the MAC to the ingress; MAC Control frames do not take that way
    picoseconds start_delay{0};       ///< after its link came up, the first frame waits for this long
};

class port : public sc_core::sc_module,
             public ethernet::receiver,
             public ethernet::sender,
             public transmit_if,
             private actor {
public:
    port(sc_core::sc_module_name name, timeline& time, const port_parameters& p, digest* record);
    ~port() override;

    ethernet::rx_socket rx{"rx"};
    ethernet::tx_socket tx{"tx"};
    sc_core::sc_port<pipeline::ingress_if> ingress{"ingress"};
    sc_core::sc_port<scheduler::dequeue_if> source{"source"};
    sc_core::sc_port<pfc::control_if> control{"control"};
    sc_core::sc_export<transmit_if> transmitter{"transmitter"};

    void wake() override;

    /// The line rate; takes effect with the next frame.
    void set_rate(data_rate rate) { parameters_.rate = rate; }
    [[nodiscard]] data_rate rate() const { return parameters_.rate; }
    void set_receive_enabled(bool on) { receive_enabled_ = on; }
    void set_transmit_enabled(bool on);
    void set_largest_frame(std::uint32_t octets) { largest_frame_ = octets; }
    /// Both ends of the link are up. Frames on their way when it goes down are lost.
    void set_link(bool up);
    [[nodiscard]] bool link_is_up() const { return link_; }
    [[nodiscard]] bool transmitting() const { return time_.now() < free_at_; }
    /// When the last octet of the latest frame has left, or leaves.
    [[nodiscard]] picoseconds last_octet_at() const { return free_at_ - parameters_.rate.octets(gap_octets); }
    [[nodiscard]] std::uint16_t number() const { return parameters_.number; }

    /// One more who watches, until it is forgotten.
    void observe(tap& t) { taps_.push_back(&t); }
    void forget(tap& t) { taps_.erase(std::remove(taps_.begin(), taps_.end(), &t), taps_.end()); }
    /// Called with every MAC Control frame that was received, good or not.
    void on_control(std::function<void(const ethernet::frame&)> hook) { on_control_ = std::move(hook); }
    /// Called with every data frame that was on its way here when the link went down, at the time it would have come.
    void on_lost(std::function<void(const ethernet::frame&)> hook) { on_lost_ = std::move(hook); }

    port_counters counters;

private:
    tlm::tlm_sync_enum nb_transport_fw(ethernet::frame& f, tlm::tlm_phase& p, sc_core::sc_time& delay) override;
    void due(std::uint32_t what) override;
    void receive();
    void pass_on(ethernet::frame& f, picoseconds now);
    void finish(ethernet::frame& f, picoseconds now, mmu::drop_reason why);
    void decide();
    void decide_at(picoseconds time);
    void send(ethernet::frame& f, picoseconds now);
    [[nodiscard]] picoseconds wire_time(std::int64_t octets);

    struct in_flight {
        ethernet::frame* frame;
        picoseconds arrival;
        bool lost;  // the link went down while it was on its way
    };

    timeline& time_;
    port_parameters parameters_;
    digest* record_;
    std::uint32_t place_;
    std::vector<tap*> taps_;
    std::function<void(const ethernet::frame&)> on_control_;
    std::function<void(const ethernet::frame&)> on_lost_;
    fifo<in_flight> in_pipeline_;  // past the MAC, not yet at the ingress
    fifo<in_flight> in_flight_;    // between the far end and here, in the order in which they arrive
    picoseconds free_at_{0};
    picoseconds decision_at_{never};
    std::int64_t ppm_remainder_{0};
    std::uint32_t largest_frame_{ethernet::maximum_frame_octets};
    bool link_{false};
    bool receive_enabled_{true};
    bool transmit_enabled_{true};
};

}  // namespace weir::port
