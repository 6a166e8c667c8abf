// SPDX-License-Identifier: Apache-2.0
// Taking over a device that is running: what the driver would remember of having programmed it is read back from it.
// Only reads, and none that clears or restarts anything.
#include <string.h>

#include "sw/driver/access.h"
#include "sw/driver/buffer.h"
#include "sw/driver/device.h"
#include "sw/include/weir/buffer.h"
#include "sw/include/weir/pfc.h"
#include "sw/include/weir/qos.h"

static weir_status read_pools(struct weir_dev* dev) {
    uint32_t word = 0;
    for (uint32_t pool = 0; pool < dev->caps.pools; ++pool) {
        WEIR_TRY(weir_read(dev, weir_reg_bm_pool_mode(pool), &word));
        const bool egress = weir_bm_pool_mode_egress_get(word) != 0;
        struct weir_budget* b = &dev->budget[egress ? 1 : 0];
        WEIR_TRY(weir_read(dev, weir_reg_bm_pool_size(pool), &word));
        const uint32_t cells = weir_bm_pool_size_cells_get(word);
        b->pools += cells;
        WEIR_TRY(weir_read(dev, weir_reg_bm_pool_headroom(pool), &word));
        b->shared_headroom += weir_bm_pool_headroom_cells_get(word);
        if (pool == dev->caps.pools - 1) dev->default_egress = egress && cells == dev->caps.cells;
    }
    return WEIR_OK;
}

static weir_status read_groups(struct weir_dev* dev, uint32_t port) {
    for (uint32_t g = 0; g < dev->caps.groups; ++g) {
        struct weir_group_config c;
        WEIR_TRY(weir_group_get(dev, port, g, &c));
        dev->budget[0].guaranteed += c.guaranteed;
        dev->budget[0].headroom += weir_private_headroom(&c);
        dev->ports[port].headroom += weir_private_headroom(&c);
    }
    return WEIR_OK;
}

static weir_status read_queues(struct weir_dev* dev, uint32_t port) {
    for (uint32_t q = 0; q < dev->caps.queues; ++q) {
        struct weir_queue_config c;
        WEIR_TRY(weir_queue_get(dev, port, q, &c));
        dev->budget[1].guaranteed += c.guaranteed;
        if (c.dequeue) dev->ports[port].dequeue |= (uint8_t)(1u << q);
    }
    return WEIR_OK;
}

// The group that a priority is mapped to: by its own map, else by that of its class.
static weir_status mapped_group(struct weir_dev* dev, uint32_t port, uint32_t priority, uint32_t* group) {
    WEIR_TRY(weir_class_group_get(dev, port, priority, group));
    const uint32_t of_class = *group;
    bool any = false;
    for (uint32_t g = 0; g < dev->caps.groups; ++g) {
        uint8_t priorities = 0;
        WEIR_TRY(weir_group_priorities_get(dev, port, g, &priorities));
        if ((priorities >> priority & 1u) == 0) continue;
        if (!any) *group = g;
        any = true;
    }
    // A group that is not its class's was chosen by hand.
    if (any && *group != of_class) dev->ports[port].fixed_group |= (uint8_t)(1u << priority);
    return WEIR_OK;
}

static weir_status read_priority(struct weir_dev* dev, uint32_t port, uint32_t priority) {
    struct weir_port_state* state = &dev->ports[port];
    const uint8_t bit = (uint8_t)(1u << priority);
    uint32_t group = 0;
    uint32_t queue = 0;
    uint8_t queues = 0;
    struct weir_group_config c;
    WEIR_TRY(mapped_group(dev, port, priority, &group));
    WEIR_TRY(weir_group_get(dev, port, group, &c));
    WEIR_TRY(weir_class_queue_get(dev, port, priority, &queue));
    WEIR_TRY(weir_priority_queues_get(dev, port, priority, &queues));
    uint8_t priorities = 0;
    WEIR_TRY(weir_group_priorities_get(dev, port, group, &priorities));
    const bool lossless = c.lossless && (priorities & bit) != 0;
    // A port that is down shows no wishes; what its groups are made for is the best that is left of them.
    if (!state->up && lossless && port != dev->caps.cpu_port) {
        state->pfc_tx |= bit;
        state->pfc_rx |= bit;
    }
    if (lossless && (state->pfc_tx & state->pfc_rx & bit) != 0) state->enabled |= bit;
    const uint32_t usual = (state->enabled & bit) != 0 ? queue : priority;
    if (queues != 1u << usual) state->fixed_queue |= bit;
    if ((state->enabled & bit) == 0 || state->profile.xoff_given) return WEIR_OK;
    state->profile.xoff_given = state->profile.xon_given = state->profile.headroom_given = true;
    state->profile.xoff = c.xoff;
    state->profile.xon_offset = c.xon_offset;
    state->profile.headroom = c.headroom;
    return WEIR_OK;
}

static weir_status read_pfc(struct weir_dev* dev, uint32_t port) {
    struct weir_port_state* state = &dev->ports[port];
    uint32_t word = 0;
    if (port == dev->caps.cpu_port) return WEIR_OK;
    WEIR_TRY(weir_pfc_directions_get(dev, port, &state->pfc_tx, &state->pfc_rx));
    WEIR_TRY(weir_read(dev, weir_reg_pfc_mode(port), &word));
    state->pause_rx = weir_pfc_mode_pause_rx_enable_get(word) != 0;
    state->pause_tx = weir_pfc_mode_pause_tx_enable_get(word) != 0;
    if (!dev->caps.pfc_watchdog) return WEIR_OK;
    for (uint32_t q = 0; q < dev->caps.queues; ++q) {
        WEIR_TRY(weir_read(dev, weir_reg_wd_config(port, q), &word));
        if (weir_wd_config_enable_get(word)) state->watchdog |= (uint8_t)(1u << q);
    }
    return WEIR_OK;
}

static weir_status read_port(struct weir_dev* dev, uint32_t port) {
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_port_ctrl(port), &word));
    dev->ports[port].up = weir_port_ctrl_admin_get(word) != 0;
    WEIR_TRY(read_groups(dev, port));
    WEIR_TRY(read_queues(dev, port));
    WEIR_TRY(read_pfc(dev, port));
    for (uint32_t p = 0; p < dev->caps.priorities; ++p) WEIR_TRY(read_priority(dev, port, p));
    return WEIR_OK;
}

static weir_status take_over(struct weir_dev* dev) {
    WEIR_TRY(weir_device_identify(dev));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_global_init_status(), &word));
    if (!weir_global_init_status_ready_get(word))
        return weir_fail(dev, WEIR_E_NOT_STARTED, "the device is not up: nobody has started it");
    WEIR_TRY(weir_device_capabilities(dev));
    WEIR_TRY(weir_read(dev, weir_reg_global_core_clock(), &word));
    dev->caps.core_khz = weir_global_core_clock_khz_get(word);
    WEIR_TRY(read_pools(dev));
    dev->started = true;
    for (uint32_t port = 0; port <= dev->caps.ports; ++port) WEIR_TRY(read_port(dev, port));
    return WEIR_OK;
}

weir_status weir_device_attach(struct weir_dev* dev, const struct weir_hal* hal) {
    memset(dev, 0, sizeof *dev);
    dev->hal = *hal;
    weir_device_timing_defaults(&dev->timing);
    const weir_status status = take_over(dev);
    dev->started = status == WEIR_OK;
    return status;
}
