// SPDX-License-Identifier: Apache-2.0
// Frames that end stations send: RoCEv2 data, congestion notification packets (CNP), and plain UDP of a given length.
//
//   Ethernet 14 [+ VLAN 4] │ IPv4 20 or IPv6 40 │ UDP 8 │ BTH 12 │ payload │ ICRC 4 │ FCS 4
//
// A template stores its headers and the first four octets of its payload; the payload's other octets are zeros. Those
// four octets are chosen so that the invariant CRC comes out as zero: then the frame is right to the last octet on the
// wire although its end is stored nowhere.
#pragma once

#include <array>
#include <cstdint>

#include "models/ethernet/frame.h"

namespace weir::ethernet {

using ipv4_address = std::array<std::uint8_t, 4>;
using ipv6_address = std::array<std::uint8_t, 16>;

/// Addresses and marks of one direction of a conversation.
struct udp_path {
    mac_address source_mac{};
    mac_address destination_mac{};
    bool tagged{false};
    std::uint8_t pcp{0};
    std::uint16_t vlan_id{0};
    network_protocol network{network_protocol::ipv4};  ///< ipv4 or ipv6
    ipv4_address source_ipv4{};
    ipv4_address destination_ipv4{};
    ipv6_address source_ipv6{};
    ipv6_address destination_ipv6{};
    std::uint8_t dscp{0};
    ecn congestion{ecn::not_ect};
    std::uint8_t hop_limit{64};
    std::uint16_t identification{0};  ///< IPv4 only; the don't-fragment bit is always set
    std::uint16_t source_port{49'152};
    std::uint16_t destination_port{rocev2_port};
};

/// Opcodes of the InfiniBand base transport header that Weir sends.
constexpr std::uint8_t bth_opcode_send_only = 0x04;

struct bth {
    std::uint8_t opcode{bth_opcode_send_only};
    std::uint16_t partition{0xffff};
    bool migration{false};
    bool backward_notification{false};  ///< BECN, set in every CNP
    std::uint32_t queue_pair{0};        ///< destination QP, 24 bits
    bool acknowledge{false};
    std::uint32_t sequence{0};  ///< PSN, 24 bits
};

/// Wire length, FCS included, of a data frame with that payload; the payload is padded to whole words.
/// 4096 octets over untagged IPv4 make 4158.
[[nodiscard]] std::uint32_t rocev2_frame_octets(const udp_path& path, std::uint32_t payload_octets);

/// Makes `out` a RoCEv2 data frame whose payload is all zeros but for its first word (see above).
void build_rocev2(frame& out, const udp_path& path, const bth& transport, std::uint32_t payload_octets);

/// Makes `out` the CNP that tells the sender of a marked frame to slow down: opcode 0x81, BECN, sixteen reserved
/// octets. `transport.opcode` and `transport.backward_notification` are set here.
void build_cnp(frame& out, const udp_path& path, const bth& transport);

/// Gives a data frame made by build_rocev2 (payload of four octets or more) another PSN and keeps its ICRC right.
/// A few table look-ups: meant for every frame of a flow.
void set_sequence(frame& data, std::uint32_t sequence);

/// Makes `out` a plain UDP frame of `wire_octets`, FCS included, with a zero payload and a right UDP checksum.
/// At least 64, and at least the headers and the FCS; std::invalid_argument otherwise.
void build_udp(frame& out, const udp_path& path, std::uint32_t wire_octets);

/// The invariant CRC of a RoCEv2 frame, computed over what is stored and the zeros behind it; nothing is read beyond.
/// Goes onto the wire least significant octet first. Precondition: headers.rocev2.
[[nodiscard]] std::uint32_t invariant_crc(const frame& f);

}  // namespace weir::ethernet
