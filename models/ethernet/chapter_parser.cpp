// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/chapter_parser.h"

#include "models/ethernet/protocol.h"

namespace weir::ethernet {
namespace {

void put_half(std::uint16_t& word, bool low, std::uint8_t octet) {
    word = static_cast<std::uint16_t>(low ? (word & 0xff00U) | octet : (word & 0x00ffU) | unsigned{octet} << 8);
}

}  // namespace

chapter_parser::verdict chapter_parser::take(const frame& received) {
    bool address_good = true;
    bool matched = false;
    const std::uint32_t octets = received.length > fcs_octets ? received.length - fcs_octets : 0;
    for (std::uint32_t i = 0; i < octets; ++i) {
        const std::uint8_t octet = i < received.stored ? received.octets()[i] : std::uint8_t{0};
        const std::uint32_t at = i % 64;
        if (at <= 5 && octet != mac_control_address[at]) address_good = false;
        if (at == 12 || at == 13) put_half(type_, at == 13, octet);
        if (at == 14 || at == 15) put_half(opcode_, at == 15, octet);
        if (at == 15) matched = type_ == ethertype::mac_control && opcode_ == opcode_pfc;
        if (at == 17) vector_ = octet;
        if (at >= 18 && at <= 33) put_half(time_[(at - 18) / 2], at % 2 == 1, octet);
    }
    if (!matched) return verdict::nothing;
    if (!address_good) return verdict::wrong_address;
    return received.fcs_good ? verdict::commit : verdict::bad_fcs;
}

}  // namespace weir::ethernet
