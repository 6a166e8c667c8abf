// SPDX-License-Identifier: Apache-2.0
// Objects of the NOS API: ids, creation, removal, attributes, who refers to whom.
#include "sw/api/objects.h"

#include <string.h>

#include "sw/include/weir/buffer.h"
#include "sw/include/weir/pfc.h"
#include "sw/include/weir/qos.h"
#include "sw/include/weir/wred.h"

enum { CREATE_ONLY = 1, MANDATORY = 2, READ_ONLY = 4 };

struct kind {
    uint32_t attributes;
    const uint8_t* flags;
    uint32_t objects;
};

static const uint8_t pool_flags[] = {CREATE_ONLY | MANDATORY, MANDATORY, READ_ONLY, 0};
static const uint8_t profile_flags[] = {CREATE_ONLY | MANDATORY, MANDATORY, CREATE_ONLY, 0, 0, 0, 0, 0};
static const uint8_t wred_flags[14] = {0};
static const uint8_t scheduler_flags[4] = {0};
static const uint8_t map_flags[] = {CREATE_ONLY | MANDATORY, MANDATORY};

static struct weir_nos_object* table_of(struct weir_nos* nos, weir_object_type type, struct kind* kind) {
    switch (type) {
        case WEIR_POOL:
            *kind = (struct kind){4, pool_flags, WEIR_NOS_POOLS};
            return nos->pools;
        case WEIR_PROFILE:
            *kind = (struct kind){8, profile_flags, WEIR_NOS_PROFILES};
            return nos->profiles;
        case WEIR_WRED:
            *kind = (struct kind){14, wred_flags, WEIR_NOS_WREDS};
            return nos->wreds;
        case WEIR_SCHEDULER:
            *kind = (struct kind){4, scheduler_flags, WEIR_NOS_SCHEDULERS};
            return nos->schedulers;
        case WEIR_MAP:
            *kind = (struct kind){2, map_flags, WEIR_NOS_MAPS};
            return nos->maps;
        default:
            return NULL;
    }
}

void weir_nos_init(struct weir_nos* nos, struct weir_dev* dev) {
    memset(nos, 0, sizeof *nos);
    nos->dev = dev;
}

weir_oid weir_nos_switch(const struct weir_nos* nos) {
    (void)nos;
    return oid_of(WEIR_SWITCH, 0, 0);
}

weir_oid weir_nos_port(const struct weir_nos* nos, uint32_t port) {
    return port < nos->dev->caps.ports ? oid_of(WEIR_PORT, port, 0) : WEIR_NULL_OID;
}

weir_oid weir_nos_group(const struct weir_nos* nos, uint32_t port, uint32_t group) {
    const struct weir_capabilities* caps = &nos->dev->caps;
    return port <= caps->ports && group < caps->groups ? oid_of(WEIR_GROUP, port, group) : WEIR_NULL_OID;
}

weir_oid weir_nos_queue(const struct weir_nos* nos, uint32_t port, uint32_t queue) {
    const struct weir_capabilities* caps = &nos->dev->caps;
    return port <= caps->ports && queue < caps->queues ? oid_of(WEIR_QUEUE, port, queue) : WEIR_NULL_OID;
}

struct weir_nos_object* nos_object(struct weir_nos* nos, weir_oid oid, weir_object_type type) {
    struct kind kind;
    struct weir_nos_object* table = table_of(nos, type, &kind);
    if (table == NULL || oid_type(oid) != type || oid_a(oid) >= kind.objects || oid_b(oid) != 0) return NULL;
    return table[oid_a(oid)].used ? &table[oid_a(oid)] : NULL;
}

weir_status nos_bind(struct weir_nos* nos, weir_oid* binding, weir_oid oid, weir_object_type type) {
    struct weir_nos_object* wanted = nos_object(nos, oid, type);
    if (oid != WEIR_NULL_OID && wanted == NULL)
        return weir_fail(nos->dev, WEIR_E_NO_OBJECT, "no such object to refer to");
    struct weir_nos_object* old = nos_object(nos, *binding, type);
    if (old != NULL) old->references--;
    if (wanted != NULL) wanted->references++;
    *binding = oid;
    return WEIR_OK;
}

uint32_t nos_cells_up(const struct weir_nos* nos, uint64_t octets) {
    const uint32_t cell = nos->dev->caps.cell_octets;
    const uint64_t cells = octets / cell + (octets % cell != 0 ? 1 : 0);
    return cells >= WEIR_CELLS_UNLIMITED ? WEIR_CELLS_UNLIMITED - 1 : (uint32_t)cells;
}

uint32_t nos_cells_down(const struct weir_nos* nos, uint64_t octets) {
    const uint64_t cells = octets / nos->dev->caps.cell_octets;
    return cells >= WEIR_CELLS_UNLIMITED ? WEIR_CELLS_UNLIMITED - 1 : (uint32_t)cells;
}

uint64_t nos_octets(const struct weir_nos* nos, uint32_t cells) {
    return (uint64_t)cells * nos->dev->caps.cell_octets;
}

static weir_status default_attributes(struct weir_nos_object* o, weir_object_type type) {
    memset(o, 0, sizeof *o);
    if (type == WEIR_PROFILE) o->attribute[WEIR_PROFILE_DYNAMIC] = 1;
    if (type == WEIR_SCHEDULER) {
        o->attribute[WEIR_SCHEDULER_TYPE] = 2;
        o->attribute[WEIR_SCHEDULER_WEIGHT] = 1;
    }
    if (type == WEIR_WRED)
        for (uint32_t colour = 0; colour < WEIR_COLOURS; ++colour)
            o->attribute[WEIR_WRED_GREEN_PROBABILITY + 4 * colour] = 100;
    return WEIR_OK;
}

static weir_status read_attributes(struct weir_nos* nos, struct weir_nos_object* o, const struct kind* kind,
                                   const struct weir_attribute* attributes, uint32_t count, uint32_t index,
                                   weir_object_type type) {
    uint32_t given = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t id = attributes[i].id;
        if (id >= kind->attributes) return weir_fail(nos->dev, WEIR_E_NO_ATTRIBUTE, "attribute %u does not exist", id);
        if ((kind->flags[id] & READ_ONLY) != 0)
            return weir_fail(nos->dev, WEIR_E_READ_ONLY, "attribute %u is read-only", id);
        given |= 1u << id;
        o->attribute[id] = attributes[i].value;
        if (type == WEIR_MAP && id == WEIR_MAP_LIST) {
            if (attributes[i].count > WEIR_NOS_ENTRIES)
                return weir_fail(nos->dev, WEIR_E_NO_RESOURCES, "a map of %u entries: %u at most", attributes[i].count,
                                 (uint32_t)WEIR_NOS_ENTRIES);
            nos->map_lists[index].count = attributes[i].count;
            memcpy(nos->map_lists[index].entries, attributes[i].entries,
                   attributes[i].count * sizeof attributes[i].entries[0]);
        }
    }
    for (uint32_t id = 0; id < kind->attributes; ++id)
        if ((kind->flags[id] & MANDATORY) != 0 && (given & (1u << id)) == 0)
            return weir_fail(nos->dev, WEIR_E_MANDATORY_MISSING, "attribute %u must be given at creation", id);
    return WEIR_OK;
}

static weir_status make(struct weir_nos* nos, weir_object_type type, struct weir_nos_object* o, uint32_t index) {
    switch (type) {
        case WEIR_POOL:
            return nos_pool_create(nos, o, index);
        case WEIR_PROFILE: {
            WEIR_TRY(nos_profile_check(nos, o));
            nos_object(nos, o->attribute[WEIR_PROFILE_POOL], WEIR_POOL)->references++;
            return WEIR_OK;
        }
        case WEIR_WRED:
            return nos_wred_create(nos, o, index);
        case WEIR_SCHEDULER:
            return nos_scheduler_check(nos, o);
        default:
            return nos_map_check(nos, o->attribute[WEIR_MAP_TYPE], nos->map_lists[index].entries,
                                 nos->map_lists[index].count);
    }
}

weir_status weir_nos_create(struct weir_nos* nos, weir_object_type type, const struct weir_attribute* attributes,
                            uint32_t count, weir_oid* oid) {
    struct kind kind;
    struct weir_nos_object* table = table_of(nos, type, &kind);
    WEIR_TRY(weir_check_started(nos->dev));
    if (table == NULL) return weir_fail(nos->dev, WEIR_E_UNSUPPORTED, "objects of this kind are made by the switch");
    uint32_t index = 0;
    while (index < kind.objects && table[index].used) ++index;
    if (index == kind.objects)
        return weir_fail(nos->dev, WEIR_E_NO_RESOURCES, "all %u objects of this kind are in use", kind.objects);
    struct weir_nos_object* o = &table[index];
    WEIR_TRY(default_attributes(o, type));
    WEIR_TRY(read_attributes(nos, o, &kind, attributes, count, index, type));
    WEIR_TRY(make(nos, type, o, index));
    o->used = true;
    *oid = oid_of(type, index, 0);
    return WEIR_OK;
}

weir_status weir_nos_remove(struct weir_nos* nos, weir_oid oid) {
    struct weir_nos_object* o = nos_object(nos, oid, oid_type(oid));
    if (o == NULL) return weir_fail(nos->dev, WEIR_E_NO_OBJECT, "no object of that id that a user made");
    if (o->references > 0)
        return weir_fail(nos->dev, WEIR_E_OBJECT_IN_USE, "%u others refer to the object", o->references);
    if (oid_type(oid) == WEIR_POOL) WEIR_TRY(nos_pool_destroy(nos, o));
    if (oid_type(oid) == WEIR_PROFILE) nos_object(nos, o->attribute[WEIR_PROFILE_POOL], WEIR_POOL)->references--;
    o->used = false;
    return WEIR_OK;
}

// Sets the attribute, tries to apply it everywhere, and puts the old value back when that fails.
static weir_status set_and_apply(struct weir_nos* nos, struct weir_nos_object* o, weir_oid oid,
                                 const struct weir_attribute* a, weir_status (*apply)(struct weir_nos*, weir_oid)) {
    const uint64_t old = o->attribute[a->id];
    o->attribute[a->id] = a->value;
    weir_change_begin(nos->dev);
    weir_status status = weir_change_end(nos->dev, apply(nos, oid));
    if (status != WEIR_OK) o->attribute[a->id] = old;
    return status;
}

static weir_status set_map_list(struct weir_nos* nos, struct weir_nos_object* o, weir_oid oid,
                                const struct weir_attribute* a) {
    WEIR_TRY(nos_map_check(nos, o->attribute[WEIR_MAP_TYPE], a->entries, a->count));
    struct weir_nos_map* list = &nos->map_lists[oid_a(oid)];
    const struct weir_nos_map old = *list;
    list->count = a->count;
    memcpy(list->entries, a->entries, a->count * sizeof a->entries[0]);
    weir_change_begin(nos->dev);
    weir_status status = weir_change_end(nos->dev, nos_map_reapply(nos, oid));
    if (status != WEIR_OK) *list = old;
    return status;
}

static weir_status set_made(struct weir_nos* nos, weir_oid oid, const struct weir_attribute* a) {
    struct kind kind;
    struct weir_nos_object* o = nos_object(nos, oid, oid_type(oid));
    if (o == NULL || table_of(nos, oid_type(oid), &kind) == NULL)
        return weir_fail(nos->dev, WEIR_E_NO_OBJECT, "no object of that id");
    if (a->id >= kind.attributes) return weir_fail(nos->dev, WEIR_E_NO_ATTRIBUTE, "attribute %u does not exist", a->id);
    if ((kind.flags[a->id] & READ_ONLY) != 0)
        return weir_fail(nos->dev, WEIR_E_READ_ONLY, "attribute %u is read-only", a->id);
    if ((kind.flags[a->id] & CREATE_ONLY) != 0)
        return weir_fail(nos->dev, WEIR_E_CREATE_ONLY, "attribute %u can be given at creation only", a->id);
    switch (oid_type(oid)) {
        case WEIR_POOL:
            return nos_pool_set(nos, o, a->id, a->value);
        case WEIR_PROFILE:
            return nos_profile_set(nos, oid, a->id, a->value);
        case WEIR_WRED:
            return set_and_apply(nos, o, oid, a, nos_wred_reapply);
        case WEIR_SCHEDULER:
            return set_and_apply(nos, o, oid, a, nos_scheduler_reapply);
        default:
            return set_map_list(nos, o, oid, a);
    }
}

static weir_status set_queue(struct weir_nos* nos, uint32_t port, uint32_t queue, const struct weir_attribute* a) {
    struct weir_queue_config c;
    switch (a->id) {
        case WEIR_QUEUE_PROFILE:
            return nos_queue_profile(nos, port, queue, a->value);
        case WEIR_QUEUE_WRED:
            return nos_queue_wred(nos, port, queue, a->value);
        case WEIR_QUEUE_SCHEDULER:
            return nos_queue_scheduler(nos, port, queue, a->value);
        case WEIR_QUEUE_DEQUEUE_ENABLE:
            WEIR_TRY(weir_queue_get(nos->dev, port, queue, &c));
            c.dequeue = a->value != 0;
            return weir_queue_set(nos->dev, port, queue, &c);
        case WEIR_QUEUE_PAUSE_STATUS:
        case WEIR_QUEUE_PORT:
        case WEIR_QUEUE_INDEX:
            return weir_fail(nos->dev, WEIR_E_READ_ONLY, "attribute %u is read-only", a->id);
        default:
            return weir_fail(nos->dev, WEIR_E_NO_ATTRIBUTE, "attribute %u does not exist", a->id);
    }
}

static weir_status check_made_by_switch(struct weir_nos* nos, weir_oid oid) {
    const struct weir_capabilities* caps = &nos->dev->caps;
    WEIR_TRY(weir_check_started(nos->dev));
    const uint32_t ports = oid_type(oid) == WEIR_PORT ? caps->ports : caps->ports + 1;
    if (oid_a(oid) < ports && oid_b(oid) < caps->groups) return WEIR_OK;
    return weir_fail(nos->dev, WEIR_E_NO_OBJECT, "no object of that id");
}

weir_status weir_nos_set(struct weir_nos* nos, weir_oid oid, const struct weir_attribute* a) {
    const uint32_t port = oid_a(oid);
    switch (oid_type(oid)) {
        case WEIR_SWITCH:
            return weir_fail(nos->dev, WEIR_E_READ_ONLY, "the switch's attributes are read-only");
        case WEIR_PORT:
            WEIR_TRY(check_made_by_switch(nos, oid));
            return nos_port_set(nos, port, a);
        case WEIR_QUEUE:
            WEIR_TRY(check_made_by_switch(nos, oid));
            return set_queue(nos, port, oid_b(oid), a);
        case WEIR_GROUP:
            WEIR_TRY(check_made_by_switch(nos, oid));
            if (a->id == WEIR_GROUP_PROFILE) return nos_group_profile(nos, port, oid_b(oid), a->value);
            if (a->id <= WEIR_GROUP_INDEX)
                return weir_fail(nos->dev, WEIR_E_READ_ONLY, "attribute %u is read-only", a->id);
            return weir_fail(nos->dev, WEIR_E_NO_ATTRIBUTE, "attribute %u does not exist", a->id);
        default:
            return set_made(nos, oid, a);
    }
}

static weir_status get_queue(struct weir_nos* nos, uint32_t port, uint32_t queue, struct weir_attribute* a) {
    switch (a->id) {
        case WEIR_QUEUE_PROFILE:
            a->value = nos->queue_profile[port][queue];
            return WEIR_OK;
        case WEIR_QUEUE_WRED:
            a->value = nos->queue_wred[port][queue];
            return WEIR_OK;
        case WEIR_QUEUE_SCHEDULER:
            a->value = nos->queue_scheduler[port][queue];
            return WEIR_OK;
        case WEIR_QUEUE_PORT:
            a->value = oid_of(WEIR_PORT, port, 0);
            return WEIR_OK;
        case WEIR_QUEUE_INDEX:
            a->value = queue;
            return WEIR_OK;
        case WEIR_QUEUE_DEQUEUE_ENABLE: {
            struct weir_queue_config c;
            WEIR_TRY(weir_queue_get(nos->dev, port, queue, &c));
            a->value = c.dequeue;
            return WEIR_OK;
        }
        case WEIR_QUEUE_PAUSE_STATUS: {
            struct weir_pfc_status s;
            WEIR_TRY(weir_pfc_status_get(nos->dev, port, &s));
            a->value = 0;
            for (uint32_t p = 0; p < nos->dev->caps.priorities; ++p) {
                uint8_t queues = 0;
                WEIR_TRY(weir_priority_queues_get(nos->dev, port, p, &queues));
                if ((s.rx_paused & (1u << p)) != 0 && (queues & (1u << queue)) != 0) a->value = 1;
            }
            return WEIR_OK;
        }
        default:
            return weir_fail(nos->dev, WEIR_E_NO_ATTRIBUTE, "attribute %u does not exist", a->id);
    }
}

static weir_status get_switch(struct weir_nos* nos, struct weir_attribute* a) {
    const struct weir_capabilities* caps = &nos->dev->caps;
    switch (a->id) {
        case WEIR_SWITCH_TOTAL_BUFFER_SIZE:
            a->value = nos_octets(nos, caps->cells) / 1024;
            return WEIR_OK;
        case WEIR_SWITCH_CELL_SIZE:
            a->value = caps->cell_octets;
            return WEIR_OK;
        case WEIR_SWITCH_INGRESS_POOLS:
            a->value = caps->pools;
            return WEIR_OK;
        case WEIR_SWITCH_QUEUES:
            a->value = caps->queues;
            return WEIR_OK;
        case WEIR_SWITCH_GROUPS:
            a->value = caps->groups;
            return WEIR_OK;
        case WEIR_SWITCH_TRAFFIC_CLASSES:
            a->value = WEIR_DIM_CLASSES;
            return WEIR_OK;
        case WEIR_SWITCH_PORTS:
            a->value = caps->ports;
            return WEIR_OK;
        default:
            return weir_fail(nos->dev, WEIR_E_NO_ATTRIBUTE, "attribute %u does not exist", a->id);
    }
}

static weir_status get_group(struct weir_nos* nos, uint32_t port, uint32_t group, struct weir_attribute* a) {
    switch (a->id) {
        case WEIR_GROUP_PROFILE:
            a->value = nos->group_profile[port][group];
            return WEIR_OK;
        case WEIR_GROUP_PORT:
            a->value = oid_of(WEIR_PORT, port, 0);
            return WEIR_OK;
        case WEIR_GROUP_INDEX:
            a->value = group;
            return WEIR_OK;
        default:
            return weir_fail(nos->dev, WEIR_E_NO_ATTRIBUTE, "attribute %u does not exist", a->id);
    }
}

static weir_status get_made(struct weir_nos* nos, weir_oid oid, struct weir_attribute* a) {
    struct kind kind;
    const struct weir_nos_object* o = nos_object(nos, oid, oid_type(oid));
    if (o == NULL || table_of(nos, oid_type(oid), &kind) == NULL)
        return weir_fail(nos->dev, WEIR_E_NO_OBJECT, "no object of that id");
    if (a->id >= kind.attributes) return weir_fail(nos->dev, WEIR_E_NO_ATTRIBUTE, "attribute %u does not exist", a->id);
    a->value = o->attribute[a->id];
    if (oid_type(oid) == WEIR_POOL && a->id == WEIR_POOL_SHARED_SIZE) {
        struct weir_pool_config c;
        WEIR_TRY(weir_pool_get(nos->dev, o->hardware, &c));
        a->value = nos_octets(nos, c.cells);
    }
    if (oid_type(oid) == WEIR_MAP && a->id == WEIR_MAP_LIST) {
        a->entries = nos->map_lists[oid_a(oid)].entries;
        a->count = nos->map_lists[oid_a(oid)].count;
    }
    return WEIR_OK;
}

weir_status weir_nos_get(struct weir_nos* nos, weir_oid oid, struct weir_attribute* a) {
    switch (oid_type(oid)) {
        case WEIR_SWITCH:
            return get_switch(nos, a);
        case WEIR_PORT:
            WEIR_TRY(check_made_by_switch(nos, oid));
            return nos_port_get(nos, oid_a(oid), a);
        case WEIR_GROUP:
            WEIR_TRY(check_made_by_switch(nos, oid));
            return get_group(nos, oid_a(oid), oid_b(oid), a);
        case WEIR_QUEUE:
            WEIR_TRY(check_made_by_switch(nos, oid));
            return get_queue(nos, oid_a(oid), oid_b(oid), a);
        default:
            return get_made(nos, oid, a);
    }
}
