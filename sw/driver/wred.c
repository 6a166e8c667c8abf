// SPDX-License-Identifier: Apache-2.0
// WRED profiles and their use by queues.
#include "sw/include/weir/wred.h"

#include "sw/driver/access.h"

static weir_status check_curve_place(struct weir_dev* dev, uint32_t profile, uint32_t colour) {
    WEIR_TRY(weir_check_index(dev, "WRED profile", profile, dev->caps.wred_profiles));
    return weir_check_index(dev, "colour", colour, WEIR_COLOURS);
}

static uint32_t enable_bit(uint32_t colour) {
    return colour == WEIR_GREEN    ? WEIR_WRED_PROFILE_ENABLE_GREEN_MASK
           : colour == WEIR_YELLOW ? WEIR_WRED_PROFILE_ENABLE_YELLOW_MASK
                                   : WEIR_WRED_PROFILE_ENABLE_RED_MASK;
}

// min <= max holds after every write: what moves away from the other one goes first.
static weir_status write_curve(struct weir_dev* dev, uint32_t profile, uint32_t colour, uint32_t min, uint32_t max,
                               const struct weir_wred_curve* curve) {
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_wred_profile_min(profile, colour), &word));
    const bool min_first = min <= weir_wred_profile_min_cells_get(word);
    for (int step = 0; step < 2; ++step) {
        if ((step == 0) == min_first)
            WEIR_TRY(
                weir_set(dev, weir_reg_wred_profile_min(profile, colour), weir_wred_profile_min_cells_set(0, min)));
        else
            WEIR_TRY(
                weir_set(dev, weir_reg_wred_profile_max(profile, colour), weir_wred_profile_max_cells_set(0, max)));
    }
    WEIR_TRY(weir_set(dev, weir_reg_wred_profile_prob(profile, colour),
                      weir_wred_profile_prob_probability_set(0, curve->probability)));
    WEIR_TRY(weir_read(dev, weir_reg_wred_profile_enable(profile), &word));
    word = curve->enabled ? word | enable_bit(colour) : word & ~enable_bit(colour);
    return weir_set(dev, weir_reg_wred_profile_enable(profile), word);
}

weir_status weir_wred_curve_set(struct weir_dev* dev, uint32_t profile, uint32_t colour,
                                const struct weir_wred_curve* curve) {
    WEIR_TRY(check_curve_place(dev, profile, colour));
    if (curve->enabled && !dev->caps.wred && !dev->caps.ecn)
        return weir_fail(dev, WEIR_E_UNSUPPORTED, "this chip has neither WRED nor ECN");
    uint32_t min = 0;
    uint32_t max = 0;
    WEIR_TRY(weir_cells_to_field(dev, "WRED min", curve->min, WEIR_WRED_PROFILE_MIN_CELLS_MAX, true, &min));
    WEIR_TRY(weir_cells_to_field(dev, "WRED max", curve->max, WEIR_WRED_PROFILE_MAX_CELLS_MAX, true, &max));
    if (curve->min > curve->max)
        return weir_fail(dev, WEIR_E_THRESHOLD, "WRED min %u is above max %u", curve->min, curve->max);
    if (curve->probability > WEIR_PROBABILITY_ONE)
        return weir_fail(dev, WEIR_E_RANGE, "probability %u/65535 is above 1", curve->probability);
    weir_change_begin(dev);
    return weir_change_end(dev, write_curve(dev, profile, colour, min, max, curve));
}

weir_status weir_wred_curve_get(struct weir_dev* dev, uint32_t profile, uint32_t colour,
                                struct weir_wred_curve* curve) {
    WEIR_TRY(check_curve_place(dev, profile, colour));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_wred_profile_min(profile, colour), &word));
    curve->min = weir_cells_from_field(weir_wred_profile_min_cells_get(word), WEIR_WRED_PROFILE_MIN_CELLS_MAX);
    WEIR_TRY(weir_read(dev, weir_reg_wred_profile_max(profile, colour), &word));
    curve->max = weir_cells_from_field(weir_wred_profile_max_cells_get(word), WEIR_WRED_PROFILE_MAX_CELLS_MAX);
    WEIR_TRY(weir_read(dev, weir_reg_wred_profile_prob(profile, colour), &word));
    curve->probability = weir_wred_profile_prob_probability_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_wred_profile_enable(profile), &word));
    curve->enabled = (word & enable_bit(colour)) != 0;
    return WEIR_OK;
}

weir_status weir_wred_queue_set(struct weir_dev* dev, uint32_t port, uint32_t queue,
                                const struct weir_wred_queue* use) {
    WEIR_TRY(weir_check_port(dev, port, true));
    WEIR_TRY(weir_check_index(dev, "queue", queue, dev->caps.queues));
    WEIR_TRY(weir_check_index(dev, "WRED profile", use->profile, dev->caps.wred_profiles));
    WEIR_TRY(weir_check_index(dev, "EWMA weight", use->ewma, WEIR_WRED_QUEUE_MODE_EWMA_MAX + 1));
    if ((use->drop && !dev->caps.wred) || (use->ecn && !dev->caps.ecn))
        return weir_fail(dev, WEIR_E_UNSUPPORTED, "this chip has no %s", use->drop && !dev->caps.wred ? "WRED" : "ECN");
    uint32_t word = weir_wred_queue_mode_wred_enable_set(0, use->drop ? 1 : 0);
    word = weir_wred_queue_mode_ecn_enable_set(word, use->ecn ? 1 : 0);
    word = weir_wred_queue_mode_at_dequeue_set(word, use->at_dequeue ? 1 : 0);
    word = weir_wred_queue_mode_profile_set(word, use->profile);
    word = weir_wred_queue_mode_ewma_set(word, use->ewma);
    return weir_set(dev, weir_reg_wred_queue_mode(port, queue), word);
}

weir_status weir_wred_queue_get(struct weir_dev* dev, uint32_t port, uint32_t queue, struct weir_wred_queue* use) {
    WEIR_TRY(weir_check_port(dev, port, true));
    WEIR_TRY(weir_check_index(dev, "queue", queue, dev->caps.queues));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_wred_queue_mode(port, queue), &word));
    use->drop = weir_wred_queue_mode_wred_enable_get(word) != 0;
    use->ecn = weir_wred_queue_mode_ecn_enable_get(word) != 0;
    use->at_dequeue = weir_wred_queue_mode_at_dequeue_get(word) != 0;
    use->profile = weir_wred_queue_mode_profile_get(word);
    use->ewma = weir_wred_queue_mode_ewma_get(word);
    return WEIR_OK;
}
