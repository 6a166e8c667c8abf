// SPDX-License-Identifier: Apache-2.0
// Rules R2 to R7 on one group, cell by cell.
#include "models/mmu/priority_group.h"

#include <gtest/gtest.h>

namespace weir::mmu {
namespace {

struct group_fixture {
    service_pool pool;
    priority_group group;

    explicit group_fixture(const group_profile& p, cells pool_cells = 58880) {
        pool.size = pool_cells;
        group.pool = &pool;
        group.profile = p;
        group.profile.enabled = true;
    }
    drop_reason charge(cells n) {
        const group_charge c = group.plan(n);
        if (c.refused == drop_reason::none) {
            group.commit(c);
            group.judge();
        }
        return c.refused;
    }
    void release(cells n) {
        group.release(n);
        group.judge();
    }
    void fill_service_to(cells n) {
        while (group.service_used() < n) ASSERT_EQ(charge(1), drop_reason::none);
    }
    void drain_to(cells n) {
        while (group.service_used() > n) release(1);
    }
};

group_profile lossless(cells xoff, cells xon_offset, cells headroom = 0, cells guaranteed = 0) {
    group_profile p;
    p.lossless = true;
    p.xoff = xoff;
    p.xon_offset = xon_offset;
    p.headroom = headroom;
    p.guaranteed = guaranteed;
    return p;
}

// R6: XON is an offset. By hand: XOFF 10000, XON 2000 → resume at 8000, not at 2000 (AC5P buffer note 3.5.2).
TEST(priority_group, resumes_when_service_has_fallen_by_the_offset) {
    group_fixture g(lossless(10000, 2000));
    g.fill_service_to(9999);
    EXPECT_FALSE(g.group.paused());
    g.fill_service_to(10000);
    EXPECT_TRUE(g.group.paused());
    g.drain_to(8001);
    EXPECT_TRUE(g.group.paused());
    g.drain_to(8000);
    EXPECT_FALSE(g.group.paused());
}

// The same note's refutation experiment: XON 8000 resumes at 2000, XON 256 at 9744.
TEST(priority_group, a_larger_offset_resumes_lower) {
    group_fixture wide(lossless(10000, 8000));
    wide.fill_service_to(10000);
    wide.drain_to(2001);
    EXPECT_TRUE(wide.group.paused());
    wide.drain_to(2000);
    EXPECT_FALSE(wide.group.paused());

    group_fixture narrow(lossless(10000, 256));
    narrow.fill_service_to(10000);
    narrow.drain_to(9745);
    EXPECT_TRUE(narrow.group.paused());
    narrow.drain_to(9744);
    EXPECT_FALSE(narrow.group.paused());
}

// R6: XON 0 acts as 1, so that a group which sits at XOFF does not assert and resume at once.
TEST(priority_group, an_offset_of_zero_acts_as_one) {
    group_fixture g(lossless(100, 0));
    g.fill_service_to(100);
    EXPECT_TRUE(g.group.paused());
    g.drain_to(99);
    EXPECT_FALSE(g.group.paused());
}

// R6: XON ≥ XOFF means "resume when Service is empty".
TEST(priority_group, an_offset_beyond_xoff_resumes_when_empty) {
    group_fixture g(lossless(100, 250));
    g.fill_service_to(100);
    g.drain_to(1);
    EXPECT_TRUE(g.group.paused());
    g.drain_to(0);
    EXPECT_FALSE(g.group.paused());
}

// R3 and M22: Guaranteed, then Service up to XOFF, then Headroom; back in the opposite order (R7).
TEST(priority_group, fills_guaranteed_service_headroom_and_drains_the_other_way) {
    group_fixture g(lossless(50, 10, 20, 8));
    for (int i = 0; i < 8; ++i) g.charge(1);
    EXPECT_EQ(g.group.guaranteed_used(), 8);
    EXPECT_EQ(g.group.service_used(), 0);
    for (int i = 0; i < 50; ++i) g.charge(1);
    EXPECT_EQ(g.group.service_used(), 50);
    EXPECT_EQ(g.group.headroom_used(), 0);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(g.charge(1), drop_reason::none);
    EXPECT_EQ(g.group.headroom_used(), 20);
    // M25: the drop comes at Service = XOFF and Headroom full, plus one.
    EXPECT_EQ(g.charge(1), drop_reason::headroom);
    EXPECT_EQ(g.group.used(), 78);

    g.release(20);
    EXPECT_EQ(g.group.headroom_used(), 0);
    EXPECT_EQ(g.group.service_used(), 50);
    g.release(50);
    EXPECT_EQ(g.group.service_used(), 0);
    EXPECT_EQ(g.group.guaranteed_used(), 8);
    g.release(8);
    EXPECT_EQ(g.group.used(), 0);
}

// R3: a frame is charged whole or not at all, and a refused one moves nothing.
TEST(priority_group, a_frame_that_does_not_fit_leaves_nothing_charged) {
    group_fixture g(lossless(50, 10, 5, 3));
    g.charge(3);
    g.charge(48);
    EXPECT_EQ(g.charge(8), drop_reason::headroom);  // 2 of Service and 5 of Headroom: one cell short
    EXPECT_EQ(g.group.used(), 51);
    EXPECT_EQ(g.pool.used, 48);
    EXPECT_EQ(g.charge(7), drop_reason::none);
    EXPECT_EQ(g.group.headroom_used(), 5);
}

// R3: one frame may straddle all three regions.
TEST(priority_group, one_frame_is_cut_over_the_regions) {
    group_fixture g(lossless(4, 1, 10, 2));
    EXPECT_EQ(g.charge(12), drop_reason::none);
    EXPECT_EQ(g.group.guaranteed_used(), 2);
    EXPECT_EQ(g.group.service_used(), 4);
    EXPECT_EQ(g.group.headroom_used(), 6);
}

// R5: holding any Headroom asserts, whatever Service says. With Service open beyond XOFF it does not.
TEST(priority_group, headroom_in_use_asserts_and_holds) {
    group_fixture g(lossless(100, 1, 50), 60);  // the pool ends before XOFF
    for (int i = 0; i < 60; ++i) g.charge(1);
    EXPECT_FALSE(g.group.paused());
    g.charge(1);
    EXPECT_EQ(g.group.headroom_used(), 1);
    EXPECT_TRUE(g.group.paused());
    g.release(1);
    EXPECT_FALSE(g.group.paused());
}

// R3's option: Service stays open to the limit; Headroom only behind that.
TEST(priority_group, service_after_xoff_leaves_service_open_to_the_limit) {
    group_profile p = lossless(10, 5, 20);
    p.limit = 30;
    p.service_after_xoff = true;
    group_fixture g(p);
    for (int i = 0; i < 30; ++i) g.charge(1);
    EXPECT_TRUE(g.group.paused());
    EXPECT_EQ(g.group.service_used(), 30);
    g.charge(1);
    EXPECT_EQ(g.group.headroom_used(), 1);
}

// R5: the reset value of XOFF means "limit only".
TEST(priority_group, an_xoff_of_all_ones_leaves_the_limit_to_decide) {
    group_profile p = lossless(unlimited, 5, 20);
    p.limit = 40;
    group_fixture g(p);
    g.fill_service_to(39);
    EXPECT_FALSE(g.group.paused());
    g.fill_service_to(40);
    EXPECT_TRUE(g.group.paused());
    g.drain_to(36);
    EXPECT_TRUE(g.group.paused());
    g.drain_to(35);
    EXPECT_FALSE(g.group.paused());
}

// R5, X17: an empty group asserts only when its XOFF is 0.
TEST(priority_group, an_xoff_of_zero_pauses_an_empty_group) {
    group_fixture zero(lossless(0, 0));
    zero.group.judge();
    EXPECT_TRUE(zero.group.paused());
    group_fixture one(lossless(1, 0));
    one.group.judge();
    EXPECT_FALSE(one.group.paused());
}

// R11: a lossy group never asserts, whatever its registers say, and has no Headroom.
TEST(priority_group, a_lossy_group_never_asserts_and_drops_at_its_limit) {
    group_profile p = lossless(10, 5, 100);
    p.lossless = false;
    p.limit = 20;
    group_fixture g(p);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(g.charge(1), drop_reason::none);
    EXPECT_FALSE(g.group.paused());
    EXPECT_EQ(g.charge(1), drop_reason::group_limit);
    EXPECT_EQ(g.group.headroom_used(), 0);
}

// R5's option: the whole occupancy is judged, Guaranteed included.
TEST(priority_group, judge_total_counts_guaranteed_too) {
    group_profile p = lossless(10, 4, 5, 6);
    p.judge_total = true;
    group_fixture g(p);
    for (int i = 0; i < 9; ++i) g.charge(1);
    EXPECT_FALSE(g.group.paused());
    g.charge(1);  // 6 Guaranteed + 4 Service
    EXPECT_TRUE(g.group.paused());
    g.release(3);
    EXPECT_TRUE(g.group.paused());
    g.release(1);  // 6 = 10 − 4
    EXPECT_FALSE(g.group.paused());
}

// R6's options: SAI's floor, below which XON always comes; and other vendors' absolute XON.
TEST(priority_group, a_floor_or_an_absolute_xon_resumes_there) {
    group_profile p = lossless(100, 90);
    p.xon_floor = 30;
    group_fixture floor(p);
    floor.fill_service_to(100);
    floor.drain_to(31);
    EXPECT_TRUE(floor.group.paused());
    floor.drain_to(30);
    EXPECT_FALSE(floor.group.paused());

    group_profile q = lossless(100, 40);
    q.xon_absolute = true;
    group_fixture absolute(q);
    absolute.fill_service_to(100);
    absolute.drain_to(41);
    EXPECT_TRUE(absolute.group.paused());
    absolute.drain_to(40);
    EXPECT_FALSE(absolute.group.paused());
}

// R2: a shared Headroom pool gives to whoever comes, up to each group's own cap.
TEST(priority_group, shared_headroom_is_bounded_by_the_pool_and_by_the_cap) {
    group_profile p = lossless(1, 1, 10);
    p.shared_headroom = true;
    group_fixture g(p);
    g.pool.headroom_size = 6;
    g.charge(1);
    EXPECT_EQ(g.charge(7), drop_reason::headroom);
    EXPECT_EQ(g.charge(6), drop_reason::none);
    EXPECT_EQ(g.pool.headroom_used, 6);
    g.pool.headroom_size = 100;
    EXPECT_EQ(g.charge(5), drop_reason::headroom);  // its own cap is 10
    EXPECT_EQ(g.charge(4), drop_reason::none);
    g.release(10);
    EXPECT_EQ(g.pool.headroom_used, 0);
}

// R4: limit = floor(alpha · free), alpha from 1/128 to 8.
TEST(alpha, grants_its_share_of_what_is_free) {
    EXPECT_EQ(alpha{0}.limit(12800), 100);
    EXPECT_EQ(alpha{0}.limit(127), 0);
    EXPECT_EQ(alpha{6}.limit(9), 4);
    EXPECT_EQ(alpha{7}.limit(9), 9);
    EXPECT_EQ(alpha{10}.limit(9), 72);
}

// The free counts at which a dynamic limit is crossed, against the definition, for every alpha.
TEST(alpha, knows_the_free_count_at_which_a_limit_is_reached) {
    for (std::uint8_t i = 0; i <= alpha::highest_index; ++i) {
        const alpha a{i};
        for (std::int64_t used = 0; used < 300; ++used) {
            const std::int64_t reached = a.free_at_which_reached(used);
            EXPECT_LE(a.limit(reached), used);
            EXPECT_GT(a.limit(reached + 1), used);
            const std::int64_t enough = a.free_for_limit(used);
            EXPECT_GE(a.limit(enough), used);
            if (enough > 0) {
                EXPECT_LT(a.limit(enough - 1), used);
            }
        }
    }
}

// R4, §4.2: one greedy group settles at alpha·B/(1+alpha); with alpha 1 and B 100 it asserts at 50.
TEST(priority_group, a_dynamic_limit_shrinks_as_the_group_fills) {
    group_profile p = lossless(unlimited, 1, 10);
    p.dynamic = true;
    p.share = alpha{7};
    group_fixture g(p, 100);
    for (int i = 0; i < 49; ++i) g.charge(1);
    EXPECT_FALSE(g.group.paused());
    g.charge(1);
    EXPECT_TRUE(g.group.paused());
    EXPECT_EQ(g.group.limit(), 50);
}

// R13: rebinding moves the Service count to the new pool at the write.
TEST(priority_group, rebinding_moves_service_to_the_new_pool) {
    group_fixture g(lossless(100, 1));
    g.charge(30);
    service_pool zero;
    g.group.rebind(zero, false);
    EXPECT_EQ(g.pool.used, 0);
    EXPECT_EQ(zero.used, 30);
    EXPECT_EQ(zero.free(), 0);
}

}  // namespace
}  // namespace weir::mmu
