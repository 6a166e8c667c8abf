// SPDX-License-Identifier: Apache-2.0
// `weir check`: one switch of four ports at 100G, programmed well and programmed badly.
#include "vp/check/check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/conformance/conformance.h"
#include "tests/vp/support.h"

namespace weir::vp {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::small_chip;

platforms::platform_config hardware(const std::string& more = "") {
    return platforms::testing::parsed(std::string{"[switch.s0]\ncells=4000\n[[switch.s0.ports]]\ncount=4\n"} +
                                      "rate='100G'\ncable='100m'\n" + more);
}

/// PG 3 lossless on every port: 300 XOFF, 100 XON, 131 headroom; pool 0 of 3000 cells. Frames of 1518 octets take 6
/// cells of 256: 14098 octet times of loop are 10 frames, 60 cells, 65 with a straddling frame; 64-octet frames 168.
programmed_state sound() {
    programmed_state state;
    state.name = "s0";
    state.pools = {{false, 3000, 0}, {true, 3900, 0}};
    state.ports.resize(4);
    for (auto& port : state.ports) {
        programmed_group& g = port.groups[3];
        g.enabled = g.lossless = true;
        g.guaranteed = 8;
        g.limit = 1000;
        g.xoff = 300;
        g.xon_offset = 100;
        g.headroom = 200;
        g.priorities = 0x08;
        port.pfc_tx_enable = 0x08;
        programmed_queue& q = port.queues[3];
        q.enabled = q.lossless = q.ecn = true;
        q.pool = 1;
        q.guaranteed = 8;
        q.kmin = 50;
        q.kmax = 150;
    }
    return state;
}

check_report checked(const programmed_state& state, const std::string& more = "") {
    return make_check_report(hardware(more), {state});
}

TEST(check, has_nothing_to_say_of_sound_programming) {
    const check_report report = checked(sound());
    EXPECT_THAT(report.errors, IsEmpty());
    EXPECT_THAT(report.warnings, IsEmpty());
    EXPECT_THAT(report.whole(), HasSubstr("nothing to complain about"));
    EXPECT_THAT(report.text, HasSubstr("switch s0: 4 ports, 4 000 cells of 256 octets"));
    EXPECT_THAT(report.text, HasSubstr("s0.0-3 PG 3"));
}

// Ingress: 4·8 + 4·200 + 3000 = 3832 of 4000; 43 more of headroom on each port are 4004.
TEST(check, adds_up_the_budget_of_each_direction) {
    programmed_state state = sound();
    EXPECT_THAT(checked(state).text, HasSubstr("sum                 3 832   3 932"));
    for (auto& port : state.ports) port.groups[3].headroom = 243;
    EXPECT_THAT(checked(state).errors, ElementsAre("s0 ingress regions take 4 004 cells of 4 000: 4 too many"));
    for (auto& port : state.ports) port.groups[3].headroom = 242;
    EXPECT_THAT(checked(state).errors, IsEmpty());
    state.pools[1].size = 3969;
    EXPECT_THAT(checked(state).errors, ElementsAre("s0 egress regions take 4 001 cells of 4 000: 1 too many"));
}

TEST(check, wants_xon_below_xoff) {
    programmed_state state = sound();
    for (auto& port : state.ports) port.queues[3].ecn = false;
    state.ports[2].groups[3].xon_offset = 300;
    EXPECT_THAT(checked(state).errors,
                ElementsAre("s0.2 PG 3: XON 300 is not below XOFF 300: the offset must leave something to resume at"));
    state.ports[2].groups[3].xon_offset = 299;
    EXPECT_THAT(checked(state).errors, IsEmpty());
    state.ports[2].groups[3].xoff = 0;
    EXPECT_THAT(checked(state).errors, ElementsAre("s0.2 PG 3: XOFF 0 pauses always"));
}

TEST(check, wants_marking_below_the_resume_point) {
    programmed_state state = sound();
    for (auto& port : state.ports) port.queues[3].kmax = 199;
    EXPECT_THAT(checked(state).warnings, IsEmpty());
    for (auto& port : state.ports) port.queues[3].kmax = 200;
    EXPECT_THAT(checked(state).warnings, ElementsAre("s0.0-3 PG 3: Kmax 200 is not below the resume point 200: "
                                                     "pauses come before marking is complete"));
    for (auto& port : state.ports) port.queues[3].kmin = 201;
    EXPECT_THAT(checked(state).errors,
                ElementsAre("s0 marks between Kmin 201 and Kmax 200: 0 < Kmin <= Kmax is wanted"));
}

TEST(check, warns_of_headroom_below_the_closed_form) {
    programmed_state state = sound();
    for (auto& port : state.ports) port.groups[3].headroom = 168;
    EXPECT_THAT(checked(state).warnings, IsEmpty());
    for (auto& port : state.ports) port.groups[3].headroom = 167;
    EXPECT_THAT(checked(state).warnings,
                ElementsAre("s0.0-3 PG 3: headroom 167 is less than the 168 cells that frames of 64 octets need"));
    for (auto& port : state.ports) port.groups[3].headroom = 64;
    EXPECT_THAT(checked(state).warnings,
                Contains("s0.0-3 PG 3: headroom 64 is less than the 65 cells that frames of 1518 octets need"));
    // A slower neighbour needs more: 1 µs is 12500 octet times, 26598 / 84 → 317 cells.
    EXPECT_THAT(checked(sound(), "[hosts]\npfc_response='1us'\n").warnings,
                Contains("s0.0-3 PG 3: headroom 200 is less than the 317 cells that frames of 64 octets need"));
}

// F16: the AC5P buffer note's rows at 400G, cells of 256 octets. XON at most max(1536, 20 % of XOFF): its 2048 to 3072
// break that at every XOFF of the table. Its loop of 5 µs needs 1055 cells, and the row begins at 1024.
TEST(check, flags_rows_of_the_ac5p_table_that_break_its_own_rules) {
    const auto warnings = [](std::uint32_t xoff, std::uint32_t xon, std::uint32_t headroom, const char* response) {
        programmed_state state = sound();
        state.pools[0].size = 40'000;
        for (auto& port : state.ports) {
            port.groups[3].limit = 12'000;
            port.groups[3].xoff = xoff;
            port.groups[3].xon_offset = xon;
            port.groups[3].headroom = headroom;
        }
        auto platform = platforms::testing::parsed(
            std::string{"[switch.s0]\ncells=60000\n[[switch.s0.ports]]\ncount=4\n"} +
            "rate='400G'\ncable='300m'\n[hosts]\npfc_response='" + response + "'\n[workload]\nframe=9154\n");
        return make_check_report(platform, {state}).warnings;
    };
    const auto rule = warnings(6800, 2048, 5000, "1us");
    EXPECT_THAT(rule, Contains("s0.0-3 PG 3: XON 2048 is 30 % of XOFF 6800: the AC5P buffer note's rule gives 1536 at "
                               "most, its table 1536 to 3072"));
    EXPECT_THAT(warnings(7800, 1560, 5000, "1us"), Not(Contains(HasSubstr("buffer note"))));
    EXPECT_THAT(warnings(7800, 1561, 5000, "1us"), Contains(HasSubstr("rule gives 1560 at most")));
    // 300 m are 3 µs both ways; with 2 µs of response the loop is 5 µs: 250 KB, and two frames of 9216 octets.
    const auto row = warnings(6800, 1536, 1024, "2us");
    EXPECT_THAT(row, Contains(HasSubstr("headroom 1024 is less than the")));
    conformance::row("F16", "XON 2048 of 6800: at most 1536; 1024 cells at 5 us: too few",
                     fmt::format("{}; {}", rule.empty() ? "" : rule.back(), row.empty() ? "" : row.front()));
}

TEST(check, warns_when_xoff_cannot_decide) {
    programmed_state state = sound();
    for (auto& port : state.ports) port.groups[3].limit = 299;
    EXPECT_THAT(checked(state).warnings,
                ElementsAre("s0.0-3 PG 3: XOFF 300 lies above the limit 299, which decides instead"));
    state = sound();
    state.pools[0].size = 1199;
    EXPECT_THAT(checked(state).warnings,
                ElementsAre(HasSubstr("XOFF of its 4 lossless groups sums to 1 200 cells of 1 199")));
    EXPECT_THAT(checked(state).text, HasSubstr("3 of 4"));
}

// 14098 + 1518 octet times until the sender is back are 11 frames of 6 cells: 66 cells drain.
TEST(check, warns_of_a_receiver_that_will_idle) {
    programmed_state state = sound();
    for (auto& port : state.ports) port.queues[3].ecn = false;
    for (auto& port : state.ports) port.groups[3].xon_offset = 234;
    EXPECT_THAT(checked(state).warnings, IsEmpty());
    for (auto& port : state.ports) port.groups[3].xon_offset = 235;
    EXPECT_THAT(checked(state).warnings, ElementsAre(HasSubstr("the receiver will idle")));
}

TEST(check, a_lossless_group_must_pause_somebody) {
    programmed_state state = sound();
    state.ports[1].pfc_tx_enable = 0;
    EXPECT_THAT(checked(state).errors,
                ElementsAre("s0.1 PG 3 is lossless but pauses no priority: map a priority to it and enable PFC on it"));
}

// alpha 2 of 3000 cells: 2·3000/3 = 2000 with one congested, 2·3000/5 = 1200 with two.
TEST(check, shows_the_dynamic_limit_by_number_of_congested_groups) {
    programmed_state state = sound();
    for (auto& port : state.ports) {
        port.groups[3].dynamic = true;
        port.groups[3].alpha = 2;
    }
    EXPECT_THAT(checked(state).text, HasSubstr("s0.0-3 PG 3        2        2 000  1 200"));
}

TEST(check, reads_what_is_programmed_from_registers) {
    small_chip chip;
    chip.set("bm.cap_pools.pools", {}, 4);
    chip.set("bm.pool_size.cells", {1}, 500);
    chip.set("bm.pool_mode.egress", {1}, 1);
    chip.set("pg.mode.lossless", {2, 3}, 1);
    chip.set("pg.mode.alpha", {2, 3}, 9);
    chip.set("pg.headroom.cells", {2, 3}, 768);
    chip.set("pg.xoff.cells", {2, 3}, 6800);
    chip.set("wred.queue_mode.profile", {1, 4}, 1);
    chip.set("wred.profile_max.cells", {1, 0}, 2800);
    chip.set("pfc.tx_enable.priorities", {3}, 0x48);
    const programmed_state state = read_programmed_state("s0", chip.snapshot());
    ASSERT_EQ(state.ports.size(), 4U);
    ASSERT_EQ(state.pools.size(), 4U);
    EXPECT_TRUE(state.pools[1].egress);
    EXPECT_EQ(state.pools[1].size, 500U);
    EXPECT_TRUE(state.ports[2].groups[3].lossless);
    EXPECT_EQ(state.ports[2].groups[3].alpha, 4.0);
    EXPECT_EQ(state.ports[2].groups[3].headroom, 768U);
    EXPECT_EQ(state.ports[2].groups[3].xoff, 6800U);
    EXPECT_EQ(state.ports[2].groups[4].xoff, std::nullopt) << "all ones: the limit alone decides";
    EXPECT_EQ(state.ports[1].queues[4].kmax, 2800U);
    EXPECT_EQ(state.ports[3].pfc_tx_enable, 0x48);
}

}  // namespace
}  // namespace weir::vp
