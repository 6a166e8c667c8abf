// SPDX-License-Identifier: Apache-2.0
#include "vp/results/stored_json.h"

#include <fmt/format.h>

#include <fstream>

#include "platforms/config.h"

namespace weir::vp {

nlohmann::ordered_json read_stored_json(const std::string& path, const stored_format& format,
                                        const std::string& hint_when_missing) {
    using json = nlohmann::ordered_json;
    using platforms::config_error;
    std::ifstream file(path);
    if (!file) throw config_error(path, "cannot be read", hint_when_missing);
    json stored = json::parse(file, nullptr, false);
    // Compared as they are: a value of another kind is merely another one.
    if (!stored.is_object() || !stored.contains("schema") || stored["schema"] != format.schema)
        throw config_error(path, "is no " + format.name, format.origin);
    const json version = stored.contains("schema_version") ? stored["schema_version"] : json();
    if (version != format.version) {
        throw config_error(path, fmt::format("has version {} of the format", version.dump()),
                           fmt::format("version {}: run it again", format.version));
    }
    return stored;
}

std::string reason_of(const nlohmann::json::exception& e) {
    const std::string text = e.what();  // "[json.exception.out_of_range.403] key 'weir' not found"
    const auto end = text.find("] ");
    return end == std::string::npos ? text : text.substr(end + 2);
}

}  // namespace weir::vp
