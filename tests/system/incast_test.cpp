// SPDX-License-Identifier: Apache-2.0
// The main job: seven senders of 400G into one receiver, and the same with too little headroom.
#include <cmath>

#include "tests/system/board.h"

namespace weir::system_test {
namespace {

// 16 MiB in frames of 4096: 4096 frames a sender, 28 672 in all, each 4178 octet times on a wire of 20 ps an octet.
TEST(incast, loses_nothing_and_fills_the_receivers_wire) {
    board b(board_config("one_switch_8x400g"));
    b.run_to_the_end();
    const host::arrivals& a = b.machine.host(0).arrived();
    EXPECT_EQ(a.frames, 28'672U);
    for (const host::flow_record& flow : b.machine.ledger()) EXPECT_EQ(flow.out_of_order, 0U);
    const double wire =
        28'672.0 * 4178 * 0.02 - 20 * 0.02;  // ns from the first octet to the last, no gap between frames
    const double taken = static_cast<double>((a.last - a.first).count()) / 1000;
    EXPECT_LE(wire / taken, 1.0000001);
    EXPECT_GE(wire / taken, 0.999);
    for (std::uint32_t port = 0; port < 8; ++port) EXPECT_EQ(b.value("port.rx_discards.frames", {port}), 0U);
    EXPECT_EQ(b.machine.chip(0).memory().conservation_error(), "");
    EXPECT_EQ(b.machine.chip(0).memory().used(), 0);
    EXPECT_EQ(b.machine.frames().in_use(), 0U);
}

// Every region's peak against its size: Guaranteed and Service are full, and Headroom is used as far as the closed form
// says (§3.4 (0)): W = 2 legs + pipeline + response + 80, in octet times of 20 ps; then whole frames of 17 cells, and
// the part of the crossing frame that XOFF does not hold. The port sends nothing else towards its sender, so no own
// frame.
TEST(incast, uses_headroom_as_the_closed_form_says) {
    board b(board_config("one_switch_8x400g"));
    b.run_to_the_end();
    const double window = (2 * 500 + 400 + 1158.4) / 0.02 + 80;
    const int frames = static_cast<int>(std::ceil(window / 4178));
    const int straddle = 17 - (6800 + 8) % 17;  // 6800 of Service and 8 Guaranteed: where the crossing frame is cut
    for (std::uint32_t port = 1; port < 8; ++port) {
        EXPECT_EQ(b.value("pg.service_max.cells", {port, 3}), 6800U);
        EXPECT_EQ(b.value("pg.headroom_max.cells", {port, 3}), static_cast<std::uint64_t>(frames * 17 + straddle));
    }
}

TEST(incast, pauses_and_resumes_agree_at_both_ends) {
    board b(board_config("one_switch_8x400g"));
    b.run_to_the_end();
    for (std::uint32_t port = 1; port < 8; ++port) {
        EXPECT_GT(b.value("pfc.tx_transitions.times", {port, 3}), 0U);
        // C11: what the switch sent is what the host received.
        EXPECT_EQ(b.value("pfc.tx_frames.frames", {port}), b.machine.host(port).flow.receiver.counters.seen);
        EXPECT_EQ(b.value("pfc.tx_transitions.times", {port, 3}),
                  b.machine.host(port).flow.receiver.counters.releases[3]);
        EXPECT_EQ(b.machine.host(port).flow.receiver.counters.expiries[3], 0U);  // every refresh was in time (M27)
    }
    EXPECT_EQ(b.value("pfc.tx_frames.frames", {0}), 0U);
}

// Eight cells of Headroom do not hold one frame of 17: lossless frames are lost, and the reason is Headroom.
TEST(incast, with_too_little_headroom_loses_lossless_frames_for_that_reason) {
    platforms::load_options options;
    options.program = {"headroom=8"};
    board b(board_config("one_switch_8x400g", options));
    b.run_to_the_end();
    for (std::uint32_t port = 1; port < 8; ++port) {
        const std::uint64_t lost =
            b.value("port.drops.frames", {port, static_cast<std::uint32_t>(mmu::drop_reason::headroom)});
        EXPECT_GT(lost, 0U);
        EXPECT_EQ(b.value("port.rx_discards.frames", {port}), lost);
        EXPECT_EQ(b.value("pg.drop_frames.frames", {port, 3}), lost);
    }
    EXPECT_EQ(b.machine.chip(0).memory().conservation_error(), "");
}

// Every rate of the model carries the same incast without loss, with headroom for its own loop (§3.4 (a)).
TEST(incast, is_lossless_at_100g_too) {
    board b(board_config("one_switch_32x100g"));
    b.run_to_the_end();
    for (std::uint32_t port = 0; port < 32; ++port) EXPECT_EQ(b.value("port.rx_discards.frames", {port}), 0U);
    EXPECT_TRUE(b.machine.drained());
}

}  // namespace
}  // namespace weir::system_test
