// SPDX-License-Identifier: Apache-2.0
// Where the head of each of a port's queues waits, and why: time by cause, one cause at a time (the PFC RTL chapter,
// sections 9 and 11; rule G13).
//
//   self_paused   the peer has stopped this queue by PFC
//   second_order  the peer has stopped the whole link (802.3x PAUSE)
//   first_order   the port is sending another frame of the same queue: this switch's own congestion
//   none          nothing of these: the scheduler serves others, a shaper or a disabled queue holds it
//
// The order is the specification: a queue that the peer has stopped explains itself, whatever else is the case.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/pfc/pfc_if.h"
#include "models/timeline/time.h"

namespace weir::scheduler {

enum class wait_cause : std::uint8_t { self_paused, second_order, first_order, none };
constexpr std::size_t wait_causes = 4;

/// Why a head waits. `stopped_by_pfc`: this queue; `link_stopped`: the whole destination; `same_queue_sends`: the port
/// sends a frame of the queue.
constexpr wait_cause judge(bool stopped_by_pfc, bool link_stopped, bool same_queue_sends) {
    if (stopped_by_pfc) return wait_cause::self_paused;
    if (link_stopped) return wait_cause::second_order;
    if (same_queue_sends) return wait_cause::first_order;
    return wait_cause::none;
}

/// Queues with work that the peer lets go, whatever the scheduler makes of it (P23).
constexpr pfc::bitmap eligible(pfc::bitmap holding, pfc::bitmap stopped) {
    return static_cast<pfc::bitmap>(holding & ~stopped);
}

/// There is work and none of it may go (P23).
constexpr bool all_blocked(pfc::bitmap holding, pfc::bitmap stopped) {
    return holding != 0 && eligible(holding, stopped) == 0;
}

/// A length of waiting by cause: what belongs to `cause`, and what does not any more.
struct wait_share {
    wait_cause cause;
    picoseconds time;
    picoseconds none;
};

/// The wait from `since` to `now`. Nothing tells when a frame has left the wire and no other follows, so a wait for the
/// frame on the wire is cut off here, where that frame ends.
constexpr wait_share share_of(wait_cause cause, picoseconds since, picoseconds sending_until, picoseconds now) {
    const picoseconds elapsed = now - since;
    if (cause != wait_cause::first_order || sending_until >= now) return {cause, elapsed, picoseconds{0}};
    const picoseconds sent = sending_until > since ? sending_until - since : picoseconds{0};
    return {cause, sent, elapsed - sent};
}

/// Adds up the time. Whoever uses it says what changes; while nothing changes it costs one comparison an event.
class attribution {
public:
    static constexpr std::size_t queues = 8;

    /// What the peer has stopped, from `now` on.
    void gate(pfc::bitmap by_pfc, bool link_stopped, picoseconds now) {
        move(holding(state_) | std::uint32_t{by_pfc} << 8U | std::uint32_t{link_stopped} << 16U |
                 (state_ & sending_mask),
             now);
    }
    /// A queue that held nothing holds a frame; it holds none any more, though none was sent.
    void fills(std::uint8_t queue, picoseconds now) {
        accounts_[queue].since = now;
        const std::uint32_t changed = state_ | 1U << queue;
        if ((state_ & stopped_mask) != 0) judge_blocked(changed, now);
        state_ = changed;
    }
    void empties(std::uint8_t queue, picoseconds now) { move(state_ & ~(1U << queue), now); }
    /// A frame of `queue` occupies the wire from `now` to `until`; `holding` is what it leaves behind.
    void sends(std::uint8_t queue, pfc::bitmap holding, picoseconds now, picoseconds until) {
        const std::uint32_t changed = (state_ & ~(holding_mask | sending_mask)) | holding | std::uint32_t{queue} << 17U;
        // Back to back out of one queue that stays filled: its head has the same cause as before.
        if (changed != state_ || now > sending_until_) change_sender(changed, now);
        sending_until_ = until;
    }
    /// Everything to 0; what waits now counts from `now` on.
    void clear(picoseconds now);
    [[nodiscard]] std::uint64_t times_cleared() const { return cleared_; }

    [[nodiscard]] picoseconds waited(std::uint8_t queue, wait_cause why, picoseconds now) const;
    /// For how long the port had work and could send none of it because of its peer.
    [[nodiscard]] picoseconds blocked(picoseconds now) const;

    [[nodiscard]] pfc::bitmap holding() const { return holding(state_); }
    [[nodiscard]] pfc::bitmap eligible_now() const { return eligible(holding(state_), stopped(state_)); }
    [[nodiscard]] pfc::bitmap stopped_by_pfc() const { return by_pfc(state_); }
    [[nodiscard]] bool link_stopped() const { return link(state_); }
    [[nodiscard]] bool blocked_now() const { return all_blocked(holding(state_), stopped(state_)); }

private:
    // One word says all: holding 7:0, stopped by PFC 15:8, link stopped 16, the queue being sent 20:17 (8: none yet).
    static constexpr std::uint32_t holding_mask = 0xff;
    static constexpr std::uint32_t stopped_mask = 0x1ffU << 8U;
    static constexpr std::uint32_t sending_mask = 0xfU << 17U;
    static constexpr pfc::bitmap holding(std::uint32_t s) { return static_cast<pfc::bitmap>(s & holding_mask); }
    static constexpr pfc::bitmap by_pfc(std::uint32_t s) { return static_cast<pfc::bitmap>(s >> 8U & 0xffU); }
    static constexpr bool link(std::uint32_t s) { return (s >> 16U & 1U) != 0; }
    static constexpr std::uint32_t sending(std::uint32_t s) { return s >> 17U & 0xfU; }
    static constexpr pfc::bitmap stopped(std::uint32_t s) { return link(s) ? pfc::bitmap{0xff} : by_pfc(s); }

    struct account {
        std::array<picoseconds, wait_causes> waited{};
        picoseconds since{0};  // from here on the present cause is not counted yet
    };
    [[nodiscard]] wait_share uncounted(std::uint8_t queue, picoseconds now) const;
    void settle(std::uint32_t which, picoseconds now);
    void move(std::uint32_t changed, picoseconds now);
    void change_sender(std::uint32_t changed, picoseconds now);
    void judge_blocked(std::uint32_t changed, picoseconds now);

    std::uint32_t state_{8U << 17U};
    picoseconds sending_until_{0};
    std::array<account, queues> accounts_{};
    picoseconds blocked_{0};
    picoseconds blocked_since_{0};
    std::uint64_t cleared_{0};
};

}  // namespace weir::scheduler
