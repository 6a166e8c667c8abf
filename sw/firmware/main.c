// SPDX-License-Identifier: Apache-2.0
// The firmware: brings the switch up, then serves a console and the switch's interrupts, for ever.
//
//   reset ─► console ─► device ─► prompt ─┬─► a line: the shell
//                                         ├─► an interrupt, or something due: the service
//                                         └─► nothing: sleep
//
// A line that fails is answered by one that begins with "% ".
#include <string.h>

#include "sw/driver/text.h"
#include "sw/firmware/board.h"
#include "sw/include/weir/dcbx.h"
#include "sw/include/weir/service.h"
#include "sw/include/weir/shell.h"
#include "sw/include/weir/watchdog.h"

static struct weir_dev dev;
static struct weir_shell shell;
static struct weir_watchdog watchdog;
static struct weir_dcbx dcbx;
static struct weir_service service;

static const char prompt[] = "weir> ";

static void print(void* ctx, const char* text) {
    (void)ctx;
    console_write(text);
}

// What is told in between stands on lines of its own, and the prompt comes again.
static bool told;
static void tell(void* ctx, const char* text) {
    (void)ctx;
    if (!told) console_write("\n");
    told = true;
    console_write(text);
}

static void complain(const char* what) {
    console_write("% ");
    console_write(what);
    console_write("\n");
}

static void start(void) {
    char text[WEIR_MESSAGE_OCTETS];
    const struct weir_hal hal = firmware_hal();
    trap_open();
    console_write("\nWeir firmware, RV32IMAC\n");
    const weir_status status = weir_device_start(&dev, &hal);
    if (status != WEIR_OK) {
        weir_text_append(text, sizeof text, 0, "the device does not come up: %s", weir_device_message(&dev, status));
        complain(text);
    }
    weir_watchdog_init(&watchdog, &dev, NULL, NULL);
    weir_dcbx_init(&dcbx, &dev, NULL, NULL);
    weir_service_init(&service, &dev, &watchdog, tell, NULL);
    weir_shell_init(&shell, &dev, print, NULL);
    shell.watchdog = &watchdog;
    shell.dcbx = &dcbx;
    shell.service = &service;
}

// What the service finds wrong it tells; what fails on the way to the switch is told here.
static void serve(bool interrupted) {
    told = false;
    const weir_status status = weir_service_serve(&service, interrupted);
    if (status != WEIR_OK && status != service.found) {
        tell(NULL, "% ");
        console_write(dev.message);
        console_write("\n");
    }
    if (told) console_write(prompt);
}

int main(void) {
    console_open();
    start();
    console_write(prompt);
    for (;;) {
        const char* line = console_line();
        if (line != NULL) {
            if (strcmp(line, "poweroff") == 0) break;
            if (weir_shell_execute(&shell, line) != WEIR_OK) complain(weir_shell_error(&shell));
            console_write(prompt);
            continue;
        }
        const bool active = dev.started && weir_service_active(&service);
        const uint64_t wait = active ? weir_service_wait_ns(&service) : UINT64_MAX;
        const bool interrupted = active && firmware_switch_interrupt();
        if (interrupted || wait == 0) {
            serve(interrupted);
            continue;
        }
        firmware_sleep(wait);
    }
    console_flush();
    return 0;
}
