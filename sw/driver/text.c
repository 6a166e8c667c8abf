// SPDX-License-Identifier: Apache-2.0
// The bounded formatter.
#include "sw/driver/text.h"

#include <stdbool.h>
#include <string.h>

struct sink {
    char* out;
    size_t size;
    size_t used;
};

static void put(struct sink* s, char c) {
    if (s->used + 1 < s->size) s->out[s->used++] = c;
}

static void put_padded(struct sink* s, const char* text, size_t length, size_t width, bool left) {
    for (size_t i = length; !left && i < width; ++i) put(s, ' ');
    for (size_t i = 0; i < length; ++i) put(s, text[i]);
    for (size_t i = length; left && i < width; ++i) put(s, ' ');
}

static void put_number(struct sink* s, uint64_t value, unsigned base, size_t width, bool left) {
    char digits[20];
    size_t n = sizeof digits;
    do {
        digits[--n] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    put_padded(s, digits + n, sizeof digits - n, width, left);
}

size_t weir_text_append_list(char* out, size_t size, size_t used, const char* format, va_list values) {
    struct sink s = {out, size, used};
    for (const char* p = format; *p != '\0'; ++p) {
        if (*p != '%') {
            put(&s, *p);
            continue;
        }
        ++p;
        bool left = *p == '-';
        if (left) ++p;
        size_t width = 0;
        for (; *p >= '0' && *p <= '9'; ++p) width = width * 10 + (size_t)(*p - '0');
        if (*p == 's') {
            const char* text = va_arg(values, const char*);
            put_padded(&s, text, strlen(text), width, left);
        } else if (*p == 'u') {
            put_number(&s, va_arg(values, uint32_t), 10, width, left);
        } else if (*p == 'U') {
            put_number(&s, va_arg(values, uint64_t), 10, width, left);
        } else if (*p == 'x') {
            put_number(&s, va_arg(values, uint32_t), 16, width, left);
        } else if (*p == 'c') {
            char c = (char)va_arg(values, int);
            put_padded(&s, &c, 1, width, left);
        } else {
            put(&s, *p);
            if (*p == '\0') break;
        }
    }
    if (size > 0) out[s.used < size ? s.used : size - 1] = '\0';
    return s.used;
}

size_t weir_text_append(char* out, size_t size, size_t used, const char* format, ...) {
    va_list values;
    va_start(values, format);
    used = weir_text_append_list(out, size, used, format, values);
    va_end(values);
    return used;
}
