// SPDX-License-Identifier: Apache-2.0
#include "models/pfc/stall_detector.h"

#include <algorithm>
#include <utility>

namespace weir::pfc {
namespace {

constexpr bitmap bit_of(std::uint8_t queue) {
    return static_cast<bitmap>(1U << queue);
}

}  // namespace

stall_detector::stall_detector(timeline& time, const std::string& name, connections port)
    : actor(time, name), time_(time), port_(std::move(port)) {}

void stall_detector::set_rate(data_rate rate) {
    rate_ = rate;
    look_at(0xff);
}

void stall_detector::set_limit(std::uint32_t quanta) {
    limit_ = quanta;
    look_at(0xff);
}

void stall_detector::set_escape(bool on) {
    escape_ = on;
    look_at(0xff);
}

void stall_detector::set_hold(bool on) {
    hold_ = on;
    for (std::uint8_t queue = 0; queue < queues && !on; ++queue) {
        if (stalls_[queue].since == never) forget(queue);
        stalls_[queue].kept = picoseconds{0};
    }
    update_watch();
}

void stall_detector::set_lossless(std::uint8_t queue, bool on) {
    if (on == ((lossless_ & bit_of(queue)) != 0)) return;
    lossless_ = static_cast<bitmap>(lossless_ ^ bit_of(queue));
    if (!on) {
        forget(queue);
    } else if ((stopped_ & port_.holding() & bit_of(queue)) != 0) {
        start(queue);
    }
    update_watch();
}

void stall_detector::gate_moved(bitmap stopped) {
    const auto moved = static_cast<bitmap>((stopped ^ stopped_) & lossless_);
    stopped_ = stopped;
    if (moved == 0) return;
    for (unsigned left = moved & ~stopped; left != 0; left &= left - 1) {
        const auto queue = static_cast<std::uint8_t>(__builtin_ctz(left));
        hold_ ? stop(queue) : forget(queue);
    }
    if ((moved & stopped) != 0) {
        for (unsigned left = moved & stopped & port_.holding(); left != 0; left &= left - 1) {
            start(static_cast<std::uint8_t>(__builtin_ctz(left)));
        }
    }
    update_watch();
}

// A stopped queue sends nothing, so without `hold` only stopped queues need be looked after.
void stall_detector::update_watch() {
    const auto wanted = static_cast<bitmap>(hold_ ? lossless_ : lossless_ & stopped_);
    if (wanted == watching_) return;
    watching_ = wanted;
    port_.watch(wanted);
}

void stall_detector::filled(std::uint8_t queue) {
    // With input queueing a head may have been withdrawn and come back: it has waited all the while.
    if ((stopped_ & bit_of(queue)) != 0 && stalls_[queue].since == never) start(queue);
}

void stall_detector::left(std::uint8_t queue) {
    forget(queue);
    if ((stopped_ & bit_of(queue)) != 0) start(queue);
}

void stall_detector::emptied(std::uint8_t queue) {
    forget(queue);
}

void stall_detector::start(std::uint8_t queue) {
    stalls_[queue].since = time_.now();
    look_at(bit_of(queue));
}

void stall_detector::stop(std::uint8_t queue) {
    stall& s = stalls_[queue];
    s.kept = length(queue, time_.now());
    s.longest = std::max(s.longest, s.kept);
    s.since = never;
}

void stall_detector::forget(std::uint8_t queue) {
    stop(queue);
    stalls_[queue].kept = picoseconds{0};
    suspect_ = static_cast<bitmap>(suspect_ & ~bit_of(queue));
}

picoseconds stall_detector::length(std::uint8_t queue, picoseconds now) const {
    const stall& s = stalls_[queue];
    return s.since == never ? s.kept : s.kept + (now - s.since);
}

picoseconds stall_detector::longest(std::uint8_t queue, picoseconds now) const {
    return std::max(stalls_[queue].longest, length(queue, now));
}

// One entry at most is meant a queue; one that comes too early, because the stall that it was for is over, looks again.
void stall_detector::look_at(bitmap which) {
    if (limit_ == 0) return;
    for (unsigned left = which; left != 0; left &= left - 1) {
        const auto queue = static_cast<std::uint8_t>(__builtin_ctz(left));
        stall& s = stalls_[queue];
        const bool told = (suspect_ & bit_of(queue)) != 0;
        if (s.since == never || (told && !escape_)) continue;
        const picoseconds at = s.since - s.kept + rate_.quanta(told ? 2 * std::int64_t{limit_} : limit_);
        const picoseconds entry = std::max(at, time_.now());
        if (s.watched <= entry) continue;
        s.watched = entry;
        time_.at(entry, phase::timer, *this, queue);
    }
}

void stall_detector::due(std::uint32_t queue) {
    stall& s = stalls_[queue];
    if (s.watched != time_.now()) return;
    s.watched = never;
    if (s.since != never && limit_ != 0) judge(static_cast<std::uint8_t>(queue));
}

void stall_detector::judge(std::uint8_t queue) {
    const picoseconds stalled = length(queue, time_.now());
    if (stalled >= rate_.quanta(limit_) && (suspect_ & bit_of(queue)) == 0) {
        suspect_ = static_cast<bitmap>(suspect_ | bit_of(queue));
        ++counters[queue].suspects;
        if (on_suspect) on_suspect(queue);
    }
    if (escape_ && stalled >= rate_.quanta(2 * std::int64_t{limit_})) {
        ++counters[queue].escapes;
        if (on_escape) on_escape(queue);
        counters[queue].escaped_frames += port_.throw_away(queue);  // and so `emptied`
        return;
    }
    look_at(bit_of(queue));
}

}  // namespace weir::pfc
