// SPDX-License-Identifier: Apache-2.0
// A checker's own idea of when a port's wire is free again, from the frames that it saw start (P4, P21).
#pragma once

#include <cstdint>

#include "models/timeline/time.h"

namespace weir::port {

class wire_watch {
public:
    /// A frame of that many octets starts at `now`.
    void take(picoseconds now, data_rate rate, std::uint32_t length, bool data) {
        const picoseconds time = rate.octets(preamble_octets + length);
        // A transmit clock may be up to a thousandth fast.
        until_ = now + time - time / 1000;
        data_ = data;
    }
    void forget() { until_ = picoseconds{0}; }
    [[nodiscard]] bool busy(picoseconds now) const { return now < until_; }
    /// The frame in progress is one of data. Valid while `busy`.
    [[nodiscard]] bool data() const { return data_; }

private:
    picoseconds until_{0};
    bool data_{false};
};

}  // namespace weir::port
