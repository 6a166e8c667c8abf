// SPDX-License-Identifier: Apache-2.0
// Scheduling and shaping: how queues share a port, and how fast queues and ports may be.
#pragma once

#include "sw/include/weir/device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weir_schedule { WEIR_STRICT = 0, WEIR_DWRR = 1, WEIR_WRR = 2 } weir_schedule;

/// weight 1 to 255; unused by strict queues. The queue stays in its ETS group.
weir_status weir_queue_schedule_set(struct weir_dev* dev, uint32_t port, uint32_t queue, weir_schedule mode,
                                    uint32_t weight);
weir_status weir_queue_schedule_get(struct weir_dev* dev, uint32_t port, uint32_t queue, weir_schedule* mode,
                                    uint32_t* weight);

/// kbps 0: no shaper. A burst below the port's longest frame is refused: such a frame would never start (G8).
weir_status weir_queue_shaper_set(struct weir_dev* dev, uint32_t port, uint32_t queue, uint32_t kbps,
                                  uint32_t burst_octets);
weir_status weir_port_shaper_set(struct weir_dev* dev, uint32_t port, uint32_t kbps, uint32_t burst_octets);
/// The queue's least rate: as long as it is not met the queue goes before those that have theirs. kbps 0: none. A burst
/// below the port's longest frame is refused, and so is a least rate above the greatest.
weir_status weir_queue_minimum_set(struct weir_dev* dev, uint32_t port, uint32_t queue, uint32_t kbps,
                                   uint32_t burst_octets);
/// What the shapers really do, kb/s: the greatest rates rounded down, least rates rounded up to 11 bits times a power
/// of two, and none above the line rate.
weir_status weir_queue_rate_get(struct weir_dev* dev, uint32_t port, uint32_t queue, uint32_t* kbps);
weir_status weir_queue_minimum_get(struct weir_dev* dev, uint32_t port, uint32_t queue, uint32_t* kbps);
weir_status weir_port_rate_get(struct weir_dev* dev, uint32_t port, uint32_t* kbps);
/// Whether DWRR and shapers count frames alone, or wire octets (20 more a frame, the default).
weir_status weir_schedule_frame_octets_only(struct weir_dev* dev, bool frame_octets_only);

enum { WEIR_ETS_GROUPS = 8 };

/// Enhanced transmission selection (802.1Q clause 37): groups of priorities share what strict groups leave.
struct weir_ets {
    uint8_t percent[WEIR_ETS_GROUPS];  ///< of the groups that are not strict; they sum to 100
    bool strict[WEIR_ETS_GROUPS];      ///< transmission selection algorithm: strict priority instead of ETS
    uint8_t group[8];                  ///< of each priority, 0 to 7
};
/// Puts the queue of each priority (that of the class of the same number) into its group. Queues that were strict and
/// are not any more share their group evenly, by DWRR; weights of others stay. Refused: percentages that do not sum to
/// 100, a percentage of a strict group, none for a group with priorities, two groups on one queue.
weir_status weir_ets_set(struct weir_dev* dev, uint32_t port, const struct weir_ets* ets);
weir_status weir_ets_get(struct weir_dev* dev, uint32_t port, struct weir_ets* ets);

#ifdef __cplusplus
}
#endif
