// SPDX-License-Identifier: Apache-2.0
// Bring-up, step by step and failure by failure; interrupts; the journal that takes half a change back.
#include "sw/include/weir/device.h"

#include <gmock/gmock.h>

#include "sw/include/weir/buffer.h"
#include "sw/include/weir/pfc.h"
#include "tests/sw/bank_device.h"

namespace weir::sw {
namespace {

using testing::HasSubstr;

class bring_up : public testing::Test {
protected:
    bank_device device;
    std::unique_ptr<weir_dev> dev{std::make_unique<weir_dev>()};
    weir_status start() { return weir_device_start(dev.get(), &device.hal); }
};

TEST_F(bring_up, asks_the_chip_what_it_has) {
    ASSERT_EQ(start(), WEIR_OK) << dev->message;
    EXPECT_EQ(dev->caps.ports, 8u);
    EXPECT_EQ(dev->caps.cpu_port, 8u);
    EXPECT_EQ(dev->caps.groups, 8u);
    EXPECT_EQ(dev->caps.cells, 65536u);
    EXPECT_EQ(dev->caps.cell_octets, 256u);
    EXPECT_EQ(dev->caps.pools, 8u);
    EXPECT_EQ(dev->caps.map_hash, map_under_test().hash);
    EXPECT_EQ(dev->reads + dev->writes, device.count);
}

TEST_F(bring_up, leaves_interrupts_masked_and_ports_down) {
    ASSERT_EQ(start(), WEIR_OK);
    EXPECT_EQ(device.value("global.int_mask.link"), 0u);
    EXPECT_EQ(device.value("port.ctrl.admin", {0}), 0u);
    EXPECT_EQ(device.value("pfc.tx_enable.priorities", {0}), 0u);
    EXPECT_EQ(device.value("pg.mode.enable", {8, 7}), 1u);
    EXPECT_EQ(device.value("map.trust.mode", {0}), 2u);
    EXPECT_EQ(device.value("map.tc_queue.queue", {0, 5}), 5u);
    EXPECT_EQ(device.value("map.priority_queues.queues", {0, 5}), 0x20u);
}

TEST_F(bring_up, waits_before_the_first_access) {
    dev->timing.before_reset = 123'000;
    device.fail_at = 1;
    EXPECT_EQ(start(), WEIR_E_BUS);
    EXPECT_GE(device.now, 123'000u);
}

TEST_F(bring_up, gives_up_when_reset_does_not_end) {
    device.reset_ends = false;
    EXPECT_EQ(start(), WEIR_E_RESET_TIMEOUT);
    EXPECT_GE(device.now, 10'000'000u);
    EXPECT_LT(device.now, 11'000'000u);
    EXPECT_FALSE(dev->started);
}

TEST_F(bring_up, refuses_another_device) {
    device.chip.on_write("global.sw_reset.soft",
                         [&](const registers::index&, std::uint64_t) { device.set("global.dev_id.id", {}, 0x1234); });
    EXPECT_EQ(start(), WEIR_E_DEVICE);
    EXPECT_THAT(dev->message, HasSubstr("0x1234"));
}

TEST_F(bring_up, refuses_another_map) {
    device.chip.on_write("global.sw_reset.soft", [&](const registers::index&, std::uint64_t) {
        device.set("global.rev.map_hash", {}, map_under_test().hash ^ 1);
    });
    EXPECT_EQ(start(), WEIR_E_VERSION);
}

TEST_F(bring_up, finds_a_stuck_scratch_bit) {
    device.chip.on_write("global.scratch.value", [&](const registers::index&, std::uint64_t v) {
        device.set("global.scratch.value", {}, v & ~std::uint64_t{0x400});
    });
    EXPECT_EQ(start(), WEIR_E_SCRATCH);
    EXPECT_THAT(dev->message, HasSubstr("wrote 0x400, read 0x0"));
}

TEST_F(bring_up, refuses_a_chip_without_a_clock) {
    device.chip.on_write("global.sw_reset.soft",
                         [&](const registers::index&, std::uint64_t) { device.set("global.core_clock.khz", {}, 0); });
    EXPECT_EQ(start(), WEIR_E_CLOCK);
}

TEST_F(bring_up, gives_up_when_memories_do_not_clear) {
    device.ram_ends = false;
    EXPECT_EQ(start(), WEIR_E_INIT_TIMEOUT);
    EXPECT_THAT(dev->message, HasSubstr("ram_done"));
}

TEST_F(bring_up, gives_up_when_the_core_does_not_get_ready) {
    device.core_starts = false;
    EXPECT_EQ(start(), WEIR_E_INIT_TIMEOUT);
    EXPECT_THAT(dev->message, HasSubstr("ready"));
}

TEST_F(bring_up, refuses_a_chip_with_more_ports_than_the_map) {
    device.chip.on_write("global.sw_reset.soft", [&](const registers::index&, std::uint64_t) {
        device.set("global.cap_ports.front", {}, 200);
    });
    EXPECT_EQ(start(), WEIR_E_RANGE);
}

TEST_F(bring_up, reports_a_bus_error_wherever_it_comes) {
    ASSERT_EQ(start(), WEIR_OK);
    const std::uint64_t all = device.count;
    for (std::uint64_t n = 1; n <= all; n += n < 80 ? 1 : 37) {
        bank_device broken;
        broken.fail_at = n;
        EXPECT_EQ(weir_device_start(dev.get(), &broken.hal), WEIR_E_BUS) << n;
        EXPECT_FALSE(dev->started);
    }
}

TEST_F(bring_up, nothing_works_before_it) {
    dev->hal = device.hal;
    weir_group_config c{};
    EXPECT_EQ(weir_group_get(dev.get(), 0, 0, &c), WEIR_E_NOT_STARTED);
    EXPECT_EQ(weir_pfc_enable(dev.get(), 0, 0, true), WEIR_E_NOT_STARTED);
    EXPECT_EQ(device.count, 0u);
}

TEST_F(bring_up, can_be_done_again) {
    ASSERT_EQ(start(), WEIR_OK);
    const auto fresh = device.snapshot();
    ASSERT_EQ(weir_pfc_enable(dev.get(), 0, 3, true), WEIR_OK);
    EXPECT_NE(device.snapshot(), fresh);
    ASSERT_EQ(start(), WEIR_OK);
    EXPECT_EQ(device.snapshot(), fresh);
    EXPECT_EQ(dev->budget[0].headroom, 0u);
}

class journal : public driver_test {};

// Every access of a composite call fails once; the registers and the driver's own books must be as before.
TEST_F(journal, takes_back_a_change_that_fails_at_any_access) {
    ASSERT_EQ(weir_pfc_enable(dev.get(), 2, 5, true), WEIR_OK);
    const weir_pfc_profile profile{true, true, true, 500, 100, 30};
    const auto before = device.snapshot();
    const weir_budget budget = dev->budget[0];
    for (std::uint64_t n = 1; n < 1000; ++n) {
        device.fail_at = device.count + n;
        const weir_status status = weir_pfc_profile_set(dev.get(), 2, &profile);
        if (status == WEIR_OK) {
            EXPECT_GT(n, 10u);
            EXPECT_EQ(device.value("pg.headroom.cells", {2, 0}), 30u);
            return;
        }
        ASSERT_EQ(status, WEIR_E_BUS) << n;
        device.fail_at = 0;
        ASSERT_EQ(device.snapshot(), before) << n;
        ASSERT_EQ(dev->budget[0].headroom, budget.headroom) << n;
        ASSERT_FALSE(dev->ports[2].profile.xoff_given) << n;
    }
    FAIL() << "never succeeded";
}

TEST_F(journal, makes_several_calls_one_change) {
    const auto before = device.snapshot();
    weir_change_begin(dev.get());
    ASSERT_EQ(weir_pfc_enable(dev.get(), 0, 1, true), WEIR_OK);
    ASSERT_EQ(weir_pfc_enable(dev.get(), 1, 1, true), WEIR_OK);
    EXPECT_EQ(weir_change_end(dev.get(), WEIR_E_RANGE), WEIR_E_RANGE);
    EXPECT_EQ(device.snapshot(), before);
    EXPECT_EQ(dev->ports[0].enabled, 0u);
}

class interrupts : public driver_test {};

TEST_F(interrupts, are_enabled_taken_and_cleared) {
    ASSERT_EQ(weir_interrupts_enable(dev.get(), WEIR_INT_LINK | WEIR_INT_CPU_RX), WEIR_OK);
    EXPECT_EQ(device.value("global.int_mask.link"), 1u);
    EXPECT_EQ(device.value("global.int_mask.fault"), 0u);
    device.chip.raise(device.chip.field("global.int_status.link"), {}, 1);
    std::uint32_t causes = 0;
    ASSERT_EQ(weir_interrupts_take(dev.get(), &causes), WEIR_OK);
    EXPECT_EQ(causes, std::uint32_t{WEIR_INT_LINK});
    ASSERT_EQ(weir_interrupts_take(dev.get(), &causes), WEIR_OK);
    EXPECT_EQ(causes, 0u);
}

TEST_F(interrupts, are_waited_for_by_the_platform) {
    std::uint32_t causes = 0;
    EXPECT_EQ(weir_interrupts_wait(dev.get(), 1000, &causes), WEIR_E_UNSUPPORTED);
    dev->hal.wait_irq = [](void*, std::uint64_t) { return WEIR_E_TIMEOUT; };
    EXPECT_EQ(weir_interrupts_wait(dev.get(), 1000, &causes), WEIR_E_TIMEOUT);
}

}  // namespace
}  // namespace weir::sw
