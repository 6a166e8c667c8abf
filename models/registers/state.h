// SPDX-License-Identifier: Apache-2.0
// What the bank keeps a register and a field besides the map's constants: masks worked out once, handlers, latches.
#pragma once

#include <algorithm>

#include "models/registers/bank.h"

namespace weir::registers {

struct bank::field_state {
    explicit field_state(const field_descriptor& d) : about(&d), mask(d.mask()) {}
    [[nodiscard]] bool is_pulse() const { return about->onwrite == write_effect::oneshot; }

    const field_descriptor* about;
    std::uint64_t mask;
    source driven;
    std::vector<write_event> writes;
    std::vector<read_event> reads;
    std::vector<std::uint64_t> preloaded;  ///< added to what is driven, an entry an instance; empty: nothing
    std::vector<std::uint64_t> frozen;  ///< the last snapshot, an entry an instance; empty: not covered, or none taken
};

struct bank::register_state {
    static constexpr std::uint32_t no_cell = UINT32_MAX;

    register_state(const register_descriptor& d, std::uint32_t first_cell, std::uint32_t first_of_fields)
        : about(&d), first(first_cell), first_field(first_of_fields) {
        for (std::uint32_t f = 0; f < d.field_count; ++f) {
            const field_descriptor& field = d.fields[f];
            const std::uint64_t mask = field.mask();
            if (field.sw != software::wo) readable |= mask;
            if (field.onread != read_effect::none) any_onread = true;
            reset_word |= field.reset << field.low;
            if (field.sw == software::ro) continue;
            writable |= mask;
            if (field.onwrite == write_effect::store) stored |= mask;
            if (field.onwrite == write_effect::w1c) clearable |= mask;
            if (field.onwrite == write_effect::w1s) settable |= mask;
        }
        const auto& dims = d.dims;
        std::stable_sort(by_stride.begin(), by_stride.begin() + d.dim_count,
                         [&dims](std::uint8_t a, std::uint8_t b) { return dims[a].stride > dims[b].stride; });
    }

    const register_descriptor* about;
    std::uint32_t first;        ///< cell of instance 0 in storage
    std::uint32_t first_field;  ///< of this register in the bank's list of fields
    std::uint32_t instances{1};
    std::array<std::uint32_t, 3> size{1, 1, 1};
    std::array<std::uint8_t, 3> by_stride{0, 1, 2};
    std::uint64_t readable{0};
    std::uint64_t writable{0};
    std::uint64_t stored{0};
    std::uint64_t clearable{0};
    std::uint64_t settable{0};
    std::uint64_t reset_word{0};
    bool any_driven{false};
    bool any_onread{false};
    bool any_event{false};
    std::int32_t lock_register{-1};
    std::uint32_t lock_field{0};
    std::uint32_t latched_cell{no_cell};
    std::uint64_t latched{0};
    std::uint32_t held_cell{no_cell};
    std::uint64_t held{0};
};

}  // namespace weir::registers
