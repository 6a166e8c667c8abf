// SPDX-License-Identifier: Apache-2.0
// Under all block drivers: register accesses with byte order and counting, bounded polls, changes that can be taken
// back.
#pragma once

#include "sw/include/weir/device.h"
#include "weir_registers.h"

/// Leaves the function with the status when the call failed.
#define WEIR_TRY(call)                                \
    do {                                              \
        const weir_status try_status = (call);        \
        if (try_status != WEIR_OK) return try_status; \
    } while (0)

weir_status weir_read(struct weir_dev* dev, uint32_t address, uint32_t* value);
/// Low word first: it latches the high one.
weir_status weir_read64(struct weir_dev* dev, uint32_t address, uint64_t* value);
/// A write that cannot be taken back: pulses, data ports, ones that clear.
weir_status weir_write(struct weir_dev* dev, uint32_t address, uint32_t value);
/// A write of configuration: inside a change its old value is kept.
weir_status weir_set(struct weir_dev* dev, uint32_t address, uint32_t value);
/// The same for a write-masked register: only the bits of `mask` change, nothing is read back outside a change.
weir_status weir_set_masked(struct weir_dev* dev, uint32_t address, uint32_t value, uint32_t mask);

/// Reads until (value & mask) == want or the time is over; `last` may be null. The device gets at least two looks.
weir_status weir_poll(struct weir_dev* dev, uint32_t address, uint32_t mask, uint32_t want, uint64_t timeout_ns,
                      uint32_t* last);
void weir_delay(struct weir_dev* dev, uint64_t ns);

/// Sets dev->message and returns the status.
weir_status weir_fail(struct weir_dev* dev, weir_status status, const char* format, ...);
void weir_note(struct weir_dev* dev, weir_log_level level, const char* format, ...);

/// The device was started and has this port (the CPU port counts when `cpu_too`), group, queue.
weir_status weir_check_started(struct weir_dev* dev);
weir_status weir_check_port(struct weir_dev* dev, uint32_t port, bool cpu_too);
/// index < count, else WEIR_E_RANGE with "WHAT 9 does not exist: 0 to 7".
weir_status weir_check_index(struct weir_dev* dev, const char* what, uint32_t index, uint32_t count);

/// A number of cells into a field: unlimited becomes the greatest value; what does not fit is WEIR_E_RANGE.
weir_status weir_cells_to_field(struct weir_dev* dev, const char* what, uint32_t cells, uint32_t greatest,
                                bool may_be_unlimited, uint32_t* field);
/// And back: the greatest value becomes WEIR_CELLS_UNLIMITED.
static inline uint32_t weir_cells_from_field(uint32_t field, uint32_t greatest) {
    return field == greatest ? WEIR_CELLS_UNLIMITED : field;
}
