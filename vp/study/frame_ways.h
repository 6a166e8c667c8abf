// SPDX-License-Identifier: Apache-2.0
// Ways through a platform's network: which hosts are behind a port, and how long a frame takes to it when nothing else
// is under way.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platforms/config.h"
#include "platforms/routes.h"

namespace weir::vp {

class frame_ways {
public:
    /// Follows the platform's routes; where only its scripts know them, all shortest paths. Keeps a reference.
    explicit frame_ways(const platforms::platform_config& platform);

    /// Hosts to which frames leave by that port of a switch, which leads to another.
    [[nodiscard]] std::vector<std::uint32_t> beyond(const platforms::link_end& port) const;
    /// Hosts whose frames to `destination` come in by that port.
    [[nodiscard]] std::vector<std::uint32_t> coming_by(const platforms::link_end& port,
                                                       std::uint32_t destination) const;

    /// From a frame's first octet at `source` to its first octet at the port, on the way to `destination`. Nothing: it
    /// does not come by.
    [[nodiscard]] std::optional<picoseconds> until_leaving(std::uint32_t source, std::uint32_t destination,
                                                           const platforms::link_end& port, std::uint32_t octets) const;

    /// Of the cable at a port, and of what lies between it and the switch's logic.
    [[nodiscard]] picoseconds leg(const platforms::link_end& port) const;

private:
    [[nodiscard]] bool passes(std::uint32_t from, std::uint32_t to, std::uint32_t destination,
                              std::vector<bool>& seen) const;
    [[nodiscard]] std::optional<picoseconds> onwards(std::uint32_t at, std::uint32_t destination,
                                                     const platforms::link_end& port, std::uint32_t octets,
                                                     std::size_t hops) const;

    const platforms::platform_config& platform_;
    platforms::routing_table table_;
    /// By switch and port: what the other end of the cable is, if it is a switch's.
    std::vector<std::vector<std::optional<platforms::link_end>>> other_end_;
};

}  // namespace weir::vp
