// SPDX-License-Identifier: Apache-2.0
// ECN marking over the whole curve, with the confidence interval of a binomial count.
#include <cmath>

#include "tests/conformance/conformance.h"
#include "tests/mmu/bench.h"

namespace weir::mmu {
namespace {

using conformance::row;

// Kmin 500 KB, Kmax 2000 KB, Pmax 5 %, in cells of 1000 octets. Each trial offers one ECT frame to a queue that holds q
// cells and lets it go: the queue before the frame is always q. Five standard deviations: one run in two million strays
// by chance.
TEST(marking, probability_over_the_curve) {
    struct point {
        cells queue;
        double probability;
    };
    const point points[] = {{500, 0},      {501, 3.33e-5},  {750, 0.00833}, {1000, 0.01667},
                            {1250, 0.025}, {1500, 0.03333}, {2000, 0.05},   {2001, 1}};
    constexpr int trials = 200'000;
    std::string expected;
    std::string measured;
    for (const point& p : points) {
        wred_profile profile{};
        profile[0] = {true, 500, 2000, 3277};  // 5 % of 65535
        wred_queue queue;
        queue.profile = &profile;
        queue.ecn_enabled = true;
        queue.random = random_stream(11, fmt::format("marking.{}", p.queue));
        int marked = 0;
        for (int i = 0; i < trials; ++i) {
            if (queue.judge(p.queue, colour::green, ethernet::ecn::ect0, true) == wred_verdict::mark) ++marked;
        }
        const double mean = trials * p.probability;
        EXPECT_NEAR(marked, mean, 5 * std::sqrt(mean * (1 - p.probability)) + 1e-9) << "at " << p.queue;
        expected += fmt::format("{} KB: {:.4g} %  ", p.queue, 100 * p.probability);
        measured += fmt::format("{:.4g} %  ", 100.0 * marked / trials);
    }
    for (const char* id : {"closed.ecn", "M29", "A07"}) row(id, expected, measured);
}

// What each code point meets (RFC 3168): never a mark on Not-ECT, never a change of CE.
TEST(marking, code_points) {
    struct expectation {
        ethernet::ecn codepoint;
        wred_verdict ecn_and_wred;
        wred_verdict ecn_only;
    };
    const expectation table[] = {{ethernet::ecn::not_ect, wred_verdict::drop, wred_verdict::pass},
                                 {ethernet::ecn::ect0, wred_verdict::mark, wred_verdict::mark},
                                 {ethernet::ecn::ect1, wred_verdict::mark, wred_verdict::mark},
                                 {ethernet::ecn::ce, wred_verdict::pass, wred_verdict::pass}};
    wred_profile profile{};
    profile[0] = {true, 10, 20, 65'535};
    const auto name = [](wred_verdict v) {
        return v == wred_verdict::drop ? "drop" : v == wred_verdict::mark ? "CE" : "pass";
    };
    std::string above;
    for (const expectation& e : table) {
        wred_queue queue;
        queue.profile = &profile;
        queue.ecn_enabled = true;
        queue.wred_enabled = true;
        EXPECT_EQ(queue.judge(10, colour::green, e.codepoint, false), wred_verdict::pass);
        EXPECT_EQ(queue.judge(21, colour::green, e.codepoint, false), e.ecn_and_wred);
        above += fmt::format("{} ", name(queue.judge(21, colour::green, e.codepoint, false)));
        // A lossless queue never drops at random.
        EXPECT_NE(queue.judge(21, colour::green, e.codepoint, true), wred_verdict::drop);
        queue.wred_enabled = false;
        EXPECT_EQ(queue.judge(21, colour::green, e.codepoint, false), e.ecn_only);
        above += fmt::format("({}) ", name(queue.judge(21, colour::green, e.codepoint, false)));
    }
    for (const char* id : {"M30", "std.ecn"}) {
        row(id, "above Kmax, 00 10 01 11: drop CE CE pass; ECN only: pass CE CE pass", above);
    }
}

// 2N frames wait, Kmin = Kmax = N = 20: at enqueue frame i sees i cells and the last N − 1 are marked, at dequeue it
// leaves 2N − 1 − i behind and the first N − 1 are.
TEST(marking, position) {
    mmu_bench b({3, 1000, 128, 0});
    b.memory.set_pool(lossy_pool, direction::ingress, 500, 0);
    b.memory.set_pool(egress_pool, direction::egress, 500, 0);
    b.memory.set_group_profile(0, 0, group_of(false, lossy_pool));
    for (const std::uint8_t q : {std::uint8_t{0}, std::uint8_t{1}}) b.memory.set_queue_profile(1, q, open_queue(false));
    b.memory.set_wred_curve(0, colour::green, {true, 20, 20, 65'535});
    b.memory.wred(1, 0).ecn_enabled = b.memory.wred(1, 1).ecn_enabled = true;
    b.memory.wred(1, 1).at_dequeue = true;
    for (const std::uint8_t q : {std::uint8_t{0}, std::uint8_t{1}}) {
        for (int i = 0; i < 40; ++i) b.offer(0, 0, 1, q, 1, ethernet::ecn::ect0);
        int first = -1;
        int last = -1;
        int marked = 0;
        for (int i = 0; i < 40; ++i) {
            if (!b.send(1, q)) continue;
            if (first < 0) first = i;
            last = i;
            ++marked;
        }
        EXPECT_EQ(first, q == 0 ? 21 : 0);
        EXPECT_EQ(last, q == 0 ? 39 : 18);
        EXPECT_EQ(marked, 19);
        row("closed.ecn", q == 0 ? "at enqueue: frames 21 to 39 of 40" : "at dequeue: frames 0 to 18 of 40",
            fmt::format("frames {} to {}", first, last));
    }
}

}  // namespace
}  // namespace weir::mmu
