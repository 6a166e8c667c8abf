// SPDX-License-Identifier: Apache-2.0
#include "models/host/dcqcn.h"

namespace weir::host {

void reaction_point::notify(picoseconds now) {
    advance(now);
    const dcqcn_parameters& p = *parameters_;
    const bool first = !notified_;
    notified_ = true;
    if (p.order == dcqcn_order::periodic) {
        alpha_notified_ = !first;  // the first one is in alpha's initial value
        decrease_notified_ = true;
        if (first) {
            alpha_at_ = now + p.alpha_timer;
            decrease_at_ = now + p.decrease_interval;
        }
        return;
    }
    if (p.order == dcqcn_order::alpha_first) alpha_ = (1 - p.gain) * alpha_ + p.gain;
    cut(now);
    if (p.order == dcqcn_order::cut_first) alpha_ = (1 - p.gain) * alpha_ + p.gain;
    alpha_at_ = now + p.alpha_timer;
}

void reaction_point::sent(std::int64_t octets, picoseconds now) {
    if (increase_at_ == never || parameters_->byte_counter == 0) return;
    octets_ += static_cast<std::uint64_t>(octets);
    while (octets_ >= parameters_->byte_counter) {
        octets_ -= parameters_->byte_counter;
        increase(now);
        ++byte_stage_;
    }
}

// What is due at one time: alpha, then the cut, then the increase.
void reaction_point::expire() {
    const dcqcn_parameters& p = *parameters_;
    if (alpha_at_ <= std::min(decrease_at_, increase_at_)) {
        alpha_ = (1 - p.gain) * alpha_ + (alpha_notified_ ? p.gain : 0.0);
        alpha_notified_ = false;
        alpha_at_ += p.alpha_timer;
        return;
    }
    if (decrease_at_ <= increase_at_) {
        const picoseconds at = decrease_at_;
        decrease_at_ += p.decrease_interval;
        if (!decrease_notified_) return;
        decrease_notified_ = false;
        cut(at);
        return;
    }
    const picoseconds at = increase_at_;
    increase_at_ += p.increase_timer;
    increase(at);
    ++time_stage_;
}

void reaction_point::cut(picoseconds now) {
    const bool rose = increase_at_ == never || time_stage_ + byte_stage_ > 0;
    if (parameters_->clamp_target || rose) target_ = current_;
    time_stage_ = 0;
    byte_stage_ = 0;
    octets_ = 0;
    increase_at_ = now + parameters_->increase_timer;
    const auto lower = static_cast<std::int64_t>(static_cast<double>(current_) * (1 - alpha_ / 2));
    set_rate(std::max(lower, std::min(parameters_->least_rate, line_)), now);
}

// Stages count the increases before this one: F of them are fast recovery.
void reaction_point::increase(picoseconds now) {
    const dcqcn_parameters& p = *parameters_;
    const std::uint32_t fewer = p.byte_counter == 0 ? time_stage_ : std::min(time_stage_, byte_stage_);
    if (fewer > p.threshold) {
        const std::uint32_t step = fewer - p.threshold;
        const std::int64_t times = p.hyper_steps == dcqcn_hyper::growing               ? std::int64_t{step}
                                   : p.hyper_steps == dcqcn_hyper::growing_by_one_more ? std::int64_t{step} + 1
                                                                                       : 1;
        target_ += times * p.hyper;
    } else if (std::max(time_stage_, byte_stage_) >= p.threshold) {
        target_ += p.additive;
    }
    target_ = std::min(target_, line_);
    set_rate((current_ + target_ + 1) / 2, now);
}

void reaction_point::set_rate(std::int64_t rate, picoseconds now) {
    if (rate == current_) return;
    current_ = rate;
    if (*hook_) (*hook_)(flow_, now, rate);
}

}  // namespace weir::host
