// SPDX-License-Identifier: Apache-2.0
// Running a hart: budgets, self-modifying code, mappings, breakpoints, watchpoints, states. The rules are those of
// models/cpu/hart.h.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>

#include "models/timeline/random_stream.h"
#include "tests/cpu/machine.h"
#include "tests/cpu/random_program.h"

namespace weir::cpu::testing {
namespace {

bool operator==(const hart_state& a, const hart_state& b) {
    return a.x == b.x && a.pc == b.pc && a.mstatus == b.mstatus && a.mie == b.mie && a.mip == b.mip &&
           a.mtvec == b.mtvec && a.mscratch == b.mscratch && a.mepc == b.mepc && a.mcause == b.mcause &&
           a.mtval == b.mtval && a.mcounteren == b.mcounteren && a.mcountinhibit == b.mcountinhibit &&
           a.mcycle == b.mcycle && a.minstret == b.minstret && a.reservation == b.reservation && a.waiting == b.waiting;
}

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

// A store replaces an instruction that was executed before; with fence.i as the manual wants, and without.
TEST(self_modifying_code, is_executed_as_it_was_written_last) {
    for (const word between : {fence_i, nop}) {
        machine m;
        m.set(1, machine::base);
        m.set(2, addi(3, 3, 100));
        m.put(machine::base, {addi(3, 3, 1), sw(2, 1, 0), between, jal(0, -12)});
        m.core.run(5);
        EXPECT_EQ(m.x(3), 101U);
    }
}

// Half of a 32-bit instruction changes: the immediate of an addi sits in its upper half.
TEST(self_modifying_code, may_change_half_an_instruction) {
    machine m;
    m.set(1, machine::base);
    m.set(2, 0x0071);
    m.put(machine::base, {addi(3, 3, 1), sh(2, 1, 2), jal(0, -8)});
    m.core.run(1);
    EXPECT_EQ(m.x(3), 1U);
    // 0x00718193 is addi x3, x3, 7: the upper half of addi x3, x3, 1 is 0x0011.
    m.core.run(3);
    EXPECT_EQ(m.x(3), 8U);
}

// The instruction overwrites itself: it is completed as it was fetched.
TEST(self_modifying_code, may_overwrite_the_instruction_under_way) {
    machine m;
    m.set(1, machine::base);
    m.set(2, addi(4, 0, 9));
    m.put(machine::base, {sw(2, 1, 0), jal(0, -4)});
    m.core.run(3);
    EXPECT_EQ(m.x(4), 9U);
    EXPECT_EQ(m.core.pc(), machine::base + 4);
}

// An instruction that lies over the end of a page is forgotten when either page is written.
TEST(self_modifying_code, may_lie_over_the_end_of_a_page) {
    machine m;
    const std::uint32_t place = machine::base + 0x1ffe;
    m.put_halfwords(place, {0x8193, 0x0011, 0xbff5});  // addi x3, x3, 1; c.j back to it
    m.set(1, place);
    m.execute({jalr(0, 1, 0)});
    m.core.run(2);
    EXPECT_EQ(m.x(3), 1U);
    m.put_halfwords(place + 2, {0x0071});
    m.core.run(1);
    EXPECT_EQ(m.x(3), 8U);
    m.put_halfwords(place, {0x0193});  // addi x3, x0, 7
    m.core.run(2);
    EXPECT_EQ(m.x(3), 7U);
}

TEST(self_modifying_code, may_come_from_outside) {
    machine m;
    m.put(machine::base, {addi(3, 3, 1), jal(0, -4)});
    m.core.run(4);
    EXPECT_EQ(m.x(3), 2U);
    m.put(machine::base, {addi(3, 3, 10)});
    m.core.run(2);
    EXPECT_EQ(m.x(3), 12U);
}

// fence.i alone, nobody having called memory_changed.
TEST(self_modifying_code, from_outside_is_seen_after_fence_i) {
    machine m;
    m.put(machine::base, {addi(3, 3, 1), nop, fence_i, jal(0, -12)});
    m.core.run(2);  // decoded
    const word other = addi(3, 3, 10);
    std::memcpy(m.octets.data(), &other, 4);
    m.core.run(3);
    EXPECT_EQ(m.x(3), 11U);
}

/// A page of random code that stores into itself most of the time, traps into itself, and so on.
class code_soup {
public:
    static constexpr std::uint32_t octets = 0x1000;

    explicit code_soup(std::uint64_t seed) : memory(octets), core(bus) {
        random_stream random{seed, "code_soup"};
        const auto below = [&](word limit) { return random.next() % limit; };
        for (std::size_t i = 0; i + 4 <= octets;) {
            const word base_register = 8 + below(4);
            const auto offset = static_cast<std::int32_t>(below(0x400));
            const word kind = below(6);
            word w = random.next();
            if (kind == 0) w = s_format(below(3), base_register, below(32), offset & ~3);
            if (kind == 1) w = addi(16 + below(16), below(32), offset);
            if (kind == 2) w = lw(16 + below(16), base_register, offset & ~3);
            if (kind == 3) w = jal(0, static_cast<std::int32_t>(below(0x400) & ~1U) - 0x100);
            const std::size_t length = kind < 4 ? 4 : 2;
            std::memcpy(&memory[i], &w, length);
            i += length;
        }
        core.map_memory(machine::base, memory.data(), octets);
        core.reset(machine::base);
    }
    /// Goes on somewhere else, with registers that point into the page again.
    void jump(random_stream& random) {
        auto s = core.state();
        for (auto& x : s.x) x = random.next();
        for (word r = 8; r < 12; ++r) s.x[r] = machine::base + (r - 8) * 0x400;
        s.pc = machine::base + random.next() % octets;
        s.mtvec = machine::base + random.next() % octets / 4 * 4;
        s.reservation = 1;
        core.restore(s);
    }
    recording_bus bus;
    std::vector<std::uint8_t> memory;
    hart core;
};

// What is decoded is never out of date: a hart that forgets everything before each instruction does the same.
TEST(self_modifying_code, is_never_executed_as_it_was_decoded_before) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        code_soup remembering{seed};
        code_soup forgetting{seed};
        random_stream one{seed, "jumps"};
        random_stream other = one;
        for (unsigned i = 0; i < 200; ++i) {
            remembering.jump(one);
            forgetting.jump(other);
            remembering.core.run(30);
            for (unsigned k = 0; k < 30; ++k) {
                forgetting.core.memory_changed(machine::base, code_soup::octets);
                forgetting.core.run(1);
            }
            auto expected = forgetting.core.state();
            expected.reservation = remembering.core.state().reservation;  // which memory_changed ends
            ASSERT_TRUE(remembering.core.state() == expected) << "seed " << seed << ", jump " << i;
            ASSERT_EQ(remembering.memory, forgetting.memory) << "seed " << seed << ", jump " << i;
        }
    }
}

// The second half of an instruction may lie where nothing else was decoded: in the next 64 octets, in the next page.
TEST(self_modifying_code, may_change_the_half_that_lies_behind_a_boundary) {
    for (const std::uint32_t boundary : {0x240U, 0x2000U}) {
        machine m;
        const std::uint32_t place = machine::base + boundary - 2;
        m.put_halfwords(place, {0x8193, 0x0011});  // addi x3, x3, 1
        m.set(1, machine::base + boundary);
        m.set(2, 0x0071);
        m.set(4, place);
        m.put(machine::base, {jalr(0, 4, 0)});
        m.core.run(2);
        EXPECT_EQ(m.x(3), 1U);
        auto s = m.core.state();
        s.pc = machine::base;
        m.core.restore(s);
        m.put(machine::base, {sh(2, 1, 0), jalr(0, 4, 0)});
        m.core.run(3);
        EXPECT_EQ(m.x(3), 8U) << std::hex << boundary;
    }
}

// A change of many octets, over lines and pages, is a change of each.
TEST(self_modifying_code, may_change_over_many_pages_at_once) {
    machine m;
    const std::uint32_t count = 0x3000 / 4;
    m.execute(std::vector<word>(count, addi(3, 3, 1)));
    EXPECT_EQ(m.x(3), count);
    m.restart();
    m.execute(std::vector<word>(count, addi(3, 3, 2)));
    EXPECT_EQ(m.x(3), 2 * count);
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
