// SPDX-License-Identifier: Apache-2.0
// Distributions of flow sizes: means by hand, shares of what is drawn, and what is wrong with a file.
#include "platforms/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "platforms/line_reader.h"
#include "tests/platforms/support.h"

namespace weir::platforms {
namespace {

using testing::error_of;

size_distribution of(const std::string& text) {
    line_reader lines("sizes.txt", text);
    return size_distribution(lines);
}
std::string sizes_error(const std::string& text) {
    return error_of([&] { (void)of(text); });
}

// Uniform between two points, so each part has the mean of its ends: for web_search
// .15·5000 + .05·15000 + .10·25000 + .10·40000 + .13·65000 + .07·140000 + .10·600000 + .10·1.5M + .10·3.5M + .07·7.5M +
// .03·20M = 1,711,250 octets.
TEST(sizes, mean_is_that_of_the_points) {
    EXPECT_EQ(load_sizes("web_search").mean_thousandths(), 1'711'250'000U);
    EXPECT_EQ(of("0 0\n1000 100\n").mean_thousandths(), 500'000U);
    EXPECT_EQ(of("0 0\n1000 1\n").mean_thousandths(), 500'000U);                      // shares instead of percent
    EXPECT_EQ(of("64 25\n64 50\n1500 50\n1500 100\n").mean_thousandths(), 782'000U);  // two lengths, half each
    EXPECT_EQ(of("4096 100\n").mean_thousandths(), 4'096'000U);
}

// Shares as in the files; four standard deviations of a million draws are 0.2 percent points at most.
TEST(sizes, draws_have_the_shares_of_the_points) {
    const auto share = [](const char* name, std::uint64_t up_to) {
        const size_distribution sizes = load_sizes(name);
        random_stream random(1, name);
        int fitting = 0;
        for (int i = 0; i < 1'000'000; ++i) fitting += sizes.draw(random) <= up_to ? 1 : 0;
        return fitting / 1e4;
    };
    EXPECT_NEAR(share("ali_storage", 8000), 69.21, 0.2);
    EXPECT_NEAR(share("fb_hadoop", 1000), 60, 0.2);
    EXPECT_NEAR(share("google_rpc", 512), 78.4921, 0.2);
    EXPECT_NEAR(share("solar", 16'384), 50, 0.2);
    EXPECT_NEAR(share("web_search", 200'000), 60, 0.2);
}

TEST(sizes, a_step_gives_exactly_its_length_and_never_nothing) {
    random_stream random(1, "step");
    const size_distribution fixed = of("4096 100\n");
    const size_distribution small = of("0 0\n1 100\n");
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(fixed.draw(random), 4096U);
        EXPECT_EQ(small.draw(random), 1U);
    }
}

TEST(sizes, files_say_what_is_wrong) {
    EXPECT_EQ(sizes_error(""),
              "sizes.txt:1:1: the distribution does not end with all flows\n  a last share of 100, or 1");
    EXPECT_EQ(sizes_error("0 0\n10 99\n"),
              "sizes.txt:3:1: the distribution does not end with all flows\n  a last share of 100, or 1");
    EXPECT_EQ(sizes_error("0 0\n10\n"),
              "sizes.txt:2:1: 1 fields where 2 belong\n  wanted: octets cumulative, for example: 10000 15");
    EXPECT_EQ(sizes_error("0 0\n-3 100\n"),
              "sizes.txt:2:1: \"-3\" is no flow's length\n  octets: 0 to 1000000000000000");
    EXPECT_EQ(sizes_error("0 0\n10 101\n"),
              "sizes.txt:2:4: \"101\" is no share of flows\n  0 to 100, or 0 to 1, with up to 9 decimals");
    EXPECT_EQ(sizes_error("0 0\n10 50\n9 100\n"), "sizes.txt:3:1: 9 octets after 10\n  lengths ascend");
    EXPECT_EQ(sizes_error("0 50\n10 40\n"),
              "sizes.txt:2:4: the share falls to 40\n  shares of flows up to a length ascend");
    EXPECT_EQ(sizes_error("0 100\n"), "sizes.txt:2:1: no flow has octets\n  a length above 0");
}

}  // namespace
}  // namespace weir::platforms
