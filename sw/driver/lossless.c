// SPDX-License-Identifier: Apache-2.0
// A lossless priority end to end: group, queue, the maps between them, and moving it from one group to another.
#include "sw/driver/lossless.h"

#include "sw/include/weir/buffer.h"
#include "sw/include/weir/pfc.h"
#include "sw/include/weir/qos.h"

static weir_status set_group_priority(struct weir_dev* dev, uint32_t port, uint32_t group, uint32_t priority, bool on) {
    uint32_t bit = weir_map_group_priorities_priorities_set(0, 1u << priority);
    return weir_set_masked(dev, weir_reg_map_group_priorities(port, group), on ? bit : 0, bit);
}

static void apply_profile(const struct weir_pfc_profile* p, struct weir_group_config* c) {
    if (p->xoff_given) c->xoff = p->xoff;
    if (p->xon_given) c->xon_offset = p->xon_offset;
    if (p->headroom_given) c->headroom = p->headroom;
}

static weir_status make_group(struct weir_dev* dev, uint32_t port, uint32_t group, uint32_t priority,
                              const struct weir_group_config* like) {
    struct weir_group_config c;
    WEIR_TRY(weir_group_get(dev, port, group, &c));
    if (like != NULL && !c.lossless) {
        const uint32_t guaranteed = c.guaranteed;
        c = *like;
        c.guaranteed = guaranteed;  // a minimum belongs to the group, not to what moves into it
    }
    c.enabled = true;
    c.lossless = true;
    apply_profile(&dev->ports[port].profile, &c);
    WEIR_TRY(weir_group_set(dev, port, group, &c));
    return set_group_priority(dev, port, group, priority, true);
}

static weir_status release_group(struct weir_dev* dev, uint32_t port, uint32_t group, uint32_t priority) {
    uint8_t left = 0;
    WEIR_TRY(set_group_priority(dev, port, group, priority, false));
    WEIR_TRY(weir_group_priorities_get(dev, port, group, &left));
    if ((left & dev->ports[port].enabled) != 0) return WEIR_OK;
    struct weir_group_config c;
    WEIR_TRY(weir_group_get(dev, port, group, &c));
    c.lossless = false;
    c.xoff = WEIR_CELLS_UNLIMITED;
    c.xon_offset = 0;
    c.headroom = 0;
    return weir_group_set(dev, port, group, &c);
}

static weir_status set_queues_lossless(struct weir_dev* dev, uint32_t port, uint32_t queues, bool lossless) {
    for (uint32_t q = 0; q < dev->caps.queues; ++q) {
        if ((queues & (1u << q)) == 0) continue;
        struct weir_queue_config c;
        WEIR_TRY(weir_queue_get(dev, port, q, &c));
        c.lossless = lossless;
        WEIR_TRY(weir_queue_set(dev, port, q, &c));
    }
    return WEIR_OK;
}

// Queues that enabled priorities other than this one stop.
static weir_status queues_of_others(struct weir_dev* dev, uint32_t port, uint32_t priority, uint8_t* queues) {
    *queues = 0;
    for (uint32_t p = 0; p < dev->caps.priorities; ++p) {
        if (p == priority || (dev->ports[port].enabled & (1u << p)) == 0) continue;
        uint8_t of_p = 0;
        WEIR_TRY(weir_priority_queues_get(dev, port, p, &of_p));
        *queues = (uint8_t)(*queues | of_p);
    }
    return WEIR_OK;
}

static weir_status write_queues(struct weir_dev* dev, uint32_t port, uint32_t priority, uint8_t queues) {
    return weir_set_masked(dev, weir_reg_map_priority_queues(port, priority),
                           weir_map_priority_queues_queues_set(0, queues), WEIR_MAP_PRIORITY_QUEUES_QUEUES_MASK);
}

weir_status weir_lossless_move_queues(struct weir_dev* dev, uint32_t port, uint32_t priority, uint8_t queues) {
    uint8_t old = 0;
    uint8_t others = 0;
    WEIR_TRY(weir_priority_queues_get(dev, port, priority, &old));
    if ((dev->ports[port].enabled & (1u << priority)) == 0) return write_queues(dev, port, priority, queues);
    WEIR_TRY(queues_of_others(dev, port, priority, &others));
    WEIR_TRY(set_queues_lossless(dev, port, queues, true));
    WEIR_TRY(write_queues(dev, port, priority, queues));
    return set_queues_lossless(dev, port, old & ~(queues | others) & 0xffu, false);
}

// The first half of a move: the new group is there, with what the old one was, before anything points to it.
static weir_status make_like(struct weir_dev* dev, uint32_t port, uint32_t priority, uint32_t from, uint32_t to) {
    struct weir_group_config like;
    WEIR_TRY(weir_group_get(dev, port, from, &like));
    return make_group(dev, port, to, priority, &like);
}

weir_status weir_class_group_set(struct weir_dev* dev, uint32_t port, uint32_t tc, uint32_t group) {
    uint32_t from = 0;
    WEIR_TRY(weir_class_group_get(dev, port, tc, &from));
    WEIR_TRY(weir_check_index(dev, "group", group, dev->caps.groups));
    const uint32_t bit = 1u << tc;
    const bool carries =
        (dev->ports[port].enabled & bit) != 0 && (dev->ports[port].fixed_group & bit) == 0 && from != group;
    weir_change_begin(dev);
    weir_status status = carries ? make_like(dev, port, tc, from, group) : WEIR_OK;
    if (status == WEIR_OK)
        status = weir_set(dev, weir_reg_map_tc_group(port, tc), weir_map_tc_group_group_set(0, group));
    if (status == WEIR_OK && carries) status = release_group(dev, port, from, tc);
    return weir_change_end(dev, status);
}

weir_status weir_group_priority_set(struct weir_dev* dev, uint32_t port, uint32_t group, uint32_t priority) {
    WEIR_TRY(weir_check_port(dev, port, true));
    WEIR_TRY(weir_check_index(dev, "group", group, dev->caps.groups));
    WEIR_TRY(weir_check_index(dev, "priority", priority, dev->caps.priorities));
    uint32_t from = 0;
    WEIR_TRY(weir_pfc_group_of(dev, port, priority, &from));
    const bool carries = (dev->ports[port].enabled & (1u << priority)) != 0 && from != group;
    weir_change_begin(dev);
    weir_status status =
        carries ? make_like(dev, port, priority, from, group) : set_group_priority(dev, port, group, priority, true);
    if (status == WEIR_OK && carries) status = release_group(dev, port, from, priority);
    for (uint32_t g = 0; g < dev->caps.groups && status == WEIR_OK; ++g)
        if (g != group) status = set_group_priority(dev, port, g, priority, false);
    dev->ports[port].fixed_group = (uint8_t)(dev->ports[port].fixed_group | (1u << priority));
    return weir_change_end(dev, status);
}

weir_status weir_pfc_group_of(struct weir_dev* dev, uint32_t port, uint32_t priority, uint32_t* group) {
    WEIR_TRY(weir_check_port(dev, port, true));
    WEIR_TRY(weir_check_index(dev, "priority", priority, dev->caps.priorities));
    if ((dev->ports[port].fixed_group & (1u << priority)) != 0) {
        for (uint32_t g = 0; g < dev->caps.groups; ++g) {
            uint8_t priorities = 0;
            WEIR_TRY(weir_group_priorities_get(dev, port, g, &priorities));
            if ((priorities & (1u << priority)) == 0) continue;
            *group = g;
            return WEIR_OK;
        }
    }
    return weir_class_group_get(dev, port, priority, group);
}

static weir_status write_directions(struct weir_dev* dev, uint32_t port) {
    WEIR_TRY(weir_set_masked(dev, weir_reg_pfc_tx_enable(port),
                             weir_pfc_tx_enable_priorities_set(0, dev->ports[port].pfc_tx),
                             WEIR_PFC_TX_ENABLE_PRIORITIES_MASK));
    return weir_set_masked(dev, weir_reg_pfc_rx_enable(port),
                           weir_pfc_rx_enable_priorities_set(0, dev->ports[port].pfc_rx),
                           WEIR_PFC_RX_ENABLE_PRIORITIES_MASK);
}

// Other classes in a lossless group pause this priority and are not paused themselves: rarely what is wanted.
static weir_status warn_of_company(struct weir_dev* dev, uint32_t port, uint32_t priority, uint32_t group) {
    for (uint32_t tc = 0; tc < dev->caps.priorities; ++tc) {
        uint32_t other = 0;
        WEIR_TRY(weir_class_group_get(dev, port, tc, &other));
        if (tc == priority || other != group || (dev->ports[port].enabled & (1u << tc)) != 0) continue;
        weir_note(dev, WEIR_LOG_WARNING, "port %u: class %u is lossy and shares group %u with lossless priority %u",
                  port, tc, group, priority);
        return WEIR_OK;
    }
    return WEIR_OK;
}

static weir_status switch_on(struct weir_dev* dev, uint32_t port, uint32_t priority, uint32_t group) {
    struct weir_port_state* state = &dev->ports[port];
    const uint8_t bit = (uint8_t)(1u << priority);
    WEIR_TRY(make_group(dev, port, group, priority, NULL));
    uint8_t queues = 0;
    if ((state->fixed_queue & bit) != 0) {
        WEIR_TRY(weir_priority_queues_get(dev, port, priority, &queues));
    } else {
        uint32_t queue = 0;
        WEIR_TRY(weir_class_queue_get(dev, port, priority, &queue));
        queues = (uint8_t)(1u << queue);
    }
    WEIR_TRY(set_queues_lossless(dev, port, queues, true));
    WEIR_TRY(write_queues(dev, port, priority, queues));
    state->enabled |= bit;
    state->pfc_tx |= bit;
    state->pfc_rx |= bit;
    WEIR_TRY(warn_of_company(dev, port, priority, group));
    return write_directions(dev, port);
}

static weir_status switch_off(struct weir_dev* dev, uint32_t port, uint32_t priority, uint32_t group) {
    struct weir_port_state* state = &dev->ports[port];
    const uint8_t bit = (uint8_t)(1u << priority);
    const bool was_on = (state->enabled & bit) != 0;
    state->enabled &= (uint8_t)~bit;
    state->pfc_tx &= (uint8_t)~bit;
    state->pfc_rx &= (uint8_t)~bit;
    WEIR_TRY(write_directions(dev, port));
    if (!was_on) return WEIR_OK;
    uint8_t queues = 0;
    uint8_t others = 0;
    WEIR_TRY(weir_priority_queues_get(dev, port, priority, &queues));
    WEIR_TRY(queues_of_others(dev, port, priority, &others));
    WEIR_TRY(set_queues_lossless(dev, port, queues & ~(uint32_t)others, false));
    if ((state->fixed_group & bit) == 0) return release_group(dev, port, group, priority);
    WEIR_TRY(release_group(dev, port, group, priority));
    return set_group_priority(dev, port, group, priority, true);  // the map stays as it was set by hand
}

weir_status weir_pfc_enable(struct weir_dev* dev, uint32_t port, uint32_t priority, bool on) {
    WEIR_TRY(weir_check_port(dev, port, false));
    WEIR_TRY(weir_check_index(dev, "priority", priority, dev->caps.priorities));
    WEIR_TRY(weir_pfc_exclusive_check(dev, port, dev->ports[port].pause_rx || dev->ports[port].pause_tx, on));
    uint32_t group = 0;
    WEIR_TRY(weir_pfc_group_of(dev, port, priority, &group));
    weir_change_begin(dev);
    weir_status status = on ? switch_on(dev, port, priority, group) : switch_off(dev, port, priority, group);
    return weir_change_end(dev, status);
}

weir_status weir_pfc_profile_set(struct weir_dev* dev, uint32_t port, const struct weir_pfc_profile* profile) {
    WEIR_TRY(weir_check_port(dev, port, false));
    if (profile->xoff_given && profile->xoff == 0)
        return weir_fail(dev, WEIR_E_THRESHOLD, "port %u: XOFF 0 would pause for ever; 1 at least", port);
    uint32_t unused = 0;
    if (profile->xoff_given)
        WEIR_TRY(weir_cells_to_field(dev, "XOFF", profile->xoff, WEIR_PG_XOFF_CELLS_MAX, true, &unused));
    if (profile->xon_given)
        WEIR_TRY(weir_cells_to_field(dev, "XON", profile->xon_offset, WEIR_PG_XON_OFFSET_CELLS_MAX, false, &unused));
    if (profile->headroom_given)
        WEIR_TRY(weir_cells_to_field(dev, "headroom", profile->headroom, WEIR_PG_HEADROOM_CELLS_MAX, false, &unused));
    const uint32_t xoff = profile->xoff_given ? profile->xoff : WEIR_CELLS_UNLIMITED;
    if (profile->xon_given && profile->xon_offset >= xoff)
        return weir_fail(dev, WEIR_E_THRESHOLD,
                         "port %u: XON %u is not below XOFF %u; XON is an offset, XOFF - XON is where it resumes", port,
                         profile->xon_offset, xoff);
    weir_change_begin(dev);
    dev->ports[port].profile = *profile;
    weir_status status = WEIR_OK;
    uint32_t done = 0;
    for (uint32_t p = 0; p < dev->caps.priorities && status == WEIR_OK; ++p) {
        if ((dev->ports[port].enabled & (1u << p)) == 0) continue;
        uint32_t group = 0;
        status = weir_pfc_group_of(dev, port, p, &group);
        if (status != WEIR_OK || (done & (1u << group)) != 0) continue;
        done |= 1u << group;
        struct weir_group_config c;
        status = weir_group_get(dev, port, group, &c);
        if (status != WEIR_OK) continue;
        apply_profile(profile, &c);
        status = weir_group_set(dev, port, group, &c);
    }
    return weir_change_end(dev, status);
}

weir_status weir_pfc_directions_set(struct weir_dev* dev, uint32_t port, uint8_t tx, uint8_t rx) {
    WEIR_TRY(weir_check_port(dev, port, false));
    const uint32_t all = (1u << dev->caps.priorities) - 1;
    if ((tx & ~all) != 0 || (rx & ~all) != 0)
        return weir_fail(dev, WEIR_E_RANGE, "this chip has priorities 0 to %u", dev->caps.priorities - 1);
    WEIR_TRY(
        weir_pfc_exclusive_check(dev, port, dev->ports[port].pause_rx || dev->ports[port].pause_tx, (tx | rx) != 0));
    weir_change_begin(dev);
    dev->ports[port].pfc_tx = tx;
    dev->ports[port].pfc_rx = rx;
    return weir_change_end(dev, write_directions(dev, port));
}
