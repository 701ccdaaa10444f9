#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes small recordings into a directory, as the fuzzer's first corpus."""
import pathlib
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tool"))
from recordings import (CALLCHAIN, EVENTHEADER, IDENTIFIER, RAW, READ, TIME, USUAL,
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


def capture(order):
    """A file of userevents run --record, in the byte order of struct.pack()."""
    text = b"tick u16 number; __rel_loc char[] text\0"
    record = struct.pack(order + "HI", 258, 3 << 16) + b"ab\0"
    text += bytes(-len(text) % 8)
    padded = record + bytes(-len(record) % 8)
    return (b"UECAPTUR" + struct.pack(order + "II", 0x01020304, 3) +
            struct.pack(order + "IIII", 16 + len(text), 1, 0, 38) + text +
            struct.pack(order + "IIIIqIIII16s", 56 + len(padded), 2, 0, 7, 10**18, len(record),
                        8, 1, 0, b"ticker") +
            padded)


def main(folder):
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
                          ("capture", capture("<")), ("capture-big-endian", capture(">"))):
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
