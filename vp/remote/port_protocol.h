// SPDX-License-Identifier: Apache-2.0
// The register port's messages: for a driver in another process. All numbers little-endian; docs/remote.md, octet by
// octet.
//
//   octet  0 1      2     3     4 5 6 7   8 …
//          length   kind  asic  tag       payload         length counts all octets of the message, these too
//
// A reply has its request's kind plus 0x80, its tag and its ASIC; payload: status (4), value (4), time in ns (8), and
// for some more. A pushed message has tag 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir::vp::remote {

constexpr std::uint32_t port_version = 1;
constexpr std::size_t port_header = 8;
constexpr std::size_t port_longest_message = 1024;
/// In HELLO: the client does not care which map it is.
constexpr std::uint32_t any_map = UINT32_MAX;

enum class port_kind : std::uint8_t {
    hello = 1,         ///< version (4), map hash (4) → also map hash (4), number of ASICs (4)
    read = 2,          ///< address (4) → value
    write = 3,         ///< address (4), value (4)
    posted_write = 4,  ///< address (4), value (4); no reply: the next barrier tells whether one failed
    barrier = 5,       ///< → status of the first posted write that failed since the last one, its address as value
    now = 6,           ///< → time
    delay = 7,         ///< ns (8): lets so much time pass
    wait_irq = 8,      ///< time-out in ns (8)
    log = 9,           ///< level (4), text; no reply
    ready = 10,        ///< boot is over → when the workload begins
    advance = 11,      ///< time in ns (8): lets time pass until then
    run = 12,          ///< mode (4): 1 time goes on by itself, 0 lockstep, 2 lockstep in which the run may end
    bye = 13,          ///< the last message
    subscribe = 14,    ///< 1 (4): interrupts are pushed; 0: they are not
    interrupt = 64,    ///< pushed: time in ns (8); the ASIC's line has risen
    end = 65,          ///< pushed: text; the connection ends
};

enum class port_status : std::uint32_t {
    ok = 0,
    bus_error = 1,    ///< the bus refused the access
    timeout = 2,      ///< no interrupt came in time
    bad_request = 3,  ///< no such ASIC, or not now; text follows
    refused = 4,      ///< another version or another map; text follows
    ended = 5,        ///< the run is over
};

[[nodiscard]] std::uint32_t load32(const unsigned char* octets);
[[nodiscard]] std::uint64_t load64(const unsigned char* octets);

/// One message being put together.
class port_message {
public:
    port_message(port_kind kind, std::uint8_t asic, std::uint32_t tag, bool reply);
    port_message& u32(std::uint32_t value);
    port_message& u64(std::uint64_t value);
    /// Cut where the longest message ends.
    port_message& text(std::string_view words);
    /// With its length in place.
    [[nodiscard]] std::string_view octets();

private:
    std::array<char, port_longest_message> data_{};
    std::size_t size_{port_header};
};

/// A request as it came. `payload` points into the buffer that it was found in.
struct port_request {
    std::size_t octets;
    std::uint8_t kind;
    std::uint8_t asic;
    std::uint32_t tag;
    const unsigned char* payload;
    std::size_t payload_octets;
};

/// The first message of a buffer; nothing: there is not a whole one yet. `defect` says what cannot become a message.
[[nodiscard]] std::optional<port_request> first_request(const unsigned char* data, std::size_t size,
                                                        std::string& defect);

}  // namespace weir::vp::remote
