// SPDX-License-Identifier: Apache-2.0
// From a signal of zeros and ones to intervals, and intervals that stand closer than a pixel merged into one.
#pragma once

#include <cstdint>
#include <vector>

#include "vp/report/signals.h"

namespace weir::vp::report {

struct interval {
    std::int64_t begin{0};  ///< ps
    std::int64_t end{0};
    std::uint64_t count{1};  ///< pauses in it
    std::int64_t time{0};    ///< ps of these together: less than its length when there are several
};

/// While the signal is not zero; one that lasts ends at `end`.
[[nodiscard]] std::vector<interval> intervals_of(const std::vector<change>& changes, std::int64_t end);

/// At most `most` (one at least): those that begin in the same bucket of time become one, in the narrowest buckets of a
/// power of two picoseconds that will do. Counts and times add up.
[[nodiscard]] std::vector<interval> merge(const std::vector<interval>& all, std::size_t most);

}  // namespace weir::vp::report
