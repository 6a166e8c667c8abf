// SPDX-License-Identifier: Apache-2.0
#include "vp/study/size_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "platforms/text.h"
#include "vp/headroom/headroom_models.h"
#include "vp/headroom/port_loop.h"

namespace weir::vp {
namespace {

using platforms::config_error;

/// "s0.1" of the platform.
platforms::link_end port_named(const std::string& name, const std::string& where,
                               const platforms::platform_config& platform) {
    const std::size_t dot = name.rfind('.');
    const auto port = platforms::parse_number(dot == std::string::npos ? "" : name.substr(dot + 1));
    for (std::uint32_t s = 0; s < platform.switches.size(); ++s) {
        if (platform.switches[s].name != name.substr(0, dot) || !port) continue;
        if (*port >= platform.switches[s].ports.size()) break;
        return {s, static_cast<std::uint32_t>(*port)};
    }
    throw config_error(where, fmt::format("headroom_of: there is no port \"{}\"", name), "SWITCH.PORT: s0.1");
}

}  // namespace

std::string complaint_of(const study_row& row, const study_points& points) {
    if (!row.failed.empty()) return row.failed;
    for (const study_constraint& each : points.of().constraints) {
        for (std::size_t i = 0; i < points.figures().size(); ++i) {
            if (points.figures()[i].name != each.figure || each.holds(row.values[i])) continue;
            if (!row.values[i]) return fmt::format("it has no {}", each.figure);
            return fmt::format("{} {} is not {} {}", each.figure, *row.values[i], relation_name(each.relation),
                               each.bound);
        }
    }
    return {};
}

std::vector<size_group> size_groups(const study_points& points) {
    const auto& each = points.of().size->each;
    std::vector<size_group> groups;
    std::map<std::vector<std::string>, std::size_t> places;
    for (std::uint64_t point = 0; point < points.points(); ++point) {
        const auto values = points.values(point);
        std::vector<std::string> names;
        for (const auto& name : each) {
            for (std::size_t i = 0; i < values.size(); ++i) {
                if (points.of().parameters[i].name() == name) names.push_back(values[i].text);
            }
        }
        const auto [place, fresh] = places.try_emplace(names, groups.size());
        if (fresh) groups.push_back({names, {}});
        groups[place->second].points.push_back(point);
    }
    return groups;
}

// Throws config_error when a worker died.
// Runs are begun in their order, and none behind one that failed: the first that fails is the same however many
// workers there are.
std::vector<bool> size_search::try_values(const size_group& group, const std::vector<std::int64_t>& values,
                                          size_answer& into) {
    const std::uint64_t seeds = points_.of().seeds.size();
    const std::uint64_t runs = group.points.size() * seeds;
    if (runs == 0) return std::vector<bool>(values.size(), true);
    std::vector<std::uint64_t> first_bad(values.size(), runs);
    const auto take = [&](worker_pool::outcome&& ended) {
        const std::size_t which = ended.job / runs;
        const std::uint64_t place = ended.job % runs;
        auto row = read_row(ended.text, points_);
        if (!row || !ended.death.empty()) {
            // That says nothing of the constraint, one way or the other.
            const std::string more = fmt::format("{}={}", points_.of().size->find, values[which]);
            throw config_error(
                points_.command(group.points[place / seeds], points_.of().seeds[place % seeds], more),
                ended.death.empty() ? "its worker gave no row" : ended.death,
                "nothing is concluded without it: the same study again; --memory bounds what a run takes");
        }
        if (row->holds(points_) || place >= first_bad[which]) return;
        first_bad[which] = place;
        into.against[values[which]] = std::move(*row);
    };
    for (std::uint64_t place = 0; place < runs; ++place) {
        const std::uint64_t run = group.points[place / seeds] * seeds + place % seeds;
        for (std::size_t which = 0; which < values.size(); ++which) {
            if (place >= first_bad[which]) continue;
            while (pool_.full()) take(*pool_.next());
            const std::string more = fmt::format("{}={}", points_.of().size->find, values[which]);
            pool_.start(which * runs + place,
                        [&] { return row_text(do_run(simulator_, points_, run, more), points_); });
        }
    }
    while (!pool_.idle()) take(*pool_.next());
    std::vector<bool> good;
    for (const std::uint64_t place : first_bad) good.push_back(place == runs);
    return good;
}

// The exact form takes the worst of the group: the frame that crosses XOFF may straddle it.
std::vector<headroom_theory> size_search::theory_of(const size_group& group) const {
    const size_question& size = *points_.of().size;
    std::vector<headroom_theory> theory{{"closed form", 0}};
    if (size.headroom_of.empty()) return {};
    for (const std::uint64_t point : group.points) {
        const platforms::platform_config platform = points_.load(point, fmt::format("{}={}", size.find, size.from));
        const platforms::link_end at = port_named(size.headroom_of, size.where, platform);
        std::uint32_t frame = 0;
        std::uint32_t own = 0;
        if (points_.of().against) {
            const adversary a = points_.against(point, platform);
            frame = a.frame;
            own = a.own > 0 ? a.own : std::max(classic_frame, frame);
        } else {
            frame = workload_frame(platform);
            own = std::max(classic_frame, frame);
        }
        pause_loop loop = port_loop(platform, at.switch_index, at.port, frame);
        loop.own_octets = own;
        theory[0].cells = std::max(theory[0].cells, exact_headroom(loop, frame, true));
        headroom_question q;
        q.rate = loop.rate;
        q.metres = platform.switches[at.switch_index].ports[at.port].cable_metres;
        q.cell_octets = loop.cell_octets;
        q.mtu = own;
        q.frame = frame;
        for (const auto& [name, need] : headrooms_by_model(q)) {
            const auto known =
                std::find_if(theory.begin(), theory.end(), [&n = name](const auto& t) { return t.name == n; });
            const std::uint64_t cells = need.cells(q.cell_octets);
            if (known == theory.end()) {
                theory.push_back({std::string{name}, cells});
            } else {
                known->cells = std::max(known->cells, cells);
            }
        }
    }
    return theory;
}

size_answer size_search::answer(const size_group& group) {
    const size_question& size = *points_.of().size;
    size_answer made;
    made.theory = theory_of(group);
    std::optional<std::int64_t> start;
    if (!made.theory.empty()) start = static_cast<std::int64_t>(made.theory.front().cells);
    made.found = find_edge({size.from, size.to, size.step, size.smallest, size.confirm}, start,
                           [&](const std::vector<std::int64_t>& values) { return try_values(group, values, made); });
    return made;
}

}  // namespace weir::vp
