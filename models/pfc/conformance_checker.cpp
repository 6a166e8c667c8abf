// SPDX-License-Identifier: Apache-2.0
#include "models/pfc/conformance_checker.h"

#include <fmt/format.h>

#include <utility>

#include "models/timeline/property.h"

namespace weir::pfc {

conformance_checker::conformance_checker(const timeline& time, std::string place, view seen)
    : time_(time), place_(std::move(place)), seen_(std::move(seen)) {}

void conformance_checker::broken(const char* property, const std::string& text) const {
    report_property(property, place_, time_.now(), text);
}

void conformance_checker::look() {
    const std::uint8_t faults = seen_.faults();
    const std::uint8_t infeasible = seen_.infeasible();
    const bool conformant = seen_.conformant();
    const std::uint8_t impossible = seen_.impossible();
    if ((impossible & ~infeasible) != 0) {
        broken("P29", fmt::format("groups {:#04x} cannot work, {:#04x} are named infeasible", impossible, infeasible));
    }
    if (infeasible != 0 && conformant) {
        broken("P30", fmt::format("groups {:#04x} are infeasible, and the port is conformant", infeasible));
    } else if (conformant != (infeasible == 0 && faults == 0)) {
        broken("P32", fmt::format("the port is {}conformant with faults {:#04x} and infeasible groups {:#04x}",
                                  conformant ? "" : "not ", faults, infeasible));
    }
    if ((raised_ & ~faults) != 0) {
        broken("P31", fmt::format("fault bits {:#04x} went without being cleared", raised_ & ~faults));
    }
    raised_ = faults;
}

}  // namespace weir::pfc
