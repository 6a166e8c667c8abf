// SPDX-License-Identifier: Apache-2.0
// DCBX messages: 802.1Q annex D octet by octet, both ways, and what is refused.
#include "models/ethernet/dcbx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "tests/conformance/conformance.h"
#include "tests/ethernet/dcbx_frames.h"

// Of its own namespace: the octets have short names.
namespace weir::ethernet::dcbx_tests {
namespace {

using namespace dcbx_octets;

dcbx_error read(const octet_list& octets, dcbx_message& out) {
    frame_pool frames;
    frame* f = frames.take();
    const auto count = static_cast<std::uint32_t>(octets.size());
    f->assign(octets.data(), count, count + 4);
    const dcbx_error error = parse_dcbx(*f, out);
    f->release();
    return error;
}

// §3.5's values, among type-length-values of others, with padding behind the end.
TEST(dcbx, reads_ets_its_recommendation_and_pfc) {
    dcbx_message m;
    ASSERT_EQ(read(frame_of(vlan + ets + foreign + recommendation + pfc_tlv) + octet_list(7, 0), m), dcbx_error::none);
    EXPECT_EQ(m.seconds, 120);
    ASSERT_TRUE(m.ets && m.ets_recommendation && m.pfc);
    EXPECT_FALSE(m.ets->willing);
    EXPECT_FALSE(m.ets->credit_based_shaper);
    EXPECT_EQ(m.ets->classes, 0);
    EXPECT_EQ(m.ets->table.priority_class, (std::array<std::uint8_t, 8>{15, 4, 1, 1, 15, 4, 1, 4}));
    EXPECT_EQ(m.ets->table.percent, (std::array<std::uint8_t, 8>{0, 50, 0, 0, 50, 0, 0, 0}));
    EXPECT_EQ(m.ets->table.selection[1], transmission_selection::ets);
    EXPECT_EQ(m.ets->table.selection[0], transmission_selection::strict);
    EXPECT_EQ(*m.ets_recommendation, m.ets->table);
    EXPECT_FALSE(m.pfc->willing);
    EXPECT_FALSE(m.pfc->macsec_bypass);
    EXPECT_EQ(m.pfc->capability, 4);
    EXPECT_EQ(m.pfc->enabled, 0x34);
    for (const char* id : {"M39", "std.ets"}) {
        conformance::row(
            id, "TLV: classes 15 4 1 1 15 4 1 4, percent 0 50 0 0 50 0 0 0, selection 0 2; PFC capability 4",
            fmt::format("classes {}, percent {}, selection {} {}; {}", fmt::join(m.ets->table.priority_class, " "),
                        fmt::join(m.ets->table.percent, " "), static_cast<int>(m.ets->table.selection[0]),
                        static_cast<int>(m.ets->table.selection[1]), m.pfc->capability));
    }
}

TEST(dcbx, reads_the_flags) {
    dcbx_message m;
    ASSERT_EQ(read(frame_of(with(pfc_tlv, 6, 0xc8) + with(ets, 6, 0xc3)), m), dcbx_error::none);
    EXPECT_TRUE(m.pfc->willing);
    EXPECT_TRUE(m.pfc->macsec_bypass);
    EXPECT_EQ(m.pfc->capability, 8);
    EXPECT_TRUE(m.ets->willing);
    EXPECT_TRUE(m.ets->credit_based_shaper);
    EXPECT_EQ(m.ets->classes, 3);
    // All strict: no shares. Capability 0 stands for eight.
    octet_list strict = octet_list{254, 25, 0x00, 0x80, 0xc2, 9, 0} + octet_list(20, 0);
    ASSERT_EQ(read(frame_of(strict + with(with(pfc_tlv, 6, 0), 7, 0xff)), m), dcbx_error::none);
    EXPECT_EQ(m.pfc->enabled, 0xff);
}

// Each malformed frame has its reason, and leaves what was known alone.
TEST(dcbx, refuses_what_is_malformed_by_name) {
    for (const bad_frame& bad : bad_frames()) {
        dcbx_message m;
        m.seconds = 77;
        EXPECT_EQ(name_of(read(bad.octets, m)), bad.name);
        EXPECT_EQ(m.seconds, 77);
        EXPECT_FALSE(m.pfc);
    }
}

// No truncation of a good frame is read as a good one.
TEST(dcbx, refuses_every_truncation) {
    const octet_list whole = frame_of(ets + recommendation + pfc_tlv);
    for (std::size_t octets = 14; octets < whole.size(); ++octets) {
        dcbx_message m;
        EXPECT_NE(read(octet_list(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(octets)), m),
                  dcbx_error::none)
            << octets;
    }
}

TEST(dcbx, builds_the_octets_that_it_reads) {
    dcbx_message m;
    ASSERT_EQ(read(frame_of(ets + recommendation + pfc_tlv), m), dcbx_error::none);
    frame_pool frames;
    frame* f = frames.take();
    build_dcbx(*f, {2, 0, 0, 0, 0, 7}, m);
    octet_list built = f->wire_octets();
    built.resize(built.size() - 4);
    EXPECT_EQ(built, frame_of(ets + recommendation + pfc_tlv));
    build_dcbx(*f, {2, 0, 0, 0, 0, 7}, {});
    EXPECT_EQ(f->length, 64U);
    dcbx_message back;
    EXPECT_EQ(parse_dcbx(*f, back), dcbx_error::none);
    EXPECT_FALSE(back.pfc || back.ets);
    f->release();
}

}  // namespace
}  // namespace weir::ethernet::dcbx_tests
