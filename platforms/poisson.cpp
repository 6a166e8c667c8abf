// SPDX-License-Identifier: Apache-2.0
#include "platforms/poisson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <tuple>

#include "models/timeline/random_stream.h"
#include "platforms/generated_flow.h"
#include "platforms/sizes.h"
#include "platforms/text.h"

namespace weir::platforms {
namespace {

__extension__ using wide = unsigned __int128;

constexpr std::uint64_t most_flows = 10'000'000;
constexpr picoseconds longest_gap = microseconds(86'400'000'000);  // a day

/// Mean time between two flows of a sender: eight times the mean length over rate and load.
picoseconds mean_gap(const platform_config& platform, const size_distribution& sizes, data_rate rate) {
    const auto millionths = static_cast<std::uint64_t>(std::llround(platform.workload.load * 1e6));
    const wide scaled = static_cast<wide>(sizes.mean_thousandths()) * 8 * 1'000'000'000 * 1'000'000;
    const wide gap = scaled / (static_cast<wide>(rate.bits_per_second()) * millionths);
    if (gap == 0 || gap > static_cast<wide>(longest_gap.count())) {
        throw config_error(platform.where("workload.load"),
                           fmt::format("load {} of {} makes flows come {}", platform.workload.load, rate.name(),
                                       gap == 0 ? "all at once" : "less than once a day"),
                           "a load that fits the lengths of the flows");
    }
    return picoseconds{static_cast<std::int64_t>(gap)};
}

struct sender {
    std::uint32_t host;
    random_stream random;
    picoseconds gap;
    std::vector<std::uint32_t> receivers;

    [[nodiscard]] picoseconds next_gap() {
        const wide scaled = static_cast<wide>(random.exponential()) * static_cast<std::uint64_t>(gap.count());
        return picoseconds{static_cast<std::int64_t>(scaled >> 32)};
    }
    [[nodiscard]] std::uint32_t next_receiver() {
        return receivers[static_cast<std::size_t>(std::uint64_t{random.next()} * receivers.size() >> 32)];
    }
};

std::vector<sender> make_senders(const platform_config& platform, std::uint64_t seed, const size_distribution& sizes) {
    auto sources = hosts_of(platform, "workload.senders", platform.workload.senders);
    auto receivers = hosts_of(platform, "workload.receivers", platform.workload.receivers);
    std::sort(sources.begin(), sources.end());
    std::sort(receivers.begin(), receivers.end());
    std::vector<sender> senders;
    for (const std::uint32_t host : sources) {
        sender made{host, random_stream(seed, "workload." + platform.hosts[host].name),
                    mean_gap(platform, sizes, host_rate(platform, host)), receivers};
        made.receivers.erase(std::remove(made.receivers.begin(), made.receivers.end(), host), made.receivers.end());
        if (made.receivers.empty()) {
            throw config_error(platform.where("workload.receivers"),
                               fmt::format("host {} would send to itself", platform.hosts[host].name),
                               "a receiver besides it");
        }
        senders.push_back(std::move(made));
    }
    return senders;
}

}  // namespace

std::vector<flow> make_poisson(const platform_config& platform, std::uint64_t seed) {
    need_two_hosts(platform);
    const workload_config& workload = platform.workload;
    if (workload.count == 0 && workload.duration == picoseconds{0}) {
        throw config_error(platform.where("workload.kind"), "this workload has no end",
                           "count = 1000 or duration = \"10ms\" in [workload]");
    }
    const size_distribution sizes = load_sizes(workload.sizes);
    std::vector<sender> senders = make_senders(platform, seed, sizes);
    using arrival = std::tuple<picoseconds, std::size_t>;  // of the next flow, and its sender
    std::priority_queue<arrival, std::vector<arrival>, std::greater<>> next;
    for (std::size_t i = 0; i < senders.size(); ++i) next.emplace(senders[i].next_gap(), i);
    std::vector<flow> flows;
    while (workload.count == 0 || flows.size() < workload.count) {
        const auto [time, i] = next.top();
        if (workload.duration != picoseconds{0} && time >= workload.duration) break;
        if (flows.size() == most_flows) {
            throw config_error(platform.where("workload.duration"), fmt::format("more than {} flows", most_flows),
                               "a shorter duration or a lower load");
        }
        next.pop();
        sender& from = senders[i];
        const std::uint64_t octets = sizes.draw(from.random);
        flow made = generated_flow(platform, from.host, from.next_receiver());
        made.start += time;
        made.octets = octets;
        flows.push_back(std::move(made));
        next.emplace(time + from.next_gap(), i);
    }
    return flows;
}

}  // namespace weir::platforms
