// SPDX-License-Identifier: Apache-2.0
#include "vp/bench/door_bench.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "platforms/machine.h"
#include "sw/hal/remote/remote.h"
#include "vp/remote/remote_access.h"

namespace weir::vp {
namespace {

std::string place_of_door() {
    return fmt::format("/tmp/weir_bench.{}", getpid());
}

/// A machine that is reached through one door and does nothing else, until it is killed.
void serve_door(const std::string& path, bool json) {
    const auto config = platforms::parse_platform(
        "[platform]\nname = \"bench\"\n[switch.s0]\n[[switch.s0.ports]]\ncount = 8\n", "bench");
    remote::remote_request request;
    const remote::address at{true, path, {}, 0};
    (json ? request.json : request.port) = at;
    request.halted = json;
    platforms::machine m(config, 1);
    remote::remote_access doors(request);
    doors.attach(m, {}, [](weir_log_level, const std::string&) {});
    doors.boot([] { return true; });
}

/// Runs `client` against such a machine and says how long it took from its connection on.
double with_door(bool json, const std::function<double(const std::string&)>& client) {
    const std::string path = place_of_door();
    const pid_t server = fork();
    if (server < 0) throw std::runtime_error("weir bench: no process");
    if (server == 0) {
        // Nobody reads what the server has to say.
        if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
        try {
            serve_door(path, json);
        } catch (const std::exception&) {
            _exit(1);
        }
        _exit(0);
    }
    // The file is there a moment before anybody listens.
    for (int tries = 0; tries < 500 && access(path.c_str(), F_OK) != 0; ++tries) usleep(10'000);
    usleep(100'000);
    double seconds = 0;
    std::string failure;
    try {
        seconds = client(path);
    } catch (const std::exception& e) {
        failure = e.what();
    }
    kill(server, SIGKILL);
    waitpid(server, nullptr, 0);
    unlink(path.c_str());
    if (!failure.empty()) throw std::runtime_error(failure);
    return seconds;
}

double since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double ask_port(const std::string& path, std::uint32_t round_trips) {
    const auto remote = std::make_unique<weir_remote>();
    if (weir_remote_connect(remote.get(), ("unix:" + path).c_str(), WEIR_REMOTE_ANY_MAP, 0) != WEIR_OK)
        throw std::runtime_error(weir_remote_error(remote.get()));
    const weir_hal hal = weir_remote_hal(remote.get(), 0);
    const auto begin = std::chrono::steady_clock::now();
    std::uint32_t word = 0;
    for (std::uint32_t i = 0; i < round_trips; ++i) {
        if (hal.read32(hal.ctx, 0, &word) != WEIR_OK) throw std::runtime_error(weir_remote_error(remote.get()));
    }
    return since(begin);
}

double ask_json(const std::string& path, std::uint32_t round_trips) {
    const int client = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::strncpy(at.sun_path, path.c_str(), sizeof at.sun_path - 1);
    if (client < 0 || connect(client, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0)
        throw std::runtime_error("weir bench: the JSON door does not open");
    const std::string question = R"({"id":1,"command":"peek","arguments":{"name":"pg.xoff[0][3]"}})"
                                 "\n";
    const auto begin = std::chrono::steady_clock::now();
    std::string answer;
    for (std::uint32_t i = 0; i < round_trips; ++i) {
        answer.clear();
        if (write(client, question.data(), question.size()) < 0) break;
        while (answer.empty() || answer.back() != '\n') {
            char piece[4096];
            const ssize_t got = read(client, piece, sizeof piece);
            if (got <= 0) throw std::runtime_error("weir bench: the JSON door has shut");
            answer.append(piece, static_cast<std::size_t>(got));
        }
    }
    const double seconds = since(begin);
    close(client);
    if (answer.find("\"ok\":true") == std::string::npos) throw std::runtime_error("weir bench: " + answer);
    return seconds;
}

}  // namespace

double register_port_seconds(std::uint32_t round_trips) {
    return with_door(false, [&](const std::string& path) { return ask_port(path, round_trips); });
}

double json_door_seconds(std::uint32_t round_trips) {
    return with_door(true, [&](const std::string& path) { return ask_json(path, round_trips); });
}

}  // namespace weir::vp
