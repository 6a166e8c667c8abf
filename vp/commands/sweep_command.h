// SPDX-License-Identifier: Apache-2.0
// `weir sweep`: does the runs of a study in parallel processes, keeps their rows, and makes a table of them.
#pragma once

#include "vp/commands/command.h"

namespace weir::vp {

int sweep_command(const std::vector<std::string>& arguments, const context& c);

}  // namespace weir::vp
