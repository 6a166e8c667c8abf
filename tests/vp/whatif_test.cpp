// SPDX-License-Identifier: Apache-2.0
// What-if: futures from one moment are the runs that set the same values at that time, file by file.
#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "tests/platforms/support.h"
#include "tests/vp/run_weir.h"

namespace weir::vp {
namespace {

using platforms::testing::temporary_folder;
using ::testing::HasSubstr;

const std::string incast = WEIR_SOURCE_DIR "/platforms/one_switch_8x400g --hw workload.octets=1MiB ";

std::string contents(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    EXPECT_FALSE(text.str().empty()) << path;
    return text.str();
}

// Three alternatives, and four whole runs: equal to the last octet, captures and series that were begun before the fork
// among them.
TEST(whatif, futures_are_the_runs_that_set_the_same_values_then) {
    const temporary_folder folder;
    const std::string leave = " --seed 7 --series 1us --capture 2 --snap 64 ";
    const auto futures =
        run_weir("whatif " + incast + leave +
                 "--at 20us --set xoff=3000 --set xoff=2500 --set 'xon=64; xoff=3000' --out " + folder.path("futures"));
    ASSERT_EQ(futures.code, 0) << futures.text;
    const std::vector<std::pair<std::string, std::string>> runs{
        {"baseline", ""},
        {"xoff=3000", "--at '+20us set xoff 3000' "},
        {"xoff=2500", "--at '+20us set xoff 2500' "},
        {"xon=64,xoff=3000", "--at '+20us set xon 64' --at '+20us set xoff 3000' "}};
    std::set<std::string> digests;
    for (const auto& [name, at] : runs) {
        const std::string whole = folder.path("whole");
        const auto run = run_weir("run " + incast + leave + at + "--out " + whole);
        ASSERT_EQ(run.code, 0) << run.text;
        const std::string digest = run.text.substr(run.text.rfind("digest: ") + 8, 16);
        digests.insert(digest);
        EXPECT_THAT(futures.text, HasSubstr(digest)) << name;
        for (const char* file : {"/result.json", "/flows.csv", "/summary.txt", "/occupancy.csv", "/s0.2.pcapng"}) {
            EXPECT_EQ(contents(folder.path("futures/" + name) + file), contents(whole + file)) << name << file;
        }
    }
    EXPECT_EQ(digests.size(), 4U);  // they are different futures
}

// On the RISC-V core the driver types the lines at its own speed, in both alike.
TEST(whatif, firmware_programs_the_alternatives) {
    const std::string platform = WEIR_SOURCE_DIR "/platforms/bringup_8x400g --hw workload.octets=256KiB ";
    const auto futures = run_weir("whatif " + platform + "--at 20us --set xoff=3000");
    ASSERT_EQ(futures.code, 0) << futures.text;
    const auto run = run_weir("run " + platform + "--at '+20us set xoff 3000'");
    EXPECT_THAT(futures.text, HasSubstr(run.text.substr(run.text.rfind("digest: ") + 8, 16)));
}

TEST(whatif, says_what_is_wrong_before_anything_runs) {
    const auto error = [](const std::string& more) {
        const auto got = run_weir("whatif " + incast + more);
        EXPECT_EQ(got.code, 2) << more;
        return got.text;
    };
    EXPECT_EQ(error("--set xoff=1000"),
              "weir whatif: when?\n  one of --at TIME, --when first-xoff, first-drop or \"occupancy>CELLS\"\n");
    EXPECT_EQ(error("--at 1us"), "weir whatif: no alternative was given\n  --set NAME=VALUE\n");
    EXPECT_EQ(error("--at 1us --set xof=1000"),
              "--set xof=1000: the program has no value \"xof\"\n  did you mean \"xoff\"?\n");
    EXPECT_EQ(error("--at 1us --set xoff"), "--set xoff: not NAME=VALUE\n  for example: xoff=6800\n");
    EXPECT_EQ(error("--at 1us --set xoff=1000 --base xof=1"),
              "--base xof=1: the program has no value \"xof\"\n  did you mean \"xoff\"?\n");
    EXPECT_EQ(error("--at 1us --set xoff=1000 --base xoff"),
              "--base xoff: not NAME=VALUE\n  for example: --base headroom=768\n");
    const temporary_folder folder;
    const std::string out = " --out " + folder.path("out");
    EXPECT_THAT(error("--at 1us --set xoff=" + std::string(300, '1') + out),
                HasSubstr("has 305 characters: too many for its folder's name\n  200 at most, or no --out\n"));
    EXPECT_THAT(error("--at 1us --set xoff=1/2 --set xoff=1_2" + out),
                HasSubstr("would have the folder of \"xoff=1/2\""));
    EXPECT_EQ(error("--at 1us --set xoff=3000 --jobs 0"), "--jobs 0: out of range\n  1 or more\n");
    EXPECT_EQ(error("--at 1us --set xoff=1 --set xoff=1"), "--set xoff=1: is given twice\n  each alternative once\n");
    EXPECT_EQ(error("--when never --set xoff=1000"),
              "--when never: there is no such event\n  first-xoff, first-drop or \"occupancy>CELLS\"\n");
    EXPECT_THAT(error("--when first-drop --set xoff=3000"), HasSubstr("before that moment\n"));
    EXPECT_THAT(error("--at 1us --set xoff=3000 --json tcp:0"), HasSubstr("unrecognised option '--json'"));
}

TEST(whatif, a_change_whose_time_does_not_come_is_told_of) {
    const auto got = run_weir("run " + incast + "--at '+20us set xoff 3000' --at '+10s set xoff 2000'");
    EXPECT_EQ(got.code, 0);
    EXPECT_THAT(got.text, HasSubstr("--at \"+10s set xoff 2000\": not carried out: the run ended before that time\n"));
    EXPECT_THAT(got.text, ::testing::Not(HasSubstr("xoff 3000\": not")));
}

// The driver refuses it as it would refuse it from a user, and that future fails; the others are as they are.
TEST(whatif, an_alternative_that_the_driver_refuses_fails_alone) {
    const auto got = run_weir("whatif " + incast + "--at 10us --set headroom=60000 --set xoff=3000");
    EXPECT_EQ(got.code, 1);
    EXPECT_THAT(got.text, HasSubstr("headroom=60000: "));
    EXPECT_THAT(got.text, HasSubstr("too many"));
    EXPECT_THAT(got.text, ::testing::ContainsRegex("verdict +passed +FAILED +passed"));
}

// "1/2" is a share of a pool, and no path.
TEST(whatif, values_with_a_slash_have_folders) {
    const temporary_folder folder;
    const auto got =
        run_weir("whatif " + incast + "--at 10us --until 11us --set xoff=1/2 --set \"xoff=$(printf '\\377')\" --out " +
                 folder.path("out"));
    EXPECT_EQ(got.code, 1) << got.text;  // no number of cells
    EXPECT_THAT(got.text, HasSubstr("xoff=1/2: "));
    EXPECT_FALSE(contents(folder.path("out/xoff=1_2/result.json")).empty());
}

TEST(whatif, more_processes_than_the_system_has_room_for_are_told) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the sanitizers need file descriptors of their own to look at an exception";
#endif
    std::string sets;
    for (int i = 0; i < 40; ++i) sets += " --set xoff=" + std::to_string(3000 + i);
    const auto got = run_weir("whatif " + incast + "--at 10us --jobs 40" + sets, "ulimit -n 24; timeout 60");
    EXPECT_EQ(got.code, 2);
    EXPECT_THAT(got.text,
                ::testing::StartsWith("weir: the system refuses: no more pipes: Too many open files\n  fewer --jobs"));
}

// Nobody works on for a command that is gone.
// A terabyte from each host lasts for hours.
TEST(whatif, an_interruption_ends_all_futures) {
    const temporary_folder folder;
    const auto begun = std::chrono::steady_clock::now();
    const auto got = run_weir(
        "whatif " WEIR_SOURCE_DIR
        "/platforms/one_switch_8x400g --hw workload.octets=1000GB --at 1us --set xoff=3000 --set xoff=2000 --out " +
            folder.path("out"),
        "timeout --foreground -s TERM 2");
    // Who works on holds the pipe that has just been read to its end.
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(12));
    EXPECT_THAT(got.text, HasSubstr("interrupted"));
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace weir::vp
