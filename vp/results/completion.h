// SPDX-License-Identifier: Apache-2.0
// Completion times and slowdowns of flows, by their length: the figure that most studies of data-centre networks show.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/timeline/time.h"

namespace weir::vp {

struct flow_result;

/// The percentiles that are told: nearest rank, so each is a value that occurred.
constexpr std::array<std::uint32_t, 5> told_permille{500, 950, 990, 999, 1000};
constexpr std::array<std::string_view, 5> told_names{"p50", "p95", "p99", "p999", "max"};

/// Flows of a range of lengths.
struct completion_bin {
    std::uint64_t least{0};  ///< octets; from a power of ten to the octet before the next
    std::uint64_t most{0};
    std::uint64_t flows{0};
    std::uint64_t finished{0};
    std::array<picoseconds, told_permille.size()> time{};  ///< from start to finish, of those that finished
    std::array<double, told_permille.size()> slowdown{};   ///< the same over the ideal time; 0: none has one
};

/// A bin for each power of ten that occurs, in their order, and behind them one of all when there are several.
[[nodiscard]] std::vector<completion_bin> completion_bins(const std::vector<flow_result>& flows);

/// completion.csv: a row a bin.
[[nodiscard]] std::string completion_csv(const std::vector<flow_result>& flows);

/// The summary's table; empty when no flow finished.
[[nodiscard]] std::string completion_text(const std::vector<flow_result>& flows);

}  // namespace weir::vp
