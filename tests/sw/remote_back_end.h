// SPDX-License-Identifier: Apache-2.0
// The driver under test behind a socket: it reaches its device through sw/hal/remote and the register port's protocol.
//
//   test, driver ─► weir_remote ═ Unix socket ═► register_port on the machine's CPU     (tests/acceptance)
//                                            └─► a thread that answers from a HAL       (tests/sw, which have no
//                                            machine)
#pragma once

#include "platforms/machine.h"
#include "sw/hal/hal.h"

namespace weir::sw {

/// A HAL that reaches `direct` over a socket. Lives as long as the process.
[[nodiscard]] weir_hal over_a_socket(const weir_hal& direct);

/// Makes every program of the machine's first CPU run as a client of its register port, in a thread of its own while
/// the CPU serves it, and gives the HAL that such a program has.
[[nodiscard]] weir_hal over_the_register_port(platforms::machine& machine);

}  // namespace weir::sw
