// SPDX-License-Identifier: Apache-2.0
// Where a port's receiver hands its data frames to: the ingress pipeline of a switch, the sink of an end station.
#pragma once

#include <systemc>

#include <cstdint>

#include "models/ethernet/frame.h"
#include "models/mmu/drop_reason.h"
#include "models/timeline/time.h"

namespace weir::pipeline {

class ingress_if : public virtual sc_core::sc_interface {
public:
    /// A good data frame whose last octet arrived at `now`. When the result is `none` its reference was taken over;
    /// otherwise the frame was dropped for that reason and the caller still has it.
    virtual mmu::drop_reason take(ethernet::frame& f, std::uint16_t ingress_port, picoseconds now) = 0;
};

}  // namespace weir::pipeline
