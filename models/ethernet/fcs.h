// SPDX-License-Identifier: Apache-2.0
// The two checksums of a frame: the frame check sequence (CRC-32 of 802.3) and the Internet checksum of RFC 1071.
//
// Frames store their headers and leave the rest zero, so the CRC can be carried over any number of zeros without
// touching them: appending zeros is a linear map of the register, and maps for 1, 2, 4, 8… zeros are kept.
#pragma once

#include <cstdint>

namespace weir::ethernet {

/// What the CRC register holds, complemented, after a whole good frame, FCS included (802.3 3.2.9).
constexpr std::uint32_t crc_residue = 0x2144df1c;

/// A CRC-32 in the making (polynomial 04C11DB7, reflected, preset to ones).
class crc32 {
public:
    crc32& add(const std::uint8_t* octets, std::uint32_t count);
    /// As if that many zero octets had been added; the cost grows with the number's bits only.
    crc32& add_zeros(std::uint32_t count);
    /// The finished value, complemented. It goes onto the wire least significant octet first.
    [[nodiscard]] std::uint32_t value() const { return ~state_; }
    /// The bare register, for callers that solve for octets.
    [[nodiscard]] std::uint32_t state() const { return state_; }

private:
    std::uint32_t state_{0xffffffff};
};

/// The register after `count` zero octets, started from `state`.
[[nodiscard]] std::uint32_t advance_over_zeros(std::uint32_t state, std::uint32_t count);
/// The inverse: the register that becomes `state` after `count` zero octets.
[[nodiscard]] std::uint32_t retreat_over_zeros(std::uint32_t state, std::uint32_t count);

/// FCS of a frame that consists of `count` octets and then `zeros` zero octets.
[[nodiscard]] std::uint32_t frame_check_sequence(const std::uint8_t* octets, std::uint32_t count,
                                                 std::uint32_t zeros = 0);

/// True when the last four of `count` octets are the right FCS of those before them.
[[nodiscard]] bool fcs_matches(const std::uint8_t* octets, std::uint32_t count);

/// One's complement sum of 16-bit big-endian words, not complemented; an odd last octet is padded with zero.
[[nodiscard]] std::uint32_t internet_sum(const std::uint8_t* octets, std::uint32_t count, std::uint32_t start = 0);
/// Folds such a sum and complements it: the checksum as it stands in a header.
[[nodiscard]] std::uint16_t internet_checksum(std::uint32_t sum);

/// RFC 1624, equation 3: the checksum after one 16-bit word it covers has changed.
[[nodiscard]] std::uint16_t update_checksum(std::uint16_t checksum, std::uint16_t before, std::uint16_t after);

}  // namespace weir::ethernet
