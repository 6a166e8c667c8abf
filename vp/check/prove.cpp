// SPDX-License-Identifier: Apache-2.0
#include "vp/check/prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "platforms/text.h"
#include "vp/headroom/headroom.h"
#include "vp/headroom/port_loop.h"
#include "vp/results/table.h"
#include "vp/study/progress.h"
#include "vp/study/run.h"

namespace weir::vp {
namespace {

using json = nlohmann::ordered_json;
using platforms::config_error;
using platforms::platform_config;

platform_config platform_for(const prove_case& c, platform_config platform) {
    if (c.response_percent == 100) return platform;
    for (auto& host : platform.hosts) host.pfc_response = host.pfc_response * std::int64_t{c.response_percent} / 100;
    return platform;
}

/// Where a run came closest to a loss, as JSON.
std::string closest(const run_result& result) {
    json out{{"lost", 0}};
    std::uint64_t lost = 0;
    for (const loss& each : result.losses) lost += each.lossless ? each.frames : 0;
    std::optional<std::int64_t> least;
    const auto take = [&](const std::string& where, std::uint64_t peak, std::uint64_t programmed) {
        const auto left = static_cast<std::int64_t>(programmed) - static_cast<std::int64_t>(peak);
        if (least && left >= *least) return;
        least = left;
        out["where"] = where;
        out["peak"] = peak;
        out["programmed"] = programmed;
    };
    for (const switch_result& s : result.switches) {
        const register_snapshot& r = s.registers;
        for (std::uint32_t port = 0; port < r.front_ports(); ++port) {
            for (std::uint32_t group = 0; group < 8; ++group) {
                const registers::index at{port, group, 0};
                if (r.value("pg.mode.lossless", at) == 0 || r.value("pg.max.cells", at) == 0) continue;
                take(fmt::format("{}.{} PG {}", s.name, port, group), r.value("pg.headroom_max.cells", at),
                     r.value("pg.headroom.cells", at));
            }
        }
        for (std::uint32_t pool = 0; pool < r.value("bm.cap_pools.pools"); ++pool) {
            const std::uint64_t size = r.value("bm.pool_headroom.cells", {pool});
            if (size > 0) {
                take(fmt::format("{} shared headroom of pool {}", s.name, pool),
                     r.value("bm.pool_headroom_max.cells", {pool}), size);
            }
        }
    }
    out["lost"] = lost;
    out["left"] = least.value_or(0);
    return out.dump();
}

std::string outcome_text(const engine& simulator, const platform_config& platform, const prove_case& c) {
    const adversary_result told =
        run_adversary(simulator, platform_for(c, platform), c.against, run_request{}, closest);
    if (!told.failed.empty()) return json{{"failed", told.failed}}.dump();
    json out = json::parse(told.told);
    out["flows"] = told.flows;
    return out.dump();
}

prove_outcome outcome_of(const worker_pool::outcome& ended) {
    prove_outcome made;
    const json in = json::parse(ended.text, nullptr, false);
    if (!ended.death.empty() || !in.is_object() || in.contains("failed")) {
        made.failed = !ended.death.empty() ? ended.death
                      : in.is_object()     ? in["failed"].get<std::string>()
                                           : "no result";
        return made;
    }
    made.lost = in["lost"];
    made.left = in["left"];
    made.where = in.value("where", "nowhere");
    made.peak = in.value("peak", std::uint64_t{0});
    made.programmed = in.value("programmed", std::uint64_t{0});
    made.flows = in["flows"];
    return made;
}

std::vector<prove_outcome> run_all(const engine& simulator, const platform_config& platform,
                                   const std::vector<prove_case>& cases, worker_pool& pool, study_progress& progress,
                                   std::uint64_t before) {
    std::vector<prove_outcome> outcomes(cases.size());
    std::uint64_t finished = before;
    const auto take = [&](worker_pool::outcome&& ended) {
        outcomes[ended.job] = outcome_of(ended);
        progress.update(++finished, 0);
    };
    for (std::size_t i = 0; i < cases.size(); ++i) {
        while (pool.full()) take(*pool.next());
        pool.start(i, [&] { return outcome_text(simulator, platform, cases[i]); });
    }
    while (!pool.idle()) take(*pool.next());
    for (const prove_outcome& each : outcomes) {
        if (!each.failed.empty()) throw config_error(platform.file, "a case could not be run: " + each.failed);
    }
    return outcomes;
}

std::size_t worst_of(const std::vector<prove_outcome>& outcomes) {
    std::size_t worst = 0;
    for (std::size_t i = 1; i < outcomes.size(); ++i) {
        if (outcomes[i].worse_than(outcomes[worst])) worst = i;
    }
    return worst;
}

std::uint32_t congested_of(const prove_case& c) {
    return c.against.congested > 0 ? c.against.congested : static_cast<std::uint32_t>(c.against.senders.size());
}

std::string case_text(const prove_case& c, const platform_config& platform) {
    const std::uint32_t n = congested_of(c);
    std::string text = fmt::format("{} congested port{}, frames of {}", n, n == 1 ? "" : "s", c.against.frame);
    if (!c.against.helper.empty())
        text += fmt::format(", pauses behind frames of {}",
                            c.against.own > 0 ? c.against.own : std::max(classic_frame, c.against.frame));
    if (c.against.shift > 0) text += fmt::format(", {} frames of 64 ahead", c.against.shift);
    if (!c.against.staggered) text += ", all at once";
    if (c.response_percent != 100) text += fmt::format(", {} % of the response time", c.response_percent);
    return text + fmt::format("; {} receives and stops", c.against.receiver) +
           (platform.switches.size() > 1 ? fmt::format(", {} sends first", c.against.senders.front()) : "");
}

/// Cells that the closed form asks for in a case, where it is worst.
std::uint64_t bound_of(const prove_case& c, const platform_config& platform, const lossless_map& map) {
    const platform_config own = platform_for(c, platform);
    std::uint64_t most = 0;
    for (std::uint32_t i = 0; i < congested_of(c); ++i) {
        for (const lossless_place& p : map.places) {
            if (platform.hosts[p.host].name != c.against.senders[i] || p.priority != c.against.priority) continue;
            pause_loop loop = port_loop(own, p.switch_index, p.port, c.against.frame);
            loop.own_octets = c.against.helper.empty() ? 0 : c.against.own;
            most = std::max(most, exact_headroom(loop, c.against.frame, true));
        }
    }
    return most;
}

}  // namespace

bool prove_outcome::worse_than(const prove_outcome& other) const {
    return std::pair(lost, -left) > std::pair(other.lost, -other.left);
}

proof prove(const engine& simulator, const platform_config& platform, const lossless_map& map, worker_pool& pool) {
    std::vector<prove_case> cases = first_cases(platform, map);
    if (cases.empty()) {
        throw config_error(
            platform.file, "no lossless class can be attacked",
            map.left_out.empty() ? "two hosts at least on one switch, with PFC on a priority" : map.left_out.front());
    }
    std::vector<prove_outcome> outcomes;
    {
        study_progress progress(stderr, cases.size(), 0, "cases");
        outcomes = run_all(simulator, platform, cases, pool, progress, 0);
        const std::vector<prove_case> more = cases_around(cases[worst_of(outcomes)], platform);
        const std::vector<prove_outcome> came = run_all(simulator, platform, more, pool, progress, cases.size());
        cases.insert(cases.end(), more.begin(), more.end());
        outcomes.insert(outcomes.end(), came.begin(), came.end());
    }
    const std::size_t worst = worst_of(outcomes);
    const prove_outcome& found = outcomes[worst];
    const std::uint64_t bound = bound_of(cases[worst], platform, map);

    // The worst case of each length of frame.
    std::map<std::uint32_t, std::size_t> by_frame;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const auto [place, fresh] = by_frame.try_emplace(cases[i].against.frame, i);
        if (!fresh && outcomes[i].worse_than(outcomes[place->second])) place->second = i;
    }
    table rows({">frame", ">ports", "where", ">lost", ">headroom used", ">of", ">closed form"});
    for (const auto& [frame, i] : by_frame) {
        rows.row({fmt::format("{}", frame), fmt::format("{}", congested_of(cases[i])), outcomes[i].where,
                  grouped(outcomes[i].lost), grouped(outcomes[i].peak), grouped(outcomes[i].programmed),
                  grouped(bound_of(cases[i], platform, map))});
    }

    proof made;
    made.lost = found.lost > 0;
    made.flows = found.flows;
    made.arguments = adversary_arguments(cases[worst].against, platform);
    made.text = fmt::format("worst case of {} tried\n", cases.size());
    if (made.lost) {
        made.text += fmt::format("  LOST {} lossless frame{}: {} has {} cells of headroom\n", grouped(found.lost),
                                 found.lost == 1 ? "" : "s", found.where, grouped(found.programmed));
    } else {
        made.text +=
            fmt::format("  nothing is lost: {} of {} cells of headroom are left at {}\n",
                        grouped(static_cast<std::uint64_t>(found.left)), grouped(found.programmed), found.where);
    }
    made.text += fmt::format("  {}\n  closed form for these frames: {} cells\n\n{}", case_text(cases[worst], platform),
                             grouped(bound), rows.text());
    for (const auto& each : map.left_out) made.text += "  not tried: " + each + "\n";
    return made;
}

}  // namespace weir::vp
