// SPDX-License-Identifier: Apache-2.0
// Rule G13: where heads wait and why. The PFC RTL chapter's sections 9 and 11, its properties P23 to P25.
#include "models/scheduler/attribution.h"
#include "tests/conformance/conformance.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

namespace weir::scheduler {
namespace {

using cause = wait_cause;

picoseconds all_causes(const attribution& a, std::uint8_t queue, picoseconds now) {
    return a.waited(queue, cause::self_paused, now) + a.waited(queue, cause::second_order, now) +
           a.waited(queue, cause::first_order, now) + a.waited(queue, cause::none, now);
}

// The order of the chapter's if chain is a specification: all eight cases, at compile time.
static_assert(judge(true, true, true) == cause::self_paused);
static_assert(judge(true, true, false) == cause::self_paused);
static_assert(judge(true, false, true) == cause::self_paused);
static_assert(judge(true, false, false) == cause::self_paused);
static_assert(judge(false, true, true) == cause::second_order);
static_assert(judge(false, true, false) == cause::second_order);
static_assert(judge(false, false, true) == cause::first_order);
static_assert(judge(false, false, false) == cause::none);

// P23, all 2^16 states of eight queues: blocked is work of which nothing is let go; a stopped queue is never eligible
// and the gate only takes away (P19, P20).
TEST(attribution, blocked_is_work_and_nothing_eligible) {
    int blocked = 0;
    int defined = 0;
    for (unsigned state = 0; state < 1U << 16U; ++state) {
        const auto holding = static_cast<pfc::bitmap>(state);
        const auto stopped = static_cast<pfc::bitmap>(state >> 8U);
        bool any = false;
        for (unsigned q = 0; q < 8; ++q) {
            const bool expected = (holding >> q & 1U) != 0 && (stopped >> q & 1U) == 0;
            ASSERT_EQ((eligible(holding, stopped) >> q & 1U) != 0, expected) << state;
            any = any || expected;
        }
        ASSERT_EQ(all_blocked(holding, stopped), holding != 0 && !any) << state;
        if (all_blocked(holding, stopped)) ++blocked;
        if (holding != 0 && !any) ++defined;
    }
    // For each of 255 sets that hold, the stops that cover it: sum of C(8, k)·2^(8 − k), k from 1: 3^8 − 2^8.
    EXPECT_EQ(blocked, 6561 - 256);
    EXPECT_EQ(defined, blocked);
    conformance::row("S50", "65536 states of eight queues: 3^8 - 2^8 = 6305 blocked",
                     fmt::format("{} blocked", blocked));
}

// One queue through all four causes, 10 ns each but for the frame's time on the wire.
TEST(attribution, one_head_goes_through_all_causes) {
    attribution a;
    a.fills(3, nanoseconds(0));
    a.gate(0x08, false, nanoseconds(10));  // none until here
    a.gate(0x08, true, nanoseconds(20));   // PFC and PAUSE: PFC explains it
    a.gate(0, true, nanoseconds(30));      // PAUSE alone
    a.gate(0, false, nanoseconds(40));
    a.sends(3, 0x08, nanoseconds(40), nanoseconds(45));  // the next head waits for the wire, then for nothing
    const picoseconds now = nanoseconds(60);
    EXPECT_EQ(a.waited(3, cause::self_paused, now), nanoseconds(20));
    EXPECT_EQ(a.waited(3, cause::second_order, now), nanoseconds(10));
    EXPECT_EQ(a.waited(3, cause::first_order, now), nanoseconds(5));
    EXPECT_EQ(a.waited(3, cause::none, now), nanoseconds(10 + 15));
    EXPECT_EQ(a.blocked(now), nanoseconds(30));
    const auto ns = [&](cause why) { return a.waited(3, why, now).count() / 1000; };
    conformance::row("C06", "one head, 60 ns: 20 self-paused, 10 second order, 5 first order, 25 none",
                     fmt::format("{} {} {} {}", ns(cause::self_paused), ns(cause::second_order), ns(cause::first_order),
                                 ns(cause::none)));
    conformance::row("C04", "all work stopped for 30 ns", fmt::format("{} ns", a.blocked(now).count() / 1000));
    // Reading changes nothing, and what is settled later agrees with what was read.
    a.empties(3, now);
    EXPECT_EQ(all_causes(a, 3, nanoseconds(1000)), nanoseconds(60));
    EXPECT_EQ(a.waited(3, cause::none, nanoseconds(1000)), nanoseconds(25));
}

// A stop in the midst of a frame of the same queue: P25, the stop explains the wait as long as it stands.
TEST(attribution, a_stop_wins_over_the_frame_on_the_wire) {
    attribution a;
    a.fills(3, nanoseconds(0));
    a.sends(3, 0x08, nanoseconds(0), nanoseconds(100));
    a.gate(0x08, false, nanoseconds(30));
    a.gate(0, false, nanoseconds(70));
    EXPECT_EQ(a.waited(3, cause::first_order, nanoseconds(200)), nanoseconds(30 + 30));
    EXPECT_EQ(a.waited(3, cause::self_paused, nanoseconds(200)), nanoseconds(40));
    EXPECT_EQ(a.waited(3, cause::none, nanoseconds(200)), nanoseconds(100));
    conformance::row(
        "S61", "stopped for 40 ns of a frame of 100 ns of its queue: 40 self-paused, 60 first order",
        fmt::format("{} self-paused, {} first order", a.waited(3, cause::self_paused, nanoseconds(200)).count() / 1000,
                    a.waited(3, cause::first_order, nanoseconds(200)).count() / 1000));
}

TEST(attribution, a_cleared_account_goes_on_from_now) {
    attribution a;
    a.fills(2, nanoseconds(0));
    a.gate(0xff, false, nanoseconds(5));
    a.clear(nanoseconds(50));
    EXPECT_EQ(all_causes(a, 2, nanoseconds(50)), nanoseconds(0));
    EXPECT_EQ(a.waited(2, cause::self_paused, nanoseconds(60)), nanoseconds(10));
    EXPECT_EQ(a.blocked(nanoseconds(60)), nanoseconds(10));
}

// P24: every moment with a head is charged to exactly one cause, and to the right one. Random events in whole
// nanoseconds, against a model that looks at every nanosecond.
TEST(attribution, is_a_partition_of_the_time_in_which_heads_wait) {
    std::mt19937 random(7);
    const auto upto = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    attribution a;
    std::array<std::array<int, wait_causes>, 8> expected{};
    int blocked = 0;
    unsigned holding = 0;
    unsigned by_pfc = 0;
    bool link = false;
    unsigned sending = 8;
    int sent_at = 0;
    for (int now = 0; now < 20000; ++now) {
        for (unsigned events = upto(3); events > 0; --events) {
            const auto q = static_cast<std::uint8_t>(upto(8));
            switch (upto(6)) {
                case 0:
                    by_pfc = upto(4) == 0 ? 0xff : upto(256);
                    link = upto(4) == 0;
                    a.gate(static_cast<pfc::bitmap>(by_pfc), link, nanoseconds(now));
                    break;
                case 1:
                    if ((holding >> q & 1U) != 0) {
                        holding &= ~(1U << q);
                        a.empties(q, nanoseconds(now));
                    }
                    break;
                case 2:
                case 3:
                    if ((holding >> q & 1U) == 0) {
                        holding |= 1U << q;
                        a.fills(q, nanoseconds(now));
                    }
                    break;
                default:
                    // A port that is free sends from a queue that holds frames; it may be the last one.
                    if (now < sent_at || (holding >> q & 1U) == 0) break;
                    if (upto(2) == 0) holding &= ~(1U << q);
                    sending = q;
                    sent_at = now + 1 + static_cast<int>(upto(6));
                    a.sends(q, static_cast<pfc::bitmap>(holding), nanoseconds(now), nanoseconds(sent_at));
                    break;
            }
        }
        for (unsigned q = 0; q < 8; ++q) {
            if ((holding >> q & 1U) == 0) continue;
            const cause why = judge((by_pfc >> q & 1U) != 0, link, sending == q && now < sent_at);
            ++expected[q][static_cast<std::size_t>(why)];
        }
        if (holding != 0 && (link || (holding & ~by_pfc) == 0)) ++blocked;
    }
    for (std::uint8_t q = 0; q < 8; ++q) {
        for (std::size_t why = 0; why < wait_causes; ++why) {
            EXPECT_EQ(a.waited(q, static_cast<cause>(why), nanoseconds(20000)), nanoseconds(expected[q][why]))
                << +q << " " << why;
            EXPECT_GT(expected[q][why], 0);
        }
    }
    EXPECT_EQ(a.blocked(nanoseconds(20000)), nanoseconds(blocked));
    std::int64_t waits = 0;
    std::int64_t parts = 0;
    for (std::uint8_t q = 0; q < 8; ++q) {
        for (const int n : expected[q]) waits += n;
        parts += all_causes(a, q, nanoseconds(20000)).count() / 1000;
    }
    EXPECT_EQ(parts, waits);
    for (const char* id : {"S60", "C06"}) {
        conformance::row(id, fmt::format("random events, looked at each ns: {} ns of waiting", waits),
                         fmt::format("{} ns, by cause", parts));
    }
}

}  // namespace
}  // namespace weir::scheduler
