// SPDX-License-Identifier: Apache-2.0
// Re-attach: a driver that finds the chip running takes it over without touching it, and then programs it as the one
// before would have.
#include <memory>

#include "tests/acceptance/lab.h"
#include "tests/registers/map_under_test.h"
#include "tests/system/in_child.h"

namespace weir::acceptance {
namespace {

/// Lossless classes, one with its group set by hand, one port down, a watchdog, a queue stopped.
std::string varied_script() {
    return usual_script() + R"(
map pg 5 priority 4
interface 1
  pg 5 pool lossless
  pfc enable priority 4
  pfcwd hardware queue 3 action drop detection-time 10 recovery-time 200
exit
interface 2
  queue 1 dequeue off
exit
interface 3
  shutdown
exit)";
}

void expect_same_state(const weir_dev& found, const weir_dev& known) {
    for (int d = 0; d < 2; ++d) {
        EXPECT_EQ(found.budget[d].guaranteed, known.budget[d].guaranteed) << d;
        EXPECT_EQ(found.budget[d].headroom, known.budget[d].headroom) << d;
        EXPECT_EQ(found.budget[d].shared_headroom, known.budget[d].shared_headroom) << d;
        EXPECT_EQ(found.budget[d].pools, known.budget[d].pools) << d;
    }
    EXPECT_EQ(found.default_egress, known.default_egress);
    EXPECT_EQ(found.caps.core_khz, known.caps.core_khz);
    for (std::uint32_t port = 0; port <= known.caps.ports; ++port) {
        const weir_port_state& f = found.ports[port];
        const weir_port_state& k = known.ports[port];
        EXPECT_EQ(f.pfc_tx, k.pfc_tx) << port;
        EXPECT_EQ(f.pfc_rx, k.pfc_rx) << port;
        EXPECT_EQ(f.enabled, k.enabled) << port;
        EXPECT_EQ(f.fixed_group, k.fixed_group) << port;
        EXPECT_EQ(f.fixed_queue, k.fixed_queue) << port;
        EXPECT_EQ(f.dequeue, k.dequeue) << port;
        EXPECT_EQ(f.watchdog, k.watchdog) << port;
        EXPECT_EQ(f.pause_rx, k.pause_rx) << port;
        EXPECT_EQ(f.up, k.up) << port;
        EXPECT_EQ(f.headroom, k.headroom) << port;
        if (k.enabled == 0) continue;
        EXPECT_EQ(f.profile.xoff, k.profile.xoff) << port;
        EXPECT_EQ(f.profile.xon_offset, k.profile.xon_offset) << port;
        EXPECT_EQ(f.profile.headroom, k.profile.headroom) << port;
    }
}

TEST(attach, reads_back_what_the_first_driver_knows) {
    lab l({}, varied_script());
    auto second = std::make_unique<weir_dev>();
    l.drive([&](weir_dev* first) { return weir_device_attach(second.get(), &first->hal); });
    expect_same_state(*second, *l.device());
}

TEST(attach, refuses_a_chip_that_nobody_has_started) {
    const platforms::platform_config config = platforms::parse_platform(
        "[platform]\nname = \"bare\"\n[switch.s0]\nwred_profiles = 8\n[[switch.s0.ports]]\ncount = 2\n", "bare.toml");
    platforms::machine m(config, 1, registers::map_under_test());
    auto dev = std::make_unique<weir_dev>();
    weir_status status = WEIR_OK;
    m.cpu(0).program([&] { status = weir_device_attach(dev.get(), &m.cpu(0).hal()); });
    EXPECT_TRUE(m.run_programs());
    EXPECT_EQ(status, WEIR_E_NOT_STARTED);
}

struct run_outcome {
    std::uint64_t digest{0}, writes{0}, pauses{0}, peak{0};
};

/// Three senders into one; in the middle of it a second driver attaches, or not.
run_outcome congested_run(bool attach) {
    lab_options o;
    o.obey = true;
    lab l(o, usual_script());
    l.machine().record().start(from_kernel(sc_core::sc_time_stamp()));
    for (std::uint32_t from = 1; from < 4; ++from) l.start(from, 0, 2000, 24, 1000);
    l.settle(microseconds(60));
    const std::uint64_t before = l.machine().chip(0).target().writes();
    if (attach) {
        auto second = std::make_unique<weir_dev>();
        l.drive([&](weir_dev* first) { return weir_device_attach(second.get(), &first->hal); });
    }
    run_outcome r;
    r.writes = l.machine().chip(0).target().writes() - before;
    l.machine().run_until(milliseconds(10));
    l.machine().finish_record();
    r.digest = l.machine().record().value();
    r.pauses = l.pfc_counters(1, 3).tx_transitions;
    r.peak = l.take_group_peak(1, 3).used;
    return r;
}

// No write, no cell, pause or counter disturbed: the packets cannot tell.
TEST(attach, disturbs_nothing_under_traffic) {
    const run_outcome without = system_test::in_child([] { return congested_run(false); });
    const run_outcome with = system_test::in_child([] { return congested_run(true); });
    EXPECT_GT(without.pauses, 0U);
    EXPECT_EQ(with.writes, 0U);
    EXPECT_EQ(with.digest, without.digest);
    EXPECT_EQ(with.pauses, without.pauses);
    EXPECT_EQ(with.peak, without.peak);
}

// Afterwards it programs the chip as if it had brought it up: budget, moves of a class, and off again.
TEST(attach, goes_on_as_the_driver_before) {
    lab l({}, usual_script());
    auto second = std::make_unique<weir_dev>();
    l.drive([&](weir_dev* first) { return weir_device_attach(second.get(), &first->hal); });
    l.drive([&](weir_dev*) {
        // 8192 cells, of which 3000 + 2000 are pools, and 4 x (8 + 40) are taken.
        weir_group_config c{};
        EXPECT_EQ(weir_group_get(second.get(), 1, 3, &c), WEIR_OK);
        c.headroom = 4000;
        EXPECT_EQ(weir_group_set(second.get(), 1, 3, &c), WEIR_E_BUDGET);
        EXPECT_EQ(weir_pfc_enable(second.get(), 1, 3, false), WEIR_OK);
        EXPECT_EQ(weir_group_get(second.get(), 1, 3, &c), WEIR_OK);
        EXPECT_FALSE(c.lossless);
        return weir_port_down(second.get(), 2);
    });
    EXPECT_EQ(second->ports[1].enabled, 0);
    EXPECT_FALSE(l.machine().chip(0).port(2).admin());
}

}  // namespace
}  // namespace weir::acceptance
