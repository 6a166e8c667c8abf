// SPDX-License-Identifier: Apache-2.0
// One priority group's account: how many cells it holds in each region, and whether it wants its peer to stop.
//
//   arriving frame ──► Guaranteed ──► Service ──► Headroom ──► drop
//                      private        shared      private or shared pool, lossless groups only
//                                     └─ XOFF when it reaches min(XOFF, limit), or when Headroom is touched
//
// Rules R2 to R7 of docs/mmu.md. The group knows nothing of ports, frames or time; the MMU owns those and judges every
// group that a change may have touched.
#pragma once

#include <cstdint>
#include <optional>

#include "models/mmu/cells.h"
#include "models/mmu/drop_reason.h"
#include "models/mmu/service_pool.h"

namespace weir::mmu {

/// What software programmed for one group (pg.* registers). XOFF is an absolute watermark on Service; XON is an
/// *offset* below it (AC5P buffer note 3.5.2).
struct group_profile {
    bool enabled{false};
    bool lossless{false};
    bool dynamic{false};
    bool service_after_xoff{false};  ///< R3: Service stays open to the configured limit beyond XOFF
    bool judge_total{false};         ///< R5: judge the whole occupancy instead of Service alone
    bool xon_absolute{false};        ///< R6: xon_offset is read as an absolute resume threshold, as other vendors do
    bool shared_headroom{false};     ///< Headroom comes from the pool's; `headroom` caps this group's share
    alpha share{};
    std::uint8_t pool{0};
    cells guaranteed{0};
    cells limit{unlimited};
    cells xoff{unlimited};
    cells xon_offset{0};
    cells xon_floor{0};
    cells headroom{0};
};

/// A frame's cells by region: all of them, or a reason and none.
struct group_charge {
    drop_reason refused{drop_reason::none};
    cells guaranteed{0};
    cells service{0};
    cells headroom{0};
};

class priority_group {
public:
    group_profile profile;
    service_pool* pool{nullptr};

    /// The Service limit with the pool as it is now (R4).
    [[nodiscard]] cells limit() const;
    /// Where XOFF stands with the pool as it is now: min(XOFF, limit) (R5).
    [[nodiscard]] cells effective_xoff() const;

    /// Where the cells of a frame would go, or the check that it fails (R3). Charges nothing.
    [[nodiscard]] group_charge plan(cells frame) const;

    /// Charges what `plan` gave. Precondition: `charge.refused` is `none`, and nothing changed since.
    void commit(const group_charge& charge);

    /// Returns a frame's cells: Headroom first, then Service, then Guaranteed (R7).
    void release(cells frame);

    /// Moves the Service and shared Headroom counts to another pool, as rebinding does (R13).
    void rebind(service_pool& to, bool shared_headroom);

    /// Looks again whether the group wants its peer to stop (R5, R6). True when the answer changed.
    bool judge();
    [[nodiscard]] bool paused() const { return paused_; }
    /// Gives up a pause without a threshold crossing: link down, reset (R13).
    void forget_pause() { paused_ = false; }

    /// For a dynamic limit: the largest number of free pool cells at which this group, not paused, would assert.
    [[nodiscard]] std::int64_t asserts_at_free() const;
    /// The smallest number of free pool cells at which this group, paused, would resume; nothing when no number of free
    /// cells alone can make it.
    [[nodiscard]] std::optional<std::int64_t> resumes_at_free() const;

    [[nodiscard]] cells guaranteed_used() const { return guaranteed_; }
    [[nodiscard]] cells service_used() const { return service_; }
    [[nodiscard]] cells headroom_used() const { return headroom_; }
    [[nodiscard]] cells used() const { return guaranteed_ + service_ + headroom_; }

    cells threshold{unlimited};  ///< occupancy that is told of when a frame reaches it
    cells max_used{0};           ///< watermarks (R10)
    cells max_service{0};
    cells max_headroom{0};

private:
    [[nodiscard]] cells judged() const { return profile.judge_total ? used() : service_; }
    [[nodiscard]] bool asserts() const;
    [[nodiscard]] bool resumes() const;

    cells guaranteed_{0};
    cells service_{0};
    cells headroom_{0};
    bool paused_{false};
};

}  // namespace weir::mmu
