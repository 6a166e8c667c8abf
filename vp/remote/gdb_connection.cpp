// SPDX-License-Identifier: Apache-2.0
// POSIX sockets.
#include "vp/remote/gdb_connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "fmt/format.h"

namespace weir::vp::remote {

namespace {

constexpr int send_timeout_ms = 5000;

/// An address of either family, with its length as the calls want it.
struct socket_address {
    sockaddr_storage storage{};
    socklen_t length{0};
    [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
    sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

socket_address address_of(const gdb_endpoint& e) {
    socket_address a;
    if (e.path.empty()) {
        sockaddr_in in{};
        in.sin_family = AF_INET;
        in.sin_port = htons(e.port);
        in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        std::memcpy(&a.storage, &in, sizeof in);
        a.length = sizeof in;
        return a;
    }
    sockaddr_un un{};
    un.sun_family = AF_UNIX;
    if (e.path.size() >= sizeof un.sun_path) {
        throw std::runtime_error{fmt::format("gdb: the socket path \"{}\" has {} characters; the longest has {}",
                                             e.path, e.path.size(), sizeof un.sun_path - 1)};
    }
    std::memcpy(un.sun_path, e.path.data(), e.path.size());
    std::memcpy(&a.storage, &un, sizeof un);
    a.length = sizeof un;
    return a;
}

int new_socket(const gdb_endpoint& e) {
    return socket(e.path.empty() ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/// Takes away a Unix socket that a process left behind that is no more: nobody answers there.
void remove_stale(const gdb_endpoint& e) {
    if (e.path.empty()) return;
    const auto a = address_of(e);
    const int probe = new_socket(e);
    if (probe < 0) return;
    if (connect(probe, a.get(), a.length) != 0 && errno == ECONNREFUSED) unlink(e.path.c_str());
    close(probe);
}

bool may_come_later() {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

gdb_connection::gdb_connection(const gdb_endpoint& endpoint) : endpoint_(endpoint) {
    auto a = address_of(endpoint_);
    remove_stale(endpoint_);
    listener_ = new_socket(endpoint_);
    constexpr int on = 1;
    if (listener_ >= 0) setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (listener_ < 0 || bind(listener_, a.get(), a.length) != 0 || listen(listener_, 4) != 0) {
        const int error = errno;
        if (listener_ >= 0) close(listener_);
        throw std::runtime_error{fmt::format("gdb: cannot listen at {}: {}; choose another port or path", address(),
                                             std::generic_category().message(error))};
    }
    if (endpoint_.path.empty() && getsockname(listener_, a.get(), &a.length) == 0) {
        sockaddr_in in{};
        std::memcpy(&in, &a.storage, sizeof in);
        endpoint_.port = ntohs(in.sin_port);
    }
}

gdb_connection::~gdb_connection() {
    drop();
    close(listener_);
    if (!endpoint_.path.empty()) unlink(endpoint_.path.c_str());
}

std::string gdb_connection::address() const {
    return endpoint_.path.empty() ? fmt::format("127.0.0.1:{}", endpoint_.port) : endpoint_.path;
}

void gdb_connection::wait(int milliseconds) const {
    std::array<pollfd, 2> fds{{{listener_, POLLIN, 0}, {client_, POLLIN, 0}}};  // -1 is left out
    ::poll(fds.data(), fds.size(), milliseconds);
}

gdb_connection::accepted gdb_connection::accept() {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return accepted::nobody;
    if (connected()) {
        close(fd);
        return accepted::refused;
    }
    client_ = fd;
    constexpr int on = 1;
    if (endpoint_.path.empty()) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return accepted::client;
}

bool gdb_connection::receive(std::string& to) const {
    std::array<char, 4096> buffer;
    const auto got = recv(client_, buffer.data(), buffer.size(), 0);
    if (got > 0) to.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && may_come_later());
}

bool gdb_connection::send(std::string_view octets) const {
    while (!octets.empty()) {
        const auto sent = ::send(client_, octets.data(), octets.size(), MSG_NOSIGNAL);
        if (sent > 0) {
            octets.remove_prefix(static_cast<std::size_t>(sent));
            continue;
        }
        if (!may_come_later()) return false;
        pollfd fd{client_, POLLOUT, 0};
        if (::poll(&fd, 1, send_timeout_ms) == 0) return false;
    }
    return true;
}

void gdb_connection::drop() {
    if (client_ >= 0) close(client_);
    client_ = -1;
}

std::vector<int> gdb_connection::sockets() const {
    if (client_ < 0) return {listener_};
    return {listener_, client_};
}

}  // namespace weir::vp::remote
