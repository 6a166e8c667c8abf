// SPDX-License-Identifier: Apache-2.0
// The pause limit cycle of one sender into one slower receiver, against its closed form (§4.4 of the oracles):
//
//   H = D + (a − d)·t1 + d·t2,   period = H·a / (d·(a − d))
//
// in cells: a frame of 4158 octets is 17 cells in 4178 octet times. t1 (crossing to the last octet that still arrives)
// and t2 (resume crossing to the first octet that arrives again) come from the platform, before the run.
#include <cmath>
#include <vector>

#include "models/ethernet/mac_control.h"
#include "tests/system/board.h"

namespace weir::system_test {
namespace {

/// Times at which port 0 announced a pause that was not announced before.
struct pause_watch : port::tap {
    void received(const ethernet::frame&, picoseconds, mmu::drop_reason) override {}
    void sent(const ethernet::frame& f, picoseconds now) override {
        const auto c = ethernet::parse_mac_control(f);
        if (c.outcome != ethernet::mac_control_outcome::pfc) return;
        const bool on = c.time[3] != 0;
        if (on && !paused) starts.push_back(now);
        paused = on;
    }
    bool paused{false};
    std::vector<picoseconds> starts;
};

struct closed_form {
    double t1;      // ns
    double t2;      // ns
    double period;  // ns
};

closed_form expected(double offset_cells) {
    const double fast_octet = 0.02;  // ns at 400G
    const double frame = 4178 * fast_octet;
    const double a = 17 / frame;
    const double d = 17 / (4178 * 0.04);
    const double leg = 500;                        // 100 m of 5 ns
    const double control = (8 + 64) * fast_octet;  // the PFC frame's octets; its slot is free at once
    const double command = control + leg;          // crossing to the closing of the host's gate
    // Frames that the host starts before the gate closes still come: it had started one for each frame time since the
    // crossing frame, whose last octet left a leg before the crossing, its gap after that.
    const double still = std::ceil((command + leg - 12 * fast_octet) / frame);
    closed_form c{};
    c.t1 = still * frame;
    c.t2 = command + leg;
    const double height = offset_cells + (a - d) * c.t1 + d * c.t2;
    c.period = height * a / (d * (a - d));
    return c;
}

void expect_cycle(const char* xon, double offset_cells) {
    platforms::load_options options;
    options.program = {std::string("xon=") + xon};
    board b(board_config("two_rates_400g_200g", options));
    pause_watch watch;
    b.machine.chip(0).port(0).mac.observe(watch);
    b.run_to_the_end();
    ASSERT_GE(watch.starts.size(), 10U);
    const auto cycles = static_cast<double>(watch.starts.size() - 3);
    const double measured = static_cast<double>((watch.starts.back() - watch.starts[2]).count()) / cycles / 1000;
    const closed_form c = expected(offset_cells);
    const double frame_time = 4178 * 0.02;
    EXPECT_NEAR(measured, c.period, 2 * frame_time) << "t1 " << c.t1 << " ns, t2 " << c.t2 << " ns";
    EXPECT_EQ(b.machine.host(1).arrived().frames, 8192U);
    ::testing::Test::RecordProperty("measured_ns", std::to_string(measured));
    ::testing::Test::RecordProperty("closed_form_ns", std::to_string(c.period));
}

TEST(limit_cycle, has_the_closed_forms_period_with_an_offset_of_2048_cells) {
    expect_cycle("2048", 2048);
}

TEST(limit_cycle, has_the_closed_forms_period_with_an_offset_of_256_cells) {
    expect_cycle("256", 256);
}

}  // namespace
}  // namespace weir::system_test
