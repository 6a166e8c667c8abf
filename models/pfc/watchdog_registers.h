// SPDX-License-Identifier: Apache-2.0
// Binds the ports' watchdogs to the registers wd.*.
#pragma once

#include <functional>

#include "models/pfc/watchdog.h"
#include "models/registers/bank.h"

namespace weir::pfc {

/// `at(port)` gives a front port's watchdog; null for the CPU port. `on_event` is called for each new event.
void bind_watchdogs(const std::function<watchdog*(std::uint32_t)>& at, registers::bank& bank,
                    const std::function<void()>& on_event);

}  // namespace weir::pfc
