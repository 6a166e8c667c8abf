// SPDX-License-Identifier: Apache-2.0
// Ways through a network of two leaves and a spine, by hand.
#include "vp/study/frame_ways.h"

#include <gmock/gmock.h>

#include "tests/vp/support.h"

namespace weir::vp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Hosts 0 to 2 at ports 0 to 2 of leaf0, 3 to 5 at leaf1; port 3 of each leads to the spine, ports 0 and 1 of which
/// lead to the leaves. 3 m to hosts, 100 m between switches.
struct leaves_and_spine {
    platforms::platform_config platform = platforms::testing::parsed(
        "[topology]\nkind='leaf_spine'\nleaves=2\nspines=1\nhosts=3\nlink_cable='100m'\n"
        "[switches]\npipeline_latency='400ns'\nphy_latency='10ns'\n[routes]\nkind='shortest_path'\n");
    frame_ways ways{platform};
    std::uint32_t leaf{0};
    std::uint32_t spine{2};
};

TEST(frame_ways, know_who_is_beyond_a_port_and_who_comes_by_it) {
    const leaves_and_spine at;
    EXPECT_THAT(at.ways.beyond({at.leaf, 3}), ElementsAre(3, 4, 5));
    EXPECT_THAT(at.ways.coming_by({at.leaf, 3}, 0), ElementsAre(3, 4, 5));
    EXPECT_THAT(at.ways.coming_by({at.leaf, 3}, 3), IsEmpty()) << "it is on the other side";
    EXPECT_THAT(at.ways.coming_by({at.spine, 0}, 3), ElementsAre(0, 1, 2));
    EXPECT_THAT(at.ways.coming_by({at.spine, 1}, 3), IsEmpty());
    EXPECT_THAT(at.ways.coming_by({at.leaf, 0}, 1), IsEmpty()) << "a host's port";
}

// 1518 octets and 8 of preamble are 122.08 ns at 100G. The host's cable takes 15 ns, the port 10 ns, the pipeline 400
// ns: 547.08 ns. Another frame time, 10 ns, 500 ns of cable, 10 ns, 400 ns: 1589.16 ns.
TEST(frame_ways, know_when_a_frame_leaves_a_port) {
    const leaves_and_spine at;
    EXPECT_EQ(at.ways.until_leaving(0, 3, {at.leaf, 3}, 1518), picoseconds{547'080});
    EXPECT_EQ(at.ways.until_leaving(0, 3, {at.spine, 1}, 1518), picoseconds{1'589'160});
    EXPECT_EQ(at.ways.until_leaving(0, 1, {at.leaf, 3}, 1518), std::nullopt);
    EXPECT_EQ(at.ways.until_leaving(0, 3, {at.spine, 0}, 1518), std::nullopt);
}

}  // namespace
}  // namespace weir::vp
