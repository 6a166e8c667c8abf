// SPDX-License-Identifier: Apache-2.0
// The adversary of worst-case headroom: the own longest frame starts one picosecond before the crossing, the neighbour
// sends at line rate until its gate closes. Exact: with H* cells nothing is lost, with one cell less one frame is.
//
//   W = 2 legs + own frame + 80 octet times,  N = ceil(W / (L + 20)) frames arrive after the crossing,
//   H* = N · c + what of the crossing frame's c cells lies above XOFF
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <ostream>
#include <tuple>

#include "models/ethernet/rocev2.h"
#include "tests/acceptance/lab.h"
#include "tests/conformance/conformance.h"
#include "vp/headroom/headroom_models.h"

namespace weir::acceptance {
namespace {

struct link_case {
    const char* rate;
    std::uint32_t metres;
    std::uint32_t cell;
};

std::ostream& operator<<(std::ostream& out, const link_case& c) {
    return out << c.rate << ' ' << c.metres << " m, cells of " << c.cell;
}

constexpr const char* script = R"(pool create lossless ingress size 50000 cells
pool create lossy ingress size 1000 cells
map dscp 0-63 tc 0
map dscp 24 tc 3
map tc 3 pg 3
trust dscp
interface all
  mtu 9216
  pg all pool lossy guaranteed 0
  pg 3 pool lossless guaranteed 0
  queue 0-2,4-7 limit 200
  no shutdown
exit
interface 1
  pfc enable priority 3
exit
interface 0
  queue 3 dequeue off
exit)";

class adversary {
public:
    explicit adversary(const link_case& c) : case_(c), bench_(options(c), script) {
        rate_ = *data_rate::from_name(c.rate);
        leg_ = cable_delay_per_metre * std::int64_t{c.metres};
    }

    /// One worst case: frames of `length` after a XOFF of `xoff` cells with `headroom` cells; how many were lost.
    std::uint64_t losses(std::uint32_t length, std::uint32_t own, std::int64_t xoff, std::int64_t headroom,
                         std::uint64_t frames) {
        bench_.shell(fmt::format("interface 1\npfc pause-threshold {}\npfc resume-threshold 1\npfc headroom {} cells",
                                 xoff, headroom));
        const std::uint64_t before = bench_.drops(1, WEIR_DROP_HEADROOM);
        const std::int64_t cells = (length + case_.cell - 1) / case_.cell;
        const std::int64_t crossing = (xoff + cells - 1) / cells - 1;  // index of the frame that crosses
        platforms::flow f;
        f.source = 1;
        f.destination = 0;
        f.priority = 3;
        f.dscp = 24;
        f.payload = length;
        f.plain_udp = true;
        f.octets = f.payload * (static_cast<std::uint64_t>(crossing) + 1 + frames + 3);
        const picoseconds origin = bench_.machine().time().now() + microseconds(30) + 2 * leg_ + rate_.octets(2L * own);
        bench_.machine().add_flow(f, origin);
        const picoseconds crosses =
            origin + rate_.octets(crossing * (length + wire_overhead_octets) + preamble_octets + length) + leg_;
        send_own(own, crosses - picoseconds{1});
        const picoseconds over = crosses + 3 * leg_ + rate_.octets(2L * own + 10'000);
        bench_.machine().run_until(over);
        EXPECT_EQ(bench_.machine().host(1).flow.receiver.paused(), 1U << 3U) << "the neighbour was not paused";
        bench_.shell("interface 0\nqueue 3 dequeue on");
        bench_.settle(6 * leg_ + rate_.octets(static_cast<std::int64_t>(frames + 20) * (length + 40)) +
                      microseconds(5));
        EXPECT_EQ(bench_.machine().frames_under_way(), 0U);
        bench_.shell("interface 0\nqueue 3 dequeue off");
        return bench_.drops(1, WEIR_DROP_HEADROOM) - before;
    }

private:
    static lab_options options(const link_case& c) {
        lab_options o;
        o.ports = 3;
        o.rate = c.rate;
        o.cells = 65'536;
        o.cell_octets = c.cell;
        o.cable_metres = c.metres;
        o.obey = true;
        return o;
    }

    /// Lets a frame of that length begin to leave port 1 at `start`: it has just arrived from port 2.
    void send_own(std::uint32_t length, picoseconds start) {
        const auto& hosts = bench_.machine().config().hosts;
        ethernet::udp_path path;
        path.source_mac = hosts[2].mac;
        path.destination_mac = hosts[1].mac;
        ethernet::frame* f = bench_.machine().frames().take();
        ethernet::build_udp(*f, path, length);
        ethernet::captured_frame captured;
        captured.octets = f->wire_octets();
        captured.octets.resize(captured.octets.size() - 4);
        captured.wire_length = length;
        captured.fcs_good = true;
        f->release();
        bench_.machine().host(2).player.play({captured}, start - leg_ - rate_.octets(preamble_octets + length), 0);
    }

    link_case case_;
    lab bench_;
    data_rate rate_;
    picoseconds leg_{0};
};

class worst_case_headroom : public ::testing::TestWithParam<link_case> {};

TEST_P(worst_case_headroom, is_exact_to_the_cell_at_every_alignment) {
    const link_case& c = GetParam();
    adversary bench(c);
    const data_rate rate = *data_rate::from_name(c.rate);
    std::string expected;
    std::string measured;
    for (const std::uint32_t length : {64U, 65U, 129U, 257U, 1518U, 9216U}) {
        const std::uint32_t own = std::max(1518U, length);
        const std::int64_t legs = 2 * (cable_delay_per_metre * std::int64_t{c.metres}).count();
        const std::int64_t octet = rate.octet_time().count();
        const std::int64_t w = legs + (own + 80) * octet;
        const std::int64_t period = (length + 20) * octet;
        const std::int64_t frames = (w + period - 1) / period;
        const std::int64_t cells = (length + c.cell - 1) / c.cell;
        std::int64_t least_without_loss = 0;
        for (std::int64_t above = 0; above < cells; ++above) {
            // XOFF lies `above` cells below the end of the crossing frame.
            const std::int64_t xoff = 3 * cells - above;
            const std::int64_t exact = frames * cells + above;
            ASSERT_EQ(bench.losses(length, own, xoff, exact, static_cast<std::uint64_t>(frames)), 0U)
                << "frames of " << length << ", XOFF " << xoff << ", headroom " << exact;
            ASSERT_EQ(bench.losses(length, own, xoff, exact - 1, static_cast<std::uint64_t>(frames)), 1U)
                << "frames of " << length << ", XOFF " << xoff << ", headroom " << exact - 1;
            least_without_loss = std::max(least_without_loss, exact);
        }
        expected += fmt::format("{}{}: {}", expected.empty() ? "" : ", ", length, frames * cells + cells - 1);
        measured += fmt::format("{}{}: {}", measured.empty() ? "" : ", ", length, least_without_loss);
    }
    // The octet form for 1518-octet frames beside it.
    vp::headroom_question q;
    q.rate = rate;
    q.metres = c.metres;
    q.cell_octets = c.cell;
    conformance::row("closed.headroom",
                     fmt::format("{} {} m, cells of {}: cells by frame length {} (octet form for 1518: {})", c.rate,
                                 c.metres, c.cell, expected, vp::two_leg_headroom(q).cells(c.cell)),
                     fmt::format("no loss at {}; one frame lost with one cell less", measured));
}

INSTANTIATE_TEST_SUITE_P(
    links, worst_case_headroom,
    ::testing::Values(link_case{"1G", 100, 128}, link_case{"1G", 100, 256}, link_case{"1G", 2000, 128},
                      link_case{"1G", 2000, 256}, link_case{"10G", 100, 128}, link_case{"10G", 100, 256},
                      link_case{"10G", 2000, 128}, link_case{"10G", 2000, 256}, link_case{"25G", 100, 128},
                      link_case{"25G", 100, 256}, link_case{"25G", 2000, 128}, link_case{"25G", 2000, 256},
                      link_case{"100G", 100, 128}, link_case{"100G", 100, 256}, link_case{"100G", 2000, 128},
                      link_case{"100G", 2000, 256}, link_case{"400G", 100, 128}, link_case{"400G", 100, 256},
                      link_case{"400G", 2000, 128}, link_case{"400G", 2000, 256}),
    [](const auto& each) {
        return fmt::format("{}_{}m_cell_{}", each.param.rate, each.param.metres, each.param.cell);
    });

// 100G over 100 m, frames of 1518 octets, cells of 128: the chapter's one-leg headroom of 62 cells overflows, the
// two-leg one of 123 and more (131 with a crossing frame that straddles) holds.
TEST(one_leg_headroom, overflows_where_two_legs_hold) {
    adversary bench({"100G", 100, 128});
    // 14098 octet times of 1538: ten frames of 12 cells arrive; 62 cells hold five of them.
    const std::uint64_t one_leg = bench.losses(1518, 1518, 36, 62, 10);
    EXPECT_EQ(one_leg, 5U);
    const std::uint64_t two_legs = bench.losses(1518, 1518, 36, 123, 10);
    EXPECT_EQ(two_legs, 0U);
    for (const char* id : {"F2", "P18", "S40", "X01"}) {
        conformance::row(id, "100G, 100 m: 62 cells (one leg) lose 5 of 10 frames in flight, 123 lose none",
                         fmt::format("{} lost, {} lost", one_leg, two_legs));
    }
    const std::uint64_t fits = bench.losses(1518, 1518, 36, 120, 10);
    const std::uint64_t short_by_one = bench.losses(1518, 1518, 36, 119, 10);
    EXPECT_EQ(fits, 0U);
    EXPECT_EQ(short_by_one, 1U);
    conformance::row("S38", "120 cells: no loss", fmt::format("{} lost", fits));
    conformance::row("S39", "119 cells: one frame lost", fmt::format("{} lost", short_by_one));
    conformance::row("S44", "one class takes the whole window: 10 frames, 120 cells",
                     fmt::format("{} lost with 120", fits));
}

// The same window at 1G over 100 m, 1664.5 octets by the chapter's form: 13 cells, as its RTL rounds, are one cell
// short of the 14 that it takes; the crossing is placed so that exactly that window arrives.
TEST(one_leg_headroom, slow_ports_value_on_a_fast_port_is_1500_octets_short) {
    adversary bench({"25G", 100, 128});
    // 25G, 100 m: W = 3125 + 1518 + 80 = 4723 octet times: four frames of 1538, 48 cells. A 1G port's 14 cells hold
    // one.
    EXPECT_EQ(bench.losses(1518, 1518, 36, 14, 4), 3U);
    EXPECT_EQ(bench.losses(1518, 1518, 36, 48, 4), 0U);
    const double slow = 1664.5;
    const double fast = 3164.5;
    vp::headroom_question q;
    q.rate = *data_rate::from_name("25G");
    EXPECT_DOUBLE_EQ(vp::chapter_headroom(q).octets(), fast);
    q.rate = *data_rate::from_name("1G");
    EXPECT_DOUBLE_EQ(vp::chapter_headroom(q).octets(), slow);
    conformance::row("M09", "1664.5 octets at 1G, 3164.5 at 25G: the slow value on the fast port loses frames",
                     fmt::format("{} and {}; 3 of 4 frames lost with 14 cells, none with 48", slow, fast));
}

}  // namespace
}  // namespace weir::acceptance
