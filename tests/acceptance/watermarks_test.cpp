// SPDX-License-Identifier: Apache-2.0
// Watermarks as a NOS acceptance suite sees them: T022 to T024 and T027 to T033, exact to the cell.
#include <fmt/format.h>

#include "tests/acceptance/lab.h"
#include "tests/conformance/conformance.h"

namespace weir::acceptance {
namespace {

using conformance::row;

constexpr thresholds sizes{100, 20, 40, 8, 200};

// T027 to T029: reserved cells leave the shared watermark at 0; then it follows cell by cell to XOFF and stays there.
TEST(pg_shared_watermark, follows_service_up_to_xoff) {
    lab l({}, usual_script(sizes));
    l.shell("interface 1\nqueue 3 dequeue off");
    l.send(0, 1, 8);
    std::uint32_t peak = l.take_group_peak(0, 3).service;
    EXPECT_EQ(peak, 0U);
    row("T027", "8 guaranteed cells in use: 0", fmt::format("{}", peak));
    std::string steps;
    for (std::uint32_t expected = 25; expected <= 100; expected += 25) {
        l.send(0, 1, 25);
        peak = l.take_group_peak(0, 3).service;
        EXPECT_EQ(peak, expected);
        steps += fmt::format("{} ", peak);
    }
    row("T028", "25 50 75 100", steps);
    l.send(0, 1, 60);
    peak = l.take_group_peak(0, 3).service;
    EXPECT_EQ(peak, 100U);
    row("T029", "60 more: 100", fmt::format("{}", peak));
}

// T030, T031: the headroom watermark is 0 up to XOFF, follows, and freezes at the headroom's size.
TEST(pg_headroom_watermark, follows_headroom_and_freezes_at_its_size) {
    lab l({}, usual_script(sizes));
    l.shell("interface 1\nqueue 3 dequeue off");
    l.send(0, 1, 108);
    std::uint32_t peak = l.take_group_peak(0, 3).headroom;
    EXPECT_EQ(peak, 0U);
    row("T030", "at XOFF: 0", fmt::format("{}", peak));
    std::string steps;
    for (std::uint32_t expected = 10; expected <= 40; expected += 10) {
        l.send(0, 1, 10);
        peak = l.take_group_peak(0, 3).headroom;
        EXPECT_EQ(peak, expected);
        steps += fmt::format("{} ", peak);
    }
    l.send(0, 1, 30);
    peak = l.take_group_peak(0, 3).headroom;
    EXPECT_EQ(peak, 40U);
    row("T031", "10 20 30 40, then frozen at 40", fmt::format("{}{}", steps, peak));
}

// R10, T131: a watermark that was read restarts at the present occupancy, not at 0, and no peak is lost.
TEST(pg_watermark, restarts_at_the_present_occupancy) {
    lab l({}, usual_script(sizes));
    l.shell("interface 1-2\nqueue 3 dequeue off");
    l.send(0, 1, 50);
    l.send(0, 2, 30);
    EXPECT_EQ(l.take_group_peak(0, 3).used, 80U);
    l.shell("interface 1\nqueue 3 dequeue on");
    l.settle();
    const std::uint32_t kept = l.take_group_peak(0, 3).used;
    const std::uint32_t present = l.take_group_peak(0, 3).used;
    EXPECT_EQ(kept, 80U);  // it was 80 when it was read last
    EXPECT_EQ(present, 30U);
    row("T131", "read at 80, drained to 30: 80, then 30", fmt::format("{}, then {}", kept, present));
}

// T022 to T024: a pool's watermark is 0 while only reserved cells are used, then exact; lossless and lossy.
TEST(buffer_pool_watermark, is_exact_for_lossless_and_lossy_pools) {
    lab l({}, usual_script(sizes));
    l.shell("interface 1\nqueue 3 dequeue off\nqueue 0 dequeue off");
    l.send(0, 1, 8);
    std::uint32_t peak = l.take_pool_peak(0).used;
    EXPECT_EQ(peak, 0U);
    row("T022", "reserved cells only: 0", fmt::format("{}", peak));
    l.send(0, 1, 37);
    const std::uint32_t first = l.take_pool_peak(0).used;
    EXPECT_EQ(first, 37U);
    l.send(0, 1, 63);
    peak = l.take_pool_peak(0).used;
    EXPECT_EQ(peak, 100U);
    row("T023", "37, then 100", fmt::format("{}, then {}", first, peak));
    EXPECT_EQ(l.take_pool_peak(1).used, 0U);
    l.send(0, 1, 150, 0);
    const std::uint32_t lossy = l.take_pool_peak(1).used;
    EXPECT_EQ(lossy, 150U);
    l.send(0, 1, 150, 0);
    peak = l.take_pool_peak(1).used;
    EXPECT_EQ(peak, 200U);  // the queue's limit
    row("T024", "150, capped at 200", fmt::format("{}, {}", lossy, peak));
}

// T032: the same for a queue's Service.
TEST(queue_shared_watermark, follows_the_queue_to_its_limit) {
    lab l({}, usual_script(sizes));
    l.shell("interface 1\nqueue 0 guaranteed 5 dequeue off");
    l.send(0, 1, 5, 0);
    EXPECT_EQ(l.take_queue_peak(1, 0).service, 0U);
    l.send(0, 1, 100, 0);
    EXPECT_EQ(l.take_queue_peak(1, 0).service, 100U);
    l.send(0, 1, 200, 0);
    const std::uint32_t peak = l.take_queue_peak(1, 0).service;
    EXPECT_EQ(peak, 200U);
    EXPECT_EQ(l.queue(1, 0).drop_frames, 100U);
    row("T032", "capped at 200, 100 drops", fmt::format("{}, {} drops", peak, l.queue(1, 0).drop_frames));
}

// T033: every queue of every port on its own, without cross-talk.
TEST(queue_watermark, all_ports_and_queues_are_apart) {
    std::string maps;
    for (int tc = 0; tc < 8; ++tc)
        maps += "map dscp " + std::to_string(8 * tc + 1) + " tc " + std::to_string(tc) + "\n";
    lab l({},
          usual_script(sizes) + "\n" + maps + "interface all\nqueue all lossy limit 400\nqueue all dequeue off\nexit");
    for (std::uint32_t to = 0; to < 4; ++to) {
        for (std::uint8_t q = 0; q < 8; ++q) {
            if (q == 3) continue;  // that class pauses; the lossy ones are enough to tell ports and queues apart
            l.send((to + 1) % 4, to, 10 + 8 * to + q, static_cast<std::uint8_t>(8 * q + 1));
        }
    }
    int right = 0;
    for (std::uint32_t to = 0; to < 4; ++to) {
        for (std::uint8_t q = 0; q < 8; ++q) {
            const std::uint32_t peak = l.take_queue_peak(to, q).used;
            const std::uint32_t wanted = q == 3 ? 0 : 10 + 8 * to + q;
            EXPECT_EQ(peak, wanted) << "port " << to << " queue " << int{q};
            if (peak == wanted) ++right;
        }
    }
    row("T033", "32 queues, each its own count to the cell", fmt::format("{} exact", right));
}

}  // namespace
}  // namespace weir::acceptance
