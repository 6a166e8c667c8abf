// SPDX-License-Identifier: Apache-2.0
// Networks: same seed, same digest, in whatever order things are listed and built; and what clocks that agree to the
// picosecond hide.
#include <fmt/format.h>

#include <algorithm>

#include "tests/system/fabric.h"
#include "tests/system/in_child.h"

namespace weir::system_test {
namespace {

constexpr const char* flow_list =
    "start,source,destination,octets\n0,a.h0,c.h0,256KiB\n0,a.h1,b.h1,256KiB\n0,b.h0,a.h0,256KiB\n"
    "1us,c.h1,a.h1,256KiB\n2us,c.h0,b.h0,256KiB\n";
constexpr const char* rest = "[routes]\nkind='shortest_path'\n[workload]\nkind='flows'\nfile='f.csv'\n";

std::string switch_of(const std::string& name, const std::vector<std::string>& peers) {
    std::string text = fmt::format("[[switch.{}.ports]]\ncount=2\nstart_jitter='1us'\nclock_spread=100\n", name);
    for (const auto& peer : peers) text += fmt::format("[[switch.{}.ports]]\npeer='{}'\n", name, peer);
    return text;
}

std::uint64_t digest_of(const std::string& toml, const std::function<void(platforms::platform_config&)>& change = {}) {
    return in_child([&] {
        const platforms::testing::temporary_folder folder;
        platforms::platform_config config = fabric(folder, toml, {{"f.csv", flow_list}});
        if (change) change(config);
        const auto result = run(config);
        for (const auto& f : result.flows) EXPECT_TRUE(f.finish);
        return std::stoull(result.digest, nullptr, 16);
    });
}

const std::string forwards =
    switch_of("a", {"b", "c"}) + switch_of("b", {"c", "a"}) + switch_of("c", {"a", "b"}) + rest;

TEST(network_determinism, the_order_in_the_file_changes_nothing) {
    const std::uint64_t first = digest_of(forwards);
    EXPECT_EQ(digest_of(forwards), first);
    EXPECT_EQ(digest_of(rest + switch_of("c", {"a", "b"}) + switch_of("a", {"b", "c"}) + switch_of("b", {"c", "a"})),
              first);
}

void reverse_hosts(platforms::platform_config& config) {
    std::reverse(config.hosts.begin(), config.hosts.end());
}
void reverse_links(platforms::platform_config& config) {
    std::reverse(config.links.begin(), config.links.end());
}
void reverse_switches(platforms::platform_config& config) {
    const auto last = static_cast<std::uint32_t>(config.switches.size() - 1);
    std::reverse(config.switches.begin(), config.switches.end());
    for (auto& link : config.links) {
        link.a.switch_index = last - link.a.switch_index;
        link.b.switch_index = last - link.b.switch_index;
    }
    for (auto& host : config.hosts) host.switch_index = last - host.switch_index;
}

TEST(network_determinism, the_order_of_construction_changes_nothing) {
    const std::uint64_t first = digest_of(forwards);
    EXPECT_EQ(digest_of(forwards, reverse_hosts), first);
    EXPECT_EQ(digest_of(forwards, reverse_links), first);
    EXPECT_EQ(digest_of(forwards, reverse_switches), first);
}

std::string one_way(int host_ppm, int port_ppm) {
    return fmt::format(
        "[[switch.s0.ports]]\n[[switch.s0.ports]]\nclock_ppm={}\n[host.h0]\nclock_ppm={}\n[routes]\nkind='shortest_"
        "path'"
        "\n[workload]\nkind='flows'\nfile='f.csv'\n",
        port_ppm, host_ppm);
}

/// Whether a line-rate flow through one switch was ever paused.
bool ever_paused(int host_ppm, int port_ppm, picoseconds until) {
    return in_child([&] {
        const platforms::testing::temporary_folder folder;
        platforms::load_options options;
        options.program = {"xoff=60", "xon=20"};
        vp::run_request request;
        request.until = until;
        const auto result = run(fabric(folder, one_way(host_ppm, port_ppm),
                                       {{"f.csv", "start,source,destination,octets\n0,h0,h1,1GiB\n"}}, options),
                                request);
        return result.hosts[0].pfc_received > 0;
    });
}

// One flow at line rate in and line rate out never waits, in lockstep. A sender 100 ppm fast and a port 100 ppm slow
// drift apart by a frame time in 1/200 ppm frames, and the queue grows by a frame each time: frames of 4158 octets are
// 17 cells and 334.24 ns at 100G, so the fourth frame, which makes 68 cells and crosses XOFF at 60, is there after 3 ·
// 334.24 ns / 200e-6 = 5.014 ms.
TEST(network_determinism, lockstep_hides_what_clocks_add_up_to) {
    const picoseconds expected = picoseconds{334'240} * 3 * 5000;
    EXPECT_FALSE(ever_paused(0, 0, microseconds(20'000)));
    EXPECT_FALSE(ever_paused(-100, 100, microseconds(20'000)));
    EXPECT_FALSE(ever_paused(100, -100, expected - expected / 100));
    EXPECT_TRUE(ever_paused(100, -100, expected + expected / 100));
}

struct peak_and_digest {
    std::uint64_t peak;
    std::uint64_t digest;
};

/// Eight senders, each at an eighth of the line, into one port.
peak_and_digest eight_to_one(const std::string& jitter, std::uint64_t seed) {
    return in_child([&] {
        const platforms::testing::temporary_folder folder;
        vp::run_request request;
        request.seed = seed;
        const auto result =
            run(fabric(folder, "[topology]\nkind='star'\nhosts=9\n[hosts]\nstart_jitter='" + jitter +
                                   "'\n[routes]\nkind='shortest_path'\n"
                                   "[workload]\nkind='incast'\nreceiver=8\noctets='400KiB'\nrate='12.5G'\n"),
                request);
        return peak_and_digest{result.switches[0].registers.value("queue.max.cells", {8, 3}),
                               std::stoull(result.digest, nullptr, 16)};
    });
}

// In lockstep all eight frames arrive in one instant, every time: seven of them, or all, wait. Starts that are spread
// over a period of 8 · 334 ns interleave.
TEST(network_determinism, lockstep_makes_every_frame_collide) {
    const auto lockstep = eight_to_one("0s", 1);
    EXPECT_GE(lockstep.peak, 7U * 17U);
    const auto first = eight_to_one("2.674us", 1);
    EXPECT_LE(first.peak, 6U * 17U);
    const auto second = eight_to_one("2.674us", 2);
    EXPECT_LE(second.peak, 6U * 17U);
    EXPECT_NE(first.digest, second.digest);
    EXPECT_EQ(eight_to_one("2.674us", 1).digest, first.digest);
}

}  // namespace
}  // namespace weir::system_test
