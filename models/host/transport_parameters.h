// SPDX-License-Identifier: Apache-2.0
// How a reliable connection (RC) of an end station behaves: recovery from loss, window, and congestion control.
#pragma once

#include <cstdint>

#include "models/host/dcqcn.h"
#include "models/host/dctcp.h"
#include "models/timeline/time.h"

namespace weir::host {

/// What is sent again when a frame is missing: everything from it on, the whole message, or that frame alone.
enum class recovery_kind : std::uint8_t { go_back_n, go_back_0, selective };

enum class congestion_control : std::uint8_t { none, dcqcn, dctcp };

struct transport_parameters {
    recovery_kind recovery{recovery_kind::go_back_n};
    std::uint64_t window{0};      ///< payload octets sent and not acknowledged, at most; 0: no limit
    std::uint32_t ack_every{16};  ///< every so many frames one asks to be acknowledged; the last always does
    picoseconds timeout{microseconds(16'000)};  ///< without progress for so long: everything unacknowledged again
    std::uint32_t retries{7};                   ///< timeouts without progress before the flow is given up
    std::uint32_t first_sequence{0};            ///< PSN of a flow's first frame
    congestion_control control{congestion_control::none};
    dcqcn_parameters dcqcn;
    dctcp_parameters dctcp;
    std::uint8_t ack_priority{6};  ///< PFC priority that stops acknowledgements at their source
    std::uint8_t ack_dscp{48};
    std::uint8_t cnp_priority{6};
    std::uint8_t cnp_dscp{48};
};

/// What both ends of a station's connections counted. Frames each.
struct transport_counters {
    std::uint64_t retransmitted{0};
    std::uint64_t timeouts{0};
    std::uint64_t acks_sent{0};
    std::uint64_t acks_received{0};
    std::uint64_t naks_sent{0};
    std::uint64_t naks_received{0};
    std::uint64_t cnps_sent{0};
    std::uint64_t cnps_received{0};
};

}  // namespace weir::host
