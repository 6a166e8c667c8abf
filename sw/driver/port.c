// SPDX-License-Identifier: Apache-2.0
// Ports: the way up, the way down in the order that loses nothing but what waits, speed, address, longest frame.
#include "sw/include/weir/port.h"

#include "sw/driver/access.h"

bool weir_rate_exists(uint32_t megabits) {
    static const uint32_t rates[] = {1000, 10000, 25000, 40000, 50000, 100000, 200000, 400000, 800000, 1600000};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; ++i)
        if (rates[i] == megabits) return true;
    return false;
}

static weir_status write_control(struct weir_dev* dev, uint32_t port, bool admin, bool rx, bool tx) {
    uint32_t word = weir_port_ctrl_admin_set(0, admin ? 1 : 0);
    word = weir_port_ctrl_rx_enable_set(word, rx ? 1 : 0);
    return weir_set(dev, weir_reg_port_ctrl(port), weir_port_ctrl_tx_enable_set(word, tx ? 1 : 0));
}

static weir_status write_pfc(struct weir_dev* dev, uint32_t port, bool as_wanted) {
    const struct weir_port_state* s = &dev->ports[port];
    if (port == dev->caps.cpu_port) return WEIR_OK;
    WEIR_TRY(weir_set_masked(dev, weir_reg_pfc_tx_enable(port),
                             weir_pfc_tx_enable_priorities_set(0, as_wanted ? s->pfc_tx : 0),
                             WEIR_PFC_TX_ENABLE_PRIORITIES_MASK));
    WEIR_TRY(weir_set_masked(dev, weir_reg_pfc_rx_enable(port),
                             weir_pfc_rx_enable_priorities_set(0, as_wanted ? s->pfc_rx : 0),
                             WEIR_PFC_RX_ENABLE_PRIORITIES_MASK));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_pfc_mode(port), &word));
    word = weir_pfc_mode_pause_rx_enable_set(word, as_wanted && s->pause_rx ? 1 : 0);
    word = weir_pfc_mode_pause_tx_enable_set(word, as_wanted && s->pause_tx ? 1 : 0);
    return weir_set(dev, weir_reg_pfc_mode(port), word);
}

static weir_status write_dequeue(struct weir_dev* dev, uint32_t port, uint32_t queues) {
    for (uint32_t q = 0; q < dev->caps.queues; ++q) {
        uint32_t word = 0;
        WEIR_TRY(weir_read(dev, weir_reg_queue_mode(port, q), &word));
        WEIR_TRY(
            weir_set(dev, weir_reg_queue_mode(port, q), weir_queue_mode_dequeue_enable_set(word, (queues >> q) & 1u)));
    }
    return WEIR_OK;
}

static weir_status rate_of(struct weir_dev* dev, uint32_t port, uint32_t* megabits, uint32_t* greatest) {
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_port_capability(port), &word));
    *greatest = weir_port_capability_megabits_get(word);
    WEIR_TRY(weir_read(dev, weir_reg_port_speed(port), &word));
    *megabits = weir_port_speed_megabits_get(word);
    if (*megabits == 0) *megabits = *greatest;
    return WEIR_OK;
}

weir_status weir_port_up(struct weir_dev* dev, uint32_t port) {
    WEIR_TRY(weir_check_port(dev, port, true));
    weir_change_begin(dev);
    weir_status status = write_pfc(dev, port, true);
    if (status == WEIR_OK) status = write_control(dev, port, true, true, true);
    dev->ports[port].up = true;
    return weir_change_end(dev, status);
}

static weir_status go_down(struct weir_dev* dev, uint32_t port) {
    WEIR_TRY(write_control(dev, port, true, false, true));
    WEIR_TRY(write_dequeue(dev, port, 0));
    WEIR_TRY(write_pfc(dev, port, false));

    uint32_t megabits = 0;
    uint32_t greatest = 0;
    uint32_t word = 0;
    WEIR_TRY(rate_of(dev, port, &megabits, &greatest));
    WEIR_TRY(weir_read(dev, weir_reg_port_max_frame(port), &word));
    const uint32_t wire = weir_port_max_frame_octets_get(word) + 20;
    weir_delay(dev, megabits == 0 ? 1000 : (uint64_t)wire * 8000 / megabits + 1);

    // Closed before it is flushed: what other ports send it from now on is refused and cannot fill it again.
    WEIR_TRY(write_control(dev, port, false, false, true));
    WEIR_TRY(weir_write(dev, weir_reg_port_flush(port), WEIR_PORT_FLUSH_START_MASK));
    WEIR_TRY(write_dequeue(dev, port, UINT32_MAX));
    weir_status status = weir_poll(dev, weir_reg_port_flush_status(port), WEIR_PORT_FLUSH_STATUS_DONE_MASK,
                                   WEIR_PORT_FLUSH_STATUS_DONE_MASK, dev->timing.flush, NULL);
    if (status == WEIR_E_TIMEOUT)
        return weir_fail(dev, WEIR_E_FLUSH_TIMEOUT, "port %u: its queues did not empty; it stays up", port);
    WEIR_TRY(status);
    WEIR_TRY(write_control(dev, port, false, false, false));
    return write_dequeue(dev, port, dev->ports[port].dequeue);
}

weir_status weir_port_down(struct weir_dev* dev, uint32_t port) {
    WEIR_TRY(weir_check_port(dev, port, true));
    weir_change_begin(dev);
    weir_status status = dev->ports[port].up ? go_down(dev, port) : write_control(dev, port, false, false, false);
    dev->ports[port].up = false;
    return weir_change_end(dev, status);
}

weir_status weir_port_status_get(struct weir_dev* dev, uint32_t port, struct weir_port_status* status) {
    WEIR_TRY(weir_check_port(dev, port, true));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_port_ctrl(port), &word));
    status->admin = weir_port_ctrl_admin_get(word) != 0;
    WEIR_TRY(weir_read(dev, weir_reg_port_status(port), &word));
    status->link = weir_port_status_link_get(word) != 0;
    status->flushing = weir_port_status_flushing_get(word) != 0;
    status->tx_busy = weir_port_status_tx_busy_get(word) != 0;
    WEIR_TRY(weir_read(dev, weir_reg_port_max_frame(port), &word));
    status->max_frame = weir_port_max_frame_octets_get(word);
    return rate_of(dev, port, &status->megabits, &status->max_megabits);
}

weir_status weir_port_speed_set(struct weir_dev* dev, uint32_t port, uint32_t megabits) {
    WEIR_TRY(weir_check_port(dev, port, false));
    uint32_t now = 0;
    uint32_t greatest = 0;
    WEIR_TRY(rate_of(dev, port, &now, &greatest));
    if (!weir_rate_exists(megabits))
        return weir_fail(dev, WEIR_E_RATE,
                         "%u Mb/s is not an Ethernet rate; one of: 1G 10G 25G 40G 50G 100G 200G 400G 800G 1.6T",
                         megabits);
    if (megabits > greatest)
        return weir_fail(dev, WEIR_E_RATE, "port %u does %u Mb/s at most, not %u", port, greatest, megabits);
    const bool was_up = dev->ports[port].up;
    weir_change_begin(dev);
    weir_status status = was_up ? weir_port_down(dev, port) : WEIR_OK;
    if (status == WEIR_OK) status = weir_set(dev, weir_reg_port_speed(port), weir_port_speed_megabits_set(0, megabits));
    if (status == WEIR_OK && was_up) status = weir_port_up(dev, port);
    return weir_change_end(dev, status);
}

static weir_status check_burst(struct weir_dev* dev, uint32_t port, uint32_t rate_address, uint32_t burst_address,
                               uint32_t octets) {
    uint32_t rate = 0;
    uint32_t burst = 0;
    WEIR_TRY(weir_read(dev, rate_address, &rate));
    if (rate == 0) return WEIR_OK;
    WEIR_TRY(weir_read(dev, burst_address, &burst));
    if (burst >= octets) return WEIR_OK;
    return weir_fail(dev, WEIR_E_BURST,
                     "port %u has a shaper with a burst of %u octets: a frame of %u would never start", port, burst,
                     octets);
}

weir_status weir_port_max_frame_set(struct weir_dev* dev, uint32_t port, uint32_t octets) {
    WEIR_TRY(weir_check_port(dev, port, true));
    if (octets < 64 || octets > WEIR_PORT_MAX_FRAME_OCTETS_MAX)
        return weir_fail(dev, WEIR_E_RANGE, "longest frame of %u octets: 64 to %u", octets,
                         (uint32_t)WEIR_PORT_MAX_FRAME_OCTETS_MAX);
    WEIR_TRY(check_burst(dev, port, weir_reg_sched_port_rate(port), weir_reg_sched_port_burst(port), octets));
    for (uint32_t q = 0; q < dev->caps.queues; ++q)
        WEIR_TRY(
            check_burst(dev, port, weir_reg_sched_queue_rate(port, q), weir_reg_sched_queue_burst(port, q), octets));
    return weir_set(dev, weir_reg_port_max_frame(port), weir_port_max_frame_octets_set(0, octets));
}

weir_status weir_port_address_set(struct weir_dev* dev, uint32_t port, const uint8_t address[6]) {
    WEIR_TRY(weir_check_port(dev, port, true));
    if ((address[0] & 1) != 0) return weir_fail(dev, WEIR_E_RANGE, "a port's address cannot be a group address");
    const uint32_t high = ((uint32_t)address[0] << 8) | address[1];
    const uint32_t low =
        ((uint32_t)address[2] << 24) | ((uint32_t)address[3] << 16) | ((uint32_t)address[4] << 8) | address[5];
    weir_change_begin(dev);
    weir_status status = weir_set(dev, weir_reg_port_mac_high(port), weir_port_mac_high_address_set(0, high));
    if (status == WEIR_OK) status = weir_set(dev, weir_reg_port_mac_low(port), weir_port_mac_low_address_set(0, low));
    return weir_change_end(dev, status);
}

weir_status weir_port_address_get(struct weir_dev* dev, uint32_t port, uint8_t address[6]) {
    WEIR_TRY(weir_check_port(dev, port, true));
    uint32_t high = 0;
    uint32_t low = 0;
    WEIR_TRY(weir_read(dev, weir_reg_port_mac_high(port), &high));
    WEIR_TRY(weir_read(dev, weir_reg_port_mac_low(port), &low));
    high = weir_port_mac_high_address_get(high);
    low = weir_port_mac_low_address_get(low);
    for (uint32_t i = 0; i < 2; ++i) address[i] = (uint8_t)(high >> (8 * (1 - i)));
    for (uint32_t i = 0; i < 4; ++i) address[2 + i] = (uint8_t)(low >> (8 * (3 - i)));
    return WEIR_OK;
}
