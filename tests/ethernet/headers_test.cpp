// SPDX-License-Identifier: Apache-2.0
// Finding headers: what is there, and what is not there because it is not whole.
#include "models/ethernet/headers.h"

#include <gmock/gmock.h>

#include <memory>
#include <set>

#include "models/ethernet/rocev2.h"
#include "tests/ethernet/support.h"

namespace weir::ethernet {
namespace {

using testing::from_hex;
using testing::octet_string;
namespace golden = testing::golden;

header_view headers_of(const octet_string& octets) {
    return find_headers(octets.data(), static_cast<std::uint32_t>(octets.size()));
}

TEST(headers, of_a_captured_cnp) {
    const header_view h = headers_of(from_hex(golden::cnp_connectx4lx));
    EXPECT_EQ(h.type, ethertype::ipv4);
    EXPECT_FALSE(h.tagged);
    EXPECT_EQ(h.network, network_protocol::ipv4);
    EXPECT_EQ(h.dscp, 48);
    EXPECT_EQ(h.congestion, ecn::ect0);
    EXPECT_EQ(h.protocol, 17);
    EXPECT_EQ(h.transport_offset, 34);
    EXPECT_EQ(h.source_port, 0);
    EXPECT_EQ(h.destination_port, 4791);
    EXPECT_TRUE(h.rocev2);
    EXPECT_EQ(h.bth_opcode, bth_opcode_cnp);
}

TEST(headers, behind_a_vlan_tag) {
    octet_string data = from_hex(golden::cnp_connectx4lx);
    const octet_string tag = from_hex("8100b123");  // PCP 5, DEI 1, VLAN 0x123
    data.insert(data.begin() + 12, tag.begin(), tag.end());
    const header_view h = headers_of(data);
    EXPECT_TRUE(h.tagged);
    EXPECT_EQ(h.pcp, 5);
    EXPECT_EQ(h.dei, 1);
    EXPECT_EQ(h.vlan_id, 0x123);
    EXPECT_EQ(h.type, ethertype::ipv4);
    EXPECT_EQ(h.payload_offset, 18);
    EXPECT_EQ(h.transport_offset, 38);
    EXPECT_TRUE(h.rocev2);
}

TEST(headers, behind_ipv4_options) {
    octet_string data = from_hex(golden::cnp_connectx4lx);
    data[14] = 0x46;
    const octet_string options = from_hex("01010100");
    data.insert(data.begin() + 34, options.begin(), options.end());
    const header_view h = headers_of(data);
    EXPECT_EQ(h.transport_offset, 38);
    EXPECT_TRUE(h.rocev2);
}

TEST(headers, later_fragments_have_no_ports) {
    octet_string data = from_hex(golden::cnp_connectx4lx);
    data[20] = 0x00;
    data[21] = 0x01;
    const header_view later = headers_of(data);
    EXPECT_EQ(later.network, network_protocol::ipv4);
    EXPECT_EQ(later.destination_port, 0);
    EXPECT_FALSE(later.rocev2);
    data[20] = 0x20;  // the first fragment of several has ports, and goes where the others go
    data[21] = 0x00;
    EXPECT_EQ(headers_of(data).destination_port, 4791);
    EXPECT_EQ(headers_of(data).flow_hash, later.flow_hash);
}

TEST(headers, of_ipv6_behind_hop_by_hop_options) {
    udp_path path;
    path.network = network_protocol::ipv6;
    path.dscp = 24;
    path.congestion = ecn::ect1;
    frame f;
    build_rocev2(f, path, bth{}, 64);
    EXPECT_EQ(f.headers.network, network_protocol::ipv6);
    EXPECT_EQ(f.headers.dscp, 24);
    EXPECT_EQ(f.headers.congestion, ecn::ect1);
    EXPECT_EQ(f.headers.transport_offset, 54);
    EXPECT_TRUE(f.headers.rocev2);

    octet_string data(f.octets(), f.octets() + f.stored);
    data[20] = 0;
    const octet_string options = from_hex("1100010400000000");
    data.insert(data.begin() + 54, options.begin(), options.end());
    const header_view h = headers_of(data);
    EXPECT_EQ(h.protocol, 17);
    EXPECT_EQ(h.transport_offset, 62);
    EXPECT_TRUE(h.rocev2);
}

TEST(headers, a_hop_by_hop_header_beyond_reach_leaves_no_transport) {
    octet_string data = from_hex("00000000000100000000000286dd60000000000000ff");
    data[20] = 0;  // next header: hop-by-hop
    data.resize(400, 0);
    data[54] = 17;
    data[55] = 30;  // 248 octets: transport would stand at 302
    const header_view h = headers_of(data);
    EXPECT_EQ(h.protocol, 17);
    EXPECT_EQ(h.transport_offset, 0);
    EXPECT_EQ(h.destination_port, 0);
}

// Under the address sanitizer this also proves that nothing is read beyond the octets given.
TEST(headers, are_there_only_when_whole) {
    const octet_string whole = from_hex(golden::cnp_connectx4lx);
    for (std::uint32_t count = 0; count <= whole.size(); ++count) {
        const std::unique_ptr<std::uint8_t[]> cut{new std::uint8_t[count]};
        std::copy_n(whole.begin(), count, cut.get());
        const header_view h = find_headers(cut.get(), count);
        EXPECT_EQ(h.type, count >= 14 ? ethertype::ipv4 : 0) << count;
        EXPECT_EQ(h.network == network_protocol::ipv4, count >= 34) << count;
        EXPECT_EQ(h.destination_port, count >= 42 ? 4791 : 0) << count;
        EXPECT_EQ(h.rocev2, count >= 54) << count;
    }
}

TEST(headers, a_wrong_ip_version_or_length_is_no_ip) {
    octet_string data = from_hex(golden::cnp_connectx4lx);
    data[14] = 0x65;
    EXPECT_EQ(headers_of(data).network, network_protocol::none);
    data[14] = 0x44;  // a header of 16 octets
    EXPECT_EQ(headers_of(data).network, network_protocol::none);
    data[14] = 0x4f;  // a header of 60 octets needs 74 of data: just there
    EXPECT_EQ(headers_of(data).network, network_protocol::ipv4);
    data.pop_back();
    EXPECT_EQ(headers_of(data).network, network_protocol::none);
}

// 4096 flows that differ in one port number, spread over 16 members: 256 each in the mean, standard deviation 15.5;
// five of those are allowed on either side.
TEST(headers, flow_hash_spreads_neighbouring_ports_evenly) {
    std::array<int, 16> low{};
    std::array<int, 16> high{};
    std::set<std::uint32_t> distinct;
    udp_path path;
    for (std::uint32_t i = 0; i < 4096; ++i) {
        path.source_port = static_cast<std::uint16_t>(49'152 + i);
        frame f;
        build_rocev2(f, path, bth{}, 64);
        ++low[f.headers.flow_hash % 16];
        ++high[f.headers.flow_hash >> 28];
        distinct.insert(f.headers.flow_hash);
    }
    EXPECT_THAT(low, ::testing::Each(::testing::AllOf(::testing::Gt(178), ::testing::Lt(334))));
    EXPECT_THAT(high, ::testing::Each(::testing::AllOf(::testing::Gt(178), ::testing::Lt(334))));
    EXPECT_GT(distinct.size(), 4090U);
}

}  // namespace
}  // namespace weir::ethernet
