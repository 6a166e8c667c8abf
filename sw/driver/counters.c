// SPDX-License-Identifier: Apache-2.0
// Reading the counters: lists of addresses and where their values go.
#include "sw/include/weir/counters.h"

#include "sw/driver/access.h"

struct item {
    uint32_t address;
    uint64_t* value;
};

static weir_status read_all(struct weir_dev* dev, const struct item* items, size_t count) {
    for (size_t i = 0; i < count; ++i) WEIR_TRY(weir_read64(dev, items[i].address, items[i].value));
    return WEIR_OK;
}

const char* weir_drop_reason_text(uint32_t reason) {
    static const char* const names[WEIR_DROP_REASONS] = {
        "?",        "fcs",         "length", "no_route",      "ttl",      "watchdog", "no_cell", "group_limit",
        "headroom", "queue_limit", "wred",   "port_disabled", "cpu_full", "flushed",  "escape"};
    return reason < WEIR_DROP_REASONS ? names[reason] : "?";
}

weir_status weir_port_counters_get(struct weir_dev* dev, uint32_t port, struct weir_port_counters* c) {
    WEIR_TRY(weir_check_port(dev, port, true));
    const struct item items[] = {
        {weir_reg_port_rx_frames(port), &c->rx_frames},
        {weir_reg_port_rx_octets(port), &c->rx_octets},
        {weir_reg_port_rx_fcs_errors(port), &c->rx_fcs_errors},
        {weir_reg_port_rx_length_errors(port), &c->rx_length_errors},
        {weir_reg_port_tx_frames(port), &c->tx_frames},
        {weir_reg_port_tx_octets(port), &c->tx_octets},
        {weir_reg_port_rx_discards(port), &c->rx_discards},
    };
    return read_all(dev, items, sizeof items / sizeof items[0]);
}

weir_status weir_port_drops_get(struct weir_dev* dev, uint32_t port, uint32_t reason, uint64_t* frames) {
    WEIR_TRY(weir_check_port(dev, port, true));
    WEIR_TRY(weir_check_index(dev, "drop reason", reason, WEIR_DROP_REASONS));
    return weir_read64(dev, weir_reg_port_drops(port, reason), frames);
}

weir_status weir_group_counters_get(struct weir_dev* dev, uint32_t port, uint32_t group,
                                    struct weir_group_counters* c) {
    WEIR_TRY(weir_check_port(dev, port, true));
    WEIR_TRY(weir_check_index(dev, "group", group, dev->caps.groups));
    const struct item items[] = {
        {weir_reg_pg_frames(port, group), &c->frames},
        {weir_reg_pg_octets(port, group), &c->octets},
        {weir_reg_pg_drop_frames(port, group), &c->drop_frames},
        {weir_reg_pg_drop_octets(port, group), &c->drop_octets},
    };
    return read_all(dev, items, sizeof items / sizeof items[0]);
}

weir_status weir_queue_counters_get(struct weir_dev* dev, uint32_t port, uint32_t queue,
                                    struct weir_queue_counters* c) {
    WEIR_TRY(weir_check_port(dev, port, true));
    WEIR_TRY(weir_check_index(dev, "queue", queue, dev->caps.queues));
    const struct item items[] = {
        {weir_reg_queue_frames(port, queue), &c->frames},
        {weir_reg_queue_octets(port, queue), &c->octets},
        {weir_reg_queue_drop_frames(port, queue), &c->drop_frames},
        {weir_reg_queue_drop_octets(port, queue), &c->drop_octets},
        {weir_reg_wred_ce_marked(port, queue), &c->ce_marked},
        {weir_reg_wred_wred_drops(port, queue), &c->wred_drops},
    };
    return read_all(dev, items, sizeof items / sizeof items[0]);
}

weir_status weir_pfc_port_counters_get(struct weir_dev* dev, uint32_t port, struct weir_pfc_port_counters* c) {
    WEIR_TRY(weir_check_port(dev, port, false));
    const struct item items[] = {
        {weir_reg_pfc_seen(port), &c->seen},           {weir_reg_pfc_bad_fcs(port), &c->bad_fcs},
        {weir_reg_pfc_wrong_da(port), &c->wrong_da},   {weir_reg_pfc_malformed(port), &c->malformed},
        {weir_reg_pfc_tagged(port), &c->tagged},       {weir_reg_pfc_pause_rx(port), &c->pause_rx},
        {weir_reg_pfc_pause_tx(port), &c->pause_tx},   {weir_reg_pfc_rx_ignored(port), &c->rx_ignored},
        {weir_reg_pfc_tx_frames(port), &c->tx_frames},
    };
    return read_all(dev, items, sizeof items / sizeof items[0]);
}

weir_status weir_pfc_counters_get(struct weir_dev* dev, uint32_t port, uint32_t priority, struct weir_pfc_counters* c) {
    WEIR_TRY(weir_check_port(dev, port, false));
    WEIR_TRY(weir_check_index(dev, "priority", priority, dev->caps.priorities));
    const struct item items[] = {
        {weir_reg_pfc_rx_frames(port, priority), &c->rx_frames},
        {weir_reg_pfc_tx_requests(port, priority), &c->tx_requests},
        {weir_reg_pfc_rx_transitions(port, priority), &c->rx_transitions},
        {weir_reg_pfc_tx_transitions(port, priority), &c->tx_transitions},
        {weir_reg_pfc_rx_quanta(port, priority), &c->rx_quanta},
        {weir_reg_pfc_rx_paused_ns(port, priority), &c->rx_paused_ns},
        {weir_reg_pfc_tx_paused_ns(port, priority), &c->tx_paused_ns},
        {weir_reg_pfc_expiries(port, priority), &c->expiries},
        {weir_reg_pfc_releases(port, priority), &c->releases},
    };
    return read_all(dev, items, sizeof items / sizeof items[0]);
}

weir_status weir_wait_counters_get(struct weir_dev* dev, uint32_t port, uint32_t queue, struct weir_wait_counters* c) {
    WEIR_TRY(weir_check_port(dev, port, true));
    WEIR_TRY(weir_check_index(dev, "queue", queue, dev->caps.queues));
    const struct item items[] = {
        {weir_reg_sched_hol_self_paused_ns(port, queue), &c->self_paused_ns},
        {weir_reg_sched_hol_second_order_ns(port, queue), &c->second_order_ns},
        {weir_reg_sched_hol_first_order_ns(port, queue), &c->first_order_ns},
        {weir_reg_sched_hol_none_ns(port, queue), &c->none_ns},
    };
    WEIR_TRY(read_all(dev, items, sizeof items / sizeof items[0]));
    // Read one after the other they are of four moments; the sums are of what was read.
    c->gated_ns = c->self_paused_ns + c->second_order_ns;
    c->hol_ns = c->gated_ns + c->first_order_ns + c->none_ns;
    return WEIR_OK;
}

weir_status weir_gate_status_get(struct weir_dev* dev, uint32_t port, struct weir_gate_status* status) {
    WEIR_TRY(weir_check_port(dev, port, true));
    uint32_t word = 0;
    WEIR_TRY(weir_read64(dev, weir_reg_sched_blocked_ns(port), &status->blocked_ns));
    WEIR_TRY(weir_read(dev, weir_reg_sched_gate(port), &word));
    status->nonempty = (uint8_t)weir_sched_gate_nonempty_get(word);
    status->eligible = (uint8_t)weir_sched_gate_eligible_get(word);
    status->all_blocked = weir_sched_gate_all_blocked_get(word) != 0;
    return WEIR_OK;
}

weir_status weir_stall_counters_get(struct weir_dev* dev, uint32_t port, uint32_t queue,
                                    struct weir_stall_counters* c) {
    WEIR_TRY(weir_check_port(dev, port, false));
    WEIR_TRY(weir_check_index(dev, "queue", queue, dev->caps.queues));
    const struct item items[] = {
        {weir_reg_stall_suspects(port, queue), &c->suspects},
        {weir_reg_stall_escapes(port, queue), &c->escapes},
        {weir_reg_stall_escaped_frames(port, queue), &c->escaped_frames},
        {weir_reg_stall_longest(port, queue), &c->longest_ns},
    };
    return read_all(dev, items, sizeof items / sizeof items[0]);
}

weir_status weir_cpu_counters_get(struct weir_dev* dev, struct weir_cpu_counters* c) {
    WEIR_TRY(weir_check_started(dev));
    const struct item items[] = {
        {weir_reg_cpu_tx_frames(), &c->tx_frames},
        {weir_reg_cpu_rx_frames(), &c->rx_frames},
        {weir_reg_cpu_rx_drops(), &c->rx_drops},
    };
    return read_all(dev, items, sizeof items / sizeof items[0]);
}

weir_status weir_counters_clear(struct weir_dev* dev) {
    WEIR_TRY(weir_check_started(dev));
    return weir_write(dev, weir_reg_cnt_control(), WEIR_CNT_CONTROL_CLEAR_COUNTERS_MASK);
}

weir_status weir_watermarks_clear(struct weir_dev* dev) {
    WEIR_TRY(weir_check_started(dev));
    return weir_write(dev, weir_reg_cnt_control(), WEIR_CNT_CONTROL_CLEAR_WATERMARKS_MASK);
}

weir_status weir_snapshot_take(struct weir_dev* dev, uint64_t* ns) {
    WEIR_TRY(weir_check_started(dev));
    WEIR_TRY(weir_write(dev, weir_reg_cnt_control(), WEIR_CNT_CONTROL_SNAPSHOT_MASK));
    uint64_t time = 0;
    WEIR_TRY(weir_read64(dev, weir_reg_cnt_snapshot_time(), &time));
    if (ns != NULL) *ns = time;
    return WEIR_OK;
}

weir_status weir_snapshot_show(struct weir_dev* dev, bool on) {
    WEIR_TRY(weir_check_started(dev));
    return weir_write(dev, weir_reg_cnt_view(), weir_cnt_view_snapshot_set(0, on ? 1 : 0));
}

weir_status weir_group_threshold_set(struct weir_dev* dev, uint32_t port, uint32_t group, uint32_t cells) {
    WEIR_TRY(weir_check_port(dev, port, true));
    WEIR_TRY(weir_check_index(dev, "group", group, dev->caps.groups));
    uint32_t field = 0;
    WEIR_TRY(weir_cells_to_field(dev, "threshold", cells, WEIR_CNT_GROUP_THRESHOLD_CELLS_MAX, true, &field));
    return weir_write(dev, weir_reg_cnt_group_threshold(port, group), weir_cnt_group_threshold_cells_set(0, field));
}

weir_status weir_queue_threshold_set(struct weir_dev* dev, uint32_t port, uint32_t queue, uint32_t cells) {
    WEIR_TRY(weir_check_port(dev, port, true));
    WEIR_TRY(weir_check_index(dev, "queue", queue, dev->caps.queues));
    uint32_t field = 0;
    WEIR_TRY(weir_cells_to_field(dev, "threshold", cells, WEIR_CNT_QUEUE_THRESHOLD_CELLS_MAX, true, &field));
    return weir_write(dev, weir_reg_cnt_queue_threshold(port, queue), weir_cnt_queue_threshold_cells_set(0, field));
}

weir_status weir_threshold_hits_take(struct weir_dev* dev, uint32_t port, uint8_t* groups, uint8_t* queues) {
    WEIR_TRY(weir_check_port(dev, port, true));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_cnt_group_hit(port), &word));
    *groups = (uint8_t)weir_cnt_group_hit_groups_get(word);
    WEIR_TRY(weir_write(dev, weir_reg_cnt_group_hit(port), word));
    WEIR_TRY(weir_read(dev, weir_reg_cnt_queue_hit(port), &word));
    *queues = (uint8_t)weir_cnt_queue_hit_queues_get(word);
    return weir_write(dev, weir_reg_cnt_queue_hit(port), word);
}
