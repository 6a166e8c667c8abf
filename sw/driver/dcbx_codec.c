// SPDX-License-Identifier: Apache-2.0
// LLDP frames with DCBX in them: octets to messages and back. No register is touched here.
#include <string.h>

#include "sw/include/weir/dcbx.h"

enum {
    HEADER = 14,
    TLV_END = 0,
    TLV_CHASSIS = 1,
    TLV_PORT = 2,
    TLV_TTL = 3,
    TLV_ORGANIZATION = 127,
    ETS = 9,
    PFC = 11,
    ETS_OCTETS = 25,
    ETS_RECOMMENDATION = 10,
    PFC_OCTETS = 6,
    TABLE_AT = 5,
    GREATEST_IDENTIFIER = 256,
    SHORTEST = 60,
    NO_CLASS = 15
};

static const uint8_t lldp_address[6] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e};
static const uint8_t ieee_802_1[3] = {0x00, 0x80, 0xc2};

const char* weir_dcbx_error_text(uint32_t error) {
    static const char* const names[WEIR_DCBX_ERRORS] = {
        "none",         "not_lldp",   "truncated", "order",       "identifier",    "ttl_length", "duplicate",
        "organization", "ets_length", "ets_class", "ets_percent", "ets_selection", "pfc_length", "pfc_capability"};
    return error < WEIR_DCBX_ERRORS ? names[error] : "?";
}

static weir_dcbx_error read_table(const uint8_t* value, struct weir_dcbx_message* m) {
    uint32_t sum = 0;
    bool any_ets = false;
    for (uint32_t i = 0; i < 8; ++i) {
        const uint8_t pair = value[TABLE_AT + i / 2];
        m->priority_class[i] = i % 2 == 0 ? (uint8_t)(pair >> 4) : (uint8_t)(pair & 0x0f);
        m->percent[i] = value[TABLE_AT + 4 + i];
        m->selection[i] = value[TABLE_AT + 12 + i];
        if (m->priority_class[i] > 7 && m->priority_class[i] != NO_CLASS) return WEIR_DCBX_ETS_CLASS;
        if (m->selection[i] > WEIR_DCBX_ETS && m->selection[i] != 255) return WEIR_DCBX_ETS_SELECTION;
        if (m->percent[i] > 100) return WEIR_DCBX_ETS_PERCENT;
        if (m->selection[i] != WEIR_DCBX_ETS) continue;
        any_ets = true;
        sum += m->percent[i];
    }
    return any_ets && sum != 100 ? WEIR_DCBX_ETS_PERCENT : WEIR_DCBX_FINE;
}

static weir_dcbx_error read_pfc(const uint8_t* value, struct weir_dcbx_message* m) {
    m->has_pfc = true;
    m->pfc_willing = (value[4] & 0x80) != 0;
    m->pfc_macsec_bypass = (value[4] & 0x40) != 0;
    m->pfc_capability = value[4] & 0x0f;
    m->pfc_enabled = value[5];
    const uint32_t most = m->pfc_capability == 0 ? 8 : m->pfc_capability;
    uint32_t enabled = 0;
    for (uint32_t p = 0; p < 8; ++p) enabled += (uint32_t)(m->pfc_enabled >> p & 1);
    return most > 8 || enabled > most ? WEIR_DCBX_PFC_CAPABILITY : WEIR_DCBX_FINE;
}

// `seen`: a bit for each subtype that came already. A recommendation is checked and not kept: the switch is not
// willing.
static weir_dcbx_error read_organization(const uint8_t* value, size_t octets, uint32_t* seen,
                                         struct weir_dcbx_message* m) {
    if (octets < 4) return WEIR_DCBX_ORGANIZATION;
    if (memcmp(value, ieee_802_1, sizeof ieee_802_1) != 0) return WEIR_DCBX_FINE;
    const uint32_t subtype = value[3];
    if (subtype != ETS && subtype != ETS_RECOMMENDATION && subtype != PFC) return WEIR_DCBX_FINE;
    if (subtype != PFC && octets != ETS_OCTETS) return WEIR_DCBX_ETS_LENGTH;
    if (subtype == PFC && octets != PFC_OCTETS) return WEIR_DCBX_PFC_LENGTH;
    if ((*seen >> subtype & 1) != 0) return WEIR_DCBX_DUPLICATE;
    *seen |= 1u << subtype;
    if (subtype == PFC) return read_pfc(value, m);
    struct weir_dcbx_message table = *m;
    const weir_dcbx_error error = read_table(value, &table);
    if (error != WEIR_DCBX_FINE || subtype != ETS) return error;
    *m = table;
    m->has_ets = true;
    m->ets_willing = (value[4] & 0x80) != 0;
    m->ets_classes = value[4] & 0x07;
    return WEIR_DCBX_FINE;
}

// The first three, in their order.
static weir_dcbx_error read_mandatory(uint32_t type, uint32_t number, const uint8_t* value, size_t octets,
                                      struct weir_dcbx_message* m) {
    if (type != number + TLV_CHASSIS) return WEIR_DCBX_ORDER;
    if (type != TLV_TTL) return octets < 2 || octets > GREATEST_IDENTIFIER ? WEIR_DCBX_IDENTIFIER : WEIR_DCBX_FINE;
    if (octets != 2) return WEIR_DCBX_TTL_LENGTH;
    m->seconds = (uint16_t)(value[0] << 8 | value[1]);
    return WEIR_DCBX_FINE;
}

static weir_dcbx_error read_tlvs(const uint8_t* data, size_t octets, struct weir_dcbx_message* m) {
    uint32_t seen = 0;
    size_t at = 0;
    for (uint32_t number = 0;; ++number) {
        if (octets - at < 2) return WEIR_DCBX_TRUNCATED;
        const uint32_t type = data[at] >> 1;
        const size_t length = (size_t)((data[at] & 1) << 8 | data[at + 1]);
        const uint8_t* value = data + at + 2;
        if (octets - at - 2 < length) return WEIR_DCBX_TRUNCATED;
        at += 2 + length;
        weir_dcbx_error error = WEIR_DCBX_FINE;
        if (number < TLV_TTL)
            error = read_mandatory(type, number, value, length, m);
        else if (type == TLV_END)
            return WEIR_DCBX_FINE;  // what follows is padding
        else if (type <= TLV_TTL)
            error = WEIR_DCBX_DUPLICATE;
        else if (type == TLV_ORGANIZATION)
            error = read_organization(value, length, &seen, m);
        if (error != WEIR_DCBX_FINE) return error;
    }
}

weir_dcbx_error weir_dcbx_decode(const uint8_t* frame, size_t octets, struct weir_dcbx_message* message) {
    if (octets < HEADER || memcmp(frame, lldp_address, sizeof lldp_address) != 0 || frame[12] != 0x88 ||
        frame[13] != 0xcc)
        return WEIR_DCBX_NOT_LLDP;
    struct weir_dcbx_message m;
    memset(&m, 0, sizeof m);
    const weir_dcbx_error error = read_tlvs(frame + HEADER, octets - HEADER, &m);
    if (error == WEIR_DCBX_FINE) *message = m;
    return error;
}

static size_t put_identifier(uint8_t* at, uint32_t type, uint8_t kind, const uint8_t source[6]) {
    at[0] = (uint8_t)(type << 1);
    at[1] = 7;
    at[2] = kind;
    memcpy(at + 3, source, 6);
    return 9;
}

static size_t put_organization(uint8_t* at, uint8_t octets, uint8_t subtype, uint32_t flags) {
    at[0] = TLV_ORGANIZATION << 1;
    at[1] = octets;
    memcpy(at + 2, ieee_802_1, sizeof ieee_802_1);
    at[5] = subtype;
    at[6] = (uint8_t)flags;
    return 2 + (size_t)octets;
}

size_t weir_dcbx_encode(uint8_t* frame, const uint8_t source[6], const struct weir_dcbx_message* m) {
    memset(frame, 0, WEIR_DCBX_FRAME_OCTETS);
    memcpy(frame, lldp_address, sizeof lldp_address);
    memcpy(frame + 6, source, 6);
    frame[12] = 0x88;
    frame[13] = 0xcc;
    size_t at = HEADER;
    at += put_identifier(frame + at, TLV_CHASSIS, 4, source);  // by MAC address
    at += put_identifier(frame + at, TLV_PORT, 3, source);
    frame[at] = TLV_TTL << 1;
    frame[at + 1] = 2;
    frame[at + 2] = (uint8_t)(m->seconds >> 8);
    frame[at + 3] = (uint8_t)m->seconds;
    at += 4;
    if (m->has_ets) {
        uint8_t* value = frame + at + 2;
        at += put_organization(frame + at, ETS_OCTETS, ETS, (m->ets_willing ? 0x80u : 0u) | (m->ets_classes & 7u));
        for (uint32_t i = 0; i < 4; ++i)
            value[TABLE_AT + i] = (uint8_t)(m->priority_class[2 * i] << 4 | m->priority_class[2 * i + 1]);
        memcpy(value + TABLE_AT + 4, m->percent, 8);
        memcpy(value + TABLE_AT + 12, m->selection, 8);
    }
    if (m->has_pfc) {
        uint8_t* value = frame + at + 2;
        at += put_organization(
            frame + at, PFC_OCTETS, PFC,
            (m->pfc_willing ? 0x80u : 0u) | (m->pfc_macsec_bypass ? 0x40u : 0u) | (m->pfc_capability & 0x0fu));
        value[5] = m->pfc_enabled;
    }
    at += 2;  // the end: two zeros
    return at < SHORTEST ? SHORTEST : at;
}
