// SPDX-License-Identifier: Apache-2.0
// The table of keys for people: explanations, the manual's table, and the echo of a configuration.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "platforms/keys.h"
#include "platforms/text.h"
#include "platforms/values.h"

namespace weir::platforms {
namespace {

template <typename Section>
void append(std::vector<explained_key>& all) {
    const Section defaults{};
    for (const auto& bound : keys_of<Section>()) {
        // Where the default depends on the rest of the platform, the key's meaning says so.
        const bool derived = bound.key.doc.find("Default: ") != std::string_view::npos;
        all.push_back({bound.key, derived ? std::string{} : value_text(defaults, bound)});
    }
}

/// "switch.s0.ports.0.rate" and "switch.s0.ports[2].rate" are "switch.*.ports[].rate".
bool fits(std::string_view pattern, std::string_view given) {
    const auto wanted = split(pattern, '.');
    std::vector<std::string_view> got;
    for (const auto part : split(given, '.')) {
        if (!got.empty() && (got.back() == "ports" || got.back() == "failure" || got.back() == "replay") &&
            parse_number(part))
            continue;
        got.push_back(part.substr(0, part.find('[')));
    }
    if (wanted.size() != got.size()) return false;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] != "*" && wanted[i].substr(0, wanted[i].find('[')) != got[i]) return false;
    }
    return true;
}

std::string explained(const explained_key& entry) {
    const key_descriptor& key = entry.key;
    std::string text = fmt::format("{}\n  {}\n  value:   {}\n", key.path, key.doc, kind_text(key));
    if (const auto range = range_text(key); !range.empty()) text += fmt::format("  range:   {}\n", range);
    if (!entry.fallback.empty()) text += fmt::format("  default: {}\n", entry.fallback);
    return text;
}

template <typename Section>
nlohmann::ordered_json section_json(const Section& section) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const auto& bound : keys_of<Section>()) json[std::string{bound.key.name()}] = value_json(section, bound);
    return json;
}

}  // namespace

const std::vector<explained_key>& all_keys() {
    static const std::vector<explained_key> all = [] {
        std::vector<explained_key> made;
        append<platform_config>(made);
        append<topology_config>(made);
        append<routes_config>(made);
        append<failure_config>(made);
        append<switch_config>(made);
        append<port_config>(made);
        append<host_config>(made);
        append<register_config>(made);
        append<cpu_config>(made);
        append<workload_config>(made);
        append<replay_config>(made);
        return made;
    }();
    return all;
}

std::string explain(std::string_view key) {
    std::string text;
    std::vector<std::string> names;
    // [hosts] gives every host what [host.NAME] gives one, [switches] every switch what [switch.NAME] does.
    std::string wanted{key};
    if (wanted.rfind("switches.", 0) == 0) wanted = "switch.*." + wanted.substr(9);
    if (wanted.rfind("hosts.", 0) == 0) wanted = "host.*." + wanted.substr(6);
    for (const auto& entry : all_keys()) {
        if (entry.key.path == wanted || fits(entry.key.path, wanted) || entry.key.name() == wanted) {
            text += (text.empty() ? "" : "\n") + explained(entry);
        }
        names.emplace_back(entry.key.path);
        names.emplace_back(entry.key.name());
    }
    if (!text.empty()) return text;
    const auto near = nearest_name(wanted, names);
    throw config_error(fmt::format("explain {}", key), "there is no such key",
                       near ? fmt::format("did you mean {}?", *near) : "weir explain lists all keys");
}

std::string keys_markdown() {
    std::string text = "| key | value | range | default | meaning |\n|---|---|---|---|---|\n";
    for (const auto& entry : all_keys()) {
        text += fmt::format("| `{}` | {} | {} | {} | {} |\n", entry.key.path, kind_text(entry.key),
                            range_text(entry.key), entry.fallback, entry.key.doc);
    }
    return text;
}

nlohmann::ordered_json to_json(const platform_config& platform) {
    nlohmann::ordered_json json;
    json["platform"] = section_json(platform);
    json["program"] = platform.program_values;
    json["topology"] = section_json(platform.topology);
    json["routes"] = section_json(platform.routes);
    for (const auto& failure : platform.failures) json["failure"].push_back(section_json(failure));
    json["registers"] = section_json(platform.registers);
    json["cpu"] = section_json(platform.cpu);
    for (const auto& each : platform.switches) {
        auto& entry = json["switch"][each.name];
        entry = section_json(each);
        for (const auto& port : each.ports) {
            auto port_json = section_json(port);
            port_json.erase("count");
            entry["ports"].push_back(std::move(port_json));
        }
    }
    for (const auto& host : platform.hosts) {
        auto& entry = json["host"][host.name];
        entry = section_json(host);
        entry["switch"] = platform.switches.at(host.switch_index).name;
        entry["port"] = host.port;
    }
    json["workload"] = section_json(platform.workload);
    for (const auto& replay : platform.replays) json["replay"].push_back(section_json(replay));
    return json;
}

}  // namespace weir::platforms
