// SPDX-License-Identifier: Apache-2.0
// The time of a flow on an empty network, by hand. (tests/system/ideal_test.cpp holds the simulator to it.)
#include "platforms/ideal.h"

#include <gtest/gtest.h>

#include "tests/platforms/support.h"

namespace weir::platforms {
namespace {

using testing::parsed;

flow message(std::uint32_t source, std::uint32_t destination, std::uint64_t octets, std::uint32_t payload = 1024) {
    flow f;
    f.source = source;
    f.destination = destination;
    f.octets = octets;
    f.payload = payload;
    return f;
}

// A frame of 1024 octets of payload has 1086. At 100G an octet takes 80 ps.
TEST(ideal, one_switch) {
    const auto platform = parsed(
        "[switch.s0]\npipeline_latency='300ns'\nphy_latency='20ns'\nfec_latency='50ns'\n"
        "[[switch.s0.ports]]\ncount=2\nrate='100G'\ncable='4m'\n");
    ideal_times ideal(platform);
    const std::int64_t hop = 1094 * 80 + 20'000 + 70'000;  // wire, cable, port
    EXPECT_EQ(ideal.of(message(0, 1, 1024))->count(), 2 * hop + 300'000);
    EXPECT_EQ(ideal.of(message(0, 1, 8 * 1024))->count(), 7 * 1106 * 80 + 2 * hop + 300'000);
    // One octet more is a frame of 4 + 62 octets behind the others. It is at the switch before the frame ahead of it
    // has left, and goes when that has: a slot after it.
    EXPECT_EQ(ideal.of(message(0, 1, 8 * 1024 + 1))->count(), 8 * 1106 * 80 + (1094 + 74) * 80 + 2 * 90'000 + 300'000);
}

// From 400G (20 ps) into 100G: the slow wire is full from the first frame on. And back: the fast one waits each time.
TEST(ideal, the_slowest_wire_sets_the_pace) {
    const auto platform =
        parsed("[[switch.s0.ports]]\nrate='400G'\ncable='0m'\n[[switch.s0.ports]]\nrate='100G'\ncable='0m'\n");
    ideal_times ideal(platform);
    EXPECT_EQ(ideal.of(message(0, 1, 8 * 1024))->count(), 1094 * 20 + 7 * 1106 * 80 + 1094 * 80);
    EXPECT_EQ(ideal.of(message(1, 0, 8 * 1024))->count(), 7 * 1106 * 80 + 1094 * 80 + 1094 * 20);
    // A short last frame (66 octets) catches up with the one before it where that is slow.
    EXPECT_EQ(ideal.of(message(0, 1, 8 * 1024 + 1))->count(), 1094 * 20 + 8 * 1106 * 80 + 74 * 80);
}

TEST(ideal, a_paced_flow_takes_its_time) {
    const auto platform = parsed("[[switch.s0.ports]]\ncount=2\nrate='100G'\ncable='0m'\n");
    ideal_times ideal(platform);
    flow f = message(0, 1, 4 * 1024);
    f.rate = 30'000'000'000;  // 8848 bits at 30 Gb/s: 294,933 and a third ps
    EXPECT_EQ(ideal.of(f)->count(), 884'800 + 2 * 1094 * 80);
    f.rate = 100'000'000'000;
    EXPECT_EQ(ideal.of(f)->count(), 3 * 1106 * 80 + 2 * 1094 * 80);
}

TEST(ideal, udp_frames_are_as_long_as_they_say) {
    const auto platform = parsed("[[switch.s0.ports]]\ncount=2\nrate='100G'\ncable='0m'\n");
    ideal_times ideal(platform);
    flow f = message(0, 1, 650, 65);
    f.plain_udp = true;
    EXPECT_EQ(ideal.of(f)->count(), 9 * 85 * 80 + 2 * 73 * 80);
}

TEST(ideal, over_a_network_it_adds_a_hop_a_switch) {
    const auto platform = parsed(
        "[topology]\nkind='chain'\nswitches=3\nhosts=1\nlink_rate='400G'\nlink_cable='100m'\nhost_cable='2m'\n"
        "[switches]\npipeline_latency='100ns'\n");
    ideal_times ideal(platform);
    EXPECT_EQ(ideal.of(message(0, 2, 1024))->count(),
              2 * (1094 * 80 + 10'000) + 2 * (1094 * 20 + 500'000) + 3 * 100'000);
}

TEST(ideal, without_a_path_or_an_end_there_is_none) {
    const auto apart = parsed("[[switch.a.ports]]\nrate='100G'\n[[switch.b.ports]]\nrate='100G'\n");
    EXPECT_FALSE(ideal_times(apart).of(message(0, 1, 1024)));
    const auto slow = parsed("[[switch.s0.ports]]\ncount=2\nrate='1G'\n");
    // A petabyte in frames of 66 octets at 1G: 2.5e14 frames of 688 ns, which is longer than 64 bits hold.
    EXPECT_FALSE(ideal_times(slow).of(message(0, 1, 1'000'000'000'000'000, 4)));
}

}  // namespace
}  // namespace weir::platforms
