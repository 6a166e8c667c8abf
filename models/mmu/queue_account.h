// SPDX-License-Identifier: Apache-2.0
// One egress queue's account: Guaranteed, then Service, never Headroom (R2, M26). A lossless queue's limit is the whole
// buffer (R3), so it may hold cells of no pool at all.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/mmu/cells.h"
#include "models/mmu/drop_reason.h"
#include "models/mmu/service_pool.h"

namespace weir::mmu {

/// What software programmed for one queue (queue.* registers).
struct queue_profile {
    bool enabled{false};
    bool lossless{false};
    bool dynamic{false};
    alpha share{};
    std::uint8_t pool{0};
    cells guaranteed{0};
    cells limit{unlimited};
};

class queue_account {
public:
    queue_profile profile;
    service_pool* pool{nullptr};

    [[nodiscard]] cells limit() const {
        if (profile.lossless) return unlimited;
        if (!profile.dynamic) return profile.limit;
        return static_cast<cells>(std::min<std::int64_t>(profile.share.limit(pool->free()), unlimited));
    }

    /// Whether a frame of that many cells fits (R3).
    [[nodiscard]] drop_reason check(cells frame) const {
        if (!profile.enabled) return drop_reason::port_disabled;
        if (profile.lossless) return drop_reason::none;
        const cells rest = frame - std::clamp(profile.guaranteed - guaranteed_, 0, frame);
        if (rest > 0 && rest > std::min(limit() - service_, pool->free())) return drop_reason::queue_limit;
        return drop_reason::none;
    }

    /// Charges a frame that `check` let pass.
    void charge(cells frame) {
        const cells guaranteed = std::clamp(profile.guaranteed - guaranteed_, 0, frame);
        guaranteed_ += guaranteed;
        service_ += frame - guaranteed;
        pool->take(frame - guaranteed, 0);
        max_used = std::max(max_used, used());
        max_service = std::max(max_service, service_);
    }

    /// Service first, then Guaranteed (R7).
    void release(cells frame) {
        const cells service = std::min(service_, frame);
        service_ -= service;
        guaranteed_ -= frame - service;
        pool->give(service, 0);
    }

    /// Moves the Service count to another pool (R13).
    void rebind(service_pool& to) {
        pool->give(service_, 0);
        pool = &to;
        pool->take(service_, 0);
    }

    [[nodiscard]] cells used() const { return guaranteed_ + service_; }
    [[nodiscard]] cells guaranteed_used() const { return guaranteed_; }
    [[nodiscard]] cells service_used() const { return service_; }

    cells threshold{unlimited};  ///< occupancy that is told of when a frame reaches it
    cells max_used{0};           ///< watermarks (R10)
    cells max_service{0};

private:
    cells guaranteed_{0};
    cells service_{0};
};

}  // namespace weir::mmu
