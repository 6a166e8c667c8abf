// SPDX-License-Identifier: Apache-2.0
// What `show` prints: registers in an operator's words. Reading a peak restarts it, as the heading says.
#include <string.h>

#include "sw/include/weir/buffer.h"
#include "sw/include/weir/counters.h"
#include "sw/include/weir/diagnose.h"
#include "sw/include/weir/forwarding.h"
#include "sw/include/weir/pfc.h"
#include "sw/include/weir/port.h"
#include "sw/include/weir/scheduler.h"
#include "sw/shell/words.h"

#define FROM_DRIVER(call) WEIR_SHELL_TRY(shell_from_driver(w->shell, (call)))

// A number of cells, or a dash for none, in a buffer of the caller's.
static const char* cells_text(uint32_t cells, char out[12]) {
    weir_text_append(out, 12, 0, cells == WEIR_CELLS_UNLIMITED ? "-" : "%u", cells);
    return out;
}

static const char* list_text(uint32_t bits, char out[24]) {
    size_t used = weir_text_append(out, 24, 0, bits == 0 ? "none" : "");
    for (uint32_t i = 0; i < 8; ++i)
        if ((bits & (1u << i)) != 0) used = weir_text_append(out, 24, used, used == 0 ? "%u" : ",%u", i);
    return out;
}

static const char* rate_text(uint32_t megabits, char out[16]) {
    if (megabits % 1000000 == 0 && megabits > 0)
        weir_text_append(out, 16, 0, "%uT", megabits / 1000000);
    else if (megabits > 1000000 && megabits % 100000 == 0)
        weir_text_append(out, 16, 0, "%u.%uT", megabits / 1000000, megabits / 100000 % 10);
    else if (megabits % 1000 == 0)
        weir_text_append(out, 16, 0, "%uG", megabits / 1000);
    else
        weir_text_append(out, 16, 0, "%uM", megabits);
    return out;
}

static weir_status show_mac_table(struct words* w) {
    struct weir_dev* dev = w->shell->dev;
    uint32_t used = 0;
    uint32_t capacity = 0;
    bool on = false;
    bool control_frames = false;
    struct weir_learning_counters c;
    WEIR_SHELL_TRY(words_end(w));
    FROM_DRIVER(weir_table_usage_get(dev, WEIR_TABLE_MAC, &used, &capacity));
    FROM_DRIVER(weir_learning_get(dev, &on, &control_frames));
    FROM_DRIVER(weir_learning_counters_get(dev, &c));
    shell_print(w->shell, "mac table  %u of %u entries; learning %s%s: learned %U, moved %U, no room for %U frames\n",
                used, capacity, on ? "on" : "off", control_frames ? ", from control frames too" : "", c.learned,
                c.moved, c.not_learned);
    return WEIR_OK;
}

static weir_status show_mmu(struct words* w) {
    struct weir_dev* dev = w->shell->dev;
    uint32_t free_cells = 0;
    uint32_t used = 0;
    uint32_t peak = 0;
    WEIR_SHELL_TRY(words_end(w));
    FROM_DRIVER(weir_buffer_usage_get(dev, &free_cells, &used));
    FROM_DRIVER(weir_buffer_peak_take(dev, &peak));
    shell_print(w->shell, "packet memory  %u cells of %u octets: %u in use, %u free, peak %u (restarted)\n",
                dev->caps.cells, dev->caps.cell_octets, used, free_cells, peak);
    for (uint32_t d = 0; d < 2; ++d) {
        const struct weir_budget* b = &dev->budget[d];
        const uint32_t sum = b->guaranteed + b->headroom + b->shared_headroom + b->pools;
        shell_print(w->shell, "%-8s budget  guaranteed %u, headroom %u, shared headroom %u, pools %u; %u left\n",
                    d == 0 ? "ingress" : "egress", b->guaranteed, b->headroom, b->shared_headroom, b->pools,
                    dev->caps.cells - sum);
    }
    shell_print(w->shell, "%-24s%-9s%10s%10s%10s%10s%10s\n", "pool", "", "size", "used", "free", "headroom", "used");
    for (uint32_t pool = 0; pool < dev->caps.pools; ++pool) {
        struct weir_pool_config c = {false, 0, 0};
        struct weir_pool_usage u = {0, 0, 0};
        FROM_DRIVER(weir_pool_get(dev, pool, &c));
        if (c.cells == 0 && c.headroom == 0) continue;
        FROM_DRIVER(weir_pool_usage_get(dev, pool, &u));
        char number[16];
        weir_text_append(number, sizeof number, 0, "pool %u", pool);
        const char* name = pool < WEIR_SHELL_POOLS && w->shell->pools[pool][0] != '\0' ? w->shell->pools[pool] : number;
        shell_print(w->shell, "%-24s%-9s%10u%10u%10u%10u%10u\n", name, c.egress ? "egress" : "ingress", c.cells, u.used,
                    u.free, c.headroom, u.headroom_used);
    }
    return WEIR_OK;
}

static bool shown(const struct words* w, uint32_t port) {
    return !w->shell->in_interface || w->shell->selected[port];
}

static weir_status show_groups(struct words* w) {
    struct weir_dev* dev = w->shell->dev;
    WEIR_SHELL_TRY(words_end(w));
    shell_print(w->shell, "port pg  %-9s%8s%11s%9s%10s%9s%8s%8s%10s\n", "state", "used", "guaranteed", "service",
                "headroom", "limit", "XOFF", "XON", "dropped");
    for (uint32_t port = 0; port <= dev->caps.ports; ++port) {
        for (uint32_t group = 0; shown(w, port) && group < dev->caps.groups; ++group) {
            struct weir_group_config c;
            struct weir_group_usage u;
            struct weir_group_counters n;
            FROM_DRIVER(weir_group_get(dev, port, group, &c));
            FROM_DRIVER(weir_group_usage_get(dev, port, group, &u));
            FROM_DRIVER(weir_group_counters_get(dev, port, group, &n));
            if (!c.lossless && n.frames == 0 && n.drop_frames == 0) continue;
            char limit[12];
            char xoff[12];
            const char* state = !c.lossless ? "lossy" : u.paused ? "PAUSED" : "lossless";
            shell_print(w->shell, "%4u %2u  %-9s%8u%11u%9u%10u%9s%8s%8u%10U\n", port, group, state, u.used,
                        u.guaranteed, u.service, u.headroom, cells_text(u.limit, limit), cells_text(c.xoff, xoff),
                        c.xon_offset, n.drop_frames);
        }
    }
    return WEIR_OK;
}

static weir_status show_pfc(struct words* w, uint32_t port) {
    struct weir_dev* dev = w->shell->dev;
    uint8_t tx = 0;
    uint8_t rx = 0;
    uint32_t quanta = 0;
    uint32_t refresh = 0;
    struct weir_pfc_status status;
    struct weir_pfc_port_counters all;
    char a[24];
    char b[24];
    FROM_DRIVER(weir_pfc_directions_get(dev, port, &tx, &rx));
    FROM_DRIVER(weir_pfc_timer_get(dev, port, &quanta, &refresh));
    FROM_DRIVER(weir_pfc_status_get(dev, port, &status));
    FROM_DRIVER(weir_pfc_port_counters_get(dev, port, &all));
    shell_print(w->shell, "interface %u: may pause %s, obeys %s; %u quanta, again after %u\n", port, list_text(tx, a),
                list_text(rx, b), quanta, refresh);
    shell_print(w->shell, "  now pausing %s, paused by peer %s%s\n", list_text(status.tx_paused, a),
                list_text(status.rx_paused, b), status.link_paused ? ", link paused" : "");
    shell_print(w->shell, "  frames sent %U, seen %U, bad FCS %U, wrong address %U, malformed %U, ignored %U\n",
                all.tx_frames, all.seen, all.bad_fcs, all.wrong_da, all.malformed, all.rx_ignored);
    shell_print(w->shell, "  priority  %10s%10s%14s%10s%10s%14s\n", "pfc_tx", "pauses", "paused ns", "pfc_rx", "pauses",
                "paused ns");
    for (uint32_t p = 0; p < dev->caps.priorities; ++p) {
        struct weir_pfc_counters c;
        FROM_DRIVER(weir_pfc_counters_get(dev, port, p, &c));
        if (((tx | rx) & (1u << p)) == 0 && c.tx_requests == 0 && c.rx_frames == 0) continue;
        shell_print(w->shell, "  %8u  %10U%10U%14U%10U%10U%14U\n", p, c.tx_requests, c.tx_transitions, c.tx_paused_ns,
                    c.rx_frames, c.rx_transitions, c.rx_paused_ns);
    }
    return WEIR_OK;
}

static weir_status show_conformance(struct words* w, uint32_t port) {
    struct weir_dev* dev = w->shell->dev;
    struct weir_pfc_conformance c;
    uint64_t ps = 0;
    char groups[24];
    FROM_DRIVER(weir_pfc_conformance_get(dev, port, &c));
    FROM_DRIVER(weir_pfc_dead_time_get(dev, port, &ps));
    shell_print(w->shell, "interface %u: %s; dead time %U ps needs %u cells of headroom; infeasible groups %s\n", port,
                c.conformant ? "conformant" : "NOT CONFORMANT", ps, c.headroom_need, list_text(c.infeasible, groups));
    for (uint32_t f = 0; f < WEIR_PFC_FAULTS; ++f) {
        if (c.count[f] == 0 && (c.faults & (1u << f)) == 0) continue;
        shell_print(w->shell, "  %-12s%10U times", weir_pfc_fault_text(f), c.count[f]);
        if ((c.faults & (1u << f)) != 0) shell_print(w->shell, ", since %U ns", c.first_ns[f]);
        shell_print(w->shell, "\n");
    }
    return WEIR_OK;
}

// Where heads waited and why, and the detector of stalls; queues that never waited are left out.
static weir_status show_waiting(struct words* w, uint32_t port) {
    struct weir_dev* dev = w->shell->dev;
    struct weir_gate_status gate;
    uint8_t suspects = 0;
    uint32_t limit = 0;
    bool escape = false;
    bool hold = false;
    char a[24];
    char b[24];
    FROM_DRIVER(weir_gate_status_get(dev, port, &gate));
    FROM_DRIVER(weir_stall_suspects_get(dev, port, &suspects));
    FROM_DRIVER(weir_stall_limit_get(dev, port, &limit));
    FROM_DRIVER(weir_stall_options_get(dev, port, &escape, &hold));
    shell_print(w->shell, "interface %u: queues with frames %s, eligible %s%s; blocked for %U ns\n", port,
                list_text(gate.nonempty, a), list_text(gate.eligible, b), gate.all_blocked ? ", ALL BLOCKED" : "",
                gate.blocked_ns);
    shell_print(w->shell, "  stall after %u quanta, escape %s%s; suspect now %s\n", limit, escape ? "on" : "off",
                hold ? ", stops add up" : "", list_text(suspects, a));
    shell_print(w->shell, "  queue  %14s%14s%14s%14s%14s%10s%9s%14s\n", "waited ns", "self-paused", "second-order",
                "first-order", "none", "suspects", "escapes", "longest stall");
    for (uint32_t q = 0; q < dev->caps.queues; ++q) {
        struct weir_wait_counters c;
        struct weir_stall_counters s;
        FROM_DRIVER(weir_wait_counters_get(dev, port, q, &c));
        FROM_DRIVER(weir_stall_counters_get(dev, port, q, &s));
        if (c.hol_ns == 0 && s.suspects == 0) continue;
        shell_print(w->shell, "  %5u  %14U%14U%14U%14U%14U%10U%9U%14U\n", q, c.hol_ns, c.self_paused_ns,
                    c.second_order_ns, c.first_order_ns, c.none_ns, s.suspects, s.escapes, s.longest_ns);
    }
    return WEIR_OK;
}

// The PFC RTL chapter's order of debugging: the finding, then the evidence of each step.
static weir_status show_diagnosis(struct words* w) {
    struct weir_dev* dev = w->shell->dev;
    WEIR_SHELL_TRY(words_end(w));
    for (uint32_t port = 0; port < dev->caps.ports; ++port) {
        struct weir_symptoms s;
        char a[24];
        char b[24];
        if (!shown(w, port)) continue;
        FROM_DRIVER(weir_symptoms_get(dev, port, &s));
        shell_print(w->shell, "interface %u: %s\n", port, weir_finding_text(weir_diagnose(&s)));
        shell_print(w->shell, "  1 PFC frames seen %U, ignored %U; lossless groups %s, may pause %s\n", s.pfc_seen,
                    s.pfc_ignored, list_text(s.lossless, a), list_text(s.pfc_tx, b));
        shell_print(w->shell, "  2 infeasible groups %s; the dead time needs %u cells of headroom%s\n",
                    list_text(s.infeasible, a), s.headroom_need,
                    s.headroom_need == 0 ? ": none is programmed, so nobody is judged" : "");
        shell_print(w->shell, "  3 lossless frames lost %U; stopped for", s.overflows);
        for (uint32_t queue = 0; queue < dev->caps.queues; ++queue) {
            const uint64_t share = s.waited_ns[queue] == 0 ? 0 : s.gated_ns[queue] * 100 / s.waited_ns[queue];
            shell_print(w->shell, " %U%%", share);
        }
        shell_print(w->shell, " of the time in which queues 0 to 7 had work\n");
        shell_print(w->shell, "  4 late arrivals %U\n", s.late);
        shell_print(w->shell, "  5 suspects %U, longest stall %U ns\n", s.suspects, s.longest_stall_ns);
    }
    return WEIR_OK;
}

static weir_status show_port(struct words* w, uint32_t port) {
    struct weir_port_status s;
    struct weir_port_counters c;
    char rate[16];
    FROM_DRIVER(weir_port_status_get(w->shell->dev, port, &s));
    FROM_DRIVER(weir_port_counters_get(w->shell->dev, port, &c));
    shell_print(w->shell, "%4u  %-5s%-5s%6s%8u%14U%14U%12U\n", port, s.admin ? "up" : "down", s.link ? "up" : "down",
                rate_text(s.megabits, rate), s.max_frame, c.rx_frames, c.tx_frames, c.rx_discards);
    return WEIR_OK;
}

// "show interface [N] [pfc | conformance | hol | dcbx]"
static weir_status show_interface(struct words* w) {
    struct weir_dev* dev = w->shell->dev;
    uint32_t only = UINT32_MAX;
    const char* first = words_peek(w);
    static const char* const views[] = {"pfc", "conformance", "hol", "dcbx"};
    bool view = false;
    for (size_t n = 0; n < sizeof views / sizeof *views; ++n)
        view = view || (first != NULL && !strcmp(first, views[n]));
    if (first != NULL && !view) {
        WEIR_SHELL_TRY(words_number(w, "a port's number, pfc, conformance, hol or dcbx", &only));
        if (only >= dev->caps.ports)
            return shell_fail(w->shell, WEIR_E_RANGE, "port %u does not exist: 0 to %u", only, dev->caps.ports - 1);
    }
    weir_status (*show)(struct words*, uint32_t) = show_port;
    if (words_accept(w, "pfc"))
        show = show_pfc;
    else if (words_accept(w, "conformance"))
        show = show_conformance;
    else if (words_accept(w, "hol"))
        show = show_waiting;
    else if (words_accept(w, "dcbx"))
        show = show_dcbx;
    WEIR_SHELL_TRY(words_end(w));
    if (show == show_port)
        shell_print(w->shell, "port  %-5s%-5s%6s%8s%14s%14s%12s\n", "admin", "link", "rate", "mtu", "rx frames",
                    "tx frames", "rx dropped");
    for (uint32_t port = 0; port < dev->caps.ports; ++port)
        if (only == UINT32_MAX ? shown(w, port) : port == only) WEIR_SHELL_TRY(show(w, port));
    return WEIR_OK;
}

static weir_status show_counters(struct words* w) {
    struct weir_dev* dev = w->shell->dev;
    WEIR_SHELL_TRY(words_end(w));
    for (uint32_t port = 0; port <= dev->caps.ports; ++port) {
        if (!shown(w, port)) continue;
        struct weir_port_counters c;
        FROM_DRIVER(weir_port_counters_get(dev, port, &c));
        shell_print(w->shell, "interface %u: rx %U frames %U octets, tx %U frames %U octets", port, c.rx_frames,
                    c.rx_octets, c.tx_frames, c.tx_octets);
        for (uint32_t reason = 1; reason < WEIR_DROP_REASONS; ++reason) {
            uint64_t frames = 0;
            FROM_DRIVER(weir_port_drops_get(dev, port, reason, &frames));
            if (frames > 0) shell_print(w->shell, ", dropped %U (%s)", frames, weir_drop_reason_text(reason));
        }
        shell_print(w->shell, "\n");
    }
    return WEIR_OK;
}

static weir_status show_queues(struct words* w) {
    static const char* const modes[] = {"strict", "dwrr", "wrr", "?"};
    struct weir_dev* dev = w->shell->dev;
    WEIR_SHELL_TRY(words_end(w));
    shell_print(w->shell, "port queue  %-9s%-7s%7s%8s%9s%14s%12s%12s\n", "state", "sched", "weight", "used", "limit",
                "sent", "dropped", "CE marked");
    for (uint32_t port = 0; port <= dev->caps.ports; ++port) {
        for (uint32_t queue = 0; shown(w, port) && queue < dev->caps.queues; ++queue) {
            struct weir_queue_config c;
            struct weir_queue_usage u;
            struct weir_queue_counters n;
            weir_schedule mode = WEIR_STRICT;
            uint32_t weight = 0;
            FROM_DRIVER(weir_queue_get(dev, port, queue, &c));
            FROM_DRIVER(weir_queue_usage_get(dev, port, queue, &u));
            FROM_DRIVER(weir_queue_counters_get(dev, port, queue, &n));
            FROM_DRIVER(weir_queue_schedule_get(dev, port, queue, &mode, &weight));
            if (!c.lossless && n.frames == 0 && n.drop_frames == 0) continue;
            char limit[12];
            const char* state = !c.dequeue ? "stopped" : c.lossless ? "lossless" : "lossy";
            shell_print(w->shell, "%4u %5u  %-9s%-7s%7u%8u%9s%14U%12U%12U\n", port, queue, state, modes[mode & 3],
                        weight, u.used, cells_text(u.limit, limit), n.frames, n.drop_frames, n.ce_marked);
        }
    }
    return WEIR_OK;
}

weir_status shell_show(struct words* w) {
    if (words_accept(w, "mmu")) return show_mmu(w);
    if (words_accept(w, "mac-table")) return show_mac_table(w);
    if (words_accept(w, "buffer")) {
        WEIR_SHELL_TRY(words_expect(w, "pg"));
        return show_groups(w);
    }
    if (words_accept(w, "interface")) return show_interface(w);
    if (words_accept(w, "counters")) return show_counters(w);
    if (words_accept(w, "queue")) return show_queues(w);
    if (words_accept(w, "pfcwd")) return show_watchdog(w);
    if (words_accept(w, "service")) return show_service(w);
    if (words_accept(w, "diagnose")) return show_diagnosis(w);
    return words_wrong(w, "mmu, mac-table, buffer pg, interface, counters, queue, pfcwd, service or diagnose");
}

static weir_status clear_faults(struct words* w) {
    struct weir_dev* dev = w->shell->dev;
    WEIR_SHELL_TRY(words_end(w));
    for (uint32_t port = 0; port < dev->caps.ports; ++port)
        if (shown(w, port)) FROM_DRIVER(weir_pfc_faults_clear(dev, port, (1u << WEIR_PFC_FAULTS) - 1));
    return WEIR_OK;
}

weir_status shell_clear(struct words* w) {
    if (words_accept(w, "conformance")) return clear_faults(w);
    const bool counters = words_accept(w, "counters");
    if (!counters && !words_accept(w, "watermarks")) return words_wrong(w, "counters, watermarks or conformance");
    WEIR_SHELL_TRY(words_end(w));
    struct weir_dev* dev = w->shell->dev;
    FROM_DRIVER(counters ? weir_counters_clear(dev) : weir_watermarks_clear(dev));
    return WEIR_OK;
}
