// SPDX-License-Identifier: Apache-2.0
// XON measured by the AC5P buffer note's four methods on one sender at 400G into one receiver at 200G, and the pause
// limit cycle's rate over a sweep of XON.
//
// Everything is worked out in cells before the run: frames of L octets are c cells in L + 20 octet times; t1 is the
// time from the crossing to the last arrival, t2 from the resume crossing to the first.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <ostream>
#include <vector>

#include "models/ethernet/mac_control.h"
#include "tests/conformance/conformance.h"
#include "tests/system/board.h"

namespace weir::system_test {
namespace {

using conformance::row;

struct cycle_case {
    int xoff;
    int xon;
    std::uint32_t frame;  // octets, FCS counted
};

std::ostream& operator<<(std::ostream& out, const cycle_case& c) {
    return out << "XOFF " << c.xoff << ", XON " << c.xon << ", frames of " << c.frame;
}

/// The sender's group over time: arrivals at port 0 and departures at port 1 change it, so both ports' taps write here.
struct group_trace {
    std::vector<std::pair<picoseconds, mmu::cells>> occupancy;
    std::map<picoseconds, mmu::cells> pauses;
    std::map<picoseconds, mmu::cells> resumes;
    mmu::cells peak{0};
    bool paused{false};
};

struct recorder : port::tap {
    recorder(board& bench, group_trace* into) : b(bench), trace(into) {}
    void received(const ethernet::frame& f, picoseconds now, mmu::drop_reason) override { note(f, now, heard); }
    void sent(const ethernet::frame& f, picoseconds now) override { note(f, now, said); }
    void note(const ethernet::frame& f, picoseconds now, std::vector<std::pair<picoseconds, bool>>& commands) {
        const auto c = ethernet::parse_mac_control(f);
        if (c.outcome == ethernet::mac_control_outcome::pfc) commands.emplace_back(now, c.time[3] != 0);
        if (trace == nullptr) return;
        const auto& group = b.machine.chip(0).memory().group(0, 3);
        trace->occupancy.emplace_back(now, group.service_used());
        trace->peak = std::max(trace->peak, group.used());
        if (group.paused() == trace->paused) return;
        trace->paused = group.paused();
        (trace->paused ? trace->pauses : trace->resumes).emplace(now, group.service_used());
    }
    board& b;
    group_trace* trace;
    std::vector<std::pair<picoseconds, bool>> said;
    std::vector<std::pair<picoseconds, bool>> heard;
};

struct cycle_form {
    double cells;  // of a frame
    double a;      // cells a ns
    double d;
    double t1;  // ns
    double t2;
    double period;
};

cycle_form form_of(const cycle_case& c) {
    const double octet = 0.02;  // ns at 400G
    const double wire = c.frame + 20;
    const double frame = wire * octet;
    cycle_form f{};
    f.cells = std::ceil(c.frame / 256.0);
    f.a = f.cells / frame;
    f.d = f.cells / (wire * 0.04);
    const double leg = 500;                   // 100 m
    const double command = 72 * octet + leg;  // crossing to the closing of the host's gate
    const double still = std::ceil((command + leg - 12 * octet) / frame);
    f.t1 = still * frame;
    f.t2 = command + leg;
    const double height = c.xon + (f.a - f.d) * f.t1 + f.d * f.t2;
    f.period = height * f.a / (f.d * (f.a - f.d));
    return f;
}

struct experiment {
    explicit experiment(const cycle_case& c)
        : bench(configuration(c)), buffer(bench, &trace), line(bench, &trace), sender(bench, nullptr) {
        bench.machine.chip(0).memory().check_always(false);
        bench.machine.chip(0).port(0).mac.observe(buffer);
        bench.machine.chip(0).port(1).mac.observe(line);
        bench.machine.host(0).mac.observe(sender);
        bench.run_to_the_end();
    }
    static platforms::platform_config configuration(const cycle_case& c) {
        platforms::load_options options;
        options.program = {"xon=" + std::to_string(c.xon), "xoff=" + std::to_string(c.xoff)};
        options.hardware = {"workload.frame=" + std::to_string(c.frame - 62), "workload.octets=48MiB"};
        return board_config("two_rates_400g_200g", options);
    }
    [[nodiscard]] mmu::cells at(picoseconds t) const {
        mmu::cells last = 0;
        for (const auto& [when, cells] : trace.occupancy) {
            if (when > t) break;
            last = cells;
        }
        return last;
    }

    group_trace trace;
    board bench;
    recorder buffer;
    recorder line;
    recorder sender;
};

double ns(picoseconds t) {
    return static_cast<double>(t.count()) / 1000;
}

/// The first change after `from`.
std::pair<picoseconds, mmu::cells> next(const std::map<picoseconds, mmu::cells>& changes, picoseconds from) {
    const auto found = changes.upper_bound(from);
    EXPECT_NE(found, changes.end());
    return *found;
}

TEST(xon_measurement, by_four_methods) {
    const cycle_case c{6800, 2048, 1082};  // five cells a frame
    const cycle_form f = form_of(c);
    experiment e(c);
    ASSERT_GE(e.trace.pauses.size(), 4U);
    const auto pause = next(e.trace.pauses, e.bench.origin + microseconds(100));
    const auto resume = next(e.trace.resumes, pause.first);
    const int quantum = 2 * (static_cast<int>(f.cells) - 1);

    // Method 1: the group at the first pause less the group at the first resume.
    const int first = pause.second - resume.second;
    EXPECT_NEAR(first, c.xon, quantum);
    row("T01", "2048 cells ± 8 (frames of 5)", fmt::format("{}", first));
    EXPECT_NEAR(first, c.xon, 2 * f.cells);
    row("T07", "measured XON within two frames, 10 cells, of the configured 2048", fmt::format("{}", first));
    // With the peak instead of the crossing: XON + (a − d)·t1 more.
    const double from_peak = e.trace.peak - resume.second;
    EXPECT_NEAR(from_peak, c.xon + (f.a - f.d) * f.t1, 2 * f.cells);
    row("T01", fmt::format("with the maximum instead: XON + (a - d)·t1 = {:.0f}", c.xon + (f.a - f.d) * f.t1),
        fmt::format("{:.0f}", from_peak));

    // Method 2: frames alone: drain times the time between the XOFF and the XON frame; biased by a·t1.
    picoseconds xoff_frame{0};
    picoseconds xon_frame{0};
    for (const auto& [when, on] : e.buffer.said) {
        if (when < pause.first) continue;
        if (on && xoff_frame == picoseconds{0}) xoff_frame = when;
        if (!on && xon_frame == picoseconds{0}) xon_frame = when;
    }
    const double by_frames = f.d * ns(xon_frame - xoff_frame);
    EXPECT_NEAR(by_frames, c.xon + f.a * f.t1, 2 * f.cells);
    row("T02", fmt::format("XON + a·t1 = {:.0f} cells, not 2048", c.xon + f.a * f.t1),
        fmt::format("{:.0f}", by_frames));

    // Method 4: when the sender heard them, taken back by the frame and the cable, on the group's trace.
    picoseconds heard_xoff{0};
    picoseconds heard_xon{0};
    for (const auto& [when, on] : e.sender.heard) {
        if (when < pause.first) continue;
        if (on && heard_xoff == picoseconds{0}) heard_xoff = when;
        if (!on && heard_xon == picoseconds{0}) heard_xon = when;
    }
    const picoseconds way = nanoseconds(500) + picoseconds{72 * 20};
    const int fourth = e.at(heard_xoff - way) - e.at(heard_xon - way);
    EXPECT_NEAR(fourth, c.xon, quantum);
    row("T04", "2048 cells ± 8", fmt::format("{}", fourth));
    // Both ends pause for as long: each hears later by the same way.
    EXPECT_EQ(heard_xon - heard_xoff, xon_frame - xoff_frame);
    row("C11", "paused for as long at the sender as at the buffer, to one propagation",
        fmt::format("{} ns, {} ns", ns(heard_xon - heard_xoff), ns(xon_frame - xoff_frame)));
    // The conditions of all this: one group, one hop, no headroom exhausted, no mark.
    EXPECT_EQ(e.bench.value("port.rx_discards.frames", {0}), 0U);
    row("T06", "no loss, one group, one sender, refresh is no resume",
        fmt::format("{} discards", e.bench.value("port.rx_discards.frames", {0})));
}

class xon_sweep : public ::testing::TestWithParam<cycle_case> {};

// Method 3 and §4.4: resume points XOFF − XON, and the rate of the cycle within 1 %.
TEST_P(xon_sweep, resumes_at_its_point_at_its_rate) {
    const cycle_case& c = GetParam();
    const cycle_form f = form_of(c);
    experiment e(c);
    ASSERT_GE(e.trace.pauses.size(), 5U);
    const auto second = std::next(e.trace.pauses.begin());
    const auto cycles = static_cast<double>(e.trace.pauses.size() - 2);
    const double period = ns(e.trace.pauses.rbegin()->first - second->first) / cycles;
    EXPECT_NEAR(period, f.period, 0.01 * f.period);
    int worst = 0;
    for (const auto& [when, cells] : e.trace.resumes) worst = std::max(worst, std::abs(cells - (c.xoff - c.xon)));
    EXPECT_LT(worst, f.cells);
    row("T03",
        fmt::format("XOFF {} XON {}: resume at {} cells, less than a frame below", c.xoff, c.xon, c.xoff - c.xon),
        fmt::format("at most {} cells off", worst));
    const std::string rate =
        fmt::format("XOFF {} XON {}, 1082-octet frames: {:.0f} cycles/s ± 1 %", c.xoff, c.xon, 1e9 / f.period);
    for (const char* id : {"closed.limit_cycle", "X02", "M07"}) row(id, rate, fmt::format("{:.0f}", 1e9 / period));
    if (c.xon == 8000)
        row("Y11", "XON 8000 of 10000 resumes at 2000, not at 8000",
            fmt::format("{}", e.trace.resumes.begin()->second));
    if (c.xon == 2048) {
        const double poll = 10e6;  // ns
        row("T05", fmt::format("a 10 ms poll spans {:.0f} cycles", poll / f.period),
            fmt::format("{:.0f}", poll / period));
    }
}

INSTANTIATE_TEST_SUITE_P(cases, xon_sweep,
                         ::testing::Values(cycle_case{6800, 256, 1082}, cycle_case{6800, 2048, 1082},
                                           cycle_case{8000, 256, 1082}, cycle_case{8000, 2048, 1082},
                                           cycle_case{10'000, 256, 1082}, cycle_case{10'000, 2048, 1082},
                                           cycle_case{10'000, 8000, 1082}),
                         [](const auto& each) {
                             return fmt::format("xoff_{}_xon_{}", each.param.xoff, each.param.xon);
                         });

}  // namespace
}  // namespace weir::system_test
