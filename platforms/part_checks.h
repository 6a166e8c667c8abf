// SPDX-License-Identifier: Apache-2.0
// Whether the switches and hosts of a platform can stand beside each other, and each host with itself.
#pragma once

#include "platforms/config.h"

namespace weir::platforms {

/// Names, addresses, DCBX, receivers, recovery. Throws config_error.
void check_parts(const platform_config& platform);

}  // namespace weir::platforms
