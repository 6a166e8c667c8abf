// SPDX-License-Identifier: Apache-2.0
// PFC alone against PFC with DCQCN, on two tiers: platforms/leaf_spine_incast.
#include <algorithm>

#include "tests/system/board.h"
#include "tests/system/fabric.h"
#include "tests/system/in_child.h"

namespace weir::system_test {
namespace {

constexpr double small_frame_bits = 8.0 * (1024 + 62 + 20);

struct incast_outcome {
    double victim_gbps;         ///< on the wire, of the whole run
    double receiver_gbps;       ///< of the incast's receiver
    double links_stopped_late;  ///< mean number in the run's second half
    double paused_late;         ///< share of the second half in which the incast's senders are stopped, about
    std::uint64_t lost;
    std::uint64_t peak;  ///< cells of the fullest group of the receiver's leaf
};

incast_outcome run_incast(const std::string& control) {
    return in_child([&] {
        platforms::load_options options;
        options.hardware = {"hosts.control=" + control};
        const auto config = board_config("leaf_spine_incast", options);
        vp::run_request request;
        request.observe = true;
        request.until = microseconds(8'000);
        const auto result = run(config, request);
        incast_outcome o{};
        const double seconds = 8e-3;
        o.victim_gbps = static_cast<double>(result.flows[8].delivered_octets) / 1024 * small_frame_bits / seconds / 1e9;
        for (std::size_t f = 0; f < 8; ++f) {
            o.receiver_gbps +=
                static_cast<double>(result.flows[f].delivered_octets) / 1024 * small_frame_bits / seconds / 1e9;
        }
        double links = 0;
        double hosts = 0;
        const auto& rows = result.seen->spread;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const picoseconds begin = std::max(rows[i].time, microseconds(4'000));
            const picoseconds end = i + 1 < rows.size() ? rows[i + 1].time : microseconds(8'000);
            if (end <= begin) continue;
            const double share = static_cast<double>((end - begin).count()) * 1e-12 / 4e-3;
            links += rows[i].links * share;
            hosts += rows[i].hosts * share;
        }
        o.links_stopped_late = links;
        o.paused_late = hosts / 9;
        for (const auto& l : result.losses) o.lost += l.frames;
        for (std::uint32_t port = 9; port < 11; ++port) {
            o.peak = std::max(o.peak, result.switches[1].registers.value("pg.service_max.cells", {port, 3}));
        }
        return o;
    });
}

// With PFC alone the receiver's line is all that the eight get together, half of it through each spine (X11: its leaf
// serves both ingress ports alike). The victim's link carries three of the eight besides (routes by hash), and PFC
// gives all four senders the same: a third of a half. Until the first pauses it has its 50 Gb/s, for less than 2 % of
// the run. With DCQCN no link is stopped, and the victim gets what it asks for, but for the start; the eight are cut at
// once there and take milliseconds to come back, so their receiver's line is not full, but not idle either.
TEST(ecn_and_pfc, congestion_control_gives_the_victim_its_rate) {
    const incast_outcome pfc = run_incast("none");
    EXPECT_EQ(pfc.lost, 0U);
    EXPECT_GT(pfc.receiver_gbps, 99);
    EXPECT_NEAR(pfc.victim_gbps, 100.0 / 2 / 3, 0.1 * 100 / 2 / 3);
    EXPECT_GT(pfc.links_stopped_late, 1);
    EXPECT_GE(pfc.peak, 1200U);  // XOFF

    const incast_outcome both = run_incast("dcqcn");
    EXPECT_EQ(both.lost, 0U);
    EXPECT_GT(both.victim_gbps, 0.9 * 50);
    EXPECT_GT(both.receiver_gbps, 50);
    EXPECT_EQ(both.links_stopped_late, 0);
    EXPECT_EQ(both.paused_late, 0);
}

}  // namespace
}  // namespace weir::system_test
