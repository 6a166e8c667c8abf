// SPDX-License-Identifier: Apache-2.0
// The rates that shapers can hold: a mantissa of 11 bits times a power of two, in kbit/s. Up to 2047 kbit/s every rate
// is exact, above that neighbours differ by less than a thousandth (2^-10).
#pragma once

#include <cstdint>

namespace weir::scheduler {

constexpr unsigned rate_mantissa_bits = 11;
/// 2047 × 2^21 kbit/s: 4.29 Tbit/s.
constexpr std::uint32_t greatest_rate = 2047U << (32U - rate_mantissa_bits);

/// How far above one unit the mantissa stands: the rate is a multiple of 2^exponent.
constexpr unsigned rate_exponent(std::uint32_t kilobits) {
    unsigned exponent = 0;
    while (kilobits >> exponent >= 1U << rate_mantissa_bits) ++exponent;
    return exponent;
}

/// A greatest rate is not exceeded: the highest that can be held and is not above. Only 0 becomes 0, which is no limit.
constexpr std::uint32_t rate_at_most(std::uint32_t kilobits) {
    const unsigned exponent = rate_exponent(kilobits);
    return kilobits >> exponent << exponent;
}

/// A least rate is kept: the lowest that can be held and is not below, or the greatest there is.
constexpr std::uint32_t rate_at_least(std::uint32_t kilobits) {
    const std::uint32_t below = rate_at_most(kilobits);
    if (below == kilobits || below == greatest_rate) return below;
    return below + (1U << rate_exponent(kilobits));
}

}  // namespace weir::scheduler
