#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The runner of the manual's blocks must notice what is wrong, or it proves nothing."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from run_blocks import blocks_of, commands_of, matches, run_document  # noqa: E402


def failures_of(text, files=None):
    with tempfile.TemporaryDirectory() as directory:
        top = Path(directory)
        for name, content in (files or {}).items():
            (top / name).write_text(content, encoding="utf-8")
        document = top / "a.md"
        document.write_text(text, encoding="utf-8")
        return run_document(document, top, Path("/nowhere"))[0]


class RunBlocks(unittest.TestCase):
    def test_a_line_of_an_ellipsis_stands_for_any_lines(self):
        self.assertTrue(matches(["a", "…", "d"], ["a", "b", "c", "d"]))
        self.assertTrue(matches(["a", "…", "d"], ["a", "d"]))
        self.assertFalse(matches(["a", "…", "d"], ["a", "b", "c"]))

    def test_an_ellipsis_in_a_line_stays_in_that_line(self):
        self.assertTrue(matches(["digest: …"], ["digest: 0123"]))
        self.assertFalse(matches(["digest: …"], ["digest: 0123", "more"]))
        self.assertFalse(matches(["digest: …"], ["digits"]))

    def test_a_command_may_go_on_in_the_next_line(self):
        (block,) = blocks_of("```console exit=2\n$ echo a\n$ echo b \\\n    c\nb c\n```\n")
        commands = commands_of(block)
        self.assertEqual([c.text for c in commands], ["echo a", "echo b c"])
        self.assertEqual([c.exit for c in commands], [0, 2])
        self.assertEqual(commands[1].expected, ["b c"])

    def test_right_output_and_exit_code_pass(self):
        self.assertEqual(failures_of("```console exit=3\n$ echo hello\nhello\n$ exit 3\n```\n"), [])

    def test_another_output_fails(self):
        self.assertEqual(len(failures_of("```console\n$ echo hello\nhallo\n```\n")), 1)

    def test_another_exit_code_fails(self):
        self.assertEqual(len(failures_of("```console\n$ exit 1\n```\n")), 1)

    def test_other_blocks_are_not_run(self):
        self.assertEqual(failures_of("```sh\n$ exit 1\n```\n"), [])

    def test_a_file_block_is_there_for_the_commands(self):
        self.assertEqual(failures_of("```toml file=b.toml\nx = 1\n```\n```console\n$ cat b.toml\nx = 1\n```\n"), [])

    def test_an_excerpt_must_stand_in_its_file(self):
        files = {"c.cpp": "int a;\n    int b;\n    int c;\n"}
        self.assertEqual(failures_of("```cpp from=c.cpp\nint b;\nint c;\n```\n", files), [])
        self.assertEqual(len(failures_of("```cpp from=c.cpp\nint c;\nint b;\n```\n", files)), 1)

    def test_a_block_without_end_is_an_error(self):
        with self.assertRaises(ValueError):
            failures_of("```console\n$ true\n")


if __name__ == "__main__":
    unittest.main()
