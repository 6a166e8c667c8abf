// SPDX-License-Identifier: Apache-2.0
#include "platforms/part_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "platforms/host_dcbx.h"

namespace weir::platforms {
namespace {

/// What the simulation calls its own parts beside the switches and hosts: their names are not free.
void check_taken_names(const platform_config& platform) {
    std::set<std::string> taken{"time", "flapper", "failures", "flow_starter"};
    const auto take = [&](const std::string& name, const std::string& key, const std::string& shown) {
        if (taken.insert(name).second) return;
        throw config_error(platform.where(key), fmt::format("the name \"{}\" is taken", shown), "another name");
    };
    for (const auto& each : platform.switches) take(each.name, "switch." + each.name, each.name);
    for (const auto& each : platform.switches) {
        take(each.name + "_cpu", "switch." + each.name, each.name + "_cpu");
        for (std::size_t p = 0; p < each.ports.size(); ++p) {
            const std::string cable = fmt::format("{}_cable{}", each.name, p);
            take(cable, "switch." + each.name, cable);
            take(cable + "_end", "switch." + each.name, cable + "_end");
        }
    }
    for (const auto& each : platform.hosts) {
        std::string name = each.name;
        std::replace(name.begin(), name.end(), '.', '_');
        take(name, "host." + each.name, each.name);
    }
}

void check_addresses(const platform_config& platform) {
    std::map<ethernet::mac_address, std::string> macs;
    std::map<ethernet::ipv4_address, std::string> ips;
    for (const auto& host : platform.hosts) {
        if (const auto [other, fresh] = macs.emplace(host.mac, host.name); !fresh) {
            throw config_error(platform.where("host." + host.name + ".mac"),
                               fmt::format("hosts {} and {} have the same MAC address", other->second, host.name));
        }
        if (const auto [other, fresh] = ips.emplace(host.ip, host.name); !fresh) {
            throw config_error(platform.where("host." + host.name + ".ip"),
                               fmt::format("hosts {} and {} have the same IP address", other->second, host.name));
        }
    }
}

void check_dcbx(const platform_config& platform) {
    for (const auto& host : platform.hosts) {
        if (!host.dcbx) continue;
        const std::string key = "host." + host.name;
        const auto most = host.dcbx_pfc_capability == 0 ? 8 : static_cast<int>(host.dcbx_pfc_capability);
        if (const int enabled = __builtin_popcount(host.dcbx_pfc); enabled > most) {
            throw config_error(platform.where(key + ".dcbx_pfc"),
                               fmt::format("host {} enables PFC for {} priorities", host.name, enabled),
                               fmt::format("{} at most: dcbx_pfc_capability", most));
        }
        if (!host.dcbx_ets.empty() && !ets_of(host.dcbx_ets)) {
            throw config_error(platform.where(key + ".dcbx_ets"),
                               fmt::format("\"{}\" serves no eight classes", host.dcbx_ets),
                               "eight words, strict or a percentage; the percentages are 100 together");
        }
    }
}

void check_receivers(const platform_config& platform) {
    for (const auto& host : platform.hosts) {
        const std::string key = "host." + host.name;
        if (host.receive_rate == 0 || host.receive_xoff == 0) continue;
        if (host.receive_xoff > host.receive_buffer) {
            throw config_error(platform.where(key + ".receive_xoff"),
                               fmt::format("host {} pauses at {} octets, which its buffer does not hold", host.name,
                                           host.receive_xoff),
                               fmt::format("{} at most: receive_buffer", host.receive_buffer));
        }
        if (host.receive_xon >= host.receive_xoff) {
            throw config_error(platform.where(key + ".receive_xon"),
                               fmt::format("host {} lets go at {} octets", host.name, host.receive_xon),
                               fmt::format("less than receive_xoff, {}", host.receive_xoff));
        }
    }
}

/// What arrives behind a gap is kept: somebody must say how much that can be.
void check_recovery(const platform_config& platform) {
    for (const auto& host : platform.hosts) {
        if (host.recovery != host::recovery_kind::selective || host.window != 0) continue;
        const std::string own = "host." + host.name + ".recovery";
        throw config_error(platform.where(platform.sources.count(own) != 0 ? own : "hosts.recovery"),
                           fmt::format("host {} recovers selectively without a window", host.name),
                           "window: the octets under way in a round trip, for example \"256KiB\"");
    }
}

}  // namespace

void check_parts(const platform_config& platform) {
    check_taken_names(platform);
    check_addresses(platform);
    check_dcbx(platform);
    check_receivers(platform);
    check_recovery(platform);
}

}  // namespace weir::platforms
