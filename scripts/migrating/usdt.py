# SPDX-License-Identifier: MIT
"""USDT probes."""
import re

from .fields import NOT_FIELDS, PLACE, type_of
from .source import NAME, Left

class Usdt:
    def __init__(self, program):
        self.program = program
        program.each(r"(?:DTRACE_PROBE|STAP_PROBE)(?:\d\d?|V)?", self.probe)
        program.include_ours("sys/sdt.h")

    def probe(self, file, at, name, a):
        if len(a) < 2 or not all(NAME.match(x) for x in a[:2]):
            raise Left("provider and name must be names")
        count = re.search(r"\d+$", name)
        if not name.endswith("V") and len(a) - 2 != (int(count[0]) if count else 0):
            raise Left("a wrong number of arguments")
        fields, names = [], {}
        for i, value in enumerate(a[2:], 1):
            place = PLACE.fullmatch(value)
            label = place[2] if place and place[2] not in NOT_FIELDS else f"arg{i}"
            label = f"{label}_{i}" if label in names else label
            names[label] = 1
            fields.append(f"UE_{type_of(self.program, file, at, value)}({label})")
        event = f"{a[0]}_{a[1]}".replace("__", "_")
        self.program.define_here(file, at, event, fields)
        return f"(void){self.program.write(file, event, a[2:])}"
