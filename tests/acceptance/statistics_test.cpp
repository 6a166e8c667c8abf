// SPDX-License-Identifier: Apache-2.0
// Statistics as a whole: snapshot and view, clearing, occupancy thresholds (NOS reference §2.7, block CNT/BST).
#include "tests/acceptance/lab.h"

namespace weir::acceptance {
namespace {

// A snapshot is one instant: it goes on showing 30 cells and 30 frames while 20 more arrive, and reading it restarts no
// watermark.
TEST(statistics, a_snapshot_stands_still_while_traffic_goes_on) {
    lab l({}, usual_script());
    l.shell("interface 1\nqueue 3 dequeue off");
    l.send(0, 1, 30);
    std::uint64_t taken = 0;
    l.drive([&](weir_dev* d) { return weir_snapshot_take(d, &taken); });
    EXPECT_GT(taken, 0U);
    l.send(0, 1, 20);
    EXPECT_EQ(l.group(0, 3).frames, 50U);
    EXPECT_EQ(l.group_usage(0, 3).used, 50U);

    l.drive([](weir_dev* d) { return weir_snapshot_show(d, true); });
    EXPECT_EQ(l.group(0, 3).frames, 30U);
    EXPECT_EQ(l.group_usage(0, 3).used, 30U);
    EXPECT_EQ(l.take_group_peak(0, 3).used, 30U);
    EXPECT_EQ(l.take_group_peak(0, 3).used, 30U);
    l.drive([](weir_dev* d) { return weir_snapshot_show(d, false); });
    EXPECT_EQ(l.group(0, 3).frames, 50U);
    l.shell("interface 1\nqueue 3 dequeue on");
    l.settle();
    EXPECT_EQ(l.take_group_peak(0, 3).used, 50U);  // the peak since the last live read is not lost
}

TEST(statistics, counters_and_watermarks_are_cleared_apart) {
    lab l({}, usual_script());
    l.shell("interface 1\nqueue 3 dequeue off");
    l.send(0, 1, 120);
    l.shell("clear counters");
    EXPECT_EQ(l.group(0, 3).frames, 0U);
    EXPECT_EQ(l.port(0).rx_frames, 0U);
    EXPECT_EQ(l.pfc_counters(0, 3).tx_requests, 0U);
    EXPECT_EQ(l.take_group_peak(0, 3).used, 120U);
    l.shell("interface 1\nqueue 3 dequeue on\nqueue 3 dequeue off");
    l.settle();
    l.send(0, 1, 5);
    l.shell("clear watermarks");
    EXPECT_EQ(l.take_group_peak(0, 3).used, l.group_usage(0, 3).used);  // R10: the present, not 0
    EXPECT_EQ(l.group_usage(0, 3).used, 5U);
    EXPECT_GT(l.group(0, 3).frames, 0U);
}

// A threshold of 40 cells: 39 do not reach it, 40 do; the hit is sticky and raises the interrupt.
TEST(statistics, a_threshold_tells_when_a_buffer_fills) {
    lab l({}, usual_script());
    l.shell("interface 1\nqueue 3 dequeue off");
    l.drive([](weir_dev* d) { return weir_group_threshold_set(d, 0, 3, 40); });
    l.drive([](weir_dev* d) { return weir_queue_threshold_set(d, 1, 3, 41); });
    l.send(0, 1, 39);
    std::uint8_t groups = 0xff;
    std::uint8_t queues = 0xff;
    l.drive([&](weir_dev* d) { return weir_threshold_hits_take(d, 0, &groups, &queues); });
    EXPECT_EQ(groups, 0);
    l.send(0, 1, 1);
    std::uint32_t causes = 0;
    l.drive([&](weir_dev* d) { return weir_interrupts_take(d, &causes); });
    EXPECT_EQ(causes & WEIR_INT_THRESHOLD, static_cast<std::uint32_t>(WEIR_INT_THRESHOLD));
    l.drive([&](weir_dev* d) { return weir_threshold_hits_take(d, 0, &groups, &queues); });
    EXPECT_EQ(groups, 0x08);
    EXPECT_EQ(queues, 0);
    l.drive([&](weir_dev* d) { return weir_threshold_hits_take(d, 1, &groups, &queues); });
    EXPECT_EQ(queues, 0);
    l.send(0, 1, 1);
    l.drive([&](weir_dev* d) { return weir_threshold_hits_take(d, 1, &groups, &queues); });
    EXPECT_EQ(queues, 0x08);
    l.drive([](weir_dev* d) { return weir_group_threshold_set(d, 0, 3, WEIR_CELLS_UNLIMITED); });
    l.drive([&](weir_dev* d) { return weir_threshold_hits_take(d, 0, &groups, &queues); });
    l.send(0, 1, 1);
    l.drive([&](weir_dev* d) { return weir_threshold_hits_take(d, 0, &groups, &queues); });
    EXPECT_EQ(groups, 0);
}

}  // namespace
}  // namespace weir::acceptance
