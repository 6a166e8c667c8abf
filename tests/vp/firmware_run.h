// SPDX-License-Identifier: Apache-2.0
// Help for the tests of the firmware at the level of the program: runs whose streams are kept apart, and gdb on them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "tests/vp/remote_support.h"

namespace weir::vp::remote::testing {

constexpr const char* bringup_board = WEIR_SOURCE_DIR "/platforms/bringup_8x400g";
constexpr const char* firmware_elf = WEIR_BINARY_DIR "/sw/firmware/weir.elf";

inline std::string octets_of_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

/// A folder of one run's own: a test may have several of them.
class run_folder {
public:
    run_folder() {
        std::string form = (std::filesystem::temp_directory_path() / "weir-run-XXXXXX").string();
        path_ = mkdtemp(form.data());
    }
    ~run_folder() { std::filesystem::remove_all(path_); }
    run_folder(const run_folder&) = delete;
    run_folder& operator=(const run_folder&) = delete;
    [[nodiscard]] std::string path(const std::string& name) const { return path_ + "/" + name; }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path(name), std::ios::binary) << text;
        return path(name);
    }

private:
    std::string path_;
};

/// `weir WORDS` in the background: standard input from a file, the two output streams apart.
class firmware_run {
public:
    explicit firmware_run(const std::vector<std::string>& words, const std::string& input = "")
        : run_(joined({"sh", "-c", "exec \"$@\" <$0/in 2>$0/err", folder_.path(""), weir_program}, words),
               output_for(input)) {}

    /// The exit code; -1: it has not ended within a minute.
    int wait() { return run_.wait(); }
    [[nodiscard]] bool running() const { return run_.running(); }
    void signal(int number) const { run_.signal(number); }
    [[nodiscard]] std::string out() const { return run_.output(); }
    [[nodiscard]] std::string err() const { return octets_of_file(folder_.path("err")); }
    [[nodiscard]] bool says(const std::string& text) const { return run_.says(text); }
    /// Waits, at most 20 s, for that on the error stream.
    [[nodiscard]] bool complains(const std::string& text) const {
        for (int tries = 0; tries < 2000; ++tries) {
            if (err().find(text) != std::string::npos) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }

private:
    std::string output_for(const std::string& input) const {
        folder_.write("in", input);
        return folder_.path("out");
    }
    run_folder folder_;
    background run_;
};

struct finished_run {
    int code{-1};
    std::string out, err;
};

/// `weir WORDS` to its end.
inline finished_run finished(const std::vector<std::string>& words, const std::string& input = "") {
    firmware_run run(words, input);
    const int code = run.wait();
    return {code, run.out(), run.err()};
}

/// What the line "digest: …" says; empty without one.
inline std::string digest_in(const std::string& text) {
    std::smatch found;
    return std::regex_search(text, found, std::regex("digest: ([0-9a-f]{16})")) ? found[1].str() : std::string{};
}

/// `weir run` with a door for gdb at a socket of its own.
class debugged_run {
public:
    explicit debugged_run(const std::vector<std::string>& more = {"--halt"},
                          const std::string& platform = bringup_board)
        : run(joined({"run", platform, "--gdb", "unix:" + folder_.path("g")}, more)) {}

    [[nodiscard]] std::string socket() const { return folder_.path("g"); }
    /// gdb's words for a session with these commands, connected to the run.
    [[nodiscard]] std::vector<std::string> gdb_words(const std::vector<std::string>& commands) const {
        std::vector<std::string> words{"gdb-multiarch", "-nx", "-batch"};
        const auto add = [&](const std::string& command) {
            words.emplace_back("-ex");
            words.push_back(command);
        };
        for (const char* setting :
             {"set confirm off", "set debuginfod enabled off", "set width 0", "set print frame-info location",
              "set print entry-values no", "set print symbol off", "set print frame-arguments presence"})
            add(setting);
        add("target remote " + socket());
        for (const auto& c : commands) add(c);
        words.emplace_back(firmware_elf);
        return words;
    }
    /// gdb in the background; its output is a file of that name.
    [[nodiscard]] background start_gdb(const std::vector<std::string>& commands) const {
        await_door();
        return background(gdb_words(commands), gdb_output());
    }
    /// A session to its end: what gdb says.
    [[nodiscard]] std::string gdb(const std::vector<std::string>& commands) const {
        background session = start_gdb(commands);
        const int code = session.wait();
        EXPECT_EQ(code, 0) << "127: gdb-multiarch is missing; it is Debian's gdb-multiarch";
        return session.output();
    }
    [[nodiscard]] std::string gdb_output() const { return folder_.path("gdb"); }
    void await_door() const { EXPECT_TRUE(run.complains("gdb: target remote ")) << run.err(); }

private:
    run_folder folder_;

public:
    firmware_run run;
};

/// A session without what varies: folders, places in the code, addresses, and times.
inline std::string golden(std::string text) {
    const auto replace = [&](const char* what, const char* by) {
        text = std::regex_replace(text, std::regex(what), by);
    };
    replace("(file|at) /?[^ ]*/([a-z0-9_]+\\.[cShH])", "$1 $2");
    replace("(\\.[cShH])(:|, line )[0-9]+", "$1$2N");
    replace("0x8[0-9a-f]{7}", "0xADDRESS");
    replace("time_(ns|ps): [0-9]+", "time_$1: T");
    return text;
}

}  // namespace weir::vp::remote::testing
