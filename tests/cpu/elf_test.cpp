// SPDX-License-Identifier: Apache-2.0
// Loading executables. The files are put together here, octet by octet, after the System V ABI, chapters 4 and 5.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "models/cpu/elf.h"

namespace weir::cpu::testing {
namespace {

using octet_vector = std::vector<std::uint8_t>;

void put_16(octet_vector& to, std::size_t at, std::uint32_t value) {
    to.at(at) = static_cast<std::uint8_t>(value);
    to.at(at + 1) = static_cast<std::uint8_t>(value >> 8);
}

void put_32(octet_vector& to, std::size_t at, std::uint32_t value) {
    put_16(to, at, value);
    put_16(to, at + 2, value >> 16);
}

// Where things are in the file: the header's fields by the ABI (figure 4-3), the rest by the layout below.
constexpr std::size_t e_type = 16, e_machine = 18, e_entry = 24, e_phoff = 28, e_shoff = 32, e_phnum = 44, e_shnum = 48;
constexpr std::size_t program_headers_at = 52, code_at = 116, symbols_at = 124, strings_at = 236, sections_at = 276,
                      file_octets = 396;
constexpr std::size_t p_offset = 4, p_paddr = 12, p_filesz = 16, p_memsz = 20;

/// Two segments (code, 8 octets at 0x80000000; data, 2 octets of the code again, at 0x20000000 for 0x80000100, 16 in
/// memory), seven symbols.
octet_vector good_file() {
    octet_vector f(file_octets);
    const octet_vector ident{0x7f, 'E', 'L', 'F', 1, 1, 1};
    std::copy(ident.begin(), ident.end(), f.begin());
    put_16(f, e_type, 2);       // ET_EXEC
    put_16(f, e_machine, 243);  // EM_RISCV
    put_32(f, 20, 1);
    put_32(f, e_entry, 0x80000000);
    put_32(f, e_phoff, program_headers_at);
    put_32(f, e_shoff, sections_at);
    put_16(f, 40, 52);
    put_16(f, 42, 32);
    put_16(f, e_phnum, 2);
    put_16(f, 46, 40);
    put_16(f, e_shnum, 3);
    put_16(f, 50, 2);

    const auto segment = [&](std::size_t at, std::uint32_t offset, std::uint32_t virtual_address,
                             std::uint32_t physical, std::uint32_t in_file, std::uint32_t in_memory) {
        const std::uint32_t fields[] = {1, offset, virtual_address, physical, in_file, in_memory, 5, 4};
        for (std::size_t i = 0; i < 8; ++i) put_32(f, at + 4 * i, fields[i]);
    };
    segment(program_headers_at, code_at, 0x80000000, 0x80000000, 8, 8);
    segment(program_headers_at + 32, code_at + 2, 0x80000100, 0x20000000, 2, 16);
    for (std::size_t i = 0; i < 8; ++i) f[code_at + i] = static_cast<std::uint8_t>(0x10 + i);

    // Names: "" at 0, then main 1, helper 6, label 13, $x 19, .L1 22, object 26.
    const std::string names = std::string{"\0main\0helper\0label\0$x\0.L1\0object\0", 33};
    std::copy(names.begin(), names.end(), f.begin() + strings_at);
    const auto symbol = [&](std::size_t i, std::uint32_t name, std::uint32_t value, std::uint32_t size,
                            std::uint8_t type) {
        const std::size_t at = symbols_at + 16 * i;
        put_32(f, at, name);
        put_32(f, at + 4, value);
        put_32(f, at + 8, size);
        f[at + 12] = type;
        put_16(f, at + 14, i == 0 ? 0 : 1);
    };
    symbol(1, 6, 0x80000004, 4, 2);    // helper, a function
    symbol(2, 1, 0x80000000, 4, 2);    // main, a function
    symbol(3, 13, 0x80000002, 0, 0);   // label
    symbol(4, 19, 0x80000000, 0, 0);   // $x
    symbol(5, 22, 0x80000006, 0, 0);   // .L1
    symbol(6, 26, 0x80000100, 16, 1);  // object

    const auto section = [&](std::size_t i, std::uint32_t type, std::size_t offset, std::uint32_t size,
                             std::uint32_t link, std::uint32_t entry) {
        const std::size_t at = sections_at + 40 * i;
        put_32(f, at + 4, type);
        put_32(f, at + 16, static_cast<std::uint32_t>(offset));
        put_32(f, at + 20, size);
        put_32(f, at + 24, link);
        put_32(f, at + 32, 4);
        put_32(f, at + 36, entry);
    };
    section(1, 2, symbols_at, 7 * 16, 2, 16);  // SHT_SYMTAB
    section(2, 3, strings_at, 33, 0, 0);       // SHT_STRTAB
    return f;
}

std::string message_of(const octet_vector& file) {
    try {
        elf_file::from_memory(file, "x.elf");
    } catch (const elf_error& e) {
        return e.what();
    }
    return "accepted";
}

TEST(elf_files, give_segments_by_their_physical_addresses) {
    const auto e = elf_file::from_memory(good_file(), "good");
    EXPECT_EQ(e.entry(), 0x80000000U);
    ASSERT_EQ(e.segments().size(), 2U);
    EXPECT_EQ(e.segments()[0].address, 0x80000000U);
    EXPECT_EQ(e.segments()[0].octets, (octet_vector{0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17}));
    EXPECT_EQ(e.segments()[0].size, 8U);
    EXPECT_EQ(e.segments()[1].address, 0x20000000U);
    EXPECT_EQ(e.segments()[1].virtual_address, 0x80000100U);
    EXPECT_EQ(e.segments()[1].octets, (octet_vector{0x12, 0x13}));
    EXPECT_EQ(e.segments()[1].size, 16U);
}

TEST(elf_files, name_addresses_by_functions_first) {
    const auto e = elf_file::from_memory(good_file(), "good");
    const auto named = [&](std::uint32_t address) {
        const auto place = e.symbol_at(address);
        return place ? std::string{place->name} + "+" + std::to_string(place->offset) : "nothing";
    };
    EXPECT_EQ(named(0x80000000), "main+0");
    EXPECT_EQ(named(0x80000003), "main+3") << "not the label inside";
    EXPECT_EQ(named(0x80000004), "helper+0");
    EXPECT_EQ(named(0x80000007), "helper+3");
    EXPECT_EQ(named(0x80000008), "label+6") << "behind the last function: the last label, which has no size";
    EXPECT_EQ(named(0x8000010f), "object+15");
    EXPECT_EQ(named(0x80000110), "nothing");
    EXPECT_EQ(named(0x7fffffff), "nothing");
}

TEST(elf_files, give_addresses_of_names) {
    const auto e = elf_file::from_memory(good_file(), "good");
    EXPECT_EQ(e.address_of("helper"), 0x80000004U);
    EXPECT_EQ(e.address_of("label"), 0x80000002U);
    EXPECT_FALSE(e.address_of("nobody"));
    EXPECT_FALSE(e.address_of("$x")) << "a mapping symbol";
    EXPECT_FALSE(e.address_of(".L1")) << "a local label";
    EXPECT_EQ(e.symbols().size(), 4U);
}

TEST(elf_files, need_no_symbols) {
    auto f = good_file();
    put_16(f, e_shnum, 0);
    put_32(f, e_shoff, 0);
    put_16(f, 50, 0);
    const auto e = elf_file::from_memory(f, "stripped");
    EXPECT_EQ(e.segments().size(), 2U);
    EXPECT_FALSE(e.symbol_at(0x80000000));
}

TEST(elf_files, are_read_from_disk) {
    const auto path = std::filesystem::temp_directory_path() / ("weir_elf_" + std::to_string(::getpid()));
    const auto f = good_file();
    std::ofstream{path, std::ios::binary}.write(reinterpret_cast<const char*>(f.data()),
                                                static_cast<std::streamsize>(f.size()));
    EXPECT_EQ(elf_file::from_file(path).entry(), 0x80000000U);
    std::filesystem::remove(path);
    try {
        elf_file::from_file(path);
        FAIL() << "a file that is not there";
    } catch (const elf_error& e) {
        EXPECT_EQ(std::string{e.what()}, path.string() + ": cannot be read; the path of a RISC-V executable is wanted");
    }
    EXPECT_THROW(elf_file::from_file(std::filesystem::temp_directory_path()), elf_error) << "a folder";
}

TEST(broken_elf_files, are_refused_with_what_would_be_right) {
    EXPECT_EQ(message_of({}), "x.elf: empty; a RISC-V executable is wanted");
    EXPECT_EQ(message_of({'#', '!', '/', 'b', 'i', 'n'}), "x.elf: not an ELF file; a RISC-V executable is wanted");
    const auto changed = [](std::size_t at, std::uint8_t value) {
        auto f = good_file();
        f.at(at) = value;
        return message_of(f);
    };
    EXPECT_EQ(changed(4, 2), "x.elf: not a 32-bit ELF file; link for rv32 (-march=rv32imac -mabi=ilp32)");
    EXPECT_EQ(changed(5, 2), "x.elf: a big-endian ELF file; RISC-V programs here are little-endian");
    EXPECT_EQ(changed(e_machine, 40), "x.elf: an ELF file for machine 40; RISC-V is 243");
    EXPECT_EQ(changed(e_type, 1), "x.elf: ELF type 1; an executable linked to fixed addresses is 2");
    EXPECT_EQ(changed(e_type, 3), "x.elf: ELF type 3; an executable linked to fixed addresses is 2");
    EXPECT_EQ(changed(e_phnum, 0), "x.elf: no segment to load; an executable has at least one (PT_LOAD)");
    EXPECT_EQ(changed(e_entry, 1), "x.elf: entry point 0x80000001 is odd or in no segment");
    EXPECT_EQ(changed(e_entry, 8), "x.elf: entry point 0x80000008 is odd or in no segment");
    EXPECT_EQ(changed(program_headers_at + p_memsz, 7), "x.elf: segment 0: 8 octets in the file, but only 7 in memory");
}

TEST(broken_elf_files, whose_segments_do_not_fit_are_refused) {
    auto f = good_file();
    put_32(f, program_headers_at + p_offset, file_octets - 7);
    EXPECT_EQ(message_of(f), "x.elf: segment 0: needs the file's octets 389 to 397, but the file has 396");
    f = good_file();
    put_32(f, program_headers_at + p_offset, 0xffffffff);
    EXPECT_EQ(message_of(f),
              "x.elf: segment 0: needs the file's octets 4294967295 to 4294967303, but the file has 396");
    f = good_file();
    put_32(f, program_headers_at + p_paddr, 0xfffffffc);
    EXPECT_EQ(message_of(f), "x.elf: segment 0: 0x8 octets at 0xfffffffc do not end before address 2^32");
    put_32(f, program_headers_at + p_filesz, 4);
    put_32(f, program_headers_at + p_memsz, 4);
    EXPECT_EQ(message_of(f), "accepted") << "up to the last address is right";
}

TEST(broken_elf_files, with_symbol_names_outside_the_strings_are_refused) {
    auto f = good_file();
    put_32(f, symbols_at + 32, 0x1000);
    EXPECT_EQ(message_of(f), "x.elf: symbol 2: its name is outside the string table");
}

// Whatever is cut off or flipped: an exception of one line or a file, and nothing else.
TEST(broken_elf_files, never_do_worse_than_be_refused) {
    const auto good = good_file();
    for (std::size_t length = 0; length < good.size(); ++length) {
        const auto m = message_of({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length)});
        EXPECT_EQ(m.find('\n'), std::string::npos) << m;
    }
    for (std::size_t at = 0; at < good.size(); ++at) {
        for (const unsigned flip : {0x01U, 0x80U, 0xffU}) {
            auto f = good;
            f[at] = static_cast<std::uint8_t>(f[at] ^ flip);
            const auto m = message_of(f);
            EXPECT_EQ(m.find('\n'), std::string::npos) << m;
        }
    }
}

}  // namespace
}  // namespace weir::cpu::testing
