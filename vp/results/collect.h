// SPDX-License-Identifier: Apache-2.0
// What a run leaves, read off the machine when it has ended.
#pragma once

#include <string>
#include <vector>

#include "platforms/ideal.h"
#include "platforms/machine.h"
#include "vp/results/result.h"
#include "vp/run/booted_machine.h"

namespace weir::vp {

/// Register accesses and script lines so far, of all switches.
[[nodiscard]] driver_result driver_counts(const booted_machine& m);
/// What the registers say, a switch each.
[[nodiscard]] std::vector<switch_result> snapshots(const booted_machine& m);
[[nodiscard]] host_result result_of(platforms::machine& m, std::size_t host);
/// A result a flow, times from `origin` on.
[[nodiscard]] std::vector<flow_result> flow_results(platforms::machine& m, const std::vector<platforms::flow>& flows,
                                                    picoseconds origin, platforms::ideal_times& ideal);
[[nodiscard]] std::vector<loss> losses_of(platforms::machine& m);
/// Broken conservation, a line each.
[[nodiscard]] std::vector<std::string> violations_of(platforms::machine& m, bool drained);

}  // namespace weir::vp
