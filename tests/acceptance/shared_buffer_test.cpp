// SPDX-License-Identifier: Apache-2.0
// What groups share, as a NOS acceptance suite sees it: T011, T013 to T019, T021. No margin (m = 0).
#include <fmt/format.h>

#include <functional>

#include "tests/acceptance/lab.h"
#include "tests/conformance/conformance.h"

namespace weir::acceptance {
namespace {

using conformance::row;

constexpr thresholds shared_limits{100, 20, 40, 8, 200};
constexpr std::uint64_t frames_to_xoff = 108;

// T011: two sources into one destination, each judged alone: no pause at one cell short, a pause on both with one more.
TEST(shared_buffer, two_sources_are_judged_apart) {
    lab l({}, usual_script(shared_limits));
    l.shell("interface 2\nqueue 3 dequeue off");
    for (const std::uint32_t from : {0U, 1U}) l.send(from, 2, frames_to_xoff - 1);
    const std::uint64_t before = l.pfc_counters(0, 3).tx_requests + l.pfc_counters(1, 3).tx_requests;
    EXPECT_EQ(before, 0U);
    for (const std::uint32_t from : {0U, 1U}) l.send(from, 2, 1);
    EXPECT_EQ(l.pfc_counters(0, 3).tx_requests, 1U);
    EXPECT_EQ(l.pfc_counters(1, 3).tx_requests, 1U);
    EXPECT_EQ(l.all_drops(), 0U);
    row("T011", "one cell short: 0 pauses; one more each: 1 and 1, 0 drops",
        fmt::format("{}; {} and {}, {} drops", before, l.pfc_counters(0, 3).tx_requests,
                    l.pfc_counters(1, 3).tx_requests, l.all_drops()));
}

std::string dynamic_script(const char* alpha, int pool, int shared_headroom) {
    return fmt::format(R"(pool create lossless ingress size {} cells headroom {} cells
map dscp 0-63 tc 0
map dscp 24 tc 3
map dscp 32 tc 4
map tc 3 pg 3
map tc 4 pg 4
trust dscp
interface all
  pg all guaranteed 0
  pfc enable priority 3
  pfc enable priority 4
  pg 3,4 dynamic {} headroom 100 shared-headroom on
  pfc resume-threshold 1
  no shutdown
exit)",
                       pool, shared_headroom, alpha);
}

// T013, T014: many groups up to just under the shared limit: no pause; one more: a pause; after the transmitters go on
// the pauses stop. alpha 1/4, pool 2000, six groups: 0.25·2000/(1 + 6·0.25) = 200 cells each.
TEST(shared_buffer, groups_fill_the_shared_limit) {
    lab l({}, dynamic_script("1/4", 2000, 400));
    l.shell("interface 3\nqueue 3,4 dequeue off");
    const auto pauses = [&] {
        std::uint64_t sum = 0;
        for (std::uint32_t p = 0; p < 3; ++p)
            sum += l.pfc_counters(p, 3).tx_requests + l.pfc_counters(p, 4).tx_requests;
        return sum;
    };
    for (std::uint32_t p = 0; p < 3; ++p) {
        l.send(p, 3, 199, 24);
        l.send(p, 3, p == 2 ? 198 : 199, 32);
    }
    const std::uint64_t before = pauses();
    EXPECT_EQ(before, 0U);
    EXPECT_EQ(l.all_drops(), 0U);
    row("T013", "five groups of 199 and one of 198 of 200: 0 pauses, 0 drops",
        fmt::format("{}, {}", before, l.all_drops()));
    l.send(2, 3, 3, 32);
    const std::uint64_t after = pauses();
    EXPECT_GT(after, 0U);
    EXPECT_EQ(l.all_drops(), 0U);
    l.shell("interface 3\nqueue 3,4 dequeue on");
    l.settle();
    const std::uint64_t resumed = pauses();
    l.settle(microseconds(4000));
    EXPECT_EQ(pauses(), resumed);
    row("T014", "a few more: pauses, 0 drops; released: silence",
        fmt::format("{} pauses, {} drops; {} more in 4 ms", after, l.all_drops(), pauses() - resumed));
}

// T015: under a dynamic limit each group pauses at its own, falling value: a group filled alone after k others hold q
// cells in all pauses at floor(alpha·(B − q)/(1 + alpha)), rounded up to the cell at which it has reached its limit.
TEST(shared_buffer, each_group_pauses_at_its_own_falling_value) {
    lab l({}, dynamic_script("1/4", 2000, 400));
    l.shell("interface 3\nqueue 3,4 dequeue off");
    std::string expected;
    std::string measured;
    int held = 0;
    for (std::uint32_t n = 0; n < 6; ++n) {
        const std::uint32_t port = n / 2;
        const std::uint32_t priority = 3 + n % 2;
        // The first count whose limit, floor((B − held − s)/4), it has reached.
        int want = 0;
        while (want < (2000 - held - want) / 4) ++want;
        std::uint32_t sent = 0;
        while (l.pfc_counters(port, priority).tx_requests == 0 && sent < 1000) {
            l.send(port, 3, 1, static_cast<std::uint8_t>(8 * priority));
            ++sent;
        }
        EXPECT_EQ(static_cast<int>(sent), want) << "group " << n;
        expected += fmt::format("{} ", want);
        measured += fmt::format("{} ", sent);
        held += want;
    }
    EXPECT_EQ(l.all_drops(), 0U);
    row("T015", "alpha 1/4 on 2000 cells, one after the other: " + expected, measured);
}

// T016 to T018: headroom of a pool: every paused group takes its part, no drop up to the pool's size, drops beyond it;
// the watermark follows and stays.
TEST(shared_buffer, headroom_pool_is_used_up_to_its_last_cell) {
    lab l({}, dynamic_script("1/4", 2000, 250));
    l.shell("interface 3\nqueue 3,4 dequeue off");
    // Three groups to XOFF, one after the other; each may take 100 of headroom, the pool has 250.
    for (std::uint32_t p = 0; p < 3; ++p) {
        std::uint32_t sent = 0;
        while (l.pfc_counters(p, 3).tx_requests == 0 && sent++ < 1000) l.send(p, 3, 1, 24);
    }
    EXPECT_EQ(l.take_pool_peak(0).headroom, 0U);
    std::string steps;
    for (std::uint32_t p = 0; p < 3; ++p) {
        l.send(p, 3, p == 2 ? 50 : 100, 24);
        steps += fmt::format("{} ", l.take_pool_peak(0).headroom);
        EXPECT_EQ(l.all_drops(), 0U);
    }
    EXPECT_EQ(steps, "100 200 250 ");
    row("T016", "100 + 100 + 50 cells of headroom: 0 drops", fmt::format("{}", l.all_drops()));
    l.send(2, 3, 1, 24);
    const std::uint64_t drops = l.all_drops();
    EXPECT_EQ(drops, 1U);
    row("T017", "one more: 1 drop", fmt::format("{}", drops));
    const std::uint32_t full = l.take_pool_peak(0).headroom;
    EXPECT_EQ(full, 250U);
    row("T018", "watermark 100 200 250, unchanged by the drop", fmt::format("{}, {}", steps, full));
    // Everything comes back.
    l.shell("interface 3\nqueue 3,4 dequeue on");
    l.settle();
    EXPECT_EQ(l.machine().chip(0).memory().used(), 0);
    EXPECT_EQ(l.machine().chip(0).memory().pool(0).headroom_used, 0);
}

// T019: lossy group 0 fills the shared pool, a lossless group with a guarantee still gets in.
TEST(shared_buffer, a_guarantee_holds_against_a_full_pool) {
    lab l({}, R"(pool create shared ingress size 300 cells
map dscp 0-63 tc 0
map dscp 24 tc 3
map tc 3 pg 3
trust dscp
interface all
  pg all guaranteed 0
  pg 3 guaranteed 30
  pfc enable priority 3
  pfc headroom 10 cells
  queue 0 limit 1000
  no shutdown
exit)");
    l.shell("interface 1\nqueue all dequeue off");
    l.send(0, 1, 350, 0);
    const std::uint64_t lossy = l.group(0, 0).drop_frames;
    EXPECT_EQ(lossy, 50U);
    l.send(0, 1, 30, 24);
    EXPECT_EQ(l.group(0, 3).drop_frames, 0U);
    row("T019", "group 0: 50 drops with the pool full; group 3: 0 of 30 guaranteed",
        fmt::format("{}; {}", lossy, l.group(0, 3).drop_frames));
    EXPECT_EQ(l.take_pool_peak(0).used, 300U);
}

// T021: thresholds found by bisection, each try on an empty switch, three times: always the configured ones.
TEST(shared_buffer, probing_finds_the_thresholds_every_time) {
    lab l({}, usual_script(shared_limits));
    l.shell("interface 1\nqueue all dequeue off");
    const auto drain = [&] {
        l.shell("interface 1\nqueue all dequeue on");
        l.settle();
        ASSERT_EQ(l.machine().chip(0).memory().used(), 0);
        l.shell("interface 1\nqueue all dequeue off");
    };
    /// The least number of frames from empty at which `happened` grows.
    const auto least = [&](std::uint8_t dscp, const std::function<std::uint64_t()>& happened) {
        std::uint64_t low = 1;
        std::uint64_t high = 400;
        while (low < high) {
            const std::uint64_t middle = (low + high) / 2;
            const std::uint64_t before = happened();
            l.send(0, 1, middle, dscp);
            const bool did = happened() > before;
            drain();
            (did ? high : low) = did ? middle : middle + 1;
        }
        return low;
    };
    for (int round = 0; round < 3; ++round) {
        const auto xoff =
            least(24, [&] { return l.pfc_counters(0, 3).tx_transitions + (l.group_usage(0, 3).paused ? 1U : 0U); });
        const auto drop = least(24, [&] { return l.group(0, 3).drop_frames; });
        const auto egress = least(0, [&] { return l.queue(1, 0).drop_frames; });
        EXPECT_EQ(xoff, 108U);
        EXPECT_EQ(drop, 149U);
        EXPECT_EQ(egress, 201U);
        if (round == 2)
            row("T021", "XOFF 108, ingress drop 149, egress drop 201, the same three times",
                fmt::format("{}, {}, {}", xoff, drop, egress));
    }
}

}  // namespace
}  // namespace weir::acceptance
