# SPDX-License-Identifier: MIT
"""The files of a program: which events they define and write, and what is left."""
import re

from .fields import laid_out
from .source import DIRECTIVE, NOT_ITS_ARGUMENTS, TOKENS, WRONG, Left, blank

class Program:
    def __init__(self, files, session):
        self.files, self.session = files, session
        self.left, self.events, self.counts = [], {}, {}
        self.providers, self.keeps_includes = {}, set()
        self.macros = [r"TraceLogging\w+", r"TPP_\w+", r"DTRACE_PROBE\w*", r"STAP_PROBE\w*",
                       r"(?:lttng_ust_)?tracepoint"]

    def leave(self, file, at, name, reason):
        self.left.append((file.path, file.line(at), name, str(reason)))

    def each(self, pattern, rule):
        """Apply a rule, which returns the new text, to each call in each file."""
        for file in self.files:
            for start, end, name, arguments in file.calls(pattern):
                try:
                    new = rule(file, start, name, arguments)
                except Left as reason:
                    self.leave(file, start, name, reason)
                    self.keeps_includes.add(file)
                    continue
                except WRONG:
                    self.leave(file, start, name, NOT_ITS_ARGUMENTS)
                    self.keeps_includes.add(file)
                    continue
                if new.endswith(";") and file.code[end:].lstrip()[:1] == ";":
                    new = new[:-1]
                file.replace(start, end, new)

    def write(self, file, name, values):
        file.writes = True
        return f"UE_WRITE({', '.join([self.session, name, *values])})"

    def define_here(self, file, at, name, fields):
        """An event of this file, before the function that writes it."""
        if self.events.setdefault((file, name), fields) != fields:
            raise Left(f"another {name} in this file has other fields")
        if (file, name, "defined") not in self.events:
            self.events[file, name, "defined"] = 1
            place = file.before_definition(at)
            file.replace(place, place, laid_out("UE_EVENT", [name, *fields]) + "\n\n")


    def include_ours(self, theirs):
        """Our header in place of another, or beside it while something needs that."""
        for file in self.files:
            include = file.includes(theirs)
            if include:
                keeps = f"{include.group()}\n" if self.keeps_includes else ""
                file.replace(include.start(), include.end(),
                             f"{keeps}#include <userevents/userevents.h>")


def add_session(program):
    """Declare the session where it is used, open it in main() unless a provider does."""
    users = [file for file in program.files if file.writes]
    mains = [(file, match) for file in program.files for match in
             re.finditer(r"\bmain\s*\([^)]*\)\s*\{", file.code) if users]
    one = len(program.providers) == 1
    owner = next(iter(program.providers))[0] if one else mains[0][0] if mains else None
    name = program.session
    if owner and owner not in users:
        users.append(owner)
        place = owner.after_includes()
        owner.replace(place, place, "\n#include <userevents/userevents.h>")
    for file in users:
        text = f"int {name} = -1;" if file is owner else f"extern int {name};"
        if file in program.headers and file is not owner:
            continue
        file.replace(file.after_includes(), file.after_includes(), f"\n\n{text}")
    if mains and not one:
        file, match = mains[0]
        file.replace(match.end(), match.end(),
                     f"\n\t{name} = ue_open(NULL);\n\tue_register_all({name});")
    if users and not owner:
        program.leave(users[0], 0, "session", f"no file has main(): define int {name} = -1, and "
                      f"call {name} = ue_open(NULL) and ue_register_all({name})")


def find_rest(program):
    """Calls in macros and names of levels that are left for a person."""
    macros = "|".join(program.macros)
    for file in program.files:
        for match in DIRECTIVE.finditer(file.spaced):
            call = re.search(rf"define\s+\w+.*?\b({macros})\s*\(", match.group(), re.S)
            if call:
                program.leave(file, match.start(), call[1], "it is in the definition of a macro")
        if any(name in file.text for name in ("TraceLogging", "TRACELOGGING")):
            new = TOKENS.sub(blank, file.turned())
            for name in sorted(set(re.findall(r"\bevent_(?:level|opcode)\w*", new))):
                program.leave(file, file.code.find(name), name,
                              "use enum ue_level or enum ue_opcode")
