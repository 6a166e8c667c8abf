// SPDX-License-Identifier: Apache-2.0
#include "vp/report/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "vp/report/distribution.h"
#include "vp/report/steps.h"

namespace weir::vp::report {
namespace {

using json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 5> level_kinds{"guaranteed", "service", "headroom", "queue", "pool"};
constexpr std::array<std::string_view, 2> pause_kinds{"asked", "stopped"};
constexpr std::size_t longest_told = 10;  // pauses of a lane by name

template <typename Kinds>
bool among(const Kinds& kinds, const std::string& kind) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool ever_set(const signal& s) {
    return std::any_of(s.changes.begin(), s.changes.end(), [](const change& c) { return c.value != 0; });
}

double rounded(double share) {
    return std::stod(fmt::format("{:.5g}", share));
}

json name_json(const signal& s) {
    json out{{"name", s.name}, {"kind", s.kind}, {"device", s.device}, {"port", s.port}, {"index", s.index}};
    if (s.host) out["host"] = true;
    if (!s.limits.empty()) out["limits"] = s.limits;
    return out;
}

void add_steps(json& out, const detail& reduced) {
    out.update(steps_json(reduced));
}

json distribution_json(const time_distribution& from) {
    json out{{"mean", rounded(from.mean)}};
    for (std::size_t q = 0; q < quantile_names.size(); ++q) out[std::string{quantile_names[q]}] = from.quantiles[q];
    for (const tail_point& each : from.tail) {
        out["x"].push_back(each.value);
        out["of_time"].push_back(rounded(each.time));
    }
    return out;
}

json lengths_json(const length_distribution& from) {
    json out{{"count", from.count}, {"time", from.time}, {"max", from.longest}};
    for (std::size_t q = 0; q < quantile_names.size(); ++q) out[std::string{quantile_names[q]}] = from.quantiles[q];
    for (const length_point& each : from.tail) {
        out["x"].push_back(each.length);
        out["pauses"].push_back(rounded(each.pauses));
        out["of_time"].push_back(rounded(each.time));
    }
    return out;
}

/// The first `most` of `all` by falling weight, in their old order.
template <typename Item, typename Weight>
std::vector<Item> greatest(const std::vector<Item>& all, std::size_t most, const Weight& weight) {
    if (all.size() <= most) return all;
    std::vector<Item> sorted = all;
    std::stable_sort(sorted.begin(), sorted.end(), [&](const Item& a, const Item& b) { return weight(a) > weight(b); });
    sorted.resize(most);
    std::vector<Item> made;
    for (const Item& each : all) {
        if (std::find(sorted.begin(), sorted.end(), each) != sorted.end()) made.push_back(each);
    }
    return made;
}

json levels_json(const recording& from, const page_budget& budget, json& left_out) {
    std::vector<const signal*> all;
    for (const signal& s : from.signals) {
        if (among(level_kinds, s.kind) && ever_set(s)) all.push_back(&s);
    }
    const auto shown = greatest(all, budget.signals, [](const signal* s) { return peak_of(s->changes); });
    if (shown.size() < all.size()) left_out["levels"] = all.size() - shown.size();
    std::vector<std::size_t> wanted;
    for (const signal* s : shown) wanted.push_back(s->changes.size());
    const auto given = share_out(wanted, budget.steps);
    json out = json::array();
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const signal& s = *shown[i];
        json each = name_json(s);
        each["changes"] = s.changes.size();
        add_steps(each, reduce(s.changes, std::max<std::size_t>(given[i], 1)));
        each["peak"] = peak_of(s.changes);
        if (from.exact && from.end > from.begin) {
            each["distribution"] = distribution_json(distribution_of(s.changes, from.begin, from.end));
        }
        out.push_back(std::move(each));
    }
    return out;
}

json lane_json(const signal& s, const std::vector<interval>& all, std::size_t most, bool exact) {
    json out = name_json(s);
    json begin = json::array();
    json length = json::array();
    json count = json::array();
    json time = json::array();
    std::int64_t before = 0;
    const auto merged = merge(all, most);
    for (const interval& each : merged) {
        begin.push_back(each.begin - before);
        before = each.begin;
        length.push_back(each.end - each.begin);
        count.push_back(each.count);
        time.push_back(each.time);
    }
    out["t"] = std::move(begin);
    out["length"] = std::move(length);
    if (merged.size() < all.size()) {
        out["count"] = std::move(count);
        out["time"] = std::move(time);
    }
    const length_distribution lengths = lengths_of(all);
    if (!exact) {  // lengths of samples are lengths of nothing
        out["lengths"] = {{"count", lengths.count}, {"time", lengths.time}};
        return out;
    }
    out["lengths"] = lengths_json(lengths);
    std::vector<interval> longest = all;
    std::stable_sort(longest.begin(), longest.end(),
                     [](const interval& x, const interval& y) { return x.time > y.time; });
    if (longest.size() > longest_told) longest.resize(longest_told);
    for (const interval& each : longest) out["longest"].push_back({each.begin, each.end});
    return out;
}

struct lane {
    const signal* of;
    std::vector<interval> pauses;
    std::int64_t time{0};
    bool operator==(const lane& other) const { return of == other.of; }
};

json lanes_json(const recording& from, const page_budget& budget, json& out, json& left_out) {
    std::vector<lane> all;
    for (const std::string_view kind : pause_kinds) {
        std::vector<interval> together;
        for (const signal& s : from.signals) {
            if (s.kind != kind || !ever_set(s)) continue;
            lane made{&s, intervals_of(s.changes, from.end), 0};
            for (const interval& each : made.pauses) made.time += each.time;
            together.insert(together.end(), made.pauses.begin(), made.pauses.end());
            all.push_back(std::move(made));
        }
        if (from.exact && !together.empty())
            out["pause_lengths"][std::string{kind}] = lengths_json(lengths_of(together));
    }
    const auto shown = greatest(all, budget.lanes, [](const lane& l) { return l.time; });
    if (shown.size() < all.size()) left_out["lanes"] = all.size() - shown.size();
    std::vector<std::size_t> wanted;
    for (const lane& each : shown) wanted.push_back(each.pauses.size());
    const auto given = share_out(wanted, budget.pauses);
    json lanes = json::array();
    for (std::size_t i = 0; i < shown.size(); ++i) {
        lanes.push_back(lane_json(*shown[i].of, shown[i].pauses, std::max<std::size_t>(given[i], 1), from.exact));
    }
    return lanes;
}

/// Events of one kind, as a sum that runs: how many there have been. By reason where `by_value`.
json sums_json(const recording& from, std::string_view kind, bool by_value, std::size_t most) {
    std::map<std::int64_t, std::vector<change>> events;
    for (const signal& s : from.signals) {
        if (s.kind != kind) continue;
        for (const change& each : s.changes) events[by_value ? each.value : 0].push_back(each);
    }
    json out = json::array();
    for (auto& [value, all] : events) {
        std::stable_sort(all.begin(), all.end(), [](const change& a, const change& b) { return a.time < b.time; });
        for (std::size_t i = 0; i < all.size(); ++i) all[i].value = static_cast<std::int64_t>(i + 1);
        const auto number = static_cast<std::size_t>(value);
        const bool named = by_value && value >= 0 && number < from.drop_reasons.size();
        json sum{{"name", named      ? from.drop_reasons[number]
                          : by_value ? fmt::format("reason {}", value)
                                     : "marks"},
                 {"total", all.size()},
                 {"first", all.front().time}};
        add_steps(sum, reduce(all, most));
        out.push_back(std::move(sum));
    }
    return out;
}

/// Which places events happened at, the most first.
json places_json(const recording& from, std::string_view kind, std::size_t most) {
    std::vector<const signal*> all;
    for (const signal& s : from.signals) {
        if (s.kind == kind && !s.changes.empty()) all.push_back(&s);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const signal* a, const signal* b) { return a->changes.size() > b->changes.size(); });
    json out = json::array();
    for (std::size_t i = 0; i < std::min(all.size(), most); ++i) {
        json place = name_json(*all[i]);
        place["events"] = all[i]->changes.size();
        place["first"] = all[i]->changes.front().time;
        place["last"] = all[i]->changes.back().time;
        out.push_back(std::move(place));
    }
    return out;
}

}  // namespace

json steps_json(const detail& reduced) {
    json out;
    json times = json::array();
    json last = json::array();
    json low = json::array();
    json high = json::array();
    std::int64_t before = 0;
    for (const step& each : reduced.steps) {
        times.push_back(each.time - before);
        before = each.time;
        last.push_back(each.last);
        low.push_back(each.low);
        high.push_back(each.high);
    }
    out["resolution"] = reduced.resolution;
    out["t"] = std::move(times);
    if (low != last) out["low"] = std::move(low);
    if (high != last) out["high"] = std::move(high);
    out["v"] = std::move(last);
    return out;
}

json timeline_json(const recording& from, const page_budget& budget) {
    json out{{"begin", from.begin}, {"end", from.end}, {"exact", from.exact}};
    json left_out = json::object();
    out["levels"] = levels_json(from, budget, left_out);
    out["lanes"] = lanes_json(from, budget, out, left_out);
    out["drops"] = sums_json(from, "drop", true, budget.steps / 128);
    out["marks"] = sums_json(from, "mark", false, budget.steps / 32);
    out["drop_places"] = places_json(from, "drop", 100);
    out["mark_places"] = places_json(from, "mark", 100);
    out["left_out"] = std::move(left_out);
    return out;
}

}  // namespace weir::vp::report
