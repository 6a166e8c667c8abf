// SPDX-License-Identifier: Apache-2.0
// Where the driver on the test's hart reaches its host: registers of a window that is no device of any board.
//
// Shared between server.c, which runs on the hart, and riscv_driver.cpp, which runs beside it.
#pragma once

enum {
    HOST_PORT = 0x50000000,
    HOST_ADDRESS = HOST_PORT + 0x00,  ///< of a register access
    HOST_READ = HOST_PORT + 0x04,     ///< a load makes the access and gives the word
    HOST_STATUS = HOST_PORT + 0x08,   ///< of the last call of the HAL
    HOST_WRITE = HOST_PORT + 0x0c,    ///< a store makes the access
    HOST_BARRIER = HOST_PORT + 0x10,
    HOST_NOW = HOST_PORT + 0x14,  ///< latches the upper half
    HOST_NOW_HIGH = HOST_PORT + 0x18,
    HOST_TIME = HOST_PORT + 0x1c,  ///< lower half of what delay and wait are given
    HOST_DELAY_HIGH = HOST_PORT + 0x20,
    HOST_WAIT_HIGH = HOST_PORT + 0x24,
    HOST_LOCK = HOST_PORT + 0x28,
    HOST_UNLOCK = HOST_PORT + 0x2c,
    HOST_OBJECT = HOST_PORT + 0x30,  ///< whose callback it is, or the level of a log line
    HOST_ARGUMENT = HOST_PORT + 0x34,
    HOST_LENGTH = HOST_PORT + 0x38,
    HOST_LOG = HOST_PORT + 0x3c,  ///< stores of a pointer make the call
    HOST_PRINT = HOST_PORT + 0x40,
    HOST_EVENT = HOST_PORT + 0x44,
    HOST_FRAME = HOST_PORT + 0x48,
    HOST_END = HOST_PORT + 0x4c
};

/// Which members of the HAL the host has.
enum { HAL_BARRIER = 1, HAL_WAIT = 2, HAL_LOCK = 4, HAL_UNLOCK = 8, HAL_LOG = 16 };

/// Where members stand in the hart's structures, in the order of server_layout.
enum {
    DEV_SIZE,
    DEV_TIMING,
    SHELL_SIZE,
    SHELL_WATCHDOG,
    SHELL_DCBX,
    SHELL_SERVICE,
    SHELL_STATE,
    WATCHDOG_SIZE,
    WATCHDOG_DETECTOR,
    WATCHDOG_PORTS,
    DCBX_SIZE,
    DCBX_PORTS,
    SERVICE_SIZE,
    SERVICE_STATE,
    NOS_SIZE,
    NOS_STATE,
    LAYOUT_ENTRIES
};
