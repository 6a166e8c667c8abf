// SPDX-License-Identifier: Apache-2.0
// CSRs by number. Section numbers are of volume II (20211203).
#include "models/cpu/csr.h"

namespace weir::cpu {

namespace {

constexpr std::uint32_t misa_rv32imac = 1U << 30 | 1U << 12 | 1U << 8 | 1U << 2 | 1U << 0;  // 3.1.1: MXL 32, M, I, C, A
constexpr std::uint32_t counted = 1U << 0 | 1U << 2;                                        // 3.1.12: CY and IR
constexpr std::uint32_t mcause_interrupt = 1U << 31;

constexpr bool between(std::uint32_t number, std::uint32_t first, std::uint32_t last) {
    return number - first <= last - first;
}

/// CSRs that read 0 and ignore writes.
bool is_constant_zero(std::uint32_t n) {
    return between(n, 0x323, 0x33f) ||                              // mhpmevent3 to 31
           between(n, 0xb03, 0xb1f) || between(n, 0xb83, 0xb9f) ||  // mhpmcounter3 to 31 and their upper halves
           between(n, 0x3a0, 0x3ef) ||                              // pmpcfg0 to 15, pmpaddr0 to 63
           n == 0x310;                                              // mstatush
}

constexpr std::uint32_t high_half(std::uint64_t value) {
    return static_cast<std::uint32_t>(value >> 32);
}

constexpr void put_low(std::uint64_t& counter, std::uint32_t value) {
    counter = counter >> 32 << 32 | value;
}

constexpr void put_high(std::uint64_t& counter, std::uint32_t value) {
    counter = std::uint64_t{value} << 32 | (counter & 0xffffffffU);
}

void save_and_disable(hart_state& s) {
    const std::uint32_t previous = (s.mstatus & mstatus::mie) != 0 ? mstatus::mpie : 0;
    s.mstatus = mstatus::mpp | previous;
    s.mepc = s.pc;
}

}  // namespace

bool is_counter(std::uint32_t number) {
    return number == 0x320 || number == 0xb00 || number == 0xb02 || number == 0xb80 || number == 0xb82 ||
           number == 0xc00 || number == 0xc02 || number == 0xc80 || number == 0xc82;
}

bool csr_read(const hart_state& s, std::uint32_t hart_id, std::uint32_t number, std::uint32_t& value) {
    switch (number) {
        case 0x300:
            value = s.mstatus;
            return true;
        case 0x301:
            value = misa_rv32imac;
            return true;
        case 0x304:
            value = s.mie;
            return true;
        case 0x305:
            value = s.mtvec;
            return true;
        case 0x306:
            value = s.mcounteren;
            return true;
        case 0x320:
            value = s.mcountinhibit;
            return true;
        case 0x340:
            value = s.mscratch;
            return true;
        case 0x341:
            value = s.mepc;
            return true;
        case 0x342:
            value = s.mcause;
            return true;
        case 0x343:
            value = s.mtval;
            return true;
        case 0x344:
            value = s.mip;
            return true;
        case 0xb00:
        case 0xc00:
            value = static_cast<std::uint32_t>(s.mcycle);
            return true;
        case 0xb02:
        case 0xc02:
            value = static_cast<std::uint32_t>(s.minstret);
            return true;
        case 0xb80:
        case 0xc80:
            value = high_half(s.mcycle);
            return true;
        case 0xb82:
        case 0xc82:
            value = high_half(s.minstret);
            return true;
        case 0xf11:
        case 0xf12:
        case 0xf13:
        case 0xf15:
            value = 0;
            return true;  // mvendorid, marchid, mimpid, mconfigptr
        case 0xf14:
            value = hart_id;
            return true;
        default:
            break;
    }
    value = 0;
    return is_constant_zero(number) || between(number, 0xc03, 0xc1f) || between(number, 0xc83, 0xc9f);
}

bool csr_write(hart_state& s, std::uint32_t number, std::uint32_t value) {
    switch (number) {
        case 0x300:
            s.mstatus = (value & (mstatus::mie | mstatus::mpie)) | mstatus::mpp;
            return true;
        case 0x301:
            return true;  // 3.1.1: WARL, and no extension can be switched off here
        case 0x304:
            s.mie = value & interrupt_bits;
            return true;
        case 0x305:
            // 3.1.7: modes from 2 on are reserved. Such a write is ignored as a whole, as QEMU does.
            if ((value & 3) < 2) s.mtvec = value;
            return true;
        case 0x306:
            s.mcounteren = value;
            return true;
        case 0x320:
            s.mcountinhibit = value & counted;
            return true;
        case 0x340:
            s.mscratch = value;
            return true;
        case 0x341:
            s.mepc = value & ~1U;
            return true;  // 3.1.14: bit 0 is always 0
        case 0x342:
            s.mcause = value;
            return true;
        case 0x343:
            s.mtval = value;
            return true;
        case 0x344:
            return true;  // 3.1.9: MSIP, MTIP and MEIP are read-only
        case 0xb00:
            put_low(s.mcycle, value);
            return true;
        case 0xb02:
            put_low(s.minstret, value);
            return true;
        case 0xb80:
            put_high(s.mcycle, value);
            return true;
        case 0xb82:
            put_high(s.minstret, value);
            return true;
        default:
            return is_constant_zero(number);
    }
}

void enter_trap(hart_state& s, cause why, std::uint32_t mtval) {
    save_and_disable(s);
    s.mcause = static_cast<std::uint32_t>(why);
    s.mtval = mtval;
    s.pc = s.mtvec & ~3U;
}

void enter_interrupt(hart_state& s) {
    const std::uint32_t ready = s.mip & s.mie;
    const std::uint32_t line = (ready & 1U << 11) != 0 ? 11 : (ready & 1U << 3) != 0 ? 3 : 7;  // 3.1.9
    save_and_disable(s);
    s.mcause = mcause_interrupt | line;
    s.mtval = 0;
    s.pc = (s.mtvec & ~3U) + ((s.mtvec & 1) != 0 ? 4 * line : 0);  // 3.1.7
    s.waiting = false;
}

void leave_trap(hart_state& s) {
    const std::uint32_t enabled = (s.mstatus & mstatus::mpie) != 0 ? mstatus::mie : 0;  // 3.1.6.1: MPIE becomes 1
    s.mstatus = mstatus::mpp | mstatus::mpie | enabled;
    s.pc = s.mepc;
}

void legalise(hart_state& s) {
    s.x[0] = 0;
    s.pc &= ~1U;
    s.mstatus = (s.mstatus & (mstatus::mie | mstatus::mpie)) | mstatus::mpp;
    s.mie &= interrupt_bits;
    s.mip &= interrupt_bits;
    s.mepc &= ~1U;
    s.mtvec &= ~2U;
    s.mcountinhibit &= counted;
}

}  // namespace weir::cpu
