// SPDX-License-Identifier: Apache-2.0
#include "vp/results/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platforms/text.h"
#include "vp/output/table.h"
#include "vp/results/result.h"

namespace weir::vp {
namespace {

/// The smallest value that so many thousandths of all do not exceed.
template <typename Value>
Value nearest_rank(const std::vector<Value>& sorted, std::uint32_t permille) {
    const std::size_t rank = (sorted.size() * permille + 999) / 1000;
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

completion_bin bin_of(std::uint64_t least, std::uint64_t most, const std::vector<const flow_result*>& flows) {
    completion_bin bin;
    bin.least = least;
    bin.most = most;
    bin.flows = flows.size();
    std::vector<picoseconds> times;
    std::vector<double> slowdowns;
    for (const flow_result* f : flows) {
        if (const auto time = f->completion()) times.push_back(*time);
        if (const auto slowdown = f->slowdown()) slowdowns.push_back(*slowdown);
    }
    bin.finished = times.size();
    std::sort(times.begin(), times.end());
    std::sort(slowdowns.begin(), slowdowns.end());
    for (std::size_t i = 0; i < told_permille.size(); ++i) {
        if (!times.empty()) bin.time[i] = nearest_rank(times, told_permille[i]);
        if (!slowdowns.empty()) bin.slowdown[i] = nearest_rank(slowdowns, told_permille[i]);
    }
    return bin;
}

std::uint64_t power_of_ten(std::uint64_t octets) {
    std::uint64_t power = 1;
    while (octets / power >= 10) power *= 10;
    return power;
}

}  // namespace

std::vector<completion_bin> completion_bins(const std::vector<flow_result>& flows) {
    std::map<std::uint64_t, std::vector<const flow_result*>> by_length;
    std::vector<const flow_result*> all;
    for (const flow_result& f : flows) {
        by_length[power_of_ten(f.octets)].push_back(&f);
        all.push_back(&f);
    }
    std::vector<completion_bin> bins;
    for (const auto& [least, own] : by_length) bins.push_back(bin_of(least, least * 10 - 1, own));
    if (bins.size() > 1) bins.push_back(bin_of(bins.front().least, bins.back().most, all));
    return bins;
}

std::string completion_csv(const std::vector<flow_result>& flows) {
    std::string text = "least_octets,most_octets,flows,finished";
    for (const auto name : told_names) text += fmt::format(",{}_ps", name);
    for (const auto name : told_names) text += fmt::format(",{}_slowdown", name);
    text += "\n";
    for (const completion_bin& bin : completion_bins(flows)) {
        text += fmt::format("{},{},{},{}", bin.least, bin.most, bin.flows, bin.finished);
        for (const auto time : bin.time) text += bin.finished == 0 ? "," : fmt::format(",{}", time.count());
        for (const auto slowdown : bin.slowdown) text += slowdown == 0 ? "," : fmt::format(",{:.4f}", slowdown);
        text += "\n";
    }
    return text;
}

std::string completion_text(const std::vector<flow_result>& flows) {
    table rows({"flows of octets", ">flows", ">finished", ">p50 us", ">p99 us", ">max us", ">slowdown p50", ">p99",
                ">p99.9", ">max"});
    std::uint64_t finished = 0;
    for (const completion_bin& bin : completion_bins(flows)) {
        finished += bin.finished;
        const auto time = [&bin](std::size_t i) { return bin.finished == 0 ? std::string{} : us(bin.time[i]); };
        const auto times = [&bin](std::size_t i) {
            return bin.slowdown[i] == 0 ? std::string{} : fmt::format("{:.2f}", bin.slowdown[i]);
        };
        rows.row({fmt::format("{} to {}", grouped(bin.least), grouped(bin.most)), grouped(bin.flows),
                  grouped(bin.finished), time(0), time(2), time(4), times(0), times(2), times(3), times(4)});
    }
    return finished == 0 ? "" : "\n" + rows.text();
}

}  // namespace weir::vp
