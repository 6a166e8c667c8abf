// SPDX-License-Identifier: Apache-2.0
// Generators, and the way from the workload's kind to flows.
#include "platforms/workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "platforms/collectives.h"
#include "platforms/generated_flow.h"
#include "platforms/hpcc.h"
#include "platforms/poisson.h"
#include "platforms/simai.h"

namespace weir::platforms {
namespace {

std::vector<flow> incast(const platform_config& platform) {
    need_two_hosts(platform);
    const std::uint32_t receiver = host_of(platform, "workload.receiver", platform.workload.receiver);
    const auto& names = platform.workload.senders;
    std::vector<std::uint32_t> senders = hosts_of(platform, "workload.senders", names);
    if (const auto self = std::find(senders.begin(), senders.end(), receiver); self != senders.end()) {
        if (!names.empty()) {
            throw config_error(platform.where("workload.senders"),
                               fmt::format("host {} is the receiver and a sender", platform.hosts[receiver].name));
        }
        senders.erase(self);
    }
    const workload_config& workload = platform.workload;
    if (workload.repetitions > 1 && workload.period == picoseconds{0}) {
        throw config_error(platform.where("workload.repetitions"),
                           fmt::format("{} repetitions at the same time", workload.repetitions),
                           "period = \"100us\" in [workload]");
    }
    std::vector<flow> flows;
    for (std::uint32_t i = 0; i < workload.repetitions; ++i) {
        for (const std::uint32_t sender : senders) {
            flows.push_back(generated_flow(platform, sender, receiver));
            flows.back().start += workload.period * i;
        }
    }
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
        flows.push_back(generated_flow(platform, host, (host + shift) % count));
    return flows;
}

}  // namespace

std::vector<flow> make_flows(const platform_config& platform, std::uint64_t seed) {
    switch (platform.workload.kind) {
        case workload_kind::incast:
            return incast(platform);
        case workload_kind::permutation:
            return permutation(platform);
        case workload_kind::poisson:
            return make_poisson(platform, seed);
        case workload_kind::all_to_all:
        case workload_kind::ring_all_reduce:
        case workload_kind::tree_all_reduce:
        case workload_kind::all_gather:
        case workload_kind::reduce_scatter:
            return make_collective(platform);
        case workload_kind::flows:
            return read_flow_list(platform.workload.file, platform);
        case workload_kind::hpcc:
            return read_hpcc_flows(platform.workload.file, platform);
        case workload_kind::simai:
            return read_simai(platform.workload.file, platform);
        case workload_kind::none:
        case workload_kind::capture:
            break;
    }
    return {};
}

std::vector<replay> make_replays(const platform_config& platform) {
    std::vector<replay> made;
    std::vector<bool> taken(platform.hosts.size());
    const auto add = [&](const std::string& section, const std::string& file, const std::string& port, double speed,
                         bool fcs_included) {
        replay next;
        next.file = file;
        next.host = host_of(platform, section + ".port", port);
        next.speed = speed;
        if (fcs_included) next.fcs_included = true;
        if (taken[next.host]) {
            throw config_error(platform.where(section + ".port"),
                               fmt::format("host {} replays two captures", platform.hosts[next.host].name),
                               "one a host");
        }
        taken[next.host] = true;
        made.push_back(std::move(next));
    };
    const workload_config& workload = platform.workload;
    if (workload.kind == workload_kind::capture) {
        add("workload", workload.file, workload.port, workload.speed, workload.fcs_included);
    }
    for (std::size_t i = 0; i < platform.replays.size(); ++i) {
        const replay_config& each = platform.replays[i];
        add(fmt::format("replay.{}", i), each.file, each.port, each.speed, each.fcs_included);
    }
    return made;
}

}  // namespace weir::platforms
