// SPDX-License-Identifier: Apache-2.0
// The driver's HAL on the board: loads and stores, mtime, and wfi for everything that waits.
#include "sw/driver/text.h"
#include "sw/firmware/board.h"

enum {
    CLINT_COMPARE = BOARD_CLINT + 0x4000,
    CLINT_TIME = BOARD_CLINT + 0xbff8,
    PLIC_PRIORITY = BOARD_PLIC,
    PLIC_ENABLE = BOARD_PLIC + 0x2000
};

static volatile bool switch_asserted;  // and its source is disabled until somebody looks

uint64_t firmware_now_ns(void) {
    for (;;) {
        const uint32_t high = board_read(CLINT_TIME + 4);
        const uint32_t low = board_read(CLINT_TIME);
        if (board_read(CLINT_TIME + 4) == high) return (uint64_t)high << 32 | low;
    }
}

static void set_alarm(uint64_t at) {
    board_write(CLINT_COMPARE + 4, UINT32_MAX);  // never fires between the two halves
    board_write(CLINT_COMPARE, (uint32_t)at);
    board_write(CLINT_COMPARE + 4, (uint32_t)(at >> 32));
}

void firmware_timer_interrupt(void) {
    set_alarm(UINT64_MAX);
}

static void enable_switch(bool on) {
    const uint32_t others = board_read(PLIC_ENABLE) & ~(1u << BOARD_SWITCH_SOURCE);
    board_write(PLIC_ENABLE, others | (on ? 1u << BOARD_SWITCH_SOURCE : 0));
}

// The line stays up until the driver has cleared the cause, which is not the interrupt's work.
void firmware_external_interrupt(uint32_t source) {
    if (source == BOARD_UART_SOURCE) console_interrupt();
    if (source != BOARD_SWITCH_SOURCE) return;
    switch_asserted = true;
    enable_switch(false);
}

static void interrupts(bool on) {
    if (on)
        __asm__ volatile("csrsi mstatus, 8" ::: "memory");
    else
        __asm__ volatile("csrci mstatus, 8" ::: "memory");
}

bool firmware_switch_interrupt(void) {
    interrupts(false);
    const bool asserted = switch_asserted;
    switch_asserted = false;
    if (asserted) enable_switch(true);
    interrupts(true);
    return asserted;
}

// wfi with interrupts off: one that comes between the look and the wfi ends it at once.
static void sleep_until(uint64_t at) {
    set_alarm(at);
    __asm__ volatile("wfi" ::: "memory");
    interrupts(true);  // taken here
    interrupts(false);
}

void firmware_sleep(uint64_t ns) {
    const uint64_t now = ns == UINT64_MAX ? 0 : firmware_now_ns();
    interrupts(false);
    if (!switch_asserted && !console_waiting()) sleep_until(ns > UINT64_MAX - now ? UINT64_MAX : now + ns);
    interrupts(true);
}

void firmware_delay(uint64_t ns) {
    const uint64_t end = firmware_now_ns() + ns;
    interrupts(false);
    while (firmware_now_ns() < end) sleep_until(end);
    interrupts(true);
}

static weir_status read32(void* ctx, uint32_t address, uint32_t* word) {
    (void)ctx;
    return trap_load(BOARD_SWITCH + address, word) ? WEIR_OK : WEIR_E_BUS;
}

static weir_status write32(void* ctx, uint32_t address, uint32_t word) {
    (void)ctx;
    return trap_store(BOARD_SWITCH + address, word) ? WEIR_OK : WEIR_E_BUS;
}

static void barrier(void* ctx) {
    (void)ctx;
    __asm__ volatile("fence iorw, iorw" ::: "memory");
}

static uint64_t now_ns(void* ctx) {
    (void)ctx;
    return firmware_now_ns();
}

static void delay_ns(void* ctx, uint64_t ns) {
    (void)ctx;
    firmware_delay(ns);
}

static weir_status wait_irq(void* ctx, uint64_t timeout_ns) {
    (void)ctx;
    const uint64_t now = firmware_now_ns();
    const uint64_t end = timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns;
    // Who looked before may have left the line disabled; a level that is up comes again.
    (void)firmware_switch_interrupt();
    interrupts(false);
    while (!switch_asserted && firmware_now_ns() < end) sleep_until(end);
    interrupts(true);
    return firmware_switch_interrupt() ? WEIR_OK : WEIR_E_TIMEOUT;
}

static void log_line(void* ctx, weir_log_level level, const char* text) {
    (void)ctx;
    static const char* const marks[] = {"error: ", "warning: ", ""};
    console_write(marks[level]);
    console_write(text);
    console_write("\n");
}

struct weir_hal firmware_hal(void) {
    const struct weir_hal hal = {.read32 = read32,
                                 .write32 = write32,
                                 .barrier = barrier,
                                 .now_ns = now_ns,
                                 .delay_ns = delay_ns,
                                 .wait_irq = wait_irq,
                                 .log = log_line};
    board_write(PLIC_PRIORITY + 4 * BOARD_SWITCH_SOURCE, 1);
    board_write(PLIC_PRIORITY + 4 * BOARD_UART_SOURCE, 1);
    set_alarm(UINT64_MAX);
    board_write(PLIC_ENABLE, 1u << BOARD_SWITCH_SOURCE | 1u << BOARD_UART_SOURCE);
    return hal;
}
