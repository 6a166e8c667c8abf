// SPDX-License-Identifier: Apache-2.0
// Flows at random: how many, how far apart, and what they depend on.
#include "platforms/poisson.h"

#include <gtest/gtest.h>

#include <array>
#include <tuple>

#include "models/timeline/random_stream.h"
#include "tests/platforms/support.h"

namespace weir::platforms {
namespace {

using testing::error_of;
using testing::four_hosts;
using testing::parsed;

std::vector<flow> drawn(const std::string& workload, std::uint64_t seed = 1) {
    return make_flows(parsed(std::string{four_hosts} + "[workload]\nkind='poisson'\n" + workload), seed);
}
std::string poisson_error(const std::string& workload) {
    return error_of([&] { (void)drawn(workload); });
}

using event = std::tuple<std::string, std::string, std::int64_t, std::uint64_t>;

/// By the hosts' names: who sends what to whom, when.
std::vector<event> events(const platform_config& platform, std::uint64_t seed = 1) {
    std::vector<event> all;
    for (const flow& f : make_flows(platform, seed)) {
        all.emplace_back(platform.hosts[f.source].name, platform.hosts[f.destination].name, f.start.count(), f.octets);
    }
    return all;
}

// web_search has a mean of 1,711,250 octets: at half of 100 Gb/s a sender's flows are 273.8 µs apart, those of four
// senders 68.45 µs. The 10,000th comes after 0.6845 s, with a standard deviation of a hundredth of it.
TEST(poisson, flows_are_as_far_apart_as_the_load_says) {
    const auto flows = drawn("load=0.5\ncount=10000\n");
    ASSERT_EQ(flows.size(), 10'000U);
    EXPECT_NEAR(static_cast<double>(flows.back().start.count()) / 1e12, 0.6845, 0.03);
    std::array<int, 4> sent{};
    std::array<int, 4> received{};
    double octets = 0;
    for (std::size_t i = 0; i < flows.size(); ++i) {
        EXPECT_NE(flows[i].source, flows[i].destination);
        EXPECT_LE(flows[i > 0 ? i - 1 : 0].start, flows[i].start);
        ++sent[flows[i].source];
        ++received[flows[i].destination];
        octets += static_cast<double>(flows[i].octets);
    }
    // A quarter each, with a standard deviation of 43; the mean length has one of 2.1 %.
    for (const int n : sent) EXPECT_NEAR(n, 2500, 200);
    for (const int n : received) EXPECT_NEAR(n, 2500, 200);
    EXPECT_NEAR(octets / 10'000, 1'711'250, 150'000);
}

// Gaps are exponential: a share 1/e of them is longer than their mean, 1/e² longer than twice that.
TEST(poisson, gaps_are_exponential) {
    random_stream random(1, "gaps");
    constexpr std::uint64_t one = std::uint64_t{1} << 32;
    constexpr int draws = 1'000'000;
    int once = 0;
    int twice = 0;
    double sum = 0;
    for (int i = 0; i < draws; ++i) {
        const std::uint64_t gap = random.exponential();
        once += gap > one ? 1 : 0;
        twice += gap > 2 * one ? 1 : 0;
        sum += static_cast<double>(gap) / static_cast<double>(one);
    }
    EXPECT_NEAR(sum / draws, 1, 0.004);  // four standard deviations
    EXPECT_NEAR(once / 1e6, 0.367879, 0.002);
    EXPECT_NEAR(twice / 1e6, 0.135335, 0.0014);
}

TEST(poisson, the_seed_alone_decides) {
    const auto platform = parsed(std::string{four_hosts} + "[workload]\nkind='poisson'\ncount=100\n");
    EXPECT_EQ(events(platform, 7), events(platform, 7));
    EXPECT_NE(events(platform, 7), events(platform, 8));
}

TEST(poisson, a_senders_flows_do_not_depend_on_the_others) {
    const auto of_h1 = [](const std::string& senders) {
        std::vector<event> own;
        for (auto& e :
             events(parsed(std::string{four_hosts} + "[workload]\nkind='poisson'\nduration='5ms'\n" + senders))) {
            if (std::get<0>(e) == "h1") own.push_back(std::move(e));
        }
        return own;
    };
    EXPECT_FALSE(of_h1("").empty());
    EXPECT_EQ(of_h1(""), of_h1("senders=[1]\n"));
    EXPECT_EQ(of_h1(""), of_h1("senders=[3,1]\nreceivers=[3,2,1,0]\n"));
}

TEST(poisson, the_order_of_hosts_in_the_file_does_not_matter) {
    const std::string ports = ".ports]]\ncount=2\nrate='100G'\n";
    const std::string a = "[[switch.a" + ports;
    const std::string b = "[[switch.b" + ports;
    const std::string workload = "[workload]\nkind='poisson'\ncount=200\nsizes='solar'\n";
    EXPECT_EQ(events(parsed(a + b + workload)), events(parsed(b + a + workload)));
}

TEST(poisson, ends_with_its_duration) {
    const auto flows = drawn("duration='10ms'\nstart='1ms'\nsizes='ali_storage'\n");
    EXPECT_FALSE(flows.empty());
    for (const flow& f : flows) {
        EXPECT_GE(f.start, microseconds(1000));
        EXPECT_LT(f.start, microseconds(11'000));
    }
    EXPECT_EQ(drawn("duration='10ms'\nstart='1ms'\nsizes='ali_storage'\ncount=3\n").size(), 3U);
}

TEST(poisson, says_what_is_wrong) {
    EXPECT_EQ(poisson_error(""),
              "p.toml:7:6: this workload has no end\n  count = 1000 or duration = \"10ms\" in [workload]");
    EXPECT_EQ(poisson_error("count=1\nreceivers=[2]\nsenders=[2]\n"),
              "p.toml:9:11: host h2 would send to itself\n  a receiver besides it");
    EXPECT_EQ(poisson_error("count=1\nreceivers=[7]\n"), "p.toml:9:11: host \"7\" is unknown\n  one of: h0 h1 h2 h3");
    EXPECT_EQ(poisson_error("count=1\nload=0.0001\n"), "p.toml:9:6: load 0.0001 is out of range\n  0.001 to 10");
    EXPECT_EQ(poisson_error("count=1\nsizes='web_serach'\n"),
              "p.toml:9:7: sizes \"web_serach\" is neither a name nor a file\n"
              "  one of: web_search fb_hadoop ali_storage google_rpc solar; or a file");
}

}  // namespace
}  // namespace weir::platforms
