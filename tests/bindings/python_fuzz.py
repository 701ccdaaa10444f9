#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes random objects as fields of events, hostile ones too: none may raise.

python_fuzz.py [--count N] [--seed N]

python_test.py runs it with some thousand objects. All of them, in a ring that overwrites:

    meson compile -C build/test
    PYTHONPATH=bindings/python LIBUSEREVENTS=build/test/lib/libuserevents.so \\
        USEREVENTS_RING=/tmp/fuzz.ring /usr/bin/python3 tests/bindings/python_fuzz.py --count 1000000

Prints how many events were written, lost, and how many values were altered.
"""
import argparse
import array
import collections
import datetime
import decimal
import enum
import fractions
import ipaddress
import json
import pathlib
import random
import types
import uuid

import userevents as ue


class Colour(enum.Enum):
    RED = 1


class Word(str, enum.Enum):
    YES = "yes"


class Bits(enum.IntFlag):
    A = 1


class NoText:
    def __repr__(self):
        raise RuntimeError("no text")

    __str__ = __repr__


class WrongText:
    def __repr__(self):
        return 7


class NoClass:
    @property
    def __class__(self):
        raise ValueError("no class")


class NoHash(type):
    def __hash__(cls):
        raise TypeError("no hash")

    def __getattribute__(cls, name):
        raise AttributeError(name)


class OfNoHash(metaclass=NoHash):
    pass


class Endless(list):
    def __iter__(self):
        while True:
            yield 1

    def __len__(self):
        return 3


class Wrong(dict):
    def items(self):
        raise KeyError("items")


class Odd(dict):
    def items(self):
        return [(1,)]


class Index:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class Float:
    def __float__(self):
        raise ZeroDivisionError


class Text(str):
    def __str__(self):
        raise OSError("no str")

    def __hash__(self):
        raise TypeError("no hash")

    def encode(self, *arguments):
        raise MemoryError

    def isascii(self):
        raise LookupError

    def replace(self, *arguments):
        return 5


class Number(int):
    def __index__(self):
        raise ArithmeticError

    __int__ = __le__ = __ge__ = __index__


class Grows:
    def __init__(self, values):
        self.values = values

    def __index__(self):
        self.values.append(self)
        return 1


class Recurses:
    def __repr__(self):
        return repr(self)


def cycle(random):
    made = {"a": 1}
    made["self"] = made
    values = [made]
    values.append(values)
    return random.choice((made, values, [values], {"in": values}))


def deep(random):
    made = random.choice(({}, [], {"x": 1}, "x"))
    for _ in range(random.choice((3, 8, 9, 50, 5000))):
        made = {"d": made} if random.random() < .9 else [made]
    return made


def wide(random):
    """References to one struct from each member of the next: exponential if all are followed."""
    made = {"x": 1}
    for _ in range(random.randrange(10)):
        made = {str(i): made for i in range(random.choice((2, 10, 127)))}
    return made


def grown(random):
    values = []
    values.append(Grows(values))
    return random.choice((ue.u8, ue.s64, list, tuple))(values)


def released(random):
    view = memoryview(b"released")
    view.release()
    return view


TYPED = [getattr(ue, name) for name in ue.__all__ if name in (
    "boolean errno_number f32 f64 hex8 hex16 hex32 hex64 pid port s8 s16 s32 s64 time u8 u16 u32 "
    "u64").split()]
NUMBERS = (0, 1, -1, 127, 255, 256, -129, 2**31, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -2**63,
           -2**63 - 1, 10**400, 10**5000, -10**6000)
FLOATS = (0.0, -0.0, 1e300, float("nan"), float("inf"), -float("inf"), 5e-324)
TEXTS = ("", "x", "caf\u00e9", "\0", "a\0b", "\ud800", "\U0001f600" * 50, "x" * 5000, "\u00e9" * 9000,
         "y" * 70000, "self", "\x1b[31m")

LEAVES = [
    lambda r: r.choice(NUMBERS), lambda r: r.choice(FLOATS), lambda r: r.choice(TEXTS),
    lambda r: r.choice((True, False, None, ..., NotImplemented)),
    lambda r: r.choice(TEXTS).encode("utf-8", "surrogatepass"),
    lambda r: bytearray(r.choice((0, 1, 100, 10000))),
    lambda r: memoryview(array.array("H", [1] * r.choice((0, 3, 9000)))),
    lambda r: memoryview(bytes(range(100)))[::3], released,
    lambda r: uuid.UUID(int=r.getrandbits(128)),
    lambda r: ipaddress.ip_address(r.getrandbits(r.choice((32, 128)))),
    lambda r: r.choice((datetime.datetime.min, datetime.datetime.max, datetime.datetime(1969, 12, 31),
                        datetime.datetime.now(datetime.timezone.utc), datetime.date(2020, 1, 2),
                        datetime.timedelta(1), datetime.time(1))),
    lambda r: r.choice((decimal.Decimal("1.5"), decimal.Decimal("sNaN"), fractions.Fraction(1, 3),
                        pathlib.Path("/x"), Colour.RED, Word.YES, Bits.A, Colour, 1j)),
    lambda r: r.choice((NoText(), WrongText(), NoClass(), OfNoHash(), OfNoHash, object(), Recurses(),
                        Float(), Number(5), Text("text"), Index(5), Index("x"), Index(2**70))),
    lambda r: r.choice((Endless(), Wrong(a=1), Odd(a=1), types.MappingProxyType({"a": 1}), range(9),
                        (i for i in ()), {1, 2}, frozenset("x"), len, random, Exception("e"))),
    lambda r: r.choice(TYPED)(r.choice((*NUMBERS, *FLOATS, "x", None, [1, 2], [], [300], [None],
                                        [0] * 70000, object(), Endless()))),
    lambda r: ue.json_text(r.choice(("{}", "x" * 9000, 5, None, Text("x")))),
    lambda r: collections.namedtuple("Point", "x y")(1, 2), lambda r: collections.deque([1]),
    cycle, deep, wide, grown,
]
KEYS = ("a", "b", "", "x\0", "\ud800", "n" * 300, "k" * 9000, 1, None, (1,), b"k", NoText(), Text("t"))


made_objects = 0


def thing(random, depth=0):
    global made_objects
    made_objects += 1
    kind = random.random()
    if depth < 4 and kind < .12:
        return {key(random): thing(random, depth + 1) for _ in range(random.choice((0, 1, 3, 130 if depth > 2 else 2)))}
    if depth < 4 and kind < .24:
        one = thing(random, depth + 1)
        return random.choice((list, tuple))(
            [one] * random.choice((0, 1, 3, 200, 9000)) if kind < .18 else
            [thing(random, depth + 1) for _ in range(random.choice((1, 2, 5)))])
    return random.choice(LEAVES)(random)


def key(random):
    found = random.choice(KEYS)
    return found if type(found) is not Text else "t"  # it has no hash


def fields(random):
    count = random.choice((0, 1, 1, 2, 4, 2000 if random.random() < .01 else 3))
    return {random.choice(("", "f")) + str(i) * random.choice((1, 1, 2, 500 if i < 9 else 1)): thing(random)
            for i in range(count)}


def write_all(events, count, source):
    """Returns the number of events."""
    written = 0
    while made_objects < count:
        write, names = source.choice(events)
        made = {name: thing(source) for name in names} if names else fields(source)
        if names and source.random() < .2:
            made.pop(source.choice(names))
        result = write(made)
        assert result in (True, False), result
        written += 1
    return written


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    session = ue.Session()
    assert session.error is None, session.error
    source = random.Random(given.seed)
    tracepoint = session.tracepoint("PyFuzz", 4)
    header = tracepoint.event("Header", id=1)
    classic = session.event("py_fuzz u8 a; s64 b; char[5] c; __rel_loc char[] d; __data_loc u8[] e; "
                            "struct s f 3; char g; unsigned char[2] h; __data_loc char[] i; "
                            "unsigned int j")
    assert tracepoint.enabled and classic.enabled
    written = write_all([(lambda made: tracepoint.write(source.choice((*TEXTS, "E", "E")), **made), None),
                         (lambda made: header.write(**made), None),
                         (lambda made: header.write_activity(ue.Activity(), **made), None),
                         (lambda made: classic.write(**made), "abcdefghij")], given.count, source)
    print(json.dumps({"objects": made_objects, "events": written, "altered": tracepoint.altered + classic.altered,
                      "lost": session.losses}))


if __name__ == "__main__":
    main()
