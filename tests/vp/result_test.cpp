// SPDX-License-Identifier: Apache-2.0
// What a run leaves: summary, result.json, flows.csv, series, and the folder they go to.
#include "vp/results/result.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/vp/support.h"
#include "vp/commands/progress.h"
#include "vp/output/csv_writer.h"
#include "vp/output/output_directory.h"
#include "vp/output/table.h"

namespace weir::vp {
namespace {

using platforms::testing::temporary_folder;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::sample_result;
using testing::small_chip;
using ::testing::StartsWith;

std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

TEST(result, utilisation_counts_gaps_between_frames_as_used) {
    host_result host;
    host.rate = *data_rate::from_name("100G");
    host.data_frames = 2;
    host.data_octets = 2000;
    host.first_data = picoseconds{0};
    host.last_data = picoseconds{2020 * 80};
    EXPECT_DOUBLE_EQ(*host.utilisation(), 1.0);
    host.last_data = picoseconds{4040 * 80};
    EXPECT_DOUBLE_EQ(*host.utilisation(), 0.5);
    host.data_frames = 1;
    EXPECT_EQ(host.utilisation(), std::nullopt);
}

TEST(result, summary_says_what_happened_and_ends_with_the_digest) {
    small_chip chip;
    chip.set("pg.mode.lossless", {1, 3}, 1);
    chip.set("pg.max.cells", {1, 3}, 7100);
    chip.set("pg.guaranteed.cells", {1, 3}, 8);
    chip.set("pg.service_max.cells", {1, 3}, 6800);
    chip.set("pg.xoff.cells", {1, 3}, 6800);
    chip.set("pg.headroom_max.cells", {1, 3}, 292);
    chip.set("pg.headroom.cells", {1, 3}, 768);
    chip.set("pfc.tx_transitions.times", {1, 3}, 12);
    chip.set("pfc.tx_paused_ns.time", {1, 3}, 12'345);
    const std::string text = summary_text(sample_result(chip));
    EXPECT_THAT(text,
                StartsWith("sample: 3 flows, 3MiB, seed 7\n  passed: no loss on lossless classes, conservation holds\n"
                           "  300.000 us from workload time zero, drained; 3 of 3 flows finished\n"));
    EXPECT_THAT(text, HasSubstr("h0        s0.0   1 000  4 158 000  337.615      99.00 %   0\n"));
    EXPECT_THAT(text, HasSubstr("s0.1  3                  12            12  12.345              0  0.000\n"));
    EXPECT_THAT(text, HasSubstr("s0.1        PG 3 lossless           8   8    6 800  6 800       292  768\n"));
    EXPECT_THAT(text, HasSubstr("no frame was lost\n"));
    EXPECT_THAT(text,
                HasSubstr("driver: 25 commands, 4 600 register accesses (1 200 reads, 3 400 writes), 0 refused\n"));
    EXPECT_THAT(text, EndsWith("\ndigest: 00c0ffee\n"));
}

TEST(result, lossless_loss_fails_the_run_and_names_the_reason) {
    const small_chip chip;
    run_result result = sample_result(chip);
    result.losses = {{0, 2, 0, false, "wred", 5}};
    EXPECT_TRUE(result.passed()) << "lossy classes may lose";
    result.losses.push_back({0, 1, 3, true, "headroom", 12});
    EXPECT_THAT(result.failures(), ElementsAre("s0.1 PG 3 lost 12 lossless frames: headroom"));
    EXPECT_THAT(summary_text(result), HasSubstr("  FAILED\n    s0.1 PG 3 lost 12 lossless frames: headroom\n"));
    EXPECT_THAT(summary_text(result), HasSubstr("s0.1     3   lossless  headroom      12\n"));
}

// What is bad stands between the verdict and the rest; of losses, lossless ones come first, whatever their order.
TEST(result, summary_tells_first_what_is_bad) {
    const small_chip chip;
    run_result result = sample_result(chip);
    result.losses = {{0, 0, 0, false, "no_route", 4}, {0, 2, 0, false, "wred", 5}, {0, 1, 3, true, "headroom", 12}};
    result.flows[1].finish.reset();
    result.flows[2].finish.reset();
    result.flows[2].given_up = microseconds(300);
    result.violations = {"flow 2 (h3 to h0) was given up after 7 timeouts without progress"};
    result.seen.emplace();
    result.seen->circles.push_back({{{"s0", 1, 3}, {"s1", 2, 3}}, microseconds(10), 4, microseconds(20)});
    result.seen->circles.push_back({{{"s0", 2, 3}, {"s1", 1, 3}}, microseconds(10), 4, std::nullopt});
    EXPECT_THAT(summary_text(result),
                StartsWith("sample: 3 flows, 3MiB, seed 7\n"
                           "  FAILED\n"
                           "    flow 2 (h3 to h0) was given up after 7 timeouts without progress\n"
                           "    s0.1 PG 3 lost 12 lossless frames: headroom\n"
                           "    deadlock since 20.000 us: a circle of 2 waits, one of them at s0.1 priority 3\n"
                           "  1 flow did not finish: 1 (h2 to h0)\n"
                           "  lossy classes lost 9 frames, most at s0.2 PG 0: 5 by wred\n"
                           "  300.000 us from workload time zero, drained; 1 of 3 flows finished\n"));
    EXPECT_THAT(summary_text(result), HasSubstr("\n\n"
                                                "  lost at  PG  class     reason    frames\n"
                                                "  s0.1     3   lossless  headroom      12\n"
                                                "  s0.0     0   lossy     no_route       4\n"
                                                "  s0.2     0   lossy     wred           5\n"
                                                "\n"));
}

TEST(result, summary_names_three_of_many_unfinished_flows) {
    const small_chip chip;
    run_result result = sample_result(chip);
    result.flows.resize(5, result.flows[0]);
    for (auto& flow : result.flows) flow.finish.reset();
    EXPECT_THAT(summary_text(result),
                HasSubstr("\n  5 flows did not finish: 0 (h1 to h0), 1 (h2 to h0), 2 (h3 to h0), … and 2 more\n"));
}

TEST(result, colours_say_no_more_than_the_plain_summary) {
    const small_chip chip;
    run_result result = sample_result(chip);
    EXPECT_THAT(summary_text(result, true), HasSubstr("\n\x1b[32m  passed: no loss on lossless classes, "
                                                      "conservation holds\x1b[0m\n"));
    result.losses = {{0, 2, 0, false, "wred", 5}, {0, 1, 3, true, "headroom", 12}};
    result.flows[1].finish.reset();
    const std::string text = summary_text(result, true);
    EXPECT_THAT(text, HasSubstr("\n\x1b[31m  FAILED\x1b[0m\n"));
    EXPECT_THAT(text, HasSubstr("\n\x1b[31m  s0.1     3   lossless  headroom      12\x1b[0m\n"));
    EXPECT_THAT(text, HasSubstr("\n\x1b[33m  s0.2     0   lossy     wred           5\x1b[0m\n"));
    EXPECT_THAT(text, HasSubstr("\n\x1b[33m  1 flow did not finish: 1 (h2 to h0)\x1b[0m\n"));
    EXPECT_THAT(text, EndsWith("\ndigest: 00c0ffee\n"));
    EXPECT_EQ(std::regex_replace(text, std::regex("\x1b\\[[0-9]*m"), ""), summary_text(result));
}

TEST(result, json_calls_counters_as_registers_are_called) {
    small_chip chip;
    chip.set("pg.max.cells", {2, 3}, 77);
    chip.set("pg.mode.lossless", {2, 3}, 1);
    chip.set("port.rx_frames.frames", {2}, 5'000'000'000);
    chip.set("port.drops.frames", {2, 8}, 9);
    chip.set("bm.pool_max.cells", {1}, 55);
    const auto json = nlohmann::json::parse(result_json(sample_result(chip)));
    EXPECT_EQ(json["schema"], "weir-result");
    EXPECT_EQ(json["schema_version"], 1);
    EXPECT_EQ(json["digest"], "00c0ffee");
    EXPECT_EQ(json["verdict"]["passed"], true);
    EXPECT_EQ(json["run"]["traffic_at_ps"], 100'000'000);
    EXPECT_EQ(json["driver"]["writes"], 3400);
    const auto& ports = json["switches"][0]["ports"];
    ASSERT_EQ(ports.size(), 4U) << "the CPU port is not a front port";
    EXPECT_EQ(ports[2]["name"], "s0.2");
    EXPECT_EQ(ports[2]["pg"]["max"][3], 77);
    EXPECT_EQ(ports[2]["pg"]["mode"][3]["lossless"], 1);
    EXPECT_EQ(ports[2]["port"]["rx_frames"], 5'000'000'000);
    EXPECT_EQ(ports[2]["port"]["drops"]["headroom"], 9);
    EXPECT_EQ(json["switches"][0]["chip"]["bm"]["pool_max"][1], 55);
    EXPECT_EQ(json["hosts"][0]["data_frames"], 1000);
    EXPECT_EQ(json["flows"][1]["source"], "h2");
    EXPECT_EQ(json["flows"][1]["finish_ps"], 250'000'000);
    EXPECT_EQ(json["configuration"]["switch"]["s0"]["cell_octets"], 256);
}

TEST(result, flows_csv_leaves_a_flow_that_did_not_finish_empty) {
    const small_chip chip;
    run_result result = sample_result(chip);
    result.flows[1].finish.reset();
    result.flows[0].ideal = microseconds(125);
    result.flows[0].id = "a";
    result.flows[0].paused = nanoseconds(3);
    result.flows[2].start.reset();
    std::istringstream lines(flows_csv(result));
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line,
              "flow,source,destination,priority,dscp,octets,start_ps,first_ps,finish_ps,delivered_octets,lost_frames,"
              "marked_frames,retransmitted_frames,acknowledged_ps,id,paused_ps,ideal_ps,slowdown");
    std::getline(lines, line);
    EXPECT_EQ(line, "0,h1,h0,3,24,1048576,0,10000,250000000,1048576,0,0,0,,a,3000,125000000,2.0000");
    std::getline(lines, line);
    EXPECT_EQ(line, "1,h2,h0,3,24,1048576,0,10000,,1048576,0,0,0,,,0,,");
    std::getline(lines, line);
    EXPECT_EQ(line, "2,h3,h0,3,24,1048576,,10000,250000000,1048576,0,0,0,,,0,,");
}

TEST(csv_writer, writes_rows_of_numbers) {
    const temporary_folder folder;
    csv_writer out(folder.path("a.csv"), occupancy_columns());
    out.row({1'000'000, 0, 3, 3, 8, 6800, 0, 1});
    EXPECT_THROW(out.row({1}), std::invalid_argument);
    out.close();
    EXPECT_EQ(content(folder.path("a.csv")),
              "time_ps,switch,port,group,guaranteed_cells,service_cells,headroom_cells,paused\n"
              "1000000,0,3,3,8,6800,0,1\n");
    EXPECT_THROW(csv_writer("/nonexistent/a.csv", {"a"}), output_error);
}

TEST(csv_writer, notices_a_full_disk) {
    csv_writer out("/dev/full", {"a"});
    out.row({1});
    EXPECT_THROW(out.close(), output_error);
}

TEST(output_directory, appears_whole_or_not_at_all) {
    const temporary_folder folder;
    const std::string path = folder.path("out");
    {
        const output_directory abandoned(path);
        abandoned.write("result.json", "{}");
    }
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
    {
        output_directory kept(path + "/");
        kept.write("result.json", "{}");
        EXPECT_FALSE(std::filesystem::exists(path));
        kept.commit();
    }
    EXPECT_EQ(content(path + "/result.json"), "{}");
    EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
}

TEST(output_directory, replaces_an_earlier_result_and_nothing_else) {
    const temporary_folder folder;
    const std::string path = folder.path("out");
    std::filesystem::create_directory(path);
    std::ofstream(path + "/thesis.txt") << "precious";
    try {
        const output_directory out(path);
        FAIL() << "a folder of somebody else's was taken";
    } catch (const output_error& e) {
        EXPECT_EQ(std::string{e.what()}, "--out " + path +
                                             ": exists and is no result of an earlier run\n"
                                             "  give a new name, or one that holds a result.json");
    }
    EXPECT_EQ(content(path + "/thesis.txt"), "precious");
    std::ofstream(path + "/result.json") << "{}";
    EXPECT_THROW(output_directory{path}, output_error);
    EXPECT_EQ(content(path + "/thesis.txt"), "precious");
    std::filesystem::remove(path + "/thesis.txt");
    std::ofstream(path + "/s0.1.pcapng") << "earlier";
    output_directory out(path);
    out.write("result.json", "new");
    out.commit();
    EXPECT_EQ(content(path + "/result.json"), "new");
    EXPECT_FALSE(std::filesystem::exists(path + "/s0.1.pcapng"));
}

TEST(output_directory, leaves_alone_what_merely_has_the_name_of_its_working_folder) {
    const temporary_folder folder;
    const std::string path = folder.path("out");
    std::ofstream(path + ".partial") << "precious";
    EXPECT_THROW(output_directory{path}, output_error);
    EXPECT_EQ(content(path + ".partial"), "precious");
}

TEST(output_directory, takes_up_after_an_interrupted_run) {
    const temporary_folder folder;
    const std::string path = folder.path("out");
    std::filesystem::create_directory(path + ".partial");
    std::ofstream(path + ".partial/s0.1.pcapng") << "half";
    output_directory out(path);
    out.write("result.json", "{}");
    out.commit();
    EXPECT_FALSE(std::filesystem::exists(path + "/s0.1.pcapng"));
}

TEST(output_directory, wants_a_name) {
    for (const char* path : {"", ".", "..", "/", "./"}) {
        EXPECT_THROW(output_directory{path}, output_error) << '"' << path << '"';
    }
}

TEST(output_directory, needs_a_parent) {
    EXPECT_THROW(output_directory("/nonexistent/out"), output_error);
}

TEST(progress_bar, shows_share_time_speed_and_what_is_left) {
    EXPECT_EQ(progress_bar::line({microseconds(1500), 0.25, 3'000'000}, 2.0),
              "[######..................]  25 %  1.500 ms simulated  1.50 M frames/s  0:06 left");
    EXPECT_EQ(progress_bar::line({microseconds(1500), -1, 0}, 0), "1.500 ms simulated");
}

TEST(progress_bar, is_silent_where_there_is_no_terminal) {
    std::FILE* file = std::tmpfile();
    {
        progress_bar bar(file);
        bar.update({microseconds(1), 0.5, 1});
    }
    EXPECT_EQ(std::ftell(file), 0);
    {
        progress_bar bar(file, true);
        bar.update({microseconds(1), 0.5, 1});
    }
    EXPECT_GT(std::ftell(file), 0);
    std::fclose(file);
}

TEST(table, aligns_words_left_and_numbers_right) {
    table rows({"name", ">cells"});
    rows.row({"µs", "7"}).row({"longer", "1 000"});
    EXPECT_EQ(rows.text(0), "name    cells\nµs          7\nlonger  1 000\n");
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1'234'567), "1 234 567");
}

TEST(snapshot, knows_the_chip_s_size_and_its_fields) {
    small_chip chip;
    chip.set("queue.octets.octets", {4, 7}, 0x1'0000'0002);
    const register_snapshot got = chip.snapshot();
    EXPECT_EQ(got.front_ports(), 4U);
    EXPECT_EQ(got.value("queue.octets.octets", {4, 7}), 0x1'0000'0002U);
    EXPECT_TRUE(got.all_ones("pg.xoff.cells", {0, 0}));
    EXPECT_FALSE(got.all_ones("pg.headroom.cells", {0, 0}));
    EXPECT_THROW((void)got.value("queue.octets.octets", {5, 0}), std::out_of_range);
    EXPECT_THROW((void)got.value("queue.octet.octets"), std::logic_error);
}

}  // namespace
}  // namespace weir::vp
