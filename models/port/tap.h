// SPDX-License-Identifier: Apache-2.0
// An observer of one port's frames: captures, reports. It sees, it never changes. Ports without any pay a branch.
#pragma once

#include <cstdint>

#include "models/ethernet/frame.h"
#include "models/mmu/drop_reason.h"
#include "models/timeline/time.h"

namespace weir::port {

class tap {
public:
    virtual ~tap() = default;
    /// The frame's last octet arrived at `now`; `dropped` says what became of it.
    virtual void received(const ethernet::frame& f, picoseconds now, mmu::drop_reason dropped) = 0;
    /// The frame's transmission starts at `now`.
    virtual void sent(const ethernet::frame& f, picoseconds now) = 0;
};

}  // namespace weir::port
