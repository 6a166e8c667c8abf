// SPDX-License-Identifier: Apache-2.0
// What a driver does between commands: takes interrupts, polls the watchdog in software, and tells how counters move.
//
//   interrupt line, or the time that weir_service_wait_ns gave ─► weir_service_serve ─► lines of text
//
// It never waits itself, so that one loop can serve a console too: the firmware's main loop, or a thread on a host.
#pragma once

#include "sw/include/weir/device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weir_watchdog;

enum {
    WEIR_SERVICE_CAUSES = 10,
    WEIR_SERVICE_STORM_COUNT = 64,             ///< so many times within …
    WEIR_SERVICE_STORM_WINDOW_NS = 1000000,    ///< … this long, and a cause is masked
    WEIR_SERVICE_FLAPS = 4,                    ///< so often down within …
    WEIR_SERVICE_FLAP_WINDOW_NS = 1000000000,  ///< … this long, and a link is flapping
    WEIR_SERVICE_COUNTERS_LEAST_NS = 10000
};

/// Sums over all front ports.
struct weir_service_sums {
    uint64_t rx_frames, tx_frames, discards, pfc_sent, pfc_received, pfc_malformed;
};

/// The caller provides the memory. Fields are for reading only.
struct weir_service {
    struct weir_dev* dev;
    struct weir_watchdog* watchdog;  ///< polled when it watches a port; may be null
    void (*print)(void* ctx, const char* text);
    void* ctx;
    uint32_t causes;       ///< enabled; bits of enum weir_interrupt
    uint32_t storming;     ///< masked, because they came too often
    uint64_t counters_ns;  ///< 0: counters are not polled
    uint64_t next_counters_ns, next_watchdog_ns;
    struct weir_service_sums last;
    weir_status found;                         ///< the first thing wrong of the present call
    char message[WEIR_MESSAGE_OCTETS];         ///< about it
    uint64_t interrupts[WEIR_SERVICE_CAUSES];  ///< taken, of each cause
    struct {
        uint64_t begin_ns;
        uint32_t count;
    } window[WEIR_SERVICE_CAUSES + 1];  ///< the last: interrupts without a cause
    struct {
        bool up;
        uint64_t begin_ns;
        uint32_t downs;
    } links[WEIR_MAX_PORTS];
    uint8_t told_faults[WEIR_MAX_PORTS];  ///< of pfc.fault: they stay set until an operator clears them
};

void weir_service_init(struct weir_service* service, struct weir_dev* dev, struct weir_watchdog* watchdog,
                       void (*print)(void* ctx, const char* text), void* ctx);
/// Which causes interrupt and are told of; how the links are is noted. WEIR_OK with none: they are all masked.
weir_status weir_service_interrupts_set(struct weir_service* service, uint32_t causes);
/// Tells the sums of the ports' counters so often; 0: not. WEIR_E_RANGE below WEIR_SERVICE_COUNTERS_LEAST_NS.
weir_status weir_service_counters_set(struct weir_service* service, uint64_t ns);
/// Anything to do at all, ever?
bool weir_service_active(const struct weir_service* service);
/// Until something is due without an interrupt; UINT64_MAX: nothing will be.
uint64_t weir_service_wait_ns(const struct weir_service* service);
/// Does what is due; `interrupted`: the line was asserted, so takes its causes first. What it finds wrong is its
/// status, the first of several, and dev's message; each is told as well:
///   WEIR_E_STORM           a cause came too often and is masked now, or the line is asserted without one and all are;
///                          weir_service_interrupts_set enables them again
///   WEIR_E_LOST_INTERRUPT  when counters are due it looks for causes too: one was pending, and no interrupt had come
///   WEIR_E_FLAPPING, WEIR_E_PFC_STORM, WEIR_E_CONFORMANCE, WEIR_E_CORRECTED, WEIR_E_ECC   by their interrupts
///   WEIR_E_MALFORMED       when counters are due: PFC frames of a wrong length, address or FCS came
weir_status weir_service_serve(struct weir_service* service, bool interrupted);

/// "watchdog" and so on, for one bit of enum weir_interrupt; "?" for what is none.
const char* weir_interrupt_text(uint32_t cause);

#ifdef __cplusplus
}
#endif
