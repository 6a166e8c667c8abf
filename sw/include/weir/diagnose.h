// SPDX-License-Identifier: Apache-2.0
// What is wrong with PFC on a port, in the PFC RTL chapter's order of debugging: does PFC arrive, is the configuration
// possible, which class pays, does the neighbour obey, is anything stalled. One finding a port, on named evidence; "no
// fault" is a finding too.
#pragma once

#include "sw/include/weir/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the counters of a port say. Read from registers by weir_symptoms_get, or filled from a record of them.
struct weir_symptoms {
    uint64_t pfc_seen;       ///< PFC frames that passed every check
    uint64_t pfc_ignored;    ///< tagged ones that were not obeyed
    uint8_t pfc_tx;          ///< priorities that the port may pause at its peer
    uint8_t lossless;        ///< groups
    uint8_t infeasible;      ///< groups whose thresholds cannot work
    uint32_t headroom_need;  ///< cells a lossless group needs by the dead time; 0: no dead time is programmed
    uint64_t overflows;      ///< frames that lossless groups lost
    uint64_t late;           ///< frames of a paused class after the dead time
    uint64_t waited_ns[WEIR_MAX_GROUPS];  ///< time in which a queue held frames
    uint64_t gated_ns[WEIR_MAX_GROUPS];   ///< of that, stopped by the peer
    uint64_t suspects;                    ///< stalls that reached the limit
    uint64_t longest_stall_ns;            ///< of any queue
};
weir_status weir_symptoms_get(struct weir_dev* dev, uint32_t port, struct weir_symptoms* symptoms);

typedef enum weir_finding {
    WEIR_FINDING_NONE,        ///< all checks pass: if it is slow, that is a question of capacity
    WEIR_FINDING_TAGGED_PFC,  ///< the neighbour's pauses carry a VLAN tag and are ignored here
    WEIR_FINDING_PFC_OFF,     ///< lossless groups, and PFC may pause nobody
    WEIR_FINDING_INFEASIBLE,  ///< the headroom that the link needs does not fit, or XOFF or the resume point is not
                              ///< above 0
    WEIR_FINDING_TOO_LATE,    ///< frames were lost although the neighbour obeys: XOFF too high, headroom too small
    WEIR_FINDING_NOT_OBEYED,  ///< the neighbour goes on sending
    WEIR_FINDING_STALLED      ///< a queue was stopped beyond the limit: look at the topology
} weir_finding;

/// The first check that fails. Two faults at once: the earlier one; mend it and ask again.
weir_finding weir_diagnose(const struct weir_symptoms* symptoms);
/// What it means and what to do. Never null.
const char* weir_finding_text(weir_finding finding);

#ifdef __cplusplus
}
#endif
