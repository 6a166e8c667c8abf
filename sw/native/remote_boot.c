// SPDX-License-Identifier: Apache-2.0
// A driver in a process of its own: connects to `weir run --port`, brings the chips up, runs a boot script, and waits.
//
//   weir_remote_boot ADDRESS SCRIPT [NAME=VALUE…]
//
// The script is the platform's, with its ${NAME}s; values as in its [program] table. Exit code: 0 the run has ended
// well, 2 what was wrong is on the error stream.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sw/hal/remote/remote.h"
#include "sw/include/weir/dcbx.h"
#include "sw/include/weir/shell.h"
#include "sw/include/weir/watchdog.h"
#include "weir_registers.h"

enum { LINE = 1024, END_MS = 600000 };

static struct weir_remote remote;
static struct weir_dev device;  // too large for a stack
static struct weir_shell shell;
static struct weir_watchdog watchdog;
static struct weir_dcbx dcbx;

static void print(void* ctx, const char* text) {
    (void)ctx;
    fputs(text, stdout);
}

// Puts the values of ${NAME} in and leaves the comment out. False: it did not fit, or a name has no value.
static bool substitute(const char* line, char* out, size_t size, char** values, int count) {
    size_t used = 0;
    while (*line != '\0' && *line != '#' && *line != '\n') {
        const char* from = line;
        size_t octets = 1;
        const char* close = strncmp(line, "${", 2) == 0 ? strchr(line, '}') : NULL;
        if (strncmp(line, "${", 2) == 0) {
            if (close == NULL) return false;
            const size_t name = (size_t)(close - line - 2);
            int v = 0;
            while (v < count && !(strncmp(values[v], line + 2, name) == 0 && values[v][name] == '=')) ++v;
            if (v == count) return false;
            from = values[v] + name + 1;
            octets = strlen(from);
        }
        if (used + octets >= size) return false;
        memcpy(out + used, from, octets);
        used += octets;
        line = close != NULL ? close + 1 : line + 1;
    }
    out[used] = '\0';
    return true;
}

static weir_status run_script(const char* path, char** values, int count) {
    FILE* script = fopen(path, "r");
    if (script == NULL) {
        fprintf(stderr, "%s: the script cannot be read\n", path);
        return WEIR_E_SYNTAX;
    }
    char line[LINE];
    char text[LINE];
    weir_status status = WEIR_OK;
    for (unsigned number = 1; status == WEIR_OK && fgets(line, sizeof line, script) != NULL; ++number) {
        if (!substitute(line, text, sizeof text, values, count)) {
            fprintf(stderr, "%s:%u: a ${NAME} without a value, or a line that is too long\n", path, number);
            status = WEIR_E_SYNTAX;
            break;
        }
        status = weir_shell_execute(&shell, text);
        if (status != WEIR_OK) fprintf(stderr, "%s:%u: %s\n", path, number, weir_shell_error(&shell));
    }
    fclose(script);
    return status;
}

static bool watches(void) {
    for (size_t p = 0; p < sizeof watchdog.ports / sizeof watchdog.ports[0]; ++p) {
        if (watchdog.ports[p].watched != 0) return true;
    }
    return false;
}

static weir_status boot(uint8_t asic, const char* script, char** values, int count) {
    const struct weir_hal hal = weir_remote_hal(&remote, asic);
    weir_status status = weir_device_start(&device, &hal);
    if (status != WEIR_OK) {
        fprintf(stderr, "ASIC %u does not come up: %s\n", asic, weir_device_message(&device, status));
        return status;
    }
    weir_dcbx_init(&dcbx, &device, NULL, NULL);
    weir_watchdog_init(&watchdog, &device, NULL, NULL);
    weir_shell_init(&shell, &device, print, NULL);
    shell.watchdog = &watchdog;
    shell.dcbx = &dcbx;
    status = run_script(script, values, count);
    if (status == WEIR_OK)
        printf("ASIC %u: %" PRIu64 " reads, %" PRIu64 " writes, up at %" PRIu64 " ns\n", asic, device.reads,
               device.writes, remote.now_ns);
    return status;
}

int main(int count, char** words) {
    if (count < 3) {
        fprintf(stderr, "usage: %s ADDRESS SCRIPT [NAME=VALUE...]\n", words[0]);
        return 2;
    }
    weir_status status = weir_remote_connect(&remote, words[1], WEIR_MAP_HASH, 0);
    for (uint32_t asic = 0; status == WEIR_OK && asic < remote.asics; ++asic) {
        if (boot((uint8_t)asic, words[2], words + 3, count - 3) != WEIR_OK) {
            if (remote.error[0] != '\0') fprintf(stderr, "%s\n", weir_remote_error(&remote));
            weir_remote_close(&remote);
            return 2;
        }
    }
    if (status == WEIR_OK) status = weir_remote_ready(&remote);
    if (status == WEIR_OK) printf("the workload begins at %" PRIu64 " ns\n", remote.now_ns);
    fflush(stdout);
    // A script that started the watchdog has it polled in simulated time, as on a CPU of its own. There is one driver
    // here: of several chips, the last one's.
    if (status == WEIR_OK) status = weir_remote_run(&remote, watches() ? WEIR_REMOTE_FOLLOW : WEIR_REMOTE_RUN);
    while (status == WEIR_OK && watches()) {
        const struct weir_hal hal = device.hal;
        hal.delay_ns(hal.ctx, (uint64_t)watchdog.poll_ms * 1000000);
        if (remote.over || remote.socket < 0) break;
        (void)weir_watchdog_poll(&watchdog);
    }
    if (status == WEIR_OK && !remote.over) status = weir_remote_wait_end(&remote, END_MS);
    if (status != WEIR_OK && !remote.over) {
        fprintf(stderr, "%s\n", weir_remote_error(&remote));
        weir_remote_close(&remote);
        return 2;
    }
    return 0;
}
