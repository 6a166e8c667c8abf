// SPDX-License-Identifier: Apache-2.0
// The forwarding tables against a plain map and a plain search, with random entries that come and go.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "models/pipeline/forwarding.h"
#include "models/timeline/random_stream.h"

namespace weir::fuzz {
namespace {

using pipeline::destination;
using pipeline::exact_table;
using pipeline::forward;
using pipeline::prefix_table;
using pipeline::table_key;

std::uint32_t roll(random_stream& random, std::uint32_t sides) {
    return static_cast<std::uint32_t>(std::uint64_t{random.next()} * sides >> 32);
}

TEST(random_tables, exact_entries_come_and_go) {
    random_stream random(1, "exact");
    constexpr std::size_t capacity = 200;
    exact_table table(capacity);
    std::map<std::uint64_t, std::uint16_t> plain;
    for (int step = 0; step < 100'000; ++step) {
        const std::uint64_t key = roll(random, 400) * 0x100000001ULL;
        const auto port = static_cast<std::uint16_t>(roll(random, 128));
        switch (roll(random, 3)) {
            case 0: {
                const bool fits = plain.count(key) != 0 || plain.size() < capacity;
                ASSERT_EQ(table.insert({0, key, 0}, {forward::port, port}), fits);
                if (fits) plain[key] = port;
                break;
            }
            case 1:
                ASSERT_EQ(table.erase({0, key, 0}), plain.erase(key) == 1);
                break;
            default: {
                const destination* found = table.find({0, key, 0});
                const auto wanted = plain.find(key);
                ASSERT_EQ(found != nullptr, wanted != plain.end());
                if (found != nullptr) {
                    ASSERT_EQ(found->target, wanted->second);
                }
            }
        }
        ASSERT_EQ(table.size(), plain.size());
    }
    table.clear();
    EXPECT_EQ(table.size(), 0U);
    EXPECT_EQ(table.find({0, 0, 0}), nullptr);
}

// The longest prefix wins (RFC 1812 5.2.4.3), of 32 and of 128 bits, through inserts, replacements and removals.
TEST(random_tables, the_longest_prefix_wins) {
    for (const unsigned bits : {32U, 128U}) {
        random_stream random(bits, "prefix");
        prefix_table table(64, bits);
        struct route {
            std::uint64_t high, low;
            unsigned length;
            std::uint16_t port;
        };
        std::vector<route> plain;
        // Addresses that agree in most bits, so that prefixes of all lengths cover one another.
        const auto address = [&](std::uint64_t& high, std::uint64_t& low) {
            high = bits == 128 ? 0x20010db8'00000000ULL ^ (std::uint64_t{1} << roll(random, 64)) : 0;
            low = bits == 128 ? std::uint64_t{1} << roll(random, 64) : 0x0a000000U ^ (1U << roll(random, 32));
        };
        const auto mask = [&](std::uint64_t& high, std::uint64_t& low, unsigned length) {
            const auto keep = [](std::uint64_t v, unsigned width, unsigned n) {
                return n == 0 ? 0 : n >= width ? v : v & (~std::uint64_t{0} << (width - n));
            };
            if (bits == 32) {
                low = keep(low, 32, length);
                return;
            }
            high = keep(high, 64, length);
            low = length <= 64 ? 0 : keep(low, 64, length - 64);
        };
        for (int step = 0; step < 20'000; ++step) {
            route r{0, 0, roll(random, bits + 1), static_cast<std::uint16_t>(roll(random, 128))};
            address(r.high, r.low);
            const table_key key{r.high, r.low, static_cast<std::uint16_t>(r.length)};
            mask(r.high, r.low, r.length);
            const auto same = std::find_if(plain.begin(), plain.end(), [&](const route& o) {
                return o.high == r.high && o.low == r.low && o.length == r.length;
            });
            switch (roll(random, 4)) {
                case 0:
                    if (table.insert(key, {forward::port, r.port})) {
                        if (same != plain.end()) {
                            same->port = r.port;
                        } else {
                            plain.push_back(r);
                        }
                    } else {
                        ASSERT_EQ(plain.size(), 64U);
                        ASSERT_TRUE(same == plain.end());
                    }
                    break;
                case 1:
                    ASSERT_EQ(table.erase(key), same != plain.end());
                    if (same != plain.end()) plain.erase(same);
                    break;
                default: {
                    std::uint64_t high = 0;
                    std::uint64_t low = 0;
                    address(high, low);
                    std::optional<route> best;
                    for (const route& o : plain) {
                        std::uint64_t h = high;
                        std::uint64_t w = low;
                        mask(h, w, o.length);
                        if (h == o.high && w == o.low && (!best || o.length > best->length)) best = o;
                    }
                    const destination* found = table.find(high, low);
                    ASSERT_EQ(found != nullptr, best.has_value());
                    if (best) {
                        ASSERT_EQ(found->target, best->port);
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace weir::fuzz
