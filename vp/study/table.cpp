// SPDX-License-Identifier: Apache-2.0
#include "vp/study/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace weir::vp {
namespace {

using ordered_json = nlohmann::ordered_json;

ordered_json value_json(const study_value& value) {
    return value.number ? ordered_json::parse(value.text) : ordered_json(value.text);
}

ordered_json number_json(const std::optional<double>& number) {
    return number ? ordered_json(*number) : ordered_json(nullptr);
}

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string{"\"\""} : std::string{c};
    return quoted + "\"";
}

std::string csv_number(const std::optional<double>& number) {
    return number ? fmt::format(",{}", *number) : std::string{","};
}

}  // namespace

spread spread_of(const std::vector<double>& values) {
    spread s;
    if (values.empty()) return s;
    const auto n = static_cast<double>(values.size());
    double sum = 0;
    for (const double v : values) sum += v;
    s.least = *std::min_element(values.begin(), values.end());
    s.most = *std::max_element(values.begin(), values.end());
    // Equal values have no spread, whatever a sum of them rounds to.
    s.mean = *s.least == *s.most ? *s.least : sum / n;
    if (values.size() < 2) return s;
    double squares = 0;
    for (const double v : values) squares += (v - *s.mean) * (v - *s.mean);
    s.sd = std::sqrt(squares / (n - 1));
    const boost::math::students_t distribution(n - 1);
    const double half = boost::math::quantile(distribution, 0.975) * *s.sd / std::sqrt(n);
    s.low = *s.mean - half;
    s.high = *s.mean + half;
    return s;
}

study_table::study_table(const study_points& points) : points_(points), rows_(points.runs()) {}

void study_table::add(study_row&& row) {
    auto& place = rows_.at(row.run);
    if (!place) ++count_;
    // Of two machines' rows of the same run the one that came to an end counts.
    if (!place || place->died || !row.died) place = std::move(row);
}

std::uint64_t study_table::first_missing() const {
    const auto missing = std::find(rows_.begin(), rows_.end(), std::nullopt);
    return static_cast<std::uint64_t>(missing - rows_.begin());
}

std::uint64_t study_table::failed() const {
    return static_cast<std::uint64_t>(
        std::count_if(rows_.begin(), rows_.end(), [](const auto& row) { return row && !row->failed.empty(); }));
}

study_table::point_result study_table::result_of(std::uint64_t point) const {
    point_result result;
    const std::uint64_t seeds = points_.of().seeds.size();
    std::vector<std::vector<double>> values(points_.figures().size());
    for (std::uint64_t run = point * seeds; run < (point + 1) * seeds; ++run) {
        const auto& row = rows_[run];
        if (!row) continue;
        ++result.runs;
        result.holds = result.holds && row->holds(points_);
        if (!row->failed.empty()) result.reasons.push_back(row->failed);
        for (std::size_t i = 0; i < row->values.size(); ++i) {
            if (row->values[i]) values[i].push_back(*row->values[i]);
        }
    }
    for (const auto& each : values) result.figures.push_back(spread_of(each));
    return result;
}

std::string study_table::csv() const {
    std::string text;
    for (const auto& p : points_.of().parameters) text += csv_field(p.name()) + ",";
    text += "runs,failed";
    for (const auto& f : points_.figures()) {
        for (const char* what : {"mean", "sd", "low", "high", "min", "max"})
            text += "," + csv_field(fmt::format("{}_{}", f.name, what));
    }
    text += ",holds,reason\n";
    for (std::uint64_t point = 0; point < points_.points(); ++point) {
        const point_result r = result_of(point);
        for (const auto& value : points_.values(point)) text += csv_field(value.text) + ",";
        text += fmt::format("{},{}", r.runs, r.reasons.size());
        for (const spread& s : r.figures) {
            for (const auto& number : {s.mean, s.sd, s.low, s.high, s.least, s.most}) text += csv_number(number);
        }
        text += fmt::format(",{},{}\n", r.holds ? 1 : 0, r.reasons.empty() ? "" : csv_field(r.reasons.front()));
    }
    return text;
}

std::string study_table::json() const {
    const study& of = points_.of();
    ordered_json out{
        {"schema", "weir-study"}, {"schema_version", 1}, {"study", of.name}, {"platform", points_.platform_name()}};
    out["parameters"] = ordered_json::array();
    for (std::size_t i = 0; i < of.parameters.size(); ++i) {
        ordered_json values = ordered_json::array();
        for (const auto& value : points_.all_values(i)) values.push_back(value_json(value));
        out["parameters"].push_back({{"name", of.parameters[i].name()}, {"values", std::move(values)}});
    }
    out["figures"] = ordered_json::array();
    for (const figure& f : points_.figures())
        out["figures"].push_back({{"name", f.name}, {"unit", f.unit}, {"meaning", f.meaning}});
    out["constraints"] = ordered_json::array();
    for (const study_constraint& c : of.constraints) {
        out["constraints"].push_back(
            {{"figure", c.figure}, {"relation", std::string{relation_name(c.relation)}}, {"bound", c.bound}});
    }
    out["points"] = ordered_json::array();
    for (std::uint64_t point = 0; point < points_.points(); ++point) {
        const point_result r = result_of(point);
        ordered_json line{{"parameters", ordered_json::object()}, {"runs", r.runs}, {"failed", r.reasons.size()}};
        const auto values = points_.values(point);
        for (std::size_t i = 0; i < values.size(); ++i)
            line["parameters"][of.parameters[i].name()] = value_json(values[i]);
        line["reasons"] = r.reasons;
        line["figures"] = ordered_json::object();
        for (std::size_t i = 0; i < r.figures.size(); ++i) {
            const spread& s = r.figures[i];
            line["figures"][points_.figures()[i].name] = {{"mean", number_json(s.mean)}, {"sd", number_json(s.sd)},
                                                          {"low", number_json(s.low)},   {"high", number_json(s.high)},
                                                          {"min", number_json(s.least)}, {"max", number_json(s.most)}};
        }
        line["holds"] = r.holds;
        out["points"].push_back(std::move(line));
    }
    return out.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string study_table::summary() const {
    std::uint64_t holding = 0;
    std::map<std::string, std::uint64_t> reasons;
    for (std::uint64_t point = 0; point < points_.points(); ++point) {
        const point_result r = result_of(point);
        holding += r.holds ? 1 : 0;
        for (const auto& reason : r.reasons) ++reasons[reason];
    }
    std::string text = fmt::format("{}: {} runs of {} point{}, {} failed\n", points_.of().name, rows_.size(),
                                   points_.points(), points_.points() == 1 ? "" : "s", failed());
    constexpr std::size_t most_told = 5;
    std::size_t told = 0;
    for (const auto& [reason, count] : reasons) {
        if (++told > most_told) {
            text += fmt::format("  … and {} other reasons\n", reasons.size() - most_told);
            break;
        }
        text += fmt::format("  {} × {}\n", count, reason);
    }
    if (!points_.of().constraints.empty())
        text += fmt::format("  constraints hold at {} of {} points\n", holding, points_.points());
    return text;
}

}  // namespace weir::vp
