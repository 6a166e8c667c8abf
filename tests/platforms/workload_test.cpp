// SPDX-License-Identifier: Apache-2.0
// Workloads: generators, flow lists, the HPCC simulator's files, and what is wrong with them.
#include "platforms/workload.h"

#include <gmock/gmock.h>

#include "platforms/hpcc.h"
#include "tests/platforms/support.h"

namespace weir::platforms {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using testing::four_hosts;
using testing::parsed;
using testing::temporary_folder;

std::vector<flow> generated(const std::string& workload) {
    return make_flows(parsed(std::string{four_hosts} + "[workload]\n" + workload));
}
std::string generator_error(const std::string& workload) {
    return error_of([&] { (void)generated(workload); });
}

TEST(workload, incast_sends_from_all_others_by_default) {
    const auto flows = generated("kind='incast'\nreceiver=2\noctets='16MiB'\nframe=1024\necn='ect0'\nstart='3us'");
    ASSERT_EQ(flows.size(), 3U);
    EXPECT_EQ(flows[2].source, 3U);
    for (const auto& f : flows) {
        EXPECT_EQ(f.destination, 2U);
        EXPECT_EQ(f.octets, 16U << 20);
        EXPECT_EQ(f.priority, 3);
        EXPECT_EQ(f.dscp, 24);
        EXPECT_EQ(f.payload, 1024U);
        EXPECT_EQ(f.congestion, ethernet::ecn::ect0);
        EXPECT_EQ(f.start, microseconds(3));
        EXPECT_EQ(f.rate, 0);
    }
}

TEST(workload, permutation_shifts) {
    const auto flows = generated("kind='permutation'\nshift=3\npriority=1\ndscp=9\nrate='25G'");
    ASSERT_EQ(flows.size(), 4U);
    EXPECT_EQ(flows[0].destination, 3U);
    EXPECT_EQ(flows[1].destination, 0U);
    EXPECT_EQ(flows[3].destination, 2U);
    EXPECT_EQ(flows[0].dscp, 9);
    EXPECT_EQ(flows[0].rate, 25'000'000'000);
}

TEST(workload, generators_say_what_is_wrong) {
    EXPECT_EQ(generator_error("kind='incast'\nsenders=[1, 9]"),
              "p.toml:8:9: host \"9\" is unknown\n  one of: h0 h1 h2 h3");
    EXPECT_EQ(generator_error("kind='incast'\nreceiver='h4'"),
              "p.toml:8:10: host \"h4\" is unknown\n  one of: h0 h1 h2 h3");
    EXPECT_EQ(generator_error("kind='incast'\nsenders=[0]"), "p.toml:8:9: host h0 is the receiver and a sender");
    EXPECT_EQ(generator_error("kind='incast'\nsenders=[1,'h1']"), "p.toml:8:9: host h1 is named twice");
    EXPECT_EQ(generator_error("kind='permutation'\nshift=4"),
              "p.toml:8:7: shift 4 makes 4 hosts send to themselves\n  1 to 3");
    EXPECT_EQ(generator_error("kind='permutation'\nrate='101G'"),
              "p.toml:8:6: rate 101G is more than the port of h0 carries\n  at most 100G");
    EXPECT_EQ(error_of([] { (void)make_flows(parsed("[[switch.s0.ports]]\nrate='1G'\n[workload]\nkind='incast'\n")); }),
              "p.toml:4:6: this workload needs two hosts\n  the platform has 1");
}

TEST(workload, incast_can_come_again) {
    const auto flows = generated("kind='incast'\nsenders=[3,1]\nperiod='10us'\nrepetitions=2\nstart='1us'");
    ASSERT_EQ(flows.size(), 4U);
    EXPECT_EQ(flows[0].source, 3U);
    EXPECT_EQ(flows[1].start, microseconds(1));
    EXPECT_EQ(flows[2].start, microseconds(11));
    EXPECT_EQ(generator_error("kind='incast'\nrepetitions=2"),
              "p.toml:8:13: 2 repetitions at the same time\n  period = \"100us\" in [workload]");
}

TEST(workload, several_hosts_replay_captures) {
    const temporary_folder folder;
    folder.write("a.pcap", "");
    folder.write("b.pcapng", "");
    const std::string text = std::string{four_hosts} +
                             "[workload]\nkind='incast'\n[[replay]]\nfile='a.pcap'\nport='h3'\n"
                             "[[replay]]\nfile='b.pcapng'\nport=1\nspeed=2\nfcs_included=true\n";
    const auto platform = parse_platform(text, folder.path("p.toml"));
    const auto made = make_replays(platform);
    ASSERT_EQ(made.size(), 2U);
    EXPECT_EQ(made[0].host, 3U);
    EXPECT_EQ(made[0].file, folder.path("a.pcap"));
    EXPECT_EQ(made[0].speed, 1.0);
    EXPECT_FALSE(made[0].fcs_included);
    EXPECT_EQ(made[1].host, 1U);
    EXPECT_EQ(made[1].speed, 2.0);
    EXPECT_EQ(made[1].fcs_included, true);
    EXPECT_EQ(make_flows(platform).size(), 3U);

    const auto bad = [&](const std::string& more) {
        const std::string message =
            error_of([&] { (void)make_replays(parse_platform(four_hosts + more, folder.path("p.toml"))); });
        return message.substr(folder.path().size());
    };
    EXPECT_EQ(bad("[[replay]]\nfile='a.pcap'\n[[replay]]\nfile='b.pcapng'\nport='h0'\n"),
              "p.toml:10:6: host h0 replays two captures\n  one a host");
    EXPECT_EQ(bad("[[replay]]\nport=1\n"), "p.toml:6:1: a replay needs a file\n  file = \"…\"");
    EXPECT_EQ(bad("[[replay]]\nfile='a.pcap'\nport=9\n"), "p.toml:8:6: host \"9\" is unknown\n  one of: h0 h1 h2 h3");
}

TEST(workload, a_capture_names_its_port) {
    const temporary_folder folder;
    const std::string file = folder.write("a.pcap", "");
    load_options options;
    options.workload_file = file;
    options.hardware = {"workload.port=h2", "workload.speed=0"};
    const auto made = make_replays(parsed(four_hosts, options));
    ASSERT_EQ(made.size(), 1U);
    EXPECT_EQ(made[0].host, 2U);
    EXPECT_EQ(made[0].speed, 0.0);
    EXPECT_EQ(made[0].file, file);
    options.hardware = {"workload.port=h7"};
    EXPECT_EQ(error_of([&] { (void)make_replays(parsed(four_hosts, options)); }),
              "--hw workload.port=h7: host \"h7\" is unknown\n  one of: h0 h1 h2 h3");
    EXPECT_TRUE(make_replays(parsed(four_hosts)).empty());
}

class flow_list : public ::testing::Test {
protected:
    std::vector<flow> read(const std::string& text) {
        return read_flow_list(folder_.write("f.csv", text), parsed(four_hosts));
    }
    /// The message without the folder in front.
    std::string error(const std::string& text) {
        const std::string message = error_of([&] { (void)read(text); });
        const std::string folder = folder_.path();
        return message.rfind(folder, 0) == 0 ? message.substr(folder.size()) : message;
    }

    std::string here() const { return folder_.path(); }

private:
    temporary_folder folder_;
};

TEST_F(flow_list, reads_columns_in_any_order_and_sorts_by_start) {
    const auto flows = read(
        "# made by hand\n"
        "source,destination,octets,start,priority,dscp,rate,frame,ecn\n"
        "\n"
        "h1, 2, 64KiB, 3us, , 26, 25G, 1024, ect1\n"
        "0,3,1,0,5,,,,\n");
    ASSERT_EQ(flows.size(), 2U);
    EXPECT_EQ(flows[0].destination, 3U);
    EXPECT_EQ(flows[0].priority, 5);
    EXPECT_EQ(flows[0].dscp, 40);
    EXPECT_EQ(flows[0].rate, 0);
    EXPECT_EQ(flows[0].payload, 4096U);
    EXPECT_EQ(flows[1].source, 1U);
    EXPECT_EQ(flows[1].start, microseconds(3));
    EXPECT_EQ(flows[1].octets, 65'536U);
    EXPECT_EQ(flows[1].dscp, 26);
    EXPECT_EQ(flows[1].priority, 3);
    EXPECT_EQ(flows[1].rate, 25'000'000'000);
    EXPECT_EQ(flows[1].payload, 1024U);
    EXPECT_EQ(flows[1].congestion, ethernet::ecn::ect1);
}

TEST_F(flow_list, udp_frames_have_exactly_the_length_that_is_asked_for) {
    const auto flows = read("start,source,destination,octets,frame,transport\n0,0,1,6500,65,udp\n0,0,1,1,,\n");
    ASSERT_EQ(flows.size(), 2U);
    EXPECT_TRUE(flows[0].plain_udp);
    EXPECT_EQ(flows[0].payload, 65U);
    EXPECT_FALSE(flows[1].plain_udp);
    const auto bad = [&](const std::string& row) {
        return error("start,source,destination,octets,frame,transport\n" + row + "\n");
    };
    EXPECT_EQ(bad("0,0,1,6500,63,udp"), "f.csv:2:12: frame \"63\" is out of range\n  64 to 15936");
    EXPECT_EQ(bad("0,0,1,6501,65,udp"), "f.csv:2:7: octets \"6501\" is no whole number of frames\n  a multiple of 65");
    EXPECT_EQ(bad("0,0,1,64,64,tcp"), "f.csv:2:13: transport \"tcp\" is unknown\n  one of: rocev2 udp");
}

TEST_F(flow_list, says_what_is_wrong_with_its_header) {
    EXPECT_EQ(error(""), "f.csv:1:1: holds no header\n  start,source,destination,octets,…");
    EXPECT_EQ(error("start,source,destination,octest\n"),
              "f.csv:1:26: unknown column \"octest\"\n  did you mean \"octets\"?");
    EXPECT_EQ(error("start,source,octets\n"),
              "f.csv:1:1: column \"destination\" is missing\n  needed: start source destination octets");
    EXPECT_EQ(error("start,start\n"), "f.csv:1:7: column \"start\" stands here twice");
    EXPECT_EQ(error("start,source,destination,octets\n"), "f.csv: holds no flows");
    EXPECT_EQ(error(std::string("start,\0source\n", 14)), "f.csv:1:7: octet 0x00 is no text\n  wanted: a text file");
    EXPECT_EQ(error(std::string(16'385, 's')), "f.csv:1:1: a line of 16385 octets\n  at most 16384");
}

TEST_F(flow_list, says_what_is_wrong_with_a_flow) {
    const auto bad = [&](const std::string& row) {
        return error("start,source,destination,octets,priority,rate,frame\n" + row + "\n");
    };
    EXPECT_EQ(bad("0,0,9,1,3,,"), "f.csv:2:5: host \"9\" is unknown\n  one of: h0 h1 h2 h3");
    EXPECT_EQ(bad("0,bob,1,1,3,,"), "f.csv:2:3: host \"bob\" is unknown\n  one of: h0 h1 h2 h3");
    EXPECT_EQ(bad("0,1,h1,1,3,,"), "f.csv:2:5: host h1 would send to itself");
    EXPECT_EQ(bad("0,0,1,0,3,,"), "f.csv:2:7: the flow has no octets\n  at least 1");
    EXPECT_EQ(bad("0,0,1,lots,3,,"), "f.csv:2:7: octets \"lots\" is no size\n  4096, 64KiB, 16MiB, 10MB");
    EXPECT_EQ(bad("-1us,0,1,1,3,,"), "f.csv:2:1: start \"-1us\" is negative\n  flows start at 0 or later");
    EXPECT_EQ(bad("5,0,1,1,3,,"), "f.csv:2:1: start \"5\" is no time\n  0, 100ns, 1.5us, 3ms, 2s");
    EXPECT_EQ(bad("0,0,1,1,8,,"), "f.csv:2:9: priority \"8\" is out of range\n  0 to 7");
    EXPECT_EQ(bad("0,0,1,1,3,200G,"), "f.csv:2:11: rate \"200G\" is more than the port of h0 carries\n  at most 100G");
    EXPECT_EQ(bad("0,0,1,1,3,,3"), "f.csv:2:12: frame \"3\" is out of range\n  4 to 15936");
    EXPECT_EQ(bad("0,0,1,1"), "f.csv:2:1: 4 fields, but the header has 7");
}

TEST_F(flow_list, flows_wait_for_others_by_name) {
    const auto flows = read(
        "start,source,destination,octets,id,after,delay\n"
        "3us,0,1,1,late,,\n"
        ",1,2,1,x,late; y,1.5us\n"
        "2us,2,3,1,y,,\n");
    ASSERT_EQ(flows.size(), 3U);
    EXPECT_EQ(flows[0].id, "x");  // sorted by the earliest start; who waits for whom goes along
    EXPECT_EQ(flows[0].start, picoseconds{0});
    EXPECT_EQ(flows[0].after, (std::vector<std::uint32_t>{2, 1}));
    EXPECT_EQ(flows[0].delay, nanoseconds(1500));
    EXPECT_EQ(flows[1].id, "y");
    EXPECT_TRUE(flows[1].after.empty());
}

TEST_F(flow_list, says_what_is_wrong_with_dependencies) {
    const auto bad = [&](const std::string& rows) {
        return error("start,source,destination,octets,id,after,delay\n" + rows);
    };
    EXPECT_EQ(bad("0,0,1,1,a,,\n0,0,1,1,b,nobody,\n"),
              "f.csv:3:11: flow \"nobody\" is unknown\n  2 flows have names: a b");
    EXPECT_EQ(bad("0,0,1,1,first,,\n0,0,1,1,b,frist,\n"),
              "f.csv:3:11: flow \"frist\" is unknown\n  did you mean \"first\"?");
    EXPECT_EQ(error("start,source,destination,octets,after\n0,0,1,1,a\n"),
              "f.csv:2:9: flow \"a\" is unknown\n  a name of the column id");
    EXPECT_EQ(bad("0,0,1,1,a,,\n0,0,1,1,a,,\n"),
              "f.csv:3:9: id \"a\" is taken\n  it stands at " + here() + "f.csv:2:9");
    EXPECT_EQ(bad("0,0,1,1,a b,,\n"),
              "f.csv:2:9: id \"a b\" has a blank or a semicolon in it\n  those separate ids in the column after");
    EXPECT_EQ(bad("0,0,1,1,a,a,\n"),
              "f.csv:2:11: flows wait for each other: a a\n"
              "  each after the one that follows; one of them has to start by itself");
    // d waits for the circle without being in it.
    EXPECT_EQ(bad("0,0,1,1,d,a,\n0,0,1,1,a,c,\n0,0,1,1,b,a,\n0,0,1,1,c,b,\n0,0,1,1,e,,\n"),
              "f.csv:3:11: flows wait for each other: a c b a\n"
              "  each after the one that follows; one of them has to start by itself");
    EXPECT_EQ(bad("0,0,1,1,a,,\n0,0,1,1,b,a a,\n"), "f.csv:3:11: flow \"a\" is named twice");
    EXPECT_EQ(bad("0,0,1,1,a,,\n0,0,1,1,b,a,-1us\n"), "f.csv:3:13: delay \"-1us\" is negative\n  0 or later");
    EXPECT_EQ(bad("0,0,1,1,a,,2\n"),
              "f.csv:2:12: delay \"2\" follows nothing\n  ids in the column after; else put it into start");
    EXPECT_EQ(bad("0,0,1,1,a,,\n0,0,1,1,b,a,2\n"), "f.csv:3:13: delay \"2\" is no time\n  0, 100ns, 1.5us, 3ms, 2s");
    EXPECT_EQ(bad(",0,1,1,a,,\n"), "f.csv:2:1: start \"\" is no time\n  0, 100ns, 1.5us, 3ms, 2s");
}

class hpcc : public ::testing::Test {
protected:
    std::vector<flow> flows(const std::string& text, const std::string& platform = four_hosts) {
        return read_hpcc_flows(folder_.write("flow.txt", text), parse_platform(platform, folder_.path("p.toml")));
    }
    std::string without_folder(const std::string& message) const {
        const std::string folder = folder_.path();
        return message.rfind(folder, 0) == 0 ? message.substr(folder.size()) : message;
    }
    std::string flow_error(const std::string& text) {
        return without_folder(error_of([&] { (void)flows(text); }));
    }
    std::string topology_error(const std::string& text) {
        return without_folder(error_of([&] { (void)read_hpcc_topology(folder_.write("topology.txt", text)); }));
    }
    temporary_folder folder_;
};

TEST_F(hpcc, reads_flows) {
    const auto got = flows("2\n2 0 3 100 1000000 2.000000001\n0 1 4 100 1 2.0\n");
    ASSERT_EQ(got.size(), 2U);
    EXPECT_EQ(got[0].start, picoseconds{2'000'000'000'000});
    EXPECT_EQ(got[0].priority, 4);
    EXPECT_EQ(got[1].start, picoseconds{2'000'000'001'000});
    EXPECT_EQ(got[1].source, 2U);
    EXPECT_EQ(got[1].octets, 1'000'000U);
    EXPECT_EQ(got[1].dscp, 24);
}

// The simulator reads as many lines as the first one promises. Its own flow.txt promises 2, lists 256, and explains the
// format at the end.
TEST_F(hpcc, ignores_what_stands_behind_the_promised_flows) {
    const auto got = flows("2\n2 1 3 100 200 2\n3 1 3 100 300 2\n9 1 3 100 400 2\n\nThe format: number\x01\n...\n");
    ASSERT_EQ(got.size(), 2U);
    EXPECT_EQ(got[1].octets, 300U);
}

TEST_F(hpcc, says_what_is_wrong_with_flows) {
    EXPECT_EQ(flow_error(""), "flow.txt:1:1: the file ends too early\n  wanted here: the number of flows");
    EXPECT_EQ(flow_error("2\n0 1 3 100 1 0.0\n"), "flow.txt:3:1: 2 flows are promised, 1 are here");
    // Prose is no flow where one is promised.
    EXPECT_EQ(flow_error("2\n0 1 3 100 1 0.0\n\nFirst line: # of flows\n"),
              "flow.txt:4:1: 5 fields where 6 belong\n"
              "  wanted: src dst pg dport octets start_s, for example: 0 1 3 100 1000000 2.0");
    EXPECT_EQ(flow_error("1\n0 4 3 100 1 0.0\n"), "flow.txt:2:3: node 4 is no host of the platform\n  nodes 0 to 3");
    EXPECT_EQ(flow_error("1\n0 1 3 100 0 0.0\n"), "flow.txt:2:11: the flow has no octets\n  at least 1");
    EXPECT_EQ(flow_error("1\n0 1 3 100 1 -0.5\n"), "flow.txt:2:13: start -0.5 is negative\n  0 or later, in seconds");
    EXPECT_EQ(flow_error("1\n0 1 8 100 1 0\n"), "flow.txt:2:5: pg \"8\" is no whole number up to 7");
    EXPECT_EQ(flow_error("1\n0 1 3 100 1\n"),
              "flow.txt:2:1: 5 fields where 6 belong\n"
              "  wanted: src dst pg dport octets start_s, for example: 0 1 3 100 1000000 2.0");
}

constexpr const char* star = "4 1 3\n2\n3 2 100Gbps 1000ns 0\n0 2 400Gbps 1us 0.000000\n2 1 25Gbps 0.5us 0\n";

TEST_F(hpcc, reads_a_topology) {
    const hpcc_topology got = read_hpcc_topology(folder_.write("topology.txt", star));
    EXPECT_EQ(got.switches, std::vector<std::uint32_t>{2});
    ASSERT_EQ(got.links.size(), 3U);
    EXPECT_EQ(got.links[1].a, 0U);
    EXPECT_EQ(got.links[1].b, 2U);
    EXPECT_EQ(got.links[1].rate.name(), "400G");
    EXPECT_EQ(got.links[1].cable_metres, 200U);
    EXPECT_EQ(got.links[2].cable_metres, 100U);

    // Node ids skip the switch's: node 3 is the third host.
    const auto made = flows("1\n3 0 3 100 1 0\n", "[topology]\nkind='hpcc'\nfile='topology.txt'\n");
    EXPECT_EQ(made[0].source, 2U);
}

// Nodes 1 and 3 are hosts. Blank lines and line breaks between ids do not count, nor does the end of the file.
TEST_F(hpcc, ignores_what_stands_behind_the_promised_links) {
    const hpcc_topology got =
        read_hpcc_topology(folder_.write("topology.txt",
                                         "4 2 3\r\n0\n\n 2\n\n1\t0 25Gbps 0.001ms 0.000000\n0 2 100000Mbps 1000ns "
                                         "0.0\n3 2 25Gbps 1us 0\n3 0 25Gbps\n\nlinks\n"));
    EXPECT_EQ(got.switches, (std::vector<std::uint32_t>{0, 2}));
    ASSERT_EQ(got.links.size(), 3U);
    EXPECT_EQ(got.links[0].cable_metres, 200U);
    EXPECT_EQ(got.links[1].rate.name(), "100G");
    EXPECT_EQ(got.links[2].a, 3U);
}

TEST_F(hpcc, says_what_is_wrong_with_a_topology) {
    EXPECT_EQ(topology_error("4 0 3\n"), "topology.txt:1:3: the topology has no switch\n  1 or more");
    EXPECT_EQ(topology_error("4 5 3\n"), "topology.txt:1:3: switches \"5\" is no whole number up to 4");
    EXPECT_EQ(topology_error("4 2 3\n1 1\n"), "topology.txt:2:3: switch 1 stands here twice");
    EXPECT_EQ(topology_error("2 1 1\n1\n0 1 90Gbps 1us 0\n"),
              "topology.txt:3:5: rate \"90Gbps\" is not an Ethernet rate\n"
              "  one of: 1G 10G 25G 40G 50G 100G 200G 400G 800G 1.6T, each with \"bps\" behind it");
    EXPECT_EQ(topology_error("2 1 1\n1\n0 1 100Gbps 1001ns 0\n"),
              "topology.txt:3:13: delay \"1001ns\" is no cable's\n"
              "  a time that is a multiple of 5ns, one metre: 1000ns, 1us");
    // 99 s would be 19.8 million km; 32 bits hold 4.3 million.
    EXPECT_EQ(topology_error("2 1 1\n1\n0 1 100Gbps 500005ns 0\n"),
              "topology.txt:3:13: delay 500005ns is out of range\n  at most 500us, 100 km");
    EXPECT_EQ(topology_error("2 1 1\n1\n0 1 100Gbps 99s 0\n"),
              "topology.txt:3:13: delay 99s is out of range\n  at most 500us, 100 km");
    EXPECT_EQ(topology_error("2 1 1\n1\n0 1 100Gbps 1us 0.01\n"),
              "topology.txt:3:17: error rate 0.01 cannot be modelled\n  wanted: 0");
    EXPECT_EQ(topology_error("3 1 2\n2\n0 1 100Gbps 1us 0\n"),
              "topology.txt:3:1: hosts 0 and 1 are linked without a switch");
    EXPECT_EQ(topology_error("2 1 1\n1\n1 1 100Gbps 1us 0\n"), "topology.txt:3:1: node 1 is linked with itself");
    EXPECT_EQ(topology_error("3 2 2\n1 2\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n"),
              "topology.txt:4:1: host 0 has two links\n"
              "  a host has one port here: remove its other links, or make it two hosts");
    EXPECT_EQ(topology_error("3 1 1\n1\n0 1 100Gbps 1us 0\n"), "topology.txt: node 2 has no link");
    EXPECT_EQ(topology_error("2 2 1\n1\n"),
              "topology.txt:3:1: the file ends too early\n  wanted here: the ids of 1 switches");
    EXPECT_EQ(topology_error("2 1 1\n1 0 1 100Gbps 1us 0\n"),
              "topology.txt:2:3: more switches than the first line says, 1\n  the links begin on a line of their own");
    EXPECT_EQ(topology_error("2 1 1\n1\n"),
              "topology.txt:3:1: the file ends too early\n"
              "  wanted here: src dst rate delay error_rate, for example: 0 8 100Gbps 1000ns 0");
}

}  // namespace
}  // namespace weir::platforms
