// SPDX-License-Identifier: Apache-2.0
// How the rest of the switch meets the MMU: frames come in by admission_if and their cells go back by departure_if.
#pragma once

#include <systemc>

#include <cstdint>

#include "models/ethernet/frame.h"
#include "models/mmu/cells.h"
#include "models/mmu/drop_reason.h"
#include "models/mmu/wred.h"
#include "models/timeline/time.h"

namespace weir::mmu {

/// A whole frame, classified and routed.
struct arrival {
    ethernet::frame& frame;
    std::uint16_t ingress_port;
    std::uint16_t egress_port;
    std::uint8_t group;
    std::uint8_t queue;
    colour drop_precedence;
};

/// A frame in an egress queue and whose account its cells are on.
struct queued_frame {
    ethernet::frame* frame;
    std::uint16_t ingress_port;
    std::uint8_t group;
    std::uint8_t drop_precedence;
    cells size;
};

class admission_if : public virtual sc_core::sc_interface {
public:
    /// All or nothing (R3). When the result is `none` the MMU has taken over the caller's reference and queued the
    /// frame; otherwise the caller still has it.
    virtual drop_reason admit(const arrival& a) = 0;
};

class departure_if : public virtual sc_core::sc_interface {
public:
    /// The frame's transmission starts now and ends at `end`. Marks at dequeue, returns the cells (R7).
    virtual void depart(std::uint16_t port, std::uint8_t queue, const queued_frame& f, picoseconds end) = 0;
    /// The frame is thrown away instead.
    virtual void discard(std::uint16_t port, std::uint8_t queue, const queued_frame& f, drop_reason why) = 0;
};

}  // namespace weir::mmu
