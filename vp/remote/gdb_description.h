// SPDX-License-Identifier: Apache-2.0
// The target description that the gdb stub gives: which registers there are and what numbers they have in p and P
// packets.
//
// x0 to x31 are 0 to 31, pc is 32, a CSR is 65 plus its number, as gdb counts by itself (gdb/riscv-tdep.h). Source:
// "Debugging with GDB" 13.1, appendix G.5.12.
#pragma once

#include <string>

#include "vp/remote/gdb_target.h"

namespace weir::vp::remote {

constexpr unsigned gdb_pc = 32;
constexpr unsigned gdb_first_csr = 65;
constexpr unsigned gdb_registers = gdb_first_csr + 4096;

/// target.xml, with those of the machine-mode CSRs that the target has.
std::string gdb_description(gdb_target& target);

}  // namespace weir::vp::remote
