# SPDX-License-Identifier: Apache-2.0
"""A register map in memory: reads *.map.toml and the *.regs.toml it names, checks both, gives every register an address.

    map file ──► block files ──► overrides ──► layout (offset, strides) ──► overlap checks ──► hash
"""
from __future__ import annotations

import dataclasses
import hashlib
import pathlib
import tomllib

NAME = "abcdefghijklmnopqrstuvwxyz0123456789_"
LEVELS = ("port", "soft", "power_on")


class MapError(Exception):
    """What is wrong with a map or register file, with the file's name in front."""


@dataclasses.dataclass
class Field:
    name: str
    high: int
    low: int
    sw: str
    onread: str
    onwrite: str
    reset: int | str
    unit: str
    doc: str
    values: dict[str, int]
    counter: bool
    volatile: bool

    @property
    def width(self) -> int:
        return self.high - self.low + 1

    @property
    def ones(self) -> int:
        return (1 << self.width) - 1

    @property
    def mask(self) -> int:
        return self.ones << self.low


@dataclasses.dataclass
class Dimension:
    name: str
    symbol: str
    count: int
    stride: int = 0


@dataclasses.dataclass
class Register:
    block: str
    name: str
    alias: str
    doc: str
    width: int
    dims: list[Dimension]
    early: bool
    lock: str
    write_mask: bool
    reset_level: str
    fields: list[Field]
    offset: int | None = None
    strides: list[int] | None = None
    address: int = 0

    @property
    def path(self) -> str:
        return f"{self.block}.{self.name}"

    @property
    def octets(self) -> int:
        return self.width // 8

    def addresses(self):
        """The address of every instance."""
        found = [self.address]
        for dim in self.dims:
            found = [a + i * dim.stride for a in found for i in range(dim.count)]
        return found


@dataclasses.dataclass
class Block:
    name: str
    doc: str
    base: int
    registers: list[Register]


@dataclasses.dataclass
class Map:
    name: str
    doc: str
    byte_order: str
    major: int
    minor: int
    dimensions: dict[str, int]
    blocks: list[Block]
    hash: int = 0

    @property
    def registers(self) -> list[Register]:
        return [r for b in self.blocks for r in b.registers]

    @property
    def span(self) -> int:
        return max(max(r.addresses()) + r.octets for r in self.registers)


def take(where: str, table: dict, known: dict) -> dict:
    """The table with defaults filled in; a key that is not in `known` is an error that names the nearest ones."""
    for key in table:
        if key not in known:
            raise MapError(f'{where}: unknown key "{key}"\n  one of: {" ".join(known)}')
    result = {}
    for key, default in known.items():
        if key in table:
            result[key] = table[key]
        elif default is ...:
            raise MapError(f'{where}: key "{key}" is missing')
        else:
            result[key] = default
    return result


def choice(where: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise MapError(f'{where}: "{value}" is none of: {" ".join(a for a in allowed if a)}')
    return value


def name_of(where: str, name: str) -> str:
    if not name or any(c not in NAME for c in name) or name[0].isdigit():
        raise MapError(f'{where}: "{name}" is not a snake_case name')
    return name


def bits_of(where: str, bits: str, width: int) -> tuple[int, int]:
    try:
        high, low = (int(x) for x in (bits.split(":") if ":" in bits else (bits, bits)))
    except ValueError:
        raise MapError(f'{where}: bits "{bits}" is neither "n" nor "high:low"') from None
    if not 0 <= low <= high < width:
        raise MapError(f'{where}: bits "{bits}" do not lie in a register of {width} bits')
    return high, low


def read_field(where: str, name: str, table: dict, width: int, write_mask: bool) -> Field:
    where = f"{where}.{name_of(where, name)}"
    t = take(where, table, {"bits": ..., "sw": "rw", "onread": "", "onwrite": "", "reset": 0, "unit": "", "doc": ...,
                            "enum": {}, "counter": False, "volatile": False})
    high, low = bits_of(where, str(t["bits"]), 16 if write_mask else width)
    field = Field(name, high, low, choice(where, t["sw"], ("rw", "ro", "wo")),
                  choice(where, t["onread"], ("", "clear", "restart")),
                  choice(where, t["onwrite"], ("", "w1c", "w1s", "oneshot")), t["reset"], t["unit"], t["doc"].strip(),
                  t["enum"], t["counter"], t["volatile"] or t["counter"] or bool(t["onread"]))
    if field.onwrite and field.sw == "ro":
        raise MapError(f'{where}: a read-only field cannot have onwrite = "{field.onwrite}"')
    return field


def read_register(path: pathlib.Path, block: str, table: dict, dimensions: dict[str, int]) -> Register:
    where = f"{path}: register {table.get('name', '?')}"
    t = take(where, table, {"name": ..., "doc": ..., "array": {}, "width": 32, "early": False, "lock": "",
                            "write_mask": False, "reset_level": "soft", "offset": None, "fields": ...})
    if t["width"] not in (32, 64):
        raise MapError(f"{where}: width {t['width']} is neither 32 nor 64")
    if len(t["array"]) > 3:
        raise MapError(f"{where}: more than three dimensions")
    dims = []
    for dim, count in t["array"].items():
        if isinstance(count, str) and count not in dimensions:
            raise MapError(f'{where}: dimension "{count}" is none of: {" ".join(dimensions)}')
        dims.append(Dimension(dim, count, dimensions[count]) if isinstance(count, str) else Dimension(dim, "", count))
    fields = [read_field(where, n, f, t["width"], t["write_mask"]) for n, f in t["fields"].items()]
    return Register(block, name_of(where, t["name"]), "", t["doc"].strip(), t["width"], dims, t["early"], t["lock"],
                    t["write_mask"], choice(where, t["reset_level"], LEVELS), fields, t["offset"])


def read_block(path: pathlib.Path, name: str, base: int, dimensions: dict[str, int]) -> Block:
    document = load(path)
    top = take(str(path), document, {"block": ..., "register": ...})
    head = take(f"{path}: block", top["block"], {"name": ..., "doc": ...})
    if head["name"] != name:
        raise MapError(f'{path}: the block is called "{head["name"]}", the map expects "{name}"')
    registers = [read_register(path, name, r, dimensions) for r in top["register"]]
    names = [r.name for r in registers]
    for n in names:
        if names.count(n) > 1:
            raise MapError(f'{path}: register "{n}" is there twice')
    return Block(name, head["doc"].strip(), base, registers)


def load(path: pathlib.Path) -> dict:
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise MapError(f"{path}: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise MapError(f"{path}: {error}") from None


def override(where: str, register: Register, table: dict) -> None:
    """Applies what a map says differently of one register; its binding name stays."""
    t = take(where, table, {"rename": "", "offset": None, "strides": None, "fields": {}})
    register.alias = name_of(where, t["rename"]) if t["rename"] else ""
    register.offset = t["offset"] if t["offset"] is not None else register.offset
    register.strides = t["strides"]
    if t["strides"] is not None and len(t["strides"]) != len(register.dims):
        raise MapError(f"{where}: {len(t['strides'])} strides for {len(register.dims)} dimensions")
    for name, bits in t["fields"].items():
        field = next((f for f in register.fields if f.name == name), None)
        if field is None:
            raise MapError(f'{where}: no field "{name}"; one of: {" ".join(f.name for f in register.fields)}')
        field.high, field.low = bits_of(f"{where}.{name}", bits, 16 if register.write_mask else register.width)


def place_arrays(block: Block) -> None:
    """Each register an array of its own, one after the other, outermost index first."""
    cursor = 0
    for r in block.registers:
        natural = r.octets
        for dim in reversed(r.dims):
            dim.stride = natural
            natural *= dim.count
        for dim, stride in zip(r.dims, r.strides or []):
            dim.stride = stride
        if r.offset is None:
            r.offset = -(-cursor // r.octets) * r.octets
        cursor = r.offset + sum((d.count - 1) * d.stride for d in r.dims) + r.octets


def place_records(block: Block) -> None:
    """Registers with the same dimensions share one array of records: all that one port or group has stands together."""
    cursor = 0
    shapes: dict[tuple, list[Register]] = {}
    for r in block.registers:
        shapes.setdefault(tuple((d.name, d.count) for d in r.dims), []).append(r)
    for members in shapes.values():
        cursor = -(-cursor // 8) * 8
        inside = 0
        for r in members:
            inside = -(-inside // r.octets) * r.octets
            if r.offset is None:
                r.offset = cursor + inside
            inside += r.octets
        size = -(-inside // 8) * 8
        for r in members:
            stride = size
            for dim in reversed(r.dims):
                dim.stride = stride
                stride *= dim.count
            for dim, given in zip(r.dims, r.strides or []):
                dim.stride = given
        for dim in members[0].dims:
            size *= dim.count
        cursor += size


def check(m: Map) -> None:
    fields = {f"{r.path}.{f.name}": (r, f) for r in m.registers for f in r.fields}
    owner: dict[int, str] = {}
    for r in m.registers:
        used = 0
        for f in r.fields:
            if used & f.mask:
                raise MapError(f"{m.name}: {r.path}.{f.name} shares bits with another field")
            used |= f.mask
            if f.reset == "all-ones":
                f.reset = f.ones
            if f.reset == "map-hash":
                continue
            if not isinstance(f.reset, int) or not 0 <= f.reset <= f.ones:
                raise MapError(f"{m.name}: {r.path}.{f.name}: reset {f.reset} does not fit {f.width} bits")
            for value in f.values.values():
                if not 0 <= value <= f.ones:
                    raise MapError(f"{m.name}: {r.path}.{f.name}: enum value {value} does not fit {f.width} bits")
        if r.lock:
            if r.lock not in fields:
                raise MapError(f"{m.name}: {r.path}: lock \"{r.lock}\" is not a field")
            holder = fields[r.lock][0]
            if [d.count for d in holder.dims] != [d.count for d in r.dims][:len(holder.dims)]:
                raise MapError(f"{m.name}: {r.path}: lock \"{r.lock}\" has other leading indices")
        for address in r.addresses():
            if address % r.octets:
                raise MapError(f"{m.name}: {r.path}: address {address:#x} is not a multiple of {r.octets}")
            for word in range(address, address + r.octets, 4):
                if word in owner:
                    raise MapError(f"{m.name}: {r.path} and {owner[word]} both stand at {word:#x}")
                owner[word] = r.path


def hash_of(m: Map) -> int:
    """16 bits over everything a driver's binary depends on: addresses, strides, counts, bits, byte order."""
    digest = hashlib.sha256(f"{m.byte_order} {m.major}".encode())
    for r in sorted(m.registers, key=lambda r: r.path):
        digest.update(f"{r.path} {r.address} {r.width} {r.write_mask} {[(d.count, d.stride) for d in r.dims]}".encode())
        for f in sorted(r.fields, key=lambda f: f.name):
            digest.update(f"{f.name} {f.high} {f.low} {f.sw} {f.onread} {f.onwrite}".encode())
    return int.from_bytes(digest.digest()[:2], "big")


def read_map(path: pathlib.Path) -> Map:
    top = take(str(path), load(path), {"map": ..., "dimensions": ..., "block": ..., "override": {}})
    head = take(f"{path}: map", top["map"],
                {"name": ..., "doc": "", "byte_order": "little", "major": ..., "minor": ...})
    choice(f"{path}: map", head["byte_order"], ("little", "big"))
    m = Map(name_of(f"{path}: map", head["name"]), head["doc"].strip(), head["byte_order"], head["major"],
            head["minor"], top["dimensions"], [])
    layouts = []
    for table in top["block"]:
        where = f"{path}: block {table.get('name', '?')}"
        t = take(where, table, {"name": ..., "file": ..., "base": ..., "layout": "arrays"})
        layouts.append(choice(where, t["layout"], ("arrays", "records")))
        m.blocks.append(read_block(path.parent / t["file"], t["name"], t["base"], m.dimensions))
    by_path = {r.path: r for r in m.registers}
    for key, table in top["override"].items():
        if key not in by_path:
            raise MapError(f'{path}: override of "{key}", which is no register')
        override(f"{path}: override {key}", by_path[key], table)
    for block, layout in zip(m.blocks, layouts):
        (place_records if layout == "records" else place_arrays)(block)
        for r in block.registers:
            r.address = block.base + r.offset
    check(m)
    m.hash = hash_of(m)
    for r in m.registers:
        for f in r.fields:
            if f.reset == "map-hash":
                f.reset = m.hash & f.ones
    return m


def files_of(path: pathlib.Path) -> list[pathlib.Path]:
    """What a map is made of, for the build's dependencies."""
    return [path] + [path.parent / b["file"] for b in load(path)["block"]]
