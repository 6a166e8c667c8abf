// SPDX-License-Identifier: Apache-2.0
// The hart against qemu-system-riscv32, instruction by instruction: registers and CSRs on random programs.
//
// QEMU writes its state to a log before every instruction (-singlestep -d cpu). The hart goes along: it executes one
// instruction, and its state has to be the log's next entry. Two things QEMU does not write down, and they are stepped
// over: a fetch that faults, and the moment between an interrupt and its handler's first instruction.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/cpu/hart.h"
#include "tests/cpu/random_program.h"

namespace weir::cpu::testing {
namespace {

struct qemu_entry {
    std::array<std::uint32_t, 32> x{};
    /// By value; an instruction cannot leave all this as it was, for the programs jump to themselves at the end only.
    [[nodiscard]] bool same_as(const qemu_entry& o) const {
        return x == o.x && pc == o.pc && mstatus == o.mstatus && mcause == o.mcause && mip == o.mip;
    }
    std::uint32_t pc{0}, mstatus{0}, mip{0}, mie{0}, mtvec{0}, mepc{0}, mcause{0}, mtval{0}, mscratch{0};
};

/// Reads a log of `-d cpu`, entry by entry.
class qemu_log {
public:
    explicit qemu_log(const std::filesystem::path& file) : in_(file) {}

    std::optional<qemu_entry> next() {
        qemu_entry e;
        bool open = false;
        while (std::getline(in_, line_)) {
            const char* const text = line_.c_str() + (line_.empty() ? 0 : 1);
            if (*text == 'x') {
                read_registers(text, e);
                if (text[1] == '2' && text[2] == '8') return e;
            } else {
                open = read_csr_line(text, e) || open;
            }
        }
        if (open) ADD_FAILURE() << "QEMU's log ends within an entry";
        return std::nullopt;
    }

private:
    static void read_registers(const char* text, qemu_entry& e) {
        while (*text == 'x') {
            char* end = nullptr;
            const auto number = std::strtoul(text + 1, &end, 10);
            while (*end != ' ') ++end;
            e.x.at(number) = static_cast<std::uint32_t>(std::strtoul(end, &end, 16));
            while (*end == ' ') ++end;
            text = end;
        }
    }
    static bool read_csr_line(const char* text, qemu_entry& e) {
        const std::array<std::pair<std::string_view, std::uint32_t*>, 9> places{{{"pc", &e.pc},
                                                                                 {"mstatus", &e.mstatus},
                                                                                 {"mip", &e.mip},
                                                                                 {"mie", &e.mie},
                                                                                 {"mtvec", &e.mtvec},
                                                                                 {"mepc", &e.mepc},
                                                                                 {"mcause", &e.mcause},
                                                                                 {"mtval", &e.mtval},
                                                                                 {"mscratch", &e.mscratch}}};
        const std::string_view view{text};
        const auto name = view.substr(0, view.find(' '));
        for (const auto& [wanted, place] : places) {
            if (name != wanted) continue;
            *place = static_cast<std::uint32_t>(std::strtoul(text + name.size(), nullptr, 16));
            return true;
        }
        return false;
    }
    std::ifstream in_;
    std::string line_;
};

/// QEMU's virt machine, as far as the programs use it: the software interrupt's register and the device that ends.
class virt_bus : public bus_if {
public:
    bool load(std::uint32_t, unsigned, std::uint32_t&) override { return false; }
    bool store(std::uint32_t address, unsigned octets, std::uint32_t value) override {
        if (address == random_program::msip && octets == 4) core->set_line(interrupt_line::software, (value & 1) != 0);
        return address == random_program::msip || address == random_program::finisher;
    }
    hart* core{nullptr};
};

constexpr std::uint32_t mpp_bits = 3U << 11;

std::string difference(const hart_state& s, const qemu_entry& e) {
    std::ostringstream out;
    out << std::hex;
    const auto compare = [&](const std::string& name, std::uint32_t ours, std::uint32_t theirs) {
        if (ours != theirs) out << " " << name << " is " << ours << ", in QEMU " << theirs << ";";
    };
    for (unsigned r = 0; r < 32; ++r) compare("x" + std::to_string(r), s.x[r], e.x[r]);
    compare("pc", s.pc, e.pc);
    compare("mstatus", s.mstatus & ~mpp_bits, e.mstatus & ~mpp_bits);
    compare("mip", s.mip, e.mip);
    compare("mie", s.mie, e.mie);
    compare("mtvec", s.mtvec, e.mtvec);
    compare("mepc", s.mepc, e.mepc);
    compare("mcause", s.mcause, e.mcause);
    compare("mtval", s.mtval, e.mtval);
    compare("mscratch", s.mscratch, e.mscratch);
    return out.str();
}

struct comparison {
    unsigned compared{0};
    unsigned traps{0};
    unsigned interrupts{0};
    bool finished{false};
};

/// Runs the program on both. Fails at the first difference.
comparison compare_with_qemu(const random_program& program, const std::string& name) {
    comparison result;
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / ("weir_qemu_" + name + "_" + std::to_string(::getpid()));
    fs::create_directories(folder);
    const std::string image = folder / "image";
    const std::string log = folder / "log";
    std::ofstream{image, std::ios::binary}.write(reinterpret_cast<const char*>(program.image().data()),
                                                 static_cast<std::streamsize>(program.image().size()));
    // maxcpus=2: with one, QEMU does atomics as plain loads and stores, whose faults are not an AMO's.
    const std::string command =
        "timeout 60 qemu-system-riscv32 -M virt,aclint=off -m 4M -smp 1,maxcpus=2 -accel tcg,thread=multi -cpu "
        "rv32,f=off,d=off,s=off,u=off,h=off,v=off,mmu=off,pmp=off,zba=off,zbb=off,zbc=off,zbs=off -display none "
        "-serial none -monitor none -singlestep -d cpu,nochain -D '" +
        log + "' -bios '" + image + "' </dev/null >'" + log + ".out' 2>&1";
    const int status = std::system(command.c_str());
    if (status != 0) {
        std::stringstream said;
        said << std::ifstream{log + ".out"}.rdbuf();
        ADD_FAILURE() << "qemu-system-riscv32 (Debian: qemu-system-misc) ended with " << status << ": " << said.str();
        fs::remove_all(folder);
        return result;
    }

    std::vector<std::uint8_t> memory(4 << 20);
    std::copy(program.image().begin(), program.image().end(), memory.begin());
    virt_bus bus;
    hart core{bus};
    bus.core = &core;
    core.map_memory(random_program::base, memory.data(), static_cast<std::uint32_t>(memory.size()));
    core.reset(random_program::base);
    core.set_line(interrupt_line::timer, true);  // QEMU's mtimecmp is 0 at reset

    qemu_log entries{log};
    auto entry = entries.next();
    while (entry && entry->pc != random_program::base) entry = entries.next();  // QEMU's own boot code
    {
        // It leaves addresses in registers, where the hart has zeros.
        auto s = core.state();
        if (entry) s.x = entry->x;
        core.restore(s);
    }
    std::uint32_t last_pc = 0;
    while (entry && core.pc() != program.end()) {
        const auto s = core.state();
        const bool interrupted = (s.mstatus & 8) != 0 && (s.mip & s.mie) != 0;
        const bool fetch_faults = s.pc - random_program::base >= memory.size();
        if (interrupted) {
            ++result.interrupts;
        } else if (fetch_faults) {
            ++result.traps;
            core.run(1);
            continue;
        } else {
            const std::string differs = difference(s, *entry);
            if (!differs.empty()) {
                std::uint32_t instruction = 0;
                if (last_pc != 0) std::memcpy(&instruction, &memory[last_pc - random_program::base], 4);
                ADD_FAILURE() << name << ": after " << result.compared << " instructions, the last at " << std::hex
                              << last_pc << " (" << instruction << "):" << differs;
                break;
            }
            ++result.compared;
        }
        last_pc = s.pc;
        core.run(1);
        if (!interrupted && core.state().mstatus != s.mstatus && core.state().mepc == s.pc) ++result.traps;
        // QEMU writes an entry twice when something asks for its attention before the instruction has begun.
        const qemu_entry before = *entry;
        do {
            entry = entries.next();
        } while (entry && entry->same_as(before));
    }
    result.finished = core.pc() == program.end();
    fs::remove_all(folder);
    return result;
}

/// Ten programs of some 1500 instructions each.
void compare_ten(unsigned first_seed) {
    comparison sum;
    for (unsigned seed = first_seed; seed < first_seed + 10; ++seed) {
        const auto one = compare_with_qemu(random_program{seed, 400}, "seed_" + std::to_string(seed));
        ASSERT_TRUE(one.finished) << "seed " << seed << ", " << one.compared << " instructions";
        ASSERT_GE(one.compared, 1000U) << "seed " << seed;
        sum.traps += one.traps;
        sum.interrupts += one.interrupts;
    }
    EXPECT_GE(sum.traps, 200U);
    EXPECT_GE(sum.interrupts, 10U);
}

// The numbers are QEMU's 7.2, which was written by others from the same manual.
TEST(hart_and_qemu, agree_after_each_instruction_of_ten_random_programs) {
    compare_ten(1);
}

TEST(hart_and_qemu, agree_after_each_instruction_of_ten_more) {
    compare_ten(11);
}

}  // namespace
}  // namespace weir::cpu::testing
