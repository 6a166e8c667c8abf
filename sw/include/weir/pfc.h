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

/// 802.3x PAUSE of the whole link. WEIR_E_CONFLICT while PFC is enabled on the port, and the other way round, unless
/// pause_too allows both (G11).
weir_status weir_pause_set(struct weir_dev* dev, uint32_t port, bool rx, bool tx);

/// How a port reads frames and judges its peer; all off is the standard (G3, G5, G9, G10).
struct weir_pfc_options {
    bool complete_state;      ///< a clear bit releases
    bool ignore_tagged;       ///< tagged frames are counted and not obeyed
    bool pause_too;           ///< PAUSE is obeyed although PFC is enabled
    bool timer_from_stop;     ///< a pause counts from the closed gate and the end of the frame in progress
    bool truncated_quanta;    ///< a quantum is a whole number of port clocks
    bool commit_short;        ///< frames too short or too long are honoured
    bool chapter_window;      ///< the dead time counts from the wish
    bool truncated_headroom;  ///< the headroom needed drops the part of an octet
};
weir_status weir_pfc_options_set(struct weir_dev* dev, uint32_t port, const struct weir_pfc_options* options);
weir_status weir_pfc_options_get(struct weir_dev* dev, uint32_t port, struct weir_pfc_options* options);

struct weir_pfc_status {
    uint8_t tx_paused;  ///< priorities that this port wants stopped
    uint8_t rx_paused;  ///< priorities that the peer stopped
    bool link_paused;   ///< by 802.3x
};
weir_status weir_pfc_status_get(struct weir_dev* dev, uint32_t port, struct weir_pfc_status* status);
/// For tests: pauses priorities whatever the groups want.
weir_status weir_pfc_force(struct weir_dev* dev, uint32_t port, uint8_t priorities);

/// The port clock in MHz that truncated_quanta divides.
weir_status weir_pfc_clock_set(struct weir_dev* dev, uint32_t port, uint32_t megahertz);

/// How long the peer may take to stop, in ps from the start of the pause frame; 0: not judged (G10). It decides which
/// arrivals are late and how much Headroom a lossless group needs.
weir_status weir_pfc_dead_time_set(struct weir_dev* dev, uint32_t port, uint64_t ps);
weir_status weir_pfc_dead_time_get(struct weir_dev* dev, uint32_t port, uint64_t* ps);
/// Divides a budget of cells a lossless group between Headroom, as much as the dead time needs, and XOFF, what is left;
/// the group resumes `hysteresis` below. WEIR_E_THRESHOLD when XOFF or the resume point would not be above 0.
weir_status weir_pfc_budget_set(struct weir_dev* dev, uint32_t port, uint32_t cells, uint32_t hysteresis);

/// Faults of a port, as bits: pfc.fault.
enum weir_pfc_fault {
    WEIR_PFC_OVERFLOW = 1,     ///< a lossless group lost a frame
    WEIR_PFC_LATE = 2,         ///< a paused class arrived after the dead time
    WEIR_PFC_LOSSY_PAUSE = 4,  ///< a pause was asked for a lossy priority
    WEIR_PFC_ESCAPE = 8,       ///< a stalled lossless queue was emptied by discarding
    WEIR_PFC_TAGGED = 16       ///< a tagged PFC frame was not obeyed
};
enum { WEIR_PFC_FAULTS = 5 };
/// "overflow" and so on, by the number of the bit; "?" for what is none.
const char* weir_pfc_fault_text(uint32_t number);

struct weir_pfc_conformance {
    bool conformant;
    uint8_t faults;                      ///< WEIR_PFC_OVERFLOW and so on
    uint8_t infeasible;                  ///< groups whose thresholds cannot work
    uint32_t headroom_need;              ///< cells
    uint64_t count[WEIR_PFC_FAULTS];     ///< occurrences, by the number of the bit
    uint64_t first_ns[WEIR_PFC_FAULTS];  ///< device time at which the bit was set; 0 while it is clear
};
weir_status weir_pfc_conformance_get(struct weir_dev* dev, uint32_t port, struct weir_pfc_conformance* c);
weir_status weir_pfc_faults_clear(struct weir_dev* dev, uint32_t port, uint8_t faults);
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
