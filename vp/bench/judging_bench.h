// SPDX-License-Identifier: Apache-2.0
// The MMU alone, with so many groups under dynamic limits: what a frame in and a frame out cost when every charge and
// every return moves everybody's limit and nobody changes its mind (R4: O(log groups)).
#pragma once

#include <cstdint>

namespace weir::vp {

/// CPU seconds for `frames` frames of one cell, each admitted into and sent from one of `groups` lossless groups (8 to
/// 1024) that all hold cells. Elaborates: once a process.
[[nodiscard]] double judging_seconds(std::uint32_t groups, std::uint64_t frames);

}  // namespace weir::vp
