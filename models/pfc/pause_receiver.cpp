// SPDX-License-Identifier: Apache-2.0
#include "models/pfc/pause_receiver.h"

#include <algorithm>
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
    if (commit_short_ && !control.tagged && obey_short(f, now)) return true;
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
            if (!obeys_pause()) {
                ++counters.ignored;
                return true;
            }
            quanta[whole_link] = control.pause_time;
            obey(1U << whole_link, quanta, now);
            return true;
        case outcome::pfc:
            obey_pfc(control.vector, control.time, control.tagged, now);
            break;
    }
    return true;
}

void pause_receiver::obey_pfc(std::uint8_t vector, const ethernet::pause_times& time, bool tagged, picoseconds now) {
    std::array<std::uint16_t, timers> quanta{};
    ++counters.seen;
    if (tagged) ++counters.tagged;
    for (std::size_t p = 0; p < 8; ++p) {
        if ((vector >> p & 1U) == 0) continue;
        ++counters.frames[p];
        counters.quanta[p] += time[p];
        quanta[p] = time[p];
    }
    if (tagged && ignore_tagged_) {
        ++counters.ignored;
        if (on_ignored_tag_) on_ignored_tag_();
        return;
    }
    // 802.1Q: a clear bit leaves its timer alone. Complete state: it is a time of 0 (G3).
    const unsigned named = complete_state_ ? 0xffU : vector;
    obey(static_cast<std::uint16_t>(named & enabled_ & ~deaf_), quanta, now);
}

// True when the frame was no whole one and the chapter's parser decided about it.
bool pause_receiver::obey_short(const ethernet::frame& f, picoseconds now) {
    using verdict = ethernet::chapter_parser::verdict;
    const verdict v = chapter_parser_.take(f);
    if (f.length == ethernet::mac_control_octets || v == verdict::nothing) return false;
    if (v == verdict::wrong_address) ++counters.wrong_da;
    if (v == verdict::bad_fcs) ++counters.bad_fcs;
    if (v == verdict::commit) obey_pfc(chapter_parser_.vector(), chapter_parser_.time(), false, now);
    return true;
}

void pause_receiver::obey(std::uint16_t named, const std::array<std::uint16_t, timers>& quanta, picoseconds now) {
    picoseconds from = now;
    if (truncated_) {
        from = prescaler_.edge(now);
        lose_tick(named, from);
    }
    if (named == 0) return;
    movement m{from + response_, 0, 0, {}, {}};
    for (unsigned left = named; left != 0; left &= left - 1) {
        const auto timer = static_cast<std::size_t>(__builtin_ctz(left));
        const auto bit = static_cast<std::uint16_t>(1U << timer);
        if (quanta[timer] != 0) {
            m.close |= bit;
            m.quanta[timer] = quanta[timer];
            m.until[timer] = timer_from_stop_ ? never : expiry(quanta[timer], from);
            start(timer, m.until[timer], now);
        } else {
            m.open |= bit;
            if ((running_ & bit) != 0) {
                stop(timer, now);
                if (timer < 8) ++counters.releases[timer];
            }
        }
    }
    if (m.at == now) {
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
    watch(timer, until);
}

void pause_receiver::watch(std::size_t timer, picoseconds until) {
    if (watched_[timer] <= until) return;
    watched_[timer] = until;
    time_.at(until, phase::timer, *this, static_cast<std::uint32_t>(timer));
}

// A frame on the edge of a tick: the timers that it does not load run one tick longer.
void pause_receiver::lose_tick(std::uint16_t loaded, picoseconds edge) {
    if (!prescaler_.ticks_at(edge)) return;
    const auto later = [&](picoseconds until) {
        return until == never || until < edge ? until : prescaler_.tick_after(prescaler_.edge(until), 1);
    };
    for (std::size_t timer = 0; timer < timers; ++timer) {
        if ((loaded >> timer & 1U) != 0) continue;
        if ((running_ >> timer & 1U) != 0) until_[timer] = later(until_[timer]);
        if ((closed_ >> timer & 1U) != 0) gate_until_[timer] = later(gate_until_[timer]);
    }
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
        while (!moving_.empty() && moving_.front().at <= now) apply(moving_.pop(), now);
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
    const picoseconds stopped = timer_from_stop_ && busy_until_ ? std::max(now, busy_until_()) : now;
    for (unsigned left = m.close; left != 0; left &= left - 1) {
        const auto timer = static_cast<std::size_t>(__builtin_ctz(left));
        if (m.until[timer] == never) {  // counted from the stop
            gate_until_[timer] = expiry(m.quanta[timer], stopped);
            if ((running_ >> timer & 1U) != 0) until_[timer] = gate_until_[timer];
            closed = static_cast<std::uint16_t>(closed | 1U << timer);
            watch(timer, gate_until_[timer]);
            continue;
        }
        // Granted for less than the response takes: it has run out before it could be obeyed. It has taken the place
        // of what was granted before all the same, so that does not keep the gate shut either.
        if (m.until[timer] <= now) {
            closed = static_cast<std::uint16_t>(closed & ~(1U << timer));
            continue;
        }
        closed = static_cast<std::uint16_t>(closed | 1U << timer);
        gate_until_[timer] = m.until[timer];
        watch(timer, m.until[timer]);
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
    const unsigned open = ~static_cast<unsigned>(ignored_queues_);
    const auto by_pfc = static_cast<bitmap>(stopped & open);
    const auto all = static_cast<bitmap>(link_stopped ? 0xffU & open : by_pfc);
    const bool opens = (stopped_queues_ & ~all) != 0;
    const bool moved = all != stopped_queues_ || by_pfc != stopped_by_pfc_ || link_stopped != link_stopped_;
    stopped_queues_ = all;
    stopped_by_pfc_ = by_pfc;
    link_stopped_ = link_stopped;
    was_open_ = static_cast<bitmap>(was_open_ | ~all);
    if (moved) moved_(opens);
}

void pause_receiver::set_enabled(bitmap which) {
    enabled_ = which;
    release(static_cast<std::uint16_t>(~which & 0xffU));
    if (!obeys_pause()) release(1U << whole_link);
}

void pause_receiver::set_pause_enabled(bool on) {
    pause_enabled_ = on;
    if (!obeys_pause()) release(1U << whole_link);
}

void pause_receiver::set_exclusive(bool on) {
    exclusive_ = on;
    if (!obeys_pause()) release(1U << whole_link);
}

// Timers that run keep the expiry that they have; the ticks begin anew.
void pause_receiver::set_rate(data_rate rate) {
    ++interventions_;
    rate_ = rate;
    prescaler_.configure(time_.now(), megahertz_, rate_);
}

void pause_receiver::set_clock(std::uint32_t megahertz) {
    ++interventions_;
    megahertz_ = megahertz;
    prescaler_.configure(time_.now(), megahertz_, rate_);
}

void pause_receiver::set_truncated_quanta(bool on) {
    if (on == truncated_) return;
    ++interventions_;
    // What is on its way to the gate was timed the other way: it arrives now, ahead of what comes from here on.
    while (!moving_.empty()) apply(moving_.pop(), time_.now());
    if (on) prescaler_.configure(time_.now(), megahertz_, rate_);
    truncated_ = on;
}

// Timers, gates, and gates that are on their way to close.
void pause_receiver::release(std::uint16_t which) {
    ++interventions_;
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
    judge_deaf();
    set_gate(closed_);
}

void pause_receiver::set_ignored_queues(bitmap queues) {
    ignored_queues_ = queues;
    judge_deaf();
    release(deaf_);
}

void pause_receiver::judge_deaf() {
    unsigned deaf = 0;
    for (std::size_t p = 0; p < priority_queues_.size(); ++p) {
        const bitmap queues = priority_queues_[p];
        if (queues != 0 && (queues & ~ignored_queues_) == 0) deaf |= 1U << p;
    }
    deaf_ = static_cast<bitmap>(deaf);
}

bitmap pause_receiver::take_open() {
    return std::exchange(was_open_, static_cast<bitmap>(~stopped_queues_));
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
