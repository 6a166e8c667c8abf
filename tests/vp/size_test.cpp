// SPDX-License-Identifier: Apache-2.0
// `weir size`: with an engine whose edges are known, and against the adversary, whose edges are the closed form's.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/vp/support.h"
#include "vp/study/size_search.h"

namespace weir::vp {
namespace {

using platforms::testing::temporary_folder;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using json = nlohmann::ordered_json;

/// A platform whose runs lose a frame while `room` is less than 10 times `load`, with seed 3 less than 5 more.
class size_test : public ::testing::Test {
protected:
    size_test() {
        folder.write("p.cfg", "pool create all ingress size ${room} cells\nload ${load}\n");
        folder.write("p.toml", std::string{"[platform]\nprogram='p.cfg'\n[program]\nroom=10\nload=1\n"} +
                                   platforms::testing::four_hosts + "[workload]\nkind='incast'\n");
        fake.run = [](const platforms::platform_config& platform, const run_request& request,
                      const std::function<void(const progress_report&)>&) {
            const auto room = std::stoll(platform.program_values.at("room"));
            const auto load = std::stoll(platform.program_values.at("load"));
            if (load == 9) throw boot_error("p.cfg:2: 9 is too much");
            if (load == 8 && room < 80) std::raise(SIGKILL);
            const long long needed = 10 * load + (request.seed == 3 ? 5 : 0);
            run_result result;
            result.configuration = platform;
            if (room < needed) result.losses = {{0, 1, 3, true, "headroom", 1}};
            return result;
        };
    }
    testing::outcome size(const std::string& text, const std::vector<std::string>& more = {}) const {
        std::vector<std::string> words{"size", folder.write("s.toml", "platform='p'\n" + text)};
        words.insert(words.end(), more.begin(), more.end());
        std::ostringstream out;
        std::ostringstream err;
        testing::outcome got;
        got.code = run_command_line(words, fake, out, err);
        got.out = out.str();
        got.err = err.str();
        return got;
    }
    static constexpr const char* lossless = "[[constraint]]\nfigure='lossless_drops'\nat_most=0\n";
    temporary_folder folder;
    engine fake;
};

TEST_F(size_test, finds_the_smallest_value_and_the_run_that_binds) {
    const auto got =
        size(std::string{"seeds=3\n[size]\nfind='room'\nfrom=0\nto=100\n[[vary]]\nname='load'\nvalues=[1,4,2]\n"} +
             lossless);
    EXPECT_EQ(got.code, 0) << got.err;
    // Load 4 with seed 3 needs 45, and is the only one that needs more than 40.
    EXPECT_THAT(got.out, StartsWith("s: the smallest room from 0 to 100 in steps of 1 with lossless_drops at_most 0\n"
                                    "  room = 45\n"
                                    "  room = 44 does not hold: load=4 seed 3: lossless_drops 1 is not at_most 0\n"
                                    "    weir run "));
    EXPECT_THAT(got.out, HasSubstr("/p --set load=4 --set room=44 --seed 3\n"));
}

TEST_F(size_test, finds_the_greatest_value_that_holds) {
    // Frames are lost while room is less than ten: at least one is lost up to 9.
    const auto got =
        size("[size]\nfind='room'\ndirection='largest'\nfrom=0\nto=100\n[[constraint]]\nfigure='drops'\nabove=0\n");
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_THAT(got.out, HasSubstr("  room = 9\n  room = 10 does not hold: seed 1: drops 0 is not above 0\n"));
}

// A run that is refused is an answer, as is one that loses frames; a run whose process was killed is none.
TEST_F(size_test, concludes_nothing_from_a_worker_that_died) {
    const auto got =
        size(std::string{"[size]\nfind='room'\nfrom=0\nto=100\n[[vary]]\nname='load'\nvalues=[8]\n"} + lossless);
    EXPECT_EQ(got.code, 2);
    EXPECT_EQ(got.out, "");
    EXPECT_THAT(got.err, HasSubstr("/p --set load=8 --set room="));
    EXPECT_THAT(got.err, HasSubstr(": the worker was killed by signal 9"));
    EXPECT_THAT(got.err, HasSubstr("nothing is concluded without it"));
}

TEST_F(size_test, gives_every_combination_an_answer_of_its_own) {
    const auto got =
        size(std::string{"[size]\nfind='room'\nfrom=0\nto=100\nstep=4\neach=['load']\n[[vary]]\nname='load'\n"
                         "values=[1,2,5]\n[[vary]]\nname='seed'\nvalues=[1,3]\n"} +
                 lossless,
             {"--out", folder.path("a.json")});
    EXPECT_EQ(got.code, 0) << got.err;
    std::ifstream file(folder.path("a.json"));
    const json out = json::parse(file);
    // 15, 25 and 55 on a grid of four.
    EXPECT_EQ(out["answers"][0]["answer"], 16);
    EXPECT_EQ(out["answers"][1]["answer"], 28);
    EXPECT_EQ(out["answers"][2]["answer"], 56);
    EXPECT_EQ(out["answers"][2]["parameters"], json::parse(R"({"load":"5"})"));
    EXPECT_EQ(out["answers"][0]["binding"], "load=1 seed=3 seed 3: lossless_drops 1 is not at_most 0");
}

TEST_F(size_test, the_answer_does_not_depend_on_the_number_of_workers) {
    const std::string text =
        std::string{"seeds=4\n[size]\nfind='room'\nfrom=0\nto=500\n[[vary]]\nname='load'\nfrom=1\nto=6\nstep=1\n"} +
        lossless;
    const std::string alone = size(text, {"--jobs", "1"}).out;
    EXPECT_THAT(alone, HasSubstr("room = 65\n"));
    EXPECT_EQ(size(text, {"--jobs", "2"}).out, alone);
    EXPECT_EQ(size(text, {"--jobs", "7"}).out, alone);
}

TEST_F(size_test, says_when_there_is_no_answer) {
    const auto none = size(std::string{"[size]\nfind='room'\nfrom=0\nto=8\n"} + lossless);
    EXPECT_EQ(none.code, 1);
    EXPECT_THAT(none.out, HasSubstr("no value that was tried holds:"));
    EXPECT_THAT(none.out, HasSubstr("8  no     seed 1: lossless_drops 1 is not at_most 0"));
    // One frame is lost below 50 and none from there on: the lower half holds, the end does not.
    const auto odd =
        size(std::string{"set=['load=5']\n[size]\nfind='room'\nfrom=0\nto=100\n[[constraint]]\nfigure='drops'\n"
                         "equals=1\n"});
    EXPECT_EQ(odd.code, 1);
    EXPECT_THAT(odd.out, HasSubstr("there is no monotone answer; what was tried:"));
    const auto failing = size(std::string{"set=['load=9']\n[size]\nfind='room'\nfrom=0\nto=8\n"} + lossless);
    EXPECT_EQ(failing.code, 1);
    EXPECT_THAT(failing.out, HasSubstr("p.cfg:2: 9 is too much"));
}

TEST_F(size_test, a_range_that_holds_altogether_is_said_to) {
    const auto got = size(std::string{"[size]\nfind='room'\nfrom=20\nto=80\nconfirm=100\n"} + lossless);
    EXPECT_EQ(got.code, 0);
    EXPECT_THAT(got.out, HasSubstr("room = 20\n  nothing that was tried fails: the answer may lie beyond the range\n"
                                   "  values tried besides: 60 of 60 above, all hold; none below\n"));
}

// Frames are lost below 50, and again from 80 to 86: the bisection walks past, by 74 and 100.
TEST_F(size_test, a_hole_behind_the_answer_is_found) {
    fake.run = [](const platforms::platform_config& platform, const run_request&,
                  const std::function<void(const progress_report&)>&) {
        const auto room = std::stoll(platform.program_values.at("room"));
        run_result result;
        result.configuration = platform;
        if (room < 50 || (room >= 80 && room <= 86)) result.losses = {{0, 1, 3, true, "headroom", 1}};
        return result;
    };
    const auto got = size(std::string{"[size]\nfind='room'\nfrom=0\nto=100\n"} + lossless);
    EXPECT_EQ(got.code, 1);
    EXPECT_THAT(got.out, HasSubstr("there is no monotone answer; what was tried:"));
    // With nothing but the neighbours and what the bisection came by, it stays hidden.
    const auto bare = size(std::string{"[size]\nfind='room'\nfrom=0\nto=100\nconfirm=0\n"} + lossless);
    EXPECT_EQ(bare.code, 0);
    EXPECT_THAT(bare.out, HasSubstr("room = 50\n"));
}

TEST_F(size_test, what_makes_no_sense_is_refused_in_one_line) {
    EXPECT_THAT(size(lossless).err, HasSubstr("the study has no [size]"));
    EXPECT_THAT(size("[size]\nfind='room'\nfrom=0\nto=8\n").err, HasSubstr("s.toml:2:1: nothing has to hold"));
    EXPECT_THAT(size(std::string{"[size]\nfind='rom'\nfrom=0\nto=8\n"} + lossless).err,
                HasSubstr("--set rom=0: the program has no value \"rom\"\n  did you mean \"room\"?"));
    // Before the search: whether it holds nowhere is not said.
    const auto nowhere =
        size(std::string{"[size]\nfind='room'\nfrom=0\nto=8\n"} + lossless, {"--out", folder.path("none/x")});
    EXPECT_EQ(nowhere.err, "--out " + folder.path("none/x") + ": cannot be written: No such file or directory\n");
    EXPECT_THAT(size(std::string{"[size]\nfind='room'\nfrom=0\nto=8\n"} + lossless, {"--out", folder.path()}).err,
                HasSubstr("it is a folder"));
    for (const char* name : {"seed", "adversary.frame"}) {
        EXPECT_EQ(
            size(fmt::format("[size]\nfind='{}'\nfrom=1\nto=8\n", name) + lossless).err,
            fmt::format("{}:3:6: {} is nothing that one programs\n  a value of the boot script, or a hardware key\n",
                        folder.path("s.toml"), name));
    }
    EXPECT_THAT(size(std::string{"[size]\nfind='room'\nfrom=0\nto=8\nstep=0\n"} + lossless).err,
                HasSubstr("s.toml:6:6: step is the number 0"));
    EXPECT_THAT(size(std::string{"[size]\nfind='room'\nfrom=0\nto=8\nconfirm=-1\n"} + lossless).err,
                HasSubstr("s.toml:6:9: confirm is the number -1"));
    EXPECT_THAT(size(std::string{"[size]\nfind='room'\nfrom=8\nto=8\n"} + lossless).err,
                HasSubstr("nothing to look for"));
    EXPECT_THAT(size(std::string{"[size]\nfind='room'\nfrom=0\nto=8\neach=['load']\n"} + lossless).err,
                HasSubstr("each: load is not varied"));
    EXPECT_THAT(size(std::string{"[size]\nfind='room'\nfrom=0\nto=8\nheadroom_of='s0.9'\n"} + lossless).err,
                HasSubstr("there is no port \"s0.9\""));
    EXPECT_THAT(size(std::string{"[size]\nfind='room'\nfrom=0\nto=8\n[[vary]]\nname='adversary.frame'\nvalues=[64]\n"} +
                     lossless)
                    .err,
                HasSubstr("the study has no adversary"));
    EXPECT_THAT(size(std::string{"[size]\nfind='room'\nfrom=0\nto=8\n[adversary]\nreceiver=7\n"} + lossless).err,
                HasSubstr("host \"7\" is unknown"));
    EXPECT_THAT(
        size(std::string{"[size]\nfind='room'\nfrom=0\nto=8\n[adversary]\nreceiver=1\nsenders=[2]\nhelper=2\n"} +
             lossless)
            .err,
        HasSubstr("host h2 is named twice"));
}

/// The program itself against the adversary; a rate a test.
class exact_size : public ::testing::TestWithParam<const char*> {};

// W = 2 legs + own + 80 octet times; ceil(W / (L + 20)) frames of c cells, and c - 1 of the frame that crosses. Cells
// of 256 octets; 5 ns a metre; the own frame has 1518 octets, or L if that is more.
TEST_P(exact_size, is_the_closed_forms_to_the_cell) {
    const temporary_folder folder;
    const std::string rate = GetParam();
    std::ifstream study(WEIR_SOURCE_DIR "/platforms/studies/exact_headroom.toml");
    std::ostringstream text;
    text << study.rdbuf();
    std::string own = text.str();
    const auto replace = [&own](const std::string& from, const std::string& to) {
        ASSERT_NE(own.find(from), std::string::npos) << from;
        own.replace(own.find(from), from.size(), to);
    };
    replace("\"../headroom_adversary\"", "\"" WEIR_SOURCE_DIR "/platforms/headroom_adversary\"");
    replace(R"(["25G", "100G", "400G"])", "[\"" + rate + "\"]");
    const std::string command = WEIR_BINARY_DIR "/vp/weir size " + folder.write("s.toml", own) + " --out " +
                                folder.path("a.json") + " >" + folder.path("log") + " 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0);
    std::ifstream file(folder.path("a.json"));
    const json out = json::parse(file);
    ASSERT_EQ(out["answers"].size(), 18U);
    const std::int64_t octet_ps = rate == "25G" ? 320 : rate == "100G" ? 80 : 20;
    for (const auto& answer : out["answers"]) {
        const auto frame = std::stoll(answer["parameters"]["adversary.frame"].get<std::string>());
        const auto metres = std::stoll(answer["parameters"]["switch.s0.ports.cable"].get<std::string>());
        const std::int64_t w = 2 * metres * 5000 + (std::max<std::int64_t>(frame, 1518) + 80) * octet_ps;
        const std::int64_t period = (frame + 20) * octet_ps;
        const std::int64_t cells = (frame + 255) / 256;
        const std::int64_t exact = (w + period - 1) / period * cells + cells - 1;
        EXPECT_EQ(answer["answer"], exact) << rate << ' ' << metres << " m, frames of " << frame;
        EXPECT_EQ(answer["theory"]["closed form"], exact);
        EXPECT_TRUE(answer["theory"].contains("SONiC"));
        EXPECT_THAT(answer["binding"].get<std::string>(), HasSubstr("lossless_drops 1 is not at_most 0"));
    }
}

INSTANTIATE_TEST_SUITE_P(rates, exact_size, ::testing::Values("25G", "100G", "400G"),
                         [](const auto& each) { return std::string{each.param}; });

}  // namespace
}  // namespace weir::vp
