// SPDX-License-Identifier: Apache-2.0
// P24 and P25: checks where a port's heads wait, from outside, between who fills and who gates the queues.
//
// Between two looks a queue that held frames all the while has waited for exactly that long, by the sum of its causes;
// one that held none for some of it has waited for no longer (P24). While a queue is stopped by PFC all of its waiting
// is self-paused, whatever else is the case (P25). It looks when a queue fills, when the gate moves, and when a frame
// is chosen. With a crossbar, whose heads come and go unseen, only what is too much is found.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "models/pfc/pfc_if.h"
#include "models/scheduler/attribution.h"
#include "models/scheduler/scheduler_if.h"
#include "models/timeline/timeline.h"

namespace weir::scheduler {

class attribution_checker : public enqueue_if, public pfc::gated_queues_if {
public:
    /// Time that a queue has waited for a cause, up to a moment.
    using times = std::function<picoseconds(std::uint8_t queue, wait_cause why, picoseconds now)>;
    /// `cleared`: how often software has set those times to 0. `whole`: every frame comes through here, so queues are
    /// known to hold frames without a break.
    attribution_checker(const timeline& time, std::string place, enqueue_if& filling, pfc::gated_queues_if& gated,
                        times waited, std::function<std::uint64_t()> cleared, const pfc::gate_if& gate, bool whole);

    void enqueue(std::uint8_t queue, const mmu::queued_frame& f) override;
    void gate_moved() override;
    [[nodiscard]] pfc::bitmap holding() const override { return gated_.holding(); }
    void watch(pfc::bitmap which) override { gated_.watch(which); }
    std::uint64_t throw_away(std::uint8_t queue) override { return gated_.throw_away(queue); }

    /// A look at all queues.
    void look();

private:
    using sums = std::array<picoseconds, wait_causes>;
    void judge(std::uint8_t queue, const sums& before, const sums& after, picoseconds elapsed) const;

    const timeline& time_;
    std::string place_;
    enqueue_if& filling_;
    pfc::gated_queues_if& gated_;
    times waited_;
    std::function<std::uint64_t()> cleared_;
    std::uint64_t clears_{0};
    const pfc::gate_if& gate_;
    bool whole_;
    picoseconds looked_at_{0};
    pfc::bitmap held_{0};     // held frames at the last look, and without a break since
    pfc::bitmap stopped_{0};  // by PFC, since the last look
    std::array<sums, attribution::queues> seen_{};
};

}  // namespace weir::scheduler
