// SPDX-License-Identifier: Apache-2.0
// Properties that must always hold (P1 to P32 of the PFC RTL chapter), and how a broken one is told of.
//
// Checkers stand between blocks, in the binding of their interfaces. A switch or an end station that is built while
// checking is on has them; one that is built while it is off has none, and pays nothing.
#pragma once

#include <string>

#include "models/timeline/time.h"

namespace weir {

/// Whether what is built from now on is checked. Off unless somebody asks.
[[nodiscard]] bool properties_checked();
void check_properties(bool on);

/// Tells of a broken property as a kernel error of type "weir/property/<id>", whose message names the property, the
/// place (a hierarchical name, and a class, group or queue in it), the time and what was seen. The kernel's handler
/// decides what becomes of it; the default one throws.
void report_property(const char* id, const std::string& place, picoseconds time, const std::string& text);

}  // namespace weir
