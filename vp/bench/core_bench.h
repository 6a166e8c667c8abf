// SPDX-License-Identifier: Apache-2.0
// Speed of the RISC-V core and of firmware: instructions, accesses to the switch's registers, the way to the prompt.
// Each elaborates: once a process.
#pragma once

#include <cstdint>

namespace weir::vp {

struct core_speed {
    double amount{0};
    double cpu_seconds{0};
};

/// Instructions of a loop of eight with one store to memory, for `milliseconds` of simulated time at 1 GHz.
[[nodiscard]] core_speed run_core_loop(int milliseconds);
/// Reads and writes of a register in a loop of three instructions.
[[nodiscard]] core_speed run_core_accesses(int milliseconds);
/// From nothing to the firmware's first prompt, the chip brought up; one boot.
[[nodiscard]] core_speed boot_to_prompt();

}  // namespace weir::vp
