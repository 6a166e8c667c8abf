// SPDX-License-Identifier: Apache-2.0
#include "models/scheduler/attribution_checker.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "models/timeline/property.h"

namespace weir::scheduler {

attribution_checker::attribution_checker(const timeline& time, std::string place, enqueue_if& filling,
                                         pfc::gated_queues_if& gated, times waited,
                                         std::function<std::uint64_t()> cleared, const pfc::gate_if& gate, bool whole)
    : time_(time),
      place_(std::move(place)),
      filling_(filling),
      gated_(gated),
      waited_(std::move(waited)),
      cleared_(std::move(cleared)),
      gate_(gate),
      whole_(whole) {}

void attribution_checker::enqueue(std::uint8_t queue, const mmu::queued_frame& f) {
    look();
    const auto bit = static_cast<pfc::bitmap>(1U << queue);
    // It was empty, so it has held nothing for some of the time since it was looked at last.
    if ((gated_.holding() & bit) == 0) held_ = static_cast<pfc::bitmap>(held_ & ~bit);
    filling_.enqueue(queue, f);
    held_ = gated_.holding();
}

void attribution_checker::gate_moved() {
    // What is told of is the new gate; what has waited so far has waited under the old one.
    const picoseconds now = time_.now();
    gated_.gate_moved();
    if (now != looked_at_) look();
    stopped_ = gate_.queues_stopped_by_pfc();
}

void attribution_checker::look() {
    const picoseconds now = time_.now();
    const picoseconds elapsed = now - std::exchange(looked_at_, now);
    const pfc::bitmap holding = gated_.holding();
    const std::uint64_t clears = cleared_();
    const bool judged = std::exchange(clears_, clears) == clears && elapsed > picoseconds{0};
    for (std::uint8_t q = 0; q < attribution::queues; ++q) {
        sums after{};
        for (std::size_t c = 0; c < wait_causes; ++c) after[c] = waited_(q, static_cast<wait_cause>(c), now);
        const sums before = std::exchange(seen_[q], after);
        if (judged) judge(q, before, after, elapsed);
    }
    held_ = holding;
}

void attribution_checker::judge(std::uint8_t queue, const sums& before, const sums& after, picoseconds elapsed) const {
    const picoseconds sum_before = std::accumulate(before.begin(), before.end(), picoseconds{0});
    const picoseconds sum = std::accumulate(after.begin(), after.end(), picoseconds{0}) - sum_before;
    const bool held = (held_ >> queue & 1U) != 0 && (gated_.holding() >> queue & 1U) != 0;
    const bool short_of_it = whole_ && held && sum < elapsed;
    if (sum > elapsed || short_of_it) {
        report_property("P24", fmt::format("{} queue {}", place_, queue), time_.now(),
                        fmt::format("{} ps of waiting were charged in {} ps", sum.count(), elapsed.count()));
    }
    constexpr auto self = static_cast<std::size_t>(wait_cause::self_paused);
    if ((stopped_ >> queue & 1U) != 0 && after[self] - before[self] != sum) {
        report_property("P25", fmt::format("{} queue {}", place_, queue), time_.now(),
                        fmt::format("it is stopped by PFC, and {} ps of its waiting were charged to other causes",
                                    (sum - (after[self] - before[self])).count()));
    }
}

}  // namespace weir::scheduler
