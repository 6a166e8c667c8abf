// SPDX-License-Identifier: Apache-2.0
// Help for the platform tests: small platforms, files of a test's own, and the message that bad input gets.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "platforms/config.h"

namespace weir::platforms::testing {

/// A folder of this test's own, removed at the end.
class temporary_folder {
public:
    temporary_folder()
        : path_(std::filesystem::temp_directory_path() /
                ("weir-test-" + std::to_string(getpid()) + "-" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
        std::filesystem::create_directories(path_);
    }
    ~temporary_folder() { std::filesystem::remove_all(path_); }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;

    /// Writes a file into it; its whole path.
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name) << text;
        return (path_ / name).string();
    }
    [[nodiscard]] std::string path(const std::string& name = "") const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

/// The message of the config_error that `action` throws.
inline std::string error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const config_error& e) {
        return e.what();
    }
    return "no error";
}

/// One switch of four hosts at 100G.
constexpr const char* four_hosts = R"([switch.s0]
cells = 1000
[[switch.s0.ports]]
count = 4
rate = "100G"
)";

inline platform_config parsed(const std::string& text, const load_options& options = {}) {
    return parse_platform(text, "p.toml", options);
}

inline std::string parse_error(const std::string& text, const load_options& options = {}) {
    return error_of([&] { (void)parsed(text, options); });
}

}  // namespace weir::platforms::testing
