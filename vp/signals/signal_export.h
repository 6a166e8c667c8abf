// SPDX-License-Identifier: Apache-2.0
// Recorded signals for other programs: a Perfetto trace for ui.perfetto.dev and the trace processor, and a VCD file for
// waveform viewers.
#pragma once

#include <string>

#include "vp/report/signals.h"

namespace weir::vp {

/// A protobuf of TracePackets. A switch or host is a process; cells are counters, pauses, interrupts and what the core
/// executes are slices, drops, marks and register writes are instants. Times are nanoseconds, rounded down.
[[nodiscard]] std::string perfetto_trace(const report::recording& signals);

/// Value changes (IEEE 1364, clause 18) with a time scale of 1 ps. A switch or host is a scope, and so is each of a
/// switch's ports; cells and register writes are 32-bit variables, pauses and interrupts are bits, drops and marks are
/// events, and what the core executes is a string, which GTKWave and others read beyond the standard.
[[nodiscard]] std::string value_change_dump(const report::recording& signals);

}  // namespace weir::vp
