#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents export --to otlp-json and otlp-protobuf, on recordings made byte by byte.

Arguments: the program, scripts/npm-package, hello, and files of golden events. Each request is
read by protoc with the .proto files of opentelemetry-proto 1.7, which a package of npm carries, and
its JSON is checked against the same files; both must say the same.
"""
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile

from captures import Capture
from golden import golden_events
from otlp_schema import Schema, attributes, comparable, framed
from recordings import EVENTHEADER, Recording, dat, eventheader
from tap import run, same

tool, npm_package, hello, *golden = sys.argv[1:]
folder = pathlib.Path(tempfile.mkdtemp())
WALL = 1_700_000_000_000_000_000  # when the clock is 0
U8, S8, U16, S32, U32, U64, TEXT, BINARY = (
    b"\x02", b"\x82\x02", b"\x03", b"\x84\x02", b"\x04", b"\x05", b"\x07", b"\x0d")
ACTIVITY, OTHER, THIRD = bytes(range(16)), bytes(range(16, 32)), bytes(range(32, 48))
START, STOP = 1, 2


def published():
    """The .proto files: dd-trace has all of a version that has event_name."""
    package = subprocess.run([npm_package, "--alone", "dd-trace", "5.132.0"], check=True,
                             capture_output=True, text=True).stdout.strip()
    return Schema(pathlib.Path(package) / "packages/dd-trace/src/opentelemetry/otlp")


schema = published()


def export(form, *args, status=0, env=None, complaint=""):
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith("OTEL_")}
    done = subprocess.run([tool, "export", "--to", form, *map(str, args)], capture_output=True,
                          timeout=300, env={**environment, **(env or {})})
    if complaint is not None:
        same(done.stderr.decode(), complaint)
    same(done.returncode, status)
    return done.stdout


def both(path, *args, **kwargs):
    """All requests, by signal: JSON and Protocol Buffers must be the same."""
    lines = export("otlp-json", path, *args, **kwargs).decode().split("\n")[:-1]
    found = {"logs": [], "traces": [], "metrics": []}
    for line in lines:
        signal, request = schema.line(line)
        found[signal].append(request)
    out = folder / "protobuf"
    same(export("otlp-protobuf", "-o", out, path, *args, **kwargs), b"")
    same(sorted(file.name for file in out.iterdir()), ["logs", "metrics", "traces"])
    for signal in "logs", "traces":
        requests = [schema.decode(signal, request)
                    for request in framed((out / signal).read_bytes())]
        same_records(flat(requests), flat(found[signal]))
    return found


def same_records(got, expected):
    """In any order, as a batch may end elsewhere: it has other bytes."""
    got, expected = (sorted(json.dumps(record, sort_keys=True) for record in records)
                     for records in (got, expected))
    for one, other in zip(got, expected):
        same(one, other)
    same(len(got), len(expected))


def flat(requests):
    """(resource, scope, record) of each."""
    return [(comparable(resource["resource"]), scope["scope"], comparable(record))
            for request in requests for resource in next(iter(request.values()))
            for scope in resource[next(key for key in resource if key.startswith("scope"))]
            for record in scope.get("logRecords", scope.get("spans"))]


def logs(path, *args, **kwargs):
    return [record for _, _, record in flat(both(path, *args, **kwargs)["logs"])]


def spans(path, *args, **kwargs):
    return [record for _, _, record in flat(both(path, *args, **kwargs)["traces"])]


def save(content, name="recording"):
    path = folder / name
    path.write_bytes(content)
    return path


def recording(events, tracepoint="Shop_L5K1", clock=(WALL, 0), comm=None, **kwargs):
    """perf.data of EventHeader events: (time, bytes), or (time, bytes, tracepoint)."""
    made = Recording(clock=clock, **kwargs)
    known = {}
    for i, (time, body, *name) in enumerate(events):
        name = name[0] if name else tracepoint
        if name not in known:
            known[name] = made.event("user_events", name, 500 + len(known), EVENTHEADER)
        if comm and not i:
            made.comm(0, 101, comm)
        made.sample(known[name], time, body, cpu=1, pid=100, tid=101)
    return save(made.file())


def one(fields, payload, **kwargs):
    """The attributes that the fields of an event become, and no others."""
    options = kwargs.pop("options", [])
    path = save(dat([("Shop_L5K1", eventheader("Order", fields, payload, **kwargs))]))
    (record,) = logs(path, "--brief", *options)
    return attributes(record.get("attributes", []))


# Log records

def an_event_is_a_log_record():
    path = recording([(5, eventheader("Order", [("id", U64), ("item", TEXT)],
                                      struct.pack("<Q", 7) + b"tea\0", level=4))],
                     "Shop_L4K1f", comm="shop")
    (found,) = flat(both(path)["logs"])
    resource, scope, record = found
    same(attributes(resource["attributes"]), {
        "service.name": "unknown_service:shop", "process.pid": 100,
        "process.executable.name": "shop", "os.type": "linux"})
    same(scope, {"name": "Shop"})
    same(attributes(record.pop("attributes")), {
        "thread.id": 101, "eventheader.level": 4, "eventheader.keywords": 31, "id": 7,
        "item": "tea"})
    same(record, {"timeUnixNano": str(WALL + 5), "severityNumber": 9, "severityText": "INFO",
                  "eventName": "Order"})


def levels_are_severities():
    expected = {0: (None, "LOG_ALWAYS"), 1: (21, "CRITICAL"), 2: (17, "ERROR"),
                3: (13, "WARNING"), 4: (9, "INFO"), 5: (5, "VERBOSE"), 6: (None, None),
                255: (None, None)}
    path = save(dat([(f"Shop_L{level:x}K1", eventheader("A", [], b"", level=level))
                     for level in expected]))
    records = logs(path)
    same([(r.get("severityNumber"), r.get("severityText")) for r in records],
         list(expected.values()))
    same([attributes(r["attributes"])["eventheader.level"] for r in records], list(expected))


def a_header_becomes_attributes():
    body = bytearray(eventheader("Order;x=y", [], b"", activity=ACTIVITY, related=OTHER,
                                 opcode=9))
    body[1:6] = struct.pack("<BHH", 3, 77, 0xbeef)
    path = save(dat([("Shop_L5Kffffffffffffffff", bytes(body))]))
    (record,) = logs(path)
    same(record["eventName"], "Order")
    same(attributes(record["attributes"]), {
        "eventheader.level": 5, "eventheader.keywords": "18446744073709551615",
        "eventheader.opcode": 9, "eventheader.id": 77, "eventheader.version": 3,
        "eventheader.tag": 0xbeef,
        "eventheader.activity.id": "00010203-0405-0607-0809-0a0b0c0d0e0f",
        "eventheader.related_activity.id": "10111213-1415-1617-1819-1a1b1c1d1e1f"})
    (record,) = logs(path, "--brief")
    same(sorted(attributes(record["attributes"])),
         ["eventheader.activity.id", "eventheader.related_activity.id"])


def a_classic_event_has_its_system():
    made = Recording(clock=(WALL, 0))
    event = made.event("user_events", "request", 500, [
        ("u32", "status", 4, 0), ("s64", "delta", 8, 1), ("__rel_loc char[]", "path", 4, 1)])
    made.sample(event, 9, struct.pack("<IqI", 200, -1, 3 << 16) + b"/a\0", pid=12, tid=13)
    ((resource, scope, record),) = flat(both(save(made.file()))["logs"])
    same(scope, {"name": "user_events"})
    same(attributes(resource["attributes"])["process.pid"], 12)
    same(record, {"timeUnixNano": str(WALL + 9), "eventName": "user_events:request",
                  "attributes": record["attributes"]})
    same(attributes(record["attributes"]),
         {"thread.id": 13, "status": 200, "delta": -1, "path": "/a"})


def without_a_wall_clock_there_is_no_time():
    path = recording([(5, eventheader("A", [], b"", activity=ACTIVITY, opcode=START)),
                      (9, eventheader("A", [], b"", activity=ACTIVITY, opcode=STOP))],
                     clock=None)
    records = logs(path)
    same(["timeUnixNano" in record for record in records], [False, False])
    same([attributes(record["attributes"])["userevents.clock_time"] for record in records],
         [5, 9])
    same(spans(path), [])


def a_time_before_1970_is_none():
    path = recording([(1, eventheader("A", [], b""))], clock=(1, 10))
    (record,) = logs(path, "--brief")
    assert "timeUnixNano" not in record, record
    same(attributes(record["attributes"])["userevents.clock_time"], 1)


def the_time_of_reading_is_always_there():
    path = save(dat([("Shop_L5K1", eventheader("A", [], b""))]))
    (line,) = export("otlp-json", path).decode().split("\n")[:-1]
    (record,) = json.loads(line)["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
    assert int(record["observedTimeUnixNano"]) > WALL, record


# Values

def values_have_their_types():
    same(one([("u8", U8), ("s8", b"\x82\x02"), ("u64", U64), ("s64", b"\x85\x02")],
             struct.pack("<BbQq", 255, -128, 2**63 - 1, -2**63)),
         {"u8": 255, "s8": -128, "u64": 2**63 - 1, "s64": -2**63})
    same(one([("u64", U64)], struct.pack("<Q", 2**63)), {"u64": str(2**63)})
    same(one([("yes", b"\x82\x07"), ("no", b"\x84\x07")], struct.pack("<BI", 1, 0)),
         {"yes": True, "no": False})
    same(one([("hex", b"\x84\x03"), ("errno", b"\x84\x04"), ("port", b"\x83\x10")],
             struct.pack("<Ii", 255, 2) + struct.pack(">H", 80)),
         {"hex": "0xFF", "errno": 2, "port": 80})
    same(one([("raw", BINARY), ("none", BINARY)], b"\x02\0\0\xff\0\0"),
         {"raw": b"\0\xff", "none": b""})
    same(one([("uuid", b"\x86\x0f"), ("ip", b"\x84\x11")], ACTIVITY + bytes([127, 0, 0, 1])),
         {"uuid": "00010203-0405-0607-0809-0a0b0c0d0e0f", "ip": "127.0.0.1"})


def floats_need_not_be_finite():
    kind = b"\x85\x08"
    found = one([(name, kind) for name in "abcdef"],
                struct.pack("<6d", 0.1, 1e300, -0.0, float("inf"), -float("inf"),
                            float("nan")))
    same(repr(found), repr({"a": 0.1, "b": 1e300, "c": -0.0, "d": float("inf"),
                            "e": -float("inf"), "f": float("nan")}))


def text_is_any_text():
    texts = ["", "\"\\\n\t\x7f", "\x01", "h\u00e9 \u20ac \U0001f600", "</script>\u2028"]
    for text in texts:
        raw = text.encode()
        same(one([("t", b"\x0a")], struct.pack("<H", len(raw)) + raw), {"t": text})
    same(one([("t", b"\x0a")], b"\x03\0a\0b"), {"t": "a\0b"})
    same(one([("t", b"\x0a")], b"\x02\0a\xff"), {"t": "a\u00ff"})


def arrays_and_structs_nest():
    fields = [("sizes", b"\x43"), ("client", b"\x81\x02"), ("port", U16), ("name", TEXT),
              ("items", b"\xc1\x02"), ("id", U8), ("tag", TEXT)]
    payload = (struct.pack("<HHHH", 2, 5, 6, 80) + b"me\0"
               + struct.pack("<H", 2) + b"\x01a\0\x02b\0")
    same(one(fields, payload), {
        "sizes": [5, 6], "client": {"port": 80, "name": "me"},
        "items": [{"id": 1, "tag": "a"}, {"id": 2, "tag": "b"}]})
    same(one(fields, payload, options=["--flatten"]), {
        "sizes": [5, 6], "client.port": 80, "client.name": "me",
        "items": [{"id": 1, "tag": "a"}, {"id": 2, "tag": "b"}]})


def structs_in_structs_become_flat():
    fields = [("a", b"\x81\x02"), ("b", b"\x81\x02"), ("x", U8), ("y", U8), ("z", U8),
              ("a.b.x", U8)]
    same(one(fields, b"\1\2\3\4"), {"a": {"b": {"x": 1, "y": 2}, "z": 3}, "a.b.x": 4})
    same(one(fields, b"\1\2\3\4", options=["--flatten"]),
         {"a.b.x": 1, "a.b.y": 2, "a.z": 3, "a.b.x#2": 4})


def an_empty_array_is_one():
    same(one([("none", b"\x43"), ("n", U8)], b"\0\0\1"), {"none": [], "n": 1})


def keys_are_unique():
    same(one([("a", U8), ("a", U8), ("a#2", U8), ("a", U8)], b"\1\2\3\4"),
         {"a": 1, "a#2": 2, "a#2#2": 3, "a#3": 4})
    same(one([("s", b"\x81\x02"), ("a", U8), ("a", U8), ("a", U8)], b"\1\2\3"),
         {"s": {"a": 1, "a#2": 2}, "a": 3})
    same(one([("", U8), ("_", U8)], b"\1\2"), {"_": 1, "_#2": 2})
    path = recording([(1, eventheader("A", [("thread.id", U8)], b"\7"))])
    (record,) = logs(path, "--brief")
    same(attributes(record["attributes"]), {"thread.id": 101, "thread.id#2": 7})


def many_equal_names_take_linear_time():
    count = 20000
    found = one([("a", U8)] * count, bytes(i % 256 for i in range(count)))
    same(len(found), count)
    same(found[f"a#{count}"], (count - 1) % 256)


def pids_are_found_in_linear_time():
    """FNV-1a without a seed would put all of them into one slot, and need more of the processor."""
    made = Recording(clock=(WALL, 0))
    event = made.event("user_events", "Shop_L5K1", 500, EVENTHEADER)
    for x in range(16000):
        pid = (x << 15 | x & 0x7fff) * pow(0x01000193, -1, 2**32) % 2**32 ^ 0x811c9dc5
        made.sample(event, 1, eventheader("A", [], b""), pid=pid, tid=7)
    made.pieces *= 60
    done = subprocess.run(["prlimit", "--cpu=6", "--", tool, "export", "--to", "perfetto", "-o",
                           "/dev/null", save(made.file())], capture_output=True, timeout=300)
    same((done.returncode, done.stderr), (0, b""))


def deep_nesting_ends_in_text():
    depth = 32
    fields = [("s", b"\x81\x01")] * depth + [("x", U8)]
    found = one(fields, b"\7")
    for _ in range(16):
        found = found["s"]
    text = found["s"]
    for _ in range(depth - 17):
        text = json.loads(text)["s"] if isinstance(text, str) else text["s"]
    same(text, {"x": 7})
    same(one(fields, b"\7", options=["--flatten"])[".".join("s" * 17)][:2], '{"')


# Faults

def a_damaged_event_keeps_what_was_read():
    body = eventheader("Order", [("a", U8), ("b", U64)], b"\x01\x02")
    path = save(dat([("Shop_L5K1", body)]))
    (record,) = logs(path, "--brief", status=0)
    found = attributes(record["attributes"])
    same(found, {"a": 1, "eventheader.error.name": "value_past_end",
                 "eventheader.error.offset": len(body) - 1,
                 "eventheader.error.payload": body})


def an_event_that_cannot_be_read_is_a_record():
    path = save(dat([("Shop_L5K1", b"\x07\0\0")]))
    (record,) = logs(path)
    found = attributes(record["attributes"])
    same(found["eventheader.error.name"], "event_too_short")
    same(found["eventheader.error.payload"], b"\x07\0\0")


# Spans

def fnv(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return f"{value or 1:016x}"


def activity(name, opcode, own=ACTIVITY, fields=(), payload=b"", related=b"", level=5):
    return eventheader(name, list(fields), payload, level, activity=own, opcode=opcode,
                       related=related)


def start_and_stop_are_a_span():
    path = recording([
        (1000, activity("OrderStart", START, fields=[("id", U8), ("same", U8)],
                        payload=b"\1\2", related=OTHER)),
        (1500, activity("Step", 0, fields=[("n", U8)], payload=b"\5")),
        (3000, activity("OrderStop", STOP, fields=[("status", U8), ("same", U8)],
                        payload=b"\3\4"))])
    (span,) = spans(path, "--brief")
    same(attributes(span.pop("attributes")), {
        "thread.id": 101, "id": 1, "same": 2, "status": 3, "same#2": 4,
        "eventheader.activity.id": "00010203-0405-0607-0809-0a0b0c0d0e0f",
        "eventheader.related_activity.id": "10111213-1415-1617-1819-1a1b1c1d1e1f"})
    same(span, {"traceId": OTHER.hex(), "spanId": fnv(ACTIVITY), "parentSpanId": fnv(OTHER),
                "name": "Order", "kind": 1, "startTimeUnixNano": str(WALL + 1000),
                "endTimeUnixNano": str(WALL + 3000)})
    (step,) = logs(path, "--brief")
    same((step["eventName"], step["traceId"], step["spanId"]),
         ("Step", OTHER.hex(), fnv(ACTIVITY)))


def a_trace_is_followed_to_its_root():
    path = recording([
        (1, activity("AStart", START)),
        (2, activity("BStart", START, OTHER, related=ACTIVITY)),
        (3, activity("CStart", START, THIRD, related=OTHER)),
        (4, activity("Note", 0, THIRD)),
        (5, activity("CStop", STOP, THIRD)),
        (6, activity("BStop", STOP, OTHER)),
        (7, activity("AStop", STOP))])
    found = spans(path)
    same([span["name"] for span in found], ["C", "B", "A"])
    same([span["traceId"] for span in found], [ACTIVITY.hex()] * 3)
    same([span.get("parentSpanId") for span in found], [fnv(OTHER), fnv(ACTIVITY), None])
    same([int(s["endTimeUnixNano"]) - int(s["startTimeUnixNano"]) for s in found], [2, 4, 6])
    same([record["traceId"] for record in logs(path)], [ACTIVITY.hex()])


def an_activity_that_is_used_again_is_another_span():
    """And events in it are in the latest one, as are children."""
    path = recording([
        (1, activity("AStart", START)), (2, activity("One", 0)), (3, activity("AStop", STOP)),
        (4, activity("AStart", START)), (5, activity("Two", 0)),
        (6, activity("BStart", START, OTHER, related=ACTIVITY)), (7, activity("BStop", STOP, OTHER)),
        (8, activity("AStop", STOP))])
    first, child, second = spans(path)
    same(first["spanId"], fnv(ACTIVITY))
    assert second["spanId"] != first["spanId"]
    same([record["spanId"] for record in logs(path)], [first["spanId"], second["spanId"]])
    same(child["parentSpanId"], second["spanId"])
    same({span["traceId"] for span in (first, child, second)}, {ACTIVITY.hex()})


def parents_make_no_circle():
    own = recording([(1, activity("AStart", START, related=ACTIVITY)), (2, activity("AStop", STOP))])
    (span,) = spans(own)
    assert "parentSpanId" not in span
    path = recording([
        (1, activity("AStart", START, ACTIVITY, related=OTHER)),
        (2, activity("BStart", START, OTHER, related=ACTIVITY)),
        (3, activity("BStop", STOP, OTHER)), (4, activity("AStop", STOP))])
    b, a = spans(path)
    same((a["parentSpanId"], b.get("parentSpanId")), (b["spanId"], None))
    same({a["traceId"], b["traceId"]}, {OTHER.hex()})


TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def events_join_the_traces_of_other_programs():
    """As the recommendation of the W3C has them, or by two fields; other texts join nothing."""
    parent = f"00-{TRACE}-{SPAN}-01"
    for fields in ([("traceparent", parent)], [("trace_id", TRACE), ("span_id", SPAN)],
                   [("span_id", SPAN), ("n", "x"), ("trace_id", TRACE)],
                   [("traceparent", "cc" + parent[2:] + "-later")]):
        names = [(name, TEXT) for name, _ in fields]
        payload = b"".join(text.encode() + b"\0" for _, text in fields)
        (record,) = logs(recording([(1, eventheader("Note", names, payload))]))
        same((record["traceId"], record["spanId"]), (TRACE, SPAN))
        path = recording([
            (1, activity("AStart", START, fields=names, payload=payload)),
            (2, activity("Step", 0)),
            (3, activity("BStart", START, OTHER, related=ACTIVITY)),
            (4, activity("BStop", STOP, OTHER)), (5, activity("AStop", STOP))])
        child, span = spans(path)
        same((span["traceId"], span["parentSpanId"], span["spanId"]), (TRACE, SPAN, fnv(ACTIVITY)))
        same((child["traceId"], child["parentSpanId"]), (TRACE, span["spanId"]))
        (step,) = logs(path)
        same((step["traceId"], step["spanId"]), (TRACE, span["spanId"]))
    for text in (parent[:-3], parent.replace("-", "_"), f"00-{'0' * 32}-{SPAN}-01",
                 f"00-{TRACE}-{'0' * 16}-01", f"ff-{TRACE}-{SPAN}-01", f"00-{TRACE.upper()}-{SPAN}-01", f"0x-{TRACE}-{SPAN}-01",
                 f"00-{TRACE}-{SPAN}-0G", parent + "-later", "cc" + parent[2:] + "later",
                 "x" * 60, ""):
        path = recording([(1, eventheader("Note", [("traceparent", TEXT)], text.encode() + b"\0"))])
        assert "traceId" not in logs(path)[0], text


# Redaction

def fields_are_dropped_masked_and_hashed():
    fields = [("user", TEXT), ("card", U32), ("client", b"\x81\x02"), ("password", TEXT), ("port", U16),
              ("keys", b"\x43"), ("n", U8)]
    payload = (b"ann\0" + struct.pack("<I", 4711) + b"secret\0" + struct.pack("<H", 80)
               + struct.pack("<HHH", 2, 5, 6) + b"\1")
    same(one(fields, payload, options=["--drop-field", "pass*", "--mask-field", "card"]),
         {"user": "ann", "card": "***", "client": {"port": 80}, "keys": [5, 6], "n": 1})
    same(one(fields, payload, options=["--drop-field", "client", "--mask-field", "keys"]),
         {"user": "ann", "card": 4711, "keys": "***", "n": 1})
    same(one(fields, payload, options=["--mask-field", "client", "--drop-field", "keys", "--flatten"]),
         {"user": "ann", "card": 4711, "client": "***", "n": 1})
    # the strictest one holds
    same(one(fields, payload, options=["--drop-field", "[!n]*", "--mask-field", "*"]), {"n": "***"})
    # a field that has no name, too
    for option, found in ("--mask-field", ["***", "***"]), ("--drop-field", []):
        same(list(one([("", TEXT), ("a", TEXT)], b"secret\0x\0", options=[option, "*"]).values()), found)


def hashes_are_the_same_for_the_same_value():
    body = eventheader("Order", [("user", TEXT), ("other", TEXT), ("card", U32), ("same", U32)],
                       b"ann\0bob\0" + struct.pack("<II", 4711, 4711))
    path = save(dat([("Shop_L5K1", body)] * 2))
    for line in export("otlp-json", "--brief", "--hash-field", "*", path).decode().splitlines():
        found = [attributes(record["attributes"]) for _, _, record in flat([schema.line(line)[1]])]
        same(found[0], found[1])
        same(len(set(found[0].values())), 3)
        same(found[0]["card"], found[0]["same"])
        assert all(len(value) == 16 for value in found[0].values()), found


def what_is_hashed_is_no_id_of_a_span():
    """It has as many digits as one."""
    fields = [("trace_id", TEXT), ("span_id", TEXT)]
    payload = f"{TRACE}\0{SPAN}\0".encode()
    path = recording([(1, eventheader("Note", fields, payload))])
    same(logs(path)[0]["spanId"], SPAN)
    (line,) = export("otlp-json", "--hash-field", "span_id", path).decode().splitlines()
    ((_, _, record),) = flat([schema.line(line)[1]])
    same((record["traceId"], "spanId" in record), (TRACE, False))
    assert attributes(record["attributes"])["span_id"] not in (SPAN, ""), record


def nothing_else_shows_what_is_redacted():
    """Damaged events, too deep ones and other formats: none has the bytes."""
    secret, depth = b"hunter2hunter2", 20
    events = [("Shop_L5K1", eventheader("Order", [("a", TEXT)], secret + b"\0")),
              ("Shop_L5K1", eventheader("Order", [("a", TEXT), ("b", U64)], secret + b"\0\1")),
              ("Shop_L5K1", eventheader("Order", [("s", b"\x81\x01")] * depth + [("a", TEXT)],
                                        secret + b"\0"))]
    path = save(dat(events))
    forms = [form for form in ("otlp-json", "otlp-protobuf", "perfetto", "ctf")
             if form != "ctf" or b"built without libbabeltrace2" not in
             subprocess.run([tool, "export", "--help"], capture_output=True).stdout]
    for form in forms:
        for options, is_shown in (([], True), (["--mask-field", "a"], False),
                                  (["--drop-field", "a"], False), (["--hash-field", "a"], False)):
            out = folder / f"redacted-{form}-{len(options) and options[0]}"
            export(form, *options, "-o", out, path, complaint=None)
            files = [out] if out.is_file() else [file for file in out.rglob("*") if file.is_file()]
            text = b"".join(file.read_bytes() for file in files)
            same(secret in text or secret.hex().encode() in text, is_shown)


def an_error_inside_is_the_status():
    for level, failed in (1, True), (2, True), (3, False), (5, False):
        path = recording([
            (1, activity("AStart", START)),
            (2, activity("Bad", 0, level=level), f"Shop_L{level}K1"),
            (3, activity("AStop", STOP))])
        (span,) = spans(path)
        same(span.get("status"), {"message": "Bad", "code": 2} if failed else None)


def what_has_no_other_end_is_a_log_record():
    path = recording([
        (1, activity("AStop", STOP)),
        (2, activity("BStart", START, OTHER, fields=[("n", U8)], payload=b"\1")),
        (3, activity("BStart", START, OTHER, fields=[("n", U8)], payload=b"\2")),
        (4, activity("BStop", STOP, OTHER)),
        (5, activity("CStart", START, THIRD)),
        (6, eventheader("Z", [], b"", activity=bytes(16), opcode=START))])
    same([record["eventName"] for record in logs(path)], ["AStop", "BStart", "CStart", "Z"])
    same([attributes(span["attributes"])["n"] for span in spans(path)], [2])
    assert "spanId" not in logs(path)[3]


def calls_of_a_thread_are_spans_within_each_other():
    path = recording([
        (1, activity("AStart", START, b"")), (2, activity("BStart", START, b"")),
        (3, activity("Bad", 0, b"", level=2), "Shop_L2K1"), (4, activity("BStop", STOP, b"")),
        (5, activity("BStart", START, b"")), (6, activity("BStop", STOP, b"")),
        (7, activity("AStop", STOP, b"")), (8, activity("AStop", STOP, b""))])
    found = spans(path)
    same([(span["name"], int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"]),
           "status" in span) for span in found],
         [("B", 2, True), ("B", 1, False), ("A", 6, False)])
    same(len({span["spanId"] for span in found}), 3)
    same({span["traceId"] for span in found}, {found[2]["traceId"]})
    same([span.get("parentSpanId") for span in found], [found[2]["spanId"]] * 2 + [None])
    same([record["eventName"] for record in logs(path)], ["Bad", "AStop"])


def a_stop_before_its_start_is_a_log_record():
    made = Capture().eventheader()
    for time, name, opcode in ((9000, "AStart", START), (5000, "AStop", STOP),
                               (12000, "AStop", STOP)):
        made.event(activity(name, opcode), WALL + time)
    path = save(made.bytes)
    same([record["eventName"] for record in logs(path)], ["AStart", "AStop", "AStop"])
    same(spans(path), [])


def both_ends_may_be_damaged():
    path = recording([
        (1, activity("AStart", START, fields=[("n", U64)], payload=b"\1")),
        (2, activity("AStop", STOP, fields=[("n", U64)], payload=b"\2"))])
    (span,) = spans(path, "--brief")
    found = attributes(span["attributes"])
    same([key for key in found if "error.name" in key],
         ["eventheader.error.name", "eventheader.end.error.name"])


def kept_spans(path, count, between=0):
    """How many of these activities became spans: the newest. Nothing is missing."""
    found = {"logs": [], "traces": []}
    done = subprocess.run([tool, "export", "--to", "otlp-json", path], capture_output=True,
                          check=True, timeout=300)
    for line in done.stdout.decode().split("\n")[:-1]:
        signal, request = schema.line(line)
        found[signal] += [record for _, _, record in flat([request])]
    given_up = [int(record["timeUnixNano"]) - WALL for record in found["logs"]
                if record["eventName"] == "AStart"]
    same(given_up, list(range(1, len(given_up) + 1)))
    same(done.stderr.decode(), "userevents: cannot keep all starts: more than 65536 were open, or "
         f"their events took more than 16 MiB, and {len(given_up)} were dropped; their events are "
         "log records\n")
    same(len(found["logs"]) - between, 2 * len(given_up))
    same(len(found["traces"]), count - len(given_up))
    return count - len(given_up)


def open_spans_are_bounded():
    """By 16 MiB of the events, which are kept as records and as spans; of resources; and of names
    of failures. Each begins, then each ends; the oldest are given up."""
    def of(i, name, opcode, *args, **kwargs):
        return activity(name, opcode, struct.pack("<QQ", i, 1), *args, **kwargs)

    def events(count, between=(), padding=0):
        body = [("t", b"\x0a")], struct.pack("<H", padding) + b"x" * padding
        return [*((i, of(i, "AStart", START, *body)) for i in range(1, count + 1)), *between,
                *((10**6 + i, of(i, "AStop", STOP)) for i in range(1, count + 1))]

    kept = kept_spans(recording(events(1500, padding=8000)), 1500)
    assert 16_000 < 2**24 / kept < 18_000, kept
    failures = [(10**5 + i, of(i, "F" * 60000, 0, level=2), "Shop_L2K1")
                for i in range(1, 401)]
    kept = kept_spans(recording(events(400, failures)), 400, between=400)
    assert 60_000 < 2**24 / kept < 63_000, kept
    made = Recording(clock=(WALL, 0))
    event = made.event("user_events", "Shop_L5K1", 500, EVENTHEADER,
                       sample_type=0x487 | 1 << 21)
    made.cgroup(0, 1, "/" + "x" * 4000)
    for i, (time, body) in enumerate(events(4000)):
        made.sample(event, time, body, pid=i % 4000 + 1, tid=i % 4000 + 1, cgroup=1)
    kept = kept_spans(save(made.file()), 4000)
    assert 4_000 < 2**24 / kept < 10_000, kept


# Batches

def a_batch_has_512_records_by_resource_and_scope():
    made = Recording(clock=(WALL, 0))
    shop = made.event("user_events", "Shop_L5K1", 500, EVENTHEADER)
    bank = made.event("user_events", "Bank_L5K1", 501, EVENTHEADER)
    for i in range(1300):
        made.sample(bank if i % 3 else shop, i + 1, eventheader("A", [("i", U16)],
                    struct.pack("<H", i)), pid=i % 5 + 1, tid=i % 5 + 1)
    found = both(save(made.file()))["logs"]
    same([len(flat([request])) for request in found], [512, 512, 276])
    for request in found:
        pids = [attributes(r["resource"]["attributes"])["process.pid"]
                for r in request["resourceLogs"]]
        same(sorted(pids), [1, 2, 3, 4, 5])
        same([sorted(s["scope"]["name"] for s in r["scopeLogs"])
              for r in request["resourceLogs"]], [["Bank", "Shop"]] * 5)
    seen = {}
    for resource, scope, record in flat(found):
        key = attributes(resource["attributes"])["process.pid"], scope["name"]
        number = attributes(record["attributes"])["i"]
        assert seen.get(key, -1) < number
        seen[key] = number


def a_request_is_not_longer_than_a_mebibyte():
    """Long records; and many processes, in control groups with long names."""
    raw = struct.pack("<H", 60000) + b"x" * 60000
    made = Recording(clock=(WALL, 0))
    event = made.event("user_events", "Shop_L5K1", 500, EVENTHEADER,
                       sample_type=0x487 | 1 << 21)
    for i in range(600):
        made.cgroup(0, i, f"/{i}/" + "x" * 3000)
        made.sample(event, i + 1, eventheader("A", [], b""), pid=i + 1, tid=i + 1, cgroup=i)
    for path, count in ((save(dat([("Shop_L5K1", eventheader("A", [("t", b"\x0a")], raw))]
                                  * 100)), 100), (save(made.file(), "processes"), 600)):
        lines = export("otlp-json", path).splitlines()
        assert len(lines) > 1 and max(map(len, lines)) <= 2**20, [*map(len, lines)]
        export("otlp-protobuf", "-o", folder / "large", path)
        requests = framed((folder / "large/logs").read_bytes())
        assert len(requests) > 1 and max(map(len, requests)) <= 2**20, [*map(len, requests)]
        same(sum(len(flat([schema.decode("logs", request)])) for request in requests), count)
        same(sum(len(flat([schema.line(line)[1]])) for line in lines), count)


# Losses

def lost_events_are_records_in_place():
    made = Recording(clock=(WALL, 0))
    event = made.event("user_events", "Shop_L5K1", 500, EVENTHEADER)
    made.sample(event, 1, eventheader("A", [], b""), cpu=2)
    made.lost(7)
    made.sample(event, 2, eventheader("B", [], b""), cpu=2)
    path = save(made.file())
    found = flat(both(path, status=1, complaint=None)["logs"])
    # Records are grouped by resource and scope; their times give the order
    lost = [(scope, record) for _, scope, record in found
            if record["eventName"] == "userevents.lost"]
    same([scope for scope, _ in lost], [{"name": "userevents"}])
    record = lost[0][1]
    same((record["severityNumber"], record["severityText"]), (13, "WARNING"))
    same(attributes(record["attributes"])["count"], 7)


# Resources

def the_environment_names_resources():
    path = recording([(1, eventheader("A", [], b""))], comm="shop")
    ((resource, _, _),) = flat(both(path, env={
        "OTEL_SERVICE_NAME": "till",
        "OTEL_RESOURCE_ATTRIBUTES": "host.name=h1, team = a%20b%2c ,service.name=no,"
                                    "process.pid=5,bad=%zz"})["logs"])
    same(attributes(resource["attributes"]), {
        "service.name": "till", "host.name": "h1", "team": "a b,", "process.pid": "5",
        "bad": "%zz", "process.executable.name": "shop", "os.type": "linux"})
    both(path, env={"OTEL_RESOURCE_ATTRIBUTES": "x"}, complaint="""\
userevents: OTEL_RESOURCE_ATTRIBUTES has "x", which is no KEY=VALUE, and is left out.
""")


def a_container_is_a_resource():
    digits = "0123456789abcdef" * 4
    uid = "8dbc5577-d0e2-4706-8787-57d52c03ddf2"
    group = f"/kubepods/besteffort/pod{uid}/{digits}"
    made = Recording(clock=(WALL, 0))
    event = made.event("user_events", "Shop_L5K1", 500, EVENTHEADER,
                       sample_type=0x487 | 1 << 21)
    made.cgroup(0, 77, group)
    made.sample(event, 1, eventheader("A", [], b""), cgroup=77)
    ((resource, _, _),) = flat(both(save(made.file()))["logs"])
    found = attributes(resource["attributes"])
    same((found["process.linux.cgroup"], found["container.id"], found["k8s.pod.uid"]),
         (group, digits, uid))


# Common Schema

def schema_event(a, b, c=(), name="Log", level=4, **kwargs):
    """Parts are (name, type, bytes)."""
    fields, payload = [("__csver__", U16)], struct.pack("<H", 0x400)
    for part, members in ("PartA", a), ("PartB", b), ("PartC", c):
        if members:
            fields.append((part, b"\x81" + bytes([len(members)])))
            fields += [(member, kind) for member, kind, _ in members]
            payload += b"".join(value for _, _, value in members)
    return eventheader(name, fields, payload, level, **kwargs)


def words(text):
    return b"\x0a", struct.pack("<H", len(text)) + text.encode()


TRACE, SPAN, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "00f067aa0ba902b7"


def a_log_record_of_common_schema_is_undone():
    path = recording([(5, schema_event(
        [("time", *words("2024-02-29T12:00:00.123456789+01:00")),
         ("ext_dt_traceId", *words(TRACE)), ("ext_dt_spanId", *words(SPAN)),
         ("ext_dt_traceFlags", U8, b"\1"), ("ext_cloud_role", *words("till"))],
        [("_typeName", *words("Log")), ("name", *words("paid")), ("body", *words("it is paid")),
         ("severityNumber", U8, b"\x0a"), ("severityText", *words("notice")),
         ("eventId", S32, struct.pack("<i", 9))],
        [("amount", b"\x85\x08", struct.pack("<d", 9.5)), ("name", *words("x"))]),
        "till_L4K1")], "till_L4K1")
    (record,) = logs(path, "--brief")
    same(attributes(record.pop("attributes")), {
        "thread.id": 101, "service.name": "till", "eventId": 9, "amount": 9.5, "name": "x"})
    same(record, {"timeUnixNano": "1709204400123456789", "severityNumber": 10,
                  "severityText": "notice", "body": {"stringValue": "it is paid"},
                  "eventName": "paid", "traceId": TRACE, "spanId": SPAN, "flags": 1})


def a_span_of_common_schema_is_one():
    def event(success):
        return schema_event(
            [("time", *words("2024-01-01T00:00:02Z")), ("ext_dt_traceId", *words(TRACE)),
             ("ext_dt_spanId", *words(SPAN))],
            [("_typeName", *words("Span")), ("name", *words("GET /")),
             ("parentId", *words(PARENT)), ("startTime", *words("2024-01-01T00:00:01.5Z")),
             ("success", b"\x82\x07", success), ("kind", U8, b"\1"),
             ("statusMessage", *words("why")), ("httpMethod", *words("GET"))],
            [("a", U8, b"\1")], name="Span")

    path = recording([(5, event(b"\0")), (6, event(b"\1"))], "till_L4K1")
    failed, succeeded = spans(path, "--brief")
    same(attributes(failed.pop("attributes")), {"thread.id": 101, "httpMethod": "GET", "a": 1})
    same(failed, {"traceId": TRACE, "spanId": SPAN, "parentSpanId": PARENT, "name": "GET /",
                  "kind": 2, "startTimeUnixNano": "1704067201500000000",
                  "endTimeUnixNano": "1704067202000000000",
                  "status": {"message": "why", "code": 2}})
    same(succeeded["status"], {"message": "why"})
    same(logs(path), [])


def what_is_wrong_in_common_schema_stays_an_attribute():
    wrong = [("ext_dt_traceId", "xyz"), ("ext_dt_traceId", "0" * 32), ("ext_dt_spanId", TRACE),
             ("time", "yesterday"), ("time", "2024-13-01T00:00:00Z"),
             ("time", "2024-01-01T00:00:00"), ("time", "1969-01-01T00:00:00Z"),
             ("time", "2500-01-01T00:00:00Z"), ("time", "2024-02-31T00:00:00Z"),
             ("time", "2023-02-29T00:00:00Z"), ("time", "2024-01-01T00:00:00+24:00"),
             ("time", "2024-01-01T00:00:00-01:60"), ("ext_dt_spanId", SPAN)]
    for name, text in wrong:
        path = recording([(5, schema_event([(name, *words(text))], [("body", U8, b"\7")]),
                           "till_L4K1")])
        (record,) = logs(path, "--brief")
        same(attributes(record["attributes"])[name], text)
        same((record["timeUnixNano"], record["body"]), (str(WALL + 5), {"intValue": "7"}))
    for number, text in (0, ""), (25, "LOUD"), (3, "LOUD"):
        path = recording([(5, schema_event([("ext_dt_traceFlags", U8, b"\1")], [
            ("severityNumber", U8, bytes([number])), ("severityText", *words(text))]),
            "till_L4K1")])
        (record,) = logs(path, "--brief")
        is_valid = number == 3
        same((record["severityNumber"], record["severityText"]),
             (3 if is_valid else 9, text or "INFO"))
        same(attributes(record["attributes"]), {
            "thread.id": 101, "ext_dt_traceFlags": 1,
            **({} if is_valid else {"severityNumber": number}),
            **({} if text else {"severityText": ""})})
    path = recording([(5, schema_event([], [("_typeName", *words("Span")),
                                            ("kind", U8, b"\1")]), "till_L4K1")])
    (record,) = logs(path, "--brief")
    same(attributes(record["attributes"]), {"thread.id": 101, "kind": 1})
    path = recording([(5, eventheader("A", [("__csver__", TEXT), ("PartA", U8)], b"4\0\1"))])
    (record,) = logs(path, "--brief")
    same(attributes(record["attributes"]), {"thread.id": 101, "__csver__": "4", "PartA": 1})


# Metrics

def a_request_of_metrics_passes_unchanged():
    # resource_metrics { scope_metrics { metrics { name: "m" } } }
    request = b"\x0a\x07\x12\x05\x12\x03\x0a\x01m"
    made = Recording(clock=(WALL, 0))
    event = made.event("user_events", "otlp_metrics", 500, [
        ("u32", "protocol", 4, 0), ("char[8]", "version", 8, 1),
        ("__rel_loc u8[]", "buffer", 4, 0)])
    payload = struct.pack("<I8sI", 0, b"v0.19.00", len(request) << 16) + request
    made.sample(event, 5, payload)
    made.sample(event, 6, payload)
    path = save(made.file())
    export("otlp-protobuf", "-o", folder / "metrics", path)
    found = framed((folder / "metrics/metrics").read_bytes())
    same(found, [request, request])
    same(schema.decode("metrics", found[0]),
         {"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"name": "m"}]}]}]})
    same((folder / "metrics/logs").read_bytes(), b"")
    (first, _) = [r for _, _, r in flat([schema.line(line)[1] for line in
                                         export("otlp-json", path).decode().split("\n")[:-1]])]
    same(attributes(first["attributes"])["buffer"], request)


# Hostile events

def golden_events_are_the_same_in_both():
    events = golden_events(golden)
    assert len(events) > 100, len(events)
    for options in [], ["--flatten"], ["--brief"]:
        found = both(save(dat(events)), *options, status=0)
        same(sum(len(flat(found[signal])) for signal in found), len(events))


def damaged_events_are_the_same_in_both():
    """Every byte of an event with all kinds of fields is damaged in turn."""
    body = eventheader("Order", [
        ("sizes", b"\x43"), ("client", b"\x81\x02"), ("port", U16), ("name", TEXT),
        ("items", b"\xc1\x02"), ("id", U8), ("tag", TEXT), ("raw", BINARY),
        ("real", b"\x85\x08"), ("wide", b"\x08")],
        struct.pack("<HHHH", 2, 5, 6, 80) + b"me\0" + struct.pack("<H", 2) + b"\x01a\0\x02b\0"
        + b"\x02\0\0\xff" + struct.pack("<d", 1.5) + b"w\0\0\0")
    events = []
    for i in range(len(body)):
        for value in 0, 0x7f, 0xff, body[i] ^ 0x80:
            damaged = bytearray(body)
            damaged[i] = value
            events.append((i * 4 + 1, bytes(damaged)))
    found = both(recording(events))
    same(sum(len(flat(found[signal])) for signal in found), len(events))


def any_bytes_are_names():
    names = [bytes([first, second]).decode("latin-1") for first in (1, 34, 92, 127, 128, 195, 237,
             244, 255) for second in (2, 34, 92, 128, 160, 255)]
    events = []
    for i, name in enumerate(names):
        body = eventheader("NAME", [("FIELD", TEXT)], b"VALUE\0")
        raw = name.encode("latin-1")
        metadata = raw + b"\0" + raw + b"\0" + TEXT
        head = body[:8] + struct.pack("<HH", len(metadata), 1)
        events.append((i + 1, head + metadata + raw + b"\0"))
    same(len(logs(recording(events))), len(names))


def long_names_and_values():
    name = "n" * 20000
    path = recording([(1, eventheader(name, [(name, b"\x0a")],
                                      struct.pack("<H", 20000) + b"v" * 20000))])
    (record,) = logs(path, "--brief")
    same(record["eventName"], name)
    same(attributes(record["attributes"])[name], "v" * 20000)


def arrays_are_long():
    found = one([("a", b"\x42")], struct.pack("<H", 60000) + bytes(i % 256 for i in range(60000)))
    same(found["a"], [i % 256 for i in range(60000)])


def nesting_is_bounded():
    """Each byte is in 31 structs without names."""
    fields = [("a", b"\xc1\x01")] + [("", b"\x81\x01")] * 30 + [("", U8)]
    body = eventheader("A", fields, struct.pack("<H", 65535) + bytes(65535))
    path = save(dat([("Shop_L5K1", body), ("Shop_L5K1", eventheader("B", [], b""))]))
    long, following = logs(path)
    same(attributes(long["attributes"])["eventheader.error.name"], "step_limit")
    same(following["eventName"], "B")


def names_are_bounded():
    """Each of the elements has a member with a name of 30,000 bytes."""
    name, count = "n" * 30000, 2000
    fields = [("first", U8), ("a", b"\xc1\x01"), (name, U8), ("last", U8)]
    body = eventheader("A", fields, b"\7" + struct.pack("<H", count) + bytes(count) + b"\7")
    path = save(dat([("Shop_L5K1", body), ("Shop_L5K1", eventheader("B", [], b""))]))
    for options in [], ["--flatten"]:
        long, following = logs(path, "--brief", *options)
        found = attributes(long["attributes"])
        assert 100 < len(found["a"]) < 300, len(found["a"])
        same(set(map(str, found["a"])), {str({name: 0})})
        same((found["first"], found["eventheader.error.name"]), (7, "step_limit"))
        same(found["eventheader.error.payload"], body)
        assert "last" not in found
        same(following["eventName"], "B")


# Live

def a_live_event_waits_for_no_full_batch():
    """hello writes an event a second: more than one request, although none is full."""
    lines = export("otlp-json", "--run", "--", hello, "4", complaint=None).split(b"\n")
    requests = [schema.line(line)[1] for line in lines if line.startswith(b"{")]
    assert len(requests) > 1, requests
    records = flat(requests)
    same([attributes(record["attributes"])["number"] for _, _, record in records],
         [1, 2, 3, 4])
    resource = attributes(records[0][0]["attributes"])
    same((resource["service.name"], resource["host.name"]),
         ("unknown_service:hello", socket.gethostname()))


# Files

def an_empty_recording_is_no_request():
    made = Recording(clock=(WALL, 0))
    event = made.event("user_events", "Shop_L5K1", 500, EVENTHEADER)
    made.sample(event, 1, eventheader("A", [], b""))
    same(export("otlp-json", "--where", "cpu == 99", save(made.file()), status=1,
                complaint='userevents: No event passes "cpu == 99".\n'), b"")


def output_is_refused():
    path = recording([(1, eventheader("A", [], b""))])
    export("otlp-protobuf", path, status=2, complaint="userevents: cannot export to "
           "otlp-protobuf: it needs a folder for three files; give -o FOLDER\n")
    export("svg", path, status=2, complaint='userevents: cannot export to "svg": there is no such '
           'format; "userevents export --help" lists them\n')
    file = save(b"", "plain")
    export("otlp-protobuf", "-o", file, path, status=1,
           complaint=f"userevents: cannot write {file}/logs: Not a directory\n")
    export("otlp-json", "-o", "/nowhere/x", path, status=1,
           complaint="userevents: cannot write /nowhere/x: No such file or directory\n")
    export("otlp-json", "-o", "/dev/full", path, status=1, complaint=None)


def a_file_is_overwritten():
    path = recording([(1, eventheader("A", [], b""))])
    out = save(b"x" * 100000, "old")
    export("otlp-json", "-o", out, path)
    same(len(out.read_text().splitlines()), 1)
    schema.line(out.read_text())


def events_are_selected_by_until():
    """--to is the format, so the end is --until, also in sentences."""
    path = recording([(i * 10**9, eventheader("A", [("i", U8)], bytes([i]))) for i in range(4)])
    for options, expected in ((["--until", "2"], [0, 1]), (["--from", "1", "--until", "3"], [1, 2]),
                              (["--until", "2023-11-14T22:13:22Z"], [0, 1]),
                              (["--until", "-1s"], [0, 1])):
        same([attributes(record["attributes"])["i"] for record in logs(path, *options)], expected)
    export("otlp-json", "--from", "3", "--until", "2", path, status=2, complaint="userevents: "
           "cannot show the events between --from and --until: --from is not before --until\n")
    export("otlp-json", "--until", "2000-01-01", path, status=1, complaint="userevents: cannot "
           "find an event of the time given: none of those read is before --until\n")
    export("otlp-json", "--from", "2000-01-01", "--until", "2000-01-02", path, status=1,
           complaint="userevents: cannot find an event of the time given: none of those read is "
           "between --from and --until\n")


def an_old_file_stays_if_there_is_nothing_to_read():
    out, missing = save(b"old", "kept"), folder / "missing"
    complaint = f"userevents: cannot read {missing}: No such file or directory\n"
    export("otlp-json", "-o", out, missing, status=1, complaint=complaint)
    same(out.read_bytes(), b"old")
    (folder / "olds").mkdir()
    save(b"old", "olds/logs")
    export("otlp-protobuf", "-o", folder / "olds", missing, status=1, complaint=complaint)
    same([file.name for file in (folder / "olds").iterdir()], ["logs"])
    same((folder / "olds/logs").read_bytes(), b"old")
    export("otlp-json", "-o", folder / "wrong", status=2, complaint=None)
    assert not (folder / "wrong").exists()


def an_input_is_no_output():
    def refuses(command, file, *args, **kwargs):
        before = file.read_bytes()
        file.chmod(0o644)
        done = subprocess.run([tool, *map(str, [*command, *args])], capture_output=True,
                              timeout=300, **kwargs)
        same((done.returncode, done.stderr.decode()), (1, f"userevents: cannot write "
             f"{args[-1]}: it is what is read; use another --output\n"))
        same((file.read_bytes(), file.stat().st_mode & 0o777), (before, 0o644))

    path = recording([(1, eventheader("A", [], b""))])
    link, inside = folder / "link", folder / "inside"
    link.symlink_to(path)
    inside.mkdir()
    os.link(path, inside / "traces")
    other = save(path.read_bytes(), "other")
    for form in "perfetto", "otlp-json":
        refuses(["export", "--to", form], path, path, "-o", path)
        refuses(["export", "--to", form], path, other, path, "-o", link)
        with path.open() as file:
            refuses(["export", "--to", form], path, "-", "-o", path, stdin=file)
    refuses(["report"], path, path, "-o", path)
    export("otlp-protobuf", "-o", inside, path, status=1,
           complaint=f"userevents: cannot write {inside}/traces: it is what is read; use "
           "another --output\n")
    before = path.read_bytes()
    with path.open("ab") as file:
        done = subprocess.run([tool, "export", "--to", "otlp-json", path], stdout=file,
                              stderr=subprocess.PIPE, timeout=300)
    same((done.returncode, done.stderr.decode(), path.read_bytes()), (
        1, "userevents: cannot write standard output: it is what is read; use another "
        "--output\n", before))


run([
    an_event_is_a_log_record, levels_are_severities, a_header_becomes_attributes,
    a_classic_event_has_its_system, without_a_wall_clock_there_is_no_time,
    a_time_before_1970_is_none,
    the_time_of_reading_is_always_there, values_have_their_types, floats_need_not_be_finite,
    text_is_any_text, arrays_and_structs_nest, structs_in_structs_become_flat,
    an_empty_array_is_one, keys_are_unique, many_equal_names_take_linear_time,
    pids_are_found_in_linear_time,
    deep_nesting_ends_in_text, a_damaged_event_keeps_what_was_read,
    an_event_that_cannot_be_read_is_a_record, start_and_stop_are_a_span,
    a_trace_is_followed_to_its_root, an_activity_that_is_used_again_is_another_span,
    parents_make_no_circle, events_join_the_traces_of_other_programs,
    fields_are_dropped_masked_and_hashed, hashes_are_the_same_for_the_same_value,
    what_is_hashed_is_no_id_of_a_span,
    nothing_else_shows_what_is_redacted, an_error_inside_is_the_status,
    what_has_no_other_end_is_a_log_record, calls_of_a_thread_are_spans_within_each_other,
    a_stop_before_its_start_is_a_log_record, both_ends_may_be_damaged, open_spans_are_bounded,
    a_batch_has_512_records_by_resource_and_scope, a_request_is_not_longer_than_a_mebibyte,
    lost_events_are_records_in_place, the_environment_names_resources,
    a_container_is_a_resource, a_log_record_of_common_schema_is_undone,
    a_span_of_common_schema_is_one, what_is_wrong_in_common_schema_stays_an_attribute,
    a_request_of_metrics_passes_unchanged, golden_events_are_the_same_in_both,
    damaged_events_are_the_same_in_both, any_bytes_are_names, long_names_and_values,
    arrays_are_long, nesting_is_bounded, names_are_bounded,
    a_live_event_waits_for_no_full_batch,
    an_empty_recording_is_no_request, output_is_refused,
    a_file_is_overwritten, an_old_file_stays_if_there_is_nothing_to_read,
    an_input_is_no_output, events_are_selected_by_until])
