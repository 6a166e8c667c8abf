// SPDX-License-Identifier: Apache-2.0
// A host that takes frames more slowly than its line brings them: a buffer with a rate, which pauses the priorities
// that fill it and drops what it cannot hold.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/ethernet/frame.h"
#include "models/pfc/pause_generator.h"
#include "models/timeline/timeline.h"

namespace weir::host {

struct receive_parameters {
    std::int64_t bits_per_second{0};  ///< of whole frames; 0: as fast as the line
    std::uint64_t octets{0};          ///< that it holds
    std::uint64_t xoff{0};            ///< pauses at and above; 0: never
    std::uint64_t xon{0};             ///< lets go at and below
};

class receive_buffer : private actor {
public:
    receive_buffer(timeline& time, const std::string& name, pfc::pause_generator& generator,
                   const receive_parameters& p);

    /// False: there was no room. The priority is the class selector of the frame's DSCP, or its PCP.
    bool take(const ethernet::frame& f, picoseconds now);
    [[nodiscard]] std::uint64_t overruns() const { return overruns_; }

private:
    void due(std::uint32_t) override;
    void drain(picoseconds now);
    void watch(picoseconds now);

    timeline& time_;
    pfc::pause_generator& generator_;
    receive_parameters p_;
    std::int64_t bits_{0};  ///< held
    picoseconds drained_to_{0};
    std::int64_t remainder_{0};  // of a bit, in bits times picoseconds
    pfc::bitmap paused_{0};
    bool watching_{false};
    std::uint64_t overruns_{0};
};

}  // namespace weir::host
