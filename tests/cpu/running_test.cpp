// SPDX-License-Identifier: Apache-2.0
// Running a hart: budgets, slices, mappings, states. The rules are those of models/cpu/hart.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "models/timeline/random_stream.h"
#include "tests/cpu/machine.h"
#include "tests/cpu/random_program.h"

namespace weir::cpu::testing {
namespace {

/// A random program with traps, software interrupts and self-modification, on a hart of its own.
class programmed_hart : public bus_if {
public:
    explicit programmed_hart(std::uint64_t seed) : program(seed, 300), memory(4 << 20), core(*this) {
        std::copy(program.image().begin(), program.image().end(), memory.begin());
        core.map_memory(random_program::base, memory.data(), static_cast<std::uint32_t>(memory.size()));
        core.reset(random_program::base);
        core.set_line(interrupt_line::timer, true);
    }
    bool load(std::uint32_t, unsigned, std::uint32_t&) override { return false; }
    bool store(std::uint32_t address, unsigned, std::uint32_t value) override {
        executed_at_stores.push_back(before + core.executed());
        if (address == random_program::msip) core.set_line(interrupt_line::software, (value & 1) != 0);
        return address == random_program::msip || address == random_program::finisher;
    }
    void run(std::uint64_t instructions) {
        ASSERT_EQ(core.run(instructions), stop::budget);
        ASSERT_EQ(core.executed(), instructions);
        before += instructions;
    }
    random_program program;
    std::vector<std::uint8_t> memory;
    hart core;
    std::uint64_t before{0};
    std::vector<std::uint64_t> executed_at_stores;
};

TEST(hart_runs, end_in_the_same_state_however_they_are_sliced) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        constexpr std::uint64_t instructions = 1500;
        programmed_hart whole{seed};
        whole.run(instructions);
        programmed_hart single{seed};
        for (unsigned i = 0; i < instructions; ++i) single.run(1);
        programmed_hart sliced{seed};
        random_stream random{seed, "slices"};
        for (std::uint64_t left = instructions; left != 0;) {
            const std::uint64_t slice = std::min<std::uint64_t>(left, random.next() % 50);
            sliced.run(slice);
            left -= slice;
        }
        EXPECT_TRUE(whole.core.state() == single.core.state()) << "seed " << seed;
        EXPECT_TRUE(whole.core.state() == sliced.core.state()) << "seed " << seed;
        EXPECT_EQ(whole.memory, single.memory);
        EXPECT_EQ(whole.memory, sliced.memory);
        EXPECT_EQ(whole.executed_at_stores, single.executed_at_stores) << "the bus sees the same time";
        EXPECT_EQ(whole.executed_at_stores, sliced.executed_at_stores);
        EXPECT_FALSE(whole.executed_at_stores.empty());
    }
}

TEST(hart_runs, go_on_from_a_state_on_another_hart) {
    programmed_hart first{7};
    first.run(700);
    programmed_hart second{8};
    second.memory = first.memory;
    second.core.memory_changed(random_program::base, static_cast<std::uint32_t>(second.memory.size()));
    second.core.restore(first.core.state());
    EXPECT_TRUE(first.core.state() == second.core.state());
    first.run(600);
    second.run(600);
    EXPECT_TRUE(first.core.state() == second.core.state());
    EXPECT_EQ(first.memory, second.memory);
}

// `executed` does not count the instruction under way; pc is its address.
TEST(hart_runs, tell_the_bus_what_time_it_is) {
    machine m;
    m.set(1, recording_bus::device);
    std::vector<std::uint64_t> times;
    std::vector<std::uint32_t> places;
    m.bus.on_access = [&] {
        times.push_back(m.core.executed());
        places.push_back(m.core.pc());
    };
    m.put(machine::base, {nop, nop, lw(2, 1, 0), nop, sw(2, 1, 0), nop});
    m.core.run(5);
    EXPECT_EQ(times, (std::vector<std::uint64_t>{2, 4}));
    EXPECT_EQ(places, (std::vector<std::uint32_t>{machine::base + 8, machine::base + 16}));
}

TEST(hart_runs, of_no_instructions_do_nothing) {
    machine m;
    m.core.write_csr(mie, 8);
    m.core.write_csr(mstatus, 8);
    m.core.set_line(interrupt_line::software, true);
    EXPECT_EQ(m.core.run(0), stop::budget);
    EXPECT_EQ(m.core.executed(), 0U);
    EXPECT_EQ(m.core.pc(), machine::base) << "an interrupt waits for the next instruction";
}

TEST(hart_runs, end_after_the_instruction_during_which_that_is_asked_for) {
    machine m;
    m.set(1, recording_bus::device);
    m.bus.on_access = [&] { m.core.request_stop(); };
    m.put(machine::base, {nop, sw(2, 1, 0), nop, nop});
    EXPECT_EQ(m.core.run(4), stop::requested);
    EXPECT_EQ(m.core.executed(), 2U);
    EXPECT_EQ(m.core.run(1), stop::budget);
}

// Code that no memory has is fetched from the bus, instruction by instruction.
TEST(hart_memory, executes_code_on_the_bus) {
    machine m;
    const std::uint32_t at = recording_bus::device;
    m.bus.values[at] = 0x8193;      // addi x3, x3, 1
    m.bus.values[at + 2] = 0x0011;  //
    m.bus.values[at + 4] = 0xbff5;  // c.j -4... back to it
    m.set(1, at);
    m.execute({jalr(0, 1, 0)});
    m.bus.accesses.clear();
    ASSERT_EQ(m.core.run(3), stop::budget);
    EXPECT_EQ(m.x(3), 2U);
    EXPECT_EQ(m.core.pc(), at + 4);
    EXPECT_EQ(m.bus.accesses.size(), 5U);
}

TEST(hart_memory, is_left_and_entered_by_jumps_and_by_running_on) {
    machine m;
    std::vector<std::uint8_t> more(0x2000);
    const std::uint32_t behind = machine::base + machine::size;
    m.core.map_memory(behind, more.data(), 0x2000);
    const std::vector<word> code{addi(3, 3, 1), beq(0, 0, -12)};
    std::memcpy(more.data(), code.data(), 8);
    m.put(behind - 8, {addi(4, 4, 1), addi(5, 5, 1)});
    m.set(1, behind - 8);
    m.execute({jalr(0, 1, 0)});
    m.core.run(8);  // two rounds of four
    EXPECT_EQ(m.x(3), 2U);
    EXPECT_EQ(m.x(4), 2U);
    EXPECT_EQ(m.x(5), 2U);
    EXPECT_EQ(m.core.pc(), behind - 8);
}

TEST(hart_memory, taken_away_goes_to_the_bus_and_the_rest_stays) {
    machine m;
    m.set(1, machine::data);
    m.put(machine::base, {lw(2, 1, 0), lw(3, 1, 0), lw(4, 1, -4)});
    m.put(machine::data - 4, {44, 55});
    m.core.run(1);
    EXPECT_EQ(m.x(2), 55U);
    m.core.unmap_memory(machine::data, 0x1000);
    m.core.run(1);
    EXPECT_EQ(m.csr_value(mcause), 5U);
    EXPECT_EQ(m.bus.accesses.size(), 1U);
    auto s = m.core.state();
    s.pc = machine::base + 8;
    m.core.restore(s);
    m.core.run(1);
    EXPECT_EQ(m.x(4), 44U);
    s = m.core.state();
    s.pc = machine::data + 0x1000;
    m.core.restore(s);
    m.put(machine::data + 0x1000, {addi(6, 0, 6)});
    m.core.run(1);
    EXPECT_EQ(m.x(6), 6U) << "behind the gap";
}

// Whoever invalidates everything need not know where memory is.
TEST(hart_memory, is_forgotten_and_taken_away_by_ranges_that_reach_too_far) {
    machine m;
    m.put(machine::base, {addi(3, 3, 1), jal(0, -4)});
    m.core.run(2);
    const word other = addi(3, 3, 10);
    std::memcpy(m.octets.data(), &other, 4);
    m.core.memory_changed(machine::base - 0x1000, 0xffffffff);
    m.core.run(2);
    EXPECT_EQ(m.x(3), 11U);
    m.core.unmap_memory(machine::base - 0x1000, 0xffffffff);
    m.core.run(1);
    EXPECT_EQ(m.csr_value(mcause), 1U);
}

// DMI is invalidated in the middle of an access: the memory that the program runs in goes, and comes again.
TEST(hart_memory, may_change_during_an_access) {
    machine m;
    m.set(1, recording_bus::device);
    m.bus.on_access = [&] {
        m.core.unmap_memory(machine::base, machine::size);
        m.core.map_memory(machine::base, m.octets.data(), machine::size);
    };
    m.put(machine::base, {lw(2, 1, 0), addi(3, 0, 3), sw(3, 1, 0), addi(4, 0, 4)});
    EXPECT_EQ(m.core.run(4), stop::budget);
    EXPECT_EQ(m.x(3), 3U);
    EXPECT_EQ(m.x(4), 4U);
}

TEST(hart_memory, is_whole_pages_that_do_not_overlap) {
    machine m;
    std::vector<std::uint8_t> page(0x1000);
    EXPECT_THROW(m.core.map_memory(0x1000, page.data(), 0), std::invalid_argument);
    EXPECT_THROW(m.core.map_memory(0x1000, page.data(), 0x800), std::invalid_argument);
    EXPECT_THROW(m.core.map_memory(0x1800, page.data(), 0x1000), std::invalid_argument);
    EXPECT_THROW(m.core.map_memory(machine::base + machine::size - 0x1000, page.data(), 0x1000), std::invalid_argument);
    EXPECT_THROW(m.core.map_memory(0xfffff000, page.data(), 0x2000), std::invalid_argument);
    EXPECT_NO_THROW(m.core.map_memory(0xfffff000, page.data(), 0x1000));
}

// 3.4 of volume II: MIE 0, mcause 0, pc as the platform has it. Lines belong to their drivers and stay.
TEST(hart_state, is_fresh_after_reset) {
    machine m;
    m.core.set_line(interrupt_line::timer, true);
    m.execute({addi(1, 0, 1), csr(6, 0, mstatus, 8), csr(5, 0, mscratch, 5), ecall});
    m.core.reset(0x1234);
    hart_state fresh;
    fresh.pc = 0x1234;
    fresh.mstatus = 0x1800;
    fresh.mip = 0x80;
    EXPECT_TRUE(m.core.state() == fresh);
}

}  // namespace
}  // namespace weir::cpu::testing
