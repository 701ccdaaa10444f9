#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the tool says to the mistakes that need no kernel. Arguments: the tool, and the programs
mistakes and namesakes."""
import shutil
import sys

from mistakes import Place, every_mistake_has_a_row, tests
from tap import run

place = Place(*sys.argv[1:])
try:
    run([*tests(place, "tool"), every_mistake_has_a_row])
finally:
    shutil.rmtree(place.folder)
