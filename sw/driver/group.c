// SPDX-License-Identifier: Apache-2.0
// Priority groups: checks before writing, and an order of writes in which no step is worse than both ends.
#include "sw/driver/buffer.h"
#include "sw/include/weir/buffer.h"

static weir_status check_place(struct weir_dev* dev, uint32_t port, uint32_t group) {
    WEIR_TRY(weir_check_port(dev, port, true));
    return weir_check_index(dev, "group", group, dev->caps.groups);
}

weir_status weir_group_get(struct weir_dev* dev, uint32_t port, uint32_t group, struct weir_group_config* config) {
    WEIR_TRY(check_place(dev, port, group));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_pg_mode(port, group), &word));
    config->enabled = weir_pg_mode_enable_get(word) != 0;
    config->lossless = weir_pg_mode_lossless_get(word) != 0;
    config->dynamic = weir_pg_mode_dynamic_get(word) != 0;
    config->service_after_xoff = weir_pg_mode_service_after_xoff_get(word) != 0;
    config->judge_total = weir_pg_mode_judge_total_get(word) != 0;
    config->shared_headroom = weir_pg_mode_shared_headroom_get(word) != 0;
    config->xon_absolute = weir_pg_mode_xon_absolute_get(word) != 0;
    config->alpha = weir_pg_mode_alpha_get(word);
    config->pool = weir_pg_mode_pool_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_pg_guaranteed(port, group), &word));
    config->guaranteed = weir_pg_guaranteed_cells_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_pg_limit(port, group), &word));
    config->limit = weir_cells_from_field(weir_pg_limit_cells_get(word), WEIR_PG_LIMIT_CELLS_MAX);
    WEIR_TRY(weir_read(dev, weir_reg_pg_xoff(port, group), &word));
    config->xoff = weir_cells_from_field(weir_pg_xoff_cells_get(word), WEIR_PG_XOFF_CELLS_MAX);
    WEIR_TRY(weir_read(dev, weir_reg_pg_xon_offset(port, group), &word));
    config->xon_offset = weir_pg_xon_offset_cells_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_pg_xon_floor(port, group), &word));
    config->xon_floor = weir_pg_xon_floor_cells_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_pg_headroom(port, group), &word));
    config->headroom = weir_pg_headroom_cells_get(word);
    return WEIR_OK;
}

uint32_t weir_private_headroom(const struct weir_group_config* c) {
    return c->shared_headroom ? 0 : c->headroom;
}

static weir_status check_limits(struct weir_dev* dev, uint32_t port, uint32_t group, const struct weir_group_config* c,
                                struct weir_group_config* fields) {
    *fields = *c;
    if (c->alpha > WEIR_ALPHA_8) return weir_fail(dev, WEIR_E_RANGE, "alpha index %u: 0 (1/128) to 10 (8)", c->alpha);
    if (c->dynamic && !dev->caps.dynamic_limits)
        return weir_fail(dev, WEIR_E_UNSUPPORTED, "this chip has no dynamic limits");
    if (c->shared_headroom && !dev->caps.shared_headroom)
        return weir_fail(dev, WEIR_E_UNSUPPORTED, "this chip has no shared headroom");
    WEIR_TRY(weir_cells_to_field(dev, "guaranteed", c->guaranteed, WEIR_PG_GUARANTEED_CELLS_MAX, false,
                                 &fields->guaranteed));
    WEIR_TRY(weir_cells_to_field(dev, "limit", c->limit, WEIR_PG_LIMIT_CELLS_MAX, true, &fields->limit));
    WEIR_TRY(weir_cells_to_field(dev, "XOFF", c->xoff, WEIR_PG_XOFF_CELLS_MAX, true, &fields->xoff));
    WEIR_TRY(weir_cells_to_field(dev, "XON", c->xon_offset, WEIR_PG_XON_OFFSET_CELLS_MAX, false, &fields->xon_offset));
    WEIR_TRY(
        weir_cells_to_field(dev, "XON floor", c->xon_floor, WEIR_PG_XON_FLOOR_CELLS_MAX, false, &fields->xon_floor));
    WEIR_TRY(weir_cells_to_field(dev, "headroom", c->headroom, WEIR_PG_HEADROOM_CELLS_MAX, false, &fields->headroom));
    if (c->lossless && c->xoff == 0)
        return weir_fail(dev, WEIR_E_THRESHOLD, "port %u group %u: XOFF 0 would pause for ever; 1 at least", port,
                         group);
    if (c->lossless && c->xon_offset >= c->xoff)
        return weir_fail(
            dev, WEIR_E_THRESHOLD,
            "port %u group %u: XON %u is not below XOFF %u; XON is an offset, XOFF - XON is where it resumes", port,
            group, c->xon_offset, c->xoff);
    return WEIR_OK;
}

static weir_status check_pool(struct weir_dev* dev, uint32_t pool) {
    struct weir_pool_config config = {false, 0, 0};
    WEIR_TRY(weir_pool_get(dev, pool, &config));
    if (config.egress)
        return weir_fail(dev, WEIR_E_POOL, "pool %u is an egress pool; a group needs an ingress pool", pool);
    return WEIR_OK;
}

static weir_status check_budget(struct weir_dev* dev, uint32_t port, const struct weir_group_config* old,
                                const struct weir_group_config* c, struct weir_budget* wanted) {
    *wanted = dev->budget[0];
    wanted->guaranteed += c->guaranteed - old->guaranteed;
    wanted->headroom += weir_private_headroom(c) - weir_private_headroom(old);
    WEIR_TRY(weir_budget_check(dev, false, wanted));
    const uint32_t of_port = dev->ports[port].headroom + weir_private_headroom(c) - weir_private_headroom(old);
    if (dev->caps.max_port_headroom != 0 && of_port > dev->caps.max_port_headroom &&
        weir_private_headroom(c) > weir_private_headroom(old))
        return weir_fail(dev, WEIR_E_BUDGET, "port %u needs %u cells of headroom, %u too many: %u a port", port,
                         of_port, of_port - dev->caps.max_port_headroom, dev->caps.max_port_headroom);
    return WEIR_OK;
}

static weir_status write_mode(struct weir_dev* dev, uint32_t port, uint32_t group, const struct weir_group_config* c) {
    uint32_t word = weir_pg_mode_enable_set(0, c->enabled ? 1 : 0);
    word = weir_pg_mode_lossless_set(word, c->lossless ? 1 : 0);
    word = weir_pg_mode_dynamic_set(word, c->dynamic ? 1 : 0);
    word = weir_pg_mode_service_after_xoff_set(word, c->service_after_xoff ? 1 : 0);
    word = weir_pg_mode_judge_total_set(word, c->judge_total ? 1 : 0);
    word = weir_pg_mode_shared_headroom_set(word, c->shared_headroom ? 1 : 0);
    word = weir_pg_mode_xon_absolute_set(word, c->xon_absolute ? 1 : 0);
    word = weir_pg_mode_alpha_set(word, c->alpha);
    word = weir_pg_mode_pool_set(word, c->pool);
    return weir_set(dev, weir_reg_pg_mode(port, group), word);
}

static weir_status write_guaranteed(struct weir_dev* dev, uint32_t port, uint32_t group, uint32_t cells) {
    return weir_set(dev, weir_reg_pg_guaranteed(port, group), weir_pg_guaranteed_cells_set(0, cells));
}

static weir_status write_headroom(struct weir_dev* dev, uint32_t port, uint32_t group, uint32_t cells) {
    return weir_set(dev, weir_reg_pg_headroom(port, group), weir_pg_headroom_cells_set(0, cells));
}

static weir_status write_thresholds(struct weir_dev* dev, uint32_t port, uint32_t group, bool xon_first,
                                    const struct weir_group_config* f) {
    for (int step = 0; step < 2; ++step) {
        if ((step == 0) == xon_first)
            WEIR_TRY(
                weir_set(dev, weir_reg_pg_xon_offset(port, group), weir_pg_xon_offset_cells_set(0, f->xon_offset)));
        else
            WEIR_TRY(weir_set(dev, weir_reg_pg_xoff(port, group), weir_pg_xoff_cells_set(0, f->xoff)));
    }
    return WEIR_OK;
}

// The order keeps every step legal: a group that turns lossy does so first and one that turns lossless does so last;
// what shrinks is written before what grows; XON never stands above XOFF in between.
static weir_status write_all(struct weir_dev* dev, uint32_t port, uint32_t group, const struct weir_group_config* old,
                             const struct weir_group_config* f) {
    const bool mode_first = (old->lossless && !f->lossless) || (!old->shared_headroom && f->shared_headroom);
    if (mode_first) WEIR_TRY(write_mode(dev, port, group, f));
    const bool guaranteed_first = f->guaranteed <= old->guaranteed;
    if (guaranteed_first) WEIR_TRY(write_guaranteed(dev, port, group, f->guaranteed));
    WEIR_TRY(write_headroom(dev, port, group, f->headroom));
    if (!guaranteed_first) WEIR_TRY(write_guaranteed(dev, port, group, f->guaranteed));
    WEIR_TRY(weir_set(dev, weir_reg_pg_limit(port, group), weir_pg_limit_cells_set(0, f->limit)));
    WEIR_TRY(write_thresholds(dev, port, group, f->xon_offset <= old->xon_offset, f));
    WEIR_TRY(weir_set(dev, weir_reg_pg_xon_floor(port, group), weir_pg_xon_floor_cells_set(0, f->xon_floor)));
    return mode_first ? WEIR_OK : write_mode(dev, port, group, f);
}

weir_status weir_group_set(struct weir_dev* dev, uint32_t port, uint32_t group,
                           const struct weir_group_config* config) {
    WEIR_TRY(check_place(dev, port, group));
    struct weir_group_config fields;
    WEIR_TRY(check_limits(dev, port, group, config, &fields));
    WEIR_TRY(check_pool(dev, config->pool));
    struct weir_group_config old;
    WEIR_TRY(weir_group_get(dev, port, group, &old));
    struct weir_budget wanted;
    WEIR_TRY(check_budget(dev, port, &old, config, &wanted));

    weir_change_begin(dev);
    weir_status status = write_all(dev, port, group, &old, &fields);
    dev->budget[0] = wanted;
    dev->ports[port].headroom += weir_private_headroom(config) - weir_private_headroom(&old);
    return weir_change_end(dev, status);
}

weir_status weir_group_usage_get(struct weir_dev* dev, uint32_t port, uint32_t group, struct weir_group_usage* usage) {
    WEIR_TRY(check_place(dev, port, group));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_pg_used(port, group), &word));
    usage->used = weir_pg_used_cells_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_pg_guaranteed_used(port, group), &word));
    usage->guaranteed = weir_pg_guaranteed_used_cells_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_pg_service_used(port, group), &word));
    usage->service = weir_pg_service_used_cells_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_pg_headroom_used(port, group), &word));
    usage->headroom = weir_pg_headroom_used_cells_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_pg_effective_limit(port, group), &word));
    usage->limit = weir_cells_from_field(weir_pg_effective_limit_cells_get(word), WEIR_PG_EFFECTIVE_LIMIT_CELLS_MAX);
    WEIR_TRY(weir_read(dev, weir_reg_pg_effective_xoff(port, group), &word));
    usage->xoff = weir_cells_from_field(weir_pg_effective_xoff_cells_get(word), WEIR_PG_EFFECTIVE_XOFF_CELLS_MAX);
    WEIR_TRY(weir_read(dev, weir_reg_pg_state(port, group), &word));
    usage->paused = weir_pg_state_paused_get(word) != 0;
    return WEIR_OK;
}

weir_status weir_group_peak_take(struct weir_dev* dev, uint32_t port, uint32_t group, uint32_t* used, uint32_t* service,
                                 uint32_t* headroom) {
    WEIR_TRY(check_place(dev, port, group));
    uint32_t word = 0;
    if (used != NULL) {
        WEIR_TRY(weir_read(dev, weir_reg_pg_max(port, group), &word));
        *used = weir_pg_max_cells_get(word);
    }
    if (service != NULL) {
        WEIR_TRY(weir_read(dev, weir_reg_pg_service_max(port, group), &word));
        *service = weir_pg_service_max_cells_get(word);
    }
    if (headroom != NULL) {
        WEIR_TRY(weir_read(dev, weir_reg_pg_headroom_max(port, group), &word));
        *headroom = weir_pg_headroom_max_cells_get(word);
    }
    return WEIR_OK;
}
