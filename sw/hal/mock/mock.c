// SPDX-License-Identifier: Apache-2.0
// The strict mock: compares each access with the script's next step, keeps a log, answers the rest from a shadow.
#include "sw/hal/mock/mock.h"

#include <stdio.h>
#include <string.h>

void weir_mock_init(struct weir_mock* mock, bool strict) {
    memset(mock, 0, sizeof *mock);
    mock->strict = strict;
}

static size_t slot_of(const struct weir_mock* mock, uint32_t address) {
    size_t i = (address * 2654435761u) % WEIR_MOCK_SHADOW;
    while (mock->shadow[i].used && mock->shadow[i].address != address) i = (i + 1) % WEIR_MOCK_SHADOW;
    return i;
}

void weir_mock_preset(struct weir_mock* mock, uint32_t address, uint32_t value) {
    size_t i = slot_of(mock, address);
    mock->shadow[i].used = true;
    mock->shadow[i].address = address;
    mock->shadow[i].value = value;
}

uint32_t weir_mock_value(const struct weir_mock* mock, uint32_t address) {
    size_t i = slot_of(mock, address);
    return mock->shadow[i].used ? mock->shadow[i].value : 0;
}

static void add_step(struct weir_mock* mock, enum weir_mock_kind kind, uint32_t address, uint32_t value) {
    if (mock->expected == WEIR_MOCK_STEPS) return;
    struct weir_mock_step* s = &mock->script[mock->expected++];
    s->kind = kind;
    s->address = address;
    s->value = value;
    s->status = WEIR_OK;
}

void weir_mock_expect_read(struct weir_mock* mock, uint32_t address, uint32_t answer) {
    add_step(mock, WEIR_MOCK_READ, address, answer);
}

void weir_mock_expect_write(struct weir_mock* mock, uint32_t address, uint32_t value) {
    add_step(mock, WEIR_MOCK_WRITE, address, value);
}

void weir_mock_answer_status(struct weir_mock* mock, weir_status status) {
    if (mock->expected > 0) mock->script[mock->expected - 1].status = status;
}

void weir_mock_fail_at(struct weir_mock* mock, uint64_t n, weir_status status) {
    mock->fail_at = mock->accesses + n;
    mock->fail_status = status;
}

static void describe(char* out, size_t size, const struct weir_mock_step* s) {
    if (s == NULL)
        snprintf(out, size, "nothing");
    else if (s->kind == WEIR_MOCK_READ)
        snprintf(out, size, "read of 0x%x", (unsigned)s->address);
    else
        snprintf(out, size, "write of 0x%x to 0x%x", (unsigned)s->value, (unsigned)s->address);
}

static void mismatch(struct weir_mock* mock, const struct weir_mock_step* expected, const struct weir_mock_step* came) {
    if (mock->mismatch) return;
    char want[80];
    char got[80];
    describe(want, sizeof want, expected);
    describe(got, sizeof got, came);
    snprintf(mock->message, sizeof mock->message, "step %zu: expected %s, came %s", mock->done + 1, want, got);
    mock->mismatch = true;
}

// Logs the access and finds its step. Null: not in the script.
static const struct weir_mock_step* next(struct weir_mock* mock, const struct weir_mock_step* came) {
    if (mock->logged < WEIR_MOCK_STEPS) mock->log[mock->logged] = *came;
    mock->logged++;
    mock->now += 10;
    const struct weir_mock_step* step = mock->done < mock->expected ? &mock->script[mock->done] : NULL;
    if (step == NULL) {
        if (mock->strict) mismatch(mock, NULL, came);
        return NULL;
    }
    const bool same = step->kind == came->kind && step->address == came->address &&
                      (came->kind == WEIR_MOCK_READ || step->value == came->value);
    if (!same) {
        mismatch(mock, step, came);
        return NULL;
    }
    mock->done++;
    return step;
}

static weir_status mock_read(void* ctx, uint32_t address, uint32_t* word) {
    struct weir_mock* mock = ctx;
    if (++mock->accesses == mock->fail_at) return mock->fail_status;
    const struct weir_mock_step came = {WEIR_MOCK_READ, address, 0, WEIR_OK};
    const struct weir_mock_step* step = next(mock, &came);
    *word = step != NULL ? step->value : weir_mock_value(mock, address);
    if (step != NULL) return step->status;
    return mock->strict ? WEIR_E_UNEXPECTED : WEIR_OK;
}

static weir_status mock_write(void* ctx, uint32_t address, uint32_t word) {
    struct weir_mock* mock = ctx;
    if (++mock->accesses == mock->fail_at) return mock->fail_status;
    const struct weir_mock_step came = {WEIR_MOCK_WRITE, address, word, WEIR_OK};
    const struct weir_mock_step* step = next(mock, &came);
    if (step == NULL && mock->strict) return WEIR_E_UNEXPECTED;
    if (step == NULL || step->status == WEIR_OK) weir_mock_preset(mock, address, word);
    return step != NULL ? step->status : WEIR_OK;
}

static uint64_t mock_now(void* ctx) {
    return ((struct weir_mock*)ctx)->now;
}

static void mock_delay(void* ctx, uint64_t ns) {
    ((struct weir_mock*)ctx)->now += ns;
}

static void mock_lock(void* ctx) {
    ((struct weir_mock*)ctx)->locks++;
}

static void mock_unlock(void* ctx) {
    ((struct weir_mock*)ctx)->locks--;
}

struct weir_hal weir_mock_hal(struct weir_mock* mock) {
    struct weir_hal hal;
    memset(&hal, 0, sizeof hal);
    hal.ctx = mock;
    hal.read32 = mock_read;
    hal.write32 = mock_write;
    hal.now_ns = mock_now;
    hal.delay_ns = mock_delay;
    hal.lock = mock_lock;
    hal.unlock = mock_unlock;
    return hal;
}

bool weir_mock_satisfied(struct weir_mock* mock) {
    if (mock->mismatch) return false;
    if (mock->done == mock->expected) return true;
    mismatch(mock, &mock->script[mock->done], NULL);
    return false;
}
