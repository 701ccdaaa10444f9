#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents cost. Arguments: the tool, and the programs many and slow_request."""
import json
import subprocess
import sys

from tap import run, same

tool, many, slow_request = sys.argv[1:]


def asked(*args, status=0):
    done = subprocess.run([tool, "cost", *args], capture_output=True, timeout=300, text=True)
    same(done.returncode, status)
    return done.stdout, done.stderr


def figures_belong_together():
    runs = 4
    out, said = asked("--json", "--runs", str(runs), "--", slow_request)
    got = json.loads(out)
    same((got["runs"], got["lost"], got["confidence"]), (runs, 0, 0.99))
    assert got["events"] > runs and got["events"] % runs == 0, got
    for key in "processorTime", "readerAlone", "wallTime":
        times = got[key]
        assert times["without"] > 0 and times["low"] <= times["high"], got
        assert abs(times["with"] / times["without"] - 1 - times["change"]) < 1e-9, got
    spent = (got["processorTime"]["with"] - got["readerAlone"]["with"]) * runs
    assert abs(got["eventCost"]["nanoseconds"] * got["events"] - spent) <= abs(spent) * 1e-6 + 1, got
    assert got["eventCost"]["low"] <= got["eventCost"]["high"], got


def the_table_says_the_same():
    out, said = asked("--runs", "2", "-e", "*", slow_request)
    lines = out.splitlines()
    same([line.split()[0] for line in lines[:4]], ["WITHOUT", "processor", "with", "time"])
    assert lines[4].startswith("2 runs of each kind, "), lines
    assert "an event costs " in lines[4] or "the cost of an event is hidden" in lines[4], lines
    assert "at most 0 ns" not in lines[4], lines
    assert len(lines) == 5 or lines[5] == "more --runs, longer ones or a quieter machine tell more"


def programs_that_cannot_be_measured_are_explained():
    assert "registered no events" in asked("/bin/true", status=1)[1]
    out, said = asked("--runs", "2", "--", many, "5", status=1)
    same((out, said.splitlines()[-1]),
         ("", f"userevents: cannot measure {many}: without events it ended with status 1"))
    assert "no program is given" in asked(status=2)[1]
    same(asked("/no/such/program", status=127)[0], "")
    assert "--runs is at most 1000" in asked("--runs", "1001", slow_request, status=2)[1]
    assert 'There was no event that "nothing" matches' in asked("-e", "nothing", slow_request, status=1)[1]


run([figures_belong_together, the_table_says_the_same,
     programs_that_cannot_be_measured_are_explained])
