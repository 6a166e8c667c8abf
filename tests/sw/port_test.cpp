// SPDX-License-Identifier: Apache-2.0
// Ports up and down in the right order, forwarding commands, frames through the CPU port, whole counters.
#include "sw/include/weir/port.h"

#include <gmock/gmock.h>

#include <numeric>

#include "sw/include/weir/counters.h"
#include "sw/include/weir/cpu_port.h"
#include "sw/include/weir/forwarding.h"
#include "sw/include/weir/pfc.h"
#include "sw/include/weir/scheduler.h"
#include "tests/sw/bank_device.h"

namespace weir::sw {
namespace {

using testing::HasSubstr;

class port_test : public driver_test {
protected:
    std::uint32_t control(bool admin, bool rx, bool tx) {
        const auto bit = [&](const char* name, bool on) {
            return on ? static_cast<std::uint32_t>(device.chip.describe_field(device.chip.field(name)).mask()) : 0u;
        };
        return bit("port.ctrl.admin", admin) | bit("port.ctrl.rx_enable", rx) | bit("port.ctrl.tx_enable", tx);
    }
    std::size_t find(const std::vector<std::string>& all, const std::string& text, std::size_t from = 0) {
        for (std::size_t i = from; i < all.size(); ++i)
            if (all[i].rfind(text, 0) == 0) return i;
        return all.size();
    }
};

// Reception off, dequeue off, PFC off, flush, dequeue on, then transmission and port off.
TEST_F(port_test, goes_down_in_the_order_that_loses_nothing_else) {
    ASSERT_EQ(weir_pfc_enable(dev.get(), 2, 3, true), WEIR_OK);
    ASSERT_EQ(weir_port_up(dev.get(), 2), WEIR_OK);
    device.forget();
    const std::uint64_t began = device.now;
    ASSERT_EQ(weir_port_down(dev.get(), 2), WEIR_OK) << message();
    const auto all = device.writes();
    const auto rx_off = find(all, "port.ctrl[2]=" + std::to_string(control(true, false, true)));
    const auto dequeue_off = find(all, "queue.mode[2][7]");
    const auto pfc_off = find(all, "pfc.rx_enable[2]=" + std::to_string(0x00ff0000));
    const auto flush = find(all, "port.flush[2]=1");
    const auto dequeue_on = find(all, "queue.mode[2][0]", flush);
    const auto off = find(all, "port.ctrl[2]=" + std::to_string(control(false, false, false)));
    ASSERT_LT(off, all.size());
    EXPECT_LT(rx_off, dequeue_off);
    EXPECT_LT(dequeue_off, pfc_off);
    EXPECT_LT(pfc_off, flush);
    EXPECT_LT(flush, dequeue_on);
    EXPECT_LT(dequeue_on, off);
    // (16000 + 20) octets at 400G take 320.4 ns: the wait for a longest frame.
    EXPECT_GE(device.now - began, 321u);
    EXPECT_EQ(device.value("queue.mode.dequeue_enable", {2, 4}), 1u);
    EXPECT_EQ(device.value("pfc.tx_enable.priorities", {2}), 0u);
}

TEST_F(port_test, comes_up_with_the_flow_control_that_is_wanted_of_it) {
    ASSERT_EQ(weir_pfc_enable(dev.get(), 2, 3, true), WEIR_OK);
    // G11: PFC and PAUSE exclude each other, whichever comes second, unless the port is told otherwise.
    EXPECT_EQ(weir_pause_set(dev.get(), 2, true, false), WEIR_E_CONFLICT);
    ASSERT_EQ(weir_pause_set(dev.get(), 3, true, false), WEIR_OK);
    EXPECT_EQ(weir_pfc_enable(dev.get(), 3, 3, true), WEIR_E_CONFLICT);
    EXPECT_EQ(weir_pfc_directions_set(dev.get(), 3, 0, 8), WEIR_E_CONFLICT);
    EXPECT_EQ(device.value("pg.mode.lossless", {3, 3}), 0u);
    weir_pfc_options options{};
    options.pause_too = true;
    ASSERT_EQ(weir_pfc_options_set(dev.get(), 2, &options), WEIR_OK);
    ASSERT_EQ(weir_pause_set(dev.get(), 2, true, false), WEIR_OK);
    options.pause_too = false;
    EXPECT_EQ(weir_pfc_options_set(dev.get(), 2, &options), WEIR_E_CONFLICT);
    ASSERT_EQ(weir_port_up(dev.get(), 2), WEIR_OK);
    ASSERT_EQ(weir_port_down(dev.get(), 2), WEIR_OK);
    EXPECT_EQ(device.value("pfc.mode.pause_rx_enable", {2}), 0u);
    ASSERT_EQ(weir_port_up(dev.get(), 2), WEIR_OK);
    EXPECT_EQ(device.value("pfc.tx_enable.priorities", {2}), 8u);
    EXPECT_EQ(device.value("pfc.rx_enable.priorities", {2}), 8u);
    EXPECT_EQ(device.value("pfc.mode.pause_rx_enable", {2}), 1u);
    EXPECT_EQ(device.value("port.ctrl.rx_enable", {2}), 1u);
}

TEST_F(port_test, a_flush_that_does_not_end_leaves_the_port_as_it_was) {
    ASSERT_EQ(weir_pfc_enable(dev.get(), 2, 3, true), WEIR_OK);
    ASSERT_EQ(weir_port_up(dev.get(), 2), WEIR_OK);
    const auto before = device.snapshot();
    device.queues_empty = false;
    EXPECT_EQ(weir_port_down(dev.get(), 2), WEIR_E_FLUSH_TIMEOUT);
    EXPECT_EQ(device.snapshot(), before);
    EXPECT_TRUE(dev->ports[2].up);
}

TEST_F(port_test, speed_needs_a_port_that_is_down_and_the_driver_sees_to_it) {
    ASSERT_EQ(weir_port_up(dev.get(), 1), WEIR_OK);
    std::uint64_t refused = 0;
    std::uint32_t value = 100'000;
    refused = device.hal.write32(device.hal.ctx, static_cast<std::uint32_t>(device.chip.address_of("port.speed", {1})),
                                 value) == WEIR_E_BUS;
    EXPECT_EQ(refused, 1u);  // locked while up
    ASSERT_EQ(weir_port_speed_set(dev.get(), 1, 100'000), WEIR_OK) << message();
    EXPECT_EQ(device.value("port.speed.megabits", {1}), 100'000u);
    EXPECT_EQ(device.value("port.ctrl.admin", {1}), 1u);
    EXPECT_EQ(weir_port_speed_set(dev.get(), 1, 123), WEIR_E_RATE);
    EXPECT_EQ(weir_port_speed_set(dev.get(), 1, 800'000), WEIR_E_RATE);
    EXPECT_EQ(weir_port_speed_set(dev.get(), 8, 100'000), WEIR_E_RANGE);
    weir_port_status status{};
    ASSERT_EQ(weir_port_status_get(dev.get(), 1, &status), WEIR_OK);
    EXPECT_EQ(status.megabits, 100'000u);
    ASSERT_EQ(weir_port_status_get(dev.get(), 0, &status), WEIR_OK);
    EXPECT_EQ(status.megabits, 400'000u);  // not set: the greatest
}

TEST_F(port_test, longest_frame_and_burst_respect_each_other) {
    ASSERT_EQ(weir_port_max_frame_set(dev.get(), 0, 9216), WEIR_OK);
    EXPECT_EQ(weir_queue_shaper_set(dev.get(), 0, 1, 1000, 9215), WEIR_E_BURST);
    ASSERT_EQ(weir_queue_shaper_set(dev.get(), 0, 1, 1000, 9216), WEIR_OK);
    EXPECT_EQ(weir_port_max_frame_set(dev.get(), 0, 9217), WEIR_E_BURST);
    ASSERT_EQ(weir_queue_shaper_set(dev.get(), 0, 1, 0, 0), WEIR_OK);
    EXPECT_EQ(weir_port_max_frame_set(dev.get(), 0, 9217), WEIR_OK);
    EXPECT_EQ(weir_port_max_frame_set(dev.get(), 0, 63), WEIR_E_RANGE);
    EXPECT_EQ(weir_port_max_frame_set(dev.get(), 0, 16384), WEIR_E_RANGE);
}

TEST_F(port_test, weights_are_one_to_255) {
    EXPECT_EQ(weir_queue_schedule_set(dev.get(), 0, 1, WEIR_DWRR, 0), WEIR_E_RANGE);
    EXPECT_EQ(weir_queue_schedule_set(dev.get(), 0, 1, WEIR_DWRR, 255), WEIR_OK);
    EXPECT_EQ(weir_queue_schedule_set(dev.get(), 0, 1, WEIR_DWRR, 256), WEIR_E_RANGE);
}

TEST_F(port_test, addresses_are_written_in_wire_order) {
    const std::uint8_t address[6] = {0x02, 0x11, 0x22, 0x33, 0x44, 0x55};
    ASSERT_EQ(weir_port_address_set(dev.get(), 5, address), WEIR_OK);
    EXPECT_EQ(device.value("port.mac_high.address", {5}), 0x0211u);
    EXPECT_EQ(device.value("port.mac_low.address", {5}), 0x22334455u);
    std::uint8_t back[6] = {};
    ASSERT_EQ(weir_port_address_get(dev.get(), 5, back), WEIR_OK);
    EXPECT_THAT(back, testing::ElementsAreArray(address));
    const std::uint8_t group[6] = {0x01, 0, 0, 0, 0, 1};
    EXPECT_EQ(weir_port_address_set(dev.get(), 5, group), WEIR_E_RANGE);
}

TEST_F(port_test, forwarding_entries_are_written_read_and_removed) {
    const std::uint8_t mac[6] = {2, 0, 0, 0, 0, 7};
    const std::uint8_t net[16] = {0x20, 0x01, 0x0d, 0xb8};
    weir_target target{};
    ASSERT_EQ(weir_mac_set(dev.get(), mac, {WEIR_TARGET_PORT, 3}), WEIR_OK) << message();
    ASSERT_EQ(weir_ipv4_set(dev.get(), 0x0a010000, 16, {WEIR_TARGET_ECMP, 2}), WEIR_OK);
    ASSERT_EQ(weir_ipv4_set(dev.get(), 0x0a010000, 24, {WEIR_TARGET_CPU, 0}), WEIR_OK);
    ASSERT_EQ(weir_ipv6_set(dev.get(), net, 32, {WEIR_TARGET_PORT, 6}), WEIR_OK);
    ASSERT_EQ(weir_mac_get(dev.get(), mac, &target), WEIR_OK);
    EXPECT_EQ(target.kind, WEIR_TARGET_PORT);
    EXPECT_EQ(target.index, 3u);
    ASSERT_EQ(weir_ipv4_get(dev.get(), 0x0a010000, 16, &target), WEIR_OK);
    EXPECT_EQ(target.kind, WEIR_TARGET_ECMP);
    ASSERT_EQ(weir_ipv6_get(dev.get(), net, 32, &target), WEIR_OK);
    EXPECT_EQ(target.index, 6u);
    std::uint32_t used = 0;
    std::uint32_t capacity = 0;
    ASSERT_EQ(weir_table_usage_get(dev.get(), WEIR_TABLE_IPV4, &used, &capacity), WEIR_OK);
    EXPECT_EQ(used, 2u);
    EXPECT_EQ(capacity, 4u);
    ASSERT_EQ(weir_ipv4_remove(dev.get(), 0x0a010000, 16), WEIR_OK);
    EXPECT_EQ(weir_ipv4_remove(dev.get(), 0x0a010000, 16), WEIR_E_NOT_FOUND);
    EXPECT_EQ(weir_ipv4_set(dev.get(), 0x0a010001, 16, {WEIR_TARGET_PORT, 0}), WEIR_E_RANGE);
    EXPECT_EQ(weir_ipv4_set(dev.get(), 0, 33, {WEIR_TARGET_PORT, 0}), WEIR_E_RANGE);
    EXPECT_EQ(weir_ipv4_set(dev.get(), 0, 0, {WEIR_TARGET_PORT, 8}), WEIR_E_RANGE);
    EXPECT_EQ(weir_ipv4_set(dev.get(), 0, 0, {WEIR_TARGET_PORT, 7}), WEIR_OK);
}

TEST_F(port_test, a_full_table_says_so) {
    for (std::uint32_t i = 0; i < 4; ++i)
        ASSERT_EQ(weir_ipv4_set(dev.get(), i << 24, 8, {WEIR_TARGET_PORT, 0}), WEIR_OK);
    EXPECT_EQ(weir_ipv4_set(dev.get(), 4u << 24, 8, {WEIR_TARGET_PORT, 0}), WEIR_E_TABLE_FULL);
    EXPECT_EQ(weir_ipv4_set(dev.get(), 3u << 24, 8, {WEIR_TARGET_PORT, 1}), WEIR_OK);  // replaces
}

TEST_F(port_test, a_table_that_does_not_answer_is_a_timeout_and_the_next_command_works) {
    device.table_answers = false;
    EXPECT_EQ(weir_ipv4_set(dev.get(), 0, 8, {WEIR_TARGET_PORT, 0}), WEIR_E_TIMEOUT);
    device.table_answers = true;
    EXPECT_EQ(weir_ipv4_set(dev.get(), 0, 8, {WEIR_TARGET_PORT, 0}), WEIR_OK);
}

TEST_F(port_test, ecmp_members_keep_order_and_repetition) {
    const std::uint32_t members[] = {5, 1, 1};
    ASSERT_EQ(weir_ecmp_set(dev.get(), 9, members, 3), WEIR_OK);
    std::uint32_t back[WEIR_MAX_MEMBERS] = {};
    std::uint32_t count = 0;
    ASSERT_EQ(weir_ecmp_get(dev.get(), 9, back, &count), WEIR_OK);
    EXPECT_EQ(std::vector<std::uint32_t>(back, back + count), (std::vector<std::uint32_t>{5, 1, 1}));
    EXPECT_EQ(weir_ecmp_set(dev.get(), 9, members, 0), WEIR_E_RANGE);
    EXPECT_EQ(weir_ecmp_set(dev.get(), 9, members, 17), WEIR_E_RANGE);
    ASSERT_EQ(weir_ecmp_remove(dev.get(), 9), WEIR_OK);
    EXPECT_EQ(weir_ecmp_get(dev.get(), 9, back, &count), WEIR_E_NOT_FOUND);
}

TEST_F(port_test, frames_go_out_octet_by_octet) {
    for (const std::size_t length : {60u, 61u, 63u, 1500u}) {
        std::vector<std::uint8_t> frame(length);
        std::iota(frame.begin(), frame.end(), std::uint8_t{1});
        ASSERT_EQ(weir_cpu_send(dev.get(), 4, frame.data(), frame.size()), WEIR_OK) << message();
        EXPECT_EQ(device.sent.back(), frame);
        EXPECT_EQ(device.sent_control.back(), 4u);
        ASSERT_EQ(weir_cpu_send_forwarded(dev.get(), frame.data(), frame.size()), WEIR_OK);
        EXPECT_EQ(device.sent_control.back(), 256u);
    }
    std::vector<std::uint8_t> frame(59);
    EXPECT_EQ(weir_cpu_send(dev.get(), 4, frame.data(), 59), WEIR_E_FRAME);
    EXPECT_EQ(weir_cpu_send(dev.get(), 8, frame.data(), 60), WEIR_E_RANGE);
}

TEST_F(port_test, frames_come_in_octet_by_octet) {
    std::vector<std::uint8_t> frame(61);
    std::iota(frame.begin(), frame.end(), std::uint8_t{9});
    device.trap(frame, 6);
    std::uint8_t room[64] = {};
    std::size_t length = 60;
    std::uint32_t port = 0;
    EXPECT_EQ(weir_cpu_receive(dev.get(), room, &length, &port), WEIR_E_FRAME);
    EXPECT_EQ(length, 61u);
    ASSERT_EQ(weir_cpu_receive(dev.get(), room, &length, &port), WEIR_OK);
    EXPECT_EQ(std::vector<std::uint8_t>(room, room + length), frame);
    EXPECT_EQ(port, 6u);
    EXPECT_EQ(weir_cpu_receive(dev.get(), room, &length, &port), WEIR_E_NO_FRAME);
}

// T132: the counter passes 2^32 between the two reads of its halves.
TEST_F(port_test, counters_are_never_torn) {
    std::uint64_t frames = 0xffffffff;
    device.chip.drive("pg.frames.frames", [&](const registers::index&) { return frames++; });
    weir_group_counters c{};
    ASSERT_EQ(weir_group_counters_get(dev.get(), 0, 0, &c), WEIR_OK);
    EXPECT_EQ(c.frames, 0xffffffffu);
    frames = 0x1'00000000;
    ASSERT_EQ(weir_group_counters_get(dev.get(), 0, 0, &c), WEIR_OK);
    EXPECT_EQ(c.frames, 0x1'00000000u);
}

TEST_F(port_test, every_counter_has_its_register) {
    device.set("pfc.rx_frames.frames", {1, 3}, 1);
    device.set("pfc.tx_requests.frames", {1, 3}, 2);
    device.set("pfc.rx_transitions.times", {1, 3}, 3);
    device.set("pfc.tx_transitions.times", {1, 3}, 4);
    device.set("pfc.rx_quanta.quanta", {1, 3}, 5);
    device.set("pfc.rx_paused_ns.time", {1, 3}, 6);
    device.set("pfc.tx_paused_ns.time", {1, 3}, 7);
    device.set("pfc.expiries.times", {1, 3}, 8);
    device.set("pfc.releases.times", {1, 3}, 9);
    weir_pfc_counters p{};
    ASSERT_EQ(weir_pfc_counters_get(dev.get(), 1, 3, &p), WEIR_OK);
    EXPECT_EQ((std::vector<std::uint64_t>{p.rx_frames, p.tx_requests, p.rx_transitions, p.tx_transitions, p.rx_quanta,
                                          p.rx_paused_ns, p.tx_paused_ns, p.expiries, p.releases}),
              (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
    device.set("port.drops.frames", {1, WEIR_DROP_WRED}, 6);
    std::uint64_t drops = 0;
    ASSERT_EQ(weir_port_drops_get(dev.get(), 1, WEIR_DROP_WRED, &drops), WEIR_OK);
    EXPECT_EQ(drops, 6u);
    EXPECT_STREQ(weir_drop_reason_text(WEIR_DROP_FLUSHED), "flushed");
    EXPECT_STREQ(weir_drop_reason_text(WEIR_DROP_HEADROOM), "headroom");
    EXPECT_STREQ(weir_drop_reason_text(99), "?");
}

}  // namespace
}  // namespace weir::sw
