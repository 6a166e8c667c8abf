// SPDX-License-Identifier: Apache-2.0
// The closed forms of headroom against values worked out by hand and published tables.
#include "vp/headroom/headroom.h"

#include <gmock/gmock.h>

namespace weir::vp {
namespace {

pause_loop at(const char* rate, std::uint32_t metres, std::uint32_t cell) {
    pause_loop loop;
    loop.rate = *data_rate::from_name(rate);
    loop.cable = cable_delay_per_metre * std::int64_t{metres};
    loop.own_octets = 1518;
    loop.cell_octets = cell;
    return loop;
}

// The physical bound of an ideal device, frames of 1518 octets: 3265, 4390, 6265, 15640 and 53140 octets at 100 m;
// 253140 at 100G over 2 km.
TEST(headroom, bound_of_an_ideal_device) {
    EXPECT_EQ(headroom_bound_octets(at("1G", 100, 128), 1518), 3265U);
    EXPECT_EQ(headroom_bound_octets(at("10G", 100, 128), 1518), 4390U);
    EXPECT_EQ(headroom_bound_octets(at("25G", 100, 128), 1518), 6265U);
    EXPECT_EQ(headroom_bound_octets(at("100G", 100, 128), 1518), 15'640U);
    EXPECT_EQ(headroom_bound_octets(at("400G", 100, 128), 1518), 53'140U);
    EXPECT_EQ(headroom_bound_octets(at("100G", 2000, 128), 1518), 253'140U);
}

// With the response that 802.3 Annex 31B allows at 400G, 905 quanta of 64 octets: 111060 octets.
TEST(headroom, bound_with_the_standard_response) {
    pause_loop loop = at("400G", 100, 128);
    loop.response = loop.rate.quanta(905);
    EXPECT_EQ(headroom_bound_octets(loop, 1518), 111'060U);
}

// 100G, 100 m: 12500 octet times of cable, 1518 own, 80 for the pause frame: 14098, that is 10 frames of 1538 on the
// wire, 12 cells of 128 each; 11 more when the crossing frame straddles.
TEST(headroom, exact_form_in_whole_frames) {
    const pause_loop loop = at("100G", 100, 128);
    EXPECT_EQ(loop_time(loop), picoseconds{14'098 * 80});
    EXPECT_EQ(exact_headroom(loop, 1518, false), 120U);
    EXPECT_EQ(exact_headroom(loop, 1518, true), 131U);
    // 64-octet frames: 14098 / 84 = 167.8 → 168 frames of one cell.
    EXPECT_EQ(exact_headroom(loop, 64, false), 168U);
    EXPECT_EQ(exact_headroom(loop, 64, true), 168U);
}

TEST(headroom, per_frame_overhead_takes_cells) {
    pause_loop loop = at("100G", 100, 128);
    EXPECT_EQ(frame_cells(loop, 1536), 12U);
    loop.frame_overhead = 1;
    EXPECT_EQ(frame_cells(loop, 1536), 13U);
}

// 768 cells of 256 hold 45 frames of 4158 octets (17 cells): 45 · 4178 · 20 ps = 3760.2 ns, less 1000 ns of cable and
// 4238 octet times: 2675.44 ns.
TEST(headroom, response_that_a_headroom_tolerates) {
    pause_loop loop = at("400G", 100, 256);
    loop.own_octets = 4158;
    EXPECT_EQ(tolerated_response(loop, 768, 4158), picoseconds{2'675'440});
    EXPECT_EQ(tolerated_response(loop, 8, 4158), std::nullopt);
    // It is the edge: at that response 45 frames suffice, one picosecond later they do not.
    loop.response = picoseconds{2'675'440};
    EXPECT_EQ(exact_headroom(loop, 4158, false), 45U * 17);
    loop.response += picoseconds{1};
    EXPECT_EQ(exact_headroom(loop, 4158, false), 46U * 17);
}

}  // namespace
}  // namespace weir::vp
