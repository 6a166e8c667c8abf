// SPDX-License-Identifier: Apache-2.0
// The run after the boot: time goes on in steps until the workload is delivered, or as long as was asked for.
#pragma once

#include <cstdint>
#include <functional>

#include "models/timeline/time.h"
#include "vp/engine.h"
#include "vp/record/samplers.h"
#include "vp/remote/run_control.h"
#include "vp/run/booted_machine.h"
#include "vp/run/turning_point.h"

namespace weir::vp {

/// The end of time: 104 days, a little before picoseconds in 64 bits run out.
constexpr picoseconds end_of_time{9'000'000'000'000'000'000};

/// Runs from time zero to the end: everything delivered, `until`, or nothing moving any more. When that was.
picoseconds run_traffic(platforms::machine& m, const run_request& request, picoseconds origin,
                        std::uint64_t expected_hops, samplers& watch, remote::run_control* control, turning_point* turn,
                        const std::function<void(const progress_report&)>& progress);

/// After the workload: time goes on as long as the guest has something to do, then waits for somebody to type.
void stay_at_console(booted_machine& m, picoseconds now, const std::function<void()>& between_steps);

}  // namespace weir::vp
