// SPDX-License-Identifier: Apache-2.0
#include "models/cpu/plic.h"

namespace weir::cpu {
namespace {

constexpr std::uint32_t pending_at = 0x1000;
constexpr std::uint32_t enable_at = 0x2000;
constexpr std::uint32_t threshold_at = 0x200000;
constexpr std::uint32_t claim_at = 0x200004;
constexpr std::uint32_t greatest_priority = 7;

}  // namespace

void plic::set_line(std::uint32_t source, bool asserted) {
    const std::uint32_t bit = 1U << source;
    lines_ = asserted ? lines_ | bit : lines_ & ~bit;
    changed();
}

// The lowest number wins among equals.
std::uint32_t plic::best() const {
    const std::uint32_t candidates = lines_ & ~claimed_ & enabled_;
    std::uint32_t winner = 0;
    std::uint32_t most = threshold_;
    for (std::uint32_t s = 1; s <= sources; ++s) {
        if ((candidates >> s & 1) != 0 && priority_[s] > most) {
            most = priority_[s];
            winner = s;
        }
    }
    return winner;
}

void plic::changed() {
    if (on_change_) on_change_();
}

bool plic::peek(std::uint32_t offset, unsigned octets, std::uint32_t& value, picoseconds) const {
    if (octets != 4) return false;
    if (offset <= 4 * sources) {
        value = priority_[offset / 4];
    } else if (offset == pending_at) {
        value = lines_ & ~claimed_;
    } else if (offset == enable_at) {
        value = enabled_;
    } else if (offset == threshold_at) {
        value = threshold_;
    } else if (offset == claim_at) {
        value = best();
    } else {
        return false;
    }
    return true;
}

bool plic::read(std::uint32_t offset, unsigned octets, std::uint32_t& value, picoseconds now) {
    if (!peek(offset, octets, value, now)) return false;
    if (offset == claim_at && value != 0) {
        claimed_ |= 1U << value;
        changed();
    }
    return true;
}

bool plic::write(std::uint32_t offset, unsigned octets, std::uint32_t value, picoseconds) {
    if (octets != 4) return false;
    if (offset >= 4 && offset <= 4 * sources) {
        priority_[offset / 4] = static_cast<std::uint8_t>(value & greatest_priority);
    } else if (offset == enable_at) {
        enabled_ = value & ~1U;
    } else if (offset == threshold_at) {
        threshold_ = value & greatest_priority;
    } else if (offset == claim_at) {
        if (value >= 1 && value <= sources) claimed_ &= ~(1U << value);
    } else {
        return false;
    }
    changed();
    return true;
}

}  // namespace weir::cpu
