# SPDX-License-Identifier: MIT
"""Writes and reads capture files, by what tools/common/records/capture_file.h says of them."""
import struct

DEFINITION, THREAD, PAGE, EVENTS, PASS, LOST, RING, STACKS = range(1, 9)
HEADER = 16
NO_RING = 2**32 - 1
FOREVER = 2**63 - 1
EVENTHEADER = "u8 eventheader_flags; u8 version; u16 id; u16 tag; u8 opcode; u8 level"


def varint(number):
    number &= (1 << 64) - 1
    out = b""
    while number > 0x7f:
        out += bytes([number & 0x7f | 0x80])
        number >>= 7
    return out + bytes([number])


class Capture:
    """A file in a byte order of struct.pack()."""

    def __init__(self, order="=", version=7):
        self.order = order
        self.bytes = bytearray(b"UECAPTUR" + self.pack("II", 0x01020304, version))

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def add(self, kind, body):
        body += bytes(-len(body) % 8)
        self.bytes += self.pack("II", 8 + len(body), kind) + body
        return self

    def definition(self, index, text):
        return self.add(DEFINITION, self.pack("II", index, len(text)) + text.encode() + b"\0")

    def eventheader(self, name="Shop_L5K1", index=0):
        return self.definition(index, f"{name} {EVENTHEADER}")

    def thread(self, tid, name=""):
        return self.add(THREAD, self.pack("I16s", tid, name.encode()))

    def ring(self, number, cgroup):
        return self.add(RING, self.pack("II", number, len(cgroup)) + cgroup.encode() + b"\0")

    def page(self, place=0, pid=7, cpu=0, lost=0, clock=1, opened=0, at=10**18, process="shop",
             ring=NO_RING, clock_time=None, writer=1):
        return self.add(PAGE, self.pack("IIIIIIQqq16sQ", place, pid, cpu, lost, clock, ring, opened,
                                        opened if clock_time is None else clock_time, at,
                                        process.encode(), writer))

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

    def stacks(self, stacks, asked=127):
        """Of the events before, one each: lists of addresses."""
        out, last = b"", 0
        for stack in stacks:
            out += varint(0) + varint(2 * len(stack))
            for address in stack:
                out += varint((address - last) * 2 if address >= last else (last - address) * 2 - 1)
                last = address
        return self.add(STACKS, self.pack("II", len(stacks), asked) + out)

    def end_pass(self, forgets_threads=0, until=FOREVER):
        return self.add(PASS, self.pack("IIq", forgets_threads, 0, until))

    def lost(self, counts, overwritten=0, in_programs=0):
        return self.add(LOST, self.pack("10Q", *counts, *[0] * (8 - len(counts)), overwritten,
                                        in_programs))

    def event(self, payload, time, index=0, pid=7, tid=8, cpu=0, lost=0, comm=b"ticker",
              clock_time=None):
        """An event by itself, which the file has in its order."""
        clock_time = time if clock_time is None else clock_time
        self.add(THREAD, self.pack("I16s", tid, comm))
        self.page(0, pid, cpu, lost, at=time, clock_time=clock_time)
        return self.events([(index, 0, 0, payload)]).end_pass(1)


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
