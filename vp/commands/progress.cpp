// SPDX-License-Identifier: Apache-2.0
// Drawing the bar. The wall clock is read here and nowhere else in a run.
#include "vp/commands/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace weir::vp {

progress_bar::progress_bar(std::FILE* stream) : progress_bar(stream, isatty(fileno(stream)) != 0) {}

progress_bar::progress_bar(std::FILE* stream, bool shown) : stream_(stream), shown_(shown) {}

progress_bar::~progress_bar() {
    if (drawn_) std::fputs("\r\x1b[K", stream_);
}

std::string progress_bar::line(const progress_report& report, double elapsed) {
    constexpr std::size_t cells = 24;
    std::string text;
    if (report.fraction >= 0) {
        const double fraction = std::min(report.fraction, 1.0);
        const auto full = static_cast<std::size_t>(fraction * cells);
        text +=
            fmt::format("[{}{}] {:3.0f} %  ", std::string(full, '#'), std::string(cells - full, '.'), fraction * 100);
    }
    text += fmt::format("{:.3f} ms simulated", static_cast<double>(report.now.count()) / 1e9);
    if (elapsed > 0) {
        text += fmt::format("  {:.2f} M frames/s", static_cast<double>(report.frames) / elapsed / 1e6);
    }
    if (report.fraction > 0.01 && report.fraction <= 1 && elapsed > 0) {
        const auto left = std::lround(elapsed * (1 - report.fraction) / report.fraction);
        text += fmt::format("  {}:{:02} left", left / 60, left % 60);
    }
    return text;
}

void progress_bar::update(const progress_report& report) {
    if (!shown_) return;
    const auto now = clock::now();
    if (drawn_ && now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    drawn_ = true;
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    std::fputs(("\r\x1b[K" + line(report, elapsed)).c_str(), stream_);
    std::fflush(stream_);
}

}  // namespace weir::vp
