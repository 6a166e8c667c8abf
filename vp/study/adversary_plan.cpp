// SPDX-License-Identifier: Apache-2.0
#include "vp/study/adversary_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "vp/headroom/port_loop.h"

namespace weir::vp {
namespace {

constexpr std::int64_t wire_preamble_octets = 8;
constexpr std::uint32_t small_frame = 64;

}  // namespace

adversary_plan::adversary_plan(const adversary& a, const platforms::platform_config& platform)
    : a_(a), platform_(platform), receiver_(*platforms::find_host(platform, a.receiver)) {
    if (!a.helper.empty()) helper_ = *platforms::find_host(platform, a.helper);
    for (const auto& name : a.senders) senders_.push_back(*platforms::find_host(platform, name));
    if (a.senders.empty()) {
        for (std::uint32_t host = 0; host < platform.hosts.size(); ++host) {
            if (host != receiver_ && (a.helper.empty() || host != helper_)) senders_.push_back(host);
        }
    }
    if (a.congested > 0 && a.congested < senders_.size()) senders_.resize(a.congested);
}

const platforms::port_config& adversary_plan::port(std::uint32_t host) const {
    return at(host).ports[platform_.hosts[host].port];
}

const platforms::switch_config& adversary_plan::at(std::uint32_t host) const {
    return platform_.switches[platform_.hosts[host].switch_index];
}

picoseconds adversary_plan::leg(std::uint32_t host) const {
    return cable_delay_per_metre * std::int64_t{port(host).cable_metres} + at(host).phy_latency + at(host).fec_latency;
}

std::uint32_t adversary_plan::own_octets() const {
    return a_.own > 0 ? a_.own : std::max(classic_frame, a_.frame);
}

// By then the receiver has stopped its port, and a helper can have had a frame ready.
picoseconds adversary_plan::begin(std::size_t sender) const {
    picoseconds begin = microseconds(5) + 2 * leg(receiver_) + port(receiver_).pfc_response;
    if (!a_.helper.empty()) {
        begin +=
            port(helper_).rate.octets(2 * std::int64_t{own_octets()}) + leg(helper_) + at(helper_).pipeline_latency;
    }
    return begin + stagger() * static_cast<std::int64_t>(sender);
}

picoseconds adversary_plan::stagger() const {
    if (!a_.staggered || a_.helper.empty()) return picoseconds{0};
    // Preamble, gap, and something to spare.
    return port(helper_).rate.octets(own_octets() + 2 * wire_overhead_octets);
}

std::uint64_t adversary_plan::frames(std::uint32_t host) const {
    const std::uint64_t cell = at(host).cell_octets;
    const std::uint64_t cells = (std::uint64_t{a_.frame} + at(host).frame_overhead + cell - 1) / cell;
    return at(host).cells / cells + 64;
}

picoseconds adversary_plan::end() const {
    picoseconds longest{0};
    for (const std::uint32_t s : senders_) {
        const std::uint64_t octets = frames(s) * (a_.frame + wire_overhead_octets) +
                                     std::uint64_t{a_.shift} * (small_frame + wire_overhead_octets);
        longest = std::max(longest, port(s).rate.octets(static_cast<std::int64_t>(octets)) + 8 * leg(s) +
                                        2 * platform_.hosts[s].pfc_response);
    }
    return begin(senders_.size()) + longest + microseconds(20);
}

picoseconds adversary_plan::frame_time(std::size_t sender) const {
    return port(senders_[sender]).rate.octets(std::int64_t{a_.frame} + wire_overhead_octets);
}

picoseconds adversary_plan::sent_for(picoseconds leaving) const {
    return leaving - port(helper_).rate.octets(own_octets() + wire_preamble_octets) - leg(helper_) -
           at(helper_).pipeline_latency;
}

picoseconds adversary_plan::left_at(std::size_t sender, picoseconds arrived) const {
    const std::uint32_t host = senders_[sender];
    return arrived - port(host).rate.octets(own_octets() + wire_preamble_octets) - leg(host);
}

std::string adversary_plan::flows(const std::vector<picoseconds>& held_up) const {
    std::string text = "start,source,destination,octets,priority,dscp,rate,frame,ecn,transport\n";
    const std::uint32_t dscp = a_.dscp > 63 ? a_.priority * 8 : a_.dscp;
    // The workload's own pace and marks are not the adversary's: everything is said.
    const auto add = [&](picoseconds start, std::uint32_t from, std::uint32_t to, std::uint64_t octets,
                         std::uint32_t priority, std::uint32_t codepoint, std::uint32_t frame) {
        text += fmt::format("{}ps,{},{},{},{},{},{},{},not_ect,udp\n", start.count(), platform_.hosts[from].name,
                            platform_.hosts[to].name, octets, priority, codepoint, port(from).rate.name(), frame);
    };
    for (std::size_t i = 0; i < senders_.size(); ++i) {
        const std::uint32_t sender = senders_[i];
        picoseconds start = begin(i);
        if (a_.shift > 0) {
            add(start, sender, receiver_, std::uint64_t{a_.shift} * small_frame, a_.priority, dscp, small_frame);
            start += port(sender).rate.octets(std::int64_t{a_.shift} * (small_frame + wire_overhead_octets));
        }
        add(start, sender, receiver_, frames(sender) * a_.frame, a_.priority, dscp, a_.frame);
        if (i >= held_up.size() || held_up[i] < picoseconds{0}) continue;
        const std::uint32_t other = a_.priority == 0 ? 1 : 0;
        add(held_up[i], helper_, sender, own_octets(), other, other * 8, own_octets());
    }
    return text;
}

}  // namespace weir::vp
