// SPDX-License-Identifier: Apache-2.0
// Finding headers: every step first asks whether the header is whole within the octets at hand.
#include "models/ethernet/headers.h"

#include <cstring>

namespace weir::ethernet {
namespace {

constexpr std::uint32_t vlan_tag = 4;
constexpr std::uint32_t ipv4_minimum = 20;
constexpr std::uint32_t ipv6_header = 40;
constexpr std::uint32_t udp_header = 8;
constexpr std::uint32_t tcp_ports = 4;
constexpr std::uint32_t bth_header = 12;
constexpr std::uint32_t farthest_offset = 255;  // offsets are octets in header_view

constexpr std::uint8_t hop_by_hop = 0;
constexpr std::uint8_t tcp = 6;
constexpr std::uint8_t udp = 17;

std::uint16_t big16(const std::uint8_t* p) {
    return static_cast<std::uint16_t>(p[0] << 8 | p[1]);
}

std::uint64_t word64(const std::uint8_t* p) {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | p[i];
    return value;
}

std::uint32_t word32(const std::uint8_t* p) {
    return std::uint32_t{big16(p)} << 16 | big16(p + 2);
}

/// Mixes one word into a hash: a step of splitmix64, which adds the golden ratio's odd 64-bit fraction and then
/// finalises (two odd multipliers, three shifts). Every input bit reaches every output bit with probability near one
/// half, so that ECMP groups of any size are filled evenly and two switches with different seeds choose independently.
std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
    std::uint64_t x = (hash ^ word) + 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

struct cursor {
    const std::uint8_t* octets;
    std::uint32_t count;
    [[nodiscard]] bool holds(std::uint32_t offset, std::uint32_t length) const {
        return offset <= count && length <= count - offset;
    }
};

/// Ports and BTH. `hash` covers what stands before; fragments are hashed without ports, so that all of them go one way.
void find_transport(const cursor& at, header_view& view, bool first_fragment, bool fragment, std::uint64_t hash) {
    const std::uint32_t offset = view.transport_offset;
    hash = mix(hash, view.protocol);
    if (offset != 0 && first_fragment) {
        if (view.protocol == udp && at.holds(offset, udp_header)) {
            view.source_port = big16(at.octets + offset);
            view.destination_port = big16(at.octets + offset + 2);
            if (view.destination_port == rocev2_port && at.holds(offset, udp_header + bth_header)) {
                view.rocev2 = true;
                view.bth_opcode = at.octets[offset + udp_header];
            }
        } else if (view.protocol == tcp && at.holds(offset, tcp_ports)) {
            view.source_port = big16(at.octets + offset);
            view.destination_port = big16(at.octets + offset + 2);
        }
        if (!fragment) hash = mix(hash, std::uint64_t{view.source_port} << 16 | view.destination_port);
    }
    view.flow_hash = static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

bool find_ipv4(const cursor& at, header_view& view) {
    const std::uint32_t offset = view.payload_offset;
    if (!at.holds(offset, ipv4_minimum)) return false;
    const std::uint8_t* ip = at.octets + offset;
    const std::uint32_t length = (ip[0] & 0x0fU) * 4;
    if (ip[0] >> 4 != 4 || length < ipv4_minimum || !at.holds(offset, length)) return false;
    view.network = network_protocol::ipv4;
    view.network_offset = view.payload_offset;
    view.dscp = ip[1] >> 2;
    view.congestion = static_cast<ecn>(ip[1] & 3);
    view.protocol = ip[9];
    view.transport_offset = static_cast<std::uint8_t>(offset + length);
    const std::uint16_t fragment = big16(ip + 6);
    const bool first = (fragment & 0x1fff) == 0;
    find_transport(at, view, first, (fragment & 0x3fff) != 0, mix(0, word64(ip + 12)));
    return true;
}

bool find_ipv6(const cursor& at, header_view& view) {
    const std::uint32_t offset = view.payload_offset;
    if (!at.holds(offset, ipv6_header)) return false;
    const std::uint8_t* ip = at.octets + offset;
    if (ip[0] >> 4 != 6) return false;
    const auto traffic_class = static_cast<std::uint8_t>((ip[0] & 0x0f) << 4 | ip[1] >> 4);
    view.network = network_protocol::ipv6;
    view.network_offset = view.payload_offset;
    view.dscp = traffic_class >> 2;
    view.congestion = static_cast<ecn>(traffic_class & 3);
    view.protocol = ip[6];
    std::uint32_t transport = offset + ipv6_header;
    if (view.protocol == hop_by_hop && at.holds(transport, 8)) {
        view.protocol = at.octets[transport];
        transport += 8 + at.octets[transport + 1] * 8U;
    }
    view.transport_offset = transport <= farthest_offset ? static_cast<std::uint8_t>(transport) : 0;
    std::uint64_t hash = mix(0, word64(ip + 8));
    hash = mix(hash, word64(ip + 16));
    hash = mix(hash, word64(ip + 24));
    hash = mix(hash, word64(ip + 32));
    find_transport(at, view, true, false, hash);
    return true;
}

}  // namespace

header_view find_headers(const std::uint8_t* octets, std::uint32_t count) {
    header_view view;
    const cursor at{octets, count};
    if (!at.holds(0, ethernet_header)) return view;
    view.type = big16(octets + 12);
    view.payload_offset = ethernet_header;
    if (view.type == ethertype::vlan && at.holds(ethernet_header, vlan_tag)) {
        const std::uint16_t control = big16(octets + 14);
        view.tagged = true;
        view.pcp = static_cast<std::uint8_t>(control >> 13);
        view.dei = control >> 12 & 1;
        view.vlan_id = control & 0x0fff;
        view.type = big16(octets + 16);
        view.payload_offset = ethernet_header + vlan_tag;
    }
    if (view.type == ethertype::ipv4 && find_ipv4(at, view)) return view;
    if (view.type == ethertype::ipv6 && find_ipv6(at, view)) return view;
    const std::uint64_t hash = mix(mix(mix(0, word64(octets)), word32(octets + 8)), view.type);
    view.flow_hash = static_cast<std::uint32_t>(hash ^ (hash >> 32));
    return view;
}

}  // namespace weir::ethernet
