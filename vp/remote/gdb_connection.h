// SPDX-License-Identifier: Apache-2.0
// The sockets of the gdb stub: one that listens, on loopback or at a Unix path, and one client.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::vp::remote {

/// A TCP port of loopback (0: any that is free), or, if `path` is not empty, a Unix socket.
struct gdb_endpoint {
    std::uint16_t port{0};
    std::string path;
};

class gdb_connection {
public:
    enum class accepted : std::uint8_t { nobody, client, refused };

    /// Listens. Throws std::runtime_error, one line, if that is not possible.
    explicit gdb_connection(const gdb_endpoint& endpoint);
    ~gdb_connection();
    gdb_connection(const gdb_connection&) = delete;
    gdb_connection& operator=(const gdb_connection&) = delete;

    [[nodiscard]] std::string address() const;
    [[nodiscard]] std::uint16_t port() const { return endpoint_.port; }
    [[nodiscard]] bool connected() const { return client_ >= 0; }
    /// The one that listens, and the client's if there is one.
    [[nodiscard]] std::vector<int> sockets() const;

    /// Waits until there is something to do, for `milliseconds` at most.
    void wait(int milliseconds) const;
    /// Takes somebody who has come; if a client is there already, closes the new one's connection: refused.
    accepted accept();
    /// Appends what has come. False: the client is gone.
    bool receive(std::string& to) const;
    /// False: the client is gone, or has not read anything for five seconds.
    [[nodiscard]] bool send(std::string_view octets) const;
    void drop();

private:
    gdb_endpoint endpoint_;
    int listener_{-1};
    int client_{-1};
};

}  // namespace weir::vp::remote
