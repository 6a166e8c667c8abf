// SPDX-License-Identifier: Apache-2.0
// The CPU port: frames injected and trapped by registers. Frames are without FCS; the device appends and checks it.
#pragma once

#include "sw/include/weir/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Sends a frame out of a front port. 60 octets at least.
weir_status weir_cpu_send(struct weir_dev* dev, uint32_t port, const uint8_t* frame, size_t octets);
/// Sends a frame as if it had been received: the forwarding tables choose the port.
weir_status weir_cpu_send_forwarded(struct weir_dev* dev, const uint8_t* frame, size_t octets);
/// Takes the front frame. `octets`: room, then length. WEIR_E_NO_FRAME when none waits; WEIR_E_FRAME and the length
/// when it does not fit, and the frame stays.
weir_status weir_cpu_receive(struct weir_dev* dev, uint8_t* frame, size_t* octets, uint32_t* port);
/// Frames waiting; 255 means 255 or more.
weir_status weir_cpu_waiting(struct weir_dev* dev, uint32_t* frames);

#ifdef __cplusplus
}
#endif
