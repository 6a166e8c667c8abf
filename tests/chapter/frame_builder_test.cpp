// SPDX-License-Identifier: Apache-2.0
// The PFC RTL chapter's frame builder, octet by octet: it latches no request. Beside it Weir's, which builds a frame
// from one state.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/ethernet/mac_control.h"
#include "models/pfc/flow_control.h"
#include "tests/conformance/conformance.h"

namespace weir::chapter {
namespace {

using conformance::row;

struct request {
    std::uint8_t enable{0};
    std::array<std::uint16_t, 8> quanta{};
};

/// One frame of 60 octets, one a clock, each computed from the request that stands at that clock. A request that comes
/// while it is busy is not taken.
class serial_builder {
public:
    std::vector<std::uint8_t> octets;
    int taken{0};

    void clock(bool valid, const request& r) {
        if (busy_) {
            octets.push_back(octet(at_, r));
            busy_ = ++at_ < 60;
        } else if (valid) {
            busy_ = true;
            at_ = 0;
            ++taken;
        }
    }
    [[nodiscard]] bool busy() const { return busy_; }

private:
    static std::uint8_t octet(std::size_t at, const request& r) {
        constexpr std::array<std::uint8_t, 16> head{0x01, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 1, 0x88, 0x08, 1, 1};
        if (at < head.size()) return head[at];
        if (at == 17) return r.enable;
        if (at < 18 || at >= 34) return 0;
        const std::size_t c = (at - 18) / 2;
        if ((r.enable >> c & 1U) == 0) return 0;
        return static_cast<std::uint8_t>(at % 2 == 0 ? r.quanta[c] >> 8U : r.quanta[c] & 0xffU);
    }
    bool busy_{false};
    std::size_t at_{0};
};

class generator_bench : public sc_core::sc_module, public port::transmit_if {
public:
    generator_bench() : sc_module(sc_core::sc_module_name("bench")), time("time"), flow("flow", time, frames) {
        flow.transmitter.bind(*this);
        flow.set_rate(*data_rate::from_name("100G"));
        for (std::uint8_t i = 0; i < 8; ++i) flow.generator.set_group_priorities(i, static_cast<pfc::bitmap>(1U << i));
        flow.generator.set_enabled(0xff);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        flow.link_changed(true);
    }
    void wake() override {}

    ethernet::frame_pool frames;
    timeline time;
    pfc::flow_control flow;
};

// F22: class 3 is to stop; at octet 20 that becomes class 5. The chapter's frame names class 3 and gives it no time,
// which releases it, and class 5's time stands beside a clear bit.
TEST(chapter_builder, a_request_that_changes_tears_the_frame) {
    const request first{0x08, {0, 0, 0, 0xffff, 0, 0, 0, 0}};
    const request second{0x20, {0, 0, 0, 0, 0, 0xffff, 0, 0}};
    serial_builder rtl;
    rtl.clock(true, first);
    for (int i = 0; i < 20; ++i) rtl.clock(true, first);
    while (rtl.busy()) rtl.clock(true, second);
    ASSERT_EQ(rtl.octets.size(), 60U);
    ethernet::frame torn;
    torn.assign(rtl.octets.data(), 60, 64);
    const ethernet::mac_control t = ethernet::parse_mac_control(torn);
    EXPECT_EQ(t.vector, 0x08);
    EXPECT_EQ(t.time[3], 0);
    EXPECT_EQ(t.time[5], 0xffff);

    generator_bench b;
    b.flow.group_wishes(3, true);
    ethernet::frame* f = b.flow.next_control_frame(b.time.now());
    ASSERT_NE(f, nullptr);
    b.flow.group_wishes(3, false);  // while it leaves
    b.flow.group_wishes(5, true);
    const ethernet::mac_control whole = ethernet::parse_mac_control(*f);
    f->release();
    EXPECT_EQ(whole.vector, 0x08);
    EXPECT_EQ(whole.time, (ethernet::pause_times{0, 0, 0, 0xffff, 0, 0, 0, 0}));
    f = b.flow.next_control_frame(b.time.now());
    ASSERT_NE(f, nullptr);
    const ethernet::mac_control next = ethernet::parse_mac_control(*f);
    f->release();
    EXPECT_EQ(next.vector, 0x28);
    EXPECT_EQ(next.time, (ethernet::pause_times{0, 0, 0, 0, 0, 0xffff, 0, 0}));
    const auto said = [](const ethernet::mac_control& c) {
        return fmt::format("{:02x} ({:04x}, {:04x})", c.vector, c.time[3], c.time[5]);
    };
    row("F22",
        "class 3, changed to 5 at octet 20: vector and times of 3 and 5 without latch 08 (0000, ffff); Weir's 08 "
        "(ffff, 0000), "
        "then 28 (0000, ffff)",
        fmt::format("{}; {}, then {}", said(t), said(whole), said(next)));
}

// X06: a release of one clock while a frame leaves is not taken by a builder without a slot; class 3 stays stopped.
// Weir's generator sends it behind the frame.
TEST(chapter_builder, a_request_while_busy_is_lost) {
    serial_builder rtl;
    const request pause{0x08, {0, 0, 0, 0xffff, 0, 0, 0, 0}};
    rtl.clock(true, pause);
    for (int i = 0; i < 30; ++i) rtl.clock(false, pause);
    for (int i = 0; i < 10; ++i) rtl.clock(i == 0, pause);  // the pulse that asks for the release
    while (rtl.busy()) rtl.clock(false, pause);
    for (int i = 0; i < 100; ++i) rtl.clock(false, pause);
    EXPECT_EQ(rtl.taken, 1);

    generator_bench b;
    int sent = 0;
    b.flow.group_wishes(3, true);
    ethernet::frame* f = b.flow.next_control_frame(b.time.now());
    b.flow.group_wishes(3, false);
    std::uint16_t last = 0xffff;
    while (f != nullptr) {
        ++sent;
        last = ethernet::parse_mac_control(*f).time[3];
        f->release();
        f = b.flow.next_control_frame(b.time.now());
    }
    EXPECT_EQ(sent, 2);
    EXPECT_EQ(last, 0);
    for (const char* id : {"X06", "D1"}) {
        row(id, "a release asked for while the pause leaves: 1 frame without a slot; Weir 2, the second with time 0",
            fmt::format("{}; {}, with {}", rtl.taken, sent, last));
    }
}

}  // namespace
}  // namespace weir::chapter
