// SPDX-License-Identifier: Apache-2.0
// Collects what the checkers of a run find (docs/pfc.md), so that the run goes on and its verdict tells of it.
#pragma once

#include <string>
#include <vector>

namespace weir::vp {

/// Switches checking on for what is built while this lives, and takes over the reports of broken properties. One at a
/// time.
class property_log {
public:
    property_log();
    ~property_log();
    property_log(const property_log&) = delete;
    property_log& operator=(const property_log&) = delete;

    /// What was found, at most twenty lines, and then how many more.
    [[nodiscard]] std::vector<std::string> lines() const;
};

}  // namespace weir::vp
