// SPDX-License-Identifier: Apache-2.0
// Flows that wait for others: starts each when the last of those has been delivered.
//
//   ledger ─► delivered ─► timer entry of this instant ─► due ─► start (now, or a delay later)
//
// The way over the timeline gives several that start at once an order, and lets whoever delivers finish first.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "models/timeline/timeline.h"
#include "platforms/workload.h"

namespace weir::platforms {

class flow_starter : private actor {
public:
    using start_function = std::function<void(std::uint32_t number, const flow& f, picoseconds start)>;

    /// `start`: called for each flow when it is known when it starts, which is not before then.
    flow_starter(timeline& time, start_function start);

    /// Keeps a flow until `after`, by their numbers, have been delivered; it does not start before `earliest`.
    void add(std::uint32_t number, const flow& f, picoseconds earliest, const std::vector<std::uint32_t>& after);
    /// A flow has been delivered whole.
    void delivered(std::uint32_t number);

private:
    struct waiting_flow {
        flow what;
        picoseconds earliest{0};
        std::size_t left{0};  // flows that are not delivered yet
    };

    void due(std::uint32_t number) override;

    timeline& time_;
    start_function start_;
    std::map<std::uint32_t, waiting_flow> waiting_;
    std::map<std::uint32_t, std::vector<std::uint32_t>> waited_for_;  // by flow: those that wait for it
};

}  // namespace weir::platforms
