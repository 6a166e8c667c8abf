// SPDX-License-Identifier: Apache-2.0
// `weir whatif`: one past, several futures. The run is brought to a moment, the process forks there, each child lets
// its drivers program an alternative, and what becomes of them is compared.
#pragma once

#include "vp/commands/command.h"

namespace weir::vp {

int whatif_command(const std::vector<std::string>& arguments, const context& c);

}  // namespace weir::vp
