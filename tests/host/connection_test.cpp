// SPDX-License-Identifier: Apache-2.0
// Reliable connections over a wire that loses chosen frames: opcodes, sequence numbers, acknowledgements, recovery.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "models/timeline/random_stream.h"
#include "tests/conformance/conformance.h"
#include "tests/host/stations.h"

namespace weir::host {
namespace {

using testing::pair_of_stations;

/// Loses the frame of that place in its message, the first `times` times that it comes.
auto losing(std::uint32_t place, int times = 1) {
    return [place, left = times](const ethernet::frame& f) mutable {
        if (f.flow == ethernet::frame::no_flow || f.sequence != place || left == 0) return false;
        --left;
        return true;
    };
}

TEST(connection, sends_first_middle_last_and_is_acknowledged) {
    transport_parameters t;
    t.ack_every = 2;
    pair_of_stations s(t);
    std::vector<std::pair<int, bool>> sent;
    std::vector<std::uint32_t> acknowledged;
    s.to_b.seen = [&](const ethernet::frame& f) {
        const auto header = ethernet::read_bth(f);
        sent.emplace_back(header.opcode, header.acknowledge);
        EXPECT_EQ(header.queue_pair, 3U);
        EXPECT_EQ(header.sequence, f.sequence);
    };
    s.to_a.seen = [&](const ethernet::frame& f) { acknowledged.push_back(ethernet::read_bth(f).sequence); };
    const auto flow = s.send(5 * 1024);
    s.run_to(microseconds(100));
    EXPECT_EQ(sent, (std::vector<std::pair<int, bool>>{{0, false}, {1, true}, {1, false}, {1, true}, {2, true}}));
    EXPECT_EQ(acknowledged, (std::vector<std::uint32_t>{1, 3, 4}));
    const flow_record& r = s.ledger[flow];
    // Five frames of 1106 octet times, the last without its gap, and the wire; the ACK (66 + 8 octets) the same back.
    const picoseconds arrived = microseconds(1) + picoseconds{200} * (5 * 1106 - 12) + nanoseconds(500);
    EXPECT_EQ(r.delivered, arrived);
    EXPECT_EQ(r.acknowledged, arrived + picoseconds{200} * (66 + 8) + nanoseconds(500));
    EXPECT_EQ(s.a->counters.acks_received, 3U);
    EXPECT_TRUE(s.a->finished());
    EXPECT_EQ(s.frames.in_use(), 0U);
}

TEST(connection, sends_a_short_message_as_one_frame) {
    pair_of_stations s({});
    int opcode = -1;
    s.to_b.seen = [&](const ethernet::frame& f) { opcode = f.headers.bth_opcode; };
    const auto flow = s.send(1);
    s.run_to(microseconds(100));
    EXPECT_EQ(opcode, ethernet::bth_opcode_send_only);
    EXPECT_NE(s.ledger[flow].acknowledged, never);
}

TEST(connection, counts_sequence_numbers_modulo_2_to_the_24) {
    transport_parameters t;
    t.first_sequence = 0xfffffe;
    t.ack_every = 1;
    pair_of_stations s(t);
    std::vector<std::uint32_t> sequences;
    s.to_b.seen = [&](const ethernet::frame& f) { sequences.push_back(ethernet::read_bth(f).sequence); };
    s.to_b.loses = losing(3);
    const auto flow = s.send(6 * 1024);
    s.run_to(microseconds(1000));
    ASSERT_GE(sequences.size(), 6U);
    EXPECT_EQ(std::vector<std::uint32_t>(sequences.begin(), sequences.begin() + 4),
              (std::vector<std::uint32_t>{0xfffffe, 0xffffff, 0, 1}));
    EXPECT_NE(s.ledger[flow].acknowledged, never);
    EXPECT_EQ(s.ledger[flow].timeouts, 0U);
    EXPECT_EQ(s.a->counters.naks_received, 1U);
}

// The frame after the lost one tells; what was sent until the NAK comes is sent again, and one NAK is enough.
TEST(connection, goes_back_to_the_missing_frame) {
    pair_of_stations s({});
    s.to_b.loses = losing(10);
    const auto flow = s.send(100 * 1024);
    s.run_to(microseconds(1000));
    const flow_record& r = s.ledger[flow];
    EXPECT_NE(r.acknowledged, never);
    EXPECT_EQ(s.b->counters.naks_sent, 1U);
    // Frame 10 starts at 10 T, T = 221.2 ns. Frame 11 is there at 12 T - 2.4 ns + 500 ns, the NAK 14.8 + 500 ns later:
    // 12 T + 1012.4 ns = 16.58 T: frames 10 to 16 have started. Those seven go again.
    EXPECT_EQ(r.retransmitted, 7U);
    EXPECT_EQ(r.discarded, 6U);
    EXPECT_EQ(r.frames_sent, 107U);
    EXPECT_EQ(r.frames_received, 100U);
    EXPECT_EQ(r.timeouts, 0U);
}

TEST(connection, sends_the_whole_message_again_when_told_to_go_back_to_0) {
    transport_parameters t;
    t.recovery = recovery_kind::go_back_0;
    pair_of_stations s(t);
    s.to_b.loses = losing(10);
    const auto flow = s.send(100 * 1024);
    s.run_to(microseconds(1000));
    const flow_record& r = s.ledger[flow];
    EXPECT_NE(r.acknowledged, never);
    EXPECT_EQ(r.retransmitted, 17U);  // frames 0 to 16 of the test above
    EXPECT_EQ(r.frames_received, 100U);
    EXPECT_EQ(r.discarded, 16U);
}

// Frames 10 and 13 are lost: they alone are sent again, and the receiver keeps what came behind them.
TEST(connection, sends_missing_frames_alone_when_it_recovers_selectively) {
    transport_parameters t;
    t.recovery = recovery_kind::selective;
    t.window = 64 * 1024;
    pair_of_stations s(t);
    s.to_b.loses = [lost = std::set<std::uint32_t>{10, 13}](const ethernet::frame& f) mutable {
        return f.flow != ethernet::frame::no_flow && lost.erase(f.sequence) == 1;
    };
    const auto flow = s.send(1000 * 1024);
    s.run_to(microseconds(1000));
    const flow_record& r = s.ledger[flow];
    EXPECT_NE(r.acknowledged, never);
    EXPECT_EQ(r.retransmitted, 2U);
    EXPECT_EQ(r.discarded, 0U);
    EXPECT_EQ(r.frames_received, 1000U);
    EXPECT_EQ(r.timeouts, 0U);
    // 1002 frames back to back: nothing waited.
    EXPECT_EQ(r.delivered, microseconds(1) + picoseconds{200} * (1002 * 1106 - 12) + nanoseconds(500));
}

TEST(connection, recovers_selectively_from_a_frame_that_is_lost_twice_by_its_timer) {
    transport_parameters t;
    t.recovery = recovery_kind::selective;
    t.window = 64 * 1024;
    t.timeout = microseconds(100);
    t.first_sequence = 0xfffff0;  // the bitmap does not mind that sequence numbers wrap
    pair_of_stations s(t);
    s.to_b.loses = losing(20, 2);
    const auto flow = s.send(300 * 1024);
    s.run_to(microseconds(1000));
    const flow_record& r = s.ledger[flow];
    EXPECT_NE(r.acknowledged, never);
    EXPECT_EQ(r.timeouts, 1U);
    EXPECT_EQ(r.frames_received, 300U);
    EXPECT_EQ(r.retransmitted, 2U);
}

// Every loss costs its own frame and no other: (1 - p) of the line, where going back costs W frames each.
TEST(connection, loses_no_more_than_the_lost_frames_when_it_recovers_selectively) {
    transport_parameters t;
    t.recovery = recovery_kind::selective;
    t.window = 256 * 1024;  // four times what is under way
    t.timeout = microseconds(100);
    pair_of_stations s(t, nanoseconds(6700));
    random_stream random(1, "selective");
    const double p = 1.0 / 256;
    s.to_b.loses = [&](const ethernet::frame&) { return random.uniform() < p; };
    const auto flow = s.send(100'000 * 1024);
    s.run_to(microseconds(60'000));
    const flow_record& r = s.ledger[flow];
    ASSERT_NE(r.delivered, never);
    const double efficiency = 100'000 * 221'200.0 / static_cast<double>((r.delivered - r.first_sent).count());
    // A frame lost twice, p² of all, waits for the timer: 100 us less what the window lets go on.
    const double with_timers = 1 / (1 / (1 - p) + p * p * 100 / 0.2212);
    EXPECT_LE(efficiency, 1 - p + 0.002);
    EXPECT_GE(efficiency, with_timers - 0.01);
    conformance::row("M35", fmt::format("selective, p = {:.5f}: (1 - p) = {:.4f} but for frames lost twice", p, 1 - p),
                     fmt::format("{:.4f}", efficiency));
}

// Nothing tells that the last frame is missing: the timer does.
TEST(connection, sends_a_lost_last_frame_again_after_the_timeout) {
    transport_parameters t;
    t.timeout = microseconds(100);
    pair_of_stations s(t);
    s.to_b.loses = losing(4);
    const auto flow = s.send(5 * 1024);
    s.run_to(microseconds(1000));
    const flow_record& r = s.ledger[flow];
    EXPECT_EQ(r.timeouts, 1U);
    // No frame before it asked to be acknowledged, so all five go again, 100 us after the first one left.
    EXPECT_EQ(r.retransmitted, 5U);
    EXPECT_EQ(r.delivered, microseconds(101) + picoseconds{200} * (5 * 1106 - 12) + nanoseconds(500));
}

TEST(connection, answers_duplicates_of_a_message_whose_acknowledgement_was_lost) {
    transport_parameters t;
    t.timeout = microseconds(100);
    pair_of_stations s(t);
    s.to_a.loses = [left = 1](const ethernet::frame&) mutable { return left-- > 0; };
    const auto flow = s.send(5 * 1024);
    s.run_to(microseconds(1000));
    EXPECT_NE(s.ledger[flow].acknowledged, never);
    EXPECT_EQ(s.ledger[flow].discarded, 5U);
    EXPECT_EQ(s.ledger[flow].frames_received, 5U);
}

TEST(connection, gives_a_flow_up_after_its_retries) {
    transport_parameters t;
    t.timeout = microseconds(100);
    t.retries = 3;
    pair_of_stations s(t);
    s.to_b.loses = [](const ethernet::frame&) { return true; };
    const auto flow = s.send(5 * 1024);
    s.run_to(microseconds(1000));
    // At 1 us it starts; the timer runs out at 101, 201, 301 and, once more than it may, at 401 us.
    EXPECT_EQ(s.ledger[flow].given_up, microseconds(401));
    EXPECT_EQ(s.ledger[flow].timeouts, 4U);
    EXPECT_TRUE(s.a->finished());
}

// A window of four frames on a wire whose round trip is longer: four a round trip.
TEST(connection, has_no_more_under_way_than_its_window) {
    transport_parameters t;
    t.window = 4 * 1024 + 1000;  // not quite five
    pair_of_stations s(t, microseconds(10));
    std::uint64_t sent = 0;
    s.to_b.seen = [&](const ethernet::frame&) { ++sent; };
    s.send(100 * 1024);
    s.run_to(microseconds(20));
    EXPECT_EQ(sent, 4U);
    s.run_to(microseconds(24));
    EXPECT_EQ(sent, 8U);
}

TEST(connection, keeps_flows_with_small_windows_alive) {
    transport_parameters t;
    t.window = 1;  // one frame always goes
    pair_of_stations s(t);
    const auto one = s.send(10 * 1024);
    const auto other = s.send(10 * 1024);
    s.run_to(microseconds(1000));
    EXPECT_NE(s.ledger[one].acknowledged, never);
    EXPECT_NE(s.ledger[other].acknowledged, never);
    EXPECT_EQ(s.ledger[one].timeouts + s.ledger[other].timeouts, 0U);
}

// Every frame arrives marked, at 221.2 ns from each other: CNPs are 50 us apart all the same (C13).
TEST(connection, notifies_once_an_interval_and_flow) {
    transport_parameters t;
    t.control = congestion_control::dcqcn;
    t.dcqcn.least_rate = 10'000'000'000;
    t.ack_every = 65'536;  // no acknowledgement stands before a CNP
    pair_of_stations s(t);
    std::vector<picoseconds> notified;
    s.to_b.seen = [](const ethernet::frame& f) {
        EXPECT_EQ(f.headers.congestion, ethernet::ecn::ect0);
        const_cast<ethernet::frame&>(f).mark_congestion_experienced();
    };
    s.to_a.seen = [&](const ethernet::frame& f) {
        if (f.headers.bth_opcode == ethernet::bth_opcode_cnp) notified.push_back(s.time.now());
    };
    s.send(4'000'000);
    s.run_to(microseconds(501));
    ASSERT_GE(notified.size(), 9U);
    EXPECT_LE(notified.size(), 10U);
    picoseconds least = never;
    for (std::size_t i = 1; i < notified.size(); ++i) least = std::min(least, notified[i] - notified[i - 1]);
    EXPECT_GE(least, microseconds(50));
    EXPECT_EQ(s.a->counters.cnps_received, s.b->counters.cnps_sent);
    conformance::row("C13", "a flow whose every frame is marked gets a CNP at most every 50 µs",
                     fmt::format("{} CNPs in 500 µs, {:.1f} µs apart at least", notified.size(),
                                 static_cast<double>(least.count()) / 1e6));
}

// No frame is marked: a window more each round trip in slow start. All are: alpha goes to 1 and the window to one
// frame.
TEST(connection, grows_its_window_unmarked_and_shrinks_it_marked) {
    transport_parameters t;
    t.control = congestion_control::dctcp;
    t.dctcp.initial_window = 2 * 1024;
    t.ack_every = 1;
    pair_of_stations s(t, microseconds(10));
    bool marks = false;
    std::vector<bool> echoes;
    std::uint64_t sent = 0;
    s.to_b.seen = [&](const ethernet::frame& f) {
        ++sent;
        if (marks) const_cast<ethernet::frame&>(f).mark_congestion_experienced();
    };
    s.to_a.seen = [&](const ethernet::frame& f) { echoes.push_back(ethernet::read_bth(f).backward_notification); };
    const auto flow = s.send(10'000 * 1024);
    // Round trips of about 20.5 us: 2, 4, 8, 16 frames.
    for (const std::uint64_t wanted : {2U, 6U, 14U, 30U}) {
        s.run_to(s.time.now() + (sent == 0 ? microseconds(15) : nanoseconds(20'600)));
        EXPECT_EQ(sent, wanted);
    }
    EXPECT_EQ(std::count(echoes.begin(), echoes.end(), true), 0);
    marks = true;
    s.run_to(microseconds(2000));
    const std::uint64_t before = sent;
    s.run_to(microseconds(2206));
    EXPECT_NEAR(static_cast<double>(sent - before), 10, 1);  // one frame a round trip
    EXPECT_TRUE(echoes.back());
    EXPECT_EQ(s.ledger[flow].timeouts, 0U);
}

/// A wire that loses data frames at random, and the fraction of the frames sent that count.
struct loss_point {
    double probability;
    int window;  // frames sent from a lost one until its NAK comes, itself among them
    double expected;

    friend std::ostream& operator<<(std::ostream& out, const loss_point& p) {
        return out << p.probability << ", " << p.window;
    }
};

class efficiency : public ::testing::TestWithParam<loss_point> {};

// (1-p)/(1-p+pW): each loss costs the W frames sent until its NAK comes. W = 2 + (2 d + 2.4 … ns)/T, rounded up to
// whole frames, so the wire's delay d is chosen to make it so: frame k is lost, k + 1 is whole at (k + 2) T - 2.4 ns,
// its NAK is there 14.8 ns and two delays later; frames that start before that are wasted.
TEST_P(efficiency, of_going_back_is_as_the_closed_form_says) {
    const loss_point at = GetParam();
    transport_parameters t;
    t.timeout = microseconds(100);
    const picoseconds frame{221'200};
    const picoseconds delay = ((at.window - 2) * frame - picoseconds{12'400} - frame / 2) / 2;
    pair_of_stations s(t, delay);
    random_stream random(1, "efficiency");
    s.to_b.loses = [&](const ethernet::frame&) { return random.uniform() < at.probability; };
    const std::uint64_t frames = at.probability < 1e-3 ? 400'000 : 100'000;
    const auto flow = s.send(frames * 1024);
    while (s.ledger[flow].acknowledged == never) s.run_to(s.time.now() + microseconds(1000));
    const flow_record& r = s.ledger[flow];
    const double taken = static_cast<double>((r.delivered - r.first_sent).count());
    const double measured = static_cast<double>(frames) * static_cast<double>(frame.count()) / taken;
    EXPECT_NEAR(measured, at.expected, at.expected * 0.03);
    for (const char* id : {"M35", "closed.goback"}) {
        conformance::row(id, fmt::format("p = {:.5f}, W = {}: {:.4f} ± 3 %", at.probability, at.window, at.expected),
                         fmt::format("{:.4f}", measured));
    }
}

INSTANTIATE_TEST_SUITE_P(points, efficiency,
                         ::testing::Values(loss_point{1e-4, 64, 0.9936}, loss_point{1e-3, 64, 0.940},
                                           loss_point{1.0 / 256, 16, 0.941}, loss_point{1.0 / 256, 64, 0.799}));

// Every 256th frame is lost, in messages of 4096: going back to 0 the message never ends, going back N it does.
TEST(connection, going_back_to_0_never_ends_where_going_back_n_does) {
    std::uint64_t carried = 0;
    const auto recovery = recovery_kind::go_back_0;
    transport_parameters t;
    t.recovery = recovery;
    pair_of_stations s(t);
    s.to_b.loses = [&](const ethernet::frame&) { return ++carried % 256 == 0; };
    const auto flow = s.send(4096 * 1024);
    s.run_to(microseconds(50'000));  // 55 times what the message takes
    EXPECT_EQ(s.ledger[flow].delivered, never);
    EXPECT_GT(s.ledger[flow].frames_sent, 50U * 4096);
    conformance::row("closed.goback", "every 256th frame lost, 4096 to a message: go-back-0 delivers nothing",
                     "0 messages in 55 times the time of one");
}

TEST(connection, going_back_n_goes_on_where_every_256th_frame_is_lost) {
    std::uint64_t carried = 0;
    pair_of_stations s({});
    s.to_b.loses = [&](const ethernet::frame&) { return ++carried % 256 == 0; };
    const auto flow = s.send(4096 * 1024);
    s.run_to(microseconds(2'000));
    EXPECT_NE(s.ledger[flow].delivered, never);
}

}  // namespace
}  // namespace weir::host
