#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""emulate.py BUILD [EMULATOR [ARGUMENT...]] <LIST: makes a list of tests that runs them elsewhere.

LIST is what tests/list-tests.py printed. With an emulator, each program of the build folder
gets a script that starts it under the emulator, and the list has the script's path in place
of the program's. A kernel that cannot run the program itself can run the script, so this
needs no binfmt_misc, and a test may execute the program again by its name.
"""
import json
import pathlib
import shlex
import subprocess
import sys


def programs_of(build):
    targets = json.loads(subprocess.check_output(["meson", "introspect", "--targets", build]))
    return {name for target in targets if target["type"] == "executable"
            for name in target["filename"]}


def script_of(program, build, emulator):
    script = build / "emulated" / pathlib.Path(program).relative_to(build)
    script.parent.mkdir(parents=True, exist_ok=True)
    command = shlex.join([*emulator, "-0"]) + ' "$0" ' + shlex.quote(program) + ' "$@"'
    script.write_text(f"#!/bin/sh\nexec {command}\n")
    script.chmod(0o755)
    return str(script)


def main():
    build, emulator = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    scripts = {program: script_of(program, build, emulator)
               for program in programs_of(build)} if emulator else {}
    for line in sys.stdin.read().splitlines():
        suite, name, *command = line.split("\t")
        # programs among the arguments may be relative to the build folder
        print(suite, name, *(scripts.get(str(build / word), word) for word in command), sep="\t")


main()
