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

struct plain_csr {
    std::uint32_t number;
    std::uint32_t hart_state::*value;
    std::uint32_t writable;  ///< the other bits stay as they are
};

constexpr plain_csr plain_csrs[] = {
    {0x300, &hart_state::mstatus, mstatus::mie | mstatus::mpie},
    {0x304, &hart_state::mie, interrupt_bits},
    {0x305, &hart_state::mtvec, ~0U},
    {0x306, &hart_state::mcounteren, ~0U},
    {0x320, &hart_state::mcountinhibit, counted},
    {0x340, &hart_state::mscratch, ~0U},
    {0x341, &hart_state::mepc, ~1U},  // 3.1.14: bit 0 is always 0
    {0x342, &hart_state::mcause, ~0U},
    {0x343, &hart_state::mtval, ~0U},
    {0x344, &hart_state::mip, 0},  // 3.1.9: MSIP, MTIP and MEIP are read-only
};

const plain_csr* find_plain(std::uint32_t number) {
    for (const auto& c : plain_csrs) {
        if (c.number == number) return &c;
    }
    return nullptr;
}

/// CSRs that read 0 and ignore writes: mhpmevent3 to 31, mhpmcounter3 to 31 and their upper halves, pmpcfg0 to 15,
/// pmpaddr0 to 63, mstatush.
bool is_constant_zero(std::uint32_t n) {
    return between(n, 0x323, 0x33f) || between(n, 0xb03, 0xb1f) || between(n, 0xb83, 0xb9f) ||
           between(n, 0x3a0, 0x3ef) || n == 0x310;
}

// Counters: 0xb00 and 0xb02 are mcycle and minstret, 0x80 more their upper halves, 0x100 more what users read.
bool counts(std::uint32_t number) {
    const std::uint32_t n = number & ~0x80U;
    return n == 0xb00 || n == 0xb02 || n == 0xc00 || n == 0xc02;
}
std::uint64_t hart_state::*counter_of(std::uint32_t number) {
    return (number & 2) != 0 ? &hart_state::minstret : &hart_state::mcycle;
}
bool is_upper(std::uint32_t number) {
    return (number & 0x80) != 0;
}

void save_and_disable(hart_state& s) {
    const std::uint32_t previous = (s.mstatus & mstatus::mie) != 0 ? mstatus::mpie : 0;
    s.mstatus = mstatus::mpp | previous;
    s.mepc = s.pc;
}

}  // namespace

bool is_counter(std::uint32_t number) {
    return number == 0x320 || counts(number);
}

bool csr_read(const hart_state& s, std::uint32_t hart_id, std::uint32_t number, std::uint32_t& value) {
    value = 0;
    if (const plain_csr* const c = find_plain(number)) {
        value = s.*c->value;
    } else if (counts(number)) {
        value = static_cast<std::uint32_t>(s.*counter_of(number) >> (is_upper(number) ? 32 : 0));
    } else if (number == 0x301) {
        value = misa_rv32imac;
    } else if (number == 0xf14) {
        value = hart_id;
    } else {
        // mvendorid, marchid, mimpid and mconfigptr are 0, and so are the users' views of the counters from 3 on.
        return between(number, 0xf11, 0xf15) || is_constant_zero(number) || between(number, 0xc03, 0xc1f) ||
               between(number, 0xc83, 0xc9f);
    }
    return true;
}

bool csr_write(hart_state& s, std::uint32_t number, std::uint32_t value) {
    if (number >> 10 == 3) return false;  // 2.1: read-only
    if (const plain_csr* const c = find_plain(number)) {
        // 3.1.7: modes from 2 on are reserved. Such a write is ignored as a whole, as QEMU does.
        if (number == 0x305 && (value & 2) != 0) return true;
        s.*c->value = (s.*c->value & ~c->writable) | (value & c->writable);
        return true;
    }
    if (counts(number)) {
        std::uint64_t& counter = s.*counter_of(number);
        counter = is_upper(number) ? std::uint64_t{value} << 32 | (counter & 0xffffffffU) : counter >> 32 << 32 | value;
        return true;
    }
    return number == 0x301 || is_constant_zero(number);  // misa, 3.1.1: no extension can be switched off here
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
