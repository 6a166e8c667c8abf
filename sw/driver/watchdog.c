// SPDX-License-Identifier: Apache-2.0
// The watchdog in software: what a poll sees, what it makes of it, and what is done to queues and groups and undone
// again.
#include "sw/include/weir/watchdog.h"

#include <string.h>

#include "sw/driver/access.h"
#include "sw/include/weir/buffer.h"
#include "sw/include/weir/counters.h"
#include "sw/include/weir/pfc.h"
#include "sw/include/weir/qos.h"

const char* weir_wd_detector_text(uint32_t detector) {
    static const char* const names[WEIR_WD_DETECTORS] = {"prestera", "teralynx", "mellanox", "broadcom", "cisco"};
    return detector < WEIR_WD_DETECTORS ? names[detector] : "?";
}

void weir_watchdog_init(struct weir_watchdog* wd, struct weir_dev* dev,
                        void (*on_event)(void* ctx, const struct weir_wd_event* event), void* ctx) {
    memset(wd, 0, sizeof *wd);
    wd->dev = dev;
    wd->poll_ms = WEIR_WD_POLL_LEAST_MS;
    wd->on_event = on_event;
    wd->ctx = ctx;
}

static weir_status check_idle(struct weir_watchdog* wd, const char* what) {
    for (uint32_t port = 0; port < WEIR_MAX_PORTS; ++port)
        if (wd->ports[port].watched != 0)
            return weir_fail(wd->dev, WEIR_E_CONFLICT, "the watchdog watches port %u: stop it before the %s changes",
                             port, what);
    return WEIR_OK;
}

weir_status weir_watchdog_detector_set(struct weir_watchdog* wd, weir_wd_detector detector) {
    if (detector >= WEIR_WD_DETECTORS)
        return weir_fail(wd->dev, WEIR_E_RANGE, "detector %u: 0 to %u", (uint32_t)detector,
                         (uint32_t)WEIR_WD_DETECTORS - 1);
    WEIR_TRY(check_idle(wd, "detector"));
    wd->detector = detector;
    return WEIR_OK;
}

static weir_status check_ms(struct weir_dev* dev, const char* what, uint32_t ms, uint32_t least, uint32_t most) {
    if (ms >= least && ms <= most) return WEIR_OK;
    return weir_fail(dev, WEIR_E_RANGE, "%s of %u ms: %u to %u", what, ms, least, most);
}

weir_status weir_watchdog_poll_set(struct weir_watchdog* wd, uint32_t ms) {
    WEIR_TRY(check_ms(wd->dev, "poll interval", ms, WEIR_WD_POLL_LEAST_MS, WEIR_WD_POLL_MOST_MS));
    WEIR_TRY(check_idle(wd, "poll interval"));
    wd->poll_ms = ms;
    return WEIR_OK;
}

static uint32_t polls(const struct weir_watchdog* wd, uint32_t ms) {
    return (ms + wd->poll_ms - 1) / wd->poll_ms;
}

static void watch_anew(struct weir_watchdog* wd, uint32_t port, uint32_t priority) {
    struct weir_wd_watch* w = &wd->ports[port].watch[priority];
    w->baseline = w->stormed = w->forced = false;
    w->left = polls(wd, wd->ports[port].config.detection_ms);
}

weir_status weir_watchdog_start(struct weir_watchdog* wd, uint32_t port, const struct weir_wd_config* config) {
    struct weir_dev* dev = wd->dev;
    WEIR_TRY(weir_check_port(dev, port, false));
    WEIR_TRY(
        check_ms(dev, "detection time", config->detection_ms, WEIR_WD_DETECTION_LEAST_MS, WEIR_WD_DETECTION_MOST_MS));
    WEIR_TRY(check_ms(dev, "restoration time", config->restoration_ms, WEIR_WD_RESTORATION_LEAST_MS,
                      WEIR_WD_RESTORATION_MOST_MS));
    if (config->action > WEIR_WD_ALERT)
        return weir_fail(dev, WEIR_E_RANGE, "action %u: 0 (drop), 1 (forward) or 2 (alert)", (uint32_t)config->action);
    if (wd->poll_ms > config->detection_ms || wd->poll_ms > config->restoration_ms)
        return weir_fail(dev, WEIR_E_RANGE, "a poll every %u ms cannot tell %u ms and %u ms: at most the smaller",
                         wd->poll_ms, config->detection_ms, config->restoration_ms);
    WEIR_TRY(weir_watchdog_stop(wd, port));
    wd->ports[port].config = *config;
    wd->ports[port].watched = dev->ports[port].enabled;
    for (uint32_t p = 0; p < dev->caps.priorities; ++p) watch_anew(wd, port, p);
    return WEIR_OK;
}

static bool bit_of(uint32_t bits, uint32_t n) {
    return (bits >> n & 1u) != 0;
}

static weir_status take_sample(struct weir_dev* dev, uint32_t port, uint32_t priority, struct weir_wd_sample* s) {
    struct weir_pfc_counters pfc;
    struct weir_pfc_status status;
    uint8_t queues = 0;
    s->ns = dev->hal.now_ns(dev->hal.ctx);
    WEIR_TRY(weir_pfc_counters_get(dev, port, priority, &pfc));
    WEIR_TRY(weir_pfc_status_get(dev, port, &status));
    WEIR_TRY(weir_priority_queues_get(dev, port, priority, &queues));
    s->rx_frames = pfc.rx_frames;
    s->paused_ns = pfc.rx_paused_ns;
    s->pauses = pfc.rx_transitions;
    s->paused = bit_of(status.rx_paused, priority);
    s->sent = 0;
    s->holds = false;
    for (uint32_t q = 0; q < dev->caps.queues; ++q) {
        if (!bit_of(queues, q)) continue;
        struct weir_queue_usage usage;
        struct weir_queue_counters counters;
        WEIR_TRY(weir_queue_usage_get(dev, port, q, &usage));
        WEIR_TRY(weir_queue_counters_get(dev, port, q, &counters));
        s->sent += counters.frames;
        s->holds = s->holds || usage.used > 0;
    }
    return WEIR_OK;
}

static bool storms(const struct weir_watchdog* wd, const struct weir_wd_sample* was, const struct weir_wd_sample* is) {
    const bool came = is->rx_frames != was->rx_frames;
    const bool stuck = is->holds && is->sent == was->sent;
    const uint64_t paused = is->paused_ns - was->paused_ns;
    const uint64_t poll = (uint64_t)wd->poll_ms * 1000000;
    switch (wd->detector) {
        case WEIR_WD_PRESTERA:
            return stuck && came;
        case WEIR_WD_TERALYNX:
            return came && (stuck || !is->holds) && paused > poll / 100 * 80;
        case WEIR_WD_MELLANOX:
            return stuck && paused > (is->ns - was->ns) / 100 * 99;
        case WEIR_WD_BROADCOM:
            return came && is->pauses == was->pauses && is->paused && was->paused;
        case WEIR_WD_CISCO:
            return is->paused;
        case WEIR_WD_DETECTORS:
            break;
    }
    return false;
}

static weir_status count_drops(struct weir_dev* dev, uint32_t port, uint32_t priority, uint64_t* tx, uint64_t* rx) {
    uint8_t queues = 0;
    *tx = *rx = 0;
    WEIR_TRY(weir_priority_queues_get(dev, port, priority, &queues));
    for (uint32_t q = 0; q < dev->caps.queues; ++q) {
        struct weir_queue_counters c;
        if (!bit_of(queues, q)) continue;
        WEIR_TRY(weir_queue_counters_get(dev, port, q, &c));
        *tx += c.drop_frames;
    }
    for (uint32_t g = 0; g < dev->caps.groups; ++g) {
        struct weir_group_counters c;
        uint8_t priorities = 0;
        WEIR_TRY(weir_group_priorities_get(dev, port, g, &priorities));
        if (!bit_of(priorities, priority)) continue;
        WEIR_TRY(weir_group_counters_get(dev, port, g, &c));
        *rx += c.drop_frames;
    }
    return WEIR_OK;
}

// The zero-buffer profile: nothing more comes in; what is queued keeps its cells and leaves when it may.
static weir_status zero_queue(struct weir_watchdog* wd, uint32_t port, uint32_t queue) {
    struct weir_wd_port* mine = &wd->ports[port];
    struct weir_queue_config c;
    if (bit_of(mine->swapped_queues, queue)) return WEIR_OK;
    WEIR_TRY(weir_queue_get(wd->dev, port, queue, &c));
    const struct weir_wd_saved_queue saved = {c.guaranteed, c.limit, c.lossless, c.dynamic};
    c.guaranteed = c.limit = 0;
    c.lossless = c.dynamic = false;
    WEIR_TRY(weir_queue_set(wd->dev, port, queue, &c));
    mine->saved[queue] = saved;
    mine->swapped_queues = (uint8_t)(mine->swapped_queues | 1u << queue);
    return WEIR_OK;
}

// What an operator changed meanwhile stays: only what was taken comes back.
static weir_status put_queue_back(struct weir_watchdog* wd, uint32_t port, uint32_t queue, bool lossless) {
    struct weir_wd_port* mine = &wd->ports[port];
    const struct weir_wd_saved_queue* saved = &mine->saved[queue];
    struct weir_queue_config c;
    if (!bit_of(mine->swapped_queues, queue)) return WEIR_OK;
    WEIR_TRY(weir_queue_get(wd->dev, port, queue, &c));
    c.guaranteed = saved->guaranteed;
    c.limit = saved->limit;
    c.lossless = saved->lossless && lossless;
    c.dynamic = saved->dynamic;
    WEIR_TRY(weir_queue_set(wd->dev, port, queue, &c));
    mine->swapped_queues = (uint8_t)(mine->swapped_queues & ~(1u << queue));
    return WEIR_OK;
}

// A group that takes nothing keeps its quotas, so that they are there when it opens again.
static weir_status set_group_open(struct weir_watchdog* wd, uint32_t port, uint32_t group, bool open, bool lossless) {
    struct weir_wd_port* mine = &wd->ports[port];
    const uint8_t bit = (uint8_t)(1u << group);
    struct weir_group_config c;
    if (open != bit_of(mine->closed_groups, group)) return WEIR_OK;
    WEIR_TRY(weir_group_get(wd->dev, port, group, &c));
    const bool was_lossless = c.lossless;
    c.enabled = open;
    c.lossless = open && lossless && bit_of(mine->lossless_groups, group);
    WEIR_TRY(weir_group_set(wd->dev, port, group, &c));
    if (open) {
        mine->closed_groups &= (uint8_t)~bit;
    } else {
        mine->closed_groups |= bit;
        mine->lossless_groups = (uint8_t)(was_lossless ? mine->lossless_groups | bit : mine->lossless_groups & ~bit);
    }
    return WEIR_OK;
}

// Priorities whose drop action is in force, this one not among them.
static uint32_t dropping_but(const struct weir_watchdog* wd, uint32_t port, uint32_t priority) {
    uint32_t bits = 0;
    for (uint32_t p = 0; p < wd->dev->caps.priorities; ++p) {
        const struct weir_wd_watch* w = &wd->ports[port].watch[p];
        if (p != priority && w->stormed && w->action == WEIR_WD_DROP) bits |= 1u << p;
    }
    return bits;
}

static weir_status set_dropping(struct weir_watchdog* wd, uint32_t port, uint32_t priority, bool on) {
    struct weir_dev* dev = wd->dev;
    const uint32_t others = dropping_but(wd, port, priority);
    const bool lossless = bit_of(dev->ports[port].enabled, priority);
    uint8_t queues = 0;
    uint8_t kept = 0;
    WEIR_TRY(weir_priority_queues_get(dev, port, priority, &queues));
    for (uint32_t p = 0; p < dev->caps.priorities; ++p) {
        uint8_t of_p = 0;
        if (!bit_of(others, p)) continue;
        WEIR_TRY(weir_priority_queues_get(dev, port, p, &of_p));
        kept |= of_p;
    }
    for (uint32_t q = 0; q < dev->caps.queues; ++q) {
        if (!bit_of(queues, q)) continue;
        if (on) WEIR_TRY(zero_queue(wd, port, q));
        if (!on && !bit_of(kept, q)) WEIR_TRY(put_queue_back(wd, port, q, lossless));
    }
    // Teralynx' zero profile is one of queues alone.
    for (uint32_t g = 0; g < dev->caps.groups && wd->detector != WEIR_WD_TERALYNX; ++g) {
        uint8_t priorities = 0;
        WEIR_TRY(weir_group_priorities_get(dev, port, g, &priorities));
        if (!bit_of(priorities, priority) || (!on && (priorities & others) != 0)) continue;
        WEIR_TRY(set_group_open(wd, port, g, !on, lossless));
    }
    return WEIR_OK;
}

static weir_status set_deaf(struct weir_watchdog* wd, uint32_t port, uint32_t priority, bool on) {
    struct weir_dev* dev = wd->dev;
    const uint8_t bit = (uint8_t)(1u << priority);
    uint8_t tx = 0;
    uint8_t rx = 0;
    WEIR_TRY(weir_pfc_directions_get(dev, port, &tx, &rx));
    tx = dev->ports[port].up ? tx : dev->ports[port].pfc_tx;  // a port that is down shows no wishes
    rx = dev->ports[port].up ? rx : dev->ports[port].pfc_rx;
    if (on) wd->ports[port].obeyed[priority] = (rx & bit) != 0;
    const bool obey = !on && wd->ports[port].obeyed[priority] && bit_of(dev->ports[port].enabled, priority);
    return weir_pfc_directions_set(dev, port, tx, (uint8_t)(obey ? rx | bit : rx & ~bit));
}

static weir_status act(struct weir_watchdog* wd, uint32_t port, uint32_t priority, weir_wd_action action, bool on) {
    const struct weir_wd_port before = wd->ports[port];
    weir_status status = WEIR_OK;
    weir_change_begin(wd->dev);
    if (action == WEIR_WD_DROP) status = set_dropping(wd, port, priority, on);
    if (action == WEIR_WD_FORWARD) status = set_deaf(wd, port, priority, on);
    status = weir_change_end(wd->dev, status);
    if (status != WEIR_OK) wd->ports[port] = before;
    return status;
}

static void tell(struct weir_watchdog* wd, uint32_t port, uint32_t priority, bool stormed, weir_wd_action action) {
    const struct weir_wd_event e = {port, priority, stormed, action};
    weir_note(wd->dev, stormed ? WEIR_LOG_WARNING : WEIR_LOG_INFO, "PFC watchdog: port %u priority %u %s, action %s",
              port, priority, stormed ? "is stormed" : "is restored", weir_wd_action_text((uint32_t)action));
    if (wd->on_event != NULL) wd->on_event(wd->ctx, &e);
}

static weir_status enter(struct weir_watchdog* wd, uint32_t port, uint32_t priority, weir_wd_action action) {
    struct weir_wd_watch* w = &wd->ports[port].watch[priority];
    uint64_t tx = 0;
    uint64_t rx = 0;
    WEIR_TRY(count_drops(wd->dev, port, priority, &tx, &rx));
    WEIR_TRY(act(wd, port, priority, action, true));
    w->tx_base = tx;
    w->rx_base = rx;
    w->stormed = true;
    w->action = action;
    w->left = polls(wd, wd->ports[port].config.restoration_ms);
    w->status.detections++;
    tell(wd, port, priority, true, action);
    return WEIR_OK;
}

static weir_status update_drops(struct weir_watchdog* wd, uint32_t port, uint32_t priority) {
    struct weir_wd_watch* w = &wd->ports[port].watch[priority];
    uint64_t tx = 0;
    uint64_t rx = 0;
    if (w->action != WEIR_WD_DROP) {
        w->status.tx_dropped_last = w->status.rx_dropped_last = 0;
        return WEIR_OK;
    }
    WEIR_TRY(count_drops(wd->dev, port, priority, &tx, &rx));
    w->status.tx_dropped_last = tx - w->tx_base;
    w->status.rx_dropped_last = rx - w->rx_base;
    return WEIR_OK;
}

static weir_status restore(struct weir_watchdog* wd, uint32_t port, uint32_t priority) {
    struct weir_wd_watch* w = &wd->ports[port].watch[priority];
    const weir_wd_action action = w->action;
    WEIR_TRY(update_drops(wd, port, priority));
    WEIR_TRY(act(wd, port, priority, action, false));
    w->status.tx_dropped += w->status.tx_dropped_last;
    w->status.rx_dropped += w->status.rx_dropped_last;
    w->status.restorations++;
    watch_anew(wd, port, priority);
    w->baseline = true;  // the poll that found it quiet
    tell(wd, port, priority, false, action);
    return WEIR_OK;
}

static weir_status poll_one(struct weir_watchdog* wd, uint32_t port, uint32_t priority) {
    struct weir_wd_watch* w = &wd->ports[port].watch[priority];
    if (w->forced) return WEIR_OK;
    struct weir_wd_sample now;
    WEIR_TRY(take_sample(wd->dev, port, priority, &now));
    const struct weir_wd_sample was = w->last;
    const bool comparable = w->baseline;
    w->last = now;
    w->baseline = true;
    if (!comparable) return WEIR_OK;
    if (w->stormed) {
        if (now.rx_frames != was.rx_frames)
            w->left = polls(wd, wd->ports[port].config.restoration_ms);
        else if (w->left > 0)
            w->left--;
        return w->left > 0 ? WEIR_OK : restore(wd, port, priority);
    }
    if (!storms(wd, &was, &now))
        w->left = polls(wd, wd->ports[port].config.detection_ms);
    else if (w->left > 0)
        w->left--;
    return w->left > 0 ? WEIR_OK : enter(wd, port, priority, wd->ports[port].config.action);
}

// Carries out `one` for every watched priority, all of them even when one fails; the first failure is returned.
static weir_status for_each_watched(struct weir_watchdog* wd, uint32_t first, uint32_t end,
                                    weir_status (*one)(struct weir_watchdog*, uint32_t, uint32_t)) {
    weir_status status = WEIR_OK;
    for (uint32_t port = first; port < end; ++port)
        for (uint32_t p = 0; p < wd->dev->caps.priorities; ++p) {
            if (!bit_of(wd->ports[port].watched, p)) continue;
            const weir_status this_one = one(wd, port, p);
            if (status == WEIR_OK) status = this_one;
        }
    return status;
}

weir_status weir_watchdog_poll(struct weir_watchdog* wd) {
    WEIR_TRY(weir_check_started(wd->dev));
    return for_each_watched(wd, 0, wd->dev->caps.ports, poll_one);
}

static weir_status restore_if_stormed(struct weir_watchdog* wd, uint32_t port, uint32_t priority) {
    return wd->ports[port].watch[priority].stormed ? restore(wd, port, priority) : WEIR_OK;
}

weir_status weir_watchdog_stop(struct weir_watchdog* wd, uint32_t port) {
    WEIR_TRY(weir_check_port(wd->dev, port, false));
    WEIR_TRY(for_each_watched(wd, port, port + 1, restore_if_stormed));
    wd->ports[port].watched = 0;
    return WEIR_OK;
}

static weir_status force(struct weir_watchdog* wd, uint32_t port, uint32_t priority) {
    if (wd->ports[port].watch[priority].forced) return WEIR_OK;
    WEIR_TRY(restore_if_stormed(wd, port, priority));
    WEIR_TRY(enter(wd, port, priority, WEIR_WD_DROP));
    wd->ports[port].watch[priority].forced = true;
    return WEIR_OK;
}

weir_status weir_watchdog_big_red_switch(struct weir_watchdog* wd, bool on) {
    WEIR_TRY(weir_check_started(wd->dev));
    WEIR_TRY(for_each_watched(wd, 0, wd->dev->caps.ports, on ? force : restore_if_stormed));
    wd->big_red_switch = on;
    return WEIR_OK;
}

weir_status weir_watchdog_status_get(struct weir_watchdog* wd, uint32_t port, uint32_t priority,
                                     struct weir_wd_status* status) {
    WEIR_TRY(weir_check_port(wd->dev, port, false));
    WEIR_TRY(weir_check_index(wd->dev, "priority", priority, wd->dev->caps.priorities));
    struct weir_wd_watch* w = &wd->ports[port].watch[priority];
    if (w->stormed) WEIR_TRY(update_drops(wd, port, priority));
    *status = w->status;
    status->watched = bit_of(wd->ports[port].watched, priority);
    status->stormed = w->stormed;
    if (w->stormed) {
        status->tx_dropped += w->status.tx_dropped_last;
        status->rx_dropped += w->status.rx_dropped_last;
    }
    return WEIR_OK;
}
