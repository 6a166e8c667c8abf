// SPDX-License-Identifier: Apache-2.0
#include "models/pfc/watchdog.h"

#include <algorithm>

namespace weir::pfc {
namespace {

constexpr std::uint32_t tick_due = 0xffffffff;  // any other word is a queue whose recovery ends

bitmap with(bitmap map, std::uint8_t queue, bool on) {
    const auto bit = 1U << queue;
    return static_cast<bitmap>(on ? map | bit : map & ~bit);
}

bool has(bitmap map, std::uint8_t queue) {
    return (map >> queue & 1U) != 0;
}

}  // namespace

watchdog::watchdog(timeline& time, const std::string& name, watched_port_if& port)
    : actor(time, name), time_(time), port_(port) {
    until_.fill(never);
}

void watchdog::set_granularity(picoseconds tick) {
    if (tick == tick_) return;
    tick_ = tick;
    next_tick_ = never;
    held_ = 0;
    stuck_for_ = {};
    arm();
}

void watchdog::set_profile(std::uint8_t queue, const watchdog_profile& p) {
    watchdog_profile& mine = profiles_[queue];
    const bool was_enabled = mine.enabled;
    mine = p;
    mine.detection = std::clamp<std::uint8_t>(p.detection, 1, 15);
    mine.recovery = std::clamp<std::uint8_t>(p.recovery, 1, 10);
    enabled_ = with(enabled_, queue, p.enabled);
    held_ = with(held_, queue, false);
    stuck_for_[queue] = 0;
    // Switched off while it recovers by itself: over at once, and no report of a recovery.
    if (was_enabled && !p.enabled && until_[queue] != never) leave(queue);
    arm();
}

void watchdog::start(std::uint8_t queue) {
    if (!has(stormed_, queue)) enter(queue, never);
}

void watchdog::end(std::uint8_t queue) {
    if (has(stormed_, queue)) leave(queue);
}

void watchdog::clear() {
    for (std::uint8_t q = 0; q < queues; ++q) end(q);
    held_ = 0;
    stuck_for_ = {};
    clear_statistics();
}

void watchdog::arm() {
    if (enabled_ == 0 || next_tick_ != never) return;
    (void)port_.take_moved();
    next_tick_ = time_.now() + tick_;
    time_.at(next_tick_, phase::timer, *this, tick_due);
}

void watchdog::due(std::uint32_t what) {
    const picoseconds now = time_.now();
    if (what == tick_due) {
        if (now != next_tick_) return;  // of another granularity
        next_tick_ = never;
        if (enabled_ == 0) return;
        tick();
        arm();
        return;
    }
    const auto queue = static_cast<std::uint8_t>(what);
    if (!has(stormed_, queue) || until_[queue] != now) return;
    leave(queue);
    ++recoveries[queue];
    if (on_event_) on_event_(event::recovered, queue);
}

// A tick counts when the queue was stuck at both of its ends and did not move in between.
void watchdog::tick() {
    const bitmap stuck = static_cast<bitmap>(port_.holding() & port_.stopped() & enabled_ & ~stormed_);
    const auto through = static_cast<bitmap>(stuck & held_ & ~port_.take_moved());
    held_ = stuck;
    for (std::uint8_t q = 0; q < queues; ++q) {
        stuck_for_[q] = has(through, q) ? static_cast<std::uint8_t>(stuck_for_[q] + 1) : std::uint8_t{0};
        if (stuck_for_[q] < profiles_[q].detection || !has(through, q)) continue;
        ++detections[q];
        enter(q, time_.now() + recovery_time(q));
        if (on_event_) on_event_(event::detected, q);
    }
}

void watchdog::enter(std::uint8_t queue, picoseconds until) {
    stormed_ = with(stormed_, queue, true);
    held_ = with(held_, queue, false);
    stuck_for_[queue] = 0;
    until_[queue] = until;
    if (until != never) time_.at(until, phase::timer, *this, queue);
    const watchdog_action action = profiles_[queue].action;
    if (action == watchdog_action::alert) return;
    acting_ = with(acting_, queue, true);
    if (action == watchdog_action::drop) port_.discard(queue, true);
    port_.ignore_pauses(acting_);
}

void watchdog::leave(std::uint8_t queue) {
    stormed_ = with(stormed_, queue, false);
    until_[queue] = never;
    if (!has(acting_, queue)) return;
    acting_ = with(acting_, queue, false);
    port_.discard(queue, false);
    port_.ignore_pauses(acting_);
}

}  // namespace weir::pfc
