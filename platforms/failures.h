// SPDX-License-Identifier: Apache-2.0
// Cables that are pulled and plugged in again at given times, and drivers that change their routes for it a while
// later.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/timeline/timeline.h"
#include "platforms/config.h"
#include "platforms/guest.h"
#include "platforms/routes.h"

namespace weir::platforms {

class machine;

/// The cable that a failure means: a link of the platform, or a host's.
struct failing_cable {
    std::optional<std::uint32_t> link;
    std::optional<std::uint32_t> host;
};

/// Throws config_error, at `where`, for one that does not exist.
failing_cable find_cable(const platform_config& platform, const failure_config& failure, const std::string& where);

/// Carries out the platform's failures. With `routes.kind = "shortest_path"` the drivers are given the paths that are
/// left, `routes.delay` after each change, and then flush the ports of a link that failed. Otherwise frames wait there
/// until it is mended.
class failure_program : private actor {
public:
    /// `drivers`: one a switch, or none; `told`: what each has been told of routes. Times count from `origin`.
    failure_program(machine& hardware, std::vector<guest*> drivers, std::vector<switch_routes>& told,
                    picoseconds origin);

private:
    struct step {
        picoseconds time;
        failing_cable cable;
        bool plugged;
        bool reroute;  // instead of touching the cable
    };
    void due(std::uint32_t what) override;
    static void flush_dead_port(std::uint32_t switch_index, const link_config& link, std::vector<script_line>& lines);

    machine& machine_;
    std::vector<guest*> drivers_;
    std::vector<switch_routes>& told_;
    std::vector<step> steps_;
    std::vector<bool> broken_;
};

}  // namespace weir::platforms
