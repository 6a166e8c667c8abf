// SPDX-License-Identifier: Apache-2.0
#include "sw/include/weir/diagnose.h"

#include <string.h>

#include "sw/driver/access.h"
#include "sw/include/weir/buffer.h"
#include "sw/include/weir/counters.h"
#include "sw/include/weir/pfc.h"

weir_status weir_symptoms_get(struct weir_dev* dev, uint32_t port, struct weir_symptoms* s) {
    struct weir_pfc_port_counters counters;
    struct weir_pfc_conformance conformance;
    uint8_t rx = 0;
    memset(s, 0, sizeof *s);
    WEIR_TRY(weir_pfc_port_counters_get(dev, port, &counters));
    WEIR_TRY(weir_pfc_conformance_get(dev, port, &conformance));
    WEIR_TRY(weir_pfc_directions_get(dev, port, &s->pfc_tx, &rx));
    s->pfc_seen = counters.seen;
    s->pfc_ignored = conformance.count[4];
    s->infeasible = conformance.infeasible;
    s->headroom_need = conformance.headroom_need;
    s->overflows = conformance.count[0];
    s->late = conformance.count[1];
    for (uint32_t group = 0; group < dev->caps.groups; ++group) {
        struct weir_group_config c;
        WEIR_TRY(weir_group_get(dev, port, group, &c));
        if (c.lossless) s->lossless |= (uint8_t)(1u << group);
    }
    for (uint32_t queue = 0; queue < dev->caps.queues; ++queue) {
        struct weir_wait_counters waited;
        struct weir_stall_counters stalled;
        WEIR_TRY(weir_wait_counters_get(dev, port, queue, &waited));
        WEIR_TRY(weir_stall_counters_get(dev, port, queue, &stalled));
        s->waited_ns[queue] = waited.hol_ns;
        s->gated_ns[queue] = waited.gated_ns;
        s->suspects += stalled.suspects;
        if (stalled.longest_ns > s->longest_stall_ns) s->longest_stall_ns = stalled.longest_ns;
    }
    return WEIR_OK;
}

weir_finding weir_diagnose(const struct weir_symptoms* s) {
    // Step 1: is PFC arriving, and may it leave at all?
    if (s->pfc_ignored != 0) return WEIR_FINDING_TAGGED_PFC;
    if (s->overflows != 0 && s->lossless != 0 && s->pfc_tx == 0) return WEIR_FINDING_PFC_OFF;
    // Step 2: is the configuration possible?
    if (s->infeasible != 0) return WEIR_FINDING_INFEASIBLE;
    // Step 3 and 4: losses with a neighbour that obeys, or one that does not.
    if (s->late != 0) return WEIR_FINDING_NOT_OBEYED;
    if (s->overflows != 0) return WEIR_FINDING_TOO_LATE;
    // Step 5: is anything stalled?
    if (s->suspects != 0) return WEIR_FINDING_STALLED;
    return WEIR_FINDING_NONE;
}

const char* weir_finding_text(weir_finding finding) {
    switch (finding) {
        case WEIR_FINDING_TAGGED_PFC:
            return "the neighbour's PFC frames carry a VLAN tag and are ignored: let the receiver read them "
                   "(pfc receiver standard)";
        case WEIR_FINDING_PFC_OFF:
            return "lossless groups lose frames and the port may pause nobody: pfc enable priority N";
        case WEIR_FINDING_INFEASIBLE:
            return "the thresholds cannot work on this link: less distance, rate or classes, or more cells";
        case WEIR_FINDING_TOO_LATE:
            return "frames are lost although nobody is accused of sending late: lower XOFF, or more headroom";
        case WEIR_FINDING_NOT_OBEYED:
            return "the neighbour goes on sending after the dead time: it ignores PFC, or never agreed to it";
        case WEIR_FINDING_STALLED:
            return "a queue was stopped beyond the limit: a cycle or a very long congestion; look at the topology";
        case WEIR_FINDING_NONE:
            break;
    }
    return "no fault: all five checks pass; what is slow is short of capacity";
}
