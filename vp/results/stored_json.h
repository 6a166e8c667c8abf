// SPDX-License-Identifier: Apache-2.0
// JSON files that weir has left, and that anything may have happened to since.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace weir::vp {

struct stored_format {
    std::string schema;  ///< what "schema" has to say
    int version;         ///< what "schema_version" has to say
    std::string name;    ///< "result of a run": for messages
    std::string origin;  ///< what leaves such a file, for messages
};

/// The object in the file. Throws config_error when it cannot be read, or is none of this schema and version.
[[nodiscard]] nlohmann::ordered_json read_stored_json(const std::string& path, const stored_format& format,
                                                      const std::string& hint_when_missing);

/// What the library says of a value that is missing or of another kind, without its name for the exception.
[[nodiscard]] std::string reason_of(const nlohmann::json::exception& e);

}  // namespace weir::vp
