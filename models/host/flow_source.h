// SPDX-License-Identifier: Apache-2.0
// What an end station sends: flows, each from its start until its octets are out, at its rate or the line's.
//
// Priorities take turns, and within a priority its flows do; a flow that is paced waits for its time, one whose
// priority the peer has stopped waits for the gate.
#pragma once

#include <systemc>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/ethernet/rocev2.h"
#include "models/host/flow_ledger.h"
#include "models/pfc/pfc_if.h"
#include "models/port/port_if.h"
#include "models/scheduler/scheduler_if.h"
#include "models/timeline/timeline.h"

namespace weir::host {

struct flow_parameters {
    std::uint32_t number{0};  ///< index into the ledger
    std::uint8_t priority{0};
    std::uint64_t octets{0};          ///< payload to deliver
    std::uint32_t frame_payload{0};   ///< payload of each frame; the last may have less
    bool plain_udp{false};            ///< frames of exactly `frame_payload` octets, FCS counted, instead of RoCEv2
    std::int64_t bits_per_second{0};  ///< on the wire, preamble and gap included; 0: as fast as the line
    picoseconds start{0};
    ethernet::udp_path path;
};

class flow_source : public sc_core::sc_module, private actor {
public:
    flow_source(sc_core::sc_module_name name, timeline& time, ethernet::frame_pool& frames, flow_ledger& ledger);

    sc_core::sc_port<pfc::gate_if> gate{"gate"};
    sc_core::sc_port<port::transmit_if> transmitter{"transmitter"};

    /// Adds a flow that starts at `f.start`, not before now.
    void add(const flow_parameters& f);
    /// Nothing is left to send.
    [[nodiscard]] bool finished() const { return unfinished_ == 0; }

    /// The earliest start after `now` of a flow that has sent nothing yet; `never` when there is none.
    [[nodiscard]] picoseconds next_start(picoseconds now) const;

    /// Tells how long the gate has been shut; without it flows do not know.
    void set_shut_time(shut_time shut) { shut_ = std::move(shut); }

    /// What goes now, for whoever feeds the port.
    scheduler::selection dequeue(picoseconds now);

private:
    struct active_flow {
        std::uint32_t number;
        std::uint8_t priority;
        std::uint64_t next_sequence{0};
        std::uint64_t frames{0};
        picoseconds next_time{0};
        std::int64_t bits_per_second{0};
        std::int64_t pace_remainder{0};
        ethernet::frame body;  // every frame but the last
        ethernet::frame tail;
    };
    static constexpr std::size_t priorities = 8;

    void due(std::uint32_t flow) override;
    [[nodiscard]] ethernet::frame* next_frame(active_flow& flow, picoseconds now);

    timeline& time_;
    ethernet::frame_pool& frames_;
    flow_ledger& ledger_;
    shut_time shut_;
    std::vector<active_flow> flows_;
    std::array<std::vector<std::uint32_t>, priorities> ready_;  // flows that have started and are not done
    std::array<std::size_t, priorities> turn_{};
    pfc::bitmap holding_{0};
    std::size_t priority_turn_{0};
    std::size_t unfinished_{0};
};

}  // namespace weir::host
