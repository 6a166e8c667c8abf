// SPDX-License-Identifier: Apache-2.0
// Rule G13: where heads wait and why. The PFC RTL chapter's sections 9 and 11, its properties P23 to P25.
#include "models/scheduler/attribution.h"

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
    }
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
}

}  // namespace
}  // namespace weir::scheduler
