// SPDX-License-Identifier: Apache-2.0
// The result.json of a finished run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weir::vp {

/// Of the run in `folder`. Throws config_error when there is none of this version.
[[nodiscard]] nlohmann::ordered_json read_stored_result(const std::string& folder);

}  // namespace weir::vp
