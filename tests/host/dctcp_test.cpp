// SPDX-License-Identifier: Apache-2.0
// The congestion window against the equations of RFC 8257.
#include "models/host/dctcp.h"

#include <gtest/gtest.h>

#include <cmath>

namespace weir::host {
namespace {

constexpr std::uint64_t frame = 1000;

// Slow start: what is acknowledged is added. After a cut a frame a window is.
TEST(dctcp, grows_by_what_is_acknowledged_and_after_a_cut_by_a_frame_a_window) {
    dctcp_parameters p;
    p.initial_window = 10 * frame;
    dctcp_window w(p, frame);
    w.acknowledge(10 * frame, false, 10, 30);
    EXPECT_EQ(w.octets(), 20 * frame);
    w.lose(10, 30);
    EXPECT_EQ(w.octets(), 10 * frame);
    w.acknowledge(9 * frame, false, 19, 30);
    EXPECT_EQ(w.octets(), 10 * frame);
    w.acknowledge(1 * frame, false, 20, 31);
    EXPECT_EQ(w.octets(), 11 * frame);
}

// alpha = 15/16 alpha + F/16 once a window; from 1 with no marks (15/16)^k.
TEST(dctcp, moves_alpha_once_a_window) {
    dctcp_parameters p;
    dctcp_window w(p, frame);
    std::uint64_t sent = 10;
    std::uint64_t acknowledged = 0;
    for (int window = 1; window <= 20; ++window) {
        acknowledged = sent;
        sent += 10;
        w.acknowledge(10 * frame, false, acknowledged, sent);
        EXPECT_NEAR(w.alpha(), std::pow(15.0 / 16, window), 1e-12) << window;
    }
    // Half of a window's octets marked: two answers, the second of which ends the window.
    const double before = w.alpha();
    w.acknowledge(5 * frame, true, acknowledged + 5, sent);
    w.acknowledge(5 * frame, false, acknowledged + 10, sent + 10);
    EXPECT_NEAR(w.alpha(), before * 15 / 16 + 0.5 / 16, 1e-12);
}

// Cut by alpha/2 once a window, whatever the marks in it.
TEST(dctcp, cuts_once_a_window) {
    dctcp_parameters p;
    p.initial_window = 100 * frame;
    dctcp_window w(p, frame);
    w.acknowledge(1 * frame, true, 1, 100);  // alpha is 1 still: the first window ends at once, all of it marked
    EXPECT_EQ(w.octets(), 50 * frame);
    w.acknowledge(50 * frame, true, 51, 150);
    EXPECT_EQ(w.octets(), 50 * frame);
    w.acknowledge(50 * frame, true, 101, 151);
    EXPECT_EQ(w.octets(), 25 * frame);
}

TEST(dctcp, starts_anew_after_a_timeout) {
    dctcp_parameters p;
    p.initial_window = 100 * frame;
    dctcp_window w(p, frame);
    w.time_out();
    EXPECT_EQ(w.octets(), frame);
    w.acknowledge(49 * frame, false, 49, 50);
    EXPECT_EQ(w.octets(), 50 * frame);
    w.acknowledge(40 * frame, false, 89, 90);  // slow start ended at half of 100
    EXPECT_EQ(w.octets(), 50 * frame);
}

}  // namespace
}  // namespace weir::host
