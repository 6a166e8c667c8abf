// SPDX-License-Identifier: Apache-2.0
// POSIX sockets and poll(2): the simulation itself waits here, in a thread of the kernel's, so no event loop of its
// own.
#include "vp/remote/stream.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "platforms/config.h"

namespace weir::vp::remote {
namespace {

using platforms::config_error;

sockaddr_un local_address(const std::string& path) {
    sockaddr_un made{};
    made.sun_family = AF_UNIX;
    std::memcpy(made.sun_path, path.c_str(), path.size() + 1);
    return made;
}

const sockaddr* socket_address(const void* specific) {
    return static_cast<const sockaddr*>(specific);
}

bool somebody_listens(const sockaddr_un& place) {
    const descriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    // A full queue of waiting clients means that somebody listens, too.
    return connect(probe.number(), socket_address(&place), sizeof place) == 0 || errno == EAGAIN;
}

}  // namespace

void descriptor::close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

transfer receive(const descriptor& from, void* into, std::size_t room, std::size_t& octets) {
    octets = 0;
    const ssize_t got = recv(from.number(), into, room, MSG_DONTWAIT);
    if (got > 0) {
        octets = static_cast<std::size_t>(got);
        return transfer::some;
    }
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return transfer::later;
    return transfer::gone;
}

transfer send(const descriptor& to, const void* data, std::size_t size, std::size_t& octets) {
    octets = 0;
    const ssize_t put = ::send(to.number(), data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (put >= 0) {
        octets = static_cast<std::size_t>(put);
        return transfer::some;
    }
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? transfer::later : transfer::gone;
}

bool hung_up(const descriptor& connection) {
    char octet = 0;
    const ssize_t got = recv(connection.number(), &octet, 1, MSG_DONTWAIT | MSG_PEEK);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

bool wait_for(const descriptor& which, bool writing, int milliseconds) {
    pollfd one{which.number(), static_cast<short>(writing ? POLLOUT : POLLIN), 0};
    return poll(&one, 1, milliseconds) > 0;
}

listener::listener(const std::string& where, const address& wanted) : at_(wanted) {
    const std::string place = fmt::format("{} {}", where, wanted.text());
    if (wanted.local) {
        open_local(place);
    } else {
        open_tcp(place);
    }
    if (listen(socket_.number(), 8) != 0) throw config_error(place, std::strerror(errno), "another address");
}

void listener::open_local(const std::string& place) {
    const sockaddr_un local = local_address(at_.path);
    struct stat there {};
    if (lstat(at_.path.c_str(), &there) == 0) {
        if (!S_ISSOCK(there.st_mode)) {
            throw config_error(place, "there is a file of this name, and it is no socket", "a name that is free");
        }
        if (somebody_listens(local)) {
            throw config_error(place, "another process listens there", "another name, or end that process");
        }
        unlink(at_.path.c_str());  // left by a process that died
    }
    socket_ = descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (bind(socket_.number(), socket_address(&local), sizeof local) != 0) {
        throw config_error(place, fmt::format("the socket cannot be made: {}", std::strerror(errno)),
                           "a name in a folder that exists and can be written");
    }
    made_file_ = true;
    chmod(at_.path.c_str(), S_IRUSR | S_IWUSR);  // the run's owner alone
}

void listener::open_tcp(const std::string& place) {
    sockaddr_in four{};
    sockaddr_in6 six{};
    const bool old = inet_pton(AF_INET, at_.host.c_str(), &four.sin_addr) == 1;
    if (!old) inet_pton(AF_INET6, at_.host.c_str(), &six.sin6_addr);
    four.sin_family = AF_INET;
    six.sin6_family = AF_INET6;
    four.sin_port = six.sin6_port = htons(at_.port);
    socket_ = descriptor(socket(old ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int on = 1;
    setsockopt(socket_.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const void* const wanted = old ? static_cast<const void*>(&four) : &six;
    const socklen_t size = old ? sizeof four : sizeof six;
    if (bind(socket_.number(), socket_address(wanted), size) != 0) {
        throw config_error(place, fmt::format("the port cannot be opened: {}", std::strerror(errno)),
                           "another port; tcp:0 takes any that is free");
    }
    sockaddr_storage real{};
    socklen_t room = sizeof real;
    if (getsockname(socket_.number(), reinterpret_cast<sockaddr*>(&real), &room) != 0) return;
    // Both families have their port in the same place.
    at_.port = ntohs(reinterpret_cast<const sockaddr_in*>(&real)->sin_port);
}

listener::~listener() {
    if (made_file_) unlink(at_.path.c_str());
}

descriptor listener::accept() const {
    descriptor client(accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (client.open() && !at_.local) {
        const int on = 1;
        setsockopt(client.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    return client;
}

}  // namespace weir::vp::remote
