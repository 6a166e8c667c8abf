// SPDX-License-Identifier: Apache-2.0
// Level of detail: a signal of a million changes as a few thousand steps that keep its extremes.
//
// Time is cut into buckets of a power of two picoseconds. A bucket without a change costs nothing; one with several
// keeps the least and greatest value that was set in it, and the last. The finest buckets that fit are taken, so quiet
// stretches leave their share to busy ones, and a signal of few changes stays exact.
#pragma once

#include <cstdint>
#include <vector>

#include "vp/report/signals.h"

namespace weir::vp::report {

/// From `time` on: values from `low` to `high`, and after its bucket `last`.
struct step {
    std::int64_t time{0};
    std::int64_t low{0};
    std::int64_t high{0};
    std::int64_t last{0};
};

struct detail {
    std::int64_t resolution{1};  ///< ps: the buckets' width; 1: exact
    std::vector<step> steps;
};

/// At most `most` steps (one at least) of a signal's changes, which are by rising time.
[[nodiscard]] detail reduce(const std::vector<change>& changes, std::size_t most);

/// How much of `total` each of several gets that want so much: nobody more than wanted, what one leaves goes to the
/// others in equal parts.
[[nodiscard]] std::vector<std::size_t> share_out(const std::vector<std::size_t>& wanted, std::size_t total);

}  // namespace weir::vp::report
