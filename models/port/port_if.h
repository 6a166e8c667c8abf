// SPDX-License-Identifier: Apache-2.0
// How those who have something to send wake a port's transmitter.
#pragma once

#include <systemc>

namespace weir::port {

class transmit_if : public virtual sc_core::sc_interface {
public:
    /// Something may have become eligible: decide again at the next frame boundary.
    virtual void wake() = 0;
};

}  // namespace weir::port
