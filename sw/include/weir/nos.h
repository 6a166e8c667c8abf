// SPDX-License-Identifier: Apache-2.0
// The driver as a network operating system wants it: objects with attributes, sizes in octets, statistics by number.
//
//   pool ◄─ profile ◄─ group, queue        map, WRED, scheduler ◄─ port, queue
//
// Pools, profiles, maps, WRED profiles and schedulers are made by the user; the switch makes ports, groups and queues.
// Quotas round up to cells, pool sizes down. A pool's SIZE holds everything of its groups: shared part, guarantees,
// headroom; what is not reserved is shared (SHARED_SIZE). XOFF_TH of a profile is the headroom's *size*, not a
// watermark.
#pragma once

#include "sw/include/weir/device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t weir_oid;
#define WEIR_NULL_OID UINT64_C(0)

typedef enum weir_object_type {
    WEIR_SWITCH = 1,
    WEIR_PORT,
    WEIR_GROUP,
    WEIR_QUEUE,
    WEIR_POOL,
    WEIR_PROFILE,
    WEIR_WRED,
    WEIR_SCHEDULER,
    WEIR_MAP,
    WEIR_OBJECT_TYPES
} weir_object_type;

struct weir_map_entry {
    uint32_t from, to;
};

/// One attribute. Lists are used by WEIR_MAP_LIST only; all else is in `value`, negative numbers in two's complement.
struct weir_attribute {
    uint32_t id;
    uint64_t value;
    const struct weir_map_entry* entries;
    uint32_t count;
};

// Attributes. Marks: C create only, M mandatory at creation, R read only; the others can be set at any time.
enum weir_switch_attribute {
    WEIR_SWITCH_TOTAL_BUFFER_SIZE,  ///< R, in KiB: the exception among octets
    WEIR_SWITCH_CELL_SIZE,          ///< R
    WEIR_SWITCH_INGRESS_POOLS,      ///< R, pools that can be made in all
    WEIR_SWITCH_QUEUES,             ///< R, a port
    WEIR_SWITCH_GROUPS,             ///< R, a port
    WEIR_SWITCH_TRAFFIC_CLASSES,    ///< R
    WEIR_SWITCH_PORTS               ///< R
};
enum weir_pool_attribute {
    WEIR_POOL_TYPE,         ///< C M: 0 ingress, 1 egress
    WEIR_POOL_SIZE,         ///< M, octets, XOFF_SIZE included
    WEIR_POOL_SHARED_SIZE,  ///< R, octets: SIZE without what is reserved
    WEIR_POOL_XOFF_SIZE     ///< octets of shared headroom; 0: private headroom
};
enum weir_profile_attribute {
    WEIR_PROFILE_POOL,          ///< C M
    WEIR_PROFILE_RESERVED,      ///< M, octets guaranteed
    WEIR_PROFILE_DYNAMIC,       ///< C: 1 SHARED_DYNAMIC_TH counts, 0 SHARED_STATIC_TH; default 1
    WEIR_PROFILE_DYNAMIC_TH,    ///< n: 2^n times the free pool, -7 to 3; -8: nothing shared
    WEIR_PROFILE_STATIC_TH,     ///< octets; 0: unlimited
    WEIR_PROFILE_XOFF_TH,       ///< octets of headroom; above 0 makes a group lossless
    WEIR_PROFILE_XON_TH,        ///< octets: at or below, always resume
    WEIR_PROFILE_XON_OFFSET_TH  ///< octets below the XOFF point
};
enum weir_group_attribute { WEIR_GROUP_PROFILE, WEIR_GROUP_PORT /* R */, WEIR_GROUP_INDEX /* R */ };
enum weir_queue_attribute {
    WEIR_QUEUE_PROFILE,
    WEIR_QUEUE_WRED,
    WEIR_QUEUE_SCHEDULER,
    WEIR_QUEUE_DEQUEUE_ENABLE,
    WEIR_QUEUE_PAUSE_STATUS,  ///< R: stopped by received PFC now
    WEIR_QUEUE_PORT,          ///< R
    WEIR_QUEUE_INDEX          ///< R
};
enum weir_port_attribute {
    WEIR_PORT_ADMIN_STATE,
    WEIR_PORT_OPER_STATUS,  ///< R
    WEIR_PORT_SPEED,        ///< Mb/s
    WEIR_PORT_MTU,          ///< octets of the longest frame, FCS counted
    WEIR_PORT_PFC,          ///< bits: both directions, their queues lossless, their groups mapped
    WEIR_PORT_PFC_TX,       ///< bits: one direction alone
    WEIR_PORT_PFC_RX,
    WEIR_PORT_FLOW_CONTROL,  ///< 802.3x: 0 off, 1 transmit, 2 receive, 3 both
    WEIR_PORT_MAX_HEADROOM,  ///< R, octets; 0: no limit of its own
    WEIR_PORT_DSCP_TO_TC,
    WEIR_PORT_DOT1P_TO_TC,
    WEIR_PORT_TC_TO_GROUP,
    WEIR_PORT_TC_TO_QUEUE,
    WEIR_PORT_PRIORITY_TO_GROUP,
    WEIR_PORT_PRIORITY_TO_QUEUE,
    WEIR_PORT_SCHEDULER  ///< its rate and burst shape the port
};
enum weir_wred_attribute {
    WEIR_WRED_GREEN_ENABLE,  ///< default 0: a profile without its enables does nothing
    WEIR_WRED_GREEN_MIN,     ///< octets; 0: the whole buffer
    WEIR_WRED_GREEN_MAX,
    WEIR_WRED_GREEN_PROBABILITY,  ///< percent, default 100
    WEIR_WRED_YELLOW_ENABLE,
    WEIR_WRED_YELLOW_MIN,
    WEIR_WRED_YELLOW_MAX,
    WEIR_WRED_YELLOW_PROBABILITY,
    WEIR_WRED_RED_ENABLE,
    WEIR_WRED_RED_MIN,
    WEIR_WRED_RED_MAX,
    WEIR_WRED_RED_PROBABILITY,
    WEIR_WRED_WEIGHT,   ///< 0 to 15: averaged with 2^-weight
    WEIR_WRED_ECN_MARK  ///< 1: ECT frames are marked instead of dropped
};
enum weir_scheduler_attribute {
    WEIR_SCHEDULER_TYPE,      ///< 0 strict, 1 DWRR, 2 WRR; default WRR
    WEIR_SCHEDULER_WEIGHT,    ///< 1 to 255, default 1
    WEIR_SCHEDULER_MAX_RATE,  ///< octets a second, 0: none
    WEIR_SCHEDULER_MAX_BURST  ///< octets
};
enum weir_map_attribute { WEIR_MAP_TYPE /* C M */, WEIR_MAP_LIST /* M */ };
enum weir_map_type {
    WEIR_MAP_DSCP_TO_TC,
    WEIR_MAP_DOT1P_TO_TC,
    WEIR_MAP_TC_TO_GROUP,
    WEIR_MAP_TC_TO_QUEUE,
    WEIR_MAP_PRIORITY_TO_GROUP,
    WEIR_MAP_PRIORITY_TO_QUEUE
};

/// Statistics, for all kinds of objects that have them; sizes in octets. Watermarks restart when they are read.
enum weir_statistic {
    WEIR_STAT_PACKETS,
    WEIR_STAT_BYTES,
    WEIR_STAT_DROPPED_PACKETS,  ///< of a group: what its own limits refused, nothing else
    WEIR_STAT_DROPPED_BYTES,
    WEIR_STAT_CURR_OCCUPANCY_BYTES,
    WEIR_STAT_WATERMARK_BYTES,
    WEIR_STAT_SHARED_CURR_OCCUPANCY_BYTES,
    WEIR_STAT_SHARED_WATERMARK_BYTES,
    WEIR_STAT_XOFF_ROOM_CURR_OCCUPANCY_BYTES,
    WEIR_STAT_XOFF_ROOM_WATERMARK_BYTES,
    WEIR_STAT_WRED_DROPPED_PACKETS,
    WEIR_STAT_ECN_MARKED_PACKETS,
    WEIR_STAT_IF_IN_FRAMES,
    WEIR_STAT_IF_IN_OCTETS,
    WEIR_STAT_IF_IN_DISCARDS,
    WEIR_STAT_IF_OUT_FRAMES,
    WEIR_STAT_IF_OUT_OCTETS,
    WEIR_STAT_IN_DROPPED_PKTS,  ///< for want of buffer: no_cell, group_limit, headroom
    WEIR_STAT_PAUSE_RX_PKTS,
    WEIR_STAT_PAUSE_TX_PKTS,
    WEIR_STAT_PFC_0_RX_PKTS,  ///< + priority
    WEIR_STAT_PFC_0_TX_PKTS = WEIR_STAT_PFC_0_RX_PKTS + 8,
    WEIR_STAT_PFC_0_RX_PAUSE_QUANTA = WEIR_STAT_PFC_0_TX_PKTS + 8,
    WEIR_STAT_PFC_0_RX_PAUSE_US = WEIR_STAT_PFC_0_RX_PAUSE_QUANTA + 8,
    WEIR_STAT_PFC_0_TX_PAUSE_US = WEIR_STAT_PFC_0_RX_PAUSE_US + 8,
    WEIR_STAT_PFC_0_ON2OFF_RX = WEIR_STAT_PFC_0_TX_PAUSE_US + 8,
    WEIR_STATISTICS = WEIR_STAT_PFC_0_ON2OFF_RX + 8
};

enum {
    WEIR_NOS_POOLS = 16,
    WEIR_NOS_PROFILES = 64,
    WEIR_NOS_WREDS = 16,
    WEIR_NOS_SCHEDULERS = 64,
    WEIR_NOS_MAPS = 32,
    WEIR_NOS_ENTRIES = 64,
    WEIR_NOS_ATTRIBUTES = 16
};

/// One made object: its attributes as given, and how many others refer to it.
struct weir_nos_object {
    bool used;
    uint8_t hardware;  ///< index of the pool or WRED profile in the chip
    uint32_t references;
    uint32_t reserved;  ///< pools: cells promised to groups and queues
    uint64_t attribute[WEIR_NOS_ATTRIBUTES];
};
struct weir_nos_map {
    uint32_t count;
    struct weir_map_entry entries[WEIR_NOS_ENTRIES];
};

/// The objects of one switch. The caller provides the memory; nothing is allocated.
struct weir_nos {
    struct weir_dev* dev;
    struct weir_nos_object pools[WEIR_NOS_POOLS];
    struct weir_nos_object profiles[WEIR_NOS_PROFILES];
    struct weir_nos_object wreds[WEIR_NOS_WREDS];
    struct weir_nos_object schedulers[WEIR_NOS_SCHEDULERS];
    struct weir_nos_object maps[WEIR_NOS_MAPS];
    struct weir_nos_map map_lists[WEIR_NOS_MAPS];
    weir_oid group_profile[WEIR_MAX_PORTS][WEIR_MAX_GROUPS];
    weir_oid queue_profile[WEIR_MAX_PORTS][WEIR_MAX_GROUPS];
    weir_oid queue_wred[WEIR_MAX_PORTS][WEIR_MAX_GROUPS];
    weir_oid queue_scheduler[WEIR_MAX_PORTS][WEIR_MAX_GROUPS];
    weir_oid port_map[WEIR_MAX_PORTS][6];
    weir_oid port_scheduler[WEIR_MAX_PORTS];
};

/// On a device that has just been brought up.
void weir_nos_init(struct weir_nos* nos, struct weir_dev* dev);

/// What the switch made.
weir_oid weir_nos_switch(const struct weir_nos* nos);
weir_oid weir_nos_port(const struct weir_nos* nos, uint32_t port);
weir_oid weir_nos_group(const struct weir_nos* nos, uint32_t port, uint32_t group);
weir_oid weir_nos_queue(const struct weir_nos* nos, uint32_t port, uint32_t queue);

/// Makes a pool, profile, WRED profile, scheduler or map.
weir_status weir_nos_create(struct weir_nos* nos, weir_object_type type, const struct weir_attribute* attributes,
                            uint32_t count, weir_oid* oid);
/// WEIR_E_OBJECT_IN_USE while something refers to it.
weir_status weir_nos_remove(struct weir_nos* nos, weir_oid oid);
/// WEIR_NULL_OID as a value unbinds. A profile, map, WRED profile or scheduler in use changes everywhere it is used.
weir_status weir_nos_set(struct weir_nos* nos, weir_oid oid, const struct weir_attribute* attribute);
/// In: id. Out: value; of a map the list, which stays the API's.
weir_status weir_nos_get(struct weir_nos* nos, weir_oid oid, struct weir_attribute* attribute);
weir_status weir_nos_get_stats(struct weir_nos* nos, weir_oid oid, const uint32_t* ids, uint32_t count,
                               uint64_t* values);

#ifdef __cplusplus
}
#endif
