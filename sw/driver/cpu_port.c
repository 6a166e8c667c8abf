// SPDX-License-Identifier: Apache-2.0
// Frames in and out by registers, a word at a time.
#include "sw/include/weir/cpu_port.h"

#include "sw/driver/access.h"

enum { SHORTEST = 60 };

static weir_status check_cpu(struct weir_dev* dev) {
    WEIR_TRY(weir_check_started(dev));
    return dev->caps.cpu ? WEIR_OK : weir_fail(dev, WEIR_E_UNSUPPORTED, "this chip has no CPU port");
}

static weir_status send(struct weir_dev* dev, uint32_t control, const uint8_t* frame, size_t octets) {
    weir_status status =
        weir_poll(dev, weir_reg_cpu_tx_status(), WEIR_CPU_TX_STATUS_BUSY_MASK, 0, dev->timing.cpu, NULL);
    if (status == WEIR_E_TIMEOUT) return weir_fail(dev, WEIR_E_BUSY, "the CPU port does not take a frame");
    WEIR_TRY(status);
    for (size_t i = 0; i < octets; i += 4) {
        uint32_t word = 0;
        for (size_t k = 0; k < 4 && i + k < octets; ++k) word |= (uint32_t)frame[i + k] << (8 * k);
        WEIR_TRY(weir_write(dev, weir_reg_cpu_tx_data(), word));
    }
    control = weir_cpu_tx_control_length_set(control, (uint32_t)octets);
    WEIR_TRY(weir_write(dev, weir_reg_cpu_tx_control(), weir_cpu_tx_control_start_set(control, 1)));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_cpu_tx_status(), &word));
    if (weir_cpu_tx_status_error_get(word) != 0)
        return weir_fail(dev, WEIR_E_FRAME, "the device refused a frame of %u octets", (uint32_t)octets);
    return WEIR_OK;
}

static weir_status send_checked(struct weir_dev* dev, uint32_t control, const uint8_t* frame, size_t octets) {
    if (octets < SHORTEST || octets > WEIR_CPU_TX_CONTROL_LENGTH_MAX)
        return weir_fail(dev, WEIR_E_FRAME, "a frame of %u octets without FCS: %u to %u", (uint32_t)octets,
                         (uint32_t)SHORTEST, (uint32_t)WEIR_CPU_TX_CONTROL_LENGTH_MAX);
    if (dev->hal.lock != NULL) dev->hal.lock(dev->hal.ctx);
    weir_status status = send(dev, control, frame, octets);
    if (dev->hal.unlock != NULL) dev->hal.unlock(dev->hal.ctx);
    return status;
}

weir_status weir_cpu_send(struct weir_dev* dev, uint32_t port, const uint8_t* frame, size_t octets) {
    WEIR_TRY(check_cpu(dev));
    WEIR_TRY(weir_check_port(dev, port, false));
    return send_checked(dev, weir_cpu_tx_control_port_set(0, port), frame, octets);
}

weir_status weir_cpu_send_forwarded(struct weir_dev* dev, const uint8_t* frame, size_t octets) {
    WEIR_TRY(check_cpu(dev));
    return send_checked(dev, weir_cpu_tx_control_forward_set(0, 1), frame, octets);
}

static weir_status receive(struct weir_dev* dev, uint8_t* frame, size_t* octets, uint32_t* port) {
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_cpu_rx_status(), &word));
    if (weir_cpu_rx_status_frames_get(word) == 0) return weir_fail(dev, WEIR_E_NO_FRAME, "no frame is waiting");
    const size_t length = weir_cpu_rx_status_length_get(word);
    const size_t room = *octets;
    *octets = length;
    *port = weir_cpu_rx_status_port_get(word);
    if (length > room)
        return weir_fail(dev, WEIR_E_FRAME, "a frame of %u octets does not fit into %u", (uint32_t)length,
                         (uint32_t)room);
    for (size_t i = 0; i < length; i += 4) {
        WEIR_TRY(weir_read(dev, weir_reg_cpu_rx_data(), &word));
        for (size_t k = 0; k < 4 && i + k < length; ++k) frame[i + k] = (uint8_t)(word >> (8 * k));
    }
    return weir_write(dev, weir_reg_cpu_rx_pop(), WEIR_CPU_RX_POP_POP_MASK);
}

weir_status weir_cpu_receive(struct weir_dev* dev, uint8_t* frame, size_t* octets, uint32_t* port) {
    WEIR_TRY(check_cpu(dev));
    if (dev->hal.lock != NULL) dev->hal.lock(dev->hal.ctx);
    weir_status status = receive(dev, frame, octets, port);
    if (dev->hal.unlock != NULL) dev->hal.unlock(dev->hal.ctx);
    return status;
}

weir_status weir_cpu_waiting(struct weir_dev* dev, uint32_t* frames) {
    WEIR_TRY(check_cpu(dev));
    uint32_t word = 0;
    WEIR_TRY(weir_read(dev, weir_reg_cpu_rx_status(), &word));
    *frames = weir_cpu_rx_status_frames_get(word);
    return WEIR_OK;
}
