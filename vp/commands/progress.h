// SPDX-License-Identifier: Apache-2.0
// The progress bar: simulated time, speed, and when it will be done. Shown on a terminal, silent otherwise.
#pragma once

#include <chrono>
#include <cstdio>

#include "vp/engine.h"

namespace weir::vp {

class progress_bar {
public:
    /// Shows itself on `stream` if that is a terminal.
    explicit progress_bar(std::FILE* stream = stderr);
    /// Shows itself or not as told: for tests.
    progress_bar(std::FILE* stream, bool shown);
    /// Clears the line.
    ~progress_bar();
    progress_bar(const progress_bar&) = delete;
    progress_bar& operator=(const progress_bar&) = delete;

    /// Draws at most ten times a second.
    void update(const progress_report& report);

    /// The line for a report after `elapsed` seconds of wall clock.
    [[nodiscard]] static std::string line(const progress_report& report, double elapsed);

private:
    using clock = std::chrono::steady_clock;
    std::FILE* stream_;
    bool shown_;
    bool drawn_{false};
    clock::time_point start_{clock::now()};
    clock::time_point last_{};
};

}  // namespace weir::vp
