// SPDX-License-Identifier: Apache-2.0
#include "vp/study/frame_ways.h"

#include <algorithm>

namespace weir::vp {
namespace {

constexpr std::int64_t preamble_of_frame = 8;

}  // namespace

using platforms::link_end;

frame_ways::frame_ways(const platforms::platform_config& platform)
    : platform_(platform), table_(platforms::plan_routes(platform)) {
    if (table_.empty()) table_ = platforms::shortest_paths(platform);
    for (const auto& each : platform.switches) other_end_.emplace_back(each.ports.size());
    for (const auto& link : platform.links) {
        other_end_[link.a.switch_index][link.a.port] = link.b;
        other_end_[link.b.switch_index][link.b.port] = link.a;
    }
}

std::vector<std::uint32_t> frame_ways::beyond(const link_end& port) const {
    std::vector<std::uint32_t> hosts;
    for (std::uint32_t host = 0; host < platform_.hosts.size(); ++host) {
        const auto& ports = table_[port.switch_index][host];
        if (platform_.hosts[host].switch_index != port.switch_index &&
            std::find(ports.begin(), ports.end(), port.port) != ports.end())
            hosts.push_back(host);
    }
    return hosts;
}

std::vector<std::uint32_t> frame_ways::coming_by(const link_end& port, std::uint32_t destination) const {
    const auto& before = other_end_[port.switch_index][port.port];
    if (!before) return {};
    const auto& out = table_[before->switch_index][destination];
    if (std::find(out.begin(), out.end(), before->port) == out.end()) return {};
    std::vector<std::uint32_t> hosts;
    for (std::uint32_t host = 0; host < platform_.hosts.size(); ++host) {
        std::vector<bool> seen(platform_.switches.size(), false);
        if (host != destination && passes(platform_.hosts[host].switch_index, before->switch_index, destination, seen))
            hosts.push_back(host);
    }
    return hosts;
}

/// Whether frames from one switch can come by another on their way.
bool frame_ways::passes(std::uint32_t from, std::uint32_t to, std::uint32_t destination,
                        std::vector<bool>& seen) const {
    if (from == to) return true;
    if (seen[from]) return false;
    seen[from] = true;
    const auto& out = table_[from][destination];
    return std::any_of(out.begin(), out.end(), [&](std::uint32_t port) {
        const auto& next = other_end_[from][port];
        return next && passes(next->switch_index, to, destination, seen);
    });
}

picoseconds frame_ways::leg(const link_end& port) const {
    const platforms::switch_config& at = platform_.switches[port.switch_index];
    return cable_delay_per_metre * std::int64_t{at.ports[port.port].cable_metres} + at.phy_latency + at.fec_latency;
}

std::optional<picoseconds> frame_ways::until_leaving(std::uint32_t source, std::uint32_t destination,
                                                     const link_end& port, std::uint32_t octets) const {
    const auto& host = platform_.hosts[source];
    const link_end first{host.switch_index, host.port};
    const auto rest = onwards(host.switch_index, destination, port, octets, 0);
    if (!rest) return std::nullopt;
    const data_rate rate = platform_.switches[first.switch_index].ports[first.port].rate;
    return rate.octets(octets + preamble_of_frame) + leg(first) + *rest;
}

/// From a frame's arrival at a switch.
std::optional<picoseconds> frame_ways::onwards(std::uint32_t at, std::uint32_t destination, const link_end& port,
                                               std::uint32_t octets, std::size_t hops) const {
    const platforms::switch_config& here = platform_.switches[at];
    const auto& ports = table_[at][destination];
    if (at == port.switch_index) {
        if (std::find(ports.begin(), ports.end(), port.port) == ports.end()) return std::nullopt;
        return here.pipeline_latency;
    }
    // Routes of a file may circle.
    if (hops == platform_.switches.size()) return std::nullopt;
    for (const std::uint32_t out : ports) {
        const auto& next = other_end_[at][out];
        if (!next) continue;
        const auto rest = onwards(next->switch_index, destination, port, octets, hops + 1);
        if (!rest) continue;
        const platforms::switch_config& there = platform_.switches[next->switch_index];
        return here.pipeline_latency + here.ports[out].rate.octets(octets + preamble_of_frame) + leg({at, out}) +
               there.phy_latency + there.fec_latency + *rest;
    }
    return std::nullopt;
}

}  // namespace weir::vp
