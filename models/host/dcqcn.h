// SPDX-License-Identifier: Apache-2.0
// DCQCN's reaction point: the rate of one flow, cut when a congestion notification (CNP) comes and raised by timer and
// by octets sent (Zhu et al., SIGCOMM 2015, section 3; variants as the simulators and NICs have them: docs/hosts.md).
//
//   CNP:      R_T = R_C;  R_C = R_C (1 - alpha/2);  alpha = (1 - g) alpha + g        no CNP for K: alpha = (1 - g)
//   alpha increase: stage < F: R_C = (R_C + R_T) / 2       else R_T += R_AI, or R_HAI, first
//
// Time passes in `advance`, which does what was due until then in the order in which it was: nothing of it stands in
// the timeline, so a flow costs an entry only when it sends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "models/timeline/time.h"

namespace weir::host {

/// When alpha and the rate move: at each CNP the cut before alpha, as the paper has it; alpha before the cut, as the
/// authors' simulator; or each at a time of its own, whether CNPs came since the last, as HPCC's simulator and NICs.
enum class dcqcn_order : std::uint8_t { cut_first, alpha_first, periodic };

/// By how many R_HAI the n-th step of hyper increase raises the target: n, n + 1, or 1.
enum class dcqcn_hyper : std::uint8_t { growing, growing_by_one_more, constant };

struct dcqcn_parameters {
    picoseconds cnp_interval{microseconds(50)};       ///< of the notification point: between two CNPs of a flow
    picoseconds alpha_timer{microseconds(55)};        ///< K
    picoseconds decrease_interval{microseconds(50)};  ///< `periodic`: how often it is looked whether a CNP came
    picoseconds increase_timer{microseconds(55)};     ///< T
    std::uint64_t byte_counter{10'000'000};           ///< B, octets on the wire; 0: none
    std::uint32_t threshold{5};                       ///< F
    std::int64_t additive{40'000'000};                ///< R_AI, bits a second
    std::int64_t hyper{200'000'000};                  ///< R_HAI
    double gain{1.0 / 256};                           ///< g
    double initial_alpha{1};
    std::int64_t least_rate{1'000'000};  ///< bits a second
    bool clamp_target{true};             ///< each cut lowers the target; false: not when nothing rose since the last
    dcqcn_order order{dcqcn_order::cut_first};
    dcqcn_hyper hyper_steps{dcqcn_hyper::growing};
};

/// Hears each change of a flow's rate, in bits a second, at the time at which it happened.
using rate_hook = std::function<void(std::uint32_t flow, picoseconds time, std::int64_t rate)>;

class reaction_point {
public:
    /// `line` is the rate that the flow starts at and never exceeds. Parameters and hook must outlive it.
    reaction_point(const dcqcn_parameters& p, std::int64_t line, std::uint32_t flow, const rate_hook& hook)
        : parameters_(&p),
          hook_(&hook),
          flow_(flow),
          line_(line),
          target_(line),
          current_(line),
          alpha_(p.initial_alpha) {}

    /// Does what timers were due to do up to `now`.
    void advance(picoseconds now) {
        while (std::min({alpha_at_, decrease_at_, increase_at_}) <= now) expire();
    }
    /// A CNP of this flow arrives.
    void notify(picoseconds now);
    /// The flow has sent so many octets, preamble and gap counted.
    void sent(std::int64_t octets, picoseconds now);

    /// Bits a second on the wire, of the moment advanced to.
    [[nodiscard]] std::int64_t rate() const { return current_; }
    [[nodiscard]] std::int64_t target() const { return target_; }
    [[nodiscard]] double alpha() const { return alpha_; }

private:
    void expire();
    void cut(picoseconds now);
    void increase(picoseconds now);
    void set_rate(std::int64_t rate, picoseconds now);

    const dcqcn_parameters* parameters_;
    const rate_hook* hook_;
    std::uint32_t flow_;
    std::int64_t line_;
    std::int64_t target_;
    std::int64_t current_;
    double alpha_;
    picoseconds alpha_at_{never};
    picoseconds decrease_at_{never};
    picoseconds increase_at_{never};
    std::uint32_t time_stage_{0};  // increases by the timer since the last cut
    std::uint32_t byte_stage_{0};
    std::uint64_t octets_{0};
    bool notified_{false};           // a CNP came at all
    bool alpha_notified_{false};     // … since alpha was moved last
    bool decrease_notified_{false};  // … since it was looked last whether to cut
};

}  // namespace weir::host
