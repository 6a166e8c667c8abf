// SPDX-License-Identifier: Apache-2.0
// Where a door of Weir's stands open: a Unix socket, or a TCP port of this machine.
//
//   unix:PATH        a socket file
//   tcp:PORT         loopback; 0: any port that is free
//   tcp:HOST:PORT    HOST as numbers, [::1] for IPv6; other than loopback only when the user says so
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::vp::remote {

struct address {
    bool local{true};       ///< a Unix socket
    std::string path;       ///< of it
    std::string host;       ///< of TCP, numeric
    std::uint16_t port{0};  ///< of TCP
    [[nodiscard]] std::string text() const;
};

/// Throws config_error; `where` is what the message begins with ("--json"). `anywhere`: other hosts' traffic may be let
/// in.
[[nodiscard]] address parse_address(const std::string& where, std::string_view text, bool anywhere);

}  // namespace weir::vp::remote
