// SPDX-License-Identifier: Apache-2.0
// Interrupts, the watchdog's polls, and a line about counters that moved.
#include "sw/include/weir/service.h"

#include <stdarg.h>
#include <string.h>

#include "sw/driver/access.h"
#include "sw/driver/text.h"
#include "sw/include/weir/counters.h"
#include "sw/include/weir/forwarding.h"
#include "sw/include/weir/pfc.h"
#include "sw/include/weir/port.h"
#include "sw/include/weir/watchdog.h"

static const char* const cause_names[WEIR_SERVICE_CAUSES] = {
    "access_error", "config_error", "link", "cpu_rx", "fault", "threshold", "conformance", "watchdog", "stall", "ecc"};

const char* weir_interrupt_text(uint32_t cause) {
    for (uint32_t n = 0; n < WEIR_SERVICE_CAUSES; ++n)
        if (cause == 1u << n) return cause_names[n];
    return "?";
}

static void tell(struct weir_service* service, const char* format, ...) {
    if (service->print == NULL) return;
    char text[WEIR_MESSAGE_OCTETS];
    va_list values;
    va_start(values, format);
    weir_text_append_list(text, sizeof text, 0, format, values);
    va_end(values);
    service->print(service->ctx, text);
}

static uint64_t now_ns(const struct weir_service* service) {
    return service->dev->hal.now_ns(service->dev->hal.ctx);
}

void weir_service_init(struct weir_service* service, struct weir_dev* dev, struct weir_watchdog* watchdog,
                       void (*print)(void* ctx, const char* text), void* ctx) {
    memset(service, 0, sizeof *service);
    service->dev = dev;
    service->watchdog = watchdog;
    service->print = print;
    service->ctx = ctx;
}

static weir_status look_at_link(struct weir_service* service, uint32_t port, bool* up) {
    struct weir_port_status status;
    WEIR_TRY(weir_port_status_get(service->dev, port, &status));
    *up = status.link;
    return WEIR_OK;
}

weir_status weir_service_interrupts_set(struct weir_service* service, uint32_t causes) {
    if (causes & WEIR_INT_LINK)
        for (uint32_t port = 0; port < service->dev->caps.ports; ++port)
            WEIR_TRY(look_at_link(service, port, &service->links[port].up));
    WEIR_TRY(weir_interrupts_enable(service->dev, causes));
    service->causes = causes;
    service->storming = 0;
    memset(service->window, 0, sizeof service->window);
    return WEIR_OK;
}

static weir_status add_up(struct weir_service* service, struct weir_service_sums* sums) {
    struct weir_dev* dev = service->dev;
    memset(sums, 0, sizeof *sums);
    for (uint32_t port = 0; port < dev->caps.ports; ++port) {
        struct weir_port_counters c;
        struct weir_pfc_port_counters p;
        WEIR_TRY(weir_port_counters_get(dev, port, &c));
        WEIR_TRY(weir_pfc_port_counters_get(dev, port, &p));
        sums->rx_frames += c.rx_frames;
        sums->tx_frames += c.tx_frames;
        sums->discards += c.rx_discards;
        sums->pfc_sent += p.tx_frames;
        sums->pfc_received += p.seen;
        sums->pfc_malformed += p.malformed + p.wrong_da + p.bad_fcs;
    }
    return WEIR_OK;
}

weir_status weir_service_counters_set(struct weir_service* service, uint64_t ns) {
    WEIR_TRY(weir_check_started(service->dev));
    if (ns != 0 && ns < WEIR_SERVICE_COUNTERS_LEAST_NS)
        return weir_fail(service->dev, WEIR_E_RANGE, "counters every %U ns: %u at least", ns,
                         (uint32_t)WEIR_SERVICE_COUNTERS_LEAST_NS);
    if (ns != 0) WEIR_TRY(add_up(service, &service->last));
    service->counters_ns = ns;
    service->next_counters_ns = now_ns(service) + ns;
    return WEIR_OK;
}

static bool watches(const struct weir_service* service) {
    if (service->watchdog == NULL) return false;
    for (uint32_t port = 0; port < service->dev->caps.ports; ++port)
        if (service->watchdog->ports[port].watched != 0) return true;
    return false;
}

bool weir_service_active(const struct weir_service* service) {
    return service->causes != 0 || service->counters_ns != 0 || watches(service);
}

// The watchdog's first poll is an interval after the first look at it.
static uint64_t watchdog_due(const struct weir_service* service) {
    if (service->next_watchdog_ns != 0) return service->next_watchdog_ns;
    return now_ns(service) + (uint64_t)service->watchdog->poll_ms * 1000000;
}

uint64_t weir_service_wait_ns(const struct weir_service* service) {
    uint64_t due = UINT64_MAX;
    if (service->counters_ns != 0) due = service->next_counters_ns;
    if (watches(service) && watchdog_due(service) < due) due = watchdog_due(service);
    if (due == UINT64_MAX) return due;
    const uint64_t now = now_ns(service);
    return due > now ? due - now : 0;
}

// Tells what was found wrong, and keeps the first for who called.
static void find(struct weir_service* service, weir_status what, const char* format, ...) {
    char text[WEIR_MESSAGE_OCTETS];
    va_list values;
    va_start(values, format);
    weir_text_append_list(text, sizeof text, 0, format, values);
    va_end(values);
    tell(service, "%s\n", text);
    if (service->found != WEIR_OK) return;
    service->found = what;
    memcpy(service->message, text, sizeof text);
}

static weir_status tell_watchdog(struct weir_service* service) {
    for (uint32_t port = 0; port < service->dev->caps.ports; ++port) {
        struct weir_wd_events e;
        if (service->dev->ports[port].watchdog == 0) continue;
        WEIR_TRY(weir_wd_events_take(service->dev, port, &e));
        for (uint32_t q = 0; q < service->dev->caps.queues; ++q) {
            if (e.detected >> q & 1u)
                find(service, WEIR_E_PFC_STORM, "watchdog: interface %u queue %u: storm detected", port, q);
            if (e.recovered >> q & 1u) tell(service, "watchdog: interface %u queue %u: recovered\n", port, q);
        }
    }
    return WEIR_OK;
}

static weir_status tell_stalls(struct weir_service* service) {
    for (uint32_t port = 0; port < service->dev->caps.ports; ++port) {
        uint8_t suspected = 0;
        uint8_t escaped = 0;
        WEIR_TRY(weir_stall_hits_take(service->dev, port, &suspected, &escaped));
        for (uint32_t q = 0; q < service->dev->caps.queues; ++q) {
            if (suspected >> q & 1u) find(service, WEIR_E_PFC_STORM, "stall: interface %u queue %u: suspect", port, q);
            if (escaped >> q & 1u)
                find(service, WEIR_E_PFC_STORM, "stall: interface %u queue %u: thrown away", port, q);
        }
    }
    return WEIR_OK;
}

static weir_status tell_links(struct weir_service* service) {
    const uint64_t now = now_ns(service);
    for (uint32_t port = 0; port < service->dev->caps.ports; ++port) {
        bool up = false;
        WEIR_TRY(look_at_link(service, port, &up));
        if (up == service->links[port].up) continue;
        service->links[port].up = up;
        tell(service, "link: interface %u %s\n", port, up ? "up" : "down");
        if (up) continue;
        if (service->links[port].downs == 0 || now - service->links[port].begin_ns > WEIR_SERVICE_FLAP_WINDOW_NS) {
            service->links[port].begin_ns = now;
            service->links[port].downs = 0;
        }
        if (++service->links[port].downs == WEIR_SERVICE_FLAPS)
            find(service, WEIR_E_FLAPPING, "link: interface %u went down %u times within %u ms", port,
                 (uint32_t)WEIR_SERVICE_FLAPS, (uint32_t)WEIR_SERVICE_FLAP_WINDOW_NS / 1000000);
    }
    return WEIR_OK;
}

static weir_status tell_conformance(struct weir_service* service) {
    for (uint32_t port = 0; port < service->dev->caps.ports; ++port) {
        struct weir_pfc_conformance c;
        WEIR_TRY(weir_pfc_conformance_get(service->dev, port, &c));
        const uint8_t news = (uint8_t)(c.faults & ~service->told_faults[port]);
        service->told_faults[port] = c.faults;
        for (uint32_t n = 0; n < WEIR_PFC_FAULTS; ++n)
            if (news >> n & 1u)
                find(service, WEIR_E_CONFORMANCE, "conformance: interface %u: %s", port, weir_pfc_fault_text(n));
    }
    return WEIR_OK;
}

static weir_status tell_errors(struct weir_service* service) {
    static const char* const tables[] = {"mac", "ipv4", "ipv6", "ecmp"};
    uint8_t corrected = 0;
    uint8_t lost = 0;
    WEIR_TRY(weir_table_errors_take(service->dev, &corrected, &lost));
    for (uint32_t t = 0; t < 4; ++t) {
        if (corrected >> t & 1u) find(service, WEIR_E_CORRECTED, "ecc: table %s: a bit error was corrected", tables[t]);
        if (lost >> t & 1u) find(service, WEIR_E_ECC, "ecc: table %s: an entry is lost to a bit error", tables[t]);
    }
    return WEIR_OK;
}

static weir_status tell_cause(struct weir_service* service, uint32_t cause) {
    if (cause == WEIR_INT_WATCHDOG) return tell_watchdog(service);
    if (cause == WEIR_INT_STALL) return tell_stalls(service);
    if (cause == WEIR_INT_LINK) return tell_links(service);
    if (cause == WEIR_INT_CONFORMANCE) return tell_conformance(service);
    if (cause == WEIR_INT_ECC) return tell_errors(service);
    tell(service, "interrupt: %s\n", weir_interrupt_text(cause));
    return WEIR_OK;
}

// A cause that comes again as soon as it is cleared would leave no time for anything else.
static bool storms(struct weir_service* service, uint32_t n, uint64_t now) {
    if (service->window[n].count == 0 || now - service->window[n].begin_ns > WEIR_SERVICE_STORM_WINDOW_NS) {
        service->window[n].begin_ns = now;
        service->window[n].count = 0;
    }
    return ++service->window[n].count >= WEIR_SERVICE_STORM_COUNT;
}

static void masked(struct weir_service* service, const char* what, const char* name) {
    find(service, WEIR_E_STORM, "%s%s came %u times within %u us: masked", what, name,
         (uint32_t)WEIR_SERVICE_STORM_COUNT, (uint32_t)WEIR_SERVICE_STORM_WINDOW_NS / 1000);
}

// The causes that are pending, told each in its way. `counted`: an interrupt brought them.
static weir_status handle(struct weir_service* service, uint32_t causes, bool counted) {
    const uint32_t before = service->storming;
    for (uint32_t n = 0; n < WEIR_SERVICE_CAUSES; ++n) {
        if ((causes >> n & 1u) == 0) continue;
        service->interrupts[n]++;
        if (counted && storms(service, n, now_ns(service))) {
            service->storming |= 1u << n;
            masked(service, "interrupt ", cause_names[n]);
        } else {
            WEIR_TRY(tell_cause(service, 1u << n));
        }
    }
    if (service->storming == before) return WEIR_OK;
    return weir_interrupts_enable(service->dev, service->causes & ~service->storming);
}

static weir_status take_interrupts(struct weir_service* service) {
    uint32_t causes = 0;
    WEIR_TRY(weir_interrupts_take(service->dev, &causes));
    const uint32_t enabled = causes & service->causes & ~service->storming;
    if (enabled != 0) return handle(service, enabled, true);
    if (!storms(service, WEIR_SERVICE_CAUSES, now_ns(service))) return WEIR_OK;
    masked(service, "an interrupt without a cause", "");
    return weir_service_interrupts_set(service, 0);
}

// A cause that is pending although the line is not asserted was not told by an interrupt.
static weir_status look_for_lost(struct weir_service* service) {
    uint32_t causes = 0;
    if (service->causes == 0) return WEIR_OK;
    WEIR_TRY(weir_interrupts_take(service->dev, &causes));
    const uint32_t enabled = causes & service->causes & ~service->storming;
    for (uint32_t n = 0; n < WEIR_SERVICE_CAUSES; ++n)
        if (enabled >> n & 1u)
            find(service, WEIR_E_LOST_INTERRUPT, "interrupt %s was pending and had not come", cause_names[n]);
    return enabled == 0 ? WEIR_OK : handle(service, enabled, false);
}

static weir_status tell_counters(struct weir_service* service) {
    struct weir_service_sums s;
    WEIR_TRY(add_up(service, &s));
    if (memcmp(&s, &service->last, sizeof s) != 0)
        tell(service, "counters: rx %U tx %U frames, discards %U, pfc sent %U received %U\n", s.rx_frames, s.tx_frames,
             s.discards, s.pfc_sent, s.pfc_received);
    // Modulo 2^64: a counter that wrapped between two looks has still moved by the difference.
    const uint64_t malformed = s.pfc_malformed - service->last.pfc_malformed;
    service->last = s;
    if (malformed != 0) find(service, WEIR_E_MALFORMED, "pfc: %U malformed frames", malformed);
    return WEIR_OK;
}

static weir_status poll_counters(struct weir_service* service, bool interrupted) {
    if (service->counters_ns == 0 || now_ns(service) < service->next_counters_ns) return WEIR_OK;
    service->next_counters_ns += service->counters_ns;
    // Whoever was away for long tells the present once, not the past.
    if (service->next_counters_ns <= now_ns(service))
        service->next_counters_ns = now_ns(service) + service->counters_ns;
    if (!interrupted) WEIR_TRY(look_for_lost(service));
    return tell_counters(service);
}

static weir_status poll_watchdog(struct weir_service* service) {
    if (!watches(service)) {
        service->next_watchdog_ns = 0;
        return WEIR_OK;
    }
    const uint64_t due = watchdog_due(service);
    service->next_watchdog_ns = due;
    if (now_ns(service) < due) return WEIR_OK;
    service->next_watchdog_ns = now_ns(service) + (uint64_t)service->watchdog->poll_ms * 1000000;
    return weir_watchdog_poll(service->watchdog);
}

static weir_status serve(struct weir_service* service, bool interrupted) {
    if (interrupted && service->causes != 0) WEIR_TRY(take_interrupts(service));
    WEIR_TRY(poll_counters(service, interrupted));
    return poll_watchdog(service);
}

weir_status weir_service_serve(struct weir_service* service, bool interrupted) {
    service->found = WEIR_OK;
    WEIR_TRY(serve(service, interrupted));
    if (service->found == WEIR_OK) return WEIR_OK;
    return weir_fail(service->dev, service->found, "%s", service->message);
}
