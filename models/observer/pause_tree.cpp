// SPDX-License-Identifier: Apache-2.0
#include "models/observer/pause_tree.h"

namespace weir::observer {

node_number pause_tree::root(pause_node::kind what, const place& at, std::uint8_t which) {
    pause_node n;
    n.what = what;
    n.at = at;
    n.which = which;
    return find(n);
}

node_number pause_tree::pause(const place& at, std::uint8_t group, node_number cause) {
    for (node_number up = cause; up != no_node; up = nodes_[up].parent) {
        if (nodes_[up].what != pause_node::kind::pause || !(nodes_[up].at == at) || nodes_[up].which != group) continue;
        nodes_[up].circular = true;
        return up;
    }
    pause_node n;
    n.what = pause_node::kind::pause;
    n.at = at;
    n.which = group;
    n.parent = cause;
    return find(n);
}

node_number pause_tree::root_of(node_number n) const {
    while (nodes_[n].parent != no_node) n = nodes_[n].parent;
    return n;
}

node_number pause_tree::find(const pause_node& n) {
    const auto [found, is_new] =
        numbers_.emplace(key{n.parent, n.what, n.at.chip, n.at.port, n.which}, static_cast<node_number>(nodes_.size()));
    if (is_new) nodes_.push_back(n);
    return found->second;
}

}  // namespace weir::observer
