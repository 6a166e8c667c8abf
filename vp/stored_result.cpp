// SPDX-License-Identifier: Apache-2.0
#include "vp/stored_result.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "platforms/config.h"
#include "vp/result.h"

namespace weir::vp {

nlohmann::ordered_json read_stored_result(const std::string& folder) {
    using json = nlohmann::ordered_json;
    using platforms::config_error;
    const std::string path = folder + "/result.json";
    std::ifstream file(path);
    if (!file) throw config_error(path, "cannot be read", "a folder that weir run --out left");
    json result = json::parse(file, nullptr, false);
    if (!result.is_object() || result.value("schema", "") != "weir-result") {
        throw config_error(path, "is no result of a run", "a folder that weir run --out left");
    }
    if (result.at("schema_version") != result_schema_version) {
        throw config_error(path, fmt::format("has version {} of the format", result.at("schema_version").dump()),
                           fmt::format("version {}: run it again", result_schema_version));
    }
    return result;
}

}  // namespace weir::vp
