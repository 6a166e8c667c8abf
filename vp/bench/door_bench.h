// SPDX-License-Identifier: Apache-2.0
// Speed of the doors: a client in a process of its own, one question after the other over a Unix socket.
#pragma once

#include <cstdint>

namespace weir::vp {

/// Seconds of wall clock for so many register reads over the register port, each waited for. Starts processes of its
/// own.
[[nodiscard]] double register_port_seconds(std::uint32_t round_trips);
/// The same for the JSON door: `peek` of a register.
[[nodiscard]] double json_door_seconds(std::uint32_t round_trips);

}  // namespace weir::vp
