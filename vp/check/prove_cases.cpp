// SPDX-License-Identifier: Apache-2.0
// Which short runs a proof consists of.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "vp/check/prove.h"
#include "vp/headroom/port_loop.h"

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
                        std::uint32_t>;
kind kind_of(const lossless_place& p, const platform_config& platform) {
    const auto& port = platform.switches[p.switch_index].ports[p.port];
    return {p.priority,
            port.rate.megabits(),
            port.cable_metres,
            platform.hosts[p.host].pfc_response.count(),
            p.headroom,
            p.shared,
            p.xoff,
            p.max_frame};
}

/// The places of one switch and priority: who receives, who helps, and who sends, the rarest kinds first.
struct attack {
    adversary base;
    std::vector<std::size_t> senders;  ///< places
};

std::vector<attack> attacks(const platform_config& platform, const lossless_map& map) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> fronts;
    for (std::size_t i = 0; i < map.places.size(); ++i)
        fronts[{map.places[i].switch_index, map.places[i].priority}].push_back(i);
    std::set<std::multiset<kind>> seen;
    std::vector<attack> all;
    for (auto& [front, places] : fronts) {
        std::multiset<kind> kinds;
        for (const std::size_t i : places) kinds.insert(kind_of(map.places[i], platform));
        // A switch like one before would only repeat it.
        if (places.size() < 2 || !seen.insert(kinds).second) continue;
        std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
            return kinds.count(kind_of(map.places[a], platform)) < kinds.count(kind_of(map.places[b], platform));
        });
        attack made;
        const auto name = [&](std::size_t i) { return platform.hosts[map.places[i].host].name; };
        made.base.receiver = name(places.back());
        places.pop_back();
        if (places.size() > 1) {
            made.base.helper = name(places.back());
            places.pop_back();
        }
        made.base.priority = front.second;
        made.base.dscp = map.places[places.front()].dscp;
        made.senders = places;
        all.push_back(std::move(made));
    }
    return all;
}

/// Small frames ahead of the others, so that the crossing frame ends as far above XOFF as it can.
std::uint32_t worst_shift(const lossless_place& p, std::uint32_t frame, const platform_config& platform) {
    const std::uint32_t cells = cells_of(frame, platform.switches[p.switch_index]);
    return p.xoff == 0 ? 0 : static_cast<std::uint32_t>((p.xoff - 1) % cells);
}

/// How many of the senders are at work.
std::uint32_t working(const prove_case& c) {
    return c.against.congested > 0 ? c.against.congested : static_cast<std::uint32_t>(c.against.senders.size());
}

}  // namespace

std::vector<prove_case> first_cases(const platform_config& platform, const lossless_map& map) {
    std::vector<prove_case> all;
    for (const attack& front : attacks(platform, map)) {
        const auto add = [&](const std::vector<std::size_t>& senders, std::uint32_t frame, std::uint32_t shift,
                             bool staggered) {
            prove_case c;
            c.against = front.base;
            c.place = senders.front();
            for (const std::size_t i : senders) c.against.senders.push_back(platform.hosts[map.places[i].host].name);
            c.against.frame = frame;
            c.against.own = map.places[c.place].max_frame;
            c.against.shift = shift;
            c.against.staggered = staggered;
            all.push_back(std::move(c));
        };
        std::set<kind> tried;
        for (const std::size_t i : front.senders) {
            if (!tried.insert(kind_of(map.places[i], platform)).second) continue;
            for (const std::uint32_t frame : lengths(map.places[i], platform)) {
                const std::uint32_t shift = worst_shift(map.places[i], frame, platform);
                add({i}, frame, 0, true);
                if (shift > 0) add({i}, frame, shift, true);
            }
        }
        for (std::size_t n = 2; n < 2 * front.senders.size(); n *= 2) {
            const std::vector<std::size_t> some(
                front.senders.begin(),
                front.senders.begin() + static_cast<std::ptrdiff_t>(std::min(n, front.senders.size())));
            const lossless_place& first = map.places[some.front()];
            for (const std::uint32_t frame : lengths(first, platform)) {
                add(some, frame, worst_shift(first, frame, platform), true);
                if (some.size() == front.senders.size()) add(some, frame, 0, false);
            }
        }
    }
    return all;
}

std::vector<prove_case> cases_around(const prove_case& worst, const platform_config& platform) {
    constexpr std::uint32_t most_shifts = 8;
    std::vector<prove_case> all;
    const auto add = [&](auto change) {
        prove_case c = worst;
        change(c);
        all.push_back(std::move(c));
    };
    const auto senders = static_cast<std::uint32_t>(worst.against.senders.size());
    for (std::uint32_t n = 1; n < senders && senders <= 16; ++n) {
        if (n != working(worst)) add([n](prove_case& c) { c.against.congested = n; });
    }
    const std::uint32_t cells = cells_of(
        worst.against.frame,
        platform.switches[platform.hosts[*platforms::find_host(platform, worst.against.senders.front())].switch_index]);
    const std::uint32_t shifts = std::min(cells, most_shifts);
    for (std::uint32_t i = 0; i < shifts; ++i) {
        const std::uint32_t shift = i * cells / shifts;
        if (shift != worst.against.shift) add([shift](prove_case& c) { c.against.shift = shift; });
    }
    for (const std::uint32_t percent : {0U, 50U}) add([percent](prove_case& c) { c.response_percent = percent; });
    if (!worst.against.helper.empty()) {
        add([](prove_case& c) { c.against.staggered = !c.against.staggered; });
        if (worst.against.own > classic_frame) add([](prove_case& c) { c.against.own = classic_frame; });
    }
    return all;
}

}  // namespace weir::vp
