// SPDX-License-Identifier: Apache-2.0
#include "models/mmu/wish_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/ethernet/frame.h"
#include "models/timeline/property.h"

namespace weir::mmu {

wish_checker::wish_checker(const timeline& time, std::string place, pfc::pause_wish_if& flow, view seen)
    : time_(time), place_(std::move(place)), flow_(flow), seen_(std::move(seen)) {
    told_at_.fill(never);
}

void wish_checker::broken(const char* property, std::uint8_t group, const std::string& text) const {
    report_property(property, fmt::format("{} PG {}", place_, group), time_.now(), text);
}

cells wish_checker::judged(const priority_group& g) {
    return g.profile.judge_total ? g.used() : g.service_used();
}

// R5: at XOFF, or with anything in Headroom. An empty group asks only if its XOFF is 0.
bool wish_checker::must_ask(const priority_group& g) {
    const group_profile& p = g.profile;
    if (!p.enabled || !p.lossless) return false;
    if (g.used() == 0) return p.xoff == 0;
    cells limit = p.limit;
    if (p.dynamic) {
        limit = static_cast<cells>(std::min<std::int64_t>(p.share.limit(g.pool->free()), unlimited));
    }
    return g.headroom_used() > 0 || judged(g) >= std::min(p.xoff, limit);
}

// R6: Headroom empty, and XON below XOFF.
bool wish_checker::may_resume(const priority_group& g) {
    const group_profile& p = g.profile;
    if (!p.enabled || !p.lossless) return true;
    if (must_ask(g)) return false;
    cells limit = p.limit;
    if (p.dynamic) {
        limit = static_cast<cells>(std::min<std::int64_t>(p.share.limit(g.pool->free()), unlimited));
    }
    cells resume = p.xon_absolute ? p.xon_offset : std::min(p.xoff, limit) - std::max(p.xon_offset, 1);
    resume = std::max({resume, p.xon_floor, 0});
    return judged(g) <= resume;
}

void wish_checker::group_wishes(std::uint8_t group, bool pause) {
    const priority_group& g = seen_.group(group);
    const auto bit = 1U << group;
    if (pause && !(g.profile.enabled && g.profile.lossless)) broken("P17", group, "a lossy group asks for a pause");
    if (!pause && !may_resume(g)) {
        broken("P16", group,
               fmt::format("it lets its sender go on with {} cells in Service and {} in Headroom", g.service_used(),
                           g.headroom_used()));
    }
    if (pause && (asks_ & bit) == 0) {
        asks_since_[group] = time_.now();
        told_at_[group] = never;
    }
    asks_ = static_cast<pfc::bitmap>(pause ? asks_ | bit : asks_ & ~bit);
    flow_.group_wishes(group, pause);
}

void wish_checker::link_changed(bool up) {
    link_ = up;
    if (!up) asks_ = 0;
}

void wish_checker::told(picoseconds now) {
    for (std::size_t g = 0; g < told_at_.size(); ++g) {
        if ((asks_ >> g & 1U) != 0 && told_at_[g] == never) told_at_[g] = now;
    }
}

// P14, P15: who must ask, asks. P15 is of the frame that took the group there, P14 of everything else.
void wish_checker::settled(std::uint8_t admitted) {
    if (!link_) return;
    for (std::uint8_t g = 0; g < 8; ++g) {
        if ((asks_ >> g & 1U) != 0 || !must_ask(seen_.group(g))) continue;
        const priority_group& at = seen_.group(g);
        broken(g == admitted ? "P15" : "P14", g,
               fmt::format("it does not ask for a pause with {} cells in Service, {} in Headroom and XOFF at {}",
                           at.service_used(), at.headroom_used(), at.profile.xoff));
    }
}

void wish_checker::group_overflowed(std::uint8_t group) {
    ++overflows_;
    flow_.group_overflowed(group);
    judge_overflow(group);
}

// P18. What can have come since the wish, by the line rate and in the smallest frames: what the pause frame waited for
// and the dead time after it. Headroom that holds so much and a frame more does not overflow.
void wish_checker::judge_overflow(std::uint8_t group) const {
    const priority_group& g = seen_.group(group);
    if (!seen_.dead_time || seen_.dead_time() == picoseconds{0} || (asks_ >> group & 1U) == 0) return;
    if (g.profile.shared_headroom || seen_.late_frames() != 0 || told_at_[group] == never) return;
    const picoseconds judged_time = told_at_[group] - asks_since_[group] + seen_.dead_time();
    constexpr std::int64_t smallest = ethernet::minimum_frame_octets + wire_overhead_octets;
    const std::int64_t frames = judged_time / seen_.rate().octets(smallest) + 1;
    const std::int64_t by_small = frames * seen_.cells_of(ethernet::minimum_frame_octets);
    const std::int64_t by_octets = seen_.cells_of(
        static_cast<std::uint32_t>(std::min<std::int64_t>(judged_time / seen_.rate().octets(1), INT32_MAX)));
    const std::int64_t worst = std::max(by_small, by_octets) + seen_.cells_of(ethernet::maximum_frame_octets);
    if (g.profile.headroom < worst) return;
    broken("P18", group,
           fmt::format("it overflows with {} cells of Headroom, {} can have come, and the peer was never "
                       "late",
                       g.profile.headroom, worst));
}

}  // namespace weir::mmu
