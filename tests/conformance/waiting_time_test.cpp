// SPDX-License-Identifier: Apache-2.0
// How long frames wait at a port, against queueing theory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "models/timeline/random_stream.h"
#include "tests/conformance/conformance.h"
#include "tests/conformance/udp_octets.h"

namespace weir::acceptance {
namespace {

// §4.9: M/D/1 at a 10G port fed by eight Poisson senders at 400G: Wq/S = rho/(2·(1 − rho)).
class waiting_time : public ::testing::TestWithParam<double> {};

TEST_P(waiting_time, of_poisson_arrivals_is_pollaczek_and_khinchines) {
    const double load = GetParam();
    lab_options o;
    o.ports = 9;
    o.rate = "400G";
    lab l(o, usual_script({100, 20, 40, 8, 4000}) + "\npool resize lossy size 4500 cells");
    l.shell("interface 8\nspeed 10G");
    l.settle();
    constexpr std::size_t frames_a_host = 25'000;
    const double service = 84 * 0.8;  // ns: 64 octets and gaps at 10G
    const picoseconds origin = from_kernel(sc_core::sc_time_stamp()) + microseconds(1);
    for (std::uint32_t host = 0; host < 8; ++host) {
        random_stream random(5, fmt::format("poisson.{}.{}", host, load));
        const auto octets = udp(l, host, 8, 64, 0);
        std::vector<ethernet::captured_frame> frames(frames_a_host);
        double at = 1;
        for (auto& f : frames) {
            at += -std::log(1 - random.uniform()) * service * 8 / load;
            f.octets = octets;
            f.wire_length = 64;
            f.fcs_good = true;
            f.time = picoseconds{std::llround(at * 1000)};
        }
        l.machine().host(host).player.play(std::move(frames), origin, 1);
    }
    struct queue_watch : port::tap {
        void received(const ethernet::frame&, picoseconds now, mmu::drop_reason) override {
            in += static_cast<double>(now.count()) / 1000;
        }
        void sent(const ethernet::frame&, picoseconds now) override {
            out += static_cast<double>(now.count()) / 1000;
            ++frames;
        }
        double in{0};
        double out{0};
        std::uint64_t frames{0};
    } watch;
    l.machine().chip(0).memory().check_always(false);
    for (std::size_t port = 0; port < 9; ++port) l.machine().chip(0).port(port).mac.observe(watch);
    l.settle(nanoseconds(static_cast<std::int64_t>(frames_a_host * service * 8 / load * 1.1)) + microseconds(100));
    for (std::size_t port = 0; port < 9; ++port) l.machine().chip(0).port(port).mac.forget(watch);
    ASSERT_EQ(watch.frames, 8 * frames_a_host);
    const double waited = (watch.out - watch.in) / static_cast<double>(watch.frames) / service;
    const double expected = load / (2 * (1 - load));
    EXPECT_NEAR(waited, expected, 0.08 * expected);
    conformance::row("closed.queueing", fmt::format("M/D/1 at {}: waits {:.2f} service times ± 8 %", load, expected),
                     fmt::format("{:.2f}", waited));
}

INSTANTIATE_TEST_SUITE_P(loads, waiting_time, ::testing::Values(0.5, 0.8, 0.9),
                         [](const auto& each) { return fmt::format("{:.0f}_percent", 100 * each.param); });

}  // namespace
}  // namespace weir::acceptance
