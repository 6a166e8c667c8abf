// SPDX-License-Identifier: Apache-2.0
// A congestion window in the way of DCTCP (RFC 8257), in octets of payload: each window it is cut by half of alpha, the
// smoothed share of octets that were marked on their way.
//
//   slow start: + what is acknowledged          afterwards: + one frame a window
//   once a window:   alpha = (1 - g) alpha + g F;   a mark: window (1 - alpha/2);   a loss: window / 2
//   a timeout:       one frame, and slow start to half of what it was
#pragma once

#include <cstdint>

namespace weir::host {

struct dctcp_parameters {
    double gain{1.0 / 16};                 ///< g
    std::uint64_t initial_window{65'536};  ///< octets
    double initial_alpha{1};
};

class dctcp_window {
public:
    /// `frame`: octets of payload in a frame: the least window, and the step of its growth.
    dctcp_window(const dctcp_parameters& p, std::uint64_t frame)
        : parameters_(&p),
          frame_(frame),
          window_(p.initial_window < frame ? frame : p.initial_window),
          alpha_(p.initial_alpha) {}

    /// `octets` more are acknowledged, up to the frame `acknowledged`; `next` is the one to be sent next. `marked`:
    /// they were.
    void acknowledge(std::uint64_t octets, bool marked, std::uint64_t acknowledged, std::uint64_t next);
    /// The receiver tells of a gap, while the frames before `next` have been sent.
    void lose(std::uint64_t acknowledged, std::uint64_t next);
    void time_out();

    [[nodiscard]] std::uint64_t octets() const { return window_; }
    [[nodiscard]] double alpha() const { return alpha_; }

private:
    void cut(double part, std::uint64_t next);

    const dctcp_parameters* parameters_;
    std::uint64_t frame_;
    std::uint64_t window_;
    std::uint64_t slow_start_below_{UINT64_MAX};
    double alpha_;
    std::uint64_t growth_{0};  // octets acknowledged towards the next step
    std::uint64_t seen_{0};    // octets acknowledged in this window
    std::uint64_t seen_marked_{0};
    std::uint64_t window_end_{0};  // alpha moves when this frame is reached
    std::uint64_t cut_until_{0};   // no other cut before this frame is
};

}  // namespace weir::host
