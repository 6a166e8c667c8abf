// SPDX-License-Identifier: Apache-2.0
// The words about the buffer: pool, pg, queue, mmu, wred.
#include <string.h>

#include "sw/include/weir/buffer.h"
#include "sw/include/weir/scheduler.h"
#include "sw/include/weir/wred.h"
#include "sw/shell/words.h"

static weir_status name_is_free(struct words* w, const char* name) {
    if (strlen(name) >= WEIR_SHELL_NAME)
        return shell_fail(w->shell, WEIR_E_SYNTAX, "\"%s\" is too long: %u letters at most", name,
                          (uint32_t)WEIR_SHELL_NAME - 1);
    const uint32_t made_by_start = w->shell->dev->caps.pools - 1;
    for (uint32_t i = 0; i < WEIR_SHELL_POOLS; ++i)
        if (strcmp(w->shell->pools[i], name) == 0 && !(w->shell->dev->default_egress && i == made_by_start))
            return shell_fail(w->shell, WEIR_E_POOL, "there is a pool \"%s\" already: pool resize %s size N cells",
                              name, name);
    return WEIR_OK;
}

// Ingress pools from the bottom, egress pools from the top; the first egress pool takes the place of bring-up's.
static weir_status free_index(struct words* w, bool egress, uint32_t* pool) {
    const struct weir_dev* dev = w->shell->dev;
    const uint32_t count = dev->caps.pools < WEIR_SHELL_POOLS ? dev->caps.pools : WEIR_SHELL_POOLS;
    if (egress && dev->default_egress && dev->caps.pools <= WEIR_SHELL_POOLS) {
        *pool = dev->caps.pools - 1;
        return WEIR_OK;
    }
    for (uint32_t i = 0; i < count; ++i) {
        *pool = egress ? count - 1 - i : i;
        if (w->shell->pools[*pool][0] == '\0') return WEIR_OK;
    }
    return shell_fail(w->shell, WEIR_E_NO_RESOURCES, "all %u pools of this chip are in use", count);
}

static weir_status read_sizes(struct words* w, struct weir_pool_config* config) {
    while (words_peek(w) != NULL) {
        if (words_accept(w, "size"))
            WEIR_SHELL_TRY(words_cells(w, "a size in cells", true, &config->cells));
        else if (words_accept(w, "headroom"))
            WEIR_SHELL_TRY(words_cells(w, "shared headroom in cells", true, &config->headroom));
        else
            return words_wrong(w, "size N cells or headroom N cells");
    }
    return WEIR_OK;
}

weir_status shell_pool(struct words* w) {
    struct weir_shell* shell = w->shell;
    struct weir_pool_config config = {false, 0, 0};
    uint32_t pool = 0;
    if (words_accept(w, "resize")) {
        WEIR_SHELL_TRY(words_pool(w, false, &pool));
        WEIR_SHELL_TRY(shell_from_driver(shell, weir_pool_get(shell->dev, pool, &config)));
        WEIR_SHELL_TRY(read_sizes(w, &config));
        return shell_from_driver(shell, weir_pool_set(shell->dev, pool, &config));
    }
    WEIR_SHELL_TRY(words_expect(w, "create"));
    const char* name = words_take(w);
    if (name == NULL) return words_wrong(w, "the pool's name");
    WEIR_SHELL_TRY(name_is_free(w, name));
    if (words_accept(w, "egress"))
        config.egress = true;
    else
        WEIR_SHELL_TRY(words_expect(w, "ingress"));
    WEIR_SHELL_TRY(read_sizes(w, &config));
    if (config.cells == 0) return shell_fail(shell, WEIR_E_SYNTAX, "expected size N cells, N above 0");
    WEIR_SHELL_TRY(free_index(w, config.egress, &pool));
    WEIR_SHELL_TRY(shell_from_driver(shell, weir_pool_set(shell->dev, pool, &config)));
    weir_text_append(shell->pools[pool], WEIR_SHELL_NAME, 0, "%s", name);
    return WEIR_OK;
}

// A `pg` or `queue` line is read again for every port, because each may hold other values of what it does not name.
struct place {
    uint32_t bits;
    size_t start;
};

static weir_status read_group_words(struct words* w, struct weir_group_config* c) {
    while (words_peek(w) != NULL) {
        if (words_accept(w, "guaranteed")) {
            WEIR_SHELL_TRY(words_cells(w, "guaranteed cells", false, &c->guaranteed));
        } else if (words_accept(w, "limit")) {
            WEIR_SHELL_TRY(words_cells_or_unlimited(w, "a limit in cells or unlimited", &c->limit));
            c->dynamic = false;
        } else if (words_accept(w, "dynamic")) {
            c->dynamic = !words_accept(w, "off");
            if (c->dynamic) WEIR_SHELL_TRY(words_alpha(w, &c->alpha));
        } else if (words_accept(w, "pool")) {
            WEIR_SHELL_TRY(words_pool(w, false, &c->pool));
        } else if (words_accept(w, "xoff")) {
            WEIR_SHELL_TRY(words_cells_or_unlimited(w, "XOFF in cells or unlimited", &c->xoff));
        } else if (words_accept(w, "xon")) {
            WEIR_SHELL_TRY(words_cells(w, "XON, an offset below XOFF in cells", false, &c->xon_offset));
        } else if (words_accept(w, "xon-floor")) {
            WEIR_SHELL_TRY(words_cells(w, "a floor in cells", false, &c->xon_floor));
        } else if (words_accept(w, "headroom")) {
            WEIR_SHELL_TRY(words_cells(w, "headroom in cells", false, &c->headroom));
        } else if (words_accept(w, "shared-headroom")) {
            WEIR_SHELL_TRY(words_on_off(w, &c->shared_headroom));
        } else if (words_accept(w, "service-after-xoff")) {
            WEIR_SHELL_TRY(words_on_off(w, &c->service_after_xoff));
        } else if (words_accept(w, "judge-total")) {
            WEIR_SHELL_TRY(words_on_off(w, &c->judge_total));
        } else if (words_accept(w, "xon-absolute")) {
            WEIR_SHELL_TRY(words_on_off(w, &c->xon_absolute));
        } else if (words_accept(w, "lossless")) {
            c->lossless = true;
        } else if (words_accept(w, "lossy")) {
            c->lossless = false;
        } else if (words_accept(w, "enable")) {
            c->enabled = true;
        } else if (words_accept(w, "disable")) {
            c->enabled = false;
        } else {
            return words_wrong(w,
                               "guaranteed, limit, dynamic, pool, xoff, xon, xon-floor, headroom, shared-headroom, "
                               "service-after-xoff, judge-total, xon-absolute, lossless, lossy, enable or disable");
        }
    }
    return WEIR_OK;
}

static weir_status group_one(struct words* w, uint32_t port, const void* what) {
    const struct place* place = what;
    struct weir_dev* dev = w->shell->dev;
    for (uint32_t group = 0; group < dev->caps.groups; ++group) {
        if ((place->bits & (1u << group)) == 0) continue;
        struct weir_group_config c;
        WEIR_SHELL_TRY(shell_from_driver(w->shell, weir_group_get(dev, port, group, &c)));
        w->at = place->start;
        WEIR_SHELL_TRY(read_group_words(w, &c));
        WEIR_SHELL_TRY(shell_from_driver(w->shell, weir_group_set(dev, port, group, &c)));
    }
    return WEIR_OK;
}

weir_status shell_group(struct words* w) {
    struct place place = {0, 0};
    WEIR_SHELL_TRY(words_list(w, "group", w->shell->dev->caps.groups, &place.bits));
    place.start = w->at;
    if (words_peek(w) == NULL) return words_wrong(w, "what to set, such as guaranteed 8 cells");
    return for_each_port(w, false, group_one, &place);
}

struct queue_settings {
    struct weir_queue_config config;
    bool schedule_given, shaper_given, minimum_given, wred_given;
    weir_schedule mode;
    uint32_t weight, kbps, burst, least_kbps, least_burst;
    struct weir_wred_queue wred;
};

static weir_status read_schedule(struct words* w, struct queue_settings* s) {
    s->schedule_given = true;
    s->weight = 1;
    if (words_accept(w, "strict")) {
        s->mode = WEIR_STRICT;
        return WEIR_OK;
    }
    if (words_accept(w, "dwrr"))
        s->mode = WEIR_DWRR;
    else if (words_accept(w, "wrr"))
        s->mode = WEIR_WRR;
    else
        return words_wrong(w, "strict, dwrr WEIGHT or wrr WEIGHT");
    return words_number(w, "a weight", &s->weight);
}

// "10G burst 20000", or off.
static weir_status read_bucket(struct words* w, uint32_t* kbps, uint32_t* burst) {
    *kbps = *burst = 0;
    if (words_accept(w, "off")) return WEIR_OK;
    WEIR_SHELL_TRY(words_rate(w, kbps));
    WEIR_SHELL_TRY(words_expect(w, "burst"));
    WEIR_SHELL_TRY(words_number(w, "octets", burst));
    words_accept(w, "octets");
    return WEIR_OK;
}

static weir_status read_queue_wred(struct words* w, struct weir_wred_queue* use) {
    memset(use, 0, sizeof *use);
    if (words_accept(w, "off")) return WEIR_OK;
    WEIR_SHELL_TRY(words_expect(w, "profile"));
    WEIR_SHELL_TRY(words_number(w, "a WRED profile's number", &use->profile));
    for (;;) {
        if (words_accept(w, "ecn"))
            use->ecn = true;
        else if (words_accept(w, "drop"))
            use->drop = true;
        else if (words_accept(w, "at-dequeue"))
            use->at_dequeue = true;
        else if (words_accept(w, "ewma"))
            WEIR_SHELL_TRY(words_number(w, "a weight, 0 to 15", &use->ewma));
        else
            return WEIR_OK;
    }
}

static weir_status read_queue_words(struct words* w, struct queue_settings* s) {
    struct weir_queue_config* c = &s->config;
    while (words_peek(w) != NULL) {
        if (words_accept(w, "scheduler")) {
            WEIR_SHELL_TRY(read_schedule(w, s));
        } else if (words_accept(w, "shaper")) {
            s->shaper_given = true;
            WEIR_SHELL_TRY(read_bucket(w, &s->kbps, &s->burst));
        } else if (words_accept(w, "minimum")) {
            s->minimum_given = true;
            WEIR_SHELL_TRY(read_bucket(w, &s->least_kbps, &s->least_burst));
        } else if (words_accept(w, "wred")) {
            s->wred_given = true;
            WEIR_SHELL_TRY(read_queue_wred(w, &s->wred));
        } else if (words_accept(w, "guaranteed")) {
            WEIR_SHELL_TRY(words_cells(w, "guaranteed cells", false, &c->guaranteed));
        } else if (words_accept(w, "limit")) {
            WEIR_SHELL_TRY(words_cells_or_unlimited(w, "a limit in cells or unlimited", &c->limit));
            c->dynamic = false;
        } else if (words_accept(w, "dynamic")) {
            c->dynamic = !words_accept(w, "off");
            if (c->dynamic) WEIR_SHELL_TRY(words_alpha(w, &c->alpha));
        } else if (words_accept(w, "pool")) {
            WEIR_SHELL_TRY(words_pool(w, true, &c->pool));
        } else if (words_accept(w, "dequeue")) {
            WEIR_SHELL_TRY(words_on_off(w, &c->dequeue));
        } else if (words_accept(w, "lossless")) {
            c->lossless = true;
        } else if (words_accept(w, "lossy")) {
            c->lossless = false;
        } else if (words_accept(w, "enable")) {
            c->enabled = true;
        } else if (words_accept(w, "disable")) {
            c->enabled = false;
        } else {
            return words_wrong(w,
                               "scheduler, shaper, minimum, wred, guaranteed, limit, dynamic, pool, dequeue, lossless, "
                               "lossy, enable or disable");
        }
    }
    return WEIR_OK;
}

static weir_status apply_queue(struct weir_dev* dev, uint32_t port, uint32_t queue, const struct queue_settings* s) {
    WEIR_SHELL_TRY(weir_queue_set(dev, port, queue, &s->config));
    if (s->schedule_given) WEIR_SHELL_TRY(weir_queue_schedule_set(dev, port, queue, s->mode, s->weight));
    // Both at once may go through a state in which the least rate is above the greatest: without any it is not.
    if (s->minimum_given) WEIR_SHELL_TRY(weir_queue_minimum_set(dev, port, queue, 0, 0));
    if (s->shaper_given) WEIR_SHELL_TRY(weir_queue_shaper_set(dev, port, queue, s->kbps, s->burst));
    if (s->minimum_given) WEIR_SHELL_TRY(weir_queue_minimum_set(dev, port, queue, s->least_kbps, s->least_burst));
    return s->wred_given ? weir_wred_queue_set(dev, port, queue, &s->wred) : WEIR_OK;
}

static weir_status queue_one(struct words* w, uint32_t port, const void* what) {
    const struct place* place = what;
    struct weir_dev* dev = w->shell->dev;
    for (uint32_t queue = 0; queue < dev->caps.queues; ++queue) {
        if ((place->bits & (1u << queue)) == 0) continue;
        struct queue_settings s;
        memset(&s, 0, sizeof s);
        WEIR_SHELL_TRY(shell_from_driver(w->shell, weir_queue_get(dev, port, queue, &s.config)));
        w->at = place->start;
        WEIR_SHELL_TRY(read_queue_words(w, &s));
        WEIR_SHELL_TRY(shell_from_driver(w->shell, apply_queue(dev, port, queue, &s)));
    }
    return WEIR_OK;
}

weir_status shell_queue(struct words* w) {
    struct place place = {0, 0};
    WEIR_SHELL_TRY(words_list(w, "queue", w->shell->dev->caps.queues, &place.bits));
    place.start = w->at;
    if (words_peek(w) == NULL) return words_wrong(w, "what to set, such as scheduler dwrr 10");
    return for_each_port(w, false, queue_one, &place);
}

// "0,0,1": exactly or up to `count` numbers up to `greatest`, in order.
static weir_status read_numbers(struct words* w, const char* what, uint8_t* numbers, uint32_t count, bool exactly,
                                uint32_t greatest) {
    const char* p = words_peek(w);
    uint32_t n = 0;
    while (p != NULL && *p >= '0' && *p <= '9') {
        uint32_t v = 0;
        for (; *p >= '0' && *p <= '9' && v < 1000; ++p) v = v * 10 + (uint32_t)(*p - '0');
        if (v > greatest || n == count) return words_wrong(w, what);
        numbers[n++] = (uint8_t)v;
        if (*p == ',' && p[1] != '\0')
            ++p;
        else if (*p != '\0')
            return words_wrong(w, what);
    }
    if (n == 0 || (exactly && n != count)) return words_wrong(w, what);
    w->at++;
    return WEIR_OK;
}

static weir_status ets_one(struct words* w, uint32_t port, const void* what) {
    return shell_from_driver(w->shell, weir_ets_set(w->shell->dev, port, what));
}

// "ets off | ets groups 0,0,0,1,1,2,2,3 percent 50,30,20 [strict 3]"
weir_status shell_ets(struct words* w) {
    struct weir_ets ets;
    memset(&ets, 0, sizeof ets);
    if (words_accept(w, "off")) {
        for (uint32_t g = 0; g < WEIR_ETS_GROUPS; ++g) ets.strict[g] = true;
    } else {
        uint32_t strict = 0;
        WEIR_SHELL_TRY(words_expect(w, "groups"));
        WEIR_SHELL_TRY(read_numbers(w, "the groups of priorities 0 to 7, such as 0,0,0,1,1,2,2,3", ets.group,
                                    w->shell->dev->caps.priorities, true, WEIR_ETS_GROUPS - 1));
        WEIR_SHELL_TRY(words_expect(w, "percent"));
        WEIR_SHELL_TRY(read_numbers(w, "the percentages of groups 0 to 7, such as 50,30,20", ets.percent,
                                    WEIR_ETS_GROUPS, false, 100));
        if (words_accept(w, "strict")) WEIR_SHELL_TRY(words_list(w, "group", WEIR_ETS_GROUPS, &strict));
        for (uint32_t g = 0; g < WEIR_ETS_GROUPS; ++g) ets.strict[g] = (strict & (1u << g)) != 0;
    }
    WEIR_SHELL_TRY(words_end(w));
    return for_each_port(w, false, ets_one, &ets);
}

weir_status shell_wred(struct words* w) {
    uint32_t profile = 0;
    uint32_t colour = 0;
    struct weir_wred_curve curve = {true, 0, 0, WEIR_PROBABILITY_ONE};
    WEIR_SHELL_TRY(words_expect(w, "profile"));
    WEIR_SHELL_TRY(words_number(w, "a WRED profile's number", &profile));
    WEIR_SHELL_TRY(words_colour(w, &colour));
    if (words_accept(w, "off")) {
        WEIR_SHELL_TRY(shell_from_driver(w->shell, weir_wred_curve_get(w->shell->dev, profile, colour, &curve)));
        curve.enabled = false;
    } else {
        WEIR_SHELL_TRY(words_expect(w, "min"));
        WEIR_SHELL_TRY(words_cells(w, "Kmin in cells", false, &curve.min));
        WEIR_SHELL_TRY(words_expect(w, "max"));
        WEIR_SHELL_TRY(words_cells(w, "Kmax in cells", false, &curve.max));
        WEIR_SHELL_TRY(words_expect(w, "probability"));
        WEIR_SHELL_TRY(words_probability(w, &curve.probability));
    }
    WEIR_SHELL_TRY(words_end(w));
    return shell_from_driver(w->shell, weir_wred_curve_set(w->shell->dev, profile, colour, &curve));
}

// ---- mmu: what other vendors' shells call these things

struct mmu_change {
    uint32_t groups, queues;
    bool preset, limit_given, dynamic;
    uint32_t alpha, cells;
};

static weir_status mmu_one(struct words* w, uint32_t port, const void* what) {
    const struct mmu_change* m = what;
    struct weir_dev* dev = w->shell->dev;
    for (uint32_t group = 0; group < dev->caps.groups; ++group) {
        if ((m->groups & (1u << group)) == 0) continue;
        struct weir_group_config c;
        WEIR_SHELL_TRY(shell_from_driver(w->shell, weir_group_get(dev, port, group, &c)));
        if (m->preset) {
            c.dynamic = c.service_after_xoff = c.judge_total = c.xon_absolute = false;
            c.limit = WEIR_CELLS_UNLIMITED;
        } else if (m->limit_given) {
            c.dynamic = m->dynamic;
            if (m->dynamic)
                c.alpha = m->alpha;
            else
                c.limit = m->cells;
        } else {
            c.guaranteed = m->cells;
        }
        WEIR_SHELL_TRY(shell_from_driver(w->shell, weir_group_set(dev, port, group, &c)));
    }
    for (uint32_t queue = 0; queue < dev->caps.queues; ++queue) {
        if ((m->queues & (1u << queue)) == 0) continue;
        struct weir_queue_config c;
        WEIR_SHELL_TRY(shell_from_driver(w->shell, weir_queue_get(dev, port, queue, &c)));
        if (m->limit_given) {
            c.dynamic = m->dynamic;
            if (m->dynamic)
                c.alpha = m->alpha;
            else
                c.limit = m->cells;
        } else {
            c.guaranteed = m->cells;
        }
        WEIR_SHELL_TRY(shell_from_driver(w->shell, weir_queue_set(dev, port, queue, &c)));
    }
    return WEIR_OK;
}

// "[pg LIST | queue LIST]"; without it all groups are meant.
static weir_status read_whom(struct words* w, struct mmu_change* m) {
    const struct weir_capabilities* caps = &w->shell->dev->caps;
    if (words_accept(w, "queue")) return words_list(w, "queue", caps->queues, &m->queues);
    if (words_accept(w, "pg")) return words_list(w, "group", caps->groups, &m->groups);
    m->groups = (1u << caps->groups) - 1;
    return WEIR_OK;
}

weir_status shell_mmu(struct words* w) {
    struct mmu_change m;
    memset(&m, 0, sizeof m);
    if (words_accept(w, "cell-return")) {
        const bool at_end = words_accept(w, "end");
        if (!at_end) WEIR_SHELL_TRY(words_expect(w, "start"));
        WEIR_SHELL_TRY(words_end(w));
        return shell_from_driver(w->shell, weir_buffer_return_at_end(w->shell->dev, at_end));
    }
    if (words_accept(w, "buffer-mode")) {
        if (!words_accept(w, "flowctrl-enhance")) return words_wrong(w, "flowctrl-enhance");
        m.preset = true;
        m.groups = (1u << w->shell->dev->caps.groups) - 1;
        WEIR_SHELL_TRY(words_end(w));
        return for_each_port(w, true, mmu_one, &m);
    }
    if (words_accept(w, "queue-guarantee")) {
        WEIR_SHELL_TRY(read_whom(w, &m));
        WEIR_SHELL_TRY(words_cells(w, "guaranteed cells", false, &m.cells));
    } else if (words_accept(w, "queue-threshold")) {
        m.limit_given = true;
        WEIR_SHELL_TRY(read_whom(w, &m));
        m.dynamic = words_accept(w, "dynamic");
        if (m.dynamic)
            WEIR_SHELL_TRY(words_alpha(w, &m.alpha));
        else
            WEIR_SHELL_TRY(words_cells_or_unlimited(w, "a limit in cells, unlimited, or dynamic ALPHA", &m.cells));
    } else {
        return words_wrong(w, "queue-guarantee, queue-threshold, buffer-mode or cell-return");
    }
    WEIR_SHELL_TRY(words_end(w));
    return for_each_port(w, false, mmu_one, &m);
}
