// SPDX-License-Identifier: Apache-2.0
// Inside the NOS API: ids, tables of objects, references, and what each file of it provides.
#pragma once

#include "sw/driver/access.h"
#include "sw/include/weir/nos.h"

static inline weir_oid oid_of(weir_object_type type, uint32_t a, uint32_t b) {
    return ((uint64_t)type << 48) | ((uint64_t)a << 16) | b;
}
static inline weir_object_type oid_type(weir_oid oid) {
    return (weir_object_type)(oid >> 48);
}
static inline uint32_t oid_a(weir_oid oid) {
    return (uint32_t)(oid >> 16) & 0xffffu;
}
static inline uint32_t oid_b(weir_oid oid) {
    return (uint32_t)oid & 0xffffu;
}

/// The made object of that type behind an id; null when there is none.
struct weir_nos_object* nos_object(struct weir_nos* nos, weir_oid oid, weir_object_type type);
/// Points `binding` to `oid` (or to nothing), counting references. WEIR_E_NO_OBJECT for a wrong id.
weir_status nos_bind(struct weir_nos* nos, weir_oid* binding, weir_oid oid, weir_object_type type);

/// Octets into cells: quotas round up, sizes of pools down. Saturates.
uint32_t nos_cells_up(const struct weir_nos* nos, uint64_t octets);
uint32_t nos_cells_down(const struct weir_nos* nos, uint64_t octets);
uint64_t nos_octets(const struct weir_nos* nos, uint32_t cells);

weir_status nos_pool_apply(struct weir_nos* nos, struct weir_nos_object* pool);
weir_status nos_pool_create(struct weir_nos* nos, struct weir_nos_object* pool, uint32_t index);
weir_status nos_pool_destroy(struct weir_nos* nos, struct weir_nos_object* pool);
weir_status nos_pool_set(struct weir_nos* nos, struct weir_nos_object* pool, uint32_t id, uint64_t value);
weir_status nos_profile_check(struct weir_nos* nos, const struct weir_nos_object* profile);
weir_status nos_profile_set(struct weir_nos* nos, weir_oid oid, uint32_t id, uint64_t value);
weir_status nos_group_profile(struct weir_nos* nos, uint32_t port, uint32_t group, weir_oid profile);
weir_status nos_queue_profile(struct weir_nos* nos, uint32_t port, uint32_t queue, weir_oid profile);

weir_status nos_wred_create(struct weir_nos* nos, struct weir_nos_object* wred, uint32_t index);
weir_status nos_wred_apply(struct weir_nos* nos, const struct weir_nos_object* wred);
weir_status nos_wred_reapply(struct weir_nos* nos, weir_oid oid);
weir_status nos_queue_wred(struct weir_nos* nos, uint32_t port, uint32_t queue, weir_oid wred);
weir_status nos_scheduler_check(struct weir_nos* nos, const struct weir_nos_object* scheduler);
weir_status nos_scheduler_reapply(struct weir_nos* nos, weir_oid oid);
weir_status nos_queue_scheduler(struct weir_nos* nos, uint32_t port, uint32_t queue, weir_oid scheduler);
weir_status nos_port_scheduler(struct weir_nos* nos, uint32_t port, weir_oid scheduler);

weir_status nos_map_check(struct weir_nos* nos, uint64_t type, const struct weir_map_entry* entries, uint32_t count);
weir_status nos_map_reapply(struct weir_nos* nos, weir_oid oid);
weir_status nos_port_map(struct weir_nos* nos, uint32_t port, uint32_t type, weir_oid map);
weir_status nos_port_set(struct weir_nos* nos, uint32_t port, const struct weir_attribute* attribute);
weir_status nos_port_get(struct weir_nos* nos, uint32_t port, struct weir_attribute* attribute);
