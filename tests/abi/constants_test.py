# SPDX-License-Identifier: MIT
"""
constants_test.py [--renew]: the headers keep the numbers and texts that are compiled into
programs.

constants.expected has those of the last release on x86-64: flags, limits, operations of events
and enumerators. Between releases they may be added; --renew writes the file, see doc/abi.md.
abidiff cannot see them: most are in no type of an exported function.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "../tool"))
import tap  # noqa: E402

INCLUDE = os.path.join(HERE, "../../include")
EXPECTED = os.path.join(HERE, "constants.expected")
GROWING = "UE_LOSS_REASONS",  # how many there are


def run(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def headers():
    """A program that includes each header of C."""
    names = sorted(glob.glob("userevents/**/*.h", root_dir=INCLUDE, recursive=True))
    return "".join(f"#include <{name}>\n" for name in names)


def preprocessed(*options):
    return run("cc", "-std=gnu11", f"-I{INCLUDE}", "-E", *options, "-xc", "-", input=headers())


def macros():
    """The macros that are a number, a text, or the name of one, and what they are."""
    found = dict(re.findall(r"^#define (UE_\w+) (.+)$", preprocessed("-dM"), re.M))
    numbers = enumerators()

    def is_value(text):
        return text[0] in '0123456789"(' or text in numbers \
            or text in found and is_value(found[text])
    return {name: text for name, text in found.items()
            if is_value(text) and not name.startswith("UE_VERSION")}


def enumerators():
    bodies = re.findall(r"\benum (?:\w+ )?\{([^}]*)\}", preprocessed("-P"))
    return [name for body in bodies for name in re.findall(r"\bUE_\w+(?=\s*(?:=|,|$))", body)
            if name not in GROWING]


def printer():
    """A program that prints "NAME VALUE" of each constant."""
    texts = {name for name, value in macros().items() if value[0] == '"'}
    rows = [f'\tprintf("{name} \\"%s\\"\\n", {name});\n' if name in texts else
            f'\tprintf("{name} %lld\\n", (long long)({name}));\n'
            for name in sorted({*macros(), *enumerators()})]
    return f"#include <stdio.h>\n{headers()}int main(void)\n{{\n{''.join(rows)}\treturn 0;\n}}\n"


def today():
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "print")
        run("cc", "-std=gnu11", f"-I{INCLUDE}", "-xc", "-", "-o", program, input=printer())
        return run(program).splitlines()


def gone(before, now):
    return [line for line in before if line not in now]


def constants_are_those_of_the_last_release():
    with open(EXPECTED) as text:
        tap.same(gone(text.read().splitlines(), today()), [])


def constants_of_all_kinds_are_compared():
    """A flag, a limit, what only programs have, a text, and enumerators of headers of both."""
    names = [line.split()[0] for line in today()]
    for name in ("UE_OPEN_FD", "UE_PAYLOAD_MAX_PERF", "UE__OP_SPANS", "UE_ENVIRONMENT_FD",
                 "UE_ENCODING_DOUBLE", "UE_RING_DROP", "UE_LOSS_OTHER", "UE_ITEM_VALUE",
                 "UE_ENCODING_VALUE64"):
        assert name in names, name


def another_value_is_noticed():
    now = today()
    tap.same(gone(["UE__OP_SPANS 5", *now], now), ["UE__OP_SPANS 5"])


if "--renew" in sys.argv:
    with open(EXPECTED, "w") as text:
        text.writelines(f"{line}\n" for line in today())
    sys.exit()
tap.run([constants_of_all_kinds_are_compared, another_value_is_noticed]
        + ([constants_are_those_of_the_last_release] if os.uname().machine == "x86_64" else []))
