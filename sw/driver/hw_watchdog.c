// SPDX-License-Identifier: Apache-2.0
// The watchdog in hardware: times into ticks and back, events, counters.
#include "sw/driver/access.h"
#include "sw/include/weir/qos.h"
#include "sw/include/weir/watchdog.h"

enum { RECOVERY_TICK_MS = 100, DETECTION_TICKS = 15, RECOVERY_TICKS = 10 };

const char* weir_wd_action_text(uint32_t action) {
    static const char* const names[] = {"drop", "forward", "alert"};
    return action <= WEIR_WD_ALERT ? names[action] : "?";
}

static weir_status check_queue(struct weir_dev* dev, uint32_t port, uint32_t queue) {
    WEIR_TRY(weir_check_port(dev, port, false));
    if (!dev->caps.pfc_watchdog) return weir_fail(dev, WEIR_E_UNSUPPORTED, "this chip has no PFC watchdog");
    return weir_check_index(dev, "queue", queue, dev->caps.queues);
}

weir_status weir_wd_granularity_set(struct weir_dev* dev, uint32_t ms) {
    WEIR_TRY(weir_check_started(dev));
    uint32_t code = WEIR_WD_GRANULARITY_TICK_MS_1;
    if (ms == 10)
        code = WEIR_WD_GRANULARITY_TICK_MS_10;
    else if (ms == 100)
        code = WEIR_WD_GRANULARITY_TICK_MS_100;
    else if (ms != 1)
        return weir_fail(dev, WEIR_E_RANGE, "a tick of %u ms: 1, 10 or 100", ms);
    for (uint32_t port = 0; port < dev->caps.ports; ++port)
        if (dev->ports[port].watchdog != 0)
            return weir_fail(dev, WEIR_E_CONFLICT,
                             "port %u has queues that are watched: intervals count in ticks, so those come first",
                             port);
    return weir_set(dev, weir_reg_wd_granularity(), weir_wd_granularity_tick_set(0, code));
}

static weir_status tick_ms(struct weir_dev* dev, uint32_t* ms) {
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_wd_granularity(), &word));
    const uint32_t code = weir_wd_granularity_tick_get(word);
    *ms = code == WEIR_WD_GRANULARITY_TICK_MS_1 ? 1 : code == WEIR_WD_GRANULARITY_TICK_MS_10 ? 10 : 100;
    return WEIR_OK;
}

weir_status weir_wd_hardware_set(struct weir_dev* dev, uint32_t port, uint32_t queue,
                                 const struct weir_wd_hardware* config) {
    WEIR_TRY(check_queue(dev, port, queue));
    const uint8_t bit = (uint8_t)(1u << queue);
    if (!config->enable) {
        weir_change_begin(dev);
        dev->ports[port].watchdog &= (uint8_t)~bit;
        return weir_change_end(dev, weir_set(dev, weir_reg_wd_config(port, queue), 0));
    }
    uint32_t tick = 0;
    WEIR_TRY(tick_ms(dev, &tick));
    const uint32_t detection = config->detection_ms / tick;
    const uint32_t recovery = config->recovery_ms / RECOVERY_TICK_MS;
    if (detection == 0 || config->detection_ms > DETECTION_TICKS * tick)
        return weir_fail(dev, WEIR_E_RANGE, "detection after %u ms: %u to %u with ticks of %u ms", config->detection_ms,
                         tick, DETECTION_TICKS * tick, tick);
    if (recovery == 0 || config->recovery_ms > RECOVERY_TICKS * RECOVERY_TICK_MS)
        return weir_fail(dev, WEIR_E_RANGE, "recovery after %u ms: %u to %u", config->recovery_ms,
                         (uint32_t)RECOVERY_TICK_MS, (uint32_t)(RECOVERY_TICKS * RECOVERY_TICK_MS));
    if (config->action > WEIR_WD_ALERT)
        return weir_fail(dev, WEIR_E_RANGE, "action %u: 0 (drop), 1 (forward) or 2 (alert)", (uint32_t)config->action);
    uint32_t word = weir_wd_config_enable_set(0, 1);
    word = weir_wd_config_action_set(word, (uint32_t)config->action);
    word = weir_wd_config_detection_set(word, detection);
    word = weir_wd_config_recovery_set(word, recovery);
    weir_change_begin(dev);
    dev->ports[port].watchdog |= bit;
    return weir_change_end(dev, weir_set(dev, weir_reg_wd_config(port, queue), word));
}

weir_status weir_wd_hardware_get(struct weir_dev* dev, uint32_t port, uint32_t queue, struct weir_wd_hardware* config) {
    WEIR_TRY(check_queue(dev, port, queue));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_wd_config(port, queue), &word));
    config->enable = weir_wd_config_enable_get(word) != 0;
    const uint32_t action = weir_wd_config_action_get(word);
    config->action = action > WEIR_WD_ALERT ? WEIR_WD_ALERT : (weir_wd_action)action;
    WEIR_TRY(weir_read(dev, weir_reg_wd_detection_time(port, queue), &word));
    config->detection_ms = weir_wd_detection_time_time_get(word) / 1000000;
    WEIR_TRY(weir_read(dev, weir_reg_wd_recovery_time(port, queue), &word));
    config->recovery_ms = weir_wd_recovery_time_time_get(word) / 1000000;
    return WEIR_OK;
}

weir_status weir_wd_recovery_set(struct weir_dev* dev, uint32_t port, uint32_t queue, bool on) {
    WEIR_TRY(check_queue(dev, port, queue));
    const uint32_t bit = 1u << queue;
    return weir_write(dev, weir_reg_wd_init(port), on ? weir_wd_init_start_set(0, bit) : weir_wd_init_stop_set(0, bit));
}

weir_status weir_wd_state_get(struct weir_dev* dev, uint32_t port, uint8_t* stormed) {
    WEIR_TRY(weir_check_port(dev, port, false));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_wd_state(port), &word));
    *stormed = (uint8_t)weir_wd_state_stormed_get(word);
    return WEIR_OK;
}

weir_status weir_wd_events_take(struct weir_dev* dev, uint32_t port, struct weir_wd_events* events) {
    WEIR_TRY(weir_wd_state_get(dev, port, &events->stormed));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_wd_event(port), &word));
    events->detected = (uint8_t)weir_wd_event_detected_get(word);
    events->recovered = (uint8_t)weir_wd_event_recovered_get(word);
    return word == 0 ? WEIR_OK : weir_write(dev, weir_reg_wd_event(port), word);
}

// The groups that may pause a priority which stops the queue.
static weir_status groups_of_queue(struct weir_dev* dev, uint32_t port, uint32_t queue, uint8_t* groups) {
    uint32_t priorities = 0;
    *groups = 0;
    for (uint32_t p = 0; p < dev->caps.priorities; ++p) {
        uint8_t queues = 0;
        WEIR_TRY(weir_priority_queues_get(dev, port, p, &queues));
        if ((queues >> queue & 1u) != 0) priorities |= 1u << p;
    }
    for (uint32_t g = 0; g < dev->caps.groups; ++g) {
        uint8_t of_group = 0;
        WEIR_TRY(weir_group_priorities_get(dev, port, g, &of_group));
        if ((of_group & priorities) != 0) *groups = (uint8_t)(*groups | 1u << g);
    }
    return WEIR_OK;
}

weir_status weir_wd_counters_get(struct weir_dev* dev, uint32_t port, uint32_t queue, struct weir_wd_counters* c) {
    WEIR_TRY(check_queue(dev, port, queue));
    WEIR_TRY(weir_read64(dev, weir_reg_wd_detections(port, queue), &c->detections));
    WEIR_TRY(weir_read64(dev, weir_reg_wd_recoveries(port, queue), &c->recoveries));
    WEIR_TRY(weir_read64(dev, weir_reg_wd_tx_drops(port, queue), &c->tx_drops));
    uint8_t groups = 0;
    WEIR_TRY(groups_of_queue(dev, port, queue, &groups));
    c->rx_drops = 0;
    for (uint32_t g = 0; g < dev->caps.groups; ++g) {
        uint64_t frames = 0;
        if ((groups >> g & 1u) == 0) continue;
        WEIR_TRY(weir_read64(dev, weir_reg_wd_rx_drops(port, g), &frames));
        c->rx_drops += frames;
    }
    return WEIR_OK;
}
