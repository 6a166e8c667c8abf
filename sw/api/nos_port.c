// SPDX-License-Identifier: Apache-2.0
// Ports of the NOS API, and the statistics of all objects in octets.
#include "sw/api/objects.h"
#include "sw/include/weir/buffer.h"
#include "sw/include/weir/counters.h"
#include "sw/include/weir/pfc.h"
#include "sw/include/weir/port.h"
#include "sw/include/weir/qos.h"

static weir_status set_queues_lossless(struct weir_nos* nos, uint32_t port, uint32_t priorities) {
    uint32_t wanted = 0;
    uint32_t touched = 0;
    for (uint32_t p = 0; p < nos->dev->caps.priorities; ++p) {
        uint8_t queues = 0;
        WEIR_TRY(weir_priority_queues_get(nos->dev, port, p, &queues));
        touched |= queues;
        if ((priorities & (1u << p)) != 0) wanted |= queues;
    }
    for (uint32_t q = 0; q < nos->dev->caps.queues; ++q) {
        struct weir_queue_config c;
        if ((touched & (1u << q)) == 0) continue;
        WEIR_TRY(weir_queue_get(nos->dev, port, q, &c));
        if (c.lossless == ((wanted & (1u << q)) != 0)) continue;
        c.lossless = !c.lossless;
        WEIR_TRY(weir_queue_set(nos->dev, port, q, &c));
    }
    return WEIR_OK;
}

// Both directions. A group is lossless by its profile; here its wish gets a priority to speak for.
static weir_status set_pfc(struct weir_nos* nos, uint32_t port, uint64_t priorities) {
    if ((priorities >> nos->dev->caps.priorities) != 0)
        return weir_fail(nos->dev, WEIR_E_RANGE, "this chip has priorities 0 to %u", nos->dev->caps.priorities - 1);
    for (uint32_t p = 0; p < nos->dev->caps.priorities; ++p) {
        uint32_t group = 0;
        if ((priorities & (1u << p)) == 0) continue;
        WEIR_TRY(weir_pfc_group_of(nos->dev, port, p, &group));
        WEIR_TRY(weir_group_priority_set(nos->dev, port, group, p));
    }
    WEIR_TRY(set_queues_lossless(nos, port, (uint32_t)priorities));
    return weir_pfc_directions_set(nos->dev, port, (uint8_t)priorities, (uint8_t)priorities);
}

static weir_status set_direction(struct weir_nos* nos, uint32_t port, bool transmit, uint64_t priorities) {
    uint8_t tx = 0;
    uint8_t rx = 0;
    if ((priorities >> nos->dev->caps.priorities) != 0)
        return weir_fail(nos->dev, WEIR_E_RANGE, "this chip has priorities 0 to %u", nos->dev->caps.priorities - 1);
    WEIR_TRY(weir_pfc_directions_get(nos->dev, port, &tx, &rx));
    return weir_pfc_directions_set(nos->dev, port, transmit ? (uint8_t)priorities : tx,
                                   transmit ? rx : (uint8_t)priorities);
}

weir_status nos_port_set(struct weir_nos* nos, uint32_t port, const struct weir_attribute* a) {
    struct weir_dev* dev = nos->dev;
    switch (a->id) {
        case WEIR_PORT_ADMIN_STATE:
            return a->value != 0 ? weir_port_up(dev, port) : weir_port_down(dev, port);
        case WEIR_PORT_SPEED:
            return weir_port_speed_set(dev, port, a->value > UINT32_MAX ? UINT32_MAX : (uint32_t)a->value);
        case WEIR_PORT_MTU:
            return weir_port_max_frame_set(dev, port, a->value > UINT32_MAX ? UINT32_MAX : (uint32_t)a->value);
        case WEIR_PORT_PFC:
            weir_change_begin(dev);
            return weir_change_end(dev, set_pfc(nos, port, a->value));
        case WEIR_PORT_PFC_TX:
            return set_direction(nos, port, true, a->value);
        case WEIR_PORT_PFC_RX:
            return set_direction(nos, port, false, a->value);
        case WEIR_PORT_FLOW_CONTROL:
            if (a->value > 3)
                return weir_fail(dev, WEIR_E_RANGE, "flow control is 0 off, 1 transmit, 2 receive, 3 both");
            return weir_pause_set(dev, port, (a->value & 2) != 0, (a->value & 1) != 0);
        case WEIR_PORT_SCHEDULER:
            return nos_port_scheduler(nos, port, a->value);
        case WEIR_PORT_OPER_STATUS:
        case WEIR_PORT_MAX_HEADROOM:
            return weir_fail(dev, WEIR_E_READ_ONLY, "attribute %u is read-only", a->id);
        default:
            break;
    }
    if (a->id >= WEIR_PORT_DSCP_TO_TC && a->id <= WEIR_PORT_PRIORITY_TO_QUEUE)
        return nos_port_map(nos, port, a->id - WEIR_PORT_DSCP_TO_TC, a->value);
    return weir_fail(dev, WEIR_E_NO_ATTRIBUTE, "attribute %u does not exist", a->id);
}

weir_status nos_port_get(struct weir_nos* nos, uint32_t port, struct weir_attribute* a) {
    struct weir_dev* dev = nos->dev;
    struct weir_port_status s;
    uint8_t tx = 0;
    uint8_t rx = 0;
    WEIR_TRY(weir_port_status_get(dev, port, &s));
    WEIR_TRY(weir_pfc_directions_get(dev, port, &tx, &rx));
    switch (a->id) {
        case WEIR_PORT_ADMIN_STATE:
            a->value = s.admin;
            return WEIR_OK;
        case WEIR_PORT_OPER_STATUS:
            a->value = s.link;
            return WEIR_OK;
        case WEIR_PORT_SPEED:
            a->value = s.megabits;
            return WEIR_OK;
        case WEIR_PORT_MTU:
            a->value = s.max_frame;
            return WEIR_OK;
        case WEIR_PORT_PFC:
            a->value = tx & rx;
            return WEIR_OK;
        case WEIR_PORT_PFC_TX:
            a->value = tx;
            return WEIR_OK;
        case WEIR_PORT_PFC_RX:
            a->value = rx;
            return WEIR_OK;
        case WEIR_PORT_FLOW_CONTROL:
            a->value = (dev->ports[port].pause_tx ? 1u : 0u) | (dev->ports[port].pause_rx ? 2u : 0u);
            return WEIR_OK;
        case WEIR_PORT_MAX_HEADROOM:
            a->value = nos_octets(nos, dev->caps.max_port_headroom);
            return WEIR_OK;
        case WEIR_PORT_SCHEDULER:
            a->value = nos->port_scheduler[port];
            return WEIR_OK;
        default:
            break;
    }
    if (a->id >= WEIR_PORT_DSCP_TO_TC && a->id <= WEIR_PORT_PRIORITY_TO_QUEUE) {
        a->value = nos->port_map[port][a->id - WEIR_PORT_DSCP_TO_TC];
        return WEIR_OK;
    }
    return weir_fail(dev, WEIR_E_NO_ATTRIBUTE, "attribute %u does not exist", a->id);
}

// What was asked for of one object: a watermark is restarted only when it was.
struct wanted {
    bool occupancy, counters, peak, shared_peak, headroom_peak;
};

static weir_status group_stats(struct weir_nos* nos, uint32_t port, uint32_t group, struct wanted w, uint64_t* v,
                               uint64_t* has) {
    struct weir_group_usage u = {0};
    struct weir_group_counters c = {0};
    uint32_t used = 0;
    uint32_t service = 0;
    uint32_t headroom = 0;
    if (w.occupancy) WEIR_TRY(weir_group_usage_get(nos->dev, port, group, &u));
    WEIR_TRY(weir_group_peak_take(nos->dev, port, group, w.peak ? &used : NULL, w.shared_peak ? &service : NULL,
                                  w.headroom_peak ? &headroom : NULL));
    if (w.counters) WEIR_TRY(weir_group_counters_get(nos->dev, port, group, &c));
    v[WEIR_STAT_PACKETS] = c.frames;
    v[WEIR_STAT_BYTES] = c.octets;
    v[WEIR_STAT_DROPPED_PACKETS] = c.drop_frames;
    v[WEIR_STAT_DROPPED_BYTES] = c.drop_octets;
    v[WEIR_STAT_CURR_OCCUPANCY_BYTES] = nos_octets(nos, u.used);
    v[WEIR_STAT_SHARED_CURR_OCCUPANCY_BYTES] = nos_octets(nos, u.service);
    v[WEIR_STAT_XOFF_ROOM_CURR_OCCUPANCY_BYTES] = nos_octets(nos, u.headroom);
    v[WEIR_STAT_WATERMARK_BYTES] = nos_octets(nos, used);
    v[WEIR_STAT_SHARED_WATERMARK_BYTES] = nos_octets(nos, service);
    v[WEIR_STAT_XOFF_ROOM_WATERMARK_BYTES] = nos_octets(nos, headroom);
    *has = (UINT64_C(1) << (WEIR_STAT_XOFF_ROOM_WATERMARK_BYTES + 1)) - 1;
    return WEIR_OK;
}

static weir_status queue_stats(struct weir_nos* nos, uint32_t port, uint32_t queue, struct wanted w, uint64_t* v,
                               uint64_t* has) {
    struct weir_queue_usage u = {0};
    struct weir_queue_counters c = {0};
    uint32_t used = 0;
    uint32_t service = 0;
    if (w.occupancy) WEIR_TRY(weir_queue_usage_get(nos->dev, port, queue, &u));
    WEIR_TRY(weir_queue_peak_take(nos->dev, port, queue, w.peak ? &used : NULL, w.shared_peak ? &service : NULL));
    if (w.counters) WEIR_TRY(weir_queue_counters_get(nos->dev, port, queue, &c));
    v[WEIR_STAT_PACKETS] = c.frames;
    v[WEIR_STAT_BYTES] = c.octets;
    v[WEIR_STAT_DROPPED_PACKETS] = c.drop_frames;
    v[WEIR_STAT_DROPPED_BYTES] = c.drop_octets;
    v[WEIR_STAT_CURR_OCCUPANCY_BYTES] = nos_octets(nos, u.used);
    v[WEIR_STAT_SHARED_CURR_OCCUPANCY_BYTES] = nos_octets(nos, u.service);
    v[WEIR_STAT_WATERMARK_BYTES] = nos_octets(nos, used);
    v[WEIR_STAT_SHARED_WATERMARK_BYTES] = nos_octets(nos, service);
    v[WEIR_STAT_WRED_DROPPED_PACKETS] = c.wred_drops;
    v[WEIR_STAT_ECN_MARKED_PACKETS] = c.ce_marked;
    *has = ((UINT64_C(1) << (WEIR_STAT_SHARED_WATERMARK_BYTES + 1)) - 1) |
           (UINT64_C(1) << WEIR_STAT_WRED_DROPPED_PACKETS) | (UINT64_C(1) << WEIR_STAT_ECN_MARKED_PACKETS);
    return WEIR_OK;
}

static weir_status pool_stats(struct weir_nos* nos, uint32_t pool, struct wanted w, uint64_t* v, uint64_t* has) {
    struct weir_pool_usage u = {0};
    uint32_t used = 0;
    uint32_t headroom = 0;
    if (w.occupancy) WEIR_TRY(weir_pool_usage_get(nos->dev, pool, &u));
    WEIR_TRY(weir_pool_peak_take(nos->dev, pool, w.peak ? &used : NULL, w.headroom_peak ? &headroom : NULL));
    v[WEIR_STAT_CURR_OCCUPANCY_BYTES] = nos_octets(nos, u.used);
    v[WEIR_STAT_XOFF_ROOM_CURR_OCCUPANCY_BYTES] = nos_octets(nos, u.headroom_used);
    v[WEIR_STAT_WATERMARK_BYTES] = nos_octets(nos, used);
    v[WEIR_STAT_XOFF_ROOM_WATERMARK_BYTES] = nos_octets(nos, headroom);
    *has = (UINT64_C(1) << WEIR_STAT_CURR_OCCUPANCY_BYTES) | (UINT64_C(1) << WEIR_STAT_WATERMARK_BYTES) |
           (UINT64_C(1) << WEIR_STAT_XOFF_ROOM_CURR_OCCUPANCY_BYTES) |
           (UINT64_C(1) << WEIR_STAT_XOFF_ROOM_WATERMARK_BYTES);
    return WEIR_OK;
}

static weir_status port_stats(struct weir_nos* nos, uint32_t port, uint64_t* v, uint64_t* has) {
    struct weir_port_counters c;
    struct weir_pfc_port_counters all;
    static const uint32_t buffer_reasons[] = {WEIR_DROP_NO_CELL, WEIR_DROP_GROUP_LIMIT, WEIR_DROP_HEADROOM};
    WEIR_TRY(weir_port_counters_get(nos->dev, port, &c));
    WEIR_TRY(weir_pfc_port_counters_get(nos->dev, port, &all));
    v[WEIR_STAT_IF_IN_FRAMES] = c.rx_frames;
    v[WEIR_STAT_IF_IN_OCTETS] = c.rx_octets;
    v[WEIR_STAT_IF_IN_DISCARDS] = c.rx_discards;
    v[WEIR_STAT_IF_OUT_FRAMES] = c.tx_frames;
    v[WEIR_STAT_IF_OUT_OCTETS] = c.tx_octets;
    v[WEIR_STAT_PAUSE_RX_PKTS] = all.pause_rx;
    v[WEIR_STAT_PAUSE_TX_PKTS] = all.pause_tx;
    v[WEIR_STAT_IN_DROPPED_PKTS] = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        uint64_t frames = 0;
        WEIR_TRY(weir_port_drops_get(nos->dev, port, buffer_reasons[i], &frames));
        v[WEIR_STAT_IN_DROPPED_PKTS] += frames;
    }
    *has = ~UINT64_C(0) << WEIR_STAT_IF_IN_FRAMES;
    return WEIR_OK;
}

static weir_status pfc_stat(struct weir_nos* nos, uint32_t port, uint32_t id, uint64_t* value) {
    struct weir_pfc_counters c;
    WEIR_TRY(weir_pfc_counters_get(nos->dev, port, (id - WEIR_STAT_PFC_0_RX_PKTS) % 8, &c));
    switch ((id - WEIR_STAT_PFC_0_RX_PKTS) / 8) {
        case 0:
            *value = c.rx_frames;
            break;
        case 1:
            *value = c.tx_requests;
            break;
        case 2:
            *value = c.rx_quanta;
            break;
        case 3:
            *value = c.rx_paused_ns / 1000;
            break;
        case 4:
            *value = c.tx_paused_ns / 1000;
            break;
        default:
            *value = c.rx_transitions;
            break;
    }
    return WEIR_OK;
}

static weir_status read_stats(struct weir_nos* nos, weir_oid oid, struct wanted w, uint64_t* v, uint64_t* has) {
    const uint32_t port = oid_a(oid);
    const struct weir_nos_object* pool = nos_object(nos, oid, WEIR_POOL);
    if (pool != NULL) return pool_stats(nos, pool->hardware, w, v, has);
    switch (oid_type(oid)) {
        case WEIR_GROUP:
            return group_stats(nos, port, oid_b(oid), w, v, has);
        case WEIR_QUEUE:
            return queue_stats(nos, port, oid_b(oid), w, v, has);
        case WEIR_PORT:
            return port_stats(nos, port, v, has);
        default:
            return weir_fail(nos->dev, WEIR_E_NO_OBJECT, "no object of that id that has statistics");
    }
}

weir_status weir_nos_get_stats(struct weir_nos* nos, weir_oid oid, const uint32_t* ids, uint32_t count,
                               uint64_t* values) {
    struct wanted w = {false, false, false, false, false};
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t id = ids[i];
        if (id >= WEIR_STATISTICS) return weir_fail(nos->dev, WEIR_E_NO_ATTRIBUTE, "statistic %u does not exist", id);
        w.peak = w.peak || id == WEIR_STAT_WATERMARK_BYTES;
        w.shared_peak = w.shared_peak || id == WEIR_STAT_SHARED_WATERMARK_BYTES;
        w.headroom_peak = w.headroom_peak || id == WEIR_STAT_XOFF_ROOM_WATERMARK_BYTES;
        w.occupancy = w.occupancy || id == WEIR_STAT_CURR_OCCUPANCY_BYTES ||
                      id == WEIR_STAT_SHARED_CURR_OCCUPANCY_BYTES || id == WEIR_STAT_XOFF_ROOM_CURR_OCCUPANCY_BYTES;
        w.counters = w.counters || id <= WEIR_STAT_DROPPED_BYTES || id == WEIR_STAT_WRED_DROPPED_PACKETS ||
                     id == WEIR_STAT_ECN_MARKED_PACKETS;
    }
    uint64_t all[WEIR_STAT_PFC_0_RX_PKTS] = {0};
    uint64_t has = 0;
    WEIR_TRY(read_stats(nos, oid, w, all, &has));
    for (uint32_t i = 0; i < count; ++i) {
        if (ids[i] >= WEIR_STAT_PFC_0_RX_PKTS && oid_type(oid) == WEIR_PORT) {
            WEIR_TRY(pfc_stat(nos, oid_a(oid), ids[i], &values[i]));
            continue;
        }
        if (ids[i] >= WEIR_STAT_PFC_0_RX_PKTS || (has & (UINT64_C(1) << ids[i])) == 0)
            return weir_fail(nos->dev, WEIR_E_NO_ATTRIBUTE, "this kind of object does not have statistic %u", ids[i]);
        values[i] = all[ids[i]];
    }
    return WEIR_OK;
}
