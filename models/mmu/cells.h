// SPDX-License-Identifier: Apache-2.0
// Cells, the unit of the packet memory (R1), and alpha, the share of the free cells that a dynamic limit grants (R4).
#pragma once

#include <cstdint>

namespace weir::mmu {

/// A number of cells. Signed, so that a mistake in accounting shows as a negative count and not as a huge one.
using cells = std::int32_t;

/// All-ones in a 24-bit register: no bound of this kind.
constexpr cells unlimited = 0xffffff;

/// A power of two from 1/128 to 8, as registers code it: 2^(index - 7), index 0 to 10.
struct alpha {
    std::uint8_t index{7};

    static constexpr std::uint8_t highest_index = 10;

    /// floor(alpha * free)
    [[nodiscard]] constexpr std::int64_t limit(std::int64_t free) const {
        return index >= 7 ? free << (index - 7) : free >> (7 - index);
    }
    /// The largest number of free cells whose limit does not exceed `used`: at it or below, `used` has reached the
    /// limit.
    [[nodiscard]] constexpr std::int64_t free_at_which_reached(std::int64_t used) const {
        return index >= 7 ? used >> (index - 7) : ((used + 1) << (7 - index)) - 1;
    }
    /// The smallest number of free cells whose limit is at least `wanted`.
    [[nodiscard]] constexpr std::int64_t free_for_limit(std::int64_t wanted) const {
        if (index < 7) return wanted << (7 - index);
        const std::int64_t step = std::int64_t{1} << (index - 7);
        return (wanted + step - 1) / step;
    }
};

}  // namespace weir::mmu
