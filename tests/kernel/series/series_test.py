#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernel answers as expected: a stock one with its surprise, a patched one without.
A question that the kernel does not survive unharmed is left to scripts/kernel-table."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tool"))
from tap import run, same

program = sys.argv[1]
major = ".".join(os.uname().release.split(".")[:2])
old = major == "6.1"
patches = os.environ.get("UE_VM_PATCHED")
kernel = (major if major in ("6.1", "6.12") else "newest") + (
    " rfc" if patches == "rfc" and not old else " patched" if patches else "")
lines = [line.split("\t") for line in
         (pathlib.Path(__file__).parent / "expected").read_text().splitlines()
         if line and not line.startswith("#")]
column = lines.pop(0).index(kernel)


def question(name, wanted):
    def asks():
        same(subprocess.run([program, name], capture_output=True, check=True, text=True,
                            timeout=100).stdout, wanted + "\n")
    asks.__name__ = name.replace("-", "_")
    return asks


def each_question_has_an_answer():
    listed = subprocess.run([program], capture_output=True, check=True, text=True).stdout
    same([line.split("\t")[0] for line in listed.splitlines()], [line[0] for line in lines])


run([each_question_has_an_answer,
     *(question(line[0], line[column]) for line in lines
       if line[column] != "panic" and not line[column].startswith("alone: "))])
