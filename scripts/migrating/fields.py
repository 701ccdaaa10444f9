# SPDX-License-Identifier: MIT
"""Fields: from the names and types of values."""
import re

from .source import NAME, Left

# Names that are macros somewhere, and keywords: a field of such a name needs a label.
NOT_FIELDS = set("""NULL errno stdin stdout stderr linux unix common_type common_flags common_pid
    common_preempt_count auto break case char class const continue default delete do double
    else enum extern float for if inline int long new operator private public register return
    short signed sizeof static struct switch template this typedef union unsigned using void
    volatile while""".split())
CLASSIC = {  # the type in C: a field
    "int": "INT", "signed int": "INT", "signed": "INT", "unsigned int": "UINT",
    "unsigned": "UINT", "short": "SHORT", "unsigned short": "USHORT", "long": "LONG",
    "long int": "LONG", "ssize_t": "LONG", "unsigned long": "ULONG", "intptr_t": "LONG",
    "unsigned long int": "ULONG", "size_t": "SIZE", "uintptr_t": "SIZE", "char": "CHAR",
    "long long": "S64", "unsigned long long": "U64", "unsigned char": "UCHAR",
    "signed char": "S8", "bool": "BOOL", "_Bool": "BOOL", "pid_t": "PID", "off_t": "LONG",
    "uid_t": "U32", "gid_t": "U32", "time_t": "TIME64",
    **{f"{u}int{n}_t": f"{'U' if u else 'S'}{n}" for u in ("", "u") for n in (8, 16, 32, 64)}}
SIZES = {"INT": 32, "UINT": 32, "SHORT": 16, "USHORT": 16, "CHAR": 8, "UCHAR": 8, "LONG": 64,
         "ULONG": 64, "SIZE": 64,
         **{f"{s}{n}": n for s in ("S", "U", "HEX") for n in (8, 16, 32, 64)}}


def field(macro, name, *rest):
    """A field, labelled if its name is not one that a field can have."""
    if NAME.match(name) and name not in NOT_FIELDS:
        return f"UE_{macro}({', '.join((name, *rest))})"
    plain = re.sub(r"\W", "_", name) + "_"
    return f'UE_NAMED("{name}", UE_{macro}({", ".join(("f_" + plain, *rest))}))'


def laid_out(macro, arguments, indentation=""):
    """A definition in lines of at most 90 columns, if its arguments are not longer."""
    lines = [f"{macro}({arguments[0]}"]
    for argument in arguments[1:]:
        lines[-1] += ","
        if len(indentation.expandtabs() + lines[-1].expandtabs() + argument) > 84:
            lines.append(indentation + "\t" + argument)
        else:
            lines[-1] += " " + argument
    return "\n".join(lines) + ");"


PLACE = re.compile(r"(\**)(?:\(?[A-Za-z_]\w*\)?(?:\[[^\[\]]*\])?(?:->|\.))*([A-Za-z_]\w*)")


def type_of(program, file, at, value):
    """The field for a value, by what it looks like and how it was declared."""
    if value.startswith('"'):
        return "STRING"
    if re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)[uUlL]*", value):
        return "S64"
    if re.match(r"(strlen|sizeof)\b", value):
        return "SIZE"
    if value.startswith("&"):
        return "POINTER"
    cast = re.match(r"\(\s*([\w\s]+?\s*\**)\s*\)\s*[\w(*&\"]", value)
    if cast and (known := field_of(cast[1])):
        return known
    place = PLACE.fullmatch(value)
    known = place and declared(program, file, at if place[2] == value.lstrip("*") else None,
                               place[2], len(place[1]))
    if not known:
        raise Left(f"the type of {value} is not known: cast it, and try again")
    return known


def declared(program, file, at, name, depth):
    """The type of the last declaration of a name, before a place if it is a variable."""
    texts = [file.code[:at]] if at else [each.code for each in program.files]
    pattern = (r"(?:^|[(,;{}]|\n)\s*((?:static |extern |const |unsigned |signed |struct |volatile "
               rf"|long )*[A-Za-z_]\w*)\s*((?:\*|\bconst\b|\s)*)\b{name}\s*[;,=)\[]")
    found = [match for text in texts for match in re.finditer(pattern, text)
             if match[1] not in ("return", "goto", "else", "case")]
    if not found:
        return None
    type_name = re.sub(r"\b(static|extern|volatile)\b", "", found[-1][1])
    array = "*" if found[-1].group().rstrip().endswith("[") else ""
    return field_of((type_name + found[-1][2] + array).replace("*", "", depth))


def field_of(text):
    base = " ".join(re.sub(r"\bconst\b|\*", " ", text).split())
    if "*" in text:
        return "STRING" if base == "char" and text.count("*") == 1 else "POINTER"
    return CLASSIC.get(base)
