// SPDX-License-Identifier: Apache-2.0
// What became of every flow: written by the end stations at its two ends, read by reports.
#pragma once

#include <cstdint>
#include <vector>

#include "models/timeline/time.h"

namespace weir::host {

struct flow_record {
    std::uint64_t frames_sent{0};
    picoseconds first_sent{never};
    std::uint64_t frames_received{0};
    picoseconds last_received{0};
    std::uint64_t marked{0};        ///< arrived as CE
    std::uint64_t out_of_order{0};  ///< arrived with another sequence number than the next
    std::uint32_t expected{0};
};

using flow_ledger = std::vector<flow_record>;

}  // namespace weir::host
