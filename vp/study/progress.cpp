// SPDX-License-Identifier: Apache-2.0
#include "vp/study/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <utility>

namespace weir::vp {

study_progress::study_progress(std::FILE* stream, std::uint64_t runs, std::uint64_t there, std::string what)
    : stream_(stream), shown_(isatty(fileno(stream)) != 0), runs_(runs), there_(there), what_(std::move(what)) {}

study_progress::~study_progress() {
    if (drawn_) std::fputs("\r\x1b[K", stream_);
}

std::string study_progress::line(std::uint64_t runs, std::uint64_t there, std::uint64_t finished, std::uint64_t failed,
                                 double elapsed, const std::string& what) {
    constexpr std::uint64_t cells = 24;
    const std::uint64_t full = runs == 0 ? cells : finished * cells / runs;
    std::string text =
        fmt::format("[{}{}] {} of {} {}", std::string(full, '#'), std::string(cells - full, '.'), finished, runs, what);
    if (failed > 0) text += fmt::format(", {} failed", failed);
    if (finished > there && elapsed > 0) {
        const auto left =
            std::lround(elapsed * static_cast<double>(runs - finished) / static_cast<double>(finished - there));
        text += left >= 3600 ? fmt::format(", {}:{:02}:{:02} left", left / 3600, left / 60 % 60, left % 60)
                             : fmt::format(", {}:{:02} left", left / 60, left % 60);
    }
    return text;
}

void study_progress::update(std::uint64_t finished, std::uint64_t failed) {
    if (!shown_) return;
    const auto now = clock::now();
    if (drawn_ && now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    drawn_ = true;
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    std::fputs(("\r\x1b[K" + line(runs_, there_, finished, failed, elapsed, what_)).c_str(), stream_);
    std::fflush(stream_);
}

}  // namespace weir::vp
