// SPDX-License-Identifier: Apache-2.0
// Frames: stored octets and implied zeros, copies, marking, and the pool's accounts.
#include "models/ethernet/frame.h"

#include <gmock/gmock.h>

#include "tests/ethernet/support.h"

namespace weir::ethernet {
namespace {

using testing::from_hex;
using testing::octet_string;
using testing::to_hex;
namespace golden = testing::golden;

TEST(frame, stands_on_the_wire_with_its_fcs) {
    const octet_string wire = from_hex(golden::pfc_xoff_c3_ffff);
    frame f;
    f.assign(wire.data(), 60, 64);
    EXPECT_EQ(to_hex(f.wire_octets()), golden::pfc_xoff_c3_ffff);
}

TEST(frame, octets_not_stored_are_zeros_on_the_wire) {
    const octet_string wire = from_hex(golden::pfc_xoff_c3_ffff);
    frame f;
    f.assign(wire.data(), 26, 64);  // the rest of this frame is zeros
    EXPECT_EQ(to_hex(f.wire_octets()), golden::pfc_xoff_c3_ffff);
}

// A frame whose octets were cut below its addresses does not show those of the frame that was there before.
TEST(frame, a_cut_frame_shows_nothing_of_an_earlier_one) {
    const octet_string wire = from_hex(golden::pfc_xoff_c3_ffff);
    frame f;
    f.assign(wire.data(), 60, 64);
    f.assign(wire.data(), 3, 64);
    EXPECT_EQ(to_hex({f.octets(), f.octets() + 14}), "0180c20000000000000000000000");
    frame copy;
    copy.assign(wire.data(), 60, 64);
    copy.copy_from(f);
    EXPECT_EQ(to_hex({copy.octets(), copy.octets() + 14}), "0180c20000000000000000000000");
}

TEST(frame, shows_an_inverted_fcs_when_it_is_bad) {
    const octet_string wire = from_hex(golden::pause_xon);
    frame f;
    f.assign(wire.data(), 60, 64);
    f.fcs_good = false;
    const octet_string sent = f.wire_octets();
    EXPECT_EQ(to_hex({sent.end() - 4, sent.end()}), "ed3ade7f");  // 12c52180 inverted
}

TEST(frame, keeps_more_octets_than_fit_inline) {
    for (const std::uint32_t count : {128U, 129U, 1514U}) {
        octet_string data(count);
        for (std::uint32_t i = 0; i < count; ++i) data[i] = static_cast<std::uint8_t>(i * 7);
        frame f;
        f.assign(data.data(), count, count + 4);
        frame copy;
        copy.copy_from(f);
        const octet_string wire = copy.wire_octets();
        EXPECT_EQ(octet_string(wire.begin(), wire.end() - 4), data);
        EXPECT_TRUE(fcs_matches(wire.data(), count + 4));
    }
}

TEST(frame, refuses_more_octets_than_its_length_holds) {
    const octet_string data(64, 0);
    frame f;
    EXPECT_NO_THROW(f.assign(data.data(), 60, 64));
    EXPECT_THROW(f.assign(data.data(), 61, 64), std::invalid_argument);
    EXPECT_THROW(f.assign(data.data(), 0, 3), std::invalid_argument);
}

// RFC 1624 on a captured header: TOS C2 → C3 lowers the checksum 9161 by one.
TEST(frame, marking_keeps_the_ipv4_checksum_right) {
    const octet_string cnp = from_hex(golden::cnp_connectx4lx);
    frame f;
    f.assign(cnp.data(), 74, 78);
    ASSERT_EQ(f.headers.congestion, ecn::ect0);
    f.mark_congestion_experienced();
    EXPECT_EQ(f.headers.congestion, ecn::ce);
    EXPECT_EQ(f.octets()[15], 0xc3);
    EXPECT_EQ(f.octets()[24] << 8 | f.octets()[25], 0x9160);
    EXPECT_EQ(internet_checksum(internet_sum(f.octets() + 14, 20)), 0);
    EXPECT_EQ(find_headers(f.octets(), f.stored).congestion, ecn::ce);
    EXPECT_EQ(f.headers.dscp, 48);
}

// The captured header's hop limit 64 (0x40) → 63: the 16-bit word falls by 0x100, so the checksum rises by it.
TEST(frame, a_hop_less_keeps_the_ipv4_checksum_right) {
    const octet_string cnp = from_hex(golden::cnp_connectx4lx);
    frame f;
    f.assign(cnp.data(), 74, 78);
    const int before = f.octets()[24] << 8 | f.octets()[25];
    ASSERT_EQ(f.hop_limit(), 64);
    f.decrement_hop_limit();
    EXPECT_EQ(f.hop_limit(), 63);
    EXPECT_EQ(f.octets()[24] << 8 | f.octets()[25], before + 0x100);
    EXPECT_EQ(internet_checksum(internet_sum(f.octets() + 14, 20)), 0);
    while (f.hop_limit() != 0) {
        f.decrement_hop_limit();
        ASSERT_EQ(internet_checksum(internet_sum(f.octets() + 14, 20)), 0) << int{*f.hop_limit()};
    }
}

TEST(frame, a_hop_less_of_ipv6_is_one_octet) {
    octet_string data = from_hex("00000000000100000000000286dd6600000000001140");
    data.resize(54, 0);
    frame f;
    f.assign(data.data(), 54, 64);
    ASSERT_EQ(f.hop_limit(), 0x40);
    f.decrement_hop_limit();
    EXPECT_EQ(f.octets()[21], 0x3f);
}

TEST(frame, without_an_ip_header_has_no_hop_limit) {
    octet_string data = from_hex("0000000000010000000000028809");
    data.resize(60, 0);
    frame f;
    f.assign(data.data(), 60, 64);
    EXPECT_EQ(f.hop_limit(), std::nullopt);
}

TEST(frame, marking_ipv6_sets_the_low_bits_of_the_traffic_class) {
    octet_string data = from_hex(
        "000000000001000000000002"
        "86dd"
        "66000000"
        "0000"
        "11"
        "40");
    data.resize(54, 0);
    data[15] = 0x2f;  // traffic class 62: DSCP 24, ECT(0); flow label begins with f
    frame f;
    f.assign(data.data(), 54, 64);
    ASSERT_EQ(f.headers.congestion, ecn::ect0);
    f.mark_congestion_experienced();
    EXPECT_EQ(f.octets()[15], 0x3f);
    EXPECT_EQ(find_headers(f.octets(), f.stored).dscp, 24);
    EXPECT_EQ(find_headers(f.octets(), f.stored).congestion, ecn::ce);
}

TEST(frame_pool, counts_what_is_held) {
    frame_pool pool;
    EXPECT_EQ(pool.in_use(), 0U);
    std::vector<frame*> held;
    for (int i = 0; i < 257; ++i) held.push_back(pool.take());  // one more than a block
    EXPECT_EQ(pool.in_use(), 257U);
    held.back()->retain();
    for (frame* f : held) f->release();
    EXPECT_EQ(pool.in_use(), 1U);
    held.back()->release();
    EXPECT_EQ(pool.in_use(), 0U);
}

TEST(frame_pool, hands_out_cleared_frames) {
    frame_pool pool;
    frame* f = pool.take();
    const octet_string wire = from_hex(golden::pfc_xon_c3);
    f->assign(wire.data(), 60, 64);
    f->flow = 7;
    f->sequence = 9;
    f->fcs_good = false;
    f->note.drop_reason = 3;
    f->release();
    f = pool.take();
    EXPECT_EQ(f->flow, frame::no_flow);
    EXPECT_EQ(f->sequence, 0U);
    EXPECT_TRUE(f->fcs_good);
    EXPECT_EQ(f->note.drop_reason, 0);
    EXPECT_EQ(f->headers.type, 0);
    EXPECT_EQ(f->stored, 0U);
    f->release();
}

}  // namespace
}  // namespace weir::ethernet
