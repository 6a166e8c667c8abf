// SPDX-License-Identifier: Apache-2.0
// Reading words: numbers, cells, lists, rates, probabilities, addresses; and saying what was expected instead.
#include "sw/shell/words.h"

#include <string.h>

const char* words_peek(const struct words* w) {
    return w->at < w->count ? w->word[w->at] : NULL;
}

const char* words_take(struct words* w) {
    return w->at < w->count ? w->word[w->at++] : NULL;
}

bool words_accept(struct words* w, const char* word) {
    const char* next = words_peek(w);
    if (next == NULL || strcmp(next, word) != 0) return false;
    w->at++;
    return true;
}

weir_status words_wrong(struct words* w, const char* what) {
    const char* found = words_peek(w);
    if (found == NULL) return shell_fail(w->shell, WEIR_E_SYNTAX, "expected %s at the end of the line", what);
    return shell_fail(w->shell, WEIR_E_SYNTAX, "expected %s, found \"%s\"", what, found);
}

weir_status words_expect(struct words* w, const char* word) {
    return words_accept(w, word) ? WEIR_OK : words_wrong(w, word);
}

weir_status words_end(struct words* w) {
    return w->at == w->count ? WEIR_OK : words_wrong(w, "the end of the line");
}

// Decimal digits only, the whole word, at most 2^32 - 1.
static bool to_number(const char* text, uint32_t* value) {
    uint64_t v = 0;
    if (text == NULL || *text == '\0') return false;
    for (; *text != '\0'; ++text) {
        if (*text < '0' || *text > '9') return false;
        v = v * 10 + (uint64_t)(*text - '0');
        if (v > UINT32_MAX) return false;
    }
    *value = (uint32_t)v;
    return true;
}

weir_status words_number(struct words* w, const char* what, uint32_t* value) {
    if (!to_number(words_peek(w), value)) return words_wrong(w, what);
    w->at++;
    return WEIR_OK;
}

weir_status words_cells(struct words* w, const char* what, bool round_down, uint32_t* cells) {
    WEIR_SHELL_TRY(words_number(w, what, cells));
    if (words_accept(w, "cells")) return WEIR_OK;
    if (words_accept(w, "octets")) {
        const uint32_t cell = w->shell->dev->caps.cell_octets;
        *cells = *cells / cell + (!round_down && *cells % cell != 0 ? 1 : 0);
    }
    if (*cells == WEIR_CELLS_UNLIMITED) return shell_fail(w->shell, WEIR_E_RANGE, "%s: too many cells", what);
    return WEIR_OK;
}

weir_status words_cells_or_unlimited(struct words* w, const char* what, uint32_t* cells) {
    if (words_accept(w, "unlimited")) {
        *cells = WEIR_CELLS_UNLIMITED;
        return WEIR_OK;
    }
    return words_cells(w, what, false, cells);
}

weir_status words_list(struct words* w, const char* what, uint32_t count, uint32_t* bits) {
    *bits = 0;
    const char* p = words_peek(w);
    if (p == NULL) return words_wrong(w, what);
    if (words_accept(w, "all")) {
        *bits = (1u << count) - 1;
        return WEIR_OK;
    }
    if (words_accept(w, "none")) return WEIR_OK;
    while (*p != '\0') {
        uint32_t bound[2] = {0, 0};
        for (int i = 0; i < 2; ++i) {
            if (*p < '0' || *p > '9') return words_wrong(w, what);
            for (; *p >= '0' && *p <= '9' && bound[i] < 1000; ++p) bound[i] = bound[i] * 10 + (uint32_t)(*p - '0');
            if (*p != '-' || i == 1) {
                if (i == 0) bound[1] = bound[0];
                break;
            }
            ++p;
        }
        if (bound[0] > bound[1]) return words_wrong(w, what);
        if (bound[1] >= count)
            return shell_fail(w->shell, WEIR_E_RANGE, "%s %u does not exist: 0 to %u", what, bound[1], count - 1);
        for (uint32_t i = bound[0]; i <= bound[1]; ++i) *bits |= 1u << i;
        if (*p == ',' && p[1] != '\0')
            ++p;
        else if (*p != '\0')
            return words_wrong(w, what);
    }
    w->at++;
    return WEIR_OK;
}

weir_status words_alpha(struct words* w, uint32_t* index) {
    static const char* const names[] = {"1/128", "1/64", "1/32", "1/16", "1/8", "1/4", "1/2", "1", "2", "4", "8"};
    const char* word = words_peek(w);
    for (uint32_t i = 0; word != NULL && i < sizeof names / sizeof names[0]; ++i)
        if (strcmp(word, names[i]) == 0) {
            *index = i;
            w->at++;
            return WEIR_OK;
        }
    return words_wrong(w, "an alpha: 1/128 1/64 1/32 1/16 1/8 1/4 1/2 1 2 4 8");
}

// "1.6" with up to three digits after the point, in thousandths. Returns what follows, or null.
static const char* to_thousandths(const char* text, uint64_t* value) {
    uint64_t v = 0;
    if (text == NULL || *text < '0' || *text > '9') return NULL;
    for (; *text >= '0' && *text <= '9'; ++text) {
        v = v * 10 + (uint64_t)(*text - '0');
        if (v > UINT32_MAX) return NULL;
    }
    uint64_t unit = 1000;
    v *= 1000;
    if (*text == '.') {
        ++text;
        for (; *text >= '0' && *text <= '9'; ++text) {
            unit /= 10;
            if (unit == 0) return NULL;
            v += (uint64_t)(*text - '0') * unit;
        }
    }
    *value = v;
    return text;
}

weir_status words_rate(struct words* w, uint32_t* kbps) {
    uint64_t thousandths = 0;
    const char* rest = to_thousandths(words_peek(w), &thousandths);
    const char* const what = "a rate: 64k, 500M, 10G, 1.6T";
    if (rest == NULL || rest[0] == '\0' || rest[1] != '\0') return words_wrong(w, what);
    uint64_t scale = 0;
    if (*rest == 'k') scale = 1;
    if (*rest == 'M') scale = 1000;
    if (*rest == 'G') scale = 1000000;
    if (*rest == 'T') scale = 1000000000;
    const uint64_t value = thousandths * scale / 1000;
    if (value == 0 || value > UINT32_MAX) return words_wrong(w, what);
    *kbps = (uint32_t)value;
    w->at++;
    return WEIR_OK;
}

weir_status words_probability(struct words* w, uint32_t* probability) {
    uint64_t thousandths = 0;
    const char* rest = to_thousandths(words_peek(w), &thousandths);
    if (rest == NULL || strcmp(rest, "%") != 0 || thousandths > 100000)
        return words_wrong(w, "a probability: 0% to 100%, such as 5% or 0.5%");
    *probability = (uint32_t)((thousandths * 65535 + 50000) / 100000);
    w->at++;
    return WEIR_OK;
}

weir_status words_colour(struct words* w, uint32_t* colour) {
    if (words_accept(w, "green"))
        *colour = 0;
    else if (words_accept(w, "yellow"))
        *colour = 1;
    else if (words_accept(w, "red"))
        *colour = 2;
    else
        return words_wrong(w, "a colour: green, yellow or red");
    return WEIR_OK;
}

static int hex(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

weir_status words_mac(struct words* w, uint8_t address[6]) {
    const char* p = words_peek(w);
    const char* const what = "a MAC address: 02:00:00:00:00:01";
    if (p == NULL || strlen(p) != 17) return words_wrong(w, what);
    for (int i = 0; i < 6; ++i, p += 3) {
        const int high = hex(p[0]);
        const int low = hex(p[1]);
        if (high < 0 || low < 0 || (i < 5 && p[2] != ':' && p[2] != '-')) return words_wrong(w, what);
        address[i] = (uint8_t)(high * 16 + low);
    }
    w->at++;
    return WEIR_OK;
}

weir_status words_pool(struct words* w, bool egress, uint32_t* pool) {
    struct weir_shell* shell = w->shell;
    const char* name = words_peek(w);
    if (name == NULL) return words_wrong(w, "a pool's name");
    for (uint32_t i = 0; i < WEIR_SHELL_POOLS && i < shell->dev->caps.pools; ++i)
        if (shell->pools[i][0] != '\0' && strcmp(shell->pools[i], name) == 0) {
            *pool = i;
            w->at++;
            return WEIR_OK;
        }
    return shell_fail(shell, WEIR_E_POOL, "no pool \"%s\"; make it first: pool create %s %s size N cells", name, name,
                      egress ? "egress" : "ingress");
}

weir_status words_on_off(struct words* w, bool* on) {
    if (words_accept(w, "on"))
        *on = true;
    else if (words_accept(w, "off"))
        *on = false;
    else
        return words_wrong(w, "on or off");
    return WEIR_OK;
}

weir_status words_target(struct words* w, struct weir_target* target) {
    target->index = 0;
    if (words_accept(w, "port")) {
        target->kind = WEIR_TARGET_PORT;
        return words_number(w, "a port's number", &target->index);
    }
    if (words_accept(w, "ecmp")) {
        target->kind = WEIR_TARGET_ECMP;
        return words_number(w, "an ECMP group's number", &target->index);
    }
    if (words_accept(w, "cpu"))
        target->kind = WEIR_TARGET_CPU;
    else if (words_accept(w, "drop"))
        target->kind = WEIR_TARGET_DROP;
    else
        return words_wrong(w, "port N, ecmp G, cpu or drop");
    return WEIR_OK;
}

static bool read_ipv4(const char* p, const char* end, uint8_t* octet) {
    for (int i = 0; i < 4; ++i) {
        uint32_t v = 0;
        int digits = 0;
        for (; p < end && *p >= '0' && *p <= '9' && digits < 4; ++p, ++digits) v = v * 10 + (uint32_t)(*p - '0');
        if (digits == 0 || v > 255) return false;
        octet[i] = (uint8_t)v;
        if (i < 3 && (p == end || *p++ != '.')) return false;
    }
    return p == end;
}

// Groups of four hex digits; "::" stands for as many zero groups as are missing.
static bool read_ipv6(const char* p, const char* end, uint8_t* octet) {
    uint16_t group[8];
    int count = 0;
    int gap = -1;
    if (end - p >= 2 && p[0] == ':' && p[1] == ':') {
        gap = 0;
        p += 2;
    }
    while (p < end) {
        uint32_t v = 0;
        int digits = 0;
        for (; p < end && hex(*p) >= 0 && digits < 5; ++p, ++digits) v = v * 16 + (uint32_t)hex(*p);
        if (digits == 0 || digits > 4 || count == 8) return false;
        group[count++] = (uint16_t)v;
        if (p == end) break;
        if (*p++ != ':') return false;
        if (p < end && *p == ':') {
            if (gap >= 0) return false;
            gap = count;
            ++p;
        } else if (p == end) {
            return false;
        }
    }
    if (gap < 0 ? count != 8 : count > 7) return false;
    memset(octet, 0, 16);
    for (int i = 0; i < count; ++i) {
        const int place = gap >= 0 && i >= gap ? 8 - count + i : i;
        octet[2 * place] = (uint8_t)(group[i] >> 8);
        octet[2 * place + 1] = (uint8_t)group[i];
    }
    return true;
}

weir_status words_prefix(struct words* w, struct prefix* prefix) {
    const char* text = words_peek(w);
    const char* const what = "a prefix: 10.0.1.0/24 or 2001:db8::/32";
    if (text == NULL) return words_wrong(w, what);
    const char* slash = strchr(text, '/');
    const char* end = slash != NULL ? slash : text + strlen(text);
    memset(prefix, 0, sizeof *prefix);
    if (read_ipv4(text, end, prefix->octet)) {
        prefix->length = 32;
    } else if (read_ipv6(text, end, prefix->octet)) {
        prefix->ipv6 = true;
        prefix->length = 128;
    } else {
        return words_wrong(w, what);
    }
    if (slash != NULL && !to_number(slash + 1, &prefix->length)) return words_wrong(w, what);
    w->at++;
    return WEIR_OK;
}
