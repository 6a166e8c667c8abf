// SPDX-License-Identifier: Apache-2.0
// weir report: the file that it leaves, its size, and bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/vp/support.h"

namespace weir::vp {
namespace {

namespace fs = std::filesystem;
using page_data = nlohmann::ordered_json;
using platforms::testing::temporary_folder;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::outcome;
using testing::sample_result;
using testing::small_chip;
using testing::weir;

constexpr std::size_t most_octets = 3'000'000;

std::string page_text(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

/// Without what stands between two marks, which are comments here.
std::string stripped(std::string text, const std::string& open, const std::string& close) {
    for (auto begin = text.find(open); begin != std::string::npos; begin = text.find(open)) {
        text.erase(begin, text.find(close, begin) + close.size() - begin);
    }
    return text;
}

page_data data_in(const std::string& page) {
    const std::string open = "<script type=\"application/json\" id=\"data\">";
    const auto begin = page.find(open) + open.size();
    return page_data::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

class report_page : public ::testing::Test {
protected:
    /// A run's folder of that name.
    std::string run(const std::string& name, const run_result& result) {
        folder.write("p.cfg", "");
        const std::string p =
            folder.write("p.toml", std::string{"[platform]\nprogram='p.cfg'\n"} + platforms::testing::four_hosts);
        const small_chip chip;
        const outcome got = weir({"run", p, "--out", folder.path(name)}, result, chip);
        EXPECT_NE(got.code, 2) << got.err;
        return folder.path(name);
    }
    std::string run(const std::string& name = "r") { return run(name, sample_result(small_chip{})); }
    void signals(const std::string& rows, const std::string& version = "1", const std::string& list = one_signal) {
        folder.write("r/signals.json", R"({"schema":"weir-signals","schema_version":)" + version +
                                           R"(,"begin_ps":0,"end_ps":1000,"signals":[)" + list + "]}");
        folder.write("r/signals.csv", rows);
    }
    /// The message of a report that must fail and leave nothing.
    std::string error(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "report");
        const outcome got = weir(arguments);
        EXPECT_EQ(got.code, 2);
        EXPECT_EQ(got.out, "");
        for (const auto& each : fs::recursive_directory_iterator(folder.path())) {
            EXPECT_THAT(each.path().filename().string(), Not(HasSubstr("report.html")));
        }
        return got.err;
    }
    page_data made(const std::vector<std::string>& folders) {
        std::vector<std::string> arguments{"report", "--out", folder.path("page.html")};
        arguments.insert(arguments.begin() + 1, folders.begin(), folders.end());
        const outcome got = weir(arguments);
        EXPECT_EQ(got.code, 0) << got.err;
        EXPECT_EQ(got.out, folder.path("page.html") + "\n");
        return data_in(page_text(folder.path("page.html")));
    }

    static constexpr const char* one_signal =
        R"({"name":"s0.1.pg3.service","kind":"service","switch":"s0","port":1,"index":3,"unit":"cells","xoff":40})";
    temporary_folder folder;
};

TEST_F(report_page, is_one_file_in_the_folder_that_refers_to_nothing_else) {
    const std::string dir = run();
    const outcome got = weir({"report", dir});
    ASSERT_EQ(got.code, 0) << got.err;
    EXPECT_EQ(got.out, dir + "/report.html\n");
    const std::string page = page_text(dir + "/report.html");
    EXPECT_THAT(page, HasSubstr("Permission is hereby granted")) << "uPlot's licence stays with it";
    EXPECT_THAT(page, Not(HasSubstr("{{")));
    const std::string bare = stripped(stripped(page, "<!--", "-->"), "/*!", "*/");
    for (const char* outside : {"http:", "https:", "src=", "<link", "@import", "url(", "fetch(", "XMLHttpRequest"}) {
        EXPECT_THAT(bare, Not(HasSubstr(outside)));
    }
    EXPECT_EQ(weir({"run", folder.path("p.toml"), "--out", dir}).code, 0) << "the next run replaces it with the rest";
}

TEST_F(report_page, shows_the_verdict_and_has_no_part_without_data) {
    run_result failed = sample_result(small_chip{});
    failed.losses = {{0, 1, 3, true, "headroom", 7}};
    const page_data data = made({run("r", failed)});
    const page_data& shown = data.at("runs").at(0);
    EXPECT_EQ(shown.at("name"), "r");
    EXPECT_EQ(shown.at("verdict").at("passed"), false);
    EXPECT_EQ(shown.at("verdict").at("failures").at(0), "s0.1 PG 3 lost 7 lossless frames: headroom");
    EXPECT_EQ(shown.at("losses").at(0).at("frames"), 7);
    EXPECT_EQ(shown.at("flows").at("count"), 3);
    EXPECT_EQ(shown.at("flows").at("finished"), 3);
    EXPECT_FALSE(shown.contains("timeline"));
    EXPECT_FALSE(shown.contains("observation"));
}

TEST_F(report_page, what_the_observer_saw_comes_along) {
    run_result seen = sample_result(small_chip{});
    seen.seen.emplace();
    seen.seen->causes.emplace_back();
    seen.seen->causes.back().what = "congestion";
    seen.seen->causes.back().time = nanoseconds(5);
    seen.seen->headroom.push_back({"s0", 1, 3, 536, 560, 768});
    const std::string dir = run("r", seen);
    folder.write("r/spread.csv", "time_ps,stopped_links,stopped_hosts,causes\n10,0,1,1\n");
    const page_data shown = made({dir}).at("runs").at(0).at("observation");
    EXPECT_EQ(shown.at("headroom").at(0),
              page_data::parse(R"({"switch":"s0","port":1,"group":3,"used":536,"needed":560,"programmed":768})"));
    EXPECT_EQ(shown.at("causes").at(0).at("time_ps"), 5000);
    EXPECT_EQ(shown.at("spread").at("hosts").at("v"), page_data::parse("[1]"));
}

TEST_F(report_page, counts_a_pause_that_stands_at_the_end) {
    small_chip chip;
    chip.set("pfc.tx_transitions.times", {1, 3}, 12);
    chip.set("pfc.tx_paused.priorities", {1}, 8);
    chip.set("pfc.rx_paused.priorities", {2}, 16);
    const page_data pauses = made({run("r", sample_result(chip))}).at("runs").at(0).at("pauses");
    ASSERT_EQ(pauses.size(), 2);
    EXPECT_EQ(pauses.at(0).at("priority"), 3);
    EXPECT_EQ(pauses.at(0).at("sent"), 13);
    EXPECT_EQ(pauses.at(1).at("priority"), 4);
    EXPECT_EQ(pauses.at(1).at("obeyed"), 1);
}

TEST_F(report_page, signals_become_steps_with_limits_and_distributions) {
    const std::string dir = run();
    signals("time_ps,signal,value\n100,0,30\n350,0,50\n600,0,0\n");
    const page_data shown = made({dir}).at("runs").at(0).at("timeline");
    const page_data& level = shown.at("levels").at(0);
    EXPECT_EQ(level.at("t"), page_data::parse("[100,250,250]")) << "differences";
    EXPECT_EQ(level.at("v"), page_data::parse("[30,50,0]"));
    EXPECT_EQ(level.at("limits"), page_data::parse(R"({"xoff":40})"));
    EXPECT_EQ(level.at("peak"), 50);
    // 30 for 250 ps and 50 for 250 of 1000.
    EXPECT_EQ(level.at("distribution").at("mean"), 20);
    EXPECT_EQ(level.at("distribution").at("of_time"), page_data::parse("[1.0,0.5,0.25]"));
}

TEST_F(report_page, samples_serve_where_there_are_no_signals) {
    const std::string dir = run();
    folder.write("r/occupancy.csv",
                 "time_ps,switch,port,group,guaranteed_cells,service_cells,headroom_cells,paused\n"
                 "1000,0,1,3,8,100,0,0\n2000,0,1,3,8,200,4,1\n3000,0,1,3,0,0,0,0\n");
    const page_data shown = made({dir}).at("runs").at(0).at("timeline");
    EXPECT_EQ(shown.at("exact"), false);
    ASSERT_EQ(shown.at("levels").size(), 3);
    EXPECT_EQ(shown.at("levels").at(0).at("v"), page_data::parse("[8,0]")) << "changes only";
    EXPECT_EQ(shown.at("levels").at(1).at("v"), page_data::parse("[100,200,0]"));
    EXPECT_FALSE(shown.at("levels").at(1).contains("distribution")) << "samples tell none";
    EXPECT_EQ(shown.at("lanes").at(0).at("length"), page_data::parse("[1000]"));
}

TEST_F(report_page, folders_of_the_same_name_are_told_apart) {
    run("r");
    fs::create_directories(folder.path("a"));
    fs::create_directories(folder.path("b"));
    fs::copy(folder.path("r"), folder.path("a/r"));
    fs::copy(folder.path("r"), folder.path("b/r"));
    const page_data data = made({folder.path("a/r"), folder.path("b/r/")});
    EXPECT_EQ(data.at("runs").at(0).at("name"), "r");
    EXPECT_EQ(data.at("runs").at(1).at("name"), "b/r");
}

TEST_F(report_page, a_million_changes_of_many_signals_stay_below_the_limit) {
    const std::string dir = run();
    std::string list;
    for (int i = 0; i < 400; ++i) {
        const bool pause = i % 4 == 3;
        list += (i > 0 ? "," : "") + std::string{R"({"name":"n","kind":")"} + (pause ? "asked" : "service") +
                R"(","switch":"s0","port":)" + std::to_string(i) + R"(,"index":3,"unit":"cells"})";
    }
    std::string rows = "time_ps,signal,value\n";
    std::uint32_t random = 1;
    std::int64_t time = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        random = random * 1664525U + 1013904223U;
        time += random >> 12U;
        const std::uint32_t number = random % 400;
        const std::uint32_t value = number % 4 == 3 ? random >> 31U : 10'000 + (random >> 16U);
        rows += std::to_string(time) + "," + std::to_string(number) + "," + std::to_string(value) + "\n";
    }
    signals(rows, "1", list);
    std::string head = page_text(dir + "/signals.json");
    folder.write("r/signals.json",
                 head.replace(head.find("\"end_ps\":1000"), 13, "\"end_ps\":" + std::to_string(time)));
    const page_data shown = made({dir}).at("runs").at(0).at("timeline");
    EXPECT_EQ(shown.at("levels").size() + shown.at("lanes").size(), 400);
    EXPECT_LT(fs::file_size(folder.path("page.html")), most_octets);
}

TEST_F(report_page, equal_folders_give_equal_files) {
    const std::string dir = run();
    signals("time_ps,signal,value\n100,0,30\n");
    ASSERT_EQ(weir({"report", dir}).code, 0);
    const std::string first = page_text(dir + "/report.html");
    ASSERT_EQ(weir({"report", dir}).code, 0);
    EXPECT_EQ(page_text(dir + "/report.html"), first);
}

TEST_F(report_page, markup_in_names_stays_text) {
    run_result odd = sample_result(small_chip{});
    odd.violations = {"</script><script>alert(1)</script>"};
    made({run("r", odd)});
    EXPECT_THAT(page_text(folder.path("page.html")), Not(HasSubstr("alert(1)</script>")));
}

TEST_F(report_page, bad_folders_get_one_message_and_no_file) {
    EXPECT_EQ(error({}), "weir report: no folder was named\n  weir report DIR\n");
    EXPECT_EQ(error({folder.path("none")}),
              folder.path("none") + ": is no folder\n  one that weir run --out or weir sweep left\n");
    fs::create_directories(folder.path("r"));
    const std::string dir = folder.path("r");
    EXPECT_EQ(error({dir}), dir + "/result.json: cannot be read\n  a folder that weir run --out left\n");
    folder.write("r/result.json", "{\"schema\":");
    EXPECT_EQ(error({dir}), dir + "/result.json: is no result of a run\n  a folder that weir run --out left\n");
    folder.write("r/result.json", R"({"schema":"weir-result","schema_version":2})");
    EXPECT_EQ(error({dir}), dir + "/result.json: has version 2 of the format\n  version 1: run it again\n");
    folder.write("r/result.json", R"({"schema":"weir-result","schema_version":1})");
    EXPECT_EQ(error({dir}), dir + "/result.json: lacks what every result has\n  key 'weir' not found\n");
    // Values of another kind are merely wrong ones.
    for (const char* schema : {"7", "null", "[]", "{}"}) {
        folder.write("r/result.json", std::string{R"({"schema_version":1,"schema":)"} + schema + "}");
        EXPECT_EQ(error({dir}), dir + "/result.json: is no result of a run\n  a folder that weir run --out left\n");
    }
    folder.write("r/result.json", R"({"schema":"weir-result"})");
    EXPECT_EQ(error({dir}), dir + "/result.json: has version null of the format\n  version 1: run it again\n");
}

TEST_F(report_page, broken_signals_are_told_with_their_line) {
    const std::string dir = run();
    const std::string csv = dir + "/signals.csv";
    const std::string header = "time_ps,signal,value\n";
    signals("time,signal,value\n");
    EXPECT_EQ(error({dir}), csv + ":1: the header is another\n  time_ps,signal,value\n");
    signals(header + "1,0,5\n2,0\n");
    EXPECT_EQ(error({dir}), csv + ":3: is no row of whole numbers\n  time_ps,signal,value\n");
    signals(header + "1,0,5,6\n");
    EXPECT_EQ(error({dir}), csv + ":2: is no row of whole numbers\n  time_ps,signal,value\n");
    signals(header + "1,0,5\n\n");
    EXPECT_EQ(error({dir}), csv + ":3: is no row of whole numbers\n  time_ps,signal,value\n");
    signals(header + "9,0,5\n8,0,6\n");
    EXPECT_EQ(error({dir}), csv + ":3: time 8 comes after 9\n  rows by rising time\n");
    signals(header + "1,1,5\n");
    EXPECT_EQ(error({dir}), csv + ":2: there is no signal 1\n  0 to 0\n");
    signals(header + "1001,0,5\n");
    EXPECT_EQ(error({dir}), csv + ":2: time 1001 is after the end\n  1000 at most, as signals.json says\n");
    signals(header + "1,0,5\n2,0,6");
    EXPECT_EQ(error({dir}), csv + ":3: the line has no end: the file was cut off\n  run it again\n");
    signals(header, "7");
    EXPECT_EQ(error({dir}), dir + "/signals.json: has version 7 of the format\n  version 1: run it again\n");
    fs::remove(dir + "/signals.json");
    EXPECT_EQ(error({dir}), dir + "/signals.json: cannot be read\n  the file that belongs to signals.csv\n");
}

TEST_F(report_page, a_place_that_cannot_be_written_is_told) {
    const std::string dir = run();
    fs::create_symlink("/dev/null", folder.path("device"));
    EXPECT_EQ(error({dir, "--out", folder.path("device")}),
              folder.path("device") + ": cannot be written: it is no file\n");
    EXPECT_TRUE(fs::is_symlink(folder.path("device")));
    EXPECT_EQ(error({dir, "--out", folder.path("none/page.html")}),
              folder.path("none/page.html") + ": cannot be written: No such file or directory\n");
    EXPECT_THAT(error({dir, "--out", dir}), HasSubstr(dir + ": cannot be written: "));
    EXPECT_FALSE(fs::exists(dir + ".partial"));
}

constexpr const char* small_study =
    R"({"schema":"weir-study","schema_version":1,"study":"s","platform":"p",
        "parameters":[{"name":"xoff","values":[1,2]}],"figures":[{"name":"lost","unit":"frames","meaning":""}],
        "constraints":[{"figure":"lost","relation":"equals","bound":0}],
        "points":[{"parameters":{"xoff":1},"runs":1,"failed":0,"reasons":[],"figures":{"lost":{"mean":0,"low":null}},"holds":true}]})";

TEST_F(report_page, a_sweep_s_folder_gives_its_table) {
    fs::create_directories(folder.path("s"));
    folder.write("s/table.json", small_study);
    EXPECT_EQ(made({folder.path("s")}).at("study"), page_data::parse(small_study));
    const std::string dir = run();
    EXPECT_EQ(
        error({dir, folder.path("s")}),
        folder.path("s") + ": is a study, and other folders are named beside it\n  a study alone, or runs alone\n");
}

TEST_F(report_page, a_sweep_s_numbers_are_told_as_exactly_as_a_page_can_show) {
    fs::create_directories(folder.path("s"));
    std::string text = small_study;
    const std::string figure = R"({"mean":0,"low":null})";
    folder.write("s/table.json",
                 text.replace(text.find(figure), figure.size(),
                              R"({"mean":0.1234567890123,"sd":1.5,"low":1e-9,"high":123456789,"min":0})"));
    EXPECT_EQ(made({folder.path("s")}).at("study").at("points").at(0).at("figures").at("lost"),
              page_data::parse(R"({"mean":0.1234568,"low":1e-9,"high":123456789})"));
}

TEST_F(report_page, a_table_of_too_many_points_is_refused) {
    fs::create_directories(folder.path("s"));
    const std::string whole = small_study;
    const std::size_t begin = whole.find("\"points\":[") + std::string("\"points\":[").size();
    const std::string point = whole.substr(begin, whole.rfind(']') - begin);
    for (const std::size_t count : {std::size_t{20'000}, std::size_t{20'001}}) {
        std::string text = whole.substr(0, begin) + point;
        for (std::size_t i = 1; i < count; ++i) text += "," + point;
        folder.write("s/table.json", text + "]}");
        if (count == 20'000) {
            EXPECT_EQ(made({folder.path("s")}).at("study").at("points").size(), count);
        } else {
            EXPECT_THAT(error({folder.path("s")}),
                        HasSubstr("s/table.json: has 20001 points, and a page shows 20000\n"));
        }
    }
}

TEST_F(report_page, a_broken_table_is_told) {
    fs::create_directories(folder.path("s"));
    const std::string dir = folder.path("s");
    const std::string table = dir + "/table.json";
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string text = small_study;
        folder.write("s/table.json", text.replace(text.find(from), from.size(), to));
        return error({dir});
    };
    EXPECT_EQ(with("weir-study", "weir"), table + ": is no table of a study\n  a folder that weir sweep --out left\n");
    EXPECT_EQ(with("version\":1", "version\":3"), table + ": has version 3 of the format\n  version 1: run it again\n");
    EXPECT_EQ(with("\"figure\":\"lost\"", "\"figure\":\"won\""),
              table + ": a constraint is on won, which is no figure\n  a figure of the same table\n");
    EXPECT_EQ(with("\"figures\":{", "\"figures\":7,\"others\":{"),
              table + ": point 0 has no table of figures\n  one of each figure\n");
    EXPECT_EQ(with("\"study\":", "\"name\":"), table + ": lacks what every table has\n  key 'study' not found\n");
    EXPECT_EQ(with("{\"xoff\":1}", "{}"), table + ": point 0 has no value for xoff\n  one of each parameter\n");
    EXPECT_EQ(with("\"constraints\"", "\"others\""),
              table + ": lacks what every table has\n  key 'constraints' not found\n");
    EXPECT_EQ(with("\"weir-study\"", "{}"),
              table + ": is no table of a study\n  a folder that weir sweep --out left\n");
    EXPECT_EQ(with("version\":1", "version\":[]"),
              table + ": has version [] of the format\n  version 1: run it again\n");
}

}  // namespace
}  // namespace weir::vp
