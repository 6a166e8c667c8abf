// SPDX-License-Identifier: Apache-2.0
// How a port's flow control meets its neighbours: the MMU wishes, the port carries MAC Control frames both ways, and
// the scheduler asks what it may send.
#pragma once

#include <systemc>

#include <cstdint>

#include "models/ethernet/frame.h"
#include "models/timeline/time.h"

namespace weir::pfc {

/// One bit a priority, or a queue, or a group.
using bitmap = std::uint8_t;

class pause_wish_if : public virtual sc_core::sc_interface {
public:
    /// A priority group wants its peer to stop, or no longer (R5, R6).
    virtual void group_wishes(std::uint8_t group, bool pause) = 0;
    /// A frame of a lossless group found no place in its Headroom, or in the memory.
    virtual void group_overflowed(std::uint8_t group) = 0;
};

class arrival_if : public virtual sc_core::sc_interface {
public:
    /// A data frame of that traffic class came in; it has reached the pipeline at `now`.
    virtual void arrived(std::uint8_t traffic_class, picoseconds now) = 0;
};

class control_if : public virtual sc_core::sc_interface {
public:
    /// True when the frame was a MAC Control frame: it goes no further. Its last octet arrived at `now`.
    virtual bool receive(const ethernet::frame& f, picoseconds now) = 0;
    /// The control frame to send now, built from the wishes of this moment (G1), or none.
    virtual ethernet::frame* next_control_frame(picoseconds now) = 0;
    virtual void link_changed(bool up) = 0;
};

class gate_if : public virtual sc_core::sc_interface {
public:
    /// The queues that the peer has stopped, by PFC or by PAUSE.
    [[nodiscard]] virtual bitmap stopped_queues() const = 0;
    /// Of these, the ones stopped by PFC.
    [[nodiscard]] virtual bitmap queues_stopped_by_pfc() const = 0;
    /// The peer has stopped the whole link, by 802.3x PAUSE.
    [[nodiscard]] virtual bool link_stopped() const = 0;
};

/// The queues behind a gate, as the flow control meets them.
class gated_queues_if : public virtual sc_core::sc_interface {
public:
    /// The gate lets other queues through than before, or stops them another way.
    virtual void gate_moved() = 0;
    /// The queues that hold frames.
    [[nodiscard]] virtual bitmap holding() const = 0;
    /// The queues whose progress must be told from now on.
    virtual void watch(bitmap queues) = 0;
    /// Empties a queue from its head; returns how many frames went.
    virtual std::uint64_t throw_away(std::uint8_t queue) = 0;
};

/// What becomes of the queues that are watched.
class progress_if : public virtual sc_core::sc_interface {
public:
    /// A queue that held nothing holds a frame.
    virtual void queue_filled(std::uint8_t queue) = 0;
    /// A frame was sent.
    virtual void frame_left(std::uint8_t queue) = 0;
    /// A queue holds nothing any more, whatever became of its frames.
    virtual void queue_emptied(std::uint8_t queue) = 0;
};

}  // namespace weir::pfc
