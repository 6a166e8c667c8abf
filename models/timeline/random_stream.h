// SPDX-License-Identifier: Apache-2.0
// Random numbers that depend on the global seed and a component's name alone, never on the order of construction.
#pragma once

#include <boost/random/taus88.hpp>

#include <cstdint>
#include <string_view>

namespace weir {

class random_stream {
public:
    random_stream() = default;
    random_stream(std::uint64_t seed, std::string_view name) : engine_(mix(seed, name)) {}

    /// Uniform over 0 to 2^32 - 1.
    std::uint32_t next() { return engine_(); }

    /// Uniform over [0, 1).
    double uniform() { return next() * (1.0 / 4294967296.0); }

    /// Exponentially distributed with a mean of 2^32, exact to one: von Neumann's way, which only compares numbers, so
    /// that no mathematical library has a say in it.
    std::uint64_t exponential() {
        for (std::uint64_t whole = 0;; ++whole) {
            const std::uint32_t first = next();
            std::uint32_t last = first;
            bool odd = true;  // the length of the falling run that starts with `first`
            for (std::uint32_t drawn = next(); drawn < last; drawn = next()) {
                last = drawn;
                odd = !odd;
            }
            if (odd) return (whole << 32) + first;
        }
    }

private:
    // FNV-1a over the name, then a multiply-and-shift finish that spreads neighbouring seeds.
    static std::uint32_t mix(std::uint64_t seed, std::string_view name) {
        std::uint64_t h = 0xcbf29ce484222325U ^ seed;
        for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
        h = (h ^ (h >> 32)) * 0x9e3779b97f4a7c15U;
        return static_cast<std::uint32_t>(h >> 32);
    }
    boost::random::taus88 engine_;
};

}  // namespace weir
