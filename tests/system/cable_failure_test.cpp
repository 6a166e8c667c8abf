// SPDX-License-Identifier: Apache-2.0
// Frames on a cable whose link goes down: they are lost, and the run says so.
//
// h0 sends frame behind frame at 100G: frame k leaves h0 at k · 334.24 ns (4158 octets, preamble and gap), its last
// octet 333.28 ns later. Every cable is 200 m, 1 µs. A switch sends it on 333.28 ns + 1 µs after it left h0, and needs
// no time of its own. Cables are pulled 10 µs after the start.
#include <gmock/gmock.h>

#include "tests/system/fabric.h"

namespace weir::system_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* star_of_200_m = "[topology]\nkind='star'\nhosts=3\nhost_cable='200m'\n";

/// h0 sends 100 frames to h1 while the cable from s0 to `to` is pulled for 20 µs.
vp::run_result pulled(const std::string& to, const std::string& dscp, const std::string& topology = star_of_200_m,
                      const std::string& more = "") {
    return run_fabric(topology + "[routes]\nkind='shortest_path'\ndelay='1s'\n[[failure]]\nfrom='s0'\nto='" + to +
                          "'\nat='10us'\nrepair='30us'\n[workload]\nkind='flows'\nfile='f.csv'\n" + more,
                      {{"f.csv", "start,source,destination,octets,dscp\n0,h0,h1,409600," + dscp + "\n"}});
}

// Frames 26, 27 and 28 have left h0 whole, at 9.02, 9.36 and 9.69 µs, and arrive 1 µs later; 29 began at 9.69 µs and
// would have left whole at 10.03. Frame 25 was there at 9.69 µs; 30 waits for the link.
TEST(cable_failure, loses_what_is_between_a_host_and_its_switch) {
    const auto result = pulled("h0", "24");
    EXPECT_EQ(result.flows[0].lost_frames, 4U);
    EXPECT_EQ(result.flows[0].delivered_octets, 96U * 4096);
    EXPECT_THAT(result.failures(), ElementsAre("s0.0 PG 3 lost 4 lossless frames: link_down"));
}

// s0 sends frame k at k · 334.24 ns + 1.333 µs: 22 to 24 have left it whole, 25 leaves it. Frame 21 was at h1 at 9.69
// µs.
TEST(cable_failure, loses_what_is_between_a_switch_and_its_host) {
    const auto result = pulled("h1", "24");
    EXPECT_EQ(result.flows[0].lost_frames, 4U);
    EXPECT_THAT(result.failures(), ElementsAre("s0.1 PG 3 lost 4 lossless frames: link_down"));
}

// The same between two switches, of which the second is to receive it.
TEST(cable_failure, loses_what_is_between_two_switches) {
    const auto result =
        pulled("s1", "24", "[topology]\nkind='chain'\nswitches=2\nhosts=1\nhost_cable='200m'\nlink_cable='200m'\n");
    EXPECT_EQ(result.flows[0].lost_frames, 4U);
    EXPECT_THAT(result.failures(), ElementsAre("s1.1 PG 3 lost 4 lossless frames: link_down"));
}

TEST(cable_failure, of_a_lossy_class_is_no_failure) {
    const auto result = pulled("h0", "0");
    EXPECT_EQ(drops(result, "link_down"), 4U);
    EXPECT_THAT(result.failures(), IsEmpty());
}

// h2 pauses every 0.5 µs: two such frames are on its cable of 1 µs at any time, and nothing else.
TEST(cable_failure, does_not_count_pauses) {
    const auto result = pulled("h2", "24", star_of_200_m, "[host.h2]\nstorm_priorities=8\nstorm_interval='500ns'\n");
    EXPECT_THAT(result.losses, IsEmpty());
    EXPECT_TRUE(result.flows[0].finish);
}

}  // namespace
}  // namespace weir::system_test
