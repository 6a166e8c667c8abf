// SPDX-License-Identifier: Apache-2.0
#include "models/cpu/clint.h"

namespace weir::cpu {
namespace {

constexpr std::uint32_t msip = 0;
constexpr std::uint32_t mtimecmp = 0x4000;
constexpr std::uint32_t mtime = 0xbff8;

}  // namespace

bool clint::read(std::uint32_t offset, unsigned octets, std::uint32_t& value, picoseconds now) {
    return peek(offset, octets, value, now);
}

bool clint::peek(std::uint32_t offset, unsigned octets, std::uint32_t& value, picoseconds now) const {
    if (octets != 4) return false;
    const auto time = static_cast<std::uint64_t>(now / nanoseconds(1));
    switch (offset) {
        case msip:
            value = software_ ? 1 : 0;
            return true;
        case mtimecmp:
            value = static_cast<std::uint32_t>(compare_);
            return true;
        case mtimecmp + 4:
            value = static_cast<std::uint32_t>(compare_ >> 32);
            return true;
        case mtime:
            value = static_cast<std::uint32_t>(time);
            return true;
        case mtime + 4:
            value = static_cast<std::uint32_t>(time >> 32);
            return true;
        default:
            return false;
    }
}

bool clint::write(std::uint32_t offset, unsigned octets, std::uint32_t value, picoseconds) {
    if (octets != 4) return false;
    switch (offset) {
        case msip:
            software_ = (value & 1) != 0;
            return true;
        case mtimecmp:
            compare_ = (compare_ & 0xffffffff00000000) | value;
            return true;
        case mtimecmp + 4:
            compare_ = (compare_ & 0xffffffff) | std::uint64_t{value} << 32;
            return true;
        default:
            return false;
    }
}

picoseconds clint::deadline() const {
    constexpr auto last = static_cast<std::uint64_t>(never / nanoseconds(1));
    return compare_ >= last ? never : nanoseconds(static_cast<std::int64_t>(compare_));
}

}  // namespace weir::cpu
