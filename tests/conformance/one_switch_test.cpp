// SPDX-License-Identifier: Apache-2.0
// What one switch and its neighbours show of the documents' mechanisms, failures and misconceptions.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <vector>

#include "models/ethernet/mac_control.h"
#include "sw/include/weir/buffer.h"
#include "tests/acceptance/lab.h"
#include "tests/conformance/conformance.h"
#include "tests/conformance/udp_octets.h"
#include "vp/headroom/headroom_models.h"

namespace weir::acceptance {
namespace {

using conformance::row;

constexpr thresholds usual{100, 20, 40, 8, 200};

double ns(picoseconds t) {
    return static_cast<double>(t.count()) / 1000;
}

/// Eight lossless classes, DSCP 8·n to class n.
std::string eight_classes(int xoff, int headroom) {
    std::string script = "pool create lossless ingress size 12000 cells\ntrust dscp\n";
    for (int n = 0; n < 8; ++n) script += fmt::format("map dscp {} tc {}\nmap tc {} pg {}\n", 8 * n, n, n, n);
    script += "interface all\n  pg all guaranteed 0\n";
    for (int n = 0; n < 8; ++n) script += fmt::format("  pfc enable priority {}\n", n);
    return script +
           fmt::format(
               "  pfc pause-threshold {}\n  pfc resume-threshold 10\n  pfc headroom {} cells\n  no shutdown\nexit",
               xoff, headroom);
}

// M05: each of eight classes in its own window fills its own reserve; all at once fill one wire's worth.
// 100G, 100 m, frames of 66 octets, one cell each, no own frame: 12580 octet times, ceil(12580/86) = 147 cells.
TEST(eight_headrooms, are_used_one_window_at_a_time) {
    lab_options o;
    o.ports = 2;
    o.cells = 20'000;
    o.cable_metres = 100;
    o.obey = true;
    lab l(o, eight_classes(200, 160));
    l.shell("interface 1\nqueue all dequeue off");
    std::string each;
    std::uint32_t sum = 0;
    for (std::uint8_t n = 0; n < 8; ++n) {
        l.start(0, 1, 2000, static_cast<std::uint8_t>(8 * n));
        l.settle(microseconds(50));
        const std::uint32_t used = l.take_group_peak(0, n).headroom;
        EXPECT_EQ(used, 147U) << int{n};
        each += fmt::format("{} ", used);
        sum += used;
    }
    EXPECT_EQ(l.all_drops(), 0U);
    const std::string measured = fmt::format("{}: {} in all", each, sum);
    row("M05", "eight windows of 147 cells, one after the other: 1176 reserved", measured);
    row("S43", "eight windows of 147 cells, one after the other", measured);
}

TEST(eight_headrooms, at_once_share_one_wire) {
    lab_options o;
    o.ports = 2;
    o.cells = 20'000;
    o.cable_metres = 100;
    o.obey = true;
    lab l(o, eight_classes(200, 160));
    l.shell("interface 1\nqueue all dequeue off");
    for (std::uint8_t n = 0; n < 8; ++n) l.start(0, 1, 2000, static_cast<std::uint8_t>(8 * n));
    l.settle(microseconds(200));
    std::uint32_t sum = 0;
    for (std::uint8_t n = 0; n < 8; ++n) sum += l.take_group_peak(0, n).headroom;
    // They cross within eight frame times of each other: 147 frames and eight, and never eight windows.
    EXPECT_GE(sum, 140U);
    EXPECT_LE(sum, 147U + 16U);
    row("M05", "eight classes at once: one window, 147 cells and at most 16 more", fmt::format("{}", sum));
}

// M06: others that hold the whole pool leave an idle group's headroom alone.
TEST(headroom, is_not_lent) {
    lab l({}, usual_script(usual));
    l.shell("interface 0-2\npg 0 pool lossless\ninterface 3\nqueue all dequeue off\nqueue 0 limit 4000");
    l.send(0, 3, 3500, 0);  // lossy group 0 takes all 3000 cells of the pool
    EXPECT_EQ(l.machine().chip(0).memory().pool(0).free(), 0);
    l.send(1, 3, 48, 24);  // 8 guaranteed, then headroom
    const std::uint64_t before = l.group(1, 3).drop_frames;
    EXPECT_EQ(before, 0U);
    EXPECT_EQ(l.group_usage(1, 3).headroom, 40U);
    l.send(1, 3, 1, 24);
    EXPECT_EQ(l.group(1, 3).drop_frames, 1U);
    row("M06", "pool exhausted by others: 8 guaranteed and 40 headroom still taken, the 49th dropped",
        fmt::format("{} of headroom, {} drops, then {}", l.group_usage(1, 3).headroom, before,
                    l.group(1, 3).drop_frames));
}

// M22: regions fill Guaranteed, Service, Headroom and drain the other way; C03: one change a crossing.
TEST(regions, fill_in_order_and_drain_the_other_way) {
    lab l({}, usual_script(usual));
    l.shell("interface 1-3\nqueue 3 dequeue off");
    const auto usage = [&] {
        const weir_group_usage u = l.group_usage(0, 3);
        return fmt::format("{}/{}/{}", u.guaranteed, u.service, u.headroom);
    };
    std::string filled;
    l.send(0, 1, 8);
    filled += usage() + " ";
    l.send(0, 1, 60);
    filled += usage() + " ";
    l.send(0, 2, 50);
    filled += usage() + " ";
    l.send(0, 3, 20);
    filled += usage();
    EXPECT_EQ(filled, "8/0/0 8/60/0 8/100/10 8/100/30");
    std::string drained;
    for (const std::uint32_t port : {3U, 2U, 1U}) {
        l.shell(fmt::format("interface {}\nqueue 3 dequeue on", port));
        l.settle();
        drained += usage() + " ";
    }
    EXPECT_EQ(drained, "8/100/10 8/60/0 0/0/0 ");
    row("M22", "guaranteed/service/headroom: 8/0/0 8/60/0 8/100/10 8/100/30, back 8/100/10 8/60/0 0/0/0",
        filled + ", back " + drained);
    const weir_pfc_counters c = l.pfc_counters(0, 3);
    EXPECT_EQ(c.tx_transitions, 1U);
    EXPECT_FALSE(l.group_usage(0, 3).paused);
    row("C03", "one pause, one release, 138 cells at the most",
        fmt::format("{} release, {} at most", c.tx_transitions, l.take_group_peak(0, 3).used));
}

// M26: a lossless queue has no limit of its own: the group decides, and the egress never drops.
TEST(egress, has_no_headroom_and_needs_none) {
    lab l({}, usual_script(usual));
    l.shell("interface 1\nqueue 3 dequeue off");
    l.send(0, 1, 148);
    l.send(2, 1, 148);
    l.send(3, 1, 149);
    EXPECT_EQ(l.queue(1, 3).drop_frames, 0U);
    EXPECT_EQ(l.group(3, 3).drop_frames, 1U);
    row("M26", "444 cells in a queue of three lossless senders: 0 drops of the queue, 1 of the group over its headroom",
        fmt::format("{}, {}", l.queue(1, 3).drop_frames, l.group(3, 3).drop_frames));
}

/// When the first PFC or PAUSE frame left a port.
struct control_watch : port::tap {
    void received(const ethernet::frame&, picoseconds, mmu::drop_reason) override {}
    void sent(const ethernet::frame& f, picoseconds now) override {
        const auto c = ethernet::parse_mac_control(f);
        if (c.outcome == ethernet::mac_control_outcome::pfc || c.outcome == ethernet::mac_control_outcome::pause)
            left.push_back(now);
    }
    std::vector<picoseconds> left;
};

// M13, D5, S48: a pause leaves within one longest frame at 10G, 1230.4 ns, although all eight classes are paused and a
// frame is on the wire; S49: two decisions in one window leave in one frame or two.
TEST(control_frames, leave_at_the_next_frame_boundary) {
    lab_options o;
    o.rate = "10G";
    lab l(o, usual_script(usual) + "\ninterface all\npfc rx all\nexit");
    control_watch watch;
    l.machine().chip(0).port(1).mac.observe(watch);
    // Port 1 is busy with a frame of 1518 octets and, from in the middle of it, stopped by its peer altogether.
    const picoseconds start = from_kernel(sc_core::sc_time_stamp()) + microseconds(20);
    ethernet::captured_frame own;
    own.octets = udp(l, 2, 1, 1518, 0);
    own.wire_length = 1518;
    own.fcs_good = true;
    l.machine().host(2).player.play({own, own}, start, 0);
    const data_rate rate = *data_rate::from_name("10G");
    const picoseconds begins = start + rate.octets(8 + 1518);
    l.machine().run_until(begins + nanoseconds(10));
    ethernet::captured_frame stop;
    stop.octets = lab::pfc(0xff, {0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff});
    stop.wire_length = 64;
    stop.fcs_good = true;
    l.machine().host(1).player.play({stop}, begins + nanoseconds(20), 0);
    l.machine().run_until(begins + nanoseconds(100));
    EXPECT_EQ(l.machine().chip(0).port(1).flow.receiver.stopped_queues(), 0xff);
    // The wish comes now.
    l.machine().chip(0).port(1).flow.generator.set_forced(0x08);
    l.settle(microseconds(5));
    ASSERT_FALSE(watch.left.empty());
    const picoseconds waited = watch.left.front() - (begins + nanoseconds(100));
    EXPECT_EQ(watch.left.front(), begins + rate.octets(1538));
    EXPECT_LE(waited, picoseconds{1'230'400});
    for (const char* id : {"M13", "D5", "S48"}) {
        row(id, "all eight paused, a 1518-octet frame on the wire at 10G: within 1230.4 ns",
            fmt::format("{} ns", ns(waited)));
    }
    l.machine().chip(0).port(1).mac.forget(watch);
}

TEST(control_frames, two_decisions_in_one_window_both_leave) {
    lab l({}, usual_script(usual));
    control_watch watch;
    l.machine().chip(0).port(1).mac.observe(watch);
    l.machine().chip(0).port(1).flow.generator.set_forced(0x08);
    l.machine().chip(0).port(1).flow.generator.set_forced(0x28);
    l.settle(microseconds(5));
    const auto at_peer = l.machine().host(1).flow.receiver.counters.frames;
    EXPECT_EQ(at_peer[3], watch.left.size());
    EXPECT_GE(at_peer[5], 1U);
    for (const char* id : {"S49", "S08"}) {
        row(id, "two wishes at once: the peer hears both, 3 and 5",
            fmt::format("{} and {} frames", at_peer[3], at_peer[5]));
    }
    l.machine().chip(0).port(1).mac.forget(watch);
}

// X08: the same PAUSE queued behind data as software may do it at 1G: behind 345 frames of 1518 octets, 512 KiB, it is
// 345 · 12.304 µs late, where the control slot takes one frame.
TEST(control_frames, queued_behind_data_are_milliseconds_late) {
    lab_options o;
    o.rate = "1G";
    lab l(o,
          usual_script({100, 20, 40, 8, 4000}) + "\ninterface all\nmtu 1600\nexit\npool resize lossy size 4000 cells");
    l.shell("interface 1\nqueue 0 dequeue off");
    std::vector<std::vector<std::uint8_t>> frames(345, udp(l, 0, 1, 1518, 0));
    l.inject(0, frames);
    l.settle(microseconds(5000));
    auto pause = lab::pause(0xffff);
    struct arrival_watch : port::tap {
        void received(const ethernet::frame& f, picoseconds now, mmu::drop_reason) override {
            if (ethernet::parse_mac_control(f).outcome == ethernet::mac_control_outcome::pause && at == picoseconds{0})
                at = now;
        }
        void sent(const ethernet::frame&, picoseconds) override {}
        picoseconds at{0};
    } watch;
    l.machine().host(1).mac.observe(watch);
    l.drive([&](weir_dev* d) { return weir_cpu_send(d, 1, pause.data(), static_cast<std::uint32_t>(pause.size())); });
    const picoseconds begin = from_kernel(sc_core::sc_time_stamp());
    l.shell("interface 1\nqueue 0 dequeue on");
    l.settle(microseconds(6000));
    ASSERT_GT(watch.at, picoseconds{0});
    const double late = ns(watch.at - begin) / 1e6;
    EXPECT_NEAR(late, 345 * 0.012304, 0.02);
    row("X08", "512 KiB ahead of it at 1G: 4.19 ms of octets, 4.24 ms with gaps", fmt::format("{:.2f} ms", late));
    l.machine().host(1).mac.forget(watch);
}

// M15, S64, S65: 23 senders at line rate into one: a lossy class drops 22/23, a lossless one nothing, and each sender
// gets 1/23.
class incast_23 : public ::testing::TestWithParam<bool> {};

TEST_P(incast_23, lossy_drops_and_lossless_does_not) {
    const bool lossless = GetParam();
    lab_options o;
    o.ports = 24;
    o.rate = "10G";
    o.cells = 16'384;
    o.obey = true;
    lab l(o, usual_script({100, 20, 60, 8, 200}));
    const std::uint64_t frames = 600;
    for (std::uint32_t from = 1; from < 24; ++from) l.start(from, 0, frames, lossless ? 24 : 0, 1456);
    const data_rate rate = *data_rate::from_name("10G");
    l.settle(rate.octets(50 * 1538));
    // Reading registers takes time: frames are counted over the window, drops over it and the readings.
    const std::uint64_t drops_before = l.all_drops();
    const std::uint64_t all_before = l.received(0);
    const std::uint64_t received_before = l.received(0);
    const picoseconds window = rate.octets(300 * 1538);
    l.settle(window);
    const auto received = static_cast<double>(l.received(0) - received_before);
    const auto dropped = static_cast<double>(l.all_drops() - drops_before);
    const auto delivered = static_cast<double>(l.received(0) - all_before);
    if (!lossless) {
        const double share = dropped / (dropped + delivered);
        EXPECT_NEAR(share, 22.0 / 23, 0.004);
        for (const char* id : {"M15", "S65"})
            row(id, "lossy, 23 to 1: 22/23 = 95.7 % dropped", fmt::format("{:.1f} %", 100 * share));
        return;
    }
    EXPECT_EQ(dropped, 0);
    std::uint64_t least = UINT64_MAX;
    std::uint64_t most = 0;
    for (std::uint32_t flow = 0; flow < 23; ++flow) {
        const std::uint64_t got = l.machine().ledger()[flow].frames_received;
        least = std::min(least, got);
        most = std::max(most, got);
    }
    const double mean = static_cast<double>(l.received(0)) / 23;
    EXPECT_NEAR(static_cast<double>(least), mean, 0.5 * mean);
    EXPECT_NEAR(static_cast<double>(most), mean, 0.5 * mean);
    EXPECT_NEAR(received, 300, 2);
    for (const char* id : {"M15", "S64"}) {
        row(id, "lossless, 23 to 1: 0 drops, the receiver's line full",
            fmt::format("{} drops, {:.1f} % of the line, {} to {} frames a sender", dropped, 100 * received / 300,
                        least, most));
    }
    row("Y09", "pauses rise and nothing is lost: the latter is the success",
        fmt::format("{} pauses at port 1, {} drops", l.pfc_counters(1, 3).tx_transitions, l.all_drops()));
}

INSTANTIATE_TEST_SUITE_P(classes, incast_23, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "lossless" : "lossy"; });

// §1.4, M40, S55: eight classes times eight destinations, paced to fill the sender's line; one destination is blocked.
// PAUSE holds the innocent 7/8 of the whole link, PFC 7/8 of one class of eight.
class collateral : public ::testing::TestWithParam<bool> {};

TEST_P(collateral, is_seven_eighths_of_what_is_stopped) {
    const bool whole_link = GetParam();
    lab_options o;
    o.ports = 9;
    o.cells = 40'000;
    o.obey = true;
    lab l(o, eight_classes(200, 300) + (whole_link ? "\ninterface 0\npfc receiver with-pause\npause tx\nexit" : ""));
    l.shell(whole_link ? "interface 1\nqueue all dequeue off" : "interface 1\nqueue 3 dequeue off");
    // 64 flows of frames of 1518 octets, each at 1/64 of the line; they start apart, so that they do not come in
    // bursts.
    const data_rate rate = *data_rate::from_name("100G");
    const picoseconds origin = from_kernel(sc_core::sc_time_stamp()) + microseconds(1);
    for (std::uint32_t n = 0; n < 64; ++n) {
        platforms::flow f;
        f.source = 0;
        f.destination = 1 + n % 8;
        f.priority = static_cast<std::uint8_t>(n / 8);
        f.dscp = static_cast<std::uint8_t>(8 * (n / 8));
        f.payload = 1456;
        f.octets = 1456ULL * 400;
        f.rate = rate.bits_per_second() / 64;
        f.start = n * rate.octets(1538);
        l.machine().add_flow(f, origin);
    }
    const auto innocent = [&] {
        std::uint64_t frames = 0;
        for (std::uint32_t host = 2; host < 9; ++host) frames += l.received(host);
        return frames;
    };
    l.machine().run_until(origin + microseconds(900));
    EXPECT_NE(
        l.machine().host(0).flow.receiver.paused() | (l.machine().host(0).flow.receiver.whole_link_paused() ? 0xff : 0),
        0);
    const std::uint64_t before = innocent();
    const picoseconds window = microseconds(400);
    l.machine().run_until(origin + microseconds(900) + window);
    const auto offered = static_cast<double>(window.count()) / static_cast<double>(rate.octets(1538).count());
    const double withheld = 100 * (offered * 7 / 8 - static_cast<double>(innocent() - before)) / offered;
    EXPECT_NEAR(withheld, whole_link ? 87.5 : 10.9, 1);
    for (const char* id : {"table.collateral", "M40", "S55"}) {
        row(id, whole_link ? "PAUSE: 87.5 % of the link is innocent and stopped ± 1" : "PFC: 10.9 % ± 1",
            fmt::format("{:.1f} %", withheld));
    }
}

INSTANTIATE_TEST_SUITE_P(frames, collateral, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "pause" : "pfc"; });

// X03, Y07: one ingress feeds four queues; the group pauses at 100 cells with no queue above Kmin 50: no mark comes
// first.
TEST(thresholds_in_disorder, pause_before_the_first_mark) {
    lab l({}, usual_script(usual) +
                  "\nwred profile 1 green min 50 cells max 80 cells probability 100%\ninterface all\nqueue 3 wred "
                  "profile 1 ecn\nexit");
    l.shell("interface 1-3\nqueue 3 dequeue off");
    platforms::flow f;
    f.source = 0;
    f.priority = 3;
    f.dscp = 24;
    f.payload = small_payload;
    f.congestion = ethernet::ecn::ect0;
    for (std::uint32_t to = 1; to < 4; ++to) {
        f.destination = to;
        f.octets = 40ULL * small_payload;
        l.machine().add_flow(f, from_kernel(sc_core::sc_time_stamp()));
    }
    l.settle();
    std::uint64_t marked = 0;
    for (std::uint32_t to = 1; to < 4; ++to)
        marked += l.machine().chip(0).memory().wred_counts(static_cast<std::uint16_t>(to), 3).marked;
    EXPECT_EQ(marked, 0U);
    EXPECT_EQ(l.pfc_counters(0, 3).tx_requests, 1U);
    for (const char* id : {"X03", "Y07"}) {
        row(id, "three queues of 40 below Kmin 50, the group at XOFF 100: 1 pause, 0 marks",
            fmt::format("{} pause, {} marks", l.pfc_counters(0, 3).tx_requests, marked));
    }
}

// X04: with a fixed limit, XOFF raised by x takes x cells of the room behind it.
TEST(xoff_alone, takes_the_room_behind_it) {
    std::string measured;
    lab l({}, usual_script({100, 20, 1, 8, 200}));
    l.shell("interface 0\npg 3 service-after-xoff on limit 140\ninterface 1\nqueue 3 dequeue off");
    for (const int xoff : {100, 120}) {
        l.shell(fmt::format("interface 0\npfc pause-threshold {}", xoff));
        const std::uint64_t before = l.group(0, 3).drop_frames;
        std::uint32_t after_pause = 0;
        l.send(0, 1, 8 + static_cast<std::uint64_t>(xoff));
        while (l.group(0, 3).drop_frames == before) {
            l.send(0, 1, 1);
            ++after_pause;
        }
        EXPECT_EQ(after_pause - 1, static_cast<std::uint32_t>(140 - xoff + 1));
        measured += fmt::format("{} ", after_pause - 1);
        l.shell("interface 1\nqueue 3 dequeue on");
        l.settle();
        l.shell("interface 1\nqueue 3 dequeue off");
    }
    row("X04", "limit 140, headroom 1: XOFF 100 leaves 41 cells, XOFF 120 leaves 21", measured);
}

// Y08, A05: eight lossless classes that the memory does not hold are refused by the driver.
TEST(too_many_lossless_classes, are_refused) {
    lab_options o;
    o.cells = 4096;
    o.cell_octets = 128;
    lab l(o, "pool create lossless ingress size 64 cells\ninterface all\nno shutdown\nexit");
    int enabled = 0;
    for (std::uint32_t n = 0; n < 8; ++n) {
        weir_status status = WEIR_OK;
        l.drive([&](weir_dev* d) {
            weir_group_config c{};
            weir_group_get(d, 0, n, &c);
            c.lossless = true;
            c.headroom = 990;  // 100G over 2 km, by the one-leg form
            status = weir_group_set(d, 0, n, &c);
            return WEIR_OK;
        });
        if (status == WEIR_OK) ++enabled;
    }
    EXPECT_EQ(enabled, 4);
    row("Y08", "990 cells each on 4096: four classes, the fifth refused", fmt::format("{}", enabled));
}

// Y14: thresholds do not scale with the rate: what the loop holds grows by less than four from 100G to 400G.
TEST(thresholds_at_400g, are_not_four_times_those_at_100g) {
    vp::headroom_question q;
    q.rate = *data_rate::from_name("100G");
    const double slow = vp::two_leg_headroom(q).octets();
    q.rate = *data_rate::from_name("400G");
    const double fast = vp::two_leg_headroom(q).octets();
    EXPECT_NEAR(fast / slow, 53'140.0 / 15'640, 1e-9);
    row("Y14", "headroom at 100 m: 3.4 times, not 4", fmt::format("{:.2f}", fast / slow));
}

// C14: pause time as a share of time: (a − d)/a = 50 % with a sender twice as fast, steady; C10 and C01 with it.
TEST(pause_time, is_a_share_of_time) {
    lab_options o;
    o.obey = true;
    lab l(o, usual_script({400, 100, 60, 8, 200}));
    l.shell("interface 1\nspeed 50G");
    l.settle();
    l.start(0, 1, 60'000, 24);
    l.settle(microseconds(50));
    const weir_pfc_counters before = l.pfc_counters(0, 3);
    const std::uint64_t sent = l.machine().chip(0).port(0).mac.counters.rx_frames;
    l.settle(microseconds(400));
    // Frames of 66 octets, 86 on the wire, in 400 µs of a 100G line.
    const double throughput =
        static_cast<double>(l.machine().chip(0).port(0).mac.counters.rx_frames - sent) * 86 * 0.08 / 4000;
    const weir_pfc_counters after = l.pfc_counters(0, 3);
    const double share = static_cast<double>(after.tx_paused_ns - before.tx_paused_ns) / 400'000;
    EXPECT_NEAR(share, 0.5, 0.02);
    row("C14", "100G into 50G: paused for (a - d)/a = 50 % of the time", fmt::format("{:.1f} %", 100 * share));
    EXPECT_EQ(l.all_drops(), 0U);
    row("T07", "no headroom discard, no pause that stays: 0 drops, resumed at the end",
        fmt::format("{} drops, {} pauses", l.all_drops(), after.tx_transitions - before.tx_transitions));
    const weir_port_counters port = l.port(0);
    EXPECT_NEAR(throughput, 50, 2);
    row("C10",
        "throughput, drops by ingress and pool, asserted pauses: 50 % of the ingress line, 0, 0, as many as resumed",
        fmt::format("{:.0f} % of the ingress line, {}, {}, {}", throughput, port.rx_discards, l.group(0, 3).drop_frames,
                    after.tx_transitions));
}

}  // namespace
}  // namespace weir::acceptance
