# SPDX-License-Identifier: Apache-2.0
"""The C++ tables of a map: constant descriptors that the register bank and the program's `regs` command read."""
from __future__ import annotations

from layout import Map


def text(s: str) -> str:
    s = " ".join(s.split())
    return '"' + s.replace("\\", "\\\\").replace('"', '\\"') + '"'


def boolean(b: bool) -> str:
    return "true" if b else "false"


def source(m: Map, function: str) -> str:
    out = ["// SPDX-License-Identifier: Apache-2.0",
           f'// The register map "{m.name}" as constant tables. Built from the register files; never edited.',
           '#include "models/registers/map.h"', "", "namespace weir::registers {", "", f"const map& {function}();", "",
           "namespace {", ""]
    rows, enum_count, field_count, first = [], 0, 0, []
    values, fields = [], []
    for r in m.registers:
        start = field_count
        for f in r.fields:
            begin = enum_count
            for name, number in f.values.items():
                values.append(f"    {{{text(name)}, {number}u}},")
                enum_count += 1
            span = f"values + {begin}, {enum_count - begin}" if f.values else "nullptr, 0"
            fields.append(
                f"    {{{text(f.name)}, {f.low}, {f.width}, software::{f.sw}, read_effect::{f.onread or 'none'}, "
                f"write_effect::{f.onwrite or 'store'}, 0x{f.reset:x}u, {boolean(f.counter)}, {boolean(f.volatile)}, "
                f"{text(f.unit)}, {text(f.doc)}, {span}}},")
            field_count += 1
        dims = ", ".join(f"{{{text(d.name)}, {text(d.symbol)}, {d.count}, 0x{d.stride:x}}}" for d in r.dims)
        first.append(start)
        rows.append(
            f"    {{{text(r.block)}, {text(r.name)}, {text(r.alias or r.name)}, 0x{r.address:x}, {r.width}, "
            f"{{{{{dims}}}}}, {len(r.dims)}, {boolean(r.early)}, {boolean(r.write_mask)}, "
            f"reset_level::{r.reset_level}, {text(r.lock)}, fields + {start}, {field_count - start}, {text(r.doc)}}},")
    if values:
        out += ["constexpr enum_value values[] = {", *values, "};", ""]
    out += ["constexpr field_descriptor fields[] = {", *fields, "};", "",
            "constexpr register_descriptor registers[] = {", *rows, "};", ""]
    out += ["constexpr symbolic_dimension dimensions[] = {",
            *[f"    {{{text(n)}, {c}}}," for n, c in m.dimensions.items()], "};", ""]
    out.append("constexpr block_descriptor blocks[] = {")
    row = 0
    for b in m.blocks:
        out.append(f"    {{{text(b.name)}, 0x{b.base:x}, registers + {row}, {len(b.registers)}, {text(b.doc)}}},")
        row += len(b.registers)
    out += ["};", "", "}  // namespace", "", f"const map& {function}() {{",
            f"    static constexpr map table{{{text(m.name)}, {text(m.doc)}, byte_order::{m.byte_order}, {m.major}, "
            f"{m.minor}, 0x{m.hash:x}, 0x{m.span:x},",
            f"                               blocks, {len(m.blocks)}, registers, {row}, dimensions,",
            f"                               {len(m.dimensions)}}};",
            "    return table;", "}", "", "}  // namespace weir::registers"]
    return "\n".join(out) + "\n"
