// SPDX-License-Identifier: Apache-2.0
// signals.json and signals.csv.
#include "vp/report/signals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "platforms/config.h"
#include "vp/report/occupancy.h"
#include "vp/report/rows.h"
#include "vp/results/stored_json.h"

namespace weir::vp::report {
namespace {

using json = nlohmann::ordered_json;
using platforms::config_error;

constexpr int signals_schema_version = 1;
constexpr std::array limit_names{"xoff", "xon", "limit", "guaranteed", "headroom", "kmin", "kmax"};

signal read_signal(const json& from) {
    signal s;
    s.name = from.at("name").get<std::string>();
    s.kind = from.at("kind").get<std::string>();
    s.host = from.contains("host");
    s.device = s.host ? from.at("host").get<std::string>() : from.value("switch", "");
    s.port = from.value("port", 0U);
    s.index = from.value("index", 0U);
    s.unit = from.value("unit", "");
    for (const char* name : limit_names) {
        if (const auto found = from.find(name); found != from.end()) s.limits[name] = found->get<std::int64_t>();
    }
    return s;
}

recording read_names(const std::string& path) {
    const json from =
        read_stored_json(path, {"weir-signals", signals_schema_version, "list of signals", "a file that weir run left"},
                         "the file that belongs to signals.csv");
    recording made;
    try {
        made.begin = from.at("begin_ps").get<std::int64_t>();
        made.end = from.at("end_ps").get<std::int64_t>();
        made.drop_reasons = from.value("drop_reasons", std::vector<std::string>{});
        made.functions = from.value("functions", std::vector<std::string>{});
        for (const json& each : from.at("signals")) made.signals.push_back(read_signal(each));
    } catch (const json::exception& e) {
        throw config_error(path, "lacks what every list of signals has", reason_of(e));
    }
    return made;
}

recording read_signals(const std::string& folder) {
    recording made = read_names(folder + "/signals.json");
    number_rows rows(folder + "/signals.csv", {"time_ps", "signal", "value"});
    std::int64_t before = made.begin;
    while (const auto row = rows.next()) {
        const std::int64_t time = (*row)[0];
        const std::int64_t number = (*row)[1];
        if (time < before) {
            rows.complain(fmt::format("time {} comes after {}", time, before), "rows by rising time");
        }
        if (time > made.end) {
            rows.complain(fmt::format("time {} is after the end", time),
                          fmt::format("{} at most, as signals.json says", made.end));
        }
        if (number < 0 || static_cast<std::size_t>(number) >= made.signals.size()) {
            rows.complain(
                fmt::format("there is no signal {}", number),
                made.signals.empty() ? "signals.json names none" : fmt::format("0 to {}", made.signals.size() - 1));
        }
        before = time;
        made.signals[static_cast<std::size_t>(number)].changes.push_back({time, (*row)[2]});
    }
    return made;
}

}  // namespace

std::optional<recording> read_recording(const std::string& folder, const nlohmann::ordered_json& result) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (fs::exists(folder + "/signals.csv", ignored)) return read_signals(folder);
    if (fs::exists(folder + "/occupancy.csv", ignored)) return read_occupancy(folder, result);
    return std::nullopt;
}

}  // namespace weir::vp::report
