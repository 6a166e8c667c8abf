// SPDX-License-Identifier: Apache-2.0
// The NOS-shaped API: octets, references, create-only attributes, profiles that follow their users.
#include "sw/include/weir/nos.h"

#include <gmock/gmock.h>

#include "tests/sw/bank_device.h"

namespace weir::sw {
namespace {

using testing::HasSubstr;

class nos_test : public driver_test {
protected:
    nos_test() { weir_nos_init(nos.get(), dev.get()); }
    std::unique_ptr<weir_nos> nos{std::make_unique<weir_nos>()};

    static weir_attribute attribute(std::uint32_t id, std::uint64_t value) { return {id, value, nullptr, 0}; }
    weir_status create(weir_object_type type, std::vector<weir_attribute> attributes, weir_oid& oid) {
        return weir_nos_create(nos.get(), type, attributes.data(), static_cast<std::uint32_t>(attributes.size()), &oid);
    }
    weir_oid made(weir_object_type type, std::vector<weir_attribute> attributes) {
        weir_oid oid = WEIR_NULL_OID;
        EXPECT_EQ(create(type, std::move(attributes), oid), WEIR_OK) << dev->message;
        return oid;
    }
    weir_status set(weir_oid oid, std::uint32_t id, std::uint64_t value) {
        const weir_attribute a = attribute(id, value);
        return weir_nos_set(nos.get(), oid, &a);
    }
    std::uint64_t get(weir_oid oid, std::uint32_t id) {
        weir_attribute a = attribute(id, 0);
        EXPECT_EQ(weir_nos_get(nos.get(), oid, &a), WEIR_OK) << dev->message;
        return a.value;
    }
    weir_oid group(std::uint32_t port, std::uint32_t index) { return weir_nos_group(nos.get(), port, index); }
    weir_oid queue(std::uint32_t port, std::uint32_t index) { return weir_nos_queue(nos.get(), port, index); }
    weir_oid port(std::uint32_t index) { return weir_nos_port(nos.get(), index); }
    weir_oid ingress_pool(std::uint64_t octets) {
        return made(WEIR_POOL, {attribute(WEIR_POOL_TYPE, 0), attribute(WEIR_POOL_SIZE, octets)});
    }
};

// A 400G / 40 m lossless profile seen in the field: 1518 reserved, 147072 headroom, n = 1, XON offset 13824, all
// octets. In cells of 256, rounded up: 6, 575 (574.5), alpha 2, 54.
TEST_F(nos_test, a_lossless_profile_in_octets_becomes_cells) {
    const weir_oid pool = ingress_pool(16 * 1024 * 1024);
    const weir_oid profile =
        made(WEIR_PROFILE, {attribute(WEIR_PROFILE_POOL, pool), attribute(WEIR_PROFILE_RESERVED, 1518),
                            attribute(WEIR_PROFILE_DYNAMIC_TH, 1), attribute(WEIR_PROFILE_XOFF_TH, 147072),
                            attribute(WEIR_PROFILE_XON_OFFSET_TH, 13824)});
    ASSERT_EQ(set(group(0, 3), WEIR_GROUP_PROFILE, profile), WEIR_OK) << dev->message;
    EXPECT_EQ(device.value("pg.guaranteed.cells", {0, 3}), 6u);
    EXPECT_EQ(device.value("pg.headroom.cells", {0, 3}), 575u);
    EXPECT_EQ(device.value("pg.mode.dynamic", {0, 3}), 1u);
    EXPECT_EQ(device.value("pg.mode.alpha", {0, 3}), 8u);
    EXPECT_EQ(device.value("pg.xon_offset.cells", {0, 3}), 54u);
    EXPECT_EQ(device.value("pg.mode.lossless", {0, 3}), 1u);
    // XOFF_TH is a size, never the watermark.
    EXPECT_EQ(device.value("pg.xoff.cells", {0, 3}), device.chip.all_ones(device.chip.field("pg.xoff.cells")));
    // What is reserved comes out of the pool's size.
    EXPECT_EQ(device.value("bm.pool_size.cells", {0}), 65536u - 6 - 575);
    EXPECT_EQ(get(pool, WEIR_POOL_SHARED_SIZE), (65536u - 581) * 256);
    EXPECT_EQ(get(group(0, 3), WEIR_GROUP_PROFILE), profile);
}

TEST_F(nos_test, pool_sizes_round_down) {
    ingress_pool(1023);
    EXPECT_EQ(device.value("bm.pool_size.cells", {0}), 3u);
}

TEST_F(nos_test, what_is_referred_to_cannot_be_removed) {
    const weir_oid pool = ingress_pool(1 << 20);
    const weir_oid profile =
        made(WEIR_PROFILE, {attribute(WEIR_PROFILE_POOL, pool), attribute(WEIR_PROFILE_RESERVED, 0)});
    EXPECT_EQ(weir_nos_remove(nos.get(), pool), WEIR_E_OBJECT_IN_USE);
    ASSERT_EQ(set(group(1, 0), WEIR_GROUP_PROFILE, profile), WEIR_OK);
    EXPECT_EQ(weir_nos_remove(nos.get(), profile), WEIR_E_OBJECT_IN_USE);
    ASSERT_EQ(set(group(1, 0), WEIR_GROUP_PROFILE, WEIR_NULL_OID), WEIR_OK);
    ASSERT_EQ(weir_nos_remove(nos.get(), profile), WEIR_OK);
    ASSERT_EQ(weir_nos_remove(nos.get(), pool), WEIR_OK);
    EXPECT_EQ(weir_nos_remove(nos.get(), pool), WEIR_E_NO_OBJECT);
    EXPECT_EQ(device.value("bm.pool_size.cells", {0}), 0u);
}

TEST_F(nos_test, attributes_have_their_rules) {
    weir_oid oid = WEIR_NULL_OID;
    EXPECT_EQ(create(WEIR_POOL, {attribute(WEIR_POOL_TYPE, 0)}, oid), WEIR_E_MANDATORY_MISSING);
    EXPECT_EQ(create(WEIR_POOL, {attribute(WEIR_POOL_SHARED_SIZE, 5)}, oid), WEIR_E_READ_ONLY);
    EXPECT_EQ(create(WEIR_POOL, {attribute(77, 5)}, oid), WEIR_E_NO_ATTRIBUTE);
    EXPECT_EQ(create(WEIR_PORT, {}, oid), WEIR_E_UNSUPPORTED);
    const weir_oid pool = ingress_pool(1000);
    EXPECT_EQ(set(pool, WEIR_POOL_TYPE, 1), WEIR_E_CREATE_ONLY);
    EXPECT_EQ(set(pool, WEIR_POOL_SHARED_SIZE, 1), WEIR_E_READ_ONLY);
    EXPECT_EQ(set(weir_nos_switch(nos.get()), WEIR_SWITCH_CELL_SIZE, 1), WEIR_E_READ_ONLY);
    EXPECT_EQ(set(12345, 0, 0), WEIR_E_NO_OBJECT);
    EXPECT_EQ(set(group(0, 0), WEIR_GROUP_PROFILE, pool), WEIR_E_NO_OBJECT);
    EXPECT_EQ(set(group(0, 0), WEIR_GROUP_INDEX, 1), WEIR_E_READ_ONLY);
    EXPECT_EQ(get(weir_nos_switch(nos.get()), WEIR_SWITCH_TOTAL_BUFFER_SIZE), 16384u);
    EXPECT_EQ(get(weir_nos_switch(nos.get()), WEIR_SWITCH_CELL_SIZE), 256u);
}

TEST_F(nos_test, a_changed_profile_changes_all_its_users) {
    const weir_oid pool = ingress_pool(100 * 256);
    const weir_oid profile =
        made(WEIR_PROFILE, {attribute(WEIR_PROFILE_POOL, pool), attribute(WEIR_PROFILE_RESERVED, 256)});
    ASSERT_EQ(set(group(0, 0), WEIR_GROUP_PROFILE, profile), WEIR_OK);
    ASSERT_EQ(set(group(5, 2), WEIR_GROUP_PROFILE, profile), WEIR_OK);
    EXPECT_EQ(device.value("bm.pool_size.cells", {0}), 98u);
    ASSERT_EQ(set(profile, WEIR_PROFILE_RESERVED, 50 * 256), WEIR_OK) << dev->message;
    EXPECT_EQ(device.value("pg.guaranteed.cells", {5, 2}), 50u);
    EXPECT_EQ(device.value("bm.pool_size.cells", {0}), 0u);
    const auto before = device.snapshot();
    EXPECT_EQ(set(profile, WEIR_PROFILE_RESERVED, 50 * 256 + 1), WEIR_E_BUDGET);
    EXPECT_EQ(device.snapshot(), before);
    EXPECT_EQ(get(profile, WEIR_PROFILE_RESERVED), 50u * 256);
    ASSERT_EQ(set(profile, WEIR_PROFILE_RESERVED, 256), WEIR_OK);
    EXPECT_EQ(device.value("bm.pool_size.cells", {0}), 98u);
}

TEST_F(nos_test, shared_headroom_is_part_of_the_pools_size) {
    const weir_oid pool = made(WEIR_POOL, {attribute(WEIR_POOL_TYPE, 0), attribute(WEIR_POOL_SIZE, 1000 * 256),
                                           attribute(WEIR_POOL_XOFF_SIZE, 300 * 256)});
    EXPECT_EQ(device.value("bm.pool_size.cells", {0}), 700u);
    EXPECT_EQ(device.value("bm.pool_headroom.cells", {0}), 300u);
    const weir_oid profile =
        made(WEIR_PROFILE, {attribute(WEIR_PROFILE_POOL, pool), attribute(WEIR_PROFILE_RESERVED, 0),
                            attribute(WEIR_PROFILE_XOFF_TH, 200 * 256)});
    ASSERT_EQ(set(group(0, 3), WEIR_GROUP_PROFILE, profile), WEIR_OK);
    EXPECT_EQ(device.value("pg.mode.shared_headroom", {0, 3}), 1u);
    EXPECT_EQ(device.value("bm.pool_size.cells", {0}), 700u);
    EXPECT_EQ(set(pool, WEIR_POOL_XOFF_SIZE, 0), WEIR_E_OBJECT_IN_USE);
}

// T129: the zero profile takes all sharing away and comes back.
TEST_F(nos_test, profiles_can_be_swapped_for_the_zero_profile_and_back) {
    const weir_oid pool = ingress_pool(1 << 20);
    const weir_oid normal = made(WEIR_PROFILE, {attribute(WEIR_PROFILE_POOL, pool), attribute(WEIR_PROFILE_RESERVED, 0),
                                                attribute(WEIR_PROFILE_DYNAMIC_TH, 0)});
    const weir_oid zero = made(WEIR_PROFILE, {attribute(WEIR_PROFILE_POOL, pool), attribute(WEIR_PROFILE_RESERVED, 0),
                                              attribute(WEIR_PROFILE_DYNAMIC_TH, static_cast<std::uint64_t>(-8))});
    ASSERT_EQ(set(group(0, 0), WEIR_GROUP_PROFILE, normal), WEIR_OK);
    const auto before = device.snapshot();
    ASSERT_EQ(set(group(0, 0), WEIR_GROUP_PROFILE, zero), WEIR_OK);
    EXPECT_EQ(device.value("pg.mode.dynamic", {0, 0}), 0u);
    EXPECT_EQ(device.value("pg.limit.cells", {0, 0}), 0u);
    ASSERT_EQ(set(group(0, 0), WEIR_GROUP_PROFILE, normal), WEIR_OK);
    EXPECT_EQ(device.snapshot(), before);
    weir_oid oid = WEIR_NULL_OID;
    EXPECT_EQ(create(WEIR_PROFILE,
                     {attribute(WEIR_PROFILE_POOL, pool), attribute(WEIR_PROFILE_RESERVED, 0),
                      attribute(WEIR_PROFILE_DYNAMIC_TH, 4)},
                     oid),
              WEIR_E_RANGE);
}

TEST_F(nos_test, directions_are_kept_apart) {
    const weir_oid in = ingress_pool(1 << 20);
    const weir_oid out = made(WEIR_POOL, {attribute(WEIR_POOL_TYPE, 1), attribute(WEIR_POOL_SIZE, 1 << 20)});
    const weir_oid in_profile =
        made(WEIR_PROFILE, {attribute(WEIR_PROFILE_POOL, in), attribute(WEIR_PROFILE_RESERVED, 0)});
    const weir_oid out_profile =
        made(WEIR_PROFILE, {attribute(WEIR_PROFILE_POOL, out), attribute(WEIR_PROFILE_RESERVED, 2 * 256),
                            attribute(WEIR_PROFILE_DYNAMIC, 0), attribute(WEIR_PROFILE_STATIC_TH, 100 * 256)});
    EXPECT_EQ(set(queue(0, 0), WEIR_QUEUE_PROFILE, in_profile), WEIR_E_POOL);
    EXPECT_EQ(set(group(0, 0), WEIR_GROUP_PROFILE, out_profile), WEIR_E_POOL);
    ASSERT_EQ(set(queue(0, 1), WEIR_QUEUE_PROFILE, out_profile), WEIR_OK) << dev->message;
    EXPECT_EQ(device.value("queue.limit.cells", {0, 1}), 100u);
    EXPECT_EQ(device.value("queue.guaranteed.cells", {0, 1}), 2u);
    EXPECT_EQ(device.value("bm.pool_size.cells", {7}), 4094u);
}

TEST_F(nos_test, maps_bind_to_ports_and_follow_changes) {
    const weir_map_entry entries[] = {{24, 3}, {48, 6}};
    const weir_oid map =
        made(WEIR_MAP, {attribute(WEIR_MAP_TYPE, WEIR_MAP_DSCP_TO_TC), {WEIR_MAP_LIST, 0, entries, 2}});
    ASSERT_EQ(set(port(2), WEIR_PORT_DSCP_TO_TC, map), WEIR_OK) << dev->message;
    EXPECT_EQ(device.value("map.dscp_tc.tc", {2, 24}), 3u);
    EXPECT_EQ(device.value("map.dscp_tc.tc", {3, 24}), 0u);
    const weir_map_entry other[] = {{24, 4}};
    const weir_attribute list{WEIR_MAP_LIST, 0, other, 1};
    ASSERT_EQ(weir_nos_set(nos.get(), map, &list), WEIR_OK);
    EXPECT_EQ(device.value("map.dscp_tc.tc", {2, 24}), 4u);
    EXPECT_EQ(weir_nos_remove(nos.get(), map), WEIR_E_OBJECT_IN_USE);
    EXPECT_EQ(set(port(2), WEIR_PORT_TC_TO_QUEUE, map), WEIR_E_RANGE);
    ASSERT_EQ(set(port(2), WEIR_PORT_DSCP_TO_TC, WEIR_NULL_OID), WEIR_OK);
    EXPECT_EQ(weir_nos_remove(nos.get(), map), WEIR_OK);
    const weir_map_entry wrong[] = {{64, 4}};
    weir_oid oid = WEIR_NULL_OID;
    EXPECT_EQ(create(WEIR_MAP, {attribute(WEIR_MAP_TYPE, WEIR_MAP_DSCP_TO_TC), {WEIR_MAP_LIST, 0, wrong, 1}}, oid),
              WEIR_E_RANGE);
}

TEST_F(nos_test, pfc_of_a_port_maps_groups_and_marks_queues) {
    const weir_map_entry entries[] = {{3, 3}, {4, 4}};
    const weir_oid map =
        made(WEIR_MAP, {attribute(WEIR_MAP_TYPE, WEIR_MAP_TC_TO_GROUP), {WEIR_MAP_LIST, 0, entries, 2}});
    ASSERT_EQ(set(port(1), WEIR_PORT_TC_TO_GROUP, map), WEIR_OK);
    ASSERT_EQ(set(port(1), WEIR_PORT_PFC, 0x18), WEIR_OK) << dev->message;
    EXPECT_EQ(device.value("map.group_priorities.priorities", {1, 3}), 8u);
    EXPECT_EQ(device.value("map.group_priorities.priorities", {1, 4}), 16u);
    EXPECT_EQ(device.value("queue.mode.lossless", {1, 4}), 1u);
    EXPECT_EQ(device.value("pfc.rx_enable.priorities", {1}), 0x18u);
    ASSERT_EQ(set(port(1), WEIR_PORT_PFC_RX, 0xff), WEIR_OK);
    EXPECT_EQ(get(port(1), WEIR_PORT_PFC_TX), 0x18u);
    EXPECT_EQ(get(port(1), WEIR_PORT_PFC_RX), 0xffu);
    ASSERT_EQ(set(port(1), WEIR_PORT_PFC, 0x08), WEIR_OK);
    EXPECT_EQ(device.value("queue.mode.lossless", {1, 4}), 0u);
    EXPECT_EQ(set(port(1), WEIR_PORT_PFC, 0x100), WEIR_E_RANGE);
}

TEST_F(nos_test, wred_and_schedulers_reach_their_queues) {
    const weir_oid wred =
        made(WEIR_WRED, {attribute(WEIR_WRED_GREEN_ENABLE, 1), attribute(WEIR_WRED_GREEN_MIN, 1048576),
                         attribute(WEIR_WRED_GREEN_MAX, 2097152), attribute(WEIR_WRED_GREEN_PROBABILITY, 5),
                         attribute(WEIR_WRED_ECN_MARK, 1)});
    ASSERT_EQ(set(queue(0, 3), WEIR_QUEUE_WRED, wred), WEIR_OK) << dev->message;
    EXPECT_EQ(device.value("wred.profile_min.cells", {0, 0}), 4096u);
    EXPECT_EQ(device.value("wred.profile_max.cells", {0, 0}), 8192u);
    EXPECT_EQ(device.value("wred.profile_prob.probability", {0, 0}), 3277u);
    EXPECT_EQ(device.value("wred.profile_enable.yellow", {0}), 0u);
    EXPECT_EQ(device.value("wred.queue_mode.ecn_enable", {0, 3}), 1u);
    EXPECT_EQ(set(wred, WEIR_WRED_GREEN_MIN, 2097153), WEIR_E_THRESHOLD);
    EXPECT_EQ(get(wred, WEIR_WRED_GREEN_MIN), 1048576u);
    ASSERT_EQ(set(wred, WEIR_WRED_ECN_MARK, 0), WEIR_OK);
    EXPECT_EQ(device.value("wred.queue_mode.ecn_enable", {0, 3}), 0u);

    weir_oid oid = WEIR_NULL_OID;
    EXPECT_EQ(create(WEIR_SCHEDULER, {attribute(WEIR_SCHEDULER_WEIGHT, 0)}, oid), WEIR_E_RANGE);
    const weir_oid scheduler = made(
        WEIR_SCHEDULER, {attribute(WEIR_SCHEDULER_TYPE, 1), attribute(WEIR_SCHEDULER_WEIGHT, 15),
                         attribute(WEIR_SCHEDULER_MAX_RATE, 125'000'000), attribute(WEIR_SCHEDULER_MAX_BURST, 16000)});
    ASSERT_EQ(set(queue(0, 3), WEIR_QUEUE_SCHEDULER, scheduler), WEIR_OK) << dev->message;
    EXPECT_EQ(device.value("sched.queue_rate.kbps", {0, 3}), 1'000'000u);
    EXPECT_EQ(device.value("sched.queue_mode.weight", {0, 3}), 15u);
    EXPECT_EQ(set(scheduler, WEIR_SCHEDULER_MAX_BURST, 15999), WEIR_E_BURST);
    ASSERT_EQ(set(scheduler, WEIR_SCHEDULER_WEIGHT, 30), WEIR_OK);
    EXPECT_EQ(device.value("sched.queue_mode.weight", {0, 3}), 30u);
    EXPECT_EQ(weir_nos_remove(nos.get(), scheduler), WEIR_E_OBJECT_IN_USE);
}

TEST_F(nos_test, statistics_are_octets_and_restart_only_what_was_asked_for) {
    device.set("pg.used.cells", {0, 3}, 10);
    device.set("pg.headroom_max.cells", {0, 3}, 7);
    device.set("pg.drop_frames.frames", {0, 3}, 2);
    const std::uint32_t ids[] = {WEIR_STAT_CURR_OCCUPANCY_BYTES, WEIR_STAT_XOFF_ROOM_WATERMARK_BYTES,
                                 WEIR_STAT_DROPPED_PACKETS};
    std::uint64_t values[3] = {};
    device.forget();
    ASSERT_EQ(weir_nos_get_stats(nos.get(), group(0, 3), ids, 3, values), WEIR_OK) << dev->message;
    EXPECT_EQ(values[0], 2560u);
    EXPECT_EQ(values[1], 7u * 256);
    EXPECT_EQ(values[2], 2u);
    for (const access& a : device.accesses) {
        EXPECT_NE(a.name, "pg.max");
        EXPECT_NE(a.name, "pg.service_max");
    }
    device.set("pfc.rx_frames.frames", {0, 5}, 10);
    device.set("pfc.rx_paused_ns.time", {0, 5}, 9999);
    device.set("port.drops.frames", {0, 8}, 3);
    device.set("port.drops.frames", {0, 9}, 100);
    const std::uint32_t of_port[] = {WEIR_STAT_PFC_0_RX_PKTS + 5, WEIR_STAT_PFC_0_RX_PAUSE_US + 5,
                                     WEIR_STAT_IN_DROPPED_PKTS};
    ASSERT_EQ(weir_nos_get_stats(nos.get(), port(0), of_port, 3, values), WEIR_OK);
    EXPECT_EQ(values[0], 10u);
    EXPECT_EQ(values[1], 9u);
    EXPECT_EQ(values[2], 3u);
    EXPECT_EQ(weir_nos_get_stats(nos.get(), port(0), ids, 1, values), WEIR_E_NO_ATTRIBUTE);
}

TEST_F(nos_test, ports_and_queues_have_state) {
    ASSERT_EQ(set(port(4), WEIR_PORT_ADMIN_STATE, 1), WEIR_OK);
    EXPECT_EQ(get(port(4), WEIR_PORT_ADMIN_STATE), 1u);
    ASSERT_EQ(set(port(4), WEIR_PORT_SPEED, 100'000), WEIR_OK);
    EXPECT_EQ(get(port(4), WEIR_PORT_SPEED), 100'000u);
    ASSERT_EQ(set(queue(4, 2), WEIR_QUEUE_DEQUEUE_ENABLE, 0), WEIR_OK);
    EXPECT_EQ(device.value("queue.mode.dequeue_enable", {4, 2}), 0u);
    device.set("pfc.rx_paused.priorities", {4}, 0x04);
    EXPECT_EQ(get(queue(4, 2), WEIR_QUEUE_PAUSE_STATUS), 1u);
    EXPECT_EQ(get(queue(4, 3), WEIR_QUEUE_PAUSE_STATUS), 0u);
    EXPECT_EQ(weir_nos_port(nos.get(), 8), WEIR_NULL_OID);
}

}  // namespace
}  // namespace weir::sw
