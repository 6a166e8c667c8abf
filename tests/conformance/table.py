#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/conformance.md out of rows.toml and of what the tests measured, and compares it with the one there.

    table.py MEASURED TESTS DOCUMENT [--write]

MEASURED is the folder into which the tests wrote, TESTS the test program: what a test wrote that is gone is left out.
A row without a line, unless rows.toml lists it as left to something that is not built yet, is an error; so is a line
for a row that does not exist, and a row so listed that has lines.
"""
import json
import pathlib
import subprocess
import sys
import tomllib

HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Made by tests/conformance/table.py from what the tests measured; do not edit. -->
# Conformance

What the documents behind Weir ask for, a row an id: mechanisms, properties, counters, parameters, failures, numbers.
Each line names the test that proves it, what the document or the closed form gives, and what that test measured. The
documents are the *PFC RTL chapter*, the *AC5P buffer note*, the *PFC/ECN explainer* and the *PFC glossary entry*,
besides IEEE 802.1Q and 802.3, SAI, and the acceptance tests of network operating systems. `./dev test` measures
everything anew and fails when this page is not what came out.
"""


def existing_tests(program: str) -> set[str]:
    """The names that the program lists: a suite ends with a dot, its tests are indented."""
    listing = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
    names, suite = set(), ""
    for line in listing.splitlines():
        name = line.split("#")[0].rstrip()
        if name.endswith(".") and not name.startswith(" "):
            suite = name
        elif name.startswith(" "):
            names.add(suite + name.strip())
    return names


def measured_lines(folder: pathlib.Path, tests: set[str]) -> dict[str, list[dict]]:
    lines: dict[str, list[dict]] = {}
    for file in sorted(folder.glob("*.jsonl")):
        for text in file.read_text().splitlines():
            line = json.loads(text)
            if line["test"] in tests:
                lines.setdefault(line["id"], []).append(line)
    return lines


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def main() -> int:
    folder, program, document = sys.argv[1:4]
    rows = tomllib.loads((pathlib.Path(__file__).parent / "rows.toml").read_text())
    lines = measured_lines(pathlib.Path(folder), existing_tests(program))
    left = {name: why for why, names in rows["left"].items() for name in names}
    errors, known, shown = [], set(), 0
    text = HEAD
    for section in rows["section"]:
        text += f"\n## {section['title']}\n\n{section['about']}\n\n"
        text += "| id | what | expected | measured | test |\n|---|---|---|---|---|\n"
        for name, what in section["rows"]:
            known.add(name)
            found = lines.get(name, [])
            if found and name in left:
                errors.append(f"{name}: rows.toml says that it is left to {left[name]}, yet {found[0]['test']} measured it")
            if not found and name not in left:
                errors.append(f"{name}: no test measured it ({what})")
            if not found:
                text += f"| {name} | {cell(what)} | | | left to {left.get(name, '?')} |\n"
                continue
            shown += 1
            for n, line in enumerate(found):
                first = (name, cell(what)) if n == 0 else ("", "")
                text += f"| {first[0]} | {first[1]} | {cell(line['expected'])} | {cell(line['measured'])} | `{line['test']}` |\n"
    text += f"\n{shown} of {len(known)} rows are shown; the others say what they are left to.\n"
    errors += [f"{name}: {lines[name][0]['test']} measured it, and rows.toml does not have it" for name in sorted(set(lines) - known)]
    errors += [f"{name}: left to something, and no section has it" for name in sorted(set(left) - known)]
    page = pathlib.Path(document)
    if "--write" in sys.argv:
        page.write_text(text)
    elif not page.exists() or page.read_text() != text:
        errors.append(f"{page.name} is not what the tests measured: ./dev conformance writes it anew")
    for error in errors:
        print(f"conformance: {error}", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
