// SPDX-License-Identifier: Apache-2.0
#include "models/pfc/pause_receiver.h"

#include <utility>

namespace weir::pfc {
namespace {

constexpr std::uint32_t move_gate = 0xffffffff;  // any other word is a timer's number

}  // namespace

pause_receiver::pause_receiver(timeline& time, const std::string& name, std::function<void(bool)> moved)
    : actor(time, name), time_(time), moved_(std::move(moved)) {
    watched_.fill(never);
}

bool pause_receiver::receive(const ethernet::frame& f, picoseconds now) {
    const ethernet::mac_control control = ethernet::parse_mac_control(f);
    using outcome = ethernet::mac_control_outcome;
    std::array<std::uint16_t, timers> quanta{};
    switch (control.outcome) {
        case outcome::not_mac_control:
            return false;
        case outcome::unknown_opcode:
            ++counters.ignored;
            return true;
        case outcome::wrong_address:
            ++counters.wrong_da;
            return true;
        case outcome::bad_fcs:
            ++counters.bad_fcs;
            return true;
        case outcome::malformed_length:
            ++counters.malformed;
            return true;
        case outcome::pause:
            ++counters.pause;
            if (!pause_enabled_) {
                ++counters.ignored;
                return true;
            }
            quanta[whole_link] = control.pause_time;
            obey(1U << whole_link, quanta, now);
            return true;
        case outcome::pfc:
            break;
    }
    ++counters.seen;
    if (control.tagged) ++counters.tagged;
    for (std::size_t p = 0; p < 8; ++p) {
        if ((control.vector >> p & 1U) == 0) continue;
        ++counters.frames[p];
        counters.quanta[p] += control.time[p];
        quanta[p] = control.time[p];
    }
    if (control.tagged && ignore_tagged_) {
        ++counters.ignored;
        return true;
    }
    // 802.1Q: a clear bit leaves its timer alone. Complete state: it is a time of 0 (G3).
    const unsigned named = complete_state_ ? 0xffU : control.vector;
    obey(static_cast<std::uint16_t>(named & enabled_), quanta, now);
    return true;
}

void pause_receiver::obey(std::uint16_t named, const std::array<std::uint16_t, timers>& quanta, picoseconds now) {
    if (named == 0) return;
    movement m{now + response_, 0, 0, {}};
    for (unsigned left = named; left != 0; left &= left - 1) {
        const auto timer = static_cast<std::size_t>(__builtin_ctz(left));
        const auto bit = static_cast<std::uint16_t>(1U << timer);
        if (quanta[timer] != 0) {
            m.close |= bit;
            m.until[timer] = now + rate_.quanta(quanta[timer]);
            start(timer, m.until[timer], now);
        } else {
            m.open |= bit;
            if ((running_ & bit) != 0) {
                stop(timer, now);
                if (timer < 8) ++counters.releases[timer];
            }
        }
    }
    if (response_ == picoseconds{0}) {
        apply(m, now);
        return;
    }
    moving_.push(m);
    time_.at(m.at, phase::timer, *this, move_gate);
}

// A new value replaces the old one, it never adds to it. One entry at most is queued a timer, for its earliest expiry
// so far; when that comes and the timer has been refreshed, it looks again.
void pause_receiver::start(std::size_t timer, picoseconds until, picoseconds now) {
    const auto bit = static_cast<std::uint16_t>(1U << timer);
    if ((running_ & bit) == 0) {
        running_ |= bit;
        since_[timer] = now;
    }
    until_[timer] = until;
    if (watched_[timer] <= until) return;
    watched_[timer] = until;
    time_.at(until, phase::timer, *this, static_cast<std::uint32_t>(timer));
}

void pause_receiver::stop(std::size_t timer, picoseconds now) {
    running_ = static_cast<std::uint16_t>(running_ & ~(1U << timer));
    paused_[timer] += now - since_[timer];
    if (timer < 8) ++counters.transitions[timer];
}

void pause_receiver::due(std::uint32_t what) {
    const picoseconds now = time_.now();
    if (what == move_gate) {
        // Movements of a link that went down meanwhile are gone.
        if (!moving_.empty() && moving_.front().at == now) apply(moving_.pop(), now);
        return;
    }
    if (watched_[what] != now) return;
    watched_[what] = never;
    const auto bit = static_cast<std::uint16_t>(1U << what);
    if ((running_ & bit) != 0 && until_[what] <= now) {
        stop(what, now);
        if (what < 8) ++counters.expiries[what];
    }
    if ((closed_ & bit) != 0 && gate_until_[what] <= now) set_gate(static_cast<std::uint16_t>(closed_ & ~bit));
    // What still runs, or is still shut for longer, is looked at again at its own end.
    picoseconds next = never;
    if ((running_ & bit) != 0) next = until_[what];
    if ((closed_ & bit) != 0 && gate_until_[what] < next) next = gate_until_[what];
    if (next == never) return;
    watched_[what] = next;
    time_.at(next, phase::timer, *this, what);
}

void pause_receiver::apply(const movement& m, picoseconds now) {
    auto closed = static_cast<std::uint16_t>(closed_ & ~m.open);
    for (unsigned left = m.close; left != 0; left &= left - 1) {
        const auto timer = static_cast<std::size_t>(__builtin_ctz(left));
        // Granted for less than the response takes: it has run out before it could be obeyed.
        if (m.until[timer] <= now) continue;
        closed = static_cast<std::uint16_t>(closed | 1U << timer);
        gate_until_[timer] = m.until[timer];
        if (watched_[timer] <= m.until[timer]) continue;
        watched_[timer] = m.until[timer];
        time_.at(m.until[timer], phase::timer, *this, static_cast<std::uint32_t>(timer));
    }
    set_gate(closed);
}

void pause_receiver::set_gate(std::uint16_t closed) {
    closed_ = closed;
    const bool link_stopped = (closed >> whole_link & 1U) != 0;
    unsigned stopped = 0;
    for (unsigned left = closed & 0xffU; left != 0; left &= left - 1) {
        stopped |= priority_queues_[static_cast<std::size_t>(__builtin_ctz(left))];
    }
    if (stopped == stopped_by_pfc_ && link_stopped == link_stopped_) return;
    const bitmap before = stopped_queues();
    stopped_by_pfc_ = static_cast<bitmap>(stopped);
    link_stopped_ = link_stopped;
    moved_((before & ~stopped_queues()) != 0);
}

void pause_receiver::set_enabled(bitmap which) {
    enabled_ = which;
    release(static_cast<std::uint16_t>(~which & 0xffU));
}

void pause_receiver::set_pause_enabled(bool on) {
    pause_enabled_ = on;
    if (!on) release(1U << whole_link);
}

// Timers, gates, and gates that are on their way to close.
void pause_receiver::release(std::uint16_t which) {
    for (unsigned left = running_ & which; left != 0; left &= left - 1) {
        stop(static_cast<std::size_t>(__builtin_ctz(left)), time_.now());
    }
    for (std::size_t left = moving_.size(); left > 0; --left) {
        movement m = moving_.pop();
        m.close = static_cast<std::uint16_t>(m.close & ~which);
        moving_.push(m);
    }
    set_gate(static_cast<std::uint16_t>(closed_ & ~which));
}

void pause_receiver::set_priority_queues(std::uint8_t priority, bitmap queues) {
    priority_queues_[priority] = queues;
    set_gate(closed_);
}

void pause_receiver::link_changed(bool up) {
    if (up) return;
    for (unsigned left = running_; left != 0; left &= left - 1) {
        stop(static_cast<std::size_t>(__builtin_ctz(left)), time_.now());
    }
    while (!moving_.empty()) moving_.pop();
    set_gate(0);
}

picoseconds pause_receiver::timed(std::size_t timer, picoseconds now) const {
    const bool running = (running_ >> timer & 1U) != 0;
    return paused_[timer] + (running ? now - since_[timer] : picoseconds{0});
}

void pause_receiver::clear_statistics() {
    counters = {};
    paused_ = {};
    since_.fill(time_.now());
}

}  // namespace weir::pfc
