# SPDX-License-Identifier: Apache-2.0
"""The C header of a map: what the driver is compiled against. Addresses, masks, inline accessors; no bitfields."""
from __future__ import annotations

from layout import Map, Register

PROLOGUE = """\
// SPDX-License-Identifier: Apache-2.0
// The register map "{name}" for C: one address function a register, shift, mask and accessors a field.
//
// Built from the register files; never edited. Names are the binding names, so that a driver's source fits any map.
#pragma once

#include <stdint.h>

#define WEIR_MAP_NAME "{name}"
#define WEIR_MAP_MAJOR {major}u
#define WEIR_MAP_MINOR {minor}u
#define WEIR_MAP_HASH 0x{hash:04x}u
#define WEIR_MAP_SPAN 0x{span:x}u
#define WEIR_MAP_BIG_ENDIAN {big}

/// A 32-bit word as the bus delivers it, as a number; its own inverse. Assumes a little-endian CPU.
static inline uint32_t weir_map_word(uint32_t bus) {{
{swap}
}}
"""

SWAP = """\
    return (bus >> 24) | ((bus >> 8) & 0xff00u) | ((bus << 8) & 0xff0000u) | (bus << 24);"""


def comment(text: str) -> str:
    return " ".join(text.split())


def register(r: Register) -> list[str]:
    upper = f"{r.block}_{r.name}".upper()
    lower = f"{r.block}_{r.name}"
    args = ", ".join(f"uint32_t {d.name}" for d in r.dims) or "void"
    terms = "".join(f" + {d.name} * 0x{d.stride:x}u" for d in r.dims)
    access = "64-bit: the low word stands here and latches the high word, which stands 4 octets above" \
        if r.width == 64 else "32-bit"
    out = ["", f"// {r.path}: {comment(r.doc)}", f"/// Address of {r.path} ({access}).",
           f"static inline uint32_t weir_reg_{lower}({args}) {{", f"    return 0x{r.address:x}u{terms};", "}"]
    for f in r.fields:
        name = f"WEIR_{upper}_{f.name.upper()}"
        for value, number in f.values.items():
            out.append(f"#define {name}_{value.upper()} {number}u")
        if r.width == 64:
            continue
        out += [f"#define {name}_SHIFT {f.low}u", f"#define {name}_MASK 0x{f.mask:08x}u",
                f"#define {name}_MAX 0x{f.ones:x}u",
                f"/// {comment(f.doc)}",
                f"static inline uint32_t weir_{lower}_{f.name}_get(uint32_t word) {{",
                f"    return (word & {name}_MASK) >> {name}_SHIFT;", "}",
                f"static inline uint32_t weir_{lower}_{f.name}_set(uint32_t word, uint32_t value) {{",
                f"    return (word & ~{name}_MASK) | ((value << {name}_SHIFT) & {name}_MASK);", "}"]
    if r.write_mask:
        out += [f"/// A word for {r.path} that changes only the bits in `mask` (both are words of it, bits 15:0).",
                f"static inline uint32_t weir_{lower}_masked(uint32_t word, uint32_t mask) {{",
                "    return ((mask & 0xffffu) << 16) | (word & mask & 0xffffu);", "}"]
    return out


def header(m: Map) -> str:
    big = m.byte_order == "big"
    out = [PROLOGUE.format(name=m.name, major=m.major, minor=m.minor, hash=m.hash, span=m.span, big=int(big),
                           swap=SWAP if big else "    return bus;")]
    for name, count in m.dimensions.items():
        out.append(f"#define WEIR_DIM_{name.upper()} {count}u")
    for block in m.blocks:
        out += ["", f"// {'-' * 20} {block.name}: {comment(block.doc)}"]
        for r in block.registers:
            out += register(r)
    return "\n".join(out) + "\n"
