#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what the manual shows, so that it stays true.

    ```console           each line that begins with "$ " is run; the lines below it are what it must print, where "…"
                         stands for anything (alone on a line: for any lines). No lines below: any output is right.
    ```console exit=1    … and the block's last command must end with this exit code instead of 0
    ```toml file=a.toml  written to that file first, for the commands of the same document
    ```cpp from=a.cpp    must stand in that file of the repository, indentation aside

Other blocks are only read. Each document gets a scratch copy of the repository to run in, with the program on PATH.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

TIME_LIMIT_SECONDS = 300
SKIPPED = {"build", ".git", "out", "__pycache__", "node_modules"}


@dataclass
class Block:
    line: int
    language: str
    options: dict
    lines: list


@dataclass
class Command:
    line: int
    text: str
    expected: list
    exit: int = 0


def blocks_of(text):
    """The fenced blocks of a Markdown text."""
    block = None
    for number, line in enumerate(text.splitlines(), 1):
        if block is None:
            if line.startswith("```"):
                language, *options = line[3:].split() or [""]
                block = Block(number, language, dict(o.split("=", 1) for o in options if "=" in o), [])
        elif line.startswith("```"):
            yield block
            block = None
        else:
            block.lines.append(line)
    if block is not None:
        raise ValueError(f"line {block.line}: the block has no end")


def commands_of(block):
    """The commands of a console block. A line that ends with a backslash goes on in the next."""
    commands = []
    for number, line in enumerate(block.lines, block.line + 1):
        if commands and commands[-1].text.endswith("\\"):
            commands[-1].text = commands[-1].text[:-1] + line.strip()
        elif line.startswith("$ "):
            commands.append(Command(number, line[2:], []))
        elif commands:
            commands[-1].expected.append(line)
        else:
            raise ValueError(f"line {number}: a console block begins with a command: $ …")
    if commands:
        commands[-1].exit = int(block.options.get("exit", 0))
    return commands


def matches(expected, printed):
    """Whether printed lines are what a block shows."""
    pattern = ""
    for line in expected:
        if line.strip() == "…":
            pattern += r"(?:[^\n]*\n)*"
        else:
            pattern += r"[^\n]*".join(re.escape(part) for part in line.rstrip().split("…")) + r"[ \t]*\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def scratch_copy(top, directory):
    for entry in sorted(top.iterdir()):
        if entry.name in SKIPPED:
            continue
        target = directory / entry.name
        if entry.name == "dev":
            target.symlink_to(entry)  # it builds where it really stands, and runs where it is called
        elif entry.is_dir():
            shutil.copytree(entry, target, ignore=shutil.ignore_patterns(*SKIPPED))
        else:
            shutil.copy2(entry, target)


def run_document(path, top, search_path):
    """The failures of one document, in words, and how many commands were run."""
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(top)
    failures = []
    count = 0
    environment = {**os.environ, "PATH": f"{search_path}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    with tempfile.TemporaryDirectory(prefix="weir_docs_") as scratch:
        directory = Path(scratch)
        scratch_copy(top, directory)
        for block in blocks_of(text):
            if "file" in block.options:
                target = directory / block.options["file"]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text("\n".join(block.lines) + "\n", encoding="utf-8")
            if "from" in block.options:
                source = [line.strip() for line in (top / block.options["from"]).read_text(encoding="utf-8").splitlines()]
                shown = [line.strip() for line in block.lines]
                if not any(source[i:i + len(shown)] == shown for i in range(len(source))):
                    failures.append(f"{name}:{block.line}: this is not what {block.options['from']} says")
            if block.language != "console":
                continue
            for command in commands_of(block):
                count += 1
                done = subprocess.run(["bash", "-c", command.text], cwd=directory, env=environment, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                      timeout=TIME_LIMIT_SECONDS)
                printed = [line.rstrip() for line in done.stdout.splitlines()]
                where = f"{name}:{command.line}: {command.text}"
                if done.returncode != command.exit:
                    failures.append(f"{where}\n  exit code {done.returncode}, not {command.exit}; it printed:\n"
                                    + "".join(f"    {line}\n" for line in printed))
                elif command.expected and not matches(command.expected, printed):
                    failures.append(f"{where}\n  prints something else now:\n" + "".join(f"    {line}\n" for line in printed))
    return failures, count


def main():
    arguments = argparse.ArgumentParser(description="Runs the command blocks of the manual.")
    arguments.add_argument("top", type=Path, help="the repository")
    arguments.add_argument("--path", type=Path, required=True, help="where the program `weir` is")
    arguments.add_argument("--only", help="run this document alone: docs/mmu.md")
    options = arguments.parse_args()
    top = options.top.resolve()
    documents = [top / options.only] if options.only else sorted(top.glob("*.md")) + sorted(top.glob("docs/**/*.md"))
    bad = 0
    total = 0
    for document in documents:
        failures, count = run_document(document, top, options.path.resolve())
        total += count
        bad += len(failures)
        for failure in failures:
            print(failure)
    print(f"{total} commands of {len(documents)} documents: {bad} wrong" if bad else
          f"{total} commands of {len(documents)} documents: all as shown")
    return 1 if bad or not total else 0


if __name__ == "__main__":
    sys.exit(main())
