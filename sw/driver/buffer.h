// SPDX-License-Identifier: Apache-2.0
// The budget (R9), for the block drivers that change what is promised of the packet memory.
#pragma once

#include "sw/driver/access.h"
#include "sw/include/weir/buffer.h"

/// WEIR_E_BUDGET with "by how much" when the direction's promises would exceed the packet memory.
weir_status weir_budget_check(struct weir_dev* dev, bool egress, const struct weir_budget* wanted);

/// What a group takes of the packet memory for itself alone, besides what it is guaranteed.
uint32_t weir_private_headroom(const struct weir_group_config* c);
