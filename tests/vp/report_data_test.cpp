// SPDX-License-Identifier: Apache-2.0
// What the report's page is given: distributions and level of detail, against numbers worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "vp/report/configuration.h"
#include "vp/report/distribution.h"
#include "vp/report/pauses.h"
#include "vp/report/steps.h"
#include "vp/report/timeline.h"

namespace weir::vp::report {
namespace {

using ::testing::ElementsAre;
using json = nlohmann::ordered_json;

TEST(report_distribution, weighs_values_by_the_time_they_stood) {
    // 0 for 100 + 200 ps, 10 for 200 + 200, 30 for 100, 20 for 200; 50 for no time.
    const std::vector<change> changes{{100, 10}, {300, 30}, {400, 10}, {600, 50}, {600, 20}, {800, 0}};
    const time_distribution got = distribution_of(changes, 0, 1000);
    EXPECT_DOUBLE_EQ(got.mean, (10 * 400 + 30 * 100 + 20 * 200) / 1000.0);
    EXPECT_THAT(got.quantiles, ElementsAre(10, 30, 30, 30));
    ASSERT_EQ(got.tail.size(), 4);
    const std::vector<std::pair<std::int64_t, double>> at_least{{0, 1.0}, {10, 0.7}, {20, 0.3}, {30, 0.1}};
    for (std::size_t i = 0; i < at_least.size(); ++i) {
        EXPECT_EQ(got.tail[i].value, at_least[i].first);
        EXPECT_DOUBLE_EQ(got.tail[i].time, at_least[i].second);
    }
    EXPECT_EQ(peak_of(changes), 50) << "a peak counts however short it was";
}

TEST(report_distribution, median_is_the_least_value_that_half_the_time_does_not_exceed) {
    EXPECT_EQ(distribution_of({{500, 5}}, 0, 1000).quantiles[0], 0);
    EXPECT_EQ(distribution_of({{499, 5}}, 0, 1000).quantiles[0], 5);
}

TEST(report_distribution, counts_from_the_beginning_of_what_was_recorded) {
    const time_distribution got = distribution_of({{400, 8}}, 200, 1000);
    EXPECT_DOUBLE_EQ(got.mean, 8 * 600 / 800.0);
}

TEST(report_distribution, a_signal_that_never_changed_is_0) {
    const time_distribution got = distribution_of({}, 0, 10);
    EXPECT_EQ(got.mean, 0);
    ASSERT_EQ(got.tail.size(), 1);
    EXPECT_EQ(got.tail[0].value, 0);
    EXPECT_EQ(peak_of({}), 0);
}

TEST(report_distribution, has_few_points_of_many_values_first_and_last_among_them) {
    std::vector<change> changes;
    for (std::int64_t i = 0; i < 10'000; ++i) changes.push_back({i, i});
    const time_distribution got = distribution_of(changes, 0, 10'000);
    EXPECT_LE(got.tail.size(), 100);
    EXPECT_EQ(got.tail.front().value, 0);
    EXPECT_DOUBLE_EQ(got.tail.front().time, 1);
    EXPECT_EQ(got.tail.back().value, 9'999);
    EXPECT_DOUBLE_EQ(got.tail.back().time, 1.0 / 10'000);
    // Value v stands for 1 ps, v ps after the start: at least v for 10 000 − v.
    for (const tail_point& each : got.tail) {
        EXPECT_DOUBLE_EQ(each.time, static_cast<double>(10'000 - each.value) / 10'000);
    }
}

TEST(report_distribution, lengths_of_pauses_by_number_and_by_time) {
    // 10, 10, 20, 60 ps: ranks ⌈4·0.5⌉ = 2 and ⌈4·0.95⌉ = 4.
    const length_distribution got = lengths_of({{0, 10, 1, 10}, {20, 80, 1, 60}, {90, 100, 1, 10}, {200, 220, 1, 20}});
    EXPECT_EQ(got.count, 4);
    EXPECT_EQ(got.time, 100);
    EXPECT_THAT(got.quantiles, ElementsAre(10, 60, 60, 60));
    EXPECT_EQ(got.longest, 60);
    ASSERT_EQ(got.tail.size(), 3);
    const std::vector<std::array<double, 3>> at_least{{10, 1, 1}, {20, 0.5, 0.8}, {60, 0.25, 0.6}};
    for (std::size_t i = 0; i < at_least.size(); ++i) {
        EXPECT_EQ(got.tail[i].length, at_least[i][0]);
        EXPECT_DOUBLE_EQ(got.tail[i].pauses, at_least[i][1]);
        EXPECT_DOUBLE_EQ(got.tail[i].time, at_least[i][2]);
    }
}

std::vector<std::array<std::int64_t, 4>> plain(const detail& of) {
    std::vector<std::array<std::int64_t, 4>> made;
    for (const step& each : of.steps) made.push_back({each.time, each.low, each.high, each.last});
    return made;
}

TEST(report_detail, few_changes_stay_exact_and_many_keep_their_extremes) {
    using row = std::array<std::int64_t, 4>;
    const std::vector<change> changes{{0, 1}, {1, 9}, {2, 2}, {3, 3}, {8, 7}, {9, 5}};
    const detail exact = reduce(changes, 6);
    EXPECT_EQ(exact.resolution, 1);
    EXPECT_EQ(exact.steps.size(), 6);
    // Buckets of 2 ps: {0, 1}, {2, 3}, {8, 9}; of 4 ps: {0 … 3}, {8, 9}.
    EXPECT_EQ(reduce(changes, 5).resolution, 2);
    EXPECT_THAT(plain(reduce(changes, 3)), ElementsAre(row{0, 1, 9, 9}, row{2, 2, 3, 3}, row{8, 5, 7, 5}));
    EXPECT_THAT(plain(reduce(changes, 2)), ElementsAre(row{0, 1, 9, 3}, row{8, 5, 7, 5}));
    EXPECT_THAT(plain(reduce(changes, 1)), ElementsAre(row{0, 1, 9, 5}));
    EXPECT_TRUE(reduce({}, 1).steps.empty());
}

TEST(report_detail, one_change_among_a_million_is_still_the_peak) {
    std::vector<change> changes;
    for (std::int64_t i = 0; i < 1'000'000; ++i) changes.push_back({10 * i, i == 654'321 ? 7'000 : i % 100});
    const detail got = reduce(changes, 1000);
    EXPECT_LE(got.steps.size(), 1000);
    EXPECT_GT(got.steps.size(), 400) << "no coarser than it must be";
    std::int64_t peak = 0;
    for (const step& each : got.steps) peak = std::max(peak, each.high);
    EXPECT_EQ(peak, 7'000);
    EXPECT_EQ(got.steps.back().last, 99);
}

TEST(report_detail, shares_go_to_those_who_want_more) {
    EXPECT_THAT(share_out({1, 100, 100}, 61), ElementsAre(1, 30, 30));
    EXPECT_THAT(share_out({100, 3, 5}, 20), ElementsAre(12, 3, 5));
    EXPECT_THAT(share_out({5, 5}, 100), ElementsAre(5, 5));
    EXPECT_TRUE(share_out({}, 100).empty());
}

std::vector<std::array<std::int64_t, 4>> plain(const std::vector<interval>& of) {
    std::vector<std::array<std::int64_t, 4>> made;
    for (const interval& each : of) {
        made.push_back({each.begin, each.end, static_cast<std::int64_t>(each.count), each.time});
    }
    return made;
}

TEST(report_pauses, are_between_one_and_zero_and_the_last_lasts_until_the_end) {
    using row = std::array<std::int64_t, 4>;
    const auto got = intervals_of({{5, 1}, {7, 1}, {9, 0}, {12, 0}, {20, 1}}, 50);
    EXPECT_THAT(plain(got), ElementsAre(row{5, 9, 1, 4}, row{20, 50, 1, 30}));
    EXPECT_TRUE(intervals_of({}, 50).empty());
}

TEST(report_pauses, those_of_a_bucket_become_one_that_counts_them) {
    using row = std::array<std::int64_t, 4>;
    const std::vector<interval> all{{0, 1, 1, 1}, {2, 4, 1, 2}, {8, 9, 1, 1}};
    EXPECT_THAT(plain(merge(all, 3)), ElementsAre(row{0, 1, 1, 1}, row{2, 4, 1, 2}, row{8, 9, 1, 1}));
    EXPECT_THAT(plain(merge(all, 2)), ElementsAre(row{0, 4, 2, 3}, row{8, 9, 1, 1}));
    EXPECT_THAT(plain(merge(all, 1)), ElementsAre(row{0, 9, 3, 4}));
}

TEST(report_configuration, marks_what_is_not_the_default_and_counts_equal_values) {
    const json rows = configuration_rows(json::parse(R"({
        "platform": {"name": "p", "program": "p.cfg"},
        "program": {"xoff": "1000"},
        "switch": {"a": {"cells": 4096, "pools": 8, "ports": [{"rate": "100G"}, {"rate": "400G"}, {"rate": "400G"}]},
                   "b": {"cells": 4096, "pools": 8, "ports": [{"rate": "100G"}]}}})"));
    const auto row = [&](const std::string& key) -> json {
        for (const json& each : rows) {
            if (each.at("key") == key) return each;
        }
        return nullptr;
    };
    EXPECT_EQ(row("switch.*.cells").at("differs"), true);
    EXPECT_EQ(row("switch.*.cells").at("default"), "65536");
    EXPECT_EQ(row("switch.*.cells").at("values"), json::parse(R"([{"value":"4096","count":2,"where":["a","b"]}])"));
    EXPECT_EQ(row("switch.*.pools").at("differs"), false);
    EXPECT_EQ(row("switch.*.ports[].rate").at("differs"), true);
    EXPECT_EQ(row("switch.*.ports[].rate").at("values"),
              json::parse(R"([{"value":"100G","count":2,"where":["a[0]","b[0]"]},
                              {"value":"400G","count":2,"where":["a[1]","a[2]"]}])"));
    EXPECT_EQ(row("program.xoff").at("values").at(0).at("value"), "1000");
    EXPECT_FALSE(row("program.xoff").contains("default"));
}

TEST(report_timeline, leaves_out_what_never_happened_and_says_what_did_not_fit) {
    recording from;
    from.end = 1000;
    from.drop_reasons = {"none", "fcs"};
    const auto add = [&](const char* kind, std::uint32_t port, std::vector<change> changes) {
        signal s;
        s.kind = kind;
        s.port = port;
        s.changes = std::move(changes);
        from.signals.push_back(std::move(s));
    };
    add("service", 0, {});
    add("service", 1, {{10, 5}});
    add("service", 2, {{10, 50}, {20, 0}});
    add("asked", 1, {{10, 1}, {40, 0}});
    add("asked", 2, {{10, 1}, {20, 0}});
    add("drop", 1, {{5, 1}, {6, 1}, {7, 9}});
    page_budget budget;
    budget.signals = 1;
    budget.lanes = 1;
    const json got = timeline_json(from, budget);
    ASSERT_EQ(got.at("levels").size(), 1) << "the highest";
    EXPECT_EQ(got.at("levels").at(0).at("port"), 2);
    ASSERT_EQ(got.at("lanes").size(), 1) << "the longest";
    EXPECT_EQ(got.at("lanes").at(0).at("port"), 1);
    EXPECT_EQ(got.at("left_out"), json::parse(R"({"levels":1,"lanes":1})"));
    EXPECT_EQ(got.at("pause_lengths").at("asked").at("count"), 2) << "over all lanes, those left out too";
    EXPECT_EQ(got.at("drops").size(), 2);
    EXPECT_EQ(got.at("drops").at(0).at("name"), "fcs");
    EXPECT_EQ(got.at("drops").at(0).at("total"), 2);
    EXPECT_EQ(got.at("drops").at(1).at("name"), "reason 9");
    EXPECT_TRUE(got.at("marks").empty());
}

}  // namespace
}  // namespace weir::vp::report
