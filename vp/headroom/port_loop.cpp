// SPDX-License-Identifier: Apache-2.0
#include "vp/headroom/port_loop.h"

#include <algorithm>
#include <utility>

#include "platforms/workload.h"

namespace weir::vp {
namespace {

constexpr std::uint32_t rocev2_overhead = 62;  // over untagged IPv4, FCS included

picoseconds at_the_ports(const platforms::switch_config& s) {
    return 2 * (s.phy_latency + s.fec_latency);
}

/// What the neighbour takes to stop.
picoseconds neighbours_response(const platforms::platform_config& platform, std::uint32_t switch_index,
                                std::uint32_t port) {
    for (const auto& host : platform.hosts) {
        if (host.switch_index == switch_index && host.port == port) return host.pfc_response;
    }
    for (const auto& link : platform.links) {
        for (const auto& [own, other] : {std::pair(link.a, link.b), std::pair(link.b, link.a)}) {
            if (own.switch_index != switch_index || own.port != port) continue;
            const platforms::switch_config& neighbour = platform.switches[other.switch_index];
            return neighbour.ports[other.port].pfc_response + at_the_ports(neighbour);
        }
    }
    return picoseconds{0};
}

}  // namespace

std::uint32_t workload_frame(const platforms::platform_config& platform) {
    std::uint32_t largest = 0;
    for (const platforms::flow& f : platforms::make_flows(platform)) {
        largest = std::max(largest, f.plain_udp ? f.payload : f.payload + rocev2_overhead);
    }
    return largest == 0 ? classic_frame : largest;
}

pause_loop port_loop(const platforms::platform_config& platform, std::uint32_t switch_index, std::uint32_t port,
                     std::uint32_t frame) {
    const platforms::switch_config& own = platform.switches[switch_index];
    pause_loop loop;
    loop.rate = own.ports[port].rate;
    loop.cable = cable_delay_per_metre * std::int64_t{own.ports[port].cable_metres};
    loop.response = own.pipeline_latency + at_the_ports(own) + neighbours_response(platform, switch_index, port);
    loop.own_octets = std::max(frame, classic_frame);
    loop.cell_octets = own.cell_octets;
    loop.frame_overhead = own.frame_overhead;
    return loop;
}

}  // namespace weir::vp
