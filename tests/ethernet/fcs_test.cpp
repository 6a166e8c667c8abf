// SPDX-License-Identifier: Apache-2.0
// The frame check sequence and the Internet checksum against published values.
#include "models/ethernet/fcs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <set>

#include "tests/conformance/conformance.h"
#include "tests/ethernet/support.h"

namespace weir::ethernet {
namespace {

using testing::from_hex;
using testing::octet_string;
namespace golden = testing::golden;

// The check value of CRC-32: "123456789" gives CBF43926 in every catalogue.
TEST(fcs, gives_the_catalogue_check_value) {
    const std::string text = "123456789";
    EXPECT_EQ(crc32{}.add(reinterpret_cast<const std::uint8_t*>(text.data()), 9).value(), 0xcbf43926U);
}

TEST(fcs, is_the_same_in_one_piece_and_in_two) {
    const octet_string wire = from_hex(golden::pfc_all8_ffff);
    const std::uint32_t whole = crc32{}.add(wire.data(), 60).value();
    EXPECT_EQ(crc32{}.add(wire.data(), 17).add(wire.data() + 17, 43).value(), whole);
    EXPECT_EQ(crc32{}.add(wire.data(), 0).add(wire.data(), 60).value(), whole);
}

TEST(fcs, leaves_the_residue_over_a_good_frame) {
    std::set<std::uint32_t> residues;
    for (const auto hex :
         {golden::pfc_xoff_c3_ffff, golden::pfc_xon_c3, golden::pfc_c0_4321_c5_1234, golden::pfc_all8_ffff,
          golden::pfc_vector_zero, golden::pfc_disabled_but_timed_c3, golden::pfc_reserved_hi_byte,
          golden::pfc_tagged_vid0_pcp7, golden::pause_ffff, golden::pause_xon, golden::pfc_bad_da}) {
        const octet_string wire = from_hex(hex);
        ASSERT_EQ(wire.size(), 64U);
        EXPECT_EQ(crc32{}.add(wire.data(), 64).value(), crc_residue) << hex;
        residues.insert(crc32{}.add(wire.data(), 64).value());
        EXPECT_TRUE(fcs_matches(wire.data(), 64));
    }
    EXPECT_FALSE(fcs_matches(from_hex(golden::pfc_bad_fcs).data(), 64));
    conformance::row("std.frame", "frame and FCS: residue 2144df1c", fmt::format("{:08x}", fmt::join(residues, " ")));
}

TEST(fcs, over_zeros_not_materialised_equals_fcs_over_zeros) {
    octet_string body = from_hex("0180c200000100010203040508004500");
    for (const std::uint32_t zeros : {0U, 1U, 2U, 3U, 63U, 64U, 4096U, 15'980U}) {
        octet_string padded = body;
        padded.resize(body.size() + zeros, 0);
        EXPECT_EQ(frame_check_sequence(body.data(), 16, zeros),
                  frame_check_sequence(padded.data(), static_cast<std::uint32_t>(padded.size())))
            << zeros;
    }
}

TEST(fcs, retreat_undoes_advance) {
    EXPECT_EQ(retreat_over_zeros(advance_over_zeros(0x12345678, 4100), 4100), 0x12345678U);
    EXPECT_EQ(retreat_over_zeros(advance_over_zeros(0xffffffff, 1), 1), 0xffffffffU);
}

// IPv4 header of the captured CNP: its checksum field is 9161.
TEST(internet_checksum, matches_a_captured_header) {
    octet_string cnp = from_hex(golden::cnp_connectx4lx);
    EXPECT_EQ(internet_checksum(internet_sum(cnp.data() + 14, 20)), 0);
    cnp[24] = cnp[25] = 0;
    EXPECT_EQ(internet_checksum(internet_sum(cnp.data() + 14, 20)), 0x9161);
}

// The worked example of RFC 1624 section 4: DD2F, 5555 → 3285 gives 0000, where the older formula gave FFFF.
TEST(internet_checksum, updates_as_rfc_1624_shows) {
    EXPECT_EQ(update_checksum(0xdd2f, 0x5555, 0x3285), 0x0000);
}

}  // namespace
}  // namespace weir::ethernet
