// SPDX-License-Identifier: Apache-2.0
#include "platforms/ideal.h"

#include <algorithm>

#include "models/ethernet/rocev2.h"
#include "platforms/generated_flow.h"
#include "platforms/routes.h"

namespace weir::platforms {
namespace {

__extension__ using wide = __int128;  // a petabyte in frames of 4 octets takes more picoseconds than 64 bits hold

constexpr std::int64_t preamble_octets = 8;
constexpr wide bits_ps = wide{8} * 1'000'000'000'000;

picoseconds cable_delay(const port_config& port) {
    return cable_delay_per_metre * std::int64_t{port.cable_metres};
}

picoseconds at_the_port(const switch_config& s) {
    return s.phy_latency + s.fec_latency;
}

std::int64_t frame_octets(const flow& f, std::uint64_t payload) {
    if (f.plain_udp) return f.payload;
    return ethernet::rocev2_frame_octets(ethernet::udp_path{}, static_cast<std::uint32_t>(payload));
}

}  // namespace

const std::vector<ideal_times::hop>& ideal_times::path(std::uint32_t source, std::uint32_t destination) {
    const auto [place, added] = paths_.try_emplace({source, destination});
    if (!added) return place->second;
    const std::vector<link_end> ports = ports_between(platform_, source, destination);
    if (ports.empty()) return place->second;
    const host_config& from = platform_.hosts[source];
    // The cable to the first switch, and what lies between its port and its queue; then the same of each next one.
    const auto into = [this](std::uint32_t s) {
        return at_the_port(platform_.switches[s]) + platform_.switches[s].pipeline_latency;
    };
    const port_config& first = platform_.switches[from.switch_index].ports[from.port];
    std::vector<hop> hops{{host_rate(platform_, source), cable_delay(first) + into(from.switch_index)}};
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const switch_config& at = platform_.switches[ports[i].switch_index];
        const port_config& port = at.ports[ports[i].port];
        const picoseconds next = i + 1 < ports.size() ? into(ports[i + 1].switch_index) : picoseconds{0};
        hops.push_back({port.rate, at_the_port(at) + cable_delay(port) + next});
    }
    place->second = std::move(hops);
    return place->second;
}

std::optional<picoseconds> ideal_times::of(const flow& f) {
    const std::vector<hop>& hops = path(f.source, f.destination);
    if (hops.empty()) return std::nullopt;
    const std::uint64_t before = (f.octets - 1) / f.payload;  // frames before the last, all alike
    const std::int64_t body = frame_octets(f, f.payload);
    const std::int64_t tail = frame_octets(f, f.octets - before * f.payload);
    /// When the pace lets frame i go, after the first.
    const auto paced = [&](std::uint64_t i) -> wide {
        return f.rate == 0 ? 0 : wide{i} * (body + wire_overhead_octets) * bits_ps / f.rate;
    };
    wide first = 0;    // the first frame begins at this hop
    wide arrival = 0;  // the last frame is there
    wide behind = 0;   // the last but one begins so long after the first
    for (std::size_t j = 0; j < hops.size(); ++j) {
        const hop& at = hops[j];
        const auto slot = wide{at.rate.octets(body + wire_overhead_octets).count()};
        if (j == 0) {
            arrival = std::max(paced(before), wide{before} * slot);
            behind = before == 0 ? wide{0} : paced(before - 1);
        }
        wide begin = arrival;
        if (before > 0) {
            behind = std::max(behind, wide{before - 1} * slot);
            begin = std::max(begin, first + behind + slot);
        }
        first += at.rate.octets(body + preamble_octets).count() + at.delay.count();
        arrival = begin + at.rate.octets(tail + preamble_octets).count() + at.delay.count();
    }
    if (arrival >= wide{never.count()}) return std::nullopt;
    return picoseconds{static_cast<std::int64_t>(arrival)};
}

}  // namespace weir::platforms
