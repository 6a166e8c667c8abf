// SPDX-License-Identifier: Apache-2.0
// What a test makes the forwarding tables do wrong (models/asic/faults.h).
#pragma once

#include <array>
#include <cstdint>

#include "models/timeline/time.h"

namespace weir::pipeline {

enum class bit_error : std::uint8_t { none, single, twofold };

struct table_faults {
    std::uint32_t refused{0};          ///< so many commands to come are NACKed with reason busy
    bool never{false};                 ///< a command that is started stays under way
    picoseconds late{0};               ///< a command takes so long
    std::array<bit_error, 4> error{};  ///< of the entry that is read next, a table; a write of the table mends it
};

}  // namespace weir::pipeline
