// SPDX-License-Identifier: Apache-2.0
// Counters that software reads: the parser's partition of a mixed stream, and what the gate says when all is blocked.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sw/include/weir/counters.h"
#include "tests/acceptance/lab.h"
#include "tests/conformance/conformance.h"

namespace weir::acceptance {
namespace {

using conformance::row;

constexpr std::array<std::uint16_t, 8> long_times{0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff};

ethernet::captured_frame captured(std::vector<std::uint8_t> octets, bool fcs_good) {
    ethernet::captured_frame f;
    f.wire_length = static_cast<std::uint32_t>(octets.size() + 4);
    f.octets = std::move(octets);
    f.fcs_good = fcs_good;
    return f;
}

// C01: every MAC Control frame of a mixed stream moves exactly one of four counters, data frames none.
TEST(counters, part_a_mixed_stream) {
    lab l({}, usual_script());
    auto elsewhere = lab::pfc(0x08, long_times);
    elsewhere[5] = 0x02;
    auto longer = lab::pfc(0x08, long_times);
    longer.resize(124, 0);
    std::vector<ethernet::captured_frame> stream;
    for (int n = 0; n < 4; ++n) stream.push_back(captured(lab::pfc(0x08, long_times), true));
    for (int n = 0; n < 3; ++n) stream.push_back(captured(elsewhere, true));
    for (int n = 0; n < 2; ++n) stream.push_back(captured(lab::pfc(0x08, long_times), false));
    stream.push_back(captured(elsewhere, false));  // wrong address and bad FCS: the address is named
    stream.push_back(captured(longer, true));
    for (int n = 0; n < 5; ++n) stream.push_back(captured(l.tagged(1, 0, 0), true));
    l.machine().host(1).player.play(stream, from_kernel(sc_core::sc_time_stamp()) + microseconds(1), 0);
    l.settle();
    weir_pfc_port_counters c{};
    l.drive([&](weir_dev* d) { return weir_pfc_port_counters_get(d, 1, &c); });
    EXPECT_EQ(c.seen, 4U);
    EXPECT_EQ(c.wrong_da, 4U);
    EXPECT_EQ(c.bad_fcs, 2U);
    EXPECT_EQ(c.malformed, 1U);
    EXPECT_EQ(l.port(1).rx_frames, 5U);
    row("C01", "16 frames: seen 4, wrong destination 4, bad FCS 2, malformed 1, data 5",
        fmt::format("{}, {}, {}, {}, {}", c.seen, c.wrong_da, c.bad_fcs, c.malformed, l.port(1).rx_frames));
}

// S50: all blocked is: work waits and none of it may go.
TEST(counters, all_blocked_is_work_that_may_not_go) {
    lab l({}, usual_script() + "\ninterface all\npfc rx all\nexit");
    const auto blocked = [&] {
        weir_gate_status s{};
        l.drive([&](weir_dev* d) { return weir_gate_status_get(d, 1, &s); });
        EXPECT_EQ(s.all_blocked, s.nonempty != 0 && s.eligible == 0);
        return s.all_blocked ? '1' : '0';
    };
    std::string truth;
    l.inject(1, {lab::pfc(0x01, long_times)});
    truth += blocked();  // class 0 is stopped, and there is no work
    l.send(0, 1, 3, 0);
    truth += blocked();  // work of a stopped class alone
    l.shell("interface 1\nqueue 3 dequeue off");
    l.send(0, 1, 3, 24);
    truth += blocked();  // a class that is not stopped has work too: it is eligible, whoever keeps it
    l.inject(1, {lab::pfc(0x08, long_times)});
    truth += blocked();  // now that one is stopped as well
    l.inject(1, {lab::pfc(0x01, {})});
    truth += blocked();  // class 0 may go, and has gone; class 3 is left
    l.inject(1, {lab::pfc(0x08, {})});
    truth += blocked();  // eligible
    EXPECT_EQ(truth, "010110");
    row("S50", "no work; stopped work; one open; all stopped; the rest stopped; open: 0 1 0 1 1 0", truth);
}

}  // namespace
}  // namespace weir::acceptance
