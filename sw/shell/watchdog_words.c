// SPDX-License-Identifier: Apache-2.0
// The words about the PFC watchdog, in software and in hardware: pfcwd, show pfcwd.
#include "sw/include/weir/watchdog.h"
#include "sw/shell/words.h"

static weir_status read_action(struct words* w, weir_wd_action* action) {
    for (uint32_t a = WEIR_WD_DROP; a <= WEIR_WD_ALERT; ++a)
        if (words_accept(w, weir_wd_action_text(a))) {
            *action = (weir_wd_action)a;
            return WEIR_OK;
        }
    return words_wrong(w, "drop, forward or alert");
}

// Ports one by one: each is a change of its own, because the watchdog's state goes with it.
static weir_status on_ports(struct words* w, weir_status (*one)(struct words*, uint32_t, const void*),
                            const void* what) {
    const struct weir_shell* shell = w->shell;
    if (!shell->in_interface)
        return shell_fail(w->shell, WEIR_E_CONTEXT, "\"%s\" is about ports: say `interface 0-%u` first", w->word[0],
                          shell->dev->caps.ports - 1);
    for (uint32_t port = 0; port <= shell->dev->caps.ports; ++port)
        if (shell->selected[port]) WEIR_SHELL_TRY(shell_from_driver(w->shell, one(w, port, what)));
    return WEIR_OK;
}

static weir_status start_one(struct words* w, uint32_t port, const void* what) {
    return weir_watchdog_start(w->shell->watchdog, port, what);
}

static weir_status stop_one(struct words* w, uint32_t port, const void* what) {
    (void)what;
    return weir_watchdog_stop(w->shell->watchdog, port);
}

static weir_status start(struct words* w) {
    struct weir_wd_config c = {WEIR_WD_DROP, 200, 200};
    while (words_peek(w) != NULL) {
        if (words_accept(w, "action"))
            WEIR_SHELL_TRY(read_action(w, &c.action));
        else if (words_accept(w, "detection-time"))
            WEIR_SHELL_TRY(words_number(w, "milliseconds", &c.detection_ms));
        else if (words_accept(w, "restoration-time"))
            WEIR_SHELL_TRY(words_number(w, "milliseconds", &c.restoration_ms));
        else
            return words_wrong(w, "action, detection-time or restoration-time");
    }
    return on_ports(w, start_one, &c);
}

struct hardware_change {
    uint32_t queues;
    struct weir_wd_hardware config;
};

static weir_status hardware_one(struct words* w, uint32_t port, const void* what) {
    const struct hardware_change* c = what;
    for (uint32_t q = 0; q < w->shell->dev->caps.queues; ++q)
        if ((c->queues >> q & 1u) != 0) WEIR_SHELL_TRY(weir_wd_hardware_set(w->shell->dev, port, q, &c->config));
    return WEIR_OK;
}

static weir_status hardware(struct words* w) {
    if (words_accept(w, "granularity")) {
        uint32_t ms = 0;
        WEIR_SHELL_TRY(words_number(w, "milliseconds: 1, 10 or 100", &ms));
        WEIR_SHELL_TRY(words_end(w));
        return shell_from_driver(w->shell, weir_wd_granularity_set(w->shell->dev, ms));
    }
    struct hardware_change c = {0, {true, WEIR_WD_DROP, 200, 200}};
    WEIR_SHELL_TRY(words_accept(w, "queue") ? WEIR_OK : words_wrong(w, "granularity or queue"));
    WEIR_SHELL_TRY(words_list(w, "queue", w->shell->dev->caps.queues, &c.queues));
    while (words_peek(w) != NULL) {
        if (words_accept(w, "off"))
            c.config.enable = false;
        else if (words_accept(w, "action"))
            WEIR_SHELL_TRY(read_action(w, &c.config.action));
        else if (words_accept(w, "detection-time"))
            WEIR_SHELL_TRY(words_number(w, "milliseconds", &c.config.detection_ms));
        else if (words_accept(w, "recovery-time"))
            WEIR_SHELL_TRY(words_number(w, "milliseconds", &c.config.recovery_ms));
        else
            return words_wrong(w, "off, action, detection-time or recovery-time");
    }
    return on_ports(w, hardware_one, &c);
}

static weir_status set_detector(struct words* w) {
    for (uint32_t d = 0; d < WEIR_WD_DETECTORS; ++d)
        if (words_accept(w, weir_wd_detector_text(d))) {
            WEIR_SHELL_TRY(words_end(w));
            return shell_from_driver(w->shell, weir_watchdog_detector_set(w->shell->watchdog, (weir_wd_detector)d));
        }
    return words_wrong(w, "prestera, teralynx, mellanox, broadcom or cisco");
}

weir_status shell_pfcwd(struct words* w) {
    struct weir_watchdog* wd = w->shell->watchdog;
    if (words_accept(w, "hardware")) return hardware(w);
    if (wd == NULL) return shell_fail(w->shell, WEIR_E_UNSUPPORTED, "this session has no watchdog in software");
    if (words_accept(w, "start")) return start(w);
    if (words_accept(w, "stop")) {
        WEIR_SHELL_TRY(words_end(w));
        return on_ports(w, stop_one, NULL);
    }
    if (words_accept(w, "detector")) return set_detector(w);
    if (words_accept(w, "interval")) {
        uint32_t ms = 0;
        WEIR_SHELL_TRY(words_number(w, "milliseconds", &ms));
        WEIR_SHELL_TRY(words_end(w));
        return shell_from_driver(w->shell, weir_watchdog_poll_set(wd, ms));
    }
    if (words_accept(w, "big-red-switch")) {
        bool on = false;
        WEIR_SHELL_TRY(words_on_off(w, &on));
        WEIR_SHELL_TRY(words_end(w));
        return shell_from_driver(w->shell, weir_watchdog_big_red_switch(wd, on));
    }
    return words_wrong(w, "start, stop, detector, interval, big-red-switch or hardware");
}

static weir_status show_software(struct words* w, uint32_t port) {
    struct weir_watchdog* wd = w->shell->watchdog;
    for (uint32_t p = 0; p < w->shell->dev->caps.priorities; ++p) {
        struct weir_wd_status s;
        WEIR_SHELL_TRY(shell_from_driver(w->shell, weir_watchdog_status_get(wd, port, p, &s)));
        if (!s.watched) continue;
        const struct weir_wd_config* c = &wd->ports[port].config;
        shell_print(w->shell, "%4u %8u  %-12s%-9s%11u%11u%10U%10U%12U%12U\n", port, p,
                    s.stormed ? "STORMED" : "operational", weir_wd_action_text((uint32_t)c->action), c->detection_ms,
                    c->restoration_ms, s.detections, s.restorations, s.tx_dropped, s.rx_dropped);
    }
    return WEIR_OK;
}

static weir_status show_hardware(struct words* w, uint32_t port) {
    struct weir_dev* dev = w->shell->dev;
    uint8_t stormed = 0;
    if (dev->ports[port].watchdog == 0) return WEIR_OK;
    WEIR_SHELL_TRY(shell_from_driver(w->shell, weir_wd_state_get(dev, port, &stormed)));
    for (uint32_t q = 0; q < dev->caps.queues; ++q) {
        struct weir_wd_hardware c;
        struct weir_wd_counters n;
        if ((dev->ports[port].watchdog >> q & 1u) == 0) continue;
        WEIR_SHELL_TRY(shell_from_driver(w->shell, weir_wd_hardware_get(dev, port, q, &c)));
        WEIR_SHELL_TRY(shell_from_driver(w->shell, weir_wd_counters_get(dev, port, q, &n)));
        shell_print(w->shell, "%4u  queue %u  %-12s%-9s%11u%11u%10U%10U%12U%12U\n", port, q,
                    (stormed >> q & 1u) != 0 ? "STORMED" : "operational", weir_wd_action_text((uint32_t)c.action),
                    c.detection_ms, c.recovery_ms, n.detections, n.recoveries, n.tx_drops, n.rx_drops);
    }
    return WEIR_OK;
}

weir_status show_watchdog(struct words* w) {
    struct weir_shell* shell = w->shell;
    WEIR_SHELL_TRY(words_end(w));
    if (shell->watchdog != NULL)
        shell_print(shell, "detector %s, a poll every %u ms%s\n",
                    weir_wd_detector_text((uint32_t)shell->watchdog->detector), shell->watchdog->poll_ms,
                    shell->watchdog->big_red_switch ? ", big red switch ON" : "");
    shell_print(shell, "port priority  %-12s%-9s%11s%11s%10s%10s%12s%12s\n", "state", "action", "detect ms",
                "restore ms", "detected", "restored", "tx dropped", "rx dropped");
    for (uint32_t port = 0; port < shell->dev->caps.ports; ++port) {
        if (shell->in_interface && !shell->selected[port]) continue;
        if (shell->watchdog != NULL) WEIR_SHELL_TRY(show_software(w, port));
        WEIR_SHELL_TRY(show_hardware(w, port));
    }
    return WEIR_OK;
}
