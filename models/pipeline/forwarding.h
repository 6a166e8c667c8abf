// SPDX-License-Identifier: Apache-2.0
// Where a frame goes: its destination address in the MAC table; when that has no entry, its IP destination in the
// longest matching prefix; an ECMP group picks one of its members by the flow's hash.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/ethernet/frame.h"
#include "models/pipeline/exact_table.h"

namespace weir::pipeline {

constexpr std::size_t ecmp_groups = 64;
constexpr std::size_t ecmp_members = 16;

struct ecmp_group {
    std::uint8_t count{0};
    std::array<std::uint16_t, ecmp_members> port{};
};

/// A prefix table: one exact match a prefix length that is in use, longest first.
class prefix_table {
public:
    /// `bits`: length of an address, 32 or 128.
    prefix_table(std::size_t capacity, unsigned bits) : table_(capacity), bits_(bits), lengths_(bits + 1U) {}

    /// `address` with its most significant bit at the top of `high` for 128 bits, in the low 32 of `low` for 32.
    [[nodiscard]] const destination* find(std::uint64_t high, std::uint64_t low) const;
    bool insert(table_key prefix, destination value);
    bool erase(table_key prefix);
    [[nodiscard]] const destination* exact(table_key prefix) const;
    void clear();
    [[nodiscard]] const exact_table& entries() const { return table_; }

private:
    [[nodiscard]] table_key masked(std::uint64_t high, std::uint64_t low, unsigned length) const;
    exact_table table_;
    unsigned bits_;
    std::vector<std::uint32_t> lengths_;  // entries a length
    std::vector<std::uint8_t> used_;      // lengths in use, longest first
    void recount();
};

class forwarding {
public:
    exact_table mac{4096};
    prefix_table ipv4{4096, 32};
    prefix_table ipv6{2048, 128};
    std::array<ecmp_group, ecmp_groups> ecmp{};
    std::uint32_t ecmp_seed{0};

    struct learning_state {
        bool enabled{false};
        bool control{false};  ///< from MAC Control frames, too
        std::uint64_t learned{0};
        std::uint64_t moved{0};
        std::uint64_t refused{0};
    };
    learning_state learning;
    /// Enters the frame's source address, unless software has an entry for it.
    void learn(const ethernet::frame& f, std::uint16_t port);

    /// Port or CPU, ECMP resolved; `drop` when nothing matches. `by_address`: an IP prefix matched, no MAC address.
    [[nodiscard]] destination look_up(const ethernet::frame& f, bool& by_address) const;
    void clear();
};

/// The key of a MAC address: its octets as a 48-bit number, first octet on top.
[[nodiscard]] table_key mac_key(const std::uint8_t* address);

}  // namespace weir::pipeline
