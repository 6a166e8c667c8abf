// SPDX-License-Identifier: Apache-2.0
// Quantities as people write them ("100m", "16MiB", "3us", "25G"), exactly, and names that were nearly right.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/timeline/time.h"

namespace weir::platforms {

/// "250ps", "100ns", "1.5us", "3ms", "2s", "0". Nothing when the unit is missing or unknown, the value negative, not a
/// whole number of picoseconds, or longer than 100 days.
[[nodiscard]] std::optional<picoseconds> parse_duration(std::string_view text);
/// "64", "4KiB", "16MiB", "1GiB", "10kB", "10MB", "1GB"; whole octets only.
[[nodiscard]] std::optional<std::uint64_t> parse_octets(std::string_view text);
/// "3m", "2km"; whole metres only.
[[nodiscard]] std::optional<std::uint64_t> parse_metres(std::string_view text);
/// Bits a second: "25G", "2.5G", "100M", "1.6T", "100Gbps"; whole bits a second only.
[[nodiscard]] std::optional<std::int64_t> parse_bit_rate(std::string_view text);
/// A whole number without sign, digits only.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text);

/// The shortest exact form in the largest unit that leaves at most three decimals: "500ns", "1.158us", "0s".
[[nodiscard]] std::string format_duration(picoseconds time);
/// "16MiB", "4158".
[[nodiscard]] std::string format_octets(std::uint64_t octets);
/// "400G", "2.5G".
[[nodiscard]] std::string format_bit_rate(std::int64_t bits_per_second);

/// The candidate with the fewest edits from `wanted`, if it is near enough to be what was meant (a third of its
/// letters, at least two).
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view wanted,
                                                      const std::vector<std::string>& candidates);

/// Without blanks and tabs at either end.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// Parts between separators, each trimmed; an empty text has one empty part.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace weir::platforms
