// SPDX-License-Identifier: Apache-2.0
// The link: delay by length in both directions, and what becomes of frames while it is down.
#include "models/ethernet/link.h"
#include "models/timeline/timeline.h"

#include <gmock/gmock.h>

namespace weir::ethernet {
namespace {

/// A port that remembers what reached it and gives it back to the pool.
class probe : public sc_core::sc_module, public receiver, public sender {
public:
    explicit probe(sc_core::sc_module_name name) : sc_module(name), in("in"), out("out") {
        in.bind(static_cast<fw_interface&>(*this));
        out.bind(static_cast<bw_interface&>(*this));
    }
    void plug(link::end end) {
        out.bind(end.in);
        end.out.bind(in);
    }
    void send(frame& f, std::int64_t after_ps) {
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay(static_cast<double>(after_ps), sc_core::SC_PS);
        out->nb_transport_fw(f, phase, delay);
    }
    tlm::tlm_sync_enum nb_transport_fw(frame& f, tlm::tlm_phase&, sc_core::sc_time& delay) override {
        arrivals_ps.push_back(from_kernel(delay).count());
        f.release();
        return tlm::TLM_COMPLETED;
    }
    rx_socket in;
    tx_socket out;
    std::vector<std::int64_t> arrivals_ps;
};

// 100 m at 5 ns/m are 500 ns.
TEST(link, adds_the_delay_of_its_cable_in_both_directions) {
    link cable("cable", 100);
    probe a("a");
    probe b("b");
    a.plug(cable.a());
    b.plug(cable.b());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    frame_pool pool;
    a.send(*pool.take(), 83'560);
    b.send(*pool.take(), 0);
    EXPECT_THAT(b.arrivals_ps, ::testing::ElementsAre(583'560));
    EXPECT_THAT(a.arrivals_ps, ::testing::ElementsAre(500'000));
    EXPECT_EQ(cable.cable_delay(), nanoseconds(500));
    EXPECT_EQ(cable.carried(), 2U);
    EXPECT_EQ(pool.in_use(), 0U);
}

TEST(link, releases_and_counts_frames_while_it_is_down) {
    link cable("cable", 0);
    probe a("a");
    probe b("b");
    a.plug(cable.a());
    b.plug(cable.b());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    frame_pool pool;
    cable.set_plugged(false);
    a.send(*pool.take(), 0);
    EXPECT_TRUE(b.arrivals_ps.empty());
    EXPECT_EQ(cable.lost(), 1U);
    EXPECT_EQ(pool.in_use(), 0U);
    cable.set_plugged(true);
    a.send(*pool.take(), 0);
    EXPECT_THAT(b.arrivals_ps, ::testing::ElementsAre(0));
    EXPECT_EQ(cable.carried(), 1U);
}

}  // namespace
}  // namespace weir::ethernet
