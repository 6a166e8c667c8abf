// SPDX-License-Identifier: Apache-2.0
// DCQCN against its fixed point: the fluid model's, and that of the algorithm cut by cut.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <utility>

#include "tests/conformance/conformance.h"
#include "tests/system/in_child.h"
#include "tests/system/marking_star.h"

namespace weir::system_test {
namespace {

// The fluid model's packets of 1 KB, of which the line carries 5 million a second: 920 octets of payload are 1002 on
// the wire, and 982 in 16 cells of 64.
constexpr std::uint32_t payload_of_1_kb = 920;
constexpr double cells_of_a_frame = 16;

/// A line and its thresholds, in KB.
struct marked_line {
    const char* rate;
    double packets;  // a second
    double kmin;
    double kmax;
    double percent;  // of the packets that are marked at Kmax
};
constexpr marked_line narrow{"40G", 5e6, 5, 200, 1};
constexpr marked_line narrow_without_end{"40G", 5e6, 5, 5 + 10 * 195, 10};  // the same slope, and no cliff in reach
constexpr marked_line wide{"40G", 5e6, 40, 1000, 100};
constexpr marked_line fast{"100G", 12.5e6, 400, 1600, 20};

struct fixed_point {
    std::uint32_t senders;
    double queue_kb;  // the document's
    marked_line line;

    friend std::ostream& operator<<(std::ostream& out, const fixed_point& p) {
        return out << p.senders << " senders, " << p.line.rate;
    }
};

struct steady_state {
    double queue_kb;
    double fairness;       // Jain's index
    double used;           // of the line
    double reaching_kmax;  // share of periods of 5 ms
};

/// From 60 ms to 160 ms, 1 KB packets. PFC is out of reach.
steady_state settle(std::uint32_t senders, const marked_line& line) {
    const platforms::testing::temporary_folder folder;
    const auto cells = [](double kb) { return static_cast<int>(std::lround(kb * cells_of_a_frame)); };
    network n(star(folder, senders + 1, line.rate, dcqcn, incast(senders),
                   {fmt::format("kmin={}", cells(line.kmin)), fmt::format("kmax={}", cells(line.kmax)),
                    fmt::format("pmax={}", line.percent), "pool=900000", "xoff=50000", "xon=1000", "headroom=1000"},
                   payload_of_1_kb));
    n.run_to(microseconds(60'000));
    std::vector<double> before;
    for (const auto& f : n.machine.ledger()) before.push_back(static_cast<double>(f.frames_received));
    constexpr int samples = 10'000;
    constexpr int samples_of_a_period = 500;
    double sum = 0;
    int reaching = 0;
    mmu::cells peak = 0;
    for (int i = 1; i <= samples; ++i) {
        n.run_to(microseconds(60'000 + 10 * i));
        sum += queue_of(n, 0);
        peak = std::max(peak, queue_of(n, 0));
        if (i % samples_of_a_period != 0) continue;
        reaching += std::exchange(peak, 0) >= cells(line.kmax) ? 1 : 0;
    }
    double total = 0;
    double squares = 0;
    for (std::size_t f = 0; f < n.machine.ledger().size(); ++f) {
        const double got = static_cast<double>(n.machine.ledger()[f].frames_received) - before[f];
        total += got;
        squares += got * got;
    }
    return {sum / samples / cells_of_a_frame, total * total / (senders * squares), total / (line.packets * 0.1),
            reaching / (static_cast<double>(samples) / samples_of_a_period)};
}

/// The document's parameters, as the closed forms want them.
namespace paper {
constexpr double additive = 40e6 / 8000;  // R_AI, packets a second
constexpr double timer = 55e-6;           // T, and of alpha's decay
constexpr double notice = 50e-6;          // least time between two CNPs of a flow
constexpr int fast_stages = 5;            // F
}  // namespace paper

/// The queue, in KB, that marks with probability p.
double queue_kb_at(double p, const marked_line& line) {
    return line.kmin + p / (line.percent / 100) * (line.kmax - line.kmin);
}

/// Where `balance` turns from negative to positive, between 1e-5 and 0.5.
template <class F>
double zero_of(F balance) {
    double low = 1e-5;
    double high = 0.5;
    for (int i = 0; i < 100; ++i) {
        const double middle = std::sqrt(low * high);
        (balance(middle) < 0 ? low : high) = middle;
    }
    return low;
}

/// The marking probability at the fluid model's fixed point (DCQCN, Zhu et al. 2015, section 5): dR_C = dR_T = 0 at
/// R_C = C/N. Its byte counter, 10 MB, never expires here.
double fluid_probability(std::uint32_t senders, double line) {
    const double rate = line / senders;
    return zero_of([rate](double p) {
        const double within = std::log1p(-p) * rate;  // log of the chance of no mark in a second
        const double alpha = 1 - std::exp(paper::timer * within);
        const double cuts = (1 - std::exp(paper::notice * within)) / paper::notice;
        const double expiries = rate * p / (std::exp(-paper::timer * within) - 1);
        const double below_target = rate * alpha * cuts / expiries;
        return below_target * cuts - paper::additive * expiries * std::exp(paper::fast_stages * paper::timer * within);
    });
}

/// The same for the algorithm, cut by cut. Marks come at random at rate p C/N, a CNP at the first one 50 us after the
/// CNP before. K timers expire between two CNPs. alpha is cut by g at each expiry and raised by g (1 - alpha) at each
/// CNP, so 1/alpha = 1 + E[K]. The rate stands alpha/2 of itself below its target after a CNP, half of that after each
/// expiry, and from the sixth on the target grows by R_AI before. The target loses what the rate lacks at the next CNP,
/// and gains R_AI a late expiry: in the mean both are equal. That g is small and alpha/2 too is all that is neglected.
double renewal_probability(std::uint32_t senders, double line) {
    const double rate = line / senders;
    return zero_of([rate](double p) {
        constexpr int many = 4000;
        const auto at_least = [&](int k) {
            return k == 0 ? 1.0 : std::exp(-p * rate * (k * paper::timer - paper::notice));
        };
        double expiries = 0;
        for (int k = 1; k < many; ++k) expiries += at_least(k);
        double lacks = rate / (1 + expiries) / 2;
        double lost = 0;
        double gained = 0;
        for (int k = 0; k < many; ++k) {
            const bool late = k > paper::fast_stages;
            if (k > 0) lacks = (lacks + (late ? paper::additive : 0)) / 2;
            const double ends_here = at_least(k) - at_least(k + 1);
            lost += ends_here * lacks;
            gained += ends_here * (late ? (k - paper::fast_stages) * paper::additive : 0);
        }
        return lost - gained;
    });
}

/// The document's number is the fluid model's, whose solution gives it, and what stands on the line beside it.
void expect_fixed_point(const fixed_point& at, const steady_state& s, double expected, double tolerance,
                        double least_used, const std::string& by) {
    // Half of the last digit; where a queue is 960 KB times a probability told to 0.00001, half of that besides.
    const double rounding = at.line.percent == 100 ? 0.055 : 0.05;
    EXPECT_NEAR(queue_kb_at(fluid_probability(at.senders, at.line.packets), at.line), at.queue_kb, rounding);
    EXPECT_NEAR(s.queue_kb, expected, tolerance * expected);
    EXPECT_GT(s.fairness, 0.99);
    EXPECT_GT(s.used, least_used);
    conformance::row(
        "closed.dcqcn",
        fmt::format("{}, marks from {:g} KB, {:g} % at {:g} KB, N = {}: {:.1f} KB ± {:.0f} % {}, rates C/N",
                    at.line.rate, at.line.kmin, at.line.percent, at.line.kmax, at.senders, expected, 100 * tolerance,
                    by),
        fmt::format("{:.1f} KB ({:+.0f} %), Jain's index {:.3f}, {:.1f} % of the line used", s.queue_kb,
                    100 * (s.queue_kb / expected - 1), s.fairness, 100 * s.used));
}

std::string name_of(const fixed_point& at) {
    return fmt::format("{}_{}", at.line.rate, at.senders);
}

// Rates C/N and the queue as the document has it, within its 30 %. Two of its numbers are not met: with marks from 5
// KB, where every packet above 200 KB is marked, the swings of ten senders reach that far (see below); and of 64
// senders' cuts at 40G, each of which comes a queue's time too late, half leave the line idle and the queue 70 %
// longer.
class dcqcn_fixed_point : public ::testing::TestWithParam<fixed_point> {};
TEST_P(dcqcn_fixed_point, is_the_fluid_models_within_its_tolerance) {
    const fixed_point at = GetParam();
    // Rates swing by alpha/2 below what they are worth, so the line lacks half of that at most, if all swing together.
    const double within = std::log1p(-fluid_probability(at.senders, at.line.packets)) * at.line.packets / at.senders;
    const double alpha = 1 - std::exp(paper::timer * within);
    expect_fixed_point(at, settle(at.senders, at.line), at.queue_kb, 0.3, 1 - alpha / 4, "by the fluid model");
}
INSTANTIATE_TEST_SUITE_P(senders, dcqcn_fixed_point,
                         ::testing::Values(fixed_point{2, 20.2, narrow}, fixed_point{8, 93.8, narrow},
                                           fixed_point{2, 40.8, wide}, fixed_point{8, 44.4, wide},
                                           fixed_point{16, 50.4, wide}, fixed_point{32, 64.6, wide},
                                           fixed_point{64, 516.9, fast}),
                         [](const auto& tested) { return fmt::format("{}_{}", name_of(tested.param), tested.index); });

// The fluid model takes the mean of "how far the rate is below its target, at a timer's expiry" as a product of means,
// but the two go together: the gap is widest just after a cut. Cut by cut the same algorithm needs 20 to 28 % more
// queue, and the packets stand by the algorithm: within 10 %, of which alpha/2, by which the rate swings, is up to 7 %.
// Marking goes on beyond 200 KB with the same slope here: with the document's end at 1 % every packet above 200 KB is
// marked, and of eight senders the swings reach that far.
class dcqcn_cut_by_cut : public ::testing::TestWithParam<fixed_point> {};
TEST_P(dcqcn_cut_by_cut, stands_where_the_algorithm_does) {
    const fixed_point at = GetParam();
    expect_fixed_point(at, settle(at.senders, at.line),
                       queue_kb_at(renewal_probability(at.senders, at.line.packets), at.line), 0.1, 0.99, "cut by cut");
}
INSTANTIATE_TEST_SUITE_P(senders, dcqcn_cut_by_cut,
                         ::testing::Values(fixed_point{2, 20.2, narrow_without_end},
                                           fixed_point{4, 41.8, narrow_without_end},
                                           fixed_point{8, 93.8, narrow_without_end},
                                           fixed_point{10, 122.6, narrow_without_end}),
                         [](const auto& tested) { return name_of(tested.param); });

// From 16 senders on the marking probability that would balance is above Pmax, so nothing holds the queue below Kmax.
// It does not stand there, as the fluid model has it: above Kmax every frame is marked, all flows are cut at once, and
// it rises anew. After such a cut they are back at their targets in 5 timers, 0.3 ms; each further one adds 16 times
// 40 Mb/s, a tenth of the line in 0.35 ms, which fills 200 KB in 0.4 ms. So in every 5 ms it is there again.
TEST(dcqcn, the_queue_reaches_kmax_again_and_again_with_too_many_senders) {
    EXPECT_GT(renewal_probability(16, narrow.packets), 0.01);
    const steady_state many = in_child([] { return settle(16, narrow); });
    const steady_state few = in_child([] { return settle(2, narrow); });
    EXPECT_GT(many.reaching_kmax, 0.95);
    EXPECT_EQ(few.reaching_kmax, 0);
    conformance::row("closed.dcqcn",
                     "N = 16: no interior point, so the queue reaches Kmax (200 KB); N = 2: it does not",
                     fmt::format("in {:.0f} % of 5 ms periods, mean {:.1f} KB; in {:.0f} %", 100 * many.reaching_kmax,
                                 many.queue_kb, 100 * few.reaching_kmax));
}

}  // namespace
}  // namespace weir::system_test
