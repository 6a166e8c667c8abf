// SPDX-License-Identifier: Apache-2.0
#include "platforms/routes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>

#include "models/pipeline/forwarding.h"
#include "models/timeline/digest.h"
#include "platforms/line_reader.h"
#include "platforms/text.h"
#include "platforms/topology.h"

namespace weir::platforms {
namespace {

static_assert(most_equal_paths == pipeline::ecmp_members);
constexpr std::uint32_t out_of_reach = UINT32_MAX;

/// A way out of a switch.
struct way {
    std::uint32_t port;
    std::uint32_t other;
};

/// The ways between switches, a list a switch, by port.
std::vector<std::vector<way>> ways_of(const platform_config& platform, const std::vector<bool>& broken) {
    std::vector<std::vector<way>> ways(platform.switches.size());
    for (std::size_t i = 0; i < platform.links.size(); ++i) {
        if (i < broken.size() && broken[i]) continue;
        const link_config& link = platform.links[i];
        ways[link.a.switch_index].push_back({link.a.port, link.b.switch_index});
        ways[link.b.switch_index].push_back({link.b.port, link.a.switch_index});
    }
    for (auto& of_switch : ways) {
        std::sort(of_switch.begin(), of_switch.end(), [](const way& a, const way& b) { return a.port < b.port; });
    }
    return ways;
}

std::vector<std::uint32_t> distances_to(const std::vector<std::vector<way>>& ways, std::uint32_t target) {
    std::vector<std::uint32_t> distance(ways.size(), out_of_reach);
    std::deque<std::uint32_t> next{target};
    distance[target] = 0;
    while (!next.empty()) {
        const std::uint32_t at = next.front();
        next.pop_front();
        for (const way& w : ways[at]) {
            if (distance[w.other] != out_of_reach) continue;
            distance[w.other] = distance[at] + 1;
            next.push_back(w.other);
        }
    }
    return distance;
}

routing_table read_routes(const platform_config& platform) {
    constexpr std::string_view form = "switch,destination,ports, for example: s0,h1,2";
    line_reader lines(platform.routes.file);
    const auto header = lines.next(',');
    const std::vector<std::string> columns{"switch", "destination", "ports"};
    if (!header || header->size() != columns.size() ||
        !std::equal(columns.begin(), columns.end(), header->begin(),
                    [](const std::string& name, const text_field& field) { return name == field.text; })) {
        throw config_error(lines.here(), "the first line does not name the columns", "switch,destination,ports");
    }
    routing_table table(platform.switches.size(), switch_table(platform.hosts.size()));
    while (const auto fields = lines.next(',')) {
        if (fields->size() != columns.size()) {
            throw config_error(lines.here(), fmt::format("{} fields where 3 belong", fields->size()),
                               fmt::format("wanted: {}", form));
        }
        const text_field& name = (*fields)[0];
        const auto s = find_switch(platform, name.text);
        if (!s) throw config_error(name.where, fmt::format("switch \"{}\" is unknown", name.text));
        const text_field& destination = (*fields)[1];
        std::vector<std::uint32_t> hosts;
        if (destination.text == "all") {
            for (std::uint32_t h = 0; h < platform.hosts.size(); ++h) hosts.push_back(h);
        } else if (const auto host = find_host(platform, destination.text)) {
            hosts.push_back(*host);
        } else {
            throw config_error(destination.where, fmt::format("host \"{}\" is unknown", destination.text),
                               fmt::format("all, or one of: {}", host_names(platform)));
        }
        std::vector<std::uint32_t> ports;
        const text_field& given = (*fields)[2];
        for (const auto word : split(given.text, ' ')) {
            if (word.empty()) continue;
            const auto port = parse_number(word);
            if (!port || *port >= platform.switches[*s].ports.size()) {
                throw config_error(given.where, fmt::format("\"{}\" is no port of {}", word, name.text),
                                   fmt::format("0 to {}", platform.switches[*s].ports.size() - 1));
            }
            ports.push_back(static_cast<std::uint32_t>(*port));
        }
        if (ports.empty() || ports.size() > most_equal_paths) {
            throw config_error(given.where, fmt::format("{} ports", ports.size()),
                               "1 to 16 ports, with blanks between");
        }
        std::sort(ports.begin(), ports.end());
        // A later line is about less: "all" first, then what differs.
        for (const std::uint32_t host : hosts) table[*s][host] = ports;
    }
    return table;
}

}  // namespace

routing_table shortest_paths(const platform_config& platform, const std::vector<bool>& broken) {
    const auto ways = ways_of(platform, broken);
    routing_table table(platform.switches.size(), switch_table(platform.hosts.size()));
    std::vector<std::vector<std::uint32_t>> hosts_at(platform.switches.size());
    for (std::uint32_t h = 0; h < platform.hosts.size(); ++h) hosts_at[platform.hosts[h].switch_index].push_back(h);
    for (std::uint32_t target = 0; target < platform.switches.size(); ++target) {
        if (hosts_at[target].empty()) continue;
        const auto distance = distances_to(ways, target);
        for (std::uint32_t s = 0; s < platform.switches.size(); ++s) {
            if (distance[s] == out_of_reach) continue;
            std::vector<std::uint32_t> ports;
            for (const way& w : ways[s]) {
                if (distance[w.other] + 1 == distance[s] && ports.size() < most_equal_paths) ports.push_back(w.port);
            }
            for (const std::uint32_t h : hosts_at[target]) {
                table[s][h] = s == target ? std::vector<std::uint32_t>{platform.hosts[h].port} : ports;
            }
        }
    }
    return table;
}

routing_table plan_routes(const platform_config& platform) {
    switch (platform.routes.kind) {
        case routing_kind::script:
            break;
        case routing_kind::shortest_path:
            return shortest_paths(platform);
        case routing_kind::file:
            return read_routes(platform);
    }
    return {};
}

std::vector<route_fault> find_route_faults(const platform_config& platform, const routing_table& table) {
    std::vector<route_fault> faults;
    const auto ways = ways_of(platform, {});
    for (std::uint32_t h = 0; !table.empty() && h < platform.hosts.size(); ++h) {
        const host_config& host = platform.hosts[h];
        enum class state : std::uint8_t { unseen, under_way, done };
        std::vector<state> seen(platform.switches.size(), state::unseen);
        std::vector<bool> reaches(platform.switches.size(), false);
        route_fault loop{true, h, {}};
        std::vector<std::uint32_t> trail;
        // Depth first: a switch that is met while it is under way closes a loop.
        const auto visit = [&](const auto& self, std::uint32_t s) -> void {
            seen[s] = state::under_way;
            trail.push_back(s);
            for (const std::uint32_t port : table[s][h]) {
                if (s == host.switch_index && port == host.port) {
                    reaches[s] = true;
                    continue;
                }
                const auto w =
                    std::find_if(ways[s].begin(), ways[s].end(), [port](const way& x) { return x.port == port; });
                if (w == ways[s].end()) continue;
                if (seen[w->other] == state::unseen) self(self, w->other);
                if (seen[w->other] == state::under_way && loop.switches.empty()) {
                    loop.switches.assign(std::find(trail.begin(), trail.end(), w->other), trail.end());
                }
                if (reaches[w->other]) reaches[s] = true;
            }
            trail.pop_back();
            seen[s] = state::done;
        };
        for (std::uint32_t s = 0; s < platform.switches.size(); ++s) {
            if (seen[s] == state::unseen) visit(visit, s);
        }
        if (!loop.switches.empty()) faults.push_back(loop);
        route_fault lost{false, h, {}};
        for (std::uint32_t s = 0; s < platform.switches.size(); ++s) {
            if (!reaches[s]) lost.switches.push_back(s);
        }
        if (!lost.switches.empty()) faults.push_back(lost);
    }
    return faults;
}

std::string describe(const platform_config& platform, const route_fault& fault) {
    constexpr std::size_t shown = 8;
    std::vector<std::string> names;
    for (const std::uint32_t s : fault.switches) {
        names.push_back(names.size() < shown ? platform.switches[s].name : "…");
        if (names.size() > shown) break;
    }
    const std::string& host = platform.hosts[fault.host].name;
    return fault.loop ? fmt::format("frames for {} circle: {}", host, fmt::join(names, " "))
                      : fmt::format("no route leads to {} from: {}", host, fmt::join(names, " "));
}

void check_reachable(const platform_config& platform, const routing_table& table, std::uint32_t from,
                     std::uint32_t to) {
    if (table.empty() || !table[platform.hosts[from].switch_index][to].empty()) return;
    throw config_error(platform.where("routes.kind"),
                       fmt::format("{} sends to {}, and {} has no route there", platform.hosts[from].name,
                                   platform.hosts[to].name, platform.switches[platform.hosts[from].switch_index].name));
}

switch_routes::switch_routes(const platform_config& platform, std::uint32_t switch_index)
    : platform_(platform), name_(platform.switches[switch_index].name), told_(platform.hosts.size()) {}

std::string switch_routes::target(const std::vector<std::uint32_t>& ports) const {
    return ports.size() == 1 ? fmt::format("port {}", ports.front()) : fmt::format("ecmp {}", groups_.at(ports));
}

std::vector<script_line> switch_routes::change_to(const switch_table& wanted) {
    std::vector<script_line> lines;
    const auto say = [&](std::string text) { lines.push_back({fmt::format("routes of {}", name_), std::move(text)}); };
    if (!begun_) say(fmt::format("ecmp seed {}", digest::place_of(name_)));
    begun_ = true;
    std::vector<bool> used(pipeline::ecmp_groups, false);
    for (const auto& [ports, group] : groups_) used[group] = true;
    for (const auto& ports : wanted) {
        if (ports.size() < 2 || groups_.count(ports) != 0) continue;
        const auto unused = std::find(used.begin(), used.end(), false);
        if (unused == used.end()) {
            throw config_error(platform_.where("routes.kind"),
                               fmt::format("the routes of {} need more than {} ECMP groups", name_, used.size()));
        }
        const auto group = static_cast<std::uint32_t>(unused - used.begin());
        *unused = true;
        groups_[ports] = group;
        say(fmt::format("ecmp {} members {}", group, fmt::join(ports, ",")));
    }
    for (std::size_t h = 0; h < wanted.size(); ++h) {
        if (wanted[h] == told_[h]) continue;
        const std::string address = fmt::format("{}/32", fmt::join(platform_.hosts[h].ip, "."));
        say(wanted[h].empty() ? fmt::format("no route {}", address)
                              : fmt::format("route add {} {}", address, target(wanted[h])));
    }
    for (auto group = groups_.begin(); group != groups_.end();) {
        if (std::find(wanted.begin(), wanted.end(), group->first) != wanted.end()) {
            ++group;
            continue;
        }
        say(fmt::format("no ecmp {}", group->second));
        group = groups_.erase(group);
    }
    told_ = wanted;
    return lines;
}

std::vector<link_end> ports_between(const platform_config& platform, std::uint32_t from, std::uint32_t to) {
    const auto ways = ways_of(platform, {});
    const std::uint32_t target = platform.hosts[to].switch_index;
    const auto distance = distances_to(ways, target);
    std::uint32_t at = platform.hosts[from].switch_index;
    if (distance[at] == out_of_reach) return {};
    std::vector<link_end> path;
    while (at != target) {
        const auto next = std::find_if(ways[at].begin(), ways[at].end(),
                                       [&](const way& w) { return distance[w.other] + 1 == distance[at]; });
        path.push_back({at, next->port});
        at = next->other;
    }
    path.push_back({target, platform.hosts[to].port});
    return path;
}

}  // namespace weir::platforms
