// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "vp/commands/command.h"

namespace weir::vp {

/// `weir report DIR…`: one HTML file of what runs or a sweep left.
[[nodiscard]] int report_command(const std::vector<std::string>& arguments, const context& c);

}  // namespace weir::vp
