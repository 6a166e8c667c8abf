// SPDX-License-Identifier: Apache-2.0
// One run's folder as the page wants it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "vp/report/timeline.h"

namespace weir::vp::report {

/// Everything that the page shows of the run in `folder`, called `name` there. Throws config_error when the folder
/// holds no result of this version, or something broken.
[[nodiscard]] nlohmann::ordered_json run_data(const std::string& folder, const std::string& name,
                                              const page_budget& budget);

}  // namespace weir::vp::report
