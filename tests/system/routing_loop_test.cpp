// SPDX-License-Identifier: Apache-2.0
// F20: a routing loop of n switches. A packet with a hop limit of TTL crosses the link that it is injected on
// ceil(TTL/n) times, so the loop lives up to a rate of B/ceil(TTL/n) and freezes above it.
#include <fmt/format.h>

#include <algorithm>

#include "tests/conformance/conformance.h"
#include "tests/system/fabric.h"
#include "tests/system/in_child.h"

namespace weir::system_test {
namespace {

struct loop_state {
    bool stands;  ///< still
    bool paused;  ///< anything, ever
};

/// A loop of n 10G switches after that time, with 1000-octet frames of this hop limit.
loop_state run_loop(int n, int ttl, double of_line, picoseconds until) {
    return in_child([&] {
        std::string text;
        for (int i = 0; i < n; ++i) {
            text += fmt::format("[[switch.s{}.ports]]\nrate='10G'\n[[switch.s{}.ports]]\nrate='10G'\npeer='s{}'\n", i,
                                i, (i + 1) % n);
            if (n > 2) text += fmt::format("[[switch.s{}.ports]]\nrate='10G'\npeer='s{}'\n", i, (i + n - 1) % n);
        }
        // The host takes nothing off: the first switch leaves crossings, and each later one takes one.
        text += fmt::format("[hosts]\nhop_limit={}\n[routes]\nkind='file'\nfile='r.csv'\n", ttl + 1);
        text += fmt::format("[workload]\nkind='flows'\nfile='f.csv'\nrate='{:.3f}M'\n", of_line * 1e4);
        std::string routes = "switch,destination,ports\n";
        for (int i = 0; i < n; ++i) routes += fmt::format("s{},all,1\n", i);
        vp::run_request request;
        request.observe = true;
        request.until = until;
        const auto result = run_fabric(
            text,
            {{"r.csv", routes},
             {"f.csv", "start,source,destination,octets,dscp,frame,transport\n0,s0.h0,s1.h0,1000000000,24,1000,udp\n"}},
            request);
        const auto& circles = result.seen->circles;
        return loop_state{std::any_of(circles.begin(), circles.end(), [](const auto& c) { return c.stands_since; }),
                          !result.seen->causes.empty()};
    });
}

// 2 % above the threshold the link is offered 0.2 Gb/s too much, which reaches XOFF, 300 cells of 256 octets, after 3
// ms: below it nothing is paused in 20 ms, nor ever. How long a loop that pauses goes on until it stands is not part of
// the claim.
TEST(routing_loop, freezes_above_b_over_the_crossings) {
    struct loop {
        int switches;
        int ttl;
    };
    std::string measured;
    for (const loop l : {loop{2, 16}, loop{3, 16}, loop{3, 15}, loop{4, 64}}) {
        const int crossings = (l.ttl + l.switches - 1) / l.switches;
        const double threshold = 1.0 / crossings;
        const loop_state below = run_loop(l.switches, l.ttl, 0.98 * threshold, microseconds(20'000));
        EXPECT_FALSE(below.stands || below.paused) << l.switches << " " << l.ttl;
        EXPECT_TRUE(run_loop(l.switches, l.ttl, 1.02 * threshold, microseconds(120'000)).stands)
            << l.switches << " " << l.ttl;
        measured += fmt::format("n={} TTL={}: {:.4f} of B alive, {:.4f} frozen; ", l.switches, l.ttl, 0.98 * threshold,
                                1.02 * threshold);
    }
    conformance::row("F20", "B/ceil(TTL/n) within 2 %: 1/8, 1/6, 1/5, 1/16 of B", measured);
}

}  // namespace
}  // namespace weir::system_test
