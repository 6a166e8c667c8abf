// SPDX-License-Identifier: Apache-2.0
// The words about DCBX: dcbx, show interface N dcbx.
#include "sw/include/weir/dcbx.h"

#include "sw/shell/words.h"

static weir_status send_one(struct words* w, uint32_t port, const void* what) {
    (void)what;
    return shell_from_driver(w->shell, weir_dcbx_send(w->shell->dev, port));
}

weir_status shell_dcbx(struct words* w) {
    if (words_accept(w, "send")) {
        WEIR_SHELL_TRY(words_end(w));
        return for_each_port(w, false, send_one, NULL);
    }
    if (!words_accept(w, "trap")) return words_wrong(w, "trap or send");
    bool on = false;
    WEIR_SHELL_TRY(words_on_off(w, &on));
    WEIR_SHELL_TRY(words_end(w));
    return shell_from_driver(w->shell, weir_dcbx_trap_set(w->shell->dev, on));
}

static const char* bits_text(uint32_t bits, char out[24]) {
    size_t used = weir_text_append(out, 24, 0, bits == 0 ? "none" : "");
    for (uint32_t i = 0; i < 8; ++i)
        if ((bits >> i & 1u) != 0) used = weir_text_append(out, 24, used, used == 0 ? "%u" : ",%u", i);
    return out;
}

static void print_ets(struct words* w, const char* whose, const struct weir_dcbx_message* m) {
    shell_print(w->shell, "  ETS %s", whose);
    for (uint32_t c = 0; c < 8; ++c) {
        if (m->selection[c] == WEIR_DCBX_ETS)
            shell_print(w->shell, " %u%%", (uint32_t)m->percent[c]);
        else
            shell_print(w->shell, m->selection[c] == WEIR_DCBX_STRICT ? " strict" : " other");
    }
    shell_print(w->shell, "\n");
}

weir_status show_dcbx(struct words* w, uint32_t port) {
    static const char* const states[] = {"absent", "agreed", "MISMATCHED"};
    struct weir_dcbx_status s;
    char a[24];
    char b[24];
    if (w->shell->dcbx == NULL) return shell_fail(w->shell, WEIR_E_UNSUPPORTED, "this session has no DCBX");
    WEIR_SHELL_TRY(shell_from_driver(w->shell, weir_dcbx_poll(w->shell->dcbx)));
    WEIR_SHELL_TRY(shell_from_driver(w->shell, weir_dcbx_status_get(w->shell->dcbx, port, &s)));
    shell_print(w->shell, "interface %u: %s; %U messages, %U refused%s%s\n", port, states[s.state], s.frames,
                s.malformed, s.malformed > 0 ? ", last for " : "",
                s.malformed > 0 ? weir_dcbx_error_text((uint32_t)s.last_error) : "");
    shell_print(w->shell, "  PFC here %s", bits_text(s.local.pfc_enabled, a));
    if (s.state != WEIR_DCBX_ABSENT)
        shell_print(w->shell, ", there %s%s", bits_text(s.peer.pfc_enabled, b), s.peer.pfc_willing ? " (willing)" : "");
    if (s.pfc_differs != 0) shell_print(w->shell, "; differs for %s", bits_text(s.pfc_differs, a));
    shell_print(w->shell, "\n");
    if (s.ets_differs) {
        print_ets(w, "here ", &s.local);
        print_ets(w, "there", &s.peer);
    }
    return WEIR_OK;
}
