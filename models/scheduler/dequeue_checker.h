// SPDX-License-Identifier: Apache-2.0
// P19 to P23: checks a scheduler from outside, between it and its port.
//
// What is legitimate: a shaper or a disabled queue holds frames that the gate lets through (P20 is of the gate alone).
// P23 has no control frame in it: the model asks whether data is blocked, and a control frame goes either way.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "models/pfc/control_checker.h"
#include "models/scheduler/scheduler_if.h"

namespace weir::scheduler {

class dequeue_checker : public dequeue_if {
public:
    /// What the checker looks at.
    struct view {
        std::function<pfc::bitmap()> holding;   ///< queues with frames
        std::function<pfc::bitmap()> enabled;   ///< queues that software lets send
        std::function<pfc::bitmap()> eligible;  ///< as the scheduler tells software
        std::function<bool()> blocked;          ///< as the scheduler counts blocked time
        std::function<data_rate()> rate;
        std::function<void()> look;  ///< called before each choice: others look as well
    };
    dequeue_checker(std::string place, dequeue_if& feeder, pfc::control_checker& control, view seen);

    selection dequeue(picoseconds now) override;
    /// Queues with a shaper of their own or of the port: one with a burst below a frame holds it for ever.
    void set_shaped(std::function<pfc::bitmap()> shaped) { shaped_ = std::move(shaped); }

private:
    std::string place_;
    dequeue_if& queues_;
    pfc::control_checker& control_;
    view seen_;
    std::function<pfc::bitmap()> shaped_;
};

}  // namespace weir::scheduler
