// SPDX-License-Identifier: Apache-2.0
// How an egress scheduler meets its neighbours: the MMU fills its queues, the port empties them.
#pragma once

#include <systemc>

#include <cstdint>

#include "models/mmu/mmu_if.h"
#include "models/pfc/pfc_if.h"
#include "models/timeline/time.h"

namespace weir::scheduler {

class enqueue_if : public virtual sc_core::sc_interface {
public:
    /// Takes over the frame's reference.
    virtual void enqueue(std::uint8_t queue, const mmu::queued_frame& f) = 0;
};

/// Frames that are meant for an egress port and wait elsewhere, at their ingress.
class backlog_if : public virtual sc_core::sc_interface {
public:
    /// Throws away those for these queues of the port that do not stand in its scheduler; returns how many.
    virtual std::uint64_t discard_backlog(std::uint16_t egress, pfc::bitmap which, mmu::drop_reason why) = 0;
    /// No frame is meant for the port.
    [[nodiscard]] virtual bool backlog_empty(std::uint16_t egress) const = 0;
    /// The port's gate is about to move: what has waited so far has waited under the old one.
    virtual void gate_moving(std::uint16_t egress) = 0;
};

/// What the port sends next.
struct selection {
    ethernet::frame* frame{nullptr};  ///< none: nothing may start now
    bool more{false};                 ///< after this frame something is eligible already
    picoseconds retry{never};         ///< when nothing may start now: the time at which a shaper lets something
};

/// Anything that feeds a port: the scheduler of a switch, the traffic source of an end station.
class dequeue_if : public virtual sc_core::sc_interface {
public:
    /// Chooses a frame whose transmission starts at `now`, or none. The caller gets the frame's reference.
    virtual selection dequeue(picoseconds now) = 0;
};

}  // namespace weir::scheduler
