// SPDX-License-Identifier: Apache-2.0
// What a switch needs to know of a frame's headers: Ethernet, VLAN, IPv4, IPv6, UDP, RoCEv2.
#pragma once

#include <array>
#include <cstdint>

namespace weir::ethernet {

using mac_address = std::array<std::uint8_t, 6>;

/// 01-80-C2-00-00-01: MAC Control frames go here and bridges never forward it.
constexpr mac_address mac_control_address{0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};

/// Octets of the addresses and the EtherType, without a tag.
constexpr std::uint32_t ethernet_header = 14;

namespace ethertype {
constexpr std::uint16_t ipv4 = 0x0800;
constexpr std::uint16_t vlan = 0x8100;
constexpr std::uint16_t ipv6 = 0x86dd;
constexpr std::uint16_t mac_control = 0x8808;
constexpr std::uint16_t lldp = 0x88cc;
}  // namespace ethertype

constexpr std::uint16_t rocev2_port = 4791;
constexpr std::uint8_t bth_opcode_cnp = 0x81;

/// RFC 3168 section 5.
enum class ecn : std::uint8_t { not_ect = 0, ect1 = 1, ect0 = 2, ce = 3 };

enum class network_protocol : std::uint8_t { none, ipv4, ipv6 };

/// Where the headers are and what they say. Offsets count from the first octet of the destination address; a header
/// that is not whole within the stored octets is not there.
struct header_view {
    std::uint16_t type{0};  ///< EtherType behind the VLAN tag, if any
    bool tagged{false};
    std::uint8_t pcp{0};
    std::uint8_t dei{0};
    std::uint16_t vlan_id{0};
    std::uint8_t payload_offset{0};  ///< first octet behind the EtherType
    network_protocol network{network_protocol::none};
    std::uint8_t network_offset{0};
    std::uint8_t dscp{0};
    ecn congestion{ecn::not_ect};
    std::uint8_t protocol{0};  ///< IP protocol or next header
    std::uint8_t transport_offset{0};
    std::uint16_t source_port{0};  ///< UDP or TCP, else 0
    std::uint16_t destination_port{0};
    bool rocev2{false};  ///< UDP to port 4791 with a whole BTH
    std::uint8_t bth_opcode{0};
    std::uint32_t flow_hash{0};  ///< over addresses, protocol and ports: the input of ECMP
};

/// Finds the headers in the first `count` octets of a frame.
[[nodiscard]] header_view find_headers(const std::uint8_t* octets, std::uint32_t count);

}  // namespace weir::ethernet
