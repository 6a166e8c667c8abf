// SPDX-License-Identifier: Apache-2.0
// The way of a pause from a platform's port to its neighbour and of the data back.
#pragma once

#include <cstdint>

#include "platforms/config.h"
#include "vp/headroom/headroom.h"

namespace weir::vp {

/// Ethernet's largest frame without jumbo frames, FCS included.
constexpr std::uint32_t classic_frame = 1518;

/// The largest data frame of the platform's workload, FCS included; where it has none, or a capture, 1518.
[[nodiscard]] std::uint32_t workload_frame(const platforms::platform_config& platform);

/// With the cable, the neighbour's response, and the latencies of both ends. The own frame that may be in progress is
/// the larger of the workload's, `frame`, and 1518 octets.
[[nodiscard]] pause_loop port_loop(const platforms::platform_config& platform, std::uint32_t switch_index,
                                   std::uint32_t port, std::uint32_t frame);

}  // namespace weir::vp
