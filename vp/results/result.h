// SPDX-License-Identifier: Apache-2.0
// What a run leaves: plain data, filled by run control, turned into text, JSON and CSV by the writers here.
//
// Two views that are never mixed: `switches` says what the registers say, name by name, and nothing else;
// hosts, flows, losses and the digest are what only the simulator can see.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/host/transport_parameters.h"
#include "models/timeline/time.h"
#include "platforms/config.h"
#include "vp/results/observation.h"
#include "vp/results/snapshot.h"

namespace weir::vp {

/// Version of result.json's schema; it grows when a key changes its meaning or goes away (docs/results.md).
constexpr int result_schema_version = 1;

struct switch_result {
    std::string name;
    register_snapshot registers;
};

/// An end station's own counts. Octets are whole frames with FCS.
struct host_result {
    std::string name;
    std::uint32_t switch_index{0};
    std::uint32_t port{0};
    data_rate rate;
    std::uint64_t tx_frames{0};
    std::uint64_t tx_octets{0};
    std::uint64_t rx_frames{0};
    std::uint64_t rx_octets{0};
    std::uint64_t rx_marked{0};  ///< frames that arrived with CE
    std::uint64_t overruns{0};   ///< frames that a slow receiver had no room for
    /// Data frames received: wire time of the first one's first octet and of the last one's last octet.
    std::optional<picoseconds> first_data;
    std::optional<picoseconds> last_data;
    std::uint64_t data_frames{0};
    std::uint64_t data_octets{0};
    std::array<picoseconds, 8> paused{};  ///< how long each priority was stopped by PFC
    picoseconds link_paused{0};           ///< how long the whole link was stopped by 802.3x
    std::uint64_t pfc_received{0};        ///< frames
    std::uint64_t pause_received{0};      ///< frames
    host::transport_counters transport;   ///< of its reliable connections

    /// The share of the wire that data took from the first octet to the last, gaps between frames counted as used;
    /// nothing with fewer than two frames.
    [[nodiscard]] std::optional<double> utilisation() const;
};

struct flow_result {
    std::string id;  ///< as its list calls it; empty: it has no name there
    std::string source;
    std::string destination;
    std::uint8_t priority{0};
    std::uint8_t dscp{0};
    std::uint64_t octets{0};  ///< payload asked for
    std::optional<picoseconds> start{
        picoseconds{0}};                ///< asked for, after workload time zero; nothing: what it waited for never came
    std::optional<picoseconds> first;   ///< its first octet left its source, after workload time zero
    std::optional<picoseconds> finish;  ///< its last octet arrived, if all did
    std::uint64_t delivered_octets{0};  ///< payload
    std::uint64_t lost_frames{0};
    std::uint64_t marked_frames{0};
    std::uint64_t retransmitted_frames{0};
    std::optional<picoseconds> acknowledged;  ///< a reliable connection's sender knew that all had arrived
    std::optional<picoseconds> given_up;      ///< … or gave up
    picoseconds paused{0};  ///< how long its source was stopped for its priority while it had something to send
    std::optional<picoseconds> ideal;  ///< from start to finish when nothing else is under way; nothing: no path known

    /// From its start to its last octet's arrival; nothing: it was not delivered whole.
    [[nodiscard]] std::optional<picoseconds> completion() const;
    /// The same over the ideal time.
    [[nodiscard]] std::optional<double> slowdown() const;
};

/// Frames that a switch discarded, by where they came in and why, or that a port's cable lost.
struct loss {
    std::uint32_t switch_index{0};
    std::uint32_t port{0};
    std::uint32_t group{0};
    bool lossless{false};
    std::string reason;  ///< as the drop registers call it: "headroom"; or "link_down", which no device can count
    std::uint64_t frames{0};
};

/// What the driver did until the platform was ready.
struct driver_result {
    std::uint64_t reads{0};
    std::uint64_t writes{0};
    std::uint64_t errors{0};    ///< accesses that the chip refused
    std::uint64_t commands{0};  ///< lines of the script that ran
};

struct run_result {
    platforms::platform_config configuration;
    std::uint64_t seed{0};
    picoseconds traffic_at{0};  ///< workload time zero
    picoseconds end{0};         ///< when the run ended
    bool drained{false};        ///< nothing was under way any more
    std::vector<switch_result> switches;
    std::vector<host_result> hosts;
    std::vector<flow_result> flows;
    std::vector<loss> losses;
    driver_result driver;
    std::vector<std::string> drop_reasons;         ///< by number, for port.drops
    std::optional<std::uint64_t> strict_findings;  ///< of strict mode; nothing: it was off
    std::optional<observation> seen;               ///< from outside; nothing: nobody watched
    std::vector<std::string> violations;           ///< broken invariants, in words; empty: conservation holds
    std::string digest;                            ///< hex, over the packet plane from workload time zero
    std::vector<std::string> files;                ///< other files of the output directory: captures, series

    /// No loss on a lossless class and every invariant kept.
    [[nodiscard]] bool passed() const { return failures().empty(); }
    /// Why not, a line each.
    [[nodiscard]] std::vector<std::string> failures() const;
};

/// The summary, readable in ten seconds: the verdict first, then what is bad; its last line is "digest: HEX".
[[nodiscard]] std::string summary_text(const run_result& result, bool coloured = false);

/// result.json (docs/results.md).
[[nodiscard]] std::string result_json(const run_result& result);

/// flows.csv: a row a flow.
[[nodiscard]] std::string flows_csv(const run_result& result);

}  // namespace weir::vp
