// SPDX-License-Identifier: Apache-2.0
// What a register map says, as constant tables: blocks, registers, fields, their addresses and access kinds.
//
//   map ─► block ─► register [outer][…][inner] ─► field
//
// Built by models/registers/generate.py from *.map.toml and *.regs.toml. Nothing here has state.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace weir::registers {

enum class software : std::uint8_t { rw, ro, wo };
/// What a software read does to the field: nothing, clears it, or restarts a watermark at the present value.
enum class read_effect : std::uint8_t { none, clear, restart };
/// What a software write means: the new value, ones that clear, ones that set, or a pulse that stores nothing.
enum class write_effect : std::uint8_t { store, w1c, w1s, oneshot };
/// How far a reset reaches; a stronger one includes the weaker ones.
enum class reset_level : std::uint8_t { port, soft, power_on };
/// In which order the octets of a 32-bit word stand on the bus.
enum class byte_order : std::uint8_t { little, big };

struct enum_value {
    std::string_view name;
    std::uint64_t value;
};

struct field_descriptor {
    std::string_view name;
    std::uint8_t low;
    std::uint8_t width;
    software sw;
    read_effect onread;
    write_effect onwrite;
    std::uint64_t reset;
    bool counter;
    bool changes_by_itself;
    std::string_view unit;
    std::string_view doc;
    const enum_value* values;
    std::uint32_t value_count;

    /// The greatest value the field holds; in sizes and thresholds it means "unlimited".
    [[nodiscard]] constexpr std::uint64_t all_ones() const { return ~std::uint64_t{0} >> (64 - width); }
    [[nodiscard]] constexpr std::uint64_t mask() const { return all_ones() << low; }
};

struct dimension {
    std::string_view name;
    std::string_view symbol;  ///< the symbolic size ("ports"); empty when the register file gives a number
    std::uint32_t count;      ///< address slots; a chip may have fewer
    std::uint32_t stride;     ///< octets
};

struct register_descriptor {
    std::string_view block;
    std::string_view name;   ///< what behaviour and drivers bind to
    std::string_view alias;  ///< what this map's documentation calls it; usually the name
    std::uint32_t address;   ///< of the instance with all indices 0
    std::uint8_t width;      ///< 32 or 64
    std::array<dimension, 3> dims;
    std::uint8_t dim_count;
    bool early;       ///< answers before initialisation
    bool write_mask;  ///< bits 31:16 of a written word choose which of bits 15:0 change
    reset_level level;
    std::string_view lock;  ///< "block.register.field" that must be 0 for a write; empty: never locked
    const field_descriptor* fields;
    std::uint32_t field_count;
    std::string_view doc;
};

struct block_descriptor {
    std::string_view name;
    std::uint32_t base;
    const register_descriptor* registers;
    std::uint32_t register_count;
    std::string_view doc;
};

struct symbolic_dimension {
    std::string_view name;
    std::uint32_t count;
};

struct map {
    std::string_view name;
    std::string_view doc;
    byte_order order;
    std::uint32_t major;
    std::uint32_t minor;
    std::uint32_t hash;  ///< 16 bits over all that a driver's binary depends on
    std::uint32_t span;  ///< octets from address 0 to the end of the last register
    const block_descriptor* blocks;
    std::uint32_t block_count;
    const register_descriptor* registers;
    std::uint32_t register_count;
    const symbolic_dimension* dimensions;
    std::uint32_t dimension_count;
};

/// Weir's own map (models/asic/weir.map.toml).
const map& weir_map();

}  // namespace weir::registers
