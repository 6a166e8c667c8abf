// SPDX-License-Identifier: Apache-2.0
#include "vp/run/console.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <pty.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "platforms/config.h"
#include "platforms/text.h"
#include "vp/remote/stream.h"

namespace weir::vp {
namespace {

using platforms::config_error;

constexpr const char* console_forms = "one of: print stdio file:PATH tcp:PORT pty none";

bool readable(int descriptor, bool wait) {
    pollfd p{descriptor, POLLIN, 0};
    return ::poll(&p, 1, wait ? -1 : 0) > 0;
}

/// Writes all of it; a reader that is gone or does not read for a second loses it.
bool write_all(int descriptor, const char* text, std::size_t length) {
    constexpr int patience_ms = 1000;
    while (length > 0) {
        const ssize_t written = ::write(descriptor, text, length);
        if (written > 0) {
            text += written;
            length -= static_cast<std::size_t>(written);
            continue;
        }
        if (errno != EAGAIN && errno != EINTR) return false;
        pollfd p{descriptor, POLLOUT, 0};
        if (::poll(&p, 1, patience_ms) == 0) return false;
    }
    return true;
}

/// Appends what is there. False: the other side has ended.
bool read_some(int descriptor, std::string& typed) {
    char text[512];
    const ssize_t got = ::read(descriptor, text, sizeof text);
    if (got > 0) typed.append(text, static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

class no_console : public console {
public:
    void print(const char*) override {}
    bool read(std::string&, bool) override { return false; }
    [[nodiscard]] bool interactive() const override { return false; }
};

class standard_console : public console {
public:
    explicit standard_console(bool input) : input_(input) {}
    ~standard_console() override {
        if (mid_line_) std::fputs("\n", stdout);
        std::fflush(stdout);
    }
    standard_console(const standard_console&) = delete;
    standard_console& operator=(const standard_console&) = delete;
    void print(const char* text) override {
        if (*text == '\0') return;
        std::fputs(text, stdout);
        mid_line_ = text[std::strlen(text) - 1] != '\n';
        if (std::strchr(text, '\n') != nullptr || input_) std::fflush(stdout);
    }
    bool read(std::string& typed, bool wait) override {
        if (!input_) return false;
        if (!readable(STDIN_FILENO, wait)) return true;
        const std::size_t before = typed.size();
        input_ = read_some(STDIN_FILENO, typed);
        for (std::size_t i = before; i < typed.size(); ++i) {
            if (typed[i] == '\n') typed[i] = '\r';
        }
        if (typed.size() > before) mid_input_ = typed.back() != '\r';
        // A last line without an end is a line: nobody is left to end it.
        if (!input_ && std::exchange(mid_input_, false)) typed += '\r';
        return input_;
    }
    [[nodiscard]] bool interactive() const override { return input_; }

private:
    bool input_;
    bool mid_input_{false};
    bool mid_line_{false};
};

class file_console : public console {
public:
    explicit file_console(const std::string& path) : file_(std::fopen(path.c_str(), "w")) {
        if (file_ == nullptr) {
            throw config_error(fmt::format("--console file:{}", path), std::strerror(errno),
                               "a file that can be written");
        }
    }
    ~file_console() override { std::fclose(file_); }
    file_console(const file_console&) = delete;
    file_console& operator=(const file_console&) = delete;
    void print(const char* text) override { std::fputs(text, file_); }
    bool read(std::string&, bool) override { return false; }
    [[nodiscard]] bool interactive() const override { return false; }

private:
    std::FILE* file_;
};

class tcp_console : public console {
public:
    tcp_console(std::uint16_t port, const std::function<void(const std::string&)>& tell)
        : listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        const int yes = 1;
        ::setsockopt(listening_.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port);
        socklen_t size = sizeof address;
        auto* generic = reinterpret_cast<sockaddr*>(&address);
        if (::bind(listening_.number(), generic, size) != 0 || ::listen(listening_.number(), 1) != 0) {
            throw config_error(fmt::format("--console tcp:{}", port), std::strerror(errno),
                               "a free port, or 0 for any");
        }
        ::getsockname(listening_.number(), generic, &size);
        tell(fmt::format("console: tcp 127.0.0.1 port {}", ntohs(address.sin_port)));
    }
    void print(const char* text) override {
        accept_client(false);
        if (client_.number() < 0) return;
        for (const char* p = text; *p != '\0'; ++p) {
            // Terminals that are at the other end of a network want both.
            const bool good = *p == '\n' ? write_all(client_.number(), "\r\n", 2) : write_all(client_.number(), p, 1);
            if (good) continue;
            client_.close();
            return;
        }
    }
    bool read(std::string& typed, bool wait) override {
        accept_client(wait);
        if (client_.number() < 0 || !readable(client_.number(), wait)) return true;
        if (!read_some(client_.number(), typed)) client_.close();
        return true;
    }
    [[nodiscard]] bool interactive() const override { return true; }

private:
    void accept_client(bool wait) {
        if (client_.number() >= 0 || !readable(listening_.number(), wait)) return;
        client_ = remote::descriptor(::accept4(listening_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    }
    remote::descriptor listening_;
    remote::descriptor client_;
};

class pty_console : public console {
public:
    explicit pty_console(const std::function<void(const std::string&)>& tell) {
        int master = -1;
        int slave = -1;
        char name[128] = {};
        if (::openpty(&master, &slave, name, nullptr, nullptr) != 0) {
            throw config_error("--console pty", std::strerror(errno), "a system with pseudo-terminals");
        }
        master_ = remote::descriptor(master);
        slave_ = remote::descriptor(slave);  // kept open, so that a terminal program may come and go
        termios settings{};
        ::tcgetattr(slave, &settings);
        ::cfmakeraw(&settings);
        ::tcsetattr(slave, TCSANOW, &settings);
        ::fcntl(master, F_SETFL, O_NONBLOCK);
        tell(fmt::format("console: {}", name));
    }
    void print(const char* text) override {
        for (const char* p = text; *p != '\0'; ++p) {
            if (*p == '\n') put("\r", 1);
            put(p, 1);
        }
    }
    bool read(std::string& typed, bool wait) override {
        if (readable(master_.number(), wait)) (void)read_some(master_.number(), typed);
        return true;
    }
    [[nodiscard]] bool interactive() const override { return true; }

private:
    // While nobody reads, the terminal's buffer fills up, and what does not fit is lost.
    void put(const char* text, std::size_t length) {
        if (::write(master_.number(), text, length) < 0) return;
    }
    remote::descriptor master_;
    remote::descriptor slave_;
};

}  // namespace

std::unique_ptr<console> open_console(const std::string& where, const std::function<void(const std::string&)>& tell) {
    if (where == "none") return std::make_unique<no_console>();
    if (where == "print" || where.empty()) return std::make_unique<standard_console>(false);
    if (where == "stdio") return std::make_unique<standard_console>(true);
    if (where == "pty") return std::make_unique<pty_console>(tell);
    if (where.rfind("file:", 0) == 0 && where.size() > 5) return std::make_unique<file_console>(where.substr(5));
    if (where.rfind("tcp:", 0) == 0) {
        const auto port = platforms::parse_number(where.substr(4));
        if (port && *port <= UINT16_MAX) return std::make_unique<tcp_console>(static_cast<std::uint16_t>(*port), tell);
    }
    throw config_error(fmt::format("--console {}", where), "this is no console", console_forms);
}

}  // namespace weir::vp
