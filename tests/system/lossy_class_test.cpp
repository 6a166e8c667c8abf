// SPDX-License-Identifier: Apache-2.0
// Classes that may lose frames, through a switch that loses them: selective recovery and going back beside each other,
// DCTCP by marks, and DCTCP beside a lossless class.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "tests/conformance/conformance.h"
#include "tests/system/in_child.h"
#include "tests/system/marking_star.h"

namespace weir::system_test {
namespace {

struct recovery_counts {
    bool passed;
    std::uint64_t finished;
    std::uint64_t dropped;
    std::uint64_t lost;
    std::uint64_t sent_again;
    std::uint64_t arrived;
};

/// Two senders of 16 MiB each with windows of 256 KiB, twice what their groups of 256 cells of 256 octets hold.
recovery_counts recover(const std::string& how) {
    const auto result = run_fabric(
        fmt::format("[topology]\nkind='star'\nhosts=3\n[routes]\nkind='shortest_path'\n[hosts]\ntransport='rc'\n"
                    "recovery='{}'\nwindow='256KiB'\n[workload]\nkind='flows'\nfile='f.csv'\n",
                    how),
        {{"f.csv", "start,source,destination,octets,priority,dscp\n0,h1,h0,16MiB,0,0\n0,h2,h0,16MiB,0,0\n"}});
    recovery_counts c{result.passed(), 0, 0, 0, 0, result.hosts[0].data_frames};
    for (const vp::loss& l : result.losses) c.dropped += l.frames;
    for (const vp::flow_result& f : result.flows) {
        c.finished += f.finish ? 1 : 0;
        c.lost += f.lost_frames;
        c.sent_again += f.retransmitted_frames;
    }
    return c;
}

// What is sent is what is needed, what the switch drops, and what the receiver throws away. Selective recovery throws
// away nothing, so it sends again exactly what was dropped, and exactly the 2 * 4096 frames of the messages arrive.
// Going back throws away what follows a gap.
TEST(lossy_class, selective_recovery_sends_again_what_was_dropped_and_going_back_more) {
    const recovery_counts selective = in_child([] { return recover("selective"); });
    const recovery_counts back = in_child([] { return recover("go_back_n"); });
    for (const auto& c : {selective, back}) {
        EXPECT_TRUE(c.passed);  // the class is lossy
        EXPECT_EQ(c.finished, 2U);
        EXPECT_GT(c.dropped, 0U);
        EXPECT_EQ(c.lost, c.dropped);
        EXPECT_EQ(c.arrived, 2 * 4096 + c.sent_again - c.dropped);
    }
    EXPECT_EQ(selective.sent_again, selective.dropped);
    EXPECT_GT(back.sent_again, back.dropped);
}

struct settled_queue {
    double least;
    double mean;
    double most;
    double used;
    std::uint64_t dropped;
};

/// Two DCTCP senders at 100G into one port whose queue 0 marks from 64 frames on, between 5 and 15 ms; in frames.
settled_queue settle_dctcp() {
    constexpr double cells_of_a_frame = 65;  // 4096 octets of payload, 4154 without FCS, in cells of 64
    constexpr int threshold = 64 * 65;
    const platforms::testing::temporary_folder folder;
    network n(star(folder, 3, "100G",
                   "transport='rc'\ncontrol='dctcp'\nrecovery='selective'\nwindow='4MiB'\nack_every=1\n",
                   {"h1,h0,0,0", "h2,h0,0,0"},
                   {"marked=0", fmt::format("kmin={}", threshold - 1), fmt::format("kmax={}", threshold), "pmax=100",
                    "pool=900000", "xoff=50000", "xon=1000", "headroom=1000", "lossy=100000", "lossy_queue=100000"},
                   4096));
    n.run_to(microseconds(5'000));
    const std::uint64_t before = n.machine.host(0).arrived().frames;
    settled_queue q{1e9, 0, 0, 0, 0};
    constexpr int samples = 10'000;
    for (int i = 1; i <= samples; ++i) {
        n.run_to(microseconds(5'000 + i));
        const double frames = queue_of(n, 0, 0) / cells_of_a_frame;
        q.least = std::min(q.least, frames);
        q.most = std::max(q.most, frames);
        q.mean += frames / samples;
    }
    q.used = static_cast<double>(n.machine.host(0).arrived().frames - before) * frame_bits / (100e9 * 10e-3);
    for (const auto& f : n.machine.ledger()) q.dropped += f.frames_sent - f.frames_received;
    return q;
}

// RFC 8257's authors: N senders in step take the queue from K + N down by the amplitude sqrt(2 N (C RTT + K)) / 2, and
// out of step it moves less. Here N = 2, K = 64 frames and C RTT below 4: between 57 and 66. The line is full.
TEST(dctcp_through_a_switch, keeps_the_queue_at_its_threshold) {
    const settled_queue q = settle_dctcp();
    const double swing = std::sqrt(2 * 2 * (4 + 64.0)) / 2;
    EXPECT_GT(q.mean, 64 + 2 - swing);
    EXPECT_LT(q.mean, 64 + 2);
    EXPECT_GT(q.least, 64 + 2 - 2 * swing);
    EXPECT_LT(q.most, 64 + 2 + 2);
    EXPECT_GT(q.used, 0.999);
}

// A DCTCP sender and a lossless flow share a line that serves both queues alike: half of it for each, no frame of
// either is lost, and only the lossless one is ever paused.
TEST(dctcp_through_a_switch, leaves_a_lossless_class_its_half) {
    const platforms::testing::temporary_folder folder;
    network n(star(folder, 3, "100G",
                   "transport='rc'\ncontrol='dctcp'\nrecovery='selective'\nwindow='1MiB'\nack_every=1\n",
                   {"h1,h0,0,0", "h2,h0,3,24"},
                   {"marked=0", "kmin=4159", "kmax=4160", "pmax=100", "pool=900000", "xoff=1000", "xon=100",
                    "headroom=1000", "lossy=100000", "lossy_queue=100000"},
                   4096));
    n.run_to(microseconds(5'000));
    const auto received = [&](std::size_t f) { return static_cast<double>(n.machine.ledger()[f].frames_received); };
    const double lossy = received(0);
    const double lossless = received(1);
    n.run_to(microseconds(15'000));
    const double half = 100e9 * 10e-3 / frame_bits / 2;
    EXPECT_NEAR(received(0) - lossy, half, 0.01 * half);
    EXPECT_NEAR(received(1) - lossless, half, 0.01 * half);
    EXPECT_GT(n.value(0, "pfc.tx_transitions.times", {2, 3}), 0U);
    EXPECT_EQ(n.value(0, "pfc.tx_transitions.times", {1, 0}), 0U);
    for (const auto& f : n.machine.ledger()) EXPECT_EQ(f.retransmitted, 0U);
}

}  // namespace
}  // namespace weir::system_test
