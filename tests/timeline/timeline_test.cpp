// SPDX-License-Identifier: Apache-2.0
// The order of one instant, and the clock that runs ahead of the kernel's without passing anything.
#include "models/timeline/timeline.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace weir {
namespace {

struct recorder : actor {
    recorder(timeline& t, const std::string& name, std::vector<std::string>& notes)
        : actor(t, name), time(t), log(notes) {}
    void due(std::uint32_t what) override {
        log.push_back(actor_name() + ":" + std::to_string(what) + "@" + std::to_string(time.now().count()));
    }
    timeline& time;
    std::vector<std::string>& log;
};

// Design: receptions, timers, cell returns, register accesses, thresholds, transmit decisions; then names, with
// numbers as numbers. Neither the order of construction nor that of the calls matters.
TEST(timeline, one_instant_goes_by_phase_and_then_by_name) {
    timeline time("time");
    std::vector<std::string> log;
    std::vector<std::unique_ptr<recorder>> actors;
    for (const char* name : {"s0.p10", "s0.p2", "s1.p0", "a"}) {
        actors.push_back(std::make_unique<recorder>(time, name, log));
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    const picoseconds t{1000};
    for (auto& a : actors) time.at(t, phase::transmit, *a, 5);
    for (auto& a : actors) time.at(t, phase::reception, *a, 0);
    time.at(t, phase::threshold, *actors[0], 4);
    time.at(t, phase::register_access, *actors[0], 3);
    time.at(t, phase::cell_return, *actors[0], 2);
    time.at(t, phase::timer, *actors[0], 1);
    time.at(picoseconds{999}, phase::transmit, *actors[0], 9);
    time.run_until(picoseconds{2000});
    const std::vector<std::string> expected{"s0.p10:9@999",  "a:0@1000",      "s0.p2:0@1000",  "s0.p10:0@1000",
                                            "s1.p0:0@1000",  "s0.p10:1@1000", "s0.p10:2@1000", "s0.p10:3@1000",
                                            "s0.p10:4@1000", "a:5@1000",      "s0.p2:5@1000",  "s0.p10:5@1000",
                                            "s1.p0:5@1000"};
    EXPECT_EQ(log, expected);
}

TEST(timeline, equal_entries_come_in_the_order_asked_for) {
    timeline time("time");
    std::vector<std::string> log;
    recorder a(time, "a", log);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    for (std::uint32_t i = 0; i < 100; ++i) time.at(picoseconds{10}, phase::timer, a, i);
    time.run_until(picoseconds{10});
    time.run_until(picoseconds{11});
    ASSERT_EQ(log.size(), 100U);
    for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(log[i], "a:" + std::to_string(i) + "@10");
}

// The whole instant, and nothing after it; going on brings the rest, as if there had been no pause.
TEST(timeline, a_pause_ends_the_run_behind_its_instant) {
    timeline time("time");
    std::vector<std::string> log;
    recorder a(time, "a", log);
    struct stopper : actor {
        explicit stopper(timeline& t) : actor(t, "0"), time(t) {}
        void due(std::uint32_t) override { time.pause(); }
        timeline& time;
    } stop(time);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    for (const std::int64_t t : {10, 20, 30}) time.at(picoseconds{t}, phase::timer, a, 0);
    time.at(picoseconds{20}, phase::transmit, a, 1);
    time.at(picoseconds{20}, phase::reception, stop, 0);
    time.run_until(picoseconds{25});
    EXPECT_TRUE(time.paused());
    EXPECT_EQ(time.now(), picoseconds{20});
    EXPECT_EQ(log, (std::vector<std::string>{"a:0@10", "a:0@20", "a:1@20"}));
    time.run_until(picoseconds{25});
    EXPECT_FALSE(time.paused());
    EXPECT_EQ(time.now(), picoseconds{25});
    EXPECT_EQ(log.size(), 3U);
    time.run_until(picoseconds{40});
    EXPECT_EQ(log.back(), "a:0@30");
}

TEST(timeline, refuses_the_past) {
    timeline time("time");
    std::vector<std::string> log;
    recorder a(time, "a", log);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    time.at(picoseconds{100}, phase::timer, a, 0);
    time.run_until(picoseconds{200});
    EXPECT_THROW(time.at(picoseconds{99}, phase::timer, a, 0), std::logic_error);
}

TEST(timeline, refuses_two_actors_of_one_name) {
    timeline time("time");
    std::vector<std::string> log;
    recorder a(time, "same", log);
    recorder b(time, "same", log);
    EXPECT_THROW(sc_core::sc_start(sc_core::SC_ZERO_TIME), std::logic_error);
}

TEST(timeline, shows_what_is_pending_in_its_order) {
    timeline time("time");
    std::vector<std::string> log;
    recorder b(time, "b", log);
    recorder a(time, "a", log);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    time.at(picoseconds{30}, phase::timer, a, 1);
    time.at(picoseconds{20}, phase::transmit, a, 2);
    time.at(picoseconds{20}, phase::timer, b, 3);
    time.at(picoseconds{20}, phase::timer, a, 4);
    const auto pending = time.pending();
    ASSERT_EQ(pending.size(), 4U);
    EXPECT_EQ(pending[0].what, 4U);
    EXPECT_EQ(pending[1].what, 3U);
    EXPECT_EQ(pending[2].what, 2U);
    EXPECT_EQ(pending[3].what, 1U);
}

/// A process of the kernel's own, beside the timeline.
struct ticker : sc_core::sc_module {
    SC_HAS_PROCESS(ticker);
    ticker(sc_core::sc_module_name name, timeline& t, std::vector<std::string>& l) : sc_module(name), time(t), log(l) {
        SC_THREAD(run);
    }
    void run() {
        for (int i = 1; i <= 3; ++i) {
            wait(sc_core::sc_time(100, sc_core::SC_PS));
            // The packet plane must not have run past us, nor lag behind.
            log.push_back("tick@" + std::to_string(sc_core::sc_time_stamp().value()));
            EXPECT_LE(time.now().count(), static_cast<std::int64_t>(sc_core::sc_time_stamp().value()));
        }
    }
    timeline& time;
    std::vector<std::string>& log;
};

TEST(timeline, never_runs_past_another_process_of_the_kernel) {
    timeline time("time");
    std::vector<std::string> log;
    recorder a(time, "a", log);
    ticker t("ticker", time, log);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    for (const int at : {50, 90, 150, 190, 210, 350}) time.at(picoseconds{at}, phase::timer, a, 0);
    time.run_until(picoseconds{400});
    const std::vector<std::string> expected{"a:0@50",   "a:0@90",  "tick@100", "a:0@150", "a:0@190",
                                            "tick@200", "a:0@210", "tick@300", "a:0@350"};
    EXPECT_EQ(log, expected);
}

// Every Ethernet rate has a whole number of picoseconds an octet (design §3).
TEST(data_rate, octet_times_are_whole_picoseconds) {
    const std::vector<std::pair<const char*, int>> expected{{"1G", 8000}, {"10G", 800}, {"25G", 320}, {"40G", 200},
                                                            {"50G", 160}, {"100G", 80}, {"200G", 40}, {"400G", 20},
                                                            {"800G", 10}, {"1.6T", 5}};
    for (const auto& [name, ps] : expected) {
        const auto rate = data_rate::from_name(name);
        ASSERT_TRUE(rate) << name;
        EXPECT_EQ(rate->octet_time().count(), ps);
        EXPECT_EQ(rate->name(), name);
        EXPECT_EQ(data_rate::from_megabits(rate->megabits())->megabits(), rate->megabits());
    }
    EXPECT_FALSE(data_rate::from_name("401G"));
    EXPECT_FALSE(data_rate::from_megabits(0));
}

// §1.3: 512 ns at 1G, 51.2 at 10G, 5.12 at 100G, 1.28 at 400G, 0.64 at 800G; 65535 of them.
TEST(data_rate, a_quantum_is_64_octet_times) {
    EXPECT_EQ(data_rate::from_name("1G")->quanta(1).count(), 512'000);
    EXPECT_EQ(data_rate::from_name("10G")->quanta(1).count(), 51'200);
    EXPECT_EQ(data_rate::from_name("100G")->quanta(1).count(), 5'120);
    EXPECT_EQ(data_rate::from_name("400G")->quanta(1).count(), 1'280);
    EXPECT_EQ(data_rate::from_name("800G")->quanta(1).count(), 640);
    EXPECT_EQ(data_rate::from_name("1G")->quanta(65535).count(), 33'553'920'000);
    EXPECT_EQ(data_rate::from_name("100G")->quanta(65535).count(), 335'539'200);
}

}  // namespace
}  // namespace weir
