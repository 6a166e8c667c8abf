// SPDX-License-Identifier: Apache-2.0
// What every subcommand is given, and the exit codes that it gives.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "vp/engine.h"

namespace weir::vp {

namespace exit_code {
constexpr int done = 0;
constexpr int verdict_failed = 1;  ///< the run's own verdict
constexpr int bad_input = 2;
}  // namespace exit_code

struct context {
    const engine& simulator;
    std::ostream& out;
    std::ostream& err;
};

/// `arguments`: those behind the subcommand's name. An exit code.
using command_action = int (*)(const std::vector<std::string>& arguments, const context& c);

}  // namespace weir::vp
