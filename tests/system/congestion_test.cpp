// SPDX-License-Identifier: Apache-2.0
// How PFC spreads congestion in a network: hop by hop, over flows that have no part in it, and unfairly.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/conformance/conformance.h"
#include "tests/system/fabric.h"
#include "tests/system/in_child.h"

namespace weir::system_test {
namespace {

constexpr double line_rate = 100e9;
constexpr double frame_cells = 17;

vp::run_result observed(const std::string& toml, const files& beside, picoseconds until) {
    const platforms::testing::temporary_folder folder;
    vp::run_request request;
    request.observe = true;
    request.until = until;
    // Many frames between XOFF and the resume point, so that whole frames do not decide who gets what.
    platforms::load_options options;
    options.program = {"xoff=1600", "xon=1500"};
    return run(fabric(folder, toml, beside, options), request);
}

/// Wire rate at which a host received data from the first frame to the last.
double rate_of(const vp::host_result& host) {
    const double time = static_cast<double>((*host.last_data - *host.first_data).count()) * 1e-12;
    return static_cast<double>(host.data_frames) * frame_bits / time;
}
double rate_of(const vp::flow_result& flow, picoseconds until) {
    return static_cast<double>(flow.delivered_octets) / 4096 * frame_bits /
           (static_cast<double>(until.count()) * 1e-12);
}

// M19: a chain of four; a sender at its head and one at its tail meet at the last switch. There each of the two groups
// fills with half a line; when it pauses, the next one up gets a line and may send half: it fills at the same
// pace.
TEST(congestion, a_pause_spreads_hop_by_hop) {
    const platforms::testing::temporary_folder folder;
    platforms::load_options options;
    options.program = {"xon=20"};  // short pauses: the mean is what fills
    network n(fabric(folder,
                     "[topology]\nkind='chain'\nswitches=4\nhosts=2\nlink_cable='3m'\n[routes]\nkind='shortest_path'\n"
                     "[workload]\nkind='flows'\nfile='f.csv'\n",
                     {{"f.csv", "start,source,destination,octets\n0,h0,h7,16MiB\n0,h6,h7,16MiB\n"}}, options));
    std::array<picoseconds, 4> first{};
    for (picoseconds t{0}; t < microseconds(120); t += nanoseconds(50)) {
        n.run_to(t);
        for (std::size_t s = 0; s < 4; ++s) {
            const std::uint32_t ingress = s == 0 ? 0 : 2;  // from the host, or from the switch before
            if (first[s] == picoseconds{0} && n.value(s, "pfc.tx_paused.priorities", {ingress}) != 0) first[s] = t;
        }
    }
    // 300 cells at half a line: 300 / 17 frames of 334.24 ns, twice.
    const double fill_us = 300 / frame_cells * frame_bits / (line_rate / 2) * 1e6;
    std::string measured;
    double before = 0;
    for (std::size_t hop = 0; hop < 4; ++hop) {
        const double at = static_cast<double>(first[3 - hop].count()) / 1e6;
        EXPECT_NEAR(at - before, fill_us, 0.3 * fill_us) << hop;
        measured += fmt::format("{:.1f} ", at);
        before = at;
    }
    conformance::row("M19", fmt::format("a hop further each {:.1f} us (XOFF over the surplus rate)", fill_us),
                     measured + "us");
}

// X11: four senders of one switch and three of the next fill one receiver; a fifth flow of the first switch goes to
// another receiver, which is idle. The receiver serves its four ingress ports alike, so the link between the switches
// gets a quarter of its line for that priority, and the five senders share it alike as long as all have work.
std::string two_switches(bool incast) {
    std::string flows = "start,source,destination,octets,rate\n";
    for (int h = 0; h < 4 && incast; ++h) flows += fmt::format("0,h{},h9,64MiB,100G\n", h);
    for (int h = 5; h < 8 && incast; ++h) flows += fmt::format("0,h{},h9,64MiB,100G\n", h);
    return flows + "0,h4,h8,64MiB,100G\n";
}

TEST(congestion, a_victim_has_no_part_in_it) {
    const std::string toml =
        "[topology]\nkind='chain'\nswitches=2\nhosts=5\nlink_cable='3m'\n[routes]\nkind='shortest_path'\n"
        "[workload]\nkind='flows'\nfile='f.csv'\n";
    const picoseconds until = microseconds(4'000);
    const double before = in_child([&] {
        const auto result = observed(toml, {{"f.csv", two_switches(false)}}, until);
        return rate_of(result.flows.back(), until);
    });
    EXPECT_NEAR(before, line_rate, 0.01 * line_rate);
    const auto result = observed(toml, {{"f.csv", two_switches(true)}}, until);
    const double after = rate_of(result.flows.back(), until);
    const double expected =
        line_rate / 4 / 4;  // of four equal shares of the receiver, as much as each of the four others
    EXPECT_NEAR(after, expected, 0.1 * expected);

    // The observer knows whose fault it is: the queue to h9, at the second switch's port 4.
    ASSERT_TRUE(result.seen);
    ASSERT_FALSE(result.seen->losses.empty());
    const vp::flow_loss& victim = result.seen->losses.front();
    EXPECT_EQ(victim.source, "h4");
    // Until the first pauses arrive it is one of five that want the link.
    EXPECT_GT(victim.foreign, victim.lost * 95 / 100);
    EXPECT_EQ(victim.worst, "s1.4 queue 3");
    for (std::size_t i = 1; i < result.seen->losses.size(); ++i) {
        EXPECT_EQ(result.seen->losses[i].foreign, picoseconds{0}) << result.seen->losses[i].source;
    }
    ASSERT_FALSE(result.seen->causes.empty());
    EXPECT_EQ(result.seen->causes.front().what, "congestion");
    EXPECT_EQ(result.seen->causes.front().chip, "s1");
    EXPECT_EQ(result.seen->causes.front().port, 4U);
    conformance::row("X11", "goodput of a flow to an idle receiver: 100 Gb/s alone, 6.25 beside an incast",
                     fmt::format("{:.2f}, {:.2f} Gb/s; lost to s1.4 queue 3", before / 1e9, after / 1e9));
    std::uint32_t links = 0;
    std::uint32_t hosts = 0;
    for (const auto& row : result.seen->spread) {
        links = std::max(links, row.links);
        hosts = std::max(hosts, row.hosts);
    }
    EXPECT_EQ(links, 1U);
    EXPECT_EQ(hosts, 8U);
    conformance::row("X12", "stopped: the link between the switches and all eight senders, one root",
                     fmt::format("{} link, {} hosts", links, hosts));
}

// M38: at the receiver's switch a host of its own has a port for itself, the others come through one: half for each
// port.
TEST(congestion, is_fair_to_ports_and_not_to_flows) {
    std::string flows = "start,source,destination,octets\n";
    for (int h = 0; h < 4; ++h) flows += fmt::format("0,h{},h8,64MiB\n", h);
    flows += "0,h4,h8,64MiB\n";
    const picoseconds until = microseconds(5'000);
    const auto result = observed(
        "[topology]\nkind='parking_lot'\nswitches=2\nhosts=4\nlink_cable='3m'\n[routes]\nkind='shortest_path'\n"
        "[workload]\nkind='flows'\nfile='f.csv'\n",
        {{"f.csv", flows}}, until);
    EXPECT_NEAR(rate_of(result.hosts[8]), line_rate, 0.01 * line_rate);
    std::string measured;
    for (int f = 0; f < 5; ++f) {
        const double share = rate_of(result.flows[static_cast<std::size_t>(f)], until) / line_rate;
        const double expected = f == 4 ? 0.5 : 0.125;
        EXPECT_NEAR(share, expected, 0.05 * expected) << f;
        measured += fmt::format("{:.3f} ", share);
    }
    conformance::row("M38", "shares 1/8 1/8 1/8 1/8 through one port, 1/2 through a port of its own", measured);
}

// F17 and S2's rule Kmax < XOFF − XON: it compares an egress queue with an ingress group.
TEST(congestion, queues_and_groups_are_not_each_other) {
    const std::string marking = std::string(fabric_script) +
                                "wred profile 1 green min 100 max 150 probability 100%\n"
                                "interface 0-${last_port}\nqueue 3 wred profile 1 ecn\nexit\n";
    // One ingress that feeds four queues of 10G: each holds a quarter of the group, below Kmin, when the group pauses.
    struct counts {
        std::uint64_t pauses;
        std::uint64_t marked;
        std::uint64_t peak;
    };
    const counts one_to_four = in_child([&] {
        std::string flows = "start,source,destination,octets,ecn,rate\n";
        for (int h = 1; h <= 4; ++h) flows += fmt::format("0,h0,h{},1MiB,ect0,25G\n", h);
        vp::run_request request;
        const auto result = run_fabric(
            "[[switch.s0.ports]]\nrate='100G'\n[[switch.s0.ports]]\ncount=4\nrate='10G'\n[routes]\nkind='shortest_path'"
            "\n"
            "[workload]\nkind='flows'\nfile='f.csv'\n",
            {{"f.csv", flows}, {"switch.cfg", marking}}, request);
        counts c{result.hosts[0].pfc_received, 0, 0};
        for (const auto& f : result.flows) c.marked += f.marked_frames;
        for (std::uint32_t p = 1; p <= 4; ++p) {
            c.peak = std::max(c.peak, result.switches[0].registers.value("queue.max.cells", {p, 3}));
        }
        return c;
    });
    EXPECT_GT(one_to_four.pauses, 0U);
    EXPECT_EQ(one_to_four.marked, 0U);
    EXPECT_LT(one_to_four.peak, 100U);
    // Four that feed one: the queue stands at four times XOFF when the groups pause.
    const counts four_to_one = in_child([&] {
        std::string flows = "start,source,destination,octets,ecn\n";
        for (int h = 1; h <= 4; ++h) flows += fmt::format("0,h{},h0,1MiB,ect0\n", h);
        const auto result = run_fabric(
            "[[switch.s0.ports]]\ncount=5\n[routes]\nkind='shortest_path'\n[workload]\nkind='flows'\nfile='f.csv'\n",
            {{"f.csv", flows}, {"switch.cfg", marking}});
        counts c{result.hosts[1].pfc_received, 0, result.switches[0].registers.value("queue.max.cells", {0, 3})};
        for (const auto& f : result.flows) c.marked += f.marked_frames;
        return c;
    });
    EXPECT_GT(four_to_one.pauses, 0U);
    EXPECT_GT(four_to_one.marked, 0U);
    EXPECT_GE(four_to_one.peak, 4U * 300U);
    conformance::row(
        "F17",
        "XOFF 300, Kmin 100: one ingress into four queues pauses with every queue below Kmin; four into one "
        "queue pause at 4·XOFF",
        fmt::format("{} pauses, {} marked, peak {} cells; peak {} cells", one_to_four.pauses, one_to_four.marked,
                    one_to_four.peak, four_to_one.peak));
}

// X15: the ring of ring3 with sixteen hosts a switch, two for each class, and 0.6 of the line a class. A class that
// freezes keeps its own cells only: with two lossless classes the six others go on, with eight nothing does.
TEST(congestion, everything_lossless_freezes_everything) {
    const auto delivered_late = [](const char* lossless, const char* lossy) {
        return in_child([&] {
            const platforms::testing::temporary_folder folder;
            std::string script = "pool create lossless ingress size 30000 cells\n";
            for (int p = 0; p < 8; ++p) script += fmt::format("map dscp {} tc {}\nmap tc {} pg {}\n", 8 * p, p, p, p);
            script += fmt::format(
                "interface 0-${{last_port}}\nmac ${{mac}}\nmtu 1518\n{}pfc enable priority {}\npfc pause-threshold "
                "200\n"
                "pfc resume-threshold 40\npfc headroom 42 cells\nno shutdown\nexit\n",
                lossy, lossless);
            std::string flows = "start,source,destination,octets,dscp,frame,transport,rate\n";
            for (int at = 0; at < 3; ++at) {
                for (int h = 0; h < 16; ++h) {
                    const int priority = h % 8;
                    flows += fmt::format("0,s{}.h{},s{}.h{},15180000,{},1518,udp,3G\n", at, h, (at + 2) % 3, h,
                                         8 * priority);
                }
            }
            std::string ring;
            std::string routes = "switch,destination,ports\n";
            for (int i = 0; i < 3; ++i) {
                ring += fmt::format(
                    "[[switch.s{0}.ports]]\ncount=16\nrate='10G'\n[[switch.s{0}.ports]]\nrate='10G'\npeer='s{1}'\n"
                    "[[switch.s{0}.ports]]\nrate='10G'\npeer='s{2}'\n",
                    i, (i + 1) % 3, (i + 2) % 3);
                routes += fmt::format("s{},all,16\n", i);
                for (int p = 0; p < 16; ++p) routes += fmt::format("s{0},s{0}.h{1},{1}\n", i, p);
            }
            network n(fabric(folder,
                             "[switches]\ncell_octets=128\n" + ring +
                                 "[routes]\nkind='file'\nfile='r.csv'\n[workload]\nkind='flows'\nfile='f.csv'\n",
                             {{"r.csv", routes}, {"f.csv", flows}, {"switch.cfg", script}}));
            const auto delivered = [&n] {
                std::uint64_t frames = 0;
                for (std::size_t h = 0; h < 48; ++h) frames += n.machine.host(h).arrived().frames;
                return frames;
            };
            n.run_to(microseconds(5'000));
            const std::uint64_t early = delivered();
            n.run_to(microseconds(8'000));
            return delivered() - early;
        });
    };
    const std::uint64_t two = delivered_late("3-4", "pg 0-2,5-7 limit 200\nqueue 0-2,5-7 limit 200\n");
    const std::uint64_t eight = delivered_late("0-7", "");
    EXPECT_GT(two, 1000U);
    EXPECT_EQ(eight, 0U);
    conformance::row("X15",
                     "frames delivered in 3 ms after the freeze: some with two lossless classes, none with eight",
                     fmt::format("{}, {}", two, eight));
}

}  // namespace
}  // namespace weir::system_test
