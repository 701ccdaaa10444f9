# SPDX-License-Identifier: MIT
"""LTTng-UST."""
import pathlib
import re

from .fields import CLASSIC, SIZES, field, laid_out
from .source import NOT_ITS_ARGUMENTS, WRONG, Left, parts

LEVELS = {1: ("EMERG", "ALERT", "CRIT"), 2: ("ERR",), 3: ("WARNING",), 4: ("NOTICE", "INFO")}


def plain(name):
    """Names of LTTng-UST before 2.13 as those since."""
    name = re.sub(r"^TP_", "LTTNG_UST_TP_", re.sub(r"^ctf_", "lttng_ust_field_", name))
    return re.sub(r"^TRACEPOINT_", "LTTNG_UST_TRACEPOINT_",
                  re.sub(r"^(do_)?tracepoint", r"lttng_ust_\1tracepoint", name))


class Lttng:
    def __init__(self, program):
        self.program, self.events, self.classes, self.levels = program, {}, {}, {}
        self.tracepoints, self.headers, self.swaps, self.stays = {}, {}, False, {}
        self.find_headers_that_stay()
        level = r"(?:LTTNG_UST_)?TRACEPOINT_LOGLEVEL"
        for file in program.files:
            for _, _, _, a in file.calls(level):
                if len(a) == 3:
                    self.levels[a[0], a[1]] = self.level_of(a[2])
        program.each(r"(?:LTTNG_UST_)?TRACEPOINT_EVENT_CLASS", self.define_class)
        program.each(r"(?:LTTNG_UST_)?TRACEPOINT_EVENT", self.define)
        program.each(r"(?:LTTNG_UST_)?TRACEPOINT_EVENT_INSTANCE", self.instance)
        program.each(level, self.drop_level)
        program.each(r"(?:LTTNG_UST_)?TRACEPOINT_MODEL_EMF_URI", lambda *_: "")
        program.each(r"(?:lttng_ust_)?(?:do_)?tracepoint", self.site)
        program.each(r"(?:lttng_ust_)?tracepoint_enabled", self.enabled)
        program.each(r"(?:lttng_ust_)?v?trace(?:f|log)", self.text)
        for file in program.files:
            self.frame(file)

    def find_headers_that_stay(self):
        """LTTng reads a header several times, so all of its events are turned, or none."""
        for file in self.program.files:
            for start, _, name, a in file.calls(r"(?:LTTNG_UST_)?TRACEPOINT_EVENT(?:_CLASS)?"):
                try:
                    if len(a) != 4:
                        raise Left("expected four arguments")
                    self.parse(a[2], a[3])
                except Left as reason:
                    self.stays.setdefault(file, (file.line(start), reason))
                except WRONG:
                    self.stays.setdefault(file, (file.line(start), NOT_ITS_ARGUMENTS))

    def turn(self, file, arguments, fields):
        """Does what parse() does, for a header that can be turned as a whole."""
        if file in self.stays:
            line, reason = self.stays[file]
            raise Left(f"{reason} (line {line}; a header is turned as a whole)")
        return self.parse(arguments, fields)

    @staticmethod
    def level_of(name):
        word = name.split("LOGLEVEL_")[-1]
        return next((number for number, words in LEVELS.items()
                     if word.removeprefix("TRACE_") in words), 5)

    @staticmethod
    def text(*_):
        raise Left("use UE_PRINTF() of userevents/printf.h or UE_SYSLOG() of userevents/logger.h")

    def parse(self, arguments, fields):
        (kind, given), = parts(arguments)
        if plain(kind) != "LTTNG_UST_TP_ARGS":
            raise Left(f"{kind} is not LTTNG_UST_TP_ARGS")
        given = [] if given in ([""], ["void"]) else given
        parameters = list(zip(given[::2], given[1::2]))
        (kind, inner), = parts(fields)
        if plain(kind) != "LTTNG_UST_TP_FIELDS":
            raise Left(f"{kind} is not LTTNG_UST_TP_FIELDS")
        return parameters, [self.field(*call) for call in parts(", ".join(inner))]

    def field(self, name, a):
        """A field, its values, and whether only EventHeader events have it."""
        kind = plain(name).removeprefix("lttng_ust_field_")
        if kind == "string":
            return field("STRING", a[0]), [a[1]], False
        if kind == "float":
            if a[0] not in ("float", "double"):
                raise Left(f"the type {a[0]} of the field {a[1]}")
            return field("F32" if a[0] == "float" else "F64", a[1]), [a[2]], True
        if kind in ("array_text", "sequence_text"):
            if kind == "array_text":
                return field("STRING_MAX", a[1], a[3]), [a[2]], False
            return field("COUNTED_STRING", a[1]), [a[2], a[4]], False
        macro = CLASSIC.get(re.sub(r"\bconst\b", "", a[0]).strip())
        if not macro:
            raise Left(f"the size of the type {a[0]} of the field {a[1]} is not known")
        if kind.endswith("_hex") and macro in SIZES:
            macro = f"HEX{SIZES[macro]}"
        kind = kind.removesuffix("_hex")
        if kind == "integer_network" and SIZES.get(macro) in (16, 32):
            host = f"ntoh{'s' if SIZES[macro] == 16 else 'l'}"
            self.swaps = True
            return field(macro, a[1]), [f"({a[0]}){host}((uint{SIZES[macro]}_t)({a[2]}))"], False
        if kind == "integer":
            return field(macro, a[1]), [a[2]], False
        if kind == "array":
            return f"UE_ARRAY({field(macro, a[1])}, {a[3]})", [a[2]], True
        if kind == "sequence":
            return f"UE_SEQUENCE({field(macro, a[1])})", [a[2], a[4]], True
        raise Left(f"there is no field like {name}()")

    def define_class(self, file, _at, _name, a):
        self.classes[a[0], a[1]] = self.turn(file, *a[2:])
        return ""

    def instance(self, file, _at, _name, a):
        shape = self.classes.get((a[0], a[1]))
        if not shape or len(a) not in (4, 5):
            raise Left("its class is not among the given files, or could not be turned")
        return self.declare(file, a[0] if len(a) == 4 else a[2], a[-2], *shape)

    def define(self, file, _at, _name, a):
        return self.declare(file, a[0], a[1], *self.turn(file, *a[2:]))

    def declare(self, file, provider, name, parameters, fields):
        event = f"{provider}_{name}"
        texts = [text for text, _, _ in fields]
        values = [value for _, each, _ in fields for value in each]
        out = laid_out("UE_EVENT_DECLARE", [event, *texts])
        if any(only for _, _, only in fields) or any("UE_NAMED" in text for text in texts):
            level = self.levels.get((provider, name), 5)
            tracepoint = f"{provider}_level{level}"
            self.tracepoints.setdefault(file, {})[tracepoint] = (provider, level)
            out = laid_out("UE_EVENTHEADER_WITH", [tracepoint, event, f'"{name}"', "0", *texts])
        else:
            self.headers.setdefault(file, []).append(event)
        direct = values == [parameter for _, parameter in parameters]
        self.events[provider, name] = direct
        file.writes = True
        if not direct:
            list_of = ", ".join(["int ue_session"] + [f"{t} {n}".replace("* ", "*")
                                                      for t, n in parameters])
            used = "".join(f"\t(void){n};\n" for _, n in parameters
                           if not any(re.search(rf"\b{n}\b", value) for value in values))
            out += (f"\nstatic inline int {event}_write({list_of})\n{{\n{used}\treturn "
                    f"UE_WRITE({', '.join(['ue_session', event, *values])});\n}}")
        return out

    def drop_level(self, _file, _at, _name, a):
        if tuple(a[:2]) not in self.events:
            raise Left("its event was not turned")
        return ""

    def site(self, file, _at, _name, a):
        direct = self.events.get((a[0], a[1]) if len(a) > 1 else ())
        if direct is None:
            raise Left("its event is not among the given files, or could not be turned")
        file.writes = True
        event, values = f"{a[0]}_{a[1]}", a[2:]
        if direct:
            return f"(void){self.program.write(file, event, values)}"
        given = ", ".join([self.program.session, *values])
        return f"(void)(UE_ENABLED({event}) && {event}_write({given}))"

    def enabled(self, _file, _at, _name, a):
        if tuple(a) not in self.events:
            raise Left("its event is not among the given files, or could not be turned")
        return f"UE_ENABLED({a[0]}_{a[1]})"

    def frame(self, file):
        """The text around the events of a header, and the file that defines them."""
        if file in self.program.keeps_includes:
            return
        lines = r"^[ \t]*#[ \t]*%s[^\n]*\n"
        for match in re.finditer(lines % r"(?:undef|define)[ \t]+(?:LTTNG_UST_)?TRACEPOINT_"
                                 r"(?:PROVIDER|INCLUDE|INCLUDE_FILE|DEFINE|CREATE_PROBES|"
                                 r"PROBE_DYNAMIC_LINKAGE)\b", file.text, re.M):
            file.replace(match.start(), match.end(), "")
        for match in re.finditer(r"#[ \t]*if[ \t]+!defined\(?\s*(\w+)\)?\s*\|\|\s*defined\(?\s*"
                                 r"(?:LTTNG_UST_)?TRACEPOINT_HEADER_MULTI_READ\)?", file.text):
            file.replace(match.start(), match.end(), f"#ifndef {match[1]}")
        for match in re.finditer(lines % r"include[ \t]*<lttng/tracepoint-event\.h>", file.text,
                                 re.M):
            file.replace(match.start(), match.end(), "")
        include = file.includes("lttng/tracepoint.h") or file.includes("tracepoint.h")
        if include and "lttng" in include.group():
            new = "#include <userevents/userevents.h>"
            if file in self.headers or file in self.tracepoints:
                new += self.preamble(file)
            file.replace(include.start(), include.end(), new)
        self.probes(file)

    def preamble(self, file):
        new = "\n#include <arpa/inet.h>" if self.swaps else ""
        new += f"\n\nextern int {self.program.session};\n"
        providers = {}
        for tracepoint, (provider, level) in self.tracepoints.get(file, {}).items():
            if provider not in providers:
                providers[provider] = 1
                new += f'\nUE_PROVIDER({provider}_provider, "{provider}");'
            new += (f"\nUE_TRACEPOINT_DECLARE({tracepoint}, {provider}_provider, {level}, 1);")
        return new

    def probes(self, file):
        """The file with CREATE_PROBES defines the events of the headers that it includes."""
        if not re.search(r"^[ \t]*#[ \t]*define[ \t]+(?:LTTNG_UST_)?TRACEPOINT_CREATE_PROBES",
                         file.text, re.M):
            return
        for header in self.program.files:
            include = file.includes(pathlib.Path(header.path).name)
            events = [f"UE_EVENT_DEFINE({event});" for event in self.headers.get(header, [])]
            events += [f"UE_TRACEPOINT_DEFINE({name});"
                       for name in self.tracepoints.get(header, {})]
            if include and events:
                file.replace(include.end(), include.end(), "\n\n" + "\n".join(events))
                self.program.events[header] = "defined"

    def check(self):
        for header in {*self.headers, *self.tracepoints}:
            if header not in self.program.events:
                self.program.leave(header, 0, "LTTNG_UST_TRACEPOINT_CREATE_PROBES",
                                   "no given file has it: add UE_EVENT_DEFINE() and "
                                   "UE_TRACEPOINT_DEFINE() for each event to one file")
