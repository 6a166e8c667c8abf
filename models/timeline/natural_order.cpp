// SPDX-License-Identifier: Apache-2.0
#include "models/timeline/natural_order.h"

#include <cctype>
#include <cstddef>
#include <cstdint>

namespace weir {

bool natural_less(std::string_view a, std::string_view b) {
    const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
        if (digit(a[i]) && digit(b[j])) {
            std::uint64_t x = 0;
            std::uint64_t y = 0;
            while (i < a.size() && digit(a[i])) x = x * 10 + static_cast<std::uint64_t>(a[i++] - '0');
            while (j < b.size() && digit(b[j])) y = y * 10 + static_cast<std::uint64_t>(b[j++] - '0');
            if (x != y) return x < y;
        } else {
            if (a[i] != b[j]) return a[i] < b[j];
            ++i;
            ++j;
        }
    }
    return a.size() - i < b.size() - j;
}

}  // namespace weir
