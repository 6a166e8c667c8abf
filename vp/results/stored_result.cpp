// SPDX-License-Identifier: Apache-2.0
#include "vp/results/stored_result.h"

#include "vp/results/result.h"
#include "vp/results/stored_json.h"

namespace weir::vp {

nlohmann::ordered_json read_stored_result(const std::string& folder) {
    const std::string origin = "a folder that weir run --out left";
    return read_stored_json(folder + "/result.json", {"weir-result", result_schema_version, "result of a run", origin},
                            origin);
}

}  // namespace weir::vp
