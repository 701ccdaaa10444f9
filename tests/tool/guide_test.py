#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the commands of doc/guide.md and compares their output with that in the guide.

Arguments: the program, the tree, the folder of the built library, "none" or the sanitizers
that it was built with.
"""
import collections
import pathlib
import re
import sys

from document import Workshop, commands_of
from tap import run

tool, tree, library, sanitizers = sys.argv[1:5]
guide = (pathlib.Path(tree) / "doc/guide.md").read_text()
example = (pathlib.Path(tree) / "examples/09_slow_request.c").read_text()
shop = Workshop(tool, tree, library, sanitizers)

# Parts that differ from run to run, and how they are shown here.
MASKS = (
    (r"\d+-\d\d-\d\dT[\d:.]+Z|\d\d:\d\d:\d\d\.\d+", "TIME"),
    (r"[\d.]+ (ns|us|ms|s)\b", "DURATION"),
    (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "ACTIVITY"),
    (r"\[\d+\]", "[PID]"),
    (r"worker-\d\[", "worker["),
    (r"^(Server:\w+ +(?:[a-z]\w* +)?\d+) +[\d.]+", r"\1 RATE"),
    (r"\s+", " "),
)


def masked(line):
    for pattern, shown in MASKS:
        line = re.sub(pattern, shown, line)
    return line.strip()


def commands():
    """(command, output, how many of its lines are compared)"""
    # tests/kernel/control/guide_test.py runs those that need a kernel
    without_kernel = re.sub(r"<!-- kernel -->\n```console\n.*?```", "", guide, flags=re.S)
    for count, block in re.findall(r"(?:<!-- compare: (\d+) lines? -->\n)?```console\n(.*?)```",
                                   without_kernel, re.S):
        for command, lines in commands_of(block):
            yield command, lines, int(count) if count else len(lines)


def the_code_is_that_of_the_example():
    blocks = [block for block in re.findall(r"```c\n(.*?)```", guide, re.S)
              if "req_start" not in block]
    assert len(blocks) >= 3
    for block in blocks:
        at = 0
        for line in block.splitlines():
            at = example.find(line + "\n", at) if line else at
            assert at >= 0, f"{line!r} is not in the example, or not in this order"


def its_commands_print_what_it_shows():
    count = 0
    for command, lines, compared in commands():
        done = shop.shell(command)
        is_killed = "timeout -s KILL" in command
        assert done.returncode in ((-9, 137) if is_killed else (0,)), (command, done)
        assert is_killed or not done.stderr, (command, done.stderr)
        got = done.stdout.splitlines()
        assert not lines or got, command
        # lines with equal counts may be in another order
        missing = (collections.Counter(masked(line) for line in lines[:compared]) -
                   collections.Counter(masked(line) for line in got))
        assert not missing, f"\n  {command}\n  does not print {list(missing)}\n  but " + (
            "\n      ".join(got))
        count += 1
    assert count >= 12, count


def its_page_was_written():
    assert "Server:RequestStart" in (shop.folder / "server.html").read_text()


def its_links_exist():
    for link in re.findall(r"\]\(([\w./-]+)(?:#[\w-]+)?\)", guide):
        assert (pathlib.Path(tree) / "doc" / link).exists(), link


try:
    shop.write([("server.c", example)])
    run([the_code_is_that_of_the_example, its_commands_print_what_it_shows,
         its_page_was_written, its_links_exist])
finally:
    shop.remove()
