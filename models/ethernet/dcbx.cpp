// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/dcbx.h"

#include <algorithm>
#include <vector>

namespace weir::ethernet {
namespace {

enum tlv_type : std::uint8_t { tlv_end = 0, tlv_chassis = 1, tlv_port = 2, tlv_ttl = 3, tlv_organization = 127 };
enum ieee_subtype : std::uint8_t { ets_configured = 9, ets_recommended = 10, pfc_configured = 11 };

constexpr std::array<std::uint8_t, 3> ieee_802_1{0x00, 0x80, 0xc2};
constexpr std::uint8_t by_mac_address_chassis = 4;
constexpr std::uint8_t by_mac_address_port = 3;
constexpr std::size_t greatest_identifier = 256;  // octets, the kind's included
constexpr std::size_t ets_octets = 25;
constexpr std::size_t pfc_octets = 6;
constexpr std::size_t table_at = 5;  // of an ETS TLV: after organization, subtype and flags

/// Where a TLV's value stands in the frame.
struct value_view {
    const std::uint8_t* data;
    std::size_t octets;
};

void put_tlv(std::vector<std::uint8_t>& out, std::uint8_t type, const std::vector<std::uint8_t>& value) {
    out.push_back(static_cast<std::uint8_t>(type << 1 | value.size() >> 8));
    out.push_back(static_cast<std::uint8_t>(value.size()));
    out.insert(out.end(), value.begin(), value.end());
}

std::vector<std::uint8_t> ieee_value(std::uint8_t subtype, std::uint8_t flags) {
    return {ieee_802_1[0], ieee_802_1[1], ieee_802_1[2], subtype, flags};
}

void put_table(std::vector<std::uint8_t>& out, const ets_table& t) {
    for (std::size_t p = 0; p < 8; p += 2) {
        out.push_back(static_cast<std::uint8_t>(t.priority_class[p] << 4 | t.priority_class[p + 1]));
    }
    out.insert(out.end(), t.percent.begin(), t.percent.end());
    for (const auto s : t.selection) out.push_back(static_cast<std::uint8_t>(s));
}

dcbx_error read_table(value_view v, ets_table& out) {
    ets_table t;
    unsigned sum = 0;
    bool any_ets = false;
    for (std::size_t i = 0; i < 8; ++i) {
        const std::uint8_t pair = v.data[table_at + i / 2];
        t.priority_class[i] = i % 2 == 0 ? pair >> 4 : pair & 0x0fU;
        t.percent[i] = v.data[table_at + 4 + i];
        const std::uint8_t selection = v.data[table_at + 12 + i];
        t.selection[i] = static_cast<transmission_selection>(selection);
        if (t.priority_class[i] > 7 && t.priority_class[i] != ets_table::no_class) return dcbx_error::ets_class;
        if (selection > 2 && selection != 255) return dcbx_error::ets_selection;
        if (t.percent[i] > 100) return dcbx_error::ets_percent;
        if (t.selection[i] != transmission_selection::ets) continue;
        any_ets = true;
        sum += t.percent[i];
    }
    if (any_ets && sum != 100) return dcbx_error::ets_percent;
    out = t;
    return dcbx_error::none;
}

dcbx_error read_ets(value_view v, std::optional<ets_configuration>& out) {
    if (v.octets != ets_octets) return dcbx_error::ets_length;
    if (out) return dcbx_error::duplicate;
    ets_configuration c;
    c.willing = (v.data[4] & 0x80U) != 0;
    c.credit_based_shaper = (v.data[4] & 0x40U) != 0;
    c.classes = v.data[4] & 0x07U;
    const dcbx_error error = read_table(v, c.table);
    if (error == dcbx_error::none) out = c;
    return error;
}

dcbx_error read_recommendation(value_view v, std::optional<ets_table>& out) {
    if (v.octets != ets_octets) return dcbx_error::ets_length;
    if (out) return dcbx_error::duplicate;
    ets_table t;
    const dcbx_error error = read_table(v, t);
    if (error == dcbx_error::none) out = t;
    return error;
}

dcbx_error read_pfc(value_view v, std::optional<pfc_configuration>& out) {
    if (v.octets != pfc_octets) return dcbx_error::pfc_length;
    if (out) return dcbx_error::duplicate;
    pfc_configuration c;
    c.willing = (v.data[4] & 0x80U) != 0;
    c.macsec_bypass = (v.data[4] & 0x40U) != 0;
    c.capability = v.data[4] & 0x0fU;
    c.enabled = v.data[5];
    const int most = c.capability == 0 ? 8 : c.capability;
    if (most > 8 || __builtin_popcount(c.enabled) > most) return dcbx_error::pfc_capability;
    out = c;
    return dcbx_error::none;
}

dcbx_error read_organization(value_view v, dcbx_message& m) {
    if (v.octets < ieee_802_1.size() + 1) return dcbx_error::organization;
    if (!std::equal(ieee_802_1.begin(), ieee_802_1.end(), v.data)) return dcbx_error::none;
    switch (v.data[3]) {
        case ets_configured:
            return read_ets(v, m.ets);
        case ets_recommended:
            return read_recommendation(v, m.ets_recommendation);
        case pfc_configured:
            return read_pfc(v, m.pfc);
        default:
            return dcbx_error::none;
    }
}

// The first three, in their order.
dcbx_error read_mandatory(std::uint8_t type, std::size_t number, value_view v, dcbx_message& m) {
    if (type != number + 1) return dcbx_error::order;
    if (type != tlv_ttl) {
        return v.octets < 2 || v.octets > greatest_identifier ? dcbx_error::identifier : dcbx_error::none;
    }
    if (v.octets != 2) return dcbx_error::ttl_length;
    m.seconds = static_cast<std::uint16_t>(v.data[0] << 8 | v.data[1]);
    return dcbx_error::none;
}

dcbx_error read_tlvs(const std::uint8_t* data, std::size_t octets, dcbx_message& m) {
    std::size_t at = 0;
    for (std::size_t number = 0;; ++number) {
        if (octets - at < 2) return dcbx_error::truncated;
        const auto type = static_cast<std::uint8_t>(data[at] >> 1);
        const std::size_t length = (data[at] & 1U) << 8 | data[at + 1];
        at += 2;
        if (octets - at < length) return dcbx_error::truncated;
        const value_view v{data + at, length};
        at += length;
        dcbx_error error = dcbx_error::none;
        if (number < 3) {
            error = read_mandatory(type, number, v, m);
        } else if (type == tlv_end) {
            return dcbx_error::none;  // what follows is padding
        } else if (type <= tlv_ttl) {
            error = dcbx_error::duplicate;
        } else if (type == tlv_organization) {
            error = read_organization(v, m);
        }
        if (error != dcbx_error::none) return error;
    }
}

}  // namespace

std::string_view name_of(dcbx_error error) {
    constexpr std::array<std::string_view, dcbx_errors> names{
        "none",         "not_lldp",   "truncated", "order",       "identifier",    "ttl_length", "duplicate",
        "organization", "ets_length", "ets_class", "ets_percent", "ets_selection", "pfc_length", "pfc_capability"};
    return names[static_cast<std::size_t>(error)];
}

void build_dcbx(frame& out, const mac_address& source, const dcbx_message& message) {
    std::vector<std::uint8_t> octets(lldp_address.begin(), lldp_address.end());
    octets.insert(octets.end(), source.begin(), source.end());
    octets.push_back(static_cast<std::uint8_t>(ethertype_lldp >> 8));
    octets.push_back(static_cast<std::uint8_t>(ethertype_lldp & 0xffU));
    std::vector<std::uint8_t> identifier{by_mac_address_chassis};
    identifier.insert(identifier.end(), source.begin(), source.end());
    put_tlv(octets, tlv_chassis, identifier);
    identifier[0] = by_mac_address_port;
    put_tlv(octets, tlv_port, identifier);
    put_tlv(octets, tlv_ttl,
            {static_cast<std::uint8_t>(message.seconds >> 8), static_cast<std::uint8_t>(message.seconds)});
    if (message.ets) {
        const ets_configuration& c = *message.ets;
        auto value = ieee_value(
            ets_configured, static_cast<std::uint8_t>((c.willing ? 0x80U : 0U) | (c.credit_based_shaper ? 0x40U : 0U) |
                                                      (c.classes & 0x07U)));
        put_table(value, c.table);
        put_tlv(octets, tlv_organization, value);
    }
    if (message.ets_recommendation) {
        auto value = ieee_value(ets_recommended, 0);
        put_table(value, *message.ets_recommendation);
        put_tlv(octets, tlv_organization, value);
    }
    if (message.pfc) {
        const pfc_configuration& c = *message.pfc;
        auto value = ieee_value(pfc_configured,
                                static_cast<std::uint8_t>((c.willing ? 0x80U : 0U) | (c.macsec_bypass ? 0x40U : 0U) |
                                                          (c.capability & 0x0fU)));
        value.push_back(c.enabled);
        put_tlv(octets, tlv_organization, value);
    }
    put_tlv(octets, tlv_end, {});
    octets.resize(std::max<std::size_t>(octets.size(), minimum_frame_octets - fcs_octets));
    const auto count = static_cast<std::uint32_t>(octets.size());
    out.assign(octets.data(), count, count + fcs_octets);
}

dcbx_error parse_dcbx(const frame& received, dcbx_message& message) {
    if (received.headers.type != ethertype_lldp || received.headers.tagged || received.stored < 14 ||
        !std::equal(lldp_address.begin(), lldp_address.end(), received.octets())) {
        return dcbx_error::not_lldp;
    }
    dcbx_message read;
    const dcbx_error error = read_tlvs(received.octets() + 14, received.stored - 14, read);
    if (error == dcbx_error::none) message = read;
    return error;
}

}  // namespace weir::ethernet
