// SPDX-License-Identifier: Apache-2.0
// The documents' tables of dead time, quanta and headroom, to the digit.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "tests/conformance/conformance.h"
#include "vp/headroom/headroom_models.h"

namespace weir::vp {
namespace {

using conformance::row;

headroom_question link(const char* rate, std::uint32_t metres) {
    headroom_question q;
    q.rate = *data_rate::from_name(rate);
    q.metres = metres;
    q.cell_octets = 128;
    return q;
}

// The PFC RTL chapter's dead time and what follows from it, for its own five rows and the others that its formula
// gives: T = 8·(84 + 1518)/R + 500 ns · L/100 m; H = T·R/8; cells of 128; eight classes; share of 4096 cells; 24 ports
// of 12 MiB.
struct dead_time_row {
    const char* rate;
    std::uint32_t metres;
    std::int64_t dead_ps;
    double octets;
    std::uint64_t cells;
    std::uint64_t rtl_cells;
    double all_octets;
    double share_percent;   // eight classes of 4096 cells
    double all_ports_mib;   // 24 ports, whole cells
    double cable_percent;   // of the dead time
    std::uint64_t classes;  // that fit into 4096 cells
};

std::ostream& operator<<(std::ostream& out, const dead_time_row& r) {
    return out << r.rate << ' ' << r.metres << " m";
}

class dead_time : public ::testing::TestWithParam<dead_time_row> {};

TEST_P(dead_time, is_the_chapters_table) {
    const dead_time_row& want = GetParam();
    const headroom_question q = link(want.rate, want.metres);
    const headroom_need need = chapter_headroom(q);
    EXPECT_EQ(need.wire(), picoseconds{want.dead_ps});
    EXPECT_DOUBLE_EQ(need.octets(), want.octets);
    EXPECT_EQ(need.cells(128), want.cells);
    EXPECT_EQ(need.truncated_cells(128), want.rtl_cells);
    EXPECT_DOUBLE_EQ(8 * need.octets(), want.all_octets);
    const double cells = 8.0 * static_cast<double>(need.cells(128));
    EXPECT_NEAR(100 * cells / 4096, want.share_percent, std::max(0.006, want.share_percent / 10'000));
    EXPECT_NEAR(24 * cells * 128 / (1 << 20), want.all_ports_mib, 0.06 * want.all_ports_mib / 10);
    const double cable = 5.0 * want.metres * 1000;
    EXPECT_NEAR(100 * cable / static_cast<double>(want.dead_ps), want.cable_percent, 0.06);
    EXPECT_EQ(4096 / need.cells(128), want.classes);
    row("table.dead_time",
        fmt::format("{} {} m: {} ns, {} octets, {} cells (RTL {}), x8 {:.2f} % of 4096", want.rate, want.metres,
                    static_cast<double>(want.dead_ps) / 1000, want.octets, want.cells, want.rtl_cells,
                    want.share_percent),
        fmt::format("{} ns, {} octets, {} cells (RTL {}), x8 {:.2f} %", static_cast<double>(need.wire().count()) / 1000,
                    need.octets(), need.cells(128), need.truncated_cells(128), 100 * cells / 4096));
}

INSTANTIATE_TEST_SUITE_P(
    rates, dead_time,
    ::testing::Values(dead_time_row{"1G", 100, 13'316'000, 1664.5, 14, 13, 13'316, 2.73, 0.328, 3.8, 292},
                      dead_time_row{"10G", 100, 1'781'600, 2227, 18, 18, 17'816, 3.52, 0.422, 28.1, 227},
                      dead_time_row{"25G", 100, 1'012'640, 3164.5, 25, 25, 25'316, 4.88, 0.586, 49.4, 163},
                      dead_time_row{"100G", 100, 628'160, 7852, 62, 62, 62'816, 12.11, 1.453, 79.6, 66},
                      dead_time_row{"100G", 2000, 10'128'160, 126'602, 990, 990, 1'012'816, 193.36, 23.20, 98.7, 4},
                      dead_time_row{"40G", 100, 820'400, 4102, 33, 33, 32'816, 6.45, 0.773, 60.9, 124},
                      dead_time_row{"200G", 100, 564'080, 14'102, 111, 111, 112'816, 21.68, 2.60, 88.6, 36},
                      dead_time_row{"400G", 100, 532'040, 26'602, 208, 208, 212'816, 40.63, 4.875, 94.0, 19},
                      dead_time_row{"800G", 100, 516'020, 51'602, 404, 404, 412'816, 78.91, 9.47, 96.9, 10},
                      dead_time_row{"10G", 2000, 11'281'600, 14'102, 111, 111, 112'816, 21.68, 2.60, 88.6, 36},
                      dead_time_row{"25G", 2000, 10'512'640, 32'852, 257, 257, 262'816, 50.20, 6.02, 95.1, 15},
                      dead_time_row{"400G", 2000, 10'032'040, 501'602, 3919, 3919, 4'012'816, 765.4, 91.9, 99.7, 1}),
    [](const auto& each) { return fmt::format("{}_{}m", each.param.rate, each.param.metres); });

TEST(headroom_tables, findings_of_the_dead_time) {
    const headroom_need slow = chapter_headroom(link("1G", 100));
    const headroom_need fast = chapter_headroom(link("100G", 100));
    // F1: every number of the chapter's text follows from the one formula.
    EXPECT_NEAR(fast.octets() / slow.octets(), 4.7, 0.05);
    EXPECT_NEAR(static_cast<double>(slow.wire().count()) / static_cast<double>(fast.wire().count()), 21, 0.25);
    EXPECT_NEAR(chapter_headroom(link("25G", 100)).octets() / slow.octets(), 1.9, 0.005);
    row("F1", "13316 ns and 1664.5 octets at 1G; 21x shorter and 4.7x more octets at 100G",
        fmt::format("{} ns, {} octets; {:.1f}x, {:.1f}x", slow.wire() / nanoseconds(1), slow.octets(),
                    static_cast<double>(slow.wire().count()) / static_cast<double>(fast.wire().count()),
                    fast.octets() / slow.octets()));
    // F3: 1664.5 octets are 13.004 cells of 128.
    EXPECT_EQ(slow.cells(128), 14U);
    EXPECT_EQ(slow.truncated_cells(128), 13U);
    row("F3", "14 cells; 13 as the RTL rounds", fmt::format("{}; {}", slow.cells(128), slow.truncated_cells(128)));
    row("S37", "14 cells; 13 as the RTL rounds", fmt::format("{}; {}", slow.cells(128), slow.truncated_cells(128)));
    // F4: 24 ports of eight classes out of 12 MiB = 24 x 4096 cells of 128.
    const double by_octets = 100 * 24 * 8 * fast.octets() / (12 << 20);
    const double by_cells = 100.0 * 24 * 8 * static_cast<double>(fast.cells(128)) / (24 * 4096);
    EXPECT_NEAR(by_octets, 11.98, 0.005);
    EXPECT_NEAR(by_cells, 12.11, 0.005);
    row("F4", "11.98 % by octets, 12.11 % by cells", fmt::format("{:.2f} %, {:.2f} %", by_octets, by_cells));
    // One class instead of eight: 0.18 MiB, 1.51 %.
    EXPECT_NEAR(24.0 * static_cast<double>(fast.cells(128)) * 128 / (1 << 20), 0.1816, 0.0001);
    // Faster links need more: 1G to 100G, whatever the intuition.
    EXPECT_GT(fast.octets(), slow.octets());
    row("Y16", "the headroom rises 4.7x from 1G to 100G", fmt::format("{:.2f}x", fast.octets() / slow.octets()));
    // At 100G and 2 km four of the eight priorities fit by the one-leg form, two by the right one.
    const headroom_question far = link("100G", 2000);
    EXPECT_EQ(4096 / chapter_headroom(far).cells(128), 4U);
    EXPECT_EQ(4096 / two_leg_headroom(far).cells(128), 2U);
    for (const char* id : {"Y04", "A05"}) {
        row(id, "100G, 2 km, 4096 cells: 4 classes (one leg), 2 (two legs)",
            fmt::format("{}, {}", 4096 / chapter_headroom(far).cells(128), 4096 / two_leg_headroom(far).cells(128)));
    }
    row("X20", "8 classes at 100G, 2 km: 7920 of 4096 cells; 4 at most",
        fmt::format("{}; {}", 8 * chapter_headroom(far).cells(128), 4096 / chapter_headroom(far).cells(128)));
    // HIGH and LOW of a class budget of 512 cells and 64 of hysteresis; negative at 100G over 2 km.
    const auto high = [](const headroom_question& q) {
        return 512 - static_cast<std::int64_t>(chapter_headroom(q).cells(128));
    };
    EXPECT_EQ(high(link("1G", 100)), 498);
    EXPECT_EQ(high(link("10G", 100)), 494);
    EXPECT_EQ(high(link("25G", 100)), 487);
    EXPECT_EQ(high(link("100G", 100)), 450);
    EXPECT_EQ(high(far), -478);
    EXPECT_EQ(high(far) - 64, -542);
    row("A02", "HIGH 498, 494, 487, 450 of 512 cells; -478 at 100G, 2 km",
        fmt::format("{}, {}, {}, {}; {}", high(link("1G", 100)), high(link("10G", 100)), high(link("25G", 100)),
                    high(link("100G", 100)), high(far)));
    const char* ids[] = {"S32", "S33", "S34", "S35"};
    const char* rates[] = {"1G", "10G", "25G", "100G"};
    const int expected[] = {498, 494, 487, 450};
    for (int i = 0; i < 4; ++i) {
        row(ids[i], fmt::format("HIGH {} > LOW {} > 0", expected[i], expected[i] - 64),
            fmt::format("{}, {}", high(link(rates[i], 100)), high(link(rates[i], 100)) - 64));
    }
    row("S36", "HIGH -478, LOW -542", fmt::format("{}, {}", high(far), high(far) - 64));
}

// Rates with a quantum of 512 bit times, the longest pause, four of them, and the response that Annex 31B allows.
TEST(headroom_tables, quanta) {
    struct quantum_row {
        const char* rate;
        double quantum_ns;
        double longest_us;
        double stall_ms;
        int response;
        double response_ns;
        int response_octets;
    };
    const quantum_row table[] = {
        {"1G", 512, 33'553.9, 134.2, 2, 1024, 128},       {"10G", 51.2, 3'355.4, 13.42, 67, 3430, 4288},
        {"25G", 20.48, 1'342.2, 5.369, 80, 1638, 5120},   {"40G", 12.8, 838.85, 3.355, 118, 1510, 7552},
        {"50G", 10.24, 671.1, 2.684, 147, 1505, 9408},    {"100G", 5.12, 335.54, 1.342, 394, 2017, 25'216},
        {"200G", 2.56, 167.77, 0.671, 453, 1160, 28'992}, {"400G", 1.28, 83.88, 0.3355, 905, 1158, 57'920},
        {"800G", 0.64, 41.94, 0.1678, 905, 579, 57'920},
    };
    for (const quantum_row& want : table) {
        const data_rate rate = *data_rate::from_name(want.rate);
        const auto ns = [](picoseconds t) { return static_cast<double>(t.count()) / 1000; };
        EXPECT_DOUBLE_EQ(ns(rate.quanta(1)), want.quantum_ns);
        EXPECT_NEAR(ns(rate.quanta(65'535)) / 1000, want.longest_us, 0.0003 * want.longest_us);
        EXPECT_NEAR(ns(rate.quanta(4 * 65'535)) / 1e6, want.stall_ms, 0.0004 * want.stall_ms);
        const auto response = annex_31b_quanta(rate);
        ASSERT_TRUE(response);
        EXPECT_EQ(*response, want.response);
        EXPECT_NEAR(ns(rate.quanta(*response)), want.response_ns, 0.6);
        EXPECT_EQ(*response * 64, want.response_octets);
        row("table.quanta",
            fmt::format("{}: {} ns, 65535 q {} us, response {} q = {} ns", want.rate, want.quantum_ns, want.longest_us,
                        want.response, want.response_ns),
            fmt::format("{} ns, {:.2f} us, {} q = {:.1f} ns", ns(rate.quanta(1)), ns(rate.quanta(65'535)) / 1000,
                        *response, ns(rate.quanta(*response))));
    }
    const data_rate slow = *data_rate::from_name("1G");
    const data_rate fast = *data_rate::from_name("100G");
    EXPECT_EQ(slow.quanta(1000), microseconds(512));
    EXPECT_EQ(fast.quanta(1000), nanoseconds(5120));
    row("Y03", "1000 quanta: 512 us at 1G, 5.12 us at 100G",
        fmt::format("{} us, {} ns", slow.quanta(1000) / microseconds(1), fast.quanta(1000) / nanoseconds(1)));
    std::string responses;
    for (const quantum_row& each : table) {
        responses += fmt::format("{} ", *annex_31b_quanta(*data_rate::from_name(each.rate)));
    }
    row("std.response", "quanta, 1G to 800G: 2 67 80 118 147 394 453 905 905", responses);
}

struct model_row {
    const char* rate;
    std::uint32_t metres;
    double two_leg;
    std::uint64_t two_leg_cells;
    double with_response;  // 0: not in the table
    std::uint64_t with_response_cells;
};

std::ostream& operator<<(std::ostream& out, const model_row& r) {
    return out << r.rate << ' ' << r.metres << " m";
}

class headroom_models : public ::testing::TestWithParam<model_row> {};

// The physical bound: H = R/8·[(1518 + 20 + 84) octets + two legs + response] + 1518.
TEST_P(headroom_models, two_legs_and_the_standard_response) {
    const model_row& want = GetParam();
    const headroom_question q = link(want.rate, want.metres);
    const headroom_need ideal = two_leg_headroom(q);
    EXPECT_DOUBLE_EQ(ideal.octets(), want.two_leg);
    EXPECT_EQ(ideal.cells(128), want.two_leg_cells);
    std::string expected =
        fmt::format("{} {} m: {} octets, {} cells", want.rate, want.metres, want.two_leg, want.two_leg_cells);
    std::string measured = fmt::format("{} octets, {} cells", ideal.octets(), ideal.cells(128));
    if (want.with_response > 0) {
        const headroom_need real = two_leg_headroom(q, q.rate.quanta(*annex_31b_quanta(q.rate)));
        EXPECT_DOUBLE_EQ(real.octets(), want.with_response);
        EXPECT_EQ(real.cells(128), want.with_response_cells);
        expected += fmt::format("; with response {}, {}", want.with_response, want.with_response_cells);
        measured += fmt::format("; {}, {}", real.octets(), real.cells(128));
    }
    row("table.headroom", expected, measured);
}

INSTANTIATE_TEST_SUITE_P(
    rates, headroom_models,
    ::testing::Values(model_row{"1G", 100, 3265, 26, 3393, 27}, model_row{"10G", 100, 4390, 35, 8678, 68},
                      model_row{"25G", 100, 6265, 49, 11'385, 89}, model_row{"100G", 100, 15'640, 123, 40'856, 320},
                      model_row{"400G", 100, 53'140, 416, 111'060, 868}, model_row{"1G", 2000, 5640, 45, 0, 0},
                      model_row{"10G", 2000, 28'140, 220, 0, 0}, model_row{"25G", 2000, 65'640, 513, 0, 0},
                      model_row{"100G", 2000, 253'140, 1978, 0, 0}, model_row{"400G", 2000, 1'003'140, 7838, 0, 0}),
    [](const auto& each) { return fmt::format("{}_{}m", each.param.rate, each.param.metres); });

TEST(headroom_tables, drivers_and_vendors) {
    // 802.1Qbb Annex O as a 10G controller has it: 15269 octets with an interface delay of 18944 bit times, 22089 with
    // 37888.
    const headroom_question ten = link("10G", 100);
    EXPECT_DOUBLE_EQ(annex_o_headroom(ten, 18'944)->octets(), 15'269);
    EXPECT_DOUBLE_EQ(annex_o_headroom(ten, 37'888)->octets(), 22'089);
    row("table.headroom", "Annex O, 10G, 100 m: 15269 octets (82599), 22089 (X540)",
        fmt::format("{}, {}", annex_o_headroom(ten, 18'944)->octets(), annex_o_headroom(ten, 37'888)->octets()));
    EXPECT_FALSE(annex_o_headroom(link("100G", 100), 18'944));
    // mlx5: 35680 octets for 100G, 7 m, MTU 1500; 55780 for 100 m; 210880 at 400G.
    headroom_question mlx5 = link("100G", 7);
    mlx5.mtu = 1500;
    EXPECT_DOUBLE_EQ(mlx5_headroom(mlx5)->octets(), 35'680);
    mlx5.metres = 100;
    EXPECT_DOUBLE_EQ(mlx5_headroom(mlx5)->octets(), 55'780);
    mlx5.rate = *data_rate::from_name("400G");
    EXPECT_DOUBLE_EQ(mlx5_headroom(mlx5)->octets(), 210'880);
    row("table.headroom", "mlx5, MTU 1500: 400G 100 m 210880", fmt::format("{}", mlx5_headroom(mlx5)->octets()));
    EXPECT_FALSE(mlx5_headroom(ten));
    // SONiC's cable share at 100G: 12626 octets for 100 m; cells of 128 keep every octet, worst ceil(256/129) = 2.
    headroom_question sonic = link("100G", 100);
    const double want = std::ceil((1024 + (1518 + 12'626 + 394 * 64.0) * 2) / 1024) * 1024;
    EXPECT_DOUBLE_EQ(sonic_headroom(sonic)->octets(), want);
    sonic.metres = 40;  // 5050 whole octets of cable; a cell of 256: ceil(256/64) = 4
    sonic.cell_octets = 256;
    EXPECT_DOUBLE_EQ(sonic_headroom(sonic)->octets(), std::ceil((1024 + (1518 + 5050 + 394 * 64.0) * 4) / 1024) * 1024);
    row("table.headroom", fmt::format("SONiC, 100G, 100 m: {} octets", want),
        fmt::format("{}", sonic_headroom(link("100G", 100))->octets()));
    // The AC5P buffer note at 400G: 50 KB/us of loop and 20 KB: 372, 665, 1055 and 1446 cells of 256.
    const auto ac5p = [](std::uint32_t metres) { return ac5p_headroom(link("400G", metres))->cells(256); };
    EXPECT_EQ(ac5p(3), 372U);
    EXPECT_EQ(ac5p(100), 665U);
    EXPECT_EQ(ac5p(300), 1055U);
    EXPECT_EQ(ac5p(500), 1446U);
    for (const char* id : {"table.ac5p", "A09"}) {
        row(id, "loop 1.5, 3, 5, 7 us: 372, 665, 1055, 1446 cells of 256",
            fmt::format("{}, {}, {}, {}", ac5p(3), ac5p(100), ac5p(300), ac5p(500)));
    }
}

// “Several 100 kByte a port and priority at 400G over 100 m”: every model's answer.
TEST(headroom_tables, every_models_answer_at_400g) {
    headroom_question q = link("400G", 100);
    EXPECT_DOUBLE_EQ(chapter_headroom(q).octets(), 26'602);
    EXPECT_DOUBLE_EQ(two_leg_headroom(q).octets(), 53'140);
    const picoseconds response = q.rate.quanta(905);
    EXPECT_DOUBLE_EQ(two_leg_headroom(q, response).octets(), 111'060);
    headroom_question jumbo = q;
    jumbo.mtu = 9216;
    jumbo.frame = 9216;
    EXPECT_NEAR(two_leg_headroom(jumbo, response).octets(), 126'000, 500);
    row("F18", "26.6 kB one leg, 53.1 two, 111 with response, 126 with 9216-octet frames",
        fmt::format("{:.1f}, {:.1f}, {:.1f}, {:.1f} kB", chapter_headroom(q).octets() / 1000,
                    two_leg_headroom(q).octets() / 1000, two_leg_headroom(q, response).octets() / 1000,
                    two_leg_headroom(jumbo, response).octets() / 1000));
    const std::string text = headroom_comparison(q);
    for (const char* each : {"26602", "53140", "111060", "178560", "209562"})
        EXPECT_THAT(text, ::testing::HasSubstr(each));
}

}  // namespace
}  // namespace weir::vp
