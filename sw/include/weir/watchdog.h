// SPDX-License-Identifier: Apache-2.0
// The PFC watchdog: a priority whose peer keeps it stopped for too long, and what is done about it. Two of them.
//
//   hardware   ticks of 1, 10 or 100 ms, found and ended by the chip (G12)
//   software   a poll function that the guest calls; it reads counters and states and judges as a platform's detector
//   does
//
// Both watch what is stopped, never data: they cannot tell a storm from congestion that lasts as long.
#pragma once

#include "sw/include/weir/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is done while a priority is stormed. Drop: what its queues hold or get, and what comes into its groups, is
/// discarded, so that the switch pauses nobody itself. Forward: PFC is ignored. Alert: it is said.
typedef enum weir_wd_action { WEIR_WD_DROP, WEIR_WD_FORWARD, WEIR_WD_ALERT } weir_wd_action;
/// "drop" and so on; "?" for what is none.
const char* weir_wd_action_text(uint32_t action);

// ---- hardware

/// Length of a detection tick: 1, 10 or 100 ms. WEIR_E_CONFLICT while a queue is enabled: intervals count in it.
weir_status weir_wd_granularity_set(struct weir_dev* dev, uint32_t ms);

struct weir_wd_hardware {
    bool enable;
    weir_wd_action action;
    uint32_t detection_ms;  ///< 1 to 15 ticks; rounded down to whole ticks
    uint32_t recovery_ms;   ///< 100 to 1000; rounded down to whole 100 ms
};
weir_status weir_wd_hardware_set(struct weir_dev* dev, uint32_t port, uint32_t queue,
                                 const struct weir_wd_hardware* config);
/// What is in effect: the chip's own read-back of the times.
weir_status weir_wd_hardware_get(struct weir_dev* dev, uint32_t port, uint32_t queue, struct weir_wd_hardware* config);
/// Recovery by hand, with the queue's action. Twice is once.
weir_status weir_wd_recovery_set(struct weir_dev* dev, uint32_t port, uint32_t queue, bool on);

/// Queues that are in recovery now, a bit each.
weir_status weir_wd_state_get(struct weir_dev* dev, uint32_t port, uint8_t* stormed);

/// A bit a queue. Detected and recovered: since they were taken last.
struct weir_wd_events {
    uint8_t stormed, detected, recovered;
};
weir_status weir_wd_events_take(struct weir_dev* dev, uint32_t port, struct weir_wd_events* events);

struct weir_wd_counters {
    uint64_t detections, recoveries;
    uint64_t tx_drops;  ///< frames for the queue
    uint64_t rx_drops;  ///< frames into the groups that share a priority with it
};
weir_status weir_wd_counters_get(struct weir_dev* dev, uint32_t port, uint32_t queue, struct weir_wd_counters* c);

// ---- software

/// How a poll decides that a priority is stormed, after the platforms that do it so.
typedef enum weir_wd_detector {
    WEIR_WD_PRESTERA,  ///< holds cells, sent nothing, PFC frames came
    WEIR_WD_TERALYNX,  ///< that, and paused for more than 80 % of the poll; or empty, PFC came, and paused for as long
    WEIR_WD_MELLANOX,  ///< holds cells, sent nothing, paused for more than 99 % of the measured poll
    WEIR_WD_BROADCOM,  ///< PFC came, no pause ended, paused at both polls
    WEIR_WD_CISCO,     ///< paused at the poll
    WEIR_WD_DETECTORS
} weir_wd_detector;
/// "prestera" and so on; "?" for what is none.
const char* weir_wd_detector_text(uint32_t detector);

enum {
    WEIR_WD_DETECTION_LEAST_MS = 100,
    WEIR_WD_DETECTION_MOST_MS = 5000,
    WEIR_WD_RESTORATION_LEAST_MS = 100,
    WEIR_WD_RESTORATION_MOST_MS = 60000,
    WEIR_WD_POLL_LEAST_MS = 100,
    WEIR_WD_POLL_MOST_MS = 3000
};

struct weir_wd_config {
    weir_wd_action action;
    uint32_t detection_ms;    ///< stormed after ceil(detection / poll) polls in a row that say so
    uint32_t restoration_ms;  ///< over when no PFC frame, XON included, came for as long
};

struct weir_wd_event {
    uint32_t port, priority;
    bool stormed;  ///< false: restored
    weir_wd_action action;
};

/// What one poll saw of a priority.
struct weir_wd_sample {
    uint64_t ns, rx_frames, sent, paused_ns, pauses;
    bool paused, holds;
};

struct weir_wd_status {
    bool watched, stormed;
    uint64_t detections, restorations;
    uint64_t tx_dropped, rx_dropped;            ///< of all storms
    uint64_t tx_dropped_last, rx_dropped_last;  ///< of the present one, or of the last
};

struct weir_wd_watch {
    bool baseline;  ///< `last` is valid
    bool stormed, forced;
    weir_wd_action action;  ///< the one in force
    uint32_t left;          ///< polls to go until it is stormed, or restored
    struct weir_wd_sample last;
    uint64_t tx_base, rx_base;
    struct weir_wd_status status;
};

/// What the drop action took from a queue.
struct weir_wd_saved_queue {
    uint32_t guaranteed, limit;
    bool lossless, dynamic;
};

struct weir_wd_port {
    uint8_t watched;  ///< priorities
    struct weir_wd_config config;
    uint8_t swapped_queues;  ///< on the zero-buffer profile
    uint8_t closed_groups, lossless_groups;
    bool obeyed[WEIR_MAX_GROUPS];  ///< whether received PFC was obeyed before `forward`
    struct weir_wd_saved_queue saved[WEIR_MAX_GROUPS];
    struct weir_wd_watch watch[WEIR_MAX_GROUPS];
};

/// The caller provides the memory. Fields are for reading only.
struct weir_watchdog {
    struct weir_dev* dev;
    weir_wd_detector detector;
    uint32_t poll_ms;
    bool big_red_switch;
    void (*on_event)(void* ctx, const struct weir_wd_event* event);
    void* ctx;
    struct weir_wd_port ports[WEIR_MAX_PORTS];
};

/// Watches nothing yet; polled every 100 ms, judging as Prestera does. `on_event` may be null; events are logged as
/// well.
void weir_watchdog_init(struct weir_watchdog* wd, struct weir_dev* dev,
                        void (*on_event)(void* ctx, const struct weir_wd_event* event), void* ctx);
/// Both only while nothing is watched (WEIR_E_CONFLICT).
weir_status weir_watchdog_detector_set(struct weir_watchdog* wd, weir_wd_detector detector);
weir_status weir_watchdog_poll_set(struct weir_watchdog* wd, uint32_t ms);
/// Watches the priorities that PFC is enabled for on the port. Ranges above; the poll is at most either time.
weir_status weir_watchdog_start(struct weir_watchdog* wd, uint32_t port, const struct weir_wd_config* config);
/// Puts back what is stormed, and watches the port no longer.
weir_status weir_watchdog_stop(struct weir_watchdog* wd, uint32_t port);
/// To be called once a poll interval. After a failure the next call tries again.
weir_status weir_watchdog_poll(struct weir_watchdog* wd);
/// Discards on every watched priority, stormed or not, until it is switched off; nothing is detected meanwhile.
weir_status weir_watchdog_big_red_switch(struct weir_watchdog* wd, bool on);
weir_status weir_watchdog_status_get(struct weir_watchdog* wd, uint32_t port, uint32_t priority,
                                     struct weir_wd_status* status);

#ifdef __cplusplus
}
#endif
