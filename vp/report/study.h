// SPDX-License-Identifier: Apache-2.0
// The table of a sweep, as the page wants it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weir::vp::report {

/// table.json in `folder`, checked: every point names its parameters, every constraint a figure that exists. Throws
/// config_error otherwise.
[[nodiscard]] nlohmann::ordered_json study_data(const std::string& folder);

}  // namespace weir::vp::report
