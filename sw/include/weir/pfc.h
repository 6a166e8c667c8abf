// SPDX-License-Identifier: Apache-2.0
// Priority flow control: which priorities are lossless, with what thresholds, and what is paused.
#pragma once

#include "sw/include/weir/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes a priority lossless on a port, end to end: its group (the one set by hand, else the group of the class with
/// the same number) becomes lossless with the port's profile, its queue too, both are mapped to it, PFC is on in both
/// directions. Off: all of that back, the group lossy when no other priority uses it.
weir_status weir_pfc_enable(struct weir_dev* dev, uint32_t port, uint32_t priority, bool on);
/// The thresholds of the port's lossless groups, present and future. What is not given keeps its register value.
weir_status weir_pfc_profile_set(struct weir_dev* dev, uint32_t port, const struct weir_pfc_profile* profile);
/// The group that PFC for a priority works on: the one set by hand, else the group of the class with the same number.
weir_status weir_pfc_group_of(struct weir_dev* dev, uint32_t port, uint32_t priority, uint32_t* group);

/// Only which priorities this port may pause, and which it obeys; groups and queues stay as they are (asymmetric PFC).
weir_status weir_pfc_directions_set(struct weir_dev* dev, uint32_t port, uint8_t tx, uint8_t rx);
weir_status weir_pfc_directions_get(struct weir_dev* dev, uint32_t port, uint8_t* tx, uint8_t* rx);

/// Pause time asked for, and after how long it is asked for again; quanta of 64 octet times. refresh < quanta, or 0:
/// never.
weir_status weir_pfc_timer_set(struct weir_dev* dev, uint32_t port, uint32_t quanta, uint32_t refresh);
weir_status weir_pfc_timer_get(struct weir_dev* dev, uint32_t port, uint32_t* quanta, uint32_t* refresh);

/// 802.3x PAUSE of the whole link.
weir_status weir_pause_set(struct weir_dev* dev, uint32_t port, bool rx, bool tx);
/// Receiver options (G3, G5): a clear bit releases; tagged frames are ignored.
weir_status weir_pfc_options_set(struct weir_dev* dev, uint32_t port, bool complete_state, bool ignore_tagged);

struct weir_pfc_status {
    uint8_t tx_paused;  ///< priorities that this port wants stopped
    uint8_t rx_paused;  ///< priorities that the peer stopped
    bool link_paused;   ///< by 802.3x
};
weir_status weir_pfc_status_get(struct weir_dev* dev, uint32_t port, struct weir_pfc_status* status);
/// For tests: pauses priorities whatever the groups want.
weir_status weir_pfc_force(struct weir_dev* dev, uint32_t port, uint8_t priorities);

/// The stall detector of a port's lossless queues (G7). A queue that holds frames and that the peer has stopped for
/// `quanta` (of 64 octet times; 0: never) is suspect. Interrupt cause: WEIR_INT_STALL.
weir_status weir_stall_limit_set(struct weir_dev* dev, uint32_t port, uint32_t quanta);
weir_status weir_stall_limit_get(struct weir_dev* dev, uint32_t port, uint32_t* quanta);
/// escape: at twice the limit the queue is thrown away, which breaks the lossless promise. hold: stops of one queue add
/// up until a frame is sent or the queue is empty.
weir_status weir_stall_options_set(struct weir_dev* dev, uint32_t port, bool escape, bool hold);
weir_status weir_stall_options_get(struct weir_dev* dev, uint32_t port, bool* escape, bool* hold);
/// Queues that are suspect now.
weir_status weir_stall_suspects_get(struct weir_dev* dev, uint32_t port, uint8_t* queues);
/// Queues that became suspect, or were thrown away, since this was called last.
weir_status weir_stall_hits_take(struct weir_dev* dev, uint32_t port, uint8_t* suspected, uint8_t* escaped);
/// Forgets a queue's longest stall; one that goes on still counts from its start.
weir_status weir_stall_longest_clear(struct weir_dev* dev, uint32_t port, uint32_t queue);

#ifdef __cplusplus
}
#endif
