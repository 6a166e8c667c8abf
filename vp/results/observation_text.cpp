// SPDX-License-Identifier: Apache-2.0
// The observer's view as text and CSV.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "platforms/text.h"
#include "vp/output/table.h"
#include "vp/results/observation.h"

namespace weir::vp {
namespace {

using platforms::format_octets;

/// Lines of each list that the summary shows; the files have all.
constexpr std::size_t shown = 20;

std::string more(std::size_t all) {
    return all > shown ? fmt::format("  … and {} more\n", all - shown) : "";
}

std::string circles_text(const observation& o) {
    std::string text;
    for (std::size_t i = 0; i < std::min(o.circles.size(), shown); ++i) {
        const wait_circle& c = o.circles[i];
        std::vector<std::string> members;
        for (const auto& m : c.members) members.push_back(fmt::format("({}, {}, {})", m.chip, m.port, m.priority));
        members.push_back(members.front());
        text += fmt::format("  circle of waits (switch, port, priority): {}\n", fmt::join(members, " -> "));
        text += fmt::format("    closed at {} us, {} time{}", us(c.first), c.times, c.times == 1 ? "" : "s");
        text += c.stands_since ? fmt::format("; DEADLOCK: nothing has left it since {} us\n", us(*c.stands_since))
                               : "; it came apart\n";
    }
    return text.empty() ? "  no circle of waits\n" : text + more(o.circles.size());
}

std::string causes_text(const observation& o) {
    if (o.causes.empty()) return "";
    table rows({"pauses by cause", ">times", ">us", ">most octets"});
    for (std::size_t i = 0; i < std::min(o.causes.size(), shown); ++i) {
        const pause_cause& c = o.causes[i];
        std::string what = std::string(2 * std::size_t{c.depth}, ' ');
        if (c.what == "congestion") {
            what += fmt::format("congestion at {}.{} queue {}", c.chip, c.port, c.which);
        } else if (c.what == "host") {
            what += fmt::format("host {} pauses", c.chip);
        } else if (c.what == "forced") {
            what += fmt::format("{}.{} pauses although no group asks", c.chip, c.port);
        } else {
            what += fmt::format("{}.{} PG {} stops {}{}", c.chip, c.port, c.which, c.stops,
                                c.circular ? " (in a circle)" : "");
        }
        rows.row({what, grouped(c.times), us(c.time), grouped(c.octets)});
    }
    return "\n" + rows.text() + more(o.causes.size());
}

std::string victims_text(const observation& o) {
    table rows({"flow", "victim", ">lost us", ">to others", "whose"});
    std::size_t victims = 0;
    for (const flow_loss& l : o.losses) {
        if (l.foreign == picoseconds{0} || ++victims > shown) continue;
        rows.row({fmt::format("{}", l.flow), fmt::format("{} -> {} priority {}", l.source, l.destination, l.priority),
                  us(l.lost), us(l.foreign), l.worst});
    }
    return rows.empty() ? "\n  no flow lost time to pauses that it had no part in\n"
                        : "\n" + rows.text() + more(victims);
}

std::string spread_text(const observation& o) {
    observer::spread most{};
    for (const auto& row : o.spread) {
        most.links = std::max(most.links, row.links);
        most.hosts = std::max(most.hosts, row.hosts);
        most.roots = std::max(most.roots, row.roots);
    }
    return fmt::format("\n  at most {} links between switches and {} hosts stopped at once, by {} causes\n", most.links,
                       most.hosts, most.roots);
}

std::string headroom_text(const observation& o) {
    table rows({"headroom", ">used", ">needed at worst", ">programmed"});
    std::vector<headroom_use> uses = o.headroom;
    std::stable_sort(uses.begin(), uses.end(), [](const auto& a, const auto& b) { return a.used > b.used; });
    for (std::size_t i = 0; i < std::min(uses.size(), shown); ++i) {
        const headroom_use& u = uses[i];
        rows.row({fmt::format("{}.{} PG {}", u.chip, u.port, u.group), grouped(u.used), grouped(u.needed),
                  grouped(u.programmed)});
    }
    return rows.empty() ? "" : "\n" + rows.text() + more(uses.size());
}

}  // namespace

std::string observation_text(const observation& o) {
    return "\n  seen from outside\n" + circles_text(o) + causes_text(o) + victims_text(o) + spread_text(o) +
           headroom_text(o);
}

std::string pauses_csv(const observation& o) {
    std::string text = "depth,what,where,port,queue_or_group,stops,in_circle,times,time_ps,most_octets\n";
    for (const auto& c : o.causes) {
        text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", c.depth, c.what, c.chip, c.port, c.which, c.stops,
                            c.circular ? 1 : 0, c.times, c.time.count(), c.octets);
    }
    return text;
}

std::string victims_csv(const observation& o) {
    std::string text = "flow,source,destination,priority,lost_ps,lost_to_others_ps,worst_cause\n";
    for (const auto& l : o.losses) {
        text += fmt::format("{},{},{},{},{},{},{}\n", l.flow, l.source, l.destination, l.priority, l.lost.count(),
                            l.foreign.count(), l.worst);
    }
    return text;
}

std::string spread_csv(const observation& o) {
    std::string text = "time_ps,stopped_links,stopped_hosts,causes\n";
    for (const auto& row : o.spread) {
        text += fmt::format("{},{},{},{}\n", row.time.count(), row.links, row.hosts, row.roots);
    }
    return text;
}

}  // namespace weir::vp
