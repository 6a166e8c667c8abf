// SPDX-License-Identifier: Apache-2.0
// A run's configuration, key by key, with what differs from the default marked.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace weir::vp::report {

/// `configuration`: of a result.json. A list of {"key": "switch.*.cells", "default", "meaning", "unit", "differs",
/// "values": [{"value", "count", "where": the first places}]}: keys with * and [] stand for all their places, and equal
/// values are counted. Values of the script are keys "program.NAME", without default.
[[nodiscard]] nlohmann::ordered_json configuration_rows(const nlohmann::ordered_json& configuration);

}  // namespace weir::vp::report
