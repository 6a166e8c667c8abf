// SPDX-License-Identifier: Apache-2.0
#include "vp/report/distribution.h"

#include <algorithm>
#include <set>

namespace weir::vp::report {
namespace {

constexpr std::size_t most_points = 96;  // of a curve

struct held {
    std::int64_t value;
    std::int64_t time;
};

/// How long each value was held, by rising value.
std::vector<held> times_by_value(const std::vector<change>& changes, std::int64_t begin, std::int64_t end) {
    std::vector<held> spans;
    std::int64_t since = begin;
    std::int64_t value = 0;
    for (const change& each : changes) {
        spans.push_back({value, each.time - since});
        since = each.time;
        value = each.value;
    }
    spans.push_back({value, end - since});
    std::sort(spans.begin(), spans.end(), [](const held& a, const held& b) { return a.value < b.value; });
    std::vector<held> made;
    for (const held& each : spans) {
        if (each.time == 0) continue;
        if (made.empty() || made.back().value != each.value) {
            made.push_back(each);
        } else {
            made.back().time += each.time;
        }
    }
    return made;
}

/// So many thousandths of it, rounded up.
std::int64_t part_of(std::int64_t whole, std::int64_t permille) {
    return whole / 1000 * permille + (whole % 1000 * permille + 999) / 1000;
}

/// Numbers of `all` things of which `most_points` are shown: first, last, and evenly between.
std::vector<std::size_t> chosen(std::size_t all) {
    std::vector<std::size_t> made;
    const std::size_t points = std::min(all, most_points);
    for (std::size_t i = 0; i < points; ++i) made.push_back(points == 1 ? 0 : i * (all - 1) / (points - 1));
    return made;
}

/// Ranks of `all` sorted things of which a curve is made: evenly, and ever closer towards the greatest.
std::set<std::size_t> ranks(std::size_t all) {
    const std::vector<std::size_t> even = chosen(all);
    std::set<std::size_t> made(even.begin(), even.end());
    for (std::size_t from_top = 1; from_top <= all; from_top += from_top / 4 + 1) made.insert(all - from_top);
    return made;
}

}  // namespace

std::int64_t peak_of(const std::vector<change>& changes) {
    std::int64_t peak = 0;
    for (const change& each : changes) peak = std::max(peak, each.value);
    return peak;
}

time_distribution distribution_of(const std::vector<change>& changes, std::int64_t begin, std::int64_t end) {
    time_distribution made;
    const std::vector<held> values = times_by_value(changes, begin, end);
    const auto whole = static_cast<double>(end - begin);
    std::vector<std::int64_t> until;  // time at this value or less
    std::int64_t sum = 0;
    double weighted = 0;
    for (const held& each : values) {
        until.push_back(sum += each.time);
        weighted += static_cast<double>(each.value) * static_cast<double>(each.time);
    }
    made.mean = weighted / whole;
    for (std::size_t q = 0; q < quantile_permille.size(); ++q) {
        const auto at = std::lower_bound(until.begin(), until.end(), part_of(end - begin, quantile_permille[q]));
        made.quantiles[q] = values[static_cast<std::size_t>(at - until.begin())].value;
    }
    for (const std::size_t i : chosen(values.size())) {
        const std::int64_t less = i == 0 ? 0 : until[i - 1];
        made.tail.push_back({values[i].value, static_cast<double>(sum - less) / whole});
    }
    return made;
}

length_distribution lengths_of(const std::vector<interval>& pauses) {
    length_distribution made;
    std::vector<std::int64_t> lengths;
    for (const interval& each : pauses) lengths.push_back(each.end - each.begin);
    if (lengths.empty()) return made;
    std::sort(lengths.begin(), lengths.end());
    made.count = lengths.size();
    made.longest = lengths.back();
    std::vector<std::int64_t> before;  // time of all that are shorter
    for (const std::int64_t each : lengths) {
        before.push_back(made.time);
        made.time += each;
    }
    for (std::size_t q = 0; q < quantile_permille.size(); ++q) {
        const std::int64_t rank = part_of(static_cast<std::int64_t>(lengths.size()), quantile_permille[q]);
        made.quantiles[q] = lengths[static_cast<std::size_t>(rank - 1)];
    }
    for (const std::size_t i : ranks(lengths.size())) {
        // Of equal lengths the first stands for all.
        const auto first =
            static_cast<std::size_t>(std::lower_bound(lengths.begin(), lengths.end(), lengths[i]) - lengths.begin());
        if (!made.tail.empty() && made.tail.back().length == lengths[first]) continue;
        const auto share = [](auto part, auto whole) {
            return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
        };
        made.tail.push_back({lengths[first], share(lengths.size() - first, lengths.size()),
                             share(made.time - before[first], made.time)});
    }
    return made;
}

}  // namespace weir::vp::report
