// SPDX-License-Identifier: Apache-2.0
// What each flow lost to pauses, by their root: the time in which at least one of its frames, or its next one at its
// source, waited at a gate that was shut. Time is counted once, however many frames waited; it is known when a frame
// leaves or the gate opens.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "models/observer/pause_tree.h"
#include "models/timeline/time.h"

namespace weir::observer {

class lost_time {
public:
    explicit lost_time(std::size_t flows) : flows_(flows) {}

    /// It waited from `begin` to `end` for what `root` began; what was counted already is left out.
    void waited(std::uint32_t flow, picoseconds begin, picoseconds end, node_number root);
    /// One of its frames came to this queue.
    void passed(std::uint32_t flow, const place& egress, std::uint8_t queue);

    struct lost {
        std::map<node_number, picoseconds> by_root;
        std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint8_t>> path;  ///< chip, port, queue
        picoseconds counted_to{0};
    };
    [[nodiscard]] const lost& of(std::size_t flow) const { return flows_[flow]; }
    [[nodiscard]] std::size_t size() const { return flows_.size(); }

private:
    std::vector<lost> flows_;
};

}  // namespace weir::observer
