// SPDX-License-Identifier: Apache-2.0
#include "vp/study/adversary_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "vp/headroom/port_loop.h"

namespace weir::vp {
namespace {

constexpr std::int64_t wire_preamble_octets = 8;
constexpr std::uint32_t small_frame = 64;
/// Of each host that sends through other switches: enough for equal paths to share them.
constexpr std::uint32_t flows_through = 8;
/// Which of equal paths a frame takes is not known beforehand: of so many frames one should take the right one.
constexpr std::size_t most_held_up_by = 16;

}  // namespace

using platforms::link_end;

picoseconds stopping_interval(const platforms::platform_config& platform, std::uint32_t host) {
    const platforms::host_config& stops = platform.hosts[host];
    // Before the longest pause has ended.
    return std::min(stops.storm_interval, platform.switches[stops.switch_index].ports[stops.port].rate.quanta(32'768));
}

adversary_plan::adversary_plan(const adversary& a, const platforms::platform_config& platform)
    : a_(a), platform_(platform), ways_(platform), receiver_(*platforms::find_host(platform, a.receiver)) {
    if (!a.helper.empty()) helper_ = *platforms::find_host(platform, a.helper);
    classes_.push_back({a.priority, a.dscp > 63 ? a.priority * 8 : a.dscp});
    classes_.insert(classes_.end(), a.more.begin(), a.more.end());
    choose_senders();
    const auto latest_begin = [this] {
        return std::max_element(streams_.begin(), streams_.end(),
                                [](const stream& x, const stream& y) { return x.begin < y.begin; })
            ->begin;
    };
    picoseconds begin = first_begin();
    picoseconds last = begin;
    const auto round_ends = [&](picoseconds latest, const std::vector<std::uint32_t>& hosts) {
        picoseconds longest{0};
        for (const std::uint32_t host : hosts) longest = std::max(longest, fill_time(host));
        begin = last = latest + longest;
    };
    for (const adversary_class& each : classes_) {
        if (!a.through.empty()) {
            // What comes by the port towards the receiver goes elsewhere, after the others.
            std::set<std::uint32_t> taken;
            const auto hosts = plan_links(each, begin, receiver_, taken);
            if (!hosts.empty()) round_ends(latest_begin(), hosts);
            const auto others = hosts.empty() ? hosts : plan_links(each, begin, hosts.back(), taken);
            if (!others.empty()) {
                second_receiver_ = hosts.back();
                round_ends(latest_begin(), others);
            }
        }
        if (senders_.empty()) continue;
        for (std::size_t i = 0; i < senders_.size(); ++i)
            plan_host(senders_[i], receiver_, each, begin + stagger() * static_cast<std::int64_t>(i));
        round_ends(begin + stagger() * static_cast<std::int64_t>(senders_.size()), senders_);
    }
    for (const adversary_class& each : classes_) {
        if (!receiver_sends_) break;
        // Its own pauses, with which it stops the others, are not to lie between its frames.
        const picoseconds interval = stopping_interval(platform, receiver_);
        begin = interval * ((begin.count() + interval.count() - 1) / interval.count()) + microseconds(1);
        plan_host(receiver_, senders_.front(), each, begin);
        round_ends(begin, {receiver_});
    }
    end_ = last + microseconds(20);
}

void adversary_plan::choose_senders() {
    std::vector<std::uint32_t> all;
    for (const auto& name : a_.senders) all.push_back(*platforms::find_host(platform_, name));
    if (a_.senders.empty() && a_.through.empty()) {
        for (std::uint32_t host = 0; host < platform_.hosts.size(); ++host) {
            if (host != receiver_ && (a_.helper.empty() || host != helper_)) all.push_back(host);
        }
    }
    if (a_.congested > 0 && a_.congested < all.size()) all.resize(a_.congested);
    for (const std::uint32_t host : all) {
        if (host == receiver_) {
            receiver_sends_ = true;
        } else {
            senders_.push_back(host);
        }
    }
    receiver_sends_ = receiver_sends_ && !senders_.empty();
}

void adversary_plan::plan_host(std::uint32_t sender, std::uint32_t destination, const adversary_class& traffic,
                               picoseconds begin) {
    adversary_target made;
    made.port = port_of(sender);
    made.fills = sender;
    made.traffic = traffic;
    made.begin = begin;
    // By the time that the helper is a target itself the first sender has nothing else to do.
    const std::uint32_t helper = helper_ == sender ? senders_.front() : helper_;
    if (!a_.helper.empty() && helper != sender && ways_.until_leaving(helper, sender, made.port, own_octets()))
        made.held_up_by.emplace_back(helper, sender);
    targets_.push_back(std::move(made));
    streams_.push_back({begin, sender, destination, traffic, 1});
}

/// Every host sends whose frames to that receiver come by ports of the switch that are not yet taken. Which they are.
std::vector<std::uint32_t> adversary_plan::plan_links(const adversary_class& traffic, picoseconds begin,
                                                      std::uint32_t receiver, std::set<std::uint32_t>& taken) {
    const auto found = std::find_if(platform_.switches.begin(), platform_.switches.end(),
                                    [&](const auto& each) { return each.name == a_.through; });
    const auto number = static_cast<std::uint32_t>(found - platform_.switches.begin());
    // Hosts of the switch itself help, each at one port; where it has none, those beside the receiver, at each port
    // after the other: their frames share links on the way.
    std::vector<std::uint32_t> helpers = hosts_of(number);
    const bool near = !helpers.empty();
    if (!near) helpers = hosts_of(platform_.hosts[receiver].switch_index);
    if (helpers.size() > most_held_up_by) helpers.resize(most_held_up_by);
    // What the one before has stopped on the way has come to rest.
    picoseconds apart = microseconds(20);
    for (const std::uint32_t host : helpers)
        apart += port(host).rate.octets(std::int64_t{own_octets()} + 2 * wire_overhead_octets);
    if (near || a_.helper.empty()) apart = picoseconds{0};

    std::map<std::uint32_t, picoseconds> sources;
    const std::size_t before = targets_.size();
    for (std::uint32_t port = 0; port < found->ports.size(); ++port) {
        const std::vector<std::uint32_t> hosts = ways_.coming_by({number, port}, receiver);
        if (hosts.empty() || !taken.insert(port).second) continue;
        adversary_target made;
        made.port = {number, port};
        made.fills = hosts.front();
        made.link = true;
        made.traffic = traffic;
        made.begin = begin;
        for (const std::uint32_t host : hosts)
            sources.try_emplace(host, begin + apart * static_cast<std::int64_t>(targets_.size() - before));
        targets_.push_back(std::move(made));
    }
    std::vector<std::uint32_t> senders;
    for (const auto& [host, start] : sources) {
        senders.push_back(host);
        streams_.push_back({start, host, receiver, traffic, flows_through});
    }
    if (a_.helper.empty()) return senders;
    const std::size_t targets = targets_.size() - before;
    for (std::size_t place = 0; place < targets; ++place) {
        adversary_target& t = targets_[before + place];
        const std::vector<std::uint32_t> beyond = ways_.beyond(t.port);
        for (std::size_t i = 0; i < helpers.size() && !beyond.empty(); ++i) {
            const std::uint32_t to = beyond[i % beyond.size()];
            if ((!near || i % targets == place) && ways_.until_leaving(helpers[i], to, t.port, own_octets()))
                t.held_up_by.emplace_back(helpers[i], to);
        }
    }
    return senders;
}

std::vector<std::uint32_t> adversary_plan::hosts_of(std::uint32_t switch_index) const {
    std::vector<std::uint32_t> hosts;
    for (std::uint32_t host = 0; host < platform_.hosts.size(); ++host) {
        if (platform_.hosts[host].switch_index == switch_index) hosts.push_back(host);
    }
    return hosts;
}

std::vector<std::uint32_t> adversary_plan::stopped() const {
    std::vector<std::uint32_t> hosts{receiver_};
    if (receiver_sends_) hosts.push_back(senders_.front());
    if (second_receiver_) hosts.push_back(*second_receiver_);
    return hosts;
}

std::uint32_t adversary_plan::priorities() const {
    std::uint32_t bits = 0;
    for (const adversary_class& each : classes_) bits |= 1U << each.priority;
    return bits;
}

std::uint32_t adversary_plan::other_priority() const {
    std::uint32_t other = 0;
    while (other < 7 && (priorities() >> other & 1U) != 0) ++other;
    return other;
}

const platforms::port_config& adversary_plan::port(std::uint32_t host) const {
    return at(host).ports[platform_.hosts[host].port];
}

const platforms::switch_config& adversary_plan::at(std::uint32_t host) const {
    return platform_.switches[platform_.hosts[host].switch_index];
}

link_end adversary_plan::port_of(std::uint32_t host) const {
    return {platform_.hosts[host].switch_index, platform_.hosts[host].port};
}

std::uint32_t adversary_plan::own_octets() const {
    return a_.own > 0 ? a_.own : std::max(classic_frame, a_.frame);
}

// By then the receiver has stopped its port, and a helper can have had a frame ready.
picoseconds adversary_plan::first_begin() const {
    picoseconds begin = microseconds(5) + 2 * ways_.leg(port_of(receiver_)) + port(receiver_).pfc_response;
    if (!a_.helper.empty()) {
        begin += port(helper_).rate.octets(2 * std::int64_t{own_octets()}) + ways_.leg(port_of(helper_)) +
                 at(helper_).pipeline_latency;
    }
    // To other switches it is further.
    if (!a_.through.empty()) begin += microseconds(20);
    return begin;
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

picoseconds adversary_plan::fill_time(std::uint32_t host) const {
    const std::uint64_t octets = frames(host) * (a_.frame + wire_overhead_octets) +
                                 std::uint64_t{a_.shift} * (small_frame + wire_overhead_octets);
    return port(host).rate.octets(static_cast<std::int64_t>(octets)) + 8 * ways_.leg(port_of(host)) +
           2 * platform_.hosts[host].pfc_response;
}

picoseconds adversary_plan::frame_time(const adversary_target& t) const {
    return platform_.switches[t.port.switch_index].ports[t.port.port].rate.octets(std::int64_t{a_.frame} +
                                                                                  wire_overhead_octets);
}

picoseconds adversary_plan::way_to(const adversary_target& t, std::size_t nth) const {
    const auto& [from, to] = t.held_up_by.at(nth);
    return ways_.until_leaving(from, to, t.port, own_octets()).value();
}

picoseconds adversary_plan::sent_for(const adversary_target& t, picoseconds leaving) const {
    return leaving - way_to(t, 0);
}

picoseconds adversary_plan::leaving_of(const adversary_target& t, picoseconds sent) const {
    return sent + way_to(t, 0);
}

picoseconds adversary_plan::left_at(const adversary_target& t, picoseconds arrived) const {
    return arrived - port(t.fills).rate.octets(own_octets() + wire_preamble_octets) - ways_.leg(t.port);
}

std::string adversary_plan::flows(const std::vector<picoseconds>& held_up) const {
    std::string text = "start,source,destination,octets,priority,dscp,rate,frame,ecn,transport\n";
    // The workload's own pace and marks are not the adversary's: everything is said.
    const auto add = [&](picoseconds start, std::uint32_t from, std::uint32_t to, std::uint64_t octets,
                         const adversary_class& traffic, std::uint32_t frame) {
        text += fmt::format("{}ps,{},{},{},{},{},{},{},not_ect,udp\n", start.count(), platform_.hosts[from].name,
                            platform_.hosts[to].name, octets, traffic.priority, traffic.dscp, port(from).rate.name(),
                            frame);
    };
    for (const stream& s : streams_) {
        picoseconds start = s.begin;
        if (a_.shift > 0) {
            add(start, s.source, s.destination, std::uint64_t{a_.shift} * small_frame, s.traffic, small_frame);
            start += port(s.source).rate.octets(std::int64_t{a_.shift} * (small_frame + wire_overhead_octets));
        }
        for (std::uint32_t i = 0; i < s.flows; ++i)
            add(start, s.source, s.destination, frames(s.source) * a_.frame, s.traffic, a_.frame);
    }
    const std::uint32_t other = other_priority();
    for (std::size_t i = 0; i < targets_.size() && i < held_up.size(); ++i) {
        if (held_up[i] < picoseconds{0}) continue;
        const adversary_target& t = targets_[i];
        for (std::size_t n = 0; n < t.held_up_by.size(); ++n) {
            const picoseconds sent = std::max(held_up[i] + way_to(t, 0) - way_to(t, n), picoseconds{0});
            add(sent, t.held_up_by[n].first, t.held_up_by[n].second, own_octets(), {other, other * 8}, own_octets());
        }
    }
    return text;
}

}  // namespace weir::vp
