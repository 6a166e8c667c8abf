// SPDX-License-Identifier: Apache-2.0
// Who paused whom: every pause hangs under its cause, up to what began it.
//
//   root                a queue that got more than it could send, with nobody stopping it; or a host that paused
//   └─ pause            a group whose frames wait for that queue, and the port that it stops
//      └─ pause         a group one hop further up, whose frames wait for that port
//
// Pauses of the same group for the same cause are one node, with their number and their time together.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "models/mmu/cells.h"
#include "models/observer/fabric.h"
#include "models/timeline/time.h"

namespace weir::observer {

using node_number = std::uint32_t;
constexpr node_number no_node = UINT32_MAX;

struct pause_node {
    enum class kind : std::uint8_t {
        congestion,  ///< root: an egress queue; `at` is its port, `which` the queue
        host,        ///< root: a host that pauses by itself; `at.port` is its number
        unknown,     ///< root: a port that pauses although none of its groups asks for it (forced by software)
        pause        ///< a priority group of an ingress port; `at` is that port, `which` the group
    };
    kind what{kind::congestion};
    place at;
    std::uint8_t which{0};
    node_number parent{no_node};
    bool circular{false};  ///< a cause of it was found among its own effects
    std::uint64_t times{0};
    picoseconds first{0};  ///< when the first of them began
    picoseconds time{0};
    mmu::cells most{0};  ///< that the group held during one of them
};

/// What stopped something: a node, and which pause of it. Pauses are counted over the whole run, from 1; 0: the node is
/// a root.
struct pause_reason {
    node_number node{no_node};
    std::uint64_t pause{0};
};

class pause_tree {
public:
    /// The node of a root; made when it is new.
    node_number root(pause_node::kind what, const place& at, std::uint8_t which);
    /// The node of a group's pauses for that cause. When the group is among the cause's own causes, that node is it.
    node_number pause(const place& at, std::uint8_t group, node_number cause);

    [[nodiscard]] node_number root_of(node_number n) const;
    [[nodiscard]] pause_node& operator[](node_number n) { return nodes_[n]; }
    [[nodiscard]] const std::vector<pause_node>& nodes() const { return nodes_; }

private:
    using key = std::tuple<node_number, pause_node::kind, std::uint32_t, std::uint32_t, std::uint8_t>;
    node_number find(const pause_node& n);
    std::vector<pause_node> nodes_;
    std::map<key, node_number> numbers_;
};

}  // namespace weir::observer
