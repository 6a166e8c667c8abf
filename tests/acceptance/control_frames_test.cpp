// SPDX-License-Identifier: Apache-2.0
// What a port itself sends: from its own address, past every stop and every queue; and what ports of different rates
// say of the same quanta.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tests/acceptance/lab.h"
#include "tests/conformance/conformance.h"

namespace weir::acceptance {
namespace {

using conformance::row;

constexpr std::array<std::uint16_t, 8> all_longest{0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff};

/// The control frames that a port sends, and when; and how many others.
struct control_watch : port::tap {
    struct one {
        picoseconds start;
        ethernet::mac_address source;
    };
    void received(const ethernet::frame&, picoseconds, mmu::drop_reason) override {}
    void sent(const ethernet::frame& f, picoseconds now) override {
        if (f.headers.type != ethernet::ethertype::mac_control) {
            ++data;
            return;
        }
        one c{now, {}};
        std::copy(f.octets() + 6, f.octets() + 12, c.source.begin());
        control.push_back(c);
    }
    std::vector<one> control;
    int data{0};
};

/// The source addresses of one pause frame of each of four ports, each once.
std::vector<ethernet::mac_address> sources(lab& l) {
    std::vector<control_watch> watches(4);
    for (std::uint32_t p = 0; p < 4; ++p) l.machine().chip(0).port(p).mac.observe(watches[p]);
    l.shell("interface all\npfc force 3");
    l.settle();
    l.shell("interface all\npfc force none");
    l.settle();
    std::vector<ethernet::mac_address> all;
    for (std::uint32_t p = 0; p < 4; ++p) {
        l.machine().chip(0).port(p).mac.forget(watches[p]);
        EXPECT_EQ(watches[p].control.size(), 2U);
        for (const auto& c : watches[p].control) all.push_back(c.source);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

// X07: ports whose address nobody has programmed all say the same, and a neighbour that learns sees it move from port
// to port. With addresses of their own each stands still.
TEST(control_frames, each_port_has_the_source_address_that_it_is_given) {
    lab l({}, usual_script());
    const std::size_t before = sources(l).size();
    EXPECT_EQ(before, 1U);
    for (int p = 0; p < 4; ++p) l.shell(fmt::format("interface {}\nmac 02:00:00:00:01:0{}", p, p));
    const std::vector<ethernet::mac_address> given = sources(l);
    ASSERT_EQ(given.size(), 4U);
    for (std::uint8_t p = 0; p < 4; ++p) EXPECT_EQ(given[p], (ethernet::mac_address{2, 0, 0, 0, 1, p}));
    for (const char* id : {"M01", "X07"}) {
        row(id, "4 ports pause: 1 source address when none is programmed, 4 when each has its own",
            fmt::format("{}, {}", before, given.size()));
    }
}

// S48, S49: the peer has stopped all eight classes, and there is work in the queues; two changes of mind, two frames.
TEST(control_frames, leave_while_everything_is_stopped) {
    lab l({}, usual_script());
    l.shell("interface 1\npfc rx all");
    l.inject(1, {lab::pfc(0xff, all_longest)});
    l.send(0, 1, 5);
    l.send(0, 1, 5, 0);
    control_watch seen;
    l.machine().chip(0).port(1).mac.observe(seen);
    l.shell("interface 1\npfc force 3");
    l.settle(microseconds(1));
    l.shell("interface 1\npfc force 3,4");
    l.settle(microseconds(1));
    l.machine().chip(0).port(1).mac.forget(seen);
    EXPECT_EQ(seen.control.size(), 2U);
    EXPECT_EQ(seen.data, 0);
    for (const char* id : {"S48", "S49"}) {
        row(id, "all eight stopped, 10 frames queued: 2 control frames leave, 0 of data",
            fmt::format("{}, {}", seen.control.size(), seen.data));
    }
}

// D5: strict class 7 fills the line with frames of 1518 octets; whatever is asked leaves behind the frame in progress.
TEST(control_frames, wait_for_no_more_than_the_frame_in_progress) {
    lab_options o;
    o.rate = "10G";
    lab l(o, usual_script() + "\nmap dscp 56 tc 7");
    l.start(0, 1, 3000, 56, 1518 - 62);
    l.start(2, 1, 3000, 56, 1518 - 62);
    l.settle(microseconds(20));
    const data_rate rate = l.machine().chip(0).port(1).mac.rate();
    const auto& generator = l.machine().chip(0).port(1).flow.generator;
    picoseconds longest{0};
    for (int i = 0; i < 40; ++i) {
        control_watch seen;
        l.machine().chip(0).port(1).mac.observe(seen);
        const picoseconds paused_before = generator.paused_for(3, from_kernel(sc_core::sc_time_stamp()));
        l.shell(i % 2 == 0 ? "interface 1\npfc force 3" : "interface 1\npfc force none");
        l.settle(nanoseconds(1500 + 37 * i));
        l.machine().chip(0).port(1).mac.forget(seen);
        ASSERT_EQ(seen.control.size(), 1U) << i;
        if (i % 2 == 1) continue;
        // A pause is wished for as long as is counted since.
        const picoseconds now = from_kernel(sc_core::sc_time_stamp());
        const picoseconds wished = now - (generator.paused_for(3, now) - paused_before);
        longest = std::max(longest, seen.control[0].start - wished);
    }
    EXPECT_LE(longest, rate.octets(1538));
    EXPECT_GT(longest, picoseconds{0});
    row("D5", "20 wishes on a full line of 1518-octet frames at 10G: sent within 1230.4 ns",
        fmt::format("{:.1f} ns at most", static_cast<double>(longest.count()) / 1000));
}

// S31: 1000 quanta are 51.2 us at 10G and 5.12 us at 100G; the counters say so in ns.
TEST(control_frames, ports_of_mixed_rates_count_ns) {
    lab_options o;
    o.extra_platform = "[[switch.s0.ports]]\ncount = 1\nrate = \"10G\"\ncable = \"0m\"\npeer = \"host\"\n";
    lab l(o, usual_script());
    for (const std::uint32_t port : {1U, 4U}) l.inject(port, {lab::pfc(0x08, {0, 0, 0, 1000, 0, 0, 0, 0})});
    l.settle(microseconds(100));
    const std::uint64_t fast = l.pfc_counters(1, 3).rx_paused_ns;
    const std::uint64_t slow = l.pfc_counters(4, 3).rx_paused_ns;
    EXPECT_EQ(fast, 5'120U);
    EXPECT_EQ(slow, 51'200U);
    row("S31", "1000 quanta at 100G and at 10G: 5120 and 51200 ns", fmt::format("{} and {} ns", fast, slow));
}

// D3: what the body may hold moves with the pool; the headroom is the same whatever the body is. alpha 1/16 of 3000
// cells: x = (3000 − q − x)/16 for q cells of others, so (3000 − q)/17, to within a cell.
TEST(thresholds_that_move, leave_the_headroom_alone) {
    lab l({}, usual_script({2000, 20, 40, 8, 200}));
    l.shell("interface 0\npg 3 xoff unlimited dynamic 1/16\ninterface 1\nqueue 3 dequeue off");
    for (const std::uint64_t others : {0U, 1500U}) {
        if (others > 0) l.send(2, 1, others + 8);
        (void)l.take_group_peak(0, 3);
        const std::uint64_t before = l.group(0, 3).drop_frames;
        l.send(0, 1, 400);
        const lab::peaks peak = l.take_group_peak(0, 3);
        const std::uint64_t lost = l.group(0, 3).drop_frames - before;
        const double body = static_cast<double>(3000 - others) / 17;
        EXPECT_NEAR(peak.service, body, 1.01);
        EXPECT_EQ(peak.headroom, 40U);
        EXPECT_EQ(lost, 400U - 8 - peak.service - 40);
        row("D3", fmt::format("{} cells of others: body {:.0f} ± 1, headroom 40", others, body),
            fmt::format("{}, {}", peak.service, peak.headroom));
        l.shell("interface 1\nqueue 3 dequeue on");
        l.settle();
        l.shell("interface 1\nqueue 3 dequeue off");
    }
}

}  // namespace
}  // namespace weir::acceptance
