// SPDX-License-Identifier: Apache-2.0
// Rule G8: strict priority, DWRR, WRR, shapers, and the gate in front of them.
#include "models/scheduler/scheduler.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "models/ethernet/rocev2.h"
#include "tests/conformance/conformance.h"

namespace weir::scheduler {
namespace {

class scheduler_bench : public sc_core::sc_module,
                        public mmu::departure_if,
                        public port::transmit_if,
                        public pfc::gate_if {
public:
    scheduler_bench() : sc_module(sc_core::sc_module_name("bench")), time("time"), egress("egress", time, 0) {
        egress.departure.bind(*this);
        egress.transmitter.bind(*this);
        egress.gate.bind(*this);
        egress.set_rate(*data_rate::from_name("100G"));
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    void depart(std::uint16_t, std::uint8_t queue, const mmu::queued_frame& f, picoseconds) override {
        octets[queue] += f.frame->length + wire_overhead_octets;
        ++sent[queue];
        last = queue;
    }
    void discard(std::uint16_t, std::uint8_t, const mmu::queued_frame&, mmu::drop_reason) override { ++discarded; }
    void wake() override { ++woken; }
    [[nodiscard]] pfc::bitmap stopped_queues() const override { return stopped; }
    [[nodiscard]] pfc::bitmap queues_stopped_by_pfc() const override { return stopped; }
    [[nodiscard]] bool link_stopped() const override { return false; }
    void stop(pfc::bitmap which) {
        stopped = which;
        egress.gate_moved();
    }

    void fill(std::uint8_t queue, int count, std::uint32_t length) {
        for (int i = 0; i < count; ++i) {
            ethernet::frame* f = frames.take();
            ethernet::build_udp(*f, {}, length);
            egress.enqueue(queue, {f, 0, 0, 0, 1});
        }
    }
    /// Sends one frame and tells from which queue; -1: none may go.
    int send(picoseconds now = picoseconds{0}) {
        const selection s = egress.dequeue(now);
        retry = s.retry;
        more = s.more;
        if (s.frame == nullptr) return -1;
        s.frame->release();
        return last;
    }

    ethernet::frame_pool frames;
    timeline time;
    scheduler egress;
    pfc::bitmap stopped{0};
    std::array<std::int64_t, 8> octets{};
    std::array<int, 8> sent{};
    int discarded{0};
    int woken{0};
    int last{-1};
    picoseconds retry{never};
    bool more{false};
};

TEST(scheduler, strict_queues_go_first_the_highest_first) {
    scheduler_bench b;
    for (const std::uint8_t q : {std::uint8_t{1}, std::uint8_t{6}, std::uint8_t{3}}) b.fill(q, 2, 100);
    std::vector<int> order;
    for (int i = 0; i < 6; ++i) order.push_back(b.send());
    EXPECT_EQ(order, (std::vector<int>{6, 6, 3, 3, 1, 1}));
    EXPECT_FALSE(b.more);
    EXPECT_EQ(b.send(), -1);
}

// P19, P20: a stopped queue is never chosen, and the gate only takes away.
TEST(scheduler, a_stopped_queue_is_never_chosen) {
    scheduler_bench b;
    b.fill(6, 2, 100);
    b.fill(3, 2, 100);
    b.stop(0x40);
    EXPECT_EQ(b.send(), 3);
    EXPECT_EQ(b.send(), 3);
    EXPECT_EQ(b.send(), -1);
    EXPECT_EQ(b.retry, never);
    b.stop(0);
    EXPECT_EQ(b.send(), 6);
}

// §4.6: DWRR shares octets by weight, whatever the frame sizes; fairness within a quantum and a frame a round.
TEST(scheduler, dwrr_shares_octets_by_weight) {
    scheduler_bench b;
    const std::array<int, 3> weight{14, 15, 30};
    const std::array<std::uint32_t, 3> length{1518, 256, 4158};
    for (std::uint8_t q = 0; q < 3; ++q) {
        b.egress.set_discipline(q, discipline::dwrr, static_cast<std::uint8_t>(weight[q]));
        b.fill(q, 40000 / static_cast<int>(length[q] / 64), length[q]);
    }
    for (int i = 0; i < 3000; ++i) ASSERT_GE(b.send(), 0);
    for (std::uint8_t q = 1; q < 3; ++q) {
        const double x = static_cast<double>(b.octets[0]) / weight[0];
        const double y = static_cast<double>(b.octets[q]) / weight[q];
        // |S_i/w_i − S_j/w_j| ≤ quantum + Lmax, in octets a unit of weight: 84 + 4178 / 14.
        EXPECT_NEAR(x, y, 84 + 4178.0 / 14 + 1);
    }
}

// §4.6: WRR shares frames by weight.
TEST(scheduler, wrr_shares_frames_by_weight) {
    scheduler_bench b;
    b.egress.set_discipline(0, discipline::wrr, 3);
    b.egress.set_discipline(1, discipline::wrr, 1);
    b.fill(0, 400, 64);
    b.fill(1, 400, 9000);
    for (int i = 0; i < 400; ++i) b.send();
    EXPECT_EQ(b.sent[0], 300);
    EXPECT_EQ(b.sent[1], 100);
    conformance::row("closed.schedulers", "WRR 3 to 1: 300 and 100 frames",
                     fmt::format("{} and {}", b.sent[0], b.sent[1]));
}

// M11: with a class stopped the shares of the others renormalise; G8: it keeps its deficit and earns none.
TEST(scheduler, the_others_share_what_a_stopped_queue_leaves) {
    scheduler_bench b;
    for (std::uint8_t q = 0; q < 3; ++q) {
        b.egress.set_discipline(q, discipline::dwrr, static_cast<std::uint8_t>(q + 1));
        b.fill(q, 4000, 1000);
    }
    b.stop(0x04);
    for (int i = 0; i < 3000; ++i) b.send();
    EXPECT_EQ(b.sent[2], 0);
    EXPECT_NEAR(b.sent[0], 1000, 2);
    EXPECT_NEAR(b.sent[1], 2000, 2);
    conformance::row("M11", "weights 1, 2, 3 with the third stopped: 1000, 2000, 0 of 3000 frames ± 2",
                     fmt::format("{}, {}, {}", b.sent[0], b.sent[1], b.sent[2]));
    b.stop(0);
    b.sent = {};
    for (int i = 0; i < 600; ++i) b.send();
    EXPECT_NEAR(b.sent[2], 300, 2);  // half of the line from now on, no credit for the time it stood still
}

// §4.6: output in any t ≤ sigma + rho·t. 1 Gb/s, burst 10 000 octets, frames of 980 + 20 octets on the wire.
TEST(scheduler, a_queue_shaper_lets_the_burst_through_and_then_the_rate) {
    scheduler_bench b;
    b.egress.set_queue_shaper(0, 1'000'000, 10'000);
    b.fill(0, 100, 980);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(b.send(), 0);
    EXPECT_EQ(b.send(), -1);
    EXPECT_EQ(b.retry, microseconds(8));  // 1000 octets at 1 Gb/s
    EXPECT_EQ(b.send(microseconds(8) - picoseconds{1}), -1);
    EXPECT_EQ(b.retry, microseconds(8));
    EXPECT_EQ(b.send(microseconds(8)), 0);
    EXPECT_EQ(b.send(microseconds(16)), 0);
    EXPECT_EQ(b.send(microseconds(16)), -1);
    EXPECT_EQ(b.retry, microseconds(24));
}

TEST(scheduler, a_shaped_strict_queue_gives_way_to_lower_ones) {
    scheduler_bench b;
    b.egress.set_queue_shaper(7, 1'000'000, 1000);
    b.fill(7, 5, 980);
    b.fill(0, 5, 980);
    EXPECT_EQ(b.send(), 7);
    EXPECT_EQ(b.send(), 0);
    EXPECT_EQ(b.send(microseconds(8)), 7);
}

// G8: the register option counts frame octets: 980 instead of 1000 (1518-octet frames differ by 1.3 %, §4.6).
TEST(scheduler, a_port_shaper_counts_wire_octets_or_frame_octets) {
    scheduler_bench b;
    b.egress.set_port_shaper(1'000'000, 1000);
    b.fill(0, 5, 980);
    EXPECT_EQ(b.send(), 0);
    EXPECT_EQ(b.send(), -1);
    EXPECT_EQ(b.retry, microseconds(8));
    EXPECT_EQ(b.send(microseconds(8)), 0);
    b.egress.set_frame_octets_only(true);
    EXPECT_EQ(b.send(microseconds(8)), -1);
    EXPECT_EQ(b.retry, microseconds(8) + nanoseconds(7840));
}

TEST(scheduler, a_queue_that_is_not_enabled_keeps_its_frames_even_in_a_flush) {
    scheduler_bench b;
    b.fill(2, 3, 100);
    b.fill(5, 3, 100);
    b.egress.set_dequeue_enabled(2, false);
    b.egress.flush();
    EXPECT_EQ(b.discarded, 3);
    EXPECT_FALSE(b.egress.empty());
    EXPECT_EQ(b.send(), -1);
    b.egress.set_dequeue_enabled(2, true);
    b.egress.flush();
    EXPECT_EQ(b.discarded, 6);
    EXPECT_TRUE(b.egress.empty());
    EXPECT_EQ(b.frames.in_use(), 0U);
}

}  // namespace
}  // namespace weir::scheduler
