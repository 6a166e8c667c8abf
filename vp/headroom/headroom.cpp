// SPDX-License-Identifier: Apache-2.0
// The closed forms, in integers.
#include "vp/headroom/headroom.h"

namespace weir::vp {
namespace {

/// The pause frame with preamble and gap, less the part of the gap that the last data frame does not need.
constexpr std::int64_t pause_share_octets = 80;
constexpr std::int64_t pause_wire_octets = 84;

std::int64_t ceiling(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

}  // namespace

std::uint64_t frame_cells(const pause_loop& loop, std::uint32_t frame_octets) {
    return (std::uint64_t{frame_octets} + loop.frame_overhead + loop.cell_octets - 1) / loop.cell_octets;
}

picoseconds loop_time(const pause_loop& loop) {
    return 2 * loop.cable + loop.response + loop.rate.octets(loop.own_octets + pause_share_octets);
}

std::uint64_t exact_headroom(const pause_loop& loop, std::uint32_t frame_octets, bool straddle) {
    const std::int64_t wire = loop.rate.octets(frame_octets + wire_overhead_octets).count();
    const auto frames = static_cast<std::uint64_t>(ceiling(loop_time(loop).count(), wire));
    const std::uint64_t cells = frame_cells(loop, frame_octets);
    return frames * cells + (straddle ? cells - 1 : 0);
}

std::uint64_t headroom_bound_octets(const pause_loop& loop, std::uint32_t frame_octets) {
    const std::int64_t octet = loop.rate.octet_time().count();
    const std::int64_t distance = ceiling((2 * loop.cable + loop.response).count(), octet);
    return static_cast<std::uint64_t>(distance + loop.own_octets + wire_overhead_octets + pause_wire_octets +
                                      frame_octets);
}

std::optional<picoseconds> tolerated_response(const pause_loop& loop, std::uint64_t cells, std::uint32_t frame_octets) {
    const auto frames = static_cast<std::int64_t>(cells / frame_cells(loop, frame_octets));
    const picoseconds time = loop.rate.octets(frames * (frame_octets + wire_overhead_octets));
    const picoseconds left = time - 2 * loop.cable - loop.rate.octets(loop.own_octets + pause_share_octets);
    if (left.count() < 0) return std::nullopt;
    return left;
}

}  // namespace weir::vp
