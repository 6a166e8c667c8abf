// SPDX-License-Identifier: Apache-2.0
// P1 to P13 of the PFC RTL chapter: each broken on purpose behind the checker, and the stimulus that would break it on
// the flow control that is there.
#include "models/pfc/control_checker.h"

#include <gtest/gtest.h>

#include "models/ethernet/fcs.h"
#include "models/ethernet/mac_control.h"
#include "models/pfc/flow_control.h"
#include "models/timeline/random_stream.h"
#include "tests/conformance/broken_properties.h"

namespace weir::pfc {
namespace {

using conformance::broken_properties;

enum class lie : std::uint8_t {
    none,
    opcode,
    length,
    quanta_of_others,
    swallow,
    bad_fcs,
    address,
    twice,
    counter,
    vector,
    pace,
    own_frame,
    gate,
};

/// A flow control that keeps to the rules but for one.
struct liar : control_if, gate_if {
    liar(flow_control& f, ethernet::frame_pool& p) : flow(f), pool(p) {}
    bool receive(const ethernet::frame& f, picoseconds now) override {
        ethernet::frame* copy = pool.take();
        copy->copy_from(f);
        copy->fcs_good = f.fcs_good || tells == lie::bad_fcs;
        if (tells == lie::address) copy->octets()[5] = 1;
        if (tells == lie::vector) copy->octets()[17] |= 0x20;
        if (tells == lie::pace) flow.set_rate(*data_rate::from_name("200G"));
        const bool taken = flow.receive(*copy, now);
        if (tells == lie::pace) flow.set_rate(*data_rate::from_name("100G"));
        if (tells == lie::twice) flow.receive(*copy, now);
        if (tells == lie::counter) ++flow.receiver.counters.wrong_da;
        copy->release();
        return taken;
    }
    ethernet::frame* next_control_frame(picoseconds now) override {
        ethernet::frame* f = flow.next_control_frame(now);
        if (f == nullptr) return f;
        if (tells == lie::opcode) f->octets()[15] = 0x02;
        if (tells == lie::length) f->length = 68;
        if (tells == lie::quanta_of_others) f->octets()[18 + 2 * 6] = 1;
        if (tells != lie::swallow) return f;
        f->release();
        return nullptr;
    }
    void link_changed(bool up) override { flow.link_changed(up); }
    [[nodiscard]] bitmap stopped_queues() const override { return queues_stopped_by_pfc(); }
    [[nodiscard]] bitmap queues_stopped_by_pfc() const override {
        return tells == lie::gate ? bitmap{0x40} : flow.queues_stopped_by_pfc();
    }
    [[nodiscard]] bool link_stopped() const override { return flow.link_stopped(); }

    flow_control& flow;
    ethernet::frame_pool& pool;
    lie tells{lie::none};
};

class control_bench : public sc_core::sc_module, public port::transmit_if {
public:
    control_bench()
        : sc_module(sc_core::sc_module_name("bench")),
          time("time"),
          flow("flow", time, frames),
          between(flow, frames),
          checker(time, "bench.port", between, between, flow.generator, flow.receiver) {
        flow.transmitter.bind(*this);
        flow.set_rate(*data_rate::from_name("100G"));
        for (std::uint8_t i = 0; i < 8; ++i) {
            flow.generator.set_group_priorities(i, static_cast<bitmap>(1U << i));
            flow.receiver.set_priority_queues(i, static_cast<bitmap>(1U << i));
        }
        flow.generator.set_enabled(0xff);
        flow.generator.set_source({2, 0, 0, 0, 0, 1});
        flow.receiver.set_enabled(0xff);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        checker.link_changed(true);
    }
    void wake() override {}

    ethernet::mac_control sent() {
        ethernet::frame* f = checker.next_control_frame(time.now());
        if (f == nullptr) return {};
        const ethernet::mac_control c = ethernet::parse_mac_control(*f);
        f->release();
        return c;
    }
    void receive(std::uint8_t vector, const ethernet::pause_times& times, bool good = true, int da_bit = -1) {
        ethernet::frame* f = frames.take();
        ethernet::build_pfc(*f, {2, 0, 0, 0, 0, 2}, vector, times);
        f->fcs_good = good;
        if (da_bit >= 0) f->octets()[da_bit / 8] ^= static_cast<std::uint8_t>(1U << (da_bit % 8));
        checker.receive(*f, time.now());
        f->release();
    }
    void pass(picoseconds t) {
        const picoseconds to = time.now() + t;
        time.run_until(to);
        time.advance_to(to);
    }
    void break_on_send(lie what) {
        between.tells = what;
        flow.group_wishes(3, true);
        (void)sent();
        between.tells = lie::none;
    }
    void break_on_receive(lie what, bool good = true, int da_bit = -1) {
        between.tells = what;
        receive(0x08, {0, 0, 0, 1000, 0, 0, 0, 0}, good, da_bit);
        between.tells = lie::none;
    }

    ethernet::frame_pool frames;
    timeline time;
    flow_control flow;
    liar between;
    control_checker checker;
};

constexpr const char* place = "bench.port";

TEST(control_checker, finds_a_frame_that_is_no_pfc_frame) {
    control_bench b;
    const broken_properties broken;
    b.break_on_send(lie::opcode);
    broken.expect("P1", place, "opcode 0x0102");
}

TEST(control_checker, finds_a_body_that_is_too_long) {
    control_bench b;
    const broken_properties broken;
    b.break_on_send(lie::length);
    broken.expect("P2", place, "64 octets of body");
}

TEST(control_checker, finds_quanta_for_a_class_that_is_not_enabled) {
    control_bench b;
    const broken_properties broken;
    b.break_on_send(lie::quanta_of_others);
    broken.expect("P3", place, "256 quanta for class 6, which is not named");
}

TEST(control_checker, finds_frames_that_overlap_and_requests_that_are_lost) {
    control_bench b;
    const broken_properties broken;
    b.flow.group_wishes(3, true);
    (void)b.sent();
    b.flow.group_wishes(4, true);
    (void)b.sent();  // at once: the wire is busy for 84 octets
    broken.expect("P4", place, "two frames in one instant");
    b.pass(nanoseconds(100));
    b.between.tells = lie::swallow;
    b.flow.group_wishes(5, true);
    EXPECT_EQ(b.sent().outcome, ethernet::mac_control_outcome::not_mac_control);
    broken.expect("P4", place, "a frame that is never sent");
}

TEST(control_checker, finds_a_bad_fcs_that_commits) {
    control_bench b;
    const broken_properties broken;
    b.break_on_receive(lie::bad_fcs, false);
    broken.expect("P5", place, "a frame with a bad FCS is honoured", {"P8"});
}

TEST(control_checker, finds_a_wrong_address_that_commits) {
    control_bench b;
    const broken_properties broken;
    b.break_on_receive(lie::address, true, 40);
    broken.expect("P6", place, "a frame to another address is honoured");
}

TEST(control_checker, finds_a_second_commit) {
    control_bench b;
    const broken_properties broken;
    b.break_on_receive(lie::twice);
    broken.expect("P7", place, "a frame is honoured twice");
}

TEST(control_checker, finds_a_frame_in_two_counters) {
    control_bench b;
    const broken_properties broken;
    b.break_on_receive(lie::counter);
    broken.expect("P8", place, "an honoured frame counts as one to a wrong address too");
}

TEST(control_checker, finds_a_timer_that_nobody_named) {
    control_bench b;
    const broken_properties broken;
    b.flow.receiver.set_complete_state(false);
    b.receive(0x20, {0, 0, 0, 0, 0, 1000, 0, 0});
    b.break_on_receive(lie::vector);  // names 5 with time 0
    broken.expect("P9", place, "vector 0x08 writes timer 5");
}

TEST(control_checker, finds_quanta_of_another_rate) {
    control_bench b;
    const broken_properties broken;
    b.break_on_receive(lie::pace);
    broken.expect("P10", place, "quanta of 200G on a port of 100G");
}

TEST(control_checker, finds_a_timer_that_moves_by_itself) {
    control_bench b;
    const broken_properties broken;
    b.receive(0x08, {0, 0, 0, 1000, 0, 0, 0, 0});
    ethernet::frame* f = b.frames.take();
    ethernet::build_pfc(*f, {2, 0, 0, 0, 0, 2}, 0x08, {0, 0, 0, 2000, 0, 0, 0, 0});
    b.flow.receive(*f, b.time.now());  // past the checker
    f->release();
    (void)b.sent();
    broken.expect("P11", place, "a timer is loaded without a frame");
}

TEST(control_checker, finds_a_gate_that_is_shut_without_a_timer) {
    control_bench b;
    const broken_properties broken;
    b.between.tells = lie::gate;
    (void)b.sent();
    broken.expect("P12", place, "queue 6 is stopped and no timer runs");
}

// 1000 quanta at 100G are 5.12 µs; another frame past the checker makes it twice that. Nothing else happens at the
// port.
TEST(control_checker, finds_a_pause_that_outlasts_its_quanta) {
    control_bench b;
    const broken_properties broken;
    b.receive(0x08, {0, 0, 0, 1000, 0, 0, 0, 0});
    ethernet::frame* f = b.frames.take();
    ethernet::build_pfc(*f, {2, 0, 0, 0, 0, 2}, 0x08, {0, 0, 0, 2000, 0, 0, 0, 0});
    b.flow.receive(*f, b.time.now());
    f->release();
    b.pass(nanoseconds(5200));
    broken.expect("P13", place, "a pause of 1000 quanta lasts 2000", {"P11"});
}

// P1 to P4, 10 000 random wishes; S1's 1-slot rule (G1): what was last wanted is what was last said.
TEST(control_checker, random_requests_are_well_formed_and_none_is_lost) {
    control_bench b;
    const broken_properties broken;
    random_stream random(1, "requests");
    std::uint64_t frames = 0;
    for (int i = 0; i < 10'000; ++i) {
        b.flow.group_wishes(static_cast<std::uint8_t>(random.uniform() * 8), random.uniform() < 0.5);
        if (random.uniform() < 0.5) continue;
        if (b.sent().outcome == ethernet::mac_control_outcome::pfc) ++frames;
        EXPECT_FALSE(b.checker.pending());
        b.pass(nanoseconds(7));
    }
    EXPECT_TRUE(broken_properties::none());
    EXPECT_GT(frames, 1000U);
    const std::string measured = fmt::format("{} frames, none reported", frames);
    conformance::row("P1", "10 000 random wishes: opcode 0x0101 in every frame", measured);
    conformance::row("P2", "60 octets of body in every frame", measured);
    conformance::row("P4", "no frame within another, no wish lost with one slot", measured);
}

TEST(control_checker, every_vector_sends_zeros_for_the_others) {
    control_bench b;
    const broken_properties broken;
    int right = 0;
    for (unsigned vector = 1; vector < 256; ++vector) {
        b.flow.generator.set_forced(static_cast<bitmap>(vector));
        const auto c = b.sent();
        b.pass(nanoseconds(7));
        bool zeros = (c.vector & vector) == vector;
        for (std::size_t p = 0; p < 8; ++p) zeros = zeros && ((vector >> p & 1U) != 0) == (c.time[p] != 0);
        if (zeros) ++right;
    }
    b.flow.generator.set_forced(0);
    EXPECT_EQ(b.sent().time, ethernet::pause_times{});  // vector 0 is the 256th: all are released
    ++right;
    EXPECT_EQ(right, 256);
    conformance::row("P3", "all 256 vectors: 256 frames with zeros where a class is not paused",
                     fmt::format("{} of 256", right));
}

// CRC-32 finds every single bit.
TEST(control_checker, every_flipped_bit_is_refused) {
    control_bench b;
    const broken_properties broken;
    ethernet::frame* good = b.frames.take();
    ethernet::build_pfc(*good, {2, 0, 0, 0, 0, 2}, 0x08, {0, 0, 0, 1000, 0, 0, 0, 0});
    const std::vector<std::uint8_t> wire = good->wire_octets();
    good->release();
    ASSERT_EQ(wire.size(), 64U);
    int refused = 0;
    for (std::size_t bit = 0; bit < 512; ++bit) {
        std::vector<std::uint8_t> flipped = wire;
        flipped[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
        ethernet::frame* f = b.frames.take();
        f->assign(flipped.data(), 60, 64);
        f->fcs_good = ethernet::fcs_matches(flipped.data(), 64);
        b.checker.receive(*f, b.time.now());
        f->release();
        if (b.flow.receiver.counters.seen == 0 && b.flow.receiver.paused() == 0) ++refused;
    }
    EXPECT_EQ(refused, 512);
    conformance::row("P5", "each of 512 bits flipped: 0 commits", fmt::format("{} of 512 refused", refused));
}

TEST(control_checker, every_other_address_is_refused) {
    control_bench b;
    const broken_properties broken;
    for (int bit = 0; bit < 48; ++bit) b.receive(0x08, {0, 0, 0, 1000, 0, 0, 0, 0}, true, bit);
    EXPECT_EQ(b.flow.receiver.counters.seen, 0U);
    EXPECT_EQ(b.flow.receiver.counters.wrong_da, 48U);
    EXPECT_EQ(b.flow.receiver.paused(), 0);
    conformance::row(
        "P6", "48 flips of the address, FCS repaired: 0 commits, wrong_da 48",
        fmt::format("{} commits, wrong_da {}", b.flow.receiver.counters.seen, b.flow.receiver.counters.wrong_da));
}

TEST(control_checker, a_mixed_stream_is_counted_once_a_frame) {
    control_bench b;
    const broken_properties broken;
    for (int i = 0; i < 300; ++i) b.receive(0x08, {0, 0, 0, 1000, 0, 0, 0, 0}, i % 3 != 1, i % 3 == 2 ? 40 : -1);
    const receiver_counters& c = b.flow.receiver.counters;
    EXPECT_EQ(c.seen, 100U);
    EXPECT_EQ(c.bad_fcs, 100U);
    EXPECT_EQ(c.wrong_da, 100U);
    conformance::row("P7", "100 good frames back to back among others: 100 commits", fmt::format("{}", c.seen));
    conformance::row("P8", "300 matched frames: the three counters add up to 300",
                     fmt::format("{} + {} + {}", c.seen, c.bad_fcs, c.wrong_da));
}

// F7: a clear bit leaves its timer alone by the standard, and releases by the chapter. Both are silent.
TEST(control_checker, both_kinds_of_receiver_write_what_they_should) {
    control_bench b;
    const broken_properties broken;
    std::array<unsigned, 2> paused{};
    for (const bool complete : {false, true}) {
        b.flow.receiver.set_complete_state(complete);
        b.receive(0xff, {});
        b.receive(0x08, {0, 0, 0, 1000, 0, 0, 0, 0});
        b.receive(0x20, {0, 0, 0, 0, 0, 1000, 0, 0});
        paused[complete ? 1 : 0] = b.flow.receiver.paused();
    }
    EXPECT_EQ(paused[0], 0x28U);
    EXPECT_EQ(paused[1], 0x20U);
    conformance::row("P9", "0x08, then 0x20: timers 3 and 5 by the standard, 5 alone with complete state",
                     fmt::format("{:#04x}, {:#04x}", paused[0], paused[1]));
}

// N quanta are 512 N bit times: the gate is shut a picosecond before, and open a picosecond after.
TEST(control_checker, no_pause_is_longer_than_its_quanta_at_any_rate) {
    control_bench b;
    const broken_properties broken;
    int exact = 0;
    for (const char* name : {"1G", "10G", "25G", "40G", "50G", "100G", "200G", "400G", "800G", "1.6T"}) {
        const data_rate rate = *data_rate::from_name(name);
        b.flow.set_rate(rate);
        for (const std::uint16_t n : {std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{255}, std::uint16_t{65535}}) {
            b.receive(0x08, {0, 0, 0, n, 0, 0, 0, 0});
            const picoseconds granted = rate.octets(std::int64_t{n} * 64);
            b.pass(granted - picoseconds{1});
            const bool shut = b.checker.stopped_queues() == 0x08;
            b.pass(picoseconds{2});
            if (shut && b.checker.stopped_queues() == 0 && b.flow.receiver.paused() == 0) ++exact;
        }
    }
    EXPECT_EQ(exact, 40);
    const std::string measured = fmt::format("{} of 40 exact", exact);
    for (const char* id : {"P10", "P11", "P12", "P13"}) {
        conformance::row(id, "1, 2, 255 and 65535 quanta at ten rates: shut until 64 N octet times, open after",
                         measured);
    }
}

// With truncated quanta N of them last more than N - 1 and at most N: at 10G, 156 MHz, 7 clocks each.
TEST(control_checker, truncated_quanta_are_judged_by_their_own_length) {
    control_bench b;
    const broken_properties broken;
    b.flow.set_rate(*data_rate::from_name("10G"));
    b.flow.receiver.set_truncated_quanta(true);
    for (int i = 0; i < 200; ++i) {
        b.receive(0x18, {0, 0, 0, 100, static_cast<std::uint16_t>(i % 3), 0, 0, 0});
        b.pass(nanoseconds(13 * i + 1));
    }
    b.pass(microseconds(100));
    EXPECT_EQ(b.checker.stopped_queues(), 0);
    EXPECT_TRUE(broken_properties::none());
}

// A shorter grant takes the place of a longer one even when it has run out before the response lets it be obeyed.
// 1000 quanta, then 10 (51.2 ns) 1 µs later, with a response of 200 ns: open again 1.2 µs after the first.
TEST(control_checker, a_short_grant_within_the_response_replaces_a_long_one) {
    control_bench b;
    const broken_properties broken;
    b.flow.receiver.set_response_delay(nanoseconds(200));
    b.receive(0x08, {0, 0, 0, 1000, 0, 0, 0, 0});
    b.pass(nanoseconds(1000));
    EXPECT_EQ(b.checker.stopped_queues(), 0x08);
    b.receive(0x08, {0, 0, 0, 10, 0, 0, 0, 0});
    b.pass(nanoseconds(201));
    EXPECT_EQ(b.flow.stopped_queues(), 0);
}

}  // namespace
}  // namespace weir::pfc
