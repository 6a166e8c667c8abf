// SPDX-License-Identifier: Apache-2.0
// The words about flow control, maps and forwarding: pfc, pause, map, trust, mac-table, route, ecmp.
#include <string.h>

#include "sw/include/weir/forwarding.h"
#include "sw/include/weir/pfc.h"
#include "sw/include/weir/qos.h"
#include "sw/shell/words.h"

struct pfc_change {
    enum {
        ENABLE,
        DISABLE,
        XOFF,
        XON,
        HEADROOM,
        QUANTA,
        REFRESH,
        FORCE,
        TX,
        RX,
        OPTIONS,
        DEAD_TIME,
        BUDGET,
        CLOCK,
        STALL_LIMIT,
        STALL_ESCAPE,
        STALL_HOLD
    } what;
    uint32_t value;
    uint32_t refresh;
    bool refresh_given, on;
    struct weir_pfc_options options;
    uint64_t ps;
};

static weir_status enable_priorities(struct weir_dev* dev, uint32_t port, uint32_t priorities, bool on) {
    for (uint32_t p = 0; p < dev->caps.priorities; ++p)
        if ((priorities & (1u << p)) != 0) WEIR_SHELL_TRY(weir_pfc_enable(dev, port, p, on));
    return WEIR_OK;
}

static weir_status set_timer(struct weir_dev* dev, uint32_t port, const struct pfc_change* c) {
    uint32_t quanta = 0;
    uint32_t refresh = 0;
    WEIR_SHELL_TRY(weir_pfc_timer_get(dev, port, &quanta, &refresh));
    if (c->what == QUANTA) quanta = c->value;
    if (c->what == REFRESH) refresh = c->value;
    if (c->refresh_given)
        refresh = c->refresh;
    else if (c->what == QUANTA && refresh >= quanta)
        refresh = quanta / 2;  // a shorter pause alone takes its refresh with it
    return weir_pfc_timer_set(dev, port, quanta, refresh);
}

static weir_status change_pfc(struct weir_dev* dev, uint32_t port, const struct pfc_change* c) {
    struct weir_pfc_profile profile = dev->ports[port].profile;
    uint8_t tx = 0;
    uint8_t rx = 0;
    bool escape = false;
    bool hold = false;
    switch (c->what) {
        case ENABLE:
            return enable_priorities(dev, port, c->value, true);
        case DISABLE:
            return enable_priorities(dev, port, c->value, false);
        case XOFF:
            profile.xoff_given = true;
            profile.xoff = c->value;
            return weir_pfc_profile_set(dev, port, &profile);
        case XON:
            profile.xon_given = true;
            profile.xon_offset = c->value;
            return weir_pfc_profile_set(dev, port, &profile);
        case HEADROOM:
            profile.headroom_given = true;
            profile.headroom = c->value;
            return weir_pfc_profile_set(dev, port, &profile);
        case QUANTA:
        case REFRESH:
            return set_timer(dev, port, c);
        case FORCE:
            return weir_pfc_force(dev, port, (uint8_t)c->value);
        case TX:
        case RX:
            WEIR_SHELL_TRY(weir_pfc_directions_get(dev, port, &tx, &rx));
            return weir_pfc_directions_set(dev, port, c->what == TX ? (uint8_t)c->value : tx,
                                           c->what == RX ? (uint8_t)c->value : rx);
        case OPTIONS:
            return weir_pfc_options_set(dev, port, &c->options);
        case DEAD_TIME:
            return weir_pfc_dead_time_set(dev, port, c->ps);
        case CLOCK:
            return weir_pfc_clock_set(dev, port, c->value);
        case BUDGET:
            return weir_pfc_budget_set(dev, port, c->value, c->refresh);
        case STALL_LIMIT:
            return weir_stall_limit_set(dev, port, c->value);
        case STALL_ESCAPE:
        case STALL_HOLD:
            WEIR_SHELL_TRY(weir_stall_options_get(dev, port, &escape, &hold));
            return weir_stall_options_set(dev, port, c->what == STALL_ESCAPE ? c->on : escape,
                                          c->what == STALL_HOLD ? c->on : hold);
    }
    return WEIR_OK;
}

static weir_status pfc_one(struct words* w, uint32_t port, const void* what) {
    return shell_from_driver(w->shell, change_pfc(w->shell->dev, port, what));
}

// "standard", or options in any order.
static weir_status read_options(struct words* w, struct weir_pfc_options* o) {
    static const char* const what =
        "standard, or some of: complete-state ignore-tagged with-pause from-stop truncated-quanta "
        "commit-short chapter-window truncated-headroom";
    if (words_accept(w, "standard")) {
        if (words_accept(w, "ignore-tagged")) o->ignore_tagged = true;
        return WEIR_OK;
    }
    if (words_peek(w) == NULL) return words_wrong(w, what);
    while (words_peek(w) != NULL) {
        if (words_accept(w, "complete-state"))
            o->complete_state = true;
        else if (words_accept(w, "ignore-tagged"))
            o->ignore_tagged = true;
        else if (words_accept(w, "with-pause"))
            o->pause_too = true;
        else if (words_accept(w, "from-stop"))
            o->timer_from_stop = true;
        else if (words_accept(w, "truncated-quanta"))
            o->truncated_quanta = true;
        else if (words_accept(w, "commit-short"))
            o->commit_short = true;
        else if (words_accept(w, "chapter-window"))
            o->chapter_window = true;
        else if (words_accept(w, "truncated-headroom"))
            o->truncated_headroom = true;
        else
            return words_wrong(w, what);
    }
    return WEIR_OK;
}

// "13316 ns", "628160 ps", "3 us".
static weir_status read_time(struct words* w, uint64_t* ps) {
    uint32_t number = 0;
    WEIR_SHELL_TRY(words_number(w, "a time such as 628160 ps, or off", &number));
    if (words_accept(w, "ps"))
        *ps = number;
    else if (words_accept(w, "ns"))
        *ps = (uint64_t)number * 1000;
    else if (words_accept(w, "us"))
        *ps = (uint64_t)number * 1000000;
    else
        return words_wrong(w, "ps, ns or us");
    return WEIR_OK;
}

weir_status shell_pfc(struct words* w, bool no) {
    struct pfc_change c;
    memset(&c, 0, sizeof c);
    const uint32_t priorities = w->shell->dev->caps.priorities;
    if (words_accept(w, "enable")) {
        c.what = no ? DISABLE : ENABLE;
        WEIR_SHELL_TRY(words_expect(w, "priority"));
        WEIR_SHELL_TRY(words_list(w, "priority", priorities, &c.value));
    } else if (no) {
        return words_wrong(w, "enable priority N after \"no pfc\"");
    } else if (words_accept(w, "pause-threshold")) {
        c.what = XOFF;
        WEIR_SHELL_TRY(words_cells_or_unlimited(w, "XOFF in cells or unlimited", &c.value));
    } else if (words_accept(w, "resume-threshold")) {
        c.what = XON;
        WEIR_SHELL_TRY(words_cells(w, "XON, an offset below XOFF in cells", false, &c.value));
    } else if (words_accept(w, "headroom")) {
        c.what = HEADROOM;
        WEIR_SHELL_TRY(words_cells(w, "headroom in cells", false, &c.value));
    } else if (words_accept(w, "quanta")) {
        c.what = QUANTA;
        WEIR_SHELL_TRY(words_number(w, "quanta of 64 octet times", &c.value));
        c.refresh_given = words_accept(w, "refresh");
        if (c.refresh_given) WEIR_SHELL_TRY(words_number(w, "quanta of 64 octet times", &c.refresh));
    } else if (words_accept(w, "refresh")) {
        c.what = REFRESH;
        if (!words_accept(w, "never")) WEIR_SHELL_TRY(words_number(w, "quanta of 64 octet times, or never", &c.value));
    } else if (words_accept(w, "tx") || words_accept(w, "rx")) {
        c.what = strcmp(w->word[w->at - 1], "tx") == 0 ? TX : RX;
        WEIR_SHELL_TRY(words_list(w, "priority", priorities, &c.value));
    } else if (words_accept(w, "force")) {
        c.what = FORCE;
        WEIR_SHELL_TRY(words_list(w, "priority", priorities, &c.value));
    } else if (words_accept(w, "receiver")) {
        c.what = OPTIONS;
        WEIR_SHELL_TRY(read_options(w, &c.options));
    } else if (words_accept(w, "dead-time")) {
        c.what = DEAD_TIME;
        if (!words_accept(w, "off")) WEIR_SHELL_TRY(read_time(w, &c.ps));
    } else if (words_accept(w, "clock")) {
        c.what = CLOCK;
        WEIR_SHELL_TRY(words_number(w, "the port clock in MHz", &c.value));
    } else if (words_accept(w, "budget")) {
        c.what = BUDGET;
        WEIR_SHELL_TRY(words_cells(w, "a lossless group's cells", false, &c.value));
        WEIR_SHELL_TRY(words_expect(w, "hysteresis"));
        WEIR_SHELL_TRY(words_cells(w, "XON, an offset below XOFF in cells", false, &c.refresh));
    } else if (words_accept(w, "stall-limit")) {
        c.what = STALL_LIMIT;
        if (!words_accept(w, "never")) {
            WEIR_SHELL_TRY(words_number(w, "quanta of 64 octet times, or never", &c.value));
            words_accept(w, "quanta");
        }
    } else if (words_accept(w, "stall-escape")) {
        c.what = STALL_ESCAPE;
        WEIR_SHELL_TRY(words_on_off(w, &c.on));
    } else if (words_accept(w, "stall-hold")) {
        c.what = STALL_HOLD;
        WEIR_SHELL_TRY(words_on_off(w, &c.on));
    } else {
        return words_wrong(w,
                           "enable, pause-threshold, resume-threshold, headroom, quanta, refresh, tx, rx, force, "
                           "receiver, clock, dead-time, budget, stall-limit, stall-escape or stall-hold");
    }
    WEIR_SHELL_TRY(words_end(w));
    return for_each_port(w, false, pfc_one, &c);
}

static weir_status pause_one(struct words* w, uint32_t port, const void* what) {
    const uint32_t directions = *(const uint32_t*)what;
    return shell_from_driver(w->shell,
                             weir_pause_set(w->shell->dev, port, (directions & 1) != 0, (directions & 2) != 0));
}

weir_status shell_pause(struct words* w) {
    uint32_t directions = 0;
    if (words_accept(w, "rx"))
        directions = 1;
    else if (words_accept(w, "tx"))
        directions = 2;
    else if (words_accept(w, "both"))
        directions = 3;
    else if (!words_accept(w, "off"))
        return words_wrong(w, "rx, tx, both or off");
    WEIR_SHELL_TRY(words_end(w));
    return for_each_port(w, false, pause_one, &directions);
}

struct map_entry {
    enum { DSCP_TC, PCP_TC, TC_PG, TC_QUEUE, PG_PRIORITY, PRIORITY_QUEUE, DEFAULT_TC } kind;
    uint32_t from, to, colour;
};

static weir_status set_map(struct weir_dev* dev, uint32_t port, const struct map_entry* m) {
    switch (m->kind) {
        case DSCP_TC:
            return weir_dscp_set(dev, port, m->from, m->to, m->colour);
        case PCP_TC:
            WEIR_SHELL_TRY(weir_pcp_set(dev, port, m->from, 0, m->to, m->colour));
            return weir_pcp_set(dev, port, m->from, 1, m->to, m->colour);
        case TC_PG:
            return weir_class_group_set(dev, port, m->from, m->to);
        case TC_QUEUE:
            return weir_class_queue_set(dev, port, m->from, m->to);
        case PG_PRIORITY:
            return weir_group_priority_set(dev, port, m->from, m->to);
        case PRIORITY_QUEUE:
            return weir_priority_queues_set(dev, port, m->from, (uint8_t)m->to);
        case DEFAULT_TC:
            return weir_default_class_set(dev, port, m->to);
    }
    return WEIR_OK;
}

static weir_status map_one(struct words* w, uint32_t port, const void* what) {
    return shell_from_driver(w->shell, set_map(w->shell->dev, port, what));
}

struct dscp_list {
    uint64_t bits;
    uint32_t tc, colour;
};

static weir_status dscp_one(struct words* w, uint32_t port, const void* what) {
    const struct dscp_list* list = what;
    for (uint32_t dscp = 0; dscp < 64; ++dscp)
        if ((list->bits >> dscp & 1u) != 0)
            WEIR_SHELL_TRY(
                shell_from_driver(w->shell, weir_dscp_set(w->shell->dev, port, dscp, list->tc, list->colour)));
    return WEIR_OK;
}

// DSCPs are 64, more than a list of 32 bits: "24" or "8-15" or "all".
static weir_status read_dscps(struct words* w, uint64_t* bits) {
    *bits = UINT64_MAX;
    if (words_accept(w, "all")) return WEIR_OK;
    *bits = 0;
    const char* p = words_peek(w);
    uint32_t bound[2] = {0, 0};
    int n = 0;
    for (; p != NULL && *p != '\0'; ++p) {
        if (*p >= '0' && *p <= '9' && bound[n] < 1000)
            bound[n] = bound[n] * 10 + (uint32_t)(*p - '0');
        else if (*p == '-' && n == 0 && p[1] != '\0' && p != words_peek(w))
            n = 1;
        else
            return words_wrong(w, "a DSCP: 0 to 63, 8-15 or all");
    }
    if (n == 0) bound[1] = bound[0];
    if (p == NULL || bound[0] > bound[1] || bound[1] > 63) return words_wrong(w, "a DSCP: 0 to 63, 8-15 or all");
    for (uint32_t i = bound[0]; i <= bound[1]; ++i) *bits |= UINT64_C(1) << i;
    w->at++;
    return WEIR_OK;
}

static weir_status map_dscp(struct words* w) {
    struct dscp_list list = {0, 0, 0};
    WEIR_SHELL_TRY(read_dscps(w, &list.bits));
    WEIR_SHELL_TRY(words_expect(w, "tc"));
    WEIR_SHELL_TRY(words_number(w, "a traffic class", &list.tc));
    if (words_accept(w, "colour")) WEIR_SHELL_TRY(words_colour(w, &list.colour));
    WEIR_SHELL_TRY(words_end(w));
    return for_each_port(w, true, dscp_one, &list);
}

weir_status shell_map(struct words* w) {
    struct map_entry m;
    memset(&m, 0, sizeof m);
    if (words_accept(w, "dscp")) return map_dscp(w);
    if (words_accept(w, "pcp")) {
        m.kind = PCP_TC;
        WEIR_SHELL_TRY(words_number(w, "a PCP, 0 to 7", &m.from));
        WEIR_SHELL_TRY(words_expect(w, "tc"));
        WEIR_SHELL_TRY(words_number(w, "a traffic class", &m.to));
        if (words_accept(w, "colour")) WEIR_SHELL_TRY(words_colour(w, &m.colour));
    } else if (words_accept(w, "default")) {
        m.kind = DEFAULT_TC;
        WEIR_SHELL_TRY(words_expect(w, "tc"));
        WEIR_SHELL_TRY(words_number(w, "a traffic class", &m.to));
    } else if (words_accept(w, "tc")) {
        WEIR_SHELL_TRY(words_number(w, "a traffic class", &m.from));
        if (words_accept(w, "pg")) {
            m.kind = TC_PG;
        } else {
            WEIR_SHELL_TRY(words_accept(w, "queue") ? WEIR_OK : words_wrong(w, "pg or queue"));
            m.kind = TC_QUEUE;
        }
        WEIR_SHELL_TRY(words_number(w, m.kind == TC_PG ? "a group's number" : "a queue's number", &m.to));
    } else if (words_accept(w, "pg")) {
        m.kind = PG_PRIORITY;
        WEIR_SHELL_TRY(words_number(w, "a group's number", &m.from));
        WEIR_SHELL_TRY(words_expect(w, "priority"));
        WEIR_SHELL_TRY(words_number(w, "a PFC priority", &m.to));
    } else if (words_accept(w, "priority")) {
        m.kind = PRIORITY_QUEUE;
        WEIR_SHELL_TRY(words_number(w, "a PFC priority", &m.from));
        WEIR_SHELL_TRY(words_expect(w, "queue"));
        WEIR_SHELL_TRY(words_list(w, "queue", w->shell->dev->caps.queues, &m.to));
    } else {
        return words_wrong(w, "dscp, pcp, default, tc, pg or priority");
    }
    WEIR_SHELL_TRY(words_end(w));
    return for_each_port(w, true, map_one, &m);
}

static weir_status trust_one(struct words* w, uint32_t port, const void* what) {
    return shell_from_driver(w->shell, weir_trust_set(w->shell->dev, port, *(const weir_trust*)what));
}

weir_status shell_trust(struct words* w) {
    weir_trust trust = WEIR_TRUST_PORT;
    if (words_accept(w, "dscp"))
        trust = WEIR_TRUST_DSCP;
    else if (words_accept(w, "pcp"))
        trust = WEIR_TRUST_PCP;
    else if (!words_accept(w, "port"))
        return words_wrong(w, "dscp, pcp or port");
    WEIR_SHELL_TRY(words_end(w));
    return for_each_port(w, true, trust_one, &trust);
}

static weir_status learning(struct words* w) {
    bool on = false;
    WEIR_SHELL_TRY(words_on_off(w, &on));
    const bool control_frames = on && words_accept(w, "control-frames");
    WEIR_SHELL_TRY(words_end(w));
    return shell_from_driver(w->shell, weir_learning_set(w->shell->dev, on, control_frames));
}

weir_status shell_mac_table(struct words* w, bool no) {
    uint8_t address[6];
    struct weir_target target = {WEIR_TARGET_DROP, 0};
    if (!no && words_accept(w, "learning")) return learning(w);
    if (!no && !words_accept(w, "add")) return words_wrong(w, "add or learning");
    WEIR_SHELL_TRY(words_mac(w, address));
    if (!no) WEIR_SHELL_TRY(words_target(w, &target));
    WEIR_SHELL_TRY(words_end(w));
    return shell_from_driver(
        w->shell, no ? weir_mac_remove(w->shell->dev, address) : weir_mac_set(w->shell->dev, address, target));
}

weir_status shell_route(struct words* w, bool no) {
    struct prefix p;
    struct weir_target target = {WEIR_TARGET_DROP, 0};
    struct weir_dev* dev = w->shell->dev;
    if (!no) WEIR_SHELL_TRY(words_expect(w, "add"));
    WEIR_SHELL_TRY(words_prefix(w, &p));
    if (!no) WEIR_SHELL_TRY(words_target(w, &target));
    WEIR_SHELL_TRY(words_end(w));
    const uint32_t address =
        ((uint32_t)p.octet[0] << 24) | ((uint32_t)p.octet[1] << 16) | ((uint32_t)p.octet[2] << 8) | p.octet[3];
    if (no)
        return shell_from_driver(
            w->shell, p.ipv6 ? weir_ipv6_remove(dev, p.octet, p.length) : weir_ipv4_remove(dev, address, p.length));
    return shell_from_driver(w->shell, p.ipv6 ? weir_ipv6_set(dev, p.octet, p.length, target)
                                              : weir_ipv4_set(dev, address, p.length, target));
}

weir_status shell_ecmp(struct words* w, bool no) {
    struct weir_dev* dev = w->shell->dev;
    uint32_t group = 0;
    if (!no && words_accept(w, "seed")) {
        uint32_t seed = 0;
        WEIR_SHELL_TRY(words_number(w, "a seed", &seed));
        WEIR_SHELL_TRY(words_end(w));
        return shell_from_driver(w->shell, weir_ecmp_seed_set(dev, seed));
    }
    WEIR_SHELL_TRY(words_number(w, "an ECMP group's number", &group));
    if (no) {
        WEIR_SHELL_TRY(words_end(w));
        return shell_from_driver(w->shell, weir_ecmp_remove(dev, group));
    }
    WEIR_SHELL_TRY(words_expect(w, "members"));
    // An own reading: members may repeat, as weights, and their order counts.
    uint32_t members[WEIR_MAX_MEMBERS];
    uint32_t count = 0;
    const char* p = words_peek(w);
    while (p != NULL && *p != '\0') {
        if (*p < '0' || *p > '9' || count == WEIR_MAX_MEMBERS) return words_wrong(w, "1 to 16 ports, such as 1,2,3");
        uint32_t port = 0;
        for (; *p >= '0' && *p <= '9' && port < 100000; ++p) port = port * 10 + (uint32_t)(*p - '0');
        members[count++] = port;
        if (*p == ',' && p[1] != '\0')
            ++p;
        else if (*p != '\0')
            return words_wrong(w, "1 to 16 ports, such as 1,2,3");
    }
    if (count == 0) return words_wrong(w, "1 to 16 ports, such as 1,2,3");
    w->at++;
    WEIR_SHELL_TRY(words_end(w));
    return shell_from_driver(w->shell, weir_ecmp_set(dev, group, members, count));
}
