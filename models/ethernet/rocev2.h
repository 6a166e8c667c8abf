// SPDX-License-Identifier: Apache-2.0
// Frames that end stations send: RoCEv2 data, acknowledgements, congestion notification packets (CNP), and plain UDP of
// a given length.
//
//   Ethernet 14 [+ VLAN 4] │ IPv4 20 or IPv6 40 │ UDP 8 │ BTH 12 │ payload │ ICRC 4 │ FCS 4
//
// A template stores its headers and the first four octets of its payload; the payload's other octets are zeros. Those
// four octets are chosen so that the invariant CRC comes out as zero: then the frame is right to the last octet on the
// wire although its end is stored nowhere.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

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

/// Opcodes of the InfiniBand base transport header that Weir sends: reliable connections.
constexpr std::uint8_t bth_opcode_send_first = 0x00;
constexpr std::uint8_t bth_opcode_send_middle = 0x01;
constexpr std::uint8_t bth_opcode_send_last = 0x02;
constexpr std::uint8_t bth_opcode_send_only = 0x04;
constexpr std::uint8_t bth_opcode_acknowledge = 0x11;

/// A packet sequence number (PSN) and a message sequence number have 24 bits and wrap.
constexpr std::uint32_t sequence_mask = 0xffffff;

struct bth {
    std::uint8_t opcode{bth_opcode_send_only};
    std::uint16_t partition{0xffff};
    bool migration{false};
    bool backward_notification{false};  ///< BECN, set in every CNP
    std::uint32_t queue_pair{0};        ///< destination QP, 24 bits
    bool acknowledge{false};
    std::uint32_t sequence{0};  ///< PSN, 24 bits
};

/// Syndromes of the acknowledge extended transport header (AETH), InfiniBand 1.4 table 46.
constexpr std::uint8_t syndrome_ack = 0x1f;  ///< no credit limit: SENDs always find a buffer
constexpr std::uint8_t syndrome_sequence_error = 0x60;

struct aeth {
    std::uint8_t syndrome{syndrome_ack};
    std::uint32_t message{0};  ///< messages completed so far (MSN), 24 bits
    [[nodiscard]] bool negative() const { return (syndrome & 0x60U) == 0x60; }
};

/// Wire length, FCS included, of a data frame with that payload; the payload is padded to whole words.
/// 4096 octets over untagged IPv4 make 4158.
[[nodiscard]] std::uint32_t rocev2_frame_octets(const udp_path& path, std::uint32_t payload_octets);

/// Makes `out` a RoCEv2 data frame whose payload is all zeros but for its first word (see above).
void build_rocev2(frame& out, const udp_path& path, const bth& transport, std::uint32_t payload_octets);

/// Makes `out` the CNP that tells the sender of a marked frame to slow down: opcode 0x81, BECN, sixteen reserved
/// octets. `transport.opcode` and `transport.backward_notification` are set here.
void build_cnp(frame& out, const udp_path& path, const bth& transport);

/// Makes `out` an acknowledgement: opcode 0x11, AETH, 66 octets over untagged IPv4. `transport.opcode` is set here;
/// `transport.backward_notification` is the congestion echo (no part of the ICRC, as in every BTH).
void build_ack(frame& out, const udp_path& path, const bth& transport, const aeth& what);

/// Gives a data frame made by build_rocev2 (payload of four octets or more) another PSN and keeps its ICRC right.
/// A few table look-ups: meant for every frame of a flow.
void set_sequence(frame& data, std::uint32_t sequence);
/// The same for its opcode, which stays a SEND's, and its wish to be acknowledged.
void set_request(frame& data, std::uint8_t opcode, bool acknowledge);
/// The same for all that changes from one acknowledgement of a queue pair to the next.
void set_acknowledgement(frame& ack, std::uint32_t sequence, const aeth& what, bool congestion_echo);

/// What the BTH says. Precondition: headers.rocev2.
[[nodiscard]] bth read_bth(const frame& f);
/// What the AETH says; nothing unless the frame is a whole acknowledgement.
[[nodiscard]] std::optional<aeth> read_aeth(const frame& f);

/// Makes `out` a plain UDP frame of `wire_octets`, FCS included, with a zero payload and a right UDP checksum.
/// At least 64, and at least the headers and the FCS; std::invalid_argument otherwise.
void build_udp(frame& out, const udp_path& path, std::uint32_t wire_octets);

/// The invariant CRC of a RoCEv2 frame, computed over what is stored and the zeros behind it; nothing is read beyond.
/// Goes onto the wire least significant octet first. Precondition: headers.rocev2.
[[nodiscard]] std::uint32_t invariant_crc(const frame& f);

}  // namespace weir::ethernet
