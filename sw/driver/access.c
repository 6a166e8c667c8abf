// SPDX-License-Identifier: Apache-2.0
// Register accesses, polls, the journal of a change, messages.
#include "sw/driver/access.h"

#include <string.h>

#include "sw/driver/text.h"

weir_status weir_fail(struct weir_dev* dev, weir_status status, const char* format, ...) {
    va_list values;
    va_start(values, format);
    weir_text_append_list(dev->message, sizeof dev->message, 0, format, values);
    va_end(values);
    return status;
}

void weir_note(struct weir_dev* dev, weir_log_level level, const char* format, ...) {
    if (dev->hal.log == NULL) return;
    char text[WEIR_MESSAGE_OCTETS];
    va_list values;
    va_start(values, format);
    weir_text_append_list(text, sizeof text, 0, format, values);
    va_end(values);
    dev->hal.log(dev->hal.ctx, level, text);
}

weir_status weir_read(struct weir_dev* dev, uint32_t address, uint32_t* value) {
    uint32_t word = 0;
    dev->reads++;
    weir_status status = dev->hal.read32(dev->hal.ctx, address, &word);
    if (status != WEIR_OK)
        return weir_fail(dev, status, "read of register address 0x%x failed: %s", address, weir_status_text(status));
    *value = weir_map_word(word);
    return WEIR_OK;
}

weir_status weir_read64(struct weir_dev* dev, uint32_t address, uint64_t* value) {
    uint32_t low = 0;
    uint32_t high = 0;
    if (dev->hal.lock != NULL) dev->hal.lock(dev->hal.ctx);
    weir_status status = weir_read(dev, address, &low);
    if (status == WEIR_OK) status = weir_read(dev, address + 4, &high);
    if (dev->hal.unlock != NULL) dev->hal.unlock(dev->hal.ctx);
    if (status == WEIR_OK) *value = ((uint64_t)high << 32) | low;
    return status;
}

weir_status weir_write(struct weir_dev* dev, uint32_t address, uint32_t value) {
    dev->writes++;
    weir_status status = dev->hal.write32(dev->hal.ctx, address, weir_map_word(value));
    if (status != WEIR_OK)
        return weir_fail(dev, status, "write of register address 0x%x failed: %s", address, weir_status_text(status));
    return WEIR_OK;
}

static weir_status remember(struct weir_dev* dev, uint32_t address, uint32_t old) {
    if (dev->journal_used == WEIR_JOURNAL_ENTRIES)
        return weir_fail(dev, WEIR_E_JOURNAL_FULL, "more than %u registers in one step: split it",
                         (uint32_t)WEIR_JOURNAL_ENTRIES);
    dev->journal[dev->journal_used].address = address;
    dev->journal[dev->journal_used].old = old;
    dev->journal_used++;
    return WEIR_OK;
}

weir_status weir_set(struct weir_dev* dev, uint32_t address, uint32_t value) {
    if (dev->depth > 0) {
        uint32_t old = 0;
        WEIR_TRY(weir_read(dev, address, &old));
        WEIR_TRY(remember(dev, address, old));
    }
    return weir_write(dev, address, value);
}

weir_status weir_set_masked(struct weir_dev* dev, uint32_t address, uint32_t value, uint32_t mask) {
    if (dev->depth > 0) {
        uint32_t old = 0;
        WEIR_TRY(weir_read(dev, address, &old));
        WEIR_TRY(remember(dev, address, (mask << 16) | (old & mask)));
    }
    return weir_write(dev, address, (mask << 16) | (value & mask));
}

void weir_change_begin(struct weir_dev* dev) {
    if (dev->hal.lock != NULL) dev->hal.lock(dev->hal.ctx);
    if (dev->depth++ > 0) return;
    dev->failed = false;
    dev->journal_used = 0;
    memcpy(dev->saved_budget, dev->budget, sizeof dev->budget);
    memcpy(dev->saved_ports, dev->ports, (dev->caps.ports + 1) * sizeof dev->ports[0]);
    dev->saved_default_egress = dev->default_egress;
}

static void roll_back(struct weir_dev* dev) {
    while (dev->journal_used > 0) {
        const struct weir_journal_entry* e = &dev->journal[--dev->journal_used];
        // A bus that fails here as well leaves nothing better to do; the caller has the first failure's status.
        dev->writes++;
        (void)dev->hal.write32(dev->hal.ctx, e->address, weir_map_word(e->old));
    }
    memcpy(dev->budget, dev->saved_budget, sizeof dev->budget);
    memcpy(dev->ports, dev->saved_ports, (dev->caps.ports + 1) * sizeof dev->ports[0]);
    dev->default_egress = dev->saved_default_egress;
}

weir_status weir_change_end(struct weir_dev* dev, weir_status status) {
    if (status != WEIR_OK) dev->failed = true;
    if (--dev->depth == 0 && dev->failed) roll_back(dev);
    if (dev->depth == 0 && dev->hal.barrier != NULL) dev->hal.barrier(dev->hal.ctx);
    if (dev->hal.unlock != NULL) dev->hal.unlock(dev->hal.ctx);
    return status;
}

void weir_delay(struct weir_dev* dev, uint64_t ns) {
    dev->hal.delay_ns(dev->hal.ctx, ns);
}

weir_status weir_poll(struct weir_dev* dev, uint32_t address, uint32_t mask, uint32_t want, uint64_t timeout_ns,
                      uint32_t* last) {
    const uint64_t start = dev->hal.now_ns(dev->hal.ctx);
    uint64_t pause = dev->timing.poll_interval;
    for (bool over = false;;) {
        uint32_t value = 0;
        WEIR_TRY(weir_read(dev, address, &value));
        if (last != NULL) *last = value;
        if ((value & mask) == want) return WEIR_OK;
        if (over) return weir_fail(dev, WEIR_E_TIMEOUT, "register address 0x%x did not change in time", address);
        weir_delay(dev, pause);
        if (pause < 64 * dev->timing.poll_interval) pause *= 2;
        over = dev->hal.now_ns(dev->hal.ctx) - start >= timeout_ns;  // then one look more, after the wait
    }
}

weir_status weir_check_started(struct weir_dev* dev) {
    return dev->started ? WEIR_OK : weir_fail(dev, WEIR_E_NOT_STARTED, "the device is not up: start it first");
}

weir_status weir_check_index(struct weir_dev* dev, const char* what, uint32_t index, uint32_t count) {
    WEIR_TRY(weir_check_started(dev));
    if (index < count) return WEIR_OK;
    if (count == 0) return weir_fail(dev, WEIR_E_RANGE, "%s %u does not exist: this chip has none", what, index);
    return weir_fail(dev, WEIR_E_RANGE, "%s %u does not exist: 0 to %u", what, index, count - 1);
}

weir_status weir_check_port(struct weir_dev* dev, uint32_t port, bool cpu_too) {
    WEIR_TRY(weir_check_started(dev));
    if (cpu_too && port == dev->caps.cpu_port) return WEIR_OK;
    return weir_check_index(dev, "port", port, dev->caps.ports);
}

weir_status weir_cells_to_field(struct weir_dev* dev, const char* what, uint32_t cells, uint32_t greatest,
                                bool may_be_unlimited, uint32_t* field) {
    if (may_be_unlimited && cells == WEIR_CELLS_UNLIMITED) {
        *field = greatest;
        return WEIR_OK;
    }
    // Where the greatest value means unlimited it is no number of cells.
    const uint32_t most = may_be_unlimited ? greatest - 1 : greatest;
    if (cells > most) return weir_fail(dev, WEIR_E_RANGE, "%s of %u cells: at most %u", what, cells, most);
    *field = cells;
    return WEIR_OK;
}
