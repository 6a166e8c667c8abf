// SPDX-License-Identifier: Apache-2.0
// Help for the tests of remote access: the program in the background, and clients that say exactly what they are told.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "tests/platforms/support.h"

namespace weir::vp::remote::testing {

/// A program in the background; it is killed when the test forgets it.
class background {
public:
    background(std::vector<std::string> words, const std::string& output) : output_(output) {
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        child_ = fork();
        if (child_ != 0) return;
        const int log = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(log, 1);
        dup2(log, 2);
        execvp(arguments[0], arguments.data());
        _exit(127);
    }
    ~background() {
        if (child_ <= 0) return;
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
    }
    background(const background&) = delete;
    background& operator=(const background&) = delete;

    /// Its exit code; 128 and the signal's number; -1: it was still there after that many seconds.
    int wait(int seconds = 60) {
        for (int tenth = 0; tenth < 10 * seconds * 10; ++tenth) {
            int status = 0;
            if (waitpid(child_, &status, WNOHANG) == child_) {
                child_ = 0;
                return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return -1;
    }
    void signal(int number) const { kill(child_, number); }
    [[nodiscard]] bool running() const { return waitpid(child_, nullptr, WNOHANG) == 0; }
    [[nodiscard]] std::string output() const {
        std::ifstream in(output_);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    /// Waits, at most 20 s, until the output has that text.
    [[nodiscard]] bool says(const std::string& text) const {
        for (int tries = 0; tries < 2000; ++tries) {
            if (output().find(text) != std::string::npos) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }

private:
    std::string output_;
    pid_t child_{0};
};

/// A socket that sends what it is given and shows what comes.
class raw_client {
public:
    /// Tries for 20 s: the program may not have begun to listen.
    explicit raw_client(const std::string& path) {
        sockaddr_un there{};
        there.sun_family = AF_UNIX;
        std::strncpy(there.sun_path, path.c_str(), sizeof there.sun_path - 1);
        for (int tries = 0; tries < 2000; ++tries) {
            socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
            if (connect(socket_, reinterpret_cast<const sockaddr*>(&there), sizeof there) == 0) return;
            hang_up();
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        ADD_FAILURE() << "nobody listens at " << path;
    }
    ~raw_client() { hang_up(); }
    raw_client(const raw_client&) = delete;
    raw_client& operator=(const raw_client&) = delete;

    void hang_up() {
        if (socket_ >= 0) close(socket_);
        socket_ = -1;
    }
    /// False: the other side has gone.
    bool send(const std::string& octets) const {
        std::size_t done = 0;
        while (done < octets.size()) {
            const ssize_t put = ::send(socket_, octets.data() + done, octets.size() - done, MSG_NOSIGNAL);
            if (put <= 0) return false;
            done += static_cast<std::size_t>(put);
        }
        return true;
    }
    /// What fits into the socket's buffers now; octets written.
    std::size_t send_some(const std::string& octets) const {
        const ssize_t put = ::send(socket_, octets.data(), octets.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        return put > 0 ? static_cast<std::size_t>(put) : 0;
    }
    /// So many octets; fewer when the other side goes or 20 s have passed.
    std::string receive(std::size_t count) {
        while (in_.size() < count && more(20'000)) {
        }
        std::string got = in_.substr(0, count);
        in_.erase(0, got.size());
        return got;
    }
    /// A line without its end; empty when the other side has gone.
    std::string line() {
        while (in_.find('\n') == std::string::npos && more(20'000)) {
        }
        const std::size_t end = in_.find('\n');
        if (end == std::string::npos) return {};
        std::string got = in_.substr(0, end);
        in_.erase(0, end + 1);
        return got;
    }
    /// Everything until the other side closes, within 20 s.
    std::string rest() {
        while (more(20'000)) {
        }
        return std::exchange(in_, {});
    }
    /// Whether the other side has closed, within that time; what comes before is kept.
    bool closed(int milliseconds = 20'000) {
        while (!gone_ && more(milliseconds)) {
        }
        return gone_;
    }
    /// Whether nothing comes for that time.
    bool silent(int milliseconds) { return in_.empty() && !more(milliseconds) && !gone_; }

private:
    bool more(int milliseconds) {
        pollfd one{socket_, POLLIN, 0};
        if (gone_ || socket_ < 0 || poll(&one, 1, milliseconds) <= 0) return false;
        char part[65536];
        const ssize_t got = recv(socket_, part, sizeof part, 0);
        if (got <= 0) {
            gone_ = true;
            return false;
        }
        in_.append(part, static_cast<std::size_t>(got));
        return true;
    }
    int socket_{-1};
    bool gone_{false};
    std::string in_;
};

constexpr const char* weir_program = WEIR_BINARY_DIR "/vp/weir";
constexpr const char* boot_program = WEIR_BINARY_DIR "/sw/weir_remote_boot";
constexpr const char* board_name = WEIR_SOURCE_DIR "/platforms/one_switch_8x400g";

/// `weir run one_switch_8x400g --port …` in the background.
struct port_run {
    explicit port_run(std::vector<std::string> more = {}, const std::string& platform = board_name)
        : run(words(platform, std::move(more)), folder.path("log")) {}
    std::vector<std::string> words(const std::string& platform, std::vector<std::string> more) const {
        more.insert(more.begin(), {weir_program, "run", platform, "--port", "unix:" + folder.path("p")});
        return more;
    }
    [[nodiscard]] std::string address() const { return "unix:" + folder.path("p"); }
    [[nodiscard]] std::string socket() const { return folder.path("p"); }

    platforms::testing::temporary_folder folder;
    background run;
};

/// A platform without a workload: two ports, and nothing to do.
inline std::string quiet_platform(const platforms::testing::temporary_folder& folder) {
    folder.write("none.cfg", "");
    return folder.write("quiet.toml",
                        "[platform]\nprogram='none.cfg'\n[[switch.s0.ports]]\ncount=2\nrate='100G'\n"
                        "[workload]\nkind='none'\n");
}

/// A message of the register port, as docs/remote.md lays it out.
inline std::string message(unsigned kind, unsigned tag, const std::string& payload = {}, unsigned asic = 0) {
    const std::size_t length = 8 + payload.size();
    std::string made{static_cast<char>(length), static_cast<char>(length >> 8U), static_cast<char>(kind),
                     static_cast<char>(asic)};
    for (unsigned i = 0; i < 4; ++i) made += static_cast<char>(tag >> (8 * i));
    return made + payload;
}

inline std::string little32(std::uint32_t value) {
    std::string made;
    for (unsigned i = 0; i < 4; ++i) made += static_cast<char>(value >> (8 * i));
    return made;
}

inline std::string little64(std::uint64_t value) {
    return little32(static_cast<std::uint32_t>(value)) + little32(static_cast<std::uint32_t>(value >> 32U));
}

inline std::uint32_t number_at(const std::string& octets, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4 && at + i < octets.size(); ++i)
        value |= std::uint32_t{static_cast<unsigned char>(octets[at + i])} << (8 * i);
    return value;
}

inline std::string hello_message(unsigned tag = 1) {
    return message(1, tag, little32(1) + little32(UINT32_MAX));
}

}  // namespace weir::vp::remote::testing
