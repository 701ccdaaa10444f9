#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Parse the output of golden_test with Python's JSON, as a second opinion.

usage: check_json.py GOLDEN_TEST FILE...
"""
import json
import subprocess
import sys


def unique(members):
    keys = [key for key, _ in members]
    assert not {"n", "meta"} & {key for key in keys if keys.count(key) > 1}, keys
    return dict(members)


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


output = subprocess.run([sys.argv[1], "--json", *sys.argv[2:]],
                        stdout=subprocess.PIPE, check=True).stdout
lines = output.decode("utf-8", errors="strict").split("\n")[:-1]
for line in lines:
    event = json.loads(line, parse_constant=refuse, object_pairs_hook=unique)
    assert list(event)[0] == "n", line
    assert "level" in event["meta"] or "error" in event["meta"], line
print(f"ok 1 - {len(lines)} events\n1..1")
sys.exit(not lines)
