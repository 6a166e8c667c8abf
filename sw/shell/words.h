// SPDX-License-Identifier: Apache-2.0
// Inside the shell: the words of a line and how each kind of value is read from them.
#pragma once

#include "sw/driver/text.h"
#include "sw/include/weir/forwarding.h"
#include "sw/include/weir/shell.h"

#define WEIR_SHELL_TRY(call)                              \
    do {                                                  \
        const weir_status shell_status = (call);          \
        if (shell_status != WEIR_OK) return shell_status; \
    } while (0)

struct words {
    struct weir_shell* shell;
    const char* word[WEIR_SHELL_WORDS];
    size_t count;
    size_t at;
    char text[WEIR_SHELL_LINE];
};

weir_status shell_fail(struct weir_shell* shell, weir_status status, const char* format, ...);
void shell_print(struct weir_shell* shell, const char* format, ...);
/// Turns a driver's failure into the shell's message.
weir_status shell_from_driver(struct weir_shell* shell, weir_status status);

/// The next word, or null at the end; `take` steps over it.
const char* words_peek(const struct words* w);
const char* words_take(struct words* w);
/// Steps over the word when it is the next one.
bool words_accept(struct words* w, const char* word);
/// Fails with "expected WHAT" unless the word comes next.
weir_status words_expect(struct words* w, const char* word);
weir_status words_end(struct words* w);
/// "expected WHAT, found X".
weir_status words_wrong(struct words* w, const char* what);

weir_status words_number(struct words* w, const char* what, uint32_t* value);
/// A number of cells, optionally followed by `cells` or `octets`; octets round up, or down for pools.
weir_status words_cells(struct words* w, const char* what, bool round_down, uint32_t* cells);
/// The same, or `unlimited`.
weir_status words_cells_or_unlimited(struct words* w, const char* what, uint32_t* cells);
/// "3", "0,2-4", "all"; bits. `count` is how many there are.
weir_status words_list(struct words* w, const char* what, uint32_t count, uint32_t* bits);
/// "1/8", "2": an index as WEIR_ALPHA_1.
weir_status words_alpha(struct words* w, uint32_t* index);
/// "10G", "1.6T", "64k", "500M" in kb/s.
weir_status words_rate(struct words* w, uint32_t* kbps);
/// "5%", "0.5%" in 1/65535.
weir_status words_probability(struct words* w, uint32_t* probability);
weir_status words_colour(struct words* w, uint32_t* colour);
weir_status words_mac(struct words* w, uint8_t address[6]);
weir_status words_pool(struct words* w, bool egress, uint32_t* pool);
weir_status words_on_off(struct words* w, bool* on);
/// "port N", "ecmp G", "cpu", "drop".
weir_status words_target(struct words* w, struct weir_target* target);

/// An address with an optional "/length".
struct prefix {
    bool ipv6;
    uint8_t octet[16];
    uint32_t length;
};
weir_status words_prefix(struct words* w, struct prefix* prefix);

/// Calls `act` for every port of the context; outside one, for all ports when `all_outside`, else fails.
typedef weir_status (*port_action)(struct words* w, uint32_t port, const void* what);
weir_status for_each_port(struct words* w, bool all_outside, port_action act, const void* what);

// The commands, by their first word.
weir_status shell_pfc(struct words* w, bool no);
weir_status shell_pause(struct words* w);
weir_status shell_pfcwd(struct words* w);
weir_status show_watchdog(struct words* w);
weir_status shell_service(struct words* w);
weir_status show_service(struct words* w);
weir_status shell_dcbx(struct words* w);
weir_status show_dcbx(struct words* w, uint32_t port);
weir_status shell_mmu(struct words* w);
weir_status shell_pool(struct words* w);
weir_status shell_group(struct words* w);
weir_status shell_queue(struct words* w);
weir_status shell_ets(struct words* w);
weir_status shell_wred(struct words* w);
weir_status shell_map(struct words* w);
weir_status shell_trust(struct words* w);
weir_status shell_mac_table(struct words* w, bool no);
weir_status shell_route(struct words* w, bool no);
weir_status shell_ecmp(struct words* w, bool no);
weir_status shell_show(struct words* w);
weir_status shell_clear(struct words* w);
