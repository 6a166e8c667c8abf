// SPDX-License-Identifier: Apache-2.0
// What the driver runs on: seven wishes to the world around it. Bind them to a bus, a socket, a mock or silicon.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sw/include/weir/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weir_log_level { WEIR_LOG_ERROR, WEIR_LOG_WARNING, WEIR_LOG_INFO } weir_log_level;

/// All functions get `ctx`. read32, write32, now_ns and delay_ns are required; the others may be null.
struct weir_hal {
    void* ctx;
    /// Four octets at `address`, relative to the start of the map, as the bus has them: the driver turns them when the
    /// map's byte order is not the CPU's. Returns WEIR_E_BUS when the bus answers with an error.
    weir_status (*read32)(void* ctx, uint32_t address, uint32_t* word);
    weir_status (*write32)(void* ctx, uint32_t address, uint32_t word);
    /// All earlier writes have reached the device when it returns.
    void (*barrier)(void* ctx);
    /// Monotonic. Bounds every poll.
    uint64_t (*now_ns)(void* ctx);
    /// Must let the device's time go on: polls wait with it.
    void (*delay_ns)(void* ctx, uint64_t ns);
    /// WEIR_OK when the interrupt line was asserted before `timeout_ns` passed, else WEIR_E_TIMEOUT.
    weir_status (*wait_irq)(void* ctx, uint64_t timeout_ns);
    /// Around everything that must not be interleaved. May be taken again by its holder.
    void (*lock)(void* ctx);
    void (*unlock)(void* ctx);
    void (*log)(void* ctx, weir_log_level level, const char* text);
};

#ifdef __cplusplus
}
#endif
