// SPDX-License-Identifier: Apache-2.0
// Building and parsing MAC Control frames.
#include "models/ethernet/mac_control.h"

#include <algorithm>

namespace weir::ethernet {
namespace {

constexpr std::size_t body_octets = mac_control_octets - fcs_octets;
using control_body = std::array<std::uint8_t, body_octets>;

void put16(control_body& body, std::size_t offset, std::uint16_t value) {
    body[offset] = static_cast<std::uint8_t>(value >> 8);
    body[offset + 1] = static_cast<std::uint8_t>(value);
}

control_body control_header(const mac_address& source, std::uint16_t opcode) {
    control_body body{};
    std::copy(mac_control_address.begin(), mac_control_address.end(), body.begin());
    std::copy(source.begin(), source.end(), body.begin() + 6);
    put16(body, 12, ethertype::mac_control);
    put16(body, 14, opcode);
    return body;
}

/// Octets that a frame does not store are zeros.
std::uint16_t get16(const frame& f, std::uint32_t offset) {
    const auto octet = [&](std::uint32_t i) { return i < f.stored ? f.octets()[i] : std::uint8_t{0}; };
    return static_cast<std::uint16_t>(octet(offset) << 8 | octet(offset + 1));
}

}  // namespace

mac_control parse_mac_control(const frame& received) {
    mac_control result;
    const header_view& headers = received.headers;
    if (headers.type != ethertype::mac_control) return result;
    result.tagged = headers.tagged;
    const auto stop_at = [&](mac_control_outcome outcome) {
        result.outcome = outcome;
        return result;
    };

    const std::uint32_t at = headers.payload_offset;
    const std::uint16_t opcode = get16(received, at);
    if (opcode != opcode_pfc && opcode != opcode_pause) return stop_at(mac_control_outcome::unknown_opcode);
    if (!std::equal(mac_control_address.begin(), mac_control_address.end(), received.octets())) {
        return stop_at(mac_control_outcome::wrong_address);
    }
    if (!received.fcs_good) return stop_at(mac_control_outcome::bad_fcs);
    const bool tag_on_top = headers.tagged && received.length == tagged_mac_control_octets;
    if (received.length != mac_control_octets && !tag_on_top) {
        return stop_at(mac_control_outcome::malformed_length);
    }

    if (opcode == opcode_pause) {
        result.pause_time = get16(received, at + 2);
        return stop_at(mac_control_outcome::pause);
    }
    result.vector = static_cast<std::uint8_t>(get16(received, at + 2));
    for (std::uint32_t priority = 0; priority < result.time.size(); ++priority) {
        result.time[priority] = get16(received, at + 4 + 2 * priority);
    }
    return stop_at(mac_control_outcome::pfc);
}

void build_pfc(frame& out, const mac_address& source, std::uint8_t vector, const pause_times& time) {
    control_body body = control_header(source, opcode_pfc);
    put16(body, 16, vector);
    for (std::size_t priority = 0; priority < time.size(); ++priority) {
        if ((vector >> priority & 1) != 0) put16(body, 18 + 2 * priority, time[priority]);
    }
    out.assign(body.data(), body_octets, mac_control_octets);
}

void build_pause(frame& out, const mac_address& source, std::uint16_t time) {
    control_body body = control_header(source, opcode_pause);
    put16(body, 16, time);
    out.assign(body.data(), body_octets, mac_control_octets);
}

}  // namespace weir::ethernet
