// SPDX-License-Identifier: Apache-2.0
// Reading the HPCC simulator's files.
#include "platforms/hpcc.h"

#include <fmt/format.h>

#include <algorithm>

#include "platforms/line_reader.h"
#include "platforms/text.h"

namespace weir::platforms {
namespace {

std::uint64_t number(const text_field& field, std::string_view what, std::uint64_t most) {
    const auto value = parse_number(field.text);
    if (value && *value <= most) return *value;
    throw config_error(field.where, fmt::format("{} \"{}\" is no whole number up to {}", what, field.text, most));
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

}  // namespace

hpcc_star read_hpcc_star(const std::string& path) {
    constexpr std::string_view form = "src dst rate delay error_rate, for example: 0 8 100Gbps 1000ns 0";
    constexpr std::uint64_t most_nodes = 1'000'000;
    constexpr picoseconds longest_delay = cable_delay_per_metre * 100'000;
    line_reader lines(path);
    const auto sizes = fields_of(lines, 3, "nodes switches links");
    const std::uint64_t nodes = number(sizes[0], "nodes", most_nodes);
    const std::uint64_t switches = number(sizes[1], "switches", most_nodes);
    const std::uint64_t links = number(sizes[2], "links", most_nodes);
    if (switches != 1) {
        throw config_error(sizes[1].where, fmt::format("the topology has {} switches", switches), "wanted: 1");
    }
    if (links + 1 != nodes) {
        throw config_error(sizes[2].where, fmt::format("{} links for {} hosts", links, nodes == 0 ? 0 : nodes - 1),
                           "one link for each host");
    }
    const std::uint64_t center = number(fields_of(lines, 1, "the switch's id")[0], "switch", nodes - 1);

    hpcc_star star;
    for (std::uint64_t i = 0; i < links; ++i) {
        const auto fields = fields_of(lines, 5, form);
        const std::uint64_t from = number(fields[0], "node", nodes - 1);
        const std::uint64_t to = number(fields[1], "node", nodes - 1);
        if ((from == center) == (to == center)) {
            throw config_error(fields[0].where,
                               fmt::format("link {} {} is none between a host and switch {}", from, to, center));
        }
        const std::uint64_t host = from == center ? to : from;
        const auto bits = parse_bit_rate(fields[2].text);
        const auto rate = bits ? data_rate::from_megabits(static_cast<std::uint32_t>(*bits / 1'000'000)) : std::nullopt;
        if (!rate || rate->bits_per_second() != *bits) {
            throw config_error(fields[2].where, fmt::format("rate \"{}\" is not an Ethernet rate", fields[2].text),
                               fmt::format("one of: {}, each with \"bps\" behind it", data_rate::names()));
        }
        const auto delay = parse_duration(fields[3].text);
        if (!delay || delay->count() % cable_delay_per_metre.count() != 0) {
            throw config_error(fields[3].where, fmt::format("delay \"{}\" is no cable's", fields[3].text),
                               "a time that is a multiple of 5ns, one metre: 1000ns, 1us");
        }
        if (*delay > longest_delay) {
            throw config_error(fields[3].where, fmt::format("delay {} is out of range", fields[3].text),
                               fmt::format("at most {}, 100 km", format_duration(longest_delay)));
        }
        if (fields[4].text.find_first_not_of("0.") != std::string::npos) {
            throw config_error(fields[4].where, fmt::format("error rate {} cannot be modelled", fields[4].text),
                               "wanted: 0");
        }
        if (std::any_of(star.links.begin(), star.links.end(), [&](const auto& l) { return l.host == host; })) {
            throw config_error(fields[0].where, fmt::format("host {} has two links", host));
        }
        star.links.push_back({static_cast<std::uint32_t>(host), *rate,
                              static_cast<std::uint32_t>(delay->count() / cable_delay_per_metre.count())});
    }
    if (lines.next(' ')) throw config_error(lines.here(), fmt::format("more than {} links follow", links));
    std::sort(star.links.begin(), star.links.end(), [](const auto& a, const auto& b) { return a.host < b.host; });
    return star;
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
    if (lines.next(' ')) {
        throw config_error(lines.here(), fmt::format("{} flows are promised, more are here", count));
    }
    std::stable_sort(flows.begin(), flows.end(), [](const flow& a, const flow& b) { return a.start < b.start; });
    return flows;
}

}  // namespace weir::platforms
