// SPDX-License-Identifier: Apache-2.0
// Breakpoints and watchpoints of a hart. The rules are those of models/cpu/hart.h.
#include <gtest/gtest.h>

#include <cstdint>

#include "tests/cpu/machine.h"

namespace weir::cpu::testing {
namespace {

TEST(breakpoints, stop_before_their_instruction_and_go_on_from_it) {
    machine m;
    m.put(machine::base, {addi(1, 1, 1), addi(2, 2, 1), addi(3, 3, 1), jal(0, -12)});
    m.core.run(4);  // decoded already
    m.core.set_breakpoint(machine::base + 4);
    for (word round = 2; round < 4; ++round) {
        EXPECT_EQ(m.core.run(100), stop::breakpoint);
        EXPECT_EQ(m.core.pc(), machine::base + 4);
        EXPECT_EQ(m.x(1), round);
        EXPECT_EQ(m.x(2), round - 1);
    }
    EXPECT_EQ(m.core.executed(), 4U);
    EXPECT_EQ(m.csr_value(minstret), 9U) << "a breakpoint counts as nothing";
    m.core.clear_breakpoint(machine::base + 4);
    EXPECT_EQ(m.core.run(100), stop::budget);
}

TEST(breakpoints, are_met_by_single_steps_too) {
    machine m;
    m.put(machine::base, {nop, nop, nop});
    m.core.set_breakpoint(machine::base + 4);
    EXPECT_EQ(m.core.run(1), stop::budget);
    EXPECT_EQ(m.core.run(1), stop::breakpoint);
    EXPECT_EQ(m.core.executed(), 0U);
    EXPECT_EQ(m.core.run(1), stop::budget);
    EXPECT_EQ(m.core.pc(), machine::base + 8);
}

TEST(breakpoints, stay_where_code_is_written) {
    machine m;
    m.put(machine::base, {nop, nop, nop});
    m.core.set_breakpoint(machine::base + 4);
    m.put(machine::base + 4, {addi(1, 0, 1)});
    EXPECT_EQ(m.core.run(3), stop::breakpoint);
    EXPECT_EQ(m.core.run(2), stop::budget);
    EXPECT_EQ(m.x(1), 1U);
}

TEST(breakpoints, work_in_code_on_the_bus) {
    machine m;
    m.bus.values[recording_bus::device] = 0x0001;  // c.nop
    m.bus.values[recording_bus::device + 2] = 0x0001;
    m.set(1, recording_bus::device);
    m.execute({jalr(0, 1, 0)});
    m.core.set_breakpoint(recording_bus::device + 2);
    EXPECT_EQ(m.core.run(5), stop::breakpoint);
    EXPECT_EQ(m.core.pc(), recording_bus::device + 2);
    EXPECT_EQ(m.core.run(1), stop::budget);
}

TEST(breakpoints, include_ebreak_if_that_is_asked_for) {
    machine m;
    m.core.stop_at_ebreak(true);
    m.put(machine::base, {nop, ebreak});
    EXPECT_EQ(m.core.run(5), stop::breakpoint);
    EXPECT_EQ(m.core.pc(), machine::base + 4);
    EXPECT_EQ(m.core.executed(), 1U);
    EXPECT_EQ(m.core.run(5), stop::breakpoint) << "until pc is moved";
    m.core.stop_at_ebreak(false);
    EXPECT_EQ(m.core.run(1), stop::budget);
    EXPECT_EQ(m.csr_value(mcause), 3U);
}

TEST(watchpoints, stop_after_the_access_that_they_watch) {
    machine m;
    m.set(1, machine::data);
    m.put(machine::base, {lw(2, 1, 0), sw(2, 1, 4), lw(2, 1, 4), sb(2, 1, 7), sw(2, 1, 8), nop});
    m.core.run(1);  // the loop knows the memory now
    const watchpoint w{machine::data + 4, 4, false, true};
    m.core.set_watchpoint(w);
    EXPECT_EQ(m.core.run(9), stop::watchpoint);
    EXPECT_EQ(m.core.pc(), machine::base + 8);
    EXPECT_EQ(m.core.watched().address, machine::data + 4);
    EXPECT_TRUE(m.core.watched().store);
    EXPECT_EQ(m.core.run(9), stop::watchpoint) << "an octet of it; the load before is not watched";
    EXPECT_EQ(m.core.pc(), machine::base + 16);
    EXPECT_EQ(m.core.watched().address, machine::data + 7);
    m.core.clear_watchpoint(w);
    EXPECT_EQ(m.core.run(2), stop::budget);
}

TEST(watchpoints, watch_loads_parts_and_the_bus) {
    machine m;
    m.set(1, machine::data);
    m.set(5, recording_bus::device);
    m.put(machine::base, {sw(2, 1, 0), lw(2, 1, 0), lw(2, 5, 0), amo(0, 2, 3, 1), nop});
    m.core.set_watchpoint({machine::data + 2, 1, true, false});
    m.core.set_watchpoint({recording_bus::device, 4, true, true});
    EXPECT_EQ(m.core.run(9), stop::watchpoint);
    EXPECT_EQ(m.core.pc(), machine::base + 8);
    EXPECT_EQ(m.core.watched().address, machine::data + 2) << "inside what is watched";
    EXPECT_FALSE(m.core.watched().store);
    EXPECT_EQ(m.core.run(9), stop::watchpoint);
    EXPECT_EQ(m.core.pc(), machine::base + 12);
    EXPECT_EQ(m.core.run(9), stop::watchpoint) << "an AMO loads";
    EXPECT_EQ(m.core.pc(), machine::base + 16);
}

// As gdb expects it of RISC-V: pc at the instruction, nothing done; the next run does it.
TEST(watchpoints, stop_before_the_access_if_that_is_asked_for) {
    machine m;
    m.core.stop_before_watched(true);
    m.set(1, machine::data);
    m.set(2, 5);
    m.put(machine::base,
          {nop, sw(2, 1, 0), amo(0, 3, 2, 1), lr(4, 1), sc(5, 2, 1), sc(5, 2, 1), lbu(6, 1, 1), sh(2, 1, 6)});
    m.core.set_watchpoint({machine::data, 4, true, true});
    EXPECT_EQ(m.core.run(9), stop::watchpoint);
    EXPECT_EQ(m.core.executed(), 1U);
    EXPECT_EQ(m.core.pc(), machine::base + 4);
    EXPECT_TRUE(m.core.watched().store);
    EXPECT_EQ(m.word_at(machine::data), 0U);
    for (const std::uint32_t next : {8U, 12U, 16U}) {
        EXPECT_EQ(m.core.run(9), stop::watchpoint);
        EXPECT_EQ(m.core.pc(), machine::base + next);
    }
    EXPECT_EQ(m.word_at(machine::data), 10U);
    EXPECT_EQ(m.core.run(9), stop::watchpoint);
    EXPECT_EQ(m.core.pc(), machine::base + 24) << "not at the second sc.w, which has no reservation";
    EXPECT_EQ(m.core.watched().address, machine::data + 1);
    EXPECT_FALSE(m.core.watched().store);
    EXPECT_EQ(m.core.run(2), stop::budget);
    EXPECT_EQ(m.csr_value(minstret), 8U);
}

TEST(watchpoints, are_told_after_the_breakpoint_at_their_instruction) {
    machine m;
    m.core.stop_before_watched(true);
    m.set(1, machine::data);
    m.put(machine::base, {nop, sw(2, 1, 0), nop});
    m.core.set_watchpoint({machine::data, 4, true, true});
    m.core.set_breakpoint(machine::base + 4);
    EXPECT_EQ(m.core.run(9), stop::breakpoint);
    EXPECT_EQ(m.core.run(0), stop::budget);
    EXPECT_EQ(m.core.run(9), stop::watchpoint);
    EXPECT_EQ(m.core.pc(), machine::base + 4);
    EXPECT_EQ(m.core.run(0), stop::budget);
    EXPECT_EQ(m.core.run(2), stop::budget) << "each is told once";
    EXPECT_EQ(m.core.pc(), machine::base + 12);
}

// A refused access touches nothing.
TEST(watchpoints, ignore_accesses_that_fault) {
    machine m;
    m.set(1, 0x20000000);
    m.core.set_watchpoint({0x20000000, 4, true, true});
    m.put(machine::base, {lw(2, 1, 0)});
    EXPECT_EQ(m.core.run(1), stop::budget);
    EXPECT_EQ(m.csr_value(mcause), 5U);
}

}  // namespace
}  // namespace weir::cpu::testing
