// SPDX-License-Identifier: Apache-2.0
// The file formats of the HPCC simulator (ns-3): topologies and flow lists.
//
//   topology: "nodes switches links", then the switches' ids, then a line a link: "src dst rate delay error_rate"
//   flows:    the count, then a line a flow: "src dst pg dport octets start_s"
//
// Behind the promised number of lines a file may hold anything: that simulator does not read on, and its own files
// have more flows and explanations there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/timeline/time.h"
#include "platforms/workload.h"

namespace weir::platforms {

/// Switches, hosts and the cables between them, by their ids in the file. Every host has one cable.
struct hpcc_topology {
    struct link {
        std::uint32_t a;
        std::uint32_t b;
        data_rate rate;
        std::uint32_t cable_metres;
    };
    std::vector<std::uint32_t> switches;
    std::vector<link> links;
};

/// Throws config_error, with line and column.
[[nodiscard]] hpcc_topology read_hpcc_topology(const std::string& path);

/// Reads a flow file; hosts are found by their node id. Flows come in order of their start. `pg` is the priority; the
/// destination port is checked and otherwise not used.
[[nodiscard]] std::vector<flow> read_hpcc_flows(const std::string& path, const platform_config& platform);

}  // namespace weir::platforms
