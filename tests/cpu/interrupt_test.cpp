// SPDX-License-Identifier: Apache-2.0
// An interrupt of the switch and the core that it finds asleep, in the tightest loop, and busy in the middle of a
// quantum: it reaches the handler at the same picosecond whatever the quantum, and once.
#include <fmt/format.h>

#include <array>
#include <string>

#include "tests/acceptance/lab.h"
#include "tests/system/in_child.h"

namespace weir::acceptance {
namespace {

enum class way { asleep, tight, busy };

struct interruption {
    picoseconds raised{0};   // the switch's line
    picoseconds entered{0};  // the handler's first instruction
    std::uint32_t taken{0};  // by the handler's own count
};

/// A port's peer storms; the hardware watchdog finds it and interrupts.
class watched_core {
public:
    watched_core(way how, picoseconds quantum)
        : l_(options(quantum), usual_script() +
                                   "\ninterface 1\npfcwd hardware granularity 1\n"
                                   "pfcwd hardware queue 3 action drop detection-time 3 recovery-time 100\n"
                                   "exit") {
        l_.drive([](weir_dev* d) { return weir_interrupts_enable(d, WEIR_INT_WATCHDOG); });
        cpu::board& board = *l_.machine().board(0);
        board.load(cpu::elf_file::from_file(WEIR_BINARY_DIR "/tests/cpu/interrupted.elf"));
        store("way", static_cast<std::uint32_t>(how));
        store("cleared_register",
              cpu::board::switch_base +
                  static_cast<std::uint32_t>(l_.machine().chip(0).bank().address_of("global.int_status")));
        board.core().processor().set_breakpoint(*board.program()->address_of("handler"));
        board.core().on_stop([this](cpu::stop) {
            seen_.entered = l_.machine().board(0)->core().local_time();
            auto& hart = l_.machine().board(0)->core().processor();
            hart.clear_breakpoint(hart.pc());
        });
        l_.machine().chip(0).on_interrupt([this](bool asserted) {
            if (asserted) seen_.raised = l_.machine().time().now();
        });
    }

    interruption run() {
        // Frames for queue 3 of port 1, whose peer pauses it for 10 ms: three ticks of 1 ms are a storm.
        std::array<std::uint16_t, 8> times{};
        times[3] = 0xffff;
        l_.start(0, 1, 50, 24);
        std::vector<ethernet::captured_frame> frames;
        for (int n = 0; n < 40; ++n) {
            ethernet::captured_frame f;
            f.time = n * microseconds(250);  // 65535 quanta are 335 us at 100G
            f.octets = lab::pfc(0x08, times);
            f.wire_length = 64;
            f.fcs_good = true;
            frames.push_back(f);
        }
        l_.machine().host(1).player.play(std::move(frames), from_kernel(sc_core::sc_time_stamp()), 1.0);
        l_.settle(milliseconds(12));
        const auto address = *l_.machine().board(0)->program()->address_of("count");
        unsigned char octets[4] = {};
        l_.machine().board(0)->core().look(address, octets, 4);
        seen_.taken = octets[0];
        return seen_;
    }

private:
    static lab_options options(picoseconds quantum) {
        lab_options o;
        o.extra_platform = fmt::format("[cpu]\nkind = \"riscv\"\nquantum = \"{}ns\"\n", quantum / nanoseconds(1));
        return o;
    }
    void store(const char* name, std::uint32_t value) {
        cpu::board& board = *l_.machine().board(0);
        unsigned char octets[4];
        for (unsigned i = 0; i < 4; ++i) octets[i] = static_cast<unsigned char>(value >> (8 * i));
        board.core().alter(*board.program()->address_of(name), octets, 4);
    }

    lab l_;
    interruption seen_;
};

class core_interrupt : public ::testing::TestWithParam<int> {};

TEST_P(core_interrupt, reaches_the_handler_at_the_same_picosecond_whatever_the_quantum_and_once) {
    const auto how = static_cast<way>(GetParam());
    interruption without{};
    for (const int quantum : {0, 7, 1000, 10'000, 1'000'000}) {
        const interruption seen = system_test::in_child([&] { return watched_core(how, nanoseconds(quantum)).run(); });
        ASSERT_GT(seen.raised, picoseconds{0}) << quantum;
        EXPECT_EQ(seen.taken, 1U) << quantum;
        // Asleep: at once. Awake: when the instruction under way is done, which takes less than a clock of 1 ns.
        const picoseconds clock = how == way::asleep ? picoseconds{1} : nanoseconds(1);
        EXPECT_GE(seen.entered, seen.raised) << quantum;
        EXPECT_LT(seen.entered, seen.raised + clock) << quantum;
        if (quantum == 0) without = seen;
        EXPECT_EQ(seen.raised, without.raised) << quantum;
        EXPECT_EQ(seen.entered, without.entered) << quantum;
    }
}

std::string name_of_way(const ::testing::TestParamInfo<int>& info) {
    static const char* const ways[] = {"asleep", "in_the_tightest_loop", "busy"};
    return ways[info.param];
}
INSTANTIATE_TEST_SUITE_P(when, core_interrupt, ::testing::Values(0, 1, 2), name_of_way);

}  // namespace
}  // namespace weir::acceptance
