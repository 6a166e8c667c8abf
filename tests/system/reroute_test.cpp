// SPDX-License-Identifier: Apache-2.0
// Routes that go down and up again after failures: the deadlock of a leaf–spine network.
//
// Four leaves under two spines. Without the cables leaf0–spine0 and leaf1–spine1 the shortest paths between leaf0 and
// leaf1 turn at leaf2 or leaf3: leaf0, spine1, leaf2, spine0, leaf1, and back leaf1, spine0, leaf3, spine1, leaf0. A
// queue waits for those that its frames need next. Of the queues between switches:
//
//   spine1→leaf2 for leaf2→spine0, with what leaf0 sends to leaf1
//   leaf2→spine0 for spine0→leaf3, with what leaf2 sends to leaf3
//   spine0→leaf3 for leaf3→spine1, with what leaf1 sends to leaf0
//   leaf3→spine1 for spine1→leaf2, with what leaf3 sends to leaf2
//
// which is a circle; the other is the same with leaf2 and leaf3 exchanged. There is no third: into leaf0 and leaf1
// nothing passes that leaves them again. With one cable or none missing no path goes up after it went down, and there
// is no circle at all.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>

#include "tests/conformance/conformance.h"
#include "tests/system/fabric.h"
#include "tests/system/in_child.h"

namespace weir::system_test {
namespace {

/// Four hosts a leaf; each sends to one of the leaf beside, 0 with 1 and 2 with 3, from when the routes have changed.
vp::run_result rerouted(const std::string& failures) {
    std::string flows = "start,source,destination,octets\n";
    for (const auto& [from, to] : {std::pair{0, 4}, {4, 0}, {8, 12}, {12, 8}}) {
        for (int h = 0; h < 4; ++h) flows += fmt::format("100us,h{},h{},16MiB\n", from + h, to + h);
    }
    vp::run_request request;
    request.observe = true;
    request.until = microseconds(5'000);
    return run_fabric(
        "[topology]\nkind='leaf_spine'\nleaves=4\nspines=2\nhosts=4\n[routes]\nkind='shortest_path'\ndelay='20us'\n" +
            failures + "[workload]\nkind='flows'\nfile='f.csv'\n",
        {{"f.csv", flows}}, request);
}

constexpr const char* one_cable = "[[failure]]\nfrom='leaf0'\nto='spine0'\nat='10us'\n";
constexpr const char* another_cable = "[[failure]]\nfrom='leaf1'\nto='spine1'\nat='10us'\n";

using queues = std::set<std::string>;  // switch.port

TEST(reroute, after_two_failures_leaves_the_circle_that_its_paths_make) {
    // A leaf's ports 4 and 5 lead to spine0 and spine1, a spine's port n to leaf n.
    const queues one{"spine1.2", "leaf2.4", "spine0.3", "leaf3.5"};
    const queues other{"spine1.3", "leaf3.4", "spine0.2", "leaf2.5"};
    const auto result = rerouted(std::string(one_cable) + another_cable);
    std::string standing;
    for (const auto& circle : result.seen->circles) {
        queues members;
        for (const auto& m : circle.members) {
            members.insert(fmt::format("{}.{}", m.chip, m.port));
            EXPECT_EQ(m.priority, 3U);
        }
        EXPECT_EQ(circle.members.size(), 4U);
        EXPECT_THAT(members, ::testing::AnyOf(one, other));
        if (!circle.stands_since) continue;
        EXPECT_GT(*circle.stands_since, microseconds(100));
        standing += fmt::format("{}, standing since {:.0f} us; ", fmt::join(members, " "),
                                static_cast<double>(circle.stands_since->count()) / 1e6);
    }
    EXPECT_NE(standing, "");
    conformance::row("X13", "reroute after two failures: paths down and up again close a circle of four, which stands",
                     standing);
}

TEST(reroute, around_one_failure_goes_up_and_down_and_never_waits_in_a_circle) {
    for (const char* failures : {"", one_cable}) {
        in_child([failures] {
            EXPECT_THAT(rerouted(failures).seen->circles, ::testing::IsEmpty());
            return 0;
        });
    }
}

}  // namespace
}  // namespace weir::system_test
