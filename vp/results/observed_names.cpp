// SPDX-License-Identifier: Apache-2.0
#include "vp/results/observed_names.h"

#include <fmt/format.h>

namespace weir::vp {

using observer::pause_node;
using observer::peer;

std::string observed_names::root(observer::node_number n) const {
    const pause_node& node = seen_.causes().nodes()[n];
    switch (node.what) {
        case pause_node::kind::host:
            return host(node.at.port);
        case pause_node::kind::congestion:
            return fmt::format("{}.{} queue {}", chip(node.at.chip), node.at.port, node.which);
        default:
            return fmt::format("{}.{}", chip(node.at.chip), node.at.port);
    }
}

std::string observed_names::stopped_by(const observer::place& at) const {
    const peer& p = seen_.network().peers[at.chip][at.port];
    if (p.what == peer::kind::host) return host(p.host);
    if (p.what == peer::kind::chip) return fmt::format("{}.{}", chip(p.at.chip), p.at.port);
    return "";
}

std::uint32_t observed_names::priority_of(const observer::waiting_queue& q) const {
    const auto rules = seen_.network().flow(q.at).receiver.rules();
    for (std::uint32_t p = 0; p < rules.priority_queues.size(); ++p) {
        if ((rules.priority_queues[p] >> q.queue & 1U) != 0) return p;
    }
    return q.queue;
}

}  // namespace weir::vp
