// SPDX-License-Identifier: Apache-2.0
// When a queue was stopped by its peer, and why.
#pragma once

#include <cstdint>
#include <deque>

#include "models/observer/pause_tree.h"
#include "models/timeline/time.h"

namespace weir::observer {

struct shut_interval {
    picoseconds begin;
    picoseconds end;
    pause_reason cause;
};

/// One queue of a port, of a switch or of a host.
struct gate {
    bool shut{false};
    picoseconds since{0};  ///< while it is shut
    pause_reason cause;
    std::deque<shut_interval> past;  ///< as far back as the oldest frame that waits
    std::uint64_t waiting{0};        ///< frames
    picoseconds last_departure{0};

    void close(picoseconds now, pause_reason why) {
        shut = true;
        since = now;
        cause = why;
    }
    void open(picoseconds now) {
        shut = false;
        if (waiting > 0) past.push_back({since, now, cause});
        last = {since, now, cause};
    }
    shut_interval last{picoseconds{-1}, picoseconds{-1}, {}};  ///< the one that ended last
};

}  // namespace weir::observer
