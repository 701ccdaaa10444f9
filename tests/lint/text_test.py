#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Text files are as .editorconfig asks, and pipes of scripts do not depend on time."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/tool"))
from tap import run, same

MADE_BY_OTHERS = (".patch", ".golden")
# With pipefail a reader that ends early makes its writer fail, now and then.
READER_ENDS_EARLY = re.compile(r"^[^#]*\| *grep -[a-zA-Z]*q", re.M)


def paths():
    """What git has, or all of a tree without git's data."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    if done.returncode == 0:
        return [ROOT / name for name in os.fsdecode(done.stdout).split("\0")[:-1]]
    return [path for path in ROOT.rglob("*")
            if not re.search(r"/(build|target|__pycache__|\.git)\b", str(path))]


def texts():
    """Not the inputs of the fuzzers, nor what has a NUL."""
    for path in paths():
        if path.is_file() and not path.is_symlink() and "corpus" not in path.parts:
            data = path.read_bytes()
            if b"\0" not in data:
                yield path.relative_to(ROOT), data


files = dict(texts())
own = {path: data for path, data in files.items() if path.suffix not in MADE_BY_OTHERS}


def there_are_files():
    assert pathlib.Path("README.md") in own and len(own) > 1000, len(own)


def no_line_ends_with_white_space():
    same([str(path) for path, data in own.items() if re.search(rb"[ \t\r]$", data, re.M)], [])


def each_file_ends_with_a_newline():
    same([str(path) for path, data in own.items() if data and data[-1:] != b"\n"], [])


def each_file_is_utf8():
    for path, data in files.items():
        assert data.decode(errors="replace").encode() == data, path


def no_pipe_of_a_script_ends_in_a_reader_that_ends_early():
    scripts = {path: data.decode(errors="replace") for path, data in files.items()}
    same([str(path) for path, text in scripts.items()
          if ("pipefail" in text or "tests/support/tap.sh" in text) and
          text.startswith(("#!/bin/", "# shellcheck")) and READER_ENDS_EARLY.search(text)], [])
    assert READER_ENDS_EARLY.search("\tcat a | grep -qx b || fail")


run([there_are_files, no_line_ends_with_white_space, each_file_ends_with_a_newline,
     each_file_is_utf8, no_pipe_of_a_script_ends_in_a_reader_that_ends_early])
