// SPDX-License-Identifier: Apache-2.0
// Scheduling modes, weights and token buckets.
#include "sw/include/weir/scheduler.h"

#include "sw/driver/access.h"

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
    uint32_t word = weir_sched_queue_mode_weight_set(weir_sched_queue_mode_mode_set(0, (uint32_t)mode), weight);
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
    weir_change_begin(dev);
    return weir_change_end(
        dev, write_shaper(dev, weir_reg_sched_queue_rate(port, queue), weir_reg_sched_queue_burst(port, queue),
                          weir_sched_queue_rate_kbps_set(0, kbps),
                          weir_sched_queue_burst_octets_set(0, kbps == 0 ? 0 : burst_octets)));
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
