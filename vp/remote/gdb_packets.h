// SPDX-License-Identifier: Apache-2.0
// Framing of the GDB remote serial protocol: what is on the wire between two packets, and hexadecimal digits.
//
//   $payload#checksum    + received    - please again    0x03 Ctrl-C
//
// Source: "Debugging with GDB" 13.1, appendix E.1. It knows no socket: octets go in, events come out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir::vp::remote {

/// Largest payload that is taken, in octets before unescaping; told to gdb as PacketSize.
constexpr std::size_t largest_payload = 0x4000;

enum class gdb_event : std::uint8_t {
    none,       ///< more octets are needed
    packet,     ///< a whole one; its payload is unescaped
    bad,        ///< its checksum is wrong
    oversized,  ///< longer than largest_payload, and left out
    again,      ///< the client did not get the last one
    interrupt   ///< Ctrl-C
};

class gdb_unframer {
public:
    void add(std::string_view octets) { input_ += octets; }
    /// The next event; of a packet with its payload. What is no packet and no sign is skipped.
    gdb_event next(std::string& payload);
    /// Takes out a Ctrl-C that lies between packets; true if there was one.
    bool take_interrupt();
    [[nodiscard]] std::size_t waiting() const { return input_.size(); }
    void clear();
    /// Off in no-ack mode, where the checksum means nothing.
    void check(bool on) { checking_ = on; }

private:
    std::string input_;
    bool checking_{true};
    bool skipping_{false};  ///< inside an oversized packet
};

/// $payload#checksum, with the four signs that may not stand in a payload escaped.
std::string gdb_frame(std::string_view payload);

std::string to_hex(std::string_view octets);
/// Nothing if the digits are odd in number or no digits.
std::optional<std::string> from_hex(std::string_view digits);
/// Eight digits in the target's order of octets, little-endian.
std::string word_to_hex(std::uint32_t value);
std::optional<std::uint32_t> word_from_hex(std::string_view digits);
/// A number in the protocol's big-endian way, 1 to 8 digits, the whole text.
std::optional<std::uint32_t> number_from_hex(std::string_view digits);

}  // namespace weir::vp::remote
