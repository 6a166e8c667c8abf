// SPDX-License-Identifier: Apache-2.0
// `weir replay`: a register trace against a platform.
#pragma once

#include <string>

#include "platforms/config.h"
#include "vp/engine.h"

namespace weir::vp {

/// Builds the platform and plays the trace on its first switch's CPU, which reaches the other switches too. What is
/// compared: whether an access was refused, and why; of a read, the fields that do not change by themselves and that
/// reading does not change. Throws config_error for a file that cannot be read or is no trace, with its line.
[[nodiscard]] replay_result replay_trace(const platforms::platform_config& platform, const std::string& path);

}  // namespace weir::vp
