// SPDX-License-Identifier: Apache-2.0
// What comes out of a study: for each point the mean and spread of every figure over the seeds, and what holds.
//
// The same rows give the same octets, in whatever order they came and on however many machines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vp/study/run.h"

namespace weir::vp {

/// Of one figure over the runs of a point that have it.
struct spread {
    std::optional<double> mean;
    std::optional<double> sd;   ///< of the sample; nothing with one value
    std::optional<double> low;  ///< the mean's 95 % confidence interval, by Student's t
    std::optional<double> high;
    std::optional<double> least;
    std::optional<double> most;
};

[[nodiscard]] spread spread_of(const std::vector<double>& values);

class study_table {
public:
    explicit study_table(const study_points& points);

    /// Takes a run's row; a later one of the same run replaces it.
    void add(study_row&& row);
    [[nodiscard]] std::uint64_t rows() const { return count_; }
    [[nodiscard]] bool complete() const { return count_ == rows_.size(); }
    /// The first run that has no row.
    [[nodiscard]] std::uint64_t first_missing() const;
    [[nodiscard]] std::uint64_t failed() const;

    /// A line a point.
    [[nodiscard]] std::string csv() const;
    /// The same and what the names mean (docs/sizing.md).
    [[nodiscard]] std::string json() const;
    /// How many runs, which failed why, at how many points the constraints hold.
    [[nodiscard]] std::string summary() const;
    /// Every row as the file has it, in the order of the runs.
    [[nodiscard]] const std::vector<std::optional<study_row>>& all() const { return rows_; }

private:
    struct point_result {
        std::uint64_t runs{0};
        std::vector<std::string> reasons;  ///< of the runs that failed
        std::vector<spread> figures;
        bool holds{true};
    };
    [[nodiscard]] point_result result_of(std::uint64_t point) const;

    const study_points& points_;
    std::vector<std::optional<study_row>> rows_;
    std::uint64_t count_{0};
};

}  // namespace weir::vp
