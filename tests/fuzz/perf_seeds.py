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
from schedulers import World


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
    made = Capture(order).definition(0, "tick u16 number; __rel_loc char[] text")
    return made.event(made.pack("HI", 258, 3 << 16) + b"ab\0", 10**18, cpu=1,
                      clock_time=10**9).bytes


def pages(order):
    """A file with pages: of two passes, with what a recorder writes beside events."""
    made = Capture(order).definition(0, "tick u16 number; __rel_loc char[] text")
    record = made.pack("HI", 258, 3 << 16) + b"ab\0"
    made.thread(8, "ticker").thread(9).page(lost=1).page(1, cpu=1, clock=2)
    made.events([(0, 0, 10, record), (0, 1, 30, record)]).events([(0, 0, 20, record)], 1).end_pass(1)
    made.thread(9, "later").events([(0, 0, 50, record)], 1, rate=0.5).lost([0, 1, 2], 3).end_pass()
    return made.bytes


def rings(order):
    """A file of userevents collect --record: of two rings, one after the other, and again."""
    made = Capture(order).definition(0, "tick u32 number").thread(8, "ticker")
    made.ring(0, "/shop").ring(1, "/cart").page(ring=0).page(1, pid=9, ring=1)
    record = made.pack("I", 1)
    made.events([(0, 0, 10, record), (0, 0, 30, record)])
    made.events([(0, 0, 20, record), (0, 0, 60, record)], 1).end_pass(until=10**18 + 30)
    made.events([(0, 0, 40, record)]).end_pass(until=10**18 + 60).end_pass()
    made.ring(0, "/other").definition(0, "tock u32 number").page(ring=0, lost=2)
    return made.events([(0, 0, 70, record)]).lost([0, 0, 2], in_programs=3).end_pass(1).bytes


def activities():
    """A capture in which activities start, end, and remain open."""
    made = Capture("<").definition(
        0, "Shop_L4K1 u8 eventheader_flags; u8 version; u16 id; u16 tag; u8 opcode; u8 level")
    for number, (opcode, ident, time) in enumerate(
            [(1, 1, 0), (1, 2, 10), (0, 1, 20), (2, 1, 5000), (2, 3, 6000), (1, 4, 7000)]):
        body = eventheader(("Start", "Stop")[opcode == 2], [("n", b"\x07")], b"tea\0",
                           level=4, activity=bytes([ident] * 16), opcode=opcode)
        made.event(body, 10**18 + time, tid=8 + number % 2, cpu=1, lost=number % 3, comm=b"shop")
    return made.bytes


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
                          ("rings", rings("<")), ("rings-big-endian", rings(">")),
                          ("activities", activities()), ("nested", nested().file()),
                          ("scheduled", World(1, steps=80).file())):
        if asking:
            (folder / f"{name}-asking").write_bytes(content + bytes(2))
        else:
            (folder / name).write_bytes(content)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), "--asking" in sys.argv[2:])
