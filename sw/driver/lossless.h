// SPDX-License-Identifier: Apache-2.0
// What makes a priority lossless between its group and its queue, for the drivers of PFC and of the maps.
#pragma once

#include "sw/driver/access.h"

/// Moves a lossless priority's group from one to the other: makes the new one, then calls for the remap, then releases
/// the old one. Inside the caller's change.
weir_status weir_lossless_move_group(struct weir_dev* dev, uint32_t port, uint32_t priority, uint32_t from,
                                     uint32_t to);
/// The same for its queues: those of `queues` become the priority's; old ones that nothing lossless uses become lossy.
weir_status weir_lossless_move_queues(struct weir_dev* dev, uint32_t port, uint32_t priority, uint8_t queues);
