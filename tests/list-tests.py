#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the tests of a build folder, one a line: suite, name, command, tab-separated.

A test of the suite kernel is there once, without the virtual machine that meson test runs it in.
"""
import json
import os
import subprocess
import sys

build = os.path.abspath(sys.argv[1])
tests = json.loads(subprocess.check_output(["meson", "introspect", "--tests", build]))
seen = set()
for test in tests:
    suite, command = test["suite"][0].split(":")[-1], test["cmd"]
    if suite == "newest":
        continue
    if suite == "kernel":
        # tests/vm/on-kernel VERSION COMMAND...
        if (suite, test["name"]) in seen:
            continue
        command = [os.path.join(build, command[2]), *command[3:]]
    elif (suite, test["name"]) in seen:
        sys.exit(f"list-tests: cannot list two tests named {suite}/{test['name']}; rename one")
    seen.add((suite, test["name"]))
    print("\t".join([suite, test["name"], *command]))
