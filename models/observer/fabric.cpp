// SPDX-License-Identifier: Apache-2.0
#include "models/observer/fabric.h"

namespace weir::observer {

pfc::bitmap fabric::groups_that_stop(const place& from, const pfc::flow_control& peer_flow,
                                     std::uint8_t peer_queue) const {
    const auto& queues = peer_flow.receiver.rules().priority_queues;
    pfc::bitmap priorities = 0;
    for (unsigned p = 0; p < queues.size(); ++p) {
        if ((queues[p] >> peer_queue & 1U) != 0) priorities = static_cast<pfc::bitmap>(priorities | 1U << p);
    }
    const pfc::pause_generator& generator = flow(from).generator;
    pfc::bitmap groups = 0;
    for (std::uint8_t g = 0; g < mmu::groups_per_port; ++g) {
        if ((generator.group_priorities(g) & priorities) != 0) groups = static_cast<pfc::bitmap>(groups | 1U << g);
    }
    return groups;
}

}  // namespace weir::observer
