// SPDX-License-Identifier: Apache-2.0
// Which of several equal paths a flow takes, predicted from what docs/platforms.md says of ECMP and from nothing else.
#include <string_view>

#include "tests/system/fabric.h"

namespace weir::system_test {
namespace {

/// A step of splitmix64 with x ⊕ word as its state.
std::uint64_t mixed(std::uint64_t x, std::uint64_t word) {
    std::uint64_t y = (x ^ word) + 0x9e3779b97f4a7c15;
    y = (y ^ y >> 30) * 0xbf58476d1ce4e5b9;
    y = (y ^ y >> 27) * 0x94d049bb133111eb;
    return y ^ y >> 31;
}

std::uint32_t fnv_1a(std::string_view name) {
    std::uint32_t h = 0x811c9dc5;
    for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x01000193;
    return h;
}

std::uint32_t hash_of(std::uint32_t source, std::uint32_t destination, std::uint16_t source_port) {
    std::uint64_t x = mixed(0, std::uint64_t{source} << 32 | destination);
    x = mixed(x, 17);  // UDP
    x = mixed(x, std::uint64_t{source_port} << 16 | 4791);
    return static_cast<std::uint32_t>(x ^ x >> 32);
}

// Flows 0 to 11 from h0, 10.0.0.1, to h2, 10.0.1.1. The recipe, worked out by hand for flow 0: x is c919707875ba4220
// after the addresses, 4fd3143043cad91f after the protocol, 4ce3fbcd0d4cf483 after the ports 49152 and 4791; its halves
// give 41af0f4e. ⊕ a99b55ff, the seed of "leaf0", times 85ebca6b is 92ec91fb; 92ec modulo 3 is 1, spine1. Flow n has
// 2ⁿ frames, so that a port's count of frames tells which flows took it.
TEST(ecmp, takes_the_path_that_the_manual_lets_one_predict) {
    constexpr int flows = 12;
    ASSERT_EQ(hash_of(0x0a000001, 0x0a000101, 49'152), 0x41af0f4eU);
    ASSERT_EQ(fnv_1a("leaf0"), 0xa99b55ffU);
    std::array<std::uint64_t, 3> expected{};
    std::string list = "start,source,destination,octets\n";
    for (int n = 0; n < flows; ++n) {
        list += "0,h0,h2," + std::to_string(4096U << n) + "\n";
        const auto port = static_cast<std::uint16_t>(49'152 + n);
        const std::uint32_t chosen = (hash_of(0x0a000001, 0x0a000101, port) ^ fnv_1a("leaf0")) * 0x85ebca6bU;
        expected[(chosen >> 16) % 3] += 1U << n;
    }
    EXPECT_EQ(expected[1] & 1U, 1U);

    const auto result = run_fabric(
        "[topology]\nkind='leaf_spine'\nleaves=2\nspines=3\nhosts=2\n[routes]\nkind='shortest_path'\n"
        "[workload]\nkind='flows'\nfile='f.csv'\n",
        {{"f.csv", list}});
    for (std::uint32_t spine = 0; spine < 3; ++spine) {
        EXPECT_EQ(result.switches[0].registers.value("queue.frames.frames", {2 + spine, 3}), expected[spine]) << spine;
    }
}

}  // namespace
}  // namespace weir::system_test
