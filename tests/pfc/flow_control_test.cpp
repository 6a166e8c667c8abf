// SPDX-License-Identifier: Apache-2.0
// Rules G1 to G6 on one port's flow control: what it sends, and what it does with what it is sent.
#include "models/pfc/flow_control.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "models/ethernet/mac_control.h"
#include "tests/conformance/conformance.h"

namespace weir::pfc {
namespace {

class flow_bench : public sc_core::sc_module, public port::transmit_if {
public:
    explicit flow_bench(const char* rate = "100G")
        : sc_module(sc_core::sc_module_name("bench")), time("time"), flow("flow", time, frames) {
        flow.transmitter.bind(*this);
        flow.set_rate(*data_rate::from_name(rate));
        for (std::uint8_t i = 0; i < 8; ++i) {
            flow.generator.set_group_priorities(i, static_cast<bitmap>(1U << i));
            flow.receiver.set_priority_queues(i, static_cast<bitmap>(1U << i));
        }
        flow.generator.set_enabled(0xff);
        flow.generator.set_source({2, 0, 0, 0, 0, 1});
        flow.receiver.set_enabled(0xff);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        flow.link_changed(true);
        woken = 0;
    }
    void wake() override { ++woken; }

    /// The frame that leaves now, parsed; not_mac_control: none.
    ethernet::mac_control sent() {
        ethernet::frame* f = flow.next_control_frame(time.now());
        if (f == nullptr) return {};
        const ethernet::mac_control c = ethernet::parse_mac_control(*f);
        f->release();
        return c;
    }
    void receive(std::uint8_t vector, const ethernet::pause_times& times) {
        ethernet::frame* f = frames.take();
        ethernet::build_pfc(*f, {2, 0, 0, 0, 0, 2}, vector, times);
        EXPECT_TRUE(flow.receive(*f, time.now()));
        f->release();
    }
    void receive_pause(std::uint16_t quanta) {
        ethernet::frame* f = frames.take();
        ethernet::build_pause(*f, {2, 0, 0, 0, 0, 2}, quanta);
        EXPECT_TRUE(flow.receive(*f, time.now()));
        f->release();
    }
    void run_to(picoseconds t) {
        time.run_until(t + picoseconds{1});
        time.advance_to(t + picoseconds{1});
    }

    ethernet::frame_pool frames;
    timeline time;
    flow_control flow;
    int woken{0};
};

using outcome = ethernet::mac_control_outcome;

// M01, G4: the frame names the priority with its quanta, from the port's own address; nothing more is sent after it.
TEST(pause_generator, announces_a_wish_once) {
    flow_bench b;
    b.flow.group_wishes(3, true);
    EXPECT_EQ(b.woken, 1);
    const auto c = b.sent();
    EXPECT_EQ(c.outcome, outcome::pfc);
    EXPECT_EQ(c.vector, 0x08);
    EXPECT_EQ(c.time, (ethernet::pause_times{0, 0, 0, 0xffff, 0, 0, 0, 0}));
    EXPECT_EQ(b.sent().outcome, outcome::not_mac_control);
    EXPECT_EQ(b.flow.generator.counters.frames, 1U);
}

// G2, F7: whoever is released is named with time 0 beside whoever is still paused, so both readings agree.
TEST(pause_generator, names_the_paused_and_the_just_released) {
    flow_bench b;
    b.flow.group_wishes(3, true);
    b.flow.group_wishes(5, true);
    EXPECT_EQ(b.sent().vector, 0x28);
    b.flow.group_wishes(3, false);
    const auto c = b.sent();
    EXPECT_EQ(c.vector, 0x28);
    EXPECT_EQ(c.time, (ethernet::pause_times{0, 0, 0, 0, 0, 0xffff, 0, 0}));
    b.flow.group_wishes(5, false);
    const auto last = b.sent();
    EXPECT_EQ(last.vector, 0x20);
    EXPECT_EQ(last.time, (ethernet::pause_times{}));
    conformance::row("M02", "a release is a bit that is set with time 0 (20, 0), right for both readings",
                     fmt::format("{:02x}, {}", last.vector, last.time[5]));
}

// G1, X06: the frame is built when it leaves. A wish that came and went says nothing, but was a transition all the
// same.
TEST(pause_generator, builds_from_the_wishes_of_the_moment) {
    flow_bench b;
    b.flow.group_wishes(3, true);
    b.flow.group_wishes(3, false);
    EXPECT_EQ(b.sent().outcome, outcome::not_mac_control);
    EXPECT_EQ(b.flow.generator.counters.transitions[3], 1U);
    b.flow.group_wishes(3, true);
    b.flow.group_wishes(4, true);
    const auto both = b.sent();
    EXPECT_EQ(both.vector, 0x18);  // the second decision is not lost
    for (const char* id : {"D1", "S08"}) {
        conformance::row(id, "two requests before a frame leaves: one frame with both, vector 18",
                         fmt::format("vector {:02x}", both.vector));
    }
    b.flow.group_wishes(3, false);
    b.flow.group_wishes(3, true);
    EXPECT_EQ(b.sent().outcome, outcome::not_mac_control);  // as announced
}

// G2: several groups on one priority, one group on several: OR.
TEST(pause_generator, ors_groups_onto_priorities) {
    flow_bench b;
    b.flow.generator.set_group_priorities(1, 0x06);
    b.flow.generator.set_group_priorities(2, 0x02);
    b.flow.group_wishes(1, true);
    b.flow.group_wishes(2, true);
    EXPECT_EQ(b.sent().vector, 0x06);
    b.flow.group_wishes(1, false);
    const auto c = b.sent();
    EXPECT_EQ(c.vector, 0x06);
    EXPECT_EQ(c.time[1], 0xffff);
    EXPECT_EQ(c.time[2], 0);
}

// R13: clearing the transmit enable while paused sends one time-0 frame. P17: a priority not enabled is never sent.
TEST(pause_generator, clearing_the_enable_sends_one_release) {
    flow_bench b;
    b.flow.group_wishes(3, true);
    (void)b.sent();
    b.flow.generator.set_enabled(0);
    const auto c = b.sent();
    EXPECT_EQ(c.vector, 0x08);
    EXPECT_EQ(c.time[3], 0);
    EXPECT_EQ(b.sent().outcome, outcome::not_mac_control);
    b.flow.group_wishes(4, true);
    EXPECT_EQ(b.sent().outcome, outcome::not_mac_control);
}

// M27: refreshed after `refresh` quanta from the last frame, and not before. 100G: 1000 quanta are 5.12 µs.
TEST(pause_generator, refreshes_while_the_pause_is_wanted) {
    flow_bench b;
    b.flow.generator.set_refresh(1000);
    b.flow.group_wishes(3, true);
    (void)b.sent();
    b.run_to(nanoseconds(5120) - picoseconds{2});
    EXPECT_EQ(b.sent().outcome, outcome::not_mac_control);
    b.run_to(nanoseconds(5120));
    EXPECT_EQ(b.sent().vector, 0x08);
    EXPECT_EQ(b.sent().outcome, outcome::not_mac_control);
    b.flow.group_wishes(3, false);
    (void)b.sent();
    b.run_to(nanoseconds(50000));
    EXPECT_EQ(b.sent().outcome, outcome::not_mac_control);
    EXPECT_EQ(b.flow.generator.counters.transitions[3], 1U);
    EXPECT_EQ(b.flow.generator.counters.requests[3], 3U);
}

TEST(pause_generator, accumulates_the_time_for_which_a_pause_was_wanted) {
    flow_bench b;
    b.flow.group_wishes(3, true);
    b.run_to(nanoseconds(700) - picoseconds{1});
    EXPECT_EQ(b.flow.generator.paused_for(3, b.time.now()), nanoseconds(700));
    b.flow.group_wishes(3, false);
    b.run_to(nanoseconds(900));
    EXPECT_EQ(b.flow.generator.paused_for(3, b.time.now()), nanoseconds(700));
}

// M40: 802.3x stops the whole link.
TEST(pause_generator, whole_link_sends_pause_frames) {
    flow_bench b;
    b.flow.generator.set_whole_link(true);
    b.flow.group_wishes(3, true);
    const auto on = b.sent();
    EXPECT_EQ(on.outcome, outcome::pause);
    EXPECT_EQ(on.pause_time, 0xffff);
    b.flow.group_wishes(3, false);
    EXPECT_EQ(b.sent().pause_time, 0);
    EXPECT_EQ(b.flow.generator.counters.pause_frames, 2U);
}

// R13: the link going down forgets what was announced and wished.
TEST(pause_generator, a_link_that_goes_down_forgets) {
    flow_bench b;
    b.flow.group_wishes(3, true);
    (void)b.sent();
    b.flow.link_changed(false);
    EXPECT_EQ(b.sent().outcome, outcome::not_mac_control);
    b.flow.link_changed(true);
    EXPECT_EQ(b.sent().outcome, outcome::not_mac_control);
    EXPECT_EQ(b.flow.generator.wanted(), 0);
}

// G6, P13, F12: N quanta are N quanta, at every rate of the model.
TEST(pause_receiver, n_quanta_last_exactly_n_quanta) {
    flow_bench b;
    picoseconds start{0};
    picoseconds furthest{0};
    picoseconds opened{0};
    b.flow.on_gate(&b, [&](bitmap stopped) {
        if (stopped == 0) opened = b.time.now();
    });
    for (const char* name : {"1G", "10G", "25G", "40G", "50G", "100G", "200G", "400G", "800G", "1.6T"}) {
        const data_rate rate = *data_rate::from_name(name);
        b.flow.set_rate(rate);
        for (const std::uint16_t n : {std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{255}, std::uint16_t{65535}}) {
            b.run_to(start);
            start = b.time.now();
            ethernet::pause_times t{};
            t[3] = n;
            b.receive(0x08, t);
            const picoseconds end = start + rate.octets(std::int64_t{n} * 64);
            b.time.run_until(end - picoseconds{1});
            EXPECT_EQ(b.flow.stopped_queues(), 0x08) << name << " " << n;
            b.time.run_until(end);
            b.time.run_until(end + picoseconds{1});
            EXPECT_EQ(b.flow.stopped_queues(), 0) << name << " " << n;
            EXPECT_EQ(opened, end);
            furthest = std::max(furthest, opened > end ? opened - end : end - opened);
            start = end + picoseconds{10};
        }
    }
    EXPECT_EQ(b.flow.receiver.counters.expiries[3], 40U);
    EXPECT_EQ(b.flow.receiver.counters.releases[3], 0U);
    for (const char* id : {"F12", "S20", "D4"}) {
        conformance::row(
            id, "1, 2, 255 and 65535 quanta at ten rates: open at N quanta, to the picosecond, 40 times",
            fmt::format("{} ps off at most, {} times", furthest.count(), b.flow.receiver.counters.expiries[3]));
    }
}

// F7, G3: vector 0x08, then 0x20. A standard receiver leaves class 3 stopped; a complete-state one releases it.
TEST(pause_receiver, a_clear_bit_leaves_a_timer_alone_unless_state_is_complete) {
    flow_bench b;
    for (const bool complete : {false, true}) {
        b.flow.receiver.set_complete_state(complete);
        b.receive(0xff, {});
        b.receive(0x08, {0, 0, 0, 1000, 0, 0, 0, 0});
        b.receive(0x20, {0, 0, 0, 0, 0, 1000, 0, 0});
        EXPECT_EQ(b.flow.stopped_queues(), complete ? 0x20 : 0x28);
        for (const char* id : {"F7", "M02", "std.timers"}) {
            conformance::row(
                id,
                complete ? "vector 08, then 20; complete state: 20 stopped" : "vector 08, then 20; 802.1Q: 28 stopped",
                fmt::format("{:02x} stopped", b.flow.stopped_queues()));
        }
    }
}

// §3.2: a new value replaces the old one, it never adds; shorter overwrites too. M28: time 0 releases.
TEST(pause_receiver, a_new_time_replaces_the_old_one) {
    flow_bench b;  // 5.12 ns a quantum
    b.receive(0x08, {0, 0, 0, 1000, 0, 0, 0, 0});
    b.run_to(nanoseconds(1000));
    b.receive(0x08, {0, 0, 0, 100, 0, 0, 0, 0});  // until 1512 ns
    b.run_to(nanoseconds(1511));
    EXPECT_EQ(b.flow.stopped_queues(), 0x08);
    b.run_to(nanoseconds(1513));
    EXPECT_EQ(b.flow.stopped_queues(), 0);
    for (const char* id : {"S24", "std.timers"}) {
        conformance::row(id, "1000 quanta of 5.12 ns, after 1000 ns 100: 1512 ns in all",
                         fmt::format("{} ns", b.flow.receiver.paused_for(3, b.time.now()).count() / 1000));
    }
    b.receive(0x08, {0, 0, 0, 1000, 0, 0, 0, 0});
    b.receive(0x08, {});
    EXPECT_EQ(b.flow.stopped_queues(), 0);
    conformance::row("S22", "1000 quanta, then 0 at once: 00 stopped",
                     fmt::format("{:02x} stopped", b.flow.stopped_queues()));
    EXPECT_EQ(b.flow.receiver.counters.expiries[3], 1U);
    EXPECT_EQ(b.flow.receiver.counters.releases[3], 1U);
    EXPECT_EQ(b.flow.receiver.counters.transitions[3], 2U);
    EXPECT_EQ(b.flow.receiver.counters.frames[3], 4U);
    EXPECT_EQ(b.flow.receiver.counters.quanta[3], 2100U);
    for (const char* id : {"C02", "S25", "S26"}) {
        conformance::row(id, "one pause runs out, one is released: 1 expiry, 1 release",
                         fmt::format("{} expiry, {} release", b.flow.receiver.counters.expiries[3],
                                     b.flow.receiver.counters.releases[3]));
    }
}

TEST(pause_receiver, a_refresh_extends_the_pause) {
    flow_bench b;
    for (int i = 0; i < 10; ++i) {
        b.receive(0x08, {0, 0, 0, 100, 0, 0, 0, 0});  // 512 ns, every 500
        b.run_to(nanoseconds(500 * (i + 1)));
        EXPECT_EQ(b.flow.stopped_queues(), 0x08);
    }
    b.run_to(nanoseconds(5013));
    EXPECT_EQ(b.flow.stopped_queues(), 0);
    EXPECT_EQ(b.flow.receiver.counters.transitions[3], 1U);
    // Ten times 100 quanta every 500 ns: 9 · 500 + 512 ns, where sums would be 5120.
    EXPECT_NEAR(static_cast<double>(b.flow.receiver.paused_for(3, b.time.now()).count()) / 1000, 5012, 0.1);
    conformance::row("S23", "ten times 100 quanta, 500 ns apart: one pause of 5012 ns, not of 5120",
                     fmt::format("{} pause of {} ns", b.flow.receiver.counters.transitions[3],
                                 b.flow.receiver.paused_for(3, b.time.now()).count() / 1000));
}

// §3.2: each priority has a timer of its own.
TEST(pause_receiver, eight_timers_run_by_themselves) {
    flow_bench b;  // 5.12 ns a quantum
    b.receive(0xff, {100, 200, 300, 400, 500, 600, 700, 800});
    std::string open;
    for (std::uint32_t p = 0; p < 8; ++p) {
        const picoseconds end = b.flow.rate().quanta(100 * (p + 1));
        b.time.run_until(end - picoseconds{1});
        EXPECT_EQ(b.flow.stopped_queues(), 0xffU << p & 0xffU);
        b.time.run_until(end + picoseconds{1});
        EXPECT_EQ(b.flow.stopped_queues(), 0xfeU << p & 0xffU);
        open += fmt::format("{:02x} ", b.flow.stopped_queues());
    }
    conformance::row("S27", "100 to 800 quanta: stopped after each fe fc f8 f0 e0 c0 80 00", open);
}

// M10: the pause is a dead man's switch. A refresh or a release that the wire loses: open when the quanta granted last
// are over.
TEST(pause_receiver, a_lost_frame_costs_the_quanta_granted_last) {
    flow_bench b;
    for (const bool refreshed : {true, false}) {
        const picoseconds start = b.time.now();
        b.receive(0x08, {0, 0, 0, 100, 0, 0, 0, 0});
        if (refreshed) {
            b.run_to(start + nanoseconds(400));
            b.receive(0x08, {0, 0, 0, 100, 0, 0, 0, 0});
        }
        const picoseconds end = b.time.now() + nanoseconds(512);
        b.run_to(end - picoseconds{2});  // the frame that was to come is lost
        EXPECT_EQ(b.flow.stopped_queues(), 0x08);
        b.time.run_until(end + picoseconds{1});
        EXPECT_EQ(b.flow.stopped_queues(), 0);
        const auto open = (b.time.now() - start).count() / 1000;
        if (refreshed) {
            conformance::row("S28", "refreshed after 400 ns, the next refresh lost: open after 912 ns",
                             fmt::format("{} ns", open));
        } else {
            for (const char* id : {"S29", "X06"}) {
                conformance::row(id, "100 quanta at 100G, the release lost: open after 512 ns",
                                 fmt::format("{} ns", open));
            }
        }
        b.run_to(end + nanoseconds(100));
    }
    EXPECT_EQ(b.flow.receiver.counters.expiries[3], 2U);
    EXPECT_EQ(b.flow.receiver.counters.releases[3], 0U);
}

// A08, C02: what one port sends and another receives. Refreshed in time, a pause ends by its release alone; refreshed
// after its quanta, it runs out before each refresh.
TEST(pause_receiver, refreshes_in_time_leave_nothing_to_expire) {
    flow_bench b;
    constexpr std::uint16_t quanta = 4000;
    b.flow.generator.set_quanta(quanta);
    std::string expected;
    std::string measured;
    for (const std::uint16_t refresh :
         {std::uint16_t{1000}, std::uint16_t{2000}, std::uint16_t{3000}, std::uint16_t{3900}, std::uint16_t{5000}}) {
        b.flow.generator.set_refresh(refresh);
        b.flow.clear_statistics();
        const picoseconds start = b.time.now();
        const picoseconds end = start + b.flow.rate().quanta(10 * quanta + 500);
        b.flow.group_wishes(3, true);
        const auto exchange = [&] {
            ethernet::frame* f = b.flow.next_control_frame(b.time.now());
            if (f == nullptr) return;
            EXPECT_TRUE(b.flow.receive(*f, b.time.now()));
            f->release();
        };
        for (picoseconds t = start; t < end; t += b.flow.rate().quanta(1)) {
            b.time.run_until(t);
            b.time.advance_to(t);
            exchange();
        }
        b.flow.group_wishes(3, false);
        exchange();
        const auto frames = b.flow.generator.counters.frames;
        const auto& c = b.flow.receiver.counters;
        const bool in_time = refresh < quanta;
        // The pause, its refreshes and the release.
        const std::uint64_t due = 2 + (10 * quanta + 499) / refresh;
        EXPECT_EQ(frames, due) << refresh;
        EXPECT_EQ(c.expiries[3], in_time ? 0U : due - 2) << refresh;
        EXPECT_EQ(c.releases[3], 1U) << refresh;
        expected += fmt::format("{} frames {} expiries; ", due, in_time ? 0 : due - 2);
        measured += fmt::format("{} frames {} expiries; ", frames, c.expiries[3]);
        b.run_to(b.time.now() + b.flow.rate().quanta(10));
    }
    for (const char* id : {"A08", "C02"}) {
        conformance::row(id, "4000 quanta again after 1000, 2000, 3000, 3900 and 5000: " + expected, measured);
    }
}

// G6: the response delay moves the gate, never the expiry.
TEST(pause_receiver, a_response_delay_moves_the_gate_and_not_the_expiry) {
    flow_bench b;
    b.flow.receiver.set_response_delay(nanoseconds(200));
    b.receive(0x08, {0, 0, 0, 100, 0, 0, 0, 0});  // expires at 512 ns
    b.run_to(nanoseconds(199));
    EXPECT_EQ(b.flow.stopped_queues(), 0);
    EXPECT_EQ(b.flow.receiver.paused(), 0x08);
    b.run_to(nanoseconds(200));
    EXPECT_EQ(b.flow.stopped_queues(), 0x08);
    b.run_to(nanoseconds(511));
    EXPECT_EQ(b.flow.stopped_queues(), 0x08);
    b.run_to(nanoseconds(512));
    EXPECT_EQ(b.flow.stopped_queues(), 0);

    b.receive(0x08, {0, 0, 0, 1000, 0, 0, 0, 0});  // at 512 ns and a picosecond
    b.run_to(nanoseconds(800));
    b.receive(0x08, {});
    EXPECT_EQ(b.flow.receiver.paused(), 0);
    b.run_to(nanoseconds(999));
    EXPECT_EQ(b.flow.stopped_queues(), 0x08);
    b.run_to(nanoseconds(1001));
    EXPECT_EQ(b.flow.stopped_queues(), 0);
}

// T051: only enabled priorities stop; T044: all are counted.
TEST(pause_receiver, counts_every_priority_and_stops_the_enabled_ones) {
    flow_bench b;
    b.flow.receiver.set_enabled(0x18);
    ethernet::pause_times all;
    all.fill(0xffff);
    for (int i = 0; i < 10; ++i) b.receive(0xff, all);
    EXPECT_EQ(b.flow.stopped_queues(), 0x18);
    for (std::size_t p = 0; p < 8; ++p) EXPECT_EQ(b.flow.receiver.counters.frames[p], 10U);
    b.flow.receiver.set_enabled(0x10);
    EXPECT_EQ(b.flow.stopped_queues(), 0x10);
}

// T046: PAUSE is no PFC. M40: it stops every queue, when it is enabled.
TEST(pause_receiver, pause_frames_stop_the_whole_link_when_enabled) {
    flow_bench b;
    b.receive_pause(1000);
    EXPECT_EQ(b.flow.stopped_queues(), 0);
    b.flow.receiver.set_pause_enabled(true);
    b.receive_pause(1000);
    EXPECT_EQ(b.flow.stopped_queues(), 0xff);
    EXPECT_TRUE(b.flow.receiver.whole_link_paused());
    b.receive_pause(0);
    EXPECT_EQ(b.flow.stopped_queues(), 0);
    EXPECT_EQ(b.flow.receiver.counters.pause, 3U);
    EXPECT_EQ(b.flow.receiver.counters.seen, 0U);
    for (std::size_t p = 0; p < 8; ++p) EXPECT_EQ(b.flow.receiver.counters.frames[p], 0U);
}

// G2: several priorities on one queue: OR.
TEST(pause_receiver, a_queue_stops_while_any_of_its_priorities_is_stopped) {
    flow_bench b;
    b.flow.receiver.set_priority_queues(3, 0x01);
    b.flow.receiver.set_priority_queues(4, 0x01);
    b.receive(0x18, {0, 0, 0, 1000, 1000, 0, 0, 0});
    b.receive(0x08, {});
    EXPECT_EQ(b.flow.stopped_queues(), 0x01);
    b.receive(0x10, {});
    EXPECT_EQ(b.flow.stopped_queues(), 0);
}

TEST(flow_control, tells_everybody_who_watches_its_gates_until_he_is_forgotten) {
    flow_bench b;
    int first = 0;
    int second = 0;
    b.flow.on_gate(&first, [&](bitmap /*stopped*/) { ++first; });
    b.flow.on_gate(&second, [&](bitmap /*stopped*/) { ++second; });
    b.receive(1U << 3, {0, 0, 0, 100, 0, 0, 0, 0});
    EXPECT_EQ(first, 1);
    EXPECT_EQ(second, 1);
    b.flow.forget_gate(&first);
    b.receive(1U << 3, {});
    EXPECT_EQ(first, 1);
    EXPECT_EQ(second, 2);
}

TEST(pause_receiver, a_link_that_goes_down_releases_everything) {
    flow_bench b;
    b.receive(0x08, {0, 0, 0, 1000, 0, 0, 0, 0});
    b.flow.link_changed(false);
    EXPECT_EQ(b.flow.stopped_queues(), 0);
    EXPECT_EQ(b.flow.receiver.paused(), 0);
}

}  // namespace
}  // namespace weir::pfc
