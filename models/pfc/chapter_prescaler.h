// SPDX-License-Identifier: Apache-2.0
// Chapter mode of the pause timers (G9): the PFC RTL chapter divides the port's clock by a whole number to get quanta.
//
//   ticks every floor(512 · MHz / Mb/s) clocks, from the moment the mode was set; none at all when that is 0 (100G and
//   up)
//
// A frame acts at the clock edge at or after its last octet. A tick on that edge is lost to every timer.
#pragma once

#include <cstdint>

#include "models/timeline/time.h"

namespace weir::pfc {

class chapter_prescaler {
public:
    void configure(picoseconds now, std::uint32_t megahertz, data_rate rate) {
        origin_ = now;
        megahertz_ = megahertz == 0 ? 1 : megahertz;
        cycles_ = std::int64_t{quantum_octets} * 8 * megahertz / rate.megabits();
    }
    /// Clocks a quantum.
    [[nodiscard]] std::int64_t cycles() const { return cycles_; }
    /// The clock edge at or after `t`.
    [[nodiscard]] picoseconds edge(picoseconds t) const { return time_of(edge_number(t)); }
    [[nodiscard]] bool ticks_at(picoseconds edge) const { return cycles_ != 0 && edge_number(edge) % cycles_ == 0; }
    /// The n-th tick after an edge or a tick; `never` when there are no ticks.
    [[nodiscard]] picoseconds tick_after(picoseconds edge, std::int64_t n) const {
        return cycles_ == 0 ? never : time_of((edge_number(edge) / cycles_ + n) * cycles_);
    }

private:
    static constexpr std::int64_t microsecond = 1'000'000;  // picoseconds; megahertz_ clocks

    // Whole microseconds apart from the rest: the product would leave 64 bits after a day.
    [[nodiscard]] std::int64_t edge_number(picoseconds t) const {
        const std::int64_t since = (t - origin_).count();
        return since / microsecond * megahertz_ + (since % microsecond * megahertz_ + microsecond - 1) / microsecond;
    }
    [[nodiscard]] picoseconds time_of(std::int64_t n) const {
        return origin_ + picoseconds{n / megahertz_ * microsecond + n % megahertz_ * microsecond / megahertz_};
    }

    picoseconds origin_{0};
    std::int64_t megahertz_{156};
    std::int64_t cycles_{0};
};

}  // namespace weir::pfc
