// SPDX-License-Identifier: Apache-2.0
#include "models/observer/lost_time.h"

#include <algorithm>

namespace weir::observer {

void lost_time::waited(std::uint32_t flow, picoseconds begin, picoseconds end, node_number root) {
    lost& l = flows_[flow];
    begin = std::max(begin, l.counted_to);
    if (end <= begin) return;
    l.by_root[root] += end - begin;
    l.counted_to = end;
}

void lost_time::passed(std::uint32_t flow, const place& egress, std::uint8_t queue) {
    flows_[flow].path.emplace(egress.chip, egress.port, queue);
}

}  // namespace weir::observer
