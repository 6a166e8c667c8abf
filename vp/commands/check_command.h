// SPDX-License-Identifier: Apache-2.0
// `weir check`: explains what a platform is programmed to, and with --prove attacks it.
#pragma once

#include "vp/commands/command.h"

namespace weir::vp {

int check_command(const std::vector<std::string>& arguments, const context& c);

}  // namespace weir::vp
