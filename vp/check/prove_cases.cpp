// SPDX-License-Identifier: Apache-2.0
// Which short runs a proof consists of.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "vp/check/prove.h"
#include "vp/headroom/port_loop.h"
#include "vp/study/adversary_plan.h"
#include "vp/study/frame_ways.h"

namespace weir::vp {
namespace {

using platforms::platform_config;

std::uint32_t cells_of(std::uint32_t frame, const platforms::switch_config& at) {
    return (frame + at.frame_overhead + at.cell_octets - 1) / at.cell_octets;
}

/// Lengths at which something changes: the shortest frame, the edges of cells, the longest.
std::vector<std::uint32_t> lengths(const lossless_place& p, const platform_config& platform) {
    const std::uint32_t cell = platform.switches[p.switch_index].cell_octets;
    std::set<std::uint32_t> all{64, 65, cell - 1, cell, cell + 1, 2 * cell + 1, classic_frame, p.max_frame};
    std::vector<std::uint32_t> possible;
    for (const std::uint32_t length : all) {
        if (length >= 64 && length <= p.max_frame) possible.push_back(length);
    }
    return possible;
}

/// Ports that are alike in wires and programming stand for one another.
using kind = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::int64_t, std::uint64_t, bool, std::uint64_t,
                        std::uint32_t, bool>;
kind kind_of(const lossless_place& p, const platform_config& platform) {
    const auto& port = platform.switches[p.switch_index].ports[p.port];
    return {p.priority,
            port.rate.megabits(),
            port.cable_metres,
            p.host ? platform.hosts[*p.host].pfc_response.count() : 0,
            p.headroom,
            p.shared,
            p.xoff,
            p.max_frame,
            p.host.has_value()};
}

/// Small frames ahead of the others, so that the crossing frame ends as far above XOFF as it can.
std::uint32_t worst_shift(const lossless_place& p, std::uint32_t frame, const platform_config& platform) {
    const std::uint32_t cells = cells_of(frame, platform.switches[p.switch_index]);
    return p.xoff == 0 ? 0 : static_cast<std::uint32_t>((p.xoff - 1) % cells);
}

/// The lossless places of one switch, and what can be done to them.
class switch_attacks {
public:
    switch_attacks(const platform_config& platform, const frame_ways& ways, std::vector<prove_case>& into)
        : platform_(platform), ways_(ways), all_(into) {}

    void attack(const std::vector<const lossless_place*>& places) {
        std::map<std::uint32_t, std::vector<const lossless_place*>> hosts;
        std::map<std::uint32_t, std::vector<const lossless_place*>> links;
        for (const lossless_place* p : places) (p->host ? hosts : links)[p->priority].push_back(p);
        for (auto& [priority, own] : hosts) rarest_first(own);
        for (const auto& [priority, own] : hosts) attack_hosts(own);
        for (const auto& [priority, own] : links) attack_links(own);
        attack_everything(hosts, links);
    }

private:
    [[nodiscard]] std::string name(std::uint32_t host) const { return platform_.hosts[host].name; }

    void rarest_first(std::vector<const lossless_place*>& places) const {
        std::multiset<kind> kinds;
        for (const lossless_place* p : places) kinds.insert(kind_of(*p, platform_));
        std::stable_sort(places.begin(), places.end(), [&](const auto* a, const auto* b) {
            return kinds.count(kind_of(*a, platform_)) < kinds.count(kind_of(*b, platform_));
        });
    }

    /// A case against `first`, whose receiver holds up the pauses, too.
    [[nodiscard]] prove_case against(const lossless_place& first, std::uint32_t receiver, std::uint32_t frame) const {
        prove_case c;
        c.against.receiver = c.against.helper = name(receiver);
        c.against.priority = first.priority;
        c.against.dscp = first.dscp;
        c.against.frame = frame;
        c.against.own = first.max_frame;
        return c;
    }

    /// Who receives: a host of the most frequent kind, of another switch if there is
    /// but one here. Nothing: the platform has no other.
    [[nodiscard]] std::optional<std::uint32_t> receiver_for(const std::vector<const lossless_place*>& places) const {
        if (places.size() > 1) return *places.back()->host;
        for (std::uint32_t host = 0; host < platform_.hosts.size(); ++host) {
            if (platform_.hosts[host].switch_index != places.front()->switch_index) return host;
        }
        return std::nullopt;
    }

    /// One port of each kind alone, then 2, 4, … and all of the switch's, the receiver's at last.
    void attack_hosts(const std::vector<const lossless_place*>& places) {
        const auto receiver = receiver_for(places);
        if (!receiver) return;
        const std::size_t others = places.size() > 1 ? places.size() - 1 : 1;
        const auto add = [&](std::size_t from, std::size_t n, std::uint32_t frame, std::uint32_t shift,
                             bool staggered) {
            prove_case c = against(*places[from], *receiver, frame);
            for (std::size_t i = from; i < from + n; ++i) c.against.senders.push_back(name(*places[i]->host));
            c.against.shift = shift;
            c.against.staggered = staggered;
            all_.push_back(std::move(c));
        };
        std::set<kind> tried;
        for (std::size_t i = 0; i < others; ++i) {
            if (!tried.insert(kind_of(*places[i], platform_)).second) continue;
            for (const std::uint32_t frame : lengths(*places[i], platform_)) {
                const std::uint32_t shift = worst_shift(*places[i], frame, platform_);
                add(i, 1, frame, 0, true);
                if (shift > 0) add(i, 1, frame, shift, true);
            }
        }
        for (const std::uint32_t frame : lengths(*places[0], platform_)) {
            const std::uint32_t shift = worst_shift(*places[0], frame, platform_);
            for (std::size_t n = 2; n < others; n *= 2) add(0, n, frame, shift, true);
            if (others > 1) {
                add(0, others, frame, shift, true);
                add(0, others, frame, 0, false);
            }
            if (places.size() > 1) add(0, places.size(), frame, shift, true);
        }
    }

    /// All ports to other switches that lie away from a receiver at once; receivers until every kind had its turn.
    void attack_links(const std::vector<const lossless_place*>& places) {
        std::set<kind> wanted;
        for (const lossless_place* p : places) wanted.insert(kind_of(*p, platform_));
        for (const std::uint32_t receiver : receivers_at(places.front()->switch_index)) {
            std::map<kind, const lossless_place*> hit;
            for (const lossless_place* p : places) {
                if (attacked(*p, receiver)) hit.try_emplace(kind_of(*p, platform_), p);
            }
            for (const auto& [of, place] : hit) {
                if (wanted.erase(of) == 0) continue;
                for (const std::uint32_t frame : lengths(*place, platform_)) {
                    prove_case c = against(*place, receiver, frame);
                    c.against.through = platform_.switches[place->switch_index].name;
                    all_.push_back(std::move(c));
                }
            }
            if (wanted.empty()) return;
        }
    }

    /// Hosts, those of a switch first.
    [[nodiscard]] std::vector<std::uint32_t> receivers_at(std::uint32_t switch_index) const {
        std::vector<std::uint32_t> hosts(platform_.hosts.size());
        for (std::uint32_t host = 0; host < hosts.size(); ++host) hosts[host] = host;
        std::stable_partition(hosts.begin(), hosts.end(),
                              [&](std::uint32_t host) { return platform_.hosts[host].switch_index == switch_index; });
        return hosts;
    }

    /// Whether somebody's frames to that receiver come by a port.
    [[nodiscard]] bool attacked(const lossless_place& p, std::uint32_t receiver) const {
        return !ways_.coming_by({p.switch_index, p.port}, receiver).empty();
    }

    [[nodiscard]] bool any_attacked(const std::map<std::uint32_t, std::vector<const lossless_place*>>& links,
                                    std::uint32_t receiver) const {
        return std::any_of(links.begin(), links.end(), [&](const auto& of_class) {
            return std::any_of(of_class.second.begin(), of_class.second.end(),
                               [&](const lossless_place* p) { return attacked(*p, receiver); });
        });
    }

    [[nodiscard]] std::optional<std::uint32_t> receiver_through(
        const std::map<std::uint32_t, std::vector<const lossless_place*>>& links) const {
        for (const std::uint32_t receiver : receivers_at(links.begin()->second.front()->switch_index)) {
            if (any_attacked(links, receiver)) return receiver;
        }
        return std::nullopt;
    }

    /// Groups that share headroom: every port in every class. What is private is no worse for it.
    void attack_everything(const std::map<std::uint32_t, std::vector<const lossless_place*>>& hosts,
                           const std::map<std::uint32_t, std::vector<const lossless_place*>>& links) {
        if (hosts.size() + links.size() < 2) return;
        const auto& classes = hosts.empty() ? links : hosts;
        const lossless_place& first = *classes.begin()->second.front();
        const auto receiver = hosts.empty() ? receiver_through(links) : receiver_for(hosts.begin()->second);
        if (!receiver) return;
        for (const std::uint32_t frame : lengths(first, platform_)) {
            prove_case c = against(first, *receiver, frame);
            if (!hosts.empty()) {
                c.against.shift = worst_shift(first, frame, platform_);
                for (const lossless_place* p : hosts.begin()->second) c.against.senders.push_back(name(*p->host));
            }
            for (const auto& [priority, own] : classes) {
                if (priority != c.against.priority) c.against.more.push_back({priority, own.front()->dscp});
            }
            if (any_attacked(links, *receiver)) c.against.through = platform_.switches[first.switch_index].name;
            all_.push_back(std::move(c));
        }
    }

    const platform_config& platform_;
    const frame_ways& ways_;
    std::vector<prove_case>& all_;
};

}  // namespace

std::vector<prove_case> first_cases(const platform_config& platform, const lossless_map& map) {
    std::map<std::uint32_t, std::vector<const lossless_place*>> switches;
    for (const lossless_place& p : map.places) switches[p.switch_index].push_back(&p);
    const frame_ways ways(platform);
    std::vector<prove_case> all;
    std::set<std::multiset<kind>> seen;
    for (const auto& [number, places] : switches) {
        std::multiset<kind> kinds;
        for (const lossless_place* p : places) kinds.insert(kind_of(*p, platform));
        // A switch like one before would only repeat it.
        if (seen.insert(kinds).second) switch_attacks(platform, ways, all).attack(places);
    }
    return all;
}

std::string untried_places(const std::vector<prove_case>& cases, const platform_config& platform,
                           const lossless_map& map) {
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> targets;
    for (const prove_case& c : cases) {
        const adversary_plan plan(c.against, platform);
        for (const adversary_target& t : plan.targets())
            targets.emplace(t.port.switch_index, t.port.port, t.traffic.priority);
    }
    std::set<kind> tried;
    for (const lossless_place& p : map.places) {
        if (targets.count({p.switch_index, p.port, p.priority}) != 0) tried.insert(kind_of(p, platform));
    }
    std::vector<std::string> names;
    for (const lossless_place& p : map.places) {
        if (tried.count(kind_of(p, platform)) == 0)
            names.push_back(fmt::format("{}.{} PG {}", platform.switches[p.switch_index].name, p.port, p.group));
    }
    if (names.empty()) return {};
    return fmt::format("{}: no host sends through it to another", fmt::join(names, ", "));
}

std::vector<prove_case> cases_around(const prove_case& worst, const platform_config& platform) {
    constexpr std::uint32_t most_shifts = 8;
    constexpr std::uint32_t most_numbers = 16;
    std::vector<prove_case> all;
    const auto add = [&](auto change) {
        prove_case c = worst;
        change(c);
        all.push_back(std::move(c));
    };
    const auto senders = static_cast<std::uint32_t>(worst.against.senders.size());
    for (std::uint32_t n = 1; n < senders && senders <= most_numbers; ++n) {
        if (n != worst.against.congested) add([n](prove_case& c) { c.against.congested = n; });
    }
    const std::uint32_t receiver = *platforms::find_host(platform, worst.against.receiver);
    const std::uint32_t cells = cells_of(worst.against.frame, platform.switches[platform.hosts[receiver].switch_index]);
    const std::uint32_t shifts = std::min(cells, most_shifts);
    for (std::uint32_t i = 0; i < shifts; ++i) {
        const std::uint32_t shift = i * cells / shifts;
        if (shift != worst.against.shift) add([shift](prove_case& c) { c.against.shift = shift; });
    }
    for (const std::uint32_t percent : {0U, 50U}) add([percent](prove_case& c) { c.response_percent = percent; });
    add([](prove_case& c) { c.against.staggered = !c.against.staggered; });
    if (worst.against.own > classic_frame) add([](prove_case& c) { c.against.own = classic_frame; });
    return all;
}

}  // namespace weir::vp
