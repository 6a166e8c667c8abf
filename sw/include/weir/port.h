// SPDX-License-Identifier: Apache-2.0
// Ports: up and down with the flush in between, speed, address, longest frame.
#pragma once

#include "sw/include/weir/device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weir_port_status {
    bool admin, link, flushing, tx_busy;
    uint32_t megabits;      ///< line rate in use
    uint32_t max_megabits;  ///< what the port can do
    uint32_t max_frame;     ///< octets, FCS counted
};

/// Switches the port on, with the PFC and dequeue enables that are wanted of it. The link comes up when the peer
/// agrees.
weir_status weir_port_up(struct weir_dev* dev, uint32_t port);
/// Takes the port down: reception off, dequeue off, PFC off, a longest frame's time, flush, dequeue on, poll until
/// empty, transmission off. On WEIR_E_FLUSH_TIMEOUT the port is as it was.
weir_status weir_port_down(struct weir_dev* dev, uint32_t port);
weir_status weir_port_status_get(struct weir_dev* dev, uint32_t port, struct weir_port_status* status);

/// A rate of 802.3 that the port can do. A port that is up goes down and up again around it.
weir_status weir_port_speed_set(struct weir_dev* dev, uint32_t port, uint32_t megabits);
/// Longest frame accepted, 64 to what the register holds, FCS counted.
weir_status weir_port_max_frame_set(struct weir_dev* dev, uint32_t port, uint32_t octets);
weir_status weir_port_address_set(struct weir_dev* dev, uint32_t port, const uint8_t address[6]);
weir_status weir_port_address_get(struct weir_dev* dev, uint32_t port, uint8_t address[6]);

/// Whether 802.3 has this rate.
bool weir_rate_exists(uint32_t megabits);

#ifdef __cplusplus
}
#endif
