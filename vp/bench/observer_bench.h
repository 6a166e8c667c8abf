// SPDX-License-Identifier: Apache-2.0
// What each observer of `weir run` costs.
#pragma once

namespace weir::vp {

/// Prints a line for each: the CPU time of a run with it over that of the same run without, the median of `rounds`.
void compare_observers(int rounds);

}  // namespace weir::vp
