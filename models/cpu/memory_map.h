// SPDX-License-Identifier: Apache-2.0
// The memories mapped into a hart, each with a table of its decoded instructions: one op a halfword.
//
//   octets  │ 4 octets │ 2 │ 4 octets │ …        ops  │ op │ – │ op │ op │ – │ …
//
// The table lies in address space that the operating system fills with zeros when it is touched, and 0 is "undecoded":
// a memory costs what its code needs. Behind the last op stand two that say "outside", so that nobody counts while
// running on.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/cpu/decode.h"

namespace weir::cpu {

/// Stores ask for each 64 octets whether there is decoded code in them.
constexpr unsigned line_bits = 6;

/// One mapped memory. `base` and `size` are multiples of 4096, size not 0.
class memory_region {
public:
    memory_region(std::uint32_t base, std::uint8_t* octets, std::uint32_t size);
    ~memory_region();
    memory_region(const memory_region&) = delete;
    memory_region& operator=(const memory_region&) = delete;

    [[nodiscard]] bool contains(std::uint32_t address) const { return address - base_ < size_; }
    [[nodiscard]] std::uint32_t base() const { return base_; }
    [[nodiscard]] std::uint32_t size() const { return size_; }
    [[nodiscard]] std::uint8_t* octets() const { return octets_; }
    /// The op for the halfword at `address`, which is inside and even.
    [[nodiscard]] op* at(std::uint32_t address) const { return ops_ + ((address - base_) >> 1); }
    /// The address that an op stands for; up to two ops behind the last one too.
    [[nodiscard]] std::uint32_t address_of(const op* o) const {
        return base_ + (static_cast<std::uint32_t>(o - ops_) << 1);
    }
    /// A line's number (offset >> line_bits) → not 0 if something in it has been decoded.
    [[nodiscard]] const std::uint8_t* code_lines() const { return code_lines_.data(); }

    /// Notes that the halfwords of an instruction at `address` are decoded from here on.
    void mark_code(std::uint32_t address, unsigned halfwords);
    /// Forgets what was decoded from the `octets` octets at `address`, inside; 0 octets are none.
    void forget(std::uint32_t address, std::uint32_t octets);

private:
    void forget_line(std::uint32_t line, std::uint32_t first, std::uint32_t last);

    std::uint32_t base_;
    std::uint32_t size_;
    std::uint8_t* octets_;
    op* ops_;
    std::size_t mapped_octets_;
    // Lines, so that data next to code costs nothing; pages, so that a large memory is forgotten quickly.
    std::vector<std::uint8_t> code_lines_;
    std::vector<std::uint8_t> code_pages_;
};

class memory_map {
public:
    /// Throws std::invalid_argument if the range is empty, not of whole pages, wraps, or overlaps one that is there.
    void add(std::uint32_t base, std::uint8_t* octets, std::uint32_t size);
    /// Takes the range out of all memories; what is left of them stays mapped.
    void remove(std::uint32_t base, std::uint32_t size);
    /// Forgets decoded instructions of the range (all memories' with `forget_all`).
    void forget(std::uint32_t base, std::uint32_t size);
    void forget_all();
    /// The memory at an address, or nullptr.
    [[nodiscard]] memory_region* find(std::uint32_t address) const {
        for (const auto& r : regions_) {
            if (r->contains(address)) return r.get();
        }
        return nullptr;
    }

private:
    std::vector<std::unique_ptr<memory_region>> regions_;
};

}  // namespace weir::cpu
