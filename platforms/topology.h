// SPDX-License-Identifier: Apache-2.0
// Shapes of switches, hosts and cables: generated ones, and the way from ports that name switches to cables.
//
//   star          one switch
//   chain         s0 ─ s1 ─ s2 …, hosts at each
//   ring          the same, and the last with the first
//   dumbbell      left ─ right
//   parking_lot   a chain whose last switch has one host more, the receiver
//   leaf_spine    every leaf with every spine, hosts at the leaves
//   fat_tree      of radix k: k pods of k/2 edge and k/2 aggregation switches, (k/2)² core switches, hosts at the edge
//   hpcc          as a topology file of the HPCC simulator says
//
// A switch's ports lead to its hosts first, then to other switches in the order of their names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/config.h"

namespace weir::platforms {

/// A switch that a topology asks for. Each port's `peer` is the name of a host or of another switch.
struct planned_switch {
    std::string name;
    std::vector<port_config> ports;
};

/// The switches of `platform.topology`, in the order of their names. Hosts are called h0, h1, … in the order of
/// switches and ports; those of an HPCC topology h and s with their number there. Empty for `none`. Throws
/// config_error.
[[nodiscard]] std::vector<planned_switch> plan_topology(const platform_config& platform);

/// The cables between the platform's switches: the first port of one that names the other joins the first of the other
/// that names the one, the second the second. Throws config_error where one has more than the other, or rates or
/// lengths differ.
[[nodiscard]] std::vector<link_config> match_links(const platform_config& platform);

/// The number of the switch of that name.
[[nodiscard]] std::optional<std::uint32_t> find_switch(const platform_config& platform, std::string_view name);

}  // namespace weir::platforms
