// SPDX-License-Identifier: Apache-2.0
// The shell: an operator's lines, one command each, carried out by the driver. Boot scripts are made of them.
//
//   interface 0-7            the lines that follow are about these ports, until another `interface` or `exit`
//     pfc enable priority 3
//     no shutdown
//
// A command that fails changes nothing, on none of its ports. The words are in docs/driver.md.
#pragma once

#include "sw/include/weir/device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weir_dcbx;
struct weir_service;
struct weir_watchdog;

enum { WEIR_SHELL_LINE = 512, WEIR_SHELL_WORDS = 64, WEIR_SHELL_POOLS = 16, WEIR_SHELL_NAME = 24 };

/// One operator's session. The caller provides the memory. Fields are for reading only.
struct weir_shell {
    struct weir_dev* dev;
    /// Gets what commands print, in pieces; may be null.
    void (*print)(void* ctx, const char* text);
    void* ctx;
    struct weir_watchdog*
        watchdog;            ///< what pfcwd is about; null, as weir_shell_init leaves it: none. The caller sets it
    struct weir_dcbx* dcbx;  ///< the same for dcbx
    struct weir_service* service;  ///< the same for service
    bool in_interface;
    bool selected[WEIR_MAX_PORTS];
    char pools[WEIR_SHELL_POOLS][WEIR_SHELL_NAME];  ///< names; empty: no pool of this index was made
    char error[WEIR_MESSAGE_OCTETS];                ///< about the last line that failed
};

/// A session on a device that is up.
void weir_shell_init(struct weir_shell* shell, struct weir_dev* dev, void (*print)(void* ctx, const char* text),
                     void* ctx);
/// Carries out one line; an empty one or a comment is WEIR_OK. After a failure `weir_shell_error` says what would be
/// right.
weir_status weir_shell_execute(struct weir_shell* shell, const char* line);
/// The last failure in words. Never null.
const char* weir_shell_error(const struct weir_shell* shell);

#ifdef __cplusplus
}
#endif
