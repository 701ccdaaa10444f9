# SPDX-License-Identifier: MIT
"""TPP of LinuxTracepoints."""
import re

from .fields import field, laid_out
from .source import NAME, Left, name_of, parts

class Provider:
    """TPP and TraceLogging share this: providers that are registered and unregistered."""

    def __init__(self, program, define):
        self.program = program
        program.providers.update({(file, start): 1 for file in program.files
                                  for start, _, _, _ in file.calls(define)})

    def turn_registering(self, register, unregister):
        """This comes last: if an event stays, its provider is registered as well."""
        session = self.program.session
        if len(self.program.providers) == 1:
            start, stop = f"{session} = ue_open(NULL), ue_register_all({session})", \
                f"ue_close({session})"
        else:
            start, stop = f"ue_register_all({session})", "(void)0"
        self.program.each(register, lambda *call: self.registering(start, *call))
        self.program.each(unregister, lambda *call: self.registering(stop, *call))

    def registering(self, ours, file, _at, name, arguments):
        file.writes = True
        if self.program.keeps_includes:
            return f"({ours}, {name}({', '.join(arguments)}))"
        return f"({ours})" if "," in ours else ours


class Tpp(Provider):
    def __init__(self, program):
        super().__init__(program, "TPP_DEFINE_PROVIDER")
        program.each("TPP_FUNCTION", self.function)
        program.each("TPP_WRITE", self.write)
        self.turn_registering("TPP_REGISTER_PROVIDER", "TPP_UNREGISTER_PROVIDER")
        self.drop("TPP_(?:DECLARE|DEFINE)_PROVIDER")
        program.include_ours("tracepoint-provider.h")

    def drop(self, pattern):
        """Declarations of providers, unless something needs them still."""
        if self.program.keeps_includes:
            return
        for file in self.program.files:
            for start, end, _, _ in file.calls(pattern):
                rest = re.match(r"\s*;?[ \t]*\n?", file.code[end:])
                file.replace(start, end + rest.end(), "")

    FIELDS = {f"TPP_{s}INT{n}": f"{s or 'S'}{n}" for s in ("", "U") for n in (8, 16, 32, 64)}
    FIELDS.update({"TPP_STRING": "STRING", "TPP_UINTPTR": "SIZE", "TPP_INTPTR": "LONG"})
    TYPES = {"STRING": "const char *", "SIZE": "size_t ", "LONG": "long ", "CHARS": "const char *",
             "BYTES": "const void *"}

    def fields(self, arguments):
        """(field, type in C, value) of each."""
        found = []
        for argument in arguments:
            (name, a), = parts(argument)
            label, value = name_of(a[0]), a[-1]
            if name in self.FIELDS and len(a) == 2:
                macro = self.FIELDS[name]
                text = field(macro, label)
            elif name in ("TPP_CHAR_ARRAY", "TPP_UCHAR_ARRAY") and len(a) == 3:
                if not re.fullmatch(r"0[xX][0-9a-fA-F]+|[1-9]\d*", a[1]):
                    raise Left(f"the size of {label} is not a number: {a[1]}")
                # CHARS ends with a NUL, and TPP copies all bytes.
                macro = "BYTES" if name == "TPP_UCHAR_ARRAY" else "CHARS"
                size = str(int(a[1], 0) + (macro == "CHARS"))
                text = field(macro, label, size)
            elif name == "TPP_STRUCT_PTR" and len(a) == 4:
                macro, text = "STRUCT", f"UE_STRUCT_BYTES({name_of(a[1])}, {label}, {a[2]})"
                self.TYPES = {**self.TYPES, "STRUCT": f"const struct {name_of(a[1])} *"}
            else:
                raise Left(f"there is no field like {name}()")
            if "UE_NAMED" in text:
                raise Left(f"a classic event can have no field {label}")
            number = re.fullmatch(r"([US])(\d+)", macro)
            c_type = self.TYPES.get(macro) or \
                f"{'u' if number[1] == 'U' else ''}int{number[2]}_t "
            found.append((text, c_type, value))
        return found

    def event(self, text):
        name = name_of(text)
        if not NAME.match(name):
            raise Left(f'flags in the name "{name}": use UE_EVENT_FLAGS()')
        return name

    def write(self, file, at, _name, a):
        event, fields = self.event(a[1]), self.fields(a[2:])
        self.program.define_here(file, at, event, [text for text, _, _ in fields])
        return self.program.write(file, event, [value for _, _, value in fields])

    def function(self, file, _at, _name, a):
        event, fields = self.event(a[1]), self.fields(a[3:])
        parameters = ", ".join(c_type + value for _, c_type, value in fields) or "void"
        write = self.program.write(file, event, [value for _, _, value in fields])
        self.program.events[file, event, "defined"] = 1
        self.program.events[file, event] = [text for text, _, _ in fields]
        return (laid_out("UE_EVENT", [event] + [text for text, _, _ in fields]) + "\n\n"
                f"int {a[2]}_enabled(void);\nint {a[2]}_enabled(void)\n{{\n\treturn "
                f"UE_ENABLED({event});\n}}\n\nint {a[2]}({parameters});\nint {a[2]}({parameters})"
                f"\n{{\n\treturn {write};\n}}")
