// SPDX-License-Identifier: Apache-2.0
// Flows that wait for others: from names to numbers, and what cannot be.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "platforms/line_reader.h"
#include "platforms/workload.h"

namespace weir::platforms {

/// Collects names of flows and who waits for whom while a list is read. Flows are known by their place in the list.
class dependency_reader {
public:
    /// The next flow's name; an empty one names nothing. Throws config_error for a name that another one has.
    void name(std::uint32_t flow, const text_field& id);
    /// Names between blanks or semicolons.
    void waits(std::uint32_t flow, const text_field& after);
    /// Fills `after` of each flow. Throws config_error for unknown names and for flows that wait for each other.
    void resolve(std::vector<flow>& flows) const;

private:
    struct waiting {
        std::uint32_t flow;
        std::string where;
        std::vector<std::string> names;
    };
    [[nodiscard]] std::uint32_t find(const waiting& who, const std::string& name) const;
    void check_cycles(const std::vector<flow>& flows) const;

    std::map<std::string, std::uint32_t> flows_;
    std::map<std::string, std::string> places_;  // of names, for messages
    std::vector<waiting> waiting_;
};

/// Sorts flows by their start; those that start at once stay in their order. `after` goes with them.
void sort_by_start(std::vector<flow>& flows);

}  // namespace weir::platforms
