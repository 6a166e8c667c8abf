// SPDX-License-Identifier: Apache-2.0
// A recording as the page wants it: signals and pauses at the detail that fits, and their exact distributions.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "vp/report/signals.h"
#include "vp/report/steps.h"

namespace weir::vp::report {

/// Steps and pauses that all signals of a page may have together; they bound its size.
struct page_budget {
    std::size_t steps{160'000};
    std::size_t pauses{48'000};
    std::size_t signals{320};  ///< levels that are shown, the highest first
    std::size_t lanes{320};    ///< ports and priorities whose pauses are shown, the longest first
};

/// "begin", "end" (ps), "exact", "levels": [steps of guaranteed, service, headroom, queue, pool], "lanes": [pauses],
/// "drops" and "marks": [steps of their running sums], "left_out": what the budget did not admit.
[[nodiscard]] nlohmann::ordered_json timeline_json(const recording& from, const page_budget& budget);

/// "resolution" (ps); "t": times as differences, which are shorter; "v": the last values; "low" and "high" only when
/// some step has others.
[[nodiscard]] nlohmann::ordered_json steps_json(const detail& reduced);

}  // namespace weir::vp::report
