// SPDX-License-Identifier: Apache-2.0
// One port's egress: eight queues, and which of their frames goes next (G8).
//
//   eligible = holds a frame ∧ enabled ∧ not stopped by the peer ∧ below its greatest rate
//   queues below their least rate go before all others; then, each time:
//   strict queues first, the highest number first; the others share, groups by octets (ETS), the queues of a group by
//   deficit (octets) or by count (frames), each round giving a queue or group its weight's worth
//
// A stopped queue keeps its deficit and earns none; an emptied queue forfeits it. So do groups.
#pragma once

#include <systemc>

#include <array>
#include <cstdint>
#include <utility>

#include "models/mmu/mmu_if.h"
#include "models/pfc/pfc_if.h"
#include "models/port/port_if.h"
#include "models/scheduler/attribution.h"
#include "models/scheduler/scheduler_if.h"
#include "models/scheduler/token_bucket.h"
#include "models/timeline/fifo.h"
#include "models/timeline/timeline.h"

namespace weir::scheduler {

constexpr std::size_t queues = 8;
/// Groups of queues that share a port by percentage (ETS, 802.1Q clause 37).
constexpr std::size_t share_groups = 8;

enum class discipline : std::uint8_t { strict, dwrr, wrr };

class scheduler : public sc_core::sc_module, public enqueue_if, public dequeue_if, public pfc::gated_queues_if {
public:
    scheduler(sc_core::sc_module_name name, timeline& time, std::uint16_t port_number);
    ~scheduler() override;

    sc_core::sc_export<enqueue_if> filling{"filling"};
    sc_core::sc_export<dequeue_if> emptying{"emptying"};
    sc_core::sc_port<mmu::departure_if> departure{"departure"};
    sc_core::sc_port<port::transmit_if> transmitter{"transmitter"};
    sc_core::sc_export<pfc::gated_queues_if> gated{"gated"};
    sc_core::sc_port<pfc::gate_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND> gate{"gate"};
    sc_core::sc_port<pfc::progress_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND> progress{"progress"};
    /// With input queueing: what else waits for this port.
    sc_core::sc_port<backlog_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND> backlog{"backlog"};

    void enqueue(std::uint8_t queue, const mmu::queued_frame& f) override;
    selection dequeue(picoseconds now) override;
    void gate_moved() override;
    [[nodiscard]] pfc::bitmap holding() const override { return holding_; }
    void watch(pfc::bitmap which) override { watched_ = which; }
    std::uint64_t throw_away(std::uint8_t queue) override;

    /// Weight 1 to 255: shares of octets (dwrr) or of frames (wrr).
    void set_discipline(std::uint8_t queue, discipline d, std::uint8_t weight);
    /// The group of a queue that is not strict. All in one group: there is nothing to share among groups.
    void set_group(std::uint8_t queue, std::uint8_t group);
    /// Weight 1 to 100: shares of octets among the groups that have something to send.
    void set_group_weight(std::uint8_t group, std::uint8_t weight);
    /// The queue's greatest and least rate; 0: none.
    void set_queue_shaper(std::uint8_t queue, std::uint32_t kilobits, std::uint32_t burst_octets);
    void set_queue_minimum(std::uint8_t queue, std::uint32_t kilobits, std::uint32_t burst_octets);
    void set_port_shaper(std::uint32_t kilobits, std::uint32_t burst_octets);
    /// Deficits and tokens count the frame's octets alone, instead of those on the wire.
    void set_frame_octets_only(bool on) { overhead_ = on ? 0 : wire_overhead_octets; }
    void set_dequeue_enabled(std::uint8_t queue, bool on);
    /// How long a frame of that many octets occupies this port's wire, for cells that return at the end.
    void set_rate(data_rate rate) { rate_ = rate; }
    [[nodiscard]] data_rate rate() const { return rate_; }

    /// Throws away what may leave now: a queue that is stopped or not enabled keeps its frames, as silicon's does.
    void flush();
    /// Throws everything away, whatever stands in the way.
    void clear();
    /// Throws away what one queue holds, whatever stands in the way; how many frames that were.
    std::uint64_t clear(std::uint8_t queue, mmu::drop_reason why);
    /// Queues that sent something since this was asked last.
    [[nodiscard]] pfc::bitmap take_departed() { return std::exchange(departed_, pfc::bitmap{0}); }
    /// Takes back a frame that waits here; the caller has its reference again. It goes on waiting elsewhere, so this is
    /// neither progress nor its queue's end. False: it does not wait in that queue.
    bool withdraw(std::uint8_t queue, const ethernet::frame& f);
    [[nodiscard]] bool empty() const {
        return holding_ == 0 && (backlog.size() == 0 || backlog->backlog_empty(port_number_));
    }
    /// Queues that are enabled and not stopped, with frames or without.
    [[nodiscard]] pfc::bitmap enabled_queues() const { return enabled_; }
    [[nodiscard]] pfc::bitmap open_queues() const { return static_cast<pfc::bitmap>(enabled_ & ~stopped_); }
    [[nodiscard]] std::size_t frames(std::uint8_t queue) const { return queues_[queue].size(); }
    /// Where heads wait and why.
    [[nodiscard]] const attribution& waiting() const { return waiting_; }
    void clear_statistics() { waiting_.clear(time_.now()); }

private:
    struct queue_state {
        discipline mode{discipline::strict};
        std::uint8_t weight{1};
        std::uint8_t group{0};
        token_bucket shaper;
        token_bucket minimum;
    };
    /// Whose turn it is among several, and what each has to spend.
    struct deficit_round {
        std::array<std::int64_t, 8> deficit{};
        std::uint8_t turn{0};
        bool granted{false};
    };

    [[nodiscard]] std::int64_t octets(std::uint8_t queue) const {
        return queues_[queue].front().frame->length + overhead_;
    }
    [[nodiscard]] std::int64_t cost(std::uint8_t queue) const;
    [[nodiscard]] std::int64_t quantum(std::uint8_t queue) const;
    template <typename Quantum, typename Cost>
    [[nodiscard]] static std::uint8_t next_payer(deficit_round& round, pfc::bitmap sharing, Quantum quantum, Cost cost);
    [[nodiscard]] std::uint8_t choose(pfc::bitmap eligible);
    [[nodiscard]] std::uint8_t choose_in(std::uint8_t group, pfc::bitmap eligible);
    [[nodiscard]] std::uint8_t choose_by_group(pfc::bitmap eligible);
    [[nodiscard]] pfc::bitmap below_minimum(pfc::bitmap eligible, picoseconds now);
    void find_groups();
    bool forget_if_empty(std::uint8_t queue);
    std::uint64_t discard(pfc::bitmap which, mmu::drop_reason why);

    timeline& time_;
    std::uint16_t port_number_;
    data_rate rate_;
    std::array<fifo<mmu::queued_frame>, queues> queues_;
    std::array<queue_state, queues> states_;
    token_bucket port_shaper_;
    pfc::bitmap holding_{0};
    pfc::bitmap departed_{0};
    pfc::bitmap enabled_{0xff};
    pfc::bitmap strict_{0xff};
    pfc::bitmap shaped_{0};
    pfc::bitmap stopped_{0};  // what the gate says, kept for every frame's sake
    pfc::bitmap watched_{0};
    attribution waiting_;
    pfc::bitmap guaranteed_{0};  // queues with a least rate
    // Each group's queues have a round of their own; a queue's deficit stands in the round of its group.
    std::array<deficit_round, share_groups> rounds_{};
    deficit_round group_round_;
    std::array<std::uint8_t, share_groups> group_weights_{1, 1, 1, 1, 1, 1, 1, 1};
    std::array<pfc::bitmap, share_groups> members_{0xff};  // the queues of a group, strict ones too
    bool grouped_{false};                                  // more than one group has queues that share
    std::int64_t overhead_{wire_overhead_octets};
};

}  // namespace weir::scheduler
