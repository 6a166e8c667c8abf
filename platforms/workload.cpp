// SPDX-License-Identifier: Apache-2.0
// Generators, and the way from the workload's kind to flows.
#include "platforms/workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "platforms/hpcc.h"
#include "platforms/text.h"

namespace weir::platforms {
namespace {

std::uint32_t host_of(const platform_config& platform, const std::string& key, const std::string& name) {
    if (const auto host = find_host(platform, name)) return *host;
    throw config_error(platform.where(key), fmt::format("host \"{}\" is unknown", name),
                       fmt::format("one of: {}", host_names(platform)));
}

data_rate port_rate(const platform_config& platform, std::uint32_t host) {
    const host_config& at = platform.hosts.at(host);
    return platform.switches.at(at.switch_index).ports.at(at.port).rate;
}

/// What every generated flow has in common.
flow generated(const platform_config& platform, std::uint32_t source, std::uint32_t destination) {
    const workload_config& workload = platform.workload;
    flow made;
    made.start = workload.start;
    made.source = source;
    made.destination = destination;
    made.priority = static_cast<std::uint8_t>(workload.priority);
    made.dscp = static_cast<std::uint8_t>(workload.dscp < 0 ? workload.priority * 8
                                                            : static_cast<std::uint32_t>(workload.dscp));
    made.congestion = workload.congestion;
    made.octets = workload.octets;
    made.rate = workload.rate;
    made.payload = workload.frame;
    if (const data_rate rate = port_rate(platform, source); made.rate > rate.bits_per_second()) {
        throw config_error(platform.where("workload.rate"),
                           fmt::format("rate {} is more than the port of {} carries", format_bit_rate(made.rate),
                                       platform.hosts.at(source).name),
                           fmt::format("at most {}", rate.name()));
    }
    return made;
}

void need_two_hosts(const platform_config& platform) {
    if (platform.hosts.size() < 2) {
        throw config_error(platform.where("workload.kind"), "this workload needs two hosts",
                           fmt::format("the platform has {}", platform.hosts.size()));
    }
}

std::vector<flow> incast(const platform_config& platform) {
    need_two_hosts(platform);
    const std::uint32_t receiver = host_of(platform, "workload.receiver", platform.workload.receiver);
    std::vector<std::uint32_t> senders;
    for (const auto& name : platform.workload.senders) {
        const std::uint32_t sender = host_of(platform, "workload.senders", name);
        if (sender == receiver) {
            throw config_error(platform.where("workload.senders"),
                               fmt::format("host {} is the receiver and a sender", platform.hosts[sender].name));
        }
        if (std::find(senders.begin(), senders.end(), sender) != senders.end()) {
            throw config_error(platform.where("workload.senders"),
                               fmt::format("host {} is named twice", platform.hosts[sender].name));
        }
        senders.push_back(sender);
    }
    if (platform.workload.senders.empty()) {
        for (std::uint32_t host = 0; host < platform.hosts.size(); ++host) {
            if (host != receiver) senders.push_back(host);
        }
    }
    std::vector<flow> flows;
    for (const std::uint32_t sender : senders) flows.push_back(generated(platform, sender, receiver));
    return flows;
}

std::vector<flow> permutation(const platform_config& platform) {
    need_two_hosts(platform);
    const auto count = static_cast<std::uint32_t>(platform.hosts.size());
    const std::uint32_t shift = platform.workload.shift;
    if (shift % count == 0) {
        throw config_error(platform.where("workload.shift"),
                           fmt::format("shift {} makes {} hosts send to themselves", shift, count),
                           fmt::format("1 to {}", count - 1));
    }
    std::vector<flow> flows;
    for (std::uint32_t host = 0; host < count; ++host)
        flows.push_back(generated(platform, host, (host + shift) % count));
    return flows;
}

}  // namespace

std::vector<flow> make_flows(const platform_config& platform) {
    switch (platform.workload.kind) {
        case workload_kind::incast:
            return incast(platform);
        case workload_kind::permutation:
            return permutation(platform);
        case workload_kind::flows:
            return read_flow_list(platform.workload.file, platform);
        case workload_kind::hpcc:
            return read_hpcc_flows(platform.workload.file, platform);
        case workload_kind::none:
        case workload_kind::capture:
            break;
    }
    return {};
}

std::optional<replay> make_replay(const platform_config& platform) {
    if (platform.workload.kind != workload_kind::capture) return std::nullopt;
    replay made;
    made.file = platform.workload.file;
    made.host = host_of(platform, "workload.port", platform.workload.port);
    made.speed = platform.workload.speed;
    if (platform.workload.fcs_included) made.fcs_included = true;
    return made;
}

}  // namespace weir::platforms
