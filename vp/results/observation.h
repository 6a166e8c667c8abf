// SPDX-License-Identifier: Apache-2.0
// What the observer saw of a run, as plain data with names: circles of waits, causes of pauses, victims, spread, and
// how much of their headroom ports used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/observer/observer.h"
#include "models/timeline/time.h"
#include "platforms/machine.h"

namespace weir::vp {

/// A place that a circle of waits goes through: frames wait there for the switch behind that port.
struct circle_member {
    std::string chip;
    std::uint32_t port{0};
    std::uint32_t priority{0};
};

struct wait_circle {
    std::vector<circle_member> members;
    picoseconds first{0};  ///< closed for the first time, after workload time zero
    std::uint64_t times{0};
    std::optional<picoseconds> stands_since;  ///< at the end of the run: nothing has left it since
};

/// A line of the tree, in its order: below a line stand those of greater depth.
struct pause_cause {
    std::uint32_t depth{0};
    std::string what;  ///< "congestion", "host", "forced", "pause"
    std::string chip;  ///< or the host
    std::uint32_t port{0};
    std::uint32_t which{0};   ///< congestion: queue; pause: group
    std::string stops;        ///< pause: what it stops, a host or "switch.port"
    bool circular{false};     ///< it is among its own causes
    std::uint64_t times{0};   ///< a root's: those of all below it
    picoseconds first{0};     ///< pause: when the first one began, after workload time zero
    picoseconds time{0};      ///< together
    std::uint64_t octets{0};  ///< the most that the group held in one; a root's: all below it together
};

struct flow_loss {
    std::uint32_t flow{0};
    std::string source;
    std::string destination;
    std::uint32_t priority{0};
    picoseconds lost{0};     ///< to pauses
    picoseconds foreign{0};  ///< of that, to pauses whose root the flow does not pass
    std::string worst;       ///< the foreign root that cost most
};

struct headroom_use {
    std::string chip;
    std::uint32_t port{0};
    std::uint32_t group{0};
    std::uint64_t used{0};        ///< cells, at most
    std::uint64_t needed{0};      ///< by the closed form, for the workload's largest frame
    std::uint64_t programmed{0};  ///< shared: the group's cap
};

struct observation {
    std::vector<wait_circle> circles;
    std::vector<pause_cause> causes;
    std::vector<flow_loss> losses;  ///< flows that lost time; those that lost most to others first
    std::vector<observer::spread> spread;
    std::vector<headroom_use> headroom;
};

/// The network of a machine, as an observer wants it.
[[nodiscard]] observer::fabric fabric_of(platforms::machine& m);

/// What `seen` has seen, its times from `origin` on.
[[nodiscard]] observation make_observation(const observer::observer& seen, platforms::machine& m, picoseconds origin);

/// A part of the summary.
[[nodiscard]] std::string observation_text(const observation& o);
/// pauses.csv, victims.csv, spread.csv.
[[nodiscard]] std::string pauses_csv(const observation& o);
[[nodiscard]] std::string victims_csv(const observation& o);
[[nodiscard]] std::string spread_csv(const observation& o);

}  // namespace weir::vp
