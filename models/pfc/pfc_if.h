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
    /// The queues that the peer has stopped.
    [[nodiscard]] virtual bitmap stopped_queues() const = 0;
};

}  // namespace weir::pfc
