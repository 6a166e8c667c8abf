// SPDX-License-Identifier: Apache-2.0
// Maps: from a frame's marks to its class, group and queue, and between those and PFC priorities.
#pragma once

#include "sw/include/weir/device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weir_trust { WEIR_TRUST_PORT = 0, WEIR_TRUST_PCP = 1, WEIR_TRUST_DSCP = 2 } weir_trust;

weir_status weir_trust_set(struct weir_dev* dev, uint32_t port, weir_trust trust);
weir_status weir_trust_get(struct weir_dev* dev, uint32_t port, weir_trust* trust);
/// Class of frames whose marks say nothing.
weir_status weir_default_class_set(struct weir_dev* dev, uint32_t port, uint32_t tc);

/// colour: 0 green, 1 yellow, 2 red.
weir_status weir_dscp_set(struct weir_dev* dev, uint32_t port, uint32_t dscp, uint32_t tc, uint32_t colour);
weir_status weir_dscp_get(struct weir_dev* dev, uint32_t port, uint32_t dscp, uint32_t* tc, uint32_t* colour);
weir_status weir_pcp_set(struct weir_dev* dev, uint32_t port, uint32_t pcp, uint32_t dei, uint32_t tc, uint32_t colour);
weir_status weir_pcp_get(struct weir_dev* dev, uint32_t port, uint32_t pcp, uint32_t dei, uint32_t* tc,
                         uint32_t* colour);

/// Class to group, by ingress port. A class whose priority is lossless takes that with it: the new group is made first,
/// then the class moves, then the old group becomes lossy if nothing lossless is left in it.
weir_status weir_class_group_set(struct weir_dev* dev, uint32_t port, uint32_t tc, uint32_t group);
weir_status weir_class_group_get(struct weir_dev* dev, uint32_t port, uint32_t tc, uint32_t* group);
/// Class to queue, by egress port. A lossless class takes that with it, as above.
weir_status weir_class_queue_set(struct weir_dev* dev, uint32_t port, uint32_t tc, uint32_t queue);
weir_status weir_class_queue_get(struct weir_dev* dev, uint32_t port, uint32_t tc, uint32_t* queue);

/// By hand: the group whose wish pauses a priority (no other group does any more), the queues a received pause stops.
weir_status weir_group_priority_set(struct weir_dev* dev, uint32_t port, uint32_t group, uint32_t priority);
weir_status weir_group_priorities_get(struct weir_dev* dev, uint32_t port, uint32_t group, uint8_t* priorities);
weir_status weir_priority_queues_set(struct weir_dev* dev, uint32_t port, uint32_t priority, uint8_t queues);
weir_status weir_priority_queues_get(struct weir_dev* dev, uint32_t port, uint32_t priority, uint8_t* queues);

#ifdef __cplusplus
}
#endif
