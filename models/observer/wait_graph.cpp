// SPDX-License-Identifier: Apache-2.0
#include "models/observer/wait_graph.h"

#include <algorithm>
#include <set>

namespace weir::observer {
namespace {

/// Depth first; `trail` ends as the way from the start back to it.
bool lead_back(const waiting_queue& to, circle& trail, std::set<waiting_queue>& seen, const waits_for& next) {
    for (const waiting_queue& q : next(trail.back())) {
        if (q == to) return true;
        if (!seen.insert(q).second) continue;
        trail.push_back(q);
        if (lead_back(to, trail, seen, next)) return true;
        trail.pop_back();
    }
    return false;
}

}  // namespace

circle find_circle(const waiting_queue& from, const waits_for& next) {
    circle trail{from};
    std::set<waiting_queue> seen;
    if (!lead_back(from, trail, seen, next)) return {};
    std::rotate(trail.begin(), std::min_element(trail.begin(), trail.end()), trail.end());
    return trail;
}

bool stands(const circle& c, const waits_for& next) {
    for (std::size_t i = 0; i < c.size(); ++i) {
        const auto others = next(c[i]);
        if (std::find(others.begin(), others.end(), c[(i + 1) % c.size()]) == others.end()) return false;
    }
    return true;
}

}  // namespace weir::observer
