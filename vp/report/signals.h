// SPDX-License-Identifier: Apache-2.0
// The signals of a run as its folder holds them: signals.json names them, signals.csv has a row a change. Without
// them occupancy.csv gives the same of the groups, at its samples only.
//
// A signal is 0 until its first change. Of an event (drop, mark, interrupt's edges, write) each row is one.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace weir::vp::report {

/// A new value, or an event.
struct change {
    std::int64_t time{0};  ///< ps after workload time zero
    std::int64_t value{0};
};

struct signal {
    std::string name;
    std::string kind;    ///< "service", "asked", "drop" …: docs/results.md lists them
    std::string device;  ///< a switch, or a host:
    bool host{false};
    std::uint32_t port{0};
    std::uint32_t index{0};  ///< of the group, queue, pool or priority
    std::string unit;
    std::map<std::string, std::int64_t> limits;  ///< "xoff", "kmin" …, in the signal's unit
    std::vector<change> changes;                 ///< by rising time
};

struct recording {
    std::int64_t begin{0};  ///< ps after workload time zero
    std::int64_t end{0};
    bool exact{true};                       ///< every change is there; false: samples
    std::vector<std::string> drop_reasons;  ///< by number
    std::vector<std::string> functions;     ///< of the core, by number
    std::vector<signal> signals;
};

/// What `folder` has: signals, or else samples of occupancy, or else nothing. `result`: its result.json. Throws
/// config_error with the line of what is broken.
[[nodiscard]] std::optional<recording> read_recording(const std::string& folder, const nlohmann::ordered_json& result);

}  // namespace weir::vp::report
