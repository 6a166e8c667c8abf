// SPDX-License-Identifier: Apache-2.0
// Rule G7: the stall detector of the PFC RTL chapter's section 13 with its properties P26 to P28, in quanta of the
// port's own rate instead of clocks.
#include "models/pfc/stall_detector.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "models/ethernet/mac_control.h"
#include "models/pfc/flow_control.h"
#include "tests/conformance/conformance.h"

namespace weir::pfc {
namespace {

/// A port's flow control over queues that the test fills and empties by hand. Priority n stops queue n.
class stall_bench : public sc_core::sc_module, public port::transmit_if, public gated_queues_if {
public:
    explicit stall_bench(const char* name_of_rate = "100G")
        : sc_module(sc_core::sc_module_name("bench")), time("time"), flow("flow", time, frames) {
        flow.transmitter.bind(*this);
        flow.gated.bind(*this);
        set_rate(name_of_rate);
        for (std::uint8_t i = 0; i < 8; ++i) {
            flow.receiver.set_priority_queues(i, static_cast<bitmap>(1U << i));
        }
        flow.receiver.set_enabled(0xff);
        flow.receiver.set_pause_enabled(true);
        flow.stall.set_lossless(3, true);
        flow.stall.on_suspect = [this](std::uint8_t queue) { suspected.push_back(queue); };
        flow.stall.on_escape = [this](std::uint8_t queue) { escaped.push_back(queue); };
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        flow.link_changed(true);
    }
    void wake() override {}
    void gate_moved() override {}
    [[nodiscard]] bitmap holding() const override { return held; }
    void watch(bitmap queues) override { watched = queues; }
    std::uint64_t throw_away(std::uint8_t queue) override {
        empty(queue);
        return 17;
    }

    void set_rate(const char* name_of_rate) {
        rate = *data_rate::from_name(name_of_rate);
        flow.set_rate(rate);
    }
    // What a scheduler does: it tells of the queues that it was asked to watch.
    void fill(std::uint8_t queue) {
        held = static_cast<bitmap>(held | 1U << queue);
        if ((watched >> queue & 1U) != 0) flow.queue_filled(queue);
    }
    void empty(std::uint8_t queue) {
        held = static_cast<bitmap>(held & ~(1U << queue));
        if ((watched >> queue & 1U) != 0) flow.queue_emptied(queue);
    }
    void send(std::uint8_t queue) {
        if ((watched >> queue & 1U) != 0) flow.frame_left(queue);
    }
    void receive(std::uint8_t vector, std::uint16_t quanta) {
        ethernet::frame* f = frames.take();
        ethernet::pause_times times{};
        times.fill(quanta);
        ethernet::build_pfc(*f, {2, 0, 0, 0, 0, 2}, vector, times);
        flow.receive(*f, time.now());
        f->release();
    }
    void run_to(picoseconds t) {
        time.run_until(t);
        time.advance_to(t);
    }
    /// Keeps the vector stopped until then: each pause is followed by another before it runs out.
    void stop_until(std::uint8_t vector, picoseconds end) {
        const picoseconds step = rate.quanta(60000);
        receive(vector, 65535);
        while (time.now() + step < end) {
            run_to(time.now() + step);
            receive(vector, 65535);
        }
        run_to(end);
    }
    [[nodiscard]] picoseconds longest(std::uint8_t queue) const { return flow.stall.longest(queue, time.now()); }

    ethernet::frame_pool frames;
    timeline time;
    flow_control flow;
    data_rate rate;
    bitmap held{0};
    bitmap watched{0};
    std::vector<int> suspected;
    std::vector<int> escaped;
};

constexpr picoseconds moment{1};

// F6, P26: four times 65535 quanta of 512 bits are 134.2 ms at 1G, 13.42 ms at 10G and 1.342 ms at 100G, to the
// picosecond. The pause is repeated all the time, which does not start the count again.
TEST(stall_detector, suspects_after_the_limit_in_quanta_of_the_ports_rate) {
    stall_bench b;
    const std::array<const char*, 3> rates{"1G", "10G", "100G"};
    const std::array<picoseconds, 3> limits{nanoseconds(134'215'680), nanoseconds(13'421'568),
                                            picoseconds{1'342'156'800}};
    std::string after;
    for (std::size_t i = 0; i < rates.size(); ++i) {
        b.set_rate(rates[i]);
        b.fill(3);
        const picoseconds start = b.time.now();
        b.stop_until(0x08, start + limits[i] - moment);
        EXPECT_EQ(b.flow.stall.suspect(), 0) << rates[i];
        EXPECT_EQ(b.longest(3), limits[i] - moment);
        b.run_to(start + limits[i] + moment);
        EXPECT_EQ(b.flow.stall.suspect(), 0x08) << rates[i];
        EXPECT_EQ(b.flow.stall.counters[3].suspects, i + 1);
        after += fmt::format("{:.4f} ", static_cast<double>((b.longest(3) - moment).count()) / 1e9);
        // The gate opens: the stall is over, and its length stays as the mark.
        b.receive(0x08, 0);
        EXPECT_EQ(b.flow.stall.suspect(), 0);
        b.run_to(b.time.now() + nanoseconds(100));
        EXPECT_EQ(b.longest(3), limits[i] + moment);
        b.flow.stall.clear_longest(3);
        EXPECT_EQ(b.longest(3), picoseconds{0});
    }
    EXPECT_EQ(b.suspected, (std::vector<int>{3, 3, 3}));
    EXPECT_TRUE(b.escaped.empty());
    for (const char* id : {"F6", "A04", "D7", "M16"}) {
        conformance::row(id, "4 · 65535 quanta at 1G, 10G, 100G: 134.2157 13.4216 1.3422 ms", after + "ms");
    }
    conformance::row("P26", "suspect at 4 times 65535 quanta at 1G, 10G and 100G, a picosecond before not",
                     fmt::format("{} of 3", b.suspected.size()));
}

// The mask: a lossy queue in the same state is nobody's business, and neither is a queue without frames.
TEST(stall_detector, looks_at_lossless_queues_with_frames_alone) {
    stall_bench b;
    b.flow.stall.set_limit(1000);
    b.flow.stall.set_escape(true);
    b.fill(2);
    b.stop_until(0x0c, b.rate.quanta(50'000));
    EXPECT_TRUE(b.suspected.empty());
    EXPECT_EQ(b.longest(2), picoseconds{0});
    EXPECT_EQ(b.longest(3), picoseconds{0});
    // The queue's first frame comes while it is stopped: the stall starts then.
    const picoseconds filled = b.time.now();
    b.fill(3);
    b.run_to(filled + b.rate.quanta(1000) - moment);
    EXPECT_TRUE(b.suspected.empty());
    b.run_to(filled + b.rate.quanta(1000) + moment);
    EXPECT_EQ(b.suspected, std::vector<int>{3});
    // What becomes lossy is forgotten; what becomes lossless while it stands still starts then.
    b.flow.stall.set_lossless(3, false);
    EXPECT_EQ(b.flow.stall.suspect(), 0);
    b.flow.stall.set_lossless(2, true);
    b.run_to(b.time.now() + b.rate.quanta(1000) + moment);
    EXPECT_EQ(b.suspected, (std::vector<int>{3, 2}));
}

// F14: pauses with breaks in between are no stall, however much they add up to.
TEST(stall_detector, intermittent_pauses_do_not_add_up) {
    stall_bench b;
    b.flow.stall.set_limit(1000);
    b.fill(3);
    for (int i = 0; i < 20; ++i) {
        b.receive(0x08, 900);
        b.run_to(b.time.now() + b.rate.quanta(950));
    }
    EXPECT_TRUE(b.suspected.empty());
    EXPECT_EQ(b.longest(3), b.rate.quanta(900));
    conformance::row(
        "F14", "20 pauses of 900 quanta, 50 apart, limit 1000: 0 suspect, longest 900",
        fmt::format("{} suspect, longest {}", b.suspected.size(), b.longest(3).count() / b.rate.quanta(1).count()));
}

// X18, Y06: legitimate congestion, its stalls of known lengths. A limit below the longest of them accuses, and as often
// as there are stalls that reach it; one above never does.
TEST(stall_detector, a_limit_below_the_longest_normal_stall_keeps_firing) {
    stall_bench b;
    b.fill(3);
    std::string expected;
    std::string measured;
    for (const std::uint32_t limit : {225U, 425U, 799U, 801U, 1600U}) {
        b.flow.stall.set_limit(limit);
        const std::size_t before = b.suspected.size();
        std::size_t reached = 0;
        for (std::uint16_t stall = 100; stall <= 800; stall = static_cast<std::uint16_t>(stall + 50)) {
            b.receive(0x08, stall);
            b.run_to(b.time.now() + b.rate.quanta(stall) + nanoseconds(100));
            b.send(3);
            if (stall > limit) ++reached;
        }
        EXPECT_EQ(b.suspected.size() - before, reached) << limit;
        expected += fmt::format("{} ", reached);
        measured += fmt::format("{} ", b.suspected.size() - before);
    }
    for (const char* id : {"X18", "Y06"}) {
        conformance::row(id,
                         "15 stalls of 100 to 800 quanta, each ended by its peer; limits 225, 425, 799, 801, 1600: " +
                             expected + "accused",
                         measured);
    }
}

// With input queueing a head may leave its scheduler and come back without having been sent: it has waited all along.
TEST(stall_detector, a_head_that_comes_back_has_waited_all_the_while) {
    stall_bench b;
    b.flow.stall.set_limit(1000);
    b.fill(3);
    b.receive(0x08, 65535);
    b.run_to(b.rate.quanta(600));
    b.flow.queue_filled(3);
    b.run_to(b.rate.quanta(1000) + moment);
    EXPECT_EQ(b.suspected, std::vector<int>{3});
}

// F14, the chapter's own design: the count is kept while the gate is open. 900 quanta of the first pause and 100 of the
// second make 1000.
TEST(stall_detector, with_hold_the_stops_of_one_jam_add_up) {
    stall_bench b;
    b.flow.stall.set_limit(1000);
    b.flow.stall.set_hold(true);
    b.fill(3);
    b.receive(0x08, 900);
    b.run_to(b.rate.quanta(950));
    const picoseconds second = b.time.now();
    b.receive(0x08, 900);
    b.run_to(second + b.rate.quanta(100) - moment);
    EXPECT_TRUE(b.suspected.empty());
    b.run_to(second + b.rate.quanta(100) + moment);
    EXPECT_EQ(b.suspected, std::vector<int>{3});
    // An open gate does not clear it; a frame that leaves does.
    b.run_to(second + b.rate.quanta(950));
    EXPECT_EQ(b.flow.stall.suspect(), 0x08);
    b.send(3);
    EXPECT_EQ(b.flow.stall.suspect(), 0);
}

// P27: one frame that leaves takes the evidence to zero. 900 quanta, a frame, 900 quanta: no suspect.
TEST(stall_detector, progress_takes_the_count_to_zero) {
    stall_bench b;
    b.flow.stall.set_limit(1000);
    b.flow.stall.set_hold(true);
    b.fill(3);
    b.receive(0x08, 900);
    b.run_to(b.rate.quanta(950));
    b.send(3);
    b.receive(0x08, 900);
    b.run_to(b.time.now() + b.rate.quanta(950));
    EXPECT_TRUE(b.suspected.empty());
    conformance::row("S71", "900 quanta, one frame, 900 quanta, limit 1000: 0 suspect",
                     fmt::format("{} suspect", b.suspected.size()));
    conformance::row("P27", "900 quanta, a frame, 900 quanta, limit 1000: not suspect",
                     fmt::format("suspected {} times", b.suspected.size()));
    // And so does a queue that becomes empty.
    b.empty(3);
    b.fill(3);
    b.receive(0x08, 900);
    b.run_to(b.time.now() + b.rate.quanta(950));
    EXPECT_TRUE(b.suspected.empty());
}

// The chapter's second threshold: a second full interval without progress, and only if it is switched on.
TEST(stall_detector, escapes_at_twice_the_limit_if_it_may) {
    stall_bench b;
    b.flow.stall.set_limit(1000);
    b.fill(3);
    b.stop_until(0x08, b.rate.quanta(5000));
    EXPECT_EQ(b.suspected.size(), 1U);
    EXPECT_TRUE(b.escaped.empty());
    b.receive(0x08, 0);

    b.flow.stall.set_escape(true);
    const picoseconds start = b.time.now();
    b.stop_until(0x08, start + b.rate.quanta(2000) - moment);
    EXPECT_TRUE(b.escaped.empty());
    EXPECT_EQ(b.flow.stall.suspect(), 0x08);
    b.run_to(start + b.rate.quanta(2000) + moment);
    EXPECT_EQ(b.escaped, std::vector<int>{3});
    EXPECT_EQ(b.held, 0);
    EXPECT_EQ(b.flow.stall.suspect(), 0);
    EXPECT_EQ(b.flow.stall.counters[3].escapes, 1U);
    EXPECT_EQ(b.flow.stall.counters[3].escaped_frames, 17U);
    for (const char* id : {"M16", "S72"}) {
        conformance::row(
            id, "limit 1000: escape at 2000 quanta, 17 frames, told as 1 escape and 1 fault",
            fmt::format("at {} quanta, {} frames, {} escape and {} fault",
                        (b.time.now() - moment - start).count() / b.rate.quanta(1).count(),
                        b.flow.stall.counters[3].escaped_frames, b.flow.stall.counters[3].escapes, b.escaped.size()));
    }
    // Still stopped, and filled again: another stall, with limits of its own.
    const picoseconds again = b.time.now();
    b.fill(3);
    b.stop_until(0x08, again + b.rate.quanta(2000) + moment);
    EXPECT_EQ(b.suspected.size(), 3U);
    EXPECT_EQ(b.escaped.size(), 2U);
}

// A limit that is lowered below the present stall, or an escape that is switched on late, acts at once; 0 is never.
TEST(stall_detector, follows_its_registers_in_the_midst_of_a_stall) {
    stall_bench b;
    b.flow.stall.set_limit(0);
    b.fill(3);
    b.stop_until(0x08, b.rate.quanta(600'000));
    EXPECT_TRUE(b.suspected.empty());
    b.flow.stall.set_limit(500'000);
    b.run_to(b.time.now() + moment);
    EXPECT_EQ(b.suspected.size(), 1U);
    b.flow.stall.set_limit(300'000);
    b.flow.stall.set_escape(true);
    b.run_to(b.time.now() + moment);
    EXPECT_EQ(b.suspected.size(), 1U);
    EXPECT_EQ(b.escaped.size(), 1U);
}

// By 802.3x the whole link stands still; a link that goes down opens every gate.
TEST(stall_detector, a_stopped_link_is_a_stop_too_and_a_dead_one_is_none) {
    stall_bench b;
    b.flow.stall.set_limit(1000);
    b.fill(3);
    ethernet::frame* f = b.frames.take();
    ethernet::build_pause(*f, {2, 0, 0, 0, 0, 2}, 65535);
    b.flow.receive(*f, b.time.now());
    f->release();
    EXPECT_TRUE(b.flow.link_stopped());
    EXPECT_EQ(b.flow.queues_stopped_by_pfc(), 0);
    b.run_to(b.rate.quanta(1000) + moment);
    EXPECT_EQ(b.suspected, std::vector<int>{3});
    b.flow.link_changed(false);
    EXPECT_EQ(b.flow.stall.suspect(), 0);
    b.run_to(b.rate.quanta(70'000));
    EXPECT_EQ(b.longest(3), b.rate.quanta(1000) + moment);
}

}  // namespace
}  // namespace weir::pfc
