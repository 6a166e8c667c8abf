// SPDX-License-Identifier: Apache-2.0
// A hart with 64 KiB of memory at 0x80000000, and a bus on which every access is written down.
//
// On the bus: 0x10000000 to 0x100000ff answers with what was stored there last; everything else is refused.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <vector>

#include "models/cpu/hart.h"
#include "tests/cpu/assembler.h"

namespace weir::cpu::testing {

struct bus_access {
    bool store;
    std::uint32_t address;
    unsigned octets;
    std::uint32_t value;
};

inline bool operator==(const bus_access& a, const bus_access& b) {
    return a.store == b.store && a.address == b.address && a.octets == b.octets && a.value == b.value;
}

inline bool operator==(const hart_state& a, const hart_state& b) {
    return a.x == b.x && a.pc == b.pc && a.mstatus == b.mstatus && a.mie == b.mie && a.mip == b.mip &&
           a.mtvec == b.mtvec && a.mscratch == b.mscratch && a.mepc == b.mepc && a.mcause == b.mcause &&
           a.mtval == b.mtval && a.mcounteren == b.mcounteren && a.mcountinhibit == b.mcountinhibit &&
           a.mcycle == b.mcycle && a.minstret == b.minstret && a.reservation == b.reservation && a.waiting == b.waiting;
}

class recording_bus : public bus_if {
public:
    static constexpr std::uint32_t device = 0x10000000;

    bool load(std::uint32_t address, unsigned octets, std::uint32_t& value) override {
        if (on_access) on_access();
        value = values[address];
        accesses.push_back({false, address, octets, value});
        return address - device < 0x100;
    }
    bool store(std::uint32_t address, unsigned octets, std::uint32_t value) override {
        if (on_access) on_access();
        accesses.push_back({true, address, octets, value});
        values[address] = value;
        return address - device < 0x100;
    }
    std::map<std::uint32_t, std::uint32_t> values;
    std::vector<bus_access> accesses;
    std::function<void()> on_access;
};

class machine {
public:
    static constexpr std::uint32_t base = 0x80000000;
    static constexpr std::uint32_t size = 0x10000;
    static constexpr std::uint32_t data = base + 0x8000;     ///< a page of its own, away from code
    static constexpr std::uint32_t handler = base + 0x4000;  ///< where traps go: a loop to itself

    machine() : octets(size) {
        core.map_memory(base, octets.data(), size);
        restart();
        put(handler, {jal(0, 0)});
    }

    /// pc at `base`, traps to `handler`.
    void restart() {
        core.reset(base);
        core.write_csr(mtvec, handler);
    }
    void put(std::uint32_t address, const std::vector<std::uint32_t>& words) {
        std::memcpy(&octets[address - base], words.data(), 4 * words.size());
        core.memory_changed(address, static_cast<std::uint32_t>(4 * words.size()));
    }
    void put_halfwords(std::uint32_t address, const std::vector<std::uint16_t>& halfwords) {
        std::memcpy(&octets[address - base], halfwords.data(), 2 * halfwords.size());
        core.memory_changed(address, static_cast<std::uint32_t>(2 * halfwords.size()));
    }
    [[nodiscard]] std::uint32_t word_at(std::uint32_t address) const {
        std::uint32_t value = 0;
        std::memcpy(&value, &octets[address - base], 4);
        return value;
    }
    /// Puts the words at `base` and executes as many instructions as there are words.
    void execute(const std::vector<std::uint32_t>& words) {
        put(base, words);
        ASSERT_EQ(core.run(words.size()), stop::budget);
    }
    void set(unsigned reg, std::uint32_t value) {
        auto s = core.state();
        s.x[reg] = value;
        core.restore(s);
    }
    [[nodiscard]] std::uint32_t x(unsigned reg) const { return core.state().x[reg]; }
    [[nodiscard]] std::uint32_t csr_value(std::uint32_t number) const {
        std::uint32_t value = 0;
        EXPECT_TRUE(core.read_csr(number, value)) << "CSR " << number;
        return value;
    }
    /// Result of one register-register instruction.
    std::uint32_t result(std::uint32_t instruction_on_x1_x2_to_x3, std::uint32_t a, std::uint32_t b) {
        restart();
        set(1, a);
        set(2, b);
        execute({instruction_on_x1_x2_to_x3});
        return x(3);
    }

    recording_bus bus;
    std::vector<std::uint8_t> octets;
    hart core{bus};
};

}  // namespace weir::cpu::testing
