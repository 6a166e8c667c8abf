// SPDX-License-Identifier: Apache-2.0
// P26 and P27: checks a port's stall detector from outside, between the scheduler's progress and it.
//
// In the instant in which a stall reaches the limit the detector has yet to be due: the chapter's exception of one
// clock. So only a stall that is longer must be suspect.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "models/pfc/pfc_if.h"
#include "models/timeline/property.h"
#include "models/timeline/timeline.h"

namespace weir::pfc {

class stall_checker : public progress_if {
public:
    /// What the checker looks at.
    struct view {
        std::function<picoseconds(std::uint8_t queue, picoseconds now)> length;  ///< of the present stall
        std::function<picoseconds()> limit;                                      ///< 0: none
        std::function<bitmap()> suspect;
    };
    stall_checker(const timeline& time, std::string place, progress_if& detector, view seen)
        : time_(time), place_(std::move(place)), detector_(detector), seen_(std::move(seen)) {}

    void queue_filled(std::uint8_t queue) override {
        look();
        detector_.queue_filled(queue);
    }
    void frame_left(std::uint8_t queue) override {
        look();
        detector_.frame_left(queue);
        cleared(queue);
    }
    void queue_emptied(std::uint8_t queue) override {
        look();
        detector_.queue_emptied(queue);
        cleared(queue);
    }

    /// Every stall beyond the limit is suspect.
    void look() const {
        const picoseconds limit = seen_.limit();
        if (limit == picoseconds{0}) return;
        const bitmap suspect = seen_.suspect();
        for (std::uint8_t q = 0; q < 8; ++q) {
            const picoseconds stalled = seen_.length(q, time_.now());
            if (stalled <= limit || (suspect >> q & 1U) != 0) continue;
            broken("P26", q,
                   fmt::format("it has stood still for {} ps, more than {}, and is not suspect", stalled.count(),
                               limit.count()));
        }
    }

private:
    void broken(const char* property, std::uint8_t queue, const std::string& text) const {
        report_property(property, fmt::format("{} queue {}", place_, queue), time_.now(), text);
    }
    void cleared(std::uint8_t queue) const {
        const picoseconds stalled = seen_.length(queue, time_.now());
        if (stalled == picoseconds{0}) return;
        broken("P27", queue, fmt::format("a frame was sent, and a stall of {} ps goes on", stalled.count()));
    }

    const timeline& time_;
    std::string place_;
    progress_if& detector_;
    view seen_;
};

}  // namespace weir::pfc
