// SPDX-License-Identifier: Apache-2.0
#include "platforms/flow_starter.h"

#include <algorithm>
#include <utility>

namespace weir::platforms {

flow_starter::flow_starter(timeline& time, start_function start)
    : actor(time, "flow_starter"), time_(time), start_(std::move(start)) {}

void flow_starter::add(std::uint32_t number, const flow& f, picoseconds earliest,
                       const std::vector<std::uint32_t>& after) {
    for (const std::uint32_t other : after) waited_for_[other].push_back(number);
    waiting_.emplace(number, waiting_flow{f, earliest, after.size()});
}

void flow_starter::delivered(std::uint32_t number) {
    const auto found = waited_for_.find(number);
    if (found == waited_for_.end()) return;
    for (const std::uint32_t next : found->second) {
        if (--waiting_.at(next).left == 0) time_.at(time_.now(), phase::timer, *this, next);
    }
    waited_for_.erase(found);
}

void flow_starter::due(std::uint32_t number) {
    const auto found = waiting_.find(number);
    const waiting_flow ready = std::move(found->second);
    waiting_.erase(found);
    // Behind the end of time it never starts.
    if (ready.what.delay >= never - time_.now()) return;
    start_(number, ready.what, std::max(ready.earliest, time_.now() + ready.what.delay));
}

}  // namespace weir::platforms
