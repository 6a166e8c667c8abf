// SPDX-License-Identifier: Apache-2.0
// Taking things away in mid-traffic: ports, links, speeds, the memory, the whole chip. Whatever the moment, no cell and
// no frame is left over, what is asked for happens, and the port works again afterwards.
#include <array>

#include "tests/acceptance/lab.h"

namespace weir::acceptance {
namespace {

class teardown_test : public ::testing::Test {
protected:
    void make(const lab_options& options = {}) { bench = std::make_unique<lab>(options, usual_script()); }
    void write(const char* reg, const registers::index& at, std::uint32_t value) {
        const auto address = static_cast<std::uint32_t>(chip().bank().address_of(reg, at));
        bench->drive([=](weir_dev* d) { return weir_register_write(d, address, value); });
    }
    std::uint32_t read(const char* reg, const registers::index& at) {
        const auto address = static_cast<std::uint32_t>(chip().bank().address_of(reg, at));
        std::uint32_t value = 0;
        bench->drive([&](weir_dev* d) { return weir_register_read(d, address, &value); });
        return value;
    }
    asic::switch_asic& chip() { return bench->machine().chip(0); }
    void expect_empty(const std::string& when) {
        EXPECT_EQ(chip().memory().used(), 0) << when;
        EXPECT_EQ(chip().memory().conservation_error(), "") << when;
        EXPECT_EQ(bench->machine().frames().in_use(), 0U) << when;
    }
    /// Both classes, from every other end station.
    void expect_works(std::uint32_t port, const std::string& when) {
        const std::uint64_t before = bench->received(port);
        std::uint64_t sent = 0;
        for (std::uint32_t from = 0; from < bench->machine().hosts(); ++from) {
            if (from == port) continue;
            bench->send(from, port, 3, 24);
            bench->send(from, port, 3, 0);
            sent += 6;
        }
        bench->settle();
        EXPECT_EQ(bench->received(port), before + sent) << when;
        expect_empty(when);
    }
    std::unique_ptr<lab> bench;
};

/// The script once more: the shell knows its pools by name already.
std::string repeated(std::string script) {
    for (const std::string name : {"lossless", "lossy"}) {
        const std::string create = "pool create " + name + " ingress size";
        script.replace(script.find(create), create.size(), "pool resize " + name + " size");
    }
    return script;
}

// Three senders of two classes overload the port; it goes down 100 ns later each time, over more than a frame's time.
TEST_F(teardown_test, a_port_goes_down_at_any_moment_and_comes_back) {
    lab_options o;
    o.obey = true;
    make(o);
    for (int i = 0; i < 40; ++i) {
        const std::string when = "round " + std::to_string(i);
        for (const std::uint32_t from : {0U, 2U, 3U}) {
            bench->start(from, 1, 40, 24, 1000);
            bench->start(from, 1, 40, 0, 1000);
        }
        bench->settle(microseconds(3) + nanoseconds(100 * i));
        bench->drive([](weir_dev* d) { return weir_port_down(d, 1); });
        bench->settle(microseconds(200));
        expect_empty(when);
        bench->drive([](weir_dev* d) { return weir_port_up(d, 1); });
        expect_works(1, when);
        if (HasFailure()) return;
    }
}

// A flush that is over has no say in what comes later, whoever looks at it.
TEST_F(teardown_test, looking_at_a_port_throws_nothing_away) {
    make();
    bench->shell("interface 1\nshutdown\nno shutdown\nqueue 3 dequeue off");
    bench->send(0, 1, 5);
    weir_port_status status{};
    bench->drive([&](weir_dev* d) { return weir_port_status_get(d, 1, &status); });
    EXPECT_FALSE(status.flushing);
    for (const char* reg : {"port.status", "port.flush_status"}) {
        (void)chip().bank().peek(chip().bank().address_of(reg, {1, 0, 0}));
    }
    EXPECT_EQ(bench->group_usage(0, 3).used, 5U);
    bench->shell("interface 1\nqueue 3 dequeue on");
    bench->settle();
    EXPECT_EQ(bench->received(1), 5U);
    EXPECT_EQ(bench->all_drops(), 0U);
}

// Section 2.5 of the NOS reference: skipping the dequeue enable before the poll hangs the poll, and only it.
TEST_F(teardown_test, a_flush_waits_for_dequeue_and_then_throws_away) {
    make();
    bench->shell("interface 1\nqueue 3 dequeue off");
    bench->send(0, 1, 5);
    write("port.flush", {1, 0, 0}, 1);
    bench->settle(microseconds(5'000));
    EXPECT_EQ(read("port.flush_status", {1, 0, 0}), 2U);  // busy
    EXPECT_EQ(chip().memory().used(), 5);
    bench->shell("interface 1\nqueue 3 dequeue on");
    EXPECT_EQ(read("port.flush_status", {1, 0, 0}), 1U);  // done
    bench->settle();
    EXPECT_EQ(bench->received(1), 0U);
    EXPECT_EQ(bench->queue(1, 3).drop_frames, 5U);
    expect_works(1, "after the flush");
}

// A queue that the peer has stopped keeps its frames until the peer lets go.
TEST_F(teardown_test, a_flush_waits_for_a_paused_queue) {
    make();
    bench->inject(1, {lab::pfc(0x08, {0, 0, 0, 0xffff, 0, 0, 0, 0})});
    bench->send(0, 1, 5);
    write("port.flush", {1, 0, 0}, 1);
    bench->settle();
    EXPECT_EQ(read("port.flush_status", {1, 0, 0}), 2U);
    bench->inject(1, {lab::pfc(0x08, {0, 0, 0, 0, 0, 0, 0, 0})});
    EXPECT_EQ(read("port.flush_status", {1, 0, 0}), 1U);
    EXPECT_EQ(bench->received(1), 0U);
    expect_works(1, "after the flush");
}

TEST_F(teardown_test, the_cpu_port_goes_down_and_up_too) {
    make();
    bench->shell("interface cpu\nno shutdown\nshutdown\nno shutdown");
}

// 100 km are 500 us: what is on the cable when the link fails is lost, even if the link is back before it arrives.
TEST_F(teardown_test, frames_on_the_cable_are_lost_with_the_link) {
    lab_options o;
    o.cable_metres = 100'000;
    make(o);
    bench->start(0, 1, 5);
    bench->settle(microseconds(20));
    bench->machine().cable(0).set_plugged(false);
    bench->machine().cable(0).set_plugged(true);
    bench->settle(microseconds(2'000));
    EXPECT_EQ(bench->port(0).rx_frames, 0U);
    EXPECT_EQ(bench->received(1), 0U);
    expect_empty("after the loss");
    bench->start(0, 1, 5);
    bench->settle(microseconds(2'000));
    EXPECT_EQ(bench->received(1), 5U);
}

TEST_F(teardown_test, a_cable_is_pulled_in_both_directions_traffic) {
    lab_options o;
    o.cable_metres = 1'000;
    o.obey = true;
    make(o);
    for (int i = 0; i < 20; ++i) {
        for (const std::uint32_t p : {0U, 1U, 2U}) {
            bench->start(p, 3, 30, 24, 1500);
            bench->start(3, p, 30, 24, 1500);
        }
        bench->settle(microseconds(5) + nanoseconds(150 * i));
        bench->machine().cable(3).set_plugged(false);
        bench->settle(microseconds(20));
        bench->machine().cable(3).set_plugged(true);
        bench->settle(microseconds(400));
        expect_works(3, "round " + std::to_string(i));
        if (HasFailure()) return;
    }
}

// A gate that was on its way to close when PFC was switched off stays open (802.1Q: a disabled priority is not paused).
TEST_F(teardown_test, pfc_switched_off_while_its_gate_is_closing) {
    lab_options o;
    o.extra_platform = "pfc_response = \"5us\"\n";
    make(o);
    bench->start(0, 1, 0);
    ethernet::captured_frame f;
    f.octets = lab::pfc(0x08, {0, 0, 0, 0xffff, 0, 0, 0, 0});
    f.wire_length = 64;
    bench->machine().host(1).player.play({f}, from_kernel(sc_core::sc_time_stamp()), 0);
    bench->settle(microseconds(1));
    EXPECT_EQ(bench->pfc_counters(1, 3).rx_frames, 1U);
    bench->shell("interface 1\npfc rx none\npfc rx 3");
    bench->settle(microseconds(20));
    bench->send(0, 1, 5);
    EXPECT_EQ(bench->received(1), 5U);
}

TEST_F(teardown_test, pause_switched_off_while_stopped_releases) {
    make();
    bench->shell("interface 1\npfc receiver with-pause\npause rx");
    bench->inject(1, {lab::pause(0xffff)});
    bench->send(0, 1, 5);
    EXPECT_EQ(bench->received(1), 0U);
    bench->shell("interface 1\npause off");
    bench->settle();
    EXPECT_EQ(bench->received(1), 5U);
}

TEST_F(teardown_test, the_station_follows_a_change_of_speed) {
    make();
    bench->shell("interface 0\nspeed 10G");
    EXPECT_EQ(bench->machine().host(0).mac.rate().megabits(), 10'000U);
    // Ten frames of 66 octets, 86 on the wire, at 0.8 ns an octet: the tenth has arrived 10 * 86 - 12 octets later.
    const picoseconds before = from_kernel(sc_core::sc_time_stamp());
    bench->send(0, 1, 10);
    EXPECT_EQ(bench->received(1), 10U);
    EXPECT_GE(bench->machine().host(1).arrived().last - before, picoseconds{800} * (10 * 86 - 12));
    bench->shell("interface 0\nspeed 100G");
    expect_works(0, "back at 100G");
}

TEST_F(teardown_test, frames_into_a_port_that_does_not_receive_are_counted) {
    make();
    write("port.ctrl", {0, 0, 0}, 0b101);  // admin, no reception, transmission
    bench->send(0, 1, 3);
    EXPECT_EQ(bench->received(1), 0U);
    EXPECT_EQ(bench->drops(0, WEIR_DROP_PORT_DISABLED), 3U);
}

TEST_F(teardown_test, a_port_reset_in_mid_traffic_leaves_nothing) {
    lab_options o;
    o.obey = true;
    make(o);
    for (int i = 0; i < 20; ++i) {
        for (const std::uint32_t from : {0U, 2U, 3U}) bench->start(from, 1, 60, 24, 1000);
        bench->settle(microseconds(3) + nanoseconds(130 * i));
        write("port.reset", {1, 0, 0}, 1);
        bench->settle(microseconds(200));
        expect_empty("round " + std::to_string(i));
        // What the reset took of port and pfc comes back with the driver's own words.
        bench->shell("interface 1\nmtu 9216\npfc enable priority 3\nno shutdown");
        expect_works(1, "round " + std::to_string(i));
        if (HasFailure()) return;
    }
}

TEST_F(teardown_test, a_soft_reset_in_mid_traffic_leaves_nothing) {
    lab_options o;
    o.obey = true;
    make(o);
    for (int i = 0; i < 5; ++i) {
        for (const std::uint32_t from : {0U, 2U, 3U}) bench->start(from, 1, 200, 24, 4000);
        bench->settle(microseconds(5) + nanoseconds(410 * i));
        if (i % 2 == 1) bench->drive([](weir_dev* d) { return weir_buffer_return_at_end(d, true); });
        write("global.sw_reset", {}, 1);
        bench->settle(microseconds(500));
        EXPECT_EQ(chip().memory().used(), 0);
        EXPECT_EQ(bench->machine().frames().in_use(), 0U);
        bench->drive([](weir_dev* d) {
            const weir_hal hal = d->hal;
            return weir_device_start(d, &hal);
        });
        std::string script = repeated(usual_script());
        for (int h = 0; h < 4; ++h)
            script += "\nmac-table add 02:00:00:00:00:0" + std::to_string(h) + " port " + std::to_string(h);
        bench->shell(script);
        bench->settle(microseconds(500));  // what the stations still had to send
        for (std::uint32_t p = 0; p < 4; ++p) expect_works(p, "round " + std::to_string(i));
        if (HasFailure()) return;
    }
}

// The memory's contents are gone, the chip is not ready, and no frame is taken into it until it is.
TEST_F(teardown_test, the_memory_is_initialised_in_mid_traffic) {
    lab_options o;
    o.obey = true;
    make(o);
    for (const std::uint32_t from : {0U, 2U, 3U}) bench->start(from, 1, 100, 24, 1000);
    bench->settle(microseconds(4));
    ASSERT_GT(chip().memory().used(), 0);
    write("global.init", {}, 0b11);  // core stays enabled
    EXPECT_EQ(chip().memory().used(), 0);
    bench->settle(microseconds(10));
    EXPECT_EQ(chip().memory().used(), 0);
    bench->settle(microseconds(200));
    expect_empty("after the initialisation");
    std::string tables;
    for (int h = 0; h < 4; ++h)
        tables += "mac-table add 02:00:00:00:00:0" + std::to_string(h) + " port " + std::to_string(h) + "\n";
    bench->shell(tables);
    expect_works(1, "after the initialisation");
}

// 20 us of initialisation are 20 us, also when an earlier one was cut short by a reset.
TEST_F(teardown_test, an_initialisation_is_not_ended_by_an_earlier_one) {
    make();
    write("global.init", {}, 1);
    bench->settle(microseconds(5));
    write("global.sw_reset", {}, 1);
    while (read("global.sw_reset", {}) != 0) bench->settle(nanoseconds(100));
    write("global.init", {}, 1);
    // The CPU's program and this thread are a microsecond apart at the most, at both ends.
    const picoseconds begin = from_kernel(sc_core::sc_time_stamp());
    const auto done = chip().bank().field("global.init_status.ram_done");
    while (chip().bank().get(done) == 0) bench->settle(nanoseconds(100));
    EXPECT_GE(from_kernel(sc_core::sc_time_stamp()) - begin, microseconds(18));
}

// 802.3: 64 to 16000 octets with the FCS that the chip adds.
TEST_F(teardown_test, the_cpu_port_takes_frames_of_lawful_length_only) {
    make();
    bench->shell("interface all\nmtu 16000");
    std::vector<std::uint8_t> frame(16'000, 0);
    const std::array<std::uint8_t, 14> header{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0x88, 0xb5};
    std::copy(header.begin(), header.end(), frame.begin());
    const auto send = [&](std::size_t octets) {
        weir_status status = WEIR_OK;
        bench->drive([&](weir_dev* d) {
            status = weir_cpu_send(d, 1, frame.data(), octets);
            return WEIR_OK;
        });
        bench->settle();
        return status;
    };
    EXPECT_EQ(send(59), WEIR_E_FRAME);
    EXPECT_EQ(send(0), WEIR_E_FRAME);
    EXPECT_EQ(send(15'997), WEIR_E_FRAME);
    EXPECT_EQ(bench->received(1), 0U);
    EXPECT_EQ(send(60), WEIR_OK);
    EXPECT_EQ(send(61), WEIR_OK);
    EXPECT_EQ(send(15'996), WEIR_OK);
    EXPECT_EQ(bench->received(1), 3U);
    EXPECT_EQ(bench->machine().host(1).arrived().octets, 64U + 65U + 16'000U);
    expect_empty("after sending");
}

}  // namespace
}  // namespace weir::acceptance
