// SPDX-License-Identifier: Apache-2.0
// Traps, interrupts, CSRs and counters. Numbers from the privileged manual, volume II (20211203), sections as given.
#include <gtest/gtest.h>

#include <cstdint>

#include "tests/cpu/machine.h"

namespace weir::cpu::testing {
namespace {

constexpr std::uint32_t unmapped = 0x20000000;  ///< refused by the bus

/// Executes one instruction that traps, with x1 as given, and checks what the handler sees.
void expect_trap(machine& m, word instruction, std::uint32_t cause, std::uint32_t value) {
    const auto x1 = m.x(1);
    m.restart();
    m.set(1, x1);
    m.execute({nop, instruction});  // the nop: pc is not where it was after reset
    EXPECT_EQ(m.core.pc(), machine::handler) << std::hex << instruction;
    EXPECT_EQ(m.csr_value(mepc), machine::base + 4) << std::hex << instruction;
    EXPECT_EQ(m.csr_value(mcause), cause) << std::hex << instruction;
    EXPECT_EQ(m.csr_value(mtval), value) << std::hex << instruction;
}

// 3.1.15, table 3.6: cause 2. 3.1.16: mtval may hold the instruction; here it always does.
TEST(hart_traps, on_illegal_instructions_with_the_instruction_in_mtval) {
    machine m;
    for (const word i : {0xffffffffU, 0x00000000U, 0x0000000bU, 0x02002033U | 0x80000000U, 0x00003003U, 0x00003023U,
                         0x00002063U, 0x00001067U, 0x0000302fU, 0x1000202fU | 1U << 20, 0x10200073U, 0x12000073U}) {
        // The first halfword of 0 is an instruction by itself.
        expect_trap(m, i, 2, i);
    }
}

TEST(hart_traps, on_a_compressed_illegal_instruction_with_its_sixteen_bits_in_mtval) {
    machine m;
    m.put_halfwords(machine::base, {0x0001, 0x2000, 0xffff});
    m.core.run(2);
    EXPECT_EQ(m.csr_value(mepc), machine::base + 2);
    EXPECT_EQ(m.csr_value(mcause), 2U);
    EXPECT_EQ(m.csr_value(mtval), 0x2000U);
}

// 3.1.15: causes 11 and 3. mtval of ebreak: the manual allows pc or 0; QEMU 7.2 and this hart have 0.
TEST(hart_traps, on_ecall_and_ebreak) {
    machine m;
    expect_trap(m, ecall, 11, 0);
    expect_trap(m, ebreak, 3, 0);
}

// Causes 4 and 6 with the address, in memory and on the bus alike; nothing is accessed.
TEST(hart_traps, on_misaligned_loads_and_stores) {
    machine m;
    for (const std::uint32_t address : {machine::data, recording_bus::device, unmapped}) {
        m.set(1, address);
        expect_trap(m, lw(2, 1, 1), 4, address + 1);
        expect_trap(m, lw(2, 1, 2), 4, address + 2);
        expect_trap(m, lh(2, 1, 3), 4, address + 3);
        expect_trap(m, lhu(2, 1, 1), 4, address + 1);
        expect_trap(m, sw(2, 1, 3), 6, address + 3);
        expect_trap(m, sh(2, 1, 1), 6, address + 1);
    }
    EXPECT_TRUE(m.bus.accesses.empty());
}

// Causes 5 and 7 with the address, and rd keeps its value.
TEST(hart_traps, on_accesses_that_the_bus_refuses) {
    machine m;
    m.set(1, unmapped);
    expect_trap(m, lw(2, 1, 4), 5, unmapped + 4);
    expect_trap(m, lbu(2, 1, 7), 5, unmapped + 7);
    expect_trap(m, sb(2, 1, 7), 7, unmapped + 7);
    expect_trap(m, sw(2, 1, -4), 7, unmapped - 4);
    m.restart();
    m.set(1, unmapped);
    m.set(2, 77);
    m.execute({lw(2, 1, 0)});
    EXPECT_EQ(m.x(2), 77U);
}

// Cause 1: mepc is the instruction, mtval the part of it that is not there.
TEST(hart_traps, on_a_fetch_that_the_bus_refuses) {
    machine m;
    m.set(1, unmapped);
    m.execute({jalr(5, 1, 0)});
    EXPECT_EQ(m.core.pc(), unmapped) << "the jump itself is done";
    EXPECT_EQ(m.x(5), machine::base + 4);
    m.core.run(1);
    EXPECT_EQ(m.csr_value(mcause), 1U);
    EXPECT_EQ(m.csr_value(mepc), unmapped);
    EXPECT_EQ(m.csr_value(mtval), unmapped);
}

TEST(hart_traps, on_the_missing_half_of_an_instruction_at_the_end_of_memory) {
    machine m;
    const std::uint32_t last = machine::base + machine::size - 2;
    m.put_halfwords(last, {0x0013});  // the lower half of a nop
    m.set(1, last);
    m.execute({jalr(0, 1, 0)});
    m.core.run(1);
    EXPECT_EQ(m.csr_value(mcause), 1U);
    EXPECT_EQ(m.csr_value(mepc), last);
    EXPECT_EQ(m.csr_value(mtval), machine::base + machine::size);
}

// 8.2 and 8.4 of volume I: lr.w faults as a load, sc.w and AMOs as stores. There are no reservations on the bus.
TEST(hart_traps, on_atomics_that_are_misaligned_or_have_no_memory) {
    machine m;
    m.set(1, machine::data + 2);
    expect_trap(m, lr(2, 1), 4, machine::data + 2);
    expect_trap(m, sc(2, 3, 1), 6, machine::data + 2);
    expect_trap(m, amo(0, 2, 3, 1), 6, machine::data + 2);
    m.set(1, unmapped);
    expect_trap(m, amo(0, 2, 3, 1), 7, unmapped);
    m.set(1, recording_bus::device);
    expect_trap(m, lr(2, 1), 5, recording_bus::device);
    expect_trap(m, sc(2, 3, 1), 7, recording_bus::device);
}

// 3.1.6.1: MPIE takes MIE, MIE becomes 0, MPP is M; mret undoes it and sets MPIE.
TEST(hart_traps, keeps_the_interrupt_enable_over_trap_and_return) {
    machine m;
    m.core.write_csr(mstatus, 8);
    m.put(machine::handler, {mret});
    m.execute({ecall});
    EXPECT_EQ(m.csr_value(mstatus), 0x1880U);
    m.core.run(1);
    EXPECT_EQ(m.core.pc(), machine::base) << "mepc is the ecall itself";
    EXPECT_EQ(m.csr_value(mstatus), 0x1888U);
}

// 3.1.9: external before software before timer. 3.1.7: vectored interrupts go to base + 4 × cause, exceptions to base.
TEST(hart_interrupts, come_by_priority_and_to_their_vectors) {
    struct line_case {
        interrupt_line line;
        std::uint32_t number;
    };
    machine m;
    m.put(machine::base, {nop, nop});
    m.core.write_csr(mtvec, machine::handler | 1);
    m.core.write_csr(mie, 0xffffffff);
    EXPECT_EQ(m.csr_value(mie), 0x888U);
    for (const auto line : {interrupt_line::timer, interrupt_line::software, interrupt_line::external}) {
        m.core.set_line(line, true);
    }
    for (const auto& c : {line_case{interrupt_line::external, 11}, line_case{interrupt_line::software, 3},
                          line_case{interrupt_line::timer, 7}}) {
        auto s = m.core.state();
        s.pc = machine::base;
        s.mstatus = 8;
        m.core.restore(s);
        m.put(machine::handler + 4 * c.number, {nop});
        m.core.run(1);
        EXPECT_EQ(m.csr_value(mcause), 0x80000000U | c.number);
        EXPECT_EQ(m.csr_value(mepc), machine::base);
        EXPECT_EQ(m.core.pc(), machine::handler + 4 * c.number + 4) << "an interrupt counts as no instruction";
        m.core.set_line(c.line, false);
    }
    m.execute({ecall});
    EXPECT_EQ(m.core.pc(), machine::handler) << "exceptions are not vectored";
}

TEST(hart_interrupts, wait_for_both_enables) {
    machine m;
    m.put(machine::base, {nop, nop, nop, csr(6, 0, mstatus, 8), nop});
    m.core.set_line(interrupt_line::timer, true);
    EXPECT_EQ(m.csr_value(mip), 0x80U);
    m.core.run(1);
    EXPECT_EQ(m.core.pc(), machine::base + 4);
    EXPECT_FALSE(m.core.interrupt_pending());
    m.core.write_csr(mie, 0x80);
    EXPECT_TRUE(m.core.interrupt_pending());
    m.core.run(2);
    EXPECT_EQ(m.core.pc(), machine::base + 12) << "mstatus.MIE is 0";
    m.core.run(2);
    EXPECT_EQ(m.csr_value(mepc), machine::base + 16) << "right behind the instruction that set MIE";
}

// The line rises while an instruction is on the bus: that one is completed, the next is not begun.
TEST(hart_interrupts, come_between_instructions) {
    machine m;
    m.core.write_csr(mie, 0x800);
    m.core.write_csr(mstatus, 8);
    m.set(1, recording_bus::device);
    m.bus.on_access = [&] { m.core.set_line(interrupt_line::external, true); };
    m.bus.values[recording_bus::device] = 123;
    m.put(machine::base, {nop, lw(2, 1, 0), addi(3, 0, 1)});
    m.core.run(3);
    EXPECT_EQ(m.x(2), 123U);
    EXPECT_EQ(m.x(3), 0U);
    EXPECT_EQ(m.csr_value(mepc), machine::base + 8);
    EXPECT_EQ(m.csr_value(mcause), 0x8000000bU);
}

// mret with MPIE set and something pending: the interrupt comes before the instruction that was returned to.
TEST(hart_interrupts, come_right_after_the_mret_that_enables_them) {
    machine m;
    m.core.write_csr(mie, 8);
    m.core.write_csr(mepc, machine::base + 0x40);
    m.core.write_csr(mstatus, 0x80);
    m.core.set_line(interrupt_line::software, true);
    m.put(machine::base, {mret});
    m.core.run(2);
    EXPECT_EQ(m.csr_value(mepc), machine::base + 0x40);
    EXPECT_EQ(m.core.pc(), machine::handler);
}

// 3.3.3: wfi ends when an enabled interrupt is pending, even with MIE 0; then execution goes on behind it.
TEST(hart_interrupts, end_wfi_even_when_they_are_not_taken) {
    machine m;
    m.core.write_csr(mie, 0x80);
    m.put(machine::base, {wfi, addi(1, 0, 1), nop});
    EXPECT_EQ(m.core.run(3), stop::wait);
    EXPECT_EQ(m.core.executed(), 1U);
    EXPECT_TRUE(m.core.state().waiting);
    EXPECT_EQ(m.core.run(3), stop::wait);
    EXPECT_EQ(m.core.executed(), 0U);
    m.core.set_line(interrupt_line::external, true);
    EXPECT_EQ(m.core.run(3), stop::wait) << "not enabled in mie";
    m.core.set_line(interrupt_line::timer, true);
    EXPECT_EQ(m.core.run(1), stop::budget);
    EXPECT_EQ(m.x(1), 1U);
    EXPECT_EQ(m.core.pc(), machine::base + 8);
}

// 3.3.3 with MIE 1: mepc is the instruction behind wfi.
TEST(hart_interrupts, taken_in_wfi_return_behind_it) {
    machine m;
    m.core.write_csr(mie, 0x80);
    m.core.write_csr(mstatus, 8);
    m.put(machine::base, {wfi, nop});
    EXPECT_EQ(m.core.run(9), stop::wait);
    m.core.set_line(interrupt_line::timer, true);
    m.core.run(1);
    EXPECT_EQ(m.csr_value(mepc), machine::base + 4);
    EXPECT_FALSE(m.core.state().waiting);
}

TEST(hart_interrupts, that_are_pending_make_wfi_a_nop) {
    machine m;
    m.core.write_csr(mie, 0x80);
    m.core.set_line(interrupt_line::timer, true);
    m.put(machine::base, {wfi, addi(1, 0, 1)});
    EXPECT_EQ(m.core.run(2), stop::budget);
    EXPECT_EQ(m.x(1), 1U);
}

// Volume I, 9.1: rd gets the old value; with x0 or 0, csrrs and csrrc do not write.
TEST(hart_csrs, are_swapped_set_and_cleared) {
    machine m;
    m.set(1, 0xf0);
    m.set(2, 0x3c);
    m.execute({csr(1, 3, mscratch, 1), csr(2, 4, mscratch, 2), csr(3, 5, mscratch, 1), csr(5, 6, mscratch, 17),
               csr(6, 7, mscratch, 2), csr(7, 8, mscratch, 1), csrr(9, mscratch)});
    EXPECT_EQ(m.x(3), 0U);
    EXPECT_EQ(m.x(4), 0xf0U);
    EXPECT_EQ(m.x(5), 0xfcU);
    EXPECT_EQ(m.x(6), 0x0cU);
    EXPECT_EQ(m.x(7), 17U);
    EXPECT_EQ(m.x(8), 19U);
    EXPECT_EQ(m.x(9), 18U);
}

// 3.1: what of each register can be written. misa: MXL 1 (32 bits), A, C, I, M; mtvec's modes from 2 on are reserved.
TEST(hart_csrs, hold_only_what_they_can) {
    machine m;
    const auto after_writing = [&](std::uint32_t number, std::uint32_t value) {
        EXPECT_TRUE(m.core.write_csr(number, value));
        return m.csr_value(number);
    };
    EXPECT_EQ(after_writing(misa, 0), 0x40001105U);
    EXPECT_EQ(after_writing(mstatus, 0xffffffff), 0x1888U);
    EXPECT_EQ(after_writing(mstatus, 0), 0x1800U) << "MPP is always M";
    EXPECT_EQ(after_writing(0x310, 0xffffffff), 0U) << "mstatush";
    EXPECT_EQ(after_writing(mepc, 0xffffffff), 0xfffffffeU);
    EXPECT_EQ(after_writing(mtvec, 0x80000101), 0x80000101U);
    EXPECT_EQ(after_writing(mtvec, 0x80000202), 0x80000101U);
    EXPECT_EQ(after_writing(mip, 0xffffffff), 0U);
    EXPECT_EQ(after_writing(mcause, 0x8000000b), 0x8000000bU);
    EXPECT_EQ(after_writing(mtval, 0x12345678), 0x12345678U);
    EXPECT_EQ(after_writing(mcountinhibit, 0xffffffff), 5U) << "CY and IR";
    EXPECT_EQ(after_writing(0x3a0, 0xffffffff), 0U) << "pmpcfg0";
    EXPECT_EQ(after_writing(0x3ef, 0xffffffff), 0U) << "pmpaddr63";
    EXPECT_EQ(after_writing(0xb03, 5), 0U) << "mhpmcounter3";
    EXPECT_EQ(after_writing(0x33f, 5), 0U) << "mhpmevent31";
}

TEST(hart_csrs, say_which_hart_it_is) {
    recording_bus bus;
    hart third{bus, 3};
    std::uint32_t value = 0;
    EXPECT_TRUE(third.read_csr(0xf14, value));
    EXPECT_EQ(value, 3U);
    for (const word number : {0xf11U, 0xf12U, 0xf13U, 0xf15U}) {
        EXPECT_TRUE(third.read_csr(number, value));
        EXPECT_EQ(value, 0U);
        EXPECT_FALSE(third.write_csr(number, 1));
    }
}

// Volume II, 2.1: reading a CSR that is not there and writing a read-only one are illegal instructions; `time` is not
// there.
TEST(hart_csrs, trap_when_they_are_not_there_or_read_only) {
    machine m;
    for (const word i : {csrr(1, 0xc01), csrr(1, 0xc81), csrr(1, 0x100), csrr(1, 0x180), csrr(1, 0x7c0), csrr(1, 0xfff),
                         csrr(1, 0x302), csrw(0xf14, 1), csr(2, 1, 0xf11, 2), csr(7, 1, 0xc00, 1), csrw(0xc02, 0)}) {
        expect_trap(m, i, 2, i);
    }
    m.restart();
    m.execute({csrr(1, 0xf14), csr(6, 2, 0xf11, 0), csrr(3, 0xc80)});
    EXPECT_EQ(m.core.pc(), machine::base + 12) << "without a write they are legal";
}

// 3.1.10: mcycle counts a cycle an instruction here, traps too; minstret counts what retired, and ecall does not.
TEST(hart_counters, count_instructions_and_what_retired) {
    machine m;
    m.put(machine::handler, {nop, nop});
    m.execute({nop, nop, ecall});
    m.core.run(2);
    EXPECT_EQ(m.csr_value(mcycle), 5U);
    EXPECT_EQ(m.csr_value(minstret), 4U);
    EXPECT_EQ(m.csr_value(0xc00), 5U);
    EXPECT_EQ(m.csr_value(0xc02), 4U);
}

// Volume I, 10.1 and 9.1: an instruction reads how many retired before it; the next one reads what was written.
TEST(hart_counters, read_what_was_before_and_what_was_written) {
    machine m;
    m.set(1, 1000);
    m.execute({nop, csrr(2, minstret), csrw(minstret, 1), csrr(3, minstret), csrr(4, minstret), csrw(mcycle, 1),
               csrr(5, 0xc00), csrr(6, mcycle)});
    EXPECT_EQ(m.x(2), 1U);
    EXPECT_EQ(m.x(3), 1000U);
    EXPECT_EQ(m.x(4), 1001U);
    EXPECT_EQ(m.x(5), 1000U);
    EXPECT_EQ(m.x(6), 1001U);
}

TEST(hart_counters, carry_into_their_upper_halves) {
    machine m;
    m.set(1, 0xffffffff);
    m.set(2, 6);
    m.execute({csrw(mcycleh, 2), csrw(mcycle, 1), nop, csrr(3, mcycleh), csrr(4, mcycle), csrr(5, 0xc80)});
    EXPECT_EQ(m.x(3), 7U);
    EXPECT_EQ(m.x(4), 1U);
    EXPECT_EQ(m.x(5), 7U);
}

// 3.1.12: the instruction that inhibits is still counted, the one that ends it is not.
TEST(hart_counters, stand_still_while_inhibited) {
    machine m;
    m.execute({csr(5, 0, mcountinhibit, 4), nop, nop, csrr(1, minstret), csrr(2, mcycle), csr(5, 0, mcountinhibit, 1),
               csrr(3, minstret), csrr(4, mcycle), csrr(5, mcycle)});
    EXPECT_EQ(m.x(1), 1U);
    EXPECT_EQ(m.x(2), 4U);
    EXPECT_EQ(m.x(3), 1U);
    EXPECT_EQ(m.x(4), 6U);
    EXPECT_EQ(m.x(5), 6U);
}

}  // namespace
}  // namespace weir::cpu::testing
