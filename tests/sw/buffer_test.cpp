// SPDX-License-Identifier: Apache-2.0
// Pools, groups, queues: the budget (R9), thresholds, and the order in which a change is written.
#include "sw/include/weir/buffer.h"

#include <gmock/gmock.h>

#include "sw/include/weir/pfc.h"
#include "sw/include/weir/wred.h"
#include "tests/sw/bank_device.h"

namespace weir::sw {
namespace {

using testing::HasSubstr;

class buffer_test : public driver_test {
protected:
    weir_group_config group(std::uint32_t port, std::uint32_t index) {
        weir_group_config c{};
        EXPECT_EQ(weir_group_get(dev.get(), port, index, &c), WEIR_OK);
        return c;
    }
    /// Where a write of a register stands among the writes; the number of writes when it is not there.
    std::size_t position(const std::string& name) {
        const auto all = device.writes();
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].rfind(name, 0) == 0) return i;
        return all.size();
    }
    /// The greatest that the sizes of the ingress pools came to while the recorded writes went on.
    std::uint64_t most_during(std::initializer_list<std::uint64_t> start) {
        std::vector<std::uint64_t> size(start);
        std::uint64_t most = 0;
        for (const access& a : device.accesses)
            if (a.write && a.name == "bm.pool_size" && a.at[0] < size.size()) {
                size[a.at[0]] = a.value;
                std::uint64_t sum = 0;
                for (const auto s : size) sum += s;
                most = std::max(most, sum);
            }
        return most;
    }
};

TEST_F(buffer_test, what_is_set_is_what_is_got) {
    weir_group_config c{};
    c.enabled = c.lossless = c.dynamic = c.judge_total = true;
    c.alpha = 10;
    c.guaranteed = 8;
    c.limit = WEIR_CELLS_UNLIMITED;
    c.xoff = 6800;
    c.xon_offset = 2048;
    c.xon_floor = 3;
    c.headroom = 768;
    ASSERT_EQ(weir_group_set(dev.get(), 7, 6, &c), WEIR_OK) << message();
    const weir_group_config back = group(7, 6);
    EXPECT_TRUE(back.lossless && back.dynamic && back.judge_total && !back.service_after_xoff);
    EXPECT_EQ(back.alpha, 10u);
    EXPECT_EQ(back.limit, WEIR_CELLS_UNLIMITED);
    EXPECT_EQ(back.xoff, 6800u);
    EXPECT_EQ(back.xon_offset, 2048u);
    EXPECT_EQ(back.headroom, 768u);
    EXPECT_EQ(dev->budget[0].guaranteed, 8u);
    EXPECT_EQ(dev->budget[0].headroom, 768u);
}

TEST_F(buffer_test, the_budget_is_full_at_the_last_cell_and_over_by_one_more) {
    const weir_pool_config pool{false, 65000, 500};
    ASSERT_EQ(weir_pool_set(dev.get(), 0, &pool), WEIR_OK);
    auto c = group(0, 0);
    c.guaranteed = 36;
    ASSERT_EQ(weir_group_set(dev.get(), 0, 0, &c), WEIR_OK);
    const auto before = device.snapshot();
    c.guaranteed = 37;
    EXPECT_EQ(weir_group_set(dev.get(), 0, 0, &c), WEIR_E_BUDGET);
    EXPECT_THAT(message(), HasSubstr("ingress needs 65537 cells of 65536, 1 too many"));
    EXPECT_EQ(device.snapshot(), before);
}

TEST_F(buffer_test, shared_headroom_of_a_group_is_not_private) {
    auto c = group(0, 0);
    c.lossless = c.shared_headroom = true;
    c.headroom = 65536;
    EXPECT_EQ(weir_group_set(dev.get(), 0, 0, &c), WEIR_OK) << message();
    EXPECT_EQ(dev->budget[0].headroom, 0u);
    c.shared_headroom = false;
    ASSERT_EQ(weir_group_set(dev.get(), 0, 0, &c), WEIR_OK) << message();
    c.headroom = 65537;
    EXPECT_EQ(weir_group_set(dev.get(), 0, 0, &c), WEIR_E_BUDGET);
}

TEST_F(buffer_test, a_port_has_a_greatest_headroom) {
    device.set("bm.cap_headroom.cells", {}, 1000);
    dev->caps.max_port_headroom = 1000;
    auto c = group(0, 0);
    c.lossless = true;
    c.headroom = 600;
    ASSERT_EQ(weir_group_set(dev.get(), 0, 0, &c), WEIR_OK);
    c.headroom = 400;
    ASSERT_EQ(weir_group_set(dev.get(), 0, 1, &c), WEIR_OK);
    c.headroom = 401;
    EXPECT_EQ(weir_group_set(dev.get(), 0, 1, &c), WEIR_E_BUDGET);
    EXPECT_THAT(message(), HasSubstr("port 0 needs 1001 cells of headroom, 1 too many"));
    EXPECT_EQ(weir_group_set(dev.get(), 1, 1, &c), WEIR_OK);
}

// From (60000, 5536) to (5536, 60000): in the other order the pools would need 120000 cells for a moment.
TEST_F(buffer_test, pools_shrink_before_others_grow) {
    const std::uint32_t pools[] = {0, 1};
    const weir_pool_config first[] = {{false, 60000, 0}, {false, 5536, 0}};
    ASSERT_EQ(weir_pools_set(dev.get(), pools, first, 2), WEIR_OK) << message();
    device.forget();
    const weir_pool_config second[] = {{false, 5536, 0}, {false, 60000, 0}};
    ASSERT_EQ(weir_pools_set(dev.get(), pools, second, 2), WEIR_OK) << message();
    EXPECT_LE(most_during({60000, 5536}), 65536u);
    device.forget();
    ASSERT_EQ(weir_pools_set(dev.get(), pools, first, 2), WEIR_OK) << message();
    EXPECT_LE(most_during({5536, 60000}), 65536u);
}

TEST_F(buffer_test, a_pool_changes_direction_only_while_it_is_empty) {
    const weir_pool_config in{false, 100, 0};
    const weir_pool_config none{false, 0, 0};
    const weir_pool_config out{true, 0, 0};
    ASSERT_EQ(weir_pool_set(dev.get(), 2, &in), WEIR_OK);
    EXPECT_EQ(weir_pool_set(dev.get(), 2, &out), WEIR_E_POOL);
    ASSERT_EQ(weir_pool_set(dev.get(), 2, &none), WEIR_OK);
    EXPECT_EQ(weir_pool_set(dev.get(), 2, &out), WEIR_OK);
    auto c = group(0, 0);
    c.pool = 2;
    EXPECT_EQ(weir_group_set(dev.get(), 0, 0, &c), WEIR_E_POOL);
    c.pool = 8;
    EXPECT_EQ(weir_group_set(dev.get(), 0, 0, &c), WEIR_E_RANGE);
}

TEST_F(buffer_test, xon_never_stands_above_xoff_on_the_way) {
    auto c = group(0, 3);
    c.lossless = true;
    c.xoff = 1000;
    c.xon_offset = 900;
    ASSERT_EQ(weir_group_set(dev.get(), 0, 3, &c), WEIR_OK);
    device.forget();
    c.xoff = 100;
    c.xon_offset = 90;
    ASSERT_EQ(weir_group_set(dev.get(), 0, 3, &c), WEIR_OK);
    EXPECT_LT(position("pg.xon_offset[0][3]"), position("pg.xoff[0][3]"));
    device.forget();
    c.xoff = 1000;
    c.xon_offset = 900;
    ASSERT_EQ(weir_group_set(dev.get(), 0, 3, &c), WEIR_OK);
    EXPECT_LT(position("pg.xoff[0][3]"), position("pg.xon_offset[0][3]"));
}

TEST_F(buffer_test, a_group_turns_lossless_last_and_lossy_first) {
    auto c = group(0, 3);
    c.lossless = true;
    c.headroom = 9;
    ASSERT_EQ(weir_group_set(dev.get(), 0, 3, &c), WEIR_OK);
    EXPECT_LT(position("pg.headroom[0][3]"), position("pg.mode[0][3]"));
    device.forget();
    c.lossless = false;
    c.headroom = 0;
    ASSERT_EQ(weir_group_set(dev.get(), 0, 3, &c), WEIR_OK);
    EXPECT_LT(position("pg.mode[0][3]"), position("pg.headroom[0][3]"));
}

// R6: both sides of XON < XOFF; a lossy group may hold any numbers.
TEST_F(buffer_test, thresholds_of_lossless_groups_are_checked) {
    auto c = group(0, 0);
    c.xoff = 10;
    c.xon_offset = 10;
    EXPECT_EQ(weir_group_set(dev.get(), 0, 0, &c), WEIR_OK);
    c.lossless = true;
    EXPECT_EQ(weir_group_set(dev.get(), 0, 0, &c), WEIR_E_THRESHOLD);
    c.xon_offset = 9;
    EXPECT_EQ(weir_group_set(dev.get(), 0, 0, &c), WEIR_OK);
    c.xoff = c.xon_offset = 0;
    EXPECT_EQ(weir_group_set(dev.get(), 0, 0, &c), WEIR_E_THRESHOLD);
}

TEST_F(buffer_test, numbers_that_a_register_cannot_hold_are_refused) {
    const auto most = static_cast<std::uint32_t>(device.chip.all_ones(device.chip.field("pg.xoff.cells")));
    auto c = group(0, 0);
    c.xoff = most - 1;
    EXPECT_EQ(weir_group_set(dev.get(), 0, 0, &c), WEIR_OK);
    c.xoff = most;  // would mean unlimited
    EXPECT_EQ(weir_group_set(dev.get(), 0, 0, &c), WEIR_E_RANGE);
    c.xoff = WEIR_CELLS_UNLIMITED;
    EXPECT_EQ(weir_group_set(dev.get(), 0, 0, &c), WEIR_OK);
    c.alpha = 11;
    EXPECT_EQ(weir_group_set(dev.get(), 0, 0, &c), WEIR_E_RANGE);
    EXPECT_EQ(weir_group_get(dev.get(), 9, 0, &c), WEIR_E_RANGE);
    EXPECT_EQ(weir_group_get(dev.get(), 0, 8, &c), WEIR_E_RANGE);
}

TEST_F(buffer_test, features_that_a_chip_lacks_are_not_written) {
    dev->caps.dynamic_limits = dev->caps.shared_headroom = false;
    auto c = group(0, 0);
    c.dynamic = true;
    EXPECT_EQ(weir_group_set(dev.get(), 0, 0, &c), WEIR_E_UNSUPPORTED);
    c.dynamic = false;
    c.shared_headroom = true;
    EXPECT_EQ(weir_group_set(dev.get(), 0, 0, &c), WEIR_E_UNSUPPORTED);
}

TEST_F(buffer_test, usage_and_peaks_come_from_their_registers) {
    device.set("pg.used.cells", {1, 2}, 30);
    device.set("pg.service_used.cells", {1, 2}, 20);
    device.set("pg.headroom_used.cells", {1, 2}, 10);
    device.set("pg.state.paused", {1, 2}, 1);
    device.set("pg.service_max.cells", {1, 2}, 25);
    weir_group_usage u{};
    ASSERT_EQ(weir_group_usage_get(dev.get(), 1, 2, &u), WEIR_OK);
    EXPECT_EQ(u.used, 30u);
    EXPECT_EQ(u.service, 20u);
    EXPECT_EQ(u.headroom, 10u);
    EXPECT_TRUE(u.paused);
    device.forget();
    std::uint32_t service = 0;
    ASSERT_EQ(weir_group_peak_take(dev.get(), 1, 2, nullptr, &service, nullptr), WEIR_OK);
    EXPECT_EQ(service, 25u);
    EXPECT_EQ(device.accesses.size(), 1u);
}

TEST_F(buffer_test, the_devices_own_findings_are_read_and_cleared) {
    device.chip.raise(device.chip.field("bm.error.xoff_zero"), {}, 1);
    device.chip.raise(device.chip.field("bm.error.overcommit_egress"), {}, 1);
    device.set("bm.overcommit.cells", {1}, 42);
    std::uint32_t errors = 0;
    std::uint32_t over[2] = {9, 9};
    ASSERT_EQ(weir_buffer_errors_take(dev.get(), &errors, over), WEIR_OK);
    EXPECT_EQ(errors, std::uint32_t{WEIR_BUFFER_XOFF_ZERO | WEIR_BUFFER_OVERCOMMIT_EGRESS});
    EXPECT_EQ(over[0], 0u);
    EXPECT_EQ(over[1], 42u);
    ASSERT_EQ(weir_buffer_errors_take(dev.get(), &errors, over), WEIR_OK);
    EXPECT_EQ(errors, 0u);
}

// R1, 256-octet cells: 4158 octets are 17 cells, 4352 are 17, 4353 are 18.
TEST_F(buffer_test, a_frame_takes_whole_cells) {
    EXPECT_EQ(weir_cells_of_frame(dev.get(), 64), 1u);
    EXPECT_EQ(weir_cells_of_frame(dev.get(), 4158), 17u);
    EXPECT_EQ(weir_cells_of_frame(dev.get(), 4352), 17u);
    EXPECT_EQ(weir_cells_of_frame(dev.get(), 4353), 18u);
}

// T136: min <= max at every write, in both directions.
TEST_F(buffer_test, wred_min_never_stands_above_max_on_the_way) {
    const weir_wred_curve low{true, 10, 20, 100};
    const weir_wred_curve high{true, 1000, 2000, 100};
    ASSERT_EQ(weir_wred_curve_set(dev.get(), 1, WEIR_RED, &low), WEIR_OK);
    device.forget();
    ASSERT_EQ(weir_wred_curve_set(dev.get(), 1, WEIR_RED, &high), WEIR_OK);
    EXPECT_LT(position("wred.profile_max[1][2]"), position("wred.profile_min[1][2]"));
    device.forget();
    ASSERT_EQ(weir_wred_curve_set(dev.get(), 1, WEIR_RED, &low), WEIR_OK);
    EXPECT_LT(position("wred.profile_min[1][2]"), position("wred.profile_max[1][2]"));
}

}  // namespace
}  // namespace weir::sw
