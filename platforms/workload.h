// SPDX-License-Identifier: Apache-2.0
// Workloads: which host sends how much to which, when. From a generator, a flow list, or a capture.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/ethernet/headers.h"
#include "models/timeline/time.h"
#include "platforms/config.h"

namespace weir::platforms {

/// One message from one host to another, cut into frames.
struct flow {
    picoseconds start{0};          ///< after workload time zero
    std::uint32_t source{0};       ///< number of a host of the platform
    std::uint32_t destination{0};  ///< another one
    std::uint8_t priority{0};      ///< PFC priority that stops it at its source
    std::uint8_t dscp{0};
    ethernet::ecn congestion{ethernet::ecn::not_ect};
    std::uint64_t octets{0};           ///< payload, at least 1
    std::int64_t rate{0};              ///< bits a second on the wire; 0: the port's
    std::uint32_t payload{4096};       ///< payload octets of each frame but the last
    std::string id;                    ///< as its list calls it; empty: its number
    std::vector<std::uint32_t> after;  ///< flows that have to be delivered before it starts, by their number
    picoseconds delay{0};              ///< from the last of those deliveries to its start, which is not before `start`
    bool plain_udp{false};             ///< UDP frames of exactly `payload` octets, FCS counted, instead of RoCEv2
};

/// A capture that a host replays on its port.
struct replay {
    std::string file;
    std::uint32_t host{0};
    double speed{1.0};  ///< times the capture's own; 0: as fast as the port can
    std::optional<bool> fcs_included;
};

/// The flows of the platform's workload, numbered in order of their start, or after those that they wait for; empty for
/// `none` and `capture`. What is drawn at random comes from `seed`. Throws config_error.
[[nodiscard]] std::vector<flow> make_flows(const platform_config& platform, std::uint64_t seed = 1);

/// The replay of a `capture` workload and those of [[replay]]. Throws config_error for an unknown host and for one that
/// replays twice; the captures themselves are read by ethernet::read_capture.
[[nodiscard]] std::vector<replay> make_replays(const platform_config& platform);

/// Reads a flow list in CSV. The first line that is neither blank nor a comment (#) names the columns, in any order:
///
///   start        "3us", "0": after workload time zero
///   source       host, by name or number
///   destination  another host
///   octets       payload of the flow: 4096, 16MiB
///   priority     0 to 7                        (optional; default: from dscp, else workload.priority)
///   dscp         0 to 63                       (optional; default: eight times the priority)
///   rate         pace on the wire: 100G, 2.5G  (optional; default: workload.rate)
///   frame        payload octets of each frame  (optional; default: workload.frame)
///   ecn          not_ect, ect0, ect1           (optional; default: workload.ecn)
///   transport    rocev2, udp                   (optional; default: rocev2)
///   id           a name for the column after   (optional)
///   after        ids, between blanks or ;      (optional; the flow starts when those have been delivered)
///   delay        from then to its start: 2us   (optional; default: 0; only with after)
///
/// A flow with `after` never starts before its `start`, which may be empty then.
///
/// With transport udp, `frame` is the length of every whole frame, FCS counted, 64 at least, and `octets` a multiple of
/// it.
///
/// An empty field means the default. config_error with line and column otherwise.
[[nodiscard]] std::vector<flow> read_flow_list(const std::string& path, const platform_config& platform);

}  // namespace weir::platforms
