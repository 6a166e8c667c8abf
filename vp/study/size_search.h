// SPDX-License-Identifier: Apache-2.0
// The search behind `weir size`: for which values of what is looked for do the constraints hold at every point, with
// every seed, and which run speaks against the others?
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vp/study/bisection.h"
#include "vp/study/run.h"
#include "vp/study/worker_pool.h"

namespace weir::vp {

/// Points that get one answer together.
struct size_group {
    std::vector<std::string> names;  ///< values of size_question::each
    std::vector<std::uint64_t> points;
};

/// In the order of their first points.
[[nodiscard]] std::vector<size_group> size_groups(const study_points& points);

/// What the group's Headroom has to be by theory: see docs/sizing.md.
struct headroom_theory {
    std::string name;
    std::uint64_t cells{0};
};

struct size_answer {
    search_result found;
    /// By value that does not hold: the first run, point by point and seed by seed, that says so.
    std::map<std::int64_t, study_row> against;
    std::vector<headroom_theory> theory;  ///< the exact form first; empty when no Headroom is looked for
};

class size_search {
public:
    size_search(const engine& simulator, const study_points& points, worker_pool& pool)
        : simulator_(simulator), points_(points), pool_(pool) {}

    /// Throws interrupted, config_error.
    [[nodiscard]] size_answer answer(const size_group& group);

private:
    std::vector<bool> try_values(const size_group& group, const std::vector<std::int64_t>& values, size_answer& into);
    [[nodiscard]] std::vector<headroom_theory> theory_of(const size_group& group) const;

    const engine& simulator_;
    const study_points& points_;
    worker_pool& pool_;
};

/// "lossless_drops 3 is not at_most 0", or why the run failed.
[[nodiscard]] std::string complaint_of(const study_row& row, const study_points& points);

}  // namespace weir::vp
