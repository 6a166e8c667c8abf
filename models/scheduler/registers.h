// SPDX-License-Identifier: Apache-2.0
// Binds the schedulers to their registers: sched.*, and queue.mode.dequeue_enable.
#pragma once

#include <functional>

#include "models/registers/bank.h"
#include "models/scheduler/scheduler.h"

namespace weir::scheduler {

/// `at(port)` gives a port's scheduler, the CPU port's included.
void bind_registers(const std::function<scheduler&(std::uint32_t)>& at, std::uint32_t ports, const timeline& time,
                    registers::bank& bank);

}  // namespace weir::scheduler
