// SPDX-License-Identifier: Apache-2.0
// The checkers of one front port (P1 to P13, P19 to P27), bound between its blocks when it is built while checking is
// on.
#pragma once

#include <string>

#include "models/pfc/control_checker.h"
#include "models/pfc/flow_control.h"
#include "models/pfc/stall_checker.h"
#include "models/scheduler/attribution_checker.h"
#include "models/scheduler/dequeue_checker.h"
#include "models/scheduler/scheduler.h"

namespace weir::asic {

class port_checks {
public:
    /// `whole`: every frame for the egress comes straight from the MMU.
    port_checks(timeline& time, const std::string& place, pfc::flow_control& flow, scheduler::scheduler& egress,
                bool whole);

    pfc::control_checker control;
    pfc::stall_checker stall;
    scheduler::attribution_checker waiting;
    scheduler::dequeue_checker dequeue;
};

inline port_checks::port_checks(timeline& time, const std::string& place, pfc::flow_control& flow,
                                scheduler::scheduler& egress, bool whole)
    : control(time, place, flow, flow, flow.generator, flow.receiver),
      stall(time, place, flow,
            {[&flow](std::uint8_t q, picoseconds now) { return flow.stall.length(q, now); },
             [&flow] { return flow.rate().quanta(flow.stall.limit()); }, [&flow] { return flow.stall.suspect(); }}),
      waiting(
          time, place, egress, egress,
          [&egress](std::uint8_t q, scheduler::wait_cause why, picoseconds now) {
              return egress.waiting().waited(q, why, now);
          },
          [&egress] { return egress.waiting().times_cleared(); }, flow, whole),
      dequeue(place, egress, control,
              {[&egress] { return egress.holding(); }, [&egress] { return egress.enabled_queues(); },
               [&egress] { return egress.waiting().eligible_now(); },
               [&egress] { return egress.waiting().blocked_now(); }, [&egress] { return egress.rate(); },
               [this] {
                   stall.look();
                   waiting.look();
               }}) {}

}  // namespace weir::asic
