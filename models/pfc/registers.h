// SPDX-License-Identifier: Apache-2.0
// Binds the ports' flow control to its registers: pfc.*, stall.*, the priority maps of map.*, and queue.mode.lossless.
#pragma once

#include <functional>

#include "models/pfc/flow_control.h"
#include "models/registers/bank.h"

namespace weir::pfc {

/// `at(port)` gives a front port's flow control; null for the CPU port, whose registers keep what is written and do
/// nothing.
/// `on_fault` is called whenever a port has a new fault.
void bind_registers(const std::function<flow_control*(std::uint32_t)>& at, const timeline& time, registers::bank& bank,
                    const std::function<void()>& on_fault);

/// The stall detectors of the `ports` front ports. `on_hit` is called when a queue becomes suspect or is thrown away;
/// the detectors' own hooks are taken.
void bind_stall_registers(const std::function<flow_control*(std::uint32_t)>& at, std::uint32_t ports,
                          const timeline& time, registers::bank& bank, const std::function<void()>& on_hit);

}  // namespace weir::pfc
