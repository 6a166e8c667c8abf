// SPDX-License-Identifier: Apache-2.0
// G10 through the driver: a neighbour that does what 802.1Q says is never accused, one that does not is, and the window
// of the PFC RTL chapter accuses everybody.
#include "tests/conformance/conformance.h"
#include "tests/acceptance/lab.h"

#include <fmt/format.h>

#include <string>
#include <tuple>

namespace weir::acceptance {
namespace {

constexpr std::uint32_t full_payload = 1518 - 62;  // Ethernet, IP, UDP, BTH, ICRC, FCS

/// Room for all that arrives, and hardly any.
thresholds roomy() {
    thresholds t;
    t.xoff = 2000;
    t.headroom = 200;
    return t;
}
thresholds tight() {
    thresholds t;
    t.headroom = 2;
    return t;
}

weir_pfc_conformance conformance(lab& l, std::uint32_t port) {
    weir_pfc_conformance c{};
    l.drive([&](weir_dev* d) { return weir_pfc_conformance_get(d, port, &c); });
    return c;
}

/// Pauses and releases host 0's class 3 again and again while it sends 1518-octet frames as fast as it can.
void pause_a_busy_sender(lab& l, int times, picoseconds pause, picoseconds gap) {
    l.start(0, 1, 200'000, 24, full_payload);
    l.settle(microseconds(30));
    for (int i = 0; i < times; ++i) {
        l.shell("interface 0\npfc force 3");
        l.settle(pause + picoseconds{12'347} * i);
        l.shell("interface 0\npfc force none");
        l.settle(gap + picoseconds{7'919} * i);
    }
}

/// How often the port accused a neighbour that obeys, at 12 pauses.
std::uint64_t accusations(const std::string& rate, std::uint32_t metres, picoseconds window,
                          const std::string& response = "0ns") {
    lab_options o;
    o.rate = rate;
    o.cable_metres = metres;
    o.obey = true;
    o.extra_platform = "[hosts]\npfc_response = \"" + response + "\"\n";
    lab l(o, usual_script(roomy()));
    l.shell(fmt::format("interface 0\npfc dead-time {} ps", window.count()));
    pause_a_busy_sender(l, 12, window * 2, window + microseconds(2));
    EXPECT_GT(l.received(1), 12U);
    EXPECT_EQ(l.pfc_counters(0, 3).tx_transitions, 12U);
    return conformance(l, 0).count[1];
}

class conformant_neighbour : public testing::TestWithParam<std::tuple<std::string, std::uint32_t>> {};

// F15: 84 octets of control frame, two legs of 5 ns/m, no response, one 1518-octet frame begun just before.
TEST_P(conformant_neighbour, is_never_accused) {
    const auto& [name, metres] = GetParam();
    const data_rate rate = *data_rate::from_name(name);
    const std::uint64_t accused =
        accusations(name, metres, rate.octets(84 + 1518) + cable_delay_per_metre * (2 * metres));
    EXPECT_EQ(accused, 0U);
    if (metres == 100) {
        conformance::row("F15", fmt::format("{} and 100 m, 12 pauses obeyed: 0 late", name),
                         fmt::format("{}", accused));
    }
}
INSTANTIATE_TEST_SUITE_P(
    rates_and_cables, conformant_neighbour,
    testing::Combine(testing::Values("1G", "10G", "25G", "40G", "50G", "100G", "200G", "400G", "800G"),
                     testing::Values(3U, 100U, 2000U)),
    [](const auto& one) { return fmt::format("{}_{}m", std::get<0>(one.param), std::get<1>(one.param)); });

// The response is in the window: 394 quanta of 5.12 ns at 100G.
TEST(conformance, the_dead_time_has_room_for_the_response) {
    EXPECT_EQ(accusations("100G", 100, nanoseconds(1000) + picoseconds{128'160 + 2'017'280}, "2017.28ns"), 0U);
}

// And the frame begun just before: without it, the frame that was under way is late.
TEST(conformance, a_window_without_the_last_frame_accuses) {
    EXPECT_GT(accusations("100G", 100, nanoseconds(1000) + picoseconds{72 * 80}), 6U);
}

// F15: with one leg, counted from the wish, the same neighbour at 100G and 100 m delivers from 628 ns until 1005.76 ns
// at least (72 octets, two legs): three frames of 123.04 ns a pause.
TEST(conformance, the_chapters_window_accuses_a_conformant_neighbour_at_every_pause) {
    lab_options o;
    o.cable_metres = 100;
    o.obey = true;
    lab l(o, usual_script(roomy()));
    l.shell("interface 0\npfc dead-time 628160 ps\npfc receiver chapter-window");
    pause_a_busy_sender(l, 10, microseconds(3), microseconds(3));
    const weir_pfc_conformance c = conformance(l, 0);
    EXPECT_GE(c.count[1], 30U);
    EXPECT_LE(c.count[1], 50U);
    EXPECT_EQ(c.faults, WEIR_PFC_LATE);
    EXPECT_FALSE(c.conformant);
    conformance::row("F15", "the chapter's window of one leg, 10 pauses obeyed: 3 frames or more late each",
                     fmt::format("{} late", c.count[1]));
}

// M17: a neighbour that ignores the pause is late with everything after the window, and the first is dated.
TEST(conformance, a_neighbour_that_ignores_pauses_is_late) {
    lab_options o;
    o.cable_metres = 100;
    lab l(o, usual_script(roomy()));
    l.shell("interface 0\npfc dead-time 1128160 ps");
    pause_a_busy_sender(l, 1, microseconds(20), microseconds(1));
    const weir_pfc_conformance c = conformance(l, 0);
    // 20 µs less the window: 153 frames of 123.04 ns, and what software's accesses take.
    EXPECT_GE(c.count[1], 153U);
    EXPECT_LE(c.count[1], 175U);
    EXPECT_EQ(c.faults, WEIR_PFC_LATE);
    EXPECT_GT(c.first_ns[1], 0U);
    // What the switch sent arrived: nothing was lost on the way, it is ignored.
    weir_pfc_port_counters sent{};
    l.drive([&](weir_dev* d) { return weir_pfc_port_counters_get(d, 0, &sent); });
    const std::uint64_t seen = l.machine().host(0).flow.receiver.counters.seen;
    EXPECT_GE(seen, 2U);
    EXPECT_EQ(seen, sent.tx_frames);
    conformance::row("S63",
                     fmt::format("{} PFC frames sent: as many seen by the peer, and 153 frames or more late: ignored",
                                 sent.tx_frames),
                     fmt::format("{} seen, {} late", seen, c.count[1]));
    std::uint32_t causes = 0;
    l.drive([&](weir_dev* d) { return weir_interrupts_take(d, &causes); });
    EXPECT_NE(causes & WEIR_INT_CONFORMANCE, 0U);
    l.shell("clear conformance");
    EXPECT_EQ(conformance(l, 0).faults, 0U);
    EXPECT_TRUE(conformance(l, 0).conformant);
}

// X05: only the test register pauses a lossy class. Overflow: the count is the drops'. Tagged: ignored, and said so.
TEST(conformance, tells_of_lossy_pauses_overflows_and_ignored_tags) {
    lab l({}, usual_script(tight()));
    l.shell("interface 2\npfc force 2");
    l.settle();
    EXPECT_EQ(conformance(l, 2).faults, WEIR_PFC_LOSSY_PAUSE);
    conformance::row("X05", "priority 2 is lossy and made to pause: fault 04",
                     fmt::format("{:02x}", conformance(l, 2).faults));

    l.shell("interface 1\nqueue 3 dequeue off");
    l.send(0, 1, 150);  // the lab's senders ignore pauses: Guaranteed 8, XOFF 100, Headroom 2
    EXPECT_EQ(conformance(l, 0).faults, WEIR_PFC_OVERFLOW);
    EXPECT_EQ(conformance(l, 0).count[0], 150U - 110U);
    EXPECT_EQ(l.drops(0, WEIR_DROP_HEADROOM), 40U);

    std::vector<std::uint8_t> frame = lab::pfc(0x08, {0, 0, 0, 0xffff, 0, 0, 0, 0});
    frame.insert(frame.begin() + 12, {0x81, 0, 0, 1});
    l.inject(3, {frame});
    EXPECT_EQ(conformance(l, 3).faults, 0U);  // honoured
    l.shell("interface 3\npfc receiver ignore-tagged");
    l.inject(3, {frame});
    EXPECT_EQ(conformance(l, 3).faults, WEIR_PFC_TAGGED);
    for (const char* id : {"M04", "S15"}) {
        conformance::row(id, "not to be honoured: fault 10, and said so",
                         fmt::format("{:02x}", conformance(l, 3).faults));
    }
    EXPECT_TRUE(conformance(l, 1).conformant);
}

// §1.1: a class budget of 512 cells at 100G and 100 m gives 450 and 386 (cells of 128 octets, hysteresis 64). Over 2 km
// the budget does not hold the 990 cells: XOFF would be -478. It is refused, and written past the driver it is seen.
TEST(conformance, a_budget_that_cannot_hold_the_headroom_is_refused) {
    lab_options o;
    o.cell_octets = 128;
    lab l(o, usual_script());
    l.shell("interface 0\npfc dead-time 628160 ps\npfc budget 512 cells hysteresis 64 cells");
    weir_group_config g{};
    l.drive([&](weir_dev* d) { return weir_group_get(d, 0, 3, &g); });
    EXPECT_EQ(g.headroom, 62U);
    EXPECT_EQ(g.xoff, 450U);
    EXPECT_EQ(g.xoff - g.xon_offset, 386U);
    EXPECT_TRUE(conformance(l, 0).conformant);

    l.shell("pfc dead-time 10128160 ps");
    EXPECT_EQ(conformance(l, 0).headroom_need, 990U);
    EXPECT_EQ(conformance(l, 0).infeasible, 0x08U);
    EXPECT_FALSE(conformance(l, 0).conformant);
    weir_status status = WEIR_OK;
    l.drive([&](weir_dev* d) {
        status = weir_pfc_budget_set(d, 0, 512, 64);
        return WEIR_OK;
    });
    EXPECT_EQ(status, WEIR_E_THRESHOLD);
    EXPECT_NE(std::string(weir_device_message(l.device(), status)).find("479 cells are missing"), std::string::npos);
    l.drive([&](weir_dev* d) { return weir_group_get(d, 0, 3, &g); });
    EXPECT_EQ(g.xoff, 450U);
    const std::string message = weir_device_message(l.device(), status);
    for (const char* id : {"F21", "M08", "X17"}) {
        conformance::row(
            id, "512 cells for 990 of headroom and a window of 64: refused, 479 cells are missing, XOFF stays 450",
            fmt::format("\"{}\", XOFF {}", message, g.xoff));
    }
}

}  // namespace
}  // namespace weir::acceptance
