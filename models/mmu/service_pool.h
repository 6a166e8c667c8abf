// SPDX-License-Identifier: Apache-2.0
// A shared pool of cells: the Service region of the groups or queues bound to it, and a shared Headroom pool beside it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/mmu/cells.h"

namespace weir::mmu {

/// Ingress and egress are two views of the same memory (R2).
enum class direction : std::uint8_t { ingress, egress };

struct service_pool {
    direction side{direction::ingress};
    cells size{0};
    cells used{0};
    cells headroom_size{0};
    cells headroom_used{0};
    cells max_used{0};           ///< watermark (R10)
    cells max_headroom_used{0};  ///< watermark (R10)

    /// A pool shrunk below its use has no free cell, never a negative number of them (R13).
    [[nodiscard]] cells free() const { return std::max(0, size - used); }
    [[nodiscard]] cells headroom_free() const { return std::max(0, headroom_size - headroom_used); }

    void take(cells service, cells headroom) {
        used += service;
        headroom_used += headroom;
        max_used = std::max(max_used, used);
        max_headroom_used = std::max(max_headroom_used, headroom_used);
    }
    void give(cells service, cells headroom) {
        used -= service;
        headroom_used -= headroom;
    }
};

}  // namespace weir::mmu
