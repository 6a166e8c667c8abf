// SPDX-License-Identifier: Apache-2.0
// Percentiles of completion and slowdown by length.
#include "vp/results/completion.h"

#include <gmock/gmock.h>

#include "vp/results/result.h"

namespace weir::vp {
namespace {

using ::testing::ElementsAre;

flow_result finished(std::uint64_t octets, std::int64_t ns, std::int64_t ideal_ns) {
    flow_result f;
    f.octets = octets;
    f.start = nanoseconds(100);
    f.finish = nanoseconds(100 + ns);
    f.ideal = nanoseconds(ideal_ns);
    return f;
}

TEST(completion, slowdown_is_time_over_ideal_time) {
    flow_result f = finished(1000, 300, 200);
    EXPECT_EQ(f.completion(), nanoseconds(300));
    EXPECT_DOUBLE_EQ(*f.slowdown(), 1.5);
    f.ideal.reset();
    EXPECT_FALSE(f.slowdown());
    f.finish.reset();
    EXPECT_FALSE(f.completion());
}

// A thousand flows that take 1, 2, … 1000 ns: the nearest rank of p is p thousandths of 1000.
TEST(completion, percentiles_are_nearest_ranks) {
    std::vector<flow_result> flows;
    for (int i = 1000; i > 0; --i) flows.push_back(finished(5000, i, 1));
    const auto bins = completion_bins(flows);
    ASSERT_EQ(bins.size(), 1U);
    EXPECT_EQ(bins[0].least, 1000U);
    EXPECT_EQ(bins[0].most, 9999U);
    EXPECT_THAT(bins[0].time,
                ElementsAre(nanoseconds(500), nanoseconds(950), nanoseconds(990), nanoseconds(999), nanoseconds(1000)));
    EXPECT_THAT(bins[0].slowdown, ElementsAre(500, 950, 990, 999, 1000));
    // Of three the median is the second and all others are the last.
    flows.resize(3);
    EXPECT_THAT(completion_bins(flows)[0].slowdown, ElementsAre(999, 1000, 1000, 1000, 1000));
}

TEST(completion, bins_are_powers_of_ten_with_all_behind_them) {
    std::vector<flow_result> flows{finished(99, 10, 5), finished(100, 20, 5), finished(999, 40, 5), finished(1, 1, 1)};
    flows.emplace_back();
    flows.back().octets = 500;  // never finished
    EXPECT_EQ(completion_csv(flows),
              "least_octets,most_octets,flows,finished,p50_ps,p95_ps,p99_ps,p999_ps,max_ps,"
              "p50_slowdown,p95_slowdown,p99_slowdown,p999_slowdown,max_slowdown\n"
              "1,9,1,1,1000,1000,1000,1000,1000,1.0000,1.0000,1.0000,1.0000,1.0000\n"
              "10,99,1,1,10000,10000,10000,10000,10000,2.0000,2.0000,2.0000,2.0000,2.0000\n"
              "100,999,3,2,20000,40000,40000,40000,40000,4.0000,8.0000,8.0000,8.0000,8.0000\n"
              "1,999,5,4,10000,40000,40000,40000,40000,2.0000,8.0000,8.0000,8.0000,8.0000\n");
    EXPECT_EQ(completion_text(flows),
              "\n  flows of octets  flows  finished  p50 us  p99 us  max us  slowdown p50   p99  p99.9   max\n"
              "  1 to 9               1         1   0.001   0.001   0.001          1.00  1.00   1.00  1.00\n"
              "  10 to 99             1         1   0.010   0.010   0.010          2.00  2.00   2.00  2.00\n"
              "  100 to 999           3         2   0.020   0.040   0.040          4.00  8.00   8.00  8.00\n"
              "  1 to 999             5         4   0.010   0.040   0.040          2.00  8.00   8.00  8.00\n");
}

TEST(completion, is_silent_without_flows_that_finished) {
    EXPECT_EQ(completion_text({}), "");
    EXPECT_EQ(completion_text({flow_result{}}), "");
}

}  // namespace
}  // namespace weir::vp
