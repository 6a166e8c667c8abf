// SPDX-License-Identifier: Apache-2.0
// Binds the MMU to its registers: bm.*, pg.*, queue.*, wred.*.
#pragma once

#include <functional>

#include "models/mmu/mmu.h"
#include "models/registers/bank.h"

namespace weir::mmu {

/// `on_error` is called when a write leaves the configuration contradictory or over-committed (R6, R9).
void bind_registers(mmu& m, registers::bank& bank, std::function<void()> on_error);

}  // namespace weir::mmu
