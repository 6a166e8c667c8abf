// SPDX-License-Identifier: Apache-2.0
// Frames and hexadecimal digits of the GDB remote serial protocol.
#include "vp/remote/gdb_packets.h"

#include <charconv>

namespace weir::vp::remote {

namespace {

constexpr char ctrl_c = 0x03;
constexpr char escape = '}';
constexpr char escape_flip = 0x20;

std::uint8_t checksum_of(std::string_view octets) {
    std::uint8_t sum = 0;
    for (const char c : octets) sum = static_cast<std::uint8_t>(sum + static_cast<std::uint8_t>(c));
    return sum;
}

std::string unescaped(std::string_view payload) {
    std::string result;
    for (std::size_t i = 0; i < payload.size(); ++i) {
        if (payload[i] == escape && i + 1 < payload.size()) {
            result += static_cast<char>(payload[++i] ^ escape_flip);
        } else {
            result += payload[i];
        }
    }
    return result;
}

}  // namespace

gdb_event gdb_unframer::next(std::string& payload) {
    if (skipping_) {
        const auto end = input_.find('#');
        if (end == std::string::npos) {
            input_.clear();
            return gdb_event::none;
        }
        if (input_.size() < end + 3) return gdb_event::none;
        input_.erase(0, end + 3);
        skipping_ = false;
        return gdb_event::oversized;
    }
    const auto start = input_.find_first_of("$-\x03");
    input_.erase(0, start);  // everything, if there is nothing
    if (input_.empty()) return gdb_event::none;
    if (input_.front() != '$') {
        const bool interrupt = input_.front() == ctrl_c;
        input_.erase(0, 1);
        return interrupt ? gdb_event::interrupt : gdb_event::again;
    }
    const auto end = input_.find('#');
    if ((end == std::string::npos ? input_.size() : end) > largest_payload + 1) {
        skipping_ = true;
        return next(payload);
    }
    if (end == std::string::npos || input_.size() < end + 3) return gdb_event::none;
    const std::string_view body{input_.data() + 1, end - 1};
    const auto sum = number_from_hex(std::string_view{input_}.substr(end + 1, 2));
    const bool good = !checking_ || (sum && *sum == checksum_of(body));
    payload = unescaped(body);
    input_.erase(0, end + 3);
    return good ? gdb_event::packet : gdb_event::bad;
}

bool gdb_unframer::take_interrupt() {
    bool inside = skipping_;
    for (std::size_t i = 0; i < input_.size(); ++i) {
        if (inside) {
            inside = input_[i] != '#';
        } else if (input_[i] == ctrl_c) {
            input_.erase(i, 1);
            return true;
        } else {
            inside = input_[i] == '$';
        }
    }
    return false;
}

void gdb_unframer::clear() {
    input_.clear();
    checking_ = true;
    skipping_ = false;
}

std::string gdb_frame(std::string_view payload) {
    std::string body;
    for (const char c : payload) {
        if (c == '$' || c == '#' || c == escape || c == '*') {
            body += escape;
            body += static_cast<char>(c ^ escape_flip);
        } else {
            body += c;
        }
    }
    const char sum = static_cast<char>(checksum_of(body));
    return "$" + body + "#" + to_hex({&sum, 1});
}

std::string to_hex(std::string_view octets) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result;
    result.reserve(2 * octets.size());
    for (const char c : octets) {
        const auto octet = static_cast<std::uint8_t>(c);
        result += digits[octet >> 4];
        result += digits[octet & 15];
    }
    return result;
}

std::optional<std::string> from_hex(std::string_view digits) {
    if (digits.size() % 2 != 0) return std::nullopt;
    std::string result;
    result.reserve(digits.size() / 2);
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        const auto octet = number_from_hex(digits.substr(i, 2));
        if (!octet) return std::nullopt;
        result += static_cast<char>(*octet);
    }
    return result;
}

std::string word_to_hex(std::uint32_t value) {
    std::string octets;
    for (unsigned i = 0; i < 4; ++i) octets += static_cast<char>(value >> (8 * i));
    return to_hex(octets);
}

std::optional<std::uint32_t> word_from_hex(std::string_view digits) {
    const auto octets = from_hex(digits);
    if (!octets || octets->size() != 4) return std::nullopt;
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t{static_cast<std::uint8_t>((*octets)[i])} << (8 * i);
    return value;
}

std::optional<std::uint32_t> number_from_hex(std::string_view digits) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return value;
}

}  // namespace weir::vp::remote
