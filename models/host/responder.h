// SPDX-License-Identifier: Apache-2.0
// The receiving ends of an end station's reliable connections: judges each frame by its sequence number, acknowledges,
// tells of gaps, and is DCQCN's notification point.
//
//   the next one ──► accepted; ACK when it asks             CE ──► CNP, at most one a flow and interval
//   a later one ───► thrown away; one NAK a gap       (selective: kept; a NAK that names it, too)
//   an earlier one ► thrown away; ACK when it asks
//
// What it answers goes before the station's data, stopped by the pauses of its own priorities alone.
#pragma once

#include <systemc>

#include <cstdint>
#include <deque>

#include "models/ethernet/rocev2.h"
#include "models/host/flow_ledger.h"
#include "models/host/flow_source.h"
#include "models/host/frame_ring.h"
#include "models/host/transport_parameters.h"
#include "models/timeline/fifo.h"

namespace weir::host {

class responder : public sc_core::sc_module {
public:
    responder(sc_core::sc_module_name name, ethernet::frame_pool& frames, flow_ledger& ledger,
              transport_counters& counters);

    sc_core::sc_port<pfc::gate_if> gate{"gate"};
    sc_core::sc_port<port::transmit_if> transmitter{"transmitter"};

    /// What this station says its answers in: priorities, DSCP, the distance of CNPs.
    void set_parameters(const transport_parameters& p) { parameters_ = p; }

    /// The number that the next queue pair will have: odd, from 3 on.
    [[nodiscard]] std::uint32_t next_queue_pair() const { return static_cast<std::uint32_t>(2 * flows_.size() + 3); }
    /// Opens the next queue pair for a flow of the requester's queue pair `peer`, which behaves as `requester` says.
    /// Answers leave with `hop_limit`.
    void open(const flow_parameters& f, std::uint32_t peer, const transport_parameters& requester,
              std::uint8_t hop_limit);

    /// A data frame of one of the queue pairs; others are ignored.
    void receive(const ethernet::frame& f, picoseconds now);

    /// What goes now, for whoever feeds the port.
    scheduler::selection dequeue();
    /// Nothing is left to say.
    [[nodiscard]] bool finished() const { return acknowledgements_.empty() && notifications_.empty(); }

private:
    struct queue_pair {
        std::uint32_t flow;
        std::uint32_t first_sequence;
        recovery_kind recovery;
        congestion_control control;
        std::uint64_t frames{0};
        std::uint64_t expected{0};  // the frame that is to come next
        picoseconds last_notified{never};
        bool gap_told{false};
        bool marked{false};             // what the echo says: of the frames since the last answer
        std::uint32_t since_answer{0};  // frames accepted
        frame_ring kept;                // selective: frames behind the expected one that have arrived
        ethernet::frame acknowledgement;
        ethernet::frame notification;
    };
    struct answer {
        std::uint32_t number;
        std::uint32_t sequence;
        ethernet::aeth what;
        bool congestion_echo;
    };

    void accept(queue_pair& q, std::uint32_t number, bool wish, picoseconds now);
    void notify(queue_pair& q, std::uint32_t number, picoseconds now);
    void acknowledge(queue_pair& q, std::uint32_t number);
    void keep(queue_pair& q, std::uint32_t number, std::uint32_t ahead, std::uint32_t sequence, picoseconds now);
    void echo(queue_pair& q, std::uint32_t number, bool marked);
    void report_gap(queue_pair& q, std::uint32_t number);
    void restart(queue_pair& q);

    ethernet::frame_pool& frames_;
    flow_ledger& ledger_;
    transport_counters& counters_;
    transport_parameters parameters_;
    std::deque<queue_pair> flows_;
    fifo<answer> acknowledgements_;
    fifo<std::uint32_t> notifications_;
};

}  // namespace weir::host
