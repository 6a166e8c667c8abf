// SPDX-License-Identifier: Apache-2.0
// The commands that make the prototype do wrong, so that its driver can be seen to notice (models/asic/faults.h).
#pragma once

#include "vp/remote/registry.h"
#include "vp/remote/session.h"

namespace weir::vp::remote {

/// Both references outlive the registry.
void add_fault_commands(registry& commands, session& s);

}  // namespace weir::vp::remote
