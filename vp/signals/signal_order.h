// SPDX-License-Identifier: Apache-2.0
// What every export needs of a recording: its changes in one order, and names by their number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "vp/report/signals.h"

namespace weir::vp {

struct ordered_change {
    std::int64_t time{0};
    std::uint32_t signal{0};
    std::int64_t value{0};
};

/// By time, and within an instant by signal.
inline std::vector<ordered_change> ordered_changes(const report::recording& signals) {
    std::vector<ordered_change> all;
    for (std::uint32_t s = 0; s < signals.signals.size(); ++s) {
        for (const report::change& c : signals.signals[s].changes) all.push_back({c.time, s, c.value});
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return a.time != b.time ? a.time < b.time : a.signal < b.signal;
    });
    return all;
}

/// What the list has at that place; "?" where it has nothing.
inline const std::string& name_at(const std::vector<std::string>& names, std::int64_t number) {
    static const std::string unknown{"?"};
    return number >= 0 && static_cast<std::size_t>(number) < names.size() ? names[static_cast<std::size_t>(number)]
                                                                          : unknown;
}

}  // namespace weir::vp
