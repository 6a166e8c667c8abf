// SPDX-License-Identifier: Apache-2.0
// pause_log.csv: every pause with its cause, which adds up to the tree of causes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/vp/run_weir.h"
#include "tests/vp/support.h"

namespace weir::vp {
namespace {

using row = std::map<std::string, std::string>;

std::vector<row> rows_of(const std::string& path) {
    const auto split = [](const std::string& line) {
        std::vector<std::string> cells;
        std::istringstream in(line + ",");
        for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
        return cells;
    };
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    const auto titles = split(line);
    std::vector<row> rows;
    while (std::getline(file, line)) {
        const auto cells = split(line);
        EXPECT_EQ(cells.size(), titles.size()) << line;
        row r;
        for (std::size_t i = 0; i < std::min(cells.size(), titles.size()); ++i) r[titles[i]] = cells[i];
        rows.push_back(std::move(r));
    }
    return rows;
}

// Eight hosts of leaf0 fill a host's port of leaf1: leaf1 pauses the spines, these pause leaf0, leaf0 pauses the hosts.
// A pause that another caused stands at the switch that the other stops; without one the group's own switch has the
// root.
TEST(pause_log, has_every_pause_under_its_cause) {
    const platforms::testing::temporary_folder folder;
    const auto got = run_weir(fmt::format("run {}/platforms/leaf_spine_incast --observe --until 300us --out {}",
                                          WEIR_SOURCE_DIR, folder.path("out")));
    ASSERT_EQ(got.code, 0) << got.text.substr(0, 500);
    std::map<std::string, row> pauses;
    std::map<std::string, std::int64_t> times;
    std::map<std::string, std::int64_t> durations;
    std::int64_t lasting = 0;
    long long end = 0;
    for (const row& p : rows_of(folder.path("out/pause_log.csv"))) {
        EXPECT_TRUE(pauses.emplace(p.at("pause"), p).second) << "twice: " << p.at("pause");
        const std::string place = p.at("switch") + "." + p.at("port") + " " + p.at("group") + " " + p.at("stops");
        ++times[place];
        durations[place] += std::stoll(p.at("end_ps")) - std::stoll(p.at("begin_ps"));
        lasting += p.at("lasting") == "1" ? 1 : 0;
        end = std::max(end, std::stoll(p.at("end_ps")));
    }
    EXPECT_GT(lasting, 0);
    EXPECT_EQ(end, 300'000'000);
    std::map<std::string, int> at_depth;
    for (const auto& [number, p] : pauses) {
        int depth = 1;
        for (const row* each = &p; each->at("cause") != "0"; ++depth) {
            ASSERT_EQ(pauses.count(each->at("cause")), 1U) << number;
            const row& cause = pauses.at(each->at("cause"));
            EXPECT_LT(std::stoll(cause.at("begin_ps")), std::stoll(each->at("begin_ps")));
            EXPECT_EQ(cause.at("stops").substr(0, cause.at("stops").find('.')), each->at("switch"));
            EXPECT_EQ(cause.at("root"), each->at("root"));
            each = &cause;
            ASSERT_LT(depth, 5);
        }
        EXPECT_EQ(p.at("root"), "leaf1.0 queue 3");
        ++at_depth[p.at("switch").substr(0, p.at("switch").find_first_of("0123456789")) + std::to_string(depth)];
        if (p.at("switch") == "leaf1") {
            EXPECT_EQ(depth, 1);
        } else {
            EXPECT_EQ(depth, p.at("switch") == "leaf0" ? 3 : 2);
        }
    }
    EXPECT_GT(at_depth["leaf1"], 0);
    EXPECT_GT(at_depth["spine2"], 0);
    EXPECT_GT(at_depth["leaf3"], 0);
    for (const row& line : rows_of(folder.path("out/pauses.csv"))) {
        if (line.at("what") != "pause") continue;
        const std::string place =
            line.at("where") + "." + line.at("port") + " " + line.at("queue_or_group") + " " + line.at("stops");
        times[place] -= std::stoll(line.at("times"));
        durations[place] -= std::stoll(line.at("time_ps"));
    }
    for (const auto& [place, left] : times) EXPECT_EQ(left, 0) << place;
    for (const auto& [place, left] : durations) EXPECT_EQ(left, 0) << place;
}

}  // namespace
}  // namespace weir::vp
