#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Wrong options of record, which need no kernel. Argument: the tool."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from tap import run, same

tool = os.path.abspath(sys.argv[1])


def fails(*args):
    """The tool refuses these arguments and leaves no file behind. Its messages."""
    with tempfile.TemporaryDirectory() as own:
        done = subprocess.run([tool, "record", *args], cwd=own, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, timeout=300)
        same((args, done.returncode, done.stdout), (args, 2, ""))
        same(os.listdir(own), [])
    return done.stderr


def options_of_several_files_exclude_each_other():
    for words, args in (
            ("--rotate keeps events in files and --overwrite in memory; use one of them",
             ["--rotate", "1M", "--overwrite", "1M"]),
            ("--size ends a recording and --rotate", ["--rotate", "1M", "--size", "1M"]),
            ("--size is of a file that grows", ["--overwrite", "1M", "--size", "1M"]),
            ("--dump-when writes what --overwrite keeps; use both",
             ["--dump-when", "number == 1"])):
        said = fails(*args)
        assert f"userevents: cannot record: {words}" in said, said
        same(said.count("\n"), 1)


def sizes_are_checked():
    for value in "1M,", "1M,1", "1M,0", "1k", ",", ",2", "", "1M,2,3", "x,2", "1M,x", "-1,2":
        said = fails("--rotate", value)
        assert f'--rotate "{value}" is not BYTES or BYTES,FILES' in said, said
    for value in "1", "x", "255k":
        assert "overwrite" in fails("--overwrite", value)
    for value in "0%", "100%", "", "-1", "nan%", "much":
        said = fails("--keep-free", value)
        assert f'the space to keep free "{value}"' in said, said


def expressions_are_checked():
    for option in ["--where"], ["--overwrite", "1M", "--dump-when"]:
        said = fails(*option, "number ==")
        same(re.sub(" +", " ", said).splitlines()[-1], " ^")


def rings_have_no_such_options():
    with tempfile.TemporaryDirectory() as folder:
        ring = str(pathlib.Path(folder) / "a.ring")
        subprocess.run([tool, "ring", "create", ring], check=True, capture_output=True)
        for option in ["--rotate", "1M"], ["--overwrite", "1M"], ["--keep-free", "5%"]:
            said = fails(*option, ring)
            assert "are for the kernel's events; leave them out" in said, said


run([options_of_several_files_exclude_each_other, sizes_are_checked, expressions_are_checked,
     rings_have_no_such_options])
