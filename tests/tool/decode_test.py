#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents decode, on recordings made byte by byte. Argument: the program."""
import json
import os
import pathlib
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

from recordings import (CALLCHAIN, CGROUP, CODE_PAGE_SIZE, CPU, DATA_PAGE_SIZE, DATA_SRC,
                        EVENTHEADER, ID, IDENTIFIER, IP, PERIOD, RAW, READ, PAGE, Recording,
                        STREAM_ID, TID, TIME, TraceDat, USUAL, dat, eventheader)
from tap import is_full, not_sanitized, run, same

tool = sys.argv[1]
os.environ["TZ"] = "UTC"  # lines_test.py is about time zones
folder = pathlib.Path(tempfile.mkdtemp())
NUMBER = [("u32", "number", 4, 0)]


def save(name, content):
    path = folder / name
    path.write_bytes(content)
    return str(path)


def decode(*args, status=0, stdin=b"", complaint=None):
    """stdout; stderr must have the complaint, or nothing."""
    done = subprocess.run([tool, "decode", *args], input=stdin, capture_output=True,
                          timeout=600)
    said = done.stderr.decode()
    same(done.returncode, status)
    if complaint is None:
        same(said, "")
    else:
        assert complaint in said, f"{complaint!r} is not in {said!r}"
        assert said.startswith("userevents: "), said
        assert said.startswith("userevents: cannot ") or said[-2:] in (".\n", "?\n"), said
    return done.stdout.decode()


def events(*args, **kwargs):
    return [json.loads(line) for line in
            decode("--format", "jsonl", *args, **kwargs).splitlines()]


def numbers(*args, **kwargs):
    return [event["number"] for event in events(*args, **kwargs)]


def number_event(recording, name="tick", number=500, **kwargs):
    return recording.event("user_events", name, number, NUMBER, **kwargs)


def ticks(recording, event, times, **kwargs):
    for number, time in enumerate(times):
        recording.sample(event, time, recording.pack("I", number), **kwargs)


SHOP = ("user_events", "Shop_L4K1f", 600, EVENTHEADER)


def order(big_endian=False):
    order = ">" if big_endian else "<"
    return eventheader("Order", [("count", b"\x04"), ("name", b"\x07")],
                       struct.pack(order + "I", 3) + b"tea\0", level=4,
                       big_endian=big_endian)


ORDER = {"n": "Shop:Order", "count": 3, "name": "tea"}


def one_of_each(big_endian=False, ids=True):
    """Two events, classic and EventHeader, a sample of each."""
    recording = Recording(big_endian)
    layout = USUAL | (IDENTIFIER if ids else 0)
    classic = recording.event("user_events", "done", 500, [
        ("s32", "status", 4, 1), ("u64", "ns", 8, 0), ("__rel_loc char[]", "path", 4, 1)],
        ids=(7, 8) if ids else (), sample_type=layout)
    shop = recording.event(*SHOP, ids=(9,) if ids else (), sample_type=layout)
    recording.sample(classic, 1_500_000_000,
                     recording.pack("iQI", -5, 1 << 40, 3 << 16) + b"/a\0", cpu=3,
                     pid=12, tid=13, which=1 if ids else 0)
    recording.sample(shop, 2_000_000_007, order(big_endian), cpu=1, pid=14, tid=15)
    return recording


ONE_OF_EACH = [
    {"n": "user_events:done", "status": -5, "ns": 1 << 40, "path": "/a",
     "meta": {"time": 1.5, "cpu": 3, "pid": 12, "tid": 13}},
    ORDER | {"meta": {"time": 2.000000007, "cpu": 1, "pid": 14, "tid": 15, "level": 4,
                      "keyword": "0x1F"}},
]


def files_and_streams_of_both_byte_orders():
    for big_endian in (False, True):
        recording = one_of_each(big_endian)
        same(events(save("a", recording.file())), ONE_OF_EACH)
        same(events(save("a", recording.stream())), ONE_OF_EACH)
        same(events("-", stdin=recording.file()), ONE_OF_EACH)
        same(events("-", stdin=recording.stream()), ONE_OF_EACH)


def samples_without_ids_are_distinguished_by_their_type():
    same(events(save("a", one_of_each(ids=False).file())), ONE_OF_EACH)


def one_event_without_ids():
    recording = Recording()
    ticks(recording, number_event(recording), range(3))
    same(numbers(save("a", recording.file())), [0, 1, 2])


def ids_wherever_the_samples_have_them():
    for layout in (ID | TIME | RAW, IP | TID | TIME | ID | STREAM_ID | CPU | PERIOD | RAW,
                   IDENTIFIER | RAW | TIME):
        recording = Recording()
        one = number_event(recording, "one", 500, ids=(1, 2), sample_type=layout)
        two = number_event(recording, "two", 501, ids=(3,), sample_type=layout)
        ticks(recording, two, [10])
        ticks(recording, one, [20], which=1)
        same([event["n"] for event in events(save("a", recording.file()))],
             ["user_events:two", "user_events:one"])


def events_of_different_layouts():
    recording = Recording()
    one = number_event(recording, "one", 500, ids=(1,),
                       sample_type=IDENTIFIER | TIME | RAW)
    two = number_event(recording, "two", 501, ids=(2,),
                       sample_type=IDENTIFIER | IP | TID | TIME | CALLCHAIN | CPU | RAW)
    ticks(recording, two, [10], cpu=5)
    ticks(recording, one, [20])
    same([event["meta"] for event in events(save("a", recording.file()))],
         [{"time": 1e-08, "cpu": 5, "pid": 100, "tid": 101}, {"time": 2e-08}])


def counter_values_and_call_chains_are_skipped():
    for read_format in (0, 1, 4, 7, 0x17, 8, 8 | 4, 8 | 0x17):
        recording = Recording()
        event = number_event(recording, read_format=read_format,
                             sample_type=USUAL | READ | CALLCHAIN)
        ticks(recording, event, [1, 2])
        same(numbers(save("a", recording.file())), [0, 1])


def samples_without_anything_but_the_event():
    recording = Recording()
    ticks(recording, number_event(recording, sample_type=RAW), [0, 0])
    same(numbers(save("a", recording.file())), [0, 1])
    same([event.get("meta", {}) for event in events(save("a", recording.file()))], [{}, {}])


def metas(member, *args, **kwargs):
    return [event["meta"].get(member) for event in events(*args, **kwargs)]


def threads_have_the_names_of_their_times():
    """Names stand anywhere before the end of the next round, and apply from their time on."""
    for big_endian in (False, True):
        recording = Recording(big_endian)
        event = number_event(recording)
        recording.comm(0, 1, "early")
        ticks(recording, event, [40, 10], tid=1)
        recording.comm(30, 1, "later")
        ticks(recording, event, [60, 20, 50], tid=2)
        recording.round()
        recording.fork(25, 2, 1)
        recording.comm(55, 2, "own", pid=7)
        for content in recording.file(), recording.stream():
            shown = events(save("a", content))
            same([(event["meta"]["time"], event["meta"]["tid"], event["meta"].get("comm"))
                  for event in shown],
                 [(1e-8, 1, "early"), (2e-8, 2, None), (4e-8, 1, "later"),
                  (5e-8, 2, "early"), (6e-8, 2, "own")])


def the_name_of_a_thread_ends_with_it():
    recording = Recording()
    event = number_event(recording)
    recording.comm(0, 9, "first")
    ticks(recording, event, [10], tid=9)
    recording.exit(20, 9)
    ticks(recording, event, [30], tid=9)
    recording.fork(40, 9, 8)  # of a thread without a name
    ticks(recording, event, [50], tid=9)
    recording.comm(60, 8, "parent")
    recording.fork(70, 9, 8)
    ticks(recording, event, [80], tid=9)
    same(metas("comm", save("a", recording.stream())), ["first", None, None, "parent"])


def names_without_a_time_apply_from_the_beginning():
    """A recorder whose other records lack it: but beginning and end have times of their own."""
    recording = Recording()
    event = number_event(recording, sample_type=USUAL)
    recording.end = lambda *_: b""
    recording.attr = lambda event, make=recording.attr: without_sample_id_all(make(event))
    ticks(recording, event, [10], tid=5)
    recording.comm(99, 5, "thread")
    recording.exit(20, 5)
    ticks(recording, event, [30], tid=5)
    same(metas("comm", save("a", recording.stream())), ["thread", None])


def without_sample_id_all(attr):
    flags, = struct.unpack_from("<Q", attr, 40)
    return attr[:40] + struct.pack("<Q", flags & ~(1 << 18)) + attr[48:]


def names_of_events_of_different_layouts():
    recording = Recording()
    first = number_event(recording, ids=(1,), sample_type=TID | TIME | IDENTIFIER | RAW)
    second = number_event(recording, "tock", 501, ids=(2,), sample_type=USUAL | IDENTIFIER)
    recording.comm(10, 5, "before")
    recording.events.reverse()  # the record is the second's
    recording.comm(20, 5, "after")
    recording.events.reverse()
    ticks(recording, first, [15, 25], tid=5)
    ticks(recording, second, [16, 26], tid=5)
    same(metas("comm", save("a", recording.file())), ["before", "before", "after", "after"])


def cgroups_are_shown():
    behind = (0, DATA_SRC, DATA_PAGE_SIZE, DATA_PAGE_SIZE | CODE_PAGE_SIZE)
    for big_endian in (False, True):
        for more in behind:
            recording = Recording(big_endian)
            event = number_event(recording, sample_type=USUAL | CGROUP | more)
            recording.cgroup(0, 1, "/")
            recording.cgroup(0, 1 << 33 | 7, "/system.slice/shop.service")
            ticks(recording, event, [10], cgroup=1 << 33 | 7)
            ticks(recording, event, [20], cgroup=1)
            ticks(recording, event, [30], cgroup=8)
            recording.cgroup(40, 1 << 33 | 7, "/moved")
            ticks(recording, event, [50], cgroup=1 << 33 | 7)
            path = save("a", recording.file())
            same(metas("cgroup", path), ["/system.slice/shop.service", "/", None, "/moved"])
    assert "cgroup" not in decode(path), decode(path)
    assert " meta={cgroup=\"/moved\"}\n" in decode(path, "--meta", "+cgroup")
    same(events(path, "--meta", "-cgroup,-time")[0]["meta"], {"cpu": 0, "pid": 100, "tid": 101})


def names_do_not_steer_a_terminal():
    recording = Recording()
    event = number_event(recording, sample_type=USUAL | CGROUP)
    recording.comm(0, 101, "\x1b[2Jx\n\x9b1m")
    recording.cgroup(0, 1, "/\x1b[2J\n")
    ticks(recording, event, [10], cgroup=1)
    text = decode(save("a", recording.file()), "--meta", "+cgroup")
    same(re.findall(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text), [])
    same(text.count("\n"), 1)
    same(metas("comm", save("a", recording.file())), ["\x1b[2Jx\n\x9b1m"])


def a_name_that_is_cut_off_is_not_one():
    recording = Recording()
    event = number_event(recording, sample_type=USUAL | CGROUP)
    recording.comm(0, 101, "whole")
    for kind, body in ((3, b""), (3, bytes(4)), (3, struct.pack("<II", 1, 101)),
                       (3, struct.pack("<II", 1, 101) + b"x" * 60), (4, b""), (7, bytes(12)),
                       (19, b""), (19, bytes(8)), (19, struct.pack("<Q", 1) + b"/x"),
                       (3, struct.pack("<II", 1, 1 << 30) + b"x".ljust(8, b"\0"))):
        recording.record(kind, body)
    ticks(recording, event, [10], cgroup=1)
    ticks(recording, event, [11], cgroup=1, tid=1 << 30)  # larger than any thread's
    same(metas("comm", save("a", recording.file())), ["whole", None])
    same(metas("cgroup", save("a", recording.stream())), [None, None])


def rounds_are_sorted():
    recording = Recording()
    event = number_event(recording)
    # two processors, read one after the other; the second round has one late event
    for times in ((10, 20, 30), (15, 25, 35)), ((40, 50), (33, 45)), ((60,), ()):
        for cpu in (0, 1):
            for time in times[cpu]:
                recording.sample(event, time, recording.pack("I", time), cpu=cpu)
        recording.round()
    expected = [10, 15, 20, 25, 30, 33, 35, 40, 45, 50, 60]
    same(numbers(save("a", recording.file())), expected)
    same(numbers(save("a", recording.stream())), expected)


def bare_samples(recording, event, times):
    """Like ticks(), for events with only time and data, and faster."""
    recording.data()
    recording.sample(event, 0, recording.pack("I", 7))
    whole = recording.pieces.pop()
    head, tail = whole[:8], whole[16:]
    recording.records += b"".join(head + struct.pack("<Q", time) + tail for time in times)


@not_sanitized("it limits memory")
def rounds_of_any_size_are_sorted():
    """A processor's whole round comes before the next one's, however long it is."""
    recording = Recording()
    event = number_event(recording, sample_type=TIME | RAW)
    bare_samples(recording, event, range(2000, 2000 + 2 * 1_200_000, 2))
    bare_samples(recording, event, range(1, 6001, 2))
    recording.round()
    bare_samples(recording, event, range(6001, 2_500_000, 50_000))
    path = save("a", recording.file())
    times = re.findall(r"^ *([0-9.]+) ", decode(path, "--meta", "time", "--wide"), re.M)
    same(len(times), 1_203_050)
    assert times == sorted(times)
    # without memory for all events, their order is lost, but no event
    limit = os.path.getsize(path) + (64 << 20)
    done = subprocess.run([tool, "decode", "--meta", "time", path], capture_output=True,
                          timeout=600, preexec_fn=lambda: resource.setrlimit(
                              resource.RLIMIT_AS, (limit, limit)))
    same((done.returncode, done.stdout.count(b"\n")), (1, 1_203_050))
    assert b"in order: later ones were printed" in done.stderr, done.stderr


def small_samples_of_a_stream_are_bounded():
    # their places in the queue take more memory than their bytes
    recording = Recording()
    event = number_event(recording, sample_type=TIME | RAW)
    count = 1_600_000
    bare_samples(recording, event, [2] * count + [1])
    done = subprocess.run([tool, "stat", "--json", "-"], input=recording.stream(),
                          capture_output=True, timeout=600)
    same((done.returncode, json.loads(done.stdout)["count"]), (1, count + 1))
    assert b"cannot put 1 event of" in done.stderr, done.stderr


def a_stream_that_cannot_be_sorted_is_reported():
    """decode keeps a bounded part of a stream, and still prints all of its events."""
    recording = Recording()
    event = recording.event("user_events", "big", 500, [("char[60000]", "text", 60000, 0)],
                            sample_type=TIME | RAW)
    recording.sample(event, 1000, b"x" * 60000)
    late = recording.pieces * 2400
    recording.pieces = []
    recording.sample(event, 999, b"x" * 60000)
    content = recording.stream(b"".join(late + recording.pieces * 3))
    text = decode("--meta", "time", "-", stdin=content, status=1,
                  complaint="cannot put 3 events of standard input in order")
    same(text.count("\n"), 2403)
    text = decode("--meta", "time", save("a", content))
    same(text.count("\n"), 2403)
    same([line.split()[0] for line in text.splitlines()[2:4]],
         ["0.000000", "0.000001"])


def equal_times_keep_their_order():
    recording = Recording()
    event = number_event(recording)
    ticks(recording, event, [5, 3, 5, 3, 5, 3])
    recording.round()
    same(numbers(save("a", recording.file())), [1, 3, 5, 0, 2, 4])


def recordings_without_rounds_are_sorted():
    recording = Recording()
    ticks(recording, number_event(recording), [9, 8, 7, 6, 5])
    same(numbers(save("a", recording.file())), [4, 3, 2, 1, 0])


def a_reading_of_both_clocks_gives_the_date():
    for big_endian in (False, True):
        recording = Recording(big_endian, clock=(1_700_000_000_000_000_000, 5_000_000_000))
        ticks(recording, number_event(recording), [5_000_000_001])
        for content in (recording.file(), recording.stream()):
            same(events(save("a", content))[0]["meta"]["time"],
                 "2023-11-14T22:13:20.000000001Z")
            same(decode("--wide", "--utc", save("a", content)),
                 "2023-11-14T22:13:20.000000001Z [000] 100/101 user_events:tick number=0\n")
    recording = Recording(clock=(1_700_000_000_000_000_000, 5_000_000_000))
    ticks(recording, number_event(recording), [0, 64_123_456_789], cpu=1000)
    shown = decode("--wide", "--utc", save("a", recording.file()))
    same([line.split()[:2] for line in shown.splitlines()],
         [["2023-11-14T22:13:15.000000000Z", "[1000]"],
          ["2023-11-14T22:14:19.123456789Z", "[1000]"]])


def compress(data, at):
    """Compressed records, cut at unusual places."""
    packed = subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True,
                            check=True).stdout
    out = b""
    while packed:
        out += struct.pack("<IHH", 81, 0, 8 + len(packed[:at])) + packed[:at]
        packed = packed[at:]
    return out


def compressed_recordings():
    recording = Recording()
    event = number_event(recording)
    for begin in range(0, 20000, 1000):
        ticks(recording, event, range(begin, begin + 1000))
        recording.round()
    expected = [number for _ in range(20) for number in range(1000)]
    for at in (777, 60001):
        packed = compress(recording.data(), at)
        same(numbers(save("a", recording.file(packed))), expected)
        same(numbers(save("a", recording.stream(packed))), expected)


def compressed_recordings_that_are_damaged():
    recording = Recording()
    ticks(recording, number_event(recording), range(2000))
    packed = bytearray(compress(recording.data(), 1000))
    packed[len(packed) // 2] ^= 0x55
    decode(save("a", recording.file(bytes(packed))), status=1, complaint="damaged")


def several_files_are_merged_by_time():
    paths = []
    for name, times in ("a", [1, 4, 6]), ("b", [2, 3, 7]), ("c", [5]):
        recording = Recording()
        event = number_event(recording, name)
        for time in times:
            recording.sample(event, time, recording.pack("I", time))
        paths.append(save(name, recording.file()))
    same(numbers(*paths), [1, 2, 3, 4, 5, 6, 7])


def events_in_their_container():
    path = save("a", dat([("Shop_L4K1f", order()), ("Shop_L4K1f", order()),
                          ("Other_L4K0", order())]))
    meta = {"level": 4, "keyword": "0x1F"}
    expected = [ORDER | {"meta": meta}, ORDER | {"meta": meta},
                ORDER | {"n": "Other:Order", "meta": {"level": 4}}]
    same(events(path), expected)
    same(events("-", stdin=pathlib.Path(path).read_bytes()), expected)


def a_tracepoint_of_many_formats():
    recording = Recording()
    event = recording.event("user_events_multi", "Shop_L4K1f.2a", 600, EVENTHEADER)
    recording.sample(event, 1, order())
    path = save("a", recording.file())
    same(events(path)[0]["n"], "Shop:Order")
    same(len(events(path, "--event", "Shop:Order")), 1)


def an_event_without_description():
    recording = one_of_each()
    recording.features = lambda: []
    shown = events(save("a", recording.file()))
    same(len(shown), 2)
    assert shown[0]["raw"].startswith("f4 01 01 02 0d 00 00 00 fb ff ff ff"), shown[0]


def a_name_that_is_invalid():
    for name in ("\n", "a\n\tfield:int x;\toffset:0;\tsize:4;\tsigned:0;"):
        recording = Recording()
        ticks(recording, number_event(recording, name=name), [1])
        describing = recording.features
        recording.features = lambda: [f for f in describing() if f[0] != 1]
        shown = events(save("a", recording.file()))
        same((len(shown), shown[0]["n"].split(":")[1]), (1, name.split("\n")[0] or "unknown"))


def files_that_shrink_are_decoded_up_to_their_end():
    """decode detects it while it reads, and prints complete events even so."""
    recording = Recording()
    event = recording.event("user_events", "big", 500, [("char[8000]", "text", 8000, 0)])
    for time in range(300):
        recording.sample(event, time, b"x" * 8000)
    content = recording.file()
    for form in ("json", "jsonl", "perf-decode"):
        path = save("a", content)
        process = subprocess.Popen([tool, "decode", "--format", form, path],
                                   bufsize=0, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        begin = process.stdout.read(1)  # the rest does not fit a pipe
        os.truncate(path, 1 << 20)
        rest, said = process.communicate(timeout=600)
        same(process.returncode, 1)
        assert b"became shorter" in said, said
        shown = (begin + rest).decode("utf-8-sig")
        if form == "jsonl":
            shown = "[" + shown.rstrip().replace("\n", ",") + "]"
        shown = json.loads(shown)
        shown = shown[path] if form == "perf-decode" else shown
        assert 100 < len(shown) < 200, len(shown)
        assert all(event["text"] == "x" * 8000 for event in shown)


def text_looks_like_this():
    path = save("a", one_of_each().file())
    same(decode(path),
         '    1.500000 12 user_events:done status=-5 ns=1099511627776 path="/a"\n'
         '    2.000000 14 Shop:Order       count=3 name="tea" meta={level=info}\n')
    same(decode("--wide", path),
         '    1.500000000 [003] 12/13 user_events:done status=-5 ns=1099511627776 '
         'path="/a"\n'
         '    2.000000007 [001] 14/15 Shop:Order       count=3 name="tea" '
         'meta={level=info keyword=0x1F}\n')
    same(decode("--meta", "n", path),
         'user_events:done status=-5 ns=1099511627776 path="/a"\n'
         'Shop:Order count=3 name="tea"\n')


def events_do_not_steer_a_terminal():
    """DEL and the controls that are two bytes in UTF-8 do not, either; other characters
    stay."""
    name, said = "say\x7f\u009b2J", "\x1b[2J\x7f\u009b31m\u00e9\u00c2"
    recording = Recording()
    event = recording.event("user_events", "shout", 500, [("char[40]", name, 40, 0)])
    recording.sample(event, 1, said.encode().ljust(40, b"\0"))
    path = save("a\u009b", recording.file())
    assert decode(path).endswith('user_events:shout "say\\u007f\\u009b2J"="\\u001b[2J\\u007f'
                                 '\\u009b31m\u00e9\u00c2"\n'), decode(path)
    for form in ("jsonl", "json", "perf-decode"):
        text = decode("--format", form, path)
        assert not any(c in text for c in "\x1b\x7f\u009b"), repr(text)
        assert '"\\u001b[2J\\u007f\\u009b31m\u00e9\u00c2"' in text, repr(text)
    same(events(path)[0][name], said)


def json_is_one_array():
    path = save("a", one_of_each().file())
    text = decode("--format", "json", path)
    same(json.loads(text), ONE_OF_EACH)
    same([line[:2] for line in text.splitlines()], ["[", " {", " {", "]"])
    same(decode("--format=json", path, "--event", "nothing", status=1,
                complaint='"nothing" matches'), "[]\n")


def the_layout_of_perf_decode():
    one, two = save("a", one_of_each().file()), save('b"', dat([]) or
                                                     one_of_each().stream())
    text = decode("--format", "perf-decode", one, two)
    assert text.startswith('\ufeff{\n"' + one + '": [\n  { "n": "user_events:done", '
                           '"status": -5, '), text
    assert text.endswith(" } } ]\n}\n"), text
    same(json.loads(text.lstrip("\ufeff")), {one: ONE_OF_EACH, two: ONE_OF_EACH})


def names_select():
    path = save("a", one_of_each().file())
    for glob, count in (("done", 1), ("user_events:*", 2), ("Shop_*", 1), ("Order", 1),
                        ("Shop:Ord??", 1), ("*:*", 2)):
        same(len(events(path, "--event", glob)), count)
    same(len(events(path, "-e", "done", "-e", "Order")), 2)
    same(len(events(path, "-e", "*", "-e", "Order")), 2)


def names_that_match_nothing_are_reported():
    path = save("a", one_of_each().file())
    same(events(path, "-e", "Ord", status=1, complaint='cannot find an event that "Ord" '
                "matches: there is no such tracepoint"), [])
    same(len(events(path, "-e", "typo", "-e", "done", complaint='that "typo" matches')), 1)
    decode(path, "-e", "Ordr", status=1, complaint='in what was read; did you mean "Order"?')
    decode(path, "-e", "user_events:dome", status=1, complaint='did you mean "user_events:done"?')
    said = decode(path, "-e", "typo", "--from", "1", status=1, complaint='that "typo" matches')
    same(said, "")
    same(events(path, save("empty", dat([]) or Recording().stream()), "-e", "Order"),
         ONE_OF_EACH[1:])


def samples_without_data_are_reported():
    recording = Recording()
    ticks(recording, number_event(recording, sample_type=USUAL & ~RAW), [1, 2])
    same(events(save("a", recording.file()), status=1, complaint="cannot show 2 samples of "),
         [])


def samples_of_clocks_are_left_out():
    """perf record -e cpu-clock -e user_events:tick; the events are whole."""
    recording = Recording()
    tick = number_event(recording, ids=[7], sample_type=USUAL | IDENTIFIER)
    clock = recording.event("", "cpu-clock", 0, [], ids=[8], kind=1,
                            sample_type=USUAL & ~RAW | IDENTIFIER)
    ticks(recording, tick, [1, 2])
    recording.sample(clock, 3, b"")
    path = save("a", recording.file())
    same(len(events(path, complaint=f"1 sample of {path} is not of tracepoints, and was left "
                    "out.")), 2)


def one_is_not_several():
    recording = Recording()
    ticks(recording, number_event(recording), [1])
    recording.lost(1)
    path = save("a", recording.file())
    same(len(events(path, status=1, complaint=f"1 event was lost when {path} was recorded.")), 1)
    recording = Recording()
    ticks(recording, number_event(recording, sample_type=USUAL & ~RAW), [1])
    decode(save("a", recording.file()), status=1, complaint="cannot show 1 sample of ")


def a_file_without_its_end_has_no_names():
    """They stand behind the records. Without them, nothing can be told apart."""
    recording = Recording()
    ticks(recording, number_event(recording), [1, 2])
    path = save("a", recording.file(is_finished=False))
    same(decode(path, status=1, complaint=f"cannot show 2 samples of {path}: it describes no event "
                "that they belong to"), "")


def text_that_turns_around_is_escaped():
    """Also what has no width, but for joiners, which scripts need."""
    hidden = "\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202e\u2060\u2066\u2069\ufeff"
    payload = eventheader("Order", [("text", b"\x07")], f"a{hidden}\u200d\u200c\u00e9".encode() + b"\0",
                          level=4)
    recording = Recording()
    recording.sample(recording.event("user_events", "Shop_L4K1", 600, EVENTHEADER), 1, payload)
    line = decode(save("a", recording.file()), "--meta", "n")
    escaped = "".join(f"\\u{ord(c):04X}" for c in hidden)
    same(line.upper(), f'SHOP:ORDER TEXT="A{escaped}\u200d\u200c\u00e9"\n'.upper())
    same(events(save("a", recording.file()))[0]["text"], f"a{hidden}\u200d\u200c\u00e9")


def one_of_two_fields_of_a_name_is_selected():
    recording = Recording()
    event = recording.event("user_events", "two", 500, [("u32", "a", 4, 0), ("u32", "a", 4, 0)])
    for first, second in (1, 2), (2, 1):
        recording.sample(event, first, recording.pack("II", first, second))
    head = recording.event("user_events", "Shop_L4K1", 600, EVENTHEADER)
    recording.sample(head, 3, eventheader("Twice", [("a", b"\x04"), ("a", b"\x04")],
                                          recording.pack("II", 2, 3), level=4))
    path = save("a", recording.file())
    for where, count in (("a == 2", 2), ("`a:1` == 2", 2), ("`a:2` == 2", 1), ("`a:2` == 3", 1)):
        same(len(events(path, "--where", where)), count)


def malformed_events_are_reported():
    recording = Recording()
    shop = recording.event(*SHOP)
    recording.sample(shop, 1, order())
    recording.sample(shop, 2, order()[:-12])
    shown = events(save("a", recording.file()), status=1,
                   complaint="cannot decode all of 1 event: ")
    same([event["meta"].get("error", {}).get("name") for event in shown],
         [None, "extension_past_end"])
    recording = Recording()
    ticks(recording, recording.event("user_events", "tick", 500, NUMBER + [
        ("__rel_loc char[]", "text", 4, 1)]), [1, 2])
    shown = decode(save("a", recording.file()), status=1,
                   complaint="cannot decode all of 2 events: ")
    same(shown.count("text=null"), 2)


def times_select():
    recording = Recording()
    ticks(recording, number_event(recording), range(10**9, 6 * 10**9, 10**9))
    path = save("a", recording.file())
    same(numbers(path, "--from", "2", "--to", "4.000000001"), [1, 2, 3])
    same(numbers(path, "--to", "2"), [0])
    for limit in ("--from", "2000-01-01T00:00:00"), ("--to", "2100-01-01"):
        same(numbers(path, *limit, status=1,
                     complaint="cannot compare the times of 5 events with that given: they are "
                     "seconds"), [])
    recording = Recording(clock=(1_700_000_000_000_000_000, 0))
    ticks(recording, number_event(recording), range(0, 5 * 10**9, 10**9))
    path = save("a", recording.file())
    same(numbers(path, "--from", "2023-11-14T22:13:21.5Z", "--to",
                 "2023-11-14T22:13:23Z"), [2])
    for early in "2023-11-14", "2023-11-14Z", "2023-11-14T22:13", "2023-11-14 22:13:20":
        same(numbers(path, "--from", early, "--to", "2023-11-15"), list(range(5)))
    same(numbers(path, "--from", "2020-02-29", "--to", "2024-12-31T23:59:60"), list(range(5)))
    for late in "2030-01-01", "2023-11-15", "2023-11-14 22:14", "2023-11-14T22:13:25Z":
        same(numbers(path, "--from", late, status=1, complaint="cannot find an event of the "
                     "time given: none of those read is of --from or later"), [])
    same(numbers(path, "--to", "2020-01-01", status=1, complaint="is before --to"), [])
    for late, early in ("2030-01-01", "2023-01-01"), ("2023-11-14", "2023-11-14"), ("9", "8"):
        decode(path, "--from", late, "--to", early, status=2,
               complaint="--from is not before --to")
    same(numbers(path, "--from", "1"), list(range(1, 5)))  # by the recording's clock
    for wrong in ("2023-11", "2023-11-14.5", "2023-11-14T22:13.5", "2023-11-14T",
                  "2023-11-14T22", "2023-13-01", "2023-02-29", "2023-11-31", "1-2",
                  "2023-11-14T22:13:", "2023-11-14T22:13:20x", "14.11.2023", "-1", ""):
        decode(path, f"--from={wrong}", status=2,
               complaint=f'"{wrong}": a time is 19:22:03.5, a date')
    decode(path, "--from", "yesterday", status=2, complaint='cannot parse the time "yesterday"')


def members_of_meta_are_selected():
    path = save("a", one_of_each().file())

    def meta(text):
        return [event.get("meta") for event in events(path, "--meta", text)]

    same(meta("cpu,level"), [{"cpu": 3}, {"cpu": 1, "level": 4}])
    same(meta("none"), [None, None])
    for text, names in (("time,level", ["user_events:done", "Shop:Order"]),
                        ("-n", [None, None]), ("none", [None, None]),
                        ("none,level", [None, None]), ("level,-n", [None, None]),
                        ("none,n", ["user_events:done", "Shop:Order"])):
        same([event.get("n") for event in events(path, "--meta", text)], names)
    same(decode(path, "--meta", "time", "-e", "Order"),
         '    2.000000 Shop:Order count=3 name="tea"\n')
    same(meta("-time,-pid,+provider"), [
        {"cpu": 3, "tid": 13, "provider": "user_events"},
        {"cpu": 1, "tid": 15, "provider": "Shop", "level": 4, "keyword": "0x1F"}])
    same(events(path, "--meta", "n,common")[0]["common_pid"], 13)
    same(decode(path, "--meta", "none", "-e", "done"), 'user_events:done status=-5 '
         'ns=1099511627776 path="/a"\n'[len("user_events:done "):])
    decode(path, "--meta", "levle", status=2, complaint='did you mean "level"?')


def lost_events_are_reported():
    recording = Recording()
    event = number_event(recording)
    ticks(recording, event, [1])
    recording.lost(17)
    for content in recording.file(), recording.stream():
        same(numbers(save("a", content), status=1, complaint="17 events were lost"), [0])


def samples_of_no_event_are_reported():
    recording = one_of_each()
    recording.events[0].ids = (77,)
    recording.sample(recording.events[0], 3, b"")
    recording.events[0].ids = (7, 8)
    same(events(save("a", recording.file()), status=1, complaint="1 sample of"),
         ONE_OF_EACH)


def truncated_files_are_decoded_up_to_their_end():
    recording = Recording()
    ticks(recording, number_event(recording), range(10))
    for content in (recording.stream(), dat([("Shop_L4K1f", order())] * 10)):
        whole = decode("--json", save("a", content))
        for length in range(1, len(content), 37 if is_full else 149):
            done = subprocess.run([tool, "decode", "--format", "jsonl", "-"],
                                  input=content[:length], capture_output=True, timeout=600)
            assert whole.startswith(done.stdout.decode()), length
            if done.returncode == 0:  # cut between two records
                same(done.stderr, b"")
            else:
                same(done.returncode, 1)
                assert b"standard input: it is " in done.stderr, done.stderr


def a_recorder_that_was_killed():
    recording = Recording()
    event = number_event(recording)
    ticks(recording, event, range(3))
    content = recording.file(is_finished=False)
    for complaint in "is not complete", "cannot show 3 samples of ":
        same(events(save("a", content), status=1, complaint=complaint), [])
    content = recording.file()[:-len(recording.tracing_data())]
    decode(save("a", content), status=1, complaint="not within the file")


def any_byte_may_be_wrong():
    content = one_of_each().file()
    for at in range(0, len(content), 11 if is_full else 43):
        broken = bytearray(content)
        broken[at] ^= 0xff
        done = subprocess.run([tool, "decode", "--format", "json", "-"],
                              input=bytes(broken), capture_output=True, timeout=600)
        assert done.returncode in (0, 1), (at, done)
        if done.stdout:
            json.loads(done.stdout)


def trace_dat(big_endian=False):
    """Two processors with alternating events; with pages of both."""
    recording = TraceDat(big_endian, cpus=2)
    tick = recording.event("user_events", "tick", 500, NUMBER)
    text = recording.event("user_events", "text", 501, [("char", "text[200]", 200, 0)])
    for number in range(400):
        recording.record(tick, 1000 * number, recording.recording.pack("I", number),
                         cpu=number % 2)
        if number % 9 == 0:
            recording.record(text, 1000 * number + 1, b"x" * 200, cpu=number % 2)
    return recording.file()


def trace_dat_of_both_byte_orders():
    for big_endian in (False, True):
        content = trace_dat(big_endian)
        shown = events(save("a.dat", content))
        same(events("-", stdin=content), shown)
        same([event["number"] for event in shown if "number" in event], list(range(400)))
        same([event["text"] for event in shown if "text" in event], ["x" * 200] * 45)
        same(shown[0]["meta"], {"time": 0, "cpu": 0, "tid": 100})


def records_of_an_instance_keep_their_processors():
    recording, instance = TraceDat(cpus=2), TraceDat(cpus=2)
    tick = recording.event("user_events", "tick", 500, NUMBER)
    for number in range(12):
        to = instance if number % 3 else recording
        to.record(tick, 1000 * number, recording.recording.pack("I", number), cpu=number % 2)
    shown = events(save("a.dat", recording.file(instance)))
    same([(event["number"], event["meta"]["cpu"]) for event in shown],
         [(number, number % 2) for number in range(12)])


def events_lost_before_one_without_a_format():
    recording = TraceDat()
    tick = recording.event("user_events", "tick", 500, NUMBER)
    unknown = recording.recording.event("user_events", "later", 501, NUMBER)
    for number in range(20):
        recording.record(unknown if number == 10 else tick, number,
                         recording.recording.pack("I", number))
    recording.lost = {10}
    content = recording.file().replace(b"ID: 501", b"ID: 502")
    shown = [json.loads(line) for line in
             decode("--format", "jsonl", save("a.dat", content), status=1,
                    complaint="1 event was lost").splitlines()]
    same(len(shown), 20)
    same([event["number"] for event in shown if "number" in event],
         [number for number in range(20) if number != 10])


def threads_of_a_trace_dat_have_names():
    recording = TraceDat()
    tick = recording.event("user_events", "tick", 500, NUMBER)
    recording.names = {100: "shop worker", 102: "sixteen-letters-"}
    for number, pid in enumerate((100, 101, 102, 0)):
        recording.record(tick, number, recording.recording.pack("I", number), pid=pid)
    same(metas("comm", save("a.dat", recording.file())),
         ["shop worker", None, "sixteen-letters-", None])


def an_event_longer_than_its_page_is_not_shown():
    """Nor are later events; earlier ones are, although they come later in the file."""
    long = struct.pack("I", 8 + 200 + 4)
    content = bytearray(trace_dat())
    places = [at for at in range(len(content)) if content.startswith(long, at)]
    for length in 8 + 200 + 4096, 1 << 20, 1 << 30:
        broken = bytearray(content)
        struct.pack_into("I", broken, places[-1], length)
        shown = decode(save("a.dat", broken), status=1, complaint="longer than its page")
        assert decode(save("b.dat", content)).startswith(shown)
        assert shown.count("\n") > 400, shown.count("\n")


def any_byte_of_a_trace_dat_may_be_wrong():
    """For any content, reading ends with a status and, if it is not 0, a message."""
    chance = random.Random(1)
    for content in (trace_dat(), trace_dat(True)):
        for _ in range(300 if is_full else 60):
            broken = bytearray(content)
            at = chance.randrange(len(broken))
            broken[at] = chance.choice((0, 255, broken[at] ^ 1 << chance.randrange(8)))
            done = subprocess.run([tool, "decode", save("a.dat", broken)],
                                  capture_output=True, timeout=600)
            assert done.returncode in (0, 1), (at, broken[at], done)
            same(bool(done.stderr), done.returncode == 1)


def a_trace_dat_that_shrinks_is_decoded_up_to_its_end():
    """While decode reads it; the events that the child sent before are kept."""
    recording = TraceDat()
    event = recording.event("user_events", "big", 500, [("char", "text[3000]", 3000, 0)])
    for time in range(500):
        recording.record(event, time, b"x" * 3000)
    path = save("a.dat", recording.file())
    process = subprocess.Popen([tool, "decode", "--json", path], bufsize=0,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    begin = process.stdout.read(1)  # the rest does not fit the pipes
    os.truncate(path, 20 * PAGE)
    rest, said = process.communicate(timeout=600)
    same(process.returncode, 1)
    assert b"became shorter" in said, said
    shown = (begin + rest).decode().splitlines()
    assert 10 < len(shown) < 400, len(shown)
    assert all(json.loads(line)["text"] == "x" * 3000 for line in shown)


def an_array_is_closed_after_damage():
    recording = Recording()
    ticks(recording, number_event(recording), range(10))
    content = recording.stream()[:-10]
    text = decode("--format", "json", "-", stdin=content, status=1,
                  complaint="cut off at byte")
    same([event["number"] for event in json.loads(text)], list(range(9)))


def the_other_files_are_still_decoded():
    path = save("a", one_of_each().file())
    same(events(str(folder / "missing"), path, status=1,
                complaint="No such file"), ONE_OF_EACH)


def files_that_are_not_recordings():
    decode(save("a", b""), status=1, complaint="is empty")
    decode(save("a", b"hello, world\n" * 9), status=1, complaint="is not a recording")
    for text in ('{"n":"Shop:Order","count":3,"name":"tea"}\n',
                 '[\n {"n":"Shop:Order","count":3,"name":"tea"}\n]\n',
                 "Shop_L4K1f-is-a-name-that-goes-on-and-on-for-more-than-sixty-four-bytes",
                 '<?xml version="1.0"?><a>' + "x" * 100, "12345678" * 10):
        for content in text.encode(), text.encode("utf-16"):
            decode(save("a.jsonl", content), status=1, complaint="is not a recording")
            decode("-", stdin=content, status=1, complaint="is not a recording")
    decode(save("a", b"PERFFILE" + b"\0" * 96), status=1, complaint="it is a perf.data of the "
           "first format (PERFFILE), which is not supported; perf script reads it")
    decode(save("a", b"PERFILE2"), status=1, complaint="is not a recording")
    decode(save("a", b"PERFILE2" + b"\xff" * 200), status=1, complaint="damaged")
    decode(str(folder), status=1, complaint="Is a directory")
    decode("/dev/null", status=1, complaint="is empty")


def with_ids_at(content, sections):
    """A file of as many events, whose ids are in these (offset, length)."""
    attrs_at, = struct.unpack_from("<Q", content, 24)
    content = bytearray(content)
    for at, section in enumerate(sections):
        struct.pack_into("<QQ", content, attrs_at + at * 128 + 112, *section)
    return bytes(content)


def ids_beyond_the_file_are_damaged():
    content = one_of_each().file()
    size = len(content)
    decode(save("a", with_ids_at(content, [(104, size)])), status=1, complaint="damaged")
    decode(save("a", with_ids_at(content, [(104, size - 96)])), status=1, complaint="damaged")
    decode(save("a", with_ids_at(content, [(size + 8, 8)])), status=1, complaint="damaged")
    # each within the file, and both together more than it can hold
    whole = (0, size // 8 * 8)
    decode(save("a", with_ids_at(content, [whole, whole])), status=1, complaint="damaged")


def wrong_usage():
    decode(status=2, complaint="no recording is given")
    decode("-", "-", status=2, complaint="\"-\" is given more than once")
    same(events("-", save("a", one_of_each().file()), stdin=dat([("Shop_L4K1f", order())]))[1:],
         ONE_OF_EACH)
    decode("--format", "xml", "a", status=2, complaint='cannot print as "xml"')
    decode("--fromat", "json", "a", status=2, complaint='did you mean "--format"?')


def a_hole_is_not_searched():
    """A trace.dat may be terabytes long and empty, as it is during its recording."""
    path = save("hole", b"\x17\x08\x44tracing6\0" + bytes(100))
    os.truncate(path, 1 << 42)
    decode(path, status=1, complaint="hole")


def output_that_cannot_be_written():
    recording = Recording()
    ticks(recording, number_event(recording), range(20000))
    path = save("a", recording.file())
    with open("/dev/full", "wb") as full:
        done = subprocess.run([tool, "decode", path], stdout=full, stderr=subprocess.PIPE,
                              timeout=600)
    same(done.returncode, 1)
    assert b"No space left" in done.stderr, done.stderr
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([tool, "decode", path], stdout=writer, stderr=subprocess.PIPE,
                          timeout=600)
    os.close(writer)
    same(done.returncode, 1)
    same(done.stderr, b"")


MARK = 0x5a1b2c3d


def repeat_with(recording, numbers):
    """What is in the recording, for each number, which takes the place of MARK."""
    piece, mark = b"".join(recording.pieces), struct.pack("<I", MARK)
    recording.pieces = [piece.replace(mark, struct.pack("<I", number)) for number in numbers]


def threads_that_end_leave_their_places_to_others():
    """More threads, one after the other, than may have names at the same time."""
    recording = Recording()
    event = number_event(recording)
    recording.comm(MARK, MARK, "short")
    recording.exit(MARK, MARK)
    repeat_with(recording, range(1, 140000))
    recording.comm(140000, 7, "last")
    ticks(recording, event, [140001], tid=7)
    same(metas("comm", save("a", recording.file())), ["last"])


@not_sanitized("it limits memory")
def memory_does_not_grow_with_names():
    """New threads, groups and names without end, as a pipe brings them."""
    recording = Recording()
    event = number_event(recording, sample_type=USUAL | CGROUP)
    head, blocks = recording.stream(data=b""), []
    count = 40 if is_full else 16
    for block in range(count):
        recording.pieces = []
        recording.comm(MARK, MARK, "x" * 58)
        recording.cgroup(MARK, MARK, "/" + "y" * 500)
        repeat_with(recording, range(block * 20000, (block + 1) * 20000))
        ticks(recording, event, [block * 20000 + 19999], tid=block, cgroup=block)
        recording.round()
        blocks.append(b"".join(recording.pieces))
    limit = 112 << 20
    assert sum(map(len, blocks)) > 3 * limit // 2
    done = subprocess.run(
        [tool, "decode", "--json", "-"], input=head + b"".join(blocks), capture_output=True,
        timeout=600, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                           (limit, limit)))
    same((done.returncode, done.stderr), (0, b""))
    shown = [json.loads(line)["meta"] for line in done.stdout.splitlines()]
    same([meta.get("comm") for meta in shown], ["x" * 58] * count)


@not_sanitized("it limits memory")
def memory_does_not_grow_with_a_stream():
    recording = Recording()
    event = recording.event("user_events", "big", 500, [("char[2000]", "text", 2000, 0)])
    for time in range(50000):
        recording.sample(event, time, b"x" * 2000)
        if time % 1000 == 999:
            recording.round()
    content = recording.stream()
    limit = 64 << 20
    assert len(content) > 3 * limit // 2
    done = subprocess.run(
        [tool, "decode", "-f", "jsonl", "-"], input=content, capture_output=True,
        timeout=600, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                           (limit, limit)))
    same((done.returncode, done.stderr), (0, b""))
    same(done.stdout.count(b"\n"), 50000)


def described(tracing, length=None):
    """A record of a stream with tracing data."""
    length = len(tracing) if length is None else length
    return struct.pack("<IHHI", 66, 0, 12, length) + tracing


@not_sanitized("it limits memory")
def memory_does_not_grow_with_descriptions():
    """A stream describes events as they appear; a repeated description needs no
    memory."""
    recording = Recording()
    event = number_event(recording)
    ticks(recording, event, range(3))
    again = described(recording.tracing_data() + bytes(1 << 20))
    limit = 64 << 20
    content = recording.stream(again * 100 + recording.data())
    assert len(content) > 3 * limit // 2
    done = subprocess.run(
        [tool, "decode", "--meta", "n", "-"], input=content, capture_output=True,
        timeout=600, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                           (limit, limit)))
    same((done.returncode, done.stderr), (0, b""))
    same(done.stdout, b"".join(b"user_events:tick number=%d\n" % n for n in range(3)))


def descriptions_have_a_bound():
    recording = Recording()
    ticks(recording, number_event(recording), range(3))
    shown = b"".join(b"user_events:tick number=%d\n" % n for n in range(3))

    def is_refused(behind):
        done = subprocess.run([tool, "decode", "--meta", "n", "-"],
                              input=recording.stream(recording.data() + behind),
                              capture_output=True, timeout=600)
        same((done.returncode, done.stdout), (1, shown))
        assert b"of tracepoints is more than 64 MB" in done.stderr, done.stderr

    is_refused(described(b"", 1 << 30))
    others = b""
    for number in 1000, 1001:
        other = Recording()
        other.event("user_events", "x" * (40 << 20), number, NUMBER)
        others += described(other.tracing_data())
    is_refused(others)


try:
    run([files_and_streams_of_both_byte_orders,
         samples_without_ids_are_distinguished_by_their_type, one_event_without_ids,
         ids_wherever_the_samples_have_them, events_of_different_layouts,
         counter_values_and_call_chains_are_skipped,
         samples_without_anything_but_the_event, threads_have_the_names_of_their_times,
         the_name_of_a_thread_ends_with_it, names_without_a_time_apply_from_the_beginning,
         names_of_events_of_different_layouts, cgroups_are_shown,
         names_do_not_steer_a_terminal, a_name_that_is_cut_off_is_not_one, rounds_are_sorted,
         rounds_of_any_size_are_sorted, small_samples_of_a_stream_are_bounded,
         a_stream_that_cannot_be_sorted_is_reported,
         equal_times_keep_their_order, recordings_without_rounds_are_sorted,
         a_reading_of_both_clocks_gives_the_date, compressed_recordings,
         ids_beyond_the_file_are_damaged, compressed_recordings_that_are_damaged, several_files_are_merged_by_time,
         events_in_their_container, a_tracepoint_of_many_formats,
         samples_of_clocks_are_left_out, one_is_not_several, a_file_without_its_end_has_no_names,
         text_that_turns_around_is_escaped, one_of_two_fields_of_a_name_is_selected,
         an_event_without_description, text_looks_like_this,
         a_name_that_is_invalid, files_that_shrink_are_decoded_up_to_their_end,
         events_do_not_steer_a_terminal, json_is_one_array,
         the_layout_of_perf_decode, names_select, names_that_match_nothing_are_reported,
         samples_without_data_are_reported, malformed_events_are_reported, times_select,
         members_of_meta_are_selected, lost_events_are_reported, samples_of_no_event_are_reported,
         truncated_files_are_decoded_up_to_their_end, a_recorder_that_was_killed,
         any_byte_may_be_wrong, trace_dat_of_both_byte_orders,
         records_of_an_instance_keep_their_processors, events_lost_before_one_without_a_format,
         an_event_longer_than_its_page_is_not_shown, any_byte_of_a_trace_dat_may_be_wrong,
         a_trace_dat_that_shrinks_is_decoded_up_to_its_end,
         an_array_is_closed_after_damage,
         the_other_files_are_still_decoded, files_that_are_not_recordings, wrong_usage,
         a_hole_is_not_searched, output_that_cannot_be_written,
         threads_that_end_leave_their_places_to_others,
         memory_does_not_grow_with_names, memory_does_not_grow_with_a_stream,
         memory_does_not_grow_with_descriptions, descriptions_have_a_bound])
finally:
    shutil.rmtree(folder)
