// SPDX-License-Identifier: Apache-2.0
// A 64-bit digest of what happened in the packet plane: two runs that agree in it received the same frames, with the
// same marks, at the same times at the same places. Not a cryptographic one.
#pragma once

#include <cstdint>
#include <string_view>

#include "models/timeline/time.h"

namespace weir {

class digest {
public:
    /// Starts the digest: times are counted from `origin` on, and nothing before it is folded in.
    void start(picoseconds origin) {
        origin_ = origin;
        state_ = 0x9e3779b97f4a7c15U;
    }

    /// What `fold` calls a place: a hash of its name (FNV-1a), so that a digest does not change when other blocks come
    /// beside it.
    [[nodiscard]] static std::uint32_t place_of(std::string_view name) {
        std::uint32_t h = 0x811c9dc5U;
        for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x01000193U;
        return h;
    }

    void fold(picoseconds time, std::uint32_t place, std::uint32_t a, std::uint32_t b) {
        if (time < origin_) return;
        fold_word(static_cast<std::uint64_t>((time - origin_).count()) ^ (std::uint64_t{place} << 32));
        fold_word((std::uint64_t{a} << 32) | b);
    }
    void fold_word(std::uint64_t word) {
        state_ = (state_ ^ word) * 0xd6e8feb86659fd93U;
        state_ ^= state_ >> 32;
    }

    [[nodiscard]] std::uint64_t value() const { return state_; }

private:
    picoseconds origin_{never};
    std::uint64_t state_{0};
};

}  // namespace weir
