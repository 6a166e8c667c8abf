// SPDX-License-Identifier: Apache-2.0
// `weir export`: what a run recorded, for trace and waveform viewers.
#pragma once

#include "vp/commands/command.h"

namespace weir::vp {

int export_command(const std::vector<std::string>& arguments, const context& c);

}  // namespace weir::vp
