// SPDX-License-Identifier: Apache-2.0
// Why a frame was dropped: one reason a frame, the first check that failed (R3).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace weir::mmu {

/// In the order in which the checks are made. The number is the index of port.drops.
enum class drop_reason : std::uint8_t {
    none,
    fcs,            ///< frame check sequence wrong
    length,         ///< shorter than 64 octets or longer than the port's largest frame
    no_route,       ///< no forwarding entry
    ttl,            ///< time to live ran out
    watchdog,       ///< the PFC watchdog discards this group or queue
    no_cell,        ///< packet memory exhausted although limits allowed it: an over-commit
    group_limit,    ///< a lossy group at its limit, or its pool empty
    headroom,       ///< a lossless group whose Headroom is full
    queue_limit,    ///< egress queue at its limit
    wred,           ///< WRED's decision
    port_disabled,  ///< egress port or queue not enabled
    cpu_full,       ///< software does not fetch: the CPU port's receive buffer is full, and the queue behind it too
    flushed,        ///< thrown away by a port flush
    escape,         ///< thrown away by the stall detector, which stopped believing the peer (G7)
};

constexpr std::size_t drop_reasons = 15;

constexpr std::array<std::string_view, drop_reasons> drop_reason_names{
    "none",     "fcs",         "length", "no_route",      "ttl",      "watchdog", "no_cell", "group_limit",
    "headroom", "queue_limit", "wred",   "port_disabled", "cpu_full", "flushed",  "escape"};

constexpr std::string_view name_of(drop_reason reason) {
    return drop_reason_names[static_cast<std::size_t>(reason)];
}

}  // namespace weir::mmu
