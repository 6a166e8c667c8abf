// SPDX-License-Identifier: Apache-2.0
#include "vp/remote/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/un.h>

#include <cstring>

#include "platforms/config.h"
#include "platforms/text.h"

namespace weir::vp::remote {
namespace {

using platforms::config_error;

constexpr const char* address_forms = "one of: unix:PATH, tcp:PORT, tcp:HOST:PORT";

/// Both families' addresses of this machine alone. Nothing: it is no numeric address.
bool numeric_host(const std::string& host, bool& loopback) {
    in_addr four{};
    in6_addr six{};
    if (inet_pton(AF_INET, host.c_str(), &four) == 1) {
        loopback = (ntohl(four.s_addr) >> 24U) == 127;
        return true;
    }
    if (inet_pton(AF_INET6, host.c_str(), &six) == 1) {
        loopback = IN6_IS_ADDR_LOOPBACK(&six);
        return true;
    }
    return false;
}

}  // namespace

std::string address::text() const {
    if (local) return "unix:" + path;
    return host.find(':') == std::string::npos ? fmt::format("tcp:{}:{}", host, port)
                                               : fmt::format("tcp:[{}]:{}", host, port);
}

address parse_address(const std::string& where, std::string_view text, bool anywhere) {
    const std::string place = fmt::format("{} {}", where, text);
    address made;
    if (text.substr(0, 5) == "unix:") {
        made.path = text.substr(5);
        if (made.path.empty()) throw config_error(place, "names no file", "unix:/tmp/weir.sock");
        const std::size_t most = sizeof(sockaddr_un{}.sun_path) - 1;
        if (made.path.size() > most) {
            throw config_error(place, fmt::format("the path has {} octets", made.path.size()),
                               fmt::format("at most {}: the system's limit of a socket's path", most));
        }
        if (made.path.find('\0') != std::string::npos) throw config_error(place, "is no path", "unix:/tmp/weir.sock");
        return made;
    }
    if (text.substr(0, 4) != "tcp:") throw config_error(place, "this is no address", address_forms);
    made.local = false;
    std::string_view rest = text.substr(4);
    const std::size_t colon = rest.rfind(':');
    made.host = "127.0.0.1";
    if (colon != std::string_view::npos) {
        made.host = rest.substr(0, colon);
        rest = rest.substr(colon + 1);
        if (made.host.size() > 2 && made.host.front() == '[' && made.host.back() == ']')
            made.host = made.host.substr(1, made.host.size() - 2);
        if (made.host == "localhost") made.host = "127.0.0.1";
    }
    const auto number = platforms::parse_number(rest);
    if (!number || *number > 65535) {
        throw config_error(place, fmt::format("\"{}\" is no TCP port", rest), "0 to 65535; 0: any that is free");
    }
    made.port = static_cast<std::uint16_t>(*number);
    bool loopback = false;
    if (!numeric_host(made.host, loopback)) {
        throw config_error(place, fmt::format("\"{}\" is no numeric address", made.host),
                           "127.0.0.1, [::1], or another of this machine with --remote-any-address");
    }
    if (!loopback && !anywhere) {
        throw config_error(place, "whoever reaches this address could drive the run",
                           "tcp:PORT stays on this machine; --remote-any-address if this is what you want");
    }
    return made;
}

}  // namespace weir::vp::remote
