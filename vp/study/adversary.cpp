// SPDX-License-Identifier: Apache-2.0
#include "vp/study/adversary.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "platforms/text.h"
#include "vp/output/output_directory.h"
#include "vp/study/adversary_plan.h"
#include "vp/study/run.h"
#include "vp/study/worker_pool.h"

namespace weir::vp {
namespace {

using json = nlohmann::ordered_json;
using platforms::config_error;
using platforms::platform_config;

/// How long before the crossing the long frame begins to leave.
constexpr picoseconds lead{1};
constexpr int most_attempts = 16;

/// When each target crossed XOFF, and when the long frame began to leave its port; negative: never.
struct moments {
    std::vector<std::int64_t> crossed;
    std::vector<std::int64_t> left;
};

moments moments_of(const run_result& result, const adversary_plan& plan, const std::vector<picoseconds>& held_up) {
    const auto& targets = plan.targets();
    moments m{std::vector<std::int64_t>(targets.size(), -1), std::vector<std::int64_t>(targets.size(), -1)};
    if (!result.seen) return m;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const adversary_target& t = targets[i];
        const std::string& chip = result.configuration.switches[t.port.switch_index].name;
        for (const pause_cause& c : result.seen->causes) {
            // Earlier ones are of other classes at the same port.
            if (c.what != "pause" || c.chip != chip || c.port != t.port.port || c.first < t.begin) continue;
            if (m.crossed[i] < 0 || c.first.count() < m.crossed[i]) m.crossed[i] = c.first.count();
        }
        if (held_up[i] < picoseconds{0}) continue;
        // Which of its frames takes the way through the port is not known; they are there when they should be.
        if (t.link) {
            m.left[i] = plan.leaving_of(t, held_up[i]).count();
            continue;
        }
        const std::string& host = result.configuration.hosts[t.fills].name;
        for (const flow_result& f : result.flows) {
            if (f.destination == host && f.start == held_up[i] && f.finish)
                m.left[i] = plan.left_at(t, *f.finish).count();
        }
    }
    return m;
}

/// A flow list for one run, gone with it.
class flow_file {
public:
    explicit flow_file(const std::string& text) {
        path_ = (std::filesystem::temp_directory_path() / fmt::format("weir-adversary-{}.csv", getpid())).string();
        std::ofstream out(path_);
        out << text;
        out.close();
        if (!out) throw output_error(path_ + ": cannot be written");
    }
    ~flow_file() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    flow_file(const flow_file&) = delete;
    flow_file& operator=(const flow_file&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// What the adversary does to the platform besides its flows.
void prepare(platform_config& platform, const adversary_plan& plan) {
    for (const std::uint32_t host : plan.stopped()) {
        platforms::host_config& stops = platform.hosts[host];
        stops.storm_priorities |= plan.priorities();
        stops.storm_start = stops.storm_duration = picoseconds{0};
        stops.storm_interval = stopping_interval(platform, host);
    }
    // It is the adversary who chooses when somebody begins, and it needs clocks that it can count on.
    const auto steady = [](auto& end) {
        end.start_jitter = picoseconds{0};
        end.clock_ppm = 0;
        end.clock_spread = 0;
    };
    for (auto& host : platform.hosts) steady(host);
    for (auto& each : platform.switches) {
        for (auto& port : each.ports) steady(port);
    }
}

/// One attempt, in this process.
std::string attempt(const engine& simulator, platform_config platform, const adversary& a, run_request request,
                    const std::vector<picoseconds>& held_up,
                    const std::function<std::string(const run_result&)>& tell) {
    json out;
    try {
        const platform_config given = platform;
        const adversary_plan plan(a, given);
        const flow_file flows(plan.flows(held_up));
        platform.workload.kind = platforms::workload_kind::flows;
        platform.workload.file = flows.path();
        prepare(platform, plan);
        request.observe = true;
        request.console = "none";
        if (!request.until) request.until = plan.end();
        const run_result result = simulator.run(platform, request, {});
        const moments m = moments_of(result, plan, held_up);
        out = {{"crossed", m.crossed}, {"left", m.left}, {"told", tell(result)}};
    } catch (const std::exception& e) {
        out = {{"failed", one_line(e.what())}};
    }
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// Moves a target's long frame towards one picosecond before the crossing. False when it is there, or need not be.
bool move_frame(picoseconds& held_up, std::int64_t& stride, const adversary_plan& plan, const adversary_target& target,
                std::int64_t crossed, std::int64_t left) {
    // No pause that could be held up, or nobody to do it.
    if (crossed < 0 || target.held_up_by.empty()) return false;
    const picoseconds wanted = picoseconds{crossed} - lead;
    if (picoseconds{left} == wanted) return false;
    if (held_up < picoseconds{0}) {
        held_up = plan.sent_for(target, wanted);
    } else if (crossed == left) {
        // It takes cells of the same pool, and so it is itself the crossing: it has to come earlier, by more and more
        // frames, until somebody else's frame crosses.
        held_up -= plan.frame_time(target) * stride;
        stride *= 2;
    } else {
        held_up += wanted - picoseconds{left};
    }
    held_up = std::max(held_up, picoseconds{0});
    return true;
}

const std::vector<std::pair<std::string, std::uint32_t adversary::*>>& numbers() {
    static const std::vector<std::pair<std::string, std::uint32_t adversary::*>> all{
        {"frame", &adversary::frame},         {"own", &adversary::own},           {"shift", &adversary::shift},
        {"congested", &adversary::congested}, {"priority", &adversary::priority}, {"dscp", &adversary::dscp}};
    return all;
}

}  // namespace

const std::vector<std::string>& adversary_numbers() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> made;
        for (const auto& [name, member] : numbers()) made.push_back(name);
        return made;
    }();
    return names;
}

void set_adversary_number(adversary& a, const std::string& name, std::uint64_t number) {
    for (const auto& [known, member] : numbers()) {
        if (known == name) a.*member = static_cast<std::uint32_t>(number);
    }
}

void check_adversary(const adversary& a, const platform_config& platform, const std::string& where) {
    const auto named = [&](const std::string& name) {
        const auto host = platforms::find_host(platform, name);
        if (!host) {
            throw config_error(where, fmt::format("host \"{}\" is unknown", name),
                               fmt::format("one of: {}", platforms::host_names(platform)));
        }
        return *host;
    };
    const std::uint32_t receiver = named(a.receiver);
    std::set<std::uint32_t> taken;
    const auto take = [&](const std::string& name) {
        if (!taken.insert(named(name)).second)
            throw config_error(where, fmt::format("host {} is named twice", platform.hosts[named(name)].name),
                               "senders and helper are different hosts");
    };
    for (const auto& name : a.senders) take(name);
    if (!a.helper.empty() && named(a.helper) != receiver) take(a.helper);
    constexpr std::uint32_t shortest = 64;
    if (a.frame < shortest || a.frame > 15'998 || (a.own != 0 && (a.own < shortest || a.own > 15'998)))
        throw config_error(where, "a frame has no such length", "64 to 15998 octets, FCS counted");
    if (a.priority > 7) throw config_error(where, fmt::format("there is no priority {}", a.priority), "0 to 7");
    if (a.dscp > 63 && a.dscp != adversary{}.dscp)
        throw config_error(where, fmt::format("there is no DSCP {}", a.dscp), "0 to 63");
    if (adversary_plan(a, platform).targets().empty())
        throw config_error(where, "nobody is left to send to the receiver", "more hosts, or no helper");
}

std::string adversary_flows(const adversary& a, const platform_config& platform,
                            const std::vector<picoseconds>& held_up) {
    return adversary_plan(a, platform).flows(held_up);
}

std::string adversary_arguments(const adversary& a, const platform_config& platform) {
    const adversary_plan plan(a, platform);
    platform_config prepared = platform;
    prepare(prepared, plan);
    const std::string until = platforms::format_duration(plan.end());
    const auto unsteady = [](const auto& end) {
        return end.start_jitter > picoseconds{0} || end.clock_ppm != 0 || end.clock_spread != 0;
    };
    const auto steady = [](const std::string& whose) {
        return fmt::format(" --hw {0}.start_jitter=0 --hw {0}.clock_ppm=0 --hw {0}.clock_spread=0", whose);
    };
    std::string text;
    if (std::any_of(platform.hosts.begin(), platform.hosts.end(), unsteady)) text += steady("hosts");
    for (const auto& each : platform.switches) {
        if (std::any_of(each.ports.begin(), each.ports.end(), unsteady))
            text += steady("switch." + each.name + ".ports");
    }
    std::string in_the_platform;
    for (const std::uint32_t host : plan.stopped()) {
        const auto& stops = prepared.hosts[host];
        // A key on the command line cannot name a host with a dot in its name.
        if (stops.name.find('.') != std::string::npos) {
            in_the_platform +=
                fmt::format("{} [host.\"{}\"] storm_priorities = {}", in_the_platform.empty() ? ", with" : " and",
                            stops.name, stops.storm_priorities);
            continue;
        }
        text += fmt::format(" --hw host.{}.storm_priorities={}", stops.name, stops.storm_priorities);
        if (stops.storm_interval != platform.hosts[host].storm_interval)
            text += fmt::format(" --hw host.{}.storm_interval={}", stops.name,
                                platforms::format_duration(stops.storm_interval));
    }
    if (!in_the_platform.empty()) in_the_platform += " in the platform";
    return "--until " + until + text + in_the_platform;
}

adversary_result run_adversary(const engine& simulator, const platform_config& platform, const adversary& a,
                               const run_request& request, const std::function<std::string(const run_result&)>& tell) {
    adversary_result result;
    const adversary_plan plan(a, platform);
    const auto& targets = plan.targets();
    std::vector<picoseconds> held_up(targets.size(), picoseconds{-1});
    std::vector<std::int64_t> stride(targets.size(), 1);
    for (int n = 0; n < most_attempts && !result.aligned; ++n) {
        worker_pool pool(1);
        pool.start(0, [&] { return attempt(simulator, platform, a, request, held_up, tell); });
        const auto ended = pool.next();
        const json told = json::parse(ended->text, nullptr, false);
        if (!ended->death.empty() || !told.is_object() || told.contains("failed")) {
            result.failed = !ended->death.empty() ? ended->death
                            : told.is_object()    ? told["failed"].get<std::string>()
                                                  : "the worker gave no result";
            return result;
        }
        result.told = told["told"].get<std::string>();
        result.flows = plan.flows(held_up);
        if (a.helper.empty()) return result;
        result.aligned = true;
        for (std::size_t i = 0; i < targets.size(); ++i) {
            const auto crossed = told["crossed"][i].get<std::int64_t>();
            const auto left = told["left"][i].get<std::int64_t>();
            if (held_up[i] >= picoseconds{0} && left < 0) {  // it was lost on its way
                result.aligned = false;
                return result;
            }
            if (move_frame(held_up[i], stride[i], plan, targets[i], crossed, left)) result.aligned = false;
        }
    }
    return result;
}

}  // namespace weir::vp
