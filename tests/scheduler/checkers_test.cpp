// SPDX-License-Identifier: Apache-2.0
// P19 to P27 of the PFC RTL chapter: each broken on purpose behind its checker, and the definitions in full.
#include <gtest/gtest.h>

#include "models/ethernet/mac_control.h"
#include "models/ethernet/rocev2.h"
#include "models/pfc/flow_control.h"
#include "models/pfc/stall_checker.h"
#include "models/scheduler/attribution_checker.h"
#include "models/scheduler/dequeue_checker.h"
#include "tests/conformance/broken_properties.h"

namespace weir::scheduler {
namespace {

using conformance::broken_properties;

/// A scheduler that says and sends what the test wants, behind a flow control that is as it should be.
struct dequeue_bench : sc_core::sc_module, port::transmit_if, dequeue_if {
    dequeue_bench()
        : sc_module(sc_core::sc_module_name("bench")),
          time("time"),
          flow("flow", time, frames),
          control(time, "bench.port", flow, flow, flow.generator, flow.receiver),
          checker("bench.port", *this, control,
                  {[this] { return holding; },
                   [] { return pfc::bitmap{0xff}; },
                   [this] { return eligible; },
                   [this] { return blocked; },
                   [] { return *data_rate::from_name("100G"); },
                   {}}) {
        flow.transmitter.bind(*this);
        flow.set_rate(*data_rate::from_name("100G"));
        for (std::uint8_t i = 0; i < 8; ++i) {
            flow.generator.set_group_priorities(i, static_cast<pfc::bitmap>(1U << i));
            flow.receiver.set_priority_queues(i, static_cast<pfc::bitmap>(1U << i));
        }
        flow.generator.set_enabled(0xff);
        flow.receiver.set_enabled(0xff);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        control.link_changed(true);
    }
    void wake() override {}
    selection dequeue(picoseconds) override {
        if (sends > 7) return {};
        ethernet::frame* f = frames.take();
        ethernet::build_udp(*f, {}, 1518);
        f->note.queue = sends;
        return {f, false, never};
    }
    void stop(std::uint8_t vector) {
        ethernet::frame* f = frames.take();
        ethernet::pause_times times;
        times.fill(1000);
        ethernet::build_pfc(*f, {2, 0, 0, 0, 0, 2}, vector, times);
        control.receive(*f, time.now());
        f->release();
    }
    void decide() {
        const selection s = checker.dequeue(time.now());
        if (s.frame != nullptr) s.frame->release();
    }

    ethernet::frame_pool frames;
    timeline time;
    pfc::flow_control flow;
    pfc::control_checker control;
    dequeue_checker checker;
    pfc::bitmap holding{0x08};
    pfc::bitmap eligible{0x08};
    bool blocked{false};
    std::uint8_t sends{8};
};

TEST(dequeue_checker, finds_a_stopped_queue_that_sends) {
    dequeue_bench b;
    const broken_properties broken;
    b.stop(0x08);
    b.eligible = 0;
    b.blocked = true;
    b.sends = 3;
    b.decide();
    broken.expect("P19", "bench.port", "queue 3 is stopped and sends");
}

TEST(dequeue_checker, finds_a_gate_that_adds_or_takes_too_much) {
    dequeue_bench b;
    const broken_properties broken;
    b.decide();
    broken.expect("P20", "bench.port", "queue 3 may go, and nothing is sent");
    b.eligible = 0;
    b.sends = 3;
    b.decide();
    broken.expect("P20", "bench.port", "queue 3 may go and is not eligible");
}

TEST(dequeue_checker, finds_a_frame_that_is_cut_off) {
    dequeue_bench b;
    const broken_properties broken;
    b.sends = 3;
    b.decide();
    b.decide();  // 1518 octets last 122 ns
    broken.expect("P21", "bench.port", "another frame starts within one of 1518 octets");
}

TEST(dequeue_checker, finds_a_control_frame_that_waits) {
    dequeue_bench b;
    const broken_properties broken;
    b.flow.group_wishes(5, true);
    b.sends = 3;
    b.decide();
    broken.expect("P22", "bench.port", "data goes before a control frame that is due");
}

TEST(dequeue_checker, finds_blocked_time_that_is_none) {
    dequeue_bench b;
    const broken_properties broken;
    b.sends = 3;
    b.blocked = true;
    b.decide();
    broken.expect("P23", "bench.port", "blocked, and queue 3 may go");
}

// 2^17 states: what holds frames, what is stopped, and whether a control frame waits, which changes nothing about data.
TEST(dequeue_checker, eligible_and_blocked_are_their_definitions_in_every_state) {
    int right = 0;
    for (unsigned state = 0; state < 1U << 17U; ++state) {
        const auto holding = static_cast<pfc::bitmap>(state);
        const auto stopped = static_cast<pfc::bitmap>(state >> 8U);
        unsigned may_go = 0;
        for (unsigned q = 0; q < 8; ++q) {
            if ((holding >> q & 1U) != 0 && (stopped >> q & 1U) == 0) may_go |= 1U << q;
        }
        if (eligible(holding, stopped) == may_go && all_blocked(holding, stopped) == (holding != 0 && may_go == 0))
            ++right;
    }
    EXPECT_EQ(right, 1 << 17);
    const std::string measured = fmt::format("{} of 131072 states", right);
    conformance::row("P19", "2^17 states: no stopped queue is eligible", measured);
    conformance::row("P20", "2^17 states: every other queue with frames is", measured);
    conformance::row("P23", "2^17 states: all blocked is work and none eligible", measured);
}

/// Heads whose waiting the test writes down.
struct waiting_bench : sc_core::sc_module, enqueue_if, pfc::gated_queues_if, pfc::gate_if {
    waiting_bench()
        : sc_module(sc_core::sc_module_name("bench")),
          time("time"),
          checker(
              time, "bench.port", *this, *this,
              [this](std::uint8_t q, wait_cause why, picoseconds) {
                  return q == 3 ? waited[static_cast<std::size_t>(why)] : picoseconds{0};
              },
              [] { return std::uint64_t{0}; }, *this, true) {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    void enqueue(std::uint8_t queue, const mmu::queued_frame&) override {
        held = static_cast<pfc::bitmap>(1U << queue);
    }
    void gate_moved() override {}
    [[nodiscard]] pfc::bitmap holding() const override { return held; }
    void watch(pfc::bitmap) override {}
    std::uint64_t throw_away(std::uint8_t) override { return 0; }
    [[nodiscard]] pfc::bitmap stopped_queues() const override { return stopped; }
    [[nodiscard]] pfc::bitmap queues_stopped_by_pfc() const override { return stopped; }
    [[nodiscard]] bool link_stopped() const override { return false; }
    void pass(picoseconds t) { time.advance_to(time.now() + t); }
    void wait(wait_cause why, picoseconds t) { waited[static_cast<std::size_t>(why)] += t; }

    timeline time;
    pfc::bitmap held{0};
    pfc::bitmap stopped{0};
    std::array<picoseconds, wait_causes> waited{};
    attribution_checker checker;
};

TEST(attribution_checker, finds_waiting_with_two_causes_and_with_none) {
    waiting_bench b;
    const broken_properties broken;
    b.checker.enqueue(3, {});
    b.pass(nanoseconds(100));
    b.wait(wait_cause::first_order, nanoseconds(100));
    b.checker.look();
    EXPECT_TRUE(broken_properties::none());
    b.pass(nanoseconds(100));
    b.wait(wait_cause::first_order, nanoseconds(100));
    b.wait(wait_cause::none, nanoseconds(1));
    b.checker.look();
    broken.expect("P24", "bench.port queue 3", "101 ns of causes in 100 ns");
    b.pass(nanoseconds(100));
    b.wait(wait_cause::first_order, nanoseconds(99));
    b.checker.look();
    broken.expect("P24", "bench.port queue 3", "99 ns of causes in 100 ns");
}

TEST(attribution_checker, finds_a_stopped_queue_whose_destination_is_blamed) {
    waiting_bench b;
    const broken_properties broken;
    b.checker.enqueue(3, {});
    b.stopped = 0x08;
    b.checker.gate_moved();
    b.pass(nanoseconds(100));
    b.wait(wait_cause::self_paused, nanoseconds(99));
    b.wait(wait_cause::second_order, nanoseconds(1));
    b.checker.look();
    broken.expect("P25", "bench.port queue 3", "1 of 100 ns of a stopped queue is second order");
}

// P25's own row: self-paused wins over every other cause.
TEST(attribution_checker, self_paused_wins_over_every_other_cause) {
    int right = 0;
    for (const bool link : {false, true}) {
        for (const bool sends : {false, true}) {
            if (judge(true, link, sends) == wait_cause::self_paused) ++right;
        }
    }
    EXPECT_EQ(right, 4);
    conformance::row("P25", "stopped by PFC, with the link stopped or not, with its queue sending or not: self-paused",
                     fmt::format("{} of 4", right));
}

// Random fills, gates and frames on the account that is there: each queue's causes add up to the time for which it held
// frames.
TEST(attribution_checker, random_waiting_is_partitioned) {
    attribution account;
    std::uint64_t seed = 1;
    const auto random = [&seed](std::uint64_t below) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        return (seed >> 33U) % below;
    };
    std::array<picoseconds, 8> held{};
    picoseconds now{0};
    for (int i = 0; i < 20'000; ++i) {
        const picoseconds passed{static_cast<std::int64_t>(random(1000))};
        for (std::uint8_t q = 0; q < 8; ++q) {
            if ((account.holding() >> q & 1U) != 0) held[q] += passed;
        }
        now += passed;
        const auto queue = static_cast<std::uint8_t>(random(8));
        const bool holds = (account.holding() >> queue & 1U) != 0;
        if (random(3) == 0) {
            account.gate(static_cast<pfc::bitmap>(random(256)), random(4) == 0, now);
        } else if (!holds) {
            account.fills(queue, now);
        } else if (random(2) == 0) {
            const auto left = random(2) == 0 ? account.holding() : account.holding() & ~(1U << queue);
            account.sends(queue, static_cast<pfc::bitmap>(left), now, now + picoseconds{500});
        } else {
            account.empties(queue, now);
        }
    }
    int right = 0;
    for (std::uint8_t q = 0; q < 8; ++q) {
        picoseconds sum{0};
        for (std::size_t c = 0; c < wait_causes; ++c) sum += account.waited(q, static_cast<wait_cause>(c), now);
        if (sum == held[q]) ++right;
    }
    EXPECT_EQ(right, 8);
    for (const char* id : {"P24", "M14"}) {
        conformance::row(id,
                         "20 000 random fills, gates and frames: each queue's four causes add up to its time with "
                         "frames",
                         fmt::format("{} of 8 queues, to the picosecond", right));
    }
}

/// A stall detector that says what the test wants.
struct stall_bench : sc_core::sc_module, pfc::progress_if {
    stall_bench()
        : sc_module(sc_core::sc_module_name("bench")),
          time("time"),
          checker(time, "bench.port", *this,
                  {[this](std::uint8_t q, picoseconds) { return q == 3 ? stalled : picoseconds{0}; },
                   [] { return nanoseconds(100); }, [this] { return suspect; }}) {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    void queue_filled(std::uint8_t) override {}
    void frame_left(std::uint8_t) override {}
    void queue_emptied(std::uint8_t) override {}

    timeline time;
    picoseconds stalled{0};
    pfc::bitmap suspect{0};
    pfc::stall_checker checker;
};

TEST(stall_checker, finds_a_stall_that_is_not_suspect) {
    stall_bench b;
    const broken_properties broken;
    b.stalled = nanoseconds(100);
    b.checker.look();  // in that instant the detector has yet to be due
    EXPECT_TRUE(broken_properties::none());
    b.stalled = nanoseconds(100) + picoseconds{1};
    b.checker.look();
    broken.expect("P26", "bench.port queue 3", "100.001 ns of a limit of 100, and not suspect");
}

TEST(stall_checker, finds_evidence_that_progress_leaves) {
    stall_bench b;
    const broken_properties broken;
    b.stalled = nanoseconds(50);
    b.checker.frame_left(3);
    broken.expect("P27", "bench.port queue 3", "a frame is sent, and the stall goes on");
}

}  // namespace
}  // namespace weir::scheduler
