// SPDX-License-Identifier: Apache-2.0
// Bring-up on the real chip, step by step in the NOS reference's order (§6.2, steps 0 to 9), and a port's life: down
// and up, flush, reset in mid-traffic.
#include "tests/acceptance/lab.h"
#include "tests/registers/map_under_test.h"
#include "tests/sw/back_end.h"

namespace weir::acceptance {
namespace {

/// A chip whose driver has not started.
struct bare_chip {
    explicit bare_chip(const std::string& hardware = {})
        : machine(platforms::parse_platform("[platform]\nname = \"bare\"\n[switch.s0]\nwred_profiles = 8\n" + hardware +
                                                "[[switch.s0.ports]]\ncount = 2\nrate = \"100G\"\npeer = \"host\"\n",
                                            "bare.toml"),
                  1, registers::map_under_test()),
          driver(machine.cpu(0)) {
        sw::through_back_end(machine);
    }

    weir_status start() {
        weir_status status = WEIR_OK;
        machine.cpu(0).program([&] { status = driver.start(); });
        EXPECT_TRUE(machine.run_programs());
        return status;
    }
    std::uint64_t value(const char* field) {
        const auto& bank = machine.chip(0).bank();
        return bank.get(bank.field(field));
    }
    /// What software's read of that register comes to.
    bool readable(const char* name) {
        bool ok = false;
        machine.cpu(0).program([&] {
            std::uint32_t word = 0;
            const weir_hal& hal = machine.cpu(0).hal();
            const auto address = static_cast<std::uint32_t>(machine.chip(0).bank().address_of(name));
            ok = hal.read32(hal.ctx, address, &word) == WEIR_OK;
        });
        EXPECT_TRUE(machine.run_programs());
        return ok;
    }

    platforms::machine machine;
    platforms::switch_driver driver;
};

// Step 0: before the chip is ready only the global block answers; elsewhere the bus says so, and a sticky bit too.
TEST(chip_bring_up, early_access_is_a_bus_error_and_leaves_a_sticky_bit) {
    bare_chip c;
    EXPECT_TRUE(c.readable("global.dev_id"));
    EXPECT_FALSE(c.readable("bm.free"));
    EXPECT_EQ(c.value("global.access_error.not_ready"), 1U);
    EXPECT_EQ(c.value("global.access_error_count.count"), 1U);
    EXPECT_EQ(c.value("global.access_error_address.address"), c.machine.chip(0).bank().address_of("bm.free"));
}

TEST(chip_bring_up, the_driver_brings_the_chip_up_and_leaves_it_clean) {
    bare_chip c;
    ASSERT_EQ(c.start(), WEIR_OK);
    EXPECT_TRUE(c.readable("bm.free"));
    EXPECT_EQ(c.value("global.init_status.ready"), 1U);
    EXPECT_EQ(c.value("global.access_error_count.count"), 0U);
    EXPECT_EQ(c.value("bm.used.cells"), 0U);
    EXPECT_EQ(c.value("bm.overcommit.cells"), 0U);
    // Step 8: the driver knows what the chip has from the chip.
    EXPECT_EQ(c.driver.device().caps.ports, 2U);
    EXPECT_EQ(c.driver.device().caps.cpu_port, 2U);
    EXPECT_EQ(c.driver.device().caps.cells, 65536U);
    EXPECT_EQ(c.driver.device().caps.cell_octets, 256U);
}

// Step 1 and 6: a chip that gets ready late is waited for; one that never does ends in an error, not in a hang.
TEST(chip_bring_up, a_late_memory_is_waited_for) {
    bare_chip c("init_time = \"50ms\"\n");
    EXPECT_EQ(c.start(), WEIR_OK);
    EXPECT_GT(c.machine.cpu(0).local_time(), microseconds(50'000));
}

TEST(chip_bring_up, a_memory_that_never_gets_ready_is_an_error) {
    bare_chip c("init_time = \"900ms\"\n");
    EXPECT_EQ(c.start(), WEIR_E_INIT_TIMEOUT);
    EXPECT_LT(c.machine.cpu(0).local_time(), microseconds(300'000));
}

// Step 9: what does not fit is refused before it is written, and said by how much.
TEST(chip_bring_up, an_overcommitted_pool_is_refused_by_the_driver) {
    bare_chip c;
    weir_status status = WEIR_OK;
    std::string message;
    c.machine.cpu(0).program([&] {
        ASSERT_EQ(c.driver.start(), WEIR_OK);
        status = c.driver.execute("pool create lossless ingress size 65537 cells");
        message = weir_shell_error(&c.driver.shell());
    });
    ASSERT_TRUE(c.machine.run_programs());
    EXPECT_EQ(status, WEIR_E_BUDGET);
    EXPECT_NE(message.find("1 too many"), std::string::npos) << message;
    EXPECT_EQ(c.value("bm.error.overcommit_ingress"), 0U);
}

// R9: what is written past the driver sets the sticky error, and the register says by how much.
TEST(chip_bring_up, an_overcommit_written_past_the_driver_is_sticky) {
    bare_chip c;
    ASSERT_EQ(c.start(), WEIR_OK);
    c.machine.cpu(0).program([&] {
        auto& cpu = c.machine.cpu(0);
        std::uint32_t word = 65536 + 100;
        if (c.machine.chip(0).bank().layout().order == registers::byte_order::big) word = __builtin_bswap32(word);
        EXPECT_TRUE(
            cpu.write(static_cast<std::uint32_t>(c.machine.chip(0).bank().address_of("bm.pool_size", {0})), word));
    });
    ASSERT_TRUE(c.machine.run_programs());
    EXPECT_EQ(c.value("bm.error.overcommit_ingress"), 1U);
    EXPECT_EQ(c.value("bm.overcommit.cells"), 100U);
    EXPECT_EQ(c.value("global.int_status.config_error"), 1U);
}

// Posted writes: a write answers at once and takes effect later; a read-back waits for it. The driver works either way.
TEST(chip_bring_up, posted_writes_take_effect_later_and_a_read_waits_for_them) {
    bare_chip c("[registers]\nposted_writes = true\nwrite_latency = \"500ns\"\n");
    ASSERT_EQ(c.start(), WEIR_OK);
    const auto scratch = static_cast<std::uint32_t>(c.machine.chip(0).bank().address_of("global.scratch"));
    c.machine.cpu(0).program([&] {
        auto& cpu = c.machine.cpu(0);
        const picoseconds begin = cpu.local_time();
        EXPECT_TRUE(cpu.write(scratch, 0x01020304));
        EXPECT_LT(cpu.local_time() - begin, nanoseconds(10));
        EXPECT_NE(c.value("global.scratch.value"), 0x01020304U);
        std::uint32_t word = 0;
        EXPECT_TRUE(cpu.read(scratch, word));
        EXPECT_EQ(word, 0x01020304U);
        EXPECT_GE(cpu.local_time() - begin, nanoseconds(500));
    });
    ASSERT_TRUE(c.machine.run_programs());
}

// Step 18: each source once, no lost edge; a CPU that waits for the line is woken by it, and not by anything else.
TEST(chip_interrupts, a_waiting_cpu_is_woken_by_the_link) {
    lab l({}, usual_script());
    std::uint32_t causes = 0;
    l.drive([&](weir_dev* d) { return weir_interrupts_take(d, &causes); });
    weir_status early = WEIR_OK;
    l.drive([&](weir_dev* d) {
        (void)weir_interrupts_enable(d, WEIR_INT_LINK);
        early = weir_interrupts_wait(d, 5000, &causes);
        return WEIR_OK;
    });
    EXPECT_EQ(early, WEIR_E_TIMEOUT);
    // The cable is pulled while the CPU waits.
    weir_status woken = WEIR_E_BUS;
    l.machine().cpu(0).program([&] { woken = weir_interrupts_wait(l.device(), 1'000'000, &causes); });
    l.settle(microseconds(100));
    l.machine().cable(2).set_plugged(false);
    ASSERT_TRUE(l.machine().run_programs(microseconds(2000), microseconds(1)));
    EXPECT_EQ(woken, WEIR_OK);
    EXPECT_EQ(causes, static_cast<std::uint32_t>(WEIR_INT_LINK));
}

// Step 10: down with the flush, up again: no cell leaks, and the port works as before.
TEST(port_life, down_and_up_in_mid_traffic_leaks_nothing) {
    lab l({}, usual_script());
    for (int round = 0; round < 3; ++round) {
        l.start(0, 1, 2000, 24, 1000);
        l.start(2, 1, 2000, 0, 1000);
        l.settle(microseconds(20 + 7 * round));
        l.shell("interface 1\nshutdown");
        l.settle(microseconds(400));
        EXPECT_EQ(l.machine().chip(0).memory().used(), 0);
        EXPECT_EQ(l.machine().frames().in_use(), 0U);
        EXPECT_GT(l.drops(0, WEIR_DROP_PORT_DISABLED) + l.drops(2, WEIR_DROP_PORT_DISABLED), 0U);
        l.shell("interface 1\nno shutdown");
        const std::uint64_t before = l.received(1);
        l.send(0, 1, 50);
        EXPECT_EQ(l.received(1), before + 50);
    }
}

// NOS reference §2.5: who forgets to open the queues again before polling for the flush polls for ever.
TEST(port_life, a_flush_does_not_end_while_dequeue_is_off) {
    lab l({}, usual_script());
    l.shell("interface 1\nqueue 3 dequeue off");
    l.send(0, 1, 20);
    auto& bank = l.machine().chip(0).bank();
    const auto address = static_cast<std::uint32_t>(bank.address_of("port.flush", {1}));
    const std::uint32_t one = bank.layout().order == registers::byte_order::big ? 0x01000000U : 1U;
    l.machine().cpu(0).program([&] {
        const weir_hal& hal = l.machine().cpu(0).hal();
        EXPECT_EQ(hal.write32(hal.ctx, address, one), WEIR_OK);
    });
    ASSERT_TRUE(l.machine().run_programs());
    l.settle(microseconds(5000));
    EXPECT_EQ(bank.get(bank.field("port.flush_status.done"), {1}), 0U);
    EXPECT_EQ(bank.get(bank.field("port.flush_status.busy"), {1}), 1U);
    l.shell("interface 1\nqueue 3 dequeue on");
    EXPECT_EQ(bank.get(bank.field("port.flush_status.done"), {1}), 1U);
    EXPECT_EQ(l.machine().chip(0).memory().used(), 0);
}

// T139: a reset in mid-traffic leaves no residue; the chip comes up again and carries traffic.
TEST(port_life, a_soft_reset_in_mid_traffic_leaves_no_residue) {
    lab l({}, usual_script());
    l.start(0, 1, 5000, 24, 1000);
    l.start(2, 1, 5000, 24, 1000);
    l.settle(microseconds(60));
    EXPECT_GT(l.machine().chip(0).memory().used(), 0);
    l.drive([](weir_dev* d) {
        const weir_hal hal = d->hal;
        return weir_device_start(d, &hal);
    });
    l.settle(microseconds(2000));
    EXPECT_EQ(l.machine().chip(0).memory().used(), 0);
    EXPECT_EQ(l.machine().chip(0).memory().conservation_error(), "");
    for (std::uint32_t g = 0; g < 8; ++g) EXPECT_EQ(l.group(0, g).frames, 0U);
}

}  // namespace
}  // namespace weir::acceptance
