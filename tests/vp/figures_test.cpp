// SPDX-License-Identifier: Apache-2.0
// Figures of a run against values worked out by hand from what the run holds.
#include "vp/results/figures.h"

#include <gmock/gmock.h>

#include <set>

#include "tests/vp/support.h"

namespace weir::vp {
namespace {

using ::testing::HasSubstr;
using testing::sample_result;
using testing::small_chip;

std::optional<double> value_of(const std::string& name, const run_result& result) {
    return find_figure(name, "study.toml:1:1", result.configuration).value(result);
}

std::string complaint(const std::string& name) {
    const small_chip chip;
    try {
        (void)value_of(name, sample_result(chip));
    } catch (const platforms::config_error& e) {
        return e.what();
    }
    return "no complaint";
}

TEST(figures, count_losses_by_class) {
    const small_chip chip;
    run_result result = sample_result(chip);
    EXPECT_EQ(value_of("lossless_drops", result), 0);
    EXPECT_EQ(value_of("passed", result), 1);
    result.losses = {{0, 2, 0, false, "wred", 5}, {0, 1, 3, true, "headroom", 12}};
    EXPECT_EQ(value_of("lossless_drops", result), 12);
    EXPECT_EQ(value_of("drops", result), 17);
    EXPECT_EQ(value_of("passed", result), 0);
}

// Port 1 resumed 12 times, port 2 still asks: 13 pauses. 12345 ns and 2655 ns: 15 us.
// Three port-priorities may pause, for the run's 300 us: 15 / 900.
TEST(figures, add_up_pauses) {
    small_chip chip;
    EXPECT_EQ(value_of("pause_fraction", sample_result(chip)), std::nullopt) << "nothing may pause";
    chip.set("pfc.tx_enable.priorities", {1}, 0b1001000);
    chip.set("pfc.tx_enable.priorities", {2}, 0b0001000);
    chip.set("pfc.tx_transitions.times", {1, 3}, 12);
    chip.set("pfc.tx_paused.priorities", {2}, 1U << 3U);
    chip.set("pfc.tx_paused_ns.time", {1, 3}, 12'345);
    chip.set("pfc.tx_paused_ns.time", {2, 3}, 2'655);
    const run_result result = sample_result(chip);
    EXPECT_EQ(value_of("pauses", result), 13);
    EXPECT_DOUBLE_EQ(*value_of("pause_time", result), 15.0);
    EXPECT_DOUBLE_EQ(*value_of("pause_fraction", result), 15.0 / 900);
    EXPECT_DOUBLE_EQ(*value_of("run_time", result), 300.0);
}

// 9000 octets from 10 us to 28 us are 4 Gb/s; unfinished, to the run's end at 300 us after zero: 72000 bits in 290 us.
TEST(figures, tell_one_flows_goodput) {
    const small_chip chip;
    run_result result = sample_result(chip);
    flow_result f;
    EXPECT_THAT([&] { (void)value_of("flow[9].goodput", result); },
                ::testing::ThrowsMessage<platforms::config_error>(HasSubstr("there is no flow 9")));
    f.octets = f.delivered_octets = 9'000;
    f.first = microseconds(10);
    f.finish = microseconds(28);
    result.flows.assign(2, f);
    EXPECT_DOUBLE_EQ(*value_of("flow[1].goodput", result), 4.0);
    result.flows[1].finish.reset();
    EXPECT_DOUBLE_EQ(*value_of("flow[1].goodput", result), 72.0 / 290);
    result.flows[1].first.reset();
    EXPECT_EQ(value_of("flow[1].goodput", result), std::nullopt);
    EXPECT_EQ(complaint("flow[x].goodput"), "study.toml:1:1: \"flow[x].goodput\" names no flow\n  flow[0].goodput");
}

TEST(figures, take_peaks_over_all_groups_of_front_ports) {
    small_chip chip;
    chip.set("pg.headroom_max.cells", {1, 3}, 292);
    chip.set("pg.headroom_max.cells", {3, 4}, 301);
    chip.set("pg.service_max.cells", {0, 0}, 6800);
    chip.set("pg.service_max.cells", {4, 0}, 9000);  // the CPU port
    chip.set("bm.pool_max.cells", {2}, 12'000);
    chip.set("bm.pool_max.cells", {3}, 11'000);
    chip.set("bm.max.cells", {}, 13'000);
    chip.set("queue.max.cells", {0, 3}, 77);
    chip.set("wred.ce_marked.frames", {0, 3}, 40);
    chip.set("wred.ce_marked.frames", {2, 3}, 2);
    const run_result result = sample_result(chip);
    EXPECT_EQ(value_of("headroom_peak", result), 301);
    EXPECT_EQ(value_of("service_peak", result), 6800);
    EXPECT_EQ(value_of("pool_peak", result), 12'000);
    EXPECT_EQ(value_of("memory_peak", result), 13'000);
    EXPECT_EQ(value_of("queue_peak", result), 77);
    EXPECT_EQ(value_of("marked_frames", result), 42);
}

// 3 MiB from 10 ns to 1 us + 337.61535… us after workload time zero.
TEST(figures, goodput_is_payload_from_the_first_octet_to_the_last) {
    const small_chip chip;
    run_result result = sample_result(chip);
    const double last_ps = 1e6 + (1000.0 * 4158 + 999.0 * 20) * 80 * 100 / 99;
    EXPECT_NEAR(*value_of("goodput", result), 3.0 * (1 << 20) * 8 * 1e3 / (last_ps - 1e4), 1e-6);
    for (flow_result& f : result.flows) f.delivered_octets = 0;
    EXPECT_EQ(value_of("goodput", result), std::nullopt);
}

// Flows of 100, 200 and 250 us, ideal 50 us: the nearest rank of half of three is the second.
TEST(figures, completion_is_of_all_finished_flows) {
    const small_chip chip;
    run_result result = sample_result(chip);
    result.flows[0].finish = microseconds(100);
    result.flows[1].finish = microseconds(200);
    for (flow_result& f : result.flows) f.ideal = microseconds(50);
    EXPECT_DOUBLE_EQ(*value_of("completion_p50", result), 200);
    EXPECT_DOUBLE_EQ(*value_of("completion_max", result), 250);
    EXPECT_DOUBLE_EQ(*value_of("slowdown_p50", result), 4);
    EXPECT_DOUBLE_EQ(*value_of("slowdown_p99", result), 5);
    result.flows[2].finish.reset();
    EXPECT_EQ(value_of("finished_flows", result), 2);
    EXPECT_EQ(value_of("unfinished_flows", result), 1);
    EXPECT_DOUBLE_EQ(*value_of("completion_max", result), 200);
    for (flow_result& f : result.flows) f.finish.reset();
    EXPECT_EQ(value_of("completion_p99", result), std::nullopt);
    EXPECT_EQ(value_of("slowdown_max", result), std::nullopt);
}

TEST(figures, add_up_what_transports_did) {
    const small_chip chip;
    run_result result = sample_result(chip);
    host_result sender;
    sender.transport.retransmitted = 5;
    sender.transport.timeouts = 1;
    result.hosts.push_back(sender);
    result.hosts[0].transport.retransmitted = 2;
    result.hosts[0].transport.cnps_sent = 9;
    EXPECT_EQ(value_of("retransmitted_frames", result), 7);
    EXPECT_EQ(value_of("timeouts", result), 1);
    EXPECT_EQ(value_of("cnps", result), 9);
}

TEST(figures, tell_what_an_observer_saw_and_nothing_without_one) {
    const small_chip chip;
    run_result result = sample_result(chip);
    result.seen.reset();
    for (const char* name : {"deadlocks", "victim_time", "stopped_links"}) {
        EXPECT_EQ(value_of(name, result), std::nullopt) << name;
        EXPECT_TRUE(find_figure(name, "study.toml:1:1", result.configuration).observed) << name;
    }
    result.seen.emplace();
    EXPECT_EQ(value_of("stopped_links", result), 0);
    const circle_member member{"s0", 1, 3};
    result.seen->circles = {{{member}, microseconds(1), 2, microseconds(5)}, {{member}, microseconds(2), 1, {}}};
    result.seen->losses.resize(2);
    result.seen->losses[0].foreign = microseconds(3);
    result.seen->losses[0].lost = microseconds(9);
    result.seen->losses[1].foreign = nanoseconds(500);
    result.seen->spread = {{microseconds(1), 2, 1, 1}, {microseconds(2), 5, 0, 1}, {microseconds(3), 0, 0, 0}};
    EXPECT_EQ(value_of("deadlocks", result), 1);
    EXPECT_EQ(value_of("passed", result), 0);
    EXPECT_DOUBLE_EQ(*value_of("victim_time", result), 3.5);
    EXPECT_EQ(value_of("stopped_links", result), 5);
}

TEST(figures, any_register_is_one) {
    small_chip chip;
    chip.set("pg.headroom_max.cells", {1, 3}, 292);
    chip.set("global.int_status.conformance", {}, 1);
    const run_result result = sample_result(chip);
    EXPECT_EQ(value_of("s0.pg.headroom_max[1][3]", result), 292);
    EXPECT_EQ(value_of("s0.pg.headroom_max.cells[1][3]", result), 292);
    EXPECT_EQ(value_of("s0.pg.headroom_max[1][2]", result), 0);
    EXPECT_EQ(value_of("s0.global.int_status.conformance", result), 1);
    EXPECT_EQ(find_figure("s0.pg.headroom_max[1][3]", "", result.configuration).unit, "cells");
}

TEST(figures, a_name_that_is_none_gets_the_nearest) {
    EXPECT_EQ(complaint("losless_drops"),
              "study.toml:1:1: there is no figure \"losless_drops\"\n  did you mean \"lossless_drops\"?");
    EXPECT_EQ(complaint("zzzzzzzzzzzz"),
              "study.toml:1:1: there is no figure \"zzzzzzzzzzzz\"\n  weir sweep --figures lists them");
    EXPECT_EQ(complaint("s1.pg.max[0][0]"),
              "study.toml:1:1: \"s1.pg.max[0][0]\": there is no switch \"s1\"\n  one of: s0");
    EXPECT_THAT(complaint("s0.pg.maxx[0][0]"), HasSubstr("did you mean pg.max"));
}

TEST(figures, a_registers_indices_and_field_are_judged) {
    EXPECT_EQ(complaint("s0.pg.max[0]"),
              "study.toml:1:1: \"s0.pg.max[0]\": an index is missing\n  SWITCH.pg.max[port][group]");
    EXPECT_THAT(complaint("s0.pg.max[0][3][1]"), HasSubstr("too many indices"));
    EXPECT_THAT(complaint("s0.pg.max[0][8]"), HasSubstr("there is no group 8"));
    EXPECT_THAT(complaint("s0.pg.max[0][x]"), HasSubstr("\"x\" is no index"));
    EXPECT_THAT(complaint("s0.pg.max[0"), HasSubstr("indices stand in brackets"));
    EXPECT_THAT(complaint("s0.pg.max[77][3]"), HasSubstr("the chip has no such index"));
    // Before any run: sample_result's chip has four ports and the CPU's.
    const run_result result = sample_result(small_chip{});
    EXPECT_THAT(platforms::testing::error_of([&] { (void)find_figure("s0.pg.max[5][3]", "f", result.configuration); }),
                HasSubstr("the chip has no such index\n  port 0 to 4"));
    EXPECT_NO_THROW((void)find_figure("s0.pg.max[4][3]", "f", result.configuration));
    EXPECT_THAT(complaint("s0.global.int_status"), HasSubstr("which field of global.int_status?\n  one of: "));
}

TEST(figures, are_listed_with_unit_and_meaning_and_no_name_twice) {
    std::set<std::string> names;
    for (const figure& each : figures()) {
        EXPECT_TRUE(names.insert(each.name).second) << each.name;
        EXPECT_FALSE(each.meaning.empty()) << each.name;
        EXPECT_THAT(figures_text(), HasSubstr(each.name));
    }
}

}  // namespace
}  // namespace weir::vp
