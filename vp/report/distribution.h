// SPDX-License-Identifier: Apache-2.0
// Distributions over all events of a run: how long a signal had which value, and how long pauses were. No samples.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "vp/report/pauses.h"
#include "vp/report/signals.h"

namespace weir::vp::report {

/// The quantiles that are told, as in completion.csv.
constexpr std::array<std::int64_t, 4> quantile_permille{500, 950, 990, 999};
constexpr std::array<std::string_view, 4> quantile_names{"p50", "p95", "p99", "p999"};

/// A value, and the share of the time for which the signal was at least that.
struct tail_point {
    std::int64_t value{0};
    double time{0};  ///< 0 to 1
};

struct time_distribution {
    double mean{0};                                                  ///< weighted by time
    std::array<std::int64_t, quantile_permille.size()> quantiles{};  ///< the least value not exceeded for such a share
    std::vector<tail_point> tail;  ///< by rising value; all values that occurred, or evenly chosen ones
};

/// The greatest value that was ever set, even for no time; 0 when nothing was.
[[nodiscard]] std::int64_t peak_of(const std::vector<change>& changes);

/// Of a signal from `begin` to `end`, which is later.
[[nodiscard]] time_distribution distribution_of(const std::vector<change>& changes, std::int64_t begin,
                                                std::int64_t end);

/// A length, and what is at least so long.
struct length_point {
    std::int64_t length{0};  ///< ps
    double pauses{0};        ///< share of all pauses
    double time{0};          ///< share of the time that all take together
};

struct length_distribution {
    std::uint64_t count{0};
    std::int64_t time{0};                                            ///< ps, together
    std::array<std::int64_t, quantile_permille.size()> quantiles{};  ///< nearest rank
    std::int64_t longest{0};
    std::vector<length_point> tail;  ///< by rising length
};

/// Of pauses that are not merged.
[[nodiscard]] length_distribution lengths_of(const std::vector<interval>& pauses);

}  // namespace weir::vp::report
