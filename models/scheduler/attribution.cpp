// SPDX-License-Identifier: Apache-2.0
#include "models/scheduler/attribution.h"

namespace weir::scheduler {

wait_share attribution::uncounted(std::uint8_t queue, picoseconds now) const {
    const bool stopped_here = (by_pfc(state_) >> queue & 1U) != 0;
    return share_of(judge(stopped_here, link(state_), sending(state_) == queue), accounts_[queue].since, sending_until_,
                    now);
}

void attribution::settle(std::uint32_t which, picoseconds now) {
    for (std::uint32_t left = which; left != 0; left &= left - 1) {
        const auto queue = static_cast<std::uint8_t>(__builtin_ctz(left));
        account& a = accounts_[queue];
        if (a.since == now) continue;
        const wait_share s = uncounted(queue, now);
        a.waited[static_cast<std::size_t>(s.cause)] += s.time;
        a.waited[static_cast<std::size_t>(wait_cause::none)] += s.none;
        a.since = now;
    }
}

void attribution::judge_blocked(std::uint32_t changed, picoseconds now) {
    const bool was_blocked = blocked_now();
    if (was_blocked == all_blocked(holding(changed), stopped(changed))) return;
    if (was_blocked) blocked_ += now - blocked_since_;
    blocked_since_ = now;
}

// Who holds frames or what is stopped has changed. All that hold some are settled: it is rare enough.
void attribution::move(std::uint32_t changed, picoseconds now) {
    settle(holding(state_), now);
    judge_blocked(changed, now);
    state_ = changed;
}

// Only the queue that sent before and the one that sends now have another cause, or no frame any more.
void attribution::change_sender(std::uint32_t changed, picoseconds now) {
    settle((1U << sending(changed) | 1U << sending(state_)) & holding(state_), now);
    if ((state_ & stopped_mask) != 0) judge_blocked(changed, now);
    state_ = changed;
}

void attribution::clear(picoseconds now) {
    for (account& a : accounts_) a = {{}, now};
    ++cleared_;
    blocked_ = picoseconds{0};
    blocked_since_ = now;
}

picoseconds attribution::waited(std::uint8_t queue, wait_cause why, picoseconds now) const {
    picoseconds time = accounts_[queue].waited[static_cast<std::size_t>(why)];
    if ((holding(state_) >> queue & 1U) == 0) return time;
    const wait_share s = uncounted(queue, now);
    if (why == s.cause) time += s.time;
    if (why == wait_cause::none) time += s.none;
    return time;
}

picoseconds attribution::blocked(picoseconds now) const {
    return blocked_ + (blocked_now() ? now - blocked_since_ : picoseconds{0});
}

}  // namespace weir::scheduler
