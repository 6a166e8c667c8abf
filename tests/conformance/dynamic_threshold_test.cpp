// SPDX-License-Identifier: Apache-2.0
// Dynamic thresholds against their closed forms: n groups at alpha·B/(1 + n·alpha), and the transient of Choudhury and
// Hahne.
#include <cmath>
#include <ostream>

#include "tests/conformance/conformance.h"
#include "tests/mmu/bench.h"

namespace weir::mmu {
namespace {

using conformance::row;

constexpr std::uint8_t alphas = alpha::highest_index + 1;

double value_of(std::uint8_t index) {
    return std::ldexp(1.0, index - 7);
}

// Frames of one cell sent round robin to n groups, Guaranteed filled first: the first trigger comes when a group holds
// m + floor(alpha·B/(1 + n·alpha)) cells, one more or less.
TEST(dynamic_threshold, first_trigger_of_n_groups_for_every_alpha) {
    constexpr cells pool = 4096;
    constexpr cells guaranteed = 3;
    mmu_bench bench({9, 8192, 128, 0});
    bench.memory.check_always(false);
    bench.memory.set_pool(lossless_pool, direction::ingress, pool, 0);
    for (std::uint8_t q = 0; q < 8; ++q) bench.memory.set_queue_profile(8, q, open_queue(true));
    int worst = 0;
    int points = 0;
    for (std::uint8_t a = 0; a < alphas; ++a) {
        for (int n = 1; n <= 64; ++n) {
            for (int g = 0; g < 64; ++g) {
                group_profile p = group_of(true, lossless_pool);
                p.enabled = g < n;
                p.dynamic = true;
                p.share = alpha{a};
                p.guaranteed = guaranteed;
                p.headroom = 8;
                bench.memory.set_group_profile(static_cast<std::uint16_t>(g / 8), static_cast<std::uint8_t>(g % 8), p);
            }
            cells held = 0;
            for (int turn = 0; held == 0; ++turn) {
                const auto port = static_cast<std::uint16_t>(turn % n / 8);
                const auto group = static_cast<std::uint8_t>(turn % n % 8);
                ASSERT_EQ(bench.offer(port, group, 8, group, 1), drop_reason::none);
                // Others may be carried over first: whoever asserts, all hold the same but for one cell.
                for (int w = 0; w < 8; ++w) {
                    if (bench.wishes[static_cast<std::size_t>(w)]->wishes == 0) continue;
                    held = bench.memory.group(port, group).used();
                }
            }
            const double share = value_of(a) * pool / (1 + n * value_of(a));
            const auto expected = guaranteed + static_cast<cells>(std::floor(share));
            ASSERT_LE(std::abs(held - expected), 1) << "alpha 2^" << a - 7 << ", " << n << " groups";
            worst = std::max(worst, std::abs(held - expected));
            ++points;
            for (std::uint8_t q = 0; q < 8; ++q) {
                while (!bench.queues[8]->held[q].empty()) bench.send(8, q);
            }
            ASSERT_EQ(bench.memory.used(), 0);
        }
    }
    for (const char* id : {"closed.dt", "M23"}) {
        row(id, "m + floor(alpha·B/(1 + n·alpha)) ± 1 cell, n = 1 to 64, eleven alphas",
            fmt::format("{} points, at most {} cell off", points, worst));
    }
}

// The shares for several n, and what stays free: n·alpha/(1 + n·alpha).
TEST(dynamic_threshold, unequal_alphas_settle_at_their_shares) {
    constexpr cells pool = 10'000;
    mmu_bench bench({9, 20'000, 128, 0});
    bench.memory.check_always(false);
    bench.memory.set_pool(lossless_pool, direction::ingress, pool, 0);
    for (std::uint8_t q = 0; q < 8; ++q) bench.memory.set_queue_profile(8, q, open_queue(true));
    const std::uint8_t indices[] = {7, 7, 6, 10};
    const double shares[] = {869.6, 869.6, 434.8, 6956.5};
    for (std::uint16_t port = 0; port < 4; ++port) {
        group_profile p = group_of(true, lossless_pool);
        p.dynamic = true;
        p.share = alpha{indices[port]};
        p.xon_offset = 1;
        bench.memory.set_group_profile(port, 3, p);
    }
    // Greedy senders that obey: each drains one cell a turn and fills again while it is not paused.
    for (int turn = 0; turn < 60'000; ++turn) {
        for (std::uint16_t port = 0; port < 4; ++port) {
            for (int k = 0; k < 2 && !bench.memory.group(port, 3).paused(); ++k) {
                ASSERT_EQ(bench.offer(port, 3, 8, static_cast<std::uint8_t>(port), 1), drop_reason::none);
            }
            if (!bench.queues[8]->held[port].empty()) bench.send(8, static_cast<std::uint8_t>(port));
        }
    }
    std::string measured;
    for (std::uint16_t port = 0; port < 4; ++port) {
        EXPECT_NEAR(bench.memory.group(port, 3).used(), shares[port], 10) << port;
        measured += fmt::format("{} ", bench.memory.group(port, 3).used());
    }
    EXPECT_NEAR(static_cast<double>(bench.memory.pool(lossless_pool).free()), 869.6, 3);
    row("closed.dt", "alphas 1, 1, 1/2, 8 on 10000 cells: 869.6, 869.6, 434.8, 6956.5, free 869.6",
        fmt::format("{}free {}", measured, bench.memory.pool(lossless_pool).free()));
}

// N queues settled at T0 = alpha·B/(1 + N·alpha), each fed without end; a new queue arrives at r times its drain. It
// drops first at its fair share when alpha·(r − 1) ≤ 1 + alpha·N, else already at T0·(r − 1)/((r − 1)(1 + alpha) −
// alpha·N).
struct transient {
    std::uint8_t alpha_index;
    int settled;
    int rate;
    double first_drop;
    double burst;
};

std::ostream& operator<<(std::ostream& out, const transient& t) {
    return out << "alpha 2^" << t.alpha_index - 7 << ", n " << t.settled << ", r " << t.rate;
}

class dynamic_transient : public ::testing::TestWithParam<transient> {};

TEST_P(dynamic_transient, first_drop_is_choudhury_and_hahnes) {
    const transient& t = GetParam();
    constexpr cells pool = 12'288;
    mmu_bench bench({9, 65'536, 128, 0});
    bench.memory.check_always(false);
    bench.memory.set_pool(lossy_pool, direction::ingress, 60'000, 0);
    bench.memory.set_pool(egress_pool, direction::egress, pool, 0);
    for (std::uint8_t q = 0; q < 8; ++q) {
        queue_profile p = open_queue(false);
        p.dynamic = true;
        p.share = alpha{t.alpha_index};
        bench.memory.set_queue_profile(8, q, p);
    }
    for (std::uint8_t g = 0; g < 8; ++g) bench.memory.set_group_profile(0, g, group_of(false, lossy_pool));
    const auto offer = [&](std::uint8_t queue) { return bench.offer(0, queue, 8, queue, 1) == drop_reason::none; };
    const auto settle = [&] {
        for (std::uint8_t q = 0; q < t.settled; ++q) {
            if (!bench.queues[8]->held[q].empty()) bench.send(8, q);
            offer(q);
            offer(q);
        }
    };
    for (int turn = 0; turn < 4 * pool; ++turn) settle();
    const auto fresh = static_cast<std::uint8_t>(t.settled);
    int accepted = 0;
    for (bool full = false; !full;) {
        settle();
        if (!bench.queues[8]->held[fresh].empty()) bench.send(8, fresh);
        for (int k = 0; k < t.rate && !full; ++k) {
            full = !offer(fresh);
            if (!full) ++accepted;
        }
    }
    const double q = bench.memory.queue(8, fresh).used();
    EXPECT_NEAR(q, t.first_drop, 0.005 * t.first_drop);
    EXPECT_NEAR(accepted, t.burst, 0.01 * t.burst);
    row("closed.transient",
        fmt::format("alpha 2^{}, {} settled, {} times the drain: first drop at {} cells, {} taken", t.alpha_index - 7,
                    t.settled, t.rate, t.first_drop, t.burst),
        fmt::format("{} cells, {} taken", q, accepted));
}

INSTANTIATE_TEST_SUITE_P(rows, dynamic_transient,
                         ::testing::Values(transient{7, 1, 2, 4096, 8192}, transient{7, 2, 8, 2389.3, 2731},
                                           transient{10, 2, 2, 3932, 7864}, transient{10, 2, 8, 861.2, 984},
                                           transient{6, 4, 16, 1498.5, 1598}),
                         [](const auto& each) {
                             return fmt::format("alpha_{}_n_{}_r_{}", each.param.alpha_index, each.param.settled,
                                                each.param.rate);
                         });

// k senders at line rate into an idle buffer: the first drop at alpha·B/(1 + alpha), k/(k − 1) times that taken by
// then.
TEST(dynamic_threshold, incast_into_an_idle_buffer) {
    constexpr cells pool = 12'288;
    constexpr int senders = 4;
    mmu_bench bench({9, 65'536, 128, 0});
    bench.memory.check_always(false);
    bench.memory.set_pool(lossy_pool, direction::ingress, 60'000, 0);
    bench.memory.set_pool(egress_pool, direction::egress, pool, 0);
    queue_profile p = open_queue(false);
    p.dynamic = true;
    p.share = alpha{7};
    bench.memory.set_queue_profile(8, 0, p);
    bench.memory.set_group_profile(0, 0, group_of(false, lossy_pool));
    int accepted = 0;
    for (bool full = false; !full;) {
        for (int k = 0; k < senders && !full; ++k) {
            full = bench.offer(0, 0, 8, 0, 1) != drop_reason::none;
            if (!full) ++accepted;
        }
        if (!full) bench.send(8, 0);
    }
    EXPECT_NEAR(bench.memory.queue(8, 0).used(), 6144, 1);
    EXPECT_NEAR(accepted, 8192, 4);
    row("closed.transient", "4 to 1 into 12288 idle cells, alpha 1: first drop at 6144 cells, 8192 taken",
        fmt::format("{} cells, {} taken", bench.memory.queue(8, 0).used(), accepted));
}

}  // namespace
}  // namespace weir::mmu
