// SPDX-License-Identifier: Apache-2.0
// A broken NIC: for a while it asks its switch to stop, again and again, whatever it receives.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "models/pfc/pause_generator.h"
#include "models/timeline/timeline.h"

namespace weir::host {

struct storm_parameters {
    pfc::bitmap priorities{0};  ///< 0: no storm
    picoseconds start{0};       ///< after the workload's
    picoseconds duration{0};    ///< 0: for ever
    picoseconds interval{0};    ///< between two frames; the longest pause is 65535 quanta
};

class pause_storm : private actor {
public:
    pause_storm(timeline& time, const std::string& name, pfc::pause_generator& generator)
        : actor(time, name), time_(time), generator_(generator) {}

    /// `rate`: of the line, whose octets a quantum counts.
    void plan(const storm_parameters& p, picoseconds origin, data_rate rate) {
        if (p.priorities == 0) return;
        priorities_ = p.priorities;
        generator_.set_quanta(0xffff);
        const std::int64_t quanta = p.interval / rate.quanta(1);
        generator_.set_refresh(static_cast<std::uint16_t>(std::clamp<std::int64_t>(quanta, 1, 0xffff)));
        time_.at(origin + p.start, phase::timer, *this, begins);
        if (p.duration > picoseconds{0}) time_.at(origin + p.start + p.duration, phase::timer, *this, ends);
    }

private:
    enum : std::uint32_t { begins, ends };
    void due(std::uint32_t what) override { generator_.set_forced(what == begins ? priorities_ : pfc::bitmap{0}); }

    timeline& time_;
    pfc::pause_generator& generator_;
    pfc::bitmap priorities_{0};
};

}  // namespace weir::host
