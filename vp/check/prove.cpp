// SPDX-License-Identifier: Apache-2.0
#include "vp/check/prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "platforms/text.h"
#include "vp/headroom/headroom.h"
#include "vp/headroom/port_loop.h"
#include "vp/output/table.h"
#include "vp/study/adversary_plan.h"
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

/// Where a run came closest to a loss, as JSON, and how close at each target.
std::string closest(const run_result& result, const adversary_plan& plan) {
    json out{{"lost", 0}, {"reached", json::array()}};
    std::uint64_t lost = 0;
    for (const loss& each : result.losses) lost += each.lossless ? each.frames : 0;
    std::optional<std::int64_t> least;
    const auto take = [&](const std::string& where, std::uint64_t peak, std::uint64_t programmed, std::uint32_t chip,
                          std::uint32_t port, const json& pool) {
        const auto left = static_cast<std::int64_t>(programmed) - static_cast<std::int64_t>(peak);
        if (least && left >= *least) return;
        least = left;
        out["where"] = where;
        out["peak"] = peak;
        out["programmed"] = programmed;
        out["port"] = {chip, port};
        out["pool"] = pool;
    };
    for (std::uint32_t chip = 0; chip < result.switches.size(); ++chip) {
        const switch_result& s = result.switches[chip];
        const register_snapshot& r = s.registers;
        for (std::uint32_t port = 0; port < r.front_ports(); ++port) {
            for (std::uint32_t group = 0; group < 8; ++group) {
                const registers::index at{port, group, 0};
                if (r.value("pg.mode.lossless", at) == 0 || r.value("pg.max.cells", at) == 0) continue;
                take(fmt::format("{}.{} PG {}", s.name, port, group), r.value("pg.headroom_max.cells", at),
                     r.value("pg.headroom.cells", at), chip, port, nullptr);
            }
        }
        for (std::uint32_t pool = 0; pool < r.value("bm.cap_pools.pools"); ++pool) {
            const std::uint64_t size = r.value("bm.pool_headroom.cells", {pool});
            if (size > 0) {
                take(fmt::format("{} shared headroom of pool {}", s.name, pool),
                     r.value("bm.pool_headroom_max.cells", {pool}), size, chip, 0, pool);
            }
        }
    }
    for (const adversary_target& t : plan.targets()) {
        const register_snapshot& r = result.switches[t.port.switch_index].registers;
        std::uint64_t most = 0;
        for (std::uint32_t group = 0; group < 8; ++group) {
            const registers::index at{t.port.port, group, 0};
            if ((r.value("map.group_priorities.priorities", at) >> t.traffic.priority & 1U) != 0)
                most = std::max(most, r.value("pg.headroom_max.cells", at));
        }
        out["reached"].push_back(most);
    }
    out["lost"] = lost;
    out["left"] = least.value_or(0);
    return out.dump();
}

std::string outcome_text(const engine& simulator, const platform_config& platform, const prove_case& c) {
    const platform_config own = platform_for(c, platform);
    const adversary_plan plan(c.against, own);
    const adversary_result told = run_adversary(simulator, own, c.against, run_request{},
                                                [&plan](const run_result& r) { return closest(r, plan); });
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
    made.reached = in["reached"].get<std::vector<std::uint64_t>>();
    if (in.contains("port")) {
        made.port = {in["port"][0], in["port"][1]};
        if (!in["pool"].is_null()) made.pool = in["pool"].get<std::uint32_t>();
    }
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

std::size_t ports_of(const adversary_plan& plan) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> ports;
    for (const adversary_target& t : plan.targets()) ports.emplace(t.port.switch_index, t.port.port);
    return ports.size();
}

std::size_t ports_of(const prove_case& c, const platform_config& platform) {
    return ports_of(adversary_plan(c.against, platform));
}

std::string case_text(const prove_case& c, const platform_config& platform) {
    const platform_config own = platform_for(c, platform);
    const adversary_plan plan(c.against, own);
    const std::size_t n = ports_of(plan);
    std::string text = fmt::format("{} congested port{}", n, n == 1 ? "" : "s");
    if (!c.against.more.empty()) text += fmt::format(" in {} classes", 1 + c.against.more.size());
    text += fmt::format(", frames of {}, pauses behind frames of {}", c.against.frame, plan.own_octets());
    if (c.against.shift > 0) text += fmt::format(", {} frames of 64 ahead", c.against.shift);
    if (!c.against.staggered) text += ", all at once";
    if (c.response_percent != 100) text += fmt::format(", {} % of the response time", c.response_percent);
    text += fmt::format("; {} receives and stops", c.against.receiver);
    if (!c.against.through.empty()) text += fmt::format(", hosts beyond {} send through it", c.against.through);
    if (platform.switches.size() > 1 && !c.against.senders.empty())
        text += fmt::format(", {} sends first", c.against.senders.front());
    return text;
}

/// Cells that the closed form asks for at a port in a case.
std::uint64_t bound_at(const prove_case& c, const platform_config& own, const platforms::link_end& port) {
    pause_loop loop = port_loop(own, port.switch_index, port.port, c.against.frame);
    loop.own_octets = c.against.own;
    return exact_headroom(loop, c.against.frame, true);
}

/// The same where the case came closest to a loss: of a shared pool for all groups of the switch that are attacked.
std::uint64_t bound_of(const prove_case& c, const prove_outcome& found, const platform_config& platform,
                       const lossless_map& map) {
    const platform_config own = platform_for(c, platform);
    if (!found.pool) return bound_at(c, own, found.port);
    const adversary_plan plan(c.against, own);
    std::uint64_t sum = 0;
    for (const adversary_target& t : plan.targets()) {
        const bool shares = std::any_of(map.places.begin(), map.places.end(), [&](const lossless_place& p) {
            return p.shared && p.switch_index == found.port.switch_index && p.switch_index == t.port.switch_index &&
                   p.port == t.port.port && p.priority == t.traffic.priority;
        });
        if (shares) sum += bound_at(c, own, t.port);
    }
    return sum;
}

/// How much of what the closed form asks for the attacks brought together, at ports to hosts and at ports to switches:
/// at the port of each where that was the least.
class reached_ports {
public:
    reached_ports(const std::vector<prove_case>& cases, const std::vector<prove_outcome>& outcomes,
                  const platform_config& platform) {
        std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, cells> ports;
        for (std::size_t i = 0; i < cases.size(); ++i) {
            if (cases[i].response_percent != 100) continue;
            const adversary_plan plan(cases[i].against, platform);
            for (std::size_t k = 0; k < plan.targets().size(); ++k) {
                const adversary_target& t = plan.targets()[k];
                cells& at = ports[{t.link, t.port.switch_index, t.port.port}];
                at.used = std::max(at.used, outcomes[i].reached[k]);
                at.asked_for = std::max(at.asked_for, bound_at(cases[i], platform, t.port));
            }
        }
        for (const auto& [port, at] : ports) {
            if (at.used == 0) {
                const auto& chip = platform.switches[std::get<1>(port)].name;
                unreached_ += fmt::format("{}{}.{}", unreached_.empty() ? "" : ", ", chip, std::get<2>(port));
                continue;
            }
            cells& least = std::get<0>(port) ? links_ : hosts_;
            if (least.asked_for == 0 || at.used * least.asked_for < least.used * at.asked_for) least = at;
        }
    }

    [[nodiscard]] bool whole() const { return hosts_.used >= hosts_.asked_for && links_.used >= links_.asked_for; }

    /// "s0.3, s1.0": ports to which nothing came; empty: there are none.
    [[nodiscard]] const std::string& unreached() const { return unreached_; }

    [[nodiscard]] std::string text() const {
        const auto line = [](const cells& at, const char* ports, const char* besides) {
            if (at.asked_for == 0) return std::string{};
            return fmt::format("  ports to {}: at each at least {} of the closed form's {} cells were used{}\n", ports,
                               grouped(at.used), grouped(at.asked_for), at.used < at.asked_for ? besides : "");
        };
        return line(hosts_, "hosts, attacked from there", "") +
               line(links_, "switches, attacked through them", ": when a frame comes is not chosen there to the octet");
    }

private:
    struct cells {
        std::uint64_t used{0};
        std::uint64_t asked_for{0};
    };
    cells hosts_;
    cells links_;
    std::string unreached_;
};

}  // namespace

bool prove_outcome::worse_than(const prove_outcome& other) const {
    return std::pair(lost, -left) > std::pair(other.lost, -other.left);
}

proof prove(const engine& simulator, const platform_config& platform, const lossless_map& map, worker_pool& pool) {
    std::vector<prove_case> cases = first_cases(platform, map);
    if (cases.empty()) {
        throw config_error(platform.file, "no lossless class can be attacked",
                           map.left_out.empty() ? "two hosts at least, with PFC on a priority" : map.left_out.front());
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
    const std::uint64_t bound = bound_of(cases[worst], found, platform, map);

    // The worst case of each length of frame.
    std::map<std::uint32_t, std::size_t> by_frame;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const auto [place, fresh] = by_frame.try_emplace(cases[i].against.frame, i);
        if (!fresh && outcomes[i].worse_than(outcomes[place->second])) place->second = i;
    }
    table rows({">frame", ">ports", "where", ">lost", ">headroom used", ">of", ">closed form"});
    for (const auto& [frame, i] : by_frame) {
        rows.row({fmt::format("{}", frame), fmt::format("{}", ports_of(cases[i], platform)), outcomes[i].where,
                  grouped(outcomes[i].lost), grouped(outcomes[i].peak), grouped(outcomes[i].programmed),
                  grouped(bound_of(cases[i], outcomes[i], platform, map))});
    }

    const reached_ports reach(cases, outcomes, platform);
    std::vector<std::string> untried = map.left_out;
    if (std::string places = untried_places(cases, platform, map); !places.empty())
        untried.push_back(std::move(places));
    if (!reach.unreached().empty()) untried.push_back(reach.unreached() + ": no frame used headroom there");

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
            fmt::format("  nothing is lost{}: {} of {} cells of headroom are left at {}\n",
                        reach.whole() && untried.empty() ? "" : " where it was tried",
                        grouped(static_cast<std::uint64_t>(found.left)), grouped(found.programmed), found.where);
    }
    made.text += fmt::format("  {}\n  closed form for these frames: {} cells\n\n{}", case_text(cases[worst], platform),
                             grouped(bound), rows.text());
    if (!made.lost) made.text += reach.text();
    for (const auto& each : untried) made.text += "  not tried: " + each + "\n";
    return made;
}

}  // namespace weir::vp
