// SPDX-License-Identifier: Apache-2.0
// A token bucket (G8): a frame starts only when the bucket holds a token for each of its bits. Exact: one token is a
// billionth of a bit, so that kbit/s times picoseconds is a whole number of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/timeline/time.h"

namespace weir::scheduler {

class token_bucket {
public:
    /// `kilobits` 0: no limit. A burst below the largest frame would stop that frame for good; the driver refuses it.
    void configure(std::uint32_t kilobits, std::uint32_t burst_octets, picoseconds now) {
        rate_ = kilobits;
        depth_ = tokens_of(burst_octets);
        level_ = depth_;
        updated_ = now;
    }
    [[nodiscard]] bool limits() const { return rate_ != 0; }

    /// The earliest time from `now` on at which a frame of so many octets may start.
    [[nodiscard]] picoseconds ready(std::int64_t octets, picoseconds now) {
        if (rate_ == 0) return now;
        refill(now);
        const std::int64_t missing = tokens_of(octets) - level_;
        if (missing <= 0) return now;
        if (tokens_of(octets) > depth_) return never;
        return now + picoseconds{(missing + rate_ - 1) / rate_};
    }

    /// The frame starts at `now`, which `ready` gave.
    void spend(std::int64_t octets, picoseconds now) {
        if (rate_ == 0) return;
        refill(now);
        level_ -= tokens_of(octets);
    }

    /// The frame starts at `now` whether there are tokens for it or not. A debt grows to the bucket's depth at most.
    void charge(std::int64_t octets, picoseconds now) {
        refill(now);
        level_ = std::max(level_ - tokens_of(octets), -depth_);
    }

private:
    static constexpr std::int64_t tokens_of(std::int64_t octets) { return octets * 8 * 1'000'000'000; }

    void refill(picoseconds now) {
        const std::int64_t elapsed = (now - updated_).count();
        updated_ = now;
        const std::int64_t until_full = (depth_ - level_) / rate_ + 1;
        level_ = elapsed >= until_full ? depth_ : std::min(depth_, level_ + elapsed * rate_);
    }

    std::int64_t rate_{0};
    std::int64_t depth_{0};
    std::int64_t level_{0};
    picoseconds updated_{0};
};

}  // namespace weir::scheduler
