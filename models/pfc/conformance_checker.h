// SPDX-License-Identifier: Apache-2.0
// P29 to P32: checks what one port says of its conformance, from the registers that software reads.
//
// Events are a fault, a write to a threshold of the port, a fault bit cleared by software, and a reset. P29 is of the
// configuration: a lossless group whose XOFF is 0, whose XON is not below it, or whose Headroom is less than what comes
// in the dead time is named infeasible at once. It is not an error to program one. Software clears a fault bit by
// writing a one (P31); a reset clears all.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "models/timeline/timeline.h"

namespace weir::pfc {

class conformance_checker {
public:
    /// What software would read.
    struct view {
        std::function<std::uint8_t()> faults;      ///< pfc.fault, a bit a fault
        std::function<std::uint8_t()> infeasible;  ///< pfc.infeasible, a bit a group
        std::function<bool()> conformant;          ///< pfc.conformant
        std::function<std::uint8_t()> impossible;  ///< groups that cannot work, by the closed form
    };
    conformance_checker(const timeline& time, std::string place, view seen);

    /// Software writes ones to these fault bits.
    void clears(std::uint8_t bits) { raised_ = static_cast<std::uint8_t>(raised_ & ~bits); }
    /// Looks at all of it.
    void look();

private:
    void broken(const char* property, const std::string& text) const;

    const timeline& time_;
    std::string place_;
    view seen_;
    std::uint8_t raised_{0};  // bits seen set and not cleared by software since
};

}  // namespace weir::pfc
