// SPDX-License-Identifier: Apache-2.0
// Input queueing against the saturation throughputs of Karol, Hluchyj and Morgan (uniform destinations, equal frames)
// and of class FIFOs under maximal and single matching; and that nothing that waits is lost or left behind.
#include "models/scheduler/crossbar.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "tests/conformance/conformance.h"

namespace weir::scheduler {
namespace {

/// Outputs that choose in slots, and inputs whose lanes are kept full.
class crossbar_bench : public sc_core::sc_module,
                       public mmu::departure_if,
                       public port::transmit_if,
                       public pfc::gate_if {
public:
    crossbar_bench(queueing structure, matching way, std::uint16_t ports)
        : sc_module(sc_core::sc_module_name("bench")),
          shape(structure),
          port_count(ports),
          fabric("fabric", time, structure, way, static_cast<std::uint16_t>(ports + 1), 1),
          random_(1, "destinations") {
        for (std::uint16_t port = 0; port <= ports; ++port) {
            outputs.push_back(std::make_unique<scheduler>(("q" + std::to_string(port)).c_str(), time, port));
            scheduler& made = *outputs.back();
            made.transmitter.bind(*this);
            made.departure.bind(fabric.departure);
            made.backlog.bind(fabric.backlog);
            made.gate.bind(*this);
            fabric.attach(port, made);
            made.set_rate(rate);
            for (std::uint8_t q = 0; q < queues; ++q) made.set_discipline(q, discipline::wrr, 1);
        }
        fabric.memory.bind(*this);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    void depart(std::uint16_t, std::uint8_t queue, const mmu::queued_frame& f, picoseconds) override {
        last_ = f;
        queue_ = queue;
    }
    void discard(std::uint16_t, std::uint8_t, const mmu::queued_frame&, mmu::drop_reason) override { ++discarded; }
    void wake() override {}
    [[nodiscard]] pfc::bitmap stopped_queues() const override { return stopped; }
    [[nodiscard]] pfc::bitmap queues_stopped_by_pfc() const override { return stopped; }
    [[nodiscard]] bool link_stopped() const override { return false; }

    void fill(std::uint16_t ingress, std::uint16_t egress, std::uint8_t queue) {
        ethernet::frame* f = frames.take();
        f->length = 64;
        fabric.filling[egress]->enqueue(queue, {f, ingress, 0, 0, 1});
    }
    /// The part of the outputs' slots that carry a frame, after some slots to settle.
    double saturate(std::uint8_t classes, int slots) {
        refill_ = true;
        carried.assign(std::size_t{port_count} * port_count, 0);
        for (std::uint16_t i = 0; i < port_count; ++i) {
            for (std::uint8_t c = 0; c < classes; ++c) {
                if (shape == queueing::voq) {
                    for (std::uint16_t o = 0; o < port_count; ++o) {
                        fill(i, o, c);
                        fill(i, o, c);
                    }
                } else {
                    fill(i, destination(), c);
                    fill(i, destination(), c);
                }
            }
        }
        run(100);
        sent = 0;
        carried.assign(std::size_t{port_count} * port_count, 0);
        run(slots);
        return static_cast<double>(sent) / slots / port_count;
    }
    void run(int slots) {
        time.at(time.now(), phase::transmit, clock_, 0);
        const picoseconds end = time.now() + slots * slot;
        end_ = end;
        time.run_until(end);
        time.advance_to(end);
    }
    [[nodiscard]] std::uint16_t destination() {
        return static_cast<std::uint16_t>(std::uint64_t{random_.next()} * port_count >> 32U);
    }

    data_rate rate{*data_rate::from_name("100G")};
    picoseconds slot{rate.octets(84)};
    ethernet::frame_pool frames;
    timeline time{"time"};

    queueing shape;
    std::uint16_t port_count;
    crossbar fabric;
    std::vector<std::unique_ptr<scheduler>> outputs;
    pfc::bitmap stopped{0};
    std::int64_t sent{0};
    int discarded{0};
    std::vector<int> carried;  // by ingress and egress

    void choose() {
        for (std::uint16_t o = 0; o < port_count; ++o) {
            const selection s = outputs[o]->dequeue(time.now());
            if (s.frame == nullptr) continue;
            ++sent;
            s.frame->release();
            if (!refill_) continue;
            ++carried[std::size_t{last_.ingress_port} * port_count + o];
            fill(last_.ingress_port, shape == queueing::voq ? o : destination(), queue_);
        }
        if (time.now() + slot < end_) time.at(time.now() + slot, phase::transmit, clock_, 0);
    }

private:
    struct slot_clock : actor {
        explicit slot_clock(crossbar_bench& owner) : actor(owner.time, "slots"), bench(owner) {}
        void due(std::uint32_t) override { bench.choose(); }
        crossbar_bench& bench;
    };
    random_stream random_;
    mmu::queued_frame last_{};
    std::uint8_t queue_{0};
    bool refill_{false};
    picoseconds end_{0};
    slot_clock clock_{*this};
};

double throughput(queueing structure, matching way, std::uint16_t ports, std::uint8_t classes, int slots) {
    crossbar_bench b(structure, way, ports);
    return b.saturate(classes, slots);
}

// §4.8: one FIFO an input. The values of Karol, Hluchyj and Morgan, table I, and beyond eight ports a slotted model's.
struct one_fifo {
    std::uint16_t ports;
    double expected;
    int slots;
};
std::ostream& operator<<(std::ostream& out, const one_fifo& p) {
    return out << p.ports << " ports";
}
class crossbar_fifo : public ::testing::TestWithParam<one_fifo> {};
TEST_P(crossbar_fifo, saturates_where_karol_hluchyj_and_morgan_say) {
    const one_fifo& p = GetParam();
    const double measured = throughput(queueing::ingress_fifo, matching::maximal, p.ports, 1, p.slots);
    EXPECT_NEAR(measured, p.expected, p.expected * 0.01);
    const std::string expected = fmt::format("{} ports, one class: {} ± 1 %", p.ports, p.expected);
    conformance::row("closed.hol", expected, fmt::format("{:.4f}", measured));
    if (p.ports != 24) return;
    for (const char* id : {"S52", "table.hol", "Y01"}) conformance::row(id, expected, fmt::format("{:.4f}", measured));
}
INSTANTIATE_TEST_SUITE_P(ports, crossbar_fifo,
                         ::testing::Values(one_fifo{2, 0.7500, 30'000}, one_fifo{3, 0.6825, 30'000},
                                           one_fifo{4, 0.6553, 20'000}, one_fifo{8, 0.6184, 10'000},
                                           one_fifo{16, 0.6016, 6'000}, one_fifo{24, 0.5969, 4'000},
                                           one_fifo{32, 0.5936, 3'000}),
                         [](const auto& p) { return std::to_string(p.param.ports); });

// F8, §4.8: class FIFOs at 24 ports. Eight of them are not "58.6 %" but 0.897 with maximal matching and 0.631 with one
// iteration.
struct class_fifos {
    std::uint8_t classes;
    matching way;
    double expected;
};
std::ostream& operator<<(std::ostream& out, const class_fifos& p) {
    return out << int{p.classes} << " classes";
}
class crossbar_classes : public ::testing::TestWithParam<class_fifos> {};
TEST_P(crossbar_classes, saturate_at_24_ports) {
    const class_fifos& p = GetParam();
    const double measured = throughput(queueing::ingress_fifo, p.way, 24, p.classes, 3000);
    EXPECT_NEAR(measured, p.expected, p.expected * 0.02);
    const std::string expected =
        fmt::format("24 ports, {} class FIFOs, {}: {} ± 2 %", p.classes,
                    p.way == matching::single ? "one iteration" : "maximal matching", p.expected);
    for (const char* id : {"closed.hol", "F8"}) conformance::row(id, expected, fmt::format("{:.4f}", measured));
    if (p.classes != 8) return;
    for (const char* id : {"S53", "table.hol"}) conformance::row(id, expected, fmt::format("{:.4f}", measured));
}
INSTANTIATE_TEST_SUITE_P(
    matching, crossbar_classes,
    ::testing::Values(class_fifos{2, matching::maximal, 0.723}, class_fifos{4, matching::maximal, 0.823},
                      class_fifos{8, matching::maximal, 0.897}, class_fifos{2, matching::single, 0.614},
                      class_fifos{4, matching::single, 0.626}, class_fifos{8, matching::single, 0.631}),
    [](const auto& p) {
        return std::string(p.param.way == matching::single ? "single_" : "maximal_") + std::to_string(p.param.classes);
    });

// §1.5: virtual output queues lose nothing, and no pair of ports is forgotten over others.
TEST(crossbar, virtual_output_queues_reach_the_line) {
    crossbar_bench b(queueing::voq, matching::maximal, 16);
    const double measured = b.saturate(1, 4000);
    EXPECT_GE(measured, 0.99);
    for (const char* id : {"S54", "table.hol", "F8"}) {
        conformance::row(id, "virtual output queues: 100 %, 0.99 at least", fmt::format("{:.4f}", measured));
    }
    for (const int frames : b.carried) EXPECT_NEAR(frames, 4000.0 / 16, 4000.0 / 16 * 0.4);
}

// A port that is emptied takes along what waits for it anywhere in the lanes; all else stays in order and goes on.
TEST(crossbar, what_waits_for_a_port_goes_with_it) {
    crossbar_bench b(queueing::ingress_fifo, matching::maximal, 3);
    b.stopped = 0xff;
    for (auto& out : b.outputs) out->gate_moved();
    for (const int egress : {0, 1, 0, 2, 0, 0, 1}) b.fill(0, static_cast<std::uint16_t>(egress), 3);
    for (const int egress : {1, 0, 2}) b.fill(1, static_cast<std::uint16_t>(egress), 3);
    EXPECT_FALSE(b.outputs[0]->empty());
    b.outputs[0]->clear();
    EXPECT_EQ(b.discarded, 5);
    EXPECT_TRUE(b.outputs[0]->empty());
    EXPECT_FALSE(b.outputs[1]->empty());
    EXPECT_FALSE(b.outputs[2]->empty());
    b.stopped = 0;
    for (auto& out : b.outputs) out->gate_moved();
    b.run(10);
    EXPECT_EQ(b.sent, 5);
    EXPECT_TRUE(b.outputs[1]->empty());
    EXPECT_TRUE(b.outputs[2]->empty());
    EXPECT_EQ(b.frames.in_use(), 0U);
}

// With one iteration too every frame leaves in the end, whatever was not granted on the way.
TEST(crossbar, one_iteration_forgets_nobody) {
    crossbar_bench b(queueing::voq, matching::single, 8);
    for (int i = 0; i < 400; ++i) {
        b.fill(b.destination(), b.destination(), static_cast<std::uint8_t>(i % 8));
    }
    b.run(400);
    EXPECT_EQ(b.sent, 400);
    EXPECT_EQ(b.frames.in_use(), 0U);
}

// G13 with ingress FIFOs. Port 0 is stopped for ten slots. Then it sends the head of input 0 while that of input 1
// waits behind a frame of its class; the second frame of input 0 waits for its input, and so for none of the causes.
TEST(crossbar, heads_are_accounted_for_by_their_input) {
    crossbar_bench b(queueing::ingress_fifo, matching::maximal, 3);
    b.stopped = 0x08;
    b.outputs[0]->gate_moved();
    b.fill(0, 0, 3);
    b.fill(0, 1, 3);
    b.fill(1, 0, 3);
    b.run(10);
    EXPECT_EQ(b.sent, 0);
    b.stopped = 0;
    b.outputs[0]->gate_moved();
    b.run(10);
    EXPECT_EQ(b.sent, 3);
    const picoseconds now = b.time.now();
    EXPECT_EQ(b.fabric.waited(0, 3, wait_cause::self_paused, now), 10 * b.slot);
    EXPECT_EQ(b.fabric.waited(0, 3, wait_cause::none, now), b.slot);
    EXPECT_EQ(b.fabric.waited(0, 3, wait_cause::first_order, now), picoseconds{0});
    EXPECT_EQ(b.fabric.waited(1, 3, wait_cause::self_paused, now), 10 * b.slot);
    EXPECT_EQ(b.fabric.waited(1, 3, wait_cause::first_order, now), b.slot);
    EXPECT_EQ(b.fabric.waited(1, 3, wait_cause::none, now), picoseconds{0});
}

}  // namespace
}  // namespace weir::scheduler
