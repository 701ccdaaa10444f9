# SPDX-License-Identifier: MIT
"""The examples "writer" print the same errors of values in each language."""
import subprocess

from tap import same

WORDS = ("no field of this name", "has a value already", "has another type than the value",
         "longer than the field", "A field has no value", "a name is missing or contains a NUL",
         "more than 127 members")


def are_explained(tool, writer, **kwargs):
    done = subprocess.run([tool, "run", "--json", "--", writer, "texts"], text=True,
                          capture_output=True, timeout=300, **kwargs)
    same(done.returncode, 1)  # what was refused is lost
    lines = done.stderr.splitlines()
    same(len(lines) >= len(WORDS), True)
    for line, words in zip(lines, WORDS):
        assert words in line, (line, words)
