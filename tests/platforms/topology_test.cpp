// SPDX-License-Identifier: Apache-2.0
// Shapes: how many switches, hosts and cables each has, which port leads where, and what cannot be built.
#include "platforms/topology.h"

#include "tests/platforms/support.h"

namespace weir::platforms {
namespace {

using testing::parse_error;
using testing::parsed;
using testing::temporary_folder;

struct size {
    std::size_t switches;
    std::size_t hosts;
    std::size_t links;
    bool operator==(const size& other) const {
        return switches == other.switches && hosts == other.hosts && links == other.links;
    }
};
std::ostream& operator<<(std::ostream& out, const size& s) {
    return out << s.switches << " switches, " << s.hosts << " hosts, " << s.links << " links";
}

size size_of(const std::string& topology) {
    const platform_config made = parsed("[topology]\n" + topology);
    return {made.switches.size(), made.hosts.size(), made.links.size()};
}

TEST(topology, shapes_have_their_sizes) {
    EXPECT_EQ(size_of("kind='star'\nhosts=5\n"), (size{1, 5, 0}));
    EXPECT_EQ(size_of("kind='chain'\nswitches=4\nhosts=3\n"), (size{4, 12, 3}));
    EXPECT_EQ(size_of("kind='ring'\nswitches=4\nhosts=1\n"), (size{4, 4, 4}));
    EXPECT_EQ(size_of("kind='dumbbell'\nhosts=3\nlinks=2\n"), (size{2, 6, 2}));
    EXPECT_EQ(size_of("kind='parking_lot'\nswitches=4\nhosts=1\n"), (size{4, 5, 3}));
    EXPECT_EQ(size_of("kind='leaf_spine'\nleaves=4\nspines=3\nhosts=8\n"), (size{7, 32, 12}));
    // k pods of k/2 edge and k/2 aggregation switches, (k/2)² core switches; k³/4 hosts, and as many cables a stage.
    EXPECT_EQ(size_of("kind='fat_tree'\nradix=4\n"), (size{20, 16, 32}));
    EXPECT_EQ(size_of("kind='fat_tree'\nradix=8\n"), (size{80, 128, 256}));
    EXPECT_EQ(size_of("kind='fat_tree'\nradix=4\nhosts=4\n"), (size{20, 32, 32}));
}

TEST(topology, spines_follow_the_oversubscription) {
    // 16 hosts of 100G a leaf are 1600G down; a spine takes 400G of a leaf.
    const std::string base = "kind='leaf_spine'\nleaves=2\nhosts=16\nhost_rate='100G'\nlink_rate='400G'\n";
    EXPECT_EQ(size_of(base), (size{2 + 4, 32, 8}));
    EXPECT_EQ(size_of(base + "oversubscription=2.0\n"), (size{2 + 2, 32, 4}));
    EXPECT_EQ(size_of(base + "oversubscription=3.0\n"), (size{2 + 2, 32, 4}));
    EXPECT_EQ(size_of(base + "oversubscription=4.0\n"), (size{2 + 1, 32, 2}));
    EXPECT_EQ(size_of(base + "links=2\noversubscription=2.0\n"), (size{2 + 1, 32, 4}));
}

TEST(topology, ports_lead_to_hosts_first_and_then_to_switches_by_name) {
    const platform_config made = parsed(
        "[topology]\nkind='leaf_spine'\nleaves=11\nspines=2\nhosts=2\nhost_rate='25G'\nlink_rate='100G'\n"
        "host_cable='2m'\nlink_cable='40m'\n");
    const switch_config& leaf = made.switches[10];
    EXPECT_EQ(leaf.name, "leaf10");  // behind leaf9: numbers count as numbers
    ASSERT_EQ(leaf.ports.size(), 4U);
    EXPECT_EQ(leaf.ports[0].peer, "h20");
    EXPECT_EQ(leaf.ports[0].rate.name(), "25G");
    EXPECT_EQ(leaf.ports[0].cable_metres, 2U);
    EXPECT_EQ(leaf.ports[3].peer, "spine1");
    EXPECT_EQ(leaf.ports[3].rate.name(), "100G");
    EXPECT_EQ(leaf.ports[3].cable_metres, 40U);
    const switch_config& spine = made.switches[12];
    EXPECT_EQ(spine.name, "spine1");
    ASSERT_EQ(spine.ports.size(), 11U);
    EXPECT_EQ(spine.ports[10].peer, "leaf10");
    // A host's number, and its address, come from where it is.
    EXPECT_EQ(made.hosts[21].name, "h21");
    EXPECT_EQ(made.hosts[21].ip, (ethernet::ipv4_address{10, 0, 10, 2}));
}

TEST(topology, what_is_given_beside_a_shape_is_added_to_it) {
    const platform_config made = parsed(
        "[topology]\nkind='chain'\nswitches=2\nhosts=1\npfc_response='1us'\nclock_spread=100\nstart_jitter='2us'\n"
        "[switches]\ncells=9000\n[switch.s1]\ncells=5000\n[host.h1]\nobey_pfc=false\n");
    EXPECT_EQ(made.switches[0].cells, 9000U);
    EXPECT_EQ(made.switches[1].cells, 5000U);
    EXPECT_TRUE(made.hosts[0].obey_pfc);
    EXPECT_FALSE(made.hosts[1].obey_pfc);
    for (const port_config& port : made.switches[0].ports) {
        EXPECT_EQ(port.pfc_response, microseconds(1));
        EXPECT_EQ(port.clock_spread, 100U);
        EXPECT_EQ(port.start_jitter, microseconds(2));
    }
}

TEST(topology, an_hpcc_file_keeps_its_node_ids) {
    // Two switches, 2 and 3, with two cables between them; hosts 0, 1 and 4.
    const temporary_folder folder;
    folder.write("t.txt",
                 "5 2 5\n3 2\n0 2 25Gbps 1us 0\n1 3 25Gbps 1us 0\n2 3 100Gbps 2us 0\n4 3 25Gbps 1us 0\n"
                 "3 2 100Gbps 2us 0\n");
    const platform_config made = parse_platform("[topology]\nkind='hpcc'\nfile='t.txt'\n", folder.path("p.toml"));
    ASSERT_EQ(made.switches.size(), 2U);
    EXPECT_EQ(made.switches[0].name, "s2");
    EXPECT_EQ(made.switches[1].name, "s3");
    ASSERT_EQ(made.hosts.size(), 3U);
    EXPECT_EQ(made.hosts[0].name, "h0");
    EXPECT_EQ(made.hosts[2].name, "h4");
    EXPECT_EQ(made.hosts[2].node, 4U);
    EXPECT_EQ(made.hosts[2].switch_index, 1U);
    EXPECT_EQ(made.links.size(), 2U);
    EXPECT_EQ(made.switches[0].ports[1].cable_metres, 400U);
}

constexpr const char* two_switches = R"(
[switch.b]
[[switch.b.ports]]
peer = "a"
[[switch.b.ports]]
[[switch.b.ports]]
peer = "a"
[switch.a]
[[switch.a.ports]]
count = 2
peer = "b"
)";

TEST(topology, several_cables_join_two_switches_in_the_order_of_their_ports) {
    const platform_config made = parsed(two_switches);
    ASSERT_EQ(made.links.size(), 2U);
    EXPECT_EQ(made.links[0].a.switch_index, 0U);  // a, although the file names b first
    EXPECT_EQ(made.links[0].a.port, 0U);
    EXPECT_EQ(made.links[0].b.port, 0U);
    EXPECT_EQ(made.links[1].a.port, 1U);
    EXPECT_EQ(made.links[1].b.port, 2U);
}

TEST(topology, says_what_cannot_be_joined) {
    const std::string b = "[switch.b]\n[[switch.b.ports]]\npeer='a'\n";
    EXPECT_EQ(parse_error("[switch.a]\n[[switch.a.ports]]\ncount=2\npeer='b'\n" + b),
              "p.toml:4:6: 2 of a's ports lead to b, 1 back\n  a port of b with peer = \"a\" for each");
    EXPECT_EQ(parse_error("[switch.a]\n[[switch.a.ports]]\n" + b),
              "p.toml:5:6: 1 of b's ports lead to a, 0 back\n  a port of a with peer = \"b\" for each");
    EXPECT_EQ(parse_error("[switch.a]\n[[switch.a.ports]]\npeer='a'\n"),
              "p.toml:3:6: port 0 of a leads to its own switch\n  the name of another switch");
    EXPECT_EQ(parse_error("[switch.a]\n[[switch.a.ports]]\npeer='b'\nrate='25G'\n" + b),
              "p.toml:7:6: the cable between port 0 of a and port 0 of b is 25G and 3 m long at one end, 100G and 3 m "
              "at the other\n  one rate and one length for both");
    EXPECT_EQ(parse_error("[switch.a]\n[[switch.a.ports]]\npeer='c'\n"),
              "p.toml:3:6: peer \"c\" is unknown\n  one of: host none, or the name of a [host.NAME] or of a switch");
}

TEST(topology, says_what_is_no_shape) {
    EXPECT_EQ(parse_error("[topology]\nkind='ring'\nswitches=2\n"), "p.toml:3:10: 2 switches are no ring\n  3 or more");
    EXPECT_EQ(parse_error("[topology]\nkind='fat_tree'\nradix=5\n"),
              "p.toml:3:7: radix 5 is odd\n  half of a switch's ports lead up, half down");
    EXPECT_EQ(parse_error("[platform]\nname='x'\n"),
              "p.toml: the platform has no switch\n  wanted: a table [switch.s0] with ports, or a [topology]");
}

}  // namespace
}  // namespace weir::platforms
