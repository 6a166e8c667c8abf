// SPDX-License-Identifier: Apache-2.0
// Building RoCEv2 and UDP frames, and the invariant CRC.
#include "models/ethernet/rocev2.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "models/ethernet/fcs.h"

namespace weir::ethernet {
namespace {

constexpr std::uint32_t udp_octets = 8;
constexpr std::uint32_t bth_octets = 12;
constexpr std::uint32_t aeth_octets = 4;
constexpr std::uint32_t icrc_octets = 4;
constexpr std::uint32_t cnp_reserved_octets = 16;
constexpr std::uint8_t udp_protocol = 17;

/// Octets appended one after the other, most significant first.
class writer {
public:
    writer& u8(std::uint32_t value) {
        octets_.push_back(static_cast<std::uint8_t>(value));
        return *this;
    }
    writer& u16(std::uint32_t value) { return u8(value >> 8).u8(value); }
    writer& u32(std::uint32_t value) { return u16(value >> 16).u16(value); }
    template <std::size_t N>
    writer& all(const std::array<std::uint8_t, N>& values) {
        octets_.insert(octets_.end(), values.begin(), values.end());
        return *this;
    }
    std::vector<std::uint8_t>& octets() { return octets_; }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(octets_.size()); }

private:
    std::vector<std::uint8_t> octets_;
};

std::uint32_t network_octets(const udp_path& path) {
    return path.network == network_protocol::ipv6 ? 40 : 20;
}

std::uint32_t headers_octets(const udp_path& path) {
    return 14 + (path.tagged ? 4 : 0) + network_octets(path) + udp_octets;
}

std::uint32_t padded(std::uint32_t payload) {
    return (payload + 3) / 4 * 4;
}

/// Ethernet, IP and UDP headers for `payload` octets behind the UDP header; the UDP checksum is left 0.
writer path_headers(const udp_path& path, std::uint32_t payload) {
    writer w;
    w.all(path.destination_mac).all(path.source_mac);
    if (path.tagged) {
        w.u16(ethertype::vlan).u16(std::uint32_t{path.pcp} << 13 | (path.vlan_id & 0x0fffU));
    }
    const std::uint32_t mark = std::uint32_t{path.dscp} << 2 | static_cast<std::uint32_t>(path.congestion);
    if (path.network == network_protocol::ipv6) {
        w.u16(ethertype::ipv6).u32(0x60000000U | mark << 20).u16(udp_octets + payload);
        w.u8(udp_protocol).u8(path.hop_limit).all(path.source_ipv6).all(path.destination_ipv6);
    } else {
        w.u16(ethertype::ipv4);
        const std::uint32_t start = w.size();
        w.u8(0x45).u8(mark).u16(20 + udp_octets + payload).u16(path.identification).u16(0x4000);
        w.u8(path.hop_limit).u8(udp_protocol).u16(0).all(path.source_ipv4).all(path.destination_ipv4);
        const std::uint16_t checksum = internet_checksum(internet_sum(w.octets().data() + start, 20));
        w.octets()[start + 10] = static_cast<std::uint8_t>(checksum >> 8);
        w.octets()[start + 11] = static_cast<std::uint8_t>(checksum);
    }
    w.u16(path.source_port).u16(path.destination_port).u16(udp_octets + payload).u16(0);
    return w;
}

void append_bth(writer& w, const bth& transport, std::uint32_t pad) {
    w.u8(transport.opcode).u8((transport.migration ? 0x40U : 0U) | pad << 4).u16(transport.partition);
    w.u32((transport.backward_notification ? 0x40000000U : 0U) | (transport.queue_pair & 0xffffffU));
    w.u32((transport.acknowledge ? 0x80000000U : 0U) | (transport.sequence & 0xffffffU));
}

std::uint32_t little32(const std::uint8_t* p) {
    return std::uint32_t{p[0]} | std::uint32_t{p[1]} << 8 | std::uint32_t{p[2]} << 16 | std::uint32_t{p[3]} << 24;
}

void put_little32(std::uint8_t* p, std::uint32_t value) {
    for (int i = 0; i < 4; ++i) p[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

std::uint32_t payload_offset(const frame& f) {
    return f.headers.transport_offset + udp_octets + bth_octets;
}

/// What each value of an octet contributes to the CRC register so many octets further on, its own among them.
class crc_contribution {
public:
    explicit crc_contribution(std::uint32_t distance) {
        for (std::uint32_t value = 0; value < 256; ++value) table_[value] = advance_over_zeros(value, distance);
    }
    /// Writes the octet; returns by how much it changes the register.
    std::uint32_t write(std::uint8_t& octet, std::uint32_t value) const {
        const auto after = static_cast<std::uint8_t>(value);
        const std::uint32_t change = table_[octet ^ after];
        octet = after;
        return change;
    }

private:
    std::array<std::uint32_t, 256> table_{};
};

/// Of the octets up to twelve in front of the one that is corrected: the BTH before a payload, or PSN and AETH before
/// an ICRC.
const crc_contribution& contribution(std::uint32_t distance) {
    static const std::array<crc_contribution, 12> tables{
        crc_contribution{1}, crc_contribution{2},  crc_contribution{3},  crc_contribution{4},
        crc_contribution{5}, crc_contribution{6},  crc_contribution{7},  crc_contribution{8},
        crc_contribution{9}, crc_contribution{10}, crc_contribution{11}, crc_contribution{12}};
    return tables[distance - 1];
}

std::uint32_t write24(std::uint8_t* octets, std::uint32_t value, std::uint32_t distance) {
    std::uint32_t change = 0;
    for (std::uint32_t i = 0; i < 3; ++i) change ^= contribution(distance - i).write(octets[i], value >> (16 - 8 * i));
    return change;
}

std::uint32_t read24(const std::uint8_t* octets) {
    return std::uint32_t{octets[0]} << 16 | std::uint32_t{octets[1]} << 8 | octets[2];
}

}  // namespace

std::uint32_t rocev2_frame_octets(const udp_path& path, std::uint32_t payload_octets) {
    return headers_octets(path) + bth_octets + padded(payload_octets) + icrc_octets + fcs_octets;
}

std::uint32_t invariant_crc(const frame& f) {
    // Recipe of the RoCEv2 annex: a dummy link header of ones, then everything from the IP header to the ICRC with
    // those fields at ones that a router may change.
    const header_view& h = f.headers;
    const std::uint32_t end = f.length - fcs_octets - icrc_octets;
    const std::uint32_t stored_end = std::min(f.stored, end);
    std::vector<std::uint8_t> masked(8, 0xff);
    masked.insert(masked.end(), f.octets() + h.network_offset, f.octets() + stored_end);
    std::uint8_t* ip = masked.data() + 8;
    if (h.network == network_protocol::ipv6) {
        ip[0] |= 0x0f;                 // traffic class,
        ip[1] = ip[2] = ip[3] = 0xff;  // flow label
        ip[7] = 0xff;                  // and hop limit
    } else {
        ip[1] = ip[8] = ip[10] = ip[11] = 0xff;  // type of service, time to live, checksum
    }
    std::uint8_t* udp = ip + (h.transport_offset - h.network_offset);
    udp[6] = udp[7] = 0xff;
    udp[udp_octets + 4] = 0xff;  // the reserved octet of the BTH, which carries FECN and BECN
    return crc32{}.add(masked.data(), static_cast<std::uint32_t>(masked.size())).add_zeros(end - stored_end).value();
}

void build_rocev2(frame& out, const udp_path& path, const bth& transport, std::uint32_t payload_octets) {
    const std::uint32_t payload = padded(payload_octets);
    writer w = path_headers(path, bth_octets + payload + icrc_octets);
    append_bth(w, transport, payload - payload_octets);
    w.u32(0);  // the payload's first word, or the ICRC when there is none
    out.assign(w.octets().data(), w.size(), rocev2_frame_octets(path, payload_octets));
    std::uint8_t* word = out.octets() + payload_offset(out);
    if (payload == 0) {
        put_little32(word, invariant_crc(out));
        return;
    }
    // The register must hold ones after the word and the zeros behind it; adding a word is adding it to the register
    // and going on over four zeros.
    const std::uint32_t wanted = retreat_over_zeros(0xffffffff, payload);
    const std::uint32_t with_zero_word = retreat_over_zeros(~invariant_crc(out), payload);
    put_little32(word, wanted ^ with_zero_word);
}

void set_sequence(frame& data, std::uint32_t sequence) {
    std::uint8_t* word = data.octets() + payload_offset(data);
    put_little32(word, little32(word) ^ write24(word - 3, sequence, 3));
}

void set_request(frame& data, std::uint8_t opcode, bool acknowledge) {
    std::uint8_t* word = data.octets() + payload_offset(data);
    std::uint8_t* header = word - bth_octets;
    std::uint32_t change = contribution(12).write(header[0], opcode);
    change ^= contribution(4).write(header[8], acknowledge ? 0x80 : 0);
    put_little32(word, little32(word) ^ change);
    data.headers.bth_opcode = opcode;
}

void build_ack(frame& out, const udp_path& path, const bth& transport, const aeth& what) {
    bth acknowledgement = transport;
    acknowledgement.opcode = bth_opcode_acknowledge;
    writer w = path_headers(path, bth_octets + aeth_octets + icrc_octets);
    append_bth(w, acknowledgement, 0);
    w.u32(std::uint32_t{what.syndrome} << 24 | (what.message & sequence_mask)).u32(0);
    out.assign(w.octets().data(), w.size(), w.size() + fcs_octets);
    put_little32(out.octets() + w.size() - icrc_octets, invariant_crc(out));
}

void set_acknowledgement(frame& ack, std::uint32_t sequence, const aeth& what, bool congestion_echo) {
    std::uint8_t* extension = ack.octets() + payload_offset(ack);
    std::uint8_t* check = extension + aeth_octets;
    std::uint32_t change = write24(extension - 3, sequence, 7);
    change ^= contribution(4).write(extension[0], what.syndrome);
    change ^= write24(extension + 1, what.message, 3);
    put_little32(check, little32(check) ^ change);
    extension[4 - static_cast<int>(bth_octets)] = congestion_echo ? 0x40 : 0;
}

bth read_bth(const frame& f) {
    const std::uint8_t* header = f.octets() + payload_offset(f) - bth_octets;
    bth found;
    found.opcode = header[0];
    found.migration = (header[1] & 0x40U) != 0;
    found.partition = static_cast<std::uint16_t>(header[2] << 8 | header[3]);
    found.backward_notification = (header[4] & 0x40U) != 0;
    found.queue_pair = read24(header + 5);
    found.acknowledge = (header[8] & 0x80U) != 0;
    found.sequence = read24(header + 9);
    return found;
}

std::optional<aeth> read_aeth(const frame& f) {
    if (!f.headers.rocev2 || f.headers.bth_opcode != bth_opcode_acknowledge) return std::nullopt;
    if (f.stored < payload_offset(f) + aeth_octets) return std::nullopt;
    const std::uint8_t* extension = f.octets() + payload_offset(f);
    return aeth{extension[0], read24(extension + 1)};
}

void build_cnp(frame& out, const udp_path& path, const bth& transport) {
    bth notification = transport;
    notification.opcode = bth_opcode_cnp;
    notification.backward_notification = true;
    writer w = path_headers(path, bth_octets + cnp_reserved_octets + icrc_octets);
    append_bth(w, notification, 0);
    for (std::uint32_t i = 0; i < cnp_reserved_octets + icrc_octets; ++i) w.u8(0);
    out.assign(w.octets().data(), w.size(), w.size() + fcs_octets);
    put_little32(out.octets() + w.size() - icrc_octets, invariant_crc(out));
}

void build_udp(frame& out, const udp_path& path, std::uint32_t wire_octets) {
    const std::uint32_t headers = headers_octets(path);
    if (wire_octets < minimum_frame_octets || wire_octets > maximum_frame_octets ||
        wire_octets < headers + fcs_octets) {
        throw std::invalid_argument("a UDP frame has 64 to 16000 octets and room for its headers and FCS");
    }
    const std::uint32_t payload = wire_octets - headers - fcs_octets;
    writer w = path_headers(path, payload);
    // Pseudo header: addresses, protocol, UDP length; then the UDP header. The payload's zeros add nothing.
    const std::uint32_t addresses = network_octets(path) == 40 ? 32 : 8;
    std::uint8_t* udp = w.octets().data() + w.size() - udp_octets;
    std::uint32_t sum = internet_sum(udp - addresses, addresses + udp_octets);
    sum += udp_protocol + udp_octets + payload;
    std::uint16_t checksum = internet_checksum(sum);
    if (checksum == 0) checksum = 0xffff;  // RFC 768: zero means that there is none
    udp[6] = static_cast<std::uint8_t>(checksum >> 8);
    udp[7] = static_cast<std::uint8_t>(checksum);
    out.assign(w.octets().data(), w.size(), wire_octets);
}

}  // namespace weir::ethernet
