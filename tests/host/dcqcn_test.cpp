// SPDX-License-Identifier: Apache-2.0
// The reaction point against the trace and the decay that the paper's equations give.
#include "models/host/dcqcn.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/conformance/conformance.h"

namespace weir::host {
namespace {

constexpr std::int64_t line = 40'000'000'000;

struct change {
    std::int64_t us;
    double gigabits;
};

class reaction : public ::testing::Test {
protected:
    reaction_point point(const dcqcn_parameters& p) { return {p, line, 0, hook}; }
    std::vector<change> changes;
    rate_hook hook = [this](std::uint32_t, picoseconds at, std::int64_t rate) {
        changes.push_back({at / microseconds(1), static_cast<double>(rate) / 1e9});
    };
};

// One CNP at line rate: alpha is 1, so the rate halves; five fast recoveries halve what is missing, at each 55 us.
TEST_F(reaction, follows_the_golden_trace_after_one_notification) {
    const dcqcn_parameters p;
    reaction_point r = point(p);
    r.notify(microseconds(0));
    r.advance(microseconds(5 * 55));
    const std::vector<double> wanted{20, 30, 35, 37.5, 38.75, 39.375};
    ASSERT_EQ(changes.size(), wanted.size());
    std::vector<double> measured{40};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_EQ(changes[i].gigabits, wanted[i]);
        EXPECT_EQ(changes[i].us, static_cast<std::int64_t>(55 * i));
        measured.push_back(changes[i].gigabits);
    }
    // Then additive: the target, which is the line's rate already, rises by R_AI and is kept to the line.
    r.advance(microseconds(6 * 55));
    EXPECT_EQ(changes.back().gigabits, (39.375 + 40) / 2);
    conformance::row("M31", "40 → 20 → 30 → 35 → 37.5 → 38.75 → 39.375 at 55 µs, exactly",
                     fmt::format("{}", fmt::join(measured, " → ")));
}

// After two cuts the target is below the line: additive increase moves it by R_AI = 40 Mb/s a step.
TEST_F(reaction, rises_by_the_additive_step_behind_fast_recovery) {
    const dcqcn_parameters p;
    reaction_point r = point(p);
    r.notify(microseconds(0));
    r.notify(microseconds(50));
    EXPECT_EQ(r.target(), 20'000'000'000);
    r.advance(microseconds(50 + 5 * 55));
    EXPECT_EQ(r.target(), 20'000'000'000);
    r.advance(microseconds(50 + 6 * 55));
    EXPECT_EQ(r.target(), 20'040'000'000);
    r.advance(microseconds(50 + 8 * 55));
    EXPECT_EQ(r.target(), 20'120'000'000);
}

// Both stages past F: hyper increase, i R_HAI. B octets are sent at each timer, so the stages grow together.
TEST_F(reaction, rises_by_the_hyper_step_when_both_stages_are_past_the_threshold) {
    dcqcn_parameters p;
    p.increase_timer = microseconds(55);
    reaction_point r = point(p);
    r.notify(microseconds(0));
    r.notify(microseconds(1));
    std::int64_t before = r.target();
    std::vector<std::int64_t> steps;
    for (int i = 1; i <= 8; ++i) {
        const picoseconds at = microseconds(1) + i * microseconds(55);
        r.advance(at);
        r.sent(10'000'000, at);
        steps.push_back((r.target() - before) / 1'000'000);
        before = r.target();
    }
    // Stages before each increase (t, b): up to (4,4) nothing; (5,4), (5,5), (6,5): additive; (6,6) and (7,6): hyper
    // with i = 1; (7,7) and (8,7): i = 2.
    EXPECT_EQ(steps, (std::vector<std::int64_t>{0, 0, 0, 0, 40, 80, 400, 800}));
}

TEST_F(reaction, decays_alpha_as_the_closed_form_says) {
    const dcqcn_parameters p;
    reaction_point r = point(p);
    r.notify(microseconds(0));
    const auto after = [&](int periods) {
        r.advance(microseconds(55) * periods);
        return r.alpha();
    };
    const double one = after(1);
    const double ten = after(10);
    const double hundred = after(100);
    EXPECT_NEAR(one, 0.9961, 5e-5);
    EXPECT_NEAR(ten, 0.9616, 5e-5);
    EXPECT_NEAR(hundred, 0.6761, 5e-5);
    EXPECT_GT(after(177), 0.5);
    EXPECT_LT(after(178), 0.5);
    conformance::row("std.dcqcn", "alpha after 1, 10, 100 silent periods 0.9961, 0.9616, 0.6761; half after 177.1",
                     fmt::format("{:.4f}, {:.4f}, {:.4f}; half between 177 and 178", one, ten, hundred));
}

// From 0 with a CNP every period: 1 - (255/256)^k.
TEST_F(reaction, raises_alpha_as_the_closed_form_says) {
    dcqcn_parameters p;
    p.initial_alpha = 0;
    reaction_point r = point(p);
    for (int i = 0; i < 100; ++i) r.notify(microseconds(50) * i);
    EXPECT_NEAR(r.alpha(), 0.324, 5e-4);
}

// NVIDIA: g = 5/1024 and a period of 1 us: half in 141.6 us.
TEST_F(reaction, halves_alpha_with_the_nics_constants_in_142_us) {
    dcqcn_parameters p;
    p.order = dcqcn_order::periodic;
    p.alpha_timer = microseconds(1);
    p.decrease_interval = microseconds(4);
    p.gain = 5.0 / 1024;
    reaction_point r = point(p);
    r.notify(microseconds(0));
    r.advance(microseconds(141));
    EXPECT_GT(r.alpha(), 0.5);
    r.advance(microseconds(142));
    EXPECT_LT(r.alpha(), 0.5);
}

// alpha starts at 0.5: the cut uses it as it is, or after its rise to 255/256 · 0.5 + 1/256.
TEST_F(reaction, cuts_before_or_after_alpha_moves) {
    dcqcn_parameters p;
    p.initial_alpha = 0.5;
    reaction_point first = point(p);
    first.notify(microseconds(0));
    EXPECT_EQ(first.rate(), 30'000'000'000);
    p.order = dcqcn_order::alpha_first;
    reaction_point second = point(p);
    second.notify(microseconds(0));
    EXPECT_NEAR(static_cast<double>(second.rate()), 40e9 * (1 - (0.5 * 255 / 256 + 1.0 / 256) / 2), 1);
}

// Periodic: a CNP is acted on when it is looked for, however many came; alpha is the initial one at the first.
TEST_F(reaction, cuts_once_an_interval_when_it_looks_periodically) {
    dcqcn_parameters p;
    p.order = dcqcn_order::periodic;
    p.alpha_timer = microseconds(1000);
    p.decrease_interval = microseconds(4);
    p.increase_timer = microseconds(300);
    for (const bool clamp : {true, false}) {
        changes.clear();
        p.clamp_target = clamp;
        reaction_point r = point(p);
        for (int i = 0; i < 8; ++i) r.notify(microseconds(i));  // at 4 us the look comes before the CNP of that time
        r.advance(microseconds(20));
        ASSERT_EQ(changes.size(), 2U);
        EXPECT_EQ(changes[0].us, 4);
        EXPECT_EQ(changes[0].gigabits, 20);
        EXPECT_EQ(changes[1].us, 8);
        EXPECT_EQ(changes[1].gigabits, 10);
        // Not clamped: the second cut follows the first without an increase between.
        EXPECT_EQ(r.target(), clamp ? 20'000'000'000 : 40'000'000'000);
    }
}

TEST_F(reaction, never_goes_below_the_least_rate_nor_above_the_line) {
    dcqcn_parameters p;
    p.least_rate = 100'000'000;
    reaction_point r = point(p);
    for (int i = 0; i < 100; ++i) r.notify(microseconds(i));
    EXPECT_EQ(r.rate(), 100'000'000);
    r.advance(microseconds(100'000'000));
    EXPECT_EQ(r.rate(), line);
    EXPECT_EQ(r.target(), line);
}

}  // namespace
}  // namespace weir::host
