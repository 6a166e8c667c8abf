// SPDX-License-Identifier: Apache-2.0
// DCBX: what the station at a port says of its priorities by LLDP, beside what the port does.
//
//   station ── LLDP ──► port ──► CPU port ──► weir_dcbx_poll ──► agreed, mismatched or absent
//   station ◄─ LLDP ── port ◄── weir_dcbx_send
//
// The switch never yields: it is not willing. A station that is willing takes what the switch sends, and says so again.
#pragma once

#include <stddef.h>

#include "sw/include/weir/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Why a frame was refused as a whole.
typedef enum weir_dcbx_error {
    WEIR_DCBX_FINE,
    WEIR_DCBX_NOT_LLDP,        ///< another EtherType or address
    WEIR_DCBX_TRUNCATED,       ///< a TLV reaches beyond the frame, or there is no end
    WEIR_DCBX_ORDER,           ///< chassis, port and TTL are not the first three
    WEIR_DCBX_IDENTIFIER,      ///< a chassis or port identifier of no octet, or of too many
    WEIR_DCBX_TTL_LENGTH,      ///< a TTL that is not two octets
    WEIR_DCBX_DUPLICATE,       ///< the same TLV twice
    WEIR_DCBX_ORGANIZATION,    ///< an organization's TLV too short for its name
    WEIR_DCBX_ETS_LENGTH,      ///< an ETS TLV that is not 25 octets
    WEIR_DCBX_ETS_CLASS,       ///< a priority in a class 8 to 14
    WEIR_DCBX_ETS_PERCENT,     ///< shares above 100, or not 100 together
    WEIR_DCBX_ETS_SELECTION,   ///< a reserved way of selecting
    WEIR_DCBX_PFC_LENGTH,      ///< a PFC TLV that is not 6 octets
    WEIR_DCBX_PFC_CAPABILITY,  ///< a capability above 8, or more priorities enabled than it says
    WEIR_DCBX_ERRORS
} weir_dcbx_error;
/// "ets_percent" and so on; "?" for what is none.
const char* weir_dcbx_error_text(uint32_t error);

enum { WEIR_DCBX_STRICT = 0, WEIR_DCBX_ETS = 2, WEIR_DCBX_FRAME_OCTETS = 256, WEIR_DCBX_LONGEST = 16000 };

/// An ETS and a PFC configuration, as subtypes 9 and 11 have them.
struct weir_dcbx_message {
    uint16_t seconds;  ///< how long it is valid; 0: no longer
    bool has_ets, ets_willing;
    uint8_t ets_classes;        ///< most that it supports; 0 stands for 8
    uint8_t priority_class[8];  ///< 0 to 7; 15: none
    uint8_t percent[8];         ///< of the classes that are WEIR_DCBX_ETS: 100 together
    uint8_t selection[8];       ///< WEIR_DCBX_STRICT, 1 (credit based), WEIR_DCBX_ETS, 255
    bool has_pfc, pfc_willing, pfc_macsec_bypass;
    uint8_t pfc_capability;  ///< how many priorities may be enabled at once; 0 stands for 8
    uint8_t pfc_enabled;     ///< a bit a priority
};

/// `octets`: FCS not among them. The message is left alone when the frame is refused.
weir_dcbx_error weir_dcbx_decode(const uint8_t* frame, size_t octets, struct weir_dcbx_message* message);
/// Into a buffer of WEIR_DCBX_FRAME_OCTETS; its length, FCS not among it.
size_t weir_dcbx_encode(uint8_t* frame, const uint8_t source[6], const struct weir_dcbx_message* message);

typedef enum weir_dcbx_state {
    WEIR_DCBX_ABSENT,  ///< no message that is still valid says anything of PFC
    WEIR_DCBX_AGREED,
    WEIR_DCBX_MISMATCHED  ///< the status says what differs
} weir_dcbx_state;

struct weir_dcbx_status {
    weir_dcbx_state state;
    struct weir_dcbx_message local, peer;  ///< peer: valid unless absent
    uint8_t pfc_differs;                   ///< priorities that are lossless on one side alone
    bool ets_differs;                      ///< the peer told its ETS, and it is not the port's
    uint64_t frames, malformed;
    weir_dcbx_error last_error;  ///< of the last malformed frame
};

/// What was heard on a port.
struct weir_dcbx_peer {
    bool heard;
    uint64_t heard_ns;
    struct weir_dcbx_message message;
    uint64_t frames, malformed;
    weir_dcbx_error last_error;
};

/// The caller provides the memory. Fields are for reading only.
struct weir_dcbx {
    struct weir_dev* dev;
    /// Gets frames from the CPU port that are not LLDP; may be null: they are thrown away.
    void (*other)(void* ctx, uint32_t port, const uint8_t* frame, size_t octets);
    void* ctx;
    struct weir_dcbx_peer ports[WEIR_MAX_PORTS];
    uint8_t frame[WEIR_DCBX_LONGEST];  ///< the one in hand
};

void weir_dcbx_init(struct weir_dcbx* dcbx, struct weir_dev* dev,
                    void (*other)(void* ctx, uint32_t port, const uint8_t* frame, size_t octets), void* ctx);
/// LLDP frames go to the CPU port, or nowhere. Before ports come up: stations speak when their link does.
weir_status weir_dcbx_trap_set(struct weir_dev* dev, bool on);
/// What the port does, as a message: PFC as enabled, ETS as its queues are scheduled (traffic class n is queue n).
weir_status weir_dcbx_local_get(struct weir_dev* dev, uint32_t port, struct weir_dcbx_message* message);
/// Tells the station at the port.
weir_status weir_dcbx_send(struct weir_dev* dev, uint32_t port);
/// Takes every frame that waits at the CPU port.
weir_status weir_dcbx_poll(struct weir_dcbx* dcbx);
weir_status weir_dcbx_status_get(struct weir_dcbx* dcbx, uint32_t port, struct weir_dcbx_status* status);

#ifdef __cplusplus
}
#endif
