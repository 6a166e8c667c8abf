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
#include "vp/record/output_directory.h"
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

/// When each sender's group crossed XOFF, and when the long frame began to leave its port; negative: never.
struct moments {
    std::vector<std::int64_t> crossed;
    std::vector<std::int64_t> left;
};

moments moments_of(const run_result& result, const adversary_plan& plan, const std::vector<picoseconds>& held_up) {
    const std::size_t senders = plan.senders().size();
    moments m{std::vector<std::int64_t>(senders, -1), std::vector<std::int64_t>(senders, -1)};
    for (std::size_t i = 0; i < senders; ++i) {
        const auto& host = result.configuration.hosts[plan.senders()[i]];
        if (!result.seen) continue;
        for (const pause_cause& c : result.seen->causes) {
            if (c.what != "pause" || c.stops != host.name || c.port != host.port) continue;
            if (m.crossed[i] < 0 || c.first.count() < m.crossed[i]) m.crossed[i] = c.first.count();
        }
        if (held_up[i] < picoseconds{0}) continue;
        for (const flow_result& f : result.flows) {
            if (f.destination == host.name && f.finish) m.left[i] = plan.left_at(i, *f.finish).count();
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
void prepare(platform_config& platform, const adversary& a, std::uint32_t receiver) {
    platforms::host_config& stops = platform.hosts[receiver];
    const data_rate rate = platform.switches[stops.switch_index].ports[stops.port].rate;
    stops.storm_priorities |= 1U << a.priority;
    stops.storm_start = stops.storm_duration = picoseconds{0};
    // Before the longest pause has ended.
    stops.storm_interval = std::min(stops.storm_interval, rate.quanta(32'768));
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
        prepare(platform, a, plan.receiver());
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

/// Moves a sender's long frame towards one picosecond before the crossing. False when it is there, or need not be.
bool move_frame(picoseconds& held_up, std::int64_t& stride, const adversary_plan& plan, std::size_t sender,
                std::int64_t crossed, std::int64_t left) {
    if (crossed < 0) return false;  // no pause that could be held up
    const picoseconds wanted = picoseconds{crossed} - lead;
    if (picoseconds{left} == wanted) return false;
    if (held_up < picoseconds{0}) {
        held_up = plan.sent_for(wanted);
    } else if (crossed == left) {
        // It takes cells of the same pool, and so it is itself the crossing: it has to come earlier, by more and more
        // frames, until somebody else's frame crosses.
        held_up -= plan.frame_time(sender) * stride;
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
    std::set<std::uint32_t> taken;
    const auto take = [&](const std::string& name) {
        const auto host = platforms::find_host(platform, name);
        if (!host) {
            throw config_error(where, fmt::format("host \"{}\" is unknown", name),
                               fmt::format("one of: {}", platforms::host_names(platform)));
        }
        if (!taken.insert(*host).second)
            throw config_error(where, fmt::format("host {} is named twice", platform.hosts[*host].name),
                               "receiver, senders and helper are different hosts");
    };
    take(a.receiver);
    if (!a.helper.empty()) take(a.helper);
    for (const auto& name : a.senders) take(name);
    constexpr std::uint32_t shortest = 64;
    if (a.frame < shortest || a.frame > 15'998 || (a.own != 0 && (a.own < shortest || a.own > 15'998)))
        throw config_error(where, "a frame has no such length", "64 to 15998 octets, FCS counted");
    if (a.priority > 7) throw config_error(where, fmt::format("there is no priority {}", a.priority), "0 to 7");
    if (a.dscp > 63 && a.dscp != adversary{}.dscp)
        throw config_error(where, fmt::format("there is no DSCP {}", a.dscp), "0 to 63");
    if (adversary_plan(a, platform).senders().empty())
        throw config_error(where, "nobody is left to send", "more hosts, or no helper");
}

std::string adversary_flows(const adversary& a, const platform_config& platform,
                            const std::vector<picoseconds>& held_up) {
    return adversary_plan(a, platform).flows(held_up);
}

std::string adversary_arguments(const adversary& a, const platform_config& platform) {
    const adversary_plan plan(a, platform);
    platform_config prepared = platform;
    prepare(prepared, a, plan.receiver());
    const auto& stops = prepared.hosts[plan.receiver()];
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
    // A key on the command line cannot name a host with a dot in its name.
    if (stops.name.find('.') != std::string::npos) {
        return fmt::format("--until {}{}, with [host.\"{}\"] storm_priorities = {} in the platform", until, text,
                           stops.name, stops.storm_priorities);
    }
    text += fmt::format(" --hw host.{}.storm_priorities={}", stops.name, stops.storm_priorities);
    if (stops.storm_interval != platform.hosts[plan.receiver()].storm_interval)
        text += fmt::format(" --hw host.{}.storm_interval={}", stops.name,
                            platforms::format_duration(stops.storm_interval));
    return "--until " + until + text;
}

adversary_result run_adversary(const engine& simulator, const platform_config& platform, const adversary& a,
                               const run_request& request, const std::function<std::string(const run_result&)>& tell) {
    adversary_result result;
    const adversary_plan plan(a, platform);
    const std::size_t senders = plan.senders().size();
    std::vector<picoseconds> held_up(senders, picoseconds{-1});
    std::vector<std::int64_t> stride(senders, 1);
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
        for (std::size_t i = 0; i < senders; ++i) {
            const auto crossed = told["crossed"][i].get<std::int64_t>();
            const auto left = told["left"][i].get<std::int64_t>();
            if (held_up[i] >= picoseconds{0} && left < 0) {  // it was lost on its way
                result.aligned = false;
                return result;
            }
            if (move_frame(held_up[i], stride[i], plan, i, crossed, left)) result.aligned = false;
        }
    }
    return result;
}

}  // namespace weir::vp
