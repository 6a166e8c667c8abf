// SPDX-License-Identifier: Apache-2.0
// Platforms: what is read, what is overridden, and the message for everything that is wrong.
#include "platforms/config.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "platforms/keys.h"
#include "tests/platforms/support.h"

namespace weir::platforms {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using testing::four_hosts;
using ::testing::HasSubstr;
using testing::parse_error;
using testing::parsed;
using ::testing::StartsWith;
using testing::temporary_folder;

TEST(config, reads_a_platform) {
    const platform_config p = parsed(R"(
[platform]
name = "lab"
[program]
xoff = 6800
kind = "static"
[switch.s0]
cell_octets = 208
cells = 65536
pipeline_latency = "400ns"
[[switch.s0.ports]]
count = 2
rate = "400G"
cable = "100m"
[[switch.s0.ports]]
rate = "1.6T"
peer = "none"
[[switch.s0.ports]]
rate = "25G"
peer = "tester"
[hosts]
pfc_response = "1158.4ns"
[host.tester]
mac = "02:aa:bb:cc:dd:ee"
ip = "192.0.2.7"
obey_pfc = false
[registers]
read_latency = "250ns"
on_error = "log"
[workload]
kind = "incast"
senders = [1, "tester"]
receiver = 0
octets = "16MiB"
)");
    EXPECT_EQ(p.name, "lab");
    EXPECT_THAT(p.program_values, ElementsAre(std::pair("kind", "static"), std::pair("xoff", "6800")));
    ASSERT_EQ(p.switches.size(), 1U);
    const switch_config& s = p.switches[0];
    EXPECT_EQ(s.cell_octets, 208U);
    EXPECT_EQ(s.pipeline_latency, nanoseconds(400));
    ASSERT_EQ(s.ports.size(), 4U);
    EXPECT_EQ(s.ports[1].rate.name(), "400G");
    EXPECT_EQ(s.ports[1].cable_metres, 100U);
    EXPECT_EQ(s.ports[2].rate.name(), "1.6T");
    ASSERT_EQ(p.hosts.size(), 3U);
    EXPECT_EQ(p.hosts[0].name, "h0");
    EXPECT_EQ(p.hosts[0].mac, (ethernet::mac_address{2, 0, 0, 0, 0, 0}));
    EXPECT_EQ(p.hosts[1].ip, (ethernet::ipv4_address{10, 0, 0, 2}));
    EXPECT_EQ(p.hosts[1].pfc_response, picoseconds{1'158'400});
    EXPECT_EQ(p.hosts[2].name, "tester");
    EXPECT_EQ(p.hosts[2].port, 3U);
    EXPECT_EQ(p.hosts[2].mac, (ethernet::mac_address{2, 0xaa, 0xbb, 0xcc, 0xdd, 0xee}));
    EXPECT_FALSE(p.hosts[2].obey_pfc);
    EXPECT_TRUE(p.hosts[1].obey_pfc);
    EXPECT_EQ(p.registers.on_error, access_policy::log);
    EXPECT_EQ(p.workload.kind, workload_kind::incast);
    EXPECT_EQ(p.workload.octets, 16U << 20);
    EXPECT_THAT(p.workload.senders, ElementsAre("1", "tester"));
    EXPECT_EQ(find_host(p, "tester"), 2U);
    EXPECT_EQ(find_host(p, "2"), 2U);
    EXPECT_EQ(find_host(p, "3"), std::nullopt);
}

TEST(config, takes_its_name_from_the_file) {
    EXPECT_EQ(parse_platform(four_hosts, "boards/small.toml").name, "small");
}

TEST(config, order_in_the_file_does_not_matter) {
    const std::string ports = "[[switch.a.ports]]\nrate='1G'\n";
    const std::string ports_b = "[[switch.b.ports]]\nrate='1G'\n";
    EXPECT_EQ(to_json(parsed(ports + ports_b)), to_json(parsed(ports_b + ports)));
    EXPECT_EQ(parsed(ports_b + ports).hosts[0].name, "a.h0");
}

TEST(config, overrides_hardware_from_the_command_line) {
    load_options options;
    options.hardware = {"switch.s0.cells=4096", "switch.s0.ports.rate=400G", "switch.s0.ports.0.cable=2km",
                        "hosts.obey_pfc=false", "workload.senders=1,2-3"};
    const platform_config p = parsed(four_hosts, options);
    EXPECT_EQ(p.switches[0].cells, 4096U);
    EXPECT_EQ(p.switches[0].ports[3].rate.name(), "400G");
    EXPECT_EQ(p.switches[0].ports[0].cable_metres, 2000U);
    EXPECT_FALSE(p.hosts[3].obey_pfc);
    EXPECT_THAT(p.workload.senders, ElementsAre("1", "2", "3"));
}

TEST(config, an_override_that_is_wrong_is_named_by_its_option) {
    const auto error = [](const std::string& assignment) {
        load_options options;
        options.hardware = {assignment};
        return parse_error(four_hosts, options);
    };
    EXPECT_EQ(error("switch.s0.cels=4096"),
              "--hw switch.s0.cels=4096: unknown key \"cels\" in [switch.s0]\n  did you mean \"cells\"?");
    EXPECT_EQ(error("switch.s0.cells=0"), "--hw switch.s0.cells=0: cells 0 is out of range\n  1 to 16777214 cells");
    EXPECT_EQ(error("switch.s0.cells=many"),
              "--hw switch.s0.cells=many: cells is the text \"many\"\n  wanted: a whole number, without quotes: 42");
    EXPECT_EQ(error("switch.s0.ports.1.rate=1G"),
              "--hw switch.s0.ports.1.rate=1G: there is no ports number 1\n  0 to 0");
    EXPECT_EQ(error("cells"), "--hw cells: not KEY=VALUE\n  for example: --hw switch.s0.cells=4096");
}

TEST(config, sets_program_values_that_the_platform_or_its_script_has) {
    const temporary_folder folder;
    folder.write("boot.cfg", "pfc headroom ${headroom} cells\n");
    const std::string file =
        folder.write("p.toml", std::string{"[platform]\nprogram='boot.cfg'\n[program]\nxoff=1\n"} + four_hosts);
    load_options options;
    options.program = {"xoff=2", "headroom = 8"};
    EXPECT_THAT(load_platform(folder.path("p"), options).program_values,
                ElementsAre(std::pair("headroom", "8"), std::pair("xoff", "2")));
    EXPECT_EQ(load_platform(file).program, folder.path("boot.cfg"));
    options.program = {"hedroom=8"};
    EXPECT_EQ(error_of([&] { (void)load_platform(file, options); }),
              "--set hedroom=8: the program has no value \"hedroom\"\n  did you mean \"headroom\"?");
    // Each once, although the file has values for them and the script uses them.
    options.program = {"alphabet=8"};
    EXPECT_EQ(error_of([&] { (void)load_platform(file, options); }),
              "--set alphabet=8: the program has no value \"alphabet\"\n  known here: headroom xoff");
    options.program = {"headroom"};
    EXPECT_EQ(error_of([&] { (void)load_platform(file, options); }),
              "--set headroom: not NAME=VALUE\n  for example: --set headroom=768");
}

TEST(config, says_which_file_is_missing) {
    EXPECT_EQ(error_of([] { (void)load_platform("/nonexistent/p"); }),
              "/nonexistent/p: there is no such platform file\n  looked for /nonexistent/p and /nonexistent/p.toml");
    EXPECT_EQ(parse_error(std::string{"[platform]\nprogram = 'none.cfg'\n"} + four_hosts),
              "p.toml:2:11: file \"none.cfg\" does not exist");
}

TEST(config, says_where_text_is_not_toml) {
    EXPECT_THAT(parse_error("[switch.s0\ncells = 1\n"), StartsWith("p.toml:1:"));
    EXPECT_THAT(parse_error("[switch.s0\ncells = 1\n"), HasSubstr(": not TOML: "));
}

TEST(config, rejects_unknown_keys_with_the_nearest) {
    EXPECT_EQ(parse_error("[swich.s0]\n"), "p.toml:1:2: unknown table [swich]\n  did you mean \"switch\"?");
    EXPECT_EQ(parse_error("[switch.s0]\ncel_octets = 1\n"),
              "p.toml:2:1: unknown key \"cel_octets\" in [switch.s0]\n  did you mean \"cell_octets\"?");
    EXPECT_EQ(parse_error("[switch.s0]\n[[switch.s0.ports]]\nrat = '1G'\n"),
              "p.toml:3:1: unknown key \"rat\" in [switch.s0.ports]\n  did you mean \"rate\"?");
    EXPECT_EQ(parse_error(std::string{four_hosts} + "[registers]\nbanana = 1\n"),
              "p.toml:7:1: unknown key \"banana\" in [registers]\n"
              "  known here: read_latency write_latency posted_writes on_error");
    EXPECT_EQ(parse_error(std::string{four_hosts} + "[workload]\nheadroom = 1\n").substr(0, 47),
              "p.toml:7:1: unknown key \"headroom\" in [workload");
}

TEST(config, rejects_wrong_types) {
    EXPECT_EQ(parse_error("[switch.s0]\ncells = '65536'\n"),
              "p.toml:2:9: cells is the text \"65536\"\n  wanted: a whole number, without quotes: 42");
    EXPECT_EQ(parse_error("[switch.s0]\npipeline_latency = 400\n"),
              "p.toml:2:20: pipeline_latency is the number 400\n"
              "  wanted: a length of time in quotes: \"100ns\", \"1.5us\", \"3ms\"");
    EXPECT_EQ(parse_error("switch = 3\n"), "p.toml:1:10: switch is the number 3\n  wanted: a table, [switch]");
    EXPECT_EQ(parse_error("[switch.s0]\nports = 3\n"),
              "p.toml:2:9: ports is the number 3\n  wanted: an array of tables, [[switch.s0.ports]]");
    EXPECT_EQ(parse_error(std::string{four_hosts} + "[hosts]\nobey_pfc = 1\n"),
              "p.toml:7:12: obey_pfc is the number 1\n  wanted: true or false, without quotes");
}

TEST(config, rejects_rates_that_do_not_exist) {
    EXPECT_EQ(parse_error("[[switch.s0.ports]]\ncount = 8\nrate  = \"401G\"\n"),
              "p.toml:3:9: rate \"401G\" is not an Ethernet rate\n"
              "  one of: 1G 10G 25G 40G 50G 100G 200G 400G 800G 1.6T");
}

TEST(config, rejects_dcbx_that_no_station_can_say) {
    const std::string host = std::string{four_hosts} + "[host.h1]\ndcbx = true\n";
    EXPECT_EQ(parse_error(host + "dcbx_pfc = 7\ndcbx_pfc_capability = 2\n"),
              "p.toml:8:12: host h1 enables PFC for 3 priorities\n  2 at most: dcbx_pfc_capability");
    for (const char* ets : {"strict", "1,2,3,4,5,6,7,8", "50,50,strict,strict,strict,strict,strict,weak",
                            "101,strict,strict,strict,strict,strict,strict,strict"}) {
        EXPECT_THAT(parse_error(host + "dcbx_ets = \"" + ets + "\"\n"), HasSubstr("serves no eight classes")) << ets;
    }
    EXPECT_EQ(parse_error(host + "dcbx_ets = \"60,strict,40,strict,strict,strict,strict,strict\"\n"), "no error");
}

TEST(config, rejects_values_out_of_range_with_the_range) {
    EXPECT_EQ(parse_error("[switch.s0]\ncells = 0\n"), "p.toml:2:9: cells 0 is out of range\n  1 to 16777214 cells");
    EXPECT_EQ(parse_error("[switch.s0]\ncells = 16777215\n"),
              "p.toml:2:9: cells 16777215 is out of range\n  1 to 16777214 cells");
    EXPECT_EQ(parse_error("[switch.s0]\ncell_octets = 31\n"),
              "p.toml:2:15: cell_octets 31 is out of range\n  32 to 4096 octets");
    EXPECT_EQ(parse_error("[switch.s0]\npipeline_latency = '1001us'\n"),
              "p.toml:2:20: pipeline_latency 1001us is out of range\n  0s to 1ms");
    EXPECT_EQ(parse_error("[[switch.s0.ports]]\ncable = '101km'\n"),
              "p.toml:2:9: cable 101km is out of range\n  0m to 100000m");
    EXPECT_EQ(parse_error("[[switch.s0.ports]]\nclock_ppm = -201\n"),
              "p.toml:2:13: clock_ppm -201 is out of range\n  -200 to 200 ppm");
    EXPECT_EQ(parse_error(std::string{four_hosts} + "[workload]\noctets = 0\n"),
              "p.toml:7:10: octets 0 is out of range\n  1 to 1000000000000000 octets");
    EXPECT_EQ(parse_error("[[switch.s0.ports]]\ncount = 100\n[[switch.s0.ports]]\ncount = 29\n"),
              "p.toml:4:9: 129 ports are too many\n  1 to 128 for a switch");
    EXPECT_EQ(parsed("[[switch.s0.ports]]\ncount = 100\n[[switch.s0.ports]]\ncount = 28\n").switches[0].ports.size(),
              128U);
}

TEST(config, rejects_words_that_are_no_choice) {
    EXPECT_EQ(
        parse_error(std::string{four_hosts} + "[workload]\nkind = 'incats'\n"),
        "p.toml:7:8: kind \"incats\" is unknown\n  one of: none incast permutation poisson all_to_all ring_all_reduce "
        "tree_all_reduce all_gather reduce_scatter flows capture hpcc simai");
}

TEST(config, rejects_switches_without_ports) {
    EXPECT_EQ(parse_error("[platform]\nname='x'\n"),
              "p.toml: the platform has no switch\n  wanted: a table [switch.s0] with ports, or a [topology]");
    EXPECT_EQ(parse_error("[switch.s0]\ncells = 5\n"),
              "p.toml:1:1: switch s0 has no ports\n  wanted: [[switch.s0.ports]] with count and rate");
}

TEST(config, rejects_hosts_that_are_nowhere_or_twice) {
    EXPECT_EQ(parse_error(std::string{four_hosts} + "[host.h4]\nobey_pfc = false\n"),
              "p.toml:6:7: no port leads to host \"h4\"\n  hosts: h0 h1 h2 h3");
    EXPECT_EQ(parse_error("[[switch.s0.ports]]\npeer = 'alice'\n[host.alcie]\n"),
              "p.toml:2:8: peer \"alice\" is unknown\n  did you mean \"alcie\"?");
    EXPECT_EQ(parse_error("[[switch.s0.ports]]\ncount = 2\npeer = 'alice'\n[host.alice]\n"),
              "p.toml:3:8: host alice has two cables\n  one port a host");
}

TEST(config, rejects_names_that_cannot_be_told_apart) {
    const auto host = [](const std::string& name) {
        return parse_error("[switch.s0]\n[[switch.s0.ports]]\nrate='1G'\npeer='" + name + "'\n[host.\"" + name +
                           "\"]\n");
    };
    for (const char* name : {"", "5", "a b", "a.", ".a", "-a"}) {
        EXPECT_THAT(host(name), HasSubstr("cannot be a host's name\n  a letter, then letters, digits, _ and -"))
            << name;
    }
    for (const char* name : {"time", "flapper", "failures", "s0_cpu", "s0_cable0"}) {
        EXPECT_EQ(host(name), "p.toml:5:7: the name \"" + std::string{name} + "\" is taken\n  another name");
    }
    EXPECT_EQ(host("h-1_b"), "no error");
    EXPECT_THAT(parse_error("[switch.'s 0']\n[[switch.'s 0'.ports]]\nrate='1G'\n"),
                HasSubstr("p.toml:1:9: \"s 0\" cannot be a switch's name"));
}

TEST(config, rejects_ranges_of_hosts_that_run_backwards) {
    load_options options;
    options.hardware = {"workload.senders=3-1"};
    EXPECT_EQ(parse_error(four_hosts, options),
              "--hw workload.senders=3-1: senders \"3-1\" is no range of hosts\n  the lower number first: 4-7");
    options.hardware = {"workload.senders=1-1"};
    EXPECT_EQ(parsed(four_hosts, options).workload.senders, std::vector<std::string>{"1"});
}

TEST(config, shows_a_number_that_is_too_long_as_it_was_typed) {
    load_options options;
    options.hardware = {"switch.s0.cells=99999999999999999999"};
    EXPECT_THAT(parse_error(four_hosts, options), HasSubstr("cells is the text \"99999999999999999999\""));
}

// The driver wants an ingress and an egress pool.
TEST(config, a_chip_has_two_pools_at_least) {
    load_options options;
    options.hardware = {"switch.s0.pools=1"};
    EXPECT_EQ(parse_error(four_hosts, options), "--hw switch.s0.pools=1: pools 1 is out of range\n  2 to 16 pools");
}

TEST(config, rejects_addresses_that_are_wrong_or_shared) {
    const auto with = [](const std::string& text) { return parse_error(std::string{four_hosts} + text); };
    EXPECT_EQ(with("[host.h1]\nmac = '02:00:00:00:00:00'\n"), "p.toml:7:7: hosts h0 and h1 have the same MAC address");
    EXPECT_EQ(with("[host.h1]\nip = '10.0.0.1'\n"), "p.toml:7:6: hosts h0 and h1 have the same IP address");
    EXPECT_EQ(with("[host.h1]\nmac = '02:00'\n"),
              "p.toml:7:7: mac \"02:00\" is no MAC address\n  six octets in hex: 02:00:00:00:00:01");
    EXPECT_EQ(
        with("[host.h1]\nmac = '01:80:c2:00:00:01'\n"),
        "p.toml:7:7: mac \"01:80:c2:00:00:01\" is a group address\n  a station's address has an even first octet");
    EXPECT_EQ(with("[host.h1]\nip = '10.0.0.256'\n"),
              "p.toml:7:6: ip \"10.0.0.256\" is no IPv4 address\n  for example 10.0.0.1");
    EXPECT_EQ(with("[hosts]\nip = '10.0.0.1'\n"),
              "p.toml:7:1: ip in [hosts] would be every host's\n  give it in [host.NAME]");
}

TEST(config, a_workload_file_is_known_by_its_ending) {
    const temporary_folder folder;
    load_options options;
    options.workload_file = folder.write("a.csv", "");
    EXPECT_EQ(parsed(four_hosts, options).workload.kind, workload_kind::flows);
    options.workload_file = folder.write("a.pcapng", "");
    EXPECT_EQ(parsed(four_hosts, options).workload.kind, workload_kind::capture);
    options.workload_file = folder.write("a.txt", "");
    EXPECT_EQ(parsed(four_hosts, options).workload.kind, workload_kind::hpcc);
    options.workload_file = folder.write("a.doc", "");
    EXPECT_EQ(parse_error(four_hosts, options),
              "--workload " + folder.path("a.doc") +
                  ": the ending \".doc\" says nothing of what it is\n"
                  "  .csv: flow list, .pcap .pcapng: capture, .txt: flow file of the HPCC simulator, or of SimAI where "
                  "workload.kind says so");
    options.workload_file = "/nonexistent/a.csv";
    EXPECT_EQ(parse_error(four_hosts, options), "--workload /nonexistent/a.csv: the file does not exist");
    EXPECT_EQ(parse_error(std::string{four_hosts} + "[workload]\nkind = 'flows'\n"),
              "p.toml:7:8: this kind of workload needs a file\n  file = \"…\" in [workload], or --workload FILE");
}

TEST(config, explains_keys_from_the_same_table) {
    EXPECT_EQ(explain("switch.s0.cells"),
              "switch.*.cells\n"
              "  Cells of the whole packet buffer.\n"
              "  value:   a whole number, without quotes: 42\n"
              "  range:   1 to 16777214 cells\n"
              "  default: 65536\n");
    EXPECT_EQ(explain("cells"), explain("switch.*.cells"));
    EXPECT_EQ(explain("switch.s0.ports.3.rate"), explain("switch.*.ports[].rate"));
    EXPECT_EQ(explain("hosts.obey_pfc"), explain("host.*.obey_pfc"));
    EXPECT_THAT(explain("rate"), ::testing::AllOf(HasSubstr("switch.*.ports[].rate"), HasSubstr("workload.rate")));
    EXPECT_EQ(error_of([] { (void)explain("cels"); }), "explain cels: there is no such key\n  did you mean cells?");
}

// Every default that is shown is one that the reader takes back.
TEST(config, every_default_is_a_value_that_may_be_written) {
    for (const auto& entry : all_keys()) {
        EXPECT_FALSE(entry.key.doc.empty()) << entry.key.path;
        std::string key{entry.key.path};
        if (entry.fallback.empty() || entry.key.kind == value_kind::mac || entry.key.kind == value_kind::ipv4 ||
            entry.key.kind == value_kind::host_list || entry.key.name() == "kind") {
            continue;
        }
        // A failure's and a replay's keys need a table of it.
        if (key.rfind("platform.", 0) == 0 || key.rfind("failure[]", 0) == 0 || key.rfind("replay[]", 0) == 0) continue;
        if (key.rfind("host.*", 0) == 0) key.replace(0, 6, "hosts");
        if (const auto star = key.find('*'); star != std::string::npos) key.replace(star, 1, "s0");
        if (const auto brackets = key.find("[]"); brackets != std::string::npos) key.erase(brackets, 2);
        load_options options;
        options.hardware = {key + "=" + entry.fallback};
        EXPECT_EQ(parse_error(four_hosts, options), "no error") << key;
    }
}

// The manual's table is the program's: `weir explain --markdown`.
TEST(config, the_manual_lists_the_same_keys) {
    std::ifstream in(WEIR_SOURCE_DIR "/docs/platforms.md");
    const std::string manual{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    EXPECT_THAT(manual, HasSubstr(keys_markdown()));
}

// docs/hosts.md has a row for each key of a station, and but for DCQCN's, whose table has a column a preset, its
// default.
TEST(config, the_page_on_hosts_has_every_key_of_theirs) {
    std::ifstream in(WEIR_SOURCE_DIR "/docs/hosts.md");
    const std::string page{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    for (const auto& entry : all_keys()) {
        if (entry.key.path.rfind("host.*.", 0) != 0) continue;
        const std::string name{entry.key.name()};
        std::string row = "\n| `" + name + "`";
        if (name.rfind("dcqcn_", 0) != 0) row += " | " + (entry.fallback.empty() ? "" : entry.fallback + " ") + "|";
        EXPECT_THAT(page, HasSubstr(row));
    }
}

TEST(config, echoes_itself_with_defaults_filled_in) {
    const auto json = to_json(parsed(four_hosts));
    EXPECT_EQ(json["switch"]["s0"]["cells"], 1000);
    EXPECT_EQ(json["switch"]["s0"]["cell_octets"], 256);
    EXPECT_EQ(json["switch"]["s0"]["ports"][3]["rate"], "100G");
    EXPECT_EQ(json["switch"]["s0"]["ports"][3]["cable"], "3m");
    EXPECT_EQ(json["host"]["h2"]["ip"], "10.0.0.3");
    EXPECT_EQ(json["registers"]["read_latency"], "100ns");
    EXPECT_EQ(json["workload"]["kind"], "none");
}

}  // namespace
}  // namespace weir::platforms
