// SPDX-License-Identifier: Apache-2.0
// The command line: finds the subcommand, reads its options, does it, and turns what happens into an exit code.
//
//   0  done      1  the run's own verdict failed      2  bad input
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "vp/engine.h"

namespace weir::vp {

/// `arguments` without the program's name. Results go to `out`, everything else to `err`.
[[nodiscard]] int run_command_line(const std::vector<std::string>& arguments, const engine& simulator,
                                   std::ostream& out, std::ostream& err);

}  // namespace weir::vp
