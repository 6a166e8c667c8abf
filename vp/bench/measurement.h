// SPDX-License-Identifier: Apache-2.0
// One measurement of a bench, in a process of its own: the SystemC kernel elaborates once a process.
#pragma once

#include <functional>
#include <vector>

namespace weir::vp {

struct measurement {
    double amount{0};           ///< of what is counted: link-hops, accesses, runs
    double cpu_seconds{0};      ///< of the measured part
    double startup_seconds{0};  ///< from the process's start to the first simulated event
    double resident_mib{0};     ///< most memory held; filled in by in_a_process
    [[nodiscard]] double rate() const { return amount / cpu_seconds; }
};

/// What `body` measures in a child of this process. Throws when it fails; what was wrong is on standard error then.
[[nodiscard]] measurement in_a_process(const std::function<measurement()>& body);

/// `values` are not empty.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace weir::vp
