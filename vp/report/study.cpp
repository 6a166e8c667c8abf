// SPDX-License-Identifier: Apache-2.0
#include "vp/report/study.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "platforms/config.h"
#include "vp/results/stored_json.h"

namespace weir::vp::report {
namespace {

using json = nlohmann::ordered_json;
using platforms::config_error;

constexpr int study_schema_version = 1;
/// More than anybody can point at, and a page of some megabytes.
constexpr std::size_t most_points = 20'000;

std::set<std::string> names_in(const json& list) {
    std::set<std::string> names;
    for (const json& each : list) names.insert(each.at("name").get<std::string>());
    return names;
}

void check(const json& table, const std::string& path) {
    (void)table.at("study").get<std::string>();
    const auto parameters = names_in(table.at("parameters"));
    const auto figures = names_in(table.at("figures"));
    for (const json& each : table.at("constraints")) {
        const auto figure = each.at("figure").get<std::string>();
        if (figures.count(figure) == 0) {
            throw config_error(path, fmt::format("a constraint is on {}, which is no figure", figure),
                               "a figure of the same table");
        }
    }
    if (table.at("points").size() > most_points) {
        throw config_error(path,
                           fmt::format("has {} points, and a page shows {}", table.at("points").size(), most_points),
                           "table.csv beside it has all, for a program of statistics; or a study of a part of them");
    }
    std::size_t number = 0;
    for (const json& point : table.at("points")) {
        for (const std::string& name : parameters) {
            if (!point.at("parameters").contains(name)) {
                throw config_error(path, fmt::format("point {} has no value for {}", number, name),
                                   "one of each parameter");
            }
        }
        if (!point.at("figures").is_object())
            throw config_error(path, fmt::format("point {} has no table of figures", number), "one of each figure");
        ++number;
    }
}

/// Of each figure what the page shows, with as many digits as it shows and some more: tables are long.
void shorten(json& table) {
    for (json& point : table.at("points")) {
        for (auto& [name, figure] : point.at("figures").items()) {
            json shown = json::object();
            for (const char* part : {"mean", "low", "high"}) {
                const auto found = figure.find(part);
                if (found == figure.end()) continue;
                shown[part] =
                    found->is_number_float() ? json::parse(fmt::format("{:.7g}", found->get<double>())) : *found;
            }
            figure = std::move(shown);
        }
    }
}

}  // namespace

json study_data(const std::string& folder) {
    const std::string path = folder + "/table.json";
    const std::string origin = "a folder that weir sweep --out left";
    json table = read_stored_json(path, {"weir-study", study_schema_version, "table of a study", origin}, origin);
    try {
        check(table, path);
        shorten(table);
    } catch (const json::exception& e) {
        throw config_error(path, "lacks what every table has", reason_of(e));
    }
    return table;
}

}  // namespace weir::vp::report
