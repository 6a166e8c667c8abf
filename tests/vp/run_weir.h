// SPDX-License-Identifier: Apache-2.0
// Starts the program as its users do.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace weir::vp {

struct program_outcome {
    int code{-1};
    std::string text;  // both streams
};

/// Runs `weir ARGUMENTS` for a minute at the longest (124: it took longer).
inline program_outcome run_weir(const std::string& arguments, const std::string& limit = "timeout 60") {
    const std::string command = limit + " " WEIR_BINARY_DIR "/vp/weir " + arguments + " 2>&1";
    program_outcome got;
    std::FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 4096> part{};
    while (const std::size_t octets = std::fread(part.data(), 1, part.size(), pipe))
        got.text.append(part.data(), octets);
    const int status = pclose(pipe);
    got.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return got;
}

}  // namespace weir::vp
