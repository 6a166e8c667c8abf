// SPDX-License-Identifier: Apache-2.0
// Whose frames fill a priority group: its cells by the egress queue in which they wait. The device knows how many; an
// observer knows for what.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "models/mmu/cells.h"
#include "models/timeline/time.h"

namespace weir::observer {

/// What a group holds for one egress queue.
struct egress_share {
    std::uint16_t port{0};
    std::uint8_t queue{0};
    mmu::cells held{0};
    std::deque<picoseconds> since;  ///< when each frame was admitted, the oldest first
};

/// The groups of one switch.
class held_cells {
public:
    explicit held_cells(std::size_t ports);

    void add(std::uint16_t ingress, std::uint8_t group, std::uint16_t egress, std::uint8_t queue, mmu::cells size,
             picoseconds now);
    /// The oldest frame goes. Frames that were there before the observer came are not known and change nothing.
    void remove(std::uint16_t ingress, std::uint8_t group, std::uint16_t egress, std::uint8_t queue, mmu::cells size);

    /// Whether the group holds anything for that queue.
    [[nodiscard]] bool holds(std::uint16_t ingress, std::uint8_t group, std::uint16_t egress, std::uint8_t queue) const;
    /// Those that hold something.
    [[nodiscard]] const std::vector<egress_share>& shares(std::uint16_t ingress, std::uint8_t group) const;
    /// The one that holds most; null when the group is empty. Of equal ones that of the lowest port and queue.
    [[nodiscard]] const egress_share* largest(std::uint16_t ingress, std::uint8_t group) const;
    [[nodiscard]] mmu::cells held(std::uint16_t ingress, std::uint8_t group) const;

private:
    std::vector<std::vector<egress_share>> groups_;
};

}  // namespace weir::observer
