// SPDX-License-Identifier: Apache-2.0
// Fault injection (NOS reference §6.1 row 5): each fault is found by the driver, which says so with a status of its
// own, in bounded time; where it goes away, the chip is of use again.
#include <functional>
#include <memory>

#include "sw/include/weir/forwarding.h"
#include "sw/include/weir/service.h"
#include "sw/include/weir/watchdog.h"
#include "tests/acceptance/lab.h"
#include "tests/registers/map_under_test.h"
#include "tests/sw/back_end.h"

namespace weir::acceptance {
namespace {

const std::uint8_t some_mac[6] = {2, 0, 0, 0, 0, 1};

/// A chip that nobody has started.
class unstarted_chip : public testing::Test {
protected:
    unstarted_chip()
        : machine(platforms::parse_platform(
                      "[platform]\nname = \"bare\"\n[switch.s0]\nwred_profiles = 8\n[[switch.s0.ports]]\ncount = 2\n",
                      "bare.toml"),
                  1, registers::map_under_test()),
          faults(machine.chip(0).faults) {
        sw::through_back_end(machine);
    }
    weir_status start() {
        weir_status status = WEIR_OK;
        machine.cpu(0).program([&] { status = weir_device_start(dev.get(), &machine.cpu(0).hal()); });
        EXPECT_TRUE(machine.run_programs());
        return status;
    }
    /// The fault is over; what it held up goes on.
    void mend() {
        faults = {};
        machine.chip(0).judge_faults();
    }
    platforms::machine machine;
    asic::switch_faults& faults;
    std::unique_ptr<weir_dev> dev{std::make_unique<weir_dev>()};
};

TEST_F(unstarted_chip, whose_reset_never_ends_is_given_up) {
    faults.reset_never_ends = true;
    EXPECT_EQ(start(), WEIR_E_RESET_TIMEOUT);
    mend();
    EXPECT_EQ(start(), WEIR_OK);
}

TEST_F(unstarted_chip, whose_memories_never_clear_is_given_up) {
    faults.memories_never_clear = true;
    EXPECT_EQ(start(), WEIR_E_INIT_TIMEOUT);
    mend();
    EXPECT_EQ(start(), WEIR_OK);
}

TEST_F(unstarted_chip, whose_core_never_gets_ready_is_given_up) {
    faults.core_never_ready = true;
    EXPECT_EQ(start(), WEIR_E_INIT_TIMEOUT);
    mend();
    EXPECT_EQ(start(), WEIR_OK);
}

// The driver waits for 100 ms.
TEST_F(unstarted_chip, that_is_slow_is_waited_for_within_bounds) {
    faults.memories_late = milliseconds(60);
    EXPECT_EQ(start(), WEIR_OK);
    faults.memories_late = milliseconds(130);
    EXPECT_EQ(start(), WEIR_E_INIT_TIMEOUT);
}

class faulty_tables : public testing::Test {
protected:
    faulty_tables() : l({}, usual_script()), faults(l.machine().chip(0).table_faults()) {}
    weir_status add(std::uint32_t port) {
        weir_status status = WEIR_OK;
        l.drive([&](weir_dev* d) {
            status = weir_mac_set(d, some_mac, {WEIR_TARGET_PORT, port});
            return WEIR_OK;
        });
        return status;
    }
    weir_status look() {
        weir_status status = WEIR_OK;
        l.drive([&](weir_dev* d) {
            status = weir_mac_get(d, some_mac, &found);
            return WEIR_OK;
        });
        return status;
    }
    std::pair<int, int> errors() {
        std::uint8_t corrected = 0;
        std::uint8_t lost = 0;
        l.drive([&](weir_dev* d) { return weir_table_errors_take(d, &corrected, &lost); });
        return {corrected, lost};
    }
    lab l;
    pipeline::table_faults& faults;
    weir_target found{};
};

TEST_F(faulty_tables, that_refuse_a_command_say_busy_and_take_the_next) {
    faults.refused = 1;
    EXPECT_EQ(add(2), WEIR_E_BUSY);
    EXPECT_EQ(add(2), WEIR_OK);
    EXPECT_EQ(look(), WEIR_OK);
    EXPECT_EQ(found.index, 2U);
}

// The driver waits for 1 ms.
TEST_F(faulty_tables, that_are_slow_are_waited_for) {
    faults.late = microseconds(600);
    EXPECT_EQ(add(2), WEIR_OK);
    EXPECT_EQ(look(), WEIR_OK);
    EXPECT_EQ(found.index, 2U);
}

TEST_F(faulty_tables, that_never_answer_are_given_up_and_work_again_after_a_reset) {
    faults.never = true;
    EXPECT_EQ(add(2), WEIR_E_TIMEOUT);
    faults = {};
    l.drive([](weir_dev* d) {
        const weir_hal hal = d->hal;
        return weir_device_start(d, &hal);
    });
    EXPECT_EQ(add(2), WEIR_OK);
    EXPECT_EQ(look(), WEIR_OK);
}

TEST_F(faulty_tables, correct_one_wrong_bit_and_tell) {
    EXPECT_EQ(add(2), WEIR_OK);
    faults.error[0] = pipeline::bit_error::single;
    EXPECT_EQ(look(), WEIR_OK);
    EXPECT_EQ(found.index, 2U);
    EXPECT_EQ(errors(), std::pair(1, 0));  // table 0: mac
    EXPECT_EQ(look(), WEIR_OK);
    EXPECT_EQ(errors(), std::pair(0, 0));
}

TEST_F(faulty_tables, lose_an_entry_to_two_wrong_bits_until_it_is_written_again) {
    EXPECT_EQ(add(2), WEIR_OK);
    faults.error[0] = pipeline::bit_error::twofold;
    EXPECT_EQ(look(), WEIR_E_ECC);
    EXPECT_EQ(look(), WEIR_E_ECC);
    EXPECT_EQ(errors(), std::pair(0, 1));
    EXPECT_EQ(add(2), WEIR_OK);
    EXPECT_EQ(look(), WEIR_OK);
}

// A bus error in the middle of a change: what was written before it is taken back.
TEST(faulty_bus, fails_the_call_and_leaves_nothing_half_programmed) {
    lab l({}, usual_script());
    weir_group_config before{};
    l.drive([&](weir_dev* d) { return weir_group_get(d, 1, 3, &before); });
    auto& chip = l.machine().chip(0);
    const auto address = static_cast<std::uint32_t>(chip.bank().address_of("pg.headroom", {1, 3, 0}));
    chip.target().refuse(address, address + 3, false, true);
    weir_status status = WEIR_OK;
    l.drive([&](weir_dev* d) {
        weir_group_config c = before;
        c.xoff = 77;
        c.headroom = 55;
        status = weir_group_set(d, 1, 3, &c);
        return WEIR_OK;
    });
    EXPECT_EQ(status, WEIR_E_BUS);
    chip.target().allow_all();
    weir_group_config after{};
    l.drive([&](weir_dev* d) { return weir_group_get(d, 1, 3, &after); });
    EXPECT_EQ(after.xoff, before.xoff);
    EXPECT_EQ(after.headroom, before.headroom);
}

/// A driver that serves interrupts and looks at counters each 100 µs.
class served_chip : public testing::Test {
protected:
    explicit served_chip(const std::string& more = {}, const lab_options& options = {})
        : l(options, usual_script() + more), chip(l.machine().chip(0)) {
        l.drive([&](weir_dev*) {
            const weir_status status = weir_service_interrupts_set(&l.service(), all_causes);
            return status == WEIR_OK ? weir_service_counters_set(&l.service(), 100'000) : status;
        });
        // The links that came up at boot are told.
        EXPECT_EQ(serve(microseconds(10)), WEIR_OK);
    }
    /// Serves for so long, or until something is found.
    weir_status serve(picoseconds time) {
        weir_status found = WEIR_OK;
        l.drive([&](weir_dev* d) {
            const std::uint64_t end = d->hal.now_ns(d->hal.ctx) + static_cast<std::uint64_t>(time / nanoseconds(1));
            while (found == WEIR_OK && d->hal.now_ns(d->hal.ctx) < end) {
                const std::uint64_t left = end - d->hal.now_ns(d->hal.ctx);
                const std::uint64_t wait = std::min(weir_service_wait_ns(&l.service()), left);
                const bool interrupted = d->hal.wait_irq(d->hal.ctx, wait) == WEIR_OK;
                found = weir_service_serve(&l.service(), interrupted);
                message = d->message;
            }
            return WEIR_OK;
        });
        return found;
    }
    static constexpr std::uint32_t all_causes = ((1U << WEIR_SERVICE_CAUSES) - 1) & ~std::uint32_t{WEIR_INT_CPU_RX};
    lab l;
    asic::switch_asic& chip;
    std::string message;
};

TEST_F(served_chip, that_is_well_gives_no_error) {
    l.start(1, 0, 20);
    EXPECT_EQ(serve(milliseconds(2)), WEIR_OK);
}

TEST_F(served_chip, whose_interrupt_gets_lost_is_found_at_the_next_look) {
    chip.faults.interrupts_to_lose = 1;
    chip.storm(asic::interrupt::fault, nanoseconds(1), 1);
    EXPECT_EQ(serve(milliseconds(1)), WEIR_E_LOST_INTERRUPT);
    EXPECT_EQ(message, "interrupt fault was pending and had not come");
    // The next one comes as it should.
    chip.storm(asic::interrupt::fault, nanoseconds(1), 1);
    EXPECT_EQ(serve(milliseconds(1)), WEIR_OK);
    EXPECT_EQ(l.service().interrupts[4], 2U);  // bit 4: fault
}

TEST_F(served_chip, whose_interrupt_line_is_stuck_is_masked) {
    chip.faults.interrupt_stuck = true;
    chip.judge_faults();
    EXPECT_EQ(serve(milliseconds(5)), WEIR_E_STORM);
    EXPECT_EQ(l.service().causes, 0U);
}

// Sixty-four within a millisecond are a storm; the other causes go on.
TEST_F(served_chip, with_a_storm_of_interrupts_masks_that_cause_alone) {
    chip.storm(asic::interrupt::fault, microseconds(2), 10'000);
    EXPECT_EQ(serve(milliseconds(5)), WEIR_E_STORM);
    EXPECT_EQ(l.service().storming, std::uint32_t{WEIR_INT_FAULT});
    EXPECT_EQ(l.service().interrupts[4], std::uint64_t{WEIR_SERVICE_STORM_COUNT});
    EXPECT_EQ(serve(milliseconds(5)), WEIR_OK);
    chip.storm(asic::interrupt::config_error, nanoseconds(1), 1);
    EXPECT_EQ(serve(milliseconds(1)), WEIR_OK);
    EXPECT_EQ(l.service().interrupts[1], 1U);
}

// A counter four frames before its wrap, and ten frames: six after it. The difference of two readings is ten, at the
// counter's own width.
TEST_F(served_chip, whose_counter_wraps_is_read_untorn) {
    auto& bank = chip.bank();
    const auto field = bank.field("port.rx_frames.frames");
    bank.preload(field, {1, 0, 0}, bank.all_ones(field) - 3);
    const std::uint64_t before = l.port(1).rx_frames;
    EXPECT_EQ(before, bank.all_ones(field) - 3);
    l.send(1, 0, 10);
    EXPECT_EQ(l.port(1).rx_frames, 6U);
    EXPECT_EQ((l.port(1).rx_frames - before) & bank.all_ones(field), 10U);
    EXPECT_EQ(serve(milliseconds(1)), WEIR_OK);
}

TEST_F(served_chip, whose_link_flaps_says_so) {
    l.machine().flap(1, 3, microseconds(20));
    EXPECT_EQ(serve(milliseconds(1)), WEIR_OK);  // three times within a second are borne
    l.machine().flap(1, 1, microseconds(20));
    EXPECT_EQ(serve(milliseconds(1)), WEIR_E_FLAPPING);
    EXPECT_EQ(message, "link: interface 1 went down 4 times within 1000 ms");
}

TEST_F(served_chip, whose_peer_ignores_pfc_loses_a_frame_and_says_so) {
    // Three senders at line rate, none of which stops: 40 cells of headroom hold 40 frames, and 2000 come.
    for (std::uint32_t from = 1; from < 4; ++from) l.start(from, 0, 2000);
    EXPECT_EQ(serve(milliseconds(1)), WEIR_E_CONFORMANCE);
    EXPECT_EQ(message.substr(0, 23), "conformance: interface ");
    EXPECT_EQ(message.substr(message.size() - 8), "overflow");
}

// G5 counts a wrong length, a wrong address and a bad FCS apart; each is a PFC frame that is none.
TEST_F(served_chip, whose_peer_sends_malformed_pfc_says_so) {
    auto longer = lab::pfc(0x08, {0, 0, 0, 100, 0, 0, 0, 0});
    auto elsewhere = longer;
    longer.resize(96);
    elsewhere[5] = 2;
    l.inject(1, {longer, longer, elsewhere});
    EXPECT_EQ(serve(milliseconds(1)), WEIR_E_MALFORMED);
    EXPECT_EQ(message, "pfc: 3 malformed frames");
    // A vector that names nobody is a good frame that says nothing.
    l.inject(1, {lab::pfc(0, {})});
    EXPECT_EQ(serve(milliseconds(1)), WEIR_OK);
}

class watched_chip : public served_chip {
protected:
    watched_chip()
        : served_chip(
              "\ninterface 1\npfc stall-limit never\npfcwd hardware granularity 1\n"
              "pfcwd hardware queue 3 action alert detection-time 3 recovery-time 100\nexit") {}
};

TEST_F(watched_chip, that_is_flooded_with_pfc_detects_a_storm) {
    l.start(0, 1, 50);
    // 65535 quanta are 335 us at 100G: a frame each 250 us, for 10 ms.
    std::vector<ethernet::captured_frame> frames(40);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        frames[i].time = static_cast<std::int64_t>(i) * microseconds(250);
        frames[i].octets = lab::pfc(0x08, {0, 0, 0, 0xffff, 0, 0, 0, 0});
        frames[i].wire_length = 64;
    }
    l.machine().host(1).player.play(std::move(frames), from_kernel(sc_core::sc_time_stamp()), 1.0);
    EXPECT_EQ(serve(milliseconds(8)), WEIR_E_PFC_STORM);
    EXPECT_EQ(message, "watchdog: interface 1 queue 3: storm detected");
}

TEST_F(served_chip, with_a_bit_error_hears_of_it_by_interrupt) {
    l.drive([](weir_dev* d) { return weir_mac_set(d, some_mac, {WEIR_TARGET_PORT, 2}); });
    for (const auto& [error, status] : {std::pair(pipeline::bit_error::single, WEIR_E_CORRECTED),
                                        std::pair(pipeline::bit_error::twofold, WEIR_E_ECC)}) {
        chip.table_faults().error[0] = error;
        l.drive([](weir_dev* d) {
            weir_target found{};
            (void)weir_mac_get(d, some_mac, &found);
            return WEIR_OK;
        });
        EXPECT_EQ(serve(milliseconds(1)), status);
    }
}

}  // namespace
}  // namespace weir::acceptance
