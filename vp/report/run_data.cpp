// SPDX-License-Identifier: Apache-2.0
#include "vp/report/run_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "platforms/config.h"
#include "vp/report/configuration.h"
#include "vp/report/occupancy.h"
#include "vp/report/rows.h"
#include "vp/report/steps.h"
#include "vp/results/stored_json.h"
#include "vp/results/stored_result.h"

namespace weir::vp::report {
namespace {

using json = nlohmann::ordered_json;
using platforms::config_error;

constexpr std::size_t most_rows = 100;           // of a table; the CSV files have all
constexpr std::size_t most_spread_steps = 2000;  // of a curve of spread.csv

json first_rows(const json& list) {
    json out = json::array();
    for (std::size_t i = 0; i < std::min(list.size(), most_rows); ++i) out.push_back(list[i]);
    return out;
}

json flows_json(const json& flows) {
    std::uint64_t finished = 0;
    std::uint64_t lost = 0;
    std::uint64_t marked = 0;
    std::uint64_t again = 0;
    std::vector<std::pair<double, std::size_t>> slowest;
    for (std::size_t i = 0; i < flows.size(); ++i) {
        const json& f = flows[i];
        if (!f.at("finish_ps").is_null()) ++finished;
        lost += f.at("lost_frames").get<std::uint64_t>();
        marked += f.at("marked_frames").get<std::uint64_t>();
        again += f.at("retransmitted_frames").get<std::uint64_t>();
        if (!f.at("slowdown").is_null()) slowest.emplace_back(f.at("slowdown").get<double>(), i);
    }
    std::stable_sort(slowest.begin(), slowest.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    json out{{"count", flows.size()},   {"finished", finished},          {"lost_frames", lost},
             {"marked_frames", marked}, {"retransmitted_frames", again}, {"slowest", json::array()}};
    for (std::size_t i = 0; i < std::min<std::size_t>(slowest.size(), 20); ++i) {
        json row = flows[slowest[i].second];
        row["flow"] = slowest[i].second;
        out["slowest"].push_back(std::move(row));
    }
    return out;
}

/// Groups that held cells in Service or Headroom, or lost frames: what the registers say of their peaks and limits.
json groups_json(const json& switches) {
    json out = json::array();
    for (const json& chip : switches) {
        for (std::size_t port = 0; port < chip.at("ports").size(); ++port) {
            const json& registers = chip.at("ports")[port];
            const json& pg = registers.at("pg");
            for (std::uint32_t g = 0; g < pg.at("mode").size(); ++g) {
                const auto value = [&](const char* name) { return pg.at(name).at(g).get<std::int64_t>(); };
                if (value("service_max") == 0 && value("headroom_max") == 0 && value("drop_frames") == 0) continue;
                out.push_back({{"device", chip.at("name")},
                               {"port", port},
                               {"group", g},
                               {"lossless", pg.at("mode").at(g).at("lossless") != 0},
                               {"service", value("service_max")},
                               {"headroom", value("headroom_max")},
                               {"drops", value("drop_frames")},
                               {"limits", group_limits(registers, g)}});
            }
        }
    }
    std::stable_sort(out.begin(), out.end(), [](const json& a, const json& b) {
        const auto rank = [](const json& g) {
            return std::tuple(g["drops"].get<std::int64_t>(), g["headroom"].get<std::int64_t>(),
                              g["service"].get<std::int64_t>());
        };
        return rank(a) > rank(b);
    });
    return out;
}

/// What the ports of switches asked for and obeyed, by priority, as their registers say.
json pauses_json(const json& switches) {
    json out = json::array();
    for (const json& chip : switches) {
        for (std::size_t port = 0; port < chip.at("ports").size(); ++port) {
            const json& pfc = chip.at("ports")[port].at("pfc");
            for (std::uint32_t p = 0; p < pfc.at("tx_transitions").size(); ++p) {
                const auto value = [&](const char* name) { return pfc.at(name).at(p).get<std::int64_t>(); };
                // Transitions are counted when a pause ends; one that stands comes on top.
                const auto stands = [&](const json& priorities) { return priorities.get<std::int64_t>() >> p & 1; };
                const std::int64_t sent = value("tx_transitions") + stands(pfc.at("tx_paused"));
                const std::int64_t obeyed = value("rx_transitions") + stands(pfc.at("rx_paused").at("priorities"));
                if (sent == 0 && obeyed == 0) continue;
                out.push_back({{"device", chip.at("name")},
                               {"port", port},
                               {"priority", p},
                               {"sent", sent},
                               {"asked_ns", value("tx_paused_ns")},
                               {"obeyed", obeyed},
                               {"stopped_ns", value("rx_paused_ns")}});
            }
        }
    }
    std::stable_sort(out.begin(), out.end(), [](const json& a, const json& b) {
        return a["asked_ns"].get<std::int64_t>() > b["asked_ns"].get<std::int64_t>();
    });
    return out;
}

json hosts_json(const json& hosts) {
    json out = json::array();
    for (const json& h : hosts) {
        if (h.at("data_frames") == 0 && h.at("tx_frames") == 0) continue;
        json row;
        for (const char* key : {"name", "rate", "data_frames", "data_octets", "utilisation", "rx_marked", "overruns",
                                "pfc_received", "paused_ps"}) {
            row[key] = h.at(key);
        }
        out.push_back(std::move(row));
    }
    std::stable_sort(out.begin(), out.end(), [](const json& a, const json& b) {
        return a["data_octets"].get<std::uint64_t>() > b["data_octets"].get<std::uint64_t>();
    });
    return out;
}

/// spread.csv: how far pauses reached at once, over time. Empty when the file is not there.
json spread_json(const std::string& folder) {
    const std::string path = folder + "/spread.csv";
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return json::object();
    number_rows rows(path, {"time_ps", "stopped_links", "stopped_hosts", "causes"});
    const std::vector<std::string> names{"links", "hosts", "causes"};
    std::vector<std::vector<change>> changes(names.size());
    while (const auto* row = rows.next()) {
        for (std::size_t i = 0; i < names.size(); ++i) changes[i].push_back({(*row)[0], (*row)[i + 1]});
    }
    json out = json::object();
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (changes[i].empty()) continue;
        out[names[i]] = steps_json(reduce(changes[i], most_spread_steps));
    }
    return out;
}

json observation_json(const std::string& folder, const json& result) {
    const json& from = result.at("observation");
    json out;
    for (const char* key : {"circles", "causes", "victims"}) {
        out[key] = first_rows(from.at(key));
        out[std::string{key} + "_in_all"] = from.at(key).size();
    }
    out["victims_of_others"] =
        std::count_if(from.at("victims").begin(), from.at("victims").end(),
                      [](const json& each) { return each.at("lost_to_others_ps").get<std::int64_t>() > 0; });
    out["headroom"] = from.at("headroom");
    std::stable_sort(out["headroom"].begin(), out["headroom"].end(), [](const json& a, const json& b) {
        return a["used"].get<std::int64_t>() > b["used"].get<std::int64_t>();
    });
    out["headroom"] = first_rows(out["headroom"]);
    out["spread"] = spread_json(folder);
    return out;
}

}  // namespace

json run_data(const std::string& folder, const std::string& name, const page_budget& budget) {
    const json result = read_stored_result(folder);
    json out{{"name", name}};
    try {
        for (const char* key : {"weir", "digest", "verdict", "run", "driver", "losses", "completion"}) {
            out[key] = result.at(key);
        }
        const json& configuration = result.at("configuration");
        out["platform"] = configuration.at("platform").value("name", "");
        out["losses"] = first_rows(out["losses"]);
        out["flows"] = flows_json(result.at("flows"));
        out["groups"] = first_rows(groups_json(result.at("switches")));
        out["pauses"] = first_rows(pauses_json(result.at("switches")));
        out["hosts"] = first_rows(hosts_json(result.at("hosts")));
        if (result.contains("observation")) out["observation"] = observation_json(folder, result);
        out["configuration"] = configuration_rows(configuration);
        if (const auto recorded = read_recording(folder, result)) out["timeline"] = timeline_json(*recorded, budget);
    } catch (const json::exception& e) {
        throw config_error(folder + "/result.json", "lacks what every result has", reason_of(e));
    }
    return out;
}

}  // namespace weir::vp::report
