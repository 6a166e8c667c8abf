// SPDX-License-Identifier: Apache-2.0
// One front port of the switch: MAC, flow control and egress scheduler, wired together, and what software does to them
// as a whole: admin state, speed, flush.
#pragma once

#include <systemc>

#include <functional>
#include <memory>

#include "models/asic/port_flush.h"
#include "models/pfc/flow_control.h"
#include "models/port/port.h"
#include "models/scheduler/scheduler.h"

namespace weir::asic {

class port_checks;

class front_port : public sc_core::sc_module, public port::transmit_if, private actor {
public:
    /// `crossbar`: one feeds the egress, and not the MMU straight.
    front_port(sc_core::sc_module_name name, timeline& time, ethernet::frame_pool& frames,
               const port::port_parameters& p, digest* record, bool crossbar);
    ~front_port() override;

    port::port mac;
    pfc::flow_control flow;
    scheduler::scheduler egress;

    /// What the hardware can do at most.
    [[nodiscard]] data_rate capability() const { return capability_; }
    /// Any Ethernet rate up to the capability; false, and no change, for another. 0: the capability itself.
    bool set_speed(std::uint32_t megabits);
    void set_admin(bool up);
    [[nodiscard]] bool admin() const { return admin_; }
    /// Called with the admin state whenever software changes it: the link's end hangs on it.
    void on_admin(std::function<void(bool)> hook) { on_admin_ = std::move(hook); }

    /// Called with the line rate whenever software changes it: the station at the other end follows.
    void on_speed(std::function<void(data_rate)> hook) { on_speed_ = std::move(hook); }

    port_flush flush{egress};

    /// The port's checkers; null when it was built without.
    [[nodiscard]] port_checks* checks() { return checks_.get(); }

    /// The flow control or the scheduler has something for the MAC, or has opened a queue.
    void wake() override;

private:
    void due(std::uint32_t) override { flush.look(); }

    timeline& time_;
    std::unique_ptr<port_checks> checks_;
    data_rate capability_;
    bool admin_{false};
    std::function<void(bool)> on_admin_;
    std::function<void(data_rate)> on_speed_;
};

}  // namespace weir::asic
