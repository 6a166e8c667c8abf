// SPDX-License-Identifier: Apache-2.0
// The console on the UART: characters come in by interrupt, are echoed, and make lines; what is written waits for room.
#include "sw/firmware/board.h"

enum {
    UART_DATA = BOARD_UART,
    UART_INTERRUPTS = BOARD_UART + 1,
    UART_FIFO = BOARD_UART + 2,
    UART_LINE_CONTROL = BOARD_UART + 3,
    UART_LINE_STATUS = BOARD_UART + 5,
    RECEIVED = 0x01,
    ROOM = 0x20,
    SENT = 0x40,
    DIVISOR_LATCH = 0x80,
    EIGHT_BITS = 0x03,
    FIFO_ON_TRIGGER_8 = 0x87,
    RING = 1024,  ///< a power of two: more than a script's longest line
    LINE = 512,
    BACKSPACE = 8,
    DELETE = 127,
    CONTROL_C = 3,
    FIFO_OCTETS = 16,
    CHARACTER_NS = 3334  ///< with divisor 1
};

static volatile uint8_t ring[RING];
static volatile uint32_t ring_in;
static uint32_t ring_out;
static char line[LINE];
static size_t line_length;

static uint8_t read_octet(uint32_t address) {
    return *(volatile uint8_t*)(uintptr_t)address;
}

static void write_octet(uint32_t address, uint8_t octet) {
    *(volatile uint8_t*)(uintptr_t)address = octet;
}

void console_open(void) {
    write_octet(UART_LINE_CONTROL, DIVISOR_LATCH | EIGHT_BITS);
    write_octet(UART_DATA, 1);
    write_octet(UART_INTERRUPTS, 0);
    write_octet(UART_LINE_CONTROL, EIGHT_BITS);
    write_octet(UART_FIFO, FIFO_ON_TRIGGER_8);
    write_octet(UART_INTERRUPTS, RECEIVED);
}

void console_interrupt(void) {
    while ((read_octet(UART_LINE_STATUS) & RECEIVED) != 0) {
        const uint8_t octet = read_octet(UART_DATA);
        if (ring_in - ring_out < RING) ring[ring_in++ % RING] = octet;
    }
}

// The holding register is empty once a FIFO's worth has gone; then as much fits in again.
static void put(char c) {
    static uint32_t room;
    if (room == 0) {
        while ((read_octet(UART_LINE_STATUS) & ROOM) == 0) firmware_delay(FIFO_OCTETS * CHARACTER_NS / 2);
        room = FIFO_OCTETS;
    }
    write_octet(UART_DATA, (uint8_t)c);
    --room;
}

void console_write(const char* text) {
    for (; *text != '\0'; ++text) {
        if (*text == '\n') put('\r');
        put(*text);
    }
}

void console_flush(void) {
    while ((read_octet(UART_LINE_STATUS) & SENT) == 0) firmware_delay(CHARACTER_NS);
}

bool console_waiting(void) {
    return ring_out != ring_in;
}

char* console_line(void) {
    while (ring_out != ring_in) {
        const char c = (char)ring[ring_out++ % RING];
        if (c == '\r' || c == '\n') {
            console_write("\n");
            line[line_length] = '\0';
            line_length = 0;
            return line;
        }
        if (c == CONTROL_C) {
            console_write("^C\n");
            line[0] = '\0';
            line_length = 0;
            return line;
        }
        if (c == BACKSPACE || c == DELETE) {
            if (line_length > 0) {
                --line_length;
                console_write("\b \b");
            }
        } else if (line_length + 1 < LINE) {
            line[line_length++] = c;
            put(c);
        }
    }
    return NULL;
}
