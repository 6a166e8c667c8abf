// SPDX-License-Identifier: Apache-2.0
// The control and status registers of a hart that has machine mode only, and what traps do to them.
//
// Which there are: volume II (20211203), table 2.5 and chapter 3, for a hart without S- and U-mode; mcounteren is there
// all the same, because start-up code likes to write it. Performance counters beyond mcycle and minstret and all of PMP
// read 0 and ignore writes, as sections 3.1.10 and 3.7 allow. `time` is a device's and not here. Counting is the hart's
// affair.
#pragma once

#include <cstdint>

#include "models/cpu/hart.h"

namespace weir::cpu {

/// Causes of exceptions, mcause without the interrupt bit (volume II, table 3.6).
enum class cause : std::uint32_t {
    fetch_access = 1,
    illegal_instruction = 2,
    breakpoint = 3,
    load_misaligned = 4,
    load_access = 5,
    store_misaligned = 6,
    store_access = 7,
    ecall_from_m = 11
};

namespace mstatus {
constexpr std::uint32_t mie = 1U << 3;
constexpr std::uint32_t mpie = 1U << 7;
constexpr std::uint32_t mpp = 3U << 11;  ///< always M: there is no other mode
}  // namespace mstatus

/// The bits of mie and mip that exist: software, timer, external.
constexpr std::uint32_t interrupt_bits = 1U << 3 | 1U << 7 | 1U << 11;

/// True for the numbers whose reading or writing needs the counters brought up to date.
bool is_counter(std::uint32_t number);

/// Reads a CSR of `s` as csrr does. False: there is no such CSR.
bool csr_read(const hart_state& s, std::uint32_t hart_id, std::uint32_t number, std::uint32_t& value);

/// Writes a CSR of `s` as csrw does: bits that cannot be written stay. False: no such CSR, or it is read-only.
bool csr_write(hart_state& s, std::uint32_t number, std::uint32_t value);

/// Enters the trap handler: mepc, mcause, mtval, mstatus, and pc by mtvec.
void enter_trap(hart_state& s, cause why, std::uint32_t mtval);

/// The same for an interrupt, which must be pending and enabled: the one of highest priority (external, software,
/// timer).
void enter_interrupt(hart_state& s);

/// mret: pc and mstatus as they were before the trap.
void leave_trap(hart_state& s);

/// Puts the bits that cannot hold every value right: for a state that comes from outside.
void legalise(hart_state& s);

}  // namespace weir::cpu
