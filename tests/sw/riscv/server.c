// SPDX-License-Identifier: Apache-2.0
// The hart's side of the driver's tests: a HAL and callbacks that reach the host, and where structures have their
// members.
#include "tests/sw/riscv/server.h"

#include <stddef.h>

#include "sw/include/weir/dcbx.h"
#include "sw/include/weir/nos.h"
#include "sw/include/weir/service.h"
#include "sw/include/weir/shell.h"
#include "sw/include/weir/watchdog.h"

const uint32_t server_layout[LAYOUT_ENTRIES] = {
    [DEV_SIZE] = sizeof(struct weir_dev),
    [DEV_TIMING] = offsetof(struct weir_dev, timing),
    [SHELL_SIZE] = sizeof(struct weir_shell),
    [SHELL_WATCHDOG] = offsetof(struct weir_shell, watchdog),
    [SHELL_DCBX] = offsetof(struct weir_shell, dcbx),
    [SHELL_SERVICE] = offsetof(struct weir_shell, service),
    [SHELL_STATE] = offsetof(struct weir_shell, in_interface),
    [WATCHDOG_SIZE] = sizeof(struct weir_watchdog),
    [WATCHDOG_DETECTOR] = offsetof(struct weir_watchdog, detector),
    [WATCHDOG_PORTS] = offsetof(struct weir_watchdog, ports),
    [DCBX_SIZE] = sizeof(struct weir_dcbx),
    [DCBX_PORTS] = offsetof(struct weir_dcbx, ports),
    [SERVICE_SIZE] = sizeof(struct weir_service),
    [SERVICE_STATE] = offsetof(struct weir_service, causes),
    [NOS_SIZE] = sizeof(struct weir_nos),
    [NOS_STATE] = offsetof(struct weir_nos, pools),
};

static uint32_t get(uint32_t address) {
    return *(volatile uint32_t*)(uintptr_t)address;
}
static void put(uint32_t address, uint32_t word) {
    *(volatile uint32_t*)(uintptr_t)address = word;
}
static uint32_t pointer(const void* p) {
    return (uint32_t)(uintptr_t)p;
}

static weir_status read32(void* ctx, uint32_t address, uint32_t* word) {
    (void)ctx;
    put(HOST_ADDRESS, address);
    const uint32_t value = get(HOST_READ);
    const weir_status status = (weir_status)get(HOST_STATUS);
    if (status == WEIR_OK) *word = value;
    return status;
}
static weir_status write32(void* ctx, uint32_t address, uint32_t word) {
    (void)ctx;
    put(HOST_ADDRESS, address);
    put(HOST_WRITE, word);
    return (weir_status)get(HOST_STATUS);
}
static void barrier(void* ctx) {
    (void)ctx;
    put(HOST_BARRIER, 0);
}
static uint64_t now_ns(void* ctx) {
    (void)ctx;
    const uint32_t low = get(HOST_NOW);
    return (uint64_t)get(HOST_NOW_HIGH) << 32 | low;
}
static void delay_ns(void* ctx, uint64_t ns) {
    (void)ctx;
    put(HOST_TIME, (uint32_t)ns);
    put(HOST_DELAY_HIGH, (uint32_t)(ns >> 32));
}
static weir_status wait_irq(void* ctx, uint64_t ns) {
    (void)ctx;
    put(HOST_TIME, (uint32_t)ns);
    put(HOST_WAIT_HIGH, (uint32_t)(ns >> 32));
    return (weir_status)get(HOST_STATUS);
}
static void lock(void* ctx) {
    (void)ctx;
    put(HOST_LOCK, 0);
}
static void unlock(void* ctx) {
    (void)ctx;
    put(HOST_UNLOCK, 0);
}
static void log_line(void* ctx, weir_log_level level, const char* text) {
    (void)ctx;
    put(HOST_OBJECT, (uint32_t)level);
    put(HOST_LOG, pointer(text));
}

/// Fills in a HAL with what the host has; `members` are HAL_… bits.
void server_hal(struct weir_hal* hal, uint32_t members);
void server_hal(struct weir_hal* hal, uint32_t members) {
    const struct weir_hal full = {.read32 = read32,
                                  .write32 = write32,
                                  .barrier = (members & HAL_BARRIER) ? barrier : NULL,
                                  .now_ns = now_ns,
                                  .delay_ns = delay_ns,
                                  .wait_irq = (members & HAL_WAIT) ? wait_irq : NULL,
                                  .lock = (members & HAL_LOCK) ? lock : NULL,
                                  .unlock = (members & HAL_UNLOCK) ? unlock : NULL,
                                  .log = (members & HAL_LOG) ? log_line : NULL};
    *hal = full;
}

// Callbacks: ctx is the object that they belong to.
void server_print(void* ctx, const char* text);
void server_print(void* ctx, const char* text) {
    put(HOST_OBJECT, pointer(ctx));
    put(HOST_PRINT, pointer(text));
}
void server_event(void* ctx, const struct weir_wd_event* event);
void server_event(void* ctx, const struct weir_wd_event* event) {
    put(HOST_OBJECT, pointer(ctx));
    put(HOST_EVENT, pointer(event));
}
void server_frame(void* ctx, uint32_t port, const uint8_t* frame, size_t octets);
void server_frame(void* ctx, uint32_t port, const uint8_t* frame, size_t octets) {
    put(HOST_OBJECT, pointer(ctx));
    put(HOST_ARGUMENT, port);
    put(HOST_LENGTH, octets);
    put(HOST_FRAME, pointer(frame));
}
