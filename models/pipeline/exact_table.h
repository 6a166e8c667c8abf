// SPDX-License-Identifier: Apache-2.0
// A hardware-like exact-match table of fixed capacity: hash, then linear probing over a flat array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::pipeline {

/// What a forwarding entry says.
enum class forward : std::uint8_t { drop, port, ecmp, cpu };

struct destination {
    forward kind{forward::drop};
    std::uint16_t target{0};  ///< port number or ECMP group
    bool learned{false};      ///< not by software
};

/// 128 bits of key and 16 of qualifier (a prefix length); narrower keys leave the rest zero.
struct table_key {
    std::uint64_t high{0};
    std::uint64_t low{0};
    std::uint16_t qualifier{0};
    friend bool operator==(const table_key& a, const table_key& b) {
        return a.low == b.low && a.high == b.high && a.qualifier == b.qualifier;
    }
};

class exact_table {
public:
    explicit exact_table(std::size_t capacity) : capacity_(capacity) {
        std::size_t slots = 16;
        while (slots < 2 * capacity) slots *= 2;
        slots_.resize(slots);
    }

    [[nodiscard]] const destination* find(const table_key& key) const {
        for (std::size_t at = home(key);; at = next(at)) {
            const slot& s = slots_[at];
            if (!s.used) return nullptr;
            if (s.key == key) return &s.value;
        }
    }
    /// Adds or replaces. False: full.
    bool insert(const table_key& key, destination value) {
        std::size_t at = home(key);
        while (slots_[at].used && !(slots_[at].key == key)) at = next(at);
        if (!slots_[at].used) {
            if (size_ == capacity_) return false;
            ++size_;
        }
        slots_[at] = {true, key, value};
        return true;
    }
    /// False: not there.
    bool erase(const table_key& key) {
        std::size_t hole = home(key);
        while (slots_[hole].used && !(slots_[hole].key == key)) hole = next(hole);
        if (!slots_[hole].used) return false;
        --size_;
        // Later entries of the same run move up, so that no probe ever stops short of one.
        for (std::size_t at = next(hole); slots_[at].used; at = next(at)) {
            const std::size_t wanted = home(slots_[at].key);
            const bool stays = hole < at ? hole < wanted && wanted <= at : hole < wanted || wanted <= at;
            if (stays) continue;
            slots_[hole] = slots_[at];
            hole = at;
        }
        slots_[hole].used = false;
        return true;
    }
    void clear() {
        for (auto& s : slots_) s.used = false;
        size_ = 0;
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t capacity() const { return capacity_; }

private:
    struct slot {
        bool used{false};
        table_key key;
        destination value;
    };
    [[nodiscard]] std::size_t home(const table_key& key) const {
        std::uint64_t h = (key.low ^ key.qualifier) * 0x9e3779b97f4a7c15U;
        h = (h ^ (h >> 32) ^ key.high) * 0xd6e8feb86659fd93U;
        return static_cast<std::size_t>(h >> 40) & (slots_.size() - 1);
    }
    [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }

    std::size_t capacity_;
    std::size_t size_{0};
    std::vector<slot> slots_;
};

}  // namespace weir::pipeline
