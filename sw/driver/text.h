// SPDX-License-Identifier: Apache-2.0
// Text without a C library's stdio: a bounded formatter for messages and for what the shell prints.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/// Appends to `out` from `used` on, never beyond `size`, always terminated. Returns the new length.
/// %s string, %u uint32_t, %U uint64_t, %x uint32_t in hex, %c character, %% itself; a width pads, `-` to the right.
size_t weir_text_append(char* out, size_t size, size_t used, const char* format, ...);
size_t weir_text_append_list(char* out, size_t size, size_t used, const char* format, va_list values);
