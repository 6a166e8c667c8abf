// SPDX-License-Identifier: Apache-2.0
// Rules G8 and G14 against closed forms: how queues and groups of queues share a line, and what shapers let through.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "models/ethernet/rocev2.h"
#include "models/scheduler/scheduler.h"
#include "models/scheduler/shaper_rate.h"
#include "tests/conformance/conformance.h"

namespace weir::scheduler {
namespace {

constexpr std::int64_t overhead = wire_overhead_octets;

/// A queue's load: frames of one length at a pace. Rates here are fractions of the line, in wire octets.
struct load {
    double rate{0};  ///< 1 is the line
    std::uint32_t length{1000};
};

/// A line of 100G that is never idle while something may go; time is counted in octet times of 80 ps.
class line_bench : public sc_core::sc_module, public mmu::departure_if, public port::transmit_if {
public:
    line_bench() : sc_module(sc_core::sc_module_name("line")), time("time"), egress("egress", time, 0) {
        egress.departure.bind(*this);
        egress.transmitter.bind(*this);
        egress.set_rate(rate);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    void depart(std::uint16_t, std::uint8_t queue, const mmu::queued_frame& f, picoseconds) override {
        sent[queue] += f.frame->length + overhead;
        ++frames_sent[queue];
        departures.push_back({now, f.frame->length});
    }
    void discard(std::uint16_t, std::uint8_t, const mmu::queued_frame&, mmu::drop_reason) override {}
    void wake() override {}

    /// Runs for so many octet times; what a queue is offered is due at equal distances.
    void run(const std::array<load, 8>& loads, std::int64_t octet_times) {
        const picoseconds start = now;
        const picoseconds end = now + rate.octets(octet_times);
        std::array<std::int64_t, 8> came{};
        while (now < end) {
            for (std::uint8_t q = 0; q < 8; ++q) {
                if (loads[q].rate == 0) continue;
                const double elapsed = static_cast<double>((now - start).count()) / 80.0;
                // A saturated queue needs two frames ahead, not a backlog.
                while (static_cast<double>(came[q]) <= elapsed * loads[q].rate && egress.frames(q) < 64) {
                    fill(q, loads[q].length);
                    came[q] += loads[q].length + overhead;
                }
            }
            step();
        }
        for (std::uint8_t q = 0; q < 8; ++q) offered[q] += came[q];
    }
    void fill(std::uint8_t queue, std::uint32_t length) {
        ethernet::frame* f = frames.take();
        ethernet::build_udp(*f, {}, length);
        egress.enqueue(queue, {f, 0, 0, 0, 1});
    }
    /// Sends what may go now, or lets time pass until something may.
    void step() {
        const selection s = egress.dequeue(now);
        if (s.frame != nullptr) {
            now += rate.octets(s.frame->length + overhead);
            s.frame->release();
        } else {
            now = std::min(s.retry, now + rate.octets(84));
        }
        time.advance_to(now);
    }
    void count_from_here() {
        sent = offered = {};
        frames_sent = {};
        departures.clear();
    }

    struct departure {
        picoseconds start;
        std::uint32_t length;
    };
    data_rate rate{*data_rate::from_name("100G")};
    ethernet::frame_pool frames;
    timeline time;
    scheduler egress;
    picoseconds now{0};
    std::array<std::int64_t, 8> sent{};
    std::array<std::int64_t, 8> offered{};
    std::array<int, 8> frames_sent{};
    std::vector<departure> departures;
};

/// Water filling: everyone gets its weight's share of what is left; who needs less leaves the rest to the others.
std::vector<double> water_filling(const std::vector<double>& weights, const std::vector<double>& demands,
                                  double capacity) {
    std::vector<double> shares(weights.size(), 0);
    std::vector<bool> open(weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) open[i] = demands[i] > 0;
    for (;;) {
        double sum = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) sum += open[i] ? weights[i] : 0;
        if (sum == 0) return shares;
        bool satisfied = false;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            if (!open[i] || demands[i] > capacity * weights[i] / sum) continue;
            shares[i] = demands[i];
            satisfied = true;
        }
        if (!satisfied) {
            for (std::size_t i = 0; i < weights.size(); ++i) {
                if (open[i]) shares[i] = capacity * weights[i] / sum;
            }
            return shares;
        }
        for (std::size_t i = 0; i < weights.size(); ++i) {
            if (!open[i] || shares[i] == 0) continue;
            open[i] = false;
            capacity -= shares[i];
        }
    }
}

// §4.6: DWRR shares by water-filling, for random weights, frame sizes and loads. What a queue's service may differ by
// is one round: a quantum and a frame of everybody.
TEST(shares, dwrr_fills_like_water) {
    std::mt19937 random(11);
    const auto between = [&](unsigned low, unsigned high) {
        return low + static_cast<unsigned>(random()) % (high - low);
    };
    line_bench b;
    double furthest = 0;
    for (int trial = 0; trial < 12; ++trial) {
        std::vector<double> weights(8);
        std::vector<double> demands(8);
        std::array<load, 8> loads{};
        double round = 0;
        for (std::uint8_t q = 0; q < 8; ++q) {
            weights[q] = between(1, 31);
            loads[q].length = between(64, 9217);
            loads[q].rate = demands[q] = between(0, 4) == 0 ? 1.0 : between(0, 300) / 1000.0;
            b.egress.set_discipline(q, discipline::dwrr, static_cast<std::uint8_t>(weights[q]));
            round += weights[q] * 84 + loads[q].length + overhead;
        }
        double wanted = 0;
        for (const double d : demands) wanted += d;
        if (wanted < 1) loads[0].rate = demands[0] = 1.0;
        b.run(loads, 300'000);  // until queues that are offered too much are filled
        b.count_from_here();
        const picoseconds start = b.now;
        b.run(loads, 4'000'000);
        const double elapsed = static_cast<double>((b.now - start).count()) / 80.0;
        const std::vector<double> shares = water_filling(weights, demands, 1.0);
        for (std::uint8_t q = 0; q < 8; ++q) {
            EXPECT_NEAR(static_cast<double>(b.sent[q]), shares[q] * elapsed, 2 * round) << trial << " " << +q;
            furthest = std::max(furthest, std::abs(static_cast<double>(b.sent[q]) - shares[q] * elapsed) / round);
        }
        b.egress.clear();
    }
    EXPECT_EQ(b.frames.in_use(), 0U);
    conformance::row("closed.schedulers", "DWRR, 12 random loads of 8 queues: water-filling to within 2 rounds",
                     fmt::format("{:.2f} rounds off at most", furthest));
}

// §4.6: between two queues that are never empty, |S_i/w_i − S_j/w_j| ≤ quantum + Lmax, at every moment.
TEST(shares, dwrr_is_fair_at_every_moment) {
    line_bench b;
    double closest = 1e9;
    const std::array<int, 3> weight{1, 7, 20};
    const std::array<std::uint32_t, 3> length{1518, 64, 9216};
    for (std::uint8_t q = 0; q < 3; ++q) {
        b.egress.set_discipline(q, discipline::dwrr, static_cast<std::uint8_t>(weight[q]));
    }
    for (int i = 0; i < 5000; ++i) {
        for (std::uint8_t q = 0; q < 3; ++q) {
            while (b.egress.frames(q) < 2) b.fill(q, length[q]);
        }
        b.step();
        for (std::size_t x = 0; x < 3; ++x) {
            for (std::size_t y = 0; y < x; ++y) {
                const double difference =
                    static_cast<double>(b.sent[x]) / weight[x] - static_cast<double>(b.sent[y]) / weight[y];
                // A quantum is 84 octets a unit of weight; each may be a frame of its own ahead or behind.
                const double bound = 84 + static_cast<double>(length[x] + overhead) / weight[x] +
                                     static_cast<double>(length[y] + overhead) / weight[y];
                ASSERT_LE(std::abs(difference), bound) << i;
                closest = std::min(closest, bound - std::abs(difference));
            }
        }
    }
    conformance::row("closed.schedulers", "DWRR at each of 5000 departures: |Si/wi - Sj/wj| below quantum + frames",
                     fmt::format("below it by {:.0f} octets or more", closest));
}

// §4.6: WRR shares frames, so bandwidth goes as weight times length: 2·64 to 3·1500 to 5·9000.
TEST(shares, wrr_shares_bandwidth_by_weight_times_length) {
    line_bench b;
    const std::array<int, 3> weight{2, 3, 5};
    const std::array<std::uint32_t, 3> length{64, 1500, 9000};
    std::array<load, 8> loads{};
    for (std::uint8_t q = 0; q < 3; ++q) {
        b.egress.set_discipline(q, discipline::wrr, static_cast<std::uint8_t>(weight[q]));
        loads[q] = {1.0, length[q]};
    }
    b.run(loads, 10'000'000);
    for (std::uint8_t q = 1; q < 3; ++q) {
        const double expected = static_cast<double>(weight[q] * (length[q] + overhead)) /
                                static_cast<double>(weight[0] * (length[0] + overhead));
        EXPECT_NEAR(static_cast<double>(b.sent[q]) / static_cast<double>(b.sent[0]), expected, expected * 0.01);
    }
}

// §4.6: under strict priority the low class gets exactly max(0, C − what higher classes take).
TEST(shares, strict_leaves_the_rest_and_no_more) {
    line_bench b;
    std::array<load, 8> loads{};
    loads[6] = {0.30, 980};
    loads[3] = {0.45, 480};
    loads[0] = {1.0, 1480};
    b.run(loads, 8'000'000);
    const double elapsed = static_cast<double>(b.now.count()) / 80.0;
    EXPECT_NEAR(static_cast<double>(b.sent[6]), 0.30 * elapsed, 3000);
    EXPECT_NEAR(static_cast<double>(b.sent[3]), 0.45 * elapsed, 3000);
    EXPECT_NEAR(static_cast<double>(b.sent[0]), 0.25 * elapsed, 6000);
    conformance::row("closed.schedulers", "strict: 0.30 and 0.45 of the line above leave 0.25",
                     fmt::format("{:.4f}", static_cast<double>(b.sent[0]) / elapsed));
    b.egress.clear();
    b.count_from_here();
    loads[6].rate = 1.0;
    b.run(loads, 1'000'000);
    EXPECT_EQ(b.sent[3] + b.sent[0], 0);
}

// §3.5: least rates are served first, whatever the weights; the rest is shared as ever, and what it brings a queue
// counts towards its least rate.
TEST(shares, a_least_rate_is_met_and_not_exceeded_for_it) {
    line_bench b;
    std::array<load, 8> loads{};
    loads[0] = {1.0, 980};
    loads[1] = {1.0, 980};
    b.egress.set_discipline(0, discipline::dwrr, 1);
    b.egress.set_discipline(1, discipline::dwrr, 9);
    b.egress.set_queue_minimum(0, 30'000'000, 20'000);  // 30 of 100 Gb/s; the weight alone would bring 10
    b.run(loads, 4'000'000);
    EXPECT_NEAR(static_cast<double>(b.sent[0]), 0.30 * 4e6, 20'000 + 2000);
    // A least rate below what the weight brings changes nothing.
    b.egress.set_queue_minimum(0, 5'000'000, 20'000);
    b.run(loads, 1'000'000);
    b.count_from_here();
    b.run(loads, 4'000'000);
    EXPECT_NEAR(static_cast<double>(b.sent[0]), 0.10 * 4e6, 20'000 + 2000);
    // It goes before a strict queue, and that gets the rest.
    b.egress.set_queue_minimum(0, 20'000'000, 20'000);
    loads[7] = {1.0, 980};
    b.run(loads, 1'000'000);
    b.count_from_here();
    b.run(loads, 4'000'000);
    EXPECT_NEAR(static_cast<double>(b.sent[0]), 0.20 * 4e6, 20'000 + 2000);
    EXPECT_NEAR(static_cast<double>(b.sent[7]), 0.80 * 4e6, 20'000 + 2000);
    EXPECT_EQ(b.sent[1], 0);
}

// §3.5: at the greatest rate a queue is not served, though the line be idle; below both it is owed.
TEST(shares, a_strict_queue_may_have_both_rates) {
    line_bench b;
    std::array<load, 8> loads{};
    loads[7] = {1.0, 980};
    loads[2] = {1.0, 980};
    b.egress.set_queue_minimum(2, 10'000'000, 10'000);
    b.egress.set_queue_shaper(2, 25'000'000, 10'000);
    b.run(loads, 4'000'000);
    EXPECT_NEAR(static_cast<double>(b.sent[2]), 0.10 * 4e6, 12'000);
    loads[7].rate = 0;
    b.egress.clear();
    b.run(loads, 1'000'000);
    b.count_from_here();
    b.run(loads, 4'000'000);
    EXPECT_NEAR(static_cast<double>(b.sent[2]), 0.25 * 4e6, 12'000);
}

// §4.6: over any window the output is at most σ + ρ·t. Every pair of departures, random lengths; and the bound is
// reached to within a frame, after each of the rests in which tokens gather.
TEST(shares, a_token_bucket_bounds_every_window) {
    std::mt19937 random(3);
    line_bench b;
    constexpr std::int64_t burst = 30'000;
    constexpr std::uint32_t longest = 3000;
    b.egress.set_queue_shaper(0, 20'000'000, burst);
    std::size_t next_rest = 40;
    while (b.departures.size() < 1000) {
        if (b.departures.size() == next_rest) {
            next_rest += 40;
            b.egress.clear();
            b.now += b.rate.octets(static_cast<std::int64_t>(random() % 300'000));
            b.time.advance_to(b.now);
        }
        while (b.egress.frames(0) < 4) b.fill(0, 64 + static_cast<std::uint32_t>(random()) % (longest - 64));
        b.step();
    }
    double greatest = 0;
    for (std::size_t first = 0; first < b.departures.size(); ++first) {
        std::int64_t octets = 0;
        for (std::size_t last = first; last < b.departures.size(); ++last) {
            octets += b.departures[last].length + overhead;
            const double window = static_cast<double>((b.departures[last].start - b.departures[first].start).count());
            // 20 Gb/s are 2.5e-3 octets a picosecond.
            const double beyond = static_cast<double>(octets) - window * 2.5e-3;
            ASSERT_LE(beyond, burst + 1);
            greatest = std::max(greatest, beyond);
        }
    }
    EXPECT_GT(greatest, burst - longest - 2 * overhead);
    conformance::row("closed.schedulers",
                     "token bucket, every window of 1000 departures: at most 30000 octets beyond rho·t",
                     fmt::format("{:.0f}", greatest));
}

// §4.6: the longest burst at peak rate p is σ·p/(p−ρ) octets: 30 000 octets at 100 of 20 Gb/s are 37 500.
TEST(shares, the_longest_burst_has_the_closed_forms_length) {
    line_bench b;
    b.egress.set_queue_shaper(0, 20'000'000, 30'000);
    for (int i = 0; i < 200; ++i) b.fill(0, 480);
    while (b.departures.size() < 2 ||
           b.departures.back().start - b.departures[b.departures.size() - 2].start == b.rate.octets(500)) {
        b.step();
    }
    // The last one came late: the burst is what went before, to within a frame.
    EXPECT_NEAR(static_cast<double>((b.departures.size() - 1) * 500), 37'500, 500);
    conformance::row("closed.schedulers", "longest burst sigma·p/(p - rho): 37500 octets ± a frame of 500",
                     fmt::format("{}", (b.departures.size() - 1) * 500));
}

// §4.6: a shaper of frame octets lets 1538/1518 (1.3 %) and 84/64 (31 %) of a shaper of wire octets through.
TEST(shares, wire_octets_and_frame_octets_differ_as_frames_are_short) {
    line_bench b;
    for (const std::uint32_t length : {1518U, 64U}) {
        std::array<load, 8> loads{};
        loads[0] = {1.0, length};
        std::array<double, 2> passed{};
        for (const bool frames_alone : {false, true}) {
            b.egress.clear();
            b.egress.set_frame_octets_only(frames_alone);
            b.egress.set_queue_shaper(0, 20'000'000, 9300);
            b.run(loads, 100'000);
            b.count_from_here();
            b.run(loads, 4'000'000);
            passed[frames_alone ? 1 : 0] = b.frames_sent[0];
        }
        const double expected = static_cast<double>(length + overhead) / length;
        EXPECT_NEAR(passed[1] / passed[0], expected, 0.003) << length;
    }
}

// Eleven bits times a power of two. Below 2048 kb/s everything is exact; above, what is lost is less than 2^-10.
TEST(shares, rates_are_rounded_to_what_the_hardware_holds) {
    static_assert(rate_at_most(0) == 0 && rate_at_least(0) == 0);
    static_assert(rate_at_most(10'000'000) == 1220U * 8192U);
    static_assert(rate_at_least(10'000'000) == 1221U * 8192U);
    static_assert(rate_at_most(2048) == 2048 && rate_at_most(2049) == 2048 && rate_at_least(2049) == 2050);
    static_assert(rate_at_least(4095) == 4096);  // the mantissa overflows into the exponent
    static_assert(rate_at_least(UINT32_MAX) == greatest_rate && rate_at_most(UINT32_MAX) == greatest_rate);
    for (std::uint32_t kilobits = 1; kilobits < 2048; ++kilobits) {
        ASSERT_EQ(rate_at_most(kilobits), kilobits);
        ASSERT_EQ(rate_at_least(kilobits), kilobits);
    }
    std::mt19937 random(5);
    for (int i = 0; i < 100'000; ++i) {
        const std::uint32_t kilobits = std::max<std::uint32_t>(static_cast<std::uint32_t>(random()) >> (i % 32), 1);
        const std::uint64_t below = rate_at_most(kilobits);
        const std::uint64_t above = rate_at_least(kilobits);
        ASSERT_LE(below, kilobits);
        ASSERT_GT(below, 0U);
        ASSERT_LT((kilobits - below) << 10U, kilobits);
        if (kilobits <= greatest_rate) {
            ASSERT_GE(above, kilobits);
            ASSERT_LT((above - kilobits) << 10U, kilobits);
        }
        // What is held is held: rounding twice is rounding once.
        ASSERT_EQ(rate_at_most(static_cast<std::uint32_t>(below)), below);
        ASSERT_EQ(rate_at_least(static_cast<std::uint32_t>(above)), above);
    }
}

// 802.1Q clause 37: groups share by percentage whatever their queues do inside, strict queues first.
TEST(shares, ets_groups_share_by_percentage) {
    line_bench b;
    std::array<load, 8> loads{};
    // Group 0: two queues by DWRR 1 to 3. Group 1: one queue of long frames. Group 2: two queues by WRR 1 to 1.
    const std::array<std::uint8_t, 5> group{0, 0, 1, 2, 2};
    for (std::uint8_t q = 0; q < 5; ++q) b.egress.set_group(q, group[q]);
    b.egress.set_discipline(0, discipline::dwrr, 1);
    b.egress.set_discipline(1, discipline::dwrr, 3);
    b.egress.set_discipline(2, discipline::dwrr, 1);
    b.egress.set_discipline(3, discipline::wrr, 1);
    b.egress.set_discipline(4, discipline::wrr, 1);
    b.egress.set_group_weight(0, 50);
    b.egress.set_group_weight(1, 30);
    b.egress.set_group_weight(2, 20);
    const std::array<std::uint32_t, 5> length{200, 1500, 9000, 480, 980};
    for (std::uint8_t q = 0; q < 5; ++q) loads[q] = {1.0, length[q]};
    loads[7] = {0.20, 1480};
    const double rest = 0.80 * 8e6;
    b.run(loads, 8'000'000);
    // One round of the groups is 84 octets a percent, and a frame of each.
    EXPECT_NEAR(static_cast<double>(b.sent[0] + b.sent[1]), 0.50 * rest, 20'000);
    EXPECT_NEAR(static_cast<double>(b.sent[2]), 0.30 * rest, 20'000);
    EXPECT_NEAR(static_cast<double>(b.sent[3] + b.sent[4]), 0.20 * rest, 20'000);
    for (const char* id : {"std.ets", "M39"}) {
        conformance::row(id, "a strict queue takes 20 %; groups of 50, 30, 20 % share the rest: 40.0 24.0 16.0 %",
                         fmt::format("{:.1f} {:.1f} {:.1f} %", 100 * static_cast<double>(b.sent[0] + b.sent[1]) / 8e6,
                                     100 * static_cast<double>(b.sent[2]) / 8e6,
                                     100 * static_cast<double>(b.sent[3] + b.sent[4]) / 8e6));
    }
    EXPECT_NEAR(static_cast<double>(b.sent[1]) / static_cast<double>(b.sent[0]), 3.0, 0.03);
    EXPECT_NEAR(b.frames_sent[3], b.frames_sent[4], 2);
    // Work conserving: what group 1 does not want goes to the others, 5 to 2.
    loads[2].rate = 0;
    b.egress.clear();
    b.count_from_here();
    b.run(loads, 8'000'000);
    EXPECT_NEAR(static_cast<double>(b.sent[0] + b.sent[1]), rest * 5 / 7, 20'000);
    EXPECT_NEAR(static_cast<double>(b.sent[3] + b.sent[4]), rest * 2 / 7, 20'000);
    EXPECT_NEAR(static_cast<double>(b.sent[0] + b.sent[1] + b.sent[3] + b.sent[4]), rest, 6000);
}

// The same for random groups, percentages, lengths and loads: water-filling among groups.
TEST(shares, ets_groups_fill_like_water) {
    std::mt19937 random(23);
    const auto between = [&](unsigned low, unsigned high) {
        return low + static_cast<unsigned>(random()) % (high - low);
    };
    line_bench b;
    for (int trial = 0; trial < 12; ++trial) {
        std::vector<double> weights(8);
        std::vector<double> demands(8);
        std::array<std::uint8_t, 8> group{};
        std::array<load, 8> loads{};
        double round = 0;
        for (std::uint8_t q = 0; q < 8; ++q) {
            weights[q] = between(1, 101);
            group[q] = static_cast<std::uint8_t>(between(0, 4));
            loads[q] = {between(0, 3) == 0 ? 1.0 : between(0, 300) / 1000.0, between(64, 3000)};
            b.egress.set_discipline(q, q % 2 == 0 ? discipline::dwrr : discipline::wrr, 1);
            b.egress.set_group(q, group[q]);
            b.egress.set_group_weight(q, static_cast<std::uint8_t>(weights[q]));
            round += weights[q] * 84 + loads[q].length + overhead;
        }
        loads[0].rate = 1.0;
        for (std::uint8_t q = 0; q < 8; ++q) demands[group[q]] += loads[q].rate;
        b.run(loads, 300'000);
        b.count_from_here();
        const picoseconds start = b.now;
        b.run(loads, 4'000'000);
        const double elapsed = static_cast<double>((b.now - start).count()) / 80.0;
        const std::vector<double> shares = water_filling(weights, demands, 1.0);
        std::array<std::int64_t, 8> sent{};
        for (std::uint8_t q = 0; q < 8; ++q) sent[group[q]] += b.sent[q];
        for (std::uint8_t g = 0; g < 4; ++g) {
            EXPECT_NEAR(static_cast<double>(sent[g]), shares[g] * elapsed, 2 * round) << trial << " " << +g;
        }
        b.egress.clear();
    }
}

}  // namespace
}  // namespace weir::scheduler
