// SPDX-License-Identifier: Apache-2.0
// Traps: interrupts go to their owners, a refused access of the HAL is passed back to it, anything else is the end.
#include "sw/driver/text.h"
#include "sw/firmware/board.h"

enum {
    CAUSE_LOAD_FAULT = 5,
    CAUSE_STORE_FAULT = 7,
    CAUSE_TIMER = 7,
    CAUSE_EXTERNAL = 11,
    PLIC_CLAIM = BOARD_PLIC + 0x200004,
    FINISHER_PASSED = 0x5555,
    FINISHER_FAILED = 0x3333
};

static volatile bool access_expected;  // trap_load or trap_store is at it
static volatile bool access_refused;

uint32_t trap_handle(uint32_t cause, uint32_t pc, uint32_t value);

// Loads and stores of the HAL stand here alone, so that the handler knows what a fault means.
__attribute__((noinline)) bool trap_load(uint32_t address, uint32_t* word) {
    access_refused = false;
    access_expected = true;
    const uint32_t read = board_read(address);
    access_expected = false;
    if (access_refused) return false;
    *word = read;
    return true;
}

__attribute__((noinline)) bool trap_store(uint32_t address, uint32_t word) {
    access_refused = false;
    access_expected = true;
    board_write(address, word);
    access_expected = false;
    return !access_refused;
}

void trap_open(void) {
    __asm__ volatile("csrs mie, %0" ::"r"(1u << CAUSE_TIMER | 1u << CAUSE_EXTERNAL));
    __asm__ volatile("csrsi mstatus, 8");
}

void firmware_finish(uint32_t code) {
    board_write(BOARD_FINISHER, code == 0 ? FINISHER_PASSED : code << 16 | FINISHER_FAILED);
    for (;;) __asm__ volatile("wfi");
}

static void interrupt(uint32_t cause) {
    if (cause == CAUSE_TIMER) firmware_timer_interrupt();
    if (cause != CAUSE_EXTERNAL) return;
    for (uint32_t source = board_read(PLIC_CLAIM); source != 0; source = board_read(PLIC_CLAIM)) {
        firmware_external_interrupt(source);
        board_write(PLIC_CLAIM, source);
    }
}

uint32_t trap_handle(uint32_t cause, uint32_t pc, uint32_t value) {
    if (cause >> 31 != 0) {
        interrupt(cause & 0x7fffffff);
        return pc;
    }
    if (access_expected && (cause == CAUSE_LOAD_FAULT || cause == CAUSE_STORE_FAULT)) {
        access_refused = true;
        // An instruction whose two lowest bits are not both set is a compressed one.
        const uint32_t length = (*(const volatile uint16_t*)(uintptr_t)pc & 3u) == 3u ? 4 : 2;
        return pc + length;
    }
    char text[96];
    weir_text_append(text, sizeof text, 0, "\n*** trap %u at 0x%x, value 0x%x\n", cause, pc, value);
    console_write(text);
    firmware_finish(cause == 0 ? 255 : cause);
}
