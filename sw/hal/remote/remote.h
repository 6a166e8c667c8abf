// SPDX-License-Identifier: Apache-2.0
// A HAL over a socket: the unchanged driver in a process of its own drives a prototype that runs with --port.
//
//   driver ──► weir_hal ──► weir_remote ── unix:PATH or tcp:HOST:PORT ──► weir run --port
//
// C11 and POSIX; no allocation, no thread. Nothing waits for ever: a reply that does not come in time is
// WEIR_E_TIMEOUT, and the connection is over then. The messages are in docs/remote.md.
#pragma once

#include <stddef.h>

#include "sw/hal/hal.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WEIR_REMOTE_CHIPS = 64, WEIR_REMOTE_MESSAGE = 1024, WEIR_REMOTE_TEXT = 256, WEIR_REMOTE_TIMEOUT_MS = 30000 };

/// In weir_remote_connect: whatever map the chip has.
#define WEIR_REMOTE_ANY_MAP UINT32_MAX

/// One connection. The caller provides the memory. Fields are for reading only, timeout_ms excepted.
struct weir_remote {
    int socket;                    ///< negative: not connected
    int timeout_ms;                ///< of wall clock for one reply; of READY, DELAY and WAIT_IRQ too
    uint32_t tag;                  ///< of the last request
    uint32_t asics;                ///< chips that can be reached
    uint32_t map_hash;             ///< of their register map
    uint64_t now_ns;               ///< simulated, of the last reply
    uint64_t requests;             ///< sent
    uint64_t interrupts;           ///< pushed, since weir_remote_subscribe
    bool running;                  ///< time goes on by itself
    bool over;                     ///< the run has ended and said so
    char error[WEIR_REMOTE_TEXT];  ///< about the last call that failed
    size_t begin, end;             ///< of what has come and was not looked at
    unsigned char in[WEIR_REMOTE_MESSAGE];
    struct weir_remote_chip {
        struct weir_remote* remote;
        uint8_t asic;
    } chips[WEIR_REMOTE_CHIPS];  ///< contexts of the HALs
};

/// Connects and says HELLO. `address`: unix:PATH, tcp:PORT (127.0.0.1), tcp:HOST:PORT (numeric). `map_hash`: the hash
/// of the map that the driver was built for (its WEIR_MAP_HASH), or WEIR_REMOTE_ANY_MAP. `timeout_ms`: 0 is 30 s.
/// WEIR_E_BUS: nobody listens, or it refused; WEIR_E_VERSION: another map or protocol.
weir_status weir_remote_connect(struct weir_remote* remote, const char* address, uint32_t map_hash, int timeout_ms);
/// Says BYE, if it can, and closes.
void weir_remote_close(struct weir_remote* remote);
/// What was wrong with the last call that failed. Never null.
const char* weir_remote_error(const struct weir_remote* remote);

/// A HAL table for one chip; the remote outlives it. In lockstep now_ns costs no message: time passes in requests only.
struct weir_hal weir_remote_hal(struct weir_remote* remote, uint8_t asic);

/// Boot is over: the workload may begin. Returns when it does.
weir_status weir_remote_ready(struct weir_remote* remote);
/// Lets simulated time pass until then.
weir_status weir_remote_advance(struct weir_remote* remote, uint64_t until_ns);
enum weir_remote_mode {
    WEIR_REMOTE_LOCKSTEP,  ///< time passes in requests only; the run ends at its --until, or when this client goes
    WEIR_REMOTE_RUN,       ///< time goes on by itself, requests are served between steps; the run ends by itself
    WEIR_REMOTE_FOLLOW     ///< lockstep, but the run ends when everything is delivered, as without a client
};
/// A connection begins in lockstep.
weir_status weir_remote_run(struct weir_remote* remote, enum weir_remote_mode mode);
/// Counts the interrupt line's rises in `interrupts` from now on.
weir_status weir_remote_subscribe(struct weir_remote* remote, bool on);
/// A write whose reply nobody waits for; weir_remote_barrier tells whether it failed.
weir_status weir_remote_posted_write(struct weir_remote* remote, uint8_t asic, uint32_t address, uint32_t word);
/// All writes have reached their chips. WEIR_E_BUS: a posted write failed; the error says which.
weir_status weir_remote_barrier(struct weir_remote* remote);
/// Waits until the run says that it is over. WEIR_OK: it did; WEIR_E_TIMEOUT: not within so many ms of wall clock.
weir_status weir_remote_wait_end(struct weir_remote* remote, int timeout_ms);

#ifdef __cplusplus
}
#endif
