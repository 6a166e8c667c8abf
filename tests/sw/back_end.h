// SPDX-License-Identifier: Apache-2.0
// What stands between the driver under test and its device: nothing, a record of the accesses, or a strict mock that
// answers from such a record. The environment chooses for a whole process:
//
//   WEIR_RECORDS=DIR           every access is appended to DIR/accesses/<test>.log
//   WEIR_ACCESSES=expect:DIR   every access must be the next of that log: kind, address, value, what came of it
//   WEIR_ACCESSES=remote:DIR   the same, and the device is at the other end of a socket (remote_back_end.h)
//   WEIR_ACCESSES=mock:DIR     the strict mock (sw/hal/mock) has the log as its script and answers from it
//
// A log that is missing, or older than the program that makes it, is made first.
#pragma once

#include "platforms/machine.h"
#include "sw/hal/hal.h"

namespace weir::sw {

/// `direct` through what was chosen. Lives as long as the process.
[[nodiscard]] weir_hal through_back_end(const weir_hal& direct);
/// The same for the programs of a machine's first CPU.
void through_back_end(platforms::machine& machine);

}  // namespace weir::sw
