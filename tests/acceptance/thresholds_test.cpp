// SPDX-License-Identifier: Apache-2.0
// Lossless thresholds as a NOS acceptance suite sees them: T001 to T011 of the NOS reference, no margin (m = 0), no
// leak-out (dequeue is off, and the model swallows nothing beyond it).
#include <fmt/format.h>

#include "tests/acceptance/lab.h"
#include "tests/conformance/conformance.h"

namespace weir::acceptance {
namespace {

using conformance::row;

constexpr thresholds t{100, 20, 40, 8, 200};
constexpr std::uint64_t to_xoff = 108;       // Guaranteed 8, then Service up to XOFF
constexpr std::uint64_t to_drop = 108 + 40;  // and Headroom

// T001 to T004: one cell short of XOFF nothing, at XOFF a pause, to the last cell of Headroom no drop, then drops, on
// that group alone.
TEST(xoff_limit, pauses_at_xoff_and_drops_only_beyond_headroom) {
    lab l({}, usual_script(t));
    l.shell("interface 1\nqueue 3 dequeue off");
    l.send(0, 1, to_xoff - 1);
    EXPECT_EQ(l.pfc_counters(0, 3).tx_requests, 0U);
    EXPECT_EQ(l.all_drops(), 0U);
    row("T001", "107 cells of 108: 0 pauses, 0 drops",
        fmt::format("{}, {}", l.pfc_counters(0, 3).tx_requests, l.all_drops()));

    l.send(0, 1, 1);
    EXPECT_EQ(l.pfc_counters(0, 3).tx_requests, 1U);
    EXPECT_EQ(l.all_drops(), 0U);
    row("T002", "the 108th: 1 pause, 0 drops", fmt::format("{}, {}", l.pfc_counters(0, 3).tx_requests, l.all_drops()));

    const std::uint64_t before = l.pfc_counters(0, 3).tx_requests;
    l.send(0, 1, to_drop - to_xoff);
    l.settle(microseconds(400));  // a refresh comes after 32768 quanta: 168 µs at 100G
    const std::uint64_t after = l.pfc_counters(0, 3).tx_requests;
    EXPECT_GT(after, before);
    EXPECT_EQ(l.all_drops(), 0U);
    for (const char* id : {"T003", "M27"}) {
        row(id, "148 cells: refreshes every 167.8 us, 0 drops",
            fmt::format("{} in 400 us, {}", after - before, l.all_drops()));
    }
    row("Y13", "a refresh is no resume: 0 transitions", fmt::format("{}", l.pfc_counters(0, 3).tx_transitions));
    EXPECT_EQ(l.pfc_counters(0, 3).tx_transitions, 0U);

    l.send(0, 1, 1);
    EXPECT_EQ(l.group(0, 3).drop_frames, 1U);
    EXPECT_EQ(l.drops(0, WEIR_DROP_HEADROOM), 1U);
    EXPECT_EQ(l.all_drops(), 1U);
    EXPECT_EQ(l.queue(1, 3).drop_frames, 0U);
    for (std::uint32_t g = 0; g < 8; ++g) {
        if (g != 3) {
            EXPECT_EQ(l.group(0, g).drop_frames, 0U);
        }
    }
    for (const char* id : {"T004", "M25"}) {
        row(id, "cell 149, beyond XOFF 100 + 8 and headroom 40: 1 drop of that group, 0 of the queue",
            fmt::format("{}, {}", l.group(0, 3).drop_frames, l.queue(1, 3).drop_frames));
    }
    row("Y12", "XOFF is a line, headroom a size: 40 cells between the pause and the drop",
        fmt::format("{}", to_drop - to_xoff));
}

// T005: another priority, other priorities' counters stay 0.
TEST(xoff_limit, another_priority_behaves_alike_and_alone) {
    lab l({}, usual_script(t) +
                  "\nmap dscp 32 tc 4\nmap tc 4 pg 4\ninterface all\npg 4 pool lossless guaranteed 8\n"
                  "pfc enable priority 4\nexit");
    l.shell("interface 1\nqueue 4 dequeue off");
    l.send(0, 1, to_xoff - 1, 32);
    EXPECT_EQ(l.pfc_counters(0, 4).tx_requests, 0U);
    l.send(0, 1, 1, 32);
    EXPECT_EQ(l.pfc_counters(0, 4).tx_requests, 1U);
    for (std::uint32_t p = 0; p < 8; ++p) {
        if (p != 4) {
            EXPECT_EQ(l.pfc_counters(0, p).tx_requests, 0U);
        }
    }
    l.send(0, 1, to_drop - to_xoff, 32);
    EXPECT_EQ(l.all_drops(), 0U);
    l.send(0, 1, 1, 32);
    EXPECT_EQ(l.group(0, 4).drop_frames, 1U);
    row("T005", "priority 4: pause at 108, drop at 149; priority 3: 0 pauses",
        fmt::format("{} drop, {} pauses of 3", l.group(0, 4).drop_frames, l.pfc_counters(0, 3).tx_requests));
}

// T006 to T008: three destinations hold the group at XOFF; it resumes with the first still holding XOFF − XON, and not
// one cell earlier; then the count stands still for 30 ms.
TEST(xon_limit, resumes_at_xoff_minus_the_offset) {
    lab l({}, usual_script(t));
    l.shell("interface 1-3\nqueue 3 dequeue off");
    l.send(0, 1, to_xoff - 20);
    l.send(0, 2, 19);
    l.send(0, 3, 1);
    EXPECT_EQ(l.pfc_counters(0, 3).tx_requests, 1U);
    EXPECT_EQ(l.pfc_counters(0, 3).tx_transitions, 0U);
    row("T006", "1 pause, 0 drops", fmt::format("{}, {}", l.pfc_counters(0, 3).tx_requests, l.all_drops()));

    l.shell("interface 2\nqueue 3 dequeue on");
    l.settle();
    EXPECT_EQ(l.group_usage(0, 3).service, 81U);
    EXPECT_EQ(l.pfc_counters(0, 3).tx_transitions, 0U);  // 81 > 100 − 20
    row("T007", "81 cells, one above 100 − 20: still paused",
        fmt::format("{}, {} resumes", l.group_usage(0, 3).service, l.pfc_counters(0, 3).tx_transitions));

    l.shell("interface 3\nqueue 3 dequeue on");
    l.settle();
    EXPECT_EQ(l.group_usage(0, 3).service, 80U);
    const weir_pfc_counters resumed = l.pfc_counters(0, 3);
    EXPECT_EQ(resumed.tx_transitions, 1U);
    l.settle(microseconds(30'000));
    EXPECT_EQ(l.pfc_counters(0, 3).tx_requests, resumed.tx_requests);
    EXPECT_EQ(l.all_drops(), 0U);
    EXPECT_EQ(l.received(2), 19U);
    EXPECT_EQ(l.received(3), 1U);
    for (const char* id : {"T008", "M24"}) {
        row(id, "resume at 80 cells; 30 ms later 0 more pauses, 0 drops",
            fmt::format("{}; {}, {}", l.group_usage(0, 3).service,
                        l.pfc_counters(0, 3).tx_requests - resumed.tx_requests, l.all_drops()));
    }
}

// T009, T010: several sources; freeing one destination and sending one frame more keeps the last source paused, freeing
// all resumes it and freezes the count.
TEST(xon_hysteresis, a_little_relief_is_not_enough) {
    lab l({}, usual_script(t));
    l.shell("interface 2-3\nqueue 3 dequeue off");
    l.send(0, 2, 60);
    l.send(1, 2, 95);
    l.send(1, 3, 13);
    EXPECT_EQ(l.pfc_counters(0, 3).tx_requests, 0U);
    EXPECT_EQ(l.pfc_counters(1, 3).tx_requests, 1U);
    l.shell("interface 3\nqueue 3 dequeue on");
    l.send(1, 3, 1);
    EXPECT_EQ(l.pfc_counters(1, 3).tx_transitions, 0U);  // 87 of Service are left: above 80
    EXPECT_EQ(l.group_usage(1, 3).service, 87U);
    for (const char* id : {"T009", "S41"}) {
        row(id, "87 cells left, above 80: still XOFF",
            fmt::format("{}, {} resumes", l.group_usage(1, 3).service, l.pfc_counters(1, 3).tx_transitions));
    }
    l.shell("interface 2\nqueue 3 dequeue on");
    l.settle();
    const weir_pfc_counters resumed = l.pfc_counters(1, 3);
    EXPECT_EQ(resumed.tx_transitions, 1U);
    l.settle(microseconds(4'000));
    EXPECT_EQ(l.pfc_counters(1, 3).tx_requests, resumed.tx_requests);
    EXPECT_EQ(l.pfc_counters(0, 3).tx_requests, 0U);
    row("T010", "XON, then silence: 1 resume, 0 more frames",
        fmt::format("{}, {}", resumed.tx_transitions, l.pfc_counters(1, 3).tx_requests - resumed.tx_requests));
    row("M21", "egress congested from port 1 alone pauses port 1 alone: port 0 0 frames",
        fmt::format("{}", l.pfc_counters(0, 3).tx_requests));
}

// T034: the drop counter is exact, again and again: no residue is left between rounds.
TEST(pg_drop, counts_every_drop_and_leaves_no_residue) {
    lab l({}, usual_script(t));
    for (std::uint64_t round = 1; round <= 5; ++round) {
        l.shell("interface 1\nqueue 3 dequeue off");
        l.send(0, 1, to_drop + 10);
        EXPECT_EQ(l.group(0, 3).drop_frames, 10 * round);
        l.shell("interface 1\nqueue 3 dequeue on");
        l.settle();
        EXPECT_EQ(l.group_usage(0, 3).used, 0U);
        EXPECT_EQ(l.received(1), to_drop * round);
    }
    row("T034", "5 rounds of 10 drops: 50", fmt::format("{}", l.group(0, 3).drop_frames));
}

// T025, T026: a lossy queue at its limit drops, at the egress, without a pause and without a drop of the group.
TEST(lossy_queue, drops_at_its_limit_without_a_pause) {
    lab l({}, usual_script(t));
    l.shell("interface 1\nqueue 0 dequeue off");
    l.send(0, 1, 200, 0);
    EXPECT_EQ(l.all_drops(), 0U);
    EXPECT_EQ(l.queue(1, 0).drop_frames, 0U);
    row("T025", "200 of 200 cells: 0 drops", fmt::format("{}", l.all_drops()));
    l.send(0, 1, 1, 0);
    EXPECT_EQ(l.queue(1, 0).drop_frames, 1U);
    EXPECT_EQ(l.drops(0, WEIR_DROP_QUEUE_LIMIT), 1U);
    EXPECT_EQ(l.group(0, 0).drop_frames, 0U);
    std::uint64_t pauses = 0;
    for (std::uint32_t p = 0; p < 8; ++p) pauses += l.pfc_counters(0, p).tx_requests;
    EXPECT_EQ(pauses, 0U);
    row("T026", "the 201st: 1 drop at the queue, 0 at the group, 0 pauses",
        fmt::format("{}, {}, {}", l.queue(1, 0).drop_frames, l.group(0, 0).drop_frames, pauses));
    for (const char* id : {"S66", "P17"}) row(id, "a lossy class over its limit: 0 pauses", fmt::format("{}", pauses));
}

}  // namespace
}  // namespace weir::acceptance
