// SPDX-License-Identifier: Apache-2.0
// How far a study has come, on one line of a terminal; silent elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace weir::vp {

class study_progress {
public:
    /// `there`: of all `runs` were done before. `what` they are called.
    study_progress(std::FILE* stream, std::uint64_t runs, std::uint64_t there, std::string what = "runs");
    /// Clears the line.
    ~study_progress();
    study_progress(const study_progress&) = delete;
    study_progress& operator=(const study_progress&) = delete;

    void update(std::uint64_t finished, std::uint64_t failed);

    /// The line, `elapsed` seconds after `there` of the runs were done.
    [[nodiscard]] static std::string line(std::uint64_t runs, std::uint64_t there, std::uint64_t finished,
                                          std::uint64_t failed, double elapsed, const std::string& what = "runs");

private:
    using clock = std::chrono::steady_clock;
    std::FILE* stream_;
    bool shown_;
    bool drawn_{false};
    std::uint64_t runs_;
    std::uint64_t there_;
    std::string what_;
    clock::time_point start_{clock::now()};
    clock::time_point last_{};
};

}  // namespace weir::vp
