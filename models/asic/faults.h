// SPDX-License-Identifier: Apache-2.0
// What a test makes a switch do wrong, so that its driver can be seen to notice. Everything is right at first; a fault
// stays until it is taken back, whatever resets come.
//
//   reset, memories, core that never get ready ─► switch_asic     table that NACKs, is slow or has bit errors ─►
//   pipeline bus errors on a range ─► register_target                      counters before their wrap ─► bank
#pragma once

#include <cstdint>

#include "models/timeline/time.h"

namespace weir::asic {

struct switch_faults {
    bool reset_never_ends{false};
    bool memories_never_clear{false};
    bool core_never_ready{false};
    picoseconds memories_late{0};         ///< initialisation takes so much longer
    std::uint32_t interrupts_to_lose{0};  ///< rises of the line that do not reach it
    bool interrupt_stuck{false};          ///< the line is asserted whatever the causes are
};

}  // namespace weir::asic
