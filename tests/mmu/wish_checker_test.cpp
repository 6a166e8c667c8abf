// SPDX-License-Identifier: Apache-2.0
// P14 to P18 and P28 of the PFC RTL chapter: each broken on purpose behind its checker, and the MMU that is there.
#include "models/mmu/wish_checker.h"

#include <gtest/gtest.h>

#include "models/mmu/memory_checker.h"
#include "tests/conformance/broken_properties.h"
#include "tests/mmu/bench.h"

namespace weir::mmu {
namespace {

using conformance::broken_properties;

/// A group in the hand of the test, and the checker of the wishes that the test makes for it.
struct wish_bench : sc_core::sc_module, pfc::pause_wish_if {
    wish_bench()
        : sc_module(sc_core::sc_module_name("bench")), time("time"), checker(time, "bench.port", *this, view()) {
        pool.size = 10'000;
        group.pool = &pool;
        group.profile = group_of(true, 0);
        group.profile.xoff = 100;
        group.profile.xon_offset = 20;
        group.profile.headroom = 1000;
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        checker.link_changed(true);
    }
    wish_checker::view view() {
        wish_checker::view v;
        v.group = [this](std::uint8_t g) -> const priority_group& { return g == 3 ? group : others; };
        v.dead_time = [] { return nanoseconds(628); };
        v.late_frames = [this] { return late; };
        v.rate = [] { return *data_rate::from_name("100G"); };
        v.cells_of = [](std::uint32_t octets) { return static_cast<cells>((octets + 127) / 128); };
        return v;
    }
    void group_wishes(std::uint8_t, bool) override {}
    void group_overflowed(std::uint8_t) override {}
    void charge(cells size) {
        group.commit(group.plan(size));
        others.pool = &pool;
    }

    timeline time;
    service_pool pool;
    priority_group group;
    priority_group others;
    std::uint64_t late{0};
    wish_checker checker;
};

TEST(wish_checker, finds_a_group_at_xoff_that_does_not_ask) {
    wish_bench b;
    const broken_properties broken;
    b.charge(100);
    b.checker.settled(8);
    broken.expect("P14", "bench.port PG 3", "100 cells, XOFF 100, and the wish is forgotten");
    b.checker.settled(3);
    broken.expect("P15", "bench.port PG 3", "the frame that reaches XOFF asks for nothing");
}

TEST(wish_checker, finds_a_release_above_xon) {
    wish_bench b;
    const broken_properties broken;
    b.charge(100);
    b.checker.group_wishes(3, true);
    b.group.release(19);  // 81 cells, and the resume point is 80
    b.checker.group_wishes(3, false);
    broken.expect("P16", "bench.port PG 3", "released at 81 cells, resume point 80");
}

TEST(wish_checker, finds_a_lossy_group_that_asks) {
    wish_bench b;
    const broken_properties broken;
    b.group.profile.lossless = false;
    b.checker.group_wishes(3, true);
    broken.expect("P17", "bench.port PG 3", "the wish of a lossy group");
}

// 628 ns at 100G are 94 frames of 84 octets, a cell each, and a frame of 16 000 octets more is 125 cells: 1000 hold it.
TEST(wish_checker, finds_an_overflow_that_cannot_be) {
    wish_bench b;
    const broken_properties broken;
    b.charge(100);
    b.checker.group_wishes(3, true);
    b.checker.told(b.time.now());
    b.checker.group_overflowed(3);
    broken.expect("P18", "bench.port PG 3", "1000 cells of Headroom overflow within the dead time");
    b.late = 1;  // the peer did not obey: the overflow is its own
    b.checker.group_overflowed(3);
    b.late = 0;
    b.group.profile.headroom = 94;  // it does not hold what may come
    b.checker.group_overflowed(3);
    EXPECT_TRUE(broken_properties::none());
}

/// Drops without a word, and throws out of queues for any reason.
struct careless_memory : admission_if, departure_if {
    drop_reason admit(const arrival&) override { return why; }
    void depart(std::uint16_t, std::uint8_t, const queued_frame&, picoseconds) override {}
    void discard(std::uint16_t, std::uint8_t, const queued_frame&, drop_reason) override {}
    drop_reason why{drop_reason::headroom};
};

TEST(memory_checker, finds_a_lossless_frame_that_is_dropped_silently) {
    auto b = make_bench();
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    b->memory.set_group_profile(0, 3, group_of(true, lossless_pool));
    careless_memory careless;
    wish_checker::view view;
    view.group = [&](std::uint8_t g) -> const priority_group& { return b->memory.group(0, g); };
    wish_checker wishes(b->time, "bench.port", *b->wishes[0], view);
    memory_checker checker(b->time, "bench.mmu", careless, careless, b->memory);
    checker.add({&wishes, [] { return std::uint64_t{0}; }});
    ethernet::frame* f = b->frames.take();
    ethernet::build_udp(*f, {}, 128);
    const broken_properties broken;
    for (const drop_reason why : {drop_reason::headroom, drop_reason::no_cell, drop_reason::group_limit}) {
        careless.why = why;
        checker.admit({*f, 0, 1, 3, 3, colour::green});
        broken.expect("P28", "bench.mmu port 0 PG 3",
                      std::string("dropped for ") + std::string(drop_reason_names[static_cast<std::size_t>(why)]) +
                          ", and nobody told");
    }
    checker.discard(0, 3, {f, 0, 3, 0, 1}, drop_reason::escape);
    broken.expect("P28", "bench.mmu port 0 queue 3", "an escape without its fault");
    f->release();
}

/// A port whose wishes come by the checker.
struct watched_bench : sc_core::sc_module {
    watched_bench()
        : sc_module(sc_core::sc_module_name("watched")),
          time("time"),
          memory("mmu", time, geometry{2, 10'000, 128, 0}, 1),
          sink("sink"),
          queue("queue"),
          other("other"),
          wishes(time, "watched.port", sink,
                 {[this](std::uint8_t g) -> const priority_group& { return memory.group(0, g); }, {}, {}, {}, {}}),
          checker(time, "watched.mmu", memory, memory, memory) {
        memory.queues_out[0].bind(other);
        memory.queues_out[1].bind(queue);
        memory.wishes[0].bind(wishes);
        checker.add({&wishes, [] { return std::uint64_t{0}; }});
        memory.set_pool(lossless_pool, direction::ingress, 5000, 0);
        memory.set_pool(egress_pool, direction::egress, 10'000, 0);
        for (std::uint8_t q = 0; q < 8; ++q) memory.set_queue_profile(1, q, open_queue(true));
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        wishes.link_changed(true);
    }
    ~watched_bench() override {
        for (auto& held : queue.held) {
            for (auto& f : held) f.frame->release();
        }
    }
    drop_reason offer(std::uint8_t group, cells size) {
        ethernet::frame* f = frames.take();
        ethernet::build_udp(*f, {}, static_cast<std::uint32_t>(size) * 128);
        const drop_reason why = checker.admit({*f, 0, 1, group, group, colour::green});
        if (why != drop_reason::none) f->release();
        return why;
    }
    void send(std::uint8_t group) {
        queued_frame f = queue.held[group].front();
        queue.held[group].pop_front();
        checker.depart(1, group, f, picoseconds{0});
        f.frame->release();
    }

    ethernet::frame_pool frames;
    timeline time;
    mmu memory;
    mmu_bench::wish_stub sink;
    mmu_bench::queue_stub queue;
    mmu_bench::queue_stub other;
    wish_checker wishes;
    memory_checker checker;
};

// XOFF 100, XON 20. In steps of 1 cell a wish comes with cell 100, in steps of 12 with cell 108 (F10: a frame jumps
// past XOFF), and goes at 80 or the first step below.
TEST(wish_checker, steps_of_one_and_of_twelve_cells_cross_xoff_and_xon) {
    watched_bench b;
    const broken_properties broken;
    group_profile p = group_of(true, lossless_pool);
    p.xoff = 100;
    p.xon_offset = 20;
    p.headroom = 100;
    b.memory.set_group_profile(0, 3, p);
    std::array<std::array<cells, 2>, 2> turned{};
    for (const cells step : {1, 12}) {
        auto& [rose, fell] = turned[step == 1 ? 0 : 1];
        while (b.sink.wishes == 0) ASSERT_EQ(b.offer(3, step), drop_reason::none);
        rose = b.memory.group(0, 3).used();
        while (b.sink.wishes != 0) b.send(3);
        fell = b.memory.group(0, 3).used();
        while (!b.queue.held[3].empty()) b.send(3);
    }
    EXPECT_EQ(turned[0][0], 100);
    EXPECT_EQ(turned[0][1], 80);
    EXPECT_EQ(turned[1][0], 108);
    EXPECT_EQ(turned[1][1], 72);
    const std::string rises = fmt::format("at {} and {}", turned[0][0], turned[1][0]);
    conformance::row("P14", "XOFF 100, steps of 1 and 12 cells: asks at 100 and at 108, never above without", rises);
    conformance::row("P15", "asks in the instant of the frame that reaches XOFF", rises);
    conformance::row("F10", "a frame of 12 cells jumps from 96 to 108 past XOFF 100, and asks in the same instant",
                     rises);
    conformance::row("P16", "XON 20 below: lets go at 80, and in steps of 12 at 72",
                     fmt::format("at {} and {}", turned[0][1], turned[1][1]));
}

// All 256 masks of lossless groups: filled beyond their XOFF, the lossless ask and nobody else.
TEST(wish_checker, a_sweep_of_masks_pauses_the_lossless_alone) {
    watched_bench b;
    const broken_properties broken;
    int right = 0;
    for (unsigned mask = 0; mask < 256; ++mask) {
        for (std::uint8_t g = 0; g < 8; ++g) {
            group_profile p = group_of((mask >> g & 1U) != 0, lossless_pool);
            p.xoff = 3;
            p.xon_offset = 1;
            p.headroom = 4;
            b.memory.set_group_profile(0, g, p);
            for (int i = 0; i < 4; ++i) ASSERT_EQ(b.offer(g, 1), drop_reason::none);
        }
        if (b.sink.wishes == mask) ++right;
        for (std::uint8_t g = 0; g < 8; ++g) {
            while (!b.queue.held[g].empty()) b.send(g);
        }
    }
    EXPECT_EQ(right, 256);
    conformance::row("P17", "256 masks of lossless groups: the wishes are the mask", fmt::format("{} of 256", right));
}

}  // namespace
}  // namespace weir::mmu
