# SPDX-License-Identifier: MIT
"""Writes and reads capture files, by what tools/common/records/capture_file.h says of them."""
import struct

DEFINITION, EVENT, THREAD, PAGE, EVENTS, PASS, LOST = range(1, 8)
HEADER = 16


def varint(number):
    number &= (1 << 64) - 1
    out = b""
    while number > 0x7f:
        out += bytes([number & 0x7f | 0x80])
        number >>= 7
    return out + bytes([number])


class Capture:
    """A file in a byte order of struct.pack()."""

    def __init__(self, order="=", version=5):
        self.order = order
        self.bytes = b"UECAPTUR" + self.pack("II", 0x01020304, version)

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def add(self, kind, body):
        body += bytes(-len(body) % 8)
        self.bytes += self.pack("II", 8 + len(body), kind) + body
        return self

    def definition(self, index, text):
        return self.add(DEFINITION, self.pack("II", index, len(text)) + text.encode() + b"\0")

    def thread(self, tid, name=""):
        return self.add(THREAD, self.pack("I16s", tid, name.encode()))

    def page(self, place=0, pid=7, cpu=0, lost=0, clock=1, opened=0, at=10**18, process="shop"):
        return self.add(PAGE, self.pack("IIIIIIQqq16s", place, pid, cpu, lost, clock, 0, opened,
                                        opened, at, process.encode()))

    def events(self, events, place=0, rate=1.0, count=None, opened=0):
        """Events are (index, thread, clock, payload)."""
        out, thread = b"", None
        for index, number, clock, payload in events:
            out += varint(index * 2 + (number != thread))
            out += varint(number) if number != thread else b""
            out += varint(clock - opened) + varint(len(payload)) + payload
            thread, opened = number, clock
        return self.add(EVENTS, self.pack("IId", place, len(events) if count is None else count,
                                          rate) + out)

    def end_pass(self, forgets_threads=0):
        return self.add(PASS, self.pack("II", forgets_threads, 0))

    def lost(self, counts, overwritten=0):
        return self.add(LOST, self.pack("9Q", *counts, *[0] * (8 - len(counts)), overwritten))


def records(content):
    """Offset, size and kind of each record of this machine's byte order."""
    at = HEADER
    while at + 8 <= len(content):
        size, kind = struct.unpack_from("=II", content, at)
        yield at, size, kind
        at += size


def whole_events(content):
    """The payloads of all events that are whole, in the order of the file."""
    found = []
    for at, size, kind in records(content):
        if kind != EVENTS or at + 24 > len(content):
            continue
        count, = struct.unpack_from("=I", content, at + 12)
        data, place = content[at + 24:at + size], 0

        def number():
            nonlocal place
            value = shift = 0
            while True:
                byte = data[place]
                place += 1
                value |= (byte & 0x7f) << shift
                shift += 7
                if byte < 0x80:
                    return value
        try:
            for _ in range(count):
                if number() & 1:
                    number()
                number()
                length = number()
                if place + length > len(data):
                    break
                found.append(data[place:place + length])
                place += length
        except IndexError:  # cut off
            pass
    return found
