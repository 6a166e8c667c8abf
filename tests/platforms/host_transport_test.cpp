// SPDX-License-Identifier: Apache-2.0
// A host's keys of connections: presets, what overrides them, and what cannot work.
#include "platforms/host_transport.h"

#include <gmock/gmock.h>

#include "tests/platforms/support.h"

namespace weir::platforms {
namespace {

using testing::four_hosts;
using ::testing::HasSubstr;
using testing::parse_error;
using testing::parsed;

TEST(host_transport, is_open_unless_told_otherwise) {
    const auto p = parsed(four_hosts);
    EXPECT_EQ(p.hosts[0].transport, transport_kind::open);
    EXPECT_EQ(p.hosts[0].control, host::congestion_control::none);
}

// HPCC's simulator: 5 and 50 Mb/s at 25G, so 20 and 200 at the 100G of these ports.
TEST(host_transport, takes_from_its_preset_what_is_not_given) {
    const auto p = parsed(std::string(four_hosts) +
                          "[hosts]\ntransport='rc'\ndcqcn_g=0.5\ndcqcn_preset='hpcc'\n"
                          "[host.h1]\ndcqcn_preset='nvidia'\ndcqcn_rai='7M'\n[host.h2]\ndcqcn_preset='paper'\n");
    const auto h0 = transport_of(p.hosts[0]).dcqcn;
    EXPECT_EQ(h0.additive, 20'000'000);
    EXPECT_EQ(h0.hyper, 200'000'000);
    EXPECT_EQ(h0.order, host::dcqcn_order::periodic);
    EXPECT_EQ(h0.increase_timer, microseconds(300));
    EXPECT_FALSE(h0.clamp_target);
    EXPECT_EQ(h0.gain, 0.5);
    const auto h1 = transport_of(p.hosts[1]).dcqcn;
    EXPECT_EQ(h1.additive, 7'000'000);
    EXPECT_EQ(h1.hyper, 50'000'000);
    EXPECT_EQ(h1.cnp_interval, microseconds(4));
    EXPECT_EQ(h1.gain, 0.5);
    const auto h2 = transport_of(p.hosts[2]).dcqcn;
    EXPECT_EQ(h2.additive, 40'000'000);
    EXPECT_EQ(h2.alpha_timer, microseconds(55));
    EXPECT_EQ(h2.byte_counter, 10'000'000U);
}

// The table's row of the authors' simulator.
TEST(host_transport, knows_the_authors_simulator) {
    const auto p = parsed(std::string(four_hosts) + "[hosts]\ndcqcn_preset='ns3_rdma'\n");
    const auto d = transport_of(p.hosts[0]).dcqcn;
    EXPECT_EQ(d.cnp_interval, microseconds(50));
    EXPECT_EQ(d.alpha_timer, microseconds(55));
    EXPECT_EQ(d.increase_timer, microseconds(60));
    EXPECT_EQ(d.byte_counter, 300'000'000U);
    EXPECT_EQ(d.threshold, 5U);
    EXPECT_EQ(d.additive, 40'000'000);
    EXPECT_EQ(d.hyper, 200'000'000);
    EXPECT_EQ(d.order, host::dcqcn_order::alpha_first);
    EXPECT_EQ(d.hyper_steps, host::dcqcn_hyper::growing_by_one_more);
}

// The paper's preset is what the end station's own defaults are.
TEST(host_transport, defaults_to_the_paper) {
    const auto p = parsed(four_hosts);
    const auto t = transport_of(p.hosts[0]);
    const host::transport_parameters d;
    EXPECT_EQ(t.timeout, d.timeout);
    EXPECT_EQ(t.ack_every, d.ack_every);
    EXPECT_EQ(t.dcqcn.additive, d.dcqcn.additive);
    EXPECT_EQ(t.dcqcn.hyper, d.dcqcn.hyper);
    EXPECT_EQ(t.dcqcn.gain, d.dcqcn.gain);
    EXPECT_EQ(t.dctcp.gain, d.dctcp.gain);
    EXPECT_EQ(t.dctcp.initial_window, d.dctcp.initial_window);
}

TEST(host_transport, wants_a_window_for_selective_recovery) {
    EXPECT_THAT(parse_error(std::string(four_hosts) + "[host.h2]\nrecovery='selective'\n"),
                HasSubstr("host h2 recovers selectively without a window"));
    EXPECT_EQ(parsed(std::string(four_hosts) + "[hosts]\nrecovery='selective'\nwindow='64KiB'\n").hosts[3].window,
              65'536U);
    EXPECT_THAT(parse_error(std::string(four_hosts) + "[hosts]\ncontrol='cubic'\n"),
                HasSubstr("control \"cubic\" is unknown"));
}

}  // namespace
}  // namespace weir::platforms
