// SPDX-License-Identifier: Apache-2.0
// A port's PFC engine: timers, directions, options, what is paused now, and for too long.
#include "sw/include/weir/pfc.h"

#include "sw/driver/lossless.h"

weir_status weir_pfc_directions_get(struct weir_dev* dev, uint32_t port, uint8_t* tx, uint8_t* rx) {
    WEIR_TRY(weir_check_port(dev, port, false));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_pfc_tx_enable(port), &word));
    *tx = (uint8_t)weir_pfc_tx_enable_priorities_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_pfc_rx_enable(port), &word));
    *rx = (uint8_t)weir_pfc_rx_enable_priorities_get(word);
    return WEIR_OK;
}

static weir_status write_timer(struct weir_dev* dev, uint32_t port, uint32_t quanta, uint32_t refresh) {
    WEIR_TRY(weir_set(dev, weir_reg_pfc_quanta(port), weir_pfc_quanta_quanta_set(0, quanta)));
    return weir_set(dev, weir_reg_pfc_refresh(port), weir_pfc_refresh_quanta_set(0, refresh));
}

weir_status weir_pfc_timer_set(struct weir_dev* dev, uint32_t port, uint32_t quanta, uint32_t refresh) {
    WEIR_TRY(weir_check_port(dev, port, false));
    if (quanta == 0 || quanta > WEIR_PFC_QUANTA_QUANTA_MAX)
        return weir_fail(dev, WEIR_E_RANGE, "%u quanta: 1 to %u", quanta, (uint32_t)WEIR_PFC_QUANTA_QUANTA_MAX);
    if (refresh >= quanta)
        return weir_fail(
            dev, WEIR_E_THRESHOLD,
            "refresh after %u quanta of a pause of %u: the peer starts in between; at most %u, or 0 for never", refresh,
            quanta, quanta - 1);
    weir_change_begin(dev);
    return weir_change_end(dev, write_timer(dev, port, quanta, refresh));
}

weir_status weir_pfc_timer_get(struct weir_dev* dev, uint32_t port, uint32_t* quanta, uint32_t* refresh) {
    WEIR_TRY(weir_check_port(dev, port, false));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_pfc_quanta(port), &word));
    *quanta = weir_pfc_quanta_quanta_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_pfc_refresh(port), &word));
    *refresh = weir_pfc_refresh_quanta_get(word);
    return WEIR_OK;
}

weir_status weir_pause_set(struct weir_dev* dev, uint32_t port, bool rx, bool tx) {
    WEIR_TRY(weir_check_port(dev, port, false));
    if ((rx || tx) && !dev->caps.pause) return weir_fail(dev, WEIR_E_UNSUPPORTED, "this chip has no 802.3x PAUSE");
    const struct weir_port_state* state = &dev->ports[port];
    WEIR_TRY(weir_pfc_exclusive_check(dev, port, rx || tx, (state->pfc_rx | state->pfc_tx) != 0));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_pfc_mode(port), &word));
    word = weir_pfc_mode_pause_rx_enable_set(word, rx ? 1 : 0);
    word = weir_pfc_mode_pause_tx_enable_set(word, tx ? 1 : 0);
    WEIR_TRY(weir_set(dev, weir_reg_pfc_mode(port), word));
    dev->ports[port].pause_rx = rx;
    dev->ports[port].pause_tx = tx;
    return WEIR_OK;
}

weir_status weir_pfc_status_get(struct weir_dev* dev, uint32_t port, struct weir_pfc_status* status) {
    WEIR_TRY(weir_check_port(dev, port, false));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_pfc_tx_paused(port), &word));
    status->tx_paused = (uint8_t)weir_pfc_tx_paused_priorities_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_pfc_rx_paused(port), &word));
    status->rx_paused = (uint8_t)weir_pfc_rx_paused_priorities_get(word);
    status->link_paused = weir_pfc_rx_paused_whole_link_get(word) != 0;
    return WEIR_OK;
}

weir_status weir_pfc_force(struct weir_dev* dev, uint32_t port, uint8_t priorities) {
    WEIR_TRY(weir_check_port(dev, port, false));
    return weir_set(dev, weir_reg_pfc_force(port), weir_pfc_force_priorities_set(0, priorities));
}

weir_status weir_stall_limit_set(struct weir_dev* dev, uint32_t port, uint32_t quanta) {
    WEIR_TRY(weir_check_port(dev, port, false));
    if (quanta > WEIR_STALL_LIMIT_QUANTA_MAX)
        return weir_fail(dev, WEIR_E_RANGE, "stall limit of %u quanta: at most %u, or 0 for never", quanta,
                         (uint32_t)WEIR_STALL_LIMIT_QUANTA_MAX);
    return weir_set(dev, weir_reg_stall_limit(port), weir_stall_limit_quanta_set(0, quanta));
}

weir_status weir_stall_limit_get(struct weir_dev* dev, uint32_t port, uint32_t* quanta) {
    WEIR_TRY(weir_check_port(dev, port, false));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_stall_limit(port), &word));
    *quanta = weir_stall_limit_quanta_get(word);
    return WEIR_OK;
}

weir_status weir_stall_options_set(struct weir_dev* dev, uint32_t port, bool escape, bool hold) {
    WEIR_TRY(weir_check_port(dev, port, false));
    const uint32_t word = weir_stall_mode_escape_set(weir_stall_mode_hold_set(0, hold ? 1 : 0), escape ? 1 : 0);
    return weir_set(dev, weir_reg_stall_mode(port), word);
}

weir_status weir_stall_options_get(struct weir_dev* dev, uint32_t port, bool* escape, bool* hold) {
    WEIR_TRY(weir_check_port(dev, port, false));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_stall_mode(port), &word));
    *escape = weir_stall_mode_escape_get(word) != 0;
    *hold = weir_stall_mode_hold_get(word) != 0;
    return WEIR_OK;
}

weir_status weir_stall_suspects_get(struct weir_dev* dev, uint32_t port, uint8_t* queues) {
    WEIR_TRY(weir_check_port(dev, port, false));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_stall_suspect(port), &word));
    *queues = (uint8_t)weir_stall_suspect_queues_get(word);
    return WEIR_OK;
}

weir_status weir_stall_hits_take(struct weir_dev* dev, uint32_t port, uint8_t* suspected, uint8_t* escaped) {
    WEIR_TRY(weir_check_port(dev, port, false));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_stall_hit(port), &word));
    *suspected = (uint8_t)weir_stall_hit_suspected_get(word);
    *escaped = (uint8_t)weir_stall_hit_escaped_get(word);
    return word == 0 ? WEIR_OK : weir_write(dev, weir_reg_stall_hit(port), word);
}

weir_status weir_stall_longest_clear(struct weir_dev* dev, uint32_t port, uint32_t queue) {
    WEIR_TRY(weir_check_port(dev, port, false));
    WEIR_TRY(weir_check_index(dev, "queue", queue, dev->caps.queues));
    // Two words, and the second one makes the write.
    WEIR_TRY(weir_write(dev, weir_reg_stall_longest(port, queue), 0));
    return weir_write(dev, weir_reg_stall_longest(port, queue) + 4, 0);
}
