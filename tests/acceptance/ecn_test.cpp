// SPDX-License-Identifier: Apache-2.0
// ECN as a NOS acceptance suite sees it: T037. By code point, and with ECN off.
#include <fmt/format.h>

#include "sw/include/weir/wred.h"
#include "tests/acceptance/lab.h"
#include "tests/conformance/conformance.h"

namespace weir::acceptance {
namespace {

using conformance::row;

/// What leaves a port, by mark.
struct mark_watch : port::tap {
    void received(const ethernet::frame&, picoseconds, mmu::drop_reason) override {}
    void sent(const ethernet::frame& f, picoseconds) override {
        if (f.headers.type == ethernet::ethertype::mac_control) return;
        ++(f.headers.congestion == ethernet::ecn::ce ? marked : unmarked);
    }
    std::uint64_t marked{0};
    std::uint64_t unmarked{0};
};

constexpr std::uint64_t ecn_frames = 2000;

/// A queue that nothing leaves is filled cell by cell and then let go. With Kmin 0, Kmax 2000 and Pmax 10 % the frame
/// that meets q cells is marked by q/20 000: 5 % of the 2000 in all, 100 ± 10.
mark_watch pass_through(lab& l, ethernet::ecn codepoint) {
    mark_watch watch;
    l.shell("interface 1\nqueue 0 dequeue off");
    platforms::flow f;
    f.source = 0;
    f.destination = 1;
    f.congestion = codepoint;
    f.octets = ecn_frames * small_payload;
    f.payload = small_payload;
    l.machine().add_flow(f, from_kernel(sc_core::sc_time_stamp()));
    l.settle(microseconds(50));
    l.machine().chip(0).port(1).mac.observe(watch);
    l.shell("interface 1\nqueue 0 dequeue on");
    l.settle(microseconds(50));
    l.machine().chip(0).port(1).mac.forget(watch);
    return watch;
}

TEST(ecn, marks_by_code_point) {
    thresholds t;
    t.lossy_limit = 3000;
    lab l({}, usual_script(t) + "\npool resize lossy size 4000 cells");
    l.drive([](weir_dev* d) {
        const weir_wred_curve c{true, 0, 2000, 6554};
        return weir_wred_curve_set(d, 1, WEIR_GREEN, &c);
    });
    l.shell("interface 1\nqueue 0 wred profile 1 ecn");
    const mark_watch not_ect = pass_through(l, ethernet::ecn::not_ect);
    EXPECT_EQ(not_ect.marked, 0U);
    EXPECT_EQ(not_ect.unmarked, ecn_frames);
    std::uint64_t captured = 0;
    std::string marked;
    for (const auto codepoint : {ethernet::ecn::ect0, ethernet::ecn::ect1}) {
        const mark_watch ect = pass_through(l, codepoint);
        EXPECT_GE(ect.marked, ecn_frames * 3 / 100);
        EXPECT_LE(ect.marked, ecn_frames * 7 / 100);
        EXPECT_EQ(ect.marked + ect.unmarked, ecn_frames);
        captured += ect.marked;
        marked += fmt::format("{:.2f} % ", 100.0 * static_cast<double>(ect.marked) / ecn_frames);
    }
    l.shell("interface 1\nqueue 0 wred off");
    const mark_watch off = pass_through(l, ethernet::ecn::ect0);
    EXPECT_EQ(off.marked, 0U);
    EXPECT_EQ(off.unmarked, ecn_frames);
    EXPECT_EQ(l.queue(1, 0).ce_marked, captured);
    EXPECT_EQ(l.all_drops(), 0U);
    row("T037", "of 2000: Not-ECT 0, ECT(0) and ECT(1) 3 to 7 %, ECN off 0 marked; counted as captured; 0 drops",
        fmt::format("{}, {}, {}; {} counted, {} captured; {}", not_ect.marked, marked, off.marked,
                    l.queue(1, 0).ce_marked, captured, l.all_drops()));
}

}  // namespace
}  // namespace weir::acceptance
