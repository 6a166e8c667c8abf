// SPDX-License-Identifier: Apache-2.0
// MAC Control frames: priority-based flow control (PFC, 802.1Q) and PAUSE (802.3 Annex 31B), built and parsed.
//
//   0       6       12    14      16      18                34          60   64
//   | DA ..01 | SA  | 8808 | 0101 | vector | time[0] … [7] | zero pad  | FCS |      PFC
//   | DA ..01 | SA  | 8808 | 0001 | time   | zero pad                  | FCS |      PAUSE
//
// A tagged frame carries four octets more at 12 and is parsed at its own offsets (rule G5 of docs/pfc.md).
#pragma once

#include <array>
#include <cstdint>

#include "models/ethernet/frame.h"

namespace weir::ethernet {

constexpr std::uint16_t opcode_pause = 0x0001;
constexpr std::uint16_t opcode_pfc = 0x0101;

/// Wire length of every MAC Control frame, FCS included. A tag stands on top of it, or within it: senders that pad to
/// the minimum after tagging are met in the field.
constexpr std::uint32_t mac_control_octets = 64;
constexpr std::uint32_t tagged_mac_control_octets = 68;

using pause_times = std::array<std::uint16_t, 8>;

/// What a MAC finds. The order is that of the gates: the first gate that a frame fails names its outcome, so a frame
/// with a wrong address *and* a bad FCS is a wrong address.
enum class mac_control_outcome : std::uint8_t {
    not_mac_control,   ///< another EtherType: everything else about the frame is untouched
    unknown_opcode,    ///< MAC Control, but neither PFC nor PAUSE: the MAC discards it
    wrong_address,     ///< not addressed to 01-80-C2-00-00-01: never honoured, whatever it says
    bad_fcs,           ///< never honoured
    malformed_length,  ///< neither 64 octets, nor 68 with a tag: never honoured
    pfc,
    pause,
};

struct mac_control {
    mac_control_outcome outcome{mac_control_outcome::not_mac_control};
    bool tagged{false};
    /// PFC: bit n stands for priority n. The reserved high octet of the field is not in it.
    std::uint8_t vector{0};
    /// PFC: quanta of each priority, as they stand in the frame, whether or not the vector names the priority.
    pause_times time{};
    /// PAUSE: quanta for the whole link.
    std::uint16_t pause_time{0};
};

/// Parses a received frame. Times and vector are set only for `pfc`, `pause_time` only for `pause`.
[[nodiscard]] mac_control parse_mac_control(const frame& received);

/// Makes `out` a PFC frame of 64 octets from `source`. Priorities outside `vector` are sent with time 0.
void build_pfc(frame& out, const mac_address& source, std::uint8_t vector, const pause_times& time);

/// Makes `out` an 802.3x PAUSE frame of 64 octets from `source`; time 0 opens the link again.
void build_pause(frame& out, const mac_address& source, std::uint16_t time);

}  // namespace weir::ethernet
