// SPDX-License-Identifier: Apache-2.0
// Where things stand on the board that the firmware runs on (models/cpu/board.h), and the firmware's own parts.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sw/hal/hal.h"

enum {
    BOARD_FINISHER = 0x00100000,
    BOARD_CLINT = 0x02000000,
    BOARD_PLIC = 0x0c000000,
    BOARD_UART = 0x10000000,
    BOARD_SWITCH = 0x40000000,
    BOARD_SWITCH_SOURCE = 1,  ///< of the PLIC
    BOARD_UART_SOURCE = 10
};

// hal.c
/// The switch through loads and stores; a bus error comes back as WEIR_E_BUS.
struct weir_hal firmware_hal(void);
uint64_t firmware_now_ns(void);
/// Sleeps until an interrupt came that nobody has looked at, or `ns` have passed; UINT64_MAX: without end.
void firmware_sleep(uint64_t ns);
/// Sleeps for `ns`, whatever comes.
void firmware_delay(uint64_t ns);
/// The switch's line was asserted and nobody has looked yet. Looking enables the line again.
bool firmware_switch_interrupt(void);

// console.c
void console_open(void);
void console_write(const char* text);
/// Returns when all that was written has left.
void console_flush(void);
/// The line that was typed, without its end; null when there is none yet. Echoes what comes in.
char* console_line(void);
/// Something came in that console_line has not looked at.
bool console_waiting(void);
/// A character came in; called from the interrupt.
void console_interrupt(void);

// trap.c
/// Enables interrupts, and makes a refused access in the next load or store known instead of fatal.
void trap_open(void);
bool trap_load(uint32_t address, uint32_t* word);
bool trap_store(uint32_t address, uint32_t word);
/// From the trap handler: the timer's, and the PLIC's with its source.
void firmware_timer_interrupt(void);
void firmware_external_interrupt(uint32_t source);
/// Ends the run: 0 passed.
void firmware_finish(uint32_t code) __attribute__((noreturn));

static inline uint32_t board_read(uint32_t address) {
    return *(volatile uint32_t*)(uintptr_t)address;
}
static inline void board_write(uint32_t address, uint32_t word) {
    *(volatile uint32_t*)(uintptr_t)address = word;
}
