// SPDX-License-Identifier: Apache-2.0
// The yardstick: a SystemC kernel that does nothing but two notifications and a hand-over a link-hop, for traffic of a
// given shape through one hub. What a model adds to that is its own cost.
#pragma once

#include <cstdint>

#include "models/timeline/time.h"

namespace weir::vp {

struct traffic_shape {
    std::uint32_t senders{1};
    std::uint32_t receivers{1};  ///< 1: all send to it, each at its share of the line; else sender i to receiver i
    std::uint32_t frame_octets{1062};
    data_rate rate;
    std::uint64_t frames{0};  ///< altogether
};

/// Runs the shape on the bare kernel and returns the link-hops made: two a frame. Elaborates, so once a process.
std::uint64_t run_bare_kernel(const traffic_shape& shape);

}  // namespace weir::vp
