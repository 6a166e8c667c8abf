// SPDX-License-Identifier: Apache-2.0
#include "vp/report/steps.h"

#include <algorithm>
#include <numeric>

namespace weir::vp::report {
namespace {

std::size_t buckets_used(const std::vector<change>& changes, int width_log2) {
    std::size_t used = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        if (i == 0 || changes[i].time >> width_log2 != changes[i - 1].time >> width_log2) ++used;
    }
    return used;
}

}  // namespace

detail reduce(const std::vector<change>& changes, std::size_t most) {
    int width_log2 = 0;
    while (width_log2 < 62 && buckets_used(changes, width_log2) > most) ++width_log2;
    detail made;
    made.resolution = std::int64_t{1} << width_log2;
    std::int64_t bucket = -1;
    for (const change& each : changes) {
        if (made.steps.empty() || each.time >> width_log2 != bucket) {
            bucket = each.time >> width_log2;
            made.steps.push_back({each.time, each.value, each.value, each.value});
            continue;
        }
        step& in = made.steps.back();
        in.low = std::min(in.low, each.value);
        in.high = std::max(in.high, each.value);
        in.last = each.value;
    }
    return made;
}

std::vector<std::size_t> share_out(const std::vector<std::size_t>& wanted, std::size_t total) {
    std::vector<std::size_t> by_size(wanted.size());
    std::iota(by_size.begin(), by_size.end(), std::size_t{0});
    std::stable_sort(by_size.begin(), by_size.end(),
                     [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
    std::vector<std::size_t> given(wanted.size());
    for (std::size_t i = 0; i < by_size.size(); ++i) {
        const std::size_t part = total / (by_size.size() - i);
        given[by_size[i]] = std::min(wanted[by_size[i]], part);
        total -= given[by_size[i]];
    }
    return given;
}

}  // namespace weir::vp::report
