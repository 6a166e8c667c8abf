// SPDX-License-Identifier: Apache-2.0
// Networks of switches: everything arrives over computed and over static routes; hop limits; links that fail.
#include "tests/system/fabric.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/conformance/conformance.h"
#include "tests/system/in_child.h"

namespace weir::system_test {
namespace {

using ::testing::IsEmpty;

std::size_t complete(const vp::run_result& result) {
    std::size_t flows = 0;
    for (const auto& f : result.flows) flows += f.finish ? 1 : 0;
    return flows;
}

TEST(fabric, a_fat_tree_carries_a_permutation_without_loss) {
    const auto result = run_fabric(
        "[topology]\nkind='fat_tree'\nradix=4\n[routes]\nkind='shortest_path'\n"
        "[workload]\nkind='permutation'\nshift=5\noctets='256KiB'\n");
    EXPECT_THAT(result.failures(), IsEmpty());
    EXPECT_EQ(complete(result), 16U);
}

TEST(fabric, each_switch_can_have_a_script_of_its_own) {
    const auto result = run_fabric(
        "[topology]\nkind='chain'\nswitches=2\nhosts=1\n[switch.s1]\nprogram='other.cfg'\n"
        "[routes]\nkind='shortest_path'\n[workload]\nkind='permutation'\noctets='64KiB'\n",
        {{"other.cfg",
          "pool create lossless ingress size 5000 cells\ninterface 0-${last_port}\n  pg all limit 100\n"
          "  no shutdown\nexit\n"}});
    EXPECT_EQ(complete(result), 2U);
    EXPECT_EQ(result.switches[0].registers.value("pg.limit.cells", {0, 0}), 256U);
    EXPECT_EQ(result.switches[1].registers.value("pg.limit.cells", {0, 0}), 100U);
}

TEST(fabric, the_drivers_can_run_as_firmware) {
    const std::string toml =
        "[topology]\nkind='leaf_spine'\nleaves=2\nspines=2\nhosts=2\n[routes]\nkind='shortest_path'\n"
        "[workload]\nkind='permutation'\nshift=2\noctets='64KiB'\n";
    const auto digest = [](const std::string& text) {
        return in_child([&] {
            const auto result = run_fabric(text);
            EXPECT_THAT(result.failures(), IsEmpty());
            return std::stoull(result.digest, nullptr, 16);
        });
    };
    EXPECT_EQ(digest(toml), digest(toml + "[cpu]\nkind='riscv'\n"));
}

// Hops from s0 to s2: each switch that routes a packet takes one off its hop limit, and one that has none left for the
// way on drops it. So three switches need a limit of 4 at the sender.
TEST(fabric, a_hop_limit_is_used_up_by_routers) {
    const auto sent_with = [](int limit) {
        return in_child([limit] {
            const auto result = run_fabric(
                "[topology]\nkind='chain'\nswitches=3\nhosts=1\n[hosts]\nhop_limit=" + std::to_string(limit) +
                    "\n[routes]\nkind='shortest_path'\n[workload]\nkind='flows'\nfile='f.csv'\n",
                {{"f.csv", "start,source,destination,octets\n0,h0,h2,40960\n"}});
            EXPECT_EQ(result.hosts[2].data_frames + drops(result, "ttl"), 10U);
            return drops(result, "ttl");
        });
    };
    EXPECT_EQ(sent_with(4), 0U);
    EXPECT_EQ(sent_with(3), 10U);
    EXPECT_EQ(sent_with(1), 10U);
}

TEST(fabric, an_unknown_destination_is_dropped_with_a_reason) {
    const auto result = run_fabric(
        "[topology]\nkind='chain'\nswitches=2\nhosts=1\n[routes]\nkind='file'\nfile='r.csv'\n"
        "[workload]\nkind='flows'\nfile='f.csv'\n",
        {{"r.csv", "switch,destination,ports\ns0,h1,1\n"},
         {"f.csv", "start,source,destination,octets\n0,h0,h1,40960\n"}});
    EXPECT_EQ(drops(result, "no_route"), 10U);
}

// Four flows of 10G over two spines. A cable is pulled after 100 µs, the drivers hear of it 50 µs later, and it is
// plugged in again after 300 µs. 4158 octets and preamble and gap at 10G are 3.34 µs a frame: at most 15 frames a flow
// are sent into the gap, and one or two are in the way; what is sent later arrives.
TEST(fabric, routes_follow_a_link_that_fails_and_is_mended) {
    const std::string toml =
        "[topology]\nkind='leaf_spine'\nleaves=2\nspines=2\nhosts=4\n[routes]\nkind='shortest_path'\ndelay='50us'\n"
        "[[failure]]\nfrom='leaf0'\nto='spine0'\nat='100us'\nrepair='300us'\n"
        "[workload]\nkind='flows'\nfile='f.csv'\nrate='10G'\n";
    std::string flows = "start,source,destination,octets\n";
    for (int h = 0; h < 4; ++h) flows += "0,h" + std::to_string(h) + ",h" + std::to_string(h + 4) + ",819200\n";
    const auto result = run_fabric(toml, {{"f.csv", flows}});
    std::size_t hit = 0;
    for (const auto& f : result.flows) {
        EXPECT_LE(f.lost_frames, 18U);
        if (f.lost_frames > 0) ++hit;
        if (f.lost_frames > 0) {
            EXPECT_GE(f.lost_frames, 14U);
        }
        EXPECT_EQ(f.delivered_octets + 4096 * f.lost_frames, 819200U);
    }
    EXPECT_GE(hit, 1U);  // some flow took that way
    EXPECT_LE(hit, 3U);  // some did not
    EXPECT_EQ(result.violations.size(), 0U);
    std::uint64_t lost = 0;
    for (const auto& f : result.flows) lost += f.lost_frames;
    conformance::row("Y05", "a lossless class loses what waits for, or is on, a cable that is pulled",
                     fmt::format("{} frames of priority 3", lost));
}

// A dead port keeps what waits for it, and PFC keeps the sender: nothing is lost but what was on the cable, a frame at
// this pace, and the flow takes as much longer as the link was away.
TEST(fabric, without_new_routes_frames_wait_for_the_link) {
    const std::string toml =
        "[topology]\nkind='chain'\nswitches=2\nhosts=1\n[routes]\nkind='file'\nfile='r.csv'\n"
        "[[failure]]\nfrom='s0'\nto='s1'\nat='100us'\nrepair='400us'\n"
        "[workload]\nkind='flows'\nfile='f.csv'\nrate='100G'\n";
    const auto result = run_fabric(toml, {{"r.csv", "switch,destination,ports\ns0,h1,1\ns1,h1,0\n"},
                                          {"f.csv", "start,source,destination,octets\n0,h0,h1,4096000\n"}});
    EXPECT_LE(result.flows[0].lost_frames, 2U);
    EXPECT_GT(result.hosts[0].paused[3], microseconds(200));
    // 1000 frames of 4178 octets' time at 100G are 334 us.
    EXPECT_NEAR(static_cast<double>((*result.hosts[1].last_data - *result.hosts[1].first_data).count()) / 1e6, 634, 10);
}

TEST(fabric, a_flow_nobody_can_carry_is_refused_before_anything_runs) {
    const platforms::testing::temporary_folder folder;
    const auto config = fabric(folder,
                               "[switch.a]\n[[switch.a.ports]]\n[switch.b]\n[[switch.b.ports]]\n"
                               "[routes]\nkind='shortest_path'\n[workload]\nkind='permutation'\n");
    EXPECT_EQ(platforms::testing::error_of([&] { (void)run(config); }),
              folder.path("p.toml") + ":16:6: a.h0 sends to b.h0, and a has no route there");
}

}  // namespace
}  // namespace weir::system_test
