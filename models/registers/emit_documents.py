# SPDX-License-Identifier: Apache-2.0
"""What a map looks like to people and to other tools: Markdown, CMSIS-SVD (for debuggers), SystemRDL."""
from __future__ import annotations

from xml.sax.saxutils import escape

from layout import Field, Map, Register


def flat(s: str) -> str:
    return " ".join(s.split())


def access_of(f: Field) -> str:
    words = [f.sw]
    if f.onwrite:
        words.append(f.onwrite)
    if f.onread:
        words.append(f"read: {f.onread}")
    if f.counter:
        words.append("counter")
    return ", ".join(words)


def title(r: Register) -> str:
    return r.alias or r.name


def markdown(m: Map) -> str:
    out = [f"# Register map `{m.name}`", "", flat(m.doc), "",
           f"{m.byte_order}-endian, version {m.major}.{m.minor}, hash 0x{m.hash:04x}, {m.span} octets.", ""]
    for b in m.blocks:
        out += [f"## `{b.name}` at 0x{b.base:06x}", "", flat(b.doc), ""]
        for r in b.registers:
            index = "".join(f"[{d.name} 0..{d.count - 1}, stride 0x{d.stride:x}]" for d in r.dims)
            notes = [f"{r.width} bits", f"reset: {r.reset_level}"]
            notes += ["readable before initialisation"] if r.early else []
            notes += ["write-masked: bits 31:16 choose which of bits 15:0 change"] if r.write_mask else []
            notes += [f"locked while `{r.lock}` is set"] if r.lock else []
            name = f"{b.name}.{title(r)}" + (f" (binds as {r.path})" if r.alias else "")
            out += [f"### `{name}` 0x{r.address:06x} {index}".rstrip(), "", flat(r.doc), "",
                    f"_{'; '.join(notes)}_", "",
                    "| bits | field | access | reset | meaning |", "|---|---|---|---|---|"]
            for f in r.fields:
                bits = f"{f.high}:{f.low}" if f.width > 1 else f"{f.low}"
                meaning = flat(f.doc) + (f" Unit: {f.unit}." if f.unit else "")
                meaning += "".join(f" {v} = {k}." for k, v in f.values.items())
                out.append(f"| {bits} | `{f.name}` | {access_of(f)} | 0x{f.reset:x} | {meaning.replace('|', '/')} |")
            out.append("")
    return "\n".join(out)


def svd_field(f: Field) -> list[str]:
    access = {"rw": "read-write", "ro": "read-only", "wo": "write-only"}[f.sw]
    out = ["            <field>", f"              <name>{f.name}</name>",
           f"              <description>{escape(flat(f.doc))}</description>",
           f"              <bitOffset>{f.low}</bitOffset>", f"              <bitWidth>{f.width}</bitWidth>",
           f"              <access>{access}</access>"]
    modified = {"w1c": "oneToClear", "w1s": "oneToSet", "oneshot": "oneToSet"}.get(f.onwrite)
    if modified:
        out.append(f"              <modifiedWriteValues>{modified}</modifiedWriteValues>")
    if f.onread:
        out.append(f"              <readAction>{'clear' if f.onread == 'clear' else 'modify'}</readAction>")
    if f.values:
        out.append("              <enumeratedValues>")
        out += [f"                <enumeratedValue><name>{k}</name><value>{v}</value></enumeratedValue>"
                for k, v in f.values.items()]
        out.append("              </enumeratedValues>")
    return out + ["            </field>"]


def svd_register(r: Register, base: int, indent: int, inner: int) -> list[str]:
    """One register; its outer dimensions are clusters, because SVD's registers have one dimension."""
    dim = r.dims[inner] if inner < len(r.dims) else None
    last = inner + 1 >= len(r.dims)
    offset = r.address - base if inner == 0 else 0
    name = title(r) if inner == 0 or last else f"{title(r)}_{dim.name}"
    if dim is None or last:
        reset = sum(f.reset << f.low for f in r.fields)
        out = ["<register>"]
        if dim is not None:
            out += [f"  <dim>{dim.count}</dim>", f"  <dimIncrement>0x{dim.stride:x}</dimIncrement>"]
        out += [f"  <name>{name}{'[%s]' if dim is not None else ''}</name>",
                f"  <description>{escape(flat(r.doc))}</description>", f"  <addressOffset>0x{offset:x}</addressOffset>",
                f"  <size>{r.width}</size>", f"  <resetValue>0x{reset:x}</resetValue>", "  <fields>",
                *[line[8:] for f in r.fields for line in svd_field(f)], "  </fields>", "</register>"]
    else:
        out = ["<cluster>", f"  <dim>{dim.count}</dim>", f"  <dimIncrement>0x{dim.stride:x}</dimIncrement>",
               f"  <name>{name}_{dim.name}[%s]</name>", f"  <description>{escape(flat(r.doc))}</description>",
               f"  <addressOffset>0x{offset:x}</addressOffset>",
               *svd_register(r, base, 2, inner + 1), "</cluster>"]
    return [" " * indent + line for line in out]


def svd(m: Map) -> str:
    out = ['<?xml version="1.0" encoding="utf-8"?>',
           '<device schemaVersion="1.3" xmlns:xs="http://www.w3.org/2001/XMLSchema-instance"'
           ' xs:noNamespaceSchemaLocation="CMSIS-SVD.xsd">',
           f"  <name>{m.name}</name>", f"  <version>{m.major}.{m.minor}</version>",
           f"  <description>{escape(flat(m.doc) or m.name)}</description>", "  <addressUnitBits>8</addressUnitBits>",
           "  <width>32</width>", "  <peripherals>"]
    for b in m.blocks:
        size = max(max(r.addresses()) + r.octets for r in b.registers) - b.base
        out += ["    <peripheral>", f"      <name>{b.name}</name>",
                f"      <description>{escape(flat(b.doc))}</description>",
                f"      <baseAddress>0x{b.base:x}</baseAddress>",
                f"      <addressBlock><offset>0x0</offset><size>0x{size:x}</size>"
                "<usage>registers</usage></addressBlock>",
                "      <registers>"]
        for r in b.registers:
            out += svd_register(r, b.base, 8, 0)
        out += ["      </registers>", "    </peripheral>"]
    return "\n".join(out + ["  </peripherals>", "</device>"]) + "\n"


def rdl_text(s: str) -> str:
    return '"' + flat(s).replace("\\", "\\\\").replace('"', '\\"') + '"'


def rdl_field(f: Field) -> list[str]:
    sw = {"rw": "rw", "ro": "r", "wo": "w"}[f.sw]
    properties = [f"desc = {rdl_text(f.doc)}", f"sw = {sw}", "hw = rw" if f.volatile or f.sw == "ro" else "hw = r"]
    if f.onread == "clear":
        properties.append("onread = rclr")
    if f.onread == "restart":
        properties.append("onread = ruser")
    if f.onwrite:
        properties.append({"w1c": "onwrite = woclr", "w1s": "onwrite = woset", "oneshot": "singlepulse"}[f.onwrite])
    inside = "; ".join(properties)
    return [f"        field {{ {inside}; }} {f.name}[{f.high}:{f.low}] = {f.width}'h{f.reset:x};"]


def rdl_register(r: Register, base: int) -> list[str]:
    """One register type a register; nested regfiles carry the outer dimensions."""
    offset = r.address - base
    opening, closing, depth = [], [], 1
    for d in r.dims[:-1]:
        opening.append("    " * depth + "regfile {")
        depth += 1
    placed = f"@ 0x{offset:x}"
    array = f"[{r.dims[-1].count}]" if r.dims else ""
    stride = f" += 0x{r.dims[-1].stride:x}" if r.dims else ""
    body = ["    reg {", f"        desc = {rdl_text(r.doc)}; regwidth = {r.width}; accesswidth = 32;"]
    for f in r.fields:
        body += rdl_field(f)
    inner = "@ 0x0" if len(r.dims) > 1 else placed
    body.append(f"    }} {title(r)}{array} {inner}{stride};")
    for level, d in enumerate(reversed(r.dims[:-1])):
        where = placed if level == len(r.dims) - 2 else "@ 0x0"
        depth -= 1
        closing.append("    " * depth + f"}} {title(r)}_{d.name}[{d.count}] {where} += 0x{d.stride:x};")
    return opening + body + closing


def rdl(m: Map) -> str:
    out = [f"// SystemRDL 2.0 export of the register map \"{m.name}\".", f"addrmap {m.name} {{",
           f"    desc = {rdl_text(m.doc)};", f"    {'bigendian' if m.byte_order == 'big' else 'littleendian'};",
           "    default regwidth = 32;"]
    for b in m.blocks:
        out += ["    addrmap {", f"    desc = {rdl_text(b.doc)};"]
        for r in b.registers:
            out += rdl_register(r, b.base)
        out.append(f"    }} {b.name} @ 0x{b.base:x};")
    return "\n".join(out + ["};"]) + "\n"
