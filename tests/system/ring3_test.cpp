// SPDX-License-Identifier: Apache-2.0
// The PFC RTL chapter's directed test of a deadlock: three switches in a ring, each host sending to the switch after
// the next. Numbers come from the requirements' reference run of a separate slotted model.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/conformance/conformance.h"
#include "tests/system/board.h"
#include "tests/system/fabric.h"
#include "tests/system/in_child.h"

namespace weir::system_test {
namespace {

using ::testing::IsEmpty;

constexpr std::size_t chips = 3;
constexpr std::uint32_t to_ring = 2;    // the port to the next switch
constexpr std::uint32_t from_ring = 3;  // the port that the one before sends to

platforms::platform_config ring3(std::vector<std::string> hardware, std::vector<std::string> program = {}) {
    platforms::load_options options;
    options.hardware = std::move(hardware);
    options.program = std::move(program);
    return board_config("ring3", options);
}

/// Load offered at each switch, of the line rate: two hosts share it.
std::string offered(double of_line) {
    return fmt::format("workload.rate={:.3f}M", of_line * 5e3);
}

vp::run_result observed(const platforms::platform_config& config, picoseconds until) {
    vp::run_request request;
    request.observe = true;
    request.until = until;
    return run(config, request);
}

/// When the last frame of the ring left; negative: it did not freeze.
double freeze_time_us(const std::vector<std::string>& hardware, picoseconds until = microseconds(20'000)) {
    return in_child([&] {
        const auto result = observed(ring3(hardware), until);
        for (const auto& circle : result.seen->circles) {
            if (circle.stands_since) return static_cast<double>(circle.stands_since->count()) / 1e6;
        }
        return -1.0;
    });
}

TEST(ring3, runs_for_ever_up_to_half_the_line_rate) {
    for (const double of_line : {0.40, 0.48, 0.50}) {
        EXPECT_LT(freeze_time_us({offered(of_line)}), 0) << of_line;
    }
}

// Above, a circle fills at a rate proportional to the surplus.
TEST(ring3, freezes_above_in_inverse_proportion_to_the_surplus) {
    struct point {
        double load;
        double reference_us;
    };
    double least = 1e9;
    double most = 0;
    std::string expected = "freeze time × (load − 0.5) constant within 5 %:";
    std::string measured;
    for (const point p : {point{0.505, 14'370}, point{0.51, 7'230}, point{0.52, 3'660}, point{0.55, 1'500}}) {
        const double frozen = freeze_time_us({offered(p.load)});
        EXPECT_NEAR(frozen, p.reference_us, 0.01 * p.reference_us) << p.load;
        const double product = frozen * (p.load - 0.5);
        least = std::min(least, product);
        most = std::max(most, product);
        expected += fmt::format(" {} at {:.0f} us", p.load, p.reference_us);
        measured += fmt::format("{} at {:.0f} us, product {:.1f} us; ", p.load, frozen, product);
    }
    EXPECT_LE(most / least, 1.05);
    conformance::row("closed.deadlock", expected, measured);
}

// F19: 1.2 of the line rate needs two host ports a switch.
TEST(ring3, freezes_within_161_us_when_two_hosts_offer_more_than_the_line) {
    const double at_120 = freeze_time_us({offered(1.2)}, microseconds(2'000));
    EXPECT_NEAR(at_120, 161, 0.01 * 161);
    const double at_60 = freeze_time_us({offered(0.6)}, microseconds(2'000));
    EXPECT_NEAR(at_60, 784, 0.01 * 784);
    conformance::row("F19", "two host ports a switch, 42 cells of headroom: frozen after 161 us at 1.2, no drop",
                     fmt::format("{:.1f} us", at_120));
}

// One hop on the ring and off it again: nothing passes through, so nothing waits in a circle.
TEST(ring3, never_freezes_without_traffic_that_passes) {
    const platforms::testing::temporary_folder folder;
    std::string flows = "start,source,destination,octets,dscp,frame,transport\n";
    for (const char* pair : {"a.h{0},b.h{0}", "b.h{0},c.h{0}", "c.h{0},a.h{0}"}) {
        for (int h = 0; h < 2; ++h) {
            flows += fmt::format("0,{},15180000,24,1518,udp\n", fmt::format(fmt::runtime(pair), h));
        }
    }
    const std::string file = folder.write("one_hop.csv", flows);
    EXPECT_LT(freeze_time_us({offered(1.2), "workload.file=" + file}), 0);
}

TEST(ring3, the_observer_prints_the_circle_while_every_device_reports_itself_conformant) {
    const auto result = observed(ring3({offered(0.6)}), microseconds(10'000));
    ASSERT_TRUE(result.seen);
    const std::string text = vp::observation_text(*result.seen);
    EXPECT_THAT(text, ::testing::HasSubstr("(a, 2, 3) -> (b, 2, 3) -> (c, 2, 3) -> (a, 2, 3)"));
    EXPECT_THAT(text, ::testing::HasSubstr("DEADLOCK"));
    std::string conformant;
    for (const auto& chip : result.switches) {
        for (std::uint32_t port = 0; port < 4; ++port) {
            EXPECT_EQ(chip.registers.value("pfc.conformant.conformant", {port}), 1U) << chip.name << port;
        }
        conformant += chip.name + " conformant, ";
    }
    conformance::row("S68", "all three frozen, each device conformant", conformant + "circle of waits a, b, c stands");
}

// M18, S73: take away one of the four conditions and nothing freezes.
TEST(ring3, a_turn_restriction_removes_the_freeze) {
    const auto result = observed(ring3({offered(0.6), "routes.file=ring3_turns.csv"}), microseconds(30'000));
    for (const auto& circle : result.seen->circles) EXPECT_FALSE(circle.stands_since);
    std::uint64_t frames = 0;
    for (const auto& host : result.hosts) frames += host.data_frames;
    // The link from b to c is asked for 1.2 of its rate and c's to b for 0.6: 1 + 0.6 arrive at their ends, a frame
    // taking 1538 octets.
    EXPECT_NEAR(static_cast<double>(frames), 1.6 * 30e-3 * 10e9 / (8 * 1538), 100.0);
    conformance::row("S73", "no turn from c to b at a: never frozen, 1.6 lines' worth delivered",
                     fmt::format("{} frames in 30 ms", frames));
}

TEST(ring3, a_lossy_class_makes_progress_all_the_time) {
    network n(ring3({offered(1.2), "platform.program=ring3_lossy.cfg"}));
    std::uint64_t before = 0;
    for (int step = 1; step <= 20; ++step) {
        n.run_to(microseconds(100) * step);
        std::uint64_t delivered = 0;
        for (std::size_t h = 0; h < 6; ++h) delivered += n.machine.host(h).arrived().frames;
        EXPECT_GT(delivered, before) << step;
        before = delivered;
    }
    std::uint64_t dropped = 0;
    for (std::size_t s = 0; s < chips; ++s) {
        for (std::uint32_t port = 0; port < 4; ++port) dropped += n.value(s, "port.rx_discards.frames", {port});
    }
    EXPECT_GT(dropped, 0U);
    const std::string measured =
        fmt::format("{} delivered, {} dropped in 2 ms, progress every 100 us", before, dropped);
    conformance::row("S69", "drops, never all stopped, progress all the time", measured);
    conformance::row("M18", "without hold-and-wait (a lossy class) nothing freezes; nor with a turn restricted",
                     measured);
}

/// The ring at 0.6 with two lossless classes, 3 and 4, and this DSCP for what c's hosts send.
vp::run_result with_two_classes(int dscp_of_c) {
    const platforms::testing::temporary_folder folder;
    folder.write("two.cfg", R"(pool create lossless ingress size 4096 cells
map dscp 24 tc 3
map tc 3 pg 3
map dscp 32 tc 4
map tc 4 pg 4
interface 0-3
  mac ${mac}
  mtu 1518
  pg 0-2,5-7 limit 256
  pfc enable priority 3
  pfc enable priority 4
  pfc pause-threshold ${xoff}
  pfc resume-threshold ${xon}
  pfc headroom ${headroom} cells
  queue 0-2,5-7 limit 1024
  no shutdown
exit
)");
    std::string flows = "start,source,destination,octets,priority,dscp,frame,transport\n";
    for (const char* pair : {"a.h{0},c.h{0}", "b.h{0},a.h{0}", "c.h{0},b.h{0}"}) {
        const int dscp = pair[0] == 'c' ? dscp_of_c : 24;
        for (int h = 0; h < 2; ++h) {
            flows += fmt::format("0,{},151800000,{},{},1518,udp\n", fmt::format(fmt::runtime(pair), h), dscp / 8, dscp);
        }
    }
    return observed(ring3({offered(0.6), "platform.program=" + folder.path("two.cfg"),
                           "workload.file=" + folder.write("flows.csv", flows)}),
                    microseconds(30'000));
}

// M18: a class that goes with the route. What c sends passes c and a, and in a class of its own; so class 3 waits from
// a for b and from b for c, and class 4 from c for a: neither in a circle. The class is a host's choice: no switch
// changes it on the way. In one class the ring freezes after 784 us, whatever the other would allow.
TEST(ring3, a_class_by_the_route_removes_the_freeze) {
    const bool frozen = in_child([] {
        const auto result = with_two_classes(24);
        return std::any_of(result.seen->circles.begin(), result.seen->circles.end(),
                           [](const auto& circle) { return circle.stands_since.has_value(); });
    });
    EXPECT_TRUE(frozen);
    const auto result = with_two_classes(32);
    EXPECT_THAT(result.seen->circles, IsEmpty());
    EXPECT_THAT(result.losses, IsEmpty());
    picoseconds last = never;
    for (const auto& host : result.hosts) last = std::min(last, host.last_data.value_or(picoseconds{0}));
    EXPECT_GT(last, result.end - microseconds(1'000));
    conformance::row("M18", "without circular wait (c's traffic in a class of its own) nothing waits in a circle",
                     fmt::format("no circle, no loss; the last host received {:.0f} us before the end of 30 ms",
                                 static_cast<double>((result.end - last).count()) / 1e6));
}

// Two switches that turn frames back: each sends the other what came from it. The smallest circle of all.
TEST(ring3, two_switches_that_turn_frames_back_freeze_too) {
    const auto result = [] {
        const platforms::testing::temporary_folder folder;
        return observed(fabric(folder,
                               "[topology]\nkind='chain'\nswitches=2\nhosts=1\nhost_rate='10G'\nlink_rate='10G'\n"
                               "[routes]\nkind='file'\nfile='r.csv'\n[hosts]\nhop_limit=16\n"
                               "[workload]\nkind='flows'\nfile='f.csv'\nrate='2G'\n",
                               {{"r.csv", "switch,destination,ports\ns0,all,1\ns1,all,1\n"},
                                {"f.csv", "start,source,destination,octets\n0,h0,h1,16MiB\n"}}),
                        microseconds(20'000));
    }();
    ASSERT_EQ(result.seen->circles.size(), 1U);
    EXPECT_TRUE(result.seen->circles[0].stands_since);
    EXPECT_EQ(result.seen->circles[0].members.size(), 2U);
    conformance::row("S67", "a circle of two, standing", "(s0, 1, 3) -> (s1, 1, 3), standing");
}

/// Of each switch's queue to the ring, and of the port that the ring comes in by.
struct sample {
    std::array<std::uint64_t, chips> used{};
    std::array<std::uint64_t, chips> seen{};
    std::array<std::uint64_t, chips> sent{};
    std::array<std::uint64_t, chips> blocked{};
    std::uint64_t delivered{0};
};

sample look(network& n) {
    sample s;
    for (std::size_t chip = 0; chip < chips; ++chip) {
        s.used[chip] = n.value(chip, "pg.used.cells", {from_ring, 3});
        s.seen[chip] = n.value(chip, "pfc.seen.frames", {to_ring});
        s.sent[chip] = n.value(chip, "queue.frames.frames", {to_ring, 3});
        s.blocked[chip] = n.value(chip, "sched.blocked_ns.time", {to_ring});
    }
    for (std::size_t h = 0; h < 6; ++h) s.delivered += n.machine.host(h).arrived().frames;
    return s;
}

// The table of the requirements' section 1.8, row by row. Load 0.6; another class carries 1 Gb/s beside it for 8 ms.
TEST(ring3, shows_the_21_observables) {
    const platforms::testing::temporary_folder folder;
    std::string flows = "start,source,destination,octets,dscp,frame,transport,rate\n";
    for (const char* pair : {"a.h{0},c.h{0}", "b.h{0},a.h{0}", "c.h{0},b.h{0}"}) {
        for (int h = 0; h < 2; ++h) {
            flows += fmt::format("0,{},30360000,24,1518,udp,3G\n", fmt::format(fmt::runtime(pair), h));
        }
    }
    // 650 frames of 1538 octets' time at 1 Gb/s: 8.0 ms.
    for (const char* pair : {"a.h0,b.h0", "b.h0,c.h0", "c.h0,a.h0"}) {
        flows += fmt::format("2ms,{},986700,0,1518,udp,1G\n", pair);
    }
    network n(ring3({"workload.file=" + folder.write("flows.csv", flows)}, {"escape=on"}));
    constexpr std::int64_t stall_ns = 262'140 * 512 / 10;  // 64 octets at 10G are 51.2 ns
    std::vector<std::string> rows;
    const auto row = [&](int number, const std::string& what) { rows.push_back(fmt::format("{} {}", number, what)); };
    const auto all = [&](const char* field, std::uint64_t wanted, const std::vector<registers::index>& where) {
        for (std::size_t chip = 0; chip < chips; ++chip) {
            for (const auto& at : where) EXPECT_EQ(n.value(chip, field, at), wanted) << field << " of " << chip;
        }
    };
    const std::vector<registers::index> all_ports{{0}, {1}, {2}, {3}};

    // When did it freeze? The last frame of the ring started then.
    sample last = look(n);
    picoseconds frozen{0};
    for (picoseconds t{0}; t < microseconds(1'500); t += nanoseconds(100)) {
        n.run_to(t);
        const sample now = look(n);
        if (now.sent != last.sent) frozen = t;
        last = now;
    }
    EXPECT_NEAR(static_cast<double>(frozen.count()) / 1e6, 784, 8);

    n.run_to(microseconds(11'000));
    const sample early = look(n);
    n.run_to(microseconds(14'000));
    const sample late = look(n);

    all("pfc.conformant.conformant", 1, all_ports);
    row(1, "conformant");
    all("pfc.fault.overflow", 0, all_ports);
    all("pfc.fault.late", 0, all_ports);
    all("pfc.fault.lossy_pause", 0, all_ports);
    all("pfc.fault.escape", 0, all_ports);
    all("pfc.fault.tagged", 0, all_ports);
    row(2, "no fault");
    all("pfc.infeasible.groups", 0, all_ports);
    row(3, "feasible");
    all("pfc.fault_count.times", 0, {{0, 0}, {1, 0}, {2, 0}, {3, 0}});
    row(4, "no overflow");
    all("port.rx_discards.frames", 0, all_ports);
    all("queue.drop_frames.frames", 0, {{0, 3}, {1, 3}, {2, 3}, {3, 3}});
    row(5, "no drop");
    all("pfc.fault_count.times", 0, {{0, 1}, {1, 1}, {2, 1}, {3, 1}});
    row(6, "nothing late");
    all("pfc.fault_count.times", 0, {{0, 2}, {1, 2}, {2, 2}, {3, 2}});
    row(7, "no lossy pause");
    all("stall.escapes.times", 0, {{0, 3}, {1, 3}, {2, 3}, {3, 3}});
    row(8, "no escape");
    for (const char* field : {"pfc.bad_fcs.frames", "pfc.wrong_da.frames", "pfc.tagged.frames"})
        all(field, 0, all_ports);
    row(9, "no bad frame");
    for (std::size_t chip = 0; chip < chips; ++chip) EXPECT_GT(late.seen[chip], early.seen[chip]);
    row(10, fmt::format("refreshes {} -> {}", early.seen[0], late.seen[0]));
    all("pfc.expiries.times", 0, {{to_ring, 3}});
    row(11, "none expires");
    for (std::size_t chip = 0; chip < chips; ++chip) {
        EXPECT_EQ(late.used[chip], early.used[chip]);
        EXPECT_GE(late.used[chip], 470U);
        EXPECT_LT(late.used[chip], 512U);
    }
    row(12, fmt::format("{} cells, constant", late.used[0]));
    all("pfc.tx_paused.priorities", 0x08, {{0}, {1}, {from_ring}});
    row(13, "0x08 steady");
    all("port.status.link", 1, all_ports);
    row(14, "links up");
    // The other class: three flows of 650 frames, all there, none ever gated.
    std::uint64_t others = 0;
    for (std::uint32_t f = 6; f < 9; ++f) others += n.machine.ledger()[f].frames_received;
    EXPECT_EQ(others, 3U * 650U);
    for (std::uint32_t f = 6; f < 9; ++f) {
        const auto& record = n.machine.ledger()[f];
        // The last frame follows the first by 649 times 1538 octets at 1 Gb/s.
        EXPECT_NEAR(static_cast<double>((record.delivered - record.first_sent).count()) / 1e6, 649 * 12.304, 15.0);
    }
    all("sched.gated_ns.time", 0, {{to_ring, 0}});
    row(15, "others at full rate");
    all("sched.gate.all_blocked", 1, {{to_ring}});
    for (std::size_t chip = 0; chip < chips; ++chip) {
        EXPECT_EQ(late.blocked[chip] - early.blocked[chip], 3'000'000U);
    }
    row(16, "all blocked, rising");
    EXPECT_EQ(late.sent, early.sent);
    EXPECT_EQ(late.sent, last.sent);
    row(17, "no dequeue for 13.2 ms");

    // A stall begins when the gate shuts on a queue with frames; the last frame had started within two frame times.
    all("stall.suspects.times", 0, {{to_ring, 3}});
    const picoseconds suspected = frozen + nanoseconds(stall_ns);
    n.run_to(suspected - microseconds(3));
    all("stall.suspect.queues", 0, {{to_ring}});
    n.run_to(suspected + microseconds(3));
    all("stall.suspect.queues", 0x08, {{to_ring}});
    all("stall.suspects.times", 1, {{to_ring, 3}});
    row(18, fmt::format("suspect {:.2f} ms after the freeze", static_cast<double>(stall_ns) / 1e6));
    for (std::size_t chip = 0; chip < chips; ++chip) {
        EXPECT_NEAR(static_cast<double>(n.value(chip, "stall.longest.time", {to_ring, 3})),
                    static_cast<double>(stall_ns), 6'000.0);
    }
    row(19, "longest stall grows with it");

    const sample before = look(n);
    n.run_to(frozen + nanoseconds(2 * stall_ns) - microseconds(3));
    all("stall.escapes.times", 0, {{to_ring, 3}});
    n.run_to(frozen + nanoseconds(2 * stall_ns) + microseconds(300));
    std::uint64_t escapes = 0;
    for (std::size_t chip = 0; chip < chips; ++chip) {
        const std::uint64_t escaped = n.value(chip, "stall.escapes.times", {to_ring, 3});
        escapes += escaped;
        EXPECT_EQ(n.value(chip, "pfc.fault.escape", {to_ring}), escaped > 0 ? 1U : 0U);
        EXPECT_EQ(n.value(chip, "pfc.conformant.conformant", {to_ring}), escaped > 0 ? 0U : 1U);
        EXPECT_EQ(n.value(chip, "stall.escaped_frames.frames", {to_ring, 3}) > 0, escaped > 0);
    }
    EXPECT_GE(escapes, 1U);
    EXPECT_GT(look(n).delivered, before.delivered);
    row(20, fmt::format("escape {:.2f} ms after the freeze, delivery resumes", 2e-6 * static_cast<double>(stall_ns)));
    row(21, "control: see S69");
    conformance::row("table.cycle", "21 observables of the frozen ring", fmt::format("{}", fmt::join(rows, "; ")));
    conformance::row("X13", "the ring of three freezes; reported by nobody but the detector",
                     "rows 1 to 20 of table.cycle");
}

}  // namespace
}  // namespace weir::system_test
