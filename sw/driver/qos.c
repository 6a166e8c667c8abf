// SPDX-License-Identifier: Apache-2.0
// The classification maps, one entry a call. What moves lossless classes about is in lossless.c.
#include "sw/include/weir/qos.h"

#include "sw/driver/lossless.h"

enum { COLOURS = 3 };

weir_status weir_trust_set(struct weir_dev* dev, uint32_t port, weir_trust trust) {
    WEIR_TRY(weir_check_port(dev, port, true));
    WEIR_TRY(weir_check_index(dev, "trust mode", (uint32_t)trust, WEIR_TRUST_DSCP + 1));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_map_trust(port), &word));
    return weir_set(dev, weir_reg_map_trust(port), weir_map_trust_mode_set(word, (uint32_t)trust));
}

weir_status weir_trust_get(struct weir_dev* dev, uint32_t port, weir_trust* trust) {
    WEIR_TRY(weir_check_port(dev, port, true));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_map_trust(port), &word));
    *trust = (weir_trust)weir_map_trust_mode_get(word);
    return WEIR_OK;
}

static weir_status check_class(struct weir_dev* dev, uint32_t port, uint32_t tc) {
    WEIR_TRY(weir_check_port(dev, port, true));
    return weir_check_index(dev, "class", tc, WEIR_DIM_CLASSES);
}

weir_status weir_default_class_set(struct weir_dev* dev, uint32_t port, uint32_t tc) {
    WEIR_TRY(check_class(dev, port, tc));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_map_trust(port), &word));
    return weir_set(dev, weir_reg_map_trust(port), weir_map_trust_default_tc_set(word, tc));
}

weir_status weir_dscp_set(struct weir_dev* dev, uint32_t port, uint32_t dscp, uint32_t tc, uint32_t colour) {
    WEIR_TRY(check_class(dev, port, tc));
    WEIR_TRY(weir_check_index(dev, "DSCP", dscp, WEIR_DIM_DSCP));
    WEIR_TRY(weir_check_index(dev, "colour", colour, COLOURS));
    uint32_t word = weir_map_dscp_tc_colour_set(weir_map_dscp_tc_tc_set(0, tc), colour);
    return weir_set(dev, weir_reg_map_dscp_tc(port, dscp), word);
}

weir_status weir_dscp_get(struct weir_dev* dev, uint32_t port, uint32_t dscp, uint32_t* tc, uint32_t* colour) {
    WEIR_TRY(check_class(dev, port, 0));
    WEIR_TRY(weir_check_index(dev, "DSCP", dscp, WEIR_DIM_DSCP));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_map_dscp_tc(port, dscp), &word));
    *tc = weir_map_dscp_tc_tc_get(word);
    *colour = weir_map_dscp_tc_colour_get(word);
    return WEIR_OK;
}

static weir_status check_pcp(struct weir_dev* dev, uint32_t pcp, uint32_t dei) {
    WEIR_TRY(weir_check_index(dev, "PCP", pcp, WEIR_DIM_PCP / 2));
    return weir_check_index(dev, "DEI", dei, 2);
}

weir_status weir_pcp_set(struct weir_dev* dev, uint32_t port, uint32_t pcp, uint32_t dei, uint32_t tc,
                         uint32_t colour) {
    WEIR_TRY(check_class(dev, port, tc));
    WEIR_TRY(check_pcp(dev, pcp, dei));
    WEIR_TRY(weir_check_index(dev, "colour", colour, COLOURS));
    uint32_t word = weir_map_pcp_tc_colour_set(weir_map_pcp_tc_tc_set(0, tc), colour);
    return weir_set(dev, weir_reg_map_pcp_tc(port, pcp * 2 + dei), word);
}

weir_status weir_pcp_get(struct weir_dev* dev, uint32_t port, uint32_t pcp, uint32_t dei, uint32_t* tc,
                         uint32_t* colour) {
    WEIR_TRY(check_class(dev, port, 0));
    WEIR_TRY(check_pcp(dev, pcp, dei));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_map_pcp_tc(port, pcp * 2 + dei), &word));
    *tc = weir_map_pcp_tc_tc_get(word);
    *colour = weir_map_pcp_tc_colour_get(word);
    return WEIR_OK;
}

weir_status weir_class_group_get(struct weir_dev* dev, uint32_t port, uint32_t tc, uint32_t* group) {
    WEIR_TRY(check_class(dev, port, tc));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_map_tc_group(port, tc), &word));
    *group = weir_map_tc_group_group_get(word);
    return WEIR_OK;
}

weir_status weir_class_queue_get(struct weir_dev* dev, uint32_t port, uint32_t tc, uint32_t* queue) {
    WEIR_TRY(check_class(dev, port, tc));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_map_tc_queue(port, tc), &word));
    *queue = weir_map_tc_queue_queue_get(word);
    return WEIR_OK;
}

weir_status weir_class_queue_set(struct weir_dev* dev, uint32_t port, uint32_t tc, uint32_t queue) {
    WEIR_TRY(check_class(dev, port, tc));
    WEIR_TRY(weir_check_index(dev, "queue", queue, dev->caps.queues));
    const bool follows = (dev->ports[port].fixed_queue & (1u << tc)) == 0;
    weir_change_begin(dev);
    weir_status status = weir_set(dev, weir_reg_map_tc_queue(port, tc), weir_map_tc_queue_queue_set(0, queue));
    if (status == WEIR_OK && follows) status = weir_lossless_move_queues(dev, port, tc, (uint8_t)(1u << queue));
    return weir_change_end(dev, status);
}

weir_status weir_group_priorities_get(struct weir_dev* dev, uint32_t port, uint32_t group, uint8_t* priorities) {
    WEIR_TRY(weir_check_port(dev, port, true));
    WEIR_TRY(weir_check_index(dev, "group", group, dev->caps.groups));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_map_group_priorities(port, group), &word));
    *priorities = (uint8_t)weir_map_group_priorities_priorities_get(word);
    return WEIR_OK;
}

weir_status weir_priority_queues_get(struct weir_dev* dev, uint32_t port, uint32_t priority, uint8_t* queues) {
    WEIR_TRY(weir_check_port(dev, port, true));
    WEIR_TRY(weir_check_index(dev, "priority", priority, dev->caps.priorities));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_map_priority_queues(port, priority), &word));
    *queues = (uint8_t)weir_map_priority_queues_queues_get(word);
    return WEIR_OK;
}

weir_status weir_priority_queues_set(struct weir_dev* dev, uint32_t port, uint32_t priority, uint8_t queues) {
    WEIR_TRY(weir_check_port(dev, port, true));
    WEIR_TRY(weir_check_index(dev, "priority", priority, dev->caps.priorities));
    if ((queues >> dev->caps.queues) != 0)
        return weir_fail(dev, WEIR_E_RANGE, "this chip has queues 0 to %u", dev->caps.queues - 1);
    weir_change_begin(dev);
    weir_status status = weir_lossless_move_queues(dev, port, priority, queues);
    dev->ports[port].fixed_queue = (uint8_t)(dev->ports[port].fixed_queue | (1u << priority));
    return weir_change_end(dev, status);
}
