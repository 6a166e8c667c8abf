// SPDX-License-Identifier: Apache-2.0
#include "vp/bench/core_bench.h"

#include <ctime>
#include <stdexcept>
#include <vector>

#include "platforms/firmware.h"
#include "platforms/machine.h"

namespace weir::vp {
namespace {

double cpu_clock() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

platforms::platform_config core_platform() {
    return platforms::parse_platform(
        "[platform]\nname = \"bench\"\n[cpu]\nkind = \"riscv\"\n[switch.s0]\n[[switch.s0.ports]]\ncount = 8\n",
        "bench.toml");
}

// Instruction words, by the formats of the ISA manual.
constexpr std::uint32_t register_form(std::uint32_t funct7, std::uint32_t funct3, std::uint32_t rd, std::uint32_t rs1,
                                      std::uint32_t rs2) {
    return funct7 << 25U | rs2 << 20U | rs1 << 15U | funct3 << 12U | rd << 7U | 0x33U;
}
constexpr std::uint32_t immediate_form(std::uint32_t funct3, std::uint32_t rd, std::uint32_t rs1, std::uint32_t value) {
    return value << 20U | rs1 << 15U | funct3 << 12U | rd << 7U | 0x13U;
}
constexpr std::uint32_t upper_form(std::uint32_t rd, std::uint32_t value) {
    return (value & 0xfffff000U) | rd << 7U | 0x37U;
}
constexpr std::uint32_t load_word(std::uint32_t rd, std::uint32_t rs1, std::uint32_t offset) {
    return offset << 20U | rs1 << 15U | 2U << 12U | rd << 7U | 0x03U;
}
constexpr std::uint32_t store_word(std::uint32_t rs2, std::uint32_t rs1, std::uint32_t offset) {
    return (offset >> 5U) << 25U | rs2 << 20U | rs1 << 15U | 2U << 12U | (offset & 31U) << 7U | 0x23U;
}
/// A jump back by so many octets, fewer than 2048.
constexpr std::uint32_t jump_back(std::uint32_t octets) {
    const std::uint32_t offset = 0U - octets;
    return (offset >> 20U & 1U) << 31U | (offset >> 1U & 0x3ffU) << 21U | (offset >> 11U & 1U) << 20U |
           (offset >> 12U & 0xffU) << 12U | 0x6fU;
}

/// Runs a program from the start of the memory.
void run_program(platforms::machine& m, const std::vector<std::uint32_t>& words, int milliseconds) {
    auto& memory = m.board(0)->memory().octets();
    for (std::size_t i = 0; i < 4 * words.size(); ++i) {
        memory[i] = static_cast<std::uint8_t>(words[i / 4] >> (8 * (i % 4)));
    }
    m.board(0)->core().start(cpu::board::ram_base);
    m.run_until(microseconds(1000 * std::int64_t{milliseconds}));
}

}  // namespace

core_speed run_core_loop(int milliseconds) {
    platforms::machine m(core_platform(), 1);
    const std::vector<std::uint32_t> program{
        upper_form(10, cpu::board::ram_base + 0x1000),
        immediate_form(0, 5, 5, 1),        // addi x5, x5, 1
        register_form(0, 4, 6, 6, 5),      // xor  x6, x6, x5
        immediate_form(1, 7, 5, 3),        // slli x7, x5, 3
        register_form(0, 0, 8, 8, 7),      // add  x8, x8, x7
        immediate_form(7, 9, 8, 255),      // andi x9, x8, 255
        register_form(0x20, 0, 11, 8, 6),  // sub  x11, x8, x6
        store_word(11, 10, 0),
        jump_back(28),
    };
    core_speed s;
    const double begin = cpu_clock();
    run_program(m, program, milliseconds);
    s.cpu_seconds = cpu_clock() - begin;
    s.amount = static_cast<double>(m.board(0)->core().instructions());
    return s;
}

core_speed run_core_accesses(int milliseconds) {
    platforms::machine m(core_platform(), 1);
    const auto scratch = static_cast<std::uint32_t>(m.chip(0).bank().address_of("global.scratch"));
    const std::vector<std::uint32_t> program{upper_form(10, cpu::board::switch_base), load_word(5, 10, scratch),
                                             store_word(5, 10, scratch), jump_back(8)};
    core_speed s;
    const double begin = cpu_clock();
    run_program(m, program, milliseconds);
    s.cpu_seconds = cpu_clock() - begin;
    s.amount = static_cast<double>(m.chip(0).target().reads() + m.chip(0).target().writes());
    return s;
}

core_speed boot_to_prompt() {
    const double begin = cpu_clock();
    platforms::machine m(core_platform(), 1);
    platforms::firmware_driver firmware(*m.board(0), m.time(), {});
    firmware.program({});
    m.run_while([&] { return firmware.booting(); }, microseconds(10'000'000), microseconds(100));
    if (!firmware.error().empty() || firmware.booting()) throw std::runtime_error("the firmware does not come up");
    return {1, cpu_clock() - begin};
}

}  // namespace weir::vp
