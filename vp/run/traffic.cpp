// SPDX-License-Identifier: Apache-2.0
#include "vp/run/traffic.h"

#include <algorithm>
#include <string>

namespace weir::vp {

using platforms::machine;

namespace {

/// The run is looked at once a step; it also ends at a step, whatever observers are on.
constexpr picoseconds step = microseconds(10);
/// Without a frame for so long, nothing is going to move any more.
constexpr picoseconds stall_limit = microseconds(100'000);

/// The first point of a grid at or after `wanted`, and not before `at`; both and the grid count from `origin`.
picoseconds grid_point(picoseconds origin, picoseconds distance, picoseconds at, picoseconds wanted) {
    if (wanted <= at) return at;
    const std::int64_t points = (wanted - origin - picoseconds{1}) / distance + 1;
    return points > (end_of_time - origin) / distance ? end_of_time : origin + points * distance;
}

}  // namespace

picoseconds run_traffic(machine& m, const run_request& request, picoseconds origin, std::uint64_t expected_hops,
                        samplers& watch, remote::run_control* control, turning_point* turn,
                        const std::function<void(const progress_report&)>& progress) {
    const auto run_until = [&](picoseconds time) {
        m.run_until(time);
        while (m.time().paused()) {
            turn->take();
            m.run_until(time);
        }
    };
    picoseconds now = origin;
    picoseconds next_sample = origin;
    picoseconds last_movement = origin;
    std::uint64_t hops = m.link_hops();
    const std::uint64_t first_hops = hops;
    const picoseconds end = request.until ? origin + *request.until : end_of_time;
    const bool sampled = request.series_interval > picoseconds{0};
    for (picoseconds next_step = origin + step;; next_step += step) {
        // Steps in which nothing is due are left out: time without traffic costs nothing.
        const picoseconds look_again = request.until ? end : last_movement + stall_limit;
        next_step = grid_point(origin, step, next_step, std::min(m.time().next(), look_again));
        if (control != nullptr) control->service();
        // Never behind now: a client may ask for a stop between two steps.
        const picoseconds target =
            std::min({next_step, end, control == nullptr ? end : std::max(control->next_stop(), now),
                      turn == nullptr ? end : std::max(turn->planned(), now)});
        while (sampled && next_sample <= target) {
            run_until(next_sample);
            watch.sample(next_sample);
            next_sample += request.series_interval;
            if (watch.quiet()) {
                next_sample =
                    grid_point(origin, request.series_interval, next_sample, std::min(m.time().next(), target));
            }
        }
        run_until(target);
        now = target;
        if (turn != nullptr && turn->planned() <= now) turn->take();
        const std::uint64_t before = hops;
        hops = m.link_hops();
        if (hops != before) last_movement = now;
        if (progress) {
            const double share =
                expected_hops == 0 ? -1.0 : static_cast<double>(hops - first_hops) / static_cast<double>(expected_hops);
            progress({now - origin, std::min(share, 1.0), hops - first_hops});
        }
        if (control != nullptr && control->ended()) return now;
        if (now < next_step && now < end) {
            next_step -= step;  // stopped on the way for a client; where a run ends does not depend on that
            continue;
        }
        if (now >= end) return now;
        if (control != nullptr && control->held()) {
            last_movement = now;  // nobody waits for this run to move by itself
            continue;
        }
        if (!request.until && m.drained()) return now;
        if (request.until || now - last_movement <= stall_limit) continue;
        last_movement = m.next_departure();
        if (last_movement == never) return now;
    }
}

void stay_at_console(booted_machine& m, picoseconds now, const std::function<void()>& between_steps) {
    if (m.typed_to == nullptr || !m.terminal->interactive()) return;
    // Between two lines that came at once a prompt is nothing to wait at: for as long as characters take to leave.
    constexpr int settled = 10;
    int steps_at_prompt = 0;
    std::string typed;
    for (bool open = true; !m.typed_to->finished();) {
        steps_at_prompt = m.typed_to->at_prompt() ? steps_at_prompt + 1 : 0;
        const bool idle = steps_at_prompt > settled && m.hardware->drained();
        if (idle && !open) return;
        typed.clear();
        if (open) open = m.terminal->read(typed, idle);
        if (!typed.empty()) m.typed_to->type(typed);
        m.hardware->run_until(now += step);
        between_steps();
    }
}

}  // namespace weir::vp
