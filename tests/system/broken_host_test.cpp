// SPDX-License-Identifier: Apache-2.0
// Hosts that harm a network: a NIC that storms with pauses, with and without a watchdog, and a receiver that is too
// slow.
#include <fmt/format.h>

#include "tests/conformance/conformance.h"
#include "tests/system/fabric.h"
#include "tests/system/in_child.h"

namespace weir::system_test {
namespace {

constexpr picoseconds milliseconds(std::int64_t n) {
    return microseconds(1000 * n);
}

/// Two leaves under one spine, 10G. h3 storms from 1 ms on for 600 ms. h0 sends to it at 4 Gb/s; h1 sends at 1 Gb/s to
/// h2, which is well: the victim.
constexpr const char* storm_network =
    "[topology]\nkind='leaf_spine'\nleaves=2\nspines=1\nhosts=2\nhost_rate='10G'\nlink_rate='10G'\n"
    "[routes]\nkind='shortest_path'\n[host.h3]\nstorm_priorities=8\nstorm_start='1ms'\nstorm_duration='600ms'\n"
    "storm_interval='1ms'\n[workload]\nkind='flows'\nfile='f.csv'\n";
const files storm_flows{{"f.csv", "start,source,destination,octets,rate\n0,h0,h3,1GiB,4G\n0,h1,h2,1GiB,1G\n"}};

struct storm_rates {
    double before;  ///< of the victim, in bits a second on the wire
    double during;
    double late;  ///< still in the storm, between a watchdog's detection and its first attempt to recover
    double culprit_after;
};

/// `watchdog`: more lines for the switch that the storming host is plugged into. Only there: further up, a watchdog
/// would see the same pause for as long, and throw the victim's frames away.
storm_rates run_storm(const std::string& watchdog) {
    return in_child([&] {
        const platforms::testing::temporary_folder folder;
        files beside = storm_flows;
        beside["watched.cfg"] = fabric_script + watchdog;
        network n(fabric(folder, storm_network + std::string("[switch.leaf1]\nprogram='watched.cfg'\n"), beside));
        for (auto& driver : n.drivers) driver->keep_serving();
        const auto frames = [&n](std::size_t host) { return n.machine.host(host).arrived().frames; };
        std::uint64_t last = 0;
        const auto rate = [&](std::size_t host, picoseconds from, picoseconds to) {
            n.run_to(from);
            last = frames(host);
            n.run_to(to);
            return static_cast<double>(frames(host) - last) * frame_bits /
                   (static_cast<double>((to - from).count()) * 1e-12);
        };
        storm_rates r{};
        r.before = rate(2, microseconds(200), microseconds(1'000));
        r.during = rate(2, milliseconds(20), milliseconds(150));
        r.late = rate(2, milliseconds(310), milliseconds(400));
        r.culprit_after = rate(3, milliseconds(1'100), milliseconds(1'200));
        return r;
    });
}

TEST(pause_storm, freezes_what_shares_a_link_with_it) {
    const storm_rates without = run_storm("");
    EXPECT_NEAR(without.before, 1e9, 0.05e9);
    EXPECT_EQ(without.during, 0);
    EXPECT_EQ(without.late, 0);

    // Ticks of 100 ms: two to three from the storm's begin to detection, 201 to 301 ms, and two more to the first
    // attempt to recover, 401 ms at the earliest. The one in hardware throws away what is queued. The zero-buffer
    // profile of the one in software would leave that where it is, and with it the groups full that hold it.
    const storm_rates with = run_storm(
        "interface 0-1\npfcwd hardware granularity 100\n"
        "pfcwd hardware queue 3 action drop detection-time 200 recovery-time 200\nexit\n");
    EXPECT_NEAR(with.before, 1e9, 0.05e9);
    EXPECT_EQ(with.during, 0);
    EXPECT_NEAR(with.late, 1e9, 0.02e9);
    EXPECT_NEAR(with.culprit_after, 4e9, 0.1e9);
    for (const char* id : {"M37", "X14"}) {
        conformance::row(
            id, "one NIC pauses at its port: the victim's goodput goes from 1 Gb/s to 0; with a watchdog back to 1",
            fmt::format("{:.2f}, {:.2f}, {:.2f} Gb/s; after the storm the queue is restored: {:.2f} of 4 Gb/s",
                        without.before / 1e9, without.late / 1e9, with.late / 1e9, with.culprit_after / 1e9));
    }
}

TEST(pause_storm, is_found_as_the_root_of_all_pauses) {
    const platforms::testing::temporary_folder folder;
    vp::run_request request;
    request.observe = true;
    request.until = milliseconds(20);
    const auto result = run(fabric(folder, storm_network, storm_flows), request);
    ASSERT_TRUE(result.seen);
    ASSERT_FALSE(result.seen->causes.empty());
    EXPECT_EQ(result.seen->causes.front().what, "host");
    EXPECT_EQ(result.seen->causes.front().chip, "h3");
    ASSERT_FALSE(result.seen->losses.empty());
    EXPECT_EQ(result.seen->losses.front().source, "h1");
    EXPECT_EQ(result.seen->losses.front().worst, "h3");
    EXPECT_GT(result.seen->losses.front().foreign, milliseconds(15));
}

vp::run_result slow(const std::string& keys, std::uint32_t mebibytes) {
    return run_fabric(
        "[topology]\nkind='star'\nhosts=2\n[routes]\nkind='shortest_path'\n[host.h1]\nreceive_rate='10G'\n" + keys +
            "[workload]\nkind='flows'\nfile='f.csv'\n",
        {{"f.csv", fmt::format("start,source,destination,octets\n0,h0,h1,{}MiB\n", mebibytes)}});
}

// A buffer of 256 KiB that drains at 10 Gb/s sets the pace once it is full: 16 MiB of payload are 4096 frames of 4158
// octets, of which all but what the buffer holds at the end must have drained.
TEST(slow_receiver, sets_the_pace_and_loses_nothing) {
    const auto result = slow("receive_buffer='256KiB'\nreceive_xoff='128KiB'\nreceive_xon='64KiB'\n", 16);
    EXPECT_EQ(result.hosts[1].overruns, 0U);
    ASSERT_TRUE(result.flows[0].finish);
    const double octets = 4096.0 * 4158;
    const double least = (octets - 256 * 1024) * 8 / 10e9;
    const double most = (octets - 64 * 1024) * 8 / 10e9;
    const double took = static_cast<double>(result.flows[0].finish->count()) * 1e-12;
    EXPECT_GE(took, least);
    EXPECT_LE(took, most + 1e-6);
    EXPECT_GT(result.hosts[0].paused[3], microseconds(1'000));
}

// One that does not pause loses what comes above its rate: of 100 Gb/s on the wire, 99.52 are frames, a tenth of which
// it takes.
TEST(slow_receiver, that_does_not_pause_loses_what_it_cannot_take) {
    const auto result = slow("receive_buffer='64KiB'\nreceive_xoff=0\n", 16);
    const double arrived = 4096;
    const double kept = (64.0 * 1024 + 10e9 / 8 * (arrived * frame_bits / 100e9)) / 4158;
    EXPECT_NEAR(static_cast<double>(result.hosts[1].overruns), arrived - kept, 2.0);
    EXPECT_EQ(result.flows[0].lost_frames, result.hosts[1].overruns);
}

TEST(slow_receiver, is_judged_when_the_platform_is_read) {
    const auto error = [](const std::string& keys) {
        return platforms::testing::parse_error("[topology]\nkind='star'\n[host.h1]\nreceive_rate='10G'\n" + keys);
    };
    EXPECT_EQ(error("receive_buffer='64KiB'\n"),
              "p.toml: host h1 pauses at 524288 octets, which its buffer does not hold\n"
              "  65536 at most: receive_buffer");
    EXPECT_EQ(error("receive_xon='600KiB'\n"),
              "p.toml:5:13: host h1 lets go at 614400 octets\n  less than receive_xoff, 524288");
}

}  // namespace
}  // namespace weir::system_test
