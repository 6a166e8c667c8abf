// SPDX-License-Identifier: Apache-2.0
// Code that changes: what a hart has decoded is never executed once it is out of date.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "models/timeline/random_stream.h"
#include "tests/cpu/machine.h"

namespace weir::cpu::testing {
namespace {

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

}  // namespace
}  // namespace weir::cpu::testing
