// SPDX-License-Identifier: Apache-2.0
// The smallest (or greatest) value of a grid for which something holds, if what holds once holds from there on.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace weir::vp {

struct search_range {
    std::int64_t from{0};
    std::int64_t to{0};  ///< on the grid
    std::int64_t step{1};
    bool smallest{true};
    std::int64_t confirm{16};  ///< so many values, evenly spread, are tried on either side of the edge
};

struct search_result {
    std::optional<std::int64_t> answer;  ///< nothing: no value that was tried holds, or there is no monotone answer
    bool monotone{true};                 ///< as far as it was tried
    std::map<std::int64_t, bool> tried;  ///< values, and whether they hold
};

/// Which of some values hold: asked together, so that they can be tried at the same time.
using holds_question = std::function<std::vector<bool>(const std::vector<std::int64_t>&)>;

/// Begins at `start` when there is one, since a good guess needs two tries. The two values next to the answer on either
/// side are tried, and those that confirm it; where one contradicts, an even scan of the range is tried as well.
[[nodiscard]] search_result find_edge(const search_range& range, std::optional<std::int64_t> start,
                                      const holds_question& holds);

}  // namespace weir::vp
