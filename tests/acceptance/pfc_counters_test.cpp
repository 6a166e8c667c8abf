// SPDX-License-Identifier: Apache-2.0
// PFC reception as a NOS acceptance suite sees it: T044 to T051, exact.
#include <fmt/format.h>

#include "tests/acceptance/lab.h"
#include "tests/conformance/conformance.h"

namespace weir::acceptance {
namespace {

using conformance::row;

constexpr std::array<std::uint16_t, 8> all_ffff{0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff};

std::vector<std::vector<std::uint8_t>> times(std::size_t n, const std::vector<std::uint8_t>& frame) {
    return std::vector<std::vector<std::uint8_t>>(n, frame);
}

// T044, T045: ten frames a priority with quanta FFFF, then ten with 0: each priority counts, enabled or not.
TEST(pfc_counters, count_pauses_and_unpauses_of_every_priority) {
    lab l({}, usual_script());
    for (int p = 0; p < 8; ++p) {
        l.inject(0, times(10, lab::pfc(static_cast<std::uint8_t>(1U << p), all_ffff)));
    }
    const auto counted = [&] {
        std::string counts;
        for (std::uint32_t p = 0; p < 8; ++p) counts += fmt::format("{} ", l.pfc_counters(0, p).rx_frames);
        return counts;
    };
    EXPECT_EQ(counted(), "10 10 10 10 10 10 10 10 ");
    row("T044", "10 of each of eight priorities, two of them enabled", counted());
    for (int p = 0; p < 8; ++p) l.inject(0, times(10, lab::pfc(static_cast<std::uint8_t>(1U << p), {})));
    EXPECT_EQ(counted(), "20 20 20 20 20 20 20 20 ");
    row("T045", "10 more of each with time 0", counted());
    EXPECT_EQ(l.pfc_counters(0, 3).rx_transitions, 1U);
    EXPECT_EQ(l.pfc_counters(0, 2).rx_transitions, 0U);  // not enabled: never paused
    row("T135", "received for a priority that is not enabled: counted, 0 pauses",
        fmt::format("{}, {}", l.pfc_counters(0, 2).rx_frames, l.pfc_counters(0, 2).rx_transitions));
}

// T046: 802.3x frames never count as PFC.
TEST(pfc_counters, global_pause_counts_nothing_of_pfc) {
    lab l({}, usual_script());
    l.inject(0, times(10, lab::pause(0xffff)));
    l.inject(0, times(10, lab::pause(0)));
    for (std::uint32_t p = 0; p < 8; ++p) EXPECT_EQ(l.pfc_counters(0, p).rx_frames, 0U);
    weir_pfc_port_counters c{};
    l.drive([&](weir_dev* d) { return weir_pfc_port_counters_get(d, 0, &c); });
    EXPECT_EQ(c.pause_rx, 20U);
    EXPECT_EQ(c.seen, 0U);
    for (const char* id : {"T046", "S12"}) {
        row(id, "20 PAUSE frames: 0 PFC", fmt::format("{} PAUSE, {} PFC", c.pause_rx, c.seen));
    }
}

// T047: ten per priority 3 and 4 are ten.
TEST(pfc_counters, continuous_frames_are_counted_exactly) {
    lab l({}, usual_script());
    l.inject(0, times(10, lab::pfc(0x18, all_ffff)));
    EXPECT_EQ(l.pfc_counters(0, 3).rx_frames, 10U);
    EXPECT_EQ(l.pfc_counters(0, 4).rx_frames, 10U);
    EXPECT_EQ(l.pfc_counters(0, 5).rx_frames, 0U);
    row("T047", "10 of priority 3, 10 of 4",
        fmt::format("{}, {}", l.pfc_counters(0, 3).rx_frames, l.pfc_counters(0, 4).rx_frames));
}

// T048: 5000 PFC frames leave the data counters alone.
TEST(pfc_counters, are_apart_from_the_data_counters) {
    lab l({}, usual_script());
    l.inject(0, times(5000, lab::pfc(0x08, all_ffff)));
    EXPECT_EQ(l.pfc_counters(0, 3).rx_frames, 5000U);
    EXPECT_EQ(l.port(0).rx_frames, 0U);
    EXPECT_EQ(l.port(0).rx_discards, 0U);
    row("T048", "5000 PFC frames: 0 data frames, 0 discards",
        fmt::format("{}, {}", l.port(0).rx_frames, l.port(0).rx_discards));
}

// T049: a class-enable vector of 0 counts on no priority, and nothing is discarded.
TEST(pfc_counters, a_vector_of_zero_counts_on_no_priority) {
    lab l({}, usual_script());
    l.inject(0, times(1000, lab::pfc(0, all_ffff)));
    std::uint64_t counted = 0;
    for (std::uint32_t p = 0; p < 8; ++p) counted += l.pfc_counters(0, p).rx_frames;
    EXPECT_EQ(counted, 0U);
    l.inject(0, times(1000, lab::pfc(0x18, all_ffff)));
    EXPECT_EQ(l.pfc_counters(0, 3).rx_frames, 1000U);
    EXPECT_EQ(l.port(0).rx_discards, 0U);
    row("T049", "1000 with vector 0: 0 counted, 0 discards", fmt::format("{}, {}", counted, l.port(0).rx_discards));
}

// T050: a paused priority is held, all others pass; a lossy one is not paused.
TEST(pfc_pause, holds_the_paused_priority_alone) {
    std::string maps;
    for (int tc = 0; tc < 8; ++tc) {
        if (tc != 3) maps += "\nmap dscp " + std::to_string(8 * tc) + " tc " + std::to_string(tc);
    }
    lab l({}, usual_script() + maps);
    l.inject(1, {lab::pfc(0x0c, all_ffff)});  // priorities 2 and 3; PFC is enabled on 3
    for (std::uint8_t p = 0; p < 8; ++p) l.send(0, 1, 5, static_cast<std::uint8_t>(8 * p));
    std::string sent;
    for (std::uint32_t q = 0; q < 8; ++q) {
        EXPECT_EQ(l.queue(1, q).frames, q == 3 ? 0U : 5U) << q;
        sent += fmt::format("{} ", l.queue(1, q).frames);
    }
    for (const char* id : {"T050", "S45", "S46"}) row(id, "priority 3 held: 5 5 5 0 5 5 5 5 frames", sent);
    l.inject(1, {lab::pfc(0x08, {})});
    EXPECT_EQ(l.queue(1, 3).frames, 5U);
    EXPECT_EQ(l.received(1), 40U);
}

// T051: with all priorities congested PFC is sent for the enabled one only.
TEST(pfc_asymmetric, off_sends_only_for_the_enabled_priority) {
    std::string maps;
    for (int tc = 0; tc < 8; ++tc) {
        if (tc != 3) maps += "\nmap dscp " + std::to_string(8 * tc) + " tc " + std::to_string(tc);
    }
    lab l({}, usual_script() + maps);
    l.shell("interface 1\nqueue all dequeue off");
    for (std::uint8_t p = 0; p < 8; ++p) l.send(0, 1, 140, static_cast<std::uint8_t>(8 * p));
    std::string sent;
    for (std::uint32_t p = 0; p < 8; ++p) {
        const bool any = l.pfc_counters(0, p).tx_requests > 0;
        EXPECT_EQ(any, p == 3) << p;
        sent += any ? "x" : "-";
    }
    row("T051", "all congested, sent for 3 alone: ---x----", sent);
}

// T051, reception: PFC on all priorities stops only the enabled one, for exactly its quanta.
TEST(pfc_asymmetric, off_obeys_only_on_the_enabled_priority) {
    lab l({}, usual_script());
    l.inject(1, {lab::pfc(0xff, all_ffff)});
    weir_pfc_status s{};
    l.drive([&](weir_dev* d) { return weir_pfc_status_get(d, 1, &s); });
    EXPECT_EQ(s.rx_paused, 0x08);
    l.settle(microseconds(400));
    // 65535 quanta at 100G are 335 539.2 ns.
    const weir_pfc_counters c = l.pfc_counters(1, 3);
    EXPECT_EQ(c.rx_paused_ns, 335'539U);
    EXPECT_EQ(c.expiries, 1U);
    EXPECT_EQ(c.rx_quanta, 65535U);
    row("T051", "all received, 3 alone stops", fmt::format("{:#04x}", s.rx_paused));
    row("S21", "65535 quanta at 100G: 335539.2 ns", fmt::format("{} ns", c.rx_paused_ns));
    for (const char* id : {"M10", "M28"})
        row(id, "no refresh: resumed by expiry after 335539 ns",
            fmt::format("{} expiry, {} ns", c.expiries, c.rx_paused_ns));
}

// T052: asymmetric: what is sent is for the enabled priority, what is received stops all.
TEST(pfc_asymmetric, on_obeys_on_every_priority) {
    std::string maps;
    for (int tc = 0; tc < 8; ++tc) {
        if (tc != 3) maps += "\nmap dscp " + std::to_string(8 * tc) + " tc " + std::to_string(tc);
    }
    lab l({}, usual_script() + maps + "\ninterface all\npfc rx all\nexit");
    l.inject(1, {lab::pfc(0xff, all_ffff)});
    for (std::uint8_t p = 0; p < 8; ++p) l.send(0, 1, 140, static_cast<std::uint8_t>(8 * p));
    std::string pauses;
    std::uint64_t passed = 0;
    for (std::uint32_t p = 0; p < 8; ++p) {
        passed += l.queue(1, p).frames;
        const bool any = l.pfc_counters(0, p).tx_requests > 0;
        EXPECT_EQ(any, p == 3) << p;
        pauses += any ? "x" : "-";
    }
    EXPECT_EQ(passed, 0U);
    row("T052", "all eight stop: 0 frames pass; pauses are sent for 3 alone: ---x----",
        fmt::format("{}; {}", passed, pauses));
}

}  // namespace
}  // namespace weir::acceptance
