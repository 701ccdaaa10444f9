# SPDX-License-Identifier: MIT
"""TraceLogging of LinuxTracepoints."""
import re

from .fields import field, laid_out, type_of
from .source import NAME, NOT_ITS_ARGUMENTS, Left, name_of, parts
from .tpp import Provider

class TraceLogging(Provider):
    FIELDS = {f"{hexa}{s}Int{n}": f"{'HEX' if hexa else s or 'S'}{n}" for hexa in ("", "Hex")
              for s in ("", "U") for n in (8, 16, 32, 64)}
    FIELDS.update(Long="LONG", ULong="ULONG", IntPtr="LONG", UIntPtr="SIZE", Float32="F32",
                  Float64="F64", Boolean="BOOL", Bool="BOOL", Char="CHAR", Char16="CHAR16",
                  Char32="CHAR32", Pointer="POINTER", Pid="PID", Port="PORT", Errno="ERRNO",
                  Time32="TIME32", Time64="TIME64", Guid="UUID", String="STRING",
                  Utf8String="STRING", String16="STRING16", String32="STRING32",
                  WideString="WSTRING", IPv4Address="IPV4", IPv6Address="IPV6")
    COUNTED = {"CountedString": "COUNTED_STRING", "CountedUtf8String": "COUNTED_STRING",
               "CountedString16": "COUNTED_STRING16", "CountedString32": "COUNTED_STRING32",
               "Binary": "BLOB"}

    def __init__(self, program):
        super().__init__(program, "TRACELOGGING_DEFINE_PROVIDER")
        self.names, self.tracepoints = {}, {}
        for file in program.files:
            for start, end, _, a in file.calls("TRACELOGGING_DEFINE_PROVIDER"):
                if len(a) > 1:
                    self.names[a[0]] = a
        program.each("TraceLoggingWrite", self.write)
        program.each("TraceLoggingWriteActivity", self.write_activity)
        program.each("TraceLoggingProviderEnabled", self.enabled)
        self.turn_registering("TraceLoggingRegister", "TraceLoggingUnregister")
        self.define()

    def write(self, file, at, _name, a):
        level, keyword, options, rest = self.properties(a[2:])
        point = self.tracepoint(file, a[0], level, keyword)
        fields = self.fields(file, at, rest)
        if options:
            return self.call(file, at, "UE_WRITE_EVENTHEADER_WITH", point,
                             " | ".join(options), "NULL", "NULL", a[1], *fields)
        return self.call(file, at, "UE_WRITE_EVENTHEADER", point, a[1], *fields)

    def write_activity(self, file, at, _name, a):
        level, keyword, options, rest = self.properties(a[4:])
        point = self.tracepoint(file, a[0], level, keyword)
        ids = [f"(const struct ue_activity *)({x})" if x != "NULL" else x for x in a[2:4]]
        return self.call(file, at, "UE_WRITE_EVENTHEADER_WITH", point,
                         " | ".join(options) or "0", *ids, a[1], *self.fields(file, at, rest))

    def call(self, file, at, macro, *arguments):
        return laid_out(macro, [self.program.session, *arguments], file.indentation(at))[:-1]

    def enabled(self, file, _at, _name, a):
        return f"UE_ENABLED({self.tracepoint(file, a[0], a[1], [a[2]])})"

    def tracepoint(self, file, provider, level, keywords):
        """Its name; define() defines it in this file."""
        if provider not in self.names:
            raise Left(f"the provider {provider} is not among the given files")
        level = self.constant(file, level)
        keyword = " | ".join(self.constant(file, each) for each in keywords) or "0"
        number = {"critical_error": 1, "error": 2, "warning": 3, "information": 4, "verbose": 5}
        word = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", re.split("[lL]evel_", level)[-1]).lower()
        level = str(number.get(word, level))
        name = re.sub(r"\W+", "_", f"{provider}_L{level}K{keyword}").strip("_")
        self.tracepoints.setdefault(file, {})[name] = (provider, level, keyword)
        file.writes = True
        return name

    def constant(self, file, text):
        """The value of a level or keyword, as tracepoints are defined outside of functions."""
        if NAME.match(text) and not re.match("event_level_|EventLevel_", text):
            found = set(re.findall(rf"\bconst\b[^;={{}}]*\b{text}\s*=\s*([^;,]+);", file.code)) | \
                set(re.findall(rf"\bconst(?:expr)?\s[^;={{}}]*\b{text}\s*=\s*([^;,]+);", file.code))
            if len(found) == 1:
                return self.constant(file, found.pop().strip())
            if not text.isupper():
                raise Left(f"{text} may be a variable: levels and keywords are constants")
        return text

    @staticmethod
    def properties(arguments):
        level, keyword, options, rest = "5", [], [], []
        for argument in arguments:
            (name, a), = parts(argument)
            if name == "TraceLoggingLevel":
                level = a[0]
            elif name == "TraceLoggingKeyword":
                keyword.append(a[0])
            elif name == "TraceLoggingIdVersion":
                options.append(f"UE_ID({a[0]}, {a[1]})")
            elif name == "TraceLoggingOpcode":
                options.append("UE_OPCODE(" + re.sub(r"^event_opcode_", "UE_OPCODE_", a[0]).upper()
                               .removeprefix("WINEVENT_") + ")")
            elif name == "TraceLoggingEventTag":
                options.append(f"UE_EVENT_TAG({a[0]})")
            elif name != "TraceLoggingDescription":
                rest.append((name, a))
        return level, keyword, options, rest

    def fields(self, file, at, rest):
        found = []
        while rest:
            name, a = rest.pop(0)
            kind = name.removeprefix("TraceLogging")
            if kind == "Struct":
                count = int(a[0])
                members = self.fields(file, at, rest[:count])
                del rest[:count]
                found.append(field("STRUCT", name_of(a[1]), *members))
                continue
            found.append(self.field(file, at, kind, a))
        return found

    def field(self, file, at, kind, a):
        array = re.fullmatch(r"(\w+?)(Fixed)?Array", kind)
        values = 2 if array or kind in self.COUNTED else 1
        macro = self.COUNTED.get(kind) or self.FIELDS.get(array[1] if array else kind)
        if kind == "Value":
            macro = type_of(self.program, file, at, a[0])
        if not macro:
            raise Left(f"there is no field like TraceLogging{kind}()")
        label = name_of(a[values]) if len(a) > values else " ".join(a[0].split())
        if '"' in label or "\\" in label:
            raise Left(f"the name {label} of a field")
        if array and array[2]:
            text = f"UE_ARRAY({field(macro, label, a[0])}, {a[1]})"
        elif array:
            text = f"UE_SEQUENCE({field(macro, label, *a[:2])})"
        else:
            text = field(macro, label, *a[:values])
        if len(a) > values + 2 and a[values + 2] != "0":
            return f"UE_TAGGED({a[values + 2]}, {text})"
        return text

    def define(self):
        """Providers where they were, and their tracepoints in each file that writes them."""
        declared = {}
        self.program.include_ours("TraceLoggingProvider.h")
        if self.program.keeps_includes:
            for file, points in self.tracepoints.items():
                self.provide(file, file.after_includes(), points, {p[0] for p in points.values()})
            return
        for file in self.program.files:
            for start, end, _, a in file.calls("TRACELOGGING_DECLARE_PROVIDER"):
                if a[0] in self.names:
                    declared[a[0]] = 1
                    file.replace(start, end, self.provider(a[0]))
        for file in self.program.files:
            points, last = self.tracepoints.get(file, {}), file.after_includes()
            for start, end, _, a in file.calls("TRACELOGGING_DEFINE_PROVIDER"):
                last = end + re.match(r"\s*;?", file.code[end:]).end()
                if a[0] not in self.names:
                    self.program.leave(file, start, "TRACELOGGING_DEFINE_PROVIDER", NOT_ITS_ARGUMENTS)
                elif a[0] in declared:
                    file.replace(start, last, "")
                else:
                    file.replace(start, end, self.provider(a[0]))
            self.provide(file, last, points, ())

    def provider(self, symbol):
        a = self.names[symbol]
        group = [re.sub(r"^TraceLoggingOptionGroupName\s*\((.*)\)$", r"\1", option)
                 for option in a[3:]]
        return f"UE_PROVIDER({', '.join([symbol, a[1], *group])})"

    def provide(self, file, at, points, providers):
        lines = [self.provider(symbol) + ";" for symbol in sorted(providers)]
        lines += [f"UE_TRACEPOINT({name}, {', '.join(point)});"
                  for name, point in sorted(points.items())]
        if lines:
            file.replace(at, at, "\n" + "\n".join(lines))
