// SPDX-License-Identifier: Apache-2.0
// The driver as firmware on the board, booted over its console: what it prints, what it writes, and that the packet
// plane cannot tell it from the native driver.
#include "platforms/firmware.h"

#include <gmock/gmock.h>

#include <array>

#include "tests/system/board.h"
#include "tests/system/in_child.h"

namespace weir::system_test {
namespace {

using testing::HasSubstr;

platforms::platform_config firmware_board(const std::vector<std::string>& hardware = {},
                                          const std::vector<std::string>& program = {}) {
    platforms::load_options options;
    options.hardware = hardware;
    options.program = program;
    return board_config("bringup_8x400g", options);
}

/// A machine whose guest, firmware or native, boots and then serves while the workload runs.
struct booted {
    explicit booted(const platforms::platform_config& config) : machine(config, 1) {
        if (cpu::board* board = machine.board(0)) {
            guest = std::make_unique<platforms::firmware_driver>(*board, machine.time(), config.cpu.firmware);
        } else {
            guest = std::make_unique<platforms::switch_driver>(machine.cpu(0));
        }
        guest->on_print([this](const char* text) { printed += text; });
        machine.chip(0).target().observe([this](const asic::register_access& a) { note(a); });
    }
    void boot(std::vector<platforms::script_line> lines) {
        guest->program(std::move(lines));
        machine.run_while([this] { return guest->booting(); }, microseconds(10'000'000), microseconds(100));
    }
    void boot() {
        boot(script());
        EXPECT_EQ(guest->error(), "");
    }
    [[nodiscard]] std::vector<platforms::script_line> script() const {
        return platforms::read_script(machine.config().program, machine.config().program_values);
    }
    void run() {
        guest->keep_serving();
        const picoseconds origin = platforms::machine::first_traffic_time(guest->booted_at());
        machine.record().start(origin);
        machine.run_until(origin - picoseconds{1});
        machine.add_flows(platforms::make_flows(machine.config()), origin);
        for (picoseconds t = origin; !machine.drained() && t < origin + microseconds(100'000);)
            machine.run_until(t += microseconds(10));
    }

    /// FNV-1a over all accesses, a poll counting as its last read. Words of the device's own clock are left out.
    struct trace_hash {
        std::uint64_t writes{14695981039346656037ULL}, all{14695981039346656037ULL};
        std::uint64_t write_count{0};
    };
    trace_hash accesses() {
        settle();
        return hash_;
    }

    std::string printed;
    platforms::machine machine;
    std::unique_ptr<platforms::guest> guest;

private:
    void note(const asic::register_access& a) {
        const bool same_read = !a.write && pending_ && !last_.write && last_.address == a.address;
        if (!same_read) settle();
        last_ = a;
        pending_ = true;
    }
    void settle() {
        if (!pending_) return;
        pending_ = false;
        const auto fold = [&](std::uint64_t& h) {
            for (const std::uint64_t word : {std::uint64_t{last_.write}, last_.address, std::uint64_t{last_.value}}) {
                h = (h ^ word) * 1099511628211ULL;
            }
        };
        fold(hash_.all);
        if (!last_.write) return;
        fold(hash_.writes);
        ++hash_.write_count;
    }
    asic::register_access last_;
    bool pending_{false};
    trace_hash hash_;
};

struct outcome {
    booted::trace_hash at_end;
    std::uint64_t digest{0};
    bool drained{false};
};

outcome outcome_of(const std::vector<std::string>& hardware) {
    booted b(firmware_board(hardware));
    b.boot();
    outcome o;
    b.run();
    o.at_end = b.accesses();
    o.drained = b.machine.drained();
    b.machine.finish_record();
    o.digest = b.machine.record().value();
    return o;
}

/// The boot alone, without the last two lines: once interrupts are on, the firmware serves them between two lines
/// already.
booted::trace_hash boot_of(const std::vector<std::string>& hardware) {
    booted b(firmware_board(hardware));
    auto lines = b.script();
    lines.resize(lines.size() - 2);
    b.boot(lines);
    EXPECT_EQ(b.guest->error(), "");
    return b.accesses();
}

// The same script natively and on the core: the same reads, polls collapsed, and the same writes, in order.
TEST(firmware, boots_with_the_accesses_of_the_native_driver) {
    const auto native = in_child([] { return boot_of({"cpu.kind=native"}); });
    const auto core = in_child([] { return boot_of({}); });
    EXPECT_GT(native.write_count, 1000U);
    EXPECT_EQ(core.write_count, native.write_count);
    EXPECT_EQ(core.writes, native.writes);
    EXPECT_EQ(core.all, native.all);
}

// To the end of the workload: the same writes, and the same packets.
TEST(firmware, writes_and_forwards_as_the_native_driver_does) {
    const outcome native = in_child([] { return outcome_of({"cpu.kind=native"}); });
    const outcome core = in_child([] { return outcome_of({}); });
    EXPECT_TRUE(native.drained);
    EXPECT_TRUE(core.drained);
    EXPECT_EQ(core.at_end.write_count, native.at_end.write_count);
    EXPECT_EQ(core.at_end.writes, native.at_end.writes);
    EXPECT_NE(native.digest, 0U);
    EXPECT_EQ(core.digest, native.digest);
}

// Design §4: neither quantum nor clock of the core changes what the packets do; the quantum changes nothing at all.
TEST(firmware, is_the_same_at_any_quantum) {
    const outcome at_zero = in_child([] { return outcome_of({"cpu.quantum=0ns", "workload.octets=1MiB"}); });
    for (const char* quantum : {"cpu.quantum=1us", "cpu.quantum=10us", "cpu.quantum=1ms"}) {
        const outcome o = in_child([&] { return outcome_of({quantum, "workload.octets=1MiB"}); });
        EXPECT_EQ(o.at_end.all, at_zero.at_end.all) << quantum;
        EXPECT_EQ(o.digest, at_zero.digest) << quantum;
    }
    const outcome slow = in_child([] { return outcome_of({"cpu.clock_khz=100000", "workload.octets=1MiB"}); });
    EXPECT_EQ(slow.at_end.writes, at_zero.at_end.writes);
    EXPECT_EQ(slow.digest, at_zero.digest);
}

TEST(firmware, greets_echoes_its_script_and_prompts) {
    booted b(firmware_board({"workload.kind=none"}));
    b.boot();
    EXPECT_THAT(b.printed, HasSubstr("Weir firmware, RV32IMAC\ndevice up: 8 ports, 65536 cells of 256 octets, 8 pools\n"
                                     "weir> pool create lossless ingress size 58880 cells\nweir> "));
    EXPECT_THAT(b.printed, HasSubstr("weir>   pfc pause-threshold 6800\nweir> "));
    EXPECT_THAT(b.printed, testing::EndsWith("weir> "));
    EXPECT_EQ(b.guest->commands(), 30U);
}

TEST(firmware, names_the_line_of_the_script_that_failed_and_why) {
    booted b(firmware_board({"workload.kind=none"}, {"headroom=70000"}));
    b.boot(b.script());
    EXPECT_FALSE(b.guest->booting());
    EXPECT_THAT(b.guest->error(), HasSubstr("bringup_8x400g.cfg:21: ingress needs 129392 cells of 65536"));
    // R9: 58 880 + 8 x 8 x 8 + 70 000 at the first port = 129 392, of 65 536.
    EXPECT_THAT(b.guest->error(), HasSubstr("63856 too many"));
}

class console_session : public testing::Test {
protected:
    console_session() : b(firmware_board({"workload.kind=none"})) {
        b.boot({});
        b.printed.clear();
    }
    std::string answer(const std::string& typed) {
        b.printed.clear();
        driver().type(typed);
        b.machine.run_while([this] { return !driver().at_prompt() && !driver().finished(); }, microseconds(1'000'000),
                            microseconds(100));
        return b.printed;
    }
    platforms::firmware_driver& driver() { return static_cast<platforms::firmware_driver&>(*b.guest); }
    booted b;
};

TEST_F(console_session, carries_out_what_is_typed) {
    EXPECT_THAT(answer("show mmu\r"), HasSubstr("65536"));
    EXPECT_EQ(answer("pool shrink\r").substr(0, 14), "pool shrink\n% ");
    EXPECT_EQ(answer("\r"), "\nweir> ");
}

TEST_F(console_session, takes_back_a_character_and_forgets_a_line) {
    // Backspace wipes on a terminal; control-C begins anew.
    EXPECT_EQ(answer("shoo\bw service\r"), "shoo\b \bw service\ncounters off\nweir> ");
    EXPECT_EQ(answer("nonsense\x03"), "nonsense^C\nweir> ");
}

// A line longer than the UART's FIFO of 16, and than the shell takes: nothing that was typed is lost on the way.
TEST_F(console_session, loses_nothing_of_a_long_line) {
    const std::string line(300, 'x');
    EXPECT_THAT(answer(line + "\r"), testing::StartsWith(line + "\n% unknown command \"xxx"));
}

TEST_F(console_session, ends_when_it_is_told_to) {
    (void)answer("poweroff\r");
    EXPECT_TRUE(driver().finished());
    EXPECT_EQ(driver().error(), "");
}

TEST(firmware, that_is_none_is_refused_with_the_reason) {
    auto config = firmware_board();
    config.cpu.firmware = WEIR_SOURCE_DIR "/README.md";
    platforms::machine m(config, 1);
    try {
        platforms::firmware_driver driver(*m.board(0), m.time(), config.cpu.firmware);
        FAIL();
    } catch (const platforms::config_error& e) {
        EXPECT_THAT(e.what(), HasSubstr("README.md"));
        EXPECT_THAT(e.what(), HasSubstr("ELF"));
    }
}

}  // namespace
}  // namespace weir::system_test
