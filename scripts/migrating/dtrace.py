# SPDX-License-Identifier: MIT
"""USDT probes by the macros of a header that "dtrace -h" makes of a .d file."""
import pathlib
import re

from .fields import CLASSIC, NOT_FIELDS, field_of
from .source import Left

PROVIDER = re.compile(r"\bprovider\s+(\w+)\s*\{([^{}]*)\}")
PROBE = re.compile(r"\bprobe\s+([\w$]+)\s*\(([^()]*)\)")
LENGTH = r"_?(?:len|length|size)"


class Probe:
    """A probe of a .d file, as an event: its fields, and the number of arguments."""

    def __init__(self, provider, name, parameters, types):
        self.name = f"{provider}_{name}".replace("__", "_")
        self.count, self.fields, self.wrong = len(parameters), [], None
        found = [self.parameter(text, i, types) for i, text in enumerate(parameters, 1)]
        names = [label for label, _, _ in found]
        while found:
            label, kind, c_type = found.pop(0)
            if not kind:
                self.wrong = f"the size of the type {c_type} is not known"
                return
            if names.index(label) != len(names) - len(found) - 1:
                label += f"_{len(names) - len(found)}"
            if kind == "STRING" and found and found[0][1] != "STRING" and \
                    re.fullmatch(re.escape(label) + LENGTH, found[0][0]):
                kind, _ = "COUNTED_STRING", found.pop(0)
            self.fields.append(f"UE_{kind}({label})")

    @staticmethod
    def parameter(text, number, types):
        """The label, the field, the type in C. A parameter may lack a name."""
        text = " ".join(text.split())
        named = re.fullmatch(r"(.*[\s*])([A-Za-z_]\w*)", text)
        label = f"arg{number}"
        if named and text not in CLASSIC and not re.fullmatch(r"(enum|struct) \w+", text):
            text = named[1].strip()
            label = label if named[2] in NOT_FIELDS else named[2]
        text = re.sub(r"\b[A-Za-z_]\w*", lambda word: types.get(word[0], word[0]), text)
        known = "STRING" if text == "string" else "INT" if text.startswith("enum ") and \
            "*" not in text else field_of(text)
        return label, known, text


class Dtrace:
    def __init__(self, program):
        self.program, self.probes, self.writers = program, {}, {}
        sources = [file for file in program.files if file.path.endswith(".d")]
        for file in sources:
            self.read(file)
        if not self.probes:
            return
        pattern = r"(?:TRACE_)?(?:" + "|".join(sorted(self.probes)) + r")(?:_ENABLED)?"
        program.macros.append(pattern)
        program.each(pattern, self.call)
        self.include([pathlib.Path(file.path).stem + ".h" for file in sources])

    def read(self, file):
        """The probes, by their macros. #define stands for types, as with "dtrace -C"."""
        types = dict(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([\w* \t]+?)[ \t]*$",
                                file.spaced, re.M))
        for provider, body in PROVIDER.findall(file.code):
            for name, given in PROBE.findall(body):
                parameters = [] if given.strip() in ("", "void") else given.split(",")
                macro = f"{provider}_{name.replace('__', '_')}".upper()
                self.probes[macro] = Probe(provider, name, parameters, types)

    def probe_of(self, macro):
        """The probe, and whether the macro asks if it is enabled. A provider may be named trace."""
        for plain, asks in (macro, False), (macro.removesuffix("_ENABLED"), True):
            for name in plain, plain.removeprefix("TRACE_"):
                if name in self.probes:
                    return self.probes[name], asks
        raise Left("the .d files have no such probe")

    def call(self, file, at, name, a):
        probe, asks = self.probe_of(name)
        a = [] if a == [""] else a
        if probe.wrong:
            raise Left(probe.wrong)
        if len(a) != (0 if asks else probe.count):
            raise Left("a wrong number of arguments")
        self.program.define_here(file, at, probe.name, probe.fields)
        self.writers[file] = 1
        if asks:
            return f"UE_ENABLED({probe.name})"
        return f"(void){self.program.write(file, probe.name, a)}"

    def include(self, headers):
        """Our header in place of the generated ones, and in each file that needs it."""
        for file in self.writers:
            if not any(file.includes(header) for header in headers):
                place = file.after_includes()
                file.replace(place, place, "\n#include <userevents/userevents.h>")
        for header in headers:
            self.program.include_ours(header)
