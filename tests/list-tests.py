#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tests of a build folder, a line each: suite, name, command, tab-separated."""
import json
import subprocess
import sys

tests = json.loads(subprocess.check_output(["meson", "introspect", "--tests", sys.argv[1]]))
for test in tests:
    suite = test["suite"][0].split(":")[-1]
    print("\t".join([suite, test["name"], *test["cmd"]]))
