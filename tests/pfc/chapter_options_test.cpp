// SPDX-License-Identifier: Apache-2.0
// G9, G11: what the PFC RTL chapter's receiver does beside what the standard's does, and PAUSE beside PFC.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include <random>

#include "models/ethernet/mac_control.h"
#include "models/pfc/flow_control.h"
#include "tests/conformance/conformance.h"

namespace weir::pfc {
namespace {

class receiver_bench : public sc_core::sc_module, public port::transmit_if {
public:
    receiver_bench() : sc_module(sc_core::sc_module_name("bench")), time("time"), flow("flow", time, frames) {
        flow.transmitter.bind(*this);
        for (std::uint8_t i = 0; i < 8; ++i) flow.receiver.set_priority_queues(i, static_cast<bitmap>(1U << i));
        flow.receiver.set_enabled(0xff);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        flow.link_changed(true);
    }
    void wake() override { opened_at = time.now(); }
    void receive(std::uint8_t vector, const ethernet::pause_times& times) {
        ethernet::frame* f = frames.take();
        ethernet::build_pfc(*f, {2, 0, 0, 0, 0, 2}, vector, times);
        EXPECT_TRUE(flow.receive(*f, time.now()));
        f->release();
    }
    /// The octets, FCS not among them, of whatever length.
    void receive_octets(const std::vector<std::uint8_t>& octets, bool fcs_good = true) {
        ethernet::frame* f = frames.take();
        const auto count = static_cast<std::uint32_t>(octets.size());
        f->assign(octets.data(), count, count + 4);
        f->fcs_good = fcs_good;
        EXPECT_TRUE(flow.receive(*f, time.now()));
        f->release();
    }
    void pause_class_3(std::uint16_t quanta) { receive(0x08, {0, 0, 0, quanta, 0, 0, 0, 0}); }
    void run_to(picoseconds t) {
        time.run_until(t);
        time.advance_to(t);
    }

    ethernet::frame_pool frames;
    timeline time;
    flow_control flow;
    picoseconds opened_at{0};
};

/// 60 octets of a PFC frame.
std::vector<std::uint8_t> pfc_octets(std::uint8_t vector, const ethernet::pause_times& times) {
    ethernet::frame_pool frames;
    ethernet::frame* f = frames.take();
    ethernet::build_pfc(*f, {2, 0, 0, 0, 0, 2}, vector, times);
    std::vector<std::uint8_t> octets = f->wire_octets();
    f->release();
    octets.resize(60);
    return octets;
}

// §1.3, F5: clocks of 156 MHz a quantum, exact and as the chapter divides: at 1G 79.87 and 79, …, at 100G 0.799 and
// none.
TEST(chapter_prescaler, has_the_chapters_clocks_a_quantum) {
    struct row {
        const char* rate;
        std::int64_t cycles;
        double error;  // percent, of the exact quantum
    };
    std::string clocks;
    std::string shorter;
    for (const row& r :
         {row{"1G", 79, 1.1}, row{"10G", 7, 12.4}, row{"25G", 3, 6.1}, row{"40G", 1, 49.9}, row{"50G", 1, 37.4},
          row{"100G", 0, 100}, row{"200G", 0, 100}, row{"400G", 0, 100}, row{"800G", 0, 100}}) {
        const data_rate rate = *data_rate::from_name(r.rate);
        chapter_prescaler p;
        p.configure(picoseconds{0}, 156, rate);
        EXPECT_EQ(p.cycles(), r.cycles) << r.rate;
        const double exact = 512.0 * 156 / rate.megabits();
        EXPECT_NEAR(100 * (1 - static_cast<double>(p.cycles()) / exact), r.error, 0.06) << r.rate;
        clocks += fmt::format("{} ", p.cycles());
        if (p.cycles() > 0) shorter += fmt::format("{:.1f} ", 100 * (1 - static_cast<double>(p.cycles()) / exact));
    }
    for (const char* id : {"F5", "S30", "A03"}) {
        conformance::row(
            id,
            "156 MHz, nine rates from 1G to 800G: 79 7 3 1 1 0 0 0 0 clocks; too short by 1.1 12.4 6.1 49.9 "
            "37.4 %",
            fmt::format("{}clocks; {}%", clocks, shorter));
    }
}

// Ticks do not drift: 156 million clocks are a second, to the picosecond.
TEST(chapter_prescaler, counts_clocks_without_a_rest) {
    chapter_prescaler p;
    p.configure(picoseconds{12'345}, 156, *data_rate::from_name("10G"));
    EXPECT_EQ(p.edge(picoseconds{12'345}), picoseconds{12'345});
    EXPECT_EQ(p.edge(picoseconds{12'346}), picoseconds{12'345 + 6410});  // 6410.256 ps
    EXPECT_EQ(p.tick_after(picoseconds{12'345}, 156'000'000 / 4), picoseconds{12'345} + microseconds(1'750'000));
    EXPECT_TRUE(p.ticks_at(p.tick_after(picoseconds{12'345}, 3)));
    EXPECT_FALSE(p.ticks_at(p.edge(picoseconds{12'346})));
}

// P13, F12: for N of {1, 2, 255, 65535} at nine rates the chapter's pause lasts ((N - 1)q, Nq] of its own quanta q from
// the clock edge that takes the frame, whenever the frame comes; the exact one is in flow_control_test. F5: from 100G
// on it does not end.
TEST(chapter_receiver, n_quanta_last_between_n_less_one_and_n) {
    receiver_bench b;
    std::mt19937_64 any(1);
    double shortest = 1e9;
    double longest = 0;
    std::string never;
    for (const char* name : {"1G", "10G", "25G", "40G", "50G", "100G", "200G", "400G", "800G"}) {
        const data_rate rate = *data_rate::from_name(name);
        b.flow.set_rate(rate);
        b.flow.receiver.set_truncated_quanta(false);
        b.run_to(b.time.now() + picoseconds{static_cast<std::int64_t>(any() % 100'000)});
        b.flow.receiver.set_truncated_quanta(true);
        const std::int64_t cycles = 512 * 156 / std::int64_t{rate.megabits()};
        for (const std::uint16_t n : {std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{255}, std::uint16_t{65535}}) {
            for (int repeat = 0; repeat < 20; ++repeat) {
                b.run_to(b.time.now() + picoseconds{static_cast<std::int64_t>(any() % 1'000'000)});
                const picoseconds start = b.time.now();
                b.pause_class_3(n);
                b.run_to(start + picoseconds{6411});  // a clock
                ASSERT_EQ(b.flow.receiver.paused(), 0x08) << name << n;
                if (cycles == 0) {
                    b.run_to(start + microseconds(100'000));  // three times what 65535 quanta are at 1G
                    EXPECT_EQ(b.flow.stopped_queues(), 0x08) << name;
                    if (b.flow.stopped_queues() == 0x08 && n == 1) never += fmt::format("{} ", name);
                    b.receive(0x08, {});
                    b.run_to(b.time.now() + picoseconds{6411});
                    break;
                }
                b.run_to(start + microseconds(40'000));
                ASSERT_EQ(b.flow.stopped_queues(), 0) << name << n;
                const double quantum = static_cast<double>(cycles) * 1e6 / 156;
                const auto lasted = static_cast<double>((b.opened_at - start).count());
                EXPECT_GT(lasted, (n - 1) * quantum - 2) << name << n;
                EXPECT_LT(lasted, n * quantum + 1e6 / 156 + 2) << name << n;
                if (n == 2) {
                    shortest = std::min(shortest, lasted / quantum);
                    // From the clock edge that takes the frame.
                    longest = std::max(longest, (lasted - 1e6 / 156) / quantum);
                }
                if (n == 65535 && repeat == 0 && std::string(name) == "10G") {
                    const double exact = 65535 * 51'200.0;
                    EXPECT_NEAR(100 * (1 - lasted / exact), 12.4, 0.06);
                    conformance::row(
                        "X09", "10G: 65535 quanta end 12.4 % before 3355.392 us",
                        fmt::format("{:.1f} %, after {:.1f} us", 100 * (1 - lasted / exact), lasted / 1e6));
                }
            }
        }
    }
    conformance::row("F12", "2 quanta of a free-running prescaler last in (1, 2] of its quanta",
                     fmt::format("{:.2f} to {:.2f}", shortest, longest));
    conformance::row("F5", "1 quantum still stops after 100 ms at 100G 200G 400G 800G", never);
}

// F12: a frame on a tick's clock edge takes the tick from every timer that runs, loaded or not. 10G: 7 clocks a
// quantum.
TEST(chapter_receiver, a_frame_on_a_tick_costs_the_others_that_tick) {
    receiver_bench b;
    b.flow.set_rate(*data_rate::from_name("10G"));
    b.flow.receiver.set_truncated_quanta(true);
    const auto clocks = [](std::int64_t n) { return picoseconds{n * 1'000'000 / 156}; };
    b.run_to(clocks(8));
    b.pause_class_3(10);  // ticks at clocks 14, 21, …, 77
    b.run_to(clocks(28));
    b.receive(0x20, {0, 0, 0, 0, 0, 3, 0, 0});  // on a tick: class 3's tenth is now at 84, class 5's third at 49
    b.run_to(clocks(49) - picoseconds{1});
    EXPECT_EQ(b.flow.stopped_queues(), 0x28);
    b.run_to(clocks(49) + picoseconds{1});
    EXPECT_EQ(b.flow.stopped_queues(), 0x08);
    b.receive(0x20, {0, 0, 0, 0, 0, 0, 0, 0});  // not on a tick: costs nothing
    b.run_to(clocks(84) - picoseconds{1});
    EXPECT_EQ(b.flow.stopped_queues(), 0x08);
    b.run_to(clocks(84) + picoseconds{1});
    EXPECT_EQ(b.flow.stopped_queues(), 0);
}

// F13, F22: a frame with a good FCS that ended after octet 15 says nothing. The standard's receiver ignores it.
TEST(pause_receiver, ignores_a_frame_that_is_no_whole_one) {
    receiver_bench b;
    const std::vector<std::uint8_t> whole = pfc_octets(0x08, {0, 0, 0, 1000, 0, 0, 0, 0});
    b.receive_octets(whole, false);
    for (const std::size_t octets : {std::size_t{16}, std::size_t{18}, std::size_t{59}, std::size_t{61}}) {
        std::vector<std::uint8_t> other = whole;
        other.resize(octets, 0);
        b.receive_octets(other);
    }
    EXPECT_EQ(b.flow.stopped_queues(), 0);
    EXPECT_EQ(b.flow.receiver.counters.malformed, 4U);
    EXPECT_EQ(b.flow.receiver.counters.seen, 0U);
    for (const char* id : {"F13", "F22"}) {
        conformance::row(id, "20, 22, 63 and 65 octets, FCS good: 4 malformed, 0 honoured, 00 stopped",
                         fmt::format("{} malformed, {} honoured, {:02x} stopped", b.flow.receiver.counters.malformed,
                                     b.flow.receiver.counters.seen, b.flow.stopped_queues()));
    }
}

// The chapter's commits what an earlier frame left.
TEST(chapter_receiver, commits_short_frames_and_reads_long_ones_twice) {
    receiver_bench b;
    b.flow.receiver.set_commit_short(true);
    const std::vector<std::uint8_t> whole = pfc_octets(0x08, {0, 0, 0, 1000, 0, 0, 0, 0});
    b.receive_octets(whole);
    b.receive(0x08, {});
    ASSERT_EQ(b.flow.stopped_queues(), 0);

    std::vector<std::uint8_t> runt = whole;
    runt.resize(16);  // no vector: that of the release, and its times
    b.receive_octets(runt);
    EXPECT_EQ(b.flow.stopped_queues(), 0);
    b.receive_octets(whole);
    b.receive(0x20, {0, 0, 0, 0, 0, 9, 0, 0});  // vector 0x20, class 5
    b.receive(0xff, {});
    b.receive_octets(whole, false);  // a bad FCS does not commit, but leaves its octets
    EXPECT_EQ(b.flow.stopped_queues(), 0);
    b.receive_octets(runt);
    EXPECT_EQ(b.flow.stopped_queues(), 0x08);  // paused by a frame that named nobody
    conformance::row("F13", "as the chapter commits: 16 octets that name nobody stop class 3 (08)",
                     fmt::format("{:02x}", b.flow.stopped_queues()));
    b.receive(0xff, {});
    std::vector<std::uint8_t> vector_only = whole;
    vector_only.resize(18);
    vector_only[17] = 0xff;
    b.receive_octets(vector_only);
    EXPECT_EQ(b.flow.stopped_queues(), 0);  // all eight named, with the zeros of the release
    EXPECT_EQ(b.flow.receiver.counters.malformed, 0U);

    // Beyond octet 63 the counter begins again: the address is compared with octets 64 to 69, and fails …
    std::vector<std::uint8_t> longer = whole;
    longer.resize(64 + 6, 0);
    b.receive_octets(longer);
    EXPECT_EQ(b.flow.receiver.counters.wrong_da, 1U);
    EXPECT_EQ(b.flow.stopped_queues(), 0);
    // … unless they say the address again; then octets 81 and 82 on are the vector and the times.
    longer.resize(64 + 28, 0);
    std::copy(whole.begin(), whole.begin() + 18, longer.begin() + 64);
    longer[64 + 17] = 0x10;
    longer[64 + 18 + 8] = 0x01;
    b.receive_octets(longer);
    EXPECT_EQ(b.flow.stopped_queues(), 0x10);
}

// §3.2: exact quanta, counted from the closed gate and the end of the frame in progress.
TEST(pause_receiver, a_timer_may_count_from_the_stop) {
    receiver_bench b;
    b.flow.set_rate(*data_rate::from_name("100G"));  // 5.12 ns a quantum
    b.flow.receiver.set_timer_from_stop(true);
    b.flow.receiver.set_response_delay(nanoseconds(200));
    b.flow.receiver.set_busy_until([] { return nanoseconds(300); });
    b.pause_class_3(100);
    b.run_to(nanoseconds(199));
    EXPECT_EQ(b.flow.stopped_queues(), 0);
    b.run_to(nanoseconds(811));
    EXPECT_EQ(b.flow.stopped_queues(), 0x08);
    EXPECT_EQ(b.flow.receiver.paused(), 0x08);
    b.run_to(nanoseconds(813));  // 300 + 512
    EXPECT_EQ(b.flow.stopped_queues(), 0);
    EXPECT_EQ(b.flow.receiver.counters.expiries[3], 1U);
    b.pause_class_3(100);  // nothing in progress any more: 813 + 200 + 512
    b.run_to(nanoseconds(1524));
    EXPECT_EQ(b.flow.stopped_queues(), 0x08);
    b.run_to(nanoseconds(1526));
    EXPECT_EQ(b.flow.stopped_queues(), 0);
}

// Options that change while a pause is on its way to the gate: it arrives, and it ends.
TEST(pause_receiver, options_that_change_meanwhile_lose_no_pause) {
    receiver_bench b;
    b.flow.set_rate(*data_rate::from_name("100G"));
    b.flow.receiver.set_response_delay(nanoseconds(200));
    b.flow.receiver.set_timer_from_stop(true);
    b.pause_class_3(100);
    b.run_to(nanoseconds(100));
    b.flow.receiver.set_timer_from_stop(false);
    b.run_to(nanoseconds(711));
    EXPECT_EQ(b.flow.stopped_queues(), 0x08);
    b.run_to(nanoseconds(713));  // 200 + 512
    EXPECT_EQ(b.flow.stopped_queues(), 0);

    b.flow.set_rate(*data_rate::from_name("10G"));  // 51.2 ns a quantum
    b.flow.receiver.set_truncated_quanta(true);
    b.run_to(nanoseconds(1000));
    b.pause_class_3(100);
    b.flow.receiver.set_truncated_quanta(false);
    EXPECT_EQ(b.flow.stopped_queues(), 0x08);
    b.receive(0x08, {});
    b.run_to(nanoseconds(1201));
    EXPECT_EQ(b.flow.stopped_queues(), 0);
    b.run_to(nanoseconds(2000));
    b.pause_class_3(100);  // exact again: 5120 ns from the frame
    b.run_to(nanoseconds(2201));
    EXPECT_EQ(b.flow.stopped_queues(), 0x08);
    b.run_to(nanoseconds(7119));
    EXPECT_EQ(b.flow.stopped_queues(), 0x08);
    b.run_to(nanoseconds(7121));
    EXPECT_EQ(b.flow.stopped_queues(), 0);
}

// G11, §3.1: PAUSE is counted and not obeyed while PFC is enabled on any priority.
TEST(pause_receiver, pause_and_pfc_exclude_each_other_if_so_set) {
    receiver_bench b;
    b.flow.receiver.set_exclusive(true);
    b.flow.receiver.set_pause_enabled(true);
    const auto pause = [&] {
        ethernet::frame* f = b.frames.take();
        ethernet::build_pause(*f, {2, 0, 0, 0, 0, 2}, 1000);
        EXPECT_TRUE(b.flow.receive(*f, b.time.now()));
        f->release();
    };
    pause();
    EXPECT_EQ(b.flow.stopped_queues(), 0);
    EXPECT_EQ(b.flow.receiver.counters.pause, 1U);
    EXPECT_EQ(b.flow.receiver.counters.ignored, 1U);
    b.flow.receiver.set_enabled(0);
    pause();
    EXPECT_EQ(b.flow.stopped_queues(), 0xff);
    b.flow.receiver.set_enabled(0x08);  // releases
    EXPECT_EQ(b.flow.stopped_queues(), 0);
    b.flow.receiver.set_exclusive(false);
    pause();
    EXPECT_EQ(b.flow.stopped_queues(), 0xff);
}

}  // namespace
}  // namespace weir::pfc
