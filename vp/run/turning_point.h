// SPDX-License-Identifier: Apache-2.0
// Brings a run to the moment that was asked for, stops it there between two instants, and lets its drivers change what
// was chosen.
#pragma once

#include <memory>
#include <vector>

#include "models/timeline/time.h"
#include "vp/record/samplers.h"
#include "vp/run/booted_machine.h"
#include "vp/run/turn_request.h"

namespace weir::vp {

class turning_point {
public:
    /// `run`: booted, its workload about to begin at `origin`.
    turning_point(booted_machine& run, turn_request request, picoseconds origin, samplers& written);
    ~turning_point();
    turning_point(const turning_point&) = delete;
    turning_point& operator=(const turning_point&) = delete;

    /// When it comes; `never`: it depends on an event, or it has been.
    [[nodiscard]] picoseconds planned() const;
    /// Now: everything of this instant has happened.
    void take();

private:
    class watcher;
    booted_machine& run_;
    turn_request request_;
    picoseconds origin_;
    samplers& written_;
    bool taken_{false};
    std::vector<std::unique_ptr<watcher>> watchers_;
};

}  // namespace weir::vp
