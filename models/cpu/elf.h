// SPDX-License-Identifier: Apache-2.0
// Executables for the hart: ELF32, little-endian, RISC-V, linked to fixed addresses. Read with libelf.
//
// What comes out is what a loader has to write where, where execution starts, and which name an address has. Files are
// not trusted: whatever is wrong with one is an elf_error of one line that says what, where and what would be right.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace weir::cpu {

class elf_error : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A piece of memory as the file wants it: `octets`, then zeros up to `size`.
struct elf_segment {
    std::uint32_t address{0};          ///< physical (p_paddr): where a loader writes
    std::uint32_t virtual_address{0};  ///< where the program believes it to be
    std::uint32_t size{0};             ///< in memory, in octets, not 0; address + size is at most 2^32
    std::vector<std::uint8_t> octets;
};

struct elf_symbol {
    std::string name;
    std::uint32_t address{0};
    std::uint32_t size{0};  ///< in octets; 0: unknown, and the symbol reaches up to the next one
    bool function{false};
};

/// A symbol, and how far behind its beginning an address lies.
struct elf_place {
    std::string_view name;
    std::uint32_t offset{0};
};

class elf_file {
public:
    /// Throws elf_error if the file cannot be read or is not what the head of this header says.
    static elf_file from_file(const std::string& path);
    /// The same from memory; `name` stands for the path in messages.
    static elf_file from_memory(const std::vector<std::uint8_t>& image, const std::string& name);

    [[nodiscard]] std::uint32_t entry() const { return entry_; }
    /// In the order of the file, without empty ones.
    [[nodiscard]] const std::vector<elf_segment>& segments() const { return segments_; }
    /// Symbols with an address and a name, by address; without the mapping symbols ($x, $d) and local labels (.L…).
    [[nodiscard]] const std::vector<elf_symbol>& symbols() const { return symbols_; }

    /// What an address is called: the function that it is in, else the label or object. Nothing: it has no name.
    [[nodiscard]] std::optional<elf_place> symbol_at(std::uint32_t address) const;
    /// The function that an address is in; nothing: it is in none.
    [[nodiscard]] std::optional<elf_place> function_at(std::uint32_t address) const;
    [[nodiscard]] std::optional<std::uint32_t> address_of(std::string_view name) const;

private:
    std::uint32_t entry_{0};
    std::vector<elf_segment> segments_;
    std::vector<elf_symbol> symbols_;
};

}  // namespace weir::cpu
