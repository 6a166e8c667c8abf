// SPDX-License-Identifier: Apache-2.0
// How long a flow takes when the network is empty: frame behind frame at its source, and at each switch again when it
// is there whole.
//
//   hop 0: the source's wire; hop j: that of the j-th switch on the way. Of a frame of L octets, at `octet` a
//   picosecond:
//     wire(L) = (L + 8)·octet     preamble and frame: then its last octet is out
//     slot(L) = (L + 20)·octet    and the gap: then the next may begin
//   The last frame begins at hop j when it is there and the one before has left its slot.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "platforms/config.h"
#include "platforms/workload.h"

namespace weir::platforms {

class ideal_times {
public:
    explicit ideal_times(const platform_config& platform) : platform_(platform) {}

    /// From the flow's start to the last octet's arrival, over a shortest path (of equal ones that over the lowest
    /// ports), at nominal clocks and without anything else under way; exact for switches that queue at the output.
    /// Nothing: there is no path, or it takes longer than time lasts.
    [[nodiscard]] std::optional<picoseconds> of(const flow& f);

private:
    struct hop {
        data_rate rate;
        picoseconds delay{0};  ///< from the last octet's leaving to the next queue, or to the host
    };
    const std::vector<hop>& path(std::uint32_t source, std::uint32_t destination);

    const platform_config& platform_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<hop>> paths_;  // empty: there is none
};

}  // namespace weir::platforms
