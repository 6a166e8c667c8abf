// SPDX-License-Identifier: Apache-2.0
// The watchdog in software as NOS suites test it: T060 to T068, T070 to T072, for every detector.
//
// The usual course, polls every 100 ms, detection and restoration 200 ms: a storm from 50 to 650 ms is seen by the
// polls at 200 and 300 (at 100 there is no baseline yet), so it is detected at 300; the last PFC frame comes at 650,
// the polls at 800 and 900 see no more, so it is restored at 900.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>

#include "tests/acceptance/storm.h"
#include "tests/conformance/conformance.h"

namespace weir::acceptance {
namespace {

struct seen_event {
    weir_wd_event what;
    std::int64_t ms;
};

class watched_bench : public storm_bench {
public:
    explicit watched_bench(weir_wd_detector detector = WEIR_WD_PRESTERA, std::uint32_t ports = 4)
        : storm_bench(ports), wd(std::make_unique<weir_watchdog>()) {
        weir_watchdog_init(
            wd.get(), l.device(),
            [](void* ctx, const weir_wd_event* e) {
                auto& self = *static_cast<watched_bench*>(ctx);
                const picoseconds now = self.l.machine().cpu(0).local_time() - self.origin;
                self.events.push_back({*e, now / milliseconds(1)});
            },
            this);
        EXPECT_EQ(weir_watchdog_detector_set(wd.get(), detector), WEIR_OK);
    }
    void start(std::uint32_t port, weir_wd_action action = WEIR_WD_DROP, std::uint32_t detection = 200,
               std::uint32_t restoration = 200) {
        const weir_wd_config c{action, detection, restoration};
        EXPECT_EQ(weir_watchdog_start(wd.get(), port, &c), WEIR_OK) << weir_device_message(l.device(), WEIR_E_RANGE);
    }
    /// Polls at each whole interval after the bench's beginning, up to and including `ms`.
    void poll_until(std::int64_t ms, const std::function<void()>& after = {}) {
        run(
            [&] {
                auto& cpu = l.machine().cpu(0);
                for (;;) {
                    next_poll += milliseconds(wd->poll_ms);
                    if (next_poll > milliseconds(ms)) break;
                    cpu.wait_until(origin + next_poll);
                    EXPECT_EQ(weir_watchdog_poll(wd.get()), WEIR_OK) << weir_device_message(l.device(), WEIR_E_BUS);
                    if (after) after();
                }
                next_poll -= milliseconds(wd->poll_ms);
            },
            milliseconds(10));
    }
    weir_wd_status status(std::uint32_t port, std::uint32_t priority) {
        weir_wd_status s{};
        run([&] { EXPECT_EQ(weir_watchdog_status_get(wd.get(), port, priority, &s), WEIR_OK); });
        return s;
    }
    [[nodiscard]] std::vector<std::int64_t> times(bool stormed, std::uint32_t port) const {
        std::vector<std::int64_t> all;
        for (const seen_event& e : events) {
            if (e.what.stormed == stormed && e.what.port == port) all.push_back(e.ms);
        }
        return all;
    }

    std::unique_ptr<weir_watchdog> wd;
    std::vector<seen_event> events;
    picoseconds next_poll{0};
};

using ms_list = std::vector<std::int64_t>;

/// "a, b" of times in ms.
std::string in_ms(const ms_list& times) {
    return times.empty() ? "never" : fmt::format("{}", fmt::join(times, ", "));
}

class every_detector : public testing::TestWithParam<int> {
protected:
    weir_wd_detector detector() const { return static_cast<weir_wd_detector>(GetParam()); }
};
std::string detector_name(const testing::TestParamInfo<int>& one) {
    return weir_wd_detector_text(static_cast<std::uint32_t>(one.param));
}
INSTANTIATE_TEST_SUITE_P(watchdog, every_detector, testing::Range(0, static_cast<int>(WEIR_WD_DETECTORS)),
                         detector_name);

// T060, drop: (i) to the stormed queue and (ii) into its group are dropped while stormed, except (ii) on Teralynx,
// whose zero profile is one of queues alone; (iii) the other lossless queue and (iv) other groups pass. What was queued
// stays and leaves. Afterwards everything passes.
TEST_P(every_detector, drop_discards_only_what_has_to_do_with_the_storm) {
    watched_bench b(detector());
    b.start(1);
    b.flow(0, 1, 24, 0, 2000);  // (i)
    b.flow(1, 2, 24, 0, 2000);  // (ii)
    b.flow(0, 1, 32, 0, 2000);  // (iii)
    b.flow(1, 2, 0, 0, 2000);   // (iv)
    b.storms(1, 0x08, {{50, 650}});
    b.poll_until(2100);
    EXPECT_EQ(b.times(true, 1), (ms_list{300}));
    EXPECT_EQ(b.times(false, 1), (ms_list{900}));
    const weir_wd_status s = b.status(1, 3);
    EXPECT_FALSE(s.stormed);
    EXPECT_NEAR(static_cast<double>(s.tx_dropped), 600, 2);  // 300 to 900 ms, a frame each
    EXPECT_EQ(s.tx_dropped_last, s.tx_dropped);
    EXPECT_EQ(b.l.received(1), 4000 - s.tx_dropped);
    if (detector() == WEIR_WD_TERALYNX) {
        EXPECT_EQ(b.l.received(2), 4000U);
    } else {
        EXPECT_NEAR(static_cast<double>(s.rx_dropped), 600, 2);
        EXPECT_EQ(b.l.received(2), 4000 - s.rx_dropped);
    }
    EXPECT_EQ(b.l.pfc_counters(1, 3).tx_requests, 0U);  // the switch itself paused nobody
    const char* name = weir_wd_detector_text(detector());
    const bool queues_alone = detector() == WEIR_WD_TERALYNX;
    conformance::row("T060",
                     fmt::format("drop, {}: 600 ± 2 frames for the queue, {} into its group; others pass", name,
                                 queues_alone ? "0" : "600 ± 2"),
                     fmt::format("{}, {}", s.tx_dropped, 4000 - b.l.received(2)));
    for (const char* id : {"M36", "std.watchdog"}) {
        conformance::row(id,
                         fmt::format("{}, 200 ms both, poll 100, storm 50 to 650: found at 300, restored at 900", name),
                         fmt::format("{}, {} ms", in_ms(b.times(true, 1)), in_ms(b.times(false, 1))));
    }
}

// T066: a storm without data. Who asks for occupancy sees none; Teralynx, Broadcom and Cisco do.
TEST_P(every_detector, a_storm_without_data) {
    watched_bench b(detector());
    b.start(1);
    b.storms(1, 0x08, {{50, 650}});
    b.poll_until(1000);
    const bool asks_for_occupancy = detector() == WEIR_WD_PRESTERA || detector() == WEIR_WD_MELLANOX;
    EXPECT_EQ(b.times(true, 1), asks_for_occupancy ? ms_list{} : ms_list{300});
    EXPECT_EQ(b.times(false, 1), asks_for_occupancy ? ms_list{} : ms_list{900});
    conformance::row("T066",
                     fmt::format("{}: {}", weir_wd_detector_text(detector()), asks_for_occupancy ? "never" : "300"),
                     in_ms(b.times(true, 1)));
}

// T072: bursts of half the detection time, two detection times apart: never detected, nothing lost.
TEST_P(every_detector, short_bursts_are_no_storm) {
    watched_bench b(detector());
    b.start(1);
    b.flow(0, 1, 24, 0, 2500);
    b.storms(1, 0x08, {{50, 150}, {550, 650}, {1050, 1150}, {1550, 1650}, {2050, 2150}});
    b.poll_until(2600);
    EXPECT_TRUE(b.events.empty());
    EXPECT_EQ(b.l.received(1), 2500U);
    conformance::row("T072",
                     fmt::format("{}: 5 bursts of half the detection time: 0 found, 2500 delivered",
                                 weir_wd_detector_text(detector())),
                     fmt::format("{}, {}", b.events.size(), b.l.received(1)));
}

// T060: forward ignores the storm from its detection on; alert only tells. Nothing is lost by either.
TEST(watchdog, forward_ignores_the_storm_and_alert_only_tells) {
    watched_bench b;
    b.start(1, WEIR_WD_FORWARD);
    b.start(2, WEIR_WD_ALERT);
    b.flow(0, 1, 24, 0, 1500);
    b.flow(0, 2, 24, 0, 1500);
    b.storms(1, 0x08, {{50, 650}});
    b.storms(2, 0x08, {{50, 650}});
    b.poll_until(300);
    b.until(400);
    EXPECT_NEAR(static_cast<double>(b.l.received(1)), 400, 2);
    EXPECT_NEAR(static_cast<double>(b.l.received(2)), 50, 2);
    b.poll_until(1600);
    EXPECT_EQ(b.times(true, 1), (ms_list{300}));
    EXPECT_EQ(b.times(false, 1), (ms_list{900}));
    EXPECT_EQ(b.times(true, 2), (ms_list{300}));
    EXPECT_EQ(b.times(false, 2), (ms_list{900}));
    EXPECT_EQ(b.l.received(1), 1500U);
    EXPECT_EQ(b.l.received(2), 1500U);
    std::uint8_t tx = 0;
    std::uint8_t rx = 0;
    b.run([&] { EXPECT_EQ(weir_pfc_directions_get(b.l.device(), 1, &tx, &rx), WEIR_OK); });
    EXPECT_EQ(rx, 0x18);
    EXPECT_EQ(b.status(1, 3).tx_dropped, 0U);
    conformance::row("T060", "forward and alert: 1500 and 1500 of 1500 delivered",
                     fmt::format("{} and {}", b.l.received(1), b.l.received(2)));
}

// T062: storms on two ports and two priorities, each detected and restored by itself.
TEST(watchdog, ports_and_priorities_are_independent) {
    watched_bench b;
    for (std::uint32_t port = 0; port < 4; ++port) b.start(port);
    b.flow(0, 1, 24, 0, 2000);
    b.flow(0, 2, 32, 0, 2000);
    b.flow(0, 3, 24, 0, 2000);
    b.storms(1, 0x08, {{50, 650}});
    b.storms(2, 0x10, {{450, 850}});
    b.poll_until(2100);
    EXPECT_EQ(b.times(true, 1), (ms_list{300}));
    EXPECT_EQ(b.times(false, 1), (ms_list{900}));
    EXPECT_EQ(b.times(true, 2), (ms_list{700}));
    EXPECT_EQ(b.times(false, 2), (ms_list{1100}));
    EXPECT_EQ(b.status(2, 4).detections, 1U);
    EXPECT_EQ(b.status(2, 3).detections, 0U);
    EXPECT_TRUE(b.times(true, 3).empty());
    EXPECT_EQ(b.l.received(3), 2000U);
    conformance::row(
        "T062", "ports 1, 2, 3: found at 300, 700, never; restored at 900, 1100; port 3 delivers 2000",
        fmt::format("{}, {}, {}; {}, {}; {}", in_ms(b.times(true, 1)), in_ms(b.times(true, 2)), in_ms(b.times(true, 3)),
                    in_ms(b.times(false, 1)), in_ms(b.times(false, 2)), b.l.received(3)));
}

// T063: alpha of the group changes before, during and after the storm; nothing of the operator's is lost, and what the
// watchdog took comes back. Also T129: the queue's profile is swapped with frames queued, and back.
TEST(watchdog, a_change_of_the_buffer_meanwhile_stays) {
    watched_bench b;
    b.start(1);
    b.flow(0, 1, 24, 0, 2000);
    b.storms(1, 0x08, {{50, 650}, {1050, 1450}});
    const auto group = [&] {
        weir_group_config c{};
        b.run([&] { EXPECT_EQ(weir_group_get(b.l.device(), 1, 3, &c), WEIR_OK); });
        return c;
    };
    const auto queue = [&] {
        weir_queue_config c{};
        b.run([&] { EXPECT_EQ(weir_queue_get(b.l.device(), 1, 3, &c), WEIR_OK); });
        return c;
    };
    const weir_queue_config before = queue();
    b.l.shell("interface 1\npg 3 dynamic 2");
    b.poll_until(400);
    EXPECT_FALSE(group().enabled);
    EXPECT_EQ(queue().limit, 0U);
    EXPECT_FALSE(queue().lossless);
    weir_queue_usage held{};
    b.run([&] { EXPECT_EQ(weir_queue_usage_get(b.l.device(), 1, 3, &held), WEIR_OK); });
    EXPECT_NEAR(held.used, 250, 2);  // 50 to 300 ms: they keep their cells
    b.l.shell("pg 3 dynamic 1/2");
    b.poll_until(1000);
    EXPECT_TRUE(group().enabled);
    EXPECT_TRUE(group().lossless);
    EXPECT_EQ(group().alpha, static_cast<std::uint32_t>(WEIR_ALPHA_1) - 1);
    EXPECT_EQ(queue().limit, before.limit);
    EXPECT_EQ(queue().guaranteed, before.guaranteed);
    EXPECT_TRUE(queue().lossless);
    b.l.shell("pg 3 dynamic 4");
    b.poll_until(2100);
    EXPECT_EQ(b.times(true, 1), (ms_list{300, 1300}));
    EXPECT_EQ(b.times(false, 1), (ms_list{900, 1700}));
    conformance::row("T063", "alpha changed before, in and after a storm: found at 300, 1300, restored at 900, 1700",
                     fmt::format("{}; {}", in_ms(b.times(true, 1)), in_ms(b.times(false, 1))));
    EXPECT_EQ(b.l.received(1), 2000 - b.status(1, 3).tx_dropped);
}

// T064: the port goes down and up after the storm: no new detection.
TEST(watchdog, a_port_that_goes_down_and_up_is_no_storm) {
    watched_bench b;
    b.start(1);
    b.flow(0, 1, 24, 0, 900);
    b.storms(1, 0x08, {{50, 650}});
    b.poll_until(1000);
    b.l.shell("interface 1\nshutdown\nno shutdown");
    b.flow(0, 1, 24, 1100, 500);
    b.poll_until(2000);
    EXPECT_EQ(b.times(true, 1), (ms_list{300}));
    EXPECT_EQ(b.times(false, 1), (ms_list{900}));
    conformance::row("T064", "down and up at 1000 ms: found at 300 alone", in_ms(b.times(true, 1)));
}

// T065, T061: while it is stormed the drop counter rises from poll to poll, by what was sent.
TEST(watchdog, drops_are_counted_while_they_happen) {
    watched_bench b;
    b.start(1);
    b.flow(0, 1, 24, 0, 1500);
    b.storms(1, 0x08, {{50, 850}});
    std::vector<std::uint64_t> counts;
    b.poll_until(800, [&] {
        weir_wd_status s{};
        EXPECT_EQ(weir_watchdog_status_get(b.wd.get(), 1, 3, &s), WEIR_OK);
        if (s.stormed) counts.push_back(s.tx_dropped);
    });
    ASSERT_EQ(counts.size(), 6U);  // polls at 300 to 800
    for (std::size_t i = 1; i < counts.size(); ++i) {
        EXPECT_NEAR(static_cast<double>(counts[i] - counts[i - 1]), 100, 2);
    }
    for (const char* id : {"T061", "T065"}) {
        conformance::row(id, "a frame each ms: from poll to poll 100 more, ± 2",
                         fmt::format("{}", fmt::join(counts, " ")));
    }
}

// T067: 20 storms that begin and end anywhere between polls. Medians lie in (time, time + poll).
TEST(watchdog, detects_and_restores_in_time) {
    watched_bench b;
    b.start(1);
    std::vector<storm_bench::storm> all;
    for (std::int64_t i = 0; i < 20; ++i) all.push_back({1000 * i + 111 + 37 * i % 100, 1000 * i + 511 + 53 * i % 100});
    b.storms(1, 0x08, all);
    b.flow(0, 1, 24, 0, 20'000);
    b.poll_until(20'200);
    const ms_list detected = b.times(true, 1);
    const ms_list restored = b.times(false, 1);
    ASSERT_EQ(detected.size(), 20U);
    ASSERT_EQ(restored.size(), 20U);
    ms_list to_detect;
    ms_list to_restore;
    for (std::size_t i = 0; i < 20; ++i) {
        to_detect.push_back(detected[i] - all[i].from);
        to_restore.push_back(restored[i] - all[i].to);
    }
    std::sort(to_detect.begin(), to_detect.end());
    std::sort(to_restore.begin(), to_restore.end());
    EXPECT_GT(to_detect[10], 200);
    EXPECT_LT(to_detect[10], 300);
    EXPECT_GT(to_restore[10], 200);
    EXPECT_LT(to_restore[10], 300);
    for (const char* id : {"T067", "std.watchdog"}) {
        conformance::row(id, "20 storms: median of detection and of restoration in (200, 300) ms",
                         fmt::format("{}, {}", to_detect[10], to_restore[10]));
    }
}

// T068: a storm on every port at once.
TEST(watchdog, all_ports_at_once) {
    watched_bench b(WEIR_WD_BROADCOM, 8);
    for (std::uint32_t port = 0; port < 8; ++port) {
        b.start(port);
        b.flow(port, (port + 1) % 8, 24, 0, 1500);
        b.storms(port, 0x18, {{50, 650}});
    }
    b.poll_until(1600);
    for (std::uint32_t port = 0; port < 8; ++port) {
        EXPECT_EQ(b.times(true, port), (ms_list{300, 300})) << port;  // priorities 3 and 4
        EXPECT_EQ(b.times(false, port), (ms_list{900, 900})) << port;
    }
    const auto count = [&](bool stormed) {
        std::size_t n = 0;
        for (std::uint32_t port = 0; port < 8; ++port) n += b.times(stormed, port).size();
        return n;
    };
    conformance::row("T068", "8 ports, 2 priorities: 16 found, 16 restored",
                     fmt::format("{} found, {} restored", count(true), count(false)));
}

// T071: many to one, all of it lossless traffic: loss only while stormed.
TEST(watchdog, loses_only_while_stormed) {
    watched_bench b;
    b.start(0);
    for (std::uint32_t from = 1; from < 4; ++from) b.flow(from, 0, 24, 0, 900);
    b.storms(0, 0x08, {{50, 650}});
    b.poll_until(950);
    const std::uint64_t lost = b.status(0, 3).tx_dropped;
    EXPECT_NEAR(static_cast<double>(lost), 1800, 6);
    for (std::uint32_t from = 1; from < 4; ++from) b.flow(from, 0, 24, 1000, 1000);
    b.poll_until(2100);
    EXPECT_EQ(b.status(0, 3).tx_dropped, lost);
    EXPECT_EQ(b.l.received(0), 3 * 1900 - lost);
    conformance::row("T071", "three to one: 1800 ± 6 lost while stormed, 0 afterwards",
                     fmt::format("{}, {}", lost, b.status(0, 3).tx_dropped - lost));
}

// T070: what is refused, and then watches nothing.
TEST(watchdog, refuses_times_and_actions_out_of_range) {
    watched_bench b;
    int refusals = 0;
    const auto refused = [&](weir_wd_config c) {
        const weir_status status = weir_watchdog_start(b.wd.get(), 1, &c);
        EXPECT_EQ(b.wd->ports[1].watched, 0);
        if (status == WEIR_E_RANGE) ++refusals;
        return status;
    };
    EXPECT_EQ(refused({WEIR_WD_DROP, 99, 200}), WEIR_E_RANGE);
    EXPECT_EQ(refused({WEIR_WD_DROP, 5001, 200}), WEIR_E_RANGE);
    EXPECT_NE(std::string(weir_device_message(b.l.device(), WEIR_E_RANGE)).find("100 to 5000"), std::string::npos);
    EXPECT_EQ(refused({WEIR_WD_DROP, 200, 99}), WEIR_E_RANGE);
    EXPECT_EQ(refused({WEIR_WD_DROP, 200, 60'001}), WEIR_E_RANGE);
    EXPECT_EQ(refused({static_cast<weir_wd_action>(3), 200, 200}), WEIR_E_RANGE);
    for (const char* id : {"T070", "std.watchdog"}) {
        conformance::row(id, "detection 99, 5001, restoration 99, 60001 ms, no such action: 5 refused",
                         fmt::format("{} refused", refusals));
    }
    b.start(1, WEIR_WD_DROP, 100, 100);
    b.start(1, WEIR_WD_DROP, 5000, 60'000);
    EXPECT_EQ(weir_watchdog_poll_set(b.wd.get(), 200), WEIR_E_CONFLICT);
    EXPECT_EQ(weir_watchdog_detector_set(b.wd.get(), WEIR_WD_CISCO), WEIR_E_CONFLICT);
    b.run([&] { EXPECT_EQ(weir_watchdog_stop(b.wd.get(), 1), WEIR_OK); });
    EXPECT_EQ(weir_watchdog_poll_set(b.wd.get(), 200), WEIR_OK);
    EXPECT_EQ(refused({WEIR_WD_DROP, 100, 200}), WEIR_E_RANGE);  // a poll every 200 ms cannot tell 100
}

// Stopping puts back what is stormed. The big red switch discards on every watched priority, stormed or not.
TEST(watchdog, stop_and_the_big_red_switch) {
    watched_bench b;
    b.start(1);
    b.flow(0, 1, 24, 0, 1500);
    b.storms(1, 0x08, {{50, 1450}});
    b.poll_until(400);
    EXPECT_TRUE(b.status(1, 3).stormed);
    b.run([&] { EXPECT_EQ(weir_watchdog_stop(b.wd.get(), 1), WEIR_OK); });
    EXPECT_FALSE(b.status(1, 3).stormed);
    weir_queue_config q{};
    b.run([&] { EXPECT_EQ(weir_queue_get(b.l.device(), 1, 3, &q), WEIR_OK); });
    EXPECT_TRUE(q.lossless);
    b.until(1600);

    b.start(2);
    b.run([&] { EXPECT_EQ(weir_watchdog_big_red_switch(b.wd.get(), true), WEIR_OK); });
    b.flow(0, 2, 24, 1700, 100);
    b.flow(0, 2, 0, 1700, 100);
    b.until(1900);
    EXPECT_EQ(b.l.received(2), 100U);
    EXPECT_EQ(b.status(2, 3).tx_dropped, 100U);
    b.run([&] { EXPECT_EQ(weir_watchdog_big_red_switch(b.wd.get(), false), WEIR_OK); });
    b.flow(0, 2, 24, 2000, 100);
    b.until(2200);
    EXPECT_EQ(b.l.received(2), 200U);
}

// T012: what waits for the stormed queue stands in the headroom that groups share. After the storm the pause ends,
// no frame was refused at its ingress, all cells are back, and a second round goes as the first did.
TEST(watchdog, a_storm_over_shared_headroom_gives_it_all_back) {
    watched_bench b;
    b.l.shell(
        "pool resize lossless headroom 400 cells\ninterface all\npfc pause-threshold 60\npg 3 headroom 300 "
        "shared-headroom on");
    b.origin = from_kernel(sc_core::sc_time_stamp());
    b.start(1);
    for (const std::int64_t begin : {0, 2000}) {
        b.flow(0, 1, 24, begin, 1500);
        b.storms(1, 0x08, {{begin + 50, begin + 650}});
        b.poll_until(begin + 300);
        const std::uint32_t peak = b.l.take_pool_peak(0).headroom;
        EXPECT_TRUE(b.l.group_usage(0, 3).paused);
        b.poll_until(begin + 1900);
        const std::uint64_t lost_in = b.l.drops(0, WEIR_DROP_HEADROOM);
        const std::uint64_t requests = b.l.pfc_counters(0, 3).tx_requests;
        // Guaranteed 8 and Service 60 of the 250 frames, of one cell, that came from 50 to 300 ms.
        EXPECT_NEAR(peak, 250 - 8 - 60, 2);
        EXPECT_EQ(lost_in, 0U);
        EXPECT_FALSE(b.l.group_usage(0, 3).paused);
        EXPECT_EQ(b.l.machine().chip(0).memory().pool(0).headroom_used, 0);
        b.until(begin + 1950);
        EXPECT_EQ(b.l.pfc_counters(0, 3).tx_requests, requests);
        EXPECT_EQ(b.l.machine().chip(0).memory().used(), 0);
        conformance::row(
            "T012", "182 ± 2 cells of shared headroom in use; after the storm 0 ingress drops, not paused, 0 cells",
            fmt::format("{} cells; {}, {}, {}", peak, lost_in, b.l.group_usage(0, 3).paused ? "paused" : "not paused",
                        b.l.machine().chip(0).memory().pool(0).headroom_used));
    }
    EXPECT_EQ(b.times(true, 1), (ms_list{300, 2300}));
}

// The shell's words, after SONiC's, and what `show` says.
TEST(watchdog, has_words_in_the_shell) {
    lab l({}, usual_script());
    l.shell(
        "pfcwd detector mellanox\npfcwd interval 200\ninterface all\npfcwd start action forward detection-time 400 "
        "restoration-time 600\n"
        "show pfcwd\npfcwd stop\npfcwd start\nexit\npfcwd big-red-switch on\npfcwd big-red-switch off");
    EXPECT_EQ(l.watchdog().ports[3].watched, 0x08);
    EXPECT_EQ(l.watchdog().ports[3].config.detection_ms, 200U);
    EXPECT_EQ(l.watchdog().poll_ms, 200U);
    EXPECT_EQ(l.watchdog().detector, WEIR_WD_MELLANOX);
}

}  // namespace
}  // namespace weir::acceptance
