// SPDX-License-Identifier: Apache-2.0
// Pools and profiles in octets: what a pool's SIZE holds, and what a profile means for a group or a queue.
//
//   SIZE = XOFF_SIZE (shared headroom) + Σ reserved of what is bound (guaranteed, private headroom) + shared part
#include "sw/api/objects.h"
#include "sw/include/weir/buffer.h"

static weir_status shared_part(struct weir_nos* nos, const struct weir_nos_object* pool, uint32_t reserved,
                               struct weir_pool_config* c) {
    const uint32_t size = nos_cells_down(nos, pool->attribute[WEIR_POOL_SIZE]);
    c->egress = pool->attribute[WEIR_POOL_TYPE] != 0;
    c->headroom = nos_cells_down(nos, pool->attribute[WEIR_POOL_XOFF_SIZE]);
    if ((uint64_t)c->headroom + reserved > size)
        return weir_fail(nos->dev, WEIR_E_BUDGET,
                         "the pool has %u cells; %u of shared headroom and %u reserved are %u too many", size,
                         c->headroom, reserved, c->headroom + reserved - size);
    c->cells = size - c->headroom - reserved;
    return WEIR_OK;
}

weir_status nos_pool_apply(struct weir_nos* nos, struct weir_nos_object* pool) {
    struct weir_pool_config c;
    WEIR_TRY(shared_part(nos, pool, pool->reserved, &c));
    return weir_pool_set(nos->dev, pool->hardware, &c);
}

weir_status nos_pool_create(struct weir_nos* nos, struct weir_nos_object* pool, uint32_t index) {
    (void)index;
    const struct weir_capabilities* caps = &nos->dev->caps;
    if (pool->attribute[WEIR_POOL_TYPE] > 1)
        return weir_fail(nos->dev, WEIR_E_RANGE, "a pool's type is 0 ingress or 1 egress");
    uint32_t taken = 0;
    for (uint32_t i = 0; i < WEIR_NOS_POOLS; ++i)
        if (nos->pools[i].used) taken |= 1u << nos->pools[i].hardware;
    const bool egress = pool->attribute[WEIR_POOL_TYPE] != 0;
    const uint32_t last = caps->pools - 1;
    // Bring-up's egress pool keeps the last index until the first egress pool takes its place.
    if (nos->dev->default_egress && !egress) taken |= 1u << last;
    for (uint32_t i = 0; i <= last; ++i) {
        const uint32_t hardware = egress ? last - i : i;
        if ((taken & (1u << hardware)) != 0) continue;
        pool->hardware = (uint8_t)hardware;
        return nos_pool_apply(nos, pool);
    }
    return weir_fail(nos->dev, WEIR_E_NO_RESOURCES, "all %u pools of this chip are in use", caps->pools);
}

weir_status nos_pool_destroy(struct weir_nos* nos, struct weir_nos_object* pool) {
    const struct weir_pool_config none = {pool->attribute[WEIR_POOL_TYPE] != 0, 0, 0};
    return weir_pool_set(nos->dev, pool->hardware, &none);
}

weir_status nos_pool_set(struct weir_nos* nos, struct weir_nos_object* pool, uint32_t id, uint64_t value) {
    const uint64_t old = pool->attribute[id];
    if (id == WEIR_POOL_XOFF_SIZE && pool->references > 0 && (old == 0) != (value == 0))
        return weir_fail(nos->dev, WEIR_E_OBJECT_IN_USE,
                         "the pool's profiles were made for %s headroom: unbind them first",
                         old == 0 ? "private" : "shared");
    pool->attribute[id] = value;
    weir_status status = nos_pool_apply(nos, pool);
    if (status != WEIR_OK) pool->attribute[id] = old;
    return status;
}

// What a profile comes to in cells.
struct quota {
    struct weir_nos_object* pool;
    bool lossless, shared_headroom, dynamic;
    uint32_t guaranteed, headroom, limit, alpha, xon_floor, xon_offset;
};

static uint32_t reserved_of(const struct quota* q) {
    return q->guaranteed + (q->shared_headroom ? 0 : q->headroom);
}

static weir_status quota_of(struct weir_nos* nos, const struct weir_nos_object* profile, struct quota* q) {
    const uint64_t* a = profile->attribute;
    q->pool = nos_object(nos, a[WEIR_PROFILE_POOL], WEIR_POOL);
    if (q->pool == NULL) return weir_fail(nos->dev, WEIR_E_NO_OBJECT, "a profile needs a pool");
    q->guaranteed = nos_cells_up(nos, a[WEIR_PROFILE_RESERVED]);
    q->headroom = nos_cells_up(nos, a[WEIR_PROFILE_XOFF_TH]);
    q->lossless = q->headroom > 0;
    q->shared_headroom = q->pool->attribute[WEIR_POOL_XOFF_SIZE] != 0;
    q->xon_floor = nos_cells_down(nos, a[WEIR_PROFILE_XON_TH]);  // a floor must not resume too early
    q->xon_offset = nos_cells_up(nos, a[WEIR_PROFILE_XON_OFFSET_TH]);
    q->dynamic = a[WEIR_PROFILE_DYNAMIC] != 0;
    q->alpha = 0;
    q->limit = WEIR_CELLS_UNLIMITED;
    if (!q->dynamic) {
        if (a[WEIR_PROFILE_STATIC_TH] != 0) q->limit = nos_cells_up(nos, a[WEIR_PROFILE_STATIC_TH]);
        return WEIR_OK;
    }
    const int64_t n = (int64_t)a[WEIR_PROFILE_DYNAMIC_TH];
    if (n < -8 || n > 3) return weir_fail(nos->dev, WEIR_E_RANGE, "a dynamic threshold is -7 (1/128) to 3 (8), or -8");
    if (n == -8) {  // the zero profile: nothing of the pool at all
        q->dynamic = false;
        q->limit = 0;
    } else {
        q->alpha = (uint32_t)(n + WEIR_ALPHA_1);
    }
    return WEIR_OK;
}

weir_status nos_profile_check(struct weir_nos* nos, const struct weir_nos_object* profile) {
    struct quota q = {0};
    WEIR_TRY(quota_of(nos, profile, &q));
    if (q.lossless && q.pool->attribute[WEIR_POOL_TYPE] != 0)
        return weir_fail(nos->dev, WEIR_E_POOL, "XOFF_TH of an egress profile: queues have no headroom (R2)");
    return WEIR_OK;
}

static weir_status write_group(struct weir_nos* nos, uint32_t port, uint32_t group, const struct quota* q) {
    struct weir_group_config c = {.enabled = true, .limit = WEIR_CELLS_UNLIMITED, .xoff = WEIR_CELLS_UNLIMITED};
    if (q != NULL) {
        c.lossless = q->lossless;
        c.dynamic = q->dynamic;
        c.alpha = q->alpha;
        c.pool = q->pool->hardware;
        c.guaranteed = q->guaranteed;
        c.limit = q->limit;
        c.headroom = q->headroom;
        c.shared_headroom = q->shared_headroom && q->lossless;
        c.xon_floor = q->xon_floor;
        c.xon_offset = q->xon_offset;
    }
    return weir_group_set(nos->dev, port, group, &c);
}

static weir_status write_queue(struct weir_nos* nos, uint32_t port, uint32_t queue, const struct quota* q) {
    struct weir_queue_config c;
    WEIR_TRY(weir_queue_get(nos->dev, port, queue, &c));
    c.dynamic = q != NULL && q->dynamic;
    c.alpha = q != NULL ? q->alpha : 0;
    c.pool = q != NULL ? q->pool->hardware : nos->dev->caps.pools - 1;
    c.guaranteed = q != NULL ? q->guaranteed : 0;
    c.limit = q != NULL ? q->limit : WEIR_CELLS_UNLIMITED;
    return weir_queue_set(nos->dev, port, queue, &c);
}

// The pool gives before somebody takes, and takes back after somebody gave: the budget holds at every step (R9).
static weir_status exchange(struct weir_nos* nos, bool is_queue, uint32_t port, uint32_t index, const struct quota* old,
                            const struct quota* new_one) {
    weir_status (*write)(struct weir_nos*, uint32_t, uint32_t, const struct quota*) =
        is_queue ? write_queue : write_group;
    const bool same = old != NULL && new_one != NULL && old->pool == new_one->pool;
    if (same) {
        const uint32_t before = reserved_of(old);
        const uint32_t after = reserved_of(new_one);
        new_one->pool->reserved += after - before;
        if (after > before) WEIR_TRY(nos_pool_apply(nos, new_one->pool));
        WEIR_TRY(write(nos, port, index, new_one));
        return after > before ? WEIR_OK : nos_pool_apply(nos, new_one->pool);
    }
    if (new_one != NULL) {
        new_one->pool->reserved += reserved_of(new_one);
        WEIR_TRY(nos_pool_apply(nos, new_one->pool));
    }
    WEIR_TRY(write(nos, port, index, new_one));
    if (old == NULL) return WEIR_OK;
    old->pool->reserved -= reserved_of(old);
    return nos_pool_apply(nos, old->pool);
}

static weir_status bind_profile(struct weir_nos* nos, bool is_queue, uint32_t port, uint32_t index, weir_oid* binding,
                                weir_oid wanted) {
    struct quota old = {0};
    struct quota new_one = {0};
    const struct weir_nos_object* was = nos_object(nos, *binding, WEIR_PROFILE);
    const struct weir_nos_object* will = nos_object(nos, wanted, WEIR_PROFILE);
    if (wanted != WEIR_NULL_OID && will == NULL) return weir_fail(nos->dev, WEIR_E_NO_OBJECT, "no such profile");
    if (was != NULL) WEIR_TRY(quota_of(nos, was, &old));
    if (will != NULL) {
        WEIR_TRY(quota_of(nos, will, &new_one));
        if ((new_one.pool->attribute[WEIR_POOL_TYPE] != 0) != is_queue)
            return weir_fail(nos->dev, WEIR_E_POOL, "a %s needs a profile of an %s pool", is_queue ? "queue" : "group",
                             is_queue ? "egress" : "ingress");
    }
    uint32_t reserved[WEIR_NOS_POOLS];
    for (uint32_t i = 0; i < WEIR_NOS_POOLS; ++i) reserved[i] = nos->pools[i].reserved;
    weir_change_begin(nos->dev);
    weir_status status = weir_change_end(
        nos->dev, exchange(nos, is_queue, port, index, was != NULL ? &old : NULL, will != NULL ? &new_one : NULL));
    if (status == WEIR_OK) return nos_bind(nos, binding, wanted, WEIR_PROFILE);
    for (uint32_t i = 0; i < WEIR_NOS_POOLS; ++i) nos->pools[i].reserved = reserved[i];
    return status;
}

weir_status nos_group_profile(struct weir_nos* nos, uint32_t port, uint32_t group, weir_oid profile) {
    return bind_profile(nos, false, port, group, &nos->group_profile[port][group], profile);
}

weir_status nos_queue_profile(struct weir_nos* nos, uint32_t port, uint32_t queue, weir_oid profile) {
    return bind_profile(nos, true, port, queue, &nos->queue_profile[port][queue], profile);
}

static weir_status rewrite_users(struct weir_nos* nos, weir_oid oid, const struct quota* old, const struct quota* q) {
    const struct weir_capabilities* caps = &nos->dev->caps;
    for (uint32_t port = 0; port <= caps->ports; ++port)
        for (uint32_t i = 0; i < WEIR_MAX_GROUPS; ++i) {
            if (nos->group_profile[port][i] == oid) WEIR_TRY(exchange(nos, false, port, i, old, q));
            if (nos->queue_profile[port][i] == oid) WEIR_TRY(exchange(nos, true, port, i, old, q));
        }
    return WEIR_OK;
}

weir_status nos_profile_set(struct weir_nos* nos, weir_oid oid, uint32_t id, uint64_t value) {
    struct weir_nos_object* profile = nos_object(nos, oid, WEIR_PROFILE);
    struct quota old = {0};
    struct quota q = {0};
    WEIR_TRY(quota_of(nos, profile, &old));
    const uint64_t before = profile->attribute[id];
    profile->attribute[id] = value;
    weir_status status = nos_profile_check(nos, profile);
    if (status == WEIR_OK) status = quota_of(nos, profile, &q);
    if (status == WEIR_OK) {
        const uint32_t reserved = old.pool->reserved;
        weir_change_begin(nos->dev);
        status = weir_change_end(nos->dev, rewrite_users(nos, oid, &old, &q));
        if (status != WEIR_OK) old.pool->reserved = reserved;
    }
    if (status != WEIR_OK) profile->attribute[id] = before;
    return status;
}
