// SPDX-License-Identifier: Apache-2.0
// Where heads wait and why (G13), and the stall detector (G7), as software sees them: counters C04 to C07.
#include <fmt/format.h>

#include "tests/acceptance/lab.h"
#include "tests/conformance/conformance.h"

namespace weir::acceptance {
namespace {

constexpr std::array<std::uint16_t, 8> longest_pause{0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff};
constexpr std::array<std::uint16_t, 8> pause_2000{2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000};
constexpr std::int64_t pause_2000_ns = 10'240;  // 2000 quanta of 5.12 ns at 100G

weir_wait_counters waited(lab& l, std::uint32_t port, std::uint32_t queue) {
    weir_wait_counters c{};
    l.drive([&](weir_dev* d) { return weir_wait_counters_get(d, port, queue, &c); });
    return c;
}

weir_gate_status gate(lab& l, std::uint32_t port) {
    weir_gate_status s{};
    l.drive([&](weir_dev* d) { return weir_gate_status_get(d, port, &s); });
    return s;
}

std::uint8_t suspects(lab& l, std::uint32_t port) {
    std::uint8_t queues = 0;
    l.drive([&](weir_dev* d) { return weir_stall_suspects_get(d, port, &queues); });
    return queues;
}

weir_stall_counters stalls(lab& l, std::uint32_t port, std::uint32_t queue) {
    weir_stall_counters c{};
    l.drive([&](weir_dev* d) { return weir_stall_counters_get(d, port, queue, &c); });
    return c;
}

// X10: strict priority starves the low class, and its counter says that nobody stopped it: none is all of its waiting.
TEST(waiting, a_starved_class_waits_for_no_reason_but_the_scheduler) {
    lab l({}, usual_script());
    l.start(0, 1, 20'000, 24, 1024);
    l.start(2, 1, 20'000, 24, 1024);
    l.settle(microseconds(5));
    const std::uint64_t before = l.queue(1, 0).frames;
    l.start(3, 1, 100, 0, 1024);
    l.settle(microseconds(100));
    const weir_wait_counters low = waited(l, 1, 0);
    EXPECT_EQ(l.queue(1, 0).frames, before);
    EXPECT_GT(low.hol_ns, 90'000U);
    EXPECT_EQ(low.none_ns, low.hol_ns);
    // The high class waits behind its own frames.
    const weir_wait_counters high = waited(l, 1, 3);
    EXPECT_EQ(high.first_order_ns, high.hol_ns);
    EXPECT_EQ(high.gated_ns, 0U);
    EXPECT_EQ(gate(l, 1).blocked_ns, 0U);
    for (const char* id : {"X10", "S51", "S59"}) {
        conformance::row(id, fmt::format("low class: none is all {} ns of its waiting", low.hol_ns),
                         fmt::format("{} ns", low.none_ns));
    }
    conformance::row("S56", fmt::format("high class: behind its own frames all {} ns", high.hol_ns),
                     fmt::format("{} ns", high.first_order_ns));
}

// C05: a class with work that its peer stops for two fifths of the time is gated for 40 %.
TEST(waiting, the_gated_share_is_the_peers_duty) {
    lab l({}, usual_script());
    l.inject(1, {lab::pfc(0x08, longest_pause)});
    l.start(0, 1, 100'000, 24, 4096);
    l.settle(microseconds(20));
    l.inject(1, {lab::pfc(0x08, {})});
    const picoseconds start = from_kernel(sc_core::sc_time_stamp());
    const weir_wait_counters before = waited(l, 1, 3);
    constexpr int periods = 10;
    for (int i = 1; i <= periods; ++i) {
        l.inject(1, {lab::pfc(0x08, pause_2000)});
        l.machine().run_until(start + i * nanoseconds(pause_2000_ns * 5 / 2));
    }
    const weir_wait_counters after = waited(l, 1, 3);
    const auto gated = static_cast<double>(after.gated_ns - before.gated_ns);
    EXPECT_NEAR(gated, periods * static_cast<double>(pause_2000_ns), 1);
    EXPECT_NEAR(gated / static_cast<double>(after.hol_ns - before.hol_ns), 0.4, 0.01);
    EXPECT_EQ(after.self_paused_ns, after.gated_ns);
    EXPECT_EQ(after.hol_ns, after.gated_ns + after.first_order_ns + after.none_ns);
    conformance::row(
        "C05", "stopped for 10240 of every 25600 ns: gated 102400 ns, 40 % of the waiting",
        fmt::format("{:.0f} ns, {:.1f} %", gated, 100 * gated / static_cast<double>(after.hol_ns - before.hol_ns)));
    conformance::row("S58", "all of 102400 ns self-paused",
                     fmt::format("{} ns", after.self_paused_ns - before.self_paused_ns));
}

// P25 and second order: PAUSE stops the whole destination; with PFC at the same time PFC explains the wait.
TEST(waiting, a_stopped_link_is_second_order_and_pfc_wins) {
    lab l({}, usual_script());
    l.shell("interface 1\npfc receiver with-pause\npause rx");
    l.inject(1, {lab::pause(2000)});
    l.start(0, 1, 20'000, 24, 1024);
    l.settle(microseconds(20));
    weir_wait_counters c = waited(l, 1, 3);
    EXPECT_EQ(c.self_paused_ns, 0U);
    const weir_wait_counters before = c;
    l.inject(1, {lab::pause(2000)});
    l.settle(microseconds(20));
    c = waited(l, 1, 3);
    EXPECT_NEAR(static_cast<double>(c.second_order_ns - before.second_order_ns), pause_2000_ns, 1);
    EXPECT_EQ(c.self_paused_ns, 0U);
    conformance::row("S57", "the destination's link stopped for 10240 ns: second order, ± 1",
                     fmt::format("{} ns", c.second_order_ns - before.second_order_ns));
    // PAUSE comes 84 octet times after PFC, and so stands 6.72 ns longer.
    const weir_wait_counters both = c;
    l.inject(1, {lab::pfc(0x08, pause_2000), lab::pause(2000)});
    l.settle(microseconds(20));
    c = waited(l, 1, 3);
    EXPECT_NEAR(static_cast<double>(c.self_paused_ns - both.self_paused_ns), pause_2000_ns, 1);
    EXPECT_NEAR(static_cast<double>(c.second_order_ns - both.second_order_ns), 6.72, 1);
    conformance::row("S61", "PFC and PAUSE of 10240 ns at once: 10240 self-paused, ± 1",
                     fmt::format("{} ns", c.self_paused_ns - both.self_paused_ns));
}

// C04, P23: blocked is work of which the peer lets nothing go; a queue that software holds is eligible all the same.
TEST(waiting, a_port_is_blocked_when_its_peer_has_stopped_all_work) {
    lab l({}, usual_script());
    EXPECT_FALSE(gate(l, 1).all_blocked);
    l.shell("interface 1\nqueue 0 dequeue off\nexit");
    l.inject(1, {lab::pfc(0x08, longest_pause)});
    l.send(0, 1, 5);
    weir_gate_status s = gate(l, 1);
    EXPECT_EQ(s.nonempty, 0x08);
    EXPECT_EQ(s.eligible, 0);
    EXPECT_TRUE(s.all_blocked);
    EXPECT_GT(s.blocked_ns, 9'000U);
    l.send(0, 1, 5, 0);
    s = gate(l, 1);
    EXPECT_EQ(s.nonempty, 0x09);
    EXPECT_EQ(s.eligible, 0x01);
    EXPECT_FALSE(s.all_blocked);
    const std::uint64_t blocked = s.blocked_ns;
    l.settle();
    EXPECT_EQ(gate(l, 1).blocked_ns, blocked);
    conformance::row(
        "C04", "queue 3 stopped, queue 0 with work: work 09, eligible 01, not blocked",
        fmt::format("{:02x}, {:02x}, {}", s.nonempty, s.eligible, s.all_blocked ? "blocked" : "not blocked"));
    l.shell("show interface 1 hol\nclear counters");
    EXPECT_EQ(gate(l, 1).blocked_ns, 0U);
}

// F6: the limit after reset is four longest pauses, 1342.16 us at 100G, kept up here by a peer that repeats its pause.
TEST(stall, a_queue_is_suspect_after_four_longest_pauses) {
    lab l({}, usual_script());
    const picoseconds start = from_kernel(sc_core::sc_time_stamp());
    l.inject(1, {lab::pfc(0x08, longest_pause)});
    l.send(0, 1, 5);
    for (int i = 1; i <= 4; ++i) {
        l.machine().run_until(start + i * microseconds(300));
        l.inject(1, {lab::pfc(0x08, longest_pause)});
    }
    l.machine().run_until(start + microseconds(1335));
    EXPECT_EQ(suspects(l, 1), 0);
    l.machine().run_until(start + microseconds(1365));
    EXPECT_EQ(suspects(l, 1), 0x08);
    EXPECT_EQ(stalls(l, 1, 3).suspects, 1U);
    std::uint32_t causes = 0;
    l.drive([&](weir_dev* d) { return weir_interrupts_take(d, &causes); });
    EXPECT_NE(causes & WEIR_INT_STALL, 0U);
    EXPECT_EQ(l.queue(1, 3).drop_frames, 0U);  // told, and nothing else
    l.inject(1, {lab::pfc(0x08, {})});
    EXPECT_EQ(suspects(l, 1), 0);
    EXPECT_EQ(l.received(1), 5U);
    EXPECT_GT(stalls(l, 1, 3).longest_ns, 1'342'156U);
    conformance::row("S70", "a peer that stops and lets go again after 1.36 ms: 1 suspect, 5 of 5 frames delivered",
                     fmt::format("{} suspect, {} delivered", stalls(l, 1, 3).suspects, l.received(1)));
    l.drive([](weir_dev* d) { return weir_stall_longest_clear(d, 1, 3); });
    EXPECT_EQ(stalls(l, 1, 3).longest_ns, 0U);
}

// P28: the escape is explicit. 2 x 1000 quanta are 10.24 us; five frames go, counted as what they are.
TEST(stall, an_escape_empties_the_queue_and_says_so) {
    lab l({}, usual_script());
    l.shell("interface 1\npfc stall-limit 1000 quanta\npfc stall-escape on\nqueue 0 dequeue off");
    l.inject(1, {lab::pfc(0xff, longest_pause)});
    l.send(0, 1, 5);
    l.send(0, 1, 5, 0);
    l.settle(microseconds(10));
    const weir_stall_counters c = stalls(l, 1, 3);
    EXPECT_EQ(c.suspects, 1U);
    EXPECT_EQ(c.escapes, 1U);
    EXPECT_EQ(c.escaped_frames, 5U);
    conformance::row("P28", "five lossless frames thrown out of a stalled queue: counted as escaped, and a fault",
                     fmt::format("{} frames in {} escape", c.escaped_frames, c.escapes));
    EXPECT_EQ(c.longest_ns, 10'240U);
    for (const char* id : {"C07", "S72"}) {
        conformance::row(id, "limit 1000 quanta at 100G: 1 suspect, 1 escape of 5 frames, longest 10240 ns",
                         fmt::format("{}, {} of {}, {} ns", c.suspects, c.escapes, c.escaped_frames, c.longest_ns));
    }
    EXPECT_EQ(suspects(l, 1), 0);
    std::uint8_t suspected = 0;
    std::uint8_t escaped = 0;
    l.drive([&](weir_dev* d) { return weir_stall_hits_take(d, 1, &suspected, &escaped); });
    EXPECT_EQ(suspected, 0x08);
    EXPECT_EQ(escaped, 0x08);
    l.drive([&](weir_dev* d) { return weir_stall_hits_take(d, 1, &suspected, &escaped); });
    EXPECT_EQ(suspected | escaped, 0);
    EXPECT_EQ(l.queue(1, 3).drop_frames, 5U);
    EXPECT_EQ(l.queue(1, 0).drop_frames, 0U);  // a lossy queue is nobody's business
    EXPECT_EQ(l.group_usage(0, 3).used, 0U);
    EXPECT_EQ(l.received(1), 0U);
}

TEST(stall, its_settings_read_back) {
    lab l({}, usual_script());
    l.shell("interface 1\npfc stall-limit never\npfc stall-hold on");
    std::uint32_t quanta = 1;
    bool escape = true;
    bool hold = false;
    l.drive([&](weir_dev* d) { return weir_stall_limit_get(d, 1, &quanta); });
    l.drive([&](weir_dev* d) { return weir_stall_options_get(d, 1, &escape, &hold); });
    EXPECT_EQ(quanta, 0U);
    EXPECT_FALSE(escape);
    EXPECT_TRUE(hold);
    l.shell("interface 1\npfc stall-escape on\npfc stall-hold off\npfc stall-limit 4000000000");
    l.drive([&](weir_dev* d) { return weir_stall_limit_get(d, 1, &quanta); });
    l.drive([&](weir_dev* d) { return weir_stall_options_get(d, 1, &escape, &hold); });
    EXPECT_EQ(quanta, 4'000'000'000U);
    EXPECT_TRUE(escape);
    EXPECT_FALSE(hold);
}

}  // namespace
}  // namespace weir::acceptance
