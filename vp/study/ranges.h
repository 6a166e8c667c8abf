// SPDX-License-Identifier: Apache-2.0
// The values of a range, and a Latin hypercube's draw from it.
#pragma once

#include <cstdint>
#include <vector>

#include "vp/study/study.h"

namespace weir::vp {

/// Puts a unit behind a value.
void add_unit(study_value& value, const std::string& unit);

/// from, from + step, … up to `to`. Real numbers are rounded to twelve digits.
[[nodiscard]] std::vector<study_value> stepped_values(const study_parameter& range, double step);

/// So many from `from` to `to` with equal quotients; of whole numbers the nearest, each once.
[[nodiscard]] std::vector<study_value> logarithmic_values(const study_parameter& range, std::uint64_t points);

/// What `share` (from 0 to below 1) of the way through a parameter's values or range is.
[[nodiscard]] study_value value_at(const study_parameter& parameter, double share);

/// So many shares, one in each of as many equal intervals, in an order that seed and name alone determine.
[[nodiscard]] std::vector<double> stratified_shares(std::uint64_t points, std::uint64_t seed, const std::string& name);

}  // namespace weir::vp
