// SPDX-License-Identifier: Apache-2.0
#include "models/host/dctcp.h"

#include <algorithm>

namespace weir::host {

void dctcp_window::acknowledge(std::uint64_t octets, bool marked, std::uint64_t acknowledged, std::uint64_t next) {
    seen_ += octets;
    if (marked) seen_marked_ += octets;
    if (acknowledged >= window_end_) {
        const double share = static_cast<double>(seen_marked_) / static_cast<double>(std::max<std::uint64_t>(seen_, 1));
        alpha_ = (1 - parameters_->gain) * alpha_ + parameters_->gain * share;
        seen_ = seen_marked_ = 0;
        window_end_ = next;
    }
    if (marked) {
        if (acknowledged > cut_until_) cut(1 - alpha_ / 2, next);
        return;  // a window that was told of congestion does not grow
    }
    if (window_ < slow_start_below_) {
        window_ += octets;
        return;
    }
    growth_ += octets;
    if (growth_ >= window_) {
        growth_ -= window_;
        window_ += frame_;
    }
}

void dctcp_window::lose(std::uint64_t acknowledged, std::uint64_t next) {
    if (acknowledged >= cut_until_) cut(0.5, next);
}

void dctcp_window::time_out() {
    slow_start_below_ = std::max(window_ / 2, 2 * frame_);
    window_ = frame_;
    growth_ = 0;
}

void dctcp_window::cut(double part, std::uint64_t next) {
    window_ = std::max(frame_, static_cast<std::uint64_t>(static_cast<double>(window_) * part));
    slow_start_below_ = window_;
    growth_ = 0;
    cut_until_ = next;
}

}  // namespace weir::host
