#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the tool says to the mistakes that need a kernel. Arguments: the tool, and the program
mistakes."""
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tool"))
from mistakes import Place, tests
from tap import run

if not os.path.exists("/sys/kernel/tracing/user_events_data"):
    print("1..0 # SKIP no user_events")
    sys.exit(77)
place = Place(*sys.argv[1:])
try:
    run(tests(place, "kernel"))
finally:
    shutil.rmtree(place.folder)
