// SPDX-License-Identifier: Apache-2.0
#include "vp/report/occupancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <tuple>

#include "vp/report/rows.h"

namespace weir::vp::report {
namespace {

using json = nlohmann::ordered_json;

constexpr std::int64_t all_ones = 0xffffff;  // of a register of cells: no limit

struct group_place {
    std::int64_t chip;
    std::int64_t port;
    std::int64_t group;
    bool operator<(const group_place& other) const {
        return std::tie(chip, port, group) < std::tie(other.chip, other.port, other.group);
    }
};

/// A column of occupancy.csv and what becomes of it.
struct column {
    std::size_t number;
    const char* kind;
    const char* unit;
    std::array<const char*, 4> limits;  ///< that concern it
};
constexpr std::array columns{
    column{4, "guaranteed", "cells", {"guaranteed"}},
    column{5, "service", "cells", {"xoff", "xon", "limit"}},
    column{6, "headroom", "cells", {"headroom"}},
    column{7, "asked", "", {}},
};

std::vector<signal> signals_of(const group_place& at, const json& result) {
    const json& chip = result.at("switches").at(static_cast<std::size_t>(at.chip));
    const json& port = chip.at("ports").at(static_cast<std::size_t>(at.port));
    const auto all = group_limits(port, static_cast<std::uint32_t>(at.group));
    std::vector<signal> made;
    for (const column& each : columns) {
        signal s;
        s.device = chip.at("name").get<std::string>();
        s.kind = each.kind;
        s.name = fmt::format("{}.{}.pg{}.{}", s.device, at.port, at.group, s.kind);
        s.port = static_cast<std::uint32_t>(at.port);
        s.index = static_cast<std::uint32_t>(at.group);
        s.unit = each.unit;
        for (const char* name : each.limits) {
            if (name != nullptr && all.count(name) != 0) s.limits[name] = all.at(name);
        }
        made.push_back(std::move(s));
    }
    return made;
}

}  // namespace

std::map<std::string, std::int64_t> group_limits(const json& port, std::uint32_t group) {
    const json& pg = port.at("pg");
    const auto value = [&](const char* name) { return pg.at(name).at(group).get<std::int64_t>(); };
    std::map<std::string, std::int64_t> made;
    made["guaranteed"] = value("guaranteed");
    if (value("limit") < all_ones) made["limit"] = value("limit");
    const json& mode = pg.at("mode").at(group);
    if (mode.at("lossless") == 0) return made;
    made["headroom"] = value("headroom");
    // With alpha the watermarks follow the pool: no line stands for them.
    if (mode.at("dynamic") == 0 && value("xoff") < all_ones) {
        made["xoff"] = value("xoff");
        made["xon"] = std::max(value("xoff") - value("xon_offset"), value("xon_floor"));
        if (mode.at("xon_absolute") != 0) made["xon"] = value("xon_offset");
    }
    return made;
}

recording read_occupancy(const std::string& folder, const json& result) {
    number_rows rows(folder + "/occupancy.csv", {"time_ps", "switch", "port", "group", "guaranteed_cells",
                                                 "service_cells", "headroom_cells", "paused"});
    recording made;
    made.exact = false;
    made.end =
        result.at("run").at("end_ps").get<std::int64_t>() - result.at("run").at("traffic_at_ps").get<std::int64_t>();
    std::map<group_place, std::vector<signal>> groups;
    std::int64_t before = 0;
    while (const auto* row = rows.next()) {
        const std::int64_t time = (*row)[0];
        if (time < before) rows.complain(fmt::format("time {} comes after {}", time, before), "rows by rising time");
        before = time;
        const group_place at{(*row)[1], (*row)[2], (*row)[3]};
        auto found = groups.find(at);
        if (found == groups.end()) {
            try {
                found = groups.emplace(at, signals_of(at, result)).first;
            } catch (const json::exception&) {
                rows.complain(
                    fmt::format("there is no switch {} with a port {} and a group {}", at.chip, at.port, at.group),
                    "a group of result.json");
            }
        }
        for (std::size_t i = 0; i < columns.size(); ++i) {
            auto& changes = found->second[i].changes;
            const std::int64_t value = (*row)[columns[i].number];
            if (value != (changes.empty() ? 0 : changes.back().value)) changes.push_back({time, value});
        }
    }
    made.end = std::max(made.end, before);
    for (auto& [at, four] : groups) std::move(four.begin(), four.end(), std::back_inserter(made.signals));
    return made;
}

}  // namespace weir::vp::report
