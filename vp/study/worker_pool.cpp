// SPDX-License-Identifier: Apache-2.0
#include "vp/study/worker_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include "vp/run/interruption.h"

namespace weir::vp {
namespace {

constexpr int died_of_exception = 70;

bool write_whole(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

[[noreturn]] void be_worker(int pipe, pid_t parent, const std::optional<std::uint64_t>& memory,
                            const std::function<std::string()>& work) {
    // A parent that is killed cannot end its workers.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(died_of_exception);
    // Ctrl-C reaches every process of the terminal; what becomes of the workers is the parent's business.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_DFL);
    const int nowhere = open("/dev/null", O_RDWR);
    for (int stream = 0; stream <= 2; ++stream) dup2(nowhere, stream);
    if (memory) {
        const struct rlimit bound { *memory, *memory };
        setrlimit(RLIMIT_DATA, &bound);
    }
    int code = died_of_exception;
    try {
        if (write_whole(pipe, work())) code = 0;
    } catch (...) {
        // The code says it.
    }
    _exit(code);
}

}  // namespace

worker_pool::worker_pool(std::size_t workers, std::optional<std::uint64_t> memory)
    : most_(std::max<std::size_t>(workers, 1)), memory_(memory) {}

worker_pool::~worker_pool() {
    stop();
}

void worker_pool::start(std::uint64_t job, const std::function<std::string()>& work) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "no more pipes");
    const pid_t parent = getpid();
    const pid_t process = fork();
    if (process < 0) {
        const int why = errno;
        close(ends[0]);
        close(ends[1]);
        throw std::system_error(why, std::generic_category(), "no more processes");
    }
    if (process == 0) {
        close(ends[0]);
        be_worker(ends[1], parent, memory_, work);
    }
    close(ends[1]);
    working_.push_back({job, process, ends[0], {}});
}

worker_pool::outcome worker_pool::reap(std::size_t place) {
    worker& ended = working_[place];
    int status = 0;
    while (waitpid(ended.process, &status, 0) < 0 && errno == EINTR) {
    }
    close(ended.pipe);
    outcome result{ended.job, std::move(ended.text), {}};
    if (WIFSIGNALED(status)) {
        result.death =
            fmt::format("the worker was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status) != 0) {
        result.death = fmt::format("the worker ended with exit code {}", WEXITSTATUS(status));
    }
    working_.erase(working_.begin() + static_cast<std::ptrdiff_t>(place));
    return result;
}

std::optional<worker_pool::outcome> worker_pool::next(int milliseconds) {
    while (!working_.empty()) {
        std::vector<pollfd> pipes;
        for (const worker& each : working_) pipes.push_back({each.pipe, POLLIN, 0});
        throw_if_interrupted();
        // A signal that comes just here is seen half a second later.
        const int ready = poll(pipes.data(), pipes.size(), milliseconds < 0 ? 500 : milliseconds);
        throw_if_interrupted();
        if (ready < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
        if (ready == 0 && milliseconds >= 0) return std::nullopt;
        for (std::size_t i = 0; ready > 0 && i < pipes.size(); ++i) {
            if (pipes[i].revents == 0) continue;
            std::array<char, 65'536> octets;
            const ssize_t count = read(pipes[i].fd, octets.data(), octets.size());
            if (count > 0) working_[i].text.append(octets.data(), static_cast<std::size_t>(count));
            if (count == 0 || (count < 0 && errno != EINTR)) return reap(i);
        }
    }
    return std::nullopt;
}

void worker_pool::stop() {
    for (const worker& each : working_) kill(each.process, SIGKILL);
    while (!working_.empty()) (void)reap(0);
}

std::size_t processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    return static_cast<std::size_t>(std::max(CPU_COUNT(&set), 1));
}

}  // namespace weir::vp
