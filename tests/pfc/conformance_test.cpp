// SPDX-License-Identifier: Apache-2.0
// G10 on one port: faults one by one, the window in which an arrival is late, and what cannot work from the start.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "models/ethernet/mac_control.h"
#include "models/pfc/flow_control.h"
#include "models/pfc/registers.h"
#include "tests/conformance/conformance.h"
#include "tests/registers/map_under_test.h"

namespace weir::pfc {
namespace {

constexpr std::uint32_t group3 = 3;
constexpr std::array<const char*, faults> names{"overflow", "late", "lossy_pause", "escape", "tagged"};

class monitor_bench : public sc_core::sc_module, public port::transmit_if {
public:
    explicit monitor_bench(const char* rate = "100G")
        : sc_module(sc_core::sc_module_name("bench")),
          time("time"),
          flow("flow", time, frames),
          chip(registers::map_under_test(), {{"ports", 2}, {"pools", 2}, {"wred_profiles", 1}}) {
        flow.transmitter.bind(*this);
        bind_registers([this](std::uint32_t n) { return n == 0 ? &flow : nullptr; }, time, chip, [this] { ++told; });
        flow.set_rate(*data_rate::from_name(rate));
        chip.set(chip.field("bm.cap_cell.octets"), {}, 128);
        write("pg.mode", {0, group3}, "pg.mode.lossless", 1);
        write("pg.headroom", {0, group3}, "pg.headroom.cells", 1000);
        write("pg.xoff", {0, group3}, "pg.xoff.cells", 450);
        write("pg.xon_offset", {0, group3}, "pg.xon_offset.cells", 64);
        for (std::uint8_t i = 0; i < 8; ++i) {
            flow.generator.set_group_priorities(i, static_cast<bitmap>(1U << i));
            flow.monitor.set_group_priorities(i, static_cast<bitmap>(1U << i));
        }
        flow.generator.set_enabled(0xff);
        flow.receiver.set_enabled(0xff);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        flow.link_changed(true);
    }
    void wake() override {}

    /// As software does it: one field of a register, the others 0.
    void write(const char* reg, const registers::index& at, const char* field, std::uint64_t value) {
        const auto f = chip.field(field);
        std::uint64_t word = 0;
        const auto low = static_cast<unsigned>(__builtin_ctzll(chip.describe_field(f).mask()));
        word = value << low;
        ASSERT_EQ(chip.write(chip.address_of(reg, at), static_cast<std::uint32_t>(word)).error,
                  registers::access_error::none);
    }
    void set_dead_time(std::int64_t ps) {
        write("pfc.dead_time", {0}, "pfc.dead_time.time", static_cast<std::uint64_t>(ps));
    }
    std::uint64_t value(const std::string& field, const registers::index& at = {}) {
        return chip.get(chip.field(field), at);
    }
    bool conformant() { return value("pfc.conformant.conformant") != 0; }
    std::uint64_t late() { return flow.monitor.count(fault::late); }
    void run_to(picoseconds t) {
        time.run_until(t);
        time.advance_to(t);
    }
    void send() {
        ethernet::frame* f = flow.next_control_frame(time.now());
        ASSERT_NE(f, nullptr);
        f->release();
    }
    void receive(std::uint8_t vector) {
        ethernet::frame* f = frames.take();
        ethernet::build_pfc(*f, {2, 0, 0, 0, 0, 2}, vector, {});
        std::array<std::uint8_t, 60> octets{};
        std::copy(f->octets(), f->octets() + 12, octets.begin());
        octets[12] = 0x81;
        octets[15] = 0x03;
        std::copy(f->octets() + 12, f->octets() + 56, octets.begin() + 16);
        f->assign(octets.data(), 60, 64);
        EXPECT_TRUE(flow.receive(*f, time.now()));
        f->release();
    }
    /// One stimulus of each kind.
    void provoke(fault f) {
        switch (f) {
            case fault::overflow:
                flow.group_overflowed(group3);
                break;
            case fault::late:
                set_dead_time(1);
                flow.group_wishes(group3, true);
                send();
                flow.arrived(3, time.now() + picoseconds{2});
                flow.group_wishes(group3, false);
                send();
                set_dead_time(0);
                break;
            case fault::lossy_pause:
                flow.generator.set_forced(0x04);
                send();
                flow.generator.set_forced(0);
                send();
                break;
            case fault::escape:
                flow.monitor.escape(3);
                break;
            case fault::tagged:
                flow.receiver.set_ignore_tagged(true);
                receive(0x08);
                break;
        }
    }

    ethernet::frame_pool frames;
    timeline time;
    flow_control flow;
    registers::bank chip;
    int told{0};
};

// C08, the chapter's order {tagged, escape, lossy_pause, late, overflow} in bits 4 to 0: one stimulus a bit, its time
// in ns, its interrupt, and cleared alone.
TEST(conformance_monitor, each_fault_has_its_bit_its_time_and_is_cleared_alone) {
    monitor_bench b;
    EXPECT_TRUE(b.conformant());
    std::string set;
    std::string cleared;
    std::string times;
    for (std::uint32_t f = 0; f < faults; ++f) {
        b.run_to(nanoseconds(1000 * (f + 1)) + picoseconds{999});
        b.provoke(static_cast<fault>(f));
        EXPECT_EQ(b.told, static_cast<int>(f + 1));
        std::uint32_t word = 0;
        ASSERT_EQ(b.chip.read(b.chip.address_of("pfc.fault"), word).error, registers::access_error::none);
        EXPECT_EQ(word, (2U << f) - 1) << names[f];
        set += fmt::format("{:02x} ", word);
        times += fmt::format("{} ", b.value("pfc.fault_time.time", {0, f}));
        EXPECT_EQ(b.value("pfc.fault_time.time", {0, f}), 1000 * (f + 1));
        EXPECT_EQ(b.value("pfc.fault_count.times", {0, f}), 1U);
        EXPECT_FALSE(b.conformant());
    }
    for (std::uint32_t f = 0; f < faults; ++f) {
        EXPECT_FALSE(b.conformant());
        b.write("pfc.fault", {0}, (std::string("pfc.fault.") + names[f]).c_str(), 1);
        EXPECT_EQ(b.value("pfc.fault_time.time", {0, f}), 0U);
        std::uint32_t word = 0;
        ASSERT_EQ(b.chip.read(b.chip.address_of("pfc.fault"), word).error, registers::access_error::none);
        EXPECT_EQ(word, 0x1fU & ~((2U << f) - 1)) << names[f];
        EXPECT_EQ(b.value("pfc.fault_count.times", {0, f}), 1U);
        cleared += fmt::format("{:02x} ", word);
    }
    EXPECT_TRUE(b.conformant());
    conformance::row("C08", "overflow, late, lossy pause, escape, tagged: 01 03 07 0f 1f", set);
    conformance::row("D8", "at 1000 2000 3000 4000 5000 ns; by writing one: 1e 1c 18 10 00",
                     fmt::format("at {}ns; {}", times, cleared));
}

// P31, M17: a bit stays; the time is that of the first occurrence, and of the first after clearing. One interrupt each.
TEST(conformance_monitor, a_fault_stays_with_the_time_of_its_first_occurrence) {
    monitor_bench b;
    b.run_to(nanoseconds(500));
    b.provoke(fault::overflow);
    b.run_to(nanoseconds(900'000));
    b.provoke(fault::overflow);
    EXPECT_EQ(b.value("pfc.fault.overflow"), 1U);
    EXPECT_EQ(b.value("pfc.fault_time.time", {0, 0}), 500U);
    EXPECT_EQ(b.value("pfc.fault_count.times", {0, 0}), 2U);
    EXPECT_EQ(b.told, 1);
    const std::uint64_t first = b.value("pfc.fault_time.time", {0, 0});
    b.write("pfc.fault", {0}, "pfc.fault.overflow", 1);
    b.run_to(nanoseconds(950'000));
    b.provoke(fault::overflow);
    EXPECT_EQ(b.value("pfc.fault_time.time", {0, 0}), 950'000U);
    EXPECT_EQ(b.told, 2);
    conformance::row(
        "M17", "a fault at 500 ns and one at 900 us: set since 500 ns; cleared, and one at 950 us: since 950000 ns",
        fmt::format("{} ns; {} ns", first, b.value("pfc.fault_time.time", {0, 0})));
}

// P30, P32: conformant = not infeasible and no fault, for all 2^6.
TEST(conformance_monitor, conformant_is_the_conjunction) {
    monitor_bench b;
    for (std::uint32_t bits = 0; bits < 32; ++bits) {
        for (const bool infeasible : {false, true}) {
            b.write("pfc.fault", {0}, "pfc.fault.overflow", 0x1f);
            for (std::uint32_t f = 0; f < faults; ++f) {
                if ((bits >> f & 1U) != 0) b.provoke(static_cast<fault>(f));
            }
            b.set_dead_time(infeasible ? 10'128'160'000 / 1000 : 0);  // 10.128 µs
            b.write("pg.headroom", {0, group3}, "pg.headroom.cells", infeasible ? 989 : 990);
            EXPECT_EQ(b.conformant(), bits == 0 && !infeasible) << bits << infeasible;
        }
    }
}

// A lossy group that loses frames breaks no promise; a PAUSE frame asks for no priority.
TEST(conformance_monitor, is_not_told_of_what_was_not_promised) {
    monitor_bench b;
    b.flow.group_overflowed(2);
    b.flow.generator.set_whole_link(true);
    b.flow.group_wishes(group3, true);
    b.send();
    EXPECT_EQ(b.told, 0);
}

// §1.1, C09, P29: dead time → cells of 128 octets, rounded up (F3: 14 at 1G; the chapter drops half an octet, 13).
TEST(conformance_monitor, computes_the_headroom_of_the_chapters_table) {
    struct row {
        const char* rate;
        std::int64_t ps;
        std::uint64_t cells, truncated;
    };
    monitor_bench b;
    std::string needs;
    for (const row& r : {row{"1G", 13'316'000, 14, 13}, row{"10G", 1'781'600, 18, 18}, row{"25G", 1'012'640, 25, 25},
                         row{"40G", 820'400, 33, 33}, row{"100G", 628'160, 62, 62}, row{"200G", 564'080, 111, 111},
                         row{"400G", 532'040, 208, 208}, row{"800G", 516'020, 404, 404},
                         row{"100G", 10'128'160, 990, 990}, row{"400G", 10'032'040, 3919, 3919},
                         // F21, no 32-bit product: (2^32 - 1) ps at 800G are 429 496 729.5 octets.
                         row{"800G", 4'294'967'295, 3'355'444, 3'355'444}}) {
        b.flow.set_rate(*data_rate::from_name(r.rate));
        b.set_dead_time(r.ps);
        b.write("pfc.mode", {0}, "pfc.mode.truncated_headroom", 0);
        EXPECT_EQ(b.value("pfc.headroom_need.cells"), r.cells) << r.rate;
        needs += fmt::format("{} ", b.value("pfc.headroom_need.cells"));
        b.write("pfc.mode", {0}, "pfc.mode.truncated_headroom", 1);
        EXPECT_EQ(b.value("pfc.headroom_need.cells"), r.truncated) << r.rate;
    }
    for (const char* id : {"C09", "F21"}) {
        conformance::row(
            id,
            "1G 10G 25G 40G 100G 200G 400G 800G over 100 m, 100G and 400G over 2 km, 800G and 4.29 ms: 14 18 "
            "25 33 62 111 208 404 990 3919 3355444 cells",
            needs);
    }
}

// M08: both sides of each condition; only lossless groups, and nothing while there is no dead time.
TEST(conformance_monitor, finds_what_cannot_work_when_it_is_programmed) {
    monitor_bench b;
    const auto infeasible = [&] { return b.value("pfc.infeasible.groups"); };
    b.write("pg.headroom", {0, group3}, "pg.headroom.cells", 61);
    EXPECT_EQ(infeasible(), 0U);
    b.set_dead_time(628'160);
    EXPECT_EQ(infeasible(), 0x08U);
    const std::uint64_t short_of_one = infeasible();
    b.write("pg.headroom", {0, group3}, "pg.headroom.cells", 62);
    EXPECT_EQ(infeasible(), 0U);
    conformance::row("M08", "before any frame: 61 cells at 100G and 100 m: group 3 (08); 62: none (00)",
                     fmt::format("{:02x}; {:02x}", short_of_one, infeasible()));
    b.write("pg.xon_offset", {0, group3}, "pg.xon_offset.cells", 449);
    EXPECT_EQ(infeasible(), 0U);
    b.write("pg.xon_offset", {0, group3}, "pg.xon_offset.cells", 450);
    EXPECT_EQ(infeasible(), 0x08U);
    b.write("pg.xon_offset", {0, group3}, "pg.xon_offset.cells", 0);
    b.write("pg.xoff", {0, group3}, "pg.xoff.cells", 0);  // X17
    EXPECT_EQ(infeasible(), 0x08U);
    conformance::row("X17", "XOFF 0: infeasible (08), not conformant",
                     fmt::format("{:02x}, {}", infeasible(), b.conformant() ? "conformant" : "not conformant"));
    b.write("pg.mode", {0, group3}, "pg.mode.lossless", 0);
    EXPECT_EQ(infeasible(), 0U);
}

// F15: the dead time counts from the start of the frame, not from the wish. Arrival at its end is in time.
TEST(conformance_monitor, an_arrival_is_late_after_the_dead_time) {
    monitor_bench b;
    b.set_dead_time(1'128'160);
    b.flow.group_wishes(group3, true);
    b.run_to(nanoseconds(500));  // the frame waits for one in progress
    b.send();
    b.flow.arrived(3, nanoseconds(500) + picoseconds{1'128'160});
    b.flow.arrived(2, nanoseconds(500) + picoseconds{1'128'161});  // another class
    EXPECT_EQ(b.late(), 0U);
    b.flow.arrived(3, nanoseconds(500) + picoseconds{1'128'161});
    EXPECT_EQ(b.late(), 1U);
    b.flow.set_pipeline_latency(nanoseconds(300));  // what reaches the pipeline came in 300 ns earlier
    b.flow.arrived(3, nanoseconds(800) + picoseconds{1'128'160});
    EXPECT_EQ(b.late(), 1U);
}

TEST(conformance_monitor, the_chapters_window_counts_from_the_wish) {
    monitor_bench b;
    b.set_dead_time(628'160);
    b.write("pfc.mode", {0}, "pfc.mode.chapter_window", 1);
    b.run_to(nanoseconds(100));
    b.flow.group_wishes(group3, true);
    b.run_to(nanoseconds(500));
    b.send();
    b.flow.arrived(3, nanoseconds(100) + picoseconds{628'160});
    EXPECT_EQ(b.late(), 0U);
    b.flow.arrived(3, nanoseconds(100) + picoseconds{628'161});
    EXPECT_EQ(b.late(), 1U);
    b.flow.group_wishes(group3, false);
    b.flow.arrived(3, nanoseconds(2000));
    EXPECT_EQ(b.late(), 1U);
}

// Released and paused again while frames are under way: each pause has its own window.
TEST(conformance_monitor, a_second_pause_has_a_window_of_its_own) {
    monitor_bench b;
    b.set_dead_time(1'000'000);
    b.flow.group_wishes(group3, true);
    b.send();
    b.run_to(nanoseconds(5000));
    b.flow.group_wishes(group3, false);
    b.flow.arrived(3, nanoseconds(5000));  // the release has not left: the peer is still stopped
    EXPECT_EQ(b.late(), 1U);
    b.send();
    b.flow.arrived(3, nanoseconds(5500));
    b.run_to(nanoseconds(5600));
    b.flow.group_wishes(group3, true);
    b.send();
    b.flow.arrived(3, nanoseconds(6600));
    EXPECT_EQ(b.late(), 1U);
    b.flow.arrived(3, nanoseconds(6601));
    EXPECT_EQ(b.late(), 2U);
}

// A refresh in time moves no window; one that may come after the pause has run out gives the dead time again. 1000
// quanta at 100G are 5120 ns, 5118.75 with the greatest difference of clocks.
TEST(conformance_monitor, a_refresh_in_time_leaves_the_window_where_it_is) {
    monitor_bench b;
    b.set_dead_time(1'000'000);
    b.flow.generator.set_quanta(1000);
    b.flow.generator.set_refresh(0);
    b.flow.group_wishes(group3, true);
    b.send();
    b.flow.generator.set_refresh(700);  // 3584 ns after the next frame
    b.flow.group_wishes(4, true);       // a second priority: the frame restates the first
    b.run_to(nanoseconds(2000));
    b.send();
    b.flow.arrived(3, nanoseconds(2001));
    EXPECT_EQ(b.late(), 1U);
    b.run_to(nanoseconds(2000 + 3584) + picoseconds{1});
    b.send();  // in time: 5584 + 1000 < 2000 + 5118
    b.flow.arrived(3, nanoseconds(5600));
    EXPECT_EQ(b.late(), 2U);
    b.run_to(nanoseconds(5584 + 4500));
    b.flow.group_wishes(5, true);
    b.send();  // 10084 + 1000 > 5584 + 5118: the peer may have begun before it arrived
    b.flow.arrived(3, nanoseconds(10'084 + 1000));
    EXPECT_EQ(b.late(), 2U);
    b.flow.arrived(3, nanoseconds(10'084 + 1001));
    EXPECT_EQ(b.late(), 3U);
}

// A pause that runs out (M10) lets the peer go on: nobody is accused, nor after the link went down.
TEST(conformance_monitor, an_expired_pause_accuses_nobody) {
    monitor_bench b;
    b.set_dead_time(1'000'000);
    b.flow.generator.set_quanta(1000);
    b.flow.generator.set_refresh(0);
    b.flow.group_wishes(group3, true);
    b.send();
    b.flow.arrived(3, nanoseconds(5118));
    EXPECT_EQ(b.late(), 1U);
    b.flow.arrived(3, nanoseconds(5120));
    EXPECT_EQ(b.late(), 1U);
    b.flow.link_changed(false);
    b.flow.link_changed(true);
    b.flow.arrived(3, nanoseconds(5000));
    EXPECT_EQ(b.late(), 1U);
}

}  // namespace
}  // namespace weir::pfc
