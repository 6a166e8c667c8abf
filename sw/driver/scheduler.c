// SPDX-License-Identifier: Apache-2.0
// Scheduling modes, weights, token buckets, and groups of queues.
#include "sw/include/weir/scheduler.h"

#include <string.h>

#include "sw/driver/access.h"
#include "sw/include/weir/qos.h"

static weir_status check_place(struct weir_dev* dev, uint32_t port, uint32_t queue) {
    WEIR_TRY(weir_check_port(dev, port, true));
    return weir_check_index(dev, "queue", queue, dev->caps.queues);
}

weir_status weir_queue_schedule_set(struct weir_dev* dev, uint32_t port, uint32_t queue, weir_schedule mode,
                                    uint32_t weight) {
    WEIR_TRY(check_place(dev, port, queue));
    WEIR_TRY(weir_check_index(dev, "scheduling mode", (uint32_t)mode, WEIR_WRR + 1));
    if (mode == WEIR_STRICT) weight = 1;
    if (weight == 0 || weight > WEIR_SCHED_QUEUE_MODE_WEIGHT_MAX)
        return weir_fail(dev, WEIR_E_RANGE, "weight %u: 1 to %u", weight, (uint32_t)WEIR_SCHED_QUEUE_MODE_WEIGHT_MAX);
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_sched_queue_mode(port, queue), &word));
    word = weir_sched_queue_mode_weight_set(weir_sched_queue_mode_mode_set(word, (uint32_t)mode), weight);
    return weir_set(dev, weir_reg_sched_queue_mode(port, queue), word);
}

weir_status weir_queue_schedule_get(struct weir_dev* dev, uint32_t port, uint32_t queue, weir_schedule* mode,
                                    uint32_t* weight) {
    WEIR_TRY(check_place(dev, port, queue));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_sched_queue_mode(port, queue), &word));
    *mode = (weir_schedule)weir_sched_queue_mode_mode_get(word);
    *weight = weir_sched_queue_mode_weight_get(word);
    return WEIR_OK;
}

static weir_status check_burst(struct weir_dev* dev, uint32_t port, uint32_t kbps, uint32_t burst, uint32_t greatest) {
    if (kbps == 0) return WEIR_OK;
    if (burst > greatest) return weir_fail(dev, WEIR_E_RANGE, "burst of %u octets: at most %u", burst, greatest);
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_port_max_frame(port), &word));
    const uint32_t longest = weir_port_max_frame_octets_get(word);
    if (burst < longest)
        return weir_fail(dev, WEIR_E_BURST, "burst of %u octets: port %u takes frames of %u, which would never start",
                         burst, port, longest);
    return WEIR_OK;
}

// The bucket is deep before it limits, and it stops limiting before it gets shallow.
static weir_status write_shaper(struct weir_dev* dev, uint32_t rate_address, uint32_t burst_address, uint32_t kbps,
                                uint32_t burst) {
    if (kbps == 0) WEIR_TRY(weir_set(dev, rate_address, 0));
    WEIR_TRY(weir_set(dev, burst_address, burst));
    return kbps == 0 ? WEIR_OK : weir_set(dev, rate_address, kbps);
}

weir_status weir_queue_shaper_set(struct weir_dev* dev, uint32_t port, uint32_t queue, uint32_t kbps,
                                  uint32_t burst_octets) {
    WEIR_TRY(check_place(dev, port, queue));
    WEIR_TRY(check_burst(dev, port, kbps, burst_octets, WEIR_SCHED_QUEUE_BURST_OCTETS_MAX));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_sched_queue_min_rate(port, queue), &word));
    const uint32_t least = weir_sched_queue_min_rate_kbps_get(word);
    if (kbps != 0 && least > kbps)
        return weir_fail(dev, WEIR_E_THRESHOLD, "greatest rate of %u kb/s: below the queue's least of %u", kbps, least);
    weir_change_begin(dev);
    return weir_change_end(
        dev, write_shaper(dev, weir_reg_sched_queue_rate(port, queue), weir_reg_sched_queue_burst(port, queue),
                          weir_sched_queue_rate_kbps_set(0, kbps),
                          weir_sched_queue_burst_octets_set(0, kbps == 0 ? 0 : burst_octets)));
}

weir_status weir_queue_minimum_set(struct weir_dev* dev, uint32_t port, uint32_t queue, uint32_t kbps,
                                   uint32_t burst_octets) {
    WEIR_TRY(check_place(dev, port, queue));
    WEIR_TRY(check_burst(dev, port, kbps, burst_octets, WEIR_SCHED_QUEUE_MIN_BURST_OCTETS_MAX));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_sched_queue_rate(port, queue), &word));
    const uint32_t greatest = weir_sched_queue_rate_kbps_get(word);
    if (greatest != 0 && kbps > greatest)
        return weir_fail(dev, WEIR_E_THRESHOLD, "least rate of %u kb/s: above the queue's greatest of %u", kbps,
                         greatest);
    weir_change_begin(dev);
    return weir_change_end(
        dev, write_shaper(dev, weir_reg_sched_queue_min_rate(port, queue), weir_reg_sched_queue_min_burst(port, queue),
                          weir_sched_queue_min_rate_kbps_set(0, kbps),
                          weir_sched_queue_min_burst_octets_set(0, kbps == 0 ? 0 : burst_octets)));
}

weir_status weir_port_shaper_set(struct weir_dev* dev, uint32_t port, uint32_t kbps, uint32_t burst_octets) {
    WEIR_TRY(weir_check_port(dev, port, true));
    WEIR_TRY(check_burst(dev, port, kbps, burst_octets, WEIR_SCHED_PORT_BURST_OCTETS_MAX));
    weir_change_begin(dev);
    return weir_change_end(dev, write_shaper(dev, weir_reg_sched_port_rate(port), weir_reg_sched_port_burst(port),
                                             weir_sched_port_rate_kbps_set(0, kbps),
                                             weir_sched_port_burst_octets_set(0, kbps == 0 ? 0 : burst_octets)));
}

weir_status weir_queue_rate_get(struct weir_dev* dev, uint32_t port, uint32_t queue, uint32_t* kbps) {
    WEIR_TRY(check_place(dev, port, queue));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_sched_queue_rate_oper(port, queue), &word));
    *kbps = weir_sched_queue_rate_oper_kbps_get(word);
    return WEIR_OK;
}

weir_status weir_queue_minimum_get(struct weir_dev* dev, uint32_t port, uint32_t queue, uint32_t* kbps) {
    WEIR_TRY(check_place(dev, port, queue));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_sched_queue_min_rate_oper(port, queue), &word));
    *kbps = weir_sched_queue_min_rate_oper_kbps_get(word);
    return WEIR_OK;
}

weir_status weir_port_rate_get(struct weir_dev* dev, uint32_t port, uint32_t* kbps) {
    WEIR_TRY(weir_check_port(dev, port, true));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_sched_port_rate_oper(port), &word));
    *kbps = weir_sched_port_rate_oper_kbps_get(word);
    return WEIR_OK;
}

weir_status weir_schedule_frame_octets_only(struct weir_dev* dev, bool frame_octets_only) {
    WEIR_TRY(weir_check_started(dev));
    return weir_set(dev, weir_reg_sched_accounting(),
                    weir_sched_accounting_frame_octets_only_set(0, frame_octets_only));
}

static weir_status check_ets(struct weir_dev* dev, const struct weir_ets* ets) {
    uint32_t sum = 0;
    bool shared = false;
    for (uint32_t g = 0; g < WEIR_ETS_GROUPS; ++g) {
        if (ets->strict[g] && ets->percent[g] != 0)
            return weir_fail(dev, WEIR_E_RANGE, "group %u is strict and has %u percent: 0", g, ets->percent[g]);
        shared = shared || !ets->strict[g];
        sum += ets->percent[g];
    }
    if (shared && sum != 100) return weir_fail(dev, WEIR_E_RANGE, "percentages that sum to %u: 100", sum);
    for (uint32_t p = 0; p < dev->caps.priorities; ++p) {
        const uint32_t g = ets->group[p];
        WEIR_TRY(weir_check_index(dev, "ETS group", g, WEIR_ETS_GROUPS));
        if (!ets->strict[g] && ets->percent[g] == 0)
            return weir_fail(dev, WEIR_E_RANGE, "priority %u is in group %u, which has 0 percent: 1 to 100", p, g);
    }
    return WEIR_OK;
}

// The group of each queue that a priority uses; WEIR_ETS_GROUPS for the others.
static weir_status queues_of(struct weir_dev* dev, uint32_t port, const struct weir_ets* ets,
                             uint8_t group[WEIR_MAX_GROUPS]) {
    memset(group, WEIR_ETS_GROUPS, WEIR_MAX_GROUPS);
    for (uint32_t p = 0; p < dev->caps.priorities; ++p) {
        uint32_t queue = 0;
        WEIR_TRY(weir_class_queue_get(dev, port, p, &queue));
        if (group[queue] != WEIR_ETS_GROUPS && group[queue] != ets->group[p])
            return weir_fail(dev, WEIR_E_RANGE, "queue %u would be in the groups %u and %u: one group a queue", queue,
                             group[queue], ets->group[p]);
        group[queue] = ets->group[p];
    }
    return WEIR_OK;
}

static weir_status write_ets(struct weir_dev* dev, uint32_t port, const struct weir_ets* ets,
                             const uint8_t group[WEIR_MAX_GROUPS]) {
    for (uint32_t g = 0; g < WEIR_ETS_GROUPS; ++g)
        WEIR_TRY(weir_set(dev, weir_reg_sched_group_weight(port, g),
                          weir_sched_group_weight_weight_set(0, ets->strict[g] ? 1 : ets->percent[g])));
    for (uint32_t queue = 0; queue < dev->caps.queues; ++queue) {
        if (group[queue] == WEIR_ETS_GROUPS) continue;
        uint32_t word = 0;
        WEIR_TRY(weir_read(dev, weir_reg_sched_queue_mode(port, queue), &word));
        const uint32_t mode = weir_sched_queue_mode_mode_get(word);
        if (ets->strict[group[queue]] || mode == WEIR_STRICT) {
            word = weir_sched_queue_mode_mode_set(word, ets->strict[group[queue]] ? WEIR_STRICT : WEIR_DWRR);
            word = weir_sched_queue_mode_weight_set(word, 1);
        }
        WEIR_TRY(
            weir_set(dev, weir_reg_sched_queue_mode(port, queue), weir_sched_queue_mode_group_set(word, group[queue])));
    }
    return WEIR_OK;
}

weir_status weir_ets_set(struct weir_dev* dev, uint32_t port, const struct weir_ets* ets) {
    uint8_t group[WEIR_MAX_GROUPS];
    WEIR_TRY(weir_check_port(dev, port, false));
    WEIR_TRY(check_ets(dev, ets));
    WEIR_TRY(queues_of(dev, port, ets, group));
    weir_change_begin(dev);
    return weir_change_end(dev, write_ets(dev, port, ets, group));
}

weir_status weir_ets_get(struct weir_dev* dev, uint32_t port, struct weir_ets* ets) {
    WEIR_TRY(weir_check_port(dev, port, false));
    memset(ets, 0, sizeof *ets);
    bool shared[WEIR_ETS_GROUPS] = {false};
    for (uint32_t p = 0; p < dev->caps.priorities; ++p) {
        uint32_t queue = 0;
        uint32_t word = 0;
        WEIR_TRY(weir_class_queue_get(dev, port, p, &queue));
        WEIR_TRY(weir_read(dev, weir_reg_sched_queue_mode(port, queue), &word));
        const uint32_t g = weir_sched_queue_mode_group_get(word);
        ets->group[p] = (uint8_t)g;
        if (weir_sched_queue_mode_mode_get(word) == WEIR_STRICT)
            ets->strict[g] = true;
        else
            shared[g] = true;
    }
    // A group is strict when nothing in it shares. One without queues shows 0 percent.
    for (uint32_t g = 0; g < WEIR_ETS_GROUPS; ++g) {
        uint32_t word = 0;
        ets->strict[g] = ets->strict[g] && !shared[g];
        WEIR_TRY(weir_read(dev, weir_reg_sched_group_weight(port, g), &word));
        if (shared[g]) ets->percent[g] = (uint8_t)weir_sched_group_weight_weight_get(word);
    }
    return WEIR_OK;
}
