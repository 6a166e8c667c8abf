// SPDX-License-Identifier: Apache-2.0
// Collectives as flows: that every part gets where it belongs, whatever a flow's time.
#include "platforms/collectives.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/platforms/support.h"

namespace weir::platforms {
namespace {

using testing::error_of;
using testing::four_hosts;
using testing::parsed;

std::vector<flow> made(const std::string& workload) {
    return make_flows(parsed(std::string{four_hosts} + "[workload]\n" + workload));
}
std::string error(const std::string& workload) {
    return error_of([&] { (void)made(workload); });
}

/// Deliveries behind each other up to and including the last of flow `f`.
std::size_t depth(const std::vector<flow>& flows, std::uint32_t f) {
    std::size_t deepest = 0;
    for (const std::uint32_t other : flows[f].after) deepest = std::max(deepest, depth(flows, other));
    return deepest + 1;
}
std::size_t depth(const std::vector<flow>& flows) {
    std::size_t deepest = 0;
    for (std::uint32_t f = 0; f < flows.size(); ++f) deepest = std::max(deepest, depth(flows, f));
    return deepest;
}
std::uint64_t octets_from(const std::vector<flow>& flows, std::uint32_t host) {
    return std::accumulate(flows.begin(), flows.end(), std::uint64_t{0}, [host](std::uint64_t sum, const flow& f) {
        return sum + (f.source == host ? f.octets : 0);
    });
}

// On a ring each rank sends (n − 1)/n of the vector: n − 1 messages, each behind the one that came in before.
TEST(collectives, a_ring_passes_each_part_on) {
    for (const std::string kind : {"all_gather", "reduce_scatter"}) {
        const auto flows = made("kind='" + kind + "'\noctets=4000\n");
        ASSERT_EQ(flows.size(), 12U);
        EXPECT_EQ(depth(flows), 3U);
        for (std::uint32_t f = 0; f < flows.size(); ++f) {
            EXPECT_EQ(flows[f].destination, (flows[f].source + 1) % 4);
            EXPECT_EQ(flows[f].octets, 1000U);
            for (const std::uint32_t other : flows[f].after) EXPECT_EQ(flows[other].destination, flows[f].source);
            EXPECT_EQ(flows[f].after.empty(), depth(flows, f) == 1);
        }
    }
}

TEST(collectives, ring_all_reduce_goes_round_twice) {
    const auto flows = made("kind='ring_all_reduce'\noctets=4000\nranks=[3,1,0]\n");
    ASSERT_EQ(flows.size(), 3U * 2 * 2);
    EXPECT_EQ(depth(flows), 4U);
    EXPECT_EQ(flows[0].source, 3U);
    EXPECT_EQ(flows[0].destination, 1U);
    EXPECT_EQ(octets_from(flows, 2), 0U);
}

// 4003 octets over four ranks: parts of 1001, 1001, 1001, 1000. Reduce-scatter must leave part i with rank i, so rank i
// never sends it; the all-gather that follows must bring every part but its own to each rank, so rank i never sends
// part i + 1, which its right neighbour had first.
TEST(collectives, parts_differ_by_an_octet_and_none_is_lost) {
    const auto part = [](std::uint32_t i) { return i % 4 == 3 ? 1000U : 1001U; };
    const auto scattered = made("kind='reduce_scatter'\noctets=4003\n");
    const auto gathered = made("kind='all_gather'\noctets=4003\n");
    const auto both = made("kind='ring_all_reduce'\noctets=4003\n");
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(octets_from(scattered, rank), 4003U - part(rank));
        EXPECT_EQ(octets_from(gathered, rank), 4003U - part(rank + 1));
        EXPECT_EQ(octets_from(both, rank), 2 * 4003U - part(rank) - part(rank + 1));
    }
}

// Four ranks: 0 has the children 1 and 2, 1 has 3. Up and down are two branches each way, and a piece follows another.
TEST(collectives, a_tree_goes_up_and_down) {
    const auto flows = made("kind='tree_all_reduce'\noctets=4000\n");
    ASSERT_EQ(flows.size(), 6U);
    EXPECT_EQ(depth(flows), 4U);
    const auto pieces = made("kind='tree_all_reduce'\noctets=4000\npieces=5\n");
    ASSERT_EQ(pieces.size(), 30U);
    EXPECT_EQ(depth(pieces), 4U + 4);
    for (const flow& f : pieces) EXPECT_EQ(f.octets, 800U);
}

TEST(collectives, all_to_all_sends_a_part_to_everybody) {
    const auto at_once = made("kind='all_to_all'\noctets=4000\n");
    ASSERT_EQ(at_once.size(), 12U);
    EXPECT_EQ(depth(at_once), 1U);
    for (const flow& f : at_once) EXPECT_EQ(f.octets, 1000U);
    const auto shifted = made("kind='all_to_all'\noctets=4000\nexchange='shifted'\nstart='3us'\n");
    ASSERT_EQ(shifted.size(), 12U);
    EXPECT_EQ(depth(shifted), 3U);
    for (const flow& f : shifted) {
        EXPECT_EQ(f.start, microseconds(3));
        EXPECT_EQ(f.after.size(), f.after.empty() ? 0U : 2U);
    }
}

TEST(collectives, say_what_is_wrong) {
    EXPECT_EQ(error("kind='ring_all_reduce'\nranks=[2]\n"), "p.toml:8:7: a collective over 1 host\n  at least 2");
    EXPECT_EQ(error("kind='all_gather'\nranks=[2,'h2']\n"), "p.toml:8:7: host h2 is named twice");
    EXPECT_EQ(error("kind='all_gather'\nranks=[2,4]\n"), "p.toml:8:7: host \"4\" is unknown\n  one of: h0 h1 h2 h3");
    EXPECT_EQ(error("kind='all_to_all'\noctets=3\n"),
              "p.toml:8:8: octets 3 are too few for 4 parts\n  at least 1 for each");
    EXPECT_EQ(error("kind='tree_all_reduce'\noctets=3\npieces=4\n"),
              "p.toml:8:8: octets 3 are too few for 4 parts\n  at least 1 for each");
    EXPECT_EQ(error("kind='ring_all_reduce'\nrate='200G'\n"),
              "p.toml:8:6: rate 200G is more than the port of h0 carries\n  at most 100G");
}

}  // namespace
}  // namespace weir::platforms
