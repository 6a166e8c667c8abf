// SPDX-License-Identifier: Apache-2.0
// `weir bench`: how fast the packet plane and the register path are here, beside a bare kernel in the same run.
#pragma once

#include <string>
#include <vector>

namespace weir::vp {

/// Prints the measurements; `arguments` may hold the number of rounds (default 3). An exit code.
int run_bench(const std::vector<std::string>& arguments);

}  // namespace weir::vp
