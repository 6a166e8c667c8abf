// SPDX-License-Identifier: Apache-2.0
#include "vp/study/bisection.h"

#include <algorithm>

namespace weir::vp {
namespace {

constexpr std::int64_t least_scan = 16;

/// i · whole / parts, whatever the size of the range. Precondition: 0 <= i <= parts.
std::int64_t part_of(std::int64_t whole, std::int64_t i, std::int64_t parts) {
    return whole / parts * i + whole % parts * i / parts;
}

/// The search by places: 0 is where nothing should hold, `last` where it should, whichever end of the range that is.
class edge_search {
public:
    edge_search(const search_range& range, const holds_question& holds)
        : range_(range), holds_(holds), last_((range.to - range.from) / range.step) {}

    search_result find(std::optional<std::int64_t> start) {
        std::int64_t below = -1;  // the highest place known not to hold
        std::int64_t edge = last_;
        if (start) {
            // The first place of the grid that is no better than the guess.
            std::int64_t guess = range_.smallest ? (*start - range_.from + range_.step - 1) / range_.step
                                                 : (range_.to - *start + range_.step - 1) / range_.step;
            guess = std::clamp<std::int64_t>(guess, 0, last_);
            try_all({guess, guess - 1});
            gallop(guess, below, edge);
        } else {
            try_all({last_});
        }
        if (!holding(edge)) return without_answer();
        while (edge - below > 1) {
            const std::int64_t middle = below + (edge - below) / 2;
            (holding(middle) ? edge : below) = middle;
        }
        result_.answer = value(edge);
        confirm(edge);
        for (const auto& [at, good] : known_) {
            if (good != (at >= edge)) result_.monotone = false;
        }
        if (!result_.monotone) {
            result_.answer.reset();
            scan();
        }
        return finished();
    }

private:
    [[nodiscard]] std::int64_t value(std::int64_t place) const {
        return range_.smallest ? range_.from + place * range_.step : range_.to - place * range_.step;
    }

    void try_all(std::vector<std::int64_t> places) {
        std::sort(places.begin(), places.end());
        places.erase(std::unique(places.begin(), places.end()), places.end());
        std::vector<std::int64_t> fresh;
        std::vector<std::int64_t> values;
        for (const std::int64_t place : places) {
            if (place < 0 || place > last_ || known_.count(place) != 0) continue;
            fresh.push_back(place);
            values.push_back(value(place));
        }
        if (fresh.empty()) return;
        const std::vector<bool> good = holds_(values);
        for (std::size_t i = 0; i < fresh.size(); ++i) known_[fresh[i]] = good[i];
    }

    bool holding(std::int64_t place) {
        try_all({place});
        return known_.at(place);
    }

    /// From a guess to a place that holds and one below that does not, in strides that double.
    void gallop(std::int64_t guess, std::int64_t& below, std::int64_t& edge) {
        std::int64_t stride = 1;
        if (holding(guess)) {
            edge = guess;
            while (edge > 0) {
                const std::int64_t next = std::max<std::int64_t>(guess - stride, 0);
                if (!holding(next)) {
                    below = next;
                    return;
                }
                edge = next;
                stride *= 2;
            }
            return;
        }
        below = guess;
        while (below < last_) {
            const std::int64_t next = std::min(guess + stride, last_);
            if (holding(next)) {
                edge = next;
                return;
            }
            below = next;
            stride *= 2;
        }
        edge = last_;
    }

    /// Were it not monotone, values on either side might tell: those next to the edge, and some evenly spread, with
    /// both ends of the range among them.
    void confirm(std::int64_t edge) {
        std::vector<std::int64_t> places{edge - 2, edge - 1, edge + 1};
        for (std::int64_t i = 0; i < range_.confirm; ++i) {
            places.push_back(part_of(edge, i, range_.confirm));
            places.push_back(last_ - part_of(last_ - edge, i, range_.confirm));
        }
        try_all(places);
    }

    void scan() {
        const std::int64_t parts = std::max(least_scan, range_.confirm);
        std::vector<std::int64_t> places;
        for (std::int64_t i = 0; i <= parts; ++i) places.push_back(part_of(last_, i, parts));
        try_all(places);
    }

    /// The end that should hold does not: perhaps something else does.
    search_result without_answer() {
        scan();
        result_.monotone = std::none_of(known_.begin(), known_.end(), [](const auto& each) { return each.second; });
        return finished();
    }

    search_result finished() {
        for (const auto& [place, good] : known_) result_.tried[value(place)] = good;
        return std::move(result_);
    }

    search_range range_;
    const holds_question& holds_;
    std::int64_t last_;
    std::map<std::int64_t, bool> known_;
    search_result result_;
};

}  // namespace

search_result find_edge(const search_range& range, std::optional<std::int64_t> start, const holds_question& holds) {
    return edge_search(range, holds).find(start);
}

}  // namespace weir::vp
