// SPDX-License-Identifier: Apache-2.0
// A strict mock of the HAL: a script of accesses in order. What comes otherwise is an error with both sides in words.
//
//   script:  expect_write(a, v) ─ expect_read(a, v) ─ …     after the script, or without one: shadow memory, recorded
#pragma once

#include <stddef.h>

#include "sw/hal/hal.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WEIR_MOCK_STEPS = 4096, WEIR_MOCK_SHADOW = 65536, WEIR_MOCK_MESSAGE = 256 };

enum weir_mock_kind { WEIR_MOCK_READ, WEIR_MOCK_WRITE };

struct weir_mock_step {
    enum weir_mock_kind kind;
    uint32_t address;
    uint32_t value;      ///< written, or to be answered
    weir_status status;  ///< what the access returns
};

/// One mock; the caller provides the memory and clears it with weir_mock_init.
struct weir_mock {
    struct weir_mock_step script[WEIR_MOCK_STEPS];
    size_t expected;  ///< steps in the script
    size_t done;      ///< of them
    struct weir_mock_step log[WEIR_MOCK_STEPS];
    size_t logged;  ///< accesses seen; those beyond WEIR_MOCK_STEPS are counted only
    bool strict;    ///< every access must be the script's next one
    bool mismatch;
    char message[WEIR_MOCK_MESSAGE];  ///< about the first mismatch
    uint64_t now;                     ///< ns; every access takes 10, delay_ns adds
    uint32_t locks;                   ///< held now
    weir_status fail_status;          ///< see weir_mock_fail_at
    uint64_t fail_at;
    uint64_t accesses;
    struct {
        uint32_t address;
        uint32_t value;
        bool used;
    } shadow[WEIR_MOCK_SHADOW];
};

void weir_mock_init(struct weir_mock* mock, bool strict);
/// A HAL table that leads to the mock.
struct weir_hal weir_mock_hal(struct weir_mock* mock);

/// Script, in order. Addresses and words as on the bus.
void weir_mock_expect_read(struct weir_mock* mock, uint32_t address, uint32_t answer);
void weir_mock_expect_write(struct weir_mock* mock, uint32_t address, uint32_t value);
/// The step added last returns this status.
void weir_mock_answer_status(struct weir_mock* mock, weir_status status);

/// What a register reads until it is written; for mocks that are not strict.
void weir_mock_preset(struct weir_mock* mock, uint32_t address, uint32_t value);
uint32_t weir_mock_value(const struct weir_mock* mock, uint32_t address);
/// The n-th access from now (1 is the next) returns the status and does nothing.
void weir_mock_fail_at(struct weir_mock* mock, uint64_t n, weir_status status);

/// True when the script is done and nothing else came; else message says what is wrong.
bool weir_mock_satisfied(struct weir_mock* mock);

#ifdef __cplusplus
}
#endif
