// SPDX-License-Identifier: Apache-2.0
// Named figures of a run: the numbers that studies collect, compare, and set bounds to.
//
//   "lossless_drops", "completion_p99", …      figures()
//   "flow[8].goodput"                          one flow's
//   "s0.pg.headroom_max[1][3]"                 any register of a chip: SWITCH.block.register[.field][i][j]
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/config.h"
#include "vp/results/result.h"

namespace weir::vp {

struct figure {
    std::string name;
    std::string unit;  ///< "us", "cells", "Gb/s"; empty: a share or a truth
    std::string meaning;
    /// Nothing when the run has no such figure: a completion time although no flow finished.
    std::function<std::optional<double>(const run_result&)> value;
    bool observed{false};  ///< it takes an observer, and a run without one has none
};

/// Those with a name of their own, in the order of the manual.
[[nodiscard]] const std::vector<figure>& figures();

/// The figure called that, a flow's or a register of one of the platform's switches among them; config_error at `where`
/// with the nearest name when there is none. The value of a flow or a register that is not there (its index is too
/// great) throws config_error too.
[[nodiscard]] figure find_figure(std::string_view name, const std::string& where,
                                 const platforms::platform_config& platform);

/// A table of figures(), in text.
[[nodiscard]] std::string figures_text();

}  // namespace weir::vp
