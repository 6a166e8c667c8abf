// SPDX-License-Identifier: Apache-2.0
// Commands that are carried out at a simulated time: `--at "+20us fault_flap 3 times=4"`. Times count from power-on, or
// with "+" from workload time zero.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/timeline/time.h"
#include "vp/remote/registry.h"

namespace weir::vp::remote {

class timed_commands {
public:
    /// Each line is "TIME COMMAND ARGUMENTS…". Throws config_error for a time that is none.
    explicit timed_commands(const std::vector<std::string>& lines);

    /// "+" times begin to count.
    void workload_begins(picoseconds origin);
    /// The time of the next one; `never`: there is none, or workload time zero is not known yet.
    [[nodiscard]] picoseconds next() const;
    /// Carries out what is due at `now`, in the order in which it was given. Throws config_error for a command that is
    /// refused.
    void carry_out(picoseconds now, const registry& commands);

    /// Those whose time did not come, as they were given.
    [[nodiscard]] std::vector<std::string> left() const;

private:
    struct entry {
        picoseconds time;
        bool from_workload;
        bool done;
        std::string line;
        std::string given;  // the whole, for messages
    };
    [[nodiscard]] std::optional<picoseconds> time_of(const entry& e) const;
    std::vector<entry> entries_;
    std::optional<picoseconds> origin_;
};

}  // namespace weir::vp::remote
