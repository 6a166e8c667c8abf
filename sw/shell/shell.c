// SPDX-License-Identifier: Apache-2.0
// Lines, contexts, and which word leads to which command.
#include "sw/include/weir/shell.h"

#include <string.h>

#include "sw/include/weir/port.h"
#include "sw/include/weir/scheduler.h"
#include "sw/shell/words.h"

void weir_shell_init(struct weir_shell* shell, struct weir_dev* dev, void (*print)(void* ctx, const char* text),
                     void* ctx) {
    memset(shell, 0, sizeof *shell);
    shell->dev = dev;
    shell->print = print;
    shell->ctx = ctx;
    const uint32_t last = dev->caps.pools - 1;
    if (dev->default_egress && last < WEIR_SHELL_POOLS)
        weir_text_append(shell->pools[last], WEIR_SHELL_NAME, 0, "egress");
}

const char* weir_shell_error(const struct weir_shell* shell) {
    return shell->error;
}

weir_status shell_fail(struct weir_shell* shell, weir_status status, const char* format, ...) {
    va_list values;
    va_start(values, format);
    weir_text_append_list(shell->error, sizeof shell->error, 0, format, values);
    va_end(values);
    return status;
}

weir_status shell_from_driver(struct weir_shell* shell, weir_status status) {
    if (status == WEIR_OK) return WEIR_OK;
    return shell_fail(shell, status, "%s", weir_device_message(shell->dev, status));
}

void shell_print(struct weir_shell* shell, const char* format, ...) {
    if (shell->print == NULL) return;
    char text[WEIR_SHELL_LINE];
    va_list values;
    va_start(values, format);
    weir_text_append_list(text, sizeof text, 0, format, values);
    va_end(values);
    shell->print(shell->ctx, text);
}

weir_status for_each_port(struct words* w, bool all_outside, port_action act, const void* what) {
    struct weir_shell* shell = w->shell;
    struct weir_dev* dev = shell->dev;
    if (!shell->in_interface && !all_outside)
        return shell_fail(shell, WEIR_E_CONTEXT, "\"%s\" is about ports: say `interface 0-%u` first", w->word[0],
                          dev->caps.ports - 1);
    weir_change_begin(dev);
    weir_status status = WEIR_OK;
    for (uint32_t port = 0; port <= dev->caps.ports && status == WEIR_OK; ++port)
        if (!shell->in_interface || shell->selected[port]) status = act(w, port, what);
    return weir_change_end(dev, status);
}

static weir_status enter_interface(struct words* w) {
    struct weir_shell* shell = w->shell;
    const uint32_t ports = shell->dev->caps.ports;
    bool selected[WEIR_MAX_PORTS] = {false};
    if (words_accept(w, "cpu")) {
        selected[shell->dev->caps.cpu_port] = true;
    } else if (words_accept(w, "all")) {
        for (uint32_t port = 0; port < ports; ++port) selected[port] = true;
    } else {
        const char* p = words_take(w);
        if (p == NULL) return words_wrong(w, "ports: 3, 0-7, 0,2-4, all or cpu");
        while (*p != '\0') {
            uint32_t bound[2] = {0, 0};
            for (int i = 0; i < 2; ++i) {
                if (*p < '0' || *p > '9')
                    return shell_fail(shell, WEIR_E_SYNTAX, "\"%s\" are no ports: 3, 0-7, 0,2-4, all or cpu",
                                      w->word[1]);
                for (; *p >= '0' && *p <= '9' && bound[i] < 100000; ++p)
                    bound[i] = bound[i] * 10 + (uint32_t)(*p - '0');
                if (i == 0 && *p != '-') {
                    bound[1] = bound[0];
                    break;
                }
                if (i == 0) ++p;
            }
            if (bound[0] > bound[1] && bound[0] < ports)
                return shell_fail(shell, WEIR_E_RANGE, "ports %u-%u run backwards: the lower number first", bound[0],
                                  bound[1]);
            if (bound[0] > bound[1] || bound[1] >= ports)
                return shell_fail(shell, WEIR_E_RANGE, "port %u does not exist: 0 to %u",
                                  bound[0] >= ports ? bound[0] : bound[1], ports - 1);
            for (uint32_t port = bound[0]; port <= bound[1]; ++port) selected[port] = true;
            if (*p == ',' && p[1] != '\0')
                ++p;
            else if (*p != '\0')
                return shell_fail(shell, WEIR_E_SYNTAX, "\"%s\" are no ports: 3, 0-7, 0,2-4, all or cpu", w->word[1]);
        }
    }
    WEIR_SHELL_TRY(words_end(w));
    memcpy(shell->selected, selected, sizeof selected);
    shell->in_interface = true;
    return WEIR_OK;
}

static weir_status up_one(struct words* w, uint32_t port, const void* what) {
    (void)what;
    return shell_from_driver(w->shell, weir_port_up(w->shell->dev, port));
}

static weir_status down_one(struct words* w, uint32_t port, const void* what) {
    (void)what;
    return shell_from_driver(w->shell, weir_port_down(w->shell->dev, port));
}

static weir_status shutdown(struct words* w, bool no) {
    WEIR_SHELL_TRY(words_end(w));
    return for_each_port(w, false, no ? up_one : down_one, NULL);
}

static weir_status speed_one(struct words* w, uint32_t port, const void* what) {
    return shell_from_driver(w->shell, weir_port_speed_set(w->shell->dev, port, *(const uint32_t*)what));
}

static weir_status speed(struct words* w) {
    uint32_t kbps = 0;
    const char* name = words_peek(w);
    WEIR_SHELL_TRY(words_rate(w, &kbps));
    WEIR_SHELL_TRY(words_end(w));
    const uint32_t megabits = kbps / 1000;
    if (kbps % 1000 != 0 || !weir_rate_exists(megabits))
        return shell_fail(w->shell, WEIR_E_RATE,
                          "\"%s\" is not an Ethernet rate; one of: 1G 10G 25G 40G 50G 100G 200G 400G 800G 1.6T", name);
    return for_each_port(w, false, speed_one, &megabits);
}

static weir_status mtu_one(struct words* w, uint32_t port, const void* what) {
    return shell_from_driver(w->shell, weir_port_max_frame_set(w->shell->dev, port, *(const uint32_t*)what));
}

static weir_status mtu(struct words* w) {
    uint32_t octets = 0;
    WEIR_SHELL_TRY(words_number(w, "a frame's greatest length in octets", &octets));
    words_accept(w, "octets");
    WEIR_SHELL_TRY(words_end(w));
    return for_each_port(w, true, mtu_one, &octets);
}

struct numbered_address {
    uint8_t octet[6];
    uint32_t first;
};

// Several ports get consecutive addresses, because no two ports can share one.
static weir_status mac_one(struct words* w, uint32_t port, const void* what) {
    const struct numbered_address* base = what;
    uint8_t address[6];
    memcpy(address, base->octet, sizeof address);
    uint32_t carry = port - base->first;
    for (int i = 5; i >= 0 && carry > 0; --i) {
        carry += address[i];
        address[i] = (uint8_t)carry;
        carry >>= 8;
    }
    return shell_from_driver(w->shell, weir_port_address_set(w->shell->dev, port, address));
}

static weir_status mac(struct words* w) {
    struct numbered_address base = {{0}, 0};
    WEIR_SHELL_TRY(words_mac(w, base.octet));
    WEIR_SHELL_TRY(words_end(w));
    while (w->shell->in_interface && !w->shell->selected[base.first]) base.first++;
    return for_each_port(w, false, mac_one, &base);
}

struct shaper {
    uint32_t kbps, burst;
};

static weir_status shaper_one(struct words* w, uint32_t port, const void* what) {
    const struct shaper* s = what;
    return shell_from_driver(w->shell, weir_port_shaper_set(w->shell->dev, port, s->kbps, s->burst));
}

static weir_status shaper(struct words* w) {
    struct shaper s = {0, 0};
    if (!words_accept(w, "off")) {
        WEIR_SHELL_TRY(words_rate(w, &s.kbps));
        WEIR_SHELL_TRY(words_expect(w, "burst"));
        WEIR_SHELL_TRY(words_number(w, "octets", &s.burst));
        words_accept(w, "octets");
    }
    WEIR_SHELL_TRY(words_end(w));
    return for_each_port(w, false, shaper_one, &s);
}

static weir_status leave(struct words* w) {
    WEIR_SHELL_TRY(words_end(w));
    if (!w->shell->in_interface)
        return shell_fail(w->shell, WEIR_E_CONTEXT, "exit leaves an interface, and there is none to leave");
    w->shell->in_interface = false;
    return WEIR_OK;
}

#define WORDS_OF_ALL                                                                                                \
    "interface exit no show clear pfc pfcwd service dcbx pause mmu pool pg queue ets wred map trust speed mtu mac " \
    "shaper "                                                                                                       \
    "shutdown "                                                                                                     \
    "mac-table "                                                                                                    \
    "route "                                                                                                        \
    "ecmp"

static weir_status negated(struct words* w) {
    if (words_accept(w, "pfc")) return shell_pfc(w, true);
    if (words_accept(w, "shutdown")) return shutdown(w, true);
    if (words_accept(w, "mac-table")) return shell_mac_table(w, true);
    if (words_accept(w, "route")) return shell_route(w, true);
    if (words_accept(w, "ecmp")) return shell_ecmp(w, true);
    return words_wrong(w, "pfc, shutdown, mac-table, route or ecmp after \"no\"");
}

static weir_status dispatch(struct words* w) {
    if (words_accept(w, "interface")) return enter_interface(w);
    if (words_accept(w, "exit")) return leave(w);
    if (words_accept(w, "no")) return negated(w);
    if (words_accept(w, "show")) return shell_show(w);
    if (words_accept(w, "clear")) return shell_clear(w);
    if (words_accept(w, "pfc")) return shell_pfc(w, false);
    if (words_accept(w, "dcbx")) return shell_dcbx(w);
    if (words_accept(w, "pfcwd")) return shell_pfcwd(w);
    if (words_accept(w, "service")) return shell_service(w);
    if (words_accept(w, "pause")) return shell_pause(w);
    if (words_accept(w, "mmu")) return shell_mmu(w);
    if (words_accept(w, "pool")) return shell_pool(w);
    if (words_accept(w, "pg")) return shell_group(w);
    if (words_accept(w, "queue")) return shell_queue(w);
    if (words_accept(w, "ets")) return shell_ets(w);
    if (words_accept(w, "wred")) return shell_wred(w);
    if (words_accept(w, "map")) return shell_map(w);
    if (words_accept(w, "trust")) return shell_trust(w);
    if (words_accept(w, "speed")) return speed(w);
    if (words_accept(w, "mtu")) return mtu(w);
    if (words_accept(w, "mac")) return mac(w);
    if (words_accept(w, "shaper")) return shaper(w);
    if (words_accept(w, "shutdown")) return shutdown(w, false);
    if (words_accept(w, "mac-table")) return shell_mac_table(w, false);
    if (words_accept(w, "route")) return shell_route(w, false);
    if (words_accept(w, "ecmp")) return shell_ecmp(w, false);
    return shell_fail(w->shell, WEIR_E_SYNTAX, "unknown command \"%s\"; one of: %s", w->word[0], WORDS_OF_ALL);
}

weir_status weir_shell_execute(struct weir_shell* shell, const char* line) {
    struct words w;
    w.shell = shell;
    w.count = w.at = 0;
    shell->error[0] = '\0';
    size_t length = strlen(line);
    if (length >= sizeof w.text)
        return shell_fail(shell, WEIR_E_SYNTAX, "a line of %u octets: %u at most", (uint32_t)length,
                          (uint32_t)sizeof w.text - 1);
    memcpy(w.text, line, length + 1);
    for (char* p = w.text; *p != '\0';) {
        while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n') *p++ = '\0';
        if (*p == '\0' || *p == '#') break;
        if (w.count == WEIR_SHELL_WORDS)
            return shell_fail(shell, WEIR_E_SYNTAX, "more than %u words in a line", (uint32_t)WEIR_SHELL_WORDS);
        w.word[w.count++] = p;
        while (*p != '\0' && *p != ' ' && *p != '\t' && *p != '\r' && *p != '\n') ++p;
    }
    if (w.count == 0) return WEIR_OK;
    if (!shell->dev->started) return shell_fail(shell, WEIR_E_NOT_STARTED, "the device is not up");
    return dispatch(&w);
}
