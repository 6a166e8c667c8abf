// SPDX-License-Identifier: Apache-2.0
// RoCEv2 and UDP frames: a captured CNP rebuilt octet by octet, lengths, and checksums that stay right.
#include "models/ethernet/rocev2.h"

#include <gmock/gmock.h>

#include "tests/ethernet/support.h"

namespace weir::ethernet {
namespace {

using testing::from_hex;
using testing::octet_string;
using testing::to_hex;
namespace golden = testing::golden;

udp_path cnp_path() {
    udp_path path;
    path.destination_mac = {0xe4, 0x1d, 0x2d, 0xab, 0x2b, 0xc2};
    path.source_mac = {0x7c, 0xfe, 0x90, 0x64, 0x3b, 0x32};
    path.source_ipv4 = {10, 0, 17, 1};
    path.destination_ipv4 = {10, 0, 18, 1};
    path.dscp = 48;
    path.congestion = ecn::ect0;
    path.identification = 0x718c;
    path.source_port = 0;
    return path;
}

/// ICRC as the wire shows it: the four octets before the FCS.
std::uint32_t icrc_on_wire(const frame& f) {
    const octet_string wire = f.wire_octets();
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value |= std::uint32_t{wire[wire.size() - 8 + i]} << (8 * i);
    return value;
}

/// The ICRC computed plainly over the whole frame as it stands on the wire.
std::uint32_t icrc_by_recipe(const frame& f) {
    octet_string wire = f.wire_octets();
    frame whole;
    whole.assign(wire.data(), f.length - 4, f.length);
    return invariant_crc(whole);
}

TEST(rocev2, rebuilds_a_captured_cnp) {
    bth transport;
    transport.queue_pair = 0x118;
    frame f;
    build_cnp(f, cnp_path(), transport);
    EXPECT_EQ(f.length, 78U);
    EXPECT_EQ(to_hex({f.octets(), f.octets() + f.stored}), golden::cnp_connectx4lx);
}

TEST(rocev2, computes_the_icrc_of_a_captured_cnp) {
    const octet_string cnp = from_hex(golden::cnp_connectx4lx);
    frame f;
    f.assign(cnp.data(), 74, 78);
    EXPECT_EQ(invariant_crc(f), 0x2a00fd82U);  // 82fd002a on the wire, least significant octet first
}

// 14 + 20 + 8 + 12 + 4096 + 4 + 4.
TEST(rocev2, a_frame_of_4096_payload_octets_is_4158_long) {
    frame f;
    build_rocev2(f, cnp_path(), bth{}, 4096);
    EXPECT_EQ(f.length, 4158U);
    EXPECT_EQ(rocev2_frame_octets(cnp_path(), 4096), 4158U);
    EXPECT_EQ(f.stored, 58U);
    EXPECT_EQ(f.octets()[16] << 8 | f.octets()[17], 4140);  // IP length: 20 + 8 + 12 + 4096 + 4
    EXPECT_EQ(f.octets()[38] << 8 | f.octets()[39], 4120);  // UDP length
    EXPECT_TRUE(f.headers.rocev2);
}

TEST(rocev2, pads_the_payload_to_whole_words) {
    frame f;
    build_rocev2(f, cnp_path(), bth{}, 1021);
    EXPECT_EQ(f.length, 62U + 1024U);
    EXPECT_EQ(f.octets()[43] >> 4 & 3, 3);
    build_rocev2(f, cnp_path(), bth{}, 1024);
    EXPECT_EQ(f.length, 62U + 1024U);
    EXPECT_EQ(f.octets()[43] >> 4 & 3, 0);
}

TEST(rocev2, carries_a_right_icrc_although_its_end_is_not_stored) {
    for (const auto network : {network_protocol::ipv4, network_protocol::ipv6}) {
        for (const std::uint32_t payload : {0U, 4U, 8U, 256U, 4096U, 9000U}) {
            for (const bool tagged : {false, true}) {
                udp_path path = cnp_path();
                path.network = network;
                path.tagged = tagged;
                bth transport;
                transport.queue_pair = 0xabcdef;
                transport.sequence = 0x123456;
                frame f;
                build_rocev2(f, path, transport, payload);
                EXPECT_EQ(icrc_on_wire(f), icrc_by_recipe(f)) << payload;
                EXPECT_EQ(f.length, rocev2_frame_octets(path, payload));
            }
        }
    }
}

TEST(rocev2, a_new_sequence_number_keeps_the_icrc_right) {
    frame f;
    build_rocev2(f, cnp_path(), bth{}, 4096);
    for (const std::uint32_t sequence : {1U, 0x000100U, 0x010000U, 0xffffffU, 0x5a5a5aU, 0U}) {
        set_sequence(f, sequence);
        frame fresh;
        bth transport;
        transport.sequence = sequence;
        build_rocev2(fresh, cnp_path(), transport, 4096);
        EXPECT_EQ(to_hex(f.wire_octets()), to_hex(fresh.wire_octets())) << sequence;
        EXPECT_EQ(icrc_on_wire(f), icrc_by_recipe(f)) << sequence;
    }
}

TEST(rocev2, another_opcode_and_wish_keep_the_icrc_right) {
    frame f;
    build_rocev2(f, cnp_path(), bth{}, 4096);
    for (const std::uint8_t opcode : {bth_opcode_send_first, bth_opcode_send_last, bth_opcode_send_middle}) {
        for (const bool wish : {true, false}) {
            set_request(f, opcode, wish);
            frame fresh;
            bth transport;
            transport.opcode = opcode;
            transport.acknowledge = wish;
            build_rocev2(fresh, cnp_path(), transport, 4096);
            EXPECT_EQ(to_hex(f.wire_octets()), to_hex(fresh.wire_octets()));
            EXPECT_EQ(f.headers.bth_opcode, opcode);
        }
    }
}

// InfiniBand 1.4, 9.2 and 9.5: BTH of opcode 11 hex, then the AETH's syndrome and MSN. 14 + 20 + 8 + 12 + 4 + 4 + 4.
TEST(rocev2, an_acknowledgement_has_its_octets_in_place) {
    bth transport;
    transport.queue_pair = 0x012345;
    transport.sequence = 0xfedcba;
    frame f;
    build_ack(f, cnp_path(), transport, {syndrome_ack, 0x000102});
    EXPECT_EQ(f.length, 66U);
    const std::uint8_t* header = f.octets() + 42;
    EXPECT_EQ(to_hex({header, header + 16}), "1100ffff0001234500fedcba1f000102");
    EXPECT_EQ(f.octets()[16] << 8 | f.octets()[17], 48);  // IP length: 20 + 8 + 12 + 4 + 4
    EXPECT_EQ(f.octets()[38] << 8 | f.octets()[39], 28);  // UDP length
    EXPECT_EQ(icrc_on_wire(f), icrc_by_recipe(f));
    EXPECT_FALSE(read_aeth(f)->negative());
}

TEST(rocev2, a_changed_acknowledgement_is_the_one_built_so) {
    frame f;
    bth transport;
    transport.queue_pair = 7;
    build_ack(f, cnp_path(), transport, {});
    for (const std::uint32_t sequence : {1U, 0xffffffU, 0x00ab00U}) {
        for (const bool echo : {true, false}) {
            const aeth what{syndrome_sequence_error, sequence ^ 0x5a5a5aU};
            set_acknowledgement(f, sequence, what, echo);
            bth wanted = transport;
            wanted.sequence = sequence;
            wanted.backward_notification = echo;
            frame fresh;
            build_ack(fresh, cnp_path(), wanted, what);
            EXPECT_EQ(to_hex(f.wire_octets()), to_hex(fresh.wire_octets()));
            EXPECT_EQ(icrc_on_wire(f), icrc_by_recipe(f));
            EXPECT_EQ(read_bth(f).sequence, sequence);
            EXPECT_EQ(read_bth(f).queue_pair, 7U);
            EXPECT_EQ(read_bth(f).backward_notification, echo);
            EXPECT_TRUE(read_aeth(f)->negative());
            EXPECT_EQ(read_aeth(f)->message, what.message);
        }
    }
}

TEST(rocev2, marking_leaves_the_icrc_valid) {
    frame f;
    build_rocev2(f, cnp_path(), bth{}, 1024);
    f.mark_congestion_experienced();
    EXPECT_EQ(icrc_on_wire(f), icrc_by_recipe(f));
}

TEST(udp, has_the_length_asked_for) {
    for (const auto network : {network_protocol::ipv4, network_protocol::ipv6}) {
        udp_path path = cnp_path();
        path.network = network;
        frame f;
        const std::uint32_t least = network == network_protocol::ipv6 ? 66 : 64;
        build_udp(f, path, least);
        EXPECT_EQ(f.length, least);
        EXPECT_THROW(build_udp(f, path, least - 1), std::invalid_argument);
        build_udp(f, path, 16'000);
        EXPECT_EQ(f.length, 16'000U);
        EXPECT_THROW(build_udp(f, path, 16'001), std::invalid_argument);
    }
}

// RFC 768: the sum over pseudo header, header and data, checksum included, is all ones.
TEST(udp, has_a_right_checksum) {
    udp_path path = cnp_path();
    path.destination_port = 9;
    frame f;
    build_udp(f, path, 1518);
    const std::uint8_t* udp = f.octets() + 34;
    const std::uint32_t length = 1518 - 14 - 20 - 4;
    EXPECT_EQ(udp[4] << 8 | udp[5], static_cast<int>(length));
    EXPECT_EQ(internet_checksum(internet_sum(f.octets() + 26, 16) + 17 + length), 0);
    path.network = network_protocol::ipv6;
    build_udp(f, path, 1518);
    EXPECT_EQ(internet_checksum(internet_sum(f.octets() + 22, 40) + 17 + length - 20), 0);
}

}  // namespace
}  // namespace weir::ethernet
