// SPDX-License-Identifier: Apache-2.0
// The MMU as a whole: admission order, dynamic limits among many groups, conservation, WRED and ECN.
#include "models/mmu/mmu.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <deque>
#include <memory>

#include "models/ethernet/rocev2.h"

namespace weir::mmu {
namespace {

/// An MMU without ports: frames are offered by hand and leave when told.
class mmu_bench : public sc_core::sc_module {
public:
    struct queue_stub : sc_core::sc_module, scheduler::enqueue_if {
        explicit queue_stub(sc_core::sc_module_name n) : sc_module(n) {}
        void enqueue(std::uint8_t queue, const queued_frame& f) override { held[queue].push_back(f); }
        std::array<std::deque<queued_frame>, 8> held;
    };
    struct wish_stub : sc_core::sc_module, pfc::pause_wish_if {
        explicit wish_stub(sc_core::sc_module_name n) : sc_module(n) {}
        void group_wishes(std::uint8_t group, bool pause) override {
            wishes = static_cast<std::uint8_t>(pause ? wishes | 1U << group : wishes & ~(1U << group));
            ++changes;
        }
        void group_overflowed(std::uint8_t group) override { overflowed.push_back(group); }
        std::uint8_t wishes{0};
        int changes{0};
        std::vector<std::uint8_t> overflowed;
    };

    explicit mmu_bench(const geometry& g) : sc_module("bench"), time("time"), memory("mmu", time, g, 1) {
        for (std::uint16_t p = 0; p < g.ports; ++p) {
            queues.push_back(std::make_unique<queue_stub>(fmt::format("q{}", p).c_str()));
            memory.queues_out[p].bind(*queues.back());
            if (p + 1U == g.ports) break;
            wishes.push_back(std::make_unique<wish_stub>(fmt::format("w{}", p).c_str()));
            memory.wishes[p].bind(*wishes.back());
        }
        memory.check_always(true);
    }
    ~mmu_bench() override {
        for (auto& q : queues) {
            for (auto& held : q->held) {
                for (auto& f : held) f.frame->release();
            }
        }
    }

    drop_reason offer(std::uint16_t in, std::uint8_t group, std::uint16_t out, std::uint8_t queue, cells size,
                      ethernet::ecn codepoint = ethernet::ecn::not_ect) {
        ethernet::frame* f = frames.take();
        ethernet::udp_path path;
        path.congestion = codepoint;
        ethernet::build_udp(*f, path, static_cast<std::uint32_t>(size) * memory.shape().cell_octets);
        const drop_reason why = memory.admit({*f, in, out, group, queue, colour::green});
        if (why != drop_reason::none) f->release();
        return why;
    }
    /// Cell by cell.
    void fill(std::uint16_t in, std::uint8_t group, std::uint16_t out, std::uint8_t queue, cells size) {
        for (cells n = 0; n < size; ++n) ASSERT_EQ(offer(in, group, out, queue, 1), drop_reason::none);
    }
    /// Sends the oldest frame of a queue and tells whether it was CE.
    bool send(std::uint16_t out, std::uint8_t queue) {
        queued_frame f = queues[out]->held[queue].front();
        queues[out]->held[queue].pop_front();
        memory.depart(out, queue, f, picoseconds{0});
        const bool ce = f.frame->headers.congestion == ethernet::ecn::ce;
        f.frame->release();
        return ce;
    }

    ethernet::frame_pool frames;
    timeline time;
    mmu memory;
    std::vector<std::unique_ptr<queue_stub>> queues;
    std::vector<std::unique_ptr<wish_stub>> wishes;
};

constexpr std::uint8_t lossless_pool = 0;
constexpr std::uint8_t lossy_pool = 1;
constexpr std::uint8_t egress_pool = 2;

queue_profile open_queue(bool is_lossless) {
    queue_profile q;
    q.enabled = true;
    q.lossless = is_lossless;
    q.pool = egress_pool;
    return q;
}

group_profile group_of(bool is_lossless, std::uint8_t pool) {
    group_profile p;
    p.enabled = true;
    p.lossless = is_lossless;
    p.pool = pool;
    return p;
}

std::unique_ptr<mmu_bench> make_bench(std::uint16_t ports = 5, cells total = 10000) {
    auto bench = std::make_unique<mmu_bench>(geometry{ports, total, 128, 0});
    bench->memory.set_pool(lossless_pool, direction::ingress, total / 2, 0);
    bench->memory.set_pool(lossy_pool, direction::ingress, total / 4, 0);
    bench->memory.set_pool(egress_pool, direction::egress, total, 0);
    for (std::uint16_t p = 0; p < ports; ++p) {
        for (std::uint8_t q = 0; q < 8; ++q) bench->memory.set_queue_profile(p, q, open_queue(q == 3));
    }
    return bench;
}

// R1: ceil((length + overhead) / cell), for cells that are a power of two and for those that are not.
TEST(mmu, cuts_a_frame_into_cells) {
    timeline time("time");
    const mmu power("a", time, {2, 100, 256, 0}, 1);
    const mmu odd("b", time, {2, 100, 208, 16}, 1);
    EXPECT_EQ(power.cells_of(64), 1);
    EXPECT_EQ(power.cells_of(256), 1);
    EXPECT_EQ(power.cells_of(257), 2);
    EXPECT_EQ(power.cells_of(4158), 17);  // 16.24
    EXPECT_EQ(odd.cells_of(192), 1);      // 192 + 16 = 208
    EXPECT_EQ(odd.cells_of(193), 2);
}

// R3: the first check that fails names the reason: physical cell before group before queue.
TEST(mmu, names_the_first_check_that_fails) {
    auto b = make_bench(3, 100);
    b->memory.set_group_profile(0, 0, group_of(false, lossy_pool));  // the pool has 25
    EXPECT_EQ(b->offer(0, 0, 1, 0, 26), drop_reason::group_limit);
    queue_profile q = open_queue(false);
    q.limit = 10;
    b->memory.set_queue_profile(1, 0, q);
    EXPECT_EQ(b->offer(0, 0, 1, 0, 11), drop_reason::queue_limit);
    EXPECT_EQ(b->offer(0, 0, 1, 0, 101), drop_reason::no_cell);
    q.enabled = false;
    b->memory.set_queue_profile(1, 0, q);
    EXPECT_EQ(b->offer(0, 0, 1, 0, 1), drop_reason::port_disabled);
    EXPECT_EQ(b->offer(0, 5, 1, 1, 1), drop_reason::group_limit);  // a group that is not enabled
    EXPECT_EQ(b->memory.used(), 0);
    EXPECT_EQ(b->memory.group_counters(0, 0).drop_frames, 2U);
    EXPECT_EQ(b->memory.queue_counters(1, 0).drop_frames, 2U);
}

// M26, R3: a lossless queue's limit is the whole buffer, even when it is bound to no pool of its direction.
TEST(mmu, a_lossless_queue_takes_what_the_group_lets_in) {
    auto b = make_bench(3, 1000);
    group_profile p = group_of(true, lossless_pool);
    p.xoff = 400;
    p.headroom = 100;
    b->memory.set_group_profile(0, 3, p);
    queue_profile q = open_queue(true);
    q.limit = 1;
    q.pool = lossless_pool;  // an ingress pool: it has no Service for a queue
    b->memory.set_queue_profile(1, 3, q);
    EXPECT_EQ(b->offer(0, 3, 1, 3, 100), drop_reason::none);
    EXPECT_EQ(b->memory.queue(1, 3).used(), 100);
    EXPECT_EQ(b->memory.pool(lossless_pool).used, 100);  // once, for the group
}

// A lossy queue bound to a pool of the other direction has no Service.
TEST(mmu, a_queue_bound_to_an_ingress_pool_has_no_service) {
    auto b = make_bench(3, 1000);
    b->memory.set_group_profile(0, 0, group_of(false, lossy_pool));
    queue_profile q = open_queue(false);
    q.pool = lossless_pool;
    q.guaranteed = 2;
    b->memory.set_queue_profile(1, 0, q);
    EXPECT_EQ(b->offer(0, 0, 1, 0, 2), drop_reason::none);
    EXPECT_EQ(b->offer(0, 0, 1, 0, 1), drop_reason::queue_limit);
}

// M21: what is in from (port, group) and not yet out pauses that port alone.
TEST(mmu, pauses_only_the_port_whose_frames_wait) {
    auto b = make_bench();
    for (std::uint16_t port = 0; port < 2; ++port) {
        group_profile p = group_of(true, lossless_pool);
        p.xoff = 100;
        p.headroom = 10;
        b->memory.set_group_profile(port, 3, p);
    }
    b->offer(0, 3, 2, 3, 100);
    b->offer(1, 3, 2, 3, 99);
    EXPECT_EQ(b->wishes[0]->wishes, 0x08);
    EXPECT_EQ(b->wishes[1]->wishes, 0);
    b->send(2, 3);
    EXPECT_EQ(b->wishes[0]->wishes, 0);
    EXPECT_EQ(b->wishes[0]->changes, 2);
}

// §4.2: n greedy groups, alpha on B cells, each cell by cell in turn: the first asserts at its last cell of
// alpha·B/(1+n·alpha). B = 5000: alpha 1, n 4 → 1000; alpha 1/8, n 4 → 416.67; alpha 8, n 2 → 2352.9.
TEST(mmu, dynamic_groups_settle_at_their_fair_share) {
    struct point {
        std::uint8_t alpha_index;
        std::uint16_t groups;
        cells expected;
    };
    auto b = make_bench(5, 10000);
    for (const point& at : {point{7, 4, 1000}, point{4, 4, 416}, point{10, 2, 2352}}) {
        for (std::uint16_t port = 0; port < at.groups; ++port) {
            group_profile p = group_of(true, lossless_pool);
            p.dynamic = true;
            p.share = alpha{at.alpha_index};
            b->memory.set_group_profile(port, 3, p);
        }
        cells each = 0;
        while (b->wishes[0]->wishes == 0) {
            ++each;
            for (std::uint16_t port = 0; port < at.groups; ++port) {
                if (b->wishes[0]->wishes != 0) continue;
                ASSERT_EQ(b->offer(port, 3, 4, 3, 1), drop_reason::none);
            }
        }
        EXPECT_NEAR(each, at.expected, 1) << "alpha index " << int{at.alpha_index};
        while (!b->queues[4]->held[3].empty()) b->send(4, 3);
        EXPECT_EQ(b->memory.used(), 0);
    }
}

// R4: a group crosses XOFF although it received nothing, and comes back although it sent nothing.
TEST(mmu, another_group_moves_the_dynamic_limit) {
    auto b = make_bench(4, 2000);  // the pool has 1000
    for (std::uint16_t port = 0; port < 2; ++port) {
        group_profile p = group_of(true, lossless_pool);
        p.dynamic = port == 0;
        p.share = alpha{7};
        p.xon_offset = 50;
        b->memory.set_group_profile(port, 3, p);
    }
    b->fill(0, 3, 2, 3, 300);
    EXPECT_EQ(b->wishes[0]->wishes, 0);  // limit 700
    b->fill(1, 3, 3, 3, 399);            // free 301: limit 301
    EXPECT_EQ(b->wishes[0]->wishes, 0);
    b->offer(1, 3, 3, 3, 1);  // free 300: limit 300 is reached
    EXPECT_EQ(b->wishes[0]->wishes, 0x08);
    while (b->queues[3]->held[3].size() > 48) b->send(3, 3);  // free 652, limit 652
    EXPECT_EQ(b->wishes[0]->wishes, 0);
}

// The edge of the same: resume at limit − offset, and not a cell earlier.
TEST(mmu, resumes_without_a_departure_of_its_own_at_the_right_cell) {
    auto b = make_bench(4, 2000);
    for (std::uint16_t port = 0; port < 2; ++port) {
        group_profile p = group_of(true, lossless_pool);
        p.dynamic = port == 0;
        p.share = alpha{7};
        p.xon_offset = 50;
        b->memory.set_group_profile(port, 3, p);
    }
    b->fill(0, 3, 2, 3, 300);
    for (int i = 0; i < 400; ++i) b->offer(1, 3, 3, 3, 1);
    EXPECT_EQ(b->wishes[0]->wishes, 0x08);
    for (int i = 0; i < 49; ++i) b->send(3, 3);  // free 349: 300 > 349 − 50
    EXPECT_EQ(b->wishes[0]->wishes, 0x08);
    b->send(3, 3);  // free 350
    EXPECT_EQ(b->wishes[0]->wishes, 0);
}

// The heaps against the definition: after any sequence every group is paused exactly when judging it anew says so.
TEST(mmu, judging_by_need_equals_judging_everyone) {
    auto b = make_bench(9, 4000);
    random_stream random(7, "judging");
    for (std::uint16_t port = 0; port < 8; ++port) {
        for (std::uint8_t g = 0; g < 8; ++g) {
            group_profile p = group_of(g != 0, lossless_pool);
            p.dynamic = g % 3 != 2;
            p.share = alpha{static_cast<std::uint8_t>(random.next() % 11)};
            p.xoff = random.next() % 4 == 0 ? static_cast<cells>(20 + random.next() % 60) : unlimited;
            p.xon_offset = static_cast<cells>(random.next() % 30);
            p.xon_floor = random.next() % 5 == 0 ? 7 : 0;
            p.headroom = static_cast<cells>(random.next() % 40);
            p.guaranteed = static_cast<cells>(random.next() % 5);
            p.judge_total = random.next() % 7 == 0;
            p.limit = 200;
            b->memory.set_group_profile(port, g, p);
        }
    }
    for (int step = 0; step < 20000; ++step) {
        const auto port = static_cast<std::uint16_t>(random.next() % 8);
        const auto group = static_cast<std::uint8_t>(random.next() % 8);
        const bool filling = (step / 2000) % 2 == 0;
        if (random.next() % 4 < (filling ? 3U : 1U)) {
            b->offer(port, group, port, group, static_cast<cells>(1 + random.next() % 30));
        } else if (!b->queues[port]->held[group].empty()) {
            b->send(port, group);
        }
        if (random.next() % 500 == 0) {
            b->memory.set_pool(lossless_pool, direction::ingress, static_cast<cells>(500 + random.next() % 1500), 0);
        }
        for (std::uint16_t p = 0; p < 8; ++p) {
            for (std::uint8_t g = 0; g < 8; ++g) {
                priority_group copy = b->memory.group(p, g);
                ASSERT_FALSE(copy.judge()) << "step " << step << " port " << p << " group " << int{g};
            }
        }
    }
}

// R8, R9: what is programmed is added up a direction; the excess is named to the cell.
TEST(mmu, adds_up_the_budget_a_direction) {
    auto b = make_bench(3, 1000);  // 500 + 250 of ingress pools, 1000 of egress
    EXPECT_EQ(b->memory.programmed(direction::ingress).excess(), 0);
    group_profile p = group_of(true, lossless_pool);
    p.guaranteed = 50;
    p.headroom = 200;
    b->memory.set_group_profile(0, 3, p);
    EXPECT_EQ(b->memory.programmed(direction::ingress).excess(), 0);  // 1000 exactly
    p.headroom = 207;
    b->memory.set_group_profile(0, 3, p);
    EXPECT_EQ(b->memory.programmed(direction::ingress).excess(), 7);
    EXPECT_EQ(b->memory.programmed(direction::egress).excess(), 0);
    p.shared_headroom = true;  // then it is the pool's
    b->memory.set_group_profile(0, 3, p);
    EXPECT_EQ(b->memory.programmed(direction::ingress).excess(), 0);
}

// R13: a pool shrunk below its use has 0 free, and nothing already in is thrown out.
TEST(mmu, shrinking_a_pool_below_its_use_moves_no_cell) {
    auto b = make_bench(3, 1000);
    b->memory.set_group_profile(0, 0, group_of(false, lossy_pool));
    b->offer(0, 0, 1, 0, 100);
    b->memory.set_pool(lossy_pool, direction::ingress, 40, 0);
    EXPECT_EQ(b->memory.pool(lossy_pool).free(), 0);
    EXPECT_EQ(b->memory.group(0, 0).used(), 100);
    EXPECT_EQ(b->offer(0, 0, 1, 0, 1), drop_reason::group_limit);
    b->send(1, 0);
    EXPECT_EQ(b->offer(0, 0, 1, 0, 40), drop_reason::none);
}

// R13: clearing LOSSLESS while paused withdraws the wish.
TEST(mmu, clearing_lossless_withdraws_the_wish) {
    auto b = make_bench(3, 1000);
    group_profile p = group_of(true, lossless_pool);
    p.xoff = 10;
    b->memory.set_group_profile(0, 3, p);
    b->offer(0, 3, 1, 3, 10);
    EXPECT_EQ(b->wishes[0]->wishes, 0x08);
    p.lossless = false;
    b->memory.set_group_profile(0, 3, p);
    EXPECT_EQ(b->wishes[0]->wishes, 0);
}

// R12 and §4.7's recipe, in cells of 1000 octets: Kmin 500, Kmax 2000, P 5 %.
TEST(wred_curve, rises_linearly_and_jumps_to_one_above_kmax) {
    const wred_curve c{true, 500, 2000, 3277};  // 5 % of 65535
    EXPECT_EQ(c.at(500), 0U);
    EXPECT_NEAR(c.at(750) / 65535.0, 0.00833, 2e-5);
    EXPECT_NEAR(c.at(1250) / 65535.0, 0.025, 2e-5);
    EXPECT_NEAR(c.at(2000) / 65535.0, 0.05, 2e-5);
    EXPECT_EQ(c.at(2001), 65535U);
    const wred_curve step{true, 100, 100, 3277};
    EXPECT_EQ(step.at(100), 0U);
    EXPECT_EQ(step.at(101), 65535U);
}

// R12, §3.6: with Kmin = Kmax = 10 the queue before the frame decides: 10 cells do not mark, 11 do.
TEST(mmu, marks_ect_above_the_step_and_never_not_ect) {
    auto b = make_bench(3, 1000);
    b->memory.set_group_profile(0, 0, group_of(false, lossy_pool));
    b->memory.set_wred_curve(0, colour::green, {true, 10, 10, 65535});
    b->memory.wred(1, 0).ecn_enabled = true;
    b->offer(0, 0, 1, 0, 10, ethernet::ecn::ect0);
    b->offer(0, 0, 1, 0, 1, ethernet::ecn::ect0);  // the queue before it: 10
    b->offer(0, 0, 1, 0, 1, ethernet::ecn::ect1);  // 11
    b->offer(0, 0, 1, 0, 1, ethernet::ecn::not_ect);
    EXPECT_FALSE(b->send(1, 0));
    EXPECT_FALSE(b->send(1, 0));
    EXPECT_TRUE(b->send(1, 0));
    EXPECT_FALSE(b->send(1, 0));  // an ECN-only profile lets Not-ECT pass
    EXPECT_EQ(b->memory.wred_counts(1, 0).marked, 1U);
}

TEST(mmu, drops_not_ect_where_wred_is_on_but_never_on_a_lossless_queue) {
    auto b = make_bench(3, 1000);
    group_profile lossless = group_of(true, lossless_pool);
    b->memory.set_group_profile(0, 3, lossless);
    b->memory.set_group_profile(0, 0, group_of(false, lossy_pool));
    b->memory.set_wred_curve(0, colour::green, {true, 0, 0, 65535});
    for (const std::uint8_t q : {std::uint8_t{0}, std::uint8_t{3}}) {
        b->memory.wred(1, q).ecn_enabled = true;
        b->memory.wred(1, q).wred_enabled = true;
    }
    b->offer(0, 0, 1, 0, 1);
    EXPECT_EQ(b->offer(0, 0, 1, 0, 1), drop_reason::wred);
    b->offer(0, 3, 1, 3, 1);
    EXPECT_EQ(b->offer(0, 3, 1, 3, 1), drop_reason::none);
    EXPECT_EQ(b->memory.wred_counts(1, 0).dropped, 1U);
    EXPECT_EQ(b->memory.used(), 3);
}

// §4.7: fill 2N behind a pause with Kmin = Kmax = N: marking at enqueue marks the last N, at dequeue the first N − 1
// (the frame that leaves N behind it is not above Kmax).
TEST(mmu, marking_at_dequeue_marks_the_first_instead_of_the_last) {
    auto b = make_bench(3, 1000);
    b->memory.set_group_profile(0, 0, group_of(false, lossy_pool));
    b->memory.set_wred_curve(0, colour::green, {true, 20, 20, 65535});
    for (const std::uint8_t q : {std::uint8_t{0}, std::uint8_t{1}}) b->memory.wred(1, q).ecn_enabled = true;
    b->memory.wred(1, 1).at_dequeue = true;
    for (const std::uint8_t q : {std::uint8_t{0}, std::uint8_t{1}}) {
        for (int i = 0; i < 40; ++i) b->offer(0, 0, 1, q, 1, ethernet::ecn::ect0);
        std::string marks;
        for (int i = 0; i < 40; ++i) marks += b->send(1, q) ? 'C' : '.';
        // At enqueue frame i sees i cells, and is marked when i > 20. At dequeue it leaves 39 − i, marked when > 20.
        const std::string enqueue = std::string(21, '.') + std::string(19, 'C');
        const std::string dequeue = std::string(19, 'C') + std::string(21, '.');
        EXPECT_EQ(marks, q == 0 ? enqueue : dequeue);
    }
}

// §4.7: at q between Kmin and Kmax the marked share is the curve's; 20 000 draws, four standard deviations.
TEST(mmu, marks_with_the_probability_of_the_curve) {
    random_stream random(3, "draws");
    wred_profile profile{};
    profile[0] = {true, 500, 2000, 3277};
    wred_queue q;
    q.profile = &profile;
    q.ecn_enabled = true;
    q.random = random;
    int marked = 0;
    for (int i = 0; i < 20000; ++i) {
        if (q.judge(1250, colour::green, ethernet::ecn::ect0, true) == wred_verdict::mark) ++marked;
    }
    EXPECT_NEAR(marked, 500, 88);  // 20 000 · 2.5 %, σ = 22
}

}  // namespace
}  // namespace weir::mmu
