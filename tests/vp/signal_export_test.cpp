// SPDX-License-Identifier: Apache-2.0
// Traces for other programs, read back by other programs: protoc, and GTKWave's converters.
#include "vp/signals/signal_export.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "tests/ethernet/support.h"
#include "tests/platforms/support.h"
#include "tests/vp/run_weir.h"

namespace weir::vp {
namespace {

using ethernet::testing::output_of;
using platforms::testing::temporary_folder;
using ::testing::HasSubstr;

/// A switch and a host: cells, a pause that lasts, a drop, two functions.
report::recording sample() {
    report::recording made;
    made.end = 9'000'000;
    made.drop_reasons = {"none", "fcs", "headroom"};
    made.functions = {"", "main", "poll"};
    const auto add = [&made](const char* name, const char* kind, std::uint32_t port,
                             std::vector<report::change> changes) {
        report::signal s;
        s.name = name;
        s.kind = kind;
        s.device = s.name.substr(0, s.name.find('.'));
        s.port = port;
        s.changes = std::move(changes);
        made.signals.push_back(std::move(s));
    };
    add("s0.1.pg3.service", "service", 1, {{1'500, 9}, {2'000'000, 0}});
    add("s0.1.priority3.asked", "asked", 1, {{2'000'000, 1}});
    add("s0.1.pg3.drop", "drop", 1, {{3'000'000, 2}});
    add("s0.function", "function", 0, {{1'000'000, 1}, {2'000'000, 2}});
    add("h1.priority3.stopped", "stopped", 0, {{2'500'999, 1}, {4'000'000, 0}});
    return made;
}

std::string decoded(const std::string& trace, const temporary_folder& folder) {
    std::ofstream(folder.path("trace"), std::ios::binary) << trace;
    return output_of("protoc --proto_path=" WEIR_SOURCE_DIR "/tests/vp --decode=Trace perfetto.proto < " +
                     folder.path("trace"));
}

// Everything that the format's reference asks for: a process a device, a track a signal under it, a begin and an end
// for each slice. Nothing is left over that the description does not know (protoc would print its number).
TEST(signal_export, a_perfetto_trace_reads_back) {
    const temporary_folder folder;
    std::string expected;
    const auto packet = [&expected](const std::string& inside) { expected += "packet {\n" + inside + "}\n"; };
    const auto process = [&](int uuid, const char* name) {
        packet("  trusted_packet_sequence_id: 1\n  track_descriptor {\n    uuid: " + std::to_string(uuid) +
               "\n    process {\n      pid: " + std::to_string(uuid) + "\n      process_name: \"" + name +
               "\"\n    }\n  }\n");
    };
    const auto track = [&](int uuid, const char* name, int parent, bool counts) {
        packet("  trusted_packet_sequence_id: 1\n  track_descriptor {\n    uuid: " + std::to_string(uuid) +
               "\n    name: \"" + name + "\"\n    parent_uuid: " + std::to_string(parent) + "\n" +
               (counts ? "    counter {\n    }\n" : "") + "  }\n");
    };
    const auto event = [&](int ns, const char* type, int uuid, const std::string& more) {
        packet("  timestamp: " + std::to_string(ns) +
               "\n  trusted_packet_sequence_id: 1\n  track_event {\n    type: TYPE_" + type +
               "\n    track_uuid: " + std::to_string(uuid) + "\n" + more + "  }\n");
    };
    process(1, "s0");
    track(1000000, "1.pg3.service", 1, true);
    track(1000001, "1.priority3.asked", 1, false);
    track(1000002, "1.pg3.drop", 1, false);
    track(1000003, "function", 1, false);
    process(2, "h1");
    track(1000004, "priority3.stopped", 2, false);
    event(1, "COUNTER", 1000000, "    counter_value: 9\n");
    event(1000, "SLICE_BEGIN", 1000003, "    name: \"main\"\n");
    event(2000, "COUNTER", 1000000, "    counter_value: 0\n");
    event(2000, "SLICE_BEGIN", 1000001, "    name: \"asked\"\n");
    event(2000, "SLICE_END", 1000003, "");
    event(2000, "SLICE_BEGIN", 1000003, "    name: \"poll\"\n");
    event(2500, "SLICE_BEGIN", 1000004, "    name: \"stopped\"\n");
    event(3000, "INSTANT", 1000002, "    name: \"headroom\"\n");
    event(4000, "SLICE_END", 1000004, "");
    event(9000, "SLICE_END", 1000001, "");
    event(9000, "SLICE_END", 1000003, "");
    EXPECT_EQ(decoded(perfetto_trace(sample()), folder), expected);
}

// IEEE 1364, 18.2: declarations, $dumpvars, then times and changes.
TEST(signal_export, a_value_change_dump_says_it_to_the_picosecond) {
    EXPECT_EQ(
        value_change_dump(sample()),
        "$version weir $end\n$timescale 1 ps $end\n$scope module h1 $end\n$var wire 1 % priority3_stopped $end\n"
        "$upscope $end\n$scope module s0 $end\n$var string 1 $ function $end\n$scope module port1 $end\n"
        "$var integer 32 ! pg3_service $end\n$var wire 1 \" priority3_asked $end\n$var event 1 # pg3_drop $end\n"
        "$upscope $end\n$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\nb0 !\n0\"\ns- $\n0%\n$end\n"
        "#1500\nb1001 !\n#1000000\nsmain $\n#2000000\nb0 !\n1\"\nspoll $\n#2500999\n1%\n#3000000\n1#\n#4000000\n0%\n"
        "#9000000\n");
}

// A whole run of the firmware's platform, programmed anew on its way so that the core works.
TEST(signal_export, other_programs_open_what_a_run_left) {
    const temporary_folder folder;
    const std::string out = folder.path("out");
    ASSERT_EQ(run_weir("run " WEIR_SOURCE_DIR
                       "/platforms/bringup_8x400g --hw workload.octets=4MiB --at '+50us set xoff 3000' "
                       "--signals --out " +
                       out)
                  .code,
              0);
    const auto exported =
        run_weir("export " + out + " --perfetto " + folder.path("t") + " --vcd " + folder.path("w.vcd"));
    ASSERT_EQ(exported.code, 0) << exported.text;
    const std::string text = output_of(
        "protoc --proto_path=" WEIR_SOURCE_DIR "/tests/vp --decode=Trace perfetto.proto < " + folder.path("t"));
    std::map<std::string, int> types;
    for (std::size_t at = text.find("TYPE_"); at != std::string::npos; at = text.find("TYPE_", at + 1)) {
        ++types[text.substr(at, text.find('\n', at) - at)];
    }
    EXPECT_EQ(types["TYPE_SLICE_BEGIN"], types["TYPE_SLICE_END"]);
    EXPECT_GT(types["TYPE_COUNTER"], 1000);
    EXPECT_GT(types["TYPE_INSTANT"], 10);  // register writes
    EXPECT_NE(text.find("name: \"shell_pfc\""), std::string::npos);
    EXPECT_FALSE(std::regex_search(text, std::regex("\n *[0-9]+: ")));  // a field that nobody described

    // Through GTKWave's own format and back: every change is still there.
    const std::string back = output_of("(vcd2fst " + folder.path("w.vcd") + " " + folder.path("w.fst") +
                                       " >/dev/null 2>&1; fst2vcd " + folder.path("w.fst") + " 2>/dev/null)");
    const auto times = [](const std::string& dump) { return std::count(dump.begin(), dump.end(), '#'); };
    std::ostringstream written;
    written << std::ifstream(folder.path("w.vcd")).rdbuf();
    const auto changes = [](const std::string& dump, char first) {
        long count = 0;
        for (std::size_t at = dump.find("$end\n#"); at != std::string::npos && at + 1 < dump.size();
             at = dump.find('\n', at + 1)) {
            if (dump[at + 1] == first) ++count;
        }
        return count;
    };
    EXPECT_GT(times(written.str()), 1000);
    EXPECT_NEAR(static_cast<double>(changes(back, '#')), static_cast<double>(changes(written.str(), '#')), 2);
    EXPECT_NE(back.find("pg3_service"), std::string::npos);
    EXPECT_NE(back.find("sshell_pfc "), std::string::npos);
}

TEST(signal_export, says_what_is_missing) {
    const temporary_folder folder;
    const auto error = [](const std::string& arguments) {
        const auto got = run_weir("export " + arguments);
        EXPECT_EQ(got.code, 2);
        return got.text;
    };
    const std::string out = folder.path("out");
    ASSERT_EQ(
        run_weir("run " WEIR_SOURCE_DIR "/platforms/one_switch_8x400g --hw workload.octets=64KiB --out " + out).code,
        0);
    EXPECT_EQ(error(out), "weir export: as what?\n  --perfetto FILE, --vcd FILE\n");
    EXPECT_EQ(error(out + " --vcd x"), out + ": has no signals\n  run it again with --signals\n");
    EXPECT_THAT(error(folder.path("none") + " --vcd x"), HasSubstr("cannot be read"));
    EXPECT_THAT(error("--vcd x"), HasSubstr("no folder was named"));
}

}  // namespace
}  // namespace weir::vp
