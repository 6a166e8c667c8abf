// SPDX-License-Identifier: Apache-2.0
// Time and rates: integer picoseconds, and the Ethernet rates whose octet time is a whole number of them.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weir {

/// Points in simulated time and distances between them. 2^63 ps are 106 days.
using picoseconds = std::chrono::duration<std::int64_t, std::pico>;

constexpr picoseconds never{INT64_MAX};

constexpr picoseconds nanoseconds(std::int64_t n) {
    return picoseconds{n * 1000};
}
constexpr picoseconds microseconds(std::int64_t n) {
    return picoseconds{n * 1'000'000};
}

/// What a frame occupies on the wire beyond its own octets: preamble and start delimiter before it, gap after it.
constexpr std::int64_t preamble_octets = 8;
constexpr std::int64_t gap_octets = 12;
constexpr std::int64_t wire_overhead_octets = preamble_octets + gap_octets;

/// A pause quantum is 512 bit times, hence 64 octet times of the port (802.3 Annex 31B).
constexpr std::int64_t quantum_octets = 64;

/// Light in fibre: 5 ns a metre.
constexpr picoseconds cable_delay_per_metre{5000};

/// An Ethernet line rate. Every rate of 802.3 from 1G to 1.6T has a whole number of picoseconds an octet, so
/// serialisation times and pause quanta are exact.
class data_rate {
public:
    constexpr data_rate() = default;

    /// The rate of that name ("400G", "1.6T"); nothing when 802.3 has no such rate.
    static std::optional<data_rate> from_name(std::string_view name);
    /// The rate of that many Mb/s; nothing when 802.3 has no such rate.
    static std::optional<data_rate> from_megabits(std::uint32_t megabits);
    /// All names, slowest first, separated by blanks: for error messages.
    static std::string_view names();

    [[nodiscard]] std::string_view name() const;
    [[nodiscard]] constexpr std::uint32_t megabits() const { return megabits_; }
    [[nodiscard]] constexpr std::int64_t bits_per_second() const { return std::int64_t{megabits_} * 1'000'000; }

    [[nodiscard]] constexpr picoseconds octet_time() const { return picoseconds{8'000'000 / megabits_}; }
    [[nodiscard]] constexpr picoseconds octets(std::int64_t n) const { return octet_time() * n; }
    [[nodiscard]] constexpr picoseconds quanta(std::int64_t n) const { return octets(n * quantum_octets); }

    friend constexpr bool operator==(data_rate a, data_rate b) { return a.megabits_ == b.megabits_; }
    friend constexpr bool operator!=(data_rate a, data_rate b) { return !(a == b); }

private:
    constexpr explicit data_rate(std::uint32_t megabits) : megabits_(megabits) {}
    std::uint32_t megabits_{1000};
};

}  // namespace weir
