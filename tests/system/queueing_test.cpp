// SPDX-License-Identifier: Apache-2.0
// Where frames wait, in a whole switch: the saturation throughput of eight ports with uniform destinations and equal
// frames. One FIFO a class and input gives 0.6184 (Karol, Hluchyj and Morgan, eight ports), whether the hosts are
// stopped by PAUSE, by PFC or not at all: pauses move the blocking, they do not remove it (F8).
#include <string>

#include "tests/acceptance/lab.h"

namespace weir::system_test {
namespace {

using acceptance::lab;

constexpr std::uint32_t ports = 8;

struct setup {
    const char* name;
    const char* queueing;
    std::uint8_t dscp;
    bool obey;
    const char* more;  ///< lines of the script
};

std::ostream& operator<<(std::ostream& out, const setup& s) {
    return out << s.name;
}

/// Every host sends frames of one length to destinations at random, itself included.
void load(lab& l, std::uint8_t dscp, int frames_a_host) {
    random_stream random(1, "queueing_test");
    for (int i = 0; i < frames_a_host; ++i) {
        for (std::uint32_t host = 0; host < ports; ++host) {
            l.start(host, random.next() % ports, 1, dscp);
        }
    }
}

/// The part of all lines' time that data frames occupy towards the hosts.
double throughput(lab& l, picoseconds window) {
    const auto wire_octets = [&] {
        std::uint64_t octets = 0;
        for (std::uint32_t host = 0; host < ports; ++host) {
            const auto& arrived = l.machine().host(host).arrived();
            octets += arrived.octets + 20 * arrived.frames;
        }
        return octets;
    };
    const std::uint64_t before = wire_octets();
    l.settle(window);
    const auto carried = static_cast<std::int64_t>(wire_octets() - before);
    return static_cast<double>(l.machine().host(0).mac.rate().octets(carried).count()) /
           static_cast<double>(window.count()) / ports;
}

class queueing : public ::testing::TestWithParam<setup> {};

TEST_P(queueing, of_ingress_fifos_saturates_at_their_bound) {
    const setup& s = GetParam();
    acceptance::lab_options o;
    o.ports = ports;
    o.obey = s.obey;
    o.switch_keys = std::string("queueing = \"") + s.queueing + "\"";
    acceptance::thresholds t;
    // Far apart: each change of mind is a control frame that takes a data frame's place on the line.
    t.xoff = 300;
    t.xon = 250;
    t.lossy_limit = 2000;
    lab l(o, acceptance::usual_script(t) + "\ninterface all\npg 0 limit 60\n" + s.more);
    load(l, s.dscp, 4000);
    l.settle(microseconds(8));
    EXPECT_NEAR(throughput(l, microseconds(20)), 0.6184, 0.6184 * 0.015);
    EXPECT_EQ(l.all_drops() == 0, s.obey);
    weir_pfc_port_counters c{};
    l.drive([&](weir_dev* d) { return weir_pfc_port_counters_get(d, 0, &c); });
    EXPECT_EQ(c.pause_tx > 0, std::string(s.name) == "pause");
    EXPECT_EQ(c.tx_frames > 0, std::string(s.name) == "pfc");
    EXPECT_EQ(l.machine().chip(0).memory().conservation_error(), "");
}

INSTANTIATE_TEST_SUITE_P(switches, queueing,
                         ::testing::Values(setup{"lossy", "ingress_fifo", 0, false, ""},
                                           setup{"pause", "ingress_fifo", 24, true,
                                                 "pfc receiver with-pause\npause tx\n"},
                                           setup{"pfc", "ingress_fifo", 24, true, ""}),
                         [](const auto& p) { return std::string(p.param.name); });

// §1.5: the same load with virtual output queues, and with output queueing, fills the lines.
class lines : public ::testing::TestWithParam<const char*> {};

TEST_P(lines, are_full_without_head_of_line_blocking) {
    acceptance::lab_options o;
    o.ports = ports;
    o.switch_keys = std::string("queueing = \"") + GetParam() + "\"";
    acceptance::thresholds t;
    t.lossy_limit = 2000;
    lab l(o, acceptance::usual_script(t));
    load(l, 0, 6000);
    l.settle(microseconds(15));
    EXPECT_GE(throughput(l, microseconds(20)), 0.97);
}

INSTANTIATE_TEST_SUITE_P(queueing, lines, ::testing::Values("output", "voq"),
                         [](const auto& p) { return std::string(p.param); });

// No corpse of a closed port: a port that goes down takes along what waits for it at other ports' inputs, and what
// stood behind that goes on.
TEST(queueing_flush, empties_what_waits_elsewhere) {
    acceptance::lab_options o;
    o.ports = 4;
    o.switch_keys = "queueing = \"ingress_fifo\"";
    lab l(o, acceptance::usual_script());
    l.shell("interface 1\nqueue all dequeue off");
    l.send(0, 1, 5, 0);
    l.send(0, 2, 5, 0);
    l.send(3, 1, 5, 0);
    EXPECT_EQ(l.received(2), 0U);  // behind a head for port 1
    EXPECT_EQ(l.group_usage(0, 0).used, 10U);
    l.shell("interface 1\nshutdown");
    l.settle();
    EXPECT_EQ(l.received(1), 0U);
    EXPECT_EQ(l.received(2), 5U);
    EXPECT_EQ(l.queue(1, 0).drop_frames, 10U);
    EXPECT_EQ(l.machine().chip(0).memory().used(), 0);
    EXPECT_EQ(l.machine().chip(0).memory().conservation_error(), "");
    l.shell("interface 1\nqueue all dequeue on\nno shutdown");
    l.settle();
    l.send(0, 1, 5, 0);
    EXPECT_EQ(l.received(1), 5U);
}

// G13 with ingress FIFOs: the account is the ingress port's, judged at the head's egress port.
TEST(queueing_accounts, are_of_the_ingress_port) {
    acceptance::lab_options o;
    o.switch_keys = "queueing = \"ingress_fifo\"";
    lab l(o, acceptance::usual_script());
    std::array<std::uint16_t, 8> times{};
    times.fill(2000);
    l.inject(1, {lab::pfc(0x08, times)});
    l.start(0, 1, 1);
    l.start(0, 2, 3);  // for an idle port, behind a stopped head
    l.settle(microseconds(20));
    weir_wait_counters c{};
    l.drive([&](weir_dev* d) { return weir_wait_counters_get(d, 0, 3, &c); });
    EXPECT_GT(c.self_paused_ns, 100U);
    EXPECT_LE(c.self_paused_ns, 10'240U);
    EXPECT_EQ(l.received(2), 3U);
    l.drive([&](weir_dev* d) { return weir_wait_counters_get(d, 1, 3, &c); });
    EXPECT_EQ(c.hol_ns, 0U);  // port 1 sent nothing in
}

}  // namespace
}  // namespace weir::system_test
