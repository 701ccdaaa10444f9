#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes small recordings into a directory, as the fuzzer's first corpus."""
import pathlib
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tool"))
from captures import Capture  # noqa: E402
from recordings import (CALLCHAIN, CGROUP, EVENTHEADER, IDENTIFIER, RAW, READ, TIME, USUAL,
                        Recording, eventheader)


def recording(big_endian=False, **kwargs):
    made = Recording(big_endian, clock=(10**18, 5))
    shop = made.event("user_events", "Shop_L4K1f", 600, EVENTHEADER, ids=(9,),
                      sample_type=USUAL | IDENTIFIER)
    tick = made.event("user_events", "tick", 500, [("__rel_loc char[]", "text", 4, 1)],
                      ids=(7,), **({"sample_type": USUAL | IDENTIFIER} | kwargs))
    made.sample(shop, 20, eventheader("O", [("n", b"\x07")], b"tea\0", level=4,
                                      big_endian=big_endian))
    made.sample(tick, 10, made.pack("I", 3 << 16) + b"ab\0")
    made.round()
    made.lost(3)
    return made


def named(big_endian):
    """Names of threads and control groups, before and between samples."""
    made = Recording(big_endian)
    tick = made.event("user_events", "tick", 500, [("u32", "number", 4, 0)],
                      sample_type=USUAL | CGROUP)
    made.comm(0, 101, "first")
    made.cgroup(0, 1, "/shop.service")
    made.sample(tick, 10, made.pack("I", 1), cgroup=1)
    made.comm(20, 101, "later")
    made.fork(25, 102, 101)
    made.sample(tick, 30, made.pack("I", 2), cgroup=2, tid=102)
    made.exit(40, 101)
    made.sample(tick, 50, made.pack("I", 3))
    made.comm(60, 103, "\xe9" * 15, pid=103)
    made.sample(tick, 70, made.pack("I", 4), pid=200, tid=103)
    made.comm(80, 201, "\xe9" * 15, pid=201)
    made.sample(tick, 90, made.pack("I", 5), pid=201, tid=202)
    made.comm(95, 202, "\xe9" * 15, pid=201)
    made.sample(tick, 99, made.pack("I", 6), pid=201, tid=202)
    made.round()
    return made


def capture(order):
    """A file of userevents run --record, in the byte order of struct.pack()."""
    text = b"tick u16 number; __rel_loc char[] text\0"
    record = struct.pack(order + "HI", 258, 3 << 16) + b"ab\0"
    text += bytes(-len(text) % 8)
    padded = record + bytes(-len(record) % 8)
    return (b"UECAPTUR" + struct.pack(order + "II", 0x01020304, 4) +
            struct.pack(order + "IIII", 16 + len(text), 1, 0, 38) + text +
            struct.pack(order + "IIIIqqIIII16s", 64 + len(padded), 2, 0, 7, 10**18, 10**9, len(record),
                        8, 1, 0, b"ticker") +
            padded)


def pages(order):
    """A file with pages: of two passes, with what a recorder writes beside events."""
    made = Capture(order).definition(0, "tick u16 number; __rel_loc char[] text")
    record = made.pack("HI", 258, 3 << 16) + b"ab\0"
    made.thread(8, "ticker").thread(9).page(lost=1).page(1, cpu=1, clock=2)
    made.events([(0, 0, 10, record), (0, 1, 30, record)]).events([(0, 0, 20, record)], 1).end_pass(1)
    made.thread(9, "later").events([(0, 0, 50, record)], 1, rate=0.5).lost([0, 1, 2], 3).end_pass()
    return made.bytes


def activities():
    """A capture in which activities start, end, and remain open."""
    text = (b"Shop_L4K1 u8 eventheader_flags; u8 version; u16 id; u16 tag; u8 opcode; "
            b"u8 level\0")
    length = len(text) - 1
    text += bytes(-len(text) % 8)
    out = struct.pack("<8sIIIIII", b"UECAPTUR", 0x01020304, 3, 16 + len(text), 1, 0,
                      length) + text
    for number, (opcode, ident, time) in enumerate(
            [(1, 1, 0), (1, 2, 10), (0, 1, 20), (2, 1, 5000), (2, 3, 6000), (1, 4, 7000)]):
        body = eventheader(("Start", "Stop")[opcode == 2], [("n", b"\x07")], b"tea\0",
                           level=4, activity=bytes([ident] * 16), opcode=opcode)
        padded = body + bytes(-len(body) % 8)
        out += struct.pack("<IIIIqIIII16s", 56 + len(padded), 2, 0, 7, 10**18 + time,
                           len(body), 8 + number % 2, 1, number % 3, b"shop") + padded
    return out


def nested():
    """Arrays, structs and names that occur twice; and what they are on the way to damage."""
    made = Recording()
    shop = made.event("user_events", "Shop_L5K1", 600, EVENTHEADER)
    fields = [("a", b"\x02"), ("a", b"\x02"), ("n", b"\x44"), ("s", b"\x81\x03"), ("t", b"\x47"),
              ("u", b"\xc1\x01"), ("a", b"\x82\x07"), ("f", b"\x84\x08"), ("b", b"\x0d"),
              ("null", b"\x8d\x05"), ("ip", b"\x84\x11"), ("w", b"\x08")]
    values = struct.pack("<BBHIIH", 1, 2, 2, 3, 4, 2) + b"x\0\xff\0" + struct.pack(
        "<HBBfH", 2, 1, 0, 1.5, 2) + b"\0\1" + bytes(2) + b"\x7f\0\0\1" + b"w\0\0\0"
    for time, opcode, parent in ((10, 1, b""), (20, 0, b""), (30, 1, b"A" * 16), (40, 2, b"")):
        made.sample(shop, time, eventheader("Order", fields, values, opcode=opcode,
                                            activity=(b"B" if parent else b"A") * 16,
                                            related=parent), tid=100 + time % 3)
    made.sample(shop, 50, eventheader("Torn", fields, values[:-9]))
    made.lost(2)
    return made


def main(folder, asking=False):
    """With --asking for fuzz_sinks.c: each question of each recording."""
    usual, big = recording(), recording(True)
    layouts = recording(sample_type=IDENTIFIER | TIME | READ | CALLCHAIN | RAW,
                        read_format=0x1f)
    zstd = subprocess.run(["zstd", "-q", "-c"], input=usual.data(), capture_output=True,
                          check=True).stdout
    packed = struct.pack("<IHH", 81, 0, 8 + len(zstd)) + zstd
    for name, content in (("file", usual.file()), ("file-big-endian", big.file()),
                          ("stream", usual.stream()), ("layouts", layouts.file()),
                          ("stream-big-endian", big.stream()),
                          ("compressed", usual.stream(packed)),
                          ("named", named(False).stream()),
                          ("named-big-endian", named(True).file()),
                          ("capture", capture("<")), ("capture-big-endian", capture(">")),
                          ("pages", pages("<")), ("pages-big-endian", pages(">")),
                          ("activities", activities()), ("nested", nested().file())):
        if asking:
            (folder / f"{name}-asking").write_bytes(content + bytes(2))
        else:
            (folder / name).write_bytes(content)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), "--asking" in sys.argv[2:])
