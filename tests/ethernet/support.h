// SPDX-License-Identifier: Apache-2.0
// Help for the Ethernet tests: hex, golden frames, temporary files, tshark.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/ethernet/fcs.h"
#include "models/ethernet/frame.h"

namespace weir::ethernet::testing {

using octet_string = std::vector<std::uint8_t>;

inline octet_string from_hex(std::string_view text) {
    octet_string result;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        result.push_back(static_cast<std::uint8_t>(std::stoi(std::string{text.substr(i, 2)}, nullptr, 16)));
    }
    return result;
}

inline std::string to_hex(const octet_string& octets) {
    std::string text;
    for (const auto octet : octets) {
        constexpr std::string_view digits = "0123456789abcdef";
        text += digits[octet >> 4];
        text += digits[octet & 15];
    }
    return text;
}

/// PFC and PAUSE frames of 64 octets, FCS included, made from the published layout of 802.1Q and 802.3 Annex 31B and
/// checked with an independent CRC-32.
namespace golden {
constexpr std::string_view pfc_xoff_c3_ffff =
    "0180c2000001000102030405880801010008000000000000ffff000000000000"
    "00000000000000000000000000000000000000000000000000000000fb60b5c5";
constexpr std::string_view pfc_xon_c3 =
    "0180c20000010001020304058808010100080000000000000000000000000000"
    "000000000000000000000000000000000000000000000000000000009ae3e4aa";
constexpr std::string_view pfc_c0_4321_c5_1234 =
    "0180c20000010001010101018808010100214321000000000000000012340000"
    "00000000000000000000000000000000000000000000000000000000cde292b5";
constexpr std::string_view pfc_all8_ffff =
    "0180c20000010001020304058808010100ffffffffffffffffffffffffffffff"
    "ffff00000000000000000000000000000000000000000000000000009a6c3d29";
constexpr std::string_view pfc_vector_zero =
    "0180c20000010001020304058808010100000000000000000000000000000000"
    "00000000000000000000000000000000000000000000000000000000815ee8ff";
constexpr std::string_view pfc_disabled_but_timed_c3 =
    "0180c20000010001020304058808010100000000000000001000000000000000"
    "00000000000000000000000000000000000000000000000000000000dd3ca91e";
constexpr std::string_view pfc_reserved_hi_byte =
    "0180c2000001000102030405880801010108000000000000ffff000000000000"
    "0000000000000000000000000000000000000000000000000000000099589def";
constexpr std::string_view pfc_tagged_vid0_pcp7 =
    "0180c20000010001020304058100e000880801010008000000000000ffff0000"
    "00000000000000000000000000000000000000000000000000000000d8f05850";
constexpr std::string_view pause_ffff =
    "0180c200000100010203040588080001ffff0000000000000000000000000000"
    "0000000000000000000000000000000000000000000000000000000096ae2ef9";
constexpr std::string_view pause_xon =
    "0180c20000010001020304058808000100000000000000000000000000000000"
    "0000000000000000000000000000000000000000000000000000000012c52180";
constexpr std::string_view pfc_bad_da =
    "0180c2000002000102030405880801010008000000000000ffff000000000000"
    "00000000000000000000000000000000000000000000000000000000cbb5b1a3";
constexpr std::string_view pfc_bad_fcs =
    "0180c2000001000102030405880801010008000000000000ffff000000000000"
    "00000000000000000000000000000000000000000000000000000000fb60b5c4";
/// A CNP captured on a ConnectX-4 Lx, without FCS; its last four octets are the ICRC (published with scapy's RoCE
/// tests).
constexpr std::string_view cnp_connectx4lx =
    "e41d2dab2bc27cfe90643b32080045c2003c718c4000401191610a0011010a00"
    "1201000012b7002800008100ffff400001180000000000000000000000000000"
    "00000000000082fd002a";
}  // namespace golden

/// Makes `out` the frame that arrives when these octets, FCS included, come over the wire.
inline void receive(frame& out, const octet_string& wire) {
    const auto length = static_cast<std::uint32_t>(wire.size());
    out.assign(wire.data(), length - fcs_octets, length);
    out.fcs_good = fcs_matches(wire.data(), length);
}

/// Puts the right FCS into the last four octets.
inline void repair_fcs(octet_string& wire) {
    const auto body = static_cast<std::uint32_t>(wire.size()) - fcs_octets;
    const std::uint32_t check = frame_check_sequence(wire.data(), body);
    for (std::uint32_t i = 0; i < fcs_octets; ++i) wire[body + i] = static_cast<std::uint8_t>(check >> (8 * i));
}

/// A file name of this process's own in the temporary directory; the file is removed at the end.
class temporary_file {
public:
    explicit temporary_file(const std::string& suffix)
        : path_((std::filesystem::temp_directory_path() /
                 ("weir-test-" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "-" + unique() +
                  suffix))
                    .string()) {}
    ~temporary_file() { std::filesystem::remove(path_); }
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    void write(const octet_string& octets) const {
        std::ofstream out(path_, std::ios::binary);
        out.write(reinterpret_cast<const char*>(octets.data()), static_cast<std::streamsize>(octets.size()));
    }
    [[nodiscard]] octet_string read() const {
        std::ifstream in(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }

private:
    static std::string unique() {
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        static int count = 0;
        return std::string{test->test_suite_name()} + "-" + test->name() + "-" + std::to_string(count++);
    }
    std::string path_;
};

/// Standard output of a shell command; the test fails when the command does.
inline std::string output_of(const std::string& command) {
    std::string text;
    std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("popen failed");
    std::array<char, 4096> buffer{};
    std::size_t got = 0;
    while ((got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0) text.append(buffer.data(), got);
    const int status = pclose(pipe);
    EXPECT_EQ(status, 0) << command << "\n" << text;
    return text;
}

/// The lines that tshark prints for the given fields of a capture, separated by blanks.
inline std::vector<std::string> tshark_fields(const std::string& path, const std::string& fields) {
    std::istringstream names(fields);
    std::string command = "tshark -r '" + path + "' -o eth.check_fcs:TRUE -T fields -E separator=/s";
    for (std::string name; names >> name;) command += " -e " + name;
    std::istringstream output(output_of(command));
    std::vector<std::string> lines;
    for (std::string line; std::getline(output, line);) {
        if (line.rfind("Running as user", 0) != 0) lines.push_back(line);
    }
    return lines;
}

}  // namespace weir::ethernet::testing
