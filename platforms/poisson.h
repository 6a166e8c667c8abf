// SPDX-License-Identifier: Apache-2.0
// Flows that come at random: at each sender independently, so that their payload is a given share of its line rate.
#pragma once

#include <cstdint>
#include <vector>

#include "platforms/config.h"
#include "platforms/workload.h"

namespace weir::platforms {

/// Flows in order of their start, at the same picosecond by sender. A sender's flows depend on the seed and its name
/// alone, and on the set of receivers. Throws config_error.
[[nodiscard]] std::vector<flow> make_poisson(const platform_config& platform, std::uint64_t seed);

}  // namespace weir::platforms
