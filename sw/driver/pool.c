// SPDX-License-Identifier: Apache-2.0
// Pools and the budget: what of the packet memory is promised to whom, per direction (R9).
#include "sw/driver/buffer.h"
#include "sw/include/weir/buffer.h"

uint32_t weir_cells_of_frame(const struct weir_dev* dev, uint32_t octets) {
    const uint32_t cell = dev->caps.cell_octets == 0 ? 1 : dev->caps.cell_octets;
    return (octets + dev->caps.frame_overhead + cell - 1) / cell;
}

weir_status weir_budget_check(struct weir_dev* dev, bool egress, const struct weir_budget* wanted) {
    const uint64_t sum = (uint64_t)wanted->guaranteed + wanted->headroom + wanted->shared_headroom + wanted->pools;
    if (sum <= dev->caps.cells) return WEIR_OK;
    return weir_fail(dev, WEIR_E_BUDGET,
                     "%s needs %U cells of %u, %U too many (guaranteed %u, headroom %u, shared headroom %u, pools %u)",
                     egress ? "egress" : "ingress", sum, dev->caps.cells, sum - dev->caps.cells, wanted->guaranteed,
                     wanted->headroom, wanted->shared_headroom, wanted->pools);
}

weir_status weir_pool_get(struct weir_dev* dev, uint32_t pool, struct weir_pool_config* config) {
    WEIR_TRY(weir_check_index(dev, "pool", pool, dev->caps.pools));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_bm_pool_mode(pool), &word));
    config->egress = weir_bm_pool_mode_egress_get(word) != 0;
    WEIR_TRY(weir_read(dev, weir_reg_bm_pool_size(pool), &word));
    config->cells = weir_bm_pool_size_cells_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_bm_pool_headroom(pool), &word));
    config->headroom = weir_bm_pool_headroom_cells_get(word);
    return WEIR_OK;
}

static weir_status check_pool(struct weir_dev* dev, uint32_t pool, const struct weir_pool_config* config) {
    uint32_t unused = 0;
    WEIR_TRY(weir_check_index(dev, "pool", pool, dev->caps.pools));
    WEIR_TRY(weir_cells_to_field(dev, "pool", config->cells, WEIR_BM_POOL_SIZE_CELLS_MAX, false, &unused));
    WEIR_TRY(
        weir_cells_to_field(dev, "shared headroom", config->headroom, WEIR_BM_POOL_HEADROOM_CELLS_MAX, false, &unused));
    if (config->headroom > 0 && config->egress)
        return weir_fail(dev, WEIR_E_POOL, "an egress pool has no headroom: queues never use any (R2)");
    if (config->headroom > 0 && !dev->caps.shared_headroom)
        return weir_fail(dev, WEIR_E_UNSUPPORTED, "this chip has no shared headroom");
    return WEIR_OK;
}

static weir_status write_pool(struct weir_dev* dev, uint32_t pool, const struct weir_pool_config* old,
                              const struct weir_pool_config* config) {
    if (old->egress != config->egress)
        WEIR_TRY(weir_set(dev, weir_reg_bm_pool_mode(pool), weir_bm_pool_mode_egress_set(0, config->egress ? 1 : 0)));
    // What shrinks goes first, so that the budget holds between the two writes as well.
    const bool size_first = config->cells <= old->cells;
    for (int step = 0; step < 2; ++step) {
        if ((step == 0) == size_first)
            WEIR_TRY(weir_set(dev, weir_reg_bm_pool_size(pool), weir_bm_pool_size_cells_set(0, config->cells)));
        else
            WEIR_TRY(
                weir_set(dev, weir_reg_bm_pool_headroom(pool), weir_bm_pool_headroom_cells_set(0, config->headroom)));
    }
    return WEIR_OK;
}

weir_status weir_pools_set(struct weir_dev* dev, const uint32_t* pools, const struct weir_pool_config* configs,
                           uint32_t count) {
    WEIR_TRY(weir_check_started(dev));
    struct weir_budget wanted[2] = {dev->budget[0], dev->budget[1]};
    struct weir_pool_config old[WEIR_DIM_POOLS];
    if (count > WEIR_DIM_POOLS) return weir_fail(dev, WEIR_E_RANGE, "%u pools at once", count);
    const uint32_t made_by_start = dev->caps.pools - 1;
    bool touches_default = false;
    for (uint32_t i = 0; i < count; ++i) {
        WEIR_TRY(check_pool(dev, pools[i], &configs[i]));
        for (uint32_t k = 0; k < i; ++k)
            if (pools[k] == pools[i]) return weir_fail(dev, WEIR_E_POOL, "pool %u is named twice", pools[i]);
        WEIR_TRY(weir_pool_get(dev, pools[i], &old[i]));
        if (old[i].egress != configs[i].egress && (old[i].cells > 0 || old[i].headroom > 0))
            return weir_fail(dev, WEIR_E_POOL, "pool %u is an %s pool of %u cells: set it to 0 cells first", pools[i],
                             old[i].egress ? "egress" : "ingress", old[i].cells);
        wanted[old[i].egress].pools -= old[i].cells;
        wanted[old[i].egress].shared_headroom -= old[i].headroom;
        wanted[configs[i].egress].pools += configs[i].cells;
        wanted[configs[i].egress].shared_headroom += configs[i].headroom;
        touches_default = touches_default || pools[i] == made_by_start;
    }
    WEIR_TRY(weir_budget_check(dev, false, &wanted[0]));
    WEIR_TRY(weir_budget_check(dev, true, &wanted[1]));

    weir_change_begin(dev);
    weir_status status = WEIR_OK;
    for (int grow = 0; grow < 2 && status == WEIR_OK; ++grow)
        for (uint32_t i = 0; i < count && status == WEIR_OK; ++i) {
            const bool grows = configs[i].cells + configs[i].headroom > old[i].cells + old[i].headroom;
            if (grows == (grow == 1)) status = write_pool(dev, pools[i], &old[i], &configs[i]);
        }
    dev->budget[0] = wanted[0];
    dev->budget[1] = wanted[1];
    if (touches_default) dev->default_egress = false;
    return weir_change_end(dev, status);
}

weir_status weir_pool_set(struct weir_dev* dev, uint32_t pool, const struct weir_pool_config* config) {
    return weir_pools_set(dev, &pool, config, 1);
}

weir_status weir_pool_usage_get(struct weir_dev* dev, uint32_t pool, struct weir_pool_usage* usage) {
    WEIR_TRY(weir_check_index(dev, "pool", pool, dev->caps.pools));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_bm_pool_used(pool), &word));
    usage->used = weir_bm_pool_used_cells_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_bm_pool_free(pool), &word));
    usage->free = weir_bm_pool_free_cells_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_bm_pool_headroom_used(pool), &word));
    usage->headroom_used = weir_bm_pool_headroom_used_cells_get(word);
    return WEIR_OK;
}

weir_status weir_pool_peak_take(struct weir_dev* dev, uint32_t pool, uint32_t* used, uint32_t* headroom) {
    WEIR_TRY(weir_check_index(dev, "pool", pool, dev->caps.pools));
    uint32_t word = 0;
    if (used != NULL) {
        WEIR_TRY(weir_read(dev, weir_reg_bm_pool_max(pool), &word));
        *used = weir_bm_pool_max_cells_get(word);
    }
    if (headroom != NULL) {
        WEIR_TRY(weir_read(dev, weir_reg_bm_pool_headroom_max(pool), &word));
        *headroom = weir_bm_pool_headroom_max_cells_get(word);
    }
    return WEIR_OK;
}

weir_status weir_buffer_usage_get(struct weir_dev* dev, uint32_t* free_cells, uint32_t* used) {
    WEIR_TRY(weir_check_started(dev));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_bm_free(), &word));
    *free_cells = weir_bm_free_cells_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_bm_used(), &word));
    *used = weir_bm_used_cells_get(word);
    return WEIR_OK;
}

weir_status weir_buffer_peak_take(struct weir_dev* dev, uint32_t* used) {
    WEIR_TRY(weir_check_started(dev));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_bm_max(), &word));
    *used = weir_bm_max_cells_get(word);
    return WEIR_OK;
}

weir_status weir_buffer_return_at_end(struct weir_dev* dev, bool at_end) {
    WEIR_TRY(weir_check_started(dev));
    return weir_set(dev, weir_reg_bm_accounting(), weir_bm_accounting_return_at_end_set(0, at_end ? 1 : 0));
}

weir_status weir_buffer_errors_take(struct weir_dev* dev, uint32_t* errors, uint32_t overcommit[2]) {
    WEIR_TRY(weir_check_started(dev));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_bm_error(), &word));
    *errors = (weir_bm_error_overcommit_ingress_get(word) ? WEIR_BUFFER_OVERCOMMIT_INGRESS : 0u) |
              (weir_bm_error_overcommit_egress_get(word) ? WEIR_BUFFER_OVERCOMMIT_EGRESS : 0u) |
              (weir_bm_error_xon_not_below_xoff_get(word) ? WEIR_BUFFER_XON_NOT_BELOW_XOFF : 0u) |
              (weir_bm_error_xoff_zero_get(word) ? WEIR_BUFFER_XOFF_ZERO : 0u) |
              (weir_bm_error_underflow_get(word) ? WEIR_BUFFER_UNDERFLOW : 0u);
    for (uint32_t direction = 0; direction < 2; ++direction)
        WEIR_TRY(weir_read(dev, weir_reg_bm_overcommit(direction), &overcommit[direction]));
    return word == 0 ? WEIR_OK : weir_write(dev, weir_reg_bm_error(), word);
}
