#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents stat, hist and latency, on recordings made byte by byte, and live.

Arguments: the tool, and the programs eventheader and many."""
import json
import math
import os
import pathlib
import random
import resource
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fuzz"))
import perf_seeds
from captures import Capture
from recordings import CGROUP, EVENTHEADER, RAW, TIME, USUAL, Recording, eventheader
from tap import is_full, not_sanitized, run, same
from terminal import on_terminal

tool, example, many = sys.argv[1:]
folder = pathlib.Path(tempfile.mkdtemp())
DONE = [("s32", "status", 4, 1), ("u64", "ns", 8, 0), ("double", "load", 8, 1),
        ("bool", "ok", 1, 0), ("__rel_loc char[]", "path", 4, 1)]
U32, U64, TEXT, DOUBLE, BOOL = b"\x04", b"\x05", b"\x07", b"\x85\x08", b"\x82\x07"
SECOND = 10**9
FULL = "\u2588"


def save(name, content):
    path = folder / name
    path.write_bytes(content)
    return str(path)


def asked(*args, status=0, stdin=b"", complaint="", **kwargs):
    """stdout; the complaint is all of stderr."""
    done = subprocess.run([tool, *args], input=stdin, capture_output=True, timeout=600,
                          **kwargs)
    same(done.stderr.decode(), complaint and f"userevents: {complaint}\n")
    same(done.returncode, status)
    return done.stdout.decode()


def answer(*args, **kwargs):
    return json.loads(asked(args[0], "--json", *args[1:], **kwargs))


def done_event(recording, name="done", number=500, **kwargs):
    return recording.event("user_events", name, number, DONE, **kwargs)


def done(recording, status=200, ns=0, load=0.0, ok=1, path="/"):
    text = path.encode("latin-1") + b"\0"
    return recording.pack("iQdBI", status, ns, load, ok, len(text) << 16) + text


def shop_event(recording, number=600):
    return recording.event("user_events", "Shop_L4K1", number, EVENTHEADER)


def shop(name, opcode=0, activity=None, **fields):
    """Fields of Python's types as those of an EventHeader event."""
    kinds, payload = [], b""
    for field, value in fields.items():
        kind, packed = {
            bool: lambda v: (BOOL, struct.pack("<B", v)),
            int: lambda v: (U64, struct.pack("<Q", v)),
            float: lambda v: (DOUBLE, struct.pack("<d", v)),
            str: lambda v: (TEXT, v.encode() + b"\0"),
            bytes: lambda v: (b"\x0d", struct.pack("<H", len(v)) + v),
        }[type(value)](value)
        kinds.append((field, kind))
        payload += packed
    activity = activity and bytes([activity]) * 16
    return eventheader(name, kinds, payload, level=4, activity=activity, opcode=opcode)


def shops(*events, name="shop"):
    """A file of (time, payload) or (time, payload, {"pid": 1})."""
    recording = Recording()
    event = shop_event(recording)
    for time, payload, *more in events:
        recording.sample(event, time, payload, **(more[0] if more else {}))
    return save(name, recording.file())


def numbers(values, field="ns", name="numbers"):
    recording = Recording()
    event = done_event(recording)
    for i, value in enumerate(values):
        recording.sample(event, i, done(recording, **{field: value}))
    return save(name, recording.file())


# stat

def two_processes():
    recording = Recording()
    one, other = done_event(recording), shop_event(recording)
    for i in range(6):
        recording.sample(one, i * SECOND, done(recording, status=200 + i % 2, path="/a"),
                         pid=1 + i % 2, tid=5)
    recording.sample(other, 8 * SECOND, shop("Order"), pid=3)
    return recording


def padded_length(payload):
    """perf pads the record with its size and common fields to 8 bytes."""
    return len(payload) + -(4 + 8 + len(payload)) % 8


def stat_counts_events_by_name():
    got = answer("stat", save("a", two_processes().file()))
    length = padded_length(shop("Order"))
    same(got, {"rows": [
        {"provider": "user_events", "event": "done", "count": 6, "perSecond": 0.75,
         "bytes": 6 * 28, "processes": 2, "first": 0.0, "last": 5.0, "lostBefore": 0},
        {"provider": "Shop", "event": "Order", "count": 1, "perSecond": 0.125,
         "bytes": length, "processes": 1, "first": 8.0, "last": 8.0, "lostBefore": 0}],
        "count": 7, "perSecond": 0.875, "bytes": 6 * 28 + length, "processes": 3,
        "first": 0.0, "last": 8.0, "lost": 0})


def stat_prints_an_aligned_table():
    got = asked("stat", "--by", "status", save("a", two_processes().file()))
    length = padded_length(shop("Order"))
    same(got, f"""\
EVENT             status  COUNT  PER SECOND  BYTES  PROCESSES  FIRST AFTER  LAST AFTER
user_events:done  200         3        0.38     84          1         0 ns         4 s
user_events:done  201         3        0.38     84          1          1 s         5 s
Shop:Order        -           1        0.12     {length}          1          8 s         8 s
7 events in 8 s from 0.000000000 on, {6 * 28 + length} bytes, 0 lost
""")


def stat_reads_streams_and_merges_files():
    one = two_processes()
    got = answer("stat", "-", stdin=one.stream())
    same((got["count"], len(got["rows"])), (7, 2))
    path = save("a", one.file())
    got = answer("stat", path, path)
    same([row["count"] for row in got["rows"]], [12, 2])
    same(got["processes"], 3)


def stat_groups_by_values_of_all_types():
    path = shops((1, shop("E", v=1)), (2, shop("E", v=1.0)), (3, shop("E", v=True)),
                 (4, shop("E", v=1.5)), (5, shop("E", v="1")), (6, shop("E", v=b"\x01")),
                 (7, shop("E", v=float("nan"))), (8, shop("E", v=float("nan"))),
                 (9, shop("E")), (10, shop("E", v=2**64 - 1)))
    got = answer("stat", "--by", "v", path)
    same([(row["value"], row["count"]) for row in got["rows"]],
         [(1, 3), ("nan", 2), (1.5, 1), ("1", 1), ("01", 1), (None, 1), (2**64 - 1, 1)])


def stat_has_a_bounded_number_of_groups():
    path = numbers([1, 2, 1, 3, 4, 1, 5])
    sentence = '"(others)" has 3 events, as ns has more values than 2; --groups N shows more'
    got = answer("stat", "--by", "ns", "--groups", "2", path, complaint=sentence)
    same([(row.get("value"), row.get("others"), row["count"]) for row in got["rows"]],
         [(1, None, 3), (2, None, 1), (None, True, 3)])
    assert "(others)" in asked("stat", "--by", "ns", "--groups", "2", path, complaint=sentence)


def busy(clients, events, hot):
    """Clients in turn, each once, and one of ten events of the hot one, which comes late."""
    recording = Recording()
    event = recording.event("user_events", "request", 500,
                            [("u32", "client", 4, 0), ("u32", "ns", 4, 0)])
    for i in range(events):
        client = hot if i >= events // 5 and i % 8 == 7 else i % clients
        recording.sample(event, i, struct.pack("<II", client, 9 if client == hot else client % 7))
    return save("busy", recording.file())


def the_busiest_of_many_values_is_first():
    path = busy(5000, 50_000, 77777)
    sentence = '"(others)" has 44980 events, as client has more values than 3; --groups N shows more'
    got = answer("stat", "--by", "client", "--groups", "3", path, complaint=sentence)
    same([(row.get("value"), row["count"], row["processes"]) for row in got["rows"]],
         [(77777, 5000, 1), (0, 10, 1), (1, 10, 1), (None, 44980, 1)])
    got = answer("hist", "request", "ns", "--by", "client", "--groups", "3", path,
                 complaint=sentence)
    same([(group.get("value"), group["count"]) for group in got["groups"]],
         [(77777, 5000), (0, 10), (1, 10), (None, 44980)])
    same(sum(group["count"] for group in got["groups"]), got["count"])


def groups_are_sorted_by_what_is_asked():
    path = shops(*[(i, shop("E", client=name, v=v)) for i, (name, v) in enumerate(
        [("many", 1)] * 9 + [("much", 50)] * 2 + [("far", 0)] * 3 + [("far", 90)])])
    for order, expected in ((["--sort", "count"], ["many", "far", "much"]),
                            (["--sort", "total"], ["much", "far", "many"]),
                            (["--sort", "p99"], ["far", "much", "many"]), ([], ["many", "far", "much"])):
        got = answer("hist", "E", "v", "--by", "client", *order, path)
        same([group["value"] for group in got["groups"]], expected)
        got = answer("hist", "E", "v", "--by", "client", "--groups", "1", *order, path, complaint=
                     f'"(others)" has {15 - got["groups"][0]["count"]} events, as client has more '
                     "values than 1; --groups N shows more")
        same([group.get("value") for group in got["groups"]], [expected[0], None])


def files_are_exact_with_any_number_of_values():
    """More than are counted at once: files are read twice, a stream tells its error."""
    path = busy(150_000, 200_000, 7)
    sentence = '"(others)" has 179999 events, as client has more values than 1; --groups N shows more'
    for words in ["stat"], ["hist", "request", "ns"]:
        got = answer(*words, "--by", "client", "--groups", "1", path, complaint=sentence)
        rows = got["rows" if words == ["stat"] else "groups"]
        same([(row.get("value"), row["count"], "missing" in row) for row in rows],
             [(7, 20001, False), (None, 179999, False)])
    done = subprocess.run([tool, "stat", "--json", "--by", "client", "--groups", "1"],
                          stdin=open(path, "rb"), capture_output=True, timeout=60)
    same(done.returncode, 2)
    done = subprocess.run([tool, "stat", "--json", "--by", "client", "--groups", "1", "-"],
                          stdin=open(path, "rb"), capture_output=True, timeout=60)
    row, others = json.loads(done.stdout)["rows"]
    same((row["value"], row["count"] <= 20001 <= row["count"] + row.get("missing", 0)), (7, True))
    same(row["count"] + others["count"], 200_000)
    assert b"cannot count each value of client, of which there are too many" in done.stderr, done


def a_value_that_may_be_busier_is_told():
    """Of a value whose events are far apart, each is forgotten before the next one comes."""
    recording = Recording()
    event = recording.event("user_events", "request", 500, [("u32", "client", 4, 0)])
    pack = struct.Struct("<I").pack
    for i in range(4):
        if i < 3:
            recording.sample(event, i, pack(7))
        for client in range(100 + i * 70_000, 100 + (i + 1) * 70_000):
            recording.sample(event, i, pack(client))
            recording.sample(event, i, pack(client))
    path = save("spread", recording.file())
    done = subprocess.run([tool, "stat", "--json", "--by", "client", "--groups", "3", path],
                          capture_output=True, timeout=60)
    same([row.get("count") for row in json.loads(done.stdout)["rows"]][:3], [2, 2, 2])
    assert b"cannot tell that these values of client have most: another may have" in done.stderr, done


def stat_reports_losses():
    recording = two_processes()
    recording.lost(9)
    path = save("a", recording.file())
    got = answer("stat", path, status=1,
                 complaint=f"9 events were lost when {path} was recorded.")
    same((got["count"], got["lost"]), (7, 9))


def stat_does_not_compare_times_of_different_clocks():
    wall = Recording(clock=(1_700_000_000 * SECOND, 0))
    wall.sample(done_event(wall), SECOND, done(wall))
    got = answer("stat", save("a", two_processes().file()), save("b", wall.file()),
                 complaint="cannot compare the times of 1 event with those before: they are "
                           "of another clock; only their counts are shown")
    same((got["count"], got["first"], got["last"]), (8, 0.0, 8.0))


def a_field_that_no_event_has_is_reported():
    path = save("a", two_processes().file())
    same(asked("stat", "--by", "statsu", path, status=1, complaint="cannot use the field "
               'statsu: none of 7 events has a value of it; did you mean "status"?'), "")
    asked("hist", "done", "stats", path, status=1, complaint="cannot use the field stats: "
          'none of 6 events has a value of it; did you mean "status"?')
    asked("hist", "done", "STATUS", path, status=1, complaint="cannot use the field STATUS: "
          'none of 6 events has a value of it; did you mean "status"?')


def nothing_controls_the_terminal():
    evil = "\x1b]0;x\x07\x9b31m\x7f"
    path = shops((1, shop("E" + evil, v=evil, start=1)), (2, shop("E" + evil, v=evil, start=1)))
    for words in (["stat"], ["stat", "--by", "v"], ["hist", "E*", "start", "--by", "v"],
                  ["latency", "E*", "E*", "--key", "v", "--by", "v"]):
        for more in ([], ["--json"]):
            text = asked(*words, *more, path)
            same([c for c in text if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160)], [])


# hist

def exact(values, share):
    return sorted(values)[max(math.ceil(share * len(values) - 1e-9), 1) - 1]


def check_distribution(got, values):
    same(got["count"], len(values))
    same((got["min"], got["max"]), (min(values), max(values)))
    assert math.isclose(got["mean"], math.fsum(values) / len(values), rel_tol=1e-12,
                        abs_tol=1e-12 * max(map(abs, values)))
    for name, share in ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999):
        right = exact(values, share)
        assert abs(got[name] - right) <= abs(right) * got["relativeError"], (name, right, got)
    same(sum(bucket["count"] for bucket in got["buckets"]), len(values))
    for bucket in got["buckets"]:
        low, high = bucket["low"], bucket["high"]
        same(sum(low <= v < high if v >= 0 else low < v <= high for v in values),
             bucket["count"])


def histograms_are_as_exact_as_stated():
    chance = random.Random(7)
    for field, values in (
            ("ns", [int(chance.lognormvariate(14, 2)) for _ in range(2000)]),
            ("ns", [chance.randrange(2**64) for _ in range(500)]),
            ("status", [int(chance.gauss(0, 1000)) for _ in range(2000)]),
            ("load", [chance.gauss(0, 1e-3) for _ in range(2000)]),
            ("load", [chance.uniform(-1, 1) * 10.0**chance.randrange(-300, 300)
                      for _ in range(500)]),
            ("ok", [chance.randrange(2) for _ in range(100)])):
        got = answer("hist", "done", field, numbers(values, field))
        same(got["relativeError"], 1 / 256)
        check_distribution(got, values)


def a_histogram_counts_what_it_leaves_out():
    path = shops((1, shop("E", v=1)), (2, shop("E", v=3)), (3, shop("E", v="text")),
                 (4, shop("E", v=float("nan"))), (5, shop("E", v=float("inf"))),
                 (6, shop("E", v=float("-inf"))), (7, shop("E")), (8, shop("F", v=9)))
    got = answer("hist", "E", "v", path)
    same([got[key] for key in ("count", "missing", "notNumbers", "notFinite", "mean")],
         [2, 1, 1, 3, 2])
    text = asked("hist", "Shop:E", "v", path)
    assert text.startswith("""\
Shop:E v
  1 event left out: they do not have the field
  1 event left out: it is not a number
  3 events left out: it is infinite, or not a number (nan)
  count 2   min 1   mean 2   max 3
  p50 1   p90 3   p99 3   p99.9 3   (within 0.4 %)
"""), text


def a_histogram_needs_numbers():
    path = shops((1, shop("E", v="a")), (2, shop("E", v="b")), (3, shop("F", v=math.nan)))
    asked("hist", "E", "v", path, status=1, complaint="cannot make a histogram of v: it is "
          'text, not a number, in 2 of the events that have it; "userevents stat --by v" counts '
          "its values")
    asked("hist", "F", "v", path, status=1, complaint="cannot make a histogram of v: it is not "
          "finite in any of 1 event")
    asked("hist", "Gone", "v", path, status=1, complaint='cannot find an event "Gone": there '
          'is none; "userevents stat" lists those that are there')
    asked("hist", "Shop:G", "v", path, status=1, complaint='cannot find an event "Shop:G": '
          'there is none; did you mean "Shop:E"?')


def groups_have_histograms_of_their_own():
    values = [(i % 3, i * i) for i in range(300)]
    path = shops(*[(i, shop("E", worker=worker, v=v)) for i, (worker, v) in enumerate(values)])
    got = answer("hist", "E", "v", "--by", "worker", path)
    check_distribution(got, [v for _, v in values])
    same([group["value"] for group in got["groups"]], [0, 1, 2])
    for group in got["groups"]:
        check_distribution(group | {"relativeError": 1 / 256},
                           [v for worker, v in values if worker == group["value"]])
    got = answer("hist", "E", "v", "--by", "worker", "--groups", "1", path,
                 complaint='"(others)" has 200 events, as worker has more values than 1; '
                           "--groups N shows more")
    same([(g.get("value"), g["count"]) for g in got["groups"]], [(0, 100), (None, 200)])


def hist_draws(values, field="ns", **env):
    return asked("hist", "done", field, numbers(values, field),
                 env=os.environ | {"LC_ALL": "C.UTF-8"} | env).splitlines()


def bars_can_be_left_out():
    recording = Recording()
    event = done_event(recording)
    for i in range(20):
        recording.sample(event, i, done(recording, ns=i, path=f"/{i % 7}"))
    path = save("bars", recording.file())
    for words in ["hist", "done", "ns"], ["latency", "done", "done", "-s", "0"]:
        with_bars = asked(*words, "--by", "path", path)
        without = asked(*words, "--by", "path", "--no-bars", path)
        assert with_bars.count(FULL) > 5 and FULL not in without, without
        same([line for line in without.splitlines() if line],
             [line for line in with_bars.splitlines() if line in without.splitlines() and line])
        assert "COUNT" in without and "p99" in without, without


def bars_have_rows_with_round_limits():
    same(hist_draws([0, 0, 0, 0, 1, 1, 2, 4])[4:], [
        f"  0  4  {FULL * 60}", f"  1  2  {FULL * 30}", f"  2  1  {FULL * 15}",
        "  3  0", f"  4  1  {FULL * 15}"])
    rows = hist_draws([2**i for i in range(20)])[4:]
    same([row.split()[:-1] for row in rows[:3]],
         [["1", "1"], ["2", "..", "4", "2"], ["5", "..", "9", "1"]])
    same(rows[-1].split()[:4], ["500000", "..", "999999", "1"])
    rows = hist_draws([-1000, -60, -3, -3, 0, 3, 5000], "status")[4:]
    same([" ".join(row.split()[:-1]) for row in rows if FULL in row],
         ["-1000 .. -501 1", "-100 .. -51 1", "-5 .. -3 2", "0 .. 1 1", "2 .. 4 1",
          "5000 .. 9999 1"])
    rows = hist_draws([-0.25, 0.0, 0.5, 0.5, 0.75], "load")[4:]
    same([" ".join(row.split()[:-1]) for row in rows if FULL in row],
         ["-0.25 .. -0.2 1", "0 .. 0.05 1", "0.5 .. 0.55 2", "0.75 .. 0.8 1"])


def rows_hold_every_number():
    chance = random.Random(3)
    for values in ([chance.randrange(10**6) for _ in range(1000)],
                   [int(chance.lognormvariate(10, 4)) for _ in range(1000)], [7] * 10, [0],
                   [2**64 - 1, 0]):
        rows = hist_draws(values)[4:]
        assert 1 <= len(rows) <= 24
        same(sum(int(row.split()[3 if ".." in row else 1]) for row in rows), len(values))
    values = [chance.gauss(0, 1e3) for _ in range(1000)]
    for field in "load", "status":
        rows = hist_draws([int(v) if field == "status" else v for v in values], field)[4:]
        same(sum(int(row.split()[3 if ".." in row else 1]) for row in rows), len(values))


def bars_are_ascii_unless_the_locale_has_utf_8():
    same(hist_draws([1, 1, 2], LC_ALL="C")[4:], ["  1  2  " + "#" * 60, "  2  1  " + "#" * 30])


def bars_have_colour_only_on_a_terminal():
    path = numbers([1, 1, 2])
    assert "\x1b[36m" in on_terminal(tool, "hist", "done", "ns", path, LC_ALL="C.UTF-8")
    assert "\x1b" not in asked("hist", "done", "ns", path)


# latency

def pairs(*args, **kwargs):
    got = answer("latency", *args, **kwargs)
    return [pair["nanoseconds"] for pair in got["slowest"]], got


def counted(got):
    names = ("neverEnded", "withoutStart", "repeated", "dropped", "withoutKey",
             "withoutTime", "negative", "otherClock", "excluded")
    return {name: got[name] for name in names if got[name]}


def keys_of_all_types_pair_events():
    for one, other in ((1, 1), (2**64 - 1, 2**64 - 1), (1, 1.0), (True, 1), (1.5, 1.5),
                       ("tea", "tea"), (b"\0\1", b"\0\1"), (math.nan, math.nan)):
        path = shops((10, shop("A", id=one)), (12, shop("A", id="another")),
                     (40, shop("B", id=other)))
        found, got = pairs("A", "B", "--key", "id", path)
        same((found, counted(got)), ([30], {"neverEnded": 1}))


def different_keys_are_no_pair():
    for one, other in ((1, 2), (1, "1"), ("a", b"a"), (1.5, 1), (0, 2**64 - 1)):
        path = shops((10, shop("A", id=one)), (40, shop("B", id=other)))
        found, got = pairs("A", "B", "--key", "id", path, status=1, complaint="cannot find "
                           "pairs: no start was followed by an end with the same key; "
                           "--key FIELD, --activity and --thread choose it")
        same((found, counted(got)), ([], {"neverEnded": 1, "withoutStart": 1}))


def processes_and_other_properties_are_keys():
    path = shops((1, shop("A"), {"pid": 1, "tid": 1}), (2, shop("A"), {"pid": 2, "tid": 2}),
                 (5, shop("B"), {"pid": 1, "tid": 3}), (9, shop("B"), {"pid": 2, "tid": 2}))
    same(pairs("A", "B", "--key", "pid", path)[0], [7, 4])
    same(pairs("A", "B", "--thread", path)[0], [7])


def activities_with_opcodes_need_no_names():
    path = shops((1, shop("Get", 1, 7, path="/")), (2, shop("Put", 1, 8)),
                 (4, shop("Info", 0, 7)), (8, shop("Got", 2, 7, status=200)),
                 (16, shop("Done", 2, 8)), (17, shop("Get", 1, 9)))
    found, got = pairs(path)
    same((found, counted(got)), ([14, 7], {"neverEnded": 1}))
    same([(g["value"], g["count"]) for g in got["groups"]], [("Get", 1), ("Put", 1)])
    same(got["slowest"][1]["start"]["path"], "/")
    same(got["slowest"][1]["end"]["status"], 200)
    same([g["value"] for g in pairs("--by", "status", path)[1]["groups"]], [200, None])


def without_activities_threads_pair_events():
    path = shops((1, shop("A", 0, 7)), (2, shop("A")), (3, shop("B")), (9, shop("B", 0, 7)))
    same(pairs("A", "B", path)[0], [8, 1])
    found, got = pairs("A", "B", "--activity", path)
    same((found, counted(got)), ([8], {"withoutKey": 2}))
    same(asked("latency", "A", "B", path).splitlines()[0],
         "A to B, by activity, or else by thread")


def threads_nest():
    path = shops(*[(time, shop(name)) for time, name in
                   ((0, "A"), (10, "A"), (20, "B"), (25, "A"), (26, "B"), (100, "B"), (101, "B"))])
    found, got = pairs("A", "B", "--thread", path)
    same((found, counted(got)), ([100, 10, 1], {"withoutStart": 1}))


def a_repeated_start_replaces_the_one_before():
    path = shops((0, shop("A", id=1)), (10, shop("A", id=1)), (15, shop("B", id=1)),
                 (16, shop("B", id=1)))
    found, got = pairs("A", "B", "--key", "id", path)
    same((found, counted(got)), ([5], {"repeated": 1, "withoutStart": 1}))


def the_same_start_and_stop_give_times_between():
    path = shops(*[(time, shop("Tick")) for time in (0, 5, 7, 17)])
    found, got = pairs("Tick", "Tick", path)
    same((found, counted(got)), ([10, 5, 2], {"neverEnded": 1}))


def an_event_that_both_globs_match_is_an_end():
    path = shops((0, shop("Run")), (5, shop("RunEnd")), (6, shop("RunEnd")))
    found, got = pairs("Run*", "RunEnd", path)
    same((found, counted(got)), ([5], {"withoutStart": 1}))


def groups_are_of_the_start_or_of_the_end():
    path = shops((0, shop("A", id=1, path="/a")), (1, shop("A", id=2, path="/b")),
                 (10, shop("B", id=1, status=200, path="/c")), (20, shop("B", id=2, status=500)))
    for field, values in ("path", ["/a", "/b"]), ("status", [200, 500]):
        got = answer("latency", "A", "B", "--key", "id", "--by", field, path)
        same([group["value"] for group in got["groups"]], values)
        same([group["max"] for group in got["groups"]], [10, 19])


def percentiles_of_latency_are_as_exact_as_stated():
    chance = random.Random(5)
    durations = [int(chance.lognormvariate(12, 3)) for _ in range(1000)]
    path = shops(*[event for i, duration in enumerate(durations)
                   for event in ((i, shop("A", id=i)), (i + duration, shop("B", id=i)))])
    found, got = pairs("A", "B", "--key", "id", "--slowest", "1000", path)
    check_distribution(got, durations)
    same(found, sorted(durations, reverse=True))


def open_starts_are_bounded_and_the_oldest_dropped():
    path = shops(*[(i, shop("A", id=i)) for i in range(5)],
                 *[(10 + i, shop("B", id=i)) for i in range(5)])
    found, got = pairs("A", "B", "--key", "id", "--max-open", "3", path, status=1,
                       complaint="cannot keep all starts: more than 3 were open, or their "
                       "events took more than 64 MiB, and 2 were dropped; --max-open N keeps "
                       "more")
    same((found, counted(got)), ([10] * 3, {"dropped": 2, "withoutStart": 2}))


@not_sanitized("it limits memory")
def many_keys_take_little_memory():
    recording = Recording()
    event = recording.event("user_events", "begin", 500, [("u64", "id", 8, 0)],
                            sample_type=TIME | RAW)
    recording.sample(event, 0, recording.pack("Q", 0))
    whole = recording.pieces.pop()
    at = whole.index(recording.pack("I", 20)) + 4 + 8  # behind the size and common fields
    recording.records = b"".join(whole[:8] + struct.pack("<Q", i) + whole[16:at] +
                                 struct.pack("<Q", i << 20) + whole[at + 8:]
                                 for i in range(300_000))
    path = save("keys", recording.file())
    limit = 64 << 20  # without files and libraries, which are mapped
    for words in (["stat", "--by", "id"], ["hist", "begin", "id", "--by", "id"],
                  ["latency", "begin", "end", "--key", "id"]):
        done = subprocess.run([tool, *words, path], capture_output=True, timeout=600,
                              preexec_fn=lambda: resource.setrlimit(
                                  resource.RLIMIT_DATA, (limit, limit)))
        assert b"no memory" not in done.stderr, done.stderr
        assert done.returncode in (0, 1), done


def the_slowest_pairs_show_both_events():
    path = shops((0, shop("A", id=1, path="/slow")), (1, shop("A", id=2)),
                 (3_000_000, shop("B", id=1, status=500)), (9, shop("B", id=2)))
    lines = asked("latency", "A", "B", "--key", "id", "--slowest", "1", path).splitlines()
    at = lines.index("Slowest:")
    same(lines[at + 1], "  3 ms")
    assert lines[at + 2].startswith('    Shop:A id=1 path="/slow" meta={time=0.000000000'), lines
    assert lines[at + 3].startswith("    Shop:B id=1 status=500 meta={time=0.003000000"), lines
    same(len(lines), at + 4)
    assert "Slowest:" not in asked("latency", "A", "B", "--key", "id", "--slowest", "0", path)


def a_start_keeps_its_names():
    # the control group is renamed before the pair is shown
    recording = Recording()
    tick = recording.event("user_events", "tick", 500, [("u32", "number", 4, 0)],
                           sample_type=USUAL | CGROUP)
    for time, name in (0, "before"), (20, "later"):
        recording.cgroup(time, 1, f"/{name}.service")
        recording.comm(time, 101, name)
        recording.sample(tick, time + 10, recording.pack("I", 1), cgroup=1)
    pair = pairs("tick", "tick", save("renamed", recording.file()))[1]["slowest"][0]
    for event, name in ("start", "before"), ("end", "later"):
        meta = pair[event]["meta"]
        same((meta["cgroup"], meta["comm"]), (f"/{name}.service", name))


def the_slowest_pairs_show_what_happened_within():
    path = shops((1000, shop("Get", 1, 7)), (1500, shop("Find", 0, 7, rows=5)),
                 (1600, shop("Find", 0, 8, rows=6)), (1700, shop("Find", rows=7)),
                 (2500, shop("Send", 0, 7)), (3000, shop("Got", 2, 7)), (3500, shop("Send", 0, 7)))
    pair, = answer("latency", "--slowest", "1", path)["slowest"]
    same([(event["nanoseconds"], event["event"]["n"]) for event in pair["within"]],
         [(500, "Shop:Find"), (1500, "Shop:Send")])
    same((pair["within"][0]["event"]["rows"], pair["leftOut"]), (5, 0))
    lines = asked("latency", "--slowest", "1", path).splitlines()
    lines = lines[lines.index("Slowest:") + 1:]
    same([line.split(" meta=")[0] for line in lines],
         ["  2 us", "    Shop:Get", "      +500 ns  Shop:Find rows=5", "      +1.5 us  Shop:Send",
          "    Shop:Got"])
    assert "within" not in answer("latency", path)["slowest"][0]
    assert "+500 ns" not in asked("latency", path)


def calls_are_within_calls():
    path = shops((0, shop("A", 1)), (10, shop("B", 1)), (15, shop("Note")), (30, shop("B", 2)),
                 (50, shop("Note"), {"tid": 5}), (100, shop("A", 2)))
    outer, inner = answer("latency", "--slowest", "2", path)["slowest"]
    same([(event["nanoseconds"], event["event"]["n"]) for event in outer["within"]],
         [(10, "Shop:B"), (15, "Shop:Note"), (30, "Shop:B")])
    same([event["nanoseconds"] for event in inner["within"]], [5])


def events_within_are_bounded():
    """100 of each pair; 16 MiB of those that are open at a time."""
    path = shops((0, shop("Get", 1, 7)), *[(i, shop("Note", 0, 7)) for i in range(1, 131)],
                 (500, shop("Got", 2, 7)))
    pair, = answer("latency", "--slowest", "1", path)["slowest"]
    same((len(pair["within"]), pair["leftOut"]), (100, 30))
    assert "      30 further events are left out\n" in asked("latency", "-s", "1", path)
    text = "x" * 60000
    path = shops(*[(i, shop("Get", 1, i)) for i in range(1, 5)],
                 *[(10 + i, shop("Note", 0, 1 + i % 4, text=text)) for i in range(380)],
                 *[(500 + i, shop("Got", 2, i)) for i in range(1, 5)])
    found = answer("latency", "--slowest", "4", path)["slowest"]
    kept = sum(len(pair["within"]) for pair in found)
    same(kept + sum(pair["leftOut"] for pair in found), 380)
    assert 2**24 / 61000 < kept < 2**24 / 60000 + 1, kept


def starts_that_never_ended_are_listed():
    path = shops((1000, shop("Get", 1, 7, path="/a")), (2000, shop("Get", 1, 8, path="/b")),
                 (3000, shop("Got", 2, 7)), (4000, shop("Get", 1, 9, path="/c")),
                 (9000, shop("Note", 0, 1)))
    found, got = pairs("--open", path)
    same(found, [2000])
    same([(start["nanoseconds"], start["start"]["path"]) for start in got["open"]],
         [(7000, "/b"), (5000, "/c")])
    assert "open" not in answer("latency", path)
    lines = asked("latency", "--open", path).splitlines()
    at = lines.index("Never ended, with their ages at the last event:")
    same([lines[at + 1], lines[at + 3]], ["  7 us", "  5 us"])
    assert lines[at + 2].startswith('    Shop:Get path="/b" meta={time=0.000002000'), lines
    same(len(lines), at + 5)
    for where, paths in (("duration > 6us", ["/b"]), ('path == "/c" && duration >= 5us', ["/c"]),
                         ("stop.event == Gone", [])):
        got = answer("latency", "--open", "--where", where, path, status=not paths,
                     complaint="" if paths else
                     f'cannot find pairs: none of 1 passes "{where}"')
        same((where, [start["start"]["path"] for start in got["open"]]), (where, paths))
    assert "Never ended" not in asked("latency", "--open", shops(
        (1, shop("A", 1, 7)), (2, shop("B", 2, 7))))


def ages_of_another_clock_are_not_known():
    one, other = Recording(), Recording(clock=(1_700_000_000 * SECOND, 0))
    one.sample(shop_event(one), SECOND, shop("A"))
    other.sample(shop_event(other), SECOND, shop("Note"))
    files = save("a", one.file()), save("b", other.file())
    got = answer("latency", "A", "B", "--open", *files)
    same([start["nanoseconds"] for start in got["open"]], [None])
    assert "  its time cannot be compared\n" in asked("latency", "A", "B", "--open", *files)


def where_selects_pairs():
    path = shops((1000, shop("Get", 1, 7, path="/a", size=1)),
                 (2000, shop("Get", 1, 8, path="/b", size=2), {"pid": 5}),
                 (3000, shop("Got", 2, 7, status=200, size=1)),
                 (9000, shop("Got", 2, 8, status=500, size=9)),
                 (9500, shop("Get", 1, 9, path="/a", size=3)))
    for where, durations in (
            ("duration > 2us", [7000]), ("duration <= 2us", [2000]),
            ("duration >= 0.007ms && status == 500", [7000]), ("!(duration < 7000ns)", [7000]),
            ('path == "/a"', [2000]), ('path == "/a" || status == 500', [7000, 2000]),
            ("start.size == 2", [7000]), ("stop.size == 1", [2000]),
            ("status == 200 && size == 1", [2000]), ("stop.pid == 100", [7000, 2000]),
            ("pid == 5", [7000]), ("stop.event == Got && event == Get", [7000, 2000]),
            ("time < 0.0000015", [2000]), ("stop.time > 0.000005", [7000]),
            ("level == info", [7000, 2000])):
        found, got = pairs("--where", where, path)
        same((where, found), (where, durations))
        excluded = {"excluded": 2 - len(found)} if len(found) < 2 else {}
        same(counted(got), {"neverEnded": 1} | excluded)
    same(pairs("Get", "Got", "--where", "status == 500", path)[0], [7000])
    for where, more in (("`start`.size == 2", ""), ("stop.path == '/a'", "; starts have it"),
                        ("start.status == 200", "; stops have it")):
        got = answer("latency", "--where", where, path, status=1,
                     complaint=f'no event has a field "{where.split()[0]}"{more}')
        same(counted(got), {"neverEnded": 1, "excluded": 2})


def where_of_pairs_has_sentences():
    path = shops((1, shop("A", 1, 7, size=1)), (9, shop("B", 2, 7, size=9)))
    for where, status, complaint in (
            ("size == 1", 1, 'cannot compare field "size": Shop:A and Shop:B have different values '
             "of it; write start.size or stop.size\n    size == 1\n    ^"),
            ("stop.size == 'x'", 1, 'cannot compare field "stop.size" of Shop:B with text: it is a '
             "number; write 17, 0x11, -1 or 0.5, without quotes\n    stop.size == 'x'\n"
             "                 ^"),
            ("duration > 10", 2, "cannot parse the expression: duration is 500us, 10ms, 1.5s, 2m, "
             "1h, without quotes; a field of this name is start.duration or stop.duration\n"
             "    duration > 10\n               ^"),
            ("duration ~ 1s", 2, "cannot parse the expression: duration is compared with == != < <= "
             "> or >=\n    duration ~ 1s\n               ^")):
        same(asked("latency", "--where", where, path, status=status, complaint=complaint), "")
    for where, complaint in (
            ("duration > 1s", 'cannot find pairs: none of 1 passes "duration > 1s"'),
            ("sizes == 1", 'no event has a field "sizes"; did you mean "size"?')):
        out = asked("latency", "--where", where, path, status=1, complaint=complaint)
        same(out.splitlines()[1:], ["  1 pair does not pass --where"])


def names_of_pairs_are_explained_where_events_are_selected():
    path = shops((1, shop("A", 1, 7, size=1)), (9, shop("B", 2, 7, size=9)))
    for field in "duration", "start.size", "stop.sizes":
        asked("decode", "--where", f"{field} > 5", path, status=1, complaint=
              f'no event has a field "{field}"; "latency --where" selects pairs, by duration and '
              "fields of start and stop")


def a_key_of_which_one_event_has_only_the_property_is_told():
    path = shops((1, shop("A", id=0)), (2, shop("A", id=5)), (9, shop("B")))
    complaint = ('cannot find a field "id" in Shop:B: its property id was taken, and the field of '
                 "Shop:A; --key meta.id takes the property of both")
    same(pairs("A", "B", "--key", "id", path, complaint=complaint)[0], [8])
    same(pairs("A", "B", "--key", "meta.id", path)[0], [7])
    page = folder / "key.html"
    asked("report", "-o", str(page), "--start", "A", "--stop", "B", "--key", "id", path,
          complaint=complaint)


def times_of_different_clocks_are_no_duration():
    one, other = Recording(), Recording(clock=(1_700_000_000 * SECOND, 0))
    one.sample(shop_event(one), SECOND, shop("A"))
    other.sample(shop_event(other), SECOND, shop("B"))
    got = answer("latency", "A", "B", save("a", one.file()), save("b", other.file()), status=1,
                 complaint="cannot find pairs: no start was followed by an end with the same "
                           "key; --key FIELD, --activity and --thread choose it")
    same(counted(got), {"otherClock": 1})


def durations_below_zero_are_counted():
    recording = Recording()
    event = shop_event(recording)
    for time in 1000, 2000, 3000:
        recording.sample(event, time, shop("A", id=time))
        recording.round()
    recording.sample(event, 500, shop("B", id=1000))
    recording.round()
    recording.sample(event, 5000, shop("B", id=3000))
    done = subprocess.run([tool, "latency", "A", "B", "--key", "id", "--json", "-"],
                          input=recording.stream(), capture_output=True)
    got = json.loads(done.stdout)
    same((got["max"], counted(got)), (2000, {"neverEnded": 1, "negative": 1}))
    assert b"cannot put 1 event of standard input in order" in done.stderr, done.stderr


def events_without_times_are_counted():
    recording = Recording()
    event = recording.event("user_events", "Shop_L4K1", 600, EVENTHEADER, sample_type=RAW)
    recording.sample(event, 0, shop("A"))
    got = answer("latency", "A", "B", save("a", recording.file()), status=1,
                 complaint='cannot find an event "B": there is none; did you mean "A"?')
    same(counted(got), {"withoutTime": 1})


def capture(*records):
    """A capture file; a record is text that defines an event, or (time, bytes of one)."""
    made = Capture("<")
    for record in records:
        if isinstance(record, str):
            made.definition(0, record)
        else:
            time, body = record
            made.event(body, time, cpu=1)
    return made.bytes


def a_start_is_shown_although_its_definition_was_replaced():
    path = save("capture", capture("begin u32 id", (100, struct.pack("<I", 1)), "end u32 id",
                                   (300, struct.pack("<I", 1)), "other u32 x",
                                   (301, struct.pack("<I", 1))))
    found, got = pairs("begin", "end", "--key", "id", path)
    same(found, [200])
    same([got["slowest"][0][side]["n"] for side in ("start", "end")],
         ["user_events:begin", "user_events:end"])


# All sources, live and recorded

def captures_of_programs_are_answered():
    path = str(folder / "program")
    subprocess.run([tool, "run", "--record", path, example], check=True,
                   stdout=subprocess.DEVNULL)
    same(answer("stat", path)["count"], 7)
    found, got = pairs(path)
    same((len(found), counted(got)), (2, {}))
    same(answer("hist", "CheckoutStopped", "total", path)["max"], 99.5)
    same(answer("hist", "basket", "items[0].count", path)["max"], 2)


def programs_are_answered_live():
    got = answer("stat", "--run", "--", many, "1000")
    same([(row["event"], row["count"]) for row in got["rows"]], [("step", 1000)])
    got = answer("hist", "step", "number", "--run", "--", many, "1000")
    same((got["count"], got["min"], got["max"], got["mean"]), (1000, 0, 999, 499.5))
    got = answer("latency", "step", "step", "--thread", "--run", "--", many, "1000")
    same((got["count"], counted(got)), (999, {"neverEnded": 1}))
    same(answer("latency", "--run", "--", example)["count"], 2)


def the_status_of_a_program_is_kept():
    for words in ["stat"], ["hist", "step", "number"], ["latency", "step", "step"]:
        done = subprocess.run([tool, *words, "--run", "--", "sh", "-c", f"{many} 9; exit 7"],
                              capture_output=True)
        same(done.returncode, 7)


def filters_apply():
    path = numbers(range(100))
    same(answer("stat", "--where", "ns < 10", path)["count"], 10)
    same(answer("hist", "done", "ns", "--where", "ns >= 90", path)["min"], 90)
    same(answer("latency", "done", "done", "--from", "0.00000005", path)["count"], 49)


def hostile_recordings_end_well():
    perf_seeds.main(folder)
    chance = random.Random(11)
    for name in ("file", "file-big-endian", "stream", "layouts", "capture", "program"):
        whole = (folder / name).read_bytes()
        for _ in range(12 if is_full else 4):
            broken = bytearray(whole)
            for _ in range(chance.randrange(1, 6)):
                broken[chance.randrange(len(broken))] = chance.randrange(256)
            path = save("broken", bytes(broken[:chance.randrange(1, len(broken) + 1)]))
            for words in (["stat", "--by", "text"], ["hist", "*", "order", "--by", "n"],
                          ["latency", "*", "*", "--key", "order", "--by", "text"], ["latency"]):
                done = subprocess.run([tool, *words, path], capture_output=True, timeout=300)
                assert done.returncode in (0, 1), (words, done)


# Wrong usage

SOURCE = 'no source is given: recordings, --run or --watch; "userevents {0} --help" lists the options'
OPTIONS = '; "userevents {0} --help" lists the options'
NAME = "the name of a field is expected"


def wrong_usage_has_a_sentence():
    a = numbers([1, 2])
    for words, complaint in (
            (["stat"], "cannot count: " + SOURCE),
            (["stat", "--by"], "cannot count: the option --by needs a value" + OPTIONS),
            (["stat", "--by", "", a], "cannot count: the option --by needs a value that is not "
             "empty" + OPTIONS),
            (["stat", "--by", "a b", a], 'cannot parse the field "a b": a name with other '
             "characters than letters, digits and _ is written in backquotes, `a-b`"),
            (["stat", "--by", "1", a], 'cannot parse the field "1": ' + NAME),
            (["stat", "--by", "a[x]", a], 'cannot parse the field "a[x]": an element is [0], '
             "[1], and so on up to [65535]"),
            (["stat", "--by", "`a", a], 'cannot parse the field "`a": the name has no closing `'),
            (["stat", "--groups", "0", a], "cannot count: the option --groups needs at least 1: "
             "digits, or digits with k, M or G" + OPTIONS),
            (["stat", "--groups", "-1", a], "cannot count: the option --groups needs a number: "
             "digits, or digits with k, M or G" + OPTIONS),
            (["stat", "--grups", "1", a], 'cannot count: there is no option "--grups"; did you '
             'mean "--groups"?'),
            (["stat", "--run", "--watch", a], "cannot count: --run and --watch exclude each other"
             + OPTIONS),
            (["stat", "--run"], "cannot count: no program is given" + OPTIONS),
            (["stat", "-", "-"], 'cannot count: "-" is given more than once'),
            (["hist"], "cannot make a histogram: no event and no field is given" + OPTIONS),
            (["hist", "done"], "cannot make a histogram: no field is given" + OPTIONS),
            (["hist", "done", "ns"], "cannot make a histogram: " + SOURCE),
            (["hist", "done", "a..b", a], 'cannot parse the field "a..b": ' + NAME),
            (["hist", "done", "ns", "--by", ".", a], 'cannot parse the field ".": ' + NAME),
            (["hist", "done", a], "cannot make a histogram: EVENT or FIELD is missing before the "
             f'file "{a}"' + OPTIONS),
            (["hist", a], "cannot make a histogram: no event and no field is given" + OPTIONS),
            (["stat", "--by", "ns", "--by", "ns", a], "cannot count: the option --by is given twice; "
             '"userevents query" groups by several fields' + OPTIONS),
            (["stat", "-w", "ns == 1", "--where=ns == 2", a], "cannot count: the option --where is "
             "given twice; join expressions with &&" + OPTIONS),
            (["latency"], "cannot find pairs: " + SOURCE),
            (["latency", "A", "B"], 'cannot find pairs: no recording is given: "A" and "B", '
             "which are not files here, are START and STOP" + OPTIONS),
            (["latency", "--key", "a", "--thread", a], "cannot find pairs: --key, --activity and "
             "--thread exclude each other" + OPTIONS),
            (["latency", "--activity", "--thread", a], "cannot find pairs: --key, --activity and "
             "--thread exclude each other" + OPTIONS),
            (["latency", "--key", "a-b", a], 'cannot parse the field "a-b": a name with other '
             "characters than letters, digits and _ is written in backquotes, `a-b`"),
            (["latency", "--csv", "--slowest", "1", a], "cannot find pairs: --slowest and --open are "
             "not for --csv and --tsv; use --json, or the table requests of userevents query"
             + OPTIONS),
            (["latency", "--slowest", "1001", a], "cannot find pairs: --slowest is at most 1000"
             + OPTIONS),
            (["latency", "--slowest", "x", a], "cannot find pairs: the option --slowest needs a "
             "number: digits, or digits with k, M or G" + OPTIONS),
            (["latency", "--max-open", "0", a], "cannot find pairs: the option --max-open needs "
             "at least 1: digits, or digits with k, M or G" + OPTIONS),
            (["latency", "--max-open", "4G", a], "cannot find pairs: --max-open is at most "
             "1073741823" + OPTIONS),
            (["latency", "--quiet", a], 'cannot find pairs: the option "--quiet" does not exist'
             + OPTIONS)):
        asked(*words, status=2, complaint=complaint.format(words[0]))


def wrong_questions_have_a_sentence():
    a = numbers([1, 2])
    for words, complaint in (
            (["latency", a], "cannot find pairs: no EventHeader event has the opcode start or "
             "stop; name the events: latency START STOP"),
            (["latency", "A", "done", a], 'cannot find an event "A": there is none; "userevents '
             'stat" lists those that are there'),
            (["latency", "done", "don", a], 'cannot find an event "don": there is none; did you '
             'mean "done"?'),
            (["latency", "done", "done", "--key", "nss", a], "cannot use the field nss: none of 2 "
             'events has a value of it; did you mean "ns"?'),
            (["latency", "done", "done", "--activity", a], "cannot find pairs: none of 2 events "
             "has the key; --key FIELD, --activity and --thread choose it"),
            (["latency", "done", "done", "--by", "pth", a], "cannot use the field pth: none of 3 "
             'events has a value of it; did you mean "path"?'),
            (["stat", "--by", "meta.pdi", a], "cannot use the field meta.pdi: none of 2 events "
             "has a value of it")):
        asked(*words, status=1, complaint=complaint)


def an_unknown_field_is_said_instead_of_the_answer():
    """Nothing else is printed of a recording; what cannot be read again is, after the error."""
    recording = Recording()
    for i in range(4):
        event = recording.event("user_events", "Shop_L4K1", 600, EVENTHEADER) if not i else event
        recording.sample(event, i * SECOND, shop("A", opcode=1 + i % 2, activity=7, size=i))
    content = recording.file()
    path = save("unknown", content)
    for words, events in ((["stat"], 4), (["hist", "A", "size"], 4), (["latency"], 4),
                          (["latency", "--cpu", "--csv"], 4), (["stat", "--json"], 4)):
        words = [words[0], "--by", "szie", *words[1:]]
        said = ("userevents: cannot use the field szie: none of "
                f'{events} events has a value of it; did you mean "size"?\n')
        same(asked(*words, path, status=1, complaint=said[12:-1]), "")
        done = subprocess.run([tool, *words, "-"], input=content, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        same(done.returncode, 1)
        shown = done.stdout.decode()
        assert shown.startswith(said) and len(shown) > len(said), shown
    # without pairs, it may be another name that is wrong
    asked("latency", "--by", "szie", "A", "Gone", path, status=1,
          complaint='cannot find an event "Gone": there is none; "userevents stat" lists those '
                    "that are there")


def events_that_are_left_out_are_no_unknown_names():
    recording = Recording()
    for name, number in ("bar_start", 500), ("bar_stop", 501):
        recording.sample(done_event(recording, name, number), number, done(recording, ns=number))
    path = save("bars", recording.file())
    asked("latency", "bar_start", "bar_stop", "-e", "bar_start", path, status=1,
          complaint='cannot use an event "bar_stop": there are such, and none passes -e and the '
          "times")
    asked("hist", "bar_stop", "ns", "-w", "ns == 500", path, status=1,
          complaint='cannot use an event "bar_stop": there are such, and none passes --where, -e '
          "and the times")


def nothing_to_ask_has_a_sentence():
    recording = Recording()
    done_event(recording)
    recording.comm(0, 100, "silent")
    empty, whole = save("empty", recording.file()), numbers([1, 2])
    other = save("other", recording.file())
    ring = str(folder / "empty.ring")
    asked("ring", "create", ring)
    why = '; "userevents doctor" finds out why none came'
    unused = (": no program registered an event in it; one must call ue_open(NULL) and "
              "ue_register_all(), with the ring's name in USEREVENTS_RING; a program that is "
              "set-user-id or set-group-id, or has file capabilities, ignores that variable")
    page = folder / "none.html"
    for words, verb in ((["latency"], "find pairs"), (["latency", "A", "B"], "find pairs"),
                        (["latency", "--json"], "find pairs"),
                        (["hist", "done", "ns"], "make a histogram"),
                        (["hist", "done", "ns", "--by", "path"], "make a histogram"),
                        (["decode"], "decode"), (["decode", "--json"], "decode"),
                        (["stat"], "count"), (["stat", "--json"], "count"),
                        (["report", "-o", str(page)], "report"),
                        (["export", "--to", "otlp-json"], "export")):
        for file, reason in (empty, why), (ring, unused):
            same(asked(*words, file, status=1,
                       complaint=f"cannot {verb}: {file} has no event{reason}"), "")
        asked(*words, empty, other, status=1, complaint=f"cannot {verb}: {empty} has no event{why}\n"
              f"userevents: cannot {verb}: {other} has no event{why}")
        asked(*words, "-", stdin=recording.file(), status=1,
              complaint=f"cannot {verb}: the standard input has no event{why}")
        # Reading has failed with a sentence of its own.
        asked(*words, "-e", "zzz", whole, status=1, complaint='cannot find an event that "zzz" '
              "matches: there is no such tracepoint or EventHeader event in what was read")
    same(page.exists(), False)
    for words in ["latency"], ["hist", "done", "ns"]:
        done = subprocess.run([tool, *words, "--run", "true"], capture_output=True, timeout=300)
        same((done.returncode, done.stderr.count(b"userevents: ")), (1, 1))


run([
    stat_counts_events_by_name,
    stat_prints_an_aligned_table,
    stat_reads_streams_and_merges_files,
    stat_groups_by_values_of_all_types,
    stat_has_a_bounded_number_of_groups, the_busiest_of_many_values_is_first,
     groups_are_sorted_by_what_is_asked, files_are_exact_with_any_number_of_values,
     a_value_that_may_be_busier_is_told,
    stat_reports_losses,
    stat_does_not_compare_times_of_different_clocks,
    a_field_that_no_event_has_is_reported,
    nothing_controls_the_terminal,
    histograms_are_as_exact_as_stated,
    a_histogram_counts_what_it_leaves_out,
    a_histogram_needs_numbers,
    groups_have_histograms_of_their_own,
    bars_can_be_left_out,
    bars_have_rows_with_round_limits,
    rows_hold_every_number,
    bars_are_ascii_unless_the_locale_has_utf_8,
    bars_have_colour_only_on_a_terminal,
    keys_of_all_types_pair_events,
    different_keys_are_no_pair,
    processes_and_other_properties_are_keys,
    activities_with_opcodes_need_no_names,
    without_activities_threads_pair_events,
    threads_nest,
    a_repeated_start_replaces_the_one_before,
    the_same_start_and_stop_give_times_between,
    an_event_that_both_globs_match_is_an_end,
    groups_are_of_the_start_or_of_the_end,
    percentiles_of_latency_are_as_exact_as_stated,
    open_starts_are_bounded_and_the_oldest_dropped,
    many_keys_take_little_memory,
    the_slowest_pairs_show_both_events,
    the_slowest_pairs_show_what_happened_within,
    calls_are_within_calls,
    events_within_are_bounded,
    starts_that_never_ended_are_listed,
    ages_of_another_clock_are_not_known,
    where_selects_pairs,
    where_of_pairs_has_sentences,
    a_start_keeps_its_names,
    names_of_pairs_are_explained_where_events_are_selected,
    a_key_of_which_one_event_has_only_the_property_is_told,
    times_of_different_clocks_are_no_duration,
    durations_below_zero_are_counted,
    events_without_times_are_counted,
    a_start_is_shown_although_its_definition_was_replaced,
    captures_of_programs_are_answered,
    programs_are_answered_live,
    the_status_of_a_program_is_kept,
    filters_apply,
    hostile_recordings_end_well,
    wrong_usage_has_a_sentence,
    wrong_questions_have_a_sentence,
    an_unknown_field_is_said_instead_of_the_answer,
     events_that_are_left_out_are_no_unknown_names,
    nothing_to_ask_has_a_sentence,
])
