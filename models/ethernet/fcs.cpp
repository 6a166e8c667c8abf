// SPDX-License-Identifier: Apache-2.0
// CRC-32 by Boost.CRC, its linear maps over runs of zeros, and the Internet checksum.
#include "models/ethernet/fcs.h"

#include <array>
#include <boost/crc.hpp>

namespace weir::ethernet {
namespace {

constexpr std::uint32_t polynomial = 0xedb88320;  // 04C11DB7, bits reversed

/// A linear map of the register: what each of its bits contributes.
using linear_map = std::array<std::uint32_t, 32>;

std::uint32_t map_through(const linear_map& map, std::uint32_t state) {
    std::uint32_t result = 0;
    for (std::size_t bit = 0; state != 0; ++bit, state >>= 1) {
        if ((state & 1) != 0) result ^= map[bit];
    }
    return result;
}

/// maps[k] carries the register over 2^k zero octets, forwards or backwards.
using map_ladder = std::array<linear_map, 32>;

template <typename Step>
map_ladder make_ladder(Step one_bit) {
    map_ladder maps{};
    for (std::size_t bit = 0; bit < 32; ++bit) {
        std::uint32_t state = std::uint32_t{1} << bit;
        for (int i = 0; i < 8; ++i) state = one_bit(state);
        maps[0][bit] = state;
    }
    for (std::size_t k = 1; k < maps.size(); ++k) {
        for (std::size_t bit = 0; bit < 32; ++bit) maps[k][bit] = map_through(maps[k - 1], maps[k - 1][bit]);
    }
    return maps;
}

const map_ladder& forwards() {
    static const map_ladder maps =
        make_ladder([](std::uint32_t state) { return (state >> 1) ^ ((state & 1) != 0 ? polynomial : 0U); });
    return maps;
}

const map_ladder& backwards() {
    static const map_ladder maps = make_ladder(
        [](std::uint32_t state) { return (state & 0x80000000U) != 0 ? ((state ^ polynomial) << 1) | 1U : state << 1; });
    return maps;
}

std::uint32_t climb(const map_ladder& maps, std::uint32_t state, std::uint32_t count) {
    for (std::size_t k = 0; count != 0; ++k, count >>= 1) {
        if ((count & 1) != 0) state = map_through(maps[k], state);
    }
    return state;
}

}  // namespace

crc32& crc32::add(const std::uint8_t* octets, std::uint32_t count) {
    boost::crc_optimal<32, 0x04c11db7, 0, 0, true, true> engine;
    engine.process_bytes(octets, count);
    // The register is linear in its preset: octets on an empty register, plus the old state carried over as many zeros.
    state_ = count == 0 ? state_ : engine.checksum() ^ advance_over_zeros(state_, count);
    return *this;
}

crc32& crc32::add_zeros(std::uint32_t count) {
    state_ = advance_over_zeros(state_, count);
    return *this;
}

std::uint32_t advance_over_zeros(std::uint32_t state, std::uint32_t count) {
    return climb(forwards(), state, count);
}

std::uint32_t retreat_over_zeros(std::uint32_t state, std::uint32_t count) {
    return climb(backwards(), state, count);
}

std::uint32_t frame_check_sequence(const std::uint8_t* octets, std::uint32_t count, std::uint32_t zeros) {
    return crc32{}.add(octets, count).add_zeros(zeros).value();
}

bool fcs_matches(const std::uint8_t* octets, std::uint32_t count) {
    return count >= 4 && crc32{}.add(octets, count).value() == crc_residue;
}

std::uint32_t internet_sum(const std::uint8_t* octets, std::uint32_t count, std::uint32_t start) {
    std::uint64_t sum = start;
    for (std::uint32_t i = 0; i + 1 < count; i += 2) sum += std::uint32_t{octets[i]} << 8 | octets[i + 1];
    if (count % 2 != 0) sum += std::uint32_t{octets[count - 1]} << 8;
    while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint32_t>(sum);
}

std::uint16_t internet_checksum(std::uint32_t sum) {
    while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(~sum);
}

std::uint16_t update_checksum(std::uint16_t checksum, std::uint16_t before, std::uint16_t after) {
    const std::uint32_t sum = static_cast<std::uint16_t>(~checksum) + static_cast<std::uint16_t>(~before) + after;
    return internet_checksum(sum);
}

}  // namespace weir::ethernet
