// SPDX-License-Identifier: Apache-2.0
// Counters, 64 bits each and never torn: reading, freezing and clearing them, and thresholds on occupancies.
#pragma once

#include "sw/include/weir/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Why a frame was dropped: the first check that it failed (R3).
typedef enum weir_drop_reason {
    WEIR_DROP_FCS = 1,
    WEIR_DROP_LENGTH,
    WEIR_DROP_NO_ROUTE,
    WEIR_DROP_TTL,
    WEIR_DROP_WATCHDOG,
    WEIR_DROP_NO_CELL,
    WEIR_DROP_GROUP_LIMIT,
    WEIR_DROP_HEADROOM,
    WEIR_DROP_QUEUE_LIMIT,
    WEIR_DROP_WRED,
    WEIR_DROP_PORT_DISABLED,
    WEIR_DROP_CPU_FULL,
    WEIR_DROP_FLUSHED,
    WEIR_DROP_ESCAPE,
    WEIR_DROP_REASONS
} weir_drop_reason;
/// "headroom" and so on; "?" for what is no reason.
const char* weir_drop_reason_text(uint32_t reason);

struct weir_port_counters {
    uint64_t rx_frames, rx_octets, rx_fcs_errors, rx_length_errors;
    uint64_t tx_frames, tx_octets, rx_discards;
};
struct weir_group_counters {
    uint64_t frames, octets, drop_frames, drop_octets;
};
struct weir_queue_counters {
    uint64_t frames, octets, drop_frames, drop_octets, ce_marked, wred_drops;
};
/// Of a port's PFC parser and generator (G5).
struct weir_pfc_port_counters {
    uint64_t seen, bad_fcs, wrong_da, malformed, tagged, pause_rx, pause_tx, rx_ignored, tx_frames;
};
/// Of one priority. Transitions count pauses; frames restate them (G2).
struct weir_pfc_counters {
    uint64_t rx_frames, tx_requests, rx_transitions, tx_transitions, rx_quanta;
    uint64_t rx_paused_ns, tx_paused_ns, expiries, releases;
};
/// Why the head of a queue waited, in ns (G13): hol is the sum of the four causes, gated the sum of the first two.
struct weir_wait_counters {
    uint64_t hol_ns, self_paused_ns, second_order_ns, first_order_ns, none_ns, gated_ns;
};
/// A port's work and what its peer lets go: bit n for queue n.
struct weir_gate_status {
    uint64_t blocked_ns;  ///< for how long there was work and the peer had stopped all of it
    uint8_t nonempty, eligible;
    bool all_blocked;
};
/// Of a queue's stall detector (G7); longest counts the present stall.
struct weir_stall_counters {
    uint64_t suspects, escapes, escaped_frames, longest_ns;
};
struct weir_cpu_counters {
    uint64_t tx_frames, rx_frames, rx_drops;
};

weir_status weir_port_counters_get(struct weir_dev* dev, uint32_t port, struct weir_port_counters* counters);
/// Frames that came in by the port and were dropped for the reason.
weir_status weir_port_drops_get(struct weir_dev* dev, uint32_t port, uint32_t reason, uint64_t* frames);
weir_status weir_group_counters_get(struct weir_dev* dev, uint32_t port, uint32_t group,
                                    struct weir_group_counters* counters);
weir_status weir_queue_counters_get(struct weir_dev* dev, uint32_t port, uint32_t queue,
                                    struct weir_queue_counters* counters);
weir_status weir_pfc_port_counters_get(struct weir_dev* dev, uint32_t port, struct weir_pfc_port_counters* counters);
weir_status weir_pfc_counters_get(struct weir_dev* dev, uint32_t port, uint32_t priority,
                                  struct weir_pfc_counters* counters);
weir_status weir_wait_counters_get(struct weir_dev* dev, uint32_t port, uint32_t queue,
                                   struct weir_wait_counters* counters);
weir_status weir_gate_status_get(struct weir_dev* dev, uint32_t port, struct weir_gate_status* status);
weir_status weir_stall_counters_get(struct weir_dev* dev, uint32_t port, uint32_t queue,
                                    struct weir_stall_counters* counters);
weir_status weir_cpu_counters_get(struct weir_dev* dev, struct weir_cpu_counters* counters);

/// All counters of the chip to 0; they count from the last reset or clear. Who shares a chip takes differences instead.
weir_status weir_counters_clear(struct weir_dev* dev);
/// All watermarks restart at the present occupancy (R10).
weir_status weir_watermarks_clear(struct weir_dev* dev);
/// Freezes every counter and every number of cells at one instant, and tells it (ns, may be null). Reads show the
/// present until weir_snapshot_show(dev, true); while that is on, nothing that is read clears or restarts.
weir_status weir_snapshot_take(struct weir_dev* dev, uint64_t* ns);
weir_status weir_snapshot_show(struct weir_dev* dev, bool on);

/// Occupancy in cells at which a group's or a queue's hit is set, judged when a frame comes in; WEIR_CELLS_UNLIMITED:
/// never. The cause is WEIR_INT_THRESHOLD.
weir_status weir_group_threshold_set(struct weir_dev* dev, uint32_t port, uint32_t group, uint32_t cells);
weir_status weir_queue_threshold_set(struct weir_dev* dev, uint32_t port, uint32_t queue, uint32_t cells);
/// Groups and queues of a port that reached theirs since this was called last: bit n for number n.
weir_status weir_threshold_hits_take(struct weir_dev* dev, uint32_t port, uint8_t* groups, uint8_t* queues);

#ifdef __cplusplus
}
#endif
