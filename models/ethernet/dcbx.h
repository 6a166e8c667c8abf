// SPDX-License-Identifier: Apache-2.0
// DCBX: what a station says of its priorities in an LLDP frame (802.1AB, 802.1Q annex D), built and read.
//
//   DA 01-80-C2-00-00-0E | SA | 88cc | chassis | port | TTL | … | ETS 9 | ETS recommendation 10 | PFC 11 | end
//
// Type-length-values of others are passed over. What is malformed is refused as a whole, with a reason that has a name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "models/ethernet/frame.h"

namespace weir::ethernet {

constexpr mac_address lldp_address{0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e};
constexpr std::uint16_t ethertype_lldp = 0x88cc;

/// How a traffic class is chosen for transmission.
enum class transmission_selection : std::uint8_t { strict = 0, credit_based = 1, ets = 2, vendor = 255 };

/// Priorities to traffic classes, and each class's share.
struct ets_table {
    static constexpr std::uint8_t no_class = 15;   ///< a priority that is in no class: senders in the field say so
    std::array<std::uint8_t, 8> priority_class{};  ///< 0 to 7, or no_class
    std::array<std::uint8_t, 8> percent{};         ///< of the classes that are `ets`: 100 together
    std::array<transmission_selection, 8> selection{};
    friend bool operator==(const ets_table& a, const ets_table& b) {
        return a.priority_class == b.priority_class && a.percent == b.percent && a.selection == b.selection;
    }
};

struct ets_configuration {
    bool willing{false};
    bool credit_based_shaper{false};
    std::uint8_t classes{0};  ///< most that it supports; 0 stands for 8
    ets_table table;
};

struct pfc_configuration {
    bool willing{false};
    bool macsec_bypass{false};   ///< its MACsec lets PFC pass
    std::uint8_t capability{8};  ///< how many priorities may be enabled at once; 0 stands for 8
    std::uint8_t enabled{0};     ///< a bit a priority
};

struct dcbx_message {
    std::uint16_t seconds{120};  ///< how long it is valid; 0: no longer
    std::optional<ets_configuration> ets;
    std::optional<ets_table> ets_recommendation;
    std::optional<pfc_configuration> pfc;
};

/// Why a frame is refused.
enum class dcbx_error : std::uint8_t {
    none,
    not_lldp,        ///< another EtherType or address
    truncated,       ///< a TLV reaches beyond the frame, or there is no end
    order,           ///< chassis, port and TTL are not the first three
    identifier,      ///< a chassis or port identifier of no octet, or of too many
    ttl_length,      ///< a TTL that is not two octets
    duplicate,       ///< the same TLV twice
    organization,    ///< an organization's TLV too short for its name
    ets_length,      ///< an ETS TLV that is not 25 octets
    ets_class,       ///< a priority in a class 8 to 14
    ets_percent,     ///< shares above 100, or not 100 together
    ets_selection,   ///< a reserved way of selecting
    pfc_length,      ///< a PFC TLV that is not 6 octets
    pfc_capability,  ///< a capability above 8, or more priorities enabled than it says
};
constexpr std::size_t dcbx_errors = 14;
/// "ets_percent" and so on.
[[nodiscard]] std::string_view name_of(dcbx_error error);

/// Makes `out` the message from `source`, which is chassis and port identifier too.
void build_dcbx(frame& out, const mac_address& source, const dcbx_message& message);
/// Reads a received frame into `message`, which is left alone when the result is not `none`.
[[nodiscard]] dcbx_error parse_dcbx(const frame& received, dcbx_message& message);

}  // namespace weir::ethernet
