// SPDX-License-Identifier: Apache-2.0
// The sending ends of an end station's reliable connections: one queue pair a flow, one message a queue pair.
//
//   open ─► start ─► SEND First, Middle …, Last ──► ACK: the window moves on ──► the last one: done
//                          ▲                    ├─► NAK: back to the missing frame, to the message's start, or
//                          │                    │        what is missing alone
//                          └── pace, window ◄───┴─► no progress for the timeout: the same; too often: given up
//
// Priorities take turns, and within a priority the flows that may send now; one that waits for its pace stands in a
// heap by its time, one whose window is full stands nowhere until an acknowledgement comes.
#pragma once

#include <systemc>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "models/ethernet/rocev2.h"
#include "models/host/dctcp.h"
#include "models/host/flow_ledger.h"
#include "models/host/flow_source.h"
#include "models/host/frame_ring.h"
#include "models/host/transport_parameters.h"
#include "models/timeline/fifo.h"

namespace weir::host {

class requester : public sc_core::sc_module, private actor {
public:
    requester(sc_core::sc_module_name name, timeline& time, ethernet::frame_pool& frames, flow_ledger& ledger,
              transport_counters& counters);

    sc_core::sc_port<pfc::gate_if> gate{"gate"};
    sc_core::sc_port<port::transmit_if> transmitter{"transmitter"};

    /// Before the first flow is opened.
    void set_parameters(const transport_parameters& p) { parameters_ = p; }
    [[nodiscard]] const transport_parameters& parameters() const { return parameters_; }
    /// The port's rate, which no flow exceeds.
    void set_line(data_rate line) { line_ = line; }

    /// The number that the next queue pair will have: even, from 2 on.
    [[nodiscard]] std::uint32_t next_queue_pair() const { return static_cast<std::uint32_t>(2 * flows_.size() + 2); }
    /// Opens the next queue pair for a flow that starts at `f.start`, towards the responder's queue pair `peer`.
    void open(const flow_parameters& f, std::uint32_t peer);

    /// True when the frame was an acknowledgement, negative or not, or a CNP for one of the queue pairs.
    bool receive(const ethernet::frame& f, picoseconds now);

    /// Tells how long the gate has been shut; without it flows do not know.
    void set_shut_time(shut_time shut) { shut_ = std::move(shut); }

    /// What goes now, for whoever feeds the port.
    scheduler::selection dequeue(picoseconds now);

    /// Every flow is acknowledged or given up.
    [[nodiscard]] bool finished() const { return unfinished_ == 0; }
    /// The earliest time after `now` at which a flow starts, or runs into its timeout; `never` when there is none.
    [[nodiscard]] picoseconds next_departure(picoseconds now) const;
    /// The rate that the flow's congestion control allows at `now`, bits a second on the wire.
    [[nodiscard]] std::int64_t rate(std::size_t flow, picoseconds now);
    /// Called whenever congestion control changes a flow's rate, which is then for observers to know; not on the way
    /// of a frame.
    void on_rate(rate_hook hook) { on_rate_ = std::move(hook); }

private:
    struct queue_pair {
        flow_parameters flow;
        std::uint64_t frames{0};
        std::uint64_t next{0};            // the frame to send next
        std::uint64_t unacknowledged{0};  // the first one that is
        std::uint64_t highest{0};         // frames sent at least once
        picoseconds next_time{0};
        picoseconds deadline{never};  // of the retransmission timer
        std::int64_t pace_remainder{0};
        std::uint32_t timeouts{0};  // since the last progress
        bool started{false};
        bool queued{false};   // among the ready or in the heap
        bool watched{false};  // the timer has an entry in the timeline
        bool closed{false};   // acknowledged or given up
        std::optional<reaction_point> reaction;
        std::optional<dctcp_window> window;
        // Selective recovery: frames behind the first unacknowledged one that have arrived; of the others before
        // `lost_before` those from `resend` on are to be sent again.
        frame_ring arrived;
        std::uint64_t resend{0};
        std::uint64_t lost_before{0};
        ethernet::frame body;
        ethernet::frame tail;
    };
    /// What an entry of the timeline is for: with the queue pair's index times wake_reasons.
    enum wake_reason : std::uint32_t { wake_to_start, wake_for_timer, wake_reasons };
    using waiting = std::pair<picoseconds, std::uint32_t>;
    static constexpr std::size_t priorities = 8;

    void due(std::uint32_t what) override;
    void expire(std::uint32_t number);
    void answered(queue_pair& q, std::uint32_t number, const ethernet::bth& header, const ethernet::aeth& extension,
                  picoseconds now);
    void acknowledge(queue_pair& q, std::uint32_t number, std::uint64_t up_to, bool marked, picoseconds now);
    void go_back(queue_pair& q);
    void forget_arrived(queue_pair& q, std::uint64_t up_to);
    void note_arrived(queue_pair& q, std::uint64_t distance);
    [[nodiscard]] std::uint64_t window_of(const queue_pair& q) const;
    void close(queue_pair& q);
    void make_ready(std::uint32_t number, picoseconds now);
    void watch(queue_pair& q, std::uint32_t number);
    [[nodiscard]] bool find_lost(queue_pair& q) const;
    [[nodiscard]] bool blocked(queue_pair& q) const;
    [[nodiscard]] ethernet::frame* next_frame(queue_pair& q, picoseconds now);
    void pace(queue_pair& q, std::int64_t wire_octets, picoseconds now);
    [[nodiscard]] std::uint32_t sequence_of(std::uint64_t frame) const {
        return static_cast<std::uint32_t>(parameters_.first_sequence + frame) & ethernet::sequence_mask;
    }

    timeline& time_;
    ethernet::frame_pool& frames_;
    flow_ledger& ledger_;
    shut_time shut_;
    transport_counters& counters_;
    transport_parameters parameters_;
    data_rate line_;
    rate_hook on_rate_;
    std::deque<queue_pair> flows_;
    std::array<fifo<std::uint32_t>, priorities> ready_;
    std::vector<waiting> paced_;  // a heap, the earliest first
    pfc::bitmap holding_{0};
    std::size_t priority_turn_{0};
    std::size_t unfinished_{0};
};

}  // namespace weir::host
