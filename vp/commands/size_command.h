// SPDX-License-Identifier: Apache-2.0
// `weir size`: the smallest, or greatest, value for which a study's constraints hold, beside what theory says of it.
#pragma once

#include "vp/commands/command.h"

namespace weir::vp {

int size_command(const std::vector<std::string>& arguments, const context& c);

}  // namespace weir::vp
