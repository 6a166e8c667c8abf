// SPDX-License-Identifier: Apache-2.0
// The boot script: lines of shell commands with the platform's values put in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/config.h"

namespace weir::platforms {

struct script_line {
    std::uint32_t number{0};  ///< in the file, from 1
    std::string text;         ///< ${name} replaced
};

/// Every line of the platform's script, blank ones and comments too; empty when it has none. Throws config_error with
/// line and column for a ${name} that neither [program] nor --set gives a value, or that is not closed.
[[nodiscard]] std::vector<script_line> read_script(const platform_config& platform);

}  // namespace weir::platforms
