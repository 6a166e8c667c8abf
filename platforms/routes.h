// SPDX-License-Identifier: Apache-2.0
// Which port of each switch leads to which host, and how the drivers are told.
//
//   platform ─► plan_routes ─► routing_table (hosts × ports, a switch) ─► switch_routes ─► shell lines ─► driver
//                                             └─► find_route_faults: hosts out of reach, loops
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/timeline/time.h"
#include "platforms/config.h"
#include "platforms/guest.h"

namespace weir::platforms {

/// The ports of a switch that lead on to each host, by the host's number, ascending; none: the host is out of reach.
using switch_table = std::vector<std::vector<std::uint32_t>>;
/// One a switch; empty: the switches' scripts alone say.
using routing_table = std::vector<switch_table>;

/// Members of an ECMP group, and groups that a chip has (models/pipeline/forwarding.h). Of more equal paths the first
/// sixteen are used.
constexpr std::size_t most_equal_paths = 16;

/// All shortest paths, in cables, to every host; `broken`: links that are out of use, by their number, empty: none.
[[nodiscard]] routing_table shortest_paths(const platform_config& platform, const std::vector<bool>& broken = {});

/// What `[routes]` asks for. Throws config_error for a file that cannot be followed.
[[nodiscard]] routing_table plan_routes(const platform_config& platform);

/// Something wrong with a table, as seen from one switch.
struct route_fault {
    bool loop{false};  ///< otherwise: out of reach
    std::uint32_t host{0};
    std::vector<std::uint32_t> switches;  ///< of the loop, in its order; or those that do not reach the host
};

/// Every host that frames cannot reach or can circle round on the way to: at most one fault of each kind a host.
[[nodiscard]] std::vector<route_fault> find_route_faults(const platform_config& platform, const routing_table& table);
/// "frames for h3 circle: s0 s1 s2"
[[nodiscard]] std::string describe(const platform_config& platform, const route_fault& fault);

/// Throws config_error when a host of `from` cannot reach one of `to`. Without a table nothing is known.
void check_reachable(const platform_config& platform, const routing_table& table, std::uint32_t from, std::uint32_t to);

/// What one switch's driver has been told of routes.
class switch_routes {
public:
    switch_routes(const platform_config& platform, std::uint32_t switch_index);

    /// Shell lines that lead from what was told so far to `wanted`. The first time they set the seed of the switch's
    /// ECMP hash, too, which comes from its name. Throws config_error when it takes more ECMP groups than the chip has.
    [[nodiscard]] std::vector<script_line> change_to(const switch_table& wanted);

private:
    [[nodiscard]] std::string target(const std::vector<std::uint32_t>& ports) const;
    const platform_config& platform_;
    std::string name_;
    switch_table told_;
    std::map<std::vector<std::uint32_t>, std::uint32_t> groups_;
    bool begun_{false};
};

/// The ports by which frames from one host to another leave the switches of a shortest path, in their order; of equal
/// paths that over the lowest ports. The last leads to the host. Empty: there is none.
[[nodiscard]] std::vector<link_end> ports_between(const platform_config& platform, std::uint32_t from,
                                                  std::uint32_t to);

}  // namespace weir::platforms
