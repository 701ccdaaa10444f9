#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the tests of a build folder, one a line: suite, name, command, tab-separated."""
import json
import subprocess
import sys

tests = json.loads(subprocess.check_output(["meson", "introspect", "--tests", sys.argv[1]]))
seen = set()
for test in tests:
    suite = test["suite"][0].split(":")[-1]
    if (suite, test["name"]) in seen:
        sys.exit(f"list-tests: cannot list two tests named {suite}/{test['name']}; rename one")
    seen.add((suite, test["name"]))
    print("\t".join([suite, test["name"], *test["cmd"]]))
