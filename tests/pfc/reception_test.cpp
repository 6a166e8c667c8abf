// SPDX-License-Identifier: Apache-2.0
// Frames as they come off the wire, one of each kind, at a port's flow control: what is counted and what stops.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "models/pfc/flow_control.h"
#include "tests/conformance/conformance.h"
#include "tests/ethernet/support.h"

namespace weir::pfc {
namespace {

using conformance::row;
using ethernet::testing::octet_string;
namespace golden = ethernet::testing::golden;

class reception_bench : public sc_core::sc_module, public port::transmit_if {
public:
    reception_bench() : sc_module(sc_core::sc_module_name("bench")), time("time"), flow("flow", time, frames) {
        flow.transmitter.bind(*this);
        flow.set_rate(*data_rate::from_name("100G"));
        for (std::uint8_t i = 0; i < 8; ++i) flow.receiver.set_priority_queues(i, static_cast<bitmap>(1U << i));
        flow.receiver.set_enabled(0xff);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        flow.link_changed(true);
    }
    void wake() override {}

    /// Octets with their FCS; true: it was MAC Control.
    bool receive(const octet_string& wire) {
        ethernet::frame* f = frames.take();
        ethernet::testing::receive(*f, wire);
        const bool control = flow.receive(*f, time.now());
        f->release();
        return control;
    }
    bool receive(std::string_view hex) { return receive(ethernet::testing::from_hex(hex)); }
    /// Of MAC Control frames: good PFC, bad FCS, wrong address, wrong length; and the queues that stand.
    [[nodiscard]] std::string counted() const {
        const receiver_counters& c = flow.receiver.counters;
        return fmt::format("{} seen, {} bad FCS, {} wrong address, {} malformed; {:02x} stopped", c.seen, c.bad_fcs,
                           c.wrong_da, c.malformed, flow.stopped_queues());
    }
    /// One frame alone: what it counted is what it should, and the row says both.
    void expect(const char* id, const char* what, const std::string& expected) {
        EXPECT_EQ(counted(), expected);
        row(id, fmt::format("{}: {}", what, expected), counted());
    }

    ethernet::frame_pool frames;
    timeline time;
    flow_control flow;
};

octet_string with_fcs(octet_string wire) {
    ethernet::testing::repair_fcs(wire);
    return wire;
}

TEST(reception, a_good_frame_is_honoured_once) {
    reception_bench b;
    EXPECT_TRUE(b.receive(golden::pfc_xoff_c3_ffff));
    EXPECT_EQ(b.flow.receiver.counters.frames[3], 1U);
    b.expect("S09", "one good frame", "1 seen, 0 bad FCS, 0 wrong address, 0 malformed; 08 stopped");
}

TEST(reception, a_bad_fcs_counts_there_alone) {
    reception_bench b;
    EXPECT_TRUE(b.receive(golden::pfc_bad_fcs));
    b.expect("S10", "one bit of the FCS wrong", "0 seen, 1 bad FCS, 0 wrong address, 0 malformed; 00 stopped");
}

TEST(reception, a_wrong_address_counts_there_alone) {
    reception_bench b;
    EXPECT_TRUE(b.receive(golden::pfc_bad_da));
    b.expect("S11", "one octet of the address wrong", "0 seen, 0 bad FCS, 1 wrong address, 0 malformed; 00 stopped");
}

TEST(reception, another_type_is_no_mac_control) {
    reception_bench b;
    octet_string wire = ethernet::testing::from_hex(golden::pfc_xoff_c3_ffff);
    wire[13] = 0x09;
    EXPECT_FALSE(b.receive(with_fcs(wire)));
    b.expect("S13", "EtherType 8809", "0 seen, 0 bad FCS, 0 wrong address, 0 malformed; 00 stopped");
}

// Not even one whose payload would be a PFC frame's.
TEST(reception, a_data_frame_moves_no_counter) {
    reception_bench b;
    octet_string wire = ethernet::testing::from_hex(golden::pfc_xoff_c3_ffff);
    wire[12] = 0x08;
    wire[13] = 0x00;
    EXPECT_FALSE(b.receive(with_fcs(wire)));
    wire.back() ^= 1;
    EXPECT_FALSE(b.receive(wire));
    b.expect("S14", "EtherType 0800, FCS good and bad", "0 seen, 0 bad FCS, 0 wrong address, 0 malformed; 00 stopped");
}

// M04: the tag moves every offset by four.
TEST(reception, a_tagged_frame_is_never_silent) {
    reception_bench b;
    EXPECT_TRUE(b.receive(golden::pfc_tagged_vid0_pcp7));
    b.expect("S15", "tagged, honoured", "1 seen, 0 bad FCS, 0 wrong address, 0 malformed; 08 stopped");
    EXPECT_TRUE(b.receive(golden::pfc_xon_c3));
    b.flow.receiver.set_ignore_tagged(true);
    EXPECT_TRUE(b.receive(golden::pfc_tagged_vid0_pcp7));
    EXPECT_EQ(b.flow.stopped_queues(), 0);
    EXPECT_EQ(b.flow.monitor.count(fault::tagged), 1U);
    row("S15", "tagged, not to be honoured: 1 ignored, 1 fault",
        fmt::format("{} ignored, {} fault", b.flow.receiver.counters.ignored, b.flow.monitor.count(fault::tagged)));
}

TEST(reception, a_runt_is_not_honoured) {
    reception_bench b;
    for (const std::size_t length : {std::size_t{20}, std::size_t{34}, std::size_t{60}, std::size_t{63}}) {
        octet_string wire = ethernet::testing::from_hex(golden::pfc_xoff_c3_ffff);
        wire.resize(length);
        EXPECT_TRUE(b.receive(with_fcs(wire)));
    }
    b.expect("S16", "20, 34, 60 and 63 octets", "0 seen, 0 bad FCS, 0 wrong address, 4 malformed; 00 stopped");
}

TEST(reception, an_oversize_control_frame_is_not_honoured) {
    reception_bench b;
    for (const std::size_t length : {std::size_t{65}, std::size_t{68}, std::size_t{128}, std::size_t{1518}}) {
        octet_string wire = ethernet::testing::from_hex(golden::pfc_xoff_c3_ffff);
        wire.resize(length, 0);
        EXPECT_TRUE(b.receive(with_fcs(wire)));
    }
    b.expect("S17", "65, 68, 128 and 1518 octets", "0 seen, 0 bad FCS, 0 wrong address, 4 malformed; 00 stopped");
}

TEST(reception, the_reserved_octet_of_the_vector_names_nobody) {
    reception_bench b;
    EXPECT_TRUE(b.receive(golden::pfc_reserved_hi_byte));
    b.expect("S18", "vector 0108", "1 seen, 0 bad FCS, 0 wrong address, 0 malformed; 08 stopped");
}

// F7: 802.1Q says nothing of class 3; a complete-state receiver is told to let it go.
TEST(reception, a_time_without_its_bit) {
    reception_bench b;
    for (const bool complete : {false, true}) {
        b.flow.receiver.set_complete_state(complete);
        EXPECT_TRUE(b.receive(golden::pfc_xoff_c3_ffff));
        EXPECT_TRUE(b.receive(golden::pfc_disabled_but_timed_c3));
        EXPECT_EQ(b.flow.stopped_queues(), complete ? 0 : 0x08);
        row("S19",
            complete ? "class 3 stopped, then enable 0 with 1000; complete state: 00"
                     : "class 3 stopped, then enable 0 with 1000; 802.1Q: 08",
            fmt::format("{:02x}", b.flow.stopped_queues()));
        EXPECT_TRUE(b.receive(golden::pfc_xon_c3));
    }
}

// C01: the three counters part what matched; data is in none of them.
TEST(reception, a_mixed_stream_is_parted) {
    reception_bench b;
    octet_string data = ethernet::testing::from_hex(golden::pfc_xoff_c3_ffff);
    data[12] = 0x08;
    data[13] = 0x00;
    for (int i = 0; i < 60; ++i) {
        EXPECT_FALSE(b.receive(with_fcs(data)));
        EXPECT_TRUE(b.receive(golden::pfc_xoff_c3_ffff));
        if (i % 2 == 0) {
            EXPECT_TRUE(b.receive(golden::pfc_bad_fcs));
        }
        if (i % 3 == 0) {
            EXPECT_TRUE(b.receive(golden::pfc_bad_da));
        }
    }
    b.expect("C01", "60 good, 30 bad FCS, 20 wrong address, 60 of data",
             "60 seen, 30 bad FCS, 20 wrong address, 0 malformed; 08 stopped");
}

}  // namespace
}  // namespace weir::pfc
