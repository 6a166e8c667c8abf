// SPDX-License-Identifier: Apache-2.0
// Routes: shortest paths and equal ones, those of a file, what is wrong with some, and what drivers are told.
#include "platforms/routes.h"

#include <gmock/gmock.h>

#include <string>

#include "platforms/failures.h"
#include "tests/platforms/support.h"

namespace weir::platforms {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::IsEmpty;
using testing::parsed;
using testing::temporary_folder;

using ports = std::vector<std::uint32_t>;

std::vector<std::string> texts(const std::vector<script_line>& lines) {
    std::vector<std::string> all;
    for (const auto& line : lines) all.push_back(line.text);
    return all;
}

std::vector<std::uint32_t> switches_passed(const platform_config& platform, std::uint32_t from, std::uint32_t to) {
    std::vector<std::uint32_t> switches;
    for (const link_end& port : ports_between(platform, from, to)) switches.push_back(port.switch_index);
    return switches;
}

// leaf0: h0 h1 at ports 0 1, spines at 2 3 4; leaf1: h2 h3. spineN: leaf0 at 0, leaf1 at 1.
constexpr const char* leaf_spine = "[topology]\nkind='leaf_spine'\nleaves=2\nspines=3\nhosts=2\n";

TEST(routes, equal_paths_are_all_there) {
    const platform_config made = parsed(leaf_spine);
    const routing_table table = shortest_paths(made);
    EXPECT_EQ(table[0][1], ports{1});          // leaf0 to its own host
    EXPECT_EQ(table[0][2], (ports{2, 3, 4}));  // to the other leaf's, over every spine
    EXPECT_EQ(table[3][2], ports{1});          // spine1 down
    EXPECT_THAT(find_route_faults(made, table), IsEmpty());
}

TEST(routes, paths_are_the_shortest) {
    const platform_config five = parsed("[topology]\nkind='ring'\nswitches=5\nhosts=1\n");
    // s0's ports: 0 its host, 1 to s1, 2 to s4.
    EXPECT_EQ(shortest_paths(five)[0], (switch_table{{0}, {1}, {1}, {2}, {2}}));
    const platform_config four = parsed("[topology]\nkind='ring'\nswitches=4\nhosts=1\n");
    EXPECT_EQ(shortest_paths(four)[0], (switch_table{{0}, {1}, {1, 2}, {2}}));
    EXPECT_EQ(switches_passed(five, 0, 3), (std::vector<std::uint32_t>{0, 4, 3}));
    EXPECT_EQ(switches_passed(five, 2, 2), (std::vector<std::uint32_t>{2}));
}

TEST(routes, a_fat_tree_has_a_path_for_each_core_switch) {
    const platform_config made = parsed("[topology]\nkind='fat_tree'\nradix=4\n");
    const routing_table table = shortest_paths(made);
    std::uint32_t edge = 0;
    while (made.switches[edge].name != "edge0") ++edge;
    // Two ways up from an edge switch, two from each aggregation switch: (k/2)² = 4 paths between pods.
    EXPECT_EQ(table[edge][15].size(), 2U);
    EXPECT_EQ(table[edge][2].size(), 2U);  // the pod's other edge switch, over either aggregation switch
    EXPECT_EQ(table[edge][0].size(), 1U);
    EXPECT_EQ(switches_passed(made, 0, 15).size(), 5U);
    EXPECT_THAT(find_route_faults(made, table), IsEmpty());
}

TEST(routes, a_broken_link_is_left_out) {
    const platform_config made = parsed(leaf_spine);
    std::vector<bool> broken(made.links.size(), false);
    broken[0] = true;  // leaf0 ─ spine0
    const routing_table table = shortest_paths(made, broken);
    EXPECT_EQ(table[0][2], (ports{3, 4}));
    EXPECT_EQ(table[1][0], (ports{3, 4}));  // and leaf1 does not send that way either
    broken.assign(made.links.size(), true);
    const routing_table none = shortest_paths(made, broken);
    EXPECT_EQ(none[0][2], ports{});
    EXPECT_EQ(none[0][0], ports{0});
    const auto faults = find_route_faults(made, none);
    ASSERT_EQ(faults.size(), 4U);
    EXPECT_EQ(describe(made, faults[0]), "no route leads to h0 from: leaf1 spine0 spine1 spine2");
}

TEST(routes, a_driver_is_told_only_what_changes) {
    const platform_config made = parsed(leaf_spine);
    switch_routes leaf(made, 0);
    const auto lines = texts(leaf.change_to(shortest_paths(made)[0]));
    ASSERT_EQ(lines.size(), 6U);
    EXPECT_EQ(lines[0].rfind("ecmp seed ", 0), 0U);
    EXPECT_THAT(std::vector<std::string>(lines.begin() + 1, lines.end()),
                ElementsAre("ecmp 0 members 2,3,4", "route add 10.0.0.1/32 port 0", "route add 10.0.0.2/32 port 1",
                            "route add 10.0.1.1/32 ecmp 0", "route add 10.0.1.2/32 ecmp 0"));
    EXPECT_THAT(leaf.change_to(shortest_paths(made)[0]), IsEmpty());

    std::vector<bool> broken(made.links.size(), false);
    broken[0] = true;
    // New before old: at no moment does a route lead into a group that is not there.
    EXPECT_THAT(
        texts(leaf.change_to(shortest_paths(made, broken)[0])),
        ElementsAre("ecmp 1 members 3,4", "route add 10.0.1.1/32 ecmp 1", "route add 10.0.1.2/32 ecmp 1", "no ecmp 0"));
    broken.assign(made.links.size(), true);
    EXPECT_THAT(texts(leaf.change_to(shortest_paths(made, broken)[0])),
                ElementsAre("no route 10.0.1.1/32", "no route 10.0.1.2/32", "no ecmp 1"));
}

TEST(routes, every_switch_has_a_seed_of_its_own) {
    const platform_config made = parsed(leaf_spine);
    const auto seed = [&](std::uint32_t s) {
        switch_routes of(made, s);
        return of.change_to(shortest_paths(made)[s]).front().text;
    };
    EXPECT_NE(seed(0), seed(1));
}

class route_file : public ::testing::Test {
protected:
    platform_config platform(const std::string& rows) {
        folder_.write("r.csv", "switch,destination,ports\n" + rows);
        return parse_platform(
            "[topology]\nkind='ring'\nswitches=3\nhosts=1\n[routes]\nkind='file'\nfile='r.csv'\n"
            "[[failure]]\nfrom='s0'\nto='s1'\n",
            folder_.path("p.toml"));
    }
    std::string error(const std::string& rows) {
        const std::string message = error_of([&] { (void)platform(rows); });
        const std::string folder = folder_.path();
        return message.rfind(folder, 0) == 0 ? message.substr(folder.size()) : message;
    }
    temporary_folder folder_;
};

TEST_F(route_file, later_lines_are_about_less) {
    const platform_config made = platform("s0,all,1\ns0,h0,0\ns0,h2,1 2\n");
    EXPECT_EQ(plan_routes(made)[0], (switch_table{{0}, {1}, {1, 2}}));
    EXPECT_EQ(plan_routes(made)[1], (switch_table{{}, {}, {}}));
}

TEST_F(route_file, says_what_is_wrong) {
    EXPECT_EQ(error("s9,all,1\n"), "r.csv:2:1: switch \"s9\" is unknown");
    EXPECT_EQ(error("s0,h9,1\n"), "r.csv:2:4: host \"h9\" is unknown\n  all, or one of: h0 h1 h2");
    EXPECT_EQ(error("s0,all,3\n"), "r.csv:2:8: \"3\" is no port of s0\n  0 to 2");
    EXPECT_EQ(error("s0,all,\n"), "r.csv:2:8: 0 ports\n  1 to 16 ports, with blanks between");
    EXPECT_EQ(error("s0,all\n"),
              "r.csv:2:1: 2 fields where 3 belong\n  wanted: switch,destination,ports, for example: s0,h1,2");
}

// Legal, and told: packets circle until their hop limit is used up.
TEST_F(route_file, a_loop_is_found) {
    // Everything goes round clockwise for ever but what is for s0's host.
    const platform_config made = platform("s0,all,1\ns1,all,2\ns2,all,1\ns0,h0,0\n");
    const auto faults = find_route_faults(made, plan_routes(made));
    std::vector<std::string> said;
    for (const auto& fault : faults) said.push_back(describe(made, fault));
    EXPECT_THAT(said, ElementsAre("frames for h1 circle: s0 s1 s2", "no route leads to h1 from: s0 s1 s2",
                                  "frames for h2 circle: s0 s1 s2", "no route leads to h2 from: s0 s1 s2"));
}

TEST_F(route_file, a_flow_without_a_route_is_refused) {
    const platform_config made = platform("s0,h0,0\ns1,all,1\n");
    const std::string where = made.where("routes.kind");
    EXPECT_EQ(error_of([&] { check_reachable(made, plan_routes(made), 0, 1); }),
              where + ": h0 sends to h1, and s0 has no route there");
    EXPECT_EQ(error_of([&] { check_reachable(made, plan_routes(made), 1, 0); }), "no error");
    EXPECT_EQ(error_of([&] { check_reachable(made, {}, 0, 1); }), "no error");  // the scripts alone know
}

TEST(failures, are_judged_when_the_platform_is_read) {
    const auto with = [](const std::string& failure) {
        return testing::parse_error(std::string(leaf_spine) + "[[failure]]\n" + failure);
    };
    EXPECT_EQ(with("from='leaf0'\nto='spine1'\nat='1ms'\nrepair='2ms'\n"), "no error");
    EXPECT_EQ(with("from='leaf0'\nto='h1'\n"), "no error");
    EXPECT_EQ(with("from='leaf9'\nto='spine1'\n"),
              "p.toml:6:1: switch \"leaf9\" is unknown\n  from: the name of a switch");
    EXPECT_EQ(
        with("from='leaf0'\nto='h3'\n"),
        "p.toml:6:1: no cable leads from leaf0 to \"h3\"\n  to: a switch that is linked with it, or one of its hosts");
    EXPECT_EQ(with("from='leaf0'\nto='leaf1'\n"),
              "p.toml:6:1: 0 cables lead from leaf0 to leaf1\n  two switches that are linked");
    EXPECT_EQ(with("from='leaf0'\nto='spine1'\nnumber=1\n"),
              "p.toml:6:1: 1 cables lead from leaf0 to spine1\n  number 0 to 0");
    EXPECT_EQ(with("from='leaf0'\nto='spine1'\nat='2ms'\nrepair='1ms'\n"),
              "p.toml:10:8: the repair is not after the failure\n  later than `at`, or 0: never");
}

}  // namespace
}  // namespace weir::platforms
