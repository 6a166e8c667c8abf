// SPDX-License-Identifier: Apache-2.0
// One run of a study, and the row that tells of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vp/engine.h"
#include "vp/study/points.h"

namespace weir::vp {

struct study_row {
    std::uint64_t run{0};
    std::string failed;                         ///< why the run gave no figures, in one line; empty: it did
    bool died{false};                           ///< its process was ended from outside: it is worth another try
    std::vector<std::optional<double>> values;  ///< by figure of the study; nothing: this run has no such figure

    /// Whether all constraints of the study hold.
    [[nodiscard]] bool holds(const study_points& points) const;
};

/// Does a run in this process and gives its row back; what goes wrong with the run is the row's reason. `more`:
/// "name=value" of one more parameter.
[[nodiscard]] study_row do_run(const engine& simulator, const study_points& points, std::uint64_t run,
                               const std::string& more = {});

/// A line of JSON without its end.
[[nodiscard]] std::string row_text(const study_row& row, const study_points& points);
/// Nothing when the line is no row of this study.
[[nodiscard]] std::optional<study_row> read_row(std::string_view line, const study_points& points);

/// The message on one line: "what; what would be right".
[[nodiscard]] std::string one_line(std::string message);

}  // namespace weir::vp
