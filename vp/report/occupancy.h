// SPDX-License-Identifier: Apache-2.0
// occupancy.csv, the samples of a run without signals, as a recording.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "vp/report/signals.h"

namespace weir::vp::report {

/// Three regions and the wish to stop of each group that held cells at a sample. Limits come from the registers in
/// `result`. Throws config_error with the line of what is broken.
[[nodiscard]] recording read_occupancy(const std::string& folder, const nlohmann::ordered_json& result);

/// Limits of a group by its registers, in cells: "guaranteed", "xoff", "xon", "limit", "headroom"; those that are off
/// (all ones) are left out. Throws json's exceptions when `port` is no port of a result.
[[nodiscard]] std::map<std::string, std::int64_t> group_limits(const nlohmann::ordered_json& port, std::uint32_t group);

}  // namespace weir::vp::report
