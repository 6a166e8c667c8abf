// SPDX-License-Identifier: Apache-2.0
#include "vp/study/ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/timeline/random_stream.h"

namespace weir::vp {
namespace {

study_value made_value(double number, const study_parameter& range) {
    study_value made{range.whole ? fmt::format("{}", std::llround(number)) : fmt::format("{:.12g}", number), true};
    add_unit(made, range.unit);
    return made;
}

}  // namespace

void add_unit(study_value& value, const std::string& unit) {
    if (unit.empty()) return;
    value.text += unit;
    value.number = false;
}

std::vector<study_value> stepped_values(const study_parameter& range, double step) {
    // 0 to 0.3 in steps of 0.1 has 0.3 in it.
    const auto last = static_cast<std::int64_t>(std::floor((range.to - range.from) / step + 1e-9));
    std::vector<study_value> values;
    for (std::int64_t i = 0; i <= last; ++i)
        values.push_back(made_value(range.from + static_cast<double>(i) * step, range));
    return values;
}

std::vector<study_value> logarithmic_values(const study_parameter& range, std::uint64_t points) {
    std::vector<study_value> values;
    for (std::uint64_t i = 0; i < points; ++i) {
        const double share = points == 1 ? 0 : static_cast<double>(i) / static_cast<double>(points - 1);
        study_value next = made_value(range.from * std::pow(range.to / range.from, share), range);
        if (values.empty() || values.back().text != next.text) values.push_back(std::move(next));
    }
    return values;
}

study_value value_at(const study_parameter& p, double share) {
    if (!p.values.empty()) {
        const auto place = static_cast<std::size_t>(share * static_cast<double>(p.values.size()));
        return p.values[std::min(place, p.values.size() - 1)];
    }
    // A whole number has as much of the way as every other.
    const double width = p.whole ? 1 : 0;
    const double number =
        p.logarithmic ? p.from * std::pow((p.to + width) / p.from, share) : p.from + (p.to + width - p.from) * share;
    return made_value(p.whole ? std::min(std::floor(number), p.to) : number, p);
}

std::vector<double> stratified_shares(std::uint64_t points, std::uint64_t seed, const std::string& name) {
    random_stream random(seed, "latin_hypercube." + name);
    std::vector<std::uint64_t> places(points);
    for (std::uint64_t i = 0; i < points; ++i) places[i] = i;
    for (std::uint64_t i = points; i > 1; --i) {
        // Of 2^32 equally likely numbers at most one in 2^32 / i favours a place: far below what a study sees.
        std::swap(places[i - 1], places[random.next() % i]);
    }
    std::vector<double> shares;
    for (const std::uint64_t place : places)
        shares.push_back((static_cast<double>(place) + random.uniform()) / static_cast<double>(points));
    return shares;
}

}  // namespace weir::vp
