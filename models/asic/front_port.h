// SPDX-License-Identifier: Apache-2.0
// One front port of the switch: MAC, flow control and egress scheduler, wired together, and what software does to them
// as a whole: admin state, speed, flush.
#pragma once

#include <systemc>

#include <functional>

#include "models/pfc/flow_control.h"
#include "models/port/port.h"
#include "models/scheduler/scheduler.h"

namespace weir::asic {

class front_port : public sc_core::sc_module {
public:
    front_port(sc_core::sc_module_name name, timeline& time, ethernet::frame_pool& frames,
               const port::port_parameters& p, digest* record);

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

    /// Throws away what the egress queues hold and may let go of. Done once they are empty.
    void start_flush();
    [[nodiscard]] bool flushing();
    [[nodiscard]] bool flushed();
    void clear_flush() { flush_asked_ = false; }

private:
    data_rate capability_;
    bool admin_{false};
    bool flush_asked_{false};
    std::function<void(bool)> on_admin_;
};

}  // namespace weir::asic
