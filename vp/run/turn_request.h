// SPDX-License-Identifier: Apache-2.0
// Where a run is to stop between two instants, once, and what is to change there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/mmu/cells.h"
#include "models/timeline/time.h"

namespace weir::vp {

enum class turn_event : std::uint8_t {
    time,        ///< `at`
    first_xoff,  ///< a priority group begins to want its peer to stop
    first_drop,  ///< a switch throws a frame away
    occupancy,   ///< a memory holds more than `cells`
};

/// What happens there: new values of the program, "NAME=VALUE" each, and where what the run writes goes from then on.
struct turn_choice {
    std::vector<std::string> assignments;
    std::string output;  ///< a folder; empty: as before
};

struct turn_request {
    turn_event event{turn_event::time};
    picoseconds at{0};  ///< after workload time zero
    mmu::cells cells{0};
    /// Called once, with the time after workload time zero, when everything of that instant has happened.
    std::function<turn_choice(picoseconds)> choose;
};

}  // namespace weir::vp
