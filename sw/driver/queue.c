// SPDX-License-Identifier: Apache-2.0
// Egress queues: sizes, limits, whether they may send.
#include "sw/driver/buffer.h"
#include "sw/include/weir/buffer.h"

static weir_status check_place(struct weir_dev* dev, uint32_t port, uint32_t queue) {
    WEIR_TRY(weir_check_port(dev, port, true));
    return weir_check_index(dev, "queue", queue, dev->caps.queues);
}

weir_status weir_queue_get(struct weir_dev* dev, uint32_t port, uint32_t queue, struct weir_queue_config* config) {
    WEIR_TRY(check_place(dev, port, queue));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_queue_mode(port, queue), &word));
    config->enabled = weir_queue_mode_enable_get(word) != 0;
    config->lossless = weir_queue_mode_lossless_get(word) != 0;
    config->dynamic = weir_queue_mode_dynamic_get(word) != 0;
    config->dequeue = weir_queue_mode_dequeue_enable_get(word) != 0;
    config->alpha = weir_queue_mode_alpha_get(word);
    config->pool = weir_queue_mode_pool_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_queue_guaranteed(port, queue), &word));
    config->guaranteed = weir_queue_guaranteed_cells_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_queue_limit(port, queue), &word));
    config->limit = weir_cells_from_field(weir_queue_limit_cells_get(word), WEIR_QUEUE_LIMIT_CELLS_MAX);
    return WEIR_OK;
}

// While the egress pool is the one that bring-up made, it is "what is not guaranteed to a queue" and follows.
static weir_status fit_default_pool(struct weir_dev* dev, struct weir_budget* wanted) {
    if (!dev->default_egress || wanted->guaranteed > dev->caps.cells) return WEIR_OK;
    wanted->pools += dev->budget[1].guaranteed - wanted->guaranteed;
    return WEIR_OK;
}

static weir_status write_default_pool(struct weir_dev* dev, const struct weir_budget* wanted) {
    if (!dev->default_egress || wanted->pools == dev->budget[1].pools) return WEIR_OK;
    return weir_set(dev, weir_reg_bm_pool_size(dev->caps.pools - 1),
                    weir_bm_pool_size_cells_set(0, dev->caps.cells - wanted->guaranteed));
}

static weir_status write_all(struct weir_dev* dev, uint32_t port, uint32_t queue, bool grows,
                             const struct weir_queue_config* f, const struct weir_budget* wanted) {
    if (grows) WEIR_TRY(write_default_pool(dev, wanted));
    WEIR_TRY(weir_set(dev, weir_reg_queue_guaranteed(port, queue), weir_queue_guaranteed_cells_set(0, f->guaranteed)));
    if (!grows) WEIR_TRY(write_default_pool(dev, wanted));
    WEIR_TRY(weir_set(dev, weir_reg_queue_limit(port, queue), weir_queue_limit_cells_set(0, f->limit)));
    uint32_t word = weir_queue_mode_enable_set(0, f->enabled ? 1 : 0);
    word = weir_queue_mode_lossless_set(word, f->lossless ? 1 : 0);
    word = weir_queue_mode_dynamic_set(word, f->dynamic ? 1 : 0);
    word = weir_queue_mode_dequeue_enable_set(word, f->dequeue ? 1 : 0);
    word = weir_queue_mode_alpha_set(word, f->alpha);
    word = weir_queue_mode_pool_set(word, f->pool);
    return weir_set(dev, weir_reg_queue_mode(port, queue), word);
}

weir_status weir_queue_set(struct weir_dev* dev, uint32_t port, uint32_t queue,
                           const struct weir_queue_config* config) {
    WEIR_TRY(check_place(dev, port, queue));
    struct weir_queue_config fields = *config;
    if (config->alpha > WEIR_ALPHA_8)
        return weir_fail(dev, WEIR_E_RANGE, "alpha index %u: 0 (1/128) to 10 (8)", config->alpha);
    if (config->dynamic && !dev->caps.dynamic_limits)
        return weir_fail(dev, WEIR_E_UNSUPPORTED, "this chip has no dynamic limits");
    WEIR_TRY(weir_cells_to_field(dev, "guaranteed", config->guaranteed, WEIR_QUEUE_GUARANTEED_CELLS_MAX, false,
                                 &fields.guaranteed));
    WEIR_TRY(weir_cells_to_field(dev, "limit", config->limit, WEIR_QUEUE_LIMIT_CELLS_MAX, true, &fields.limit));
    struct weir_pool_config pool = {false, 0, 0};
    WEIR_TRY(weir_pool_get(dev, config->pool, &pool));
    if (!pool.egress)
        return weir_fail(dev, WEIR_E_POOL, "pool %u is not an egress pool; a queue needs one", config->pool);
    struct weir_queue_config old;
    WEIR_TRY(weir_queue_get(dev, port, queue, &old));
    struct weir_budget wanted = dev->budget[1];
    wanted.guaranteed += config->guaranteed - old.guaranteed;
    WEIR_TRY(fit_default_pool(dev, &wanted));
    WEIR_TRY(weir_budget_check(dev, true, &wanted));

    weir_change_begin(dev);
    weir_status status = write_all(dev, port, queue, config->guaranteed > old.guaranteed, &fields, &wanted);
    dev->budget[1] = wanted;
    dev->ports[port].dequeue =
        (uint8_t)((dev->ports[port].dequeue & ~(1u << queue)) | (config->dequeue ? 1u << queue : 0));
    return weir_change_end(dev, status);
}

weir_status weir_queue_usage_get(struct weir_dev* dev, uint32_t port, uint32_t queue, struct weir_queue_usage* usage) {
    WEIR_TRY(check_place(dev, port, queue));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_queue_used(port, queue), &word));
    usage->used = weir_queue_used_cells_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_queue_guaranteed_used(port, queue), &word));
    usage->guaranteed = weir_queue_guaranteed_used_cells_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_queue_service_used(port, queue), &word));
    usage->service = weir_queue_service_used_cells_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_queue_effective_limit(port, queue), &word));
    usage->limit =
        weir_cells_from_field(weir_queue_effective_limit_cells_get(word), WEIR_QUEUE_EFFECTIVE_LIMIT_CELLS_MAX);
    return WEIR_OK;
}

weir_status weir_queue_peak_take(struct weir_dev* dev, uint32_t port, uint32_t queue, uint32_t* used,
                                 uint32_t* service) {
    WEIR_TRY(check_place(dev, port, queue));
    uint32_t word = 0;
    if (used != NULL) {
        WEIR_TRY(weir_read(dev, weir_reg_queue_max(port, queue), &word));
        *used = weir_queue_max_cells_get(word);
    }
    if (service != NULL) {
        WEIR_TRY(weir_read(dev, weir_reg_queue_service_max(port, queue), &word));
        *service = weir_queue_service_max_cells_get(word);
    }
    return WEIR_OK;
}
