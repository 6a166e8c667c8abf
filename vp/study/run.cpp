// SPDX-License-Identifier: Apache-2.0
#include "vp/study/run.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>

namespace weir::vp {

using json = nlohmann::ordered_json;

std::string one_line(std::string message) {
    while (!message.empty() && message.back() == '\n') message.pop_back();
    for (std::size_t at = message.find('\n'); at != std::string::npos; at = message.find('\n', at)) {
        const std::size_t text = message.find_first_not_of(" \n", at);
        message.replace(at, (text == std::string::npos ? message.size() : text) - at, "; ");
    }
    return message;
}

bool study_row::holds(const study_points& points) const {
    if (!failed.empty()) return false;
    for (const study_constraint& each : points.of().constraints) {
        for (std::size_t i = 0; i < points.figures().size(); ++i) {
            if (points.figures()[i].name == each.figure && !each.holds(values.at(i))) return false;
        }
    }
    return true;
}

study_row do_run(const engine& simulator, const study_points& points, std::uint64_t run, const std::string& more) {
    study_row row;
    row.run = run;
    const std::uint64_t seeds = points.of().seeds.size();
    try {
        run_request request;
        request.seed = points.seed(run / seeds, run % seeds);
        request.until = points.of().until;
        request.traffic_at = points.of().traffic_at;
        request.console = "none";
        request.observe = std::any_of(points.figures().begin(), points.figures().end(),
                                      [](const figure& each) { return each.observed; });
        const platforms::platform_config platform = points.load(run / seeds, more);
        const auto take_values = [&](const run_result& result) {
            for (const figure& each : points.figures()) row.values.push_back(each.value(result));
        };
        if (points.of().against) {
            const auto told = run_adversary(simulator, platform, points.against(run / seeds, platform), request,
                                            [&](const run_result& result) {
                                                take_values(result);
                                                return row_text(row, points);
                                            });
            if (told.failed.empty()) return *read_row(told.told, points);
            row.failed = told.failed;
            return row;
        }
        take_values(simulator.run(platform, request, {}));
    } catch (const std::bad_alloc&) {
        row.failed = "out of memory: fewer --jobs leave more for each, --memory bounds them";
    } catch (const std::exception& e) {
        row.failed = one_line(e.what());
    }
    return row;
}

std::string row_text(const study_row& row, const study_points& points) {
    const std::uint64_t seeds = points.of().seeds.size();
    const std::uint64_t point = row.run / seeds;
    json out{{"run", row.run}, {"parameters", json::object()}, {"seed", points.seed(point, row.run % seeds)}};
    const auto values = points.values(point);
    for (std::size_t i = 0; i < values.size(); ++i) {
        out["parameters"][points.of().parameters[i].name()] =
            values[i].number ? json::parse(values[i].text) : json(values[i].text);
    }
    if (!row.failed.empty()) {
        out["failed"] = row.failed;
        if (row.died) out["died"] = true;
        return out.dump(-1, ' ', false, json::error_handler_t::replace);
    }
    out["figures"] = json::object();
    for (std::size_t i = 0; i < row.values.size(); ++i) {
        const auto& value = row.values[i];
        out["figures"][points.figures()[i].name] = value && std::isfinite(*value) ? json(*value) : json(nullptr);
    }
    return out.dump();
}

std::optional<study_row> read_row(std::string_view line, const study_points& points) {
    const json in = json::parse(line, nullptr, false);
    if (!in.is_object() || !in.contains("run") || !in["run"].is_number_unsigned()) return std::nullopt;
    study_row row;
    row.run = in["run"].get<std::uint64_t>();
    if (row.run >= points.runs()) return std::nullopt;
    if (in.contains("failed")) {
        if (!in["failed"].is_string()) return std::nullopt;
        row.failed = in["failed"].get<std::string>();
        row.died = in.contains("died");
        return row;
    }
    if (!in.contains("figures")) return std::nullopt;
    const json& figures = in["figures"];
    for (const figure& each : points.figures()) {
        if (!figures.is_object() || !figures.contains(each.name)) return std::nullopt;
        const json& value = figures[each.name];
        if (!value.is_null() && !value.is_number()) return std::nullopt;
        row.values.push_back(value.is_null() ? std::nullopt : std::optional<double>(value.get<double>()));
    }
    return row;
}

}  // namespace weir::vp
