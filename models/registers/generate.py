# SPDX-License-Identifier: Apache-2.0
"""Turns a register map into what the build and the tools need: C header, C++ tables, Markdown, SVD, SystemRDL.

    generate.py MAP.map.toml OUT [--function NAME]   writes OUT/weir_registers.h, OUT/map.cpp, OUT/map.{md,svd,rdl}
    generate.py MAP.map.toml --dependencies          prints the files that the map is made of, one a line
"""
from __future__ import annotations

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))

import emit_c  # noqa: E402
import emit_cpp  # noqa: E402
import emit_documents  # noqa: E402
import layout  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description="Generates what is built from a register map.")
    parser.add_argument("map", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path, nargs="?")
    parser.add_argument("--function", default="weir_map", help="name of the C++ function that returns the map")
    parser.add_argument("--dependencies", action="store_true", help="print the files the map is made of and stop")
    arguments = parser.parse_args()
    try:
        if arguments.dependencies:
            print("\n".join(str(f) for f in layout.files_of(arguments.map)))
            return 0
        if arguments.out is None:
            parser.error("OUT is missing")
        m = layout.read_map(arguments.map)
    except layout.MapError as error:
        print(error, file=sys.stderr)
        return 2
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, content in {"weir_registers.h": emit_c.header(m), "map.cpp": emit_cpp.source(m, arguments.function),
                          "map.md": emit_documents.markdown(m), "map.svd": emit_documents.svd(m),
                          "map.rdl": emit_documents.rdl(m)}.items():
        (arguments.out / name).write_text(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
