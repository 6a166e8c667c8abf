// SPDX-License-Identifier: Apache-2.0
// PFC and PAUSE frames, octet by octet, and the order of the parser's gates (rule G5).
#include "models/ethernet/mac_control.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>
#include <utility>

#include "tests/conformance/conformance.h"
#include "tests/ethernet/support.h"

namespace weir::ethernet {
namespace {

using testing::from_hex;
using testing::octet_string;
using testing::receive;
using testing::repair_fcs;
using testing::to_hex;
namespace golden = testing::golden;
using outcome = mac_control_outcome;

constexpr mac_address source{0x00, 0x01, 0x02, 0x03, 0x04, 0x05};

mac_control parsed(const octet_string& wire) {
    frame f;
    receive(f, wire);
    return parse_mac_control(f);
}
mac_control parsed(std::string_view hex) {
    return parsed(from_hex(hex));
}

std::string built_pfc(const mac_address& from, std::uint8_t vector, const pause_times& time) {
    frame f;
    build_pfc(f, from, vector, time);
    return to_hex(f.wire_octets());
}

/// As far as the time of class 3, and the FCS.
std::string in_short(std::string_view hex) {
    return fmt::format("{} … {}", hex.substr(0, 52), hex.substr(120));
}

TEST(mac_control, builds_the_golden_frames) {
    EXPECT_EQ(built_pfc(source, 0x08, {0, 0, 0, 0xffff}), golden::pfc_xoff_c3_ffff);
    EXPECT_EQ(built_pfc(source, 0x08, {}), golden::pfc_xon_c3);
    EXPECT_EQ(built_pfc({0x00, 0x01, 0x01, 0x01, 0x01, 0x01}, 0x21, {0x4321, 0, 0, 0, 0, 0x1234}),
              golden::pfc_c0_4321_c5_1234);
    EXPECT_EQ(built_pfc(source, 0xff, {0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff}),
              golden::pfc_all8_ffff);
    EXPECT_EQ(built_pfc(source, 0x00, {}), golden::pfc_vector_zero);
    frame f;
    build_pause(f, source, 0xffff);
    EXPECT_EQ(to_hex(f.wire_octets()), golden::pause_ffff);
    const std::string pause = to_hex(f.wire_octets());
    build_pause(f, source, 0);
    EXPECT_EQ(to_hex(f.wire_octets()), golden::pause_xon);

    const std::string xoff = built_pfc(source, 0x08, {0, 0, 0, 0xffff});
    const std::string all = built_pfc(source, 0xff, {0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff});
    for (const char* id : {"M01", "S03", "std.frame"}) {
        conformance::row(id, in_short(golden::pfc_xoff_c3_ffff), in_short(xoff));
    }
    conformance::row("S04", in_short(golden::pfc_xon_c3), in_short(built_pfc(source, 0x08, {})));
    conformance::row("std.frame", in_short(golden::pause_ffff), in_short(pause));
    conformance::row(
        "S01", "to 0180c2000001, type 8808, opcode 0101",
        fmt::format("to {}, type {}, opcode {}", xoff.substr(0, 12), xoff.substr(24, 4), xoff.substr(28, 4)));
    conformance::row("S05", golden::pfc_all8_ffff.substr(32, 36), all.substr(32, 36));
}

// The two frames side by side: what is no pad carries parameters.
TEST(mac_control, pause_and_pfc_are_one_size) {
    frame pause;
    build_pause(pause, source, 0xffff);
    frame pfc;
    build_pfc(pfc, source, 0xff, {0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff});
    const auto described = [](const frame& f) {
        const octet_string wire = f.wire_octets();
        std::size_t pad = 0;
        while (wire[59 - pad] == 0) ++pad;
        return fmt::format("opcode {}, {} octets of parameters, {} of pad, {} with FCS, {} bits on the wire",
                           to_hex({wire.begin() + 14, wire.begin() + 16}), 60 - 14 - pad, pad, wire.size(),
                           (f.length + wire_overhead_octets) * 8);
    };
    const std::string of_pause = "opcode 0001, 4 octets of parameters, 42 of pad, 64 with FCS, 672 bits on the wire";
    const std::string of_pfc = "opcode 0101, 20 octets of parameters, 26 of pad, 64 with FCS, 672 bits on the wire";
    EXPECT_EQ(described(pause), of_pause);
    EXPECT_EQ(described(pfc), of_pfc);
    conformance::row("table.frames", "PAUSE: " + of_pause, described(pause));
    conformance::row("table.frames", "PFC: " + of_pfc, described(pfc));
}

// P1, P2, P3: opcode at octets 14–15, 60 body octets, a disabled class carries 0000, for every vector.
TEST(mac_control, sends_time_zero_for_classes_outside_the_vector) {
    const pause_times all{1, 2, 3, 4, 5, 6, 7, 8};
    std::set<std::pair<std::uint32_t, std::uint32_t>> sizes;
    int unnamed_times = 0;
    int reserved = 0;
    for (unsigned vector = 0; vector < 256; ++vector) {
        frame f;
        build_pfc(f, source, static_cast<std::uint8_t>(vector), all);
        ASSERT_EQ(f.stored, 60U);
        ASSERT_EQ(f.length, 64U);
        sizes.emplace(f.stored, f.length);
        ASSERT_EQ(f.octets()[14], 0x01);
        if (f.octets()[16] != 0) ++reserved;
        ASSERT_EQ(f.octets()[15], 0x01);
        for (unsigned n = 0; n < 8; ++n) {
            const unsigned time = f.octets()[18 + 2 * n] << 8U | f.octets()[19 + 2 * n];
            ASSERT_EQ(time, (vector >> n & 1) != 0 ? n + 1 : 0) << vector;
            if ((vector >> n & 1) == 0 && time != 0) ++unnamed_times;
        }
    }
    EXPECT_EQ(reserved, 0);
    ASSERT_EQ(sizes.size(), 1U);
    conformance::row("S02", "every vector: 60 octets, 64 with FCS",
                     fmt::format("{}, {}", sizes.begin()->first, sizes.begin()->second));
    conformance::row("S06", "1024 classes not named in 256 vectors: 0 of them with a time",
                     fmt::format("{}", unnamed_times));
    conformance::row("S07", "256 vectors: octet 16 set in 0", fmt::format("{}", reserved));
}

TEST(mac_control, parses_pfc) {
    const mac_control xoff = parsed(golden::pfc_xoff_c3_ffff);
    EXPECT_EQ(xoff.outcome, outcome::pfc);
    EXPECT_FALSE(xoff.tagged);
    EXPECT_EQ(xoff.vector, 0x08);
    EXPECT_EQ(xoff.time, (pause_times{0, 0, 0, 0xffff}));

    const mac_control two = parsed(golden::pfc_c0_4321_c5_1234);
    EXPECT_EQ(two.vector, 0x21);
    EXPECT_EQ(two.time, (pause_times{0x4321, 0, 0, 0, 0, 0x1234}));
}

// The field is 0108: the reserved high octet names no class, the low one names class 3.
TEST(mac_control, ignores_the_reserved_octet_of_the_vector) {
    const mac_control reserved = parsed(golden::pfc_reserved_hi_byte);
    EXPECT_EQ(reserved.outcome, outcome::pfc);
    EXPECT_EQ(reserved.vector, 0x08);
    EXPECT_EQ(reserved.time[3], 0xffff);
}

TEST(mac_control, reports_the_time_of_a_class_that_the_vector_leaves_out) {
    const mac_control timed = parsed(golden::pfc_disabled_but_timed_c3);
    EXPECT_EQ(timed.outcome, outcome::pfc);
    EXPECT_EQ(timed.vector, 0x00);
    EXPECT_EQ(timed.time[3], 0x1000);
}

TEST(mac_control, parses_pause) {
    EXPECT_EQ(parsed(golden::pause_ffff).outcome, outcome::pause);
    EXPECT_EQ(parsed(golden::pause_ffff).pause_time, 0xffff);
    EXPECT_EQ(parsed(golden::pause_xon).outcome, outcome::pause);
    EXPECT_EQ(parsed(golden::pause_xon).pause_time, 0);
}

TEST(mac_control, parses_a_tagged_frame_of_68_octets_at_its_own_offsets) {
    octet_string wire = from_hex(golden::pfc_xoff_c3_ffff);
    const octet_string tag = from_hex("8100e000");
    wire.insert(wire.begin() + 12, tag.begin(), tag.end());
    repair_fcs(wire);
    const mac_control tagged = parsed(wire);
    EXPECT_EQ(tagged.outcome, outcome::pfc);
    EXPECT_TRUE(tagged.tagged);
    EXPECT_EQ(tagged.vector, 0x08);
    EXPECT_EQ(tagged.time[3], 0xffff);
}

// A sender that tags first and pads to the minimum afterwards makes 64 octets with the tag: honoured as well (M04).
TEST(mac_control, a_tagged_frame_of_64_octets_is_parsed_at_its_own_offsets) {
    const mac_control control = parsed(golden::pfc_tagged_vid0_pcp7);
    EXPECT_EQ(control.outcome, outcome::pfc);
    EXPECT_TRUE(control.tagged);
    EXPECT_EQ(control.vector, 0x08);
    EXPECT_EQ(control.time[3], 0xffff);
    for (const char* id : {"M04", "D2"}) {
        conformance::row(id, "tagged, vector 08, class 3 ffff",
                         fmt::format("{}, vector {:02x}, class 3 {:04x}", control.tagged ? "tagged" : "untagged",
                                     control.vector, control.time[3]));
    }
}

TEST(mac_control, honours_no_runt_and_no_oversize) {
    for (const std::uint32_t length : {46U, 60U, 63U, 65U, 68U, 1518U}) {
        octet_string wire = from_hex(golden::pfc_xoff_c3_ffff);
        wire.resize(length, 0);
        repair_fcs(wire);
        EXPECT_EQ(parsed(wire).outcome, outcome::malformed_length) << length;
    }
}

TEST(mac_control, a_wrong_address_is_named_before_a_bad_fcs) {
    EXPECT_EQ(parsed(golden::pfc_bad_da).outcome, outcome::wrong_address);
    EXPECT_EQ(parsed(golden::pfc_bad_fcs).outcome, outcome::bad_fcs);
    octet_string both = from_hex(golden::pfc_bad_da);
    both.back() ^= 1;
    EXPECT_EQ(parsed(both).outcome, outcome::wrong_address);
    conformance::row("M03", "wrong address and bad FCS: named for its address",
                     parsed(both).outcome == outcome::wrong_address ? "wrong address" : "bad FCS");
}

TEST(mac_control, other_opcodes_are_unknown) {
    octet_string wire = from_hex(golden::pfc_xoff_c3_ffff);
    wire[15] = 0x02;
    repair_fcs(wire);
    EXPECT_EQ(parsed(wire).outcome, outcome::unknown_opcode);
}

TEST(mac_control, other_types_are_left_alone) {
    frame f;
    const octet_string cnp = from_hex(golden::cnp_connectx4lx);
    f.assign(cnp.data(), 74, 78);
    EXPECT_EQ(parse_mac_control(f).outcome, outcome::not_mac_control);
}

// P5: CRC-32 catches every single-bit error, so none of the 512 commits.
TEST(mac_control, no_single_bit_error_is_honoured) {
    int honoured = 0;
    for (unsigned bit = 0; bit < 512; ++bit) {
        octet_string wire = from_hex(golden::pfc_xoff_c3_ffff);
        wire[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
        EXPECT_FALSE(fcs_matches(wire.data(), 64)) << bit;
        const outcome got = parsed(wire).outcome;
        EXPECT_NE(got, outcome::pfc) << bit;
        EXPECT_NE(got, outcome::pause) << bit;
        if (got == outcome::pfc || got == outcome::pause) ++honoured;
    }
    conformance::row("M03", "512 errors of one bit: 0 honoured", fmt::format("{}", honoured));
}

// P6: 48 one-bit errors of the address, FCS repaired: all 48 are wrong addresses.
TEST(mac_control, no_address_one_bit_away_is_honoured) {
    int wrong = 0;
    for (unsigned bit = 0; bit < 48; ++bit) {
        octet_string wire = from_hex(golden::pfc_xoff_c3_ffff);
        wire[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
        repair_fcs(wire);
        if (parsed(wire).outcome == outcome::wrong_address) ++wrong;
    }
    EXPECT_EQ(wrong, 48);
}

}  // namespace
}  // namespace weir::ethernet
