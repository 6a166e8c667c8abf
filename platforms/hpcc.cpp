// SPDX-License-Identifier: Apache-2.0
// Reading the HPCC simulator's files.
#include "platforms/hpcc.h"

#include <fmt/format.h>

#include <algorithm>

#include "platforms/dependencies.h"
#include "platforms/line_reader.h"
#include "platforms/text.h"

namespace weir::platforms {
namespace {

std::uint64_t number(const text_field& field, std::string_view what, std::uint64_t most) {
    const auto value = parse_number(field.text);
    if (value && *value <= most) return *value;
    throw config_error(field.where, fmt::format("{} \"{}\" is no whole number up to {}", what, field.text, most));
}

/// The ids that follow, on one line or on several.
std::vector<text_field> ids_of(line_reader& lines, std::size_t count) {
    std::vector<text_field> ids;
    while (ids.size() < count) {
        const auto fields = lines.next(' ');
        if (!fields) {
            throw config_error(lines.here(), "the file ends too early",
                               fmt::format("wanted here: the ids of {} switches", count - ids.size()));
        }
        ids.insert(ids.end(), fields->begin(), fields->end());
    }
    if (ids.size() > count) {
        throw config_error(ids[count].where, fmt::format("more switches than the first line says, {}", count),
                           "the links begin on a line of their own");
    }
    return ids;
}

std::vector<text_field> fields_of(line_reader& lines, std::size_t count, std::string_view form) {
    auto fields = lines.next(' ');
    if (!fields) {
        throw config_error(lines.here(), "the file ends too early", fmt::format("wanted here: {}", form));
    }
    if (fields->size() != count) {
        throw config_error(lines.here(), fmt::format("{} fields where {} belong", fields->size(), count),
                           fmt::format("wanted: {}", form));
    }
    return std::move(*fields);
}

data_rate rate_of(const text_field& field) {
    const auto bits = parse_bit_rate(field.text);
    const auto rate = bits ? data_rate::from_megabits(static_cast<std::uint32_t>(*bits / 1'000'000)) : std::nullopt;
    if (!rate || rate->bits_per_second() != *bits) {
        throw config_error(field.where, fmt::format("rate \"{}\" is not an Ethernet rate", field.text),
                           fmt::format("one of: {}, each with \"bps\" behind it", data_rate::names()));
    }
    return *rate;
}

std::uint32_t metres_of(const text_field& field) {
    constexpr picoseconds longest_delay = cable_delay_per_metre * 100'000;
    const auto delay = parse_duration(field.text);
    if (!delay || delay->count() % cable_delay_per_metre.count() != 0) {
        throw config_error(field.where, fmt::format("delay \"{}\" is no cable's", field.text),
                           "a time that is a multiple of 5ns, one metre: 1000ns, 1us");
    }
    if (*delay > longest_delay) {
        throw config_error(field.where, fmt::format("delay {} is out of range", field.text),
                           fmt::format("at most {}, 100 km", format_duration(longest_delay)));
    }
    return static_cast<std::uint32_t>(delay->count() / cable_delay_per_metre.count());
}

}  // namespace

hpcc_topology read_hpcc_topology(const std::string& path) {
    constexpr std::string_view form = "src dst rate delay error_rate, for example: 0 8 100Gbps 1000ns 0";
    constexpr std::uint64_t most_nodes = 1'000'000;
    line_reader lines(path);
    const auto sizes = fields_of(lines, 3, "nodes switches links");
    const std::uint64_t nodes = number(sizes[0], "nodes", most_nodes);
    const std::uint64_t switches = number(sizes[1], "switches", nodes);
    const std::uint64_t links = number(sizes[2], "links", most_nodes);
    if (switches == 0) throw config_error(sizes[1].where, "the topology has no switch", "1 or more");

    hpcc_topology made;
    std::vector<bool> is_switch(nodes, false);
    for (const auto& field : ids_of(lines, switches)) {
        const std::uint64_t id = number(field, "switch", nodes - 1);
        if (is_switch[id]) throw config_error(field.where, fmt::format("switch {} stands here twice", id));
        is_switch[id] = true;
        made.switches.push_back(static_cast<std::uint32_t>(id));
    }
    std::vector<bool> has_cable(nodes, false);
    for (std::uint64_t i = 0; i < links; ++i) {
        const auto fields = fields_of(lines, 5, form);
        const std::uint64_t from = number(fields[0], "node", nodes - 1);
        const std::uint64_t to = number(fields[1], "node", nodes - 1);
        if (from == to) throw config_error(fields[0].where, fmt::format("node {} is linked with itself", from));
        if (!is_switch[from] && !is_switch[to]) {
            throw config_error(fields[0].where, fmt::format("hosts {} and {} are linked without a switch", from, to));
        }
        for (const std::uint64_t node : {from, to}) {
            if (!is_switch[node] && has_cable[node]) {
                throw config_error(fields[0].where, fmt::format("host {} has two links", node),
                                   "a host has one port here: remove its other links, or make it two hosts");
            }
            has_cable[node] = true;
        }
        made.links.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), rate_of(fields[2]),
                              metres_of(fields[3])});
        if (fields[4].text.find_first_not_of("0.") != std::string::npos) {
            throw config_error(fields[4].where, fmt::format("error rate {} cannot be modelled", fields[4].text),
                               "wanted: 0");
        }
    }
    const auto lonely = std::find(has_cable.begin(), has_cable.end(), false);
    if (lonely != has_cable.end()) {
        throw config_error(path, fmt::format("node {} has no link", lonely - has_cable.begin()));
    }
    return made;
}

std::vector<flow> read_hpcc_flows(const std::string& path, const platform_config& platform) {
    constexpr std::string_view form = "src dst pg dport octets start_s, for example: 0 1 3 100 1000000 2.0";
    constexpr std::uint64_t most_flows = 100'000'000;
    constexpr std::uint64_t largest_flow = 1'000'000'000'000'000;
    line_reader lines(path);
    const std::uint64_t count =
        number(fields_of(lines, 1, "the number of flows")[0], "the number of flows", most_flows);
    if (count == 0) throw config_error(lines.here(), "holds no flows");

    std::vector<flow> flows;
    const auto host = [&](const text_field& field) {
        const std::uint64_t node = number(field, "node", UINT32_MAX);
        for (std::uint32_t i = 0; i < platform.hosts.size(); ++i) {
            if (platform.hosts[i].node == node) return i;
        }
        throw config_error(field.where, fmt::format("node {} is no host of the platform", node),
                           platform.hosts.empty() ? "it has no hosts"
                                                  : fmt::format("nodes {} to {}", platform.hosts.front().node,
                                                                platform.hosts.back().node));
    };
    for (std::uint64_t i = 0; i < count; ++i) {
        auto fields = lines.next(' ');
        if (!fields) {
            throw config_error(lines.here(), fmt::format("{} flows are promised, {} are here", count, i));
        }
        if (fields->size() != 6) {
            throw config_error(lines.here(), fmt::format("{} fields where 6 belong", fields->size()),
                               fmt::format("wanted: {}", form));
        }
        flow made;
        made.source = host((*fields)[0]);
        made.destination = host((*fields)[1]);
        if (made.source == made.destination) {
            throw config_error((*fields)[1].where, fmt::format("node {} would send to itself", (*fields)[1].text));
        }
        made.priority = static_cast<std::uint8_t>(number((*fields)[2], "pg", 7));
        made.dscp = static_cast<std::uint8_t>(made.priority * 8);
        (void)number((*fields)[3], "dport", 65'535);
        made.octets = number((*fields)[4], "octets", largest_flow);
        if (made.octets == 0) throw config_error((*fields)[4].where, "the flow has no octets", "at least 1");
        const std::string& start = (*fields)[5].text;
        if (start.front() == '-') {
            throw config_error((*fields)[5].where, fmt::format("start {} is negative", start),
                               "0 or later, in seconds");
        }
        const auto time = parse_duration(start + "s");
        if (!time) {
            throw config_error((*fields)[5].where, fmt::format("start \"{}\" is no time in seconds", start),
                               "for example: 2.000001");
        }
        made.start = *time;
        made.congestion = platform.workload.congestion;
        made.rate = 0;
        made.payload = platform.workload.frame;
        flows.push_back(made);
    }
    sort_by_start(flows);
    return flows;
}

}  // namespace weir::platforms
