#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents query, on recordings made byte by byte. Arguments: the program, and hello."""
import csv
import io
import json
import os
import pathlib
import random
import re
import select
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

from recordings import EVENTHEADER, Recording, dat, eventheader
from tap import is_full, run, same
from terminal import on_terminal

tool, hello = sys.argv[1:3]
folder = pathlib.Path(tempfile.mkdtemp())
VALUE8, VALUE32, VALUE64, TEXT, BINARY = b"\x02", b"\x04", b"\x05", b"\x07", b"\x0d"


def save(name, content):
    path = folder / name
    path.write_bytes(content)
    return str(path)


def query(*args, status=0, stdin=b"", complaint=""):
    """stdout; stderr must be the complaint."""
    done = subprocess.run([tool, "query", *args], input=stdin, capture_output=True,
                          timeout=300)
    same(done.stderr.decode(), complaint)
    same(done.returncode, status)
    return done.stdout.decode()


def rows(path, sql, **kwargs):
    return [json.loads(line) for line in query("--json", path, sql, **kwargs).splitlines()]


def values(path, sql, **kwargs):
    """The values of the only column."""
    return [next(iter(row.values())) for row in rows(path, sql, **kwargs)]


def classic(name, fields, records, number=500, **kwargs):
    """A recording of one event: records are (time, bytes)."""
    recording = Recording(**kwargs)
    event = recording.event("user_events", name, number, fields)
    for time, payload in records:
        recording.sample(event, time, payload, cpu=3, pid=12, tid=13)
    return recording.file()


REQUEST = [("u32", "status", 4, 0), ("u64", "ns", 8, 0), ("__rel_loc char[]", "path", 4, 1)]


def requests(numbers):
    return save("requests", classic("request", REQUEST, [
        (1000 + i, struct.pack("<IQI", 200 + i % 2, ns, 3 << 16) + b"/a\0")
        for i, ns in enumerate(numbers)]))


def eh(name, *args, **kwargs):
    """An event of the provider Shop."""
    return "Shop_L5K1", eventheader(name, *args, **kwargs)


SHOP = save("shop", dat([
    eh("Order", [("id", VALUE64), ("item", TEXT)], struct.pack("<Q", 7) + b"tea\0"),
    eh("Order", [("id", VALUE64), ("item", TEXT)], struct.pack("<Q", 2**64 - 1) + b"oil\0"),
    eh("Refund", [("id", VALUE64), ("client", b"\x81\x02"), ("port", VALUE32),
                  ("name", TEXT), ("sizes", b"\x44"), ("raw", BINARY)],
       struct.pack("<QI", 7, 80) + b"me\0" + struct.pack("<HII", 2, 5, 6)
       + b"\x02\0\0\xff")]))


# Tables

def a_table_has_properties_and_fields():
    path = requests([5, 2**63 - 1])
    same(rows(path, "SELECT * FROM request"), [
        {"event_id": 1, "time": 1000, "pid": 12, "tid": 13, "comm": None, "cpu": 3,
         "cgroup": None, "status": 200, "ns": 5, "path": "/a"},
        {"event_id": 2, "time": 1001, "pid": 12, "tid": 13, "comm": None, "cpu": 3,
         "cgroup": None, "status": 201, "ns": 2**63 - 1, "path": "/a"}])
    same(query(path, ".schema request"), """CREATE TABLE "request" (
  "event_id" INTEGER PRIMARY KEY,
  "time" INTEGER,
  "pid" INTEGER,
  "tid" INTEGER,
  "comm" TEXT,
  "cpu" INTEGER,
  "cgroup",
  "status" INTEGER,
  "ns" INTEGER,
  "path" TEXT
);
""")


def the_table_events_has_all_events():
    same(rows(SHOP, "SELECT event_id, provider, event, level FROM events"), [
        {"event_id": 1, "provider": "Shop", "event": "Order", "level": 5},
        {"event_id": 2, "provider": "Shop", "event": "Order", "level": 5},
        {"event_id": 3, "provider": "Shop", "event": "Refund", "level": 5}])
    same(values(SHOP, "SELECT item FROM events JOIN \"Order\" USING (event_id)"),
         ["tea", "oil"])


START, STOP = 1, 2


def the_table_events_has_fields_as_text_and_json():
    decoded = subprocess.run([tool, "decode", SHOP], capture_output=True).stdout.decode()
    lines = [re.sub(r"^.*?Shop:\w+ | ?meta=.*$", "", line) for line in decoded.splitlines()]
    assert lines[0] == 'id=7 item="tea"', lines
    same(values(SHOP, "SELECT text FROM events"), lines)
    same([json.loads(fields) for fields in values(SHOP, "SELECT fields FROM events")][1],
         {"id": 2**64 - 1, "item": "oil"})
    same(values(SHOP, "SELECT fields->>'item' FROM events WHERE text LIKE '%tea%'"), ["tea"])
    # the columns are filled if they may be asked for in any way
    row = {"text": lines[0], "fields": '{"id":7,"item":"tea"}'}
    for sql in ("SELECT * FROM events", "SELECT e.* FROM events e", "SELECT \"text\", [fields] "
                "FROM events", "SELECT TEXT AS text, Fields AS fields FROM events"):
        same({name: rows(SHOP, sql)[0][name] for name in row}, row)
    same(len(rows(SHOP, "SELECT * FROM events NATURAL JOIN (SELECT event_id, text FROM events)")), 3)
    kept = str(folder / "fields.db")
    query(SHOP, "SELECT count(text) FROM events", "--db", kept)
    same(rows(kept, "SELECT text, fields FROM events")[0], row)
    query(SHOP, "SELECT count(*) FROM events", "--db", kept)
    query(kept, "SELECT text FROM events", status=2, complaint="userevents: cannot run the SQL: "
          "no such column: text; a database of --db has this column of events if the SQL with "
          "which it is made names it\n    SELECT text FROM events\n           ^\n")


def activities(*events):
    """Of (time, name, opcode, activity, value)."""
    return save("activities", classic("Shop_L5K1", EVENTHEADER, [
        (time, eventheader(name, [("value", VALUE8)], bytes([value]), opcode=opcode,
                           activity=activity and bytes([activity]) * 16))
        for time, name, opcode, activity, value in events]))


def the_table_requests_has_starts_with_their_stops():
    path = activities((1000, "GetStart", START, 7, 1), (1100, "Note", 0, 7, 2),
                      (1200, "GetStart", START, 8, 3), (1500, "GetStop", STOP, 7, 4),
                      (1600, "CallStart", START, None, 5), (1650, "CallStop", STOP, None, 6),
                      (1700, "GetStart", START, 8, 7), (1800, "GetStop", STOP, 9, 8),
                      (1900, "GetStop", STOP, 8, 9))
    found = rows(path, "SELECT * FROM requests")
    same(list(found[0]), ["request_id", "start_id", "stop_id", "start", "stop", "time", "duration",
                          "pid", "tid", "comm", "activity", "start_fields", "stop_fields", "parent"])
    same([(row["request_id"], row["start_id"], row["stop_id"], row["start"], row["stop"],
           row["time"], row["duration"]) for row in found],
         [(1, 1, 4, "GetStart", "GetStop", 1000, 500), (2, 3, None, "GetStart", None, 1200, None),
          (3, 5, 6, "CallStart", "CallStop", 1600, 50), (4, 7, 9, "GetStart", "GetStop", 1700, 200)])
    same([(row["pid"], row["tid"], row["activity"]) for row in found],
         [(12, 13, byte and "-".join(byte * length for length in (4, 2, 2, 2, 6)))
          for byte in ("07", "08", None, "08")])
    same(values(path, "SELECT start_fields->>'value' + stop_fields->>'value' FROM requests"),
         [5, None, 11, 16])
    same(values(path, "SELECT count(*) FROM requests JOIN events USING (activity) WHERE event_id "
                "BETWEEN start_id AND stop_id GROUP BY request_id"), [3, 2])
    same(values(path, "SELECT cpu FROM requests JOIN events ON event_id = stop_id"), [3] * 3)
    same(values(SHOP, "SELECT count(*) FROM requests"), [0])
    text = subprocess.run([tool, "query", "--help"], capture_output=True).stdout.decode()
    shown = query("--csv", path, re.findall(r"query a.data '(.*?)'\n", text, re.S)[1])
    same([row[::2] for row in csv.reader(shown.splitlines()[1:])],
         [["500 ns", "3"], ["200 ns", "2"], ["50 ns", "0"], ["", "0"]])


def a_tracepoint_called_requests_has_its_long_name():
    path = save("named", classic("requests", REQUEST, [(1, struct.pack("<IQI", 1, 2, 0))]))
    same(values(path, 'SELECT ns FROM "user_events:requests"'), [2])


def both_names_of_a_table_work():
    for name in "Refund", "\"Shop:Refund\"", "REFUND":
        same(values(SHOP, f"SELECT port FROM (SELECT client->>'port' AS port FROM {name})"),
             [80])


def an_event_of_two_providers_has_long_names():
    body = eventheader("Order", [], b"")
    path = save("two", dat([("Shop_L5K1", body), ("Bar_L5K1", body)]))
    same(values(path, "SELECT name FROM sqlite_schema ORDER BY name"),
         ["Bar:Order", "Shop:Order", "events", "requests"])
    query(path, "SELECT * FROM \"Order\"", status=2, complaint="""\
userevents: cannot run the SQL: no such table: Order; 2 tables are of events with this \
name: "Shop:Order", "Bar:Order"
""")


def tracepoints_of_one_provider_share_a_table():
    path = save("levels", dat([
        ("Shop_L4K1", eventheader("Order", [("n", VALUE8)], b"\1", level=4)),
        ("Shop_L5K3", eventheader("Order", [("n", VALUE8)], b"\2", level=5))]))
    same(rows(path, "SELECT level, keyword, n FROM \"Order\""),
         [{"level": 4, "keyword": 1, "n": 1}, {"level": 5, "keyword": 3, "n": 2}])


def names_that_differ_in_case_alone_have_tables():
    path = save("case", dat([eh("order", [("a", VALUE8), ("A", VALUE8), ("a", VALUE8)],
                                b"\1\2\3"), eh("Order", [], b"")]))
    same(rows(path, "SELECT a, \"A:2\", \"a:3\" FROM \"Shop:order\""),
         [{"a": 1, "A:2": 2, "a:3": 3}])
    same(values(path, "SELECT count(*) FROM \"Shop:Order:2\""), [1])


def names_hold_any_bytes():
    evil = "a\"b'c\x1b[31m;DROP TABLE x"
    path = save("evil", dat([
        eh(evil.replace(";", ","), [(evil.replace(";", ","), VALUE8), ("", VALUE8)], b"\1\2"),
        eh("events", [("x", VALUE8)], b"\3"), eh("sqlite_x", [("x", VALUE8)], b"\4"),
        ("sqlite_L5K1", eventheader("x", [("x", VALUE8)], b"\5"))]))
    shown = evil.replace(";", ",").replace("\x1b", "?").replace("\"", "\"\"")
    same(values(path, f"SELECT \"{shown}\" FROM \"{shown}\""), [1])
    same(values(path, f"SELECT \"(no name)\" FROM \"Shop:{shown}\""), [2])
    same(values(path, "SELECT x FROM \"Shop:events\""), [3])
    same(values(path, "SELECT x FROM \"Shop:sqlite_x\""), [4])
    same(values(path, "SELECT x FROM \"sqlite:x\""), [5])
    assert "\x1b" not in query(path, ".tables; .schema")


def fields_win_over_properties_as_in_where():
    path = save("pid", classic("who", [("u32", "pid", 4, 0), ("u32", "meta.tid", 4, 0),
                                       ("u32", "tid", 4, 0)],
                               [(1, struct.pack("<III", 1, 2, 3))]))
    same(rows(path, "SELECT pid, \"meta.pid\", tid, \"meta.tid\", \"meta.tid:2\" FROM who"),
         [{"pid": 1, "meta.pid": 12, "tid": 3, "meta.tid": 2, "meta.tid:2": 13}])


def versions_of_an_event_share_a_table():
    one = save("one", classic("v", [("u32", "a", 4, 0), ("u32", "b", 4, 0)],
                              [(1, struct.pack("<II", 1, 2))]))
    two = save("two", classic("v", [("u32", "b", 4, 0), ("u32", "c", 4, 0)],
                              [(2, struct.pack("<II", 3, 4))]))
    out = query("--json", one, two, "SELECT a, b, c FROM v ORDER BY time")
    same([json.loads(line) for line in out.splitlines()],
         [{"a": 1, "b": 2, "c": None}, {"a": None, "b": 3, "c": 4}])


def a_property_gives_way_also_later():
    one = save("one", classic("v", [("u32", "a", 4, 0)], [(1, struct.pack("<I", 1))]))
    two = save("two", classic("v", [("u32", "cpu", 4, 0)], [(2, struct.pack("<I", 9))]))
    out = query("--json", one, two, "SELECT cpu, \"meta.cpu\" FROM v ORDER BY time")
    same([json.loads(line) for line in out.splitlines()],
         [{"cpu": None, "meta.cpu": 3}, {"cpu": 9, "meta.cpu": 3}])


def values_of_several_types_stay_as_they_are():
    path = save("types", dat([
        eh("v", [("x", VALUE32)], struct.pack("<I", 7)),
        eh("v", [("x", TEXT)], b"007\0"),
        eh("v", [("x", VALUE64)], struct.pack("<Q", 2**63)),
        eh("v", [("x", b"\x85\x08")], struct.pack("<d", 2.5)),
        eh("v", [("x", BINARY)], b"\2\0ab"),
        eh("v", [("x", VALUE32)], struct.pack("<I", 8))]))
    same([(row["x"], row["t"]) for row in rows(path, "SELECT x, typeof(x) AS t FROM v")],
         [(7, "integer"), ("007", "text"), (str(2**63), "text"), (2.5, "real"),
          ("61 62", "blob"), (8, "integer")])
    assert '"x"\n' in query(path, ".schema v")


def numbers_beyond_63_bits_are_exact_text():
    same(values(SHOP, "SELECT id FROM \"Order\" ORDER BY id"), [7, str(2**64 - 1)])
    same(values(SHOP, "SELECT count(*) FROM \"Order\" WHERE id > 9223372036854775807"), [1])
    same(values(SHOP, "SELECT max(id) FROM \"Order\""), [str(2**64 - 1)])
    path = save("ids", dat(
        [eh("s", [("id", VALUE64)], struct.pack("<Q", 2**64 - 1 - i)) for i in range(9)]
        + [eh("e", [("id", VALUE64)], struct.pack("<Q", 2**64 - 1 - i)) for i in range(9)]))
    same(values(path, "SELECT count(*) FROM s JOIN e USING (id)"), [9])


def arrays_and_structs_are_json_and_bytes_are_blobs():
    same(rows(SHOP, "SELECT client, sizes, hex(raw) AS raw, typeof(raw) AS t FROM Refund"),
         [{"client": '{"port":80,"name":"me"}', "sizes": "[5,6]", "raw": "00FF",
           "t": "blob"}])
    same(values(SHOP, "SELECT value FROM Refund, json_each(sizes)"), [5, 6])
    for big_endian in False, True:
        order = ">" if big_endian else "<"
        path = save("array", classic("a", [("u16[3]", "three", 6, 0)],
                                     [(1, struct.pack(order + "HHH", 1, 2, 65535))],
                                     big_endian=big_endian))
        same(values(path, "SELECT three FROM a"), ["[1,2,65535]"])


def floats_booleans_and_null():
    path = save("floats", dat([
        eh("f", [("d", b"\x85\x08"), ("b", b"\x82\x07"), ("t", TEXT)],
           struct.pack("<dB", number, 1) + b"\xff\xc3\xa4\0")
        for number in (0.1, float("nan"), float("inf"))]))
    same(rows(path, "SELECT d, b, t FROM f WHERE event_id < 3"),
         [{"d": 0.1, "b": 1, "t": "\xff\xe4"}, {"d": None, "b": 1, "t": "\xff\xe4"}])
    same(values(path, "SELECT d > 1e308 FROM f"), [0, None, 1])


# Questions

def starts_join_their_ends_in_one_line():
    recording = Recording()
    start = recording.event("user_events", "request_start", 500, [("u64", "id", 8, 0)],
                            ids=(1,), sample_type=0x10000 | 0x587)
    end = recording.event("user_events", "request_end", 501, [("u64", "id", 8, 0)],
                          ids=(2,), sample_type=0x10000 | 0x587)
    for i in range(100):
        recording.sample(start, 1000 * i, struct.pack("<Q", i))
        if i != 50:
            recording.sample(end, 1000 * i + 10 * i, struct.pack("<Q", i))
    path = save("join", recording.file())
    text = subprocess.run([tool, "query", "--help"], capture_output=True).stdout.decode()
    out = query(path, re.search(r"query a.data '(.*?)'", text, re.S)[1]).splitlines()
    same(len(out), 100)
    same(out[-1].split(), ["99", "990", "ns"])
    same(values(path, "SELECT p99(e.time - s.time) FROM request_start s "
                "JOIN request_end e USING (id)"), [990])
    same(values(path, "SELECT id FROM request_start WHERE id NOT IN "
                "(SELECT id FROM request_end)"), [50])


def percentiles_are_exact():
    numbers = [random.Random(1).randrange(2**62) for _ in range(999)]
    path = requests(numbers)
    ordered = sorted(numbers)
    for p in 0, 1, 50, 90, 99, 99.9, 100:
        rank = max(1, -(-int(p * 10) * len(numbers) // 1000))
        same(values(path, f"SELECT percentile(ns, {p}) FROM request"), [ordered[rank - 1]])
    same(rows(path, "SELECT median(ns) AS a, p50(ns) AS b, p90(ns) AS c, p99(ns) AS d, "
              "p999(ns) AS e FROM request"),
         [{"a": ordered[499], "b": ordered[499], "c": ordered[899], "d": ordered[989],
           "e": ordered[998]}])
    same(values(path, "SELECT median(ns) FROM request WHERE 0"), [None])
    same(values(path, "SELECT median(column1) FROM (VALUES (1), (NULL), (2.5))"), [1])
    same(values(path, "SELECT p99(ns) FROM request GROUP BY status ORDER BY status"),
         [sorted(numbers[i::2])[-(-len(numbers[i::2]) * 99 // 100) - 1] for i in (0, 1)])


def a_histogram_counts_powers_of_two():
    path = requests([0, 0, 1, 2, 3, 8])
    same(json.loads(values(path, "SELECT histogram(ns) FROM request")[0]),
         [{"from": 0, "to": 1, "count": 2}, {"from": 1, "to": 2, "count": 1},
          {"from": 2, "to": 4, "count": 2}, {"from": 4, "to": 8, "count": 0},
          {"from": 8, "to": 16, "count": 1}])
    same(json.loads(values(path, "SELECT histogram(-ns) FROM request WHERE ns > 1")[0]),
         [{"from": -16, "to": -8, "count": 1}, {"from": -8, "to": -4, "count": 0},
          {"from": -4, "to": -2, "count": 2}])
    same(json.loads(values(path, "SELECT histogram(column1) FROM (VALUES (0.25), (0.4))")[0]),
         [{"from": 0.25, "to": 0.5, "count": 2}])
    huge = json.loads(values(path, "SELECT histogram(column1) FROM (VALUES (1e308), (9e999))")[0])
    same(huge[-1]["count"], 2)
    same(values(path, "SELECT histogram(ns) FROM request WHERE 0"), ["[]"])
    same(values(path, "SELECT bar(value->>'count', 2, 4) FROM "
                "(SELECT histogram(ns) AS h FROM request), json_each(h)"),
         ["####", "##", "####", "", "##"])


def texts_of_times():
    path = requests([1])
    for sql, text in (
            ("time_text(1795366665663874363)", "2026-11-22T16:57:45.663874363Z"),
            ("time_text(1500000000)", "1.500000000"), ("time_text(-1)", "-0.000000001"),
            ("time_text(NULL)", None), ("duration_text(17)", "17 ns"),
            ("duration_text(1500)", "1.5 us"), ("duration_text(15000000)", "15 ms"),
            ("duration_text(-12340000000)", "-12.34 s"), ("duration_text(0)", "0 ns"),
            ("bar(1, 2)", "#" * 20), ("bar(9, 2, 3)", "###"), ("bar(1, 0, 3)", "###"),
            ("bar(0, 0)", ""), ("bar(-1, 2)", ""), ("length(bar(1, 1, 1e9))", 1000)):
        same(values(path, f"SELECT {sql}"), [text])


def several_statements_and_comments():
    same(query(requests([1]), "SELECT 1 AS a; -- one\n;; .tables\nSELECT 2 AS b; /* two */"),
         "a\n1\n\n" + query(requests([1]), ".tables") + "\nb\n2\n")


def sql_from_standard_input():
    same(query(requests([5]), "-", stdin=b"SELECT ns\nFROM request;\n"), "ns\n 5\n")
    query(requests([5]), "-", stdin=b"SELECT 1\0", status=1, complaint="userevents: cannot "
          "read the SQL from standard input: it has a NUL\n")
    content = pathlib.Path(requests([5])).read_bytes()
    same(query("-", "SELECT ns FROM request", stdin=content), "ns\n 5\n")


def a_pipe_is_opened_once():
    path = str(folder / "pipe")
    os.mkfifo(path)
    done = subprocess.Popen([tool, "query", path, "SELECT count(*) AS n FROM events"],
                            stdout=subprocess.PIPE)
    with open(path, "wb") as pipe:  # waits for the reader
        pipe.write(pathlib.Path(SHOP).read_bytes())
    same(done.communicate(timeout=300)[0], b"n\n3\n")


def events_are_selected_as_by_decode():
    path = requests(range(10))
    same(query("--json", "--where", "ns >= 8", path, "SELECT ns FROM request"),
         '{"ns":8}\n{"ns":9}\n')
    same(query("--json", "-e", "Ord*", SHOP, "SELECT count(*) AS n FROM events"), '{"n":2}\n')


def events_of_a_program():
    out = query("--json", "SELECT count(*) AS n, max(square) AS m FROM hello", "--run", "--",
                hello, "1", complaint="hello 1: written\n")
    same(out, '{"n":1,"m":1}\n')


def numbers_from_2_63_on_are_in_their_order():
    numbers = [0, 5, 2**63 - 1, 2**63, 2**63 + 1, 9300000000000000000, 10**19, 2**64 - 1]
    path = requests(reversed(numbers))

    def column(sql):
        return [int(next(iter(json.loads(line).values())))
                for line in query("--json", path, sql).splitlines()]

    same(column("SELECT ns FROM request ORDER BY ns"), numbers)
    same(column("SELECT max(ns) FROM request"), [2**64 - 1])
    same(column("SELECT p50(ns) FROM request; SELECT p90(ns) FROM request; "
                "SELECT percentile(ns, 100) FROM request"), [2**63, 2**64 - 1, 2**64 - 1])
    for i, number in enumerate(numbers):
        for spelt in (str(number), hex(number)):
            same(column(f"SELECT count(*) FROM request WHERE ns = {spelt}; "
                        f"SELECT count(*) FROM request WHERE ns < {spelt}; "
                        f"SELECT count(*) FROM request WHERE ns > {spelt} /* {number} */; "
                        f"SELECT count(*) FROM request WHERE ns IN (1, {spelt})"),
                 [1, i, len(numbers) - 1 - i, 1])
    for sql, expected in (
            ("SELECT 2e19 > 10000000000000000000", [1]), ("SELECT 0 + 9300000000000000000 > 9e18", [1]),
            ("SELECT json_extract('{\"a\":9300000000000000000}', '$.a') = 9300000000000000000", [1]),
            ("SELECT '{\"a\":9300000000000000000}' ->> 'a' = 9300000000000000000", [1]),
            ("SELECT count(*) FROM request WHERE ns BETWEEN 9223372036854775809 AND "
             "10000000000000000000", [3]),
            ("SELECT count(*) FROM request r WHERE 9300000000000000000 <= r.ns", [3]),
            ("SELECT count(*) FROM request r WHERE \"ns\" NOT IN (9300000000000000000, 5, "
             "18446744073709551615)", [5]),
            ("SELECT count(*) FROM request WHERE ns = 1e19", [1]),
            ("SELECT count(*) FROM request WHERE ns >= 10000000000000000000.0", [2]),
            ("SELECT count(*) FROM request r WHERE 1E19 < r.ns AND 1 = 1", [1]),
            ("SELECT count(*) FROM request WHERE ns IN (5, 1.0e19)", [2]),
            ("SELECT count(*) FROM request WHERE ns BETWEEN 9.3e18 AND 1e19", [2]),
            ("SELECT count(*) FROM request WHERE ns < 1e20 AND ns < 18446744073709551616",
             [len(numbers)]),
            ("SELECT count(*) FROM request WHERE ns >= 1.8446744073709552e19", [0]),
            ("SELECT count(*) FROM (SELECT total(ns) AS x FROM request) WHERE x > 1e19", [1]),
            ("SELECT count(*) FROM (SELECT 2e19 AS x) AS t WHERE t.x BETWEEN 1e19 AND 3e19", [1]),
            ("SELECT count(*) FROM request WHERE ns + 0 > 9300000000000000001 AND ns >= "
             "9300000000000000000 AND ns <> 10000000000000000000", [1])):
        same(column(sql), expected)
    same(query("-f", "csv", path, f"SELECT '{2**64 - 1}' AS a, -9223372036854775808 AS \"{2**63}\", "
               f"x{2**63} AS b FROM (SELECT 1 AS x{2**63}) -- {2**63}"),
         f"a,{2**63},b\n{2**64 - 1},-{2**63},1\n")


def a_float_stays_one_when_another_version_has_text():
    recording = Recording()
    shop = recording.event("user_events", "Shop_L4K1", 600, EVENTHEADER)
    for time, kind, value in ((1, b"\x85\x08", struct.pack("<d", 3.0)),
                              (2, b"\x85\x08", struct.pack("<d", 2.5)), (3, b"\x07", b"x\0"),
                              (4, b"\x05", struct.pack("<Q", 7))):
        recording.sample(shop, time, eventheader("E", [("v", kind)], value, level=4))
    path = folder / "versions.data"
    path.write_bytes(recording.file())
    same(query("-f", "csv", str(path), "SELECT v, typeof(v) AS t, v / 2 AS h FROM E LIMIT 2; "
               "SELECT v, typeof(v) AS t FROM E WHERE time > 2"),
         "v,t,h\n3,real,1.5\n2.5,real,1.25\n\nv,t\nx,text\n7,integer\n")


# Formats

def columns_are_aligned():
    same(query(SHOP, "SELECT item, NULL AS c, id FROM \"Order\"; SELECT 1 WHERE 0"),
         "item  c  id\n"
         "tea      7\n"
         "oil      18446744073709551615\n\n"
         "1\n")
    same(query(SHOP, "SELECT 'ä' AS x, 5 AS y UNION SELECT 'abc', 100"),
         "x      y\nabc  100\nä      5\n")


def long_answers_are_aligned_by_their_first_rows():
    out = query(requests([1]), "WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i * 2 FROM t "
                "LIMIT 60), u AS (SELECT a.i, b.i AS j FROM t a, t b) SELECT * FROM u").split()
    same(len(out), 2 + 2 * 3600)


def json_and_csv():
    sql = "SELECT 1 AS a, 2.5 AS b, NULL AS c, 'x,\"y' AS \"d,\", x'00ff' AS e, '' AS f"
    row = {"a": 1, "b": 2.5, "c": None, "d,": 'x,"y', "e": "00 ff", "f": ""}
    same(json.loads(query("-f", "json", SHOP, sql + " UNION ALL " + sql)), [row, row])
    same(query("-f", "json", SHOP, "SELECT 1 WHERE 0"), "[]\n")
    same(json.loads(query("-f", "jsonl", SHOP, sql)), row)
    out = query("-f", "csv", SHOP, sql)
    same(out, 'a,b,c,"d,",e,f\n1,2.5,,"x,""y",00 ff,""\n')
    same(list(csv.reader(io.StringIO(out)))[1], ["1", "2.5", "", 'x,"y', "00 ff", ""])


def null_is_not_the_text_null():
    sql = "SELECT NULL AS a, 'null' AS b, '' AS c, 5 AS d"
    same(query(SHOP, sql), "a  b     c  d\n   null     5\n")
    same(query("--csv", SHOP, sql), 'a,b,c,d\n,null,"",5\n')
    same(query("--tsv", SHOP, sql), "a\tb\tc\td\n\\N\tnull\t\t5\n")
    same(query("--json", SHOP, sql), '{"a":null,"b":"null","c":"","d":5}\n')


def forms_have_the_options_of_other_answers():
    sql = "SELECT item, id, NULL FROM \"Order\""
    for option, name in ("--csv", "csv"), ("--tsv", "tsv"), ("--json", "jsonl"):
        same(query(option, SHOP, sql), query("--format", name, SHOP, sql))
    for words in ["--csv", "--tsv"], ["--json", "--csv"], ["-f", "csv", "--csv"], ["-jf", "json"]:
        done = subprocess.run([tool, "query", *words, SHOP, sql], capture_output=True, text=True)
        same((done.returncode, done.stdout), (2, ""))
        assert "--format, --json, --csv and --tsv exclude each other" in done.stderr, done.stderr


def terminals_receive_no_control_characters():
    evil = "\x1b]0;evil\x07\x9b31m\x7f"
    path = save("evil", dat([eh(f"x{evil}".split(";")[0], [(f"y{evil}".split(";")[0], TEXT)],
                                evil.encode() + b"\0")]))
    for args in ([path, "SELECT * FROM events e JOIN \"x?]0\" USING (event_id)"],
                 [path, ".tables; .schema"], ["-f", "csv", path, "SELECT * FROM \"x?]0\""],
                 ["--json", path, "SELECT * FROM \"x?]0\""], [path, f"SELECT '{evil}"],
                 [path, f"SELECT * FROM \"{evil}\""], [path, f"SELECT 1 AS \"{evil}\""],
                 [path, f".{evil}"], [path, f".schema {evil}"]):
        got = on_terminal(tool, "query", *args).replace("\n", "")
        same([c for c in got if c < " " or "\x7f" <= c < "\xa0"], [])


# Databases

def a_database_is_kept():
    path, db = requests([5, 6]), str(folder / "kept.sqlite")
    same(query("--db", db, path, "SELECT sum(ns) AS n FROM request -- text"), " n\n11\n")
    same(values(db, "SELECT sum(ns) FROM \"user_events:request\""), [11])
    same(query(db, ".tables; .schema"), query(path, ".tables; .schema"))
    same(os.stat(db).st_mode & 0o777, 0o600)
    with sqlite3.connect(db) as other:  # another program
        same(other.execute("SELECT ns, path FROM request").fetchall(), [(5, "/a"), (6, "/a")])
        same(other.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
    query("--db", db, path, "SELECT 1")  # replaced
    same([name for name in os.listdir(folder) if name.startswith("kept")], ["kept.sqlite"])


def tables_that_changed_are_sound():
    one = save("one", classic("v", [("u32", "a", 4, 0)], [(1, struct.pack("<I", 1))] * 50))
    two = save("two", classic("v", [("__rel_loc char[]", "a", 4, 0), ("u32", "cpu", 4, 0)],
                              [(2, struct.pack("<II", 2 << 16 | 4, 7) + b"7\0")] * 50))
    db = str(folder / "changed.sqlite")
    query("--db", db, one, two, "SELECT 1 WHERE 0")
    with sqlite3.connect(db) as other:
        same(other.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        same(other.execute("SELECT a, typeof(a), cpu, \"meta.cpu\", count(*) FROM v GROUP BY a"
                           ).fetchall(), [(1, "integer", None, 3, 50), ("7", "text", 7, 3, 50)])


def other_files_are_not_replaced():
    path = requests([5])
    text = save("text", b"precious")
    foreign = str(folder / "foreign.sqlite")
    with sqlite3.connect(foreign) as other:
        other.execute("CREATE TABLE t(x)")
    other.close()
    link = str(folder / "link")
    os.symlink(text, link)
    for file, why in ((text, "it exists and is not a database of userevents; remove it, or "
                       "name another file"),
                      (foreign, "it exists and is not a database of userevents; remove it, or "
                       "name another file"),
                      (path, "it exists and is not a database of userevents; remove it, or "
                       "name another file"),
                      (str(folder), "it is not a regular file"),
                      (link, "it is a symbolic link; name the file itself"),
                      ("/nowhere/x", "No such file or directory")):
        query("--db", file, path, "SELECT 1", status=1,
              complaint=f"userevents: cannot write {file}: {why}\n")
    same(pathlib.Path(text).read_bytes(), b"precious")
    same(values(foreign, "SELECT count(*) FROM t"), [0])  # any database can be read


def a_recording_that_cannot_be_read_makes_no_database():
    db = str(folder / "none.sqlite")
    nothing = save("nothing", b"no recording")
    done = subprocess.run([tool, "query", "--db", db, nothing, "SELECT 1"],
                          capture_output=True, timeout=300)
    same(done.returncode, 1)
    same([name for name in os.listdir(folder) if name.startswith("none.")], [])


def a_signal_removes_the_part_of_a_database():
    db = str(folder / "ended.sqlite")
    done = subprocess.Popen([tool, "query", "--db", db, "-", "SELECT 1"],
                            stdin=subprocess.PIPE)
    done.stdin.write(pathlib.Path(SHOP).read_bytes()[:40])
    done.stdin.flush()
    while not [name for name in os.listdir(folder) if name.startswith("ended.")]:
        pass
    done.terminate()
    same(done.wait(timeout=300), -15)
    same([name for name in os.listdir(folder) if name.startswith("ended.")], [])


def a_damaged_recording_is_answered_as_far_as_it_goes():
    content = pathlib.Path(SHOP).read_bytes()
    path = save("cut", content[:-3])
    same(values(path, "SELECT count(*) FROM events", status=1, complaint=f"userevents: cannot "
                f"read all of {path}: it is cut off at byte 108, within an event\n"), [2])


def malformed_events_have_a_row():
    path = save("bad", dat([
        eh("Order", [("a", VALUE8), ("b", VALUE64)], b"\1"),
        eh("Order", [("a", VALUE8), ("b", VALUE64)], b"\2" + bytes(8))]))
    same(rows(path, "SELECT a, b FROM \"Order\"", status=1, complaint="userevents: 1 event "
              "is malformed: the rows have the fields that can be read.\n"),
         [{"a": 1, "b": None}, {"a": 2, "b": 0}])


def questions_change_nothing():
    path, db = requests([5]), str(folder / "fixed.sqlite")
    query("--db", db, path, "SELECT 1")
    before = pathlib.Path(db).read_bytes()
    only = "userevents: cannot run the SQL: it can only read (SELECT, VALUES, WITH, EXPLAIN)\n"
    for file in path, db:
        for sql in ("INSERT INTO events(pid) VALUES (1)", "UPDATE request SET ns = 1",
                    "DELETE FROM request", "DROP TABLE request", "CREATE TABLE t(x)",
                    "CREATE TEMP TABLE t(x)", "CREATE TEMP VIEW t AS SELECT 1",
                    "CREATE VIRTUAL TABLE t USING fts5(x)", "ATTACH 'x.sqlite' AS x",
                    "DETACH main", "VACUUM", "VACUUM INTO 'x.sqlite'", "BEGIN", "SAVEPOINT a",
                    "ANALYZE", "ALTER TABLE request RENAME TO r",
                    "PRAGMA journal_mode = WAL", "PRAGMA writable_schema = ON",
                    "PRAGMA query_only = OFF", "PRAGMA database_list"):
            query(file, sql, status=2, complaint=only)
        query(file, "UPDATE sqlite_schema SET sql = 'x'", status=2, complaint="userevents: "
              "cannot run the SQL: table sqlite_master may not be modified\n")
        query(file, "SELECT load_extension('x')", status=2, complaint="userevents: cannot run "
              "the SQL: not authorized to use function: load_extension\n"
              "    SELECT load_extension('x')\n           ^\n")
    same(pathlib.Path(db).read_bytes(), before)
    same(os.path.exists("x.sqlite"), False)


def hostile_databases_are_harmless():
    db = str(folder / "good.sqlite")
    query("--db", db, requests(range(500)), "SELECT 1")
    content = bytearray(pathlib.Path(db).read_bytes())
    chance = random.Random(5)
    for _ in range(60 if is_full else 20):
        broken = bytearray(content)
        for _ in range(chance.randrange(1, 40)):
            broken[chance.randrange(16, len(broken) if chance.random() < 0.5 else 2000)] = \
                chance.randrange(256)
        path = save("broken.sqlite", bytes(broken))
        done = subprocess.run([tool, "query", path, ".tables; SELECT sum(ns), max(path) FROM "
                               "request; SELECT * FROM events"], capture_output=True, timeout=300)
        assert done.returncode in (0, 1, 2), done
        assert b"Sanitizer" not in done.stderr, done.stderr
    short = save("short.sqlite", content[:100])
    query(short, "SELECT 1", status=1,
          complaint=f"userevents: cannot read {short}: database disk image is malformed\n")


# Limits

def kinds_beyond_the_limit_are_in_events():
    path = save("kinds", dat([eh(f"k{i}", [(f"f{i}", VALUE8)], b"\1") for i in range(1010)]))
    complaint = ("userevents: cannot make more than 1000 tables: 10 events of further kinds are "
                 "in the table \"events\" alone\n")
    same(values(path, "SELECT count(*) FROM events UNION ALL SELECT count(*) FROM sqlite_schema "
                "WHERE type = 'table' UNION ALL SELECT f999 FROM k999", status=1,
                complaint=complaint), [1010, 1002, 1])


def without_columns(count):
    return (f"userevents: cannot make more columns: {count} values of fields are missing; there "
            "are at most 500 in a table, and fewer if many versions of many events differ\n")


def columns_beyond_the_limit_are_counted():
    path = save("columns", dat([eh("wide", [(f"f{i}", VALUE8) for i in range(600)],
                                   bytes(range(256)) * 2 + bytes(88))]))
    same(values(path, "SELECT f485 FROM wide", status=1, complaint=without_columns(114)),
         [485 - 256])


def changes_beyond_the_limit_are_counted():
    wide = [eh(f"k{i}", [(f"f{j}", VALUE8) for j in range(470)], bytes(470))
            for i in range(60)]
    path = save("changes", dat(wide + [eh(f"k{i % 60}", [(f"g{i}", VALUE8)], b"\1")
                                       for i in range(400)]))
    # each change reads 470 and 14 columns of 60 tables, those added, and counts as 1000 more
    changes, read = 0, 0
    while read < 10_000_000:
        changes += 1
        read += 484 * 60 + changes + 1000
    last = changes - 1
    same(values(path, f"SELECT g{last} FROM k{last % 60} WHERE g{last}", status=1,
                complaint=without_columns(400 - changes)), [1])


def long_names_are_cut_off():
    path = save("long", dat([eh("e" * 5000, [("f" * 5000, VALUE8), ("f" * 5001, VALUE8)],
                                b"\1\2")]))
    same(rows(path, f"SELECT {'f' * 200} AS a, \"{'f' * 200}:2\" AS b FROM {'e' * 200}"),
         [{"a": 1, "b": 2}])


def random_events_do_no_harm():
    chance = random.Random(9)
    good = [pathlib.Path(SHOP).read_bytes(), pathlib.Path(requests(range(20))).read_bytes()]
    for number in range(60 if is_full else 20):
        broken = bytearray(good[number % 2])
        for _ in range(chance.randrange(1, 12)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        path = save("random", bytes(broken))
        done = subprocess.run([tool, "query", path, ".tables; SELECT * FROM events"],
                              capture_output=True, timeout=300)
        assert done.returncode in (0, 1), done
        assert b"Sanitizer" not in done.stderr, done.stderr


# Wrong questions

def wrong_sql_gets_a_sentence():
    path = requests([5])
    near = "cannot run the SQL: near "
    for sql, text, place in (
            ("SELEC 1", near + '"SELEC": syntax error', 0),
            ("SELECT ns FORM request", near + '"request": syntax error', 15),
            ("SELECT * FROM user_events:request", near + '":request": syntax error; a name with '
             "other characters than letters, digits and _ is written in double quotes", 25),
            ("SELECT", "cannot run the SQL: incomplete input", None),
            ("SELECT 'a", 'cannot run the SQL: unrecognized token: "\'a"', 7),
            ("SELECT nss FROM request", "cannot run the SQL: no such column: nss; did you mean "
             "ns?", 7),
            ("SELECT r.stats FROM request r", "cannot run the SQL: no such column: r.stats; did "
             "you mean status?", 7),
            ("SELECT zzzzz FROM request", "cannot run the SQL: no such column: zzzzz; .schema "
             "TABLE lists the columns", 7),
            ("SELECT * FROM requst", "cannot run the SQL: no such table: requst; did you mean "
             "request?", None),
            ("SELECT * FROM xyzzy", "cannot run the SQL: no such table: xyzzy; .tables lists "
             "them", None),
            ("SELECT * FROM \"user_events:reqest\"", "cannot run the SQL: no such table: "
             "user_events:reqest; did you mean \"user_events:request\"?", None),
            ("SELECT path.length FROM request", "cannot run the SQL: no such column: "
             "path.length; a member of a struct is written path->>'length'", 7),
            ("SELECT 1 FROM request WHERE path = \"/a\"", "cannot run the SQL: no such column: "
             "/a; text is written in single quotes: '/a'", 35),
            ("SELECT percntile(1, 5)", "cannot run the SQL: no such function: "
             "percntile; did you mean percentile?", 7),
            ("SELECT percentile(1)", "cannot run the SQL: wrong number of "
             "arguments to function percentile()", 7),
            ("SELECT count(*) FROM request GROUP BY sum(ns)", "cannot run the SQL: aggregate "
             "functions are not allowed in the GROUP BY clause", None),
            ("SELECT 1;\nSELECT\n\tstat\n\tFROM request", None, None),
            ("SELECT ?", "cannot run the SQL: \"?\" is a parameter; a name with such a character "
             "is written in double quotes", None),
            ("SELECT @x", "cannot run the SQL: \"@x\" is a parameter; a name with such a "
             "character is written in double quotes", None),
            (".table", "cannot run \".table\": beside SQL there are .tables and .schema [TABLE]",
             None),
            (".schema reqest", "cannot show the schema: no such table: reqest; did you mean "
             "request?", None),
            (".schema xyzzy", "cannot show the schema: no such table: xyzzy; .tables lists them",
             None)):
        if text is None:
            same(query(path, sql, status=2, complaint="userevents: cannot run the SQL: no such "
                       "column: stat; did you mean status?\n    ?stat\n     ^\n"), "1\n1\n")
            continue
        point = "" if place is None else f"    {sql}\n    {' ' * place}^\n"
        query(path, sql, status=2, complaint=f"userevents: {text}\n{point}")


def words_of_sql_are_explained():
    query(SHOP, "SELECT * FROM Order", status=2, complaint="""\
userevents: cannot run the SQL: near "Order": syntax error; Order is a word of SQL; as a \
name it is written "Order"
    SELECT * FROM Order
                  ^
""")


def wrong_values_get_a_sentence():
    path = requests([5])
    for sql, text in (
            ("SELECT percentile(path, 5) FROM request",
             "percentile() takes numbers, but a value is text"),
            ("SELECT p99(x'00') FROM request", "p99() takes numbers, but a value is bytes"),
            ("SELECT histogram(path) FROM request",
             "histogram() takes numbers, but a value is text"),
            ("SELECT percentile(ns, 101) FROM request",
             "percentile(X, P): P is a number from 0 to 100"),
            ("SELECT percentile(ns, 'a') FROM request",
             "percentile(X, P): P is a number from 0 to 100"),
            ("SELECT percentile(ns, NULL) FROM request",
             "percentile(X, P): P is a number from 0 to 100"),
            ("SELECT time_text('now')", "time_text() takes numbers, but a value is text"),
            ("SELECT abs(-9223372036854775808)", "integer overflow"),
            ("SELECT sum(x) FROM (SELECT 9223372036854775807 AS x UNION ALL SELECT 1)",
             "integer overflow; total() adds without one, rounded"),
            ("SELECT json_extract(path, '$') FROM request", "malformed JSON")):
        query(path, sql, status=1, complaint=f"userevents: cannot run the SQL: {text}\n")


def wrong_usage_gets_a_sentence():
    path, db = requests([5]), str(folder / "used.sqlite")
    query("--db", db, path, "SELECT 1")

    for args, text in (
            ([], "no SQL is given"), ([path], "no SQL is given"),
            ([path, path], f"no SQL follows the files, as \"{path}\" is one"),
            (["SELECT 1"], "no source is given: recordings, --run or --watch"),
            ([path, " ; "], "the SQL is empty"),
            (["-", "-"], "standard input cannot be a recording and the SQL"),
            (["--db", "x", db, "SELECT 1"], f"{db} is a database already; --db is for "
             "recordings"),
            (["--where", "ns", db, "SELECT 1"], f"{db} is a database, and -e, --where, --from "
             "and --to select events of recordings; use WHERE in the SQL"),
            ([db, path, "SELECT 1"], f"{db} is a database, which is read alone"),
            ([path, db, "SELECT 1"], f"{db} is a database, which is read alone")):
        done = subprocess.run([tool, "query", *args], capture_output=True, timeout=300,
                              stdin=subprocess.DEVNULL)
        same(done.returncode, 2)
        assert done.stderr.decode().startswith(f"userevents: cannot query: {text}"), done.stderr
    query("-f", "jsn", path, "SELECT 1", status=2, complaint="userevents: cannot print as "
          "\"jsn\": no such format; did you mean \"json\"?\n")


def processor_time(pid):
    user, system = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def a_signal_ends_a_question_about_a_ring():
    # while the ring is followed, a signal ends that
    path = str(folder / "events.ring")
    subprocess.run([tool, "ring", "create", path], check=True, capture_output=True)
    endless = ("SELECT count(*) FROM events; WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL "
               "SELECT x + 1 FROM c) SELECT count(*) FROM c")
    asked = subprocess.Popen([tool, "query", "--json", endless, "--watch", "-d", "2", path],
                             stdout=subprocess.PIPE, bufsize=0)
    while not select.select([asked.stdout], [], [], 0)[0]:  # without events it does not ask
        subprocess.run([hello, "1"], env={**os.environ, "USEREVENTS_RING": path}, check=True,
                       capture_output=True)
    same(len(asked.stdout.read(1)), 1)  # of the first answer
    begun = processor_time(asked.pid)
    while processor_time(asked.pid) < begun + 0.2:  # the second, endless question has begun
        time.sleep(0.01)
    same(asked.poll(), None)
    asked.send_signal(signal.SIGINT)
    same(asked.wait(300), -signal.SIGINT)
    asked.stdout.close()


run([a_table_has_properties_and_fields, the_table_events_has_all_events,
     the_table_events_has_fields_as_text_and_json,
     the_table_requests_has_starts_with_their_stops,
     a_tracepoint_called_requests_has_its_long_name,
     both_names_of_a_table_work, an_event_of_two_providers_has_long_names,
     tracepoints_of_one_provider_share_a_table, names_that_differ_in_case_alone_have_tables,
     names_hold_any_bytes, fields_win_over_properties_as_in_where,
     versions_of_an_event_share_a_table, a_property_gives_way_also_later,
     values_of_several_types_stay_as_they_are, numbers_beyond_63_bits_are_exact_text,
     arrays_and_structs_are_json_and_bytes_are_blobs, floats_booleans_and_null,
     starts_join_their_ends_in_one_line, percentiles_are_exact,
     a_histogram_counts_powers_of_two, texts_of_times, several_statements_and_comments,
     sql_from_standard_input, a_pipe_is_opened_once, events_are_selected_as_by_decode, events_of_a_program,
     numbers_from_2_63_on_are_in_their_order, a_float_stays_one_when_another_version_has_text,
     columns_are_aligned, long_answers_are_aligned_by_their_first_rows, json_and_csv,
     null_is_not_the_text_null, forms_have_the_options_of_other_answers,
     terminals_receive_no_control_characters, a_database_is_kept,
     tables_that_changed_are_sound, other_files_are_not_replaced,
     a_recording_that_cannot_be_read_makes_no_database,
     a_signal_removes_the_part_of_a_database, a_signal_ends_a_question_about_a_ring,
     a_damaged_recording_is_answered_as_far_as_it_goes, malformed_events_have_a_row,
     questions_change_nothing, hostile_databases_are_harmless,
     kinds_beyond_the_limit_are_in_events, columns_beyond_the_limit_are_counted,
     changes_beyond_the_limit_are_counted, long_names_are_cut_off, random_events_do_no_harm,
     wrong_sql_gets_a_sentence, words_of_sql_are_explained, wrong_values_get_a_sentence,
     wrong_usage_gets_a_sentence])
