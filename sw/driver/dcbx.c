// SPDX-License-Identifier: Apache-2.0
// DCBX on the ports: what each does, what its station said, and whether the two agree.
#include "sw/include/weir/dcbx.h"

#include <string.h>

#include "sw/driver/access.h"
#include "sw/include/weir/cpu_port.h"
#include "sw/include/weir/forwarding.h"
#include "sw/include/weir/port.h"
#include "sw/include/weir/qos.h"
#include "sw/include/weir/scheduler.h"

enum { VALID_SECONDS = 120 };

void weir_dcbx_init(struct weir_dcbx* dcbx, struct weir_dev* dev,
                    void (*other)(void* ctx, uint32_t port, const uint8_t* frame, size_t octets), void* ctx) {
    memset(dcbx, 0, sizeof *dcbx);
    dcbx->dev = dev;
    dcbx->other = other;
    dcbx->ctx = ctx;
}

weir_status weir_dcbx_trap_set(struct weir_dev* dev, bool on) {
    static const uint8_t address[6] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e};
    const struct weir_target cpu = {WEIR_TARGET_CPU, 0};
    if (on) return weir_mac_set(dev, address, cpu);
    const weir_status status = weir_mac_remove(dev, address);
    return status == WEIR_E_NOT_FOUND ? WEIR_OK : status;
}

// Shares of the weights, in whole per cent; what rounding leaves goes to the first.
static void share(const uint32_t weight[8], uint32_t sum, uint8_t percent[8]) {
    uint32_t left = 100;
    for (uint32_t q = 0; q < 8; ++q) {
        percent[q] = (uint8_t)(weight[q] * 100 / sum);
        left -= percent[q];
    }
    for (uint32_t q = 0; q < 8 && left > 0; ++q) {
        if (weight[q] == 0) continue;
        percent[q]++;
        left--;
    }
}

weir_status weir_dcbx_local_get(struct weir_dev* dev, uint32_t port, struct weir_dcbx_message* m) {
    WEIR_TRY(weir_check_port(dev, port, false));
    memset(m, 0, sizeof *m);
    m->seconds = VALID_SECONDS;
    m->has_ets = m->has_pfc = true;
    m->pfc_capability = 8;
    m->pfc_enabled = dev->ports[port].enabled;
    uint32_t used = 0;
    for (uint32_t p = 0; p < dev->caps.priorities; ++p) {
        uint32_t queue = 0;
        WEIR_TRY(weir_class_queue_get(dev, port, p, &queue));
        m->priority_class[p] = (uint8_t)queue;
        used |= 1u << queue;
    }
    uint32_t weight[8] = {0};
    uint32_t sum = 0;
    for (uint32_t q = 0; q < dev->caps.queues; ++q) {
        weir_schedule mode = WEIR_STRICT;
        uint32_t of_queue = 0;
        WEIR_TRY(weir_queue_schedule_get(dev, port, q, &mode, &of_queue));
        if (mode == WEIR_STRICT || (used >> q & 1u) == 0) continue;
        m->selection[q] = WEIR_DCBX_ETS;
        weight[q] = of_queue == 0 ? 1 : of_queue;
        sum += weight[q];
    }
    if (sum > 0) share(weight, sum, m->percent);
    return WEIR_OK;
}

weir_status weir_dcbx_send(struct weir_dev* dev, uint32_t port) {
    struct weir_dcbx_message m;
    uint8_t address[6];
    uint8_t frame[WEIR_DCBX_FRAME_OCTETS];
    WEIR_TRY(weir_dcbx_local_get(dev, port, &m));
    WEIR_TRY(weir_port_address_get(dev, port, address));
    return weir_cpu_send(dev, port, frame, weir_dcbx_encode(frame, address, &m));
}

static void take(struct weir_dcbx* dcbx, uint32_t port, const uint8_t* frame, size_t octets) {
    struct weir_dcbx_message m;
    const weir_dcbx_error error = weir_dcbx_decode(frame, octets, &m);
    if (error == WEIR_DCBX_NOT_LLDP || port >= dcbx->dev->caps.ports) {
        if (dcbx->other != NULL) dcbx->other(dcbx->ctx, port, frame, octets);
        return;
    }
    struct weir_dcbx_peer* peer = &dcbx->ports[port];
    peer->frames++;
    if (error != WEIR_DCBX_FINE) {
        peer->malformed++;
        peer->last_error = error;
        weir_note(dcbx->dev, WEIR_LOG_WARNING, "port %u: LLDP refused: %s", port,
                  weir_dcbx_error_text((uint32_t)error));
        return;
    }
    peer->heard = true;
    peer->heard_ns = dcbx->dev->hal.now_ns(dcbx->dev->hal.ctx);
    peer->message = m;
}

weir_status weir_dcbx_poll(struct weir_dcbx* dcbx) {
    for (;;) {
        uint32_t waiting = 0;
        uint32_t port = 0;
        size_t octets = sizeof dcbx->frame;
        WEIR_TRY(weir_cpu_waiting(dcbx->dev, &waiting));
        if (waiting == 0) return WEIR_OK;
        WEIR_TRY(weir_cpu_receive(dcbx->dev, dcbx->frame, &octets, &port));
        take(dcbx, port, dcbx->frame, octets);
    }
}

weir_status weir_dcbx_status_get(struct weir_dcbx* dcbx, uint32_t port, struct weir_dcbx_status* s) {
    struct weir_dev* dev = dcbx->dev;
    struct weir_port_status link;
    memset(s, 0, sizeof *s);
    WEIR_TRY(weir_dcbx_local_get(dev, port, &s->local));
    WEIR_TRY(weir_port_status_get(dev, port, &link));
    const struct weir_dcbx_peer* peer = &dcbx->ports[port];
    s->frames = peer->frames;
    s->malformed = peer->malformed;
    s->last_error = peer->last_error;
    const uint64_t age = dev->hal.now_ns(dev->hal.ctx) - peer->heard_ns;
    const bool valid = peer->heard && link.link && age < (uint64_t)peer->message.seconds * 1000000000;
    if (!valid || !peer->message.has_pfc) return WEIR_OK;
    s->peer = peer->message;
    s->pfc_differs = (uint8_t)(s->local.pfc_enabled ^ s->peer.pfc_enabled);
    s->ets_differs = s->peer.has_ets && (memcmp(s->local.priority_class, s->peer.priority_class, 8) != 0 ||
                                         memcmp(s->local.percent, s->peer.percent, 8) != 0 ||
                                         memcmp(s->local.selection, s->peer.selection, 8) != 0);
    s->state = s->pfc_differs != 0 || s->ets_differs ? WEIR_DCBX_MISMATCHED : WEIR_DCBX_AGREED;
    return WEIR_OK;
}
