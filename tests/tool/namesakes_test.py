#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two events of one name and other fields in one program, of which it can register one: who
reports it. Arguments: the tool, the programs namesakes and among."""
import errno
import os
import re
import subprocess
import sys

from processes import lines_until, running, skip_where_nothing_can_be_read
from tap import run, same

tool, namesakes, among = sys.argv[1:]
DEFINITIONS = {"tick u32 x", "tick u64 y"}
SINGLE = "single u32 x"


def called(*args):
    done = subprocess.run([tool, *args], capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout, done.stderr


def named_in(text):
    """The definitions between quotes."""
    return re.findall(r'"(tick [^"]*)"', text)


def the_program_gets_both_definitions():
    _, out, _ = called("run", "-o", "/dev/null", "--", namesakes)
    definition, error, other = re.fullmatch(r"(.*): -(\d+), (.*)\n", out).groups()
    same((int(error), {definition, other}), (errno.EADDRINUSE, DEFINITIONS))


def run_reports_both_definitions_and_fails():
    status, _, said = called("run", "--", namesakes)
    same((status, set(named_in(said)), said.count("cannot register")), (1, DEFINITIONS, 1))
    assert SINGLE not in said and "never registered" not in said, said


def run_keeps_the_status_of_a_program_that_fails():
    same(called("run", "--", "sh", "-c", f"{namesakes}; exit 7")[0], 7)


def list_reports_both_definitions_and_fails():
    status, out, said = called("list", namesakes)
    same((status, out.splitlines()), (1, [SINGLE, *sorted(DEFINITIONS)]))
    same((set(named_in(said)), said.count("\n")), (DEFINITIONS, 1))


def list_finds_two_that_are_no_neighbours():
    """The one between them may share the name."""
    status, out, said = called("list", among)
    same((status, re.findall("u16|u32|u64", out)), (1, ["u16", "u32", "u64"]))
    same((named_in(said), said.count("\n")), (["tick u16 x", "tick u64 x"], 1))


def doctor_reports_both_definitions_and_fails():
    with running(tool, "run", "-o", "/dev/null", "--", namesakes, "stay") as process:
        pid = lines_until(process, "ready")[-1][0]
        status, out, _ = called("doctor", "--pid", pid)
    same((status, out.count("cannot register")), (1, 1))
    row = next(line for line in out.splitlines() if "cannot register" in line)
    same(set(named_in(row)), DEFINITIONS)
    assert os.path.realpath(namesakes) in row, row


skip_where_nothing_can_be_read()
run([the_program_gets_both_definitions, run_reports_both_definitions_and_fails,
     run_keeps_the_status_of_a_program_that_fails, list_reports_both_definitions_and_fails,
     list_finds_two_that_are_no_neighbours, doctor_reports_both_definitions_and_fails])
