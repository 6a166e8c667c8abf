// SPDX-License-Identifier: Apache-2.0
// WRED profiles, schedulers and maps: from the NOS's numbers to the driver's calls, wherever an object is used.
#include "sw/api/objects.h"
#include "sw/include/weir/qos.h"
#include "sw/include/weir/scheduler.h"
#include "sw/include/weir/wred.h"

weir_status nos_wred_create(struct weir_nos* nos, struct weir_nos_object* wred, uint32_t index) {
    if (index >= nos->dev->caps.wred_profiles)
        return weir_fail(nos->dev, WEIR_E_NO_RESOURCES, "all %u WRED profiles of this chip are in use",
                         nos->dev->caps.wred_profiles);
    wred->hardware = (uint8_t)index;
    weir_change_begin(nos->dev);
    return weir_change_end(nos->dev, nos_wred_apply(nos, wred));
}

weir_status nos_wred_apply(struct weir_nos* nos, const struct weir_nos_object* wred) {
    for (uint32_t colour = 0; colour < WEIR_COLOURS; ++colour) {
        const uint64_t* a = wred->attribute + 4 * colour;
        const uint64_t percent = a[WEIR_WRED_GREEN_PROBABILITY];
        if (percent > 100) return weir_fail(nos->dev, WEIR_E_RANGE, "a drop probability is 0 to 100 percent");
        const struct weir_wred_curve curve = {
            a[WEIR_WRED_GREEN_ENABLE] != 0,
            a[WEIR_WRED_GREEN_MIN] == 0 ? nos->dev->caps.cells : nos_cells_up(nos, a[WEIR_WRED_GREEN_MIN]),
            a[WEIR_WRED_GREEN_MAX] == 0 ? nos->dev->caps.cells : nos_cells_up(nos, a[WEIR_WRED_GREEN_MAX]),
            (uint32_t)((percent * WEIR_PROBABILITY_ONE + 50) / 100)};
        WEIR_TRY(weir_wred_curve_set(nos->dev, wred->hardware, colour, &curve));
    }
    return WEIR_OK;
}

static weir_status use_wred(struct weir_nos* nos, uint32_t port, uint32_t queue, const struct weir_nos_object* wred) {
    struct weir_wred_queue use = {false, false, false, 0, 0};
    if (wred != NULL) {
        if (wred->attribute[WEIR_WRED_WEIGHT] > 15)
            return weir_fail(nos->dev, WEIR_E_RANGE, "a WRED weight is 0 to 15");
        use.drop = true;
        use.ecn = wred->attribute[WEIR_WRED_ECN_MARK] != 0;
        use.profile = wred->hardware;
        use.ewma = (uint32_t)wred->attribute[WEIR_WRED_WEIGHT];
    }
    return weir_wred_queue_set(nos->dev, port, queue, &use);
}

weir_status nos_wred_reapply(struct weir_nos* nos, weir_oid oid) {
    const struct weir_nos_object* wred = nos_object(nos, oid, WEIR_WRED);
    WEIR_TRY(nos_wred_apply(nos, wred));
    for (uint32_t port = 0; port <= nos->dev->caps.ports; ++port)
        for (uint32_t q = 0; q < nos->dev->caps.queues; ++q)
            if (nos->queue_wred[port][q] == oid) WEIR_TRY(use_wred(nos, port, q, wred));
    return WEIR_OK;
}

weir_status nos_queue_wred(struct weir_nos* nos, uint32_t port, uint32_t queue, weir_oid wred) {
    const struct weir_nos_object* wanted = nos_object(nos, wred, WEIR_WRED);
    if (wred != WEIR_NULL_OID && wanted == NULL) return weir_fail(nos->dev, WEIR_E_NO_OBJECT, "no such WRED profile");
    WEIR_TRY(use_wred(nos, port, queue, wanted));
    return nos_bind(nos, &nos->queue_wred[port][queue], wred, WEIR_WRED);
}

weir_status nos_scheduler_check(struct weir_nos* nos, const struct weir_nos_object* scheduler) {
    const uint64_t* a = scheduler->attribute;
    if (a[WEIR_SCHEDULER_TYPE] > WEIR_WRR)
        return weir_fail(nos->dev, WEIR_E_RANGE, "a scheduler is strict, DWRR or WRR");
    if (a[WEIR_SCHEDULER_WEIGHT] == 0 || a[WEIR_SCHEDULER_WEIGHT] > 255)
        return weir_fail(nos->dev, WEIR_E_RANGE, "a weight is 1 to 255");
    if (a[WEIR_SCHEDULER_MAX_RATE] / 125 > UINT32_MAX || a[WEIR_SCHEDULER_MAX_BURST] > UINT32_MAX)
        return weir_fail(nos->dev, WEIR_E_RANGE, "a rate or burst beyond what a shaper can do");
    return WEIR_OK;
}

// Octets a second into kb/s: what rounds to nothing is still a limit.
static uint32_t kbps_of(const struct weir_nos_object* scheduler) {
    const uint64_t rate = scheduler->attribute[WEIR_SCHEDULER_MAX_RATE];
    return rate > 0 && rate < 125 ? 1 : (uint32_t)(rate / 125);
}

static weir_status use_scheduler(struct weir_nos* nos, uint32_t port, uint32_t queue, const struct weir_nos_object* s) {
    if (s == NULL) {
        WEIR_TRY(weir_queue_schedule_set(nos->dev, port, queue, WEIR_STRICT, 1));
        return weir_queue_shaper_set(nos->dev, port, queue, 0, 0);
    }
    WEIR_TRY(nos_scheduler_check(nos, s));
    WEIR_TRY(weir_queue_schedule_set(nos->dev, port, queue, (weir_schedule)s->attribute[WEIR_SCHEDULER_TYPE],
                                     (uint32_t)s->attribute[WEIR_SCHEDULER_WEIGHT]));
    return weir_queue_shaper_set(nos->dev, port, queue, kbps_of(s), (uint32_t)s->attribute[WEIR_SCHEDULER_MAX_BURST]);
}

static weir_status use_port_scheduler(struct weir_nos* nos, uint32_t port, const struct weir_nos_object* s) {
    if (s == NULL) return weir_port_shaper_set(nos->dev, port, 0, 0);
    WEIR_TRY(nos_scheduler_check(nos, s));
    return weir_port_shaper_set(nos->dev, port, kbps_of(s), (uint32_t)s->attribute[WEIR_SCHEDULER_MAX_BURST]);
}

weir_status nos_scheduler_reapply(struct weir_nos* nos, weir_oid oid) {
    const struct weir_nos_object* s = nos_object(nos, oid, WEIR_SCHEDULER);
    WEIR_TRY(nos_scheduler_check(nos, s));
    for (uint32_t port = 0; port <= nos->dev->caps.ports; ++port) {
        if (nos->port_scheduler[port] == oid) WEIR_TRY(use_port_scheduler(nos, port, s));
        for (uint32_t q = 0; q < nos->dev->caps.queues; ++q)
            if (nos->queue_scheduler[port][q] == oid) WEIR_TRY(use_scheduler(nos, port, q, s));
    }
    return WEIR_OK;
}

weir_status nos_queue_scheduler(struct weir_nos* nos, uint32_t port, uint32_t queue, weir_oid scheduler) {
    const struct weir_nos_object* s = nos_object(nos, scheduler, WEIR_SCHEDULER);
    if (scheduler != WEIR_NULL_OID && s == NULL) return weir_fail(nos->dev, WEIR_E_NO_OBJECT, "no such scheduler");
    weir_change_begin(nos->dev);
    WEIR_TRY(weir_change_end(nos->dev, use_scheduler(nos, port, queue, s)));
    return nos_bind(nos, &nos->queue_scheduler[port][queue], scheduler, WEIR_SCHEDULER);
}

weir_status nos_port_scheduler(struct weir_nos* nos, uint32_t port, weir_oid scheduler) {
    const struct weir_nos_object* s = nos_object(nos, scheduler, WEIR_SCHEDULER);
    if (scheduler != WEIR_NULL_OID && s == NULL) return weir_fail(nos->dev, WEIR_E_NO_OBJECT, "no such scheduler");
    WEIR_TRY(use_port_scheduler(nos, port, s));
    return nos_bind(nos, &nos->port_scheduler[port], scheduler, WEIR_SCHEDULER);
}

weir_status nos_map_check(struct weir_nos* nos, uint64_t type, const struct weir_map_entry* entries, uint32_t count) {
    static const uint32_t keys[] = {WEIR_DIM_DSCP,    WEIR_DIM_PCP / 2,    WEIR_DIM_CLASSES,
                                    WEIR_DIM_CLASSES, WEIR_DIM_PRIORITIES, WEIR_DIM_PRIORITIES};
    const struct weir_capabilities* caps = &nos->dev->caps;
    if (type > WEIR_MAP_PRIORITY_TO_QUEUE) return weir_fail(nos->dev, WEIR_E_RANGE, "no such type of map");
    if (count > WEIR_NOS_ENTRIES)
        return weir_fail(nos->dev, WEIR_E_NO_RESOURCES, "a map of %u entries: %u at most", count,
                         (uint32_t)WEIR_NOS_ENTRIES);
    const uint32_t values = type <= WEIR_MAP_DOT1P_TO_TC                                         ? WEIR_DIM_CLASSES
                            : type == WEIR_MAP_TC_TO_GROUP || type == WEIR_MAP_PRIORITY_TO_GROUP ? caps->groups
                                                                                                 : caps->queues;
    for (uint32_t i = 0; i < count; ++i) {
        WEIR_TRY(weir_check_index(nos->dev, "key", entries[i].from, keys[type]));
        WEIR_TRY(weir_check_index(nos->dev, "value", entries[i].to, values));
    }
    return WEIR_OK;
}

static weir_status use_entry(struct weir_nos* nos, uint32_t port, uint32_t type, struct weir_map_entry e) {
    switch (type) {
        case WEIR_MAP_DSCP_TO_TC:
            return weir_dscp_set(nos->dev, port, e.from, e.to, 0);
        case WEIR_MAP_DOT1P_TO_TC:
            WEIR_TRY(weir_pcp_set(nos->dev, port, e.from, 0, e.to, 0));
            return weir_pcp_set(nos->dev, port, e.from, 1, e.to, 0);
        case WEIR_MAP_TC_TO_GROUP:
            return weir_class_group_set(nos->dev, port, e.from, e.to);
        case WEIR_MAP_TC_TO_QUEUE:
            return weir_class_queue_set(nos->dev, port, e.from, e.to);
        case WEIR_MAP_PRIORITY_TO_GROUP:
            return weir_group_priority_set(nos->dev, port, e.to, e.from);
        default:
            return weir_priority_queues_set(nos->dev, port, e.from, (uint8_t)(1u << e.to));
    }
}

static weir_status use_map(struct weir_nos* nos, uint32_t port, uint32_t type, const struct weir_nos_map* list) {
    for (uint32_t i = 0; i < list->count; ++i) WEIR_TRY(use_entry(nos, port, type, list->entries[i]));
    if (type == WEIR_MAP_DSCP_TO_TC) return weir_trust_set(nos->dev, port, WEIR_TRUST_DSCP);
    if (type == WEIR_MAP_DOT1P_TO_TC) return weir_trust_set(nos->dev, port, WEIR_TRUST_PCP);
    return WEIR_OK;
}

weir_status nos_map_reapply(struct weir_nos* nos, weir_oid oid) {
    const struct weir_nos_object* map = nos_object(nos, oid, WEIR_MAP);
    const uint32_t type = (uint32_t)map->attribute[WEIR_MAP_TYPE];
    for (uint32_t port = 0; port < nos->dev->caps.ports; ++port)
        if (nos->port_map[port][type] == oid) WEIR_TRY(use_map(nos, port, type, &nos->map_lists[oid_a(oid)]));
    return WEIR_OK;
}

weir_status nos_port_map(struct weir_nos* nos, uint32_t port, uint32_t type, weir_oid oid) {
    const struct weir_nos_object* map = nos_object(nos, oid, WEIR_MAP);
    if (oid != WEIR_NULL_OID && map == NULL) return weir_fail(nos->dev, WEIR_E_NO_OBJECT, "no such map");
    if (map != NULL) {
        if (map->attribute[WEIR_MAP_TYPE] != type) return weir_fail(nos->dev, WEIR_E_RANGE, "a map of another type");
        weir_change_begin(nos->dev);
        WEIR_TRY(weir_change_end(nos->dev, use_map(nos, port, type, &nos->map_lists[oid_a(oid)])));
    }
    return nos_bind(nos, &nos->port_map[port][type], oid, WEIR_MAP);
}
