// SPDX-License-Identifier: Apache-2.0
// ELF files by libelf. Field names and values are those of the System V ABI, chapters 4 and 5.
#include "models/cpu/elf.h"

#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>

#include "fmt/format.h"

namespace weir::cpu {

namespace {

struct elf_closer {
    void operator()(Elf* e) const { elf_end(e); }
};
using elf_handle = std::unique_ptr<Elf, elf_closer>;

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
    throw elf_error{name + ": " + why};
}

std::string libelf_message() {
    const char* const text = elf_errmsg(-1);
    return text != nullptr ? text : "no reason given";
}

/// Entry `i` of a table in the file, which a broken file need not have put where the host could read it in place.
template <typename T>
T aligned_copy(const void* table, std::size_t i) {
    T entry;
    std::memcpy(&entry, static_cast<const char*>(table) + i * sizeof(T), sizeof entry);
    return entry;
}

const Elf32_Ehdr& checked_header(Elf* e, const std::string& name) {
    if (elf_kind(e) != ELF_K_ELF) refuse(name, "not an ELF file; a RISC-V executable is wanted");
    const char* const ident = elf_getident(e, nullptr);
    if (ident[EI_CLASS] != ELFCLASS32)
        refuse(name, "not a 32-bit ELF file; link for rv32 (-march=rv32imac -mabi=ilp32)");
    if (ident[EI_DATA] != ELFDATA2LSB) refuse(name, "a big-endian ELF file; RISC-V programs here are little-endian");
    const Elf32_Ehdr* const h = elf32_getehdr(e);
    if (h == nullptr) refuse(name, fmt::format("the ELF header cannot be read ({})", libelf_message()));
    if (h->e_machine != EM_RISCV) {
        refuse(name, fmt::format("an ELF file for machine {}; RISC-V is {}", h->e_machine, EM_RISCV));
    }
    if (h->e_type != ET_EXEC) {
        refuse(name, fmt::format("ELF type {}; an executable linked to fixed addresses is {}", h->e_type, ET_EXEC));
    }
    return *h;
}

std::vector<elf_segment> read_segments(Elf* e, const std::vector<std::uint8_t>& image, const std::string& name) {
    std::vector<elf_segment> result;
    std::size_t count = 0;
    if (elf_getphdrnum(e, &count) != 0) refuse(name, fmt::format("program headers: {}", libelf_message()));
    const Elf32_Phdr* const table = count == 0 ? nullptr : elf32_getphdr(e);
    if (count != 0 && table == nullptr) refuse(name, fmt::format("program headers: {}", libelf_message()));
    for (std::size_t i = 0; i < count; ++i) {
        const auto p = aligned_copy<Elf32_Phdr>(table, i);
        if (p.p_type != PT_LOAD || p.p_memsz == 0) continue;
        if (p.p_filesz > p.p_memsz) {
            refuse(name,
                   fmt::format("segment {}: {} octets in the file, but only {} in memory", i, p.p_filesz, p.p_memsz));
        }
        if (std::uint64_t{p.p_offset} + p.p_filesz > image.size()) {
            refuse(name, fmt::format("segment {}: needs the file's octets {} to {}, but the file has {}", i, p.p_offset,
                                     std::uint64_t{p.p_offset} + p.p_filesz, image.size()));
        }
        if (std::uint64_t{p.p_paddr} + p.p_memsz > std::uint64_t{1} << 32) {
            refuse(name, fmt::format("segment {}: {:#x} octets at {:#010x} do not end before address 2^32", i,
                                     p.p_memsz, p.p_paddr));
        }
        const auto first = image.begin() + static_cast<std::ptrdiff_t>(p.p_offset);
        result.push_back({p.p_paddr, p.p_vaddr, p.p_memsz, {first, first + static_cast<std::ptrdiff_t>(p.p_filesz)}});
    }
    if (result.empty()) refuse(name, "no segment to load; an executable has at least one (PT_LOAD)");
    return result;
}

bool worth_keeping(const Elf32_Sym& s, const std::string_view name) {
    const unsigned type = ELF32_ST_TYPE(s.st_info);
    if (type != STT_NOTYPE && type != STT_OBJECT && type != STT_FUNC) return false;
    return s.st_shndx != SHN_UNDEF && !name.empty() && name.front() != '$' && name.substr(0, 2) != ".L";
}

void read_symbol_table(Elf* e, Elf_Scn* section, const Elf32_Shdr& header, const std::string& name,
                       std::vector<elf_symbol>& to) {
    const Elf_Data* const data = elf_getdata(section, nullptr);
    if (data == nullptr) refuse(name, fmt::format("symbol table: {}", libelf_message()));
    const std::size_t count = data->d_buf == nullptr ? 0 : data->d_size / sizeof(Elf32_Sym);
    for (std::size_t i = 0; i < count; ++i) {
        const auto s = aligned_copy<Elf32_Sym>(data->d_buf, i);
        const char* const text = elf_strptr(e, header.sh_link, s.st_name);
        if (text == nullptr) refuse(name, fmt::format("symbol {}: its name is outside the string table", i));
        if (!worth_keeping(s, text)) continue;
        to.push_back({text, s.st_value, s.st_size, ELF32_ST_TYPE(s.st_info) == STT_FUNC});
    }
}

std::vector<elf_symbol> read_symbols(Elf* e, const std::string& name) {
    std::vector<elf_symbol> result;
    for (Elf_Scn* section = elf_nextscn(e, nullptr); section != nullptr; section = elf_nextscn(e, section)) {
        const Elf32_Shdr* const header = elf32_getshdr(section);
        if (header == nullptr) refuse(name, fmt::format("section headers: {}", libelf_message()));
        if (header->sh_type == SHT_SYMTAB) read_symbol_table(e, section, *header, name, result);
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const elf_symbol& a, const elf_symbol& b) { return a.address < b.address; });
    return result;
}

/// The last of the symbols at or before `address` that reaches up to it.
template <typename Wanted>
std::optional<elf_place> last_reaching(const std::vector<elf_symbol>& symbols, std::uint32_t address, Wanted wanted) {
    auto it = std::upper_bound(symbols.begin(), symbols.end(), address,
                               [](std::uint32_t a, const elf_symbol& s) { return a < s.address; });
    while (it != symbols.begin()) {
        --it;
        if (!wanted(*it)) continue;
        const std::uint32_t offset = address - it->address;
        if (it->size != 0 && offset >= it->size) return std::nullopt;
        return elf_place{it->name, offset};
    }
    return std::nullopt;
}

}  // namespace

elf_file elf_file::from_file(const std::string& path) {
    std::error_code ignored;
    std::ifstream in{path, std::ios::binary};
    if (!in || std::filesystem::is_directory(path, ignored)) {
        refuse(path, "cannot be read; the path of a RISC-V executable is wanted");
    }
    const std::vector<std::uint8_t> image{std::istreambuf_iterator<char>{in}, {}};
    return from_memory(image, path);
}

elf_file elf_file::from_memory(const std::vector<std::uint8_t>& image, const std::string& name) {
    if (elf_version(EV_CURRENT) == EV_NONE) refuse(name, "libelf is older than the ELF version that it is asked for");
    if (image.empty()) refuse(name, "empty; a RISC-V executable is wanted");
    std::vector<std::uint8_t> copy = image;  // libelf asks for memory that may be written
    const elf_handle e{elf_memory(reinterpret_cast<char*>(copy.data()), copy.size())};
    if (e == nullptr) refuse(name, fmt::format("not readable as ELF ({})", libelf_message()));
    elf_file result;
    result.entry_ = checked_header(e.get(), name).e_entry;
    result.segments_ = read_segments(e.get(), image, name);
    const auto holds_entry = [&](const elf_segment& s) { return result.entry_ - s.virtual_address < s.size; };
    if (std::none_of(result.segments_.begin(), result.segments_.end(), holds_entry) || result.entry_ % 2 != 0) {
        refuse(name, fmt::format("entry point {:#010x} is odd or in no segment", result.entry_));
    }
    result.symbols_ = read_symbols(e.get(), name);
    return result;
}

std::optional<elf_place> elf_file::function_at(std::uint32_t address) const {
    return last_reaching(symbols_, address, [](const elf_symbol& s) { return s.function; });
}

std::optional<elf_place> elf_file::symbol_at(std::uint32_t address) const {
    if (const auto f = function_at(address)) return f;
    return last_reaching(symbols_, address, [](const elf_symbol& s) { return !s.function; });
}

std::optional<std::uint32_t> elf_file::address_of(std::string_view name) const {
    for (const auto& s : symbols_) {
        if (s.name == name) return s.address;
    }
    return std::nullopt;
}

}  // namespace weir::cpu
