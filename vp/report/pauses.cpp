// SPDX-License-Identifier: Apache-2.0
#include "vp/report/pauses.h"

namespace weir::vp::report {

std::vector<interval> intervals_of(const std::vector<change>& changes, std::int64_t end) {
    std::vector<interval> made;
    bool open = false;
    const auto close = [&](std::int64_t at) {
        made.back().end = at;
        made.back().time = at - made.back().begin;
    };
    for (const change& each : changes) {
        const bool on = each.value != 0;
        if (on == open) continue;
        if (on) {
            made.push_back({each.time, each.time, 1, 0});
        } else {
            close(each.time);
        }
        open = on;
    }
    if (open) close(end);
    return made;
}

std::vector<interval> merge(const std::vector<interval>& all, std::size_t most) {
    std::vector<interval> made = all;
    for (int width_log2 = 1; made.size() > most && width_log2 < 63; ++width_log2) {
        std::vector<interval> fewer;
        for (const interval& each : made) {
            if (!fewer.empty() && each.begin >> width_log2 == fewer.back().begin >> width_log2) {
                fewer.back().end = each.end;
                fewer.back().count += each.count;
                fewer.back().time += each.time;
            } else {
                fewer.push_back(each);
            }
        }
        made = std::move(fewer);
    }
    return made;
}

}  // namespace weir::vp::report
