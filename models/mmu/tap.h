// SPDX-License-Identifier: Apache-2.0
// An observer of one memory. It sees, it never changes. A memory without any pays a branch.
#pragma once

#include <cstdint>

#include "models/mmu/mmu_if.h"

namespace weir::mmu {

class tap {
public:
    virtual ~tap() = default;
    /// The frame was charged and goes into its queue.
    virtual void admitted(const arrival& a, cells size) = 0;
    /// The frame leaves its queue: its transmission starts, or it is thrown away.
    virtual void departed(std::uint16_t port, std::uint8_t queue, const queued_frame& f) = 0;
    /// The frame's cells have gone back.
    virtual void released(std::uint16_t /*port*/, std::uint8_t /*queue*/, const queued_frame& /*f*/) {}
    /// A frame for that queue was marked.
    virtual void marked(std::uint16_t /*port*/, std::uint8_t /*queue*/) {}
    /// The group has begun to want its peer to stop, or has ceased to.
    virtual void judged(std::uint16_t port, std::uint8_t group, bool paused) = 0;
};

}  // namespace weir::mmu
