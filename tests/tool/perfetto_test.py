#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents export --to perfetto, read by Perfetto's trace_processor. Arguments: the program,
hello."""
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile

from captures import Capture
from perfetto import ask, fields, first, packets, path_of, tracks, values
from schedulers import NEW, OLD, RUNNING, World
from recordings import CGROUP, EVENTHEADER, USUAL, Recording, TraceDat, dat, eventheader
from tap import run, same

tool, hello = sys.argv[1:3]
folder = pathlib.Path(tempfile.mkdtemp())
VALUE8, VALUE32, VALUE64, TEXT, BINARY = b"\x02", b"\x04", b"\x05", b"\x07", b"\x0d"
START, STOP = 1, 2
A, B, C, D = (bytes([letter]) * 16 for letter in b"ABCD")
ERRORS = ("SELECT name FROM stats WHERE value > 0 AND severity = 'error'")


def save(name, content):
    path = folder / name
    path.write_bytes(content)
    return str(path)


def export(content, *options, status=0, complaint=""):
    """The path of the trace of a recording."""
    out = folder / "trace"
    out.unlink(missing_ok=True)
    path = content if isinstance(content, str) else save("recording", content)
    done = subprocess.run([tool, "export", "--to", "perfetto", "-o", str(out), *options, path],
                          capture_output=True, timeout=300)
    same(done.stderr.decode(), complaint)
    same((done.returncode, done.stdout), (status, b""))
    return str(out)


class Shop:
    """A recording of one provider."""

    def __init__(self, **kwargs):
        self.recording = Recording(**kwargs)
        self.event = self.recording.event("user_events", "Shop_L5K1", 1001, EVENTHEADER)

    def add(self, time, name, fields=(), payload=b"", pid=100, tid=101, **kwargs):
        self.recording.sample(self.event, time, eventheader(name, list(fields), payload,
                                                            **kwargs), pid=pid, tid=tid)
        return self

    def file(self):
        return self.recording.file()


def shown(trace, where="1"):
    """Slices and instants, with all their annotations."""
    slices, args, errors = ask(
        trace, f"SELECT id, ts, dur, name, arg_set_id AS args FROM slice WHERE {where} ORDER BY id",
        "SELECT arg_set_id AS args, key, value_type AS type, int_value AS whole, "
        "string_value AS text, real_value AS real FROM args", ERRORS)
    same(errors, [])
    kept = {}
    for arg in args:
        value = {"string": arg["text"], "real": arg["real"]}.get(arg["type"], arg["whole"])
        kept.setdefault(arg["args"], {})[arg["key"].removeprefix("debug.")] = arg["type"], value
    return [(row["ts"], row["dur"], row["name"], kept.get(row["args"], {})) for row in slices]


def fields_of(trace):
    """The annotations of the only event, without those that are no fields."""
    (_, _, _, found), = shown(trace)
    return {key: value for key, value in found.items() if not key.startswith("eventheader.")}


# Tracks

def threads_are_tracks_of_their_processes():
    shop = Shop()
    shop.recording.comm(1, 100, "shop")
    shop.recording.comm(2, 101, "till")
    shop.recording.comm(3, 300, "store", pid=300)
    for i in range(5):
        shop.add(10 + i, "Sold", tid=100 if i == 2 else 101)
    shop.add(20, "Stored", pid=300, tid=300)
    trace = export(shop.file())
    same(ask(trace, "SELECT process.name AS process, pid, thread.name AS thread, tid, "
             "count(*) AS events FROM slice JOIN thread_track ON track_id = thread_track.id "
             "JOIN thread USING (utid) JOIN process USING (upid) GROUP BY tid ORDER BY tid",
             ERRORS), [[
                 {"process": "shop", "pid": 100, "thread": "shop", "tid": 100, "events": 1},
                 {"process": "shop", "pid": 100, "thread": "till", "tid": 101, "events": 4},
                 {"process": "store", "pid": 300, "thread": "store", "tid": 300, "events": 1}],
                      []])


def names_of_processes_are_utf8():
    """Also one of a thread, up to 15 bytes of which each is invalid, or cut where it is too long."""
    for name, expected in (("\xe9" * 15, "\xe9" * 15),
                           ("\u20ac".encode().decode("latin-1") * 90, "\u20ac" * 10)):
        shop = Shop()
        shop.recording.comm(1, 101, name)
        shop.add(10, "Sold", tid=101)
        same(values(export(shop.add(20, "Sold", tid=101).file()), "SELECT name FROM process "
                    "WHERE pid = 100", ERRORS), [[expected], []])


def containers_are_labels_of_processes():
    """This trace_processor ignores labels; Perfetto's page shows them beside the name."""
    digits = "0123456789abcdef" * 4
    recording = Recording()
    event = recording.event("user_events", "Shop_L5K1", 1001, EVENTHEADER,
                            sample_type=USUAL | CGROUP)
    recording.cgroup(1, 7, "/kubepods/pod8dbc5577-d0e2-4706-8787-57d52c03ddf2/" + digits)
    recording.sample(event, 10, eventheader("Sold", [], b""), cgroup=7)
    recording.sample(event, 11, eventheader("Sold", [], b""), cgroup=7)
    recording.cgroup(12, 8, "/docker/" + digits[::-1])
    for time in 13, 14:  # the pid returned
        recording.sample(event, time, eventheader("Sold", [], b""), cgroup=8)
    processes = [first(first(packet, 60), 3) for packet in packets(export(recording.file()))
                 if first(first(packet, 60, b""), 3)]
    labels = [[value.decode() for number, value in fields(process) if number == 8]
              for process in processes]
    same(labels, [["container.id=" + digits,
                   "k8s.pod.uid=8dbc5577-d0e2-4706-8787-57d52c03ddf2"],
                  ["container.id=" + digits[::-1]]])


def threads_without_a_process_have_tracks():
    recording = TraceDat()
    event = recording.event("user_events", "tick", 500, [("u32", "n", 4, 0)])
    recording.names = {7: "seven"}
    for time, tid in enumerate((7, 8, 7)):
        recording.record(event, 1000 + time, struct.pack("<I", tid), pid=tid)
    same(ask(export(recording.file()), "SELECT track.name AS track, count(*) AS events FROM "
             "slice JOIN track ON track_id = track.id GROUP BY 1 ORDER BY 1"),
         [[{"track": "8", "events": 1}, {"track": "seven 7", "events": 2}]])


def threads_of_process_0_are_not_those_without_a_process():
    lone = TraceDat()
    event = lone.event("user_events", "tick", 500, [("u32", "n", 4, 0)])
    lone.record(event, 1000, struct.pack("<I", 0), pid=7)
    trace = export(save("lone", lone.file()), save("idle", Shop().add(10, "Sold", pid=0, tid=7).add(
        2000, "Sold", pid=0, tid=7).file()))
    same(ask(trace, "SELECT tid, count(*) AS events FROM slice LEFT JOIN thread_track ON "
             "track_id = thread_track.id LEFT JOIN thread USING (utid) GROUP BY 1 ORDER BY 1",
             ERRORS), [[{"tid": None, "events": 1}, {"tid": 7, "events": 2}], []])


def events_of_no_thread_have_a_track():
    trace = export(dat([("Shop_L5K1", eventheader("Sold", [], b""))] * 3))
    same(ask(trace, "SELECT track.name AS track, slice.name, ts, dur, category FROM slice "
             "JOIN track ON track_id = track.id"),
         [[{"track": "events", "name": "Sold", "ts": 0, "dur": 0, "category": "Shop"}] * 3])


# Activities

def an_activity_is_a_slice():
    shop = Shop()
    shop.add(1000, "OrderStart", [("id", VALUE32)], struct.pack("<I", 7), activity=A,
             opcode=START)
    shop.add(1500, "Paid", activity=A)
    shop.add(3000, "OrderStop", [("id", VALUE32), ("status", TEXT)],
             struct.pack("<I", 8) + b"done\0", activity=A, opcode=STOP, tid=102)
    header = {"eventheader.level": ("uint", 5), "eventheader.keywords": ("string", "0x1"),
              "eventheader.activity": ("string", "41414141-4141-4141-4141-414141414141")}
    stop = {f"stop.{key}": value for key, value in header.items()}
    trace = export(shop.file())
    same(shown(trace), [
        (1000, 2000, "Order", {
            "id": ("uint", 7), **header, "eventheader.opcode": ("uint", 1),
            "stop.event": ("string", "OrderStop"), "stop.id": ("uint", 8),
            "stop.status": ("string", "done"), **stop,
            "stop.eventheader.opcode": ("uint", 2)}),
        (1500, 0, "Paid", header)])
    same(values(trace, "SELECT count(DISTINCT track_id) FROM slice",
                "SELECT pid || ' ' || process_track.name FROM slice JOIN process_track ON "
                "track_id = process_track.id JOIN process USING (upid)",
                "SELECT parent.name FROM slice JOIN slice parent ON slice.parent_id = parent.id"),
         [[1], ["100 Requests"] * 2, ["Order"]])


def an_activity_of_one_thread_is_on_its_track():
    """With its events; those of other threads are on the tracks of these."""
    shop = Shop()
    shop.add(1000, "OrderStart", activity=A, opcode=START).add(1100, "Paid", activity=A)
    shop.add(1200, "Packed", activity=A, tid=102).add(1300, "PayStart", activity=B, opcode=START)
    shop.add(1400, "PayStop", activity=B, opcode=STOP)
    shop.add(2000, "OrderStop", activity=A, opcode=STOP)
    same(ask(export(shop.file()), "SELECT slice.name, ts, dur, depth, tid FROM slice JOIN "
             "thread_track ON track_id = thread_track.id JOIN thread USING (utid) ORDER BY ts",
             ERRORS),
         [[{"name": "Order", "ts": 1000, "dur": 1000, "depth": 0, "tid": 101},
           {"name": "Paid", "ts": 1100, "dur": 0, "depth": 1, "tid": 101},
           {"name": "Packed", "ts": 1200, "dur": 0, "depth": 0, "tid": 102},
           {"name": "Pay", "ts": 1300, "dur": 100, "depth": 1, "tid": 101}], []])


def slices_that_cross_are_in_a_lane():
    """The one that ends first."""
    shop = Shop()
    shop.add(10, "OrderStart", activity=A, opcode=START).add(20, "PayStart", opcode=START)
    shop.add(30, "OrderStop", activity=A, opcode=STOP).add(40, "PayStop", opcode=STOP)
    shop.add(50, "OrderStart", activity=A, opcode=START).add(50, "PayStart", opcode=START)
    shop.add(60, "PayStop", opcode=STOP).add(60, "OrderStop", activity=A, opcode=STOP)
    same(ask(export(shop.file()), "SELECT slice.name, ts, dur, track.name AS track FROM slice "
             "JOIN track ON track_id = track.id ORDER BY ts, dur, slice.name", ERRORS),
         [[{"name": "Order", "ts": 10, "dur": 20, "track": "Requests"},
           {"name": "Pay", "ts": 20, "dur": 20, "track": None},
           {"name": "Order", "ts": 50, "dur": 10, "track": "Requests"},
           {"name": "Pay", "ts": 50, "dur": 10, "track": None}], []])


def placed(trace):
    """Of each track: its slices as (begin, end, depth), which must be within each other or apart."""
    found, open_ = {}, {}
    events = [(first(packet, 8), first(packet, 11)) for packet in packets(trace)
              if first(packet, 11) is not None]
    for time, event in sorted(events, key=lambda pair: pair[0]):
        track, kind = first(event, 11), first(event, 9)
        if kind == 1:
            open_.setdefault(track, []).append((time, first(event, 23)))
        elif kind == 2:
            begun, name = open_[track].pop()
            found.setdefault(track, []).append((begun, time, len(open_[track]), name.decode()))
    assert not any(open_.values()), open_
    return found


def random_requests(seed, count, threads, most):
    """A recording of requests that start and end on any thread, and how many overlap at most."""
    chance, shop, open_, took = random.Random(seed), Shop(), {}, []
    time = overlap = 0
    for number in range(count):
        while len(open_) == most or (open_ and chance.random() < 0.5):
            time += chance.choice((1, 10, 500))
            own = chance.choice(list(open_))
            begun, by = open_.pop(own)
            took.append((begun, time, own))
            shop.add(time, "Stop", activity=struct.pack("<QQ", 3, own), opcode=STOP,
                     tid=by if chance.random() < 0.7 else 100 + chance.randrange(threads))
        time += chance.choice((1, 10, 500))
        open_[number] = time, 100 + chance.randrange(threads)
        overlap = max(overlap, len(open_))
        shop.add(time, f"{number}Start", activity=struct.pack("<QQ", 3, number), opcode=START,
                 tid=open_[number][1])
    for own, (begun, by) in open_.items():
        took.append((begun, time + 1, own))
        shop.add(time + 1, "Stop", activity=struct.pack("<QQ", 3, own), opcode=STOP, tid=by)
    return shop.file(), overlap, took


def lanes_are_no_more_than_the_requests_that_overlap():
    on_threads = 0
    for seed, most in ((1, 1), (2, 2), (3, 5), (4, 20), (5, 60)):
        content, overlap, took = random_requests(seed, 2000, 4, most)
        trace = export(content)
        found, described = placed(trace), tracks(trace)
        lanes = [track for track in found if described[track][1] == "Requests"]
        assert len(lanes) <= overlap, (len(lanes), overlap)
        assert all(depth == 0 for lane in lanes for _, _, depth, _ in found[lane]), found
        same(sorted((begin, end, int(name)) for slices in found.values()
                    for begin, end, _, name in slices), sorted(took))
        on_threads += sum(len(slices) for track, slices in found.items() if track not in lanes)
    assert on_threads > 1000, on_threads


def fifty_thousand_requests_have_few_tracks():
    content, overlap, took = random_requests(9, 50000, 8, 16)
    trace = export(content)
    assert pathlib.Path(trace).stat().st_size < 50000 * 500
    lanes, counted, failed = values(
        trace, "SELECT count(DISTINCT track_id) FROM slice JOIN track ON track_id = track.id "
        "WHERE track.name = 'Requests'",
        "SELECT count(*) || ' ' || sum(dur) FROM slice", ERRORS)
    same((counted, failed), ([f"50000 {sum(end - begin for begin, end, _ in took)}"], []))
    assert 0 < lanes[0] <= overlap, (lanes, overlap)


NESTED = ((10, "order_begin", START), (20, "Item Start", START), (30, "ItemStop", STOP),
          (40, "Start", START), (60, "Stop", STOP), (90, "order_end", STOP))


def starts_of_one_thread_nest():
    shop = Shop()
    for time, name, opcode in NESTED:
        shop.add(time, name, opcode=opcode)
    same(ask(export(shop.file()), "SELECT ts, dur, name, depth FROM slice ORDER BY ts", ERRORS),
         [[{"ts": 10, "dur": 80, "name": "order", "depth": 0},
           {"ts": 20, "dur": 10, "name": "Item", "depth": 1},
           {"ts": 40, "dur": 20, "name": "Start", "depth": 1}], []])


def an_activity_that_starts_again_never_ends():
    shop = Shop()
    for time, name, opcode in NESTED:
        shop.add(time, name, activity=A, opcode=opcode)
    same(ask(export(shop.file()), "SELECT ts, dur, name FROM slice ORDER BY ts", ERRORS),
         [[{"ts": 10, "dur": -1, "name": "order"}, {"ts": 20, "dur": 10, "name": "Item"},
           {"ts": 40, "dur": 20, "name": "Start"}, {"ts": 90, "dur": 0, "name": "order_end"}],
          []])


def a_stop_before_its_start_leaves_two_instants():
    capture = Capture().eventheader()
    for time, name, opcode in ((10000, "Start", START), (20000, "InStart", START),
                               (15000, "InStop", STOP), (30000, "Stop", STOP)):
        capture.event(eventheader(name, [], b"", opcode=opcode), time)
    same(ask(export(bytes(capture.bytes)), "SELECT ts, dur, name FROM slice ORDER BY ts", ERRORS),
         [[{"ts": 10000, "dur": 20000, "name": "Start"}, {"ts": 15000, "dur": 0, "name": "InStop"},
           {"ts": 20000, "dur": 0, "name": "In"}], []])


def an_activity_is_under_its_process():
    shop = Shop()
    shop.recording.comm(1, 100, "shop")
    shop.recording.comm(2, 101, "till")
    shop.add(5, "Opened", tid=100)
    shop.add(10, "OrderStart", activity=A, opcode=START)
    shop.add(20, "PayStart", activity=B, related=A, opcode=START)
    shop.add(25, "CardStart", activity=C, related=B, opcode=START, tid=102)
    shop.add(30, "LoneStart", activity=D, related=b"?" * 16, opcode=START)
    for time, activity in ((40, C), (50, B), (60, A), (70, D)):
        shop.add(time, "Stop", activity=activity, opcode=STOP)
    trace = export(shop.file())
    found = tracks(trace)
    same(sorted(path_of(found, uuid) for uuid in found), sorted([
        ["shop"], ["shop", "shop"], ["shop", "till"], ["shop", ""], ["shop", "Requests"],
        ["shop", "Requests"], ["shop", "Requests"]]))
    same(values(trace, "SELECT extract_arg(arg_set_id, 'debug.eventheader.related_activity') "
                "FROM slice WHERE dur > 0 ORDER BY ts"),
         [[None, *(f"{c * 4}-{c * 2}-{c * 2}-{c * 2}-{c * 6}" for c in ("41", "42", "3f"))]])
    same(ask(trace, "SELECT name, dur FROM slice WHERE dur > 0 ORDER BY ts", ERRORS),
         [[{"name": "Order", "dur": 50}, {"name": "Pay", "dur": 30}, {"name": "Card", "dur": 15},
           {"name": "Lone", "dur": 40}], []])


def activities_that_end_in_their_order_stand_beside_their_parents():
    shop = Shop()
    ids = [struct.pack("<QQ", 1, i) for i in range(40)]
    for i, activity in enumerate(ids):
        shop.add(10 + i, "Start", activity=activity, related=ids[i - 1] if i else b"",
                 opcode=START)
    for i, activity in enumerate(ids):
        shop.add(1000 + i, "Stop", activity=activity, opcode=STOP)
    trace = export(shop.file())
    found = tracks(trace)
    same(max(len(path_of(found, uuid)) for uuid in found), 2)
    same(values(trace, "SELECT count(*) FROM slice WHERE dur = 990", ERRORS), [[40], []])
    same(values(trace, "SELECT count(DISTINCT track_id) FROM slice"), [[40]])


def activities_that_end_the_other_way_round_are_within_their_parents():
    shop = Shop()
    ids = [struct.pack("<QQ", 1, i) for i in range(40)]
    for i, activity in enumerate(ids):
        shop.add(10 + i, "Start", activity=activity, related=ids[i - 1] if i else b"",
                 opcode=START)
    for i, activity in enumerate(reversed(ids)):
        shop.add(1000 + i, "Stop", activity=activity, opcode=STOP)
    same(values(export(shop.file()), "SELECT depth FROM slice JOIN thread_track ON "
                "track_id = thread_track.id ORDER BY ts", ERRORS), [list(range(40)), []])


def activities_within_themselves_and_each_other_end():
    shop = Shop()
    for activity, related in ((A, A), (B, A), (A, B), (C, D), (D, C)):
        shop.add(10, "Start", activity=activity, related=related, opcode=START)
    trace = export(shop.file())
    found = tracks(trace)
    same(max(len(path_of(found, uuid)) for uuid in found), 2)
    same(values(trace, "SELECT count(*) FROM slice", ERRORS), [[5], []])


def a_process_has_the_name_of_its_first_thread():
    """Of another one, if that one has no events."""
    shop = Shop()
    shop.recording.comm(1, 100, "shop")
    shop.recording.comm(2, 101, "till")
    shop.recording.comm(3, 102, "cook")
    shop.add(10, "Sold").add(11, "Cooked", tid=102)
    same(values(export(shop.file()), "SELECT name FROM process WHERE pid = 100"), [["till"]])
    shop.add(12, "Opened", tid=100)
    same(values(export(shop.file()), "SELECT name FROM process WHERE pid = 100"), [["shop"]])


def a_start_without_a_stop_does_not_end():
    trace = export(Shop().add(10, "OrderStart", activity=A, opcode=START)
                   .add(50, "Sold").file())
    same(values(trace, "SELECT dur FROM slice WHERE name = 'Order'", ERRORS), [[-1], []])


def a_stop_without_a_start_is_an_instant():
    shop = Shop().add(10, "OrderStop", [("n", VALUE8)], b"\1", activity=A, opcode=STOP)
    (ts, dur, name, args), = shown(export(shop.file()))
    same((ts, dur, name, args["n"]), (10, 0, "OrderStop", ("uint", 1)))


def an_activity_of_zeros_is_none():
    shop = Shop().add(10, "OrderStart", activity=bytes(16), opcode=START)
    shop.add(20, "OrderStop", activity=bytes(16), opcode=STOP, tid=102)
    same([row[:3] for row in shown(export(shop.file()))],
         [(10, -1, "Order"), (20, 0, "OrderStop")])


def many_activities_are_counted_exactly():
    """More than are remembered: also one that is open all the time and has events."""
    shop = Shop()
    count = 70000
    shop.add(1, "DayStart", activity=A, opcode=START)
    for i in range(count):
        activity = struct.pack("<QQ", 2, i)
        shop.add(100 + 10 * i, "Start", activity=activity, related=A, opcode=START)
        shop.add(107 + 10 * i, "Stop", activity=activity, opcode=STOP)
        if not i % 10000:
            shop.add(108 + 10 * i, "Hour", activity=A)
    shop.add(100 + 10 * count, "DayStop", activity=A, opcode=STOP)
    trace = export(shop.file())
    same(values(trace, "SELECT count(*) FROM slice WHERE name = 'Start' AND dur = 7",
                "SELECT dur FROM slice WHERE name = 'Day'",
                "SELECT count(*) FROM slice WHERE name = 'Hour' AND dur = 0", ERRORS),
         [[count], [10 * count + 99], [7], []])


# Fields

TYPES = [
    ("u8", VALUE8, b"\x07", ("uint", 7)),
    ("i8", b"\x82\x02", b"\xff", ("int", -1)),
    ("u64", VALUE64, struct.pack("<Q", 2**63 - 1), ("uint", str(2**63 - 1))),
    ("large", VALUE64, struct.pack("<Q", 2**64 - 1), ("string", str(2**64 - 1))),
    ("i64", b"\x85\x02", struct.pack("<q", -2**63), ("int", str(-2**63))),
    ("hex", b"\x84\x03", struct.pack("<I", 255), ("string", "0xFF")),
    ("errno", b"\x84\x04", struct.pack("<i", 2), ("int", 2)),
    ("time", b"\x85\x06", struct.pack("<q", 0), ("string", "1970-01-01T00:00:00Z")),
    ("yes", b"\x82\x07", b"\x01", ("bool", 1)),
    ("no", b"\x84\x07", bytes(4), ("bool", 0)),
    ("maybe", b"\x82\x07", b"\x02", ("uint", 2)),
    ("float", b"\x84\x08", struct.pack("<f", 1.5), ("real", 1.5)),
    ("double", b"\x85\x08", struct.pack("<d", -1e300), ("real", -1e300)),
    ("text", TEXT, "tea ☕".encode() + b"\0", ("string", "tea ☕")),
    ("wide", b"\x08", "öl\0".encode("utf-16-le"), ("string", "öl")),
    ("none", TEXT, b"\0", ("string", "")),
    ("bytes", BINARY, struct.pack("<H", 3) + b"\x00\xff\x10", ("string", "00 ff 10")),
    ("uuid", b"\x86\x0f", bytes(range(16)),
     ("string", "00010203-0405-0607-0809-0a0b0c0d0e0f")),
    ("port", b"\x83\x10", struct.pack(">H", 443), ("uint", 443)),
    ("ip", b"\x84\x11", bytes([127, 0, 0, 1]), ("string", "127.0.0.1")),
    ("null", b"\x8d\x05", struct.pack("<H", 0), ("string", "null")),
]


def each_type_is_an_annotation_of_its_own():
    shop = Shop().add(10, "Types", [(name, kind) for name, kind, *_ in TYPES],
                      b"".join(payload for _, _, payload, _ in TYPES))
    same(fields_of(export(shop.file())), {name: value for name, *_, value in TYPES})


def arrays_and_structs_are_nested():
    fields = [("sizes", b"\x44"), ("empty", b"\x44"), ("client", b"\x81\x02"), ("port", VALUE32),
              ("inner", b"\x81\x01"), ("tags", b"\x47"), ("hops", b"\xc1\x01"), ("ms", VALUE8)]
    payload = (struct.pack("<HII", 2, 5, 6) + bytes(2) + struct.pack("<IH", 80, 2) + b"a\0b\0"
               + struct.pack("<HBB", 2, 3, 4))
    same(fields_of(export(Shop().add(10, "Nested", fields, payload).file())), {
        "sizes[0]": ("uint", 5), "sizes[1]": ("uint", 6), "empty": ("string", "[]"),
        "client.port": ("uint", 80), "client.inner.tags[0]": ("string", "a"),
        "client.inner.tags[1]": ("string", "b"),
        "hops[0].ms": ("uint", 3), "hops[1].ms": ("uint", 4)})


def names_occur_once():
    fields = [("a", VALUE8), ("a", VALUE8), ("a#2", VALUE8), ("a", VALUE8),
              ("eventheader", VALUE8), ("s", b"\x81\x02"), ("a", VALUE8), ("a", VALUE8),
              ("t", b"\x81\x01"), ("a", VALUE8)]
    same(fields_of(export(Shop().add(10, "Names", fields, bytes(range(8))).file())), {
        "a": ("uint", 0), "a#2": ("uint", 1), "a#2#2": ("uint", 2), "a#3": ("uint", 3),
        "eventheader#2": ("uint", 4), "s.a": ("uint", 5), "s.a#2": ("uint", 6),
        "t.a": ("uint", 7)})


def fields_of_classic_events_are_annotations():
    recording = Recording()
    event = recording.event("user_events", "request", 500, [
        ("u32", "status", 4, 0), ("s64", "ns", 8, 1), ("u8 x[3]", "ids[3]", 3, 0),
        ("__rel_loc char[]", "path", 4, 1)])
    recording.sample(event, 10, struct.pack("<Iq3BI", 200, -5, 1, 2, 3, 3 << 16) + b"/a\0")
    trace = export(recording.file())
    (_, dur, name, args), = shown(trace)
    same((dur, name), (0, "request"))
    same({key: args[key] for key in ("status", "ns", "path")},
         {"status": ("uint", 200), "ns": ("int", -5), "path": ("string", "/a")})
    same(values(trace, "SELECT category FROM slice"), [["user_events"]])


def a_fault_is_shown_with_what_was_read():
    shop = Shop().add(10, "Torn", [("n", VALUE8), ("text", VALUE64)], b"\x07\x08")
    trace = export(shop.file())
    (_, _, name, args), = shown(trace)
    same((name, args["n"], args["eventheader.error.name"][0]), ("Torn", ("uint", 7), "string"))
    same(args["eventheader.error.offset"], ("uint", 27))
    same(bytes.fromhex(args["eventheader.error.payload"][1])[-11:], b"n\0\2text\0\5\7\x08")


def names_and_values_may_be_anything():
    long = "n" * 60000
    fields = [("", VALUE8), ("a.b[0]", VALUE8), ("\x1b[31m\"';--", VALUE8), ("ü", VALUE8)]
    shop = Shop().add(10, "", fields, bytes(range(4))).add(20, long[:30000], [(long[:20000], TEXT)],
                                                       b"\xff\xfe" + b"v" * 5000 + b"\0")
    trace = export(shop.file())
    rows = shown(trace)
    same([len(row[2] or "") for row in rows], [0, 30000])
    same(rows[1][3]["n" * 20000], ("string", "ÿþ" + "v" * 5000))
    same(sorted(value for key, value in rows[0][3].items() if "eventheader" not in key),
         [("uint", 0), ("uint", 1), ("uint", 2), ("uint", 3)])


def deep_structs_are_nested():
    fields = [(f"s{i}", b"\x81\x01") for i in range(31)] + [("n", VALUE8)]
    same(fields_of(export(Shop().add(10, "Deep", fields, b"\x07").file())),
         {".".join(f"s{i}" for i in range(31)) + ".n": ("uint", 7)})


def names_that_repeat_too_often_are_a_fault():
    """20,000 times 30,000 bytes, of 50,000."""
    fields = [("s", b"\xc1\x01"), ("m" * 30000, VALUE8)]
    shop = Shop().add(10, "Repeated", fields, struct.pack("<H", 20000) + bytes(20000))
    trace = export(shop.file())
    assert pathlib.Path(trace).stat().st_size < 5 << 20
    same(ask(trace, "SELECT extract_arg(arg_set_id, 'debug.eventheader.error.name') AS name, "
             "extract_arg(arg_set_id, 'debug.s[99]." + "m" * 30000 + "') AS n FROM slice", ERRORS),
         [[{"name": "step_limit", "n": 0}], []])


# Times

def a_recording_with_both_clocks_is_shown_by_its_own():
    shop = Shop(clock=(1700000000 * 10**9, 5000))
    shop.add(6000, "OrderStart", activity=A, opcode=START)
    shop.add(7000, "OrderStop", activity=A, opcode=STOP)
    same(ask(export(shop.file()), "SELECT ts, dur FROM slice", ERRORS,
             "SELECT clock_name AS clock, clock_value AS time FROM clock_snapshot ORDER BY 1"),
         [[{"ts": 6000, "dur": 1000}], [],
          [{"clock": "MONOTONIC", "time": 6000},
           {"clock": "REALTIME", "time": str(1700000000 * 10**9 + 1000)}]])


def a_recording_of_the_wall_clock_alone_is_shown_by_it():
    time = 1700000000 * 10**9
    recording = TraceDat()
    event = recording.event("user_events", "tick", 500, [("u32", "n", 4, 0)])
    for i in range(2):
        recording.record(event, time + i, struct.pack("<I", i), pid=7)
    same(ask(export(recording.file()), "SELECT ts FROM slice", ERRORS,
             "SELECT clock_name AS clock, clock_value AS time FROM clock_snapshot"),
         [[{"ts": str(time)}, {"ts": str(time + 1)}], [],
          [{"clock": "REALTIME", "time": str(time)}]])


def times_of_two_clocks_are_refused():
    recording = TraceDat()
    event = recording.event("user_events", "tick", 500, [("u32", "n", 4, 0)])
    recording.record(event, 1700000000 * 10**9, bytes(4), pid=7)
    export(save("wall", recording.file()), save("own", Shop().add(10, "Sold").file()), status=1,
           complaint="userevents: cannot export all events: their times are of two clocks, which "
           "a trace cannot relate; export the files one by one\n")


# The scheduler

def switches(world):
    """By processor: what ran on it from one switch to the next."""
    found, running = [], {}
    for record in world.records:
        if record.kind != "switch":
            continue
        prev, = struct.unpack_from("<i", record.payload, 16)
        state, = struct.unpack_from("<q", record.payload, 24)
        following, = struct.unpack_from("<i", record.payload, 48)
        if record.cpu in running:
            ts, tid = running[record.cpu]
            letter = next((letter for letter, bit in world.kernel.letters.items()
                           if bit & state), "R+" if state else "R")
            found.append((ts, record.time - ts, record.cpu, tid,
                          "D" if letter == "I" else letter))
        running[record.cpu] = record.time, following
    return sorted(found)


def the_scheduler_makes_rows_of_processors():
    for seed, kernel in ((201, NEW), (202, OLD), (203, NEW)):
        world = World(seed, kernel=kernel)
        rows, errors = ask(
            export(world.file() if seed < 203 else save("dat", world.trace_dat())),
            "SELECT ts, dur, cpu, tid, end_state FROM sched JOIN thread USING (utid) "
            "WHERE dur >= 0 ORDER BY ts, cpu", ERRORS)
        same(errors, [])
        # what runs at the end is open
        got = {tuple(row.values()) for row in rows}
        expected = set(switches(world))
        same(expected - got, set())
        same(sorted(row[2] for row in got - expected), sorted({row[2] for row in expected}))


def the_scheduler_makes_states_of_threads():
    """
    From a switch or a wakeup to the next one. Of several wakeups Perfetto 20 takes the last, so
    there is one alone.
    """
    world = World(204, steps=1000, wakes_twice=False)
    rows, = ask(export(world.file()), "SELECT tid, ts, dur, state FROM thread_state JOIN thread "
                "USING (utid) WHERE tid >= 100")
    got = {(row["tid"], row["ts"], row["dur"],
            {"Running": RUNNING, "R+": "R", "I": "D"}.get(row["state"], row["state"]))
           for row in rows}
    seen = 0
    for tid, history in world.history.items():
        runs = [begin for begin, state in history if state == RUNNING and begin]
        for (begin, state), (end, _) in zip(history, history[1:]):
            if runs[0] <= begin and end <= runs[-1]:
                assert (tid, begin, end - begin, "D" if state == "I" else state) in got
                seen += 1
    assert seen > 300, seen


def records_of_the_scheduler_have_the_time_of_events():
    world = World(205)
    trace = export(world.file(), "--from", "0.000100", "--until", "0.000900")
    (first_,), (last,), errors = ask(trace, "SELECT min(ts) AS ts FROM sched",
                                     "SELECT max(ts) AS ts FROM sched", ERRORS)
    assert 100_000 <= first_["ts"] <= last["ts"] < 900_000, (first_, last)
    same(errors, [])


# Losses

def losses_are_shown_in_place():
    shop = Shop()
    for time in range(10, 60, 10):
        shop.add(time, "Sold").recording.round()
        if time in (20, 40):
            shop.recording.lost(time)
    trace = export(shop.file(), status=1, complaint=f"userevents: 60 events were lost when "
                   f"{folder}/recording was recorded.\n")
    same(ask(trace, "SELECT ts, slice.name, category, extract_arg(arg_set_id, 'debug.count') "
             "AS count FROM slice JOIN track ON track_id = track.id "
             "WHERE track.name = 'Lost events' ORDER BY ts", ERRORS),
         [[{"ts": time, "name": "lost", "category": "userevents", "count": time}
           for time in (20, 40)], []])
    same(values(trace, "SELECT name FROM slice ORDER BY id"),
         [["Sold", "lost", "Sold", "Sold", "lost", "Sold", "Sold"]])
    same([first(packet, 42) for packet in packets(trace) if first(packet, 11)],
         [None, 1, None, None, 1, None, None])


def losses_of_a_program_are_shown_before_its_next_event():
    """A capture has them with the event, and so the process."""
    made = Capture("<").definition(0, "tick u16 number")
    for number, lost in enumerate((0, 5)):
        made.event(struct.pack("<H", number), 10**18 + number, cpu=1, lost=lost,
                   clock_time=10**9 + number)
    trace = export(made.bytes, status=1, complaint=f"userevents: 5 events were lost when "
                   f"{folder}/recording was recorded.\n")
    same(ask(trace, "SELECT ts, slice.name, extract_arg(arg_set_id, 'debug.count') AS count, "
             "extract_arg(arg_set_id, 'debug.cpu') AS cpu, "
             "extract_arg(arg_set_id, 'debug.pid') AS pid FROM slice ORDER BY id"),
         [[{"ts": 10**9, "name": "tick", "count": None, "cpu": None, "pid": None},
           {"ts": 10**9 + 1, "name": "lost", "count": 5, "cpu": 1, "pid": 7},
           {"ts": 10**9 + 1, "name": "tick", "count": None, "cpu": None, "pid": None}]])


# Live

def a_program_is_exported_while_it_runs():
    out = folder / "live"
    done = subprocess.run([tool, "export", "--to", "perfetto", "-o", str(out), "--run", "--",
                           hello, "1"], capture_output=True, timeout=300)
    same((done.returncode, done.stderr), (0, b"hello 1: written\n"))
    found, errors, clocks = ask(out, "SELECT slice.name, process.name AS process, thread.name AS "
                                "thread, pid = tid AS is_first FROM slice JOIN thread_track ON "
                                "track_id = thread_track.id JOIN thread USING (utid) "
                                "JOIN process USING (upid)", ERRORS,
                                "SELECT DISTINCT clock_name FROM clock_snapshot")
    same((found, errors, len(clocks)), (
        [{"name": "hello", "process": "hello", "thread": "hello", "is_first": 1}], [], 2))


def a_trace_that_is_interrupted_has_the_events_up_to_then():
    out = folder / "interrupted"
    live = subprocess.Popen([tool, "export", "--to", "perfetto", "-o", str(out), "--run", "--",
                             "sh", "-c", f"{hello} 1; {hello} 2; echo; exec sleep 600"],
                            stderr=subprocess.PIPE, text=True, start_new_session=True)
    while (line := live.stderr.readline()) != "\n":
        assert line, "the tool ended"
    os.killpg(live.pid, signal.SIGINT)  # as the terminal does
    live.communicate(timeout=300)
    same(live.returncode, 128 + signal.SIGINT)
    same(values(out, "SELECT count(*) FROM slice", ERRORS), [[1 + 2], []])


# The file

def an_old_file_stays_if_there_is_nothing_to_read():
    out = folder / "kept"
    out.write_bytes(b"old")
    for name in "missing", save("odd", b"no recording"):
        done = subprocess.run([tool, "export", "--to", "perfetto", "-o", str(out), str(name)],
                              capture_output=True, timeout=300)
        same((done.returncode != 0, out.read_bytes()), (True, b"old"))


def a_trace_can_go_to_a_pipe():
    path = save("pipe", Shop().add(10, "Sold").file())
    done = subprocess.run([tool, "export", "--to", "perfetto", path], capture_output=True,
                          timeout=300)
    same((done.returncode, done.stderr), (0, b""))
    same(values(save("piped", done.stdout), "SELECT name FROM slice"), [["Sold"]])


def a_full_disk_is_reported():
    path = save("full", Shop().add(10, "Sold").file())
    done = subprocess.run([tool, "export", "--to", "perfetto", "-o", "/dev/full", path],
                          capture_output=True, timeout=300)
    same((done.returncode, done.stderr.decode()),
         (1, "userevents: cannot write all of /dev/full: No space left on device; free some, "
          "or write elsewhere; it has the events up to then\n"))


run([threads_are_tracks_of_their_processes,
     a_process_has_the_name_of_its_first_thread,
     names_of_processes_are_utf8,
     containers_are_labels_of_processes,
     threads_without_a_process_have_tracks,
     threads_of_process_0_are_not_those_without_a_process,
     events_of_no_thread_have_a_track,
     an_activity_is_a_slice,
     starts_of_one_thread_nest,
     an_activity_that_starts_again_never_ends,
     a_stop_before_its_start_leaves_two_instants,
     an_activity_of_one_thread_is_on_its_track,
     slices_that_cross_are_in_a_lane,
     lanes_are_no_more_than_the_requests_that_overlap,
     fifty_thousand_requests_have_few_tracks,
     an_activity_is_under_its_process,
     activities_that_end_in_their_order_stand_beside_their_parents,
     activities_that_end_the_other_way_round_are_within_their_parents,
     activities_within_themselves_and_each_other_end,
     a_start_without_a_stop_does_not_end,
     a_stop_without_a_start_is_an_instant,
     an_activity_of_zeros_is_none,
     many_activities_are_counted_exactly,
     each_type_is_an_annotation_of_its_own,
     arrays_and_structs_are_nested,
     names_occur_once,
     fields_of_classic_events_are_annotations,
     a_fault_is_shown_with_what_was_read,
     names_and_values_may_be_anything,
     deep_structs_are_nested,
     names_that_repeat_too_often_are_a_fault,
     a_recording_with_both_clocks_is_shown_by_its_own,
     a_recording_of_the_wall_clock_alone_is_shown_by_it,
     times_of_two_clocks_are_refused,
     the_scheduler_makes_rows_of_processors,
     the_scheduler_makes_states_of_threads,
     records_of_the_scheduler_have_the_time_of_events,
     losses_are_shown_in_place,
     losses_of_a_program_are_shown_before_its_next_event,
     a_program_is_exported_while_it_runs,
     a_trace_that_is_interrupted_has_the_events_up_to_then,
     an_old_file_stays_if_there_is_nothing_to_read,
     a_trace_can_go_to_a_pipe,
     a_full_disk_is_reported])
