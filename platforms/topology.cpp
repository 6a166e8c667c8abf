// SPDX-License-Identifier: Apache-2.0
#include "platforms/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "models/timeline/natural_order.h"
#include "platforms/hpcc.h"

namespace weir::platforms {
namespace {

constexpr std::uint32_t most_switches = 2048;

class topology_planner {
public:
    explicit topology_planner(const platform_config& platform) : platform_(platform), wanted_(platform.topology) {}

    std::vector<planned_switch> plan() {
        switch (wanted_.kind) {
            case topology_kind::none:
                break;
            case topology_kind::star:
                add_hosts(add("s0"), hosts_or(2));
                break;
            case topology_kind::chain:
                row(wanted_.switches);
                break;
            case topology_kind::ring:
                ring();
                break;
            case topology_kind::dumbbell:
                for (const auto* name : {"left", "right"}) add_hosts(add(name), hosts_or(2));
                join(0, 1);
                break;
            case topology_kind::parking_lot:
                row(wanted_.switches);
                add_hosts(made_.size() - 1, 1);
                break;
            case topology_kind::leaf_spine:
                leaf_spine();
                break;
            case topology_kind::fat_tree:
                fat_tree();
                break;
            case topology_kind::hpcc:
                hpcc();
                break;
        }
        finish();
        return std::move(made_);
    }

private:
    struct neighbour {
        std::size_t other;
        port_config port;
    };

    [[nodiscard]] std::uint32_t hosts_or(std::uint32_t usual) const {
        return wanted_.hosts != 0 ? wanted_.hosts : usual;
    }

    std::size_t add(std::string name) {
        made_.push_back({std::move(name), {}});
        neighbours_.emplace_back();
        if (made_.size() > most_switches) {
            throw config_error(platform_.where("topology.kind"), "the topology has too many switches",
                               fmt::format("{} at most", most_switches));
        }
        return made_.size() - 1;
    }

    [[nodiscard]] port_config port(data_rate rate, std::uint32_t metres) const {
        port_config made;
        made.rate = rate;
        made.cable_metres = metres;
        made.pfc_response = wanted_.pfc_response;
        made.start_jitter = wanted_.start_jitter;
        made.clock_spread = wanted_.clock_spread;
        return made;
    }

    void add_hosts(std::size_t at, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            made_[at].ports.push_back(port(wanted_.host_rate, wanted_.host_cable));
        }
    }

    void join(std::size_t a, std::size_t b) {
        for (std::uint32_t i = 0; i < wanted_.links; ++i) join(a, b, port(wanted_.link_rate, wanted_.link_cable));
    }
    void join(std::size_t a, std::size_t b, const port_config& cable) {
        neighbours_[a].push_back({b, cable});
        neighbours_[b].push_back({a, cable});
    }

    void row(std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            add_hosts(add(fmt::format("s{}", i)), hosts_or(2));
            if (i > 0) join(i - 1, i);
        }
    }

    void ring() {
        if (wanted_.switches < 3) {
            throw config_error(platform_.where("topology.switches"),
                               fmt::format("{} switches are no ring", wanted_.switches), "3 or more");
        }
        row(wanted_.switches);
        join(wanted_.switches - 1, 0);
    }

    void leaf_spine() {
        const std::uint32_t hosts = hosts_or(2);
        std::uint32_t spines = wanted_.spines;
        if (spines == 0) {
            const double down = static_cast<double>(hosts) * static_cast<double>(wanted_.host_rate.bits_per_second());
            const double up =
                static_cast<double>(wanted_.links) * static_cast<double>(wanted_.link_rate.bits_per_second());
            spines = static_cast<std::uint32_t>(std::ceil(down / (wanted_.oversubscription * up)));
        }
        for (std::uint32_t i = 0; i < wanted_.leaves; ++i) add_hosts(add(fmt::format("leaf{}", i)), hosts);
        for (std::uint32_t i = 0; i < spines; ++i) {
            const std::size_t spine = add(fmt::format("spine{}", i));
            for (std::uint32_t leaf = 0; leaf < wanted_.leaves; ++leaf) join(leaf, spine);
        }
    }

    void fat_tree() {
        const std::uint32_t half = wanted_.radix / 2;
        if (wanted_.radix % 2 != 0) {
            throw config_error(platform_.where("topology.radix"), fmt::format("radix {} is odd", wanted_.radix),
                               "half of a switch's ports lead up, half down");
        }
        const std::uint32_t hosts = hosts_or(half);
        std::vector<std::size_t> cores;
        for (std::uint32_t i = 0; i < half * half; ++i) cores.push_back(add(fmt::format("core{}", i)));
        for (std::uint32_t pod = 0; pod < wanted_.radix; ++pod) {
            std::vector<std::size_t> edges;
            for (std::uint32_t i = 0; i < half; ++i) {
                edges.push_back(add(fmt::format("edge{}", pod * half + i)));
                add_hosts(edges.back(), hosts);
            }
            for (std::uint32_t i = 0; i < half; ++i) {
                const std::size_t aggregation = add(fmt::format("agg{}", pod * half + i));
                for (const std::size_t edge : edges) join(edge, aggregation);
                for (std::uint32_t j = 0; j < half; ++j) join(aggregation, cores[i * half + j]);
            }
        }
    }

    void hpcc() {
        const hpcc_topology file = read_hpcc_topology(wanted_.file);
        std::map<std::uint32_t, std::size_t> at;
        for (const std::uint32_t id : file.switches) at[id] = add(fmt::format("s{}", id));
        for (const auto& each : file.links) {
            port_config cable = port(each.rate, each.cable_metres);
            const auto a = at.find(each.a);
            const auto b = at.find(each.b);
            if (a != at.end() && b != at.end()) {
                join(a->second, b->second, cable);
                continue;
            }
            const std::size_t to = a != at.end() ? a->second : b->second;
            cable.peer = fmt::format("h{}", a != at.end() ? each.b : each.a);
            made_[to].ports.push_back(cable);
        }
        for (auto& each : made_) {
            std::stable_sort(each.ports.begin(), each.ports.end(),
                             [](const port_config& x, const port_config& y) { return natural_less(x.peer, y.peer); });
        }
    }

    /// Names the hosts and puts the ports to other switches behind those to hosts.
    void finish() {
        std::vector<std::size_t> order(made_.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        const auto before = [this](std::size_t a, std::size_t b) { return natural_less(made_[a].name, made_[b].name); };
        std::sort(order.begin(), order.end(), before);
        std::uint32_t hosts = 0;
        std::vector<planned_switch> sorted;
        for (const std::size_t i : order) {
            if (wanted_.kind != topology_kind::hpcc) {
                for (auto& each : made_[i].ports) each.peer = fmt::format("h{}", hosts++);
            }
            std::stable_sort(neighbours_[i].begin(), neighbours_[i].end(),
                             [&](const neighbour& a, const neighbour& b) { return before(a.other, b.other); });
            sorted.push_back({made_[i].name, made_[i].ports});
            for (const neighbour& n : neighbours_[i]) {
                sorted.back().ports.push_back(n.port);
                sorted.back().ports.back().peer = made_[n.other].name;
            }
        }
        made_ = std::move(sorted);
    }

    const platform_config& platform_;
    const topology_config& wanted_;
    std::vector<planned_switch> made_;
    std::vector<std::vector<neighbour>> neighbours_;
};

std::string port_source(const platform_config& platform, const link_end& end) {
    return platform.where(fmt::format("switch.{}.ports.{}.peer", platform.switches[end.switch_index].name, end.port));
}

}  // namespace

std::vector<planned_switch> plan_topology(const platform_config& platform) {
    return topology_planner{platform}.plan();
}

std::optional<std::uint32_t> find_switch(const platform_config& platform, std::string_view name) {
    for (std::uint32_t s = 0; s < platform.switches.size(); ++s) {
        if (platform.switches[s].name == name) return s;
    }
    return std::nullopt;
}

std::vector<link_config> match_links(const platform_config& platform) {
    std::map<std::string_view, std::uint32_t> numbers;
    for (std::uint32_t s = 0; s < platform.switches.size(); ++s) numbers[platform.switches[s].name] = s;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> ports;
    for (std::uint32_t s = 0; s < platform.switches.size(); ++s) {
        const auto& own = platform.switches[s].ports;
        for (std::uint32_t p = 0; p < own.size(); ++p) {
            const auto other = numbers.find(own[p].peer);
            if (other == numbers.end()) continue;
            if (other->second == s) {
                throw config_error(port_source(platform, {s, p}),
                                   fmt::format("port {} of {} leads to its own switch", p, own[p].peer),
                                   "the name of another switch");
            }
            ports[{s, other->second}].push_back(p);
        }
    }
    std::vector<link_config> links;
    for (const auto& [pair, here] : ports) {
        const auto [a, b] = pair;
        const auto found = ports.find({b, a});
        const std::size_t there = found == ports.end() ? 0 : found->second.size();
        const std::string& name = platform.switches[a].name;
        const std::string& other = platform.switches[b].name;
        if (here.size() > there) {
            throw config_error(port_source(platform, {a, here[there]}),
                               fmt::format("{} of {}'s ports lead to {}, {} back", here.size(), name, other, there),
                               fmt::format("a port of {} with peer = \"{}\" for each", other, name));
        }
        if (a > b) continue;
        for (std::size_t i = 0; i < std::min(here.size(), there); ++i) {
            const link_config made{{a, here[i]}, {b, found->second[i]}};
            const port_config& x = platform.switches[a].ports[made.a.port];
            const port_config& y = platform.switches[b].ports[made.b.port];
            if (x.rate.bits_per_second() != y.rate.bits_per_second() || x.cable_metres != y.cable_metres) {
                throw config_error(port_source(platform, made.b),
                                   fmt::format("the cable between port {} of {} and port {} of {} is {} and {} m long "
                                               "at one end, {} and {} m at the other",
                                               made.a.port, name, made.b.port, other, x.rate.name(), x.cable_metres,
                                               y.rate.name(), y.cable_metres),
                                   "one rate and one length for both");
            }
            links.push_back(made);
        }
    }
    std::sort(links.begin(), links.end(), [](const link_config& x, const link_config& y) {
        return std::pair(x.a.switch_index, x.a.port) < std::pair(y.a.switch_index, y.a.port);
    });
    return links;
}

}  // namespace weir::platforms
