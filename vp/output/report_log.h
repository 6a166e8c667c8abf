// SPDX-License-Identifier: Apache-2.0
// What models and drivers report, a line each on the error stream: "weir/registers: 12.345 us: …". The time is the
// reporter's: the packet plane and the CPUs run ahead of the kernel's clock.
#pragma once

#include <functional>

namespace weir::vp {

/// Takes over the kernel's reports: Weir's own informative ones and all warnings become one line each; errors and fatal
/// ones keep the kernel's way.
void install_report_log();

/// Tells `listener` of each of those lines besides: which source ("weir/registers") and what. Nothing: nobody listens.
void listen_to_reports(std::function<void(const char* source, const char* text)> listener);

}  // namespace weir::vp
