// SPDX-License-Identifier: Apache-2.0
// Binds the schedulers to their registers: sched.*, and queue.mode.dequeue_enable.
#pragma once

#include <functional>

#include "models/registers/bank.h"
#include "models/scheduler/crossbar.h"
#include "models/scheduler/scheduler.h"

namespace weir::scheduler {

/// `at(port)` gives a port's scheduler, the CPU port's included. `inputs`: the crossbar that accounts for heads at
/// their ingress port; null when schedulers do.
void bind_registers(const std::function<scheduler&(std::uint32_t)>& at, std::uint32_t ports, const timeline& time,
                    registers::bank& bank, const crossbar* inputs);

}  // namespace weir::scheduler
