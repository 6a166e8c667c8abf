// SPDX-License-Identifier: Apache-2.0
// Sockets that no client can hold Weir up with: listening ones and connections, both never blocking.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "vp/remote/address.h"

namespace weir::vp::remote {

/// A file descriptor and its owner.
class descriptor {
public:
    descriptor() = default;
    explicit descriptor(int fd) : fd_(fd) {}
    descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept {
        if (this != &other) {
            close();
            fd_ = std::exchange(other.fd_, -1);
        }
        return *this;
    }
    ~descriptor() { close(); }
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;

    [[nodiscard]] int number() const { return fd_; }
    [[nodiscard]] bool open() const { return fd_ >= 0; }
    void close();

private:
    int fd_{-1};
};

/// What a read or write on a connection came to.
enum class transfer { some, later, gone };

/// Reads what is there, at most `room` octets; `octets` says how many.
transfer receive(const descriptor& from, void* into, std::size_t room, std::size_t& octets);
/// Writes what fits now; `octets` says how many. A peer that has gone is no signal.
transfer send(const descriptor& to, const void* data, std::size_t size, std::size_t& octets);

/// Whether the peer has gone and nothing that it sent is left.
[[nodiscard]] bool hung_up(const descriptor& connection);

/// Waits until the descriptor can be read (or written); true: it can, or its peer has gone. Negative: for ever.
bool wait_for(const descriptor& which, bool writing, int milliseconds);

class listener {
public:
    /// Opens the door; `where` is what messages begin with. A socket file that a dead process left is replaced. Throws
    /// config_error when somebody else has the address, or the file is no socket.
    listener(const std::string& where, const address& wanted);
    /// Removes the socket file.
    ~listener();
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;

    /// Where it listens; the port is the real one.
    [[nodiscard]] const address& at() const { return at_; }
    [[nodiscard]] const descriptor& waiting() const { return socket_; }
    /// The next client; not open when none waits.
    [[nodiscard]] descriptor accept() const;

private:
    void open_local(const std::string& place);
    void open_tcp(const std::string& place);
    address at_;
    descriptor socket_;
    bool made_file_{false};
};

}  // namespace weir::vp::remote
