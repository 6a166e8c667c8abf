// SPDX-License-Identifier: Apache-2.0
#include "models/host/trace_player.h"

#include <cmath>
#include <utility>

namespace weir::host {

trace_player::trace_player(sc_core::sc_module_name module_name, timeline& time, ethernet::frame_pool& frames)
    : sc_module(module_name), actor(time, name()), time_(time), pool_(frames) {}

void trace_player::play(std::vector<ethernet::captured_frame> frames, picoseconds start, double stretch) {
    frames_ = std::move(frames);
    times_.clear();
    next_ = 0;
    for (const auto& f : frames_) {
        const double distance = f.time.count() == 0 ? 0.0 : static_cast<double>(f.time.count()) * stretch;
        // Captures may go back in time by a little; a frame is never sent before its predecessor.
        const picoseconds at = start + picoseconds{std::llround(std::max(distance, 0.0))};
        times_.push_back(times_.empty() ? at : std::max(at, times_.back()));
    }
    if (!frames_.empty()) time_.at(times_.front(), phase::timer, *this, 0);
}

scheduler::selection trace_player::dequeue(picoseconds now) {
    if (finished()) return {};
    if (times_[next_] > now) return {nullptr, false, times_[next_]};
    ethernet::frame* f = pool_.take();
    frames_[next_].fill(*f);
    ++next_;
    return {f, !finished(), never};
}

}  // namespace weir::host
