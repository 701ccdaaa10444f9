#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents export --to ctf, read back by babeltrace2. Arguments: the tool, the programs hello and
many, and files of golden events."""
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import uuid

from golden import golden_events
from processes import libc
from recordings import EVENTHEADER, Recording, dat, eventheader
from tap import run, same

tool, hello, many, *golden = sys.argv[1:]
folder = pathlib.Path(tempfile.mkdtemp())
VALUE8, VALUE16, VALUE32, VALUE64, VALUE128 = b"\x02", b"\x03", b"\x04", b"\x05", b"\x06"
TEXT, TEXT16, COUNTED, BINARY = b"\x07", b"\x08", b"\x0a", b"\x0d"
STRUCT, VARRAY = 1, 0x40
UNSIGNED, SIGNED, HEX, ERRNO, PID, TIME, BOOL, FLOAT = range(1, 9)
UUID, PORT, IP = 15, 16, 17
SECOND = 10**9
CAP_DAC_OVERRIDE, PR_CAPBSET_DROP = 1, 24
count = 0


def formatted(encoding, number):
    return bytes([encoding[0] | 0x80, number])


def struct_of(members):
    return bytes([0x81, members])


def array_of(encoding):
    return bytes([encoding[0] | VARRAY]) + encoding[1:]


def counted(content):
    return struct.pack("<H", len(content)) + content


def save(content):
    global count
    count += 1
    path = folder / f"recording{count}"
    path.write_bytes(content)
    return str(path)


def out():
    global count
    count += 1
    return str(folder / f"trace{count}")


def export(*args, status=0, complaint=""):
    done = subprocess.run([tool, "export", "--to", "ctf", *args], capture_output=True,
                          timeout=300)
    same(done.stderr.decode(), complaint)
    same((done.returncode, done.stdout), (status, b""))


def babeltrace(*args):
    done = subprocess.run(["babeltrace2", *args], capture_output=True, timeout=300)
    same(done.returncode, 0)
    return done.stdout.decode(), done.stderr.decode()


def read(path, **kwargs):
    """The events of an exported recording, as (name, contexts and fields)."""
    trace = out()
    export("-o", trace, path, **kwargs)
    text, errors = babeltrace(trace)
    same(errors, "")
    return [re.match(r"\[.*?\] \(.*?\) (.*?): (\{.*)", line).groups()
            for line in text.splitlines()]


def events_of(*bodies, level=5, **kwargs):
    """A recording of EventHeader events of the provider Shop."""
    recording = Recording(**kwargs)
    event = recording.event("user_events", f"Shop_L{level}K1", 500, EVENTHEADER)
    for i, body in enumerate(bodies):
        recording.sample(event, 6 * SECOND + i, body, cpu=3, pid=12, tid=13)
    return save(recording.file())


COMMON = '{ vpid = 12, vtid = 13, procname = "", cpu_id = 3 }, { keyword = 0x1 }'


def shown(*bodies, **kwargs):
    """The fields of each event, which has nothing else."""
    found = []
    for name, text in read(events_of(*bodies, **kwargs)):
        assert text.startswith(COMMON), text
        found.append(text[len(COMMON) + 2:])
    return found


def one(fields, payload, **kwargs):
    return shown(eventheader("Order", fields, payload, **kwargs))


def check_bytes(found, name, error, offset, body):
    """One event, of which its bytes alone are there. perf pads them."""
    same([name for name, _ in found], ["userevents:bytes"])
    fields = found[0][1]
    assert f'{{ name = "{name}", error = "{error}", offset = ' in fields, fields[:200]
    if offset is not None:
        assert f" offset = {offset}, " in fields, fields[:200]
    texts = re.findall(r'\[\d+\] = "([0-9a-f]*)"', fields)
    assert all(len(text) == 4096 for text in texts[:-1])
    written = bytes.fromhex("".join(texts))
    same(written[:len(body)], body)
    assert len(written) < len(body) + 8


def ring(*args):
    path = out()
    subprocess.run([tool, "ring", "create", *args, path], check=True, timeout=300)
    return path


def write(path, *program, status=0):
    fd = os.open(path, os.O_RDWR)
    done = subprocess.run(program, stdout=subprocess.DEVNULL, timeout=300, pass_fds=[fd],
                          env={**os.environ, "USEREVENTS_FD": str(fd)})
    os.close(fd)
    same(done.returncode, status)


# Types

def numbers_have_their_sizes_signs_and_bases():
    encodings = [VALUE8, VALUE16, VALUE32, VALUE64]
    fields = [(f"{kind}{8 << i}", formatted(encoding, number))
              for kind, number in (("u", UNSIGNED), ("s", SIGNED), ("x", HEX))
              for i, encoding in enumerate(encodings)]
    payload = b"".join(bytes([0xff]) * (1 << i) for _ in range(3) for i in range(4))
    trace = out()
    export("-o", trace, events_of(eventheader("Order", fields, payload)))
    same(babeltrace(trace)[0].split(COMMON)[1].strip(), ", { " + ", ".join(
        [f"u{8 << i} = {2**(8 << i) - 1}" for i in range(4)]
        + [f"s{8 << i} = -1" for i in range(4)]
        + [f"x{8 << i} = 0x{'F' * (2 << i)}" for i in range(4)]) + " }")
    metadata = pathlib.Path(trace, "metadata").read_text()
    for i in range(4):
        size = f"integer {{ size = {8 << i}; align = 8;"
        for text in f"{size} }} _u{8 << i};", f"{size} signed = true; }} _s{8 << i};", \
                f"{size} base = x; }} _x{8 << i};":
            assert text in metadata, metadata


def other_numbers_are_numbers():
    same(one([("port", formatted(VALUE16, PORT)), ("errno", formatted(VALUE32, ERRNO)),
              ("pid", formatted(VALUE32, PID)), ("yes", formatted(VALUE8, BOOL)),
              ("no", formatted(VALUE32, BOOL)), ("half", formatted(VALUE32, FLOAT)),
              ("tenth", formatted(VALUE64, FLOAT))],
             struct.pack(">H", 443) + struct.pack("<iiBIfd", 2, -5, 1, 0, 0.5, 0.1)),
         ["{ port = 443, errno = 2, pid = -5, yes = 1, no = 0, half = 0.5, tenth = 0.1 }"])


def ids_addresses_times_and_text_are_text():
    same(one([("id", formatted(VALUE128, UUID)), ("four", formatted(VALUE32, IP)),
              ("six", formatted(VALUE128, IP)), ("time", formatted(VALUE32, TIME)),
              ("narrow", TEXT), ("wide", TEXT16), ("counted", COUNTED)],
             bytes(range(16)) + bytes([127, 0, 0, 1]) + bytes(15) + b"\x01"
             + struct.pack("<I", 86400) + "gr\u00fc\u00df\0".encode()
             + "h\u00e9\0".encode("utf-16-le") + counted(b"a\0b")),
         ['{ id = "00010203-0405-0607-0809-0a0b0c0d0e0f", four = "127.0.0.1", six = "::1", '
          'time = "1970-01-02T00:00:00Z", narrow = "gr\u00fc\u00df", wide = "h\u00e9", '
          'counted = "a\u2400b" }'])


def bytes_and_arrays_are_sequences():
    same(one([("raw", BINARY), ("none", BINARY), ("sizes", array_of(VALUE32)),
              ("names", array_of(TEXT)), ("halves", array_of(formatted(VALUE32, FLOAT))),
              ("three", bytes([0x20 | VALUE16[0]]) + struct.pack("<H", 3))],
             counted(b"\0\xff") + counted(b"") + struct.pack("<HII", 2, 5, 6)
             + struct.pack("<H", 2) + b"a\0bc\0" + struct.pack("<Hf", 1, 0.5)
             + struct.pack("<HHH", 7, 8, 9)),
         ["{ __raw_len = 2, raw = [ [0] = 0x0, [1] = 0xFF ], __none_len = 0, none = [ ], "
          "__sizes_len = 2, sizes = [ [0] = 5, [1] = 6 ], "
          '__names_len = 2, names = [ [0] = "a", [1] = "bc" ], '
          "__halves_len = 1, halves = [ [0] = 0.5 ], "
          "__three_len = 3, three = [ [0] = 7, [1] = 8, [2] = 9 ] }"])


def structs_nest_in_structs_and_arrays():
    fields = [("client", struct_of(2)), ("port", VALUE32), ("name", TEXT),
              ("items", bytes([0xc1, 2])), ("id", VALUE8), ("parts", array_of(VALUE8)),
              ("last", VALUE8)]
    client = struct.pack("<I", 80) + b"me\0"
    full = client + struct.pack("<H", 2) + b"\1" + counted(b"\5\6") + b"\2" + counted(b"")
    none = client + struct.pack("<H", 0)
    first = "client = { port = 80, name = \"me\" }, "
    texts = [f"{{ {first}__items_len = 2, items = [ [0] = {{ id = 1, __parts_len = 2, "
             "parts = [ [0] = 5, [1] = 6 ] }, [1] = { id = 2, __parts_len = 0, "
             "parts = [ ] } ], last = 9 }",
             f"{{ {first}__items_len = 0, items = [ ], last = 9 }}"]
    for order in 1, -1:
        bodies = [eventheader("Order", fields, payload + b"\x09") for payload in (full, none)]
        trace = out()
        export("-o", trace, events_of(*bodies[::order]))
        same([line.split(COMMON + ", ")[1] for line in babeltrace(trace)[0].splitlines()],
             texts[::order])
        # also an empty array has the type of its elements
        same(pathlib.Path(trace, "metadata").read_text().count("event {"), 1)


def numbers_that_may_be_missing_have_classes_of_their_own():
    field = [("n", formatted(BINARY, UNSIGNED))]
    values = [b"", b"\7", b"", b"\7\0\0\0", b"\x08"]
    trace = out()
    export("-o", trace, events_of(*[eventheader("Order", field, counted(value))
                                    for value in values]))
    same([line.split(COMMON + ", ")[1] for line in babeltrace(trace)[0].splitlines()],
         ["{ n = { } }", "{ n = 7 }", "{ n = { } }", "{ n = 7 }", "{ n = 8 }"])
    same(pathlib.Path(trace, "metadata").read_text().count("event {"), 3)


def in_arrays_they_are_text():
    field = [("n", array_of(formatted(BINARY, UNSIGNED)))]
    same(one(field, struct.pack("<H", 2) + counted(b"") + counted(b"\7")),
         ['{ __n_len = 2, n = [ [0] = "null", [1] = "7" ] }'])


def big_endian_events_are_numbers_of_this_machine():
    recording = Recording(big_endian=True)
    event = recording.event("user_events", "Shop_L5K1", 500, EVENTHEADER)
    recording.sample(event, 1, eventheader("Order", [("n", VALUE32)], struct.pack(">I", 7),
                                           big_endian=True))
    same([text.split(", ")[-1] for _, text in read(save(recording.file()))], ["{ n = 7 }"])


def classic_events_have_their_fields():
    recording = Recording()
    event = recording.event("user_events", "request", 500, [
        ("u32", "status", 4, 0), ("s8", "change", 1, 1), ("__rel_loc char[]", "path", 4, 1),
        ("u16[2]", "pair", 4, 0), ("unsigned long", "flags", 8, 0)])
    recording.sample(event, 1, struct.pack("<IbIHHQ", 200, -1, 2 << 16 | 12, 5, 6, 255)
                     + b"/\0", cpu=1)
    found = read(save(recording.file()))
    same([name for name, _ in found], ["user_events:request"])
    assert found[0][1].endswith('{ status = 200, change = -1, path = "/", __pair_len = 2, '
                                'pair = [ [0] = 5, [1] = 6 ], flags = 0xFF }'), found


# Beside the fields

def properties_are_contexts():
    activity = uuid.UUID(int=7).bytes
    recording = Recording()
    event = recording.event("user_events", "Shop_L2K1f", 500, EVENTHEADER)
    recording.comm(0, 13, "till", pid=12)
    recording.sample(event, 1, eventheader("Begin", [], b"", level=2, activity=activity,
                                           opcode=1), cpu=3, pid=12, tid=13)
    trace = out()
    export("-o", trace, save(recording.file()))
    same(babeltrace(trace)[0].split(") ")[1].strip(),
         'Shop:Begin: { vpid = 12, vtid = 13, procname = "till", cpu_id = 3 }, '
         '{ keyword = 0x1F, opcode = 1, activity = '
         '"00000000-0000-0000-0000-000000000007" }')
    assert "loglevel = 3;" in pathlib.Path(trace, "metadata").read_text()


def levels_are_log_levels():
    for level, number in (1, 2), (2, 3), (3, 4), (4, 6), (5, 14):
        trace = out()
        export("-o", trace, events_of(eventheader("A", [], b"", level=level), level=level))
        assert f"\tloglevel = {number};" in pathlib.Path(trace, "metadata").read_text(), level


def the_environment_names_the_tracer():
    trace = out()
    export("-o", trace, events_of(eventheader("A", [], b"")))
    metadata = pathlib.Path(trace, "metadata").read_text()
    for text in 'domain = "ust";', 'tracer_name = "userevents";':
        assert text in metadata, metadata


def times_are_those_of_day_where_they_are_known():
    wall = 1700000000 * SECOND
    path = events_of(eventheader("A", [], b""), eventheader("A", [], b""),
                     clock=(wall, 5 * SECOND))
    trace = out()
    export("-o", trace, path)
    for options, times in (["--clock-cycles"], ["00000000006000000000", "00000000006000000001"]), \
            (["--clock-seconds"], ["1700000001.000000000", "1700000001.000000001"]):
        same([line[1:21] for line in babeltrace(*options, trace)[0].splitlines()], times)
    trace = out()
    export("-o", trace, events_of(eventheader("A", [], b"")))
    assert "absolute = false;" in pathlib.Path(trace, "metadata").read_text()
    same(babeltrace("--clock-seconds", trace)[0][:13], "[6.000000000]")


def a_time_that_a_stream_cannot_have_is_a_property():
    recording = Recording()
    event = recording.event("user_events", "Shop_L5K1", 500, EVENTHEADER)
    for time in 5, 2**63 - 1, 2**63, 7:
        recording.sample(event, time, eventheader("A", [], b""))
        recording.round()
    trace = out()
    subprocess.run([tool, "export", "--to", "ctf", "-o", trace, save(recording.file())],
                   capture_output=True, timeout=300)
    text, errors = babeltrace("--clock-cycles", trace)
    same(errors, "")
    times = [int(line[1:21]) for line in text.splitlines()]
    same((len(times), times), (4, sorted(times)))
    same(sorted(re.findall("recorded_time = (-?[0-9]*)", text)), [str(-2**63), str(2**63 - 1)])


def times_that_go_back_are_read():
    for order in (9, 0, 5), (2**64 - 7, 0, 3), (0, 0, 2**64 - 1), (2**63, 2**63 + 5, 1), \
            (5 * SECOND, 4 * SECOND, 6 * SECOND):
        for offset in 0, 1700000000 * SECOND:
            recording = Recording(clock=(offset + 5, 5) if offset else None)
            event = recording.event("user_events", "Shop_L5K1", 500, EVENTHEADER)
            for i, time in enumerate(order):
                # Each round is at most as late as the next: the tool sorts within these.
                recording.sample(event, time, eventheader(f"E{i}", [], b""))
                recording.round()
                recording.round()
            trace = out()
            done = subprocess.run([tool, "export", "--to", "ctf", "-o", trace,
                                   save(recording.file())], capture_output=True, timeout=300)
            text, errors = babeltrace("--clock-seconds", trace)
            same(errors, "")
            same(sorted(re.findall("Shop:(E.)", text)), ["E0", "E1", "E2"])
            assert not done.stderr or b"in order" in done.stderr, done.stderr
            # Each event has its own time, in one place or the other.
            found = [re.search("recorded_time = (-?[0-9]+)", line)
                     or re.match(r"\[([0-9.]+)\]", line) for line in text.splitlines()]
            same(sorted(int(time[1].replace(".", "")) for time in found),
                 sorted(time - (time >> 63 << 64) + offset for time in order))


# Losses

def lost_events_are_discarded_ones_between_two_events():
    recording = Recording()
    event = recording.event("user_events", "Shop_L5K1", 500, EVENTHEADER)
    for i in range(4):
        if i in (0, 2):
            recording.lost(10 + i)
        recording.sample(event, (i + 1) * SECOND, eventheader("A", [], b""))
        recording.round()
    recording.lost(7)
    path = save(recording.file())
    trace = out()
    export("-o", trace, path, status=1,
           complaint=f"userevents: 29 events were lost when {path} was recorded.\n")
    text, errors = babeltrace("--clock-seconds", trace)
    same(len(text.splitlines()), 4)
    found = re.findall(r"discarded (\d+) events? between \[(\d+)\..*?\] and \[(\d+)\.", errors)
    same([int(number) for number, _, _ in found], [10, 12, 7])
    # the reader of recordings knows of a loss before it yields the event in front of that
    for _, begin, end in found:
        assert 0 <= int(end) - int(begin) <= 1, found


def losses_alone_are_a_trace():
    recording = Recording()
    recording.event("user_events", "Shop_L5K1", 500, EVENTHEADER)
    recording.lost(4)
    path = save(recording.file())
    trace = out()
    export("-o", trace, path, status=1,
           complaint=f"userevents: 4 events were lost when {path} was recorded.\n")
    text, errors = babeltrace(trace)
    same(text, "")
    assert "discarded 4 events" in errors, errors


def written_is_read_or_discarded():
    path = ring("-s256k", "-mdrop")
    write(path, many, "20000", status=1)
    trace = out()
    done = subprocess.run([tool, "export", "--to", "ctf", "-o", trace, path],
                          capture_output=True, timeout=300)
    text, errors = babeltrace(trace)
    lost = [int(number) for number in re.findall(r"discarded (\d+) events?", errors)]
    same((done.returncode, len(text.splitlines()) + sum(lost)), (1, 20000))
    assert text and lost, errors


# Many, and large

def each_event_is_written_once():
    recording = Recording()
    event = recording.event("user_events", "Shop_L5K1", 500, EVENTHEADER)
    for i in range(40000):
        recording.sample(event, 10 * i, eventheader(
            "AB"[i % 2], [("n", VALUE32), ("t", TEXT)], struct.pack("<I", i) + b"x" * 30 + b"\0"))
    trace = out()
    export("-o", trace, save(recording.file()))
    text, errors = babeltrace(trace)
    same(errors, "")
    same([int(n) for n in re.findall(r"\bn = (\d+)", text)], list(range(40000)))
    assert len(re.findall("Packet beg", babeltrace("--component", "sink.text.details",
                                                   trace)[0])) > 1


def large_values_are_whole():
    body = eventheader("Order", [("raw", BINARY), ("text", COUNTED)],
                       counted(b"\xab" * 30000) + counted(b"t" * 30000))
    for text in shown(body, body, body):
        same(text.count("= 0xAB"), 30000)
        assert f'text = "{"t" * 30000}"' in text


def with_too_many_classes_events_are_json():
    bodies = [eventheader(f"E{i}", [(f"f{j}", VALUE8) for j in range(500)], bytes(500))
              for i in range(300)]
    names = [name for name, _ in read(events_of(*bodies))]
    same(len(names), 300)
    same(names[0], "Shop:E0")
    same(names[-1], "userevents:json")
    bodies = [eventheader("E", [(f"f{i}", VALUE8)], b"\0") for i in range(100)]
    names = [name for name, _ in read(events_of(*bodies, bodies[0]))]
    same(names, ["Shop:E"] * 64 + ["userevents:json"] * 36 + ["Shop:E"])


def an_event_with_too_many_fields_is_json():
    found = read(events_of(eventheader("E", [("a", VALUE8)] * 2000, bytes(2000))))
    same(found[0][0], "userevents:json")
    same(found[0][1].count('\\"a\\":0'), 2000)


def an_event_whose_json_is_too_long_is_bytes():
    body = eventheader("E", [("a" * 20, VALUE8)] * 2700, bytes(2700))
    found = read(events_of(body))
    check_bytes(found, "E", "too_long", 0, body)


def names_that_repeat_cost_nothing():
    fields = [("a", bytes([0xc1, 1])), ("x" * 60000, VALUE8)]
    body = eventheader("E", fields, struct.pack("<H", 4000) + bytes(4000))
    check_bytes(read(events_of(body)), "E", "step_limit", None, body)
    fields = [("a", bytes([0xc1, 1]))] + [("", struct_of(1))] * 30 + [("", VALUE8)]
    body = eventheader("E", fields, struct.pack("<H", 60000) + bytes(60000))
    check_bytes(read(events_of(body)), "E", "step_limit", None, body)


# Names

def names_are_identifiers_each_once():
    names = ["", "1a", "a b", "a_20b", "a", "a", "a_6", "a_7", "int", "_int", "__x_len", "x",
             "x;attribute", "gr\u00f6\u00dfe", "_", "packet_size"]
    fields = [(name, VALUE8) for name in names[:11]] + [("x", array_of(VALUE8))] + [
        (name, VALUE8) for name in names[12:]]
    same(one(fields, bytes(range(11)) + counted(b"\x0b") + bytes(range(12, 16))),
         ["{ _ = 0, _1a = 1, a_20b = 2, a_20b_4 = 3, a = 4, a_6 = 5, a_6_7 = 6, a_7 = 7, "
          "int = 8, _int = 9, __x_len = 10, __x_len_0 = 1, x = [ [0] = 11 ], x_13 = 12, "
          "gr_c3_b6_c3_9fe = 13, __15 = 14, packet_size = 15 }"])


def names_hold_any_bytes():
    names = ['a"b\\c\n\x1b%s', "\u00f6", "", "x" * 30000, "{};"]
    found = read(events_of(*[eventheader(name, [(name, VALUE8)], b"\7") for name in names
                             if "\n" not in name]))
    same([name for name, _ in found], ["Shop:_c3_b6", "Shop:", "Shop:" + "x" * 1024, "Shop:{}"])
    same([text.split(", ")[-1] for _, text in found],
         ["{ _c3_b6 = 7 }", "{ _ = 7 }", f"{{ {'x' * 1024} = 7 }}", "{ _7b_7d = 7 }"])
    trace = out()
    export("-o", trace, events_of(eventheader(names[0], [], b"")))
    assert 'Shop:a"b\\c_0a_1b%s' in babeltrace(trace)[0]


# Bad input

def names_and_values_of_64_kib_are_read():
    long = "gr\u00fc\u00df"
    found = read(events_of(eventheader(long * 9999, [("a", VALUE8)], b"\7"),
                           eventheader("x" + long * 9999, [("a", VALUE8)], b"\7"),
                           eventheader("B", [("a" * 64000, VALUE8)], b"\7"),
                           eventheader("C", [("t", TEXT)], b"t" * 65000 + b"\0")))
    # A name is cut after about 1,024 characters.
    escaped = "gr_c3_bc_c3_9f"
    texts = "Shop:" + escaped * 73 + "gr", "Shop:x" + escaped * 73 + "g"
    same([name for name, _ in found], [*texts, "Shop:B", "Shop:C"])
    same(found[2][1].split(", ")[-1], f"{{ {'a' * 1024} = 7 }}")
    assert found[3][1].endswith(f'{{ t = "{"t" * 65000}" }}'), found[3][1][:100]


def a_damaged_event_is_json_with_its_fault():
    fields = [("number", VALUE64), ("t", TEXT)]
    found = read(events_of(eventheader("G", fields, struct.pack("<Q", 5) + b"ab\0"),
                           eventheader("G", fields, struct.pack("<Q", 5) + b"ab")))
    # perf pads a sample with 0xaa, so the text has no end
    same([name for name, _ in found], ["Shop:G", "userevents:json"])
    for text in '\\"number\\":5', "string_unterminated":
        assert text in found[1][1], found


def golden_events_are_read():
    events = golden_events(golden)
    found = read(save(dat(events)))
    same(len(found), len(events))
    assert len(events) > 100 and len({name for name, _ in found}) > 10


def events_with_any_byte_damaged_are_read():
    body = eventheader("Order", [
        ("sizes", array_of(VALUE8)), ("client", struct_of(2)), ("port", VALUE16), ("name", TEXT),
        ("items", bytes([0xc1, 2])), ("id", VALUE8), ("tag", TEXT), ("raw", BINARY),
        ("real", formatted(VALUE64, FLOAT)), ("wide", TEXT16)],
        struct.pack("<HBBH", 2, 5, 6, 80) + b"me\0" + struct.pack("<H", 2) + b"\1a\0\2b\0"
        + counted(b"\0\xff") + struct.pack("<d", 1.5) + b"w\0\0\0")
    bodies = [body[:i] + bytes([value]) + body[i + 1:]
              for i in range(len(body)) for value in (0, 0x7f, 0xff, body[i] ^ 0x80)]
    same(len(read(events_of(*bodies))), len(bodies))


def counts_that_lie_cost_nothing():
    lie = eventheader("B", [("s", bytes([0xc1, 2])), ("t", bytes([0xc1, 1])), ("v", VALUE8),
                            ("w", VALUE8)], struct.pack("<HH", 65535, 65535) + bytes(1000))
    same({name for name, _ in read(events_of(*[lie] * 20))}, {"userevents:json"})


def deep_structs_are_read():
    fields = [(f"s{i}", struct_of(1)) for i in range(31)] + [("v", VALUE8)]
    same(shown(eventheader("D", fields, b"\7")),
         ["{ " + "".join(f"s{i} = {{ " for i in range(31)) + "v = 7" + " }" * 32])
    arrays = [(f"s{i}", bytes([0xc1, 1])) for i in range(20)] + [("v", VALUE8)]
    for payload in struct.pack("<H", 1) * 20 + b"\7", struct.pack("<H", 0):
        same([name for name, _ in read(events_of(eventheader("E", arrays, payload)))],
             ["Shop:E"])


def bare_recordings_are_read():
    path = save(dat([("Shop_L5K1", eventheader("Order", [("n", VALUE8)], b"\7"))]))
    same([(name, text.split(", ")[-1]) for name, text in read(path)],
         [("Shop:Order", "{ n = 7 }")])


# Output

def a_directory_is_asked_for():
    path = events_of()
    for args in [], ["-o", "-"]:
        export(*args, path, status=2, complaint="userevents: cannot export to ctf: it is a "
               "directory of several files; use --output DIRECTORY\n")
    export("-o", out(), "--flatten", path, status=2, complaint="userevents: cannot export to "
           "ctf: its names have no dots; leave out --flatten\n")


def an_existing_directory_stays():
    trace = out()
    os.mkdir(trace)
    export("-o", trace, events_of(), status=1, complaint=f"userevents: cannot create {trace}: "
           "it exists already; give the name of a new directory\n")
    same(os.listdir(trace), [])
    missing = f"{trace}/a/b"
    export("-o", missing, events_of(), status=1, complaint=f"userevents: cannot create "
           f"{missing}: No such file or directory\n")


def an_impossible_directory_is_reported():
    parent, path = out(), events_of(eventheader("A", [], b""))
    os.mkdir(parent, 0o500)
    pathlib.Path(parent, "file").touch()
    for trace, reason in (f"{parent}/trace", "Permission denied"), \
            (f"{parent}/{'x' * 300}", "File name too long"), \
            (f"{parent}/file/trace", "Not a directory"):
        done = subprocess.run([tool, "export", "--to", "ctf", "-o", trace, path], text=True,
                              capture_output=True, timeout=300,
                              preexec_fn=lambda: libc.prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE,
                                                            0, 0, 0))
        same((done.returncode, done.stderr),
             (1, f"userevents: cannot create {trace}: {reason}\n"))
    for name in "file", "full":
        trace = f"{parent}/{name}"
        if name == "full":
            os.makedirs(f"{trace}/kept")
        export("-o", trace, path, status=1, complaint=f"userevents: cannot create {trace}: it "
               "exists already; give the name of a new directory\n")
    same(os.listdir(f"{parent}/full"), ["kept"])


def without_events_there_is_a_trace():
    trace = out()
    export("-o", trace, "--where", "n == 2", events_of(eventheader("A", [("n", VALUE8)], b"\1")),
           status=1, complaint='userevents: No event passes "n == 2".\n')
    same(babeltrace(trace), ("", ""))


def nothing_is_left_of_a_recording_that_does_not_exist():
    trace = out()
    export("-o", trace, status=2, complaint="userevents: cannot export: no source is given: "
           "recordings, --run or --watch; \"userevents export --help\" lists the options\n")
    assert not os.path.exists(trace)


def a_trace_is_private():
    trace = out()
    export("-o", trace, events_of(eventheader("A", [], b"")))
    same(os.stat(trace).st_mode & 0o777, 0o700)


def a_full_disk_leaves_the_events_up_to_then():
    body = eventheader("A", [("t", COUNTED)], counted(b"t" * 1000))
    path = events_of(*[body] * 2000)
    trace = out()
    done = subprocess.run(["bash", "-c", 'ulimit -f 1000; exec "$@"', "bash", tool, "export",
                           "--to", "ctf", "-o", trace, path], capture_output=True, timeout=300)
    same(done.stderr.decode(), f"userevents: cannot write {trace}: File too large; raise the "
         "limit with ulimit -f, or write less; it has the events up to then\n")
    same(done.returncode, 1)
    text, errors = babeltrace(trace)
    same(errors, "")
    found = text.count("Shop:A")
    assert 500 < found < 1024, found


def a_disk_without_space_for_metadata_keeps_nothing():
    path, trace = events_of(eventheader("A", [], b"")), out()
    done = subprocess.run(["bash", "-c", 'ulimit -f 8; exec "$@"', "bash", tool, "export",
                           "--to", "ctf", "-o", trace, path], capture_output=True, timeout=300)
    same((done.returncode, done.stderr.decode()),
         (1, f"userevents: cannot write {trace}: File too large\n"))
    assert not os.path.exists(trace)


def a_program_that_is_interrupted_leaves_its_events():
    trace = out()
    live = subprocess.Popen([tool, "export", "--to", "ctf", "-o", trace, "--run", "--", "sh", "-c",
                             f"{hello} 1; {hello} 2; echo; exec sleep 600"],
                            stderr=subprocess.PIPE, text=True, start_new_session=True)
    while (line := live.stderr.readline()) != "\n":  # the output of programs comes there
        assert line, "the tool ended"
    os.killpg(live.pid, signal.SIGINT)  # as the terminal does
    live.communicate(timeout=300)
    text, errors = babeltrace(trace)
    same((re.findall(r"number = (\d+)", text), errors), (["1", "1", "2"], ""))


def a_ring_is_exported_until_ctrl_c():
    path, trace = ring("-s256k", "-mdrop"), out()
    write(path, hello)
    live = subprocess.Popen([tool, "export", "--to", "ctf", "-o", trace, "--watch", path],
                            stderr=subprocess.PIPE)
    while not json.loads(subprocess.run([tool, "ring", "info", "--json", path], check=True,
                                        capture_output=True, timeout=300).stdout)["hasReader"]:
        same(live.poll(), None)
    write(path, many, "3")
    live.send_signal(signal.SIGINT)
    same((live.communicate(timeout=300)[1], live.returncode), (b"", 0))
    text, errors = babeltrace(trace)
    same((re.findall(r" number = (\d+)", text), errors), (["1", "0", "1", "2"], ""))


def programs_are_exported_while_they_run():
    trace = out()
    done = subprocess.run([tool, "export", "--to", "ctf", "-o", trace, "--run", "--", hello],
                          capture_output=True, timeout=300)
    same(done.returncode, 0)
    text, errors = babeltrace(trace)
    same(errors, "")
    same(len(text.splitlines()), 1)
    assert "vpid = " in text and 'procname = "hello' in text, text


run([numbers_have_their_sizes_signs_and_bases, other_numbers_are_numbers,
     ids_addresses_times_and_text_are_text, bytes_and_arrays_are_sequences,
     structs_nest_in_structs_and_arrays, numbers_that_may_be_missing_have_classes_of_their_own,
     in_arrays_they_are_text, big_endian_events_are_numbers_of_this_machine,
     classic_events_have_their_fields, properties_are_contexts, levels_are_log_levels,
     the_environment_names_the_tracer, times_are_those_of_day_where_they_are_known,
     a_time_that_a_stream_cannot_have_is_a_property, times_that_go_back_are_read,
     lost_events_are_discarded_ones_between_two_events, losses_alone_are_a_trace,
     written_is_read_or_discarded, each_event_is_written_once, large_values_are_whole,
     with_too_many_classes_events_are_json, an_event_with_too_many_fields_is_json,
     an_event_whose_json_is_too_long_is_bytes, names_that_repeat_cost_nothing,
     names_are_identifiers_each_once, names_hold_any_bytes, names_and_values_of_64_kib_are_read,
     a_damaged_event_is_json_with_its_fault, golden_events_are_read,
     events_with_any_byte_damaged_are_read, counts_that_lie_cost_nothing, deep_structs_are_read,
     bare_recordings_are_read, a_directory_is_asked_for, an_existing_directory_stays,
     an_impossible_directory_is_reported, without_events_there_is_a_trace,
     nothing_is_left_of_a_recording_that_does_not_exist, a_trace_is_private,
     a_full_disk_leaves_the_events_up_to_then, a_disk_without_space_for_metadata_keeps_nothing,
     programs_are_exported_while_they_run, a_program_that_is_interrupted_leaves_its_events,
     a_ring_is_exported_until_ctrl_c])
