// SPDX-License-Identifier: Apache-2.0
// Scheduling and shaping: how queues share a port, and how fast queues and ports may be.
#pragma once

#include "sw/include/weir/device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weir_schedule { WEIR_STRICT = 0, WEIR_DWRR = 1, WEIR_WRR = 2 } weir_schedule;

/// weight 1 to 255; unused by strict queues.
weir_status weir_queue_schedule_set(struct weir_dev* dev, uint32_t port, uint32_t queue, weir_schedule mode,
                                    uint32_t weight);
weir_status weir_queue_schedule_get(struct weir_dev* dev, uint32_t port, uint32_t queue, weir_schedule* mode,
                                    uint32_t* weight);

/// kbps 0: no shaper. A burst below the port's longest frame is refused: such a frame would never start (G8).
weir_status weir_queue_shaper_set(struct weir_dev* dev, uint32_t port, uint32_t queue, uint32_t kbps,
                                  uint32_t burst_octets);
weir_status weir_port_shaper_set(struct weir_dev* dev, uint32_t port, uint32_t kbps, uint32_t burst_octets);
/// What the shapers really do, kb/s.
weir_status weir_queue_rate_get(struct weir_dev* dev, uint32_t port, uint32_t queue, uint32_t* kbps);
weir_status weir_port_rate_get(struct weir_dev* dev, uint32_t port, uint32_t* kbps);
/// Whether DWRR and shapers count frames alone, or wire octets (20 more a frame, the default).
weir_status weir_schedule_frame_octets_only(struct weir_dev* dev, bool frame_octets_only);

#ifdef __cplusplus
}
#endif
