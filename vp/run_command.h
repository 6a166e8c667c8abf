// SPDX-License-Identifier: Apache-2.0
// `weir run` and `weir console`: options become a request, the run's result becomes a folder and a summary.
#pragma once

#include "vp/command.h"

namespace weir::vp {

int run_command(const std::vector<std::string>& arguments, const context& c);
int console_command(const std::vector<std::string>& arguments, const context& c);

}  // namespace weir::vp
