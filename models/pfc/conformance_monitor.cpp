// SPDX-License-Identifier: Apache-2.0
#include "models/pfc/conformance_monitor.h"

namespace weir::pfc {
namespace {

// Two clocks of 802.3 differ by 200 ppm at most, so a peer's N quanta may be shorter by that much: 1/4096 covers it.
picoseconds shortest(picoseconds granted) {
    return granted - granted / 4096;
}

}  // namespace

void conformance_monitor::occurred(fault f) {
    ++counts_[static_cast<std::size_t>(f)];
    if (on_fault_) on_fault_(f);
}

void conformance_monitor::set_dead_time(picoseconds time) {
    dead_time_ = time;
}

void conformance_monitor::set_group_lossless(std::uint8_t group, bool lossless) {
    const auto bit = 1U << group;
    lossless_groups_ = static_cast<bitmap>(lossless ? lossless_groups_ | bit : lossless_groups_ & ~bit);
}

void conformance_monitor::wanted(bitmap which) {
    for (unsigned risen = which & ~wanted_ & 0xffU; risen != 0; risen &= risen - 1) {
        wanted_since_[static_cast<std::size_t>(__builtin_ctz(risen))] = time_.now();
    }
    wanted_ = which;
}

void conformance_monitor::announced(bitmap paused, bool by_priority, picoseconds granted) {
    const picoseconds now = time_.now();
    for (unsigned left = paused; left != 0; left &= left - 1) {
        const auto p = static_cast<std::size_t>(__builtin_ctz(left));
        // A refresh leaves the window where it is, unless it may reach the peer after the pause has run out there: then
        // the peer may have begun to send again, and has the dead time once more.
        const bool still_stopped = (announced_ >> p & 1U) != 0 && now + dead_time_ <= granted_until_[p];
        if (!still_stopped) told_[p] = now;
        granted_until_[p] = now + shortest(granted);
    }
    announced_ = paused;
    if (!by_priority) return;
    unsigned lossless = 0;
    for (unsigned left = lossless_groups_; left != 0; left &= left - 1) {
        lossless |= group_priorities_[static_cast<std::size_t>(__builtin_ctz(left))];
    }
    if ((paused & ~lossless) != 0) occurred(fault::lossy_pause);
}

void conformance_monitor::forget() {
    wanted_ = announced_ = 0;
}

bool conformance_monitor::late(std::uint8_t priority, picoseconds at) const {
    if (chapter_window_) return (wanted_ >> priority & 1U) != 0 && at > wanted_since_[priority] + dead_time_;
    return (announced_ >> priority & 1U) != 0 && at > told_[priority] + dead_time_ && at <= granted_until_[priority];
}

void conformance_monitor::arrived(std::uint8_t traffic_class, picoseconds at) {
    if (dead_time_ != picoseconds{0} && late(traffic_class, at)) occurred(fault::late);
}

void conformance_monitor::overflow(std::uint8_t group) {
    if ((lossless_groups_ >> group & 1U) != 0) occurred(fault::overflow);
}

void conformance_monitor::escape(std::uint8_t) {
    occurred(fault::escape);
}

}  // namespace weir::pfc
