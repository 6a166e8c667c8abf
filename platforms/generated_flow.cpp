// SPDX-License-Identifier: Apache-2.0
#include "platforms/generated_flow.h"

#include <fmt/format.h>

#include <algorithm>

#include "platforms/text.h"

namespace weir::platforms {

std::uint32_t host_of(const platform_config& platform, const std::string& key, const std::string& name) {
    if (const auto host = find_host(platform, name)) return *host;
    throw config_error(platform.where(key), fmt::format("host \"{}\" is unknown", name),
                       fmt::format("one of: {}", host_names(platform)));
}

std::vector<std::uint32_t> hosts_of(const platform_config& platform, const std::string& key,
                                    const std::vector<std::string>& names) {
    std::vector<std::uint32_t> hosts;
    std::vector<bool> named(platform.hosts.size());
    for (const auto& name : names) {
        const std::uint32_t host = host_of(platform, key, name);
        if (named[host]) {
            throw config_error(platform.where(key), fmt::format("host {} is named twice", platform.hosts[host].name));
        }
        named[host] = true;
        hosts.push_back(host);
    }
    if (names.empty()) {
        for (std::uint32_t host = 0; host < platform.hosts.size(); ++host) hosts.push_back(host);
    }
    return hosts;
}

data_rate host_rate(const platform_config& platform, std::uint32_t host) {
    const host_config& at = platform.hosts.at(host);
    return platform.switches.at(at.switch_index).ports.at(at.port).rate;
}

flow generated_flow(const platform_config& platform, std::uint32_t source, std::uint32_t destination) {
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
    if (const data_rate rate = host_rate(platform, source); made.rate > rate.bits_per_second()) {
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

}  // namespace weir::platforms
