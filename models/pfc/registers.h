// SPDX-License-Identifier: Apache-2.0
// Binds the ports' flow control to its registers: pfc.*, and the priority maps of map.*.
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

}  // namespace weir::pfc
