// SPDX-License-Identifier: Apache-2.0
// The watchdog in hardware (G12) through the driver: T060 and T073, and recovery by hand.
#include <fmt/format.h>

#include <array>

#include "tests/acceptance/storm.h"
#include "tests/conformance/conformance.h"

namespace weir::acceptance {
namespace {

class hardware_bench : public storm_bench {
public:
    void configure(std::uint32_t granularity, std::uint32_t port, weir_wd_action action, std::uint32_t detection,
                   std::uint32_t recovery) {
        const weir_wd_hardware c{true, action, detection, recovery};
        run([&] {
            EXPECT_EQ(weir_wd_granularity_set(l.device(), granularity), WEIR_OK);
            EXPECT_EQ(weir_wd_hardware_set(l.device(), port, 3, &c), WEIR_OK);
        });
        // Everything begins now.
        origin = from_kernel(sc_core::sc_time_stamp());
    }
    weir_wd_events events(std::uint32_t port) {
        weir_wd_events e{};
        run([&] { EXPECT_EQ(weir_wd_events_take(l.device(), port, &e), WEIR_OK); });
        return e;
    }
    weir_wd_counters counters(std::uint32_t port) {
        weir_wd_counters c{};
        run([&] { EXPECT_EQ(weir_wd_counters_get(l.device(), port, 3, &c), WEIR_OK); });
        return c;
    }
    bool stormed(std::uint32_t port) {
        std::uint8_t bits = 0;
        run([&] { EXPECT_EQ(weir_wd_state_get(l.device(), port, &bits), WEIR_OK); });
        return bits == 0x08;
    }
};

// Detection after 15 ticks of 10 ms: a storm at 50 ms cannot be found before 200, and is at 210 at the latest. Recovery
// 300 ms. Held: a frame each ms from 50 on. Drop: those, what comes for the queue, and what comes into its group.
TEST(hardware_watchdog, drop_discards_what_is_held_and_what_comes) {
    hardware_bench b;
    b.configure(10, 1, WEIR_WD_DROP, 150, 300);
    b.flow(0, 1, 24, 0, 1000);
    b.flow(1, 2, 24, 0, 1000);
    b.flow(0, 1, 32, 0, 1000);
    b.flow(1, 2, 0, 0, 1000);
    b.storms(1, 0x08, {{50, 400}});
    b.until(199);
    EXPECT_FALSE(b.stormed(1));
    b.until(212);
    EXPECT_TRUE(b.stormed(1));
    weir_wd_events e = b.events(1);
    const weir_wd_events found = e;
    EXPECT_EQ(e.detected, 0x08);
    EXPECT_EQ(e.recovered, 0);
    EXPECT_EQ(b.events(1).detected, 0);
    weir_queue_usage held{};
    b.run([&] { EXPECT_EQ(weir_queue_usage_get(b.l.device(), 1, 3, &held), WEIR_OK); });
    EXPECT_EQ(held.used, 0U);
    std::uint32_t causes = 0;
    b.run([&] { EXPECT_EQ(weir_interrupts_take(b.l.device(), &causes), WEIR_OK); });
    EXPECT_NE(causes & WEIR_INT_WATCHDOG, 0U);
    weir_pfc_conformance c{};
    b.run([&] { EXPECT_EQ(weir_pfc_conformance_get(b.l.device(), 1, &c), WEIR_OK); });
    EXPECT_EQ(c.faults, WEIR_PFC_ESCAPE);  // P28: a lossless queue was emptied, and it says so

    b.until(1100);
    e = b.events(1);
    EXPECT_EQ(e.stormed, 0);
    EXPECT_EQ(e.recovered, 0x08);
    const weir_wd_counters n = b.counters(1);
    EXPECT_EQ(n.detections, 1U);
    EXPECT_EQ(n.recoveries, 1U);
    EXPECT_NEAR(static_cast<double>(n.tx_drops), 455, 7);  // 50 ms to 500 … 510
    EXPECT_NEAR(static_cast<double>(n.rx_drops), 300, 2);
    EXPECT_EQ(b.l.received(1), 2000 - n.tx_drops);
    EXPECT_EQ(b.l.received(2), 2000 - n.rx_drops);
    EXPECT_EQ(b.l.pfc_counters(1, 3).tx_requests, 0U);
    EXPECT_EQ(b.l.drops(0, WEIR_DROP_WATCHDOG) + b.l.drops(1, WEIR_DROP_WATCHDOG) + b.l.queue(1, 3).drop_frames,
              n.tx_drops + n.rx_drops);
    for (const char* id : {"M36", "T060"}) {
        conformance::row(id, "hardware, drop: 455 ± 7 for the queue, held ones among them, 300 ± 2 into its group",
                         fmt::format("{}, {}", n.tx_drops, n.rx_drops));
    }
    conformance::row("T073", "events: detected 08, then recovered 08",
                     fmt::format("detected {:02x}, then recovered {:02x}", found.detected, e.recovered));
}

// Forward: PFC for the queue is ignored, and still counted, until the end of the recovery; then the storm stops it
// again and is found again.
TEST(hardware_watchdog, forward_ignores_pauses_until_it_recovers) {
    hardware_bench b;
    b.configure(10, 1, WEIR_WD_FORWARD, 100, 200);
    b.flow(0, 1, 24, 0, 1500);
    b.storms(1, 0x08, {{50, 800}});  // detected at 150 to 160, back at 360, and again at 470, back at 670, again at 780
    b.until(250);
    EXPECT_TRUE(b.stormed(1));
    EXPECT_NEAR(static_cast<double>(b.l.received(1)), 250, 2);
    EXPECT_EQ(b.l.pfc_counters(1, 3).rx_frames, 11U);  // 50, 70, …, 250
    b.until(1600);
    EXPECT_EQ(b.counters(1).detections, 3U);
    EXPECT_EQ(b.counters(1).recoveries, 3U);
    EXPECT_EQ(b.counters(1).tx_drops, 0U);
    EXPECT_EQ(b.l.received(1), 1500U);
}

// Alert only tells: the queue stays stopped for as long as the peer says.
TEST(hardware_watchdog, alert_only_tells) {
    hardware_bench b;
    b.configure(10, 1, WEIR_WD_ALERT, 100, 100);
    b.flow(0, 1, 24, 0, 500);
    b.storms(1, 0x08, {{50, 400}});
    b.until(390);
    EXPECT_NEAR(static_cast<double>(b.l.received(1)), 50, 2);
    EXPECT_EQ(b.events(1).detected, 0x08);
    b.until(700);
    EXPECT_EQ(b.l.received(1), 500U);
}

// A queue that is stopped and holds nothing, one that holds and is not stopped, and one that moves now and then.
TEST(hardware_watchdog, a_queue_that_moves_or_is_empty_is_not_stormed) {
    hardware_bench b;
    b.configure(10, 1, WEIR_WD_DROP, 100, 100);
    b.flow(0, 1, 24, 700, 300);
    b.storms(1, 0x08, {{50, 650}, {710, 790}, {800, 880}, {890, 970}});  // none with data is 100 ms long
    b.until(1100);
    EXPECT_EQ(b.counters(1).detections, 0U);
    EXPECT_EQ(b.l.received(1), 300U);
}

// T073: 250 ms at a granularity of 100 ms are 200 read back; beyond 15 ticks, below one and beyond 1000 ms of recovery
// is refused; granularity comes before intervals.
TEST(hardware_watchdog, times_are_whole_ticks_and_read_back) {
    hardware_bench b;
    b.configure(100, 1, WEIR_WD_DROP, 250, 350);
    weir_wd_hardware c{};
    b.run([&] { EXPECT_EQ(weir_wd_hardware_get(b.l.device(), 1, 3, &c), WEIR_OK); });
    EXPECT_TRUE(c.enable);
    EXPECT_EQ(c.detection_ms, 200U);
    EXPECT_EQ(c.recovery_ms, 300U);
    for (const char* id : {"T073", "std.watchdog"}) {
        conformance::row(id, "detection of 250 ms in ticks of 100: 200 read back", fmt::format("{}", c.detection_ms));
    }
    const auto set = [&](weir_wd_hardware wanted) {
        weir_status status = WEIR_OK;
        b.run([&] { status = weir_wd_hardware_set(b.l.device(), 1, 3, &wanted); });
        return status;
    };
    EXPECT_EQ(set({true, WEIR_WD_DROP, 1501, 300}), WEIR_E_RANGE);
    EXPECT_EQ(set({true, WEIR_WD_DROP, 99, 300}), WEIR_E_RANGE);
    EXPECT_EQ(set({true, WEIR_WD_DROP, 1500, 99}), WEIR_E_RANGE);
    EXPECT_EQ(set({true, WEIR_WD_DROP, 1500, 1001}), WEIR_E_RANGE);
    EXPECT_EQ(set({true, WEIR_WD_DROP, 1500, 1000}), WEIR_OK);
    weir_status status = WEIR_OK;
    b.run([&] { status = weir_wd_granularity_set(b.l.device(), 10); });
    EXPECT_EQ(status, WEIR_E_CONFLICT);
    EXPECT_EQ(set({false, WEIR_WD_DROP, 0, 0}), WEIR_OK);
    b.run([&] { status = weir_wd_granularity_set(b.l.device(), 10); });
    EXPECT_EQ(status, WEIR_OK);
    b.run([&] { status = weir_wd_granularity_set(b.l.device(), 7); });
    EXPECT_EQ(status, WEIR_E_RANGE);
    b.l.shell("interface 1-2\npfcwd hardware queue 3,4 action forward detection-time 20 recovery-time 200\nshow pfcwd");
    b.run([&] { EXPECT_EQ(weir_wd_hardware_get(b.l.device(), 2, 4, &c), WEIR_OK); });
    EXPECT_EQ(c.action, WEIR_WD_FORWARD);
    EXPECT_EQ(c.detection_ms, 20U);
}

// T043: frames that stand in an output queue are discarded after the time set if the queue's watchdog is enabled, and
// stand if it is not. What it watches is a queue that the peer stops: one that software itself holds is left alone.
TEST(hardware_watchdog, empties_an_output_queue_that_stands_still) {
    hardware_bench b;
    b.configure(10, 1, WEIR_WD_DROP, 100, 100);
    b.l.shell(
        "interface 3\nqueue 3 dequeue off\npfcwd hardware queue 3 action drop detection-time 100 recovery-time 100");
    const std::int64_t start = (from_kernel(sc_core::sc_time_stamp()) - b.origin) / milliseconds(1) + 1;
    for (std::uint32_t port = 1; port < 4; ++port) b.flow(0, port, 24, start + 50, 50);
    b.storms(1, 0x08, {{start + 40, start + 290}});
    b.storms(2, 0x08, {{start + 40, start + 290}});
    b.until(start + 280);
    std::array<std::uint32_t, 4> held{};
    for (std::uint32_t port = 1; port < 4; ++port) {
        weir_queue_usage u{};
        b.run([&] { EXPECT_EQ(weir_queue_usage_get(b.l.device(), port, 3, &u), WEIR_OK); });
        held[port] = u.used;
    }
    EXPECT_EQ(held[1], 0U);
    EXPECT_EQ(b.counters(1).tx_drops, 50U);
    EXPECT_EQ(held[2], 50U);
    EXPECT_EQ(held[3], 50U);
    conformance::row(
        "T043",
        "stopped by the peer, enabled: 50 discarded, 0 held; not enabled: 50 held; closed by software alone, which "
        "nothing watches: 50 held",
        fmt::format("{} discarded, {}; {}; {}", b.counters(1).tx_drops, held[1], held[2], held[3]));
}

// Recovery by hand: twice is once, no timer ends it, and it needs no storm.
TEST(hardware_watchdog, software_begins_and_ends_a_recovery) {
    hardware_bench b;
    b.storms(1, 0x08, {{50, 1500}});
    b.flow(0, 1, 24, 100, 300);
    b.until(150);
    const auto recover = [&](bool on) {
        b.run([&] {
            EXPECT_EQ(weir_wd_recovery_set(b.l.device(), 1, 3, on), WEIR_OK);
            EXPECT_EQ(weir_wd_recovery_set(b.l.device(), 1, 3, on), WEIR_OK);
        });
    };
    EXPECT_FALSE(b.stormed(1));
    recover(true);
    EXPECT_TRUE(b.stormed(1));
    b.until(1450);
    EXPECT_TRUE(b.stormed(1));
    EXPECT_EQ(b.counters(1).tx_drops, 300U);
    recover(false);
    EXPECT_FALSE(b.stormed(1));
    EXPECT_EQ(b.events(1).detected, 0);
    EXPECT_EQ(b.events(1).recovered, 0);
    b.flow(0, 1, 24, 1600, 10);
    b.until(1700);
    EXPECT_EQ(b.l.received(1), 10U);
}

// A soft reset in the middle of a recovery leaves nothing of it.
TEST(hardware_watchdog, a_reset_forgets_recoveries) {
    hardware_bench b;
    b.run([&] { EXPECT_EQ(weir_wd_recovery_set(b.l.device(), 1, 3, true), WEIR_OK); });
    EXPECT_TRUE(b.stormed(1));
    b.run([&] {
        const weir_hal hal = b.l.machine().cpu(0).hal();
        EXPECT_EQ(weir_device_start(b.l.device(), &hal), WEIR_OK);
    });
    EXPECT_FALSE(b.stormed(1));
}

}  // namespace
}  // namespace weir::acceptance
