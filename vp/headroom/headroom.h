// SPDX-License-Identifier: Apache-2.0
// How much headroom a port needs, in closed form, and how much response time a given headroom tolerates.
//
//   XOFF crossed ─► own frame in progress ─► pause frame 84 ─► cable ─► response ─► frame in progress ─► cable
//   └──────────────────────────── the neighbour goes on sending ─────────────────────────────┘
//
// Exact for whole frames that are all alike; checked against simulation at 100G and 400G for six sizes of frame.
#pragma once

#include <cstdint>
#include <optional>

#include "models/timeline/time.h"

namespace weir::vp {

/// The loop from a port to its neighbour and back.
struct pause_loop {
    data_rate rate;
    picoseconds cable{0};         ///< one way
    picoseconds response{0};      ///< everything else that takes time: neighbour's response, PHY, FEC, pipeline
    std::uint32_t own_octets{0};  ///< frame that may be in progress ahead of the pause frame
    std::uint32_t cell_octets{256};
    std::uint32_t frame_overhead{0};
};

/// Cells of a frame (rule R1).
[[nodiscard]] std::uint64_t frame_cells(const pause_loop& loop, std::uint32_t frame_octets);

/// Time from the crossing until the last frame that could start before the neighbour stops has started.
[[nodiscard]] picoseconds loop_time(const pause_loop& loop);

/// Cells that arrive after the crossing when the neighbour sends frames of that length only; with one cell less than
/// this a frame is lost. `straddle`: the crossing frame itself may reach into Headroom.
[[nodiscard]] std::uint64_t exact_headroom(const pause_loop& loop, std::uint32_t frame_octets, bool straddle);

/// The bound in octets for frames up to that length and no particular alignment to cells.
[[nodiscard]] std::uint64_t headroom_bound_octets(const pause_loop& loop, std::uint32_t frame_octets);

/// The longest response (beyond the loop's cable and own frame) that `cells` of headroom tolerate with frames of that
/// length; nothing when not even an immediate one.
[[nodiscard]] std::optional<picoseconds> tolerated_response(const pause_loop& loop, std::uint64_t cells,
                                                            std::uint32_t frame_octets);

}  // namespace weir::vp
