// SPDX-License-Identifier: Apache-2.0
// What makes a priority lossless at its queues, for the drivers of PFC and of the maps.
#pragma once

#include "sw/driver/access.h"

/// The queues of `queues` become the priority's. While the priority is lossless they become so first, and old ones that
/// nothing lossless uses any more become lossy last. Inside the caller's change.
weir_status weir_lossless_move_queues(struct weir_dev* dev, uint32_t port, uint32_t priority, uint8_t queues);

/// WEIR_E_CONFLICT when a port would have both and its options do not allow it (G11).
weir_status weir_pfc_exclusive_check(struct weir_dev* dev, uint32_t port, bool pause, bool pfc);
