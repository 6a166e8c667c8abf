// SPDX-License-Identifier: Apache-2.0
#include "vp/adversary.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "platforms/text.h"
#include "vp/interruption.h"
#include "vp/output_directory.h"
#include "vp/port_loop.h"
#include "vp/study_run.h"
#include "vp/worker_pool.h"

namespace weir::vp {
namespace {

using json = nlohmann::ordered_json;
using platforms::config_error;
using platforms::platform_config;

constexpr std::int64_t wire_preamble_octets = 8;
constexpr std::uint32_t small_frame = 64;
/// How long before the crossing the long frame begins to leave.
constexpr picoseconds lead{1};
constexpr int most_attempts = 16;

std::uint32_t number_of(const platform_config& platform, const std::string& host) {
    return *platforms::find_host(platform, host);
}

const platforms::port_config& port_of(const platform_config& platform, std::uint32_t host) {
    const auto& at = platform.hosts[host];
    return platform.switches[at.switch_index].ports[at.port];
}

const platforms::switch_config& switch_of(const platform_config& platform, std::uint32_t host) {
    return platform.switches[platform.hosts[host].switch_index];
}

picoseconds leg_of(const platform_config& platform, std::uint32_t host) {
    return cable_delay_per_metre * std::int64_t{port_of(platform, host).cable_metres};
}

picoseconds at_the_port_of(const platform_config& platform, std::uint32_t host) {
    return switch_of(platform, host).phy_latency + switch_of(platform, host).fec_latency;
}

std::vector<std::uint32_t> senders_of(const adversary& a, const platform_config& platform) {
    std::vector<std::uint32_t> all;
    if (a.senders.empty()) {
        const std::uint32_t receiver = number_of(platform, a.receiver);
        for (std::uint32_t host = 0; host < platform.hosts.size(); ++host) {
            if (host != receiver && (a.helper.empty() || host != number_of(platform, a.helper))) all.push_back(host);
        }
    } else {
        for (const auto& name : a.senders) all.push_back(number_of(platform, name));
    }
    if (a.congested > 0 && a.congested < all.size()) all.resize(a.congested);
    return all;
}

std::uint32_t own_octets(const adversary& a) {
    return a.own > 0 ? a.own : std::max(classic_frame, a.frame);
}

/// By when the receiver has stopped its port, and a helper can have had a frame ready.
picoseconds begin_of(const adversary& a, const platform_config& platform) {
    const std::uint32_t receiver = number_of(platform, a.receiver);
    picoseconds begin = microseconds(5) + 2 * (leg_of(platform, receiver) + at_the_port_of(platform, receiver)) +
                        port_of(platform, receiver).pfc_response;
    if (a.helper.empty()) return begin;
    const std::uint32_t helper = number_of(platform, a.helper);
    begin += port_of(platform, helper).rate.octets(2 * std::int64_t{own_octets(a)}) + leg_of(platform, helper) +
             at_the_port_of(platform, helper) + switch_of(platform, helper).pipeline_latency;
    return begin;
}

picoseconds stagger_of(const adversary& a, const platform_config& platform) {
    if (!a.staggered || a.helper.empty()) return picoseconds{0};
    // Preamble, gap, and something to spare.
    return port_of(platform, number_of(platform, a.helper)).rate.octets(own_octets(a) + 2 * wire_overhead_octets);
}

/// More frames than the whole switch holds.
std::uint64_t frames_of(const adversary& a, const platforms::switch_config& at) {
    const std::uint64_t cells = (std::uint64_t{a.frame} + at.frame_overhead + at.cell_octets - 1) / at.cell_octets;
    return at.cells / cells + 64;
}

picoseconds end_of(const adversary& a, const platform_config& platform) {
    const auto senders = senders_of(a, platform);
    picoseconds end{0};
    for (const std::uint32_t s : senders) {
        const auto octets =
            static_cast<std::int64_t>(frames_of(a, switch_of(platform, s)) * (a.frame + wire_overhead_octets) +
                                      std::uint64_t{a.shift} * (small_frame + wire_overhead_octets));
        end = std::max(end, port_of(platform, s).rate.octets(octets) + 8 * leg_of(platform, s) +
                                2 * platform.hosts[s].pfc_response);
    }
    return begin_of(a, platform) + stagger_of(a, platform) * static_cast<std::int64_t>(senders.size()) + end +
           microseconds(20);
}

/// When each sender's group crossed XOFF, and when the long frame began to leave its port; negative: never.
struct moments {
    std::vector<std::int64_t> crossed;
    std::vector<std::int64_t> left;
};

moments moments_of(const run_result& result, const adversary& a, const std::vector<std::uint32_t>& senders,
                   const std::vector<picoseconds>& held_up) {
    const platform_config& platform = result.configuration;
    moments m{std::vector<std::int64_t>(senders.size(), -1), std::vector<std::int64_t>(senders.size(), -1)};
    for (std::size_t i = 0; i < senders.size(); ++i) {
        const auto& host = platform.hosts[senders[i]];
        if (!result.seen) continue;
        for (const pause_cause& c : result.seen->causes) {
            if (c.what != "pause" || c.stops != host.name || c.port != host.port) continue;
            if (m.crossed[i] < 0 || c.first.count() < m.crossed[i]) m.crossed[i] = c.first.count();
        }
        if (held_up[i] < picoseconds{0}) continue;
        for (const flow_result& f : result.flows) {
            if (f.destination != host.name || !f.finish) continue;
            m.left[i] = (*f.finish - port_of(platform, senders[i]).rate.octets(own_octets(a) + wire_preamble_octets) -
                         leg_of(platform, senders[i]) - at_the_port_of(platform, senders[i]))
                            .count();
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

/// One attempt, in this process.
std::string attempt(const engine& simulator, platform_config platform, const adversary& a, run_request request,
                    const std::vector<picoseconds>& held_up,
                    const std::function<std::string(const run_result&)>& tell) {
    json out;
    try {
        const std::vector<std::uint32_t> senders = senders_of(a, platform);
        const flow_file flows(adversary_flows(a, platform, held_up));
        platform.workload.kind = platforms::workload_kind::flows;
        platform.workload.file = flows.path();
        platforms::host_config& receiver = platform.hosts[number_of(platform, a.receiver)];
        receiver.storm_priorities |= 1U << a.priority;
        // It is the adversary who chooses when somebody begins.
        for (auto& host : platform.hosts) host.start_jitter = picoseconds{0};
        for (auto& each : platform.switches) {
            for (auto& port : each.ports) port.start_jitter = picoseconds{0};
        }
        request.observe = true;
        request.console = "none";
        if (!request.until) request.until = end_of(a, platform);
        const run_result result = simulator.run(platform, request, {});
        const moments m = moments_of(result, a, senders, held_up);
        out = {{"crossed", m.crossed}, {"left", m.left}, {"told", tell(result)}};
    } catch (const std::exception& e) {
        out = {{"failed", one_line(e.what())}};
    }
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
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
    if (a.frame < small_frame || a.frame > 15'998 || (a.own != 0 && (a.own < small_frame || a.own > 15'998)))
        throw config_error(where, "a frame has no such length", "64 to 15998 octets, FCS counted");
    if (a.priority > 7) throw config_error(where, fmt::format("there is no priority {}", a.priority), "0 to 7");
    if (senders_of(a, platform).empty())
        throw config_error(where, "nobody is left to send", "more hosts, or no helper");
}

std::string adversary_flows(const adversary& a, const platform_config& platform,
                            const std::vector<picoseconds>& held_up) {
    std::string text = "start,source,destination,octets,priority,dscp,rate,frame,ecn,transport\n";
    const std::uint32_t dscp = a.dscp > 63 ? a.priority * 8 : a.dscp;
    const std::string receiver = platform.hosts[number_of(platform, a.receiver)].name;
    const auto senders = senders_of(a, platform);
    // The workload's own pace and marks are not the adversary's: everything is said.
    const auto add = [&](picoseconds start, std::uint32_t from, const std::string& to, std::uint64_t octets,
                         std::uint32_t priority, std::uint32_t codepoint, std::uint32_t frame) {
        text += fmt::format("{}ps,{},{},{},{},{},{},{},not_ect,udp\n", start.count(), platform.hosts[from].name, to,
                            octets, priority, codepoint, port_of(platform, from).rate.name(), frame);
    };
    for (std::size_t i = 0; i < senders.size(); ++i) {
        picoseconds start = begin_of(a, platform) + stagger_of(a, platform) * static_cast<std::int64_t>(i);
        if (a.shift > 0) {
            add(start, senders[i], receiver, std::uint64_t{a.shift} * small_frame, a.priority, dscp, small_frame);
            start +=
                port_of(platform, senders[i]).rate.octets(std::int64_t{a.shift} * (small_frame + wire_overhead_octets));
        }
        add(start, senders[i], receiver, frames_of(a, switch_of(platform, senders[i])) * a.frame, a.priority, dscp,
            a.frame);
        if (i >= held_up.size() || held_up[i] < picoseconds{0}) continue;
        const std::uint32_t other = a.priority == 0 ? 1 : 0;
        add(held_up[i], number_of(platform, a.helper), platform.hosts[senders[i]].name, own_octets(a), other, other * 8,
            own_octets(a));
    }
    return text;
}

std::string adversary_arguments(const adversary& a, const platform_config& platform) {
    const auto& receiver = platform.hosts[number_of(platform, a.receiver)];
    const std::uint32_t storm = receiver.storm_priorities | 1U << a.priority;
    const std::string until = platforms::format_duration(end_of(a, platform));
    // A key on the command line cannot name a host with a dot in its name.
    if (receiver.name.find('.') != std::string::npos) {
        return fmt::format(
            "--hw hosts.start_jitter=0 --until {}, with [host.\"{}\"] storm_priorities = {} in the platform", until,
            receiver.name, storm);
    }
    return fmt::format("--hw host.{}.storm_priorities={} --hw hosts.start_jitter=0 --until {}", receiver.name, storm,
                       until);
}

adversary_result run_adversary(const engine& simulator, platform_config platform, const adversary& a,
                               run_request request, const std::function<std::string(const run_result&)>& tell) {
    adversary_result result;
    const std::vector<std::uint32_t> senders = senders_of(a, platform);
    std::vector<picoseconds> held_up(senders.size(), picoseconds{-1});
    std::vector<std::int64_t> stride(senders.size(), 1);
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
        result.flows = adversary_flows(a, platform, held_up);
        if (a.helper.empty()) return result;
        const std::uint32_t helper = number_of(platform, a.helper);
        result.aligned = true;
        for (std::size_t i = 0; i < senders.size(); ++i) {
            const std::int64_t crossed = told["crossed"][i].get<std::int64_t>();
            const std::int64_t left = told["left"][i].get<std::int64_t>();
            if (crossed < 0) continue;  // no pause that could be held up
            const picoseconds wanted = picoseconds{crossed} - lead;
            if (picoseconds{left} == wanted) continue;
            result.aligned = false;
            if (held_up[i] >= picoseconds{0} && left < 0) return result;  // it was lost on its way
            const data_rate rate = port_of(platform, senders[i]).rate;
            if (held_up[i] < picoseconds{0}) {
                held_up[i] = wanted - port_of(platform, helper).rate.octets(own_octets(a) + wire_preamble_octets) -
                             leg_of(platform, helper) - at_the_port_of(platform, helper) -
                             switch_of(platform, helper).pipeline_latency;
            } else if (crossed == left) {
                // It takes cells of the same pool, and so it is itself the crossing: it has to come earlier, by more
                // and more frames, until somebody else's frame crosses.
                held_up[i] -= rate.octets(std::int64_t{a.frame} + wire_overhead_octets) * stride[i];
                stride[i] *= 2;
            } else {
                held_up[i] += wanted - picoseconds{left};
            }
            held_up[i] = std::max(held_up[i], picoseconds{0});
        }
    }
    return result;
}

}  // namespace weir::vp
