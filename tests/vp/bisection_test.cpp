// SPDX-License-Identifier: Apache-2.0
// The search for an edge, on questions whose answers are known.
#include "vp/study/bisection.h"

#include <gmock/gmock.h>

namespace weir::vp {
namespace {

/// Answers by a rule and counts how often it was asked.
struct oracle {
    std::function<bool(std::int64_t)> rule;
    std::size_t asked{0};

    search_result find(const search_range& range, std::optional<std::int64_t> start = std::nullopt) {
        return find_edge(range, start, [this](const std::vector<std::int64_t>& values) {
            std::vector<bool> answers;
            for (const auto v : values) answers.push_back(rule(v));
            asked += values.size();
            return answers;
        });
    }
};

// Every edge of a small range, its two ends and every guess among them.
TEST(bisection, finds_every_edge_from_every_guess) {
    for (std::int64_t edge = 0; edge <= 20; ++edge) {
        for (std::int64_t guess = -1; guess <= 25; ++guess) {
            oracle up{[edge](std::int64_t v) { return v >= edge; }};
            const auto start = guess < 0 ? std::nullopt : std::optional<std::int64_t>(guess);
            const auto found = up.find({0, 20, 1, true}, start);
            EXPECT_EQ(found.answer, edge) << "from " << guess;
            EXPECT_TRUE(found.monotone);
            if (edge > 0) {
                EXPECT_EQ(found.tried.at(edge - 1), false) << "the neighbour was tried";
            }
            EXPECT_EQ(found.tried.at(edge), true);
            oracle down{[edge](std::int64_t v) { return v <= edge; }};
            EXPECT_EQ(down.find({0, 20, 1, false}, start).answer, edge) << "from " << guess;
        }
    }
}

// 103 in steps of ten from 5: the first of 5, 15, …, 105 that is not below it. From above: 95.
TEST(bisection, answers_stand_on_the_grid) {
    oracle up{[](std::int64_t v) { return v >= 103; }};
    EXPECT_EQ(up.find({5, 995, 10, true}).answer, 105);
    EXPECT_EQ(up.find({5, 995, 10, true}, 103).answer, 105);
    oracle down{[](std::int64_t v) { return v <= 103; }};
    EXPECT_EQ(down.find({5, 995, 10, false}).answer, 95);
}

// A right guess takes two tries, two beside them and five on either side; without one a million values take twenty, and
// the sides.
TEST(bisection, a_good_guess_is_cheap) {
    oracle guessed{[](std::int64_t v) { return v >= 143; }};
    EXPECT_EQ(guessed.find({0, 1'000'000, 1, true, 5}, 143).answer, 143);
    EXPECT_LE(guessed.asked, 14U);
    oracle blind{[](std::int64_t v) { return v >= 143; }};
    EXPECT_EQ(blind.find({0, 1'000'000, 1, true, 5}).answer, 143);
    EXPECT_LE(blind.asked, 34U);
}

// A hole of 18 of 130 values, or as wide a window below the edge, cannot lie between 16 points that are spread over
// either side; a hole of one value can, unless it is next to the edge.
TEST(bisection, confirms_on_both_sides) {
    for (std::int64_t hole = 3; hole < 112; ++hole) {
        oracle holed{[hole](std::int64_t v) { return v < hole || v > hole + 17; }};
        EXPECT_FALSE(holed.find({1, 130, 1, true}).monotone) << hole;
        EXPECT_FALSE(holed.find({1, 130, 1, true}, hole - 1).monotone) << hole;
        oracle window{[hole](std::int64_t v) { return v >= 118 || (v > hole - 18 && v <= hole); }};
        EXPECT_FALSE(window.find({1, 130, 1, true}).monotone) << hole;
    }
    oracle narrow{[](std::int64_t v) { return v >= 50 && v != 52; }};
    EXPECT_EQ(narrow.find({0, 1000, 1, true}).answer, 50);
    oracle next{[](std::int64_t v) { return v >= 50 && v != 51; }};
    EXPECT_FALSE(next.find({0, 1000, 1, true}, 50).monotone);
}

// With as many points as a side has values, nothing is left out.
TEST(bisection, can_try_every_value) {
    oracle all{[](std::int64_t v) { return v >= 30; }};
    EXPECT_EQ(all.find({0, 60, 1, true, 60}).tried.size(), 61U);
    oracle none{[](std::int64_t v) { return v >= 30; }};
    EXPECT_EQ(none.find({0, 60, 1, true, 0}, 30).tried.size(), 4U) << "28, 29, 30 and 31";
}

TEST(bisection, says_when_nothing_holds) {
    oracle never{[](std::int64_t) { return false; }};
    const auto found = never.find({0, 100, 1, true}, 50);
    EXPECT_EQ(found.answer, std::nullopt);
    EXPECT_TRUE(found.monotone);
    EXPECT_FALSE(found.tried.at(100));
}

// A window from 30 to 60, and a hole from 70 to 80: no edge tells the truth.
TEST(bisection, says_when_there_is_no_monotone_answer_and_scans) {
    oracle window{[](std::int64_t v) { return v >= 30 && v <= 60; }};
    const auto found = window.find({0, 160, 1, true});
    EXPECT_EQ(found.answer, std::nullopt);
    EXPECT_FALSE(found.monotone);
    EXPECT_EQ(found.tried.at(20), false);
    EXPECT_EQ(found.tried.at(40), true);
    EXPECT_EQ(found.tried.at(160), false);
    oracle guessed{[](std::int64_t v) { return v >= 30 && v <= 60; }};
    EXPECT_FALSE(guessed.find({0, 160, 1, true}, 30).monotone);
    oracle hole{[](std::int64_t v) { return v >= 50 && (v < 70 || v > 120); }};
    EXPECT_FALSE(hole.find({0, 160, 1, true}, 50).monotone);
}

}  // namespace
}  // namespace weir::vp
