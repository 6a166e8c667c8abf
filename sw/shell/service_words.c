// SPDX-License-Identifier: Apache-2.0
// The words about what the driver does between commands: service, show service.
#include "sw/include/weir/service.h"

#include "sw/shell/words.h"

enum { ALL_BUT_CPU_RX = ((1u << WEIR_SERVICE_CAUSES) - 1) & ~(uint32_t)WEIR_INT_CPU_RX };

static weir_status session_without(struct words* w) {
    return shell_fail(w->shell, WEIR_E_UNSUPPORTED, "this session has no service");
}

static weir_status counters(struct words* w) {
    uint32_t us = 0;
    if (!words_accept(w, "off")) {
        WEIR_SHELL_TRY(words_expect(w, "every"));
        WEIR_SHELL_TRY(words_number(w, "microseconds", &us));
        WEIR_SHELL_TRY(words_expect(w, "us"));
        if (us == 0) return shell_fail(w->shell, WEIR_E_RANGE, "every 0 us: 10 at least, or off");
    }
    WEIR_SHELL_TRY(words_end(w));
    return shell_from_driver(w->shell, weir_service_counters_set(w->shell->service, (uint64_t)us * 1000));
}

weir_status shell_service(struct words* w) {
    if (w->shell->service == NULL) return session_without(w);
    if (words_accept(w, "counters")) return counters(w);
    if (!words_accept(w, "interrupts")) return words_wrong(w, "interrupts or counters");
    bool on = false;
    WEIR_SHELL_TRY(words_on_off(w, &on));
    WEIR_SHELL_TRY(words_end(w));
    return shell_from_driver(w->shell, weir_service_interrupts_set(w->shell->service, on ? ALL_BUT_CPU_RX : 0));
}

weir_status show_service(struct words* w) {
    const struct weir_service* service = w->shell->service;
    WEIR_SHELL_TRY(words_end(w));
    if (service == NULL) return session_without(w);
    if (service->counters_ns == 0)
        shell_print(w->shell, "counters off\n");
    else
        shell_print(w->shell, "counters every %U us\n", service->counters_ns / 1000);
    for (uint32_t n = 0; n < WEIR_SERVICE_CAUSES; ++n) {
        const uint32_t bit = 1u << n;
        if ((service->causes & bit) == 0 && service->interrupts[n] == 0) continue;
        shell_print(w->shell, "interrupt %-13s%10U taken, %s\n", weir_interrupt_text(bit), service->interrupts[n],
                    (service->storming & bit) != 0 ? "MASKED: it came too often"
                    : (service->causes & bit) != 0 ? "enabled"
                                                   : "off");
    }
    return WEIR_OK;
}
