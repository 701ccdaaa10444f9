#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lines of text, nested JSON, and times that people type: the options that decode, watch and
run share. Arguments: the tool, the program hello."""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from captures import Capture
from recordings import EVENTHEADER, Recording, TraceDat, eventheader
from tap import run, same
from terminal import on_terminal

tool, hello = sys.argv[1:]
folder = pathlib.Path(tempfile.mkdtemp())
NUMBER = [("u32", "number", 4, 0)]
SECOND = 10**9
# Zones in words, as there may be no data of zones.
BERLIN = "CET-1CEST,M3.5.0,M10.5.0/3"
NEWFOUNDLAND = "NST3:30NDT,M3.2.0,M11.1.0"
NEPAL = "<+0545>-5:45"
EVENING = 1_700_000_000 * SECOND  # 2023-11-14T22:13:20Z
BACK = 1_698_541_200 * SECOND  # 2023-10-29T01:00Z: Berlin sets clocks from 3:00 to 2:00


def save(content, name="a"):
    path = folder / name
    path.write_bytes(content)
    return str(path)


def called(*args, zone="UTC", status=0, complaint=None, stdin=b""):
    done = subprocess.run([tool, *args], input=stdin, capture_output=True, timeout=600,
                          env={**os.environ, "TZ": zone})
    said = done.stderr.decode()
    same((done.returncode, complaint is None), (status, not said))
    assert not complaint or complaint in said, f"{complaint!r} is not in {said!r}"
    return done.stdout.decode()


def decode(*args, **kwargs):
    return called("decode", *args, **kwargs)


def ticks(times, clock=None, name="tick"):
    """Numbered events, at these times of the recorder's clock."""
    recording = Recording(clock=clock)
    event = recording.event("user_events", name, 500, NUMBER)
    for number, time in enumerate(times):
        recording.sample(event, time, recording.pack("I", number))
    return recording.file()


def on_dates(times):
    """The same, at times since 1970; the recorder's clock was 1000 s then."""
    begin = times[0]
    return ticks([1000 * SECOND + time - begin for time in times], (begin % 2**64, 1000 * SECOND))


def capture(events):
    """A file of userevents run --record: of (name, time, comm, pid, lost)."""
    names = sorted({event[0] for event in events})
    made = Capture("<")
    for index, name in enumerate(names):
        made.definition(index, f"{name} u32 number")
    for number, (name, time, comm, pid, lost) in enumerate(events):
        made.event(struct.pack("<I", number), time, names.index(name), pid, pid + 1, 3, lost, comm,
                   time - EVENING)
    return made.bytes


def numbers(*args, **kwargs):
    return [json.loads(line)["number"] for line in
            decode("--json", *args, **kwargs).splitlines()]


# Times

def times_are_local_and_the_date_comes_before():
    path = save(on_dates([EVENING, EVENING + 1_234_567]))
    same(decode(path, zone=BERLIN), "-- 2023-11-14 +01:00\n"
         "23:13:20.000000 100 user_events:tick number=0\n"
         "23:13:20.001234 100 user_events:tick number=1\n")
    same(decode(path, zone=NEWFOUNDLAND), "-- 2023-11-14 -03:30\n"
         "18:43:20.000000 100 user_events:tick number=0\n"
         "18:43:20.001234 100 user_events:tick number=1\n")
    same(decode("--utc", path, zone=BERLIN), "-- 2023-11-14 Z\n"
         "22:13:20.000000Z 100 user_events:tick number=0\n"
         "22:13:20.001234Z 100 user_events:tick number=1\n")


def wide_lines_have_all():
    path = save(on_dates([EVENING, EVENING + 1_234_567]))
    line = " [000] 100/101 user_events:tick number=1\n"
    same(decode("--wide", path, zone=BERLIN).splitlines(True)[1],
         "2023-11-14T23:13:20.001234567+01:00" + line)
    same(decode("--wide", "--utc", path, zone=BERLIN).splitlines(True)[1],
         "2023-11-14T22:13:20.001234567Z" + line)


def the_date_is_printed_when_it_changes():
    midnight = EVENING + 6400 * SECOND  # of UTC
    path = save(on_dates([midnight - 1, midnight, midnight + 86399 * SECOND,
                          midnight + 86400 * SECOND]))
    same([line.split(" 100 ")[0] for line in decode(path).splitlines()],
         ["-- 2023-11-14 +00:00", "23:59:59.999999", "-- 2023-11-15 +00:00",
          "00:00:00.000000", "23:59:59.000000", "-- 2023-11-16 +00:00", "00:00:00.000000"])


def the_time_zone_is_printed_when_it_changes():
    path = save(on_dates([BACK - 500_000_000, BACK + 500_000_000]))
    same([line.split(" 100 ")[0] for line in decode(path, zone=BERLIN).splitlines()],
         ["-- 2023-10-29 +02:00", "02:59:59.500000", "-- 2023-10-29 +01:00",
          "02:00:00.500000"])
    same([line.split(" [")[0] for line in
          decode("--wide", path, zone=BERLIN).splitlines()],
         ["2023-10-29T02:59:59.500000000+02:00", "2023-10-29T02:00:00.500000000+01:00"])


def today_needs_no_date():
    ring = folder / "ring"
    subprocess.run([hello, "1"], check=True, capture_output=True,
                   env={**os.environ, "USEREVENTS_RING": str(ring)})
    assert re.fullmatch(r"\d\d:\d\d:\d\d\.\d{6} \w+\[\d+\] user_events:hello number=1 "
                        r"square=1\n", decode(str(ring))), decode(str(ring))


def times_before_1970_and_without_a_date():
    path = save(on_dates([-500_000_000, 0]))
    same(decode("--wide", "-u", path).split(" ")[0], "1969-12-31T23:59:59.500000000Z")
    path = save(ticks([1_500_000_001, 12345 * SECOND]))
    same(decode("--meta", "time", path), "    1.500000 user_events:tick number=0\n"
         "12345.000000 user_events:tick number=1\n")
    same(decode("--meta", "time", "--wide", path).split("\n")[0],
         "    1.500000001 user_events:tick number=0")


def times_since_other_events():
    path = save(on_dates([EVENING, EVENING + 12_345, EVENING + 1000 * SECOND]))
    same([line.split()[0] for line in decode("--time", "delta", path).splitlines()],
         ["+0.000000000", "+0.000012345", "+999.999987655"])
    same([line.split()[0] for line in decode("--time", "relative", path).splitlines()],
         ["+0.000000000", "+0.000012345", "+1000.000000000"])
    same(decode("-t", "delta", path).split("\n")[1],
         "  +0.000012345 100 user_events:tick number=1")
    # of those that are printed
    same(decode("-t", "delta", "--from", "+1us", path).split("\n")[1].split()[0],
         "+999.999987655")


def times_of_the_recordings_clock():
    path = save(on_dates([EVENING, EVENING + 12_345]))
    same([line.split()[0] for line in decode("-t", "monotonic", path).splitlines()],
         ["1000.000000", "1000.000012"])
    same(decode("-t", "monotonic", "--wide", path).split("\n")[1].split()[0], "1000.000012345")
    captured = save(capture([("tick", EVENING + 7_000, b"hello", 7, 0)]))
    same(decode("-t", "monotonic", captured).split(), ["0.000007", "hello[7]", "user_events:tick",
                                                       "number=0"])
    ring = folder / "monotonic"
    subprocess.run([hello, "1"], check=True, capture_output=True,
                   env={**os.environ, "USEREVENTS_RING": str(ring)})
    uptime = float(pathlib.Path("/proc/uptime").read_text().split()[0])
    time = float(decode("-t", "monotonic", str(ring)).split()[0])
    assert uptime - 600 < time < uptime + 600, (uptime, time)


def times_of_two_clocks_are_not_subtracted():
    dates = save(on_dates([EVENING, EVENING + 5]), "dates")
    seconds = save(ticks([7, 9]), "seconds")
    shown = decode("-t", "delta", seconds, dates)
    same([line.split()[0] for line in shown.splitlines()],
         ["+0.000000000", "+0.000000002", "+0.000000000", "+0.000000005"])


def json_has_utc():
    path = save(on_dates([EVENING]))
    for options in [], ["--wide"], ["--time", "delta"], ["--utc"]:
        event = json.loads(decode("--json", *options, path, zone=BERLIN))
        same(event["meta"]["time"], "2023-11-14T22:13:20.000000000Z")


# Columns

def columns_are_aligned():
    path = save(capture([("a", EVENING, b"hello", 7, 0), ("longer", EVENING, b"w", 12345, 0),
                         ("a", EVENING, b"hello", 7, 0)]))
    same(decode("-u", path).splitlines()[1:],
         ["22:13:20.000000Z hello[7] user_events:a number=0",
          "22:13:20.000000Z w[12345] user_events:longer number=1",
          "22:13:20.000000Z hello[7] user_events:a      number=2"])
    same(decode("--wide", "-u", path).splitlines(),
         ["2023-11-14T22:13:20.000000000Z [003] hello[7/8] user_events:a number=0",
          "2023-11-14T22:13:20.000000000Z [003] w[12345/12346] user_events:longer number=1",
          "2023-11-14T22:13:20.000000000Z [003] hello[7/8]     user_events:a      number=2"])
    same(decode("--meta", "n", path), "user_events:a number=0\nuser_events:longer number=1\n"
         "user_events:a number=2\n")


def characters_are_aligned_not_bytes():
    name = "caf\u00e9".encode()
    path = save(capture([("a", EVENING, name, 7, 0), ("a", EVENING, b"longer", 7, 0),
                         ("a", EVENING, name, 7, 0)]))
    same([line.index("user") for line in decode(path).splitlines()[1:]], [24, 26, 26])


def a_thread_stands_for_a_process_that_is_not_recorded():
    recording = TraceDat()
    tick = recording.event("user_events", "tick", 500, NUMBER)
    recording.record(tick, 5000, recording.recording.pack("I", 1), pid=77)
    path = save(recording.file())
    same(decode(path), "    0.000005 77 user_events:tick number=1\n")
    same(decode("--wide", path), "    0.000005000 [000] 77 user_events:tick number=1\n")
    same(decode("--meta", "time", path), "    0.000005 user_events:tick number=1\n")


def unusual_lengths_are_not_followed():
    name = "n" * 200
    path = save(capture([(name, EVENING, b"hello", 7, 0), ("a", EVENING, b"hello", 7, 0)]))
    same(decode(path).splitlines()[2], "22:13:20.000000 hello[7] user_events:a number=1")


def names_of_threads_do_not_steer_a_terminal():
    path = save(capture([("a", EVENING, b"\x1b[2J\x7f\xc2\x9b\n", 7, 0)]))
    same(decode(path).splitlines()[1], "22:13:20.000000 \\u001b[2J\\u007f\\u009b\\n[7] user_events:a number=0")


def losses_have_lines_of_their_own():
    path = save(capture([("a", EVENING, b"hello", 7, 3)]))
    same(decode(path, status=1, complaint=f"3 events were lost when {path} was recorded."),
         "(3 events of process 7 lost here)\n-- 2023-11-14 +00:00\n"
         "22:13:20.000000 hello[7] user_events:a number=0\n")
    path = save(capture([("a", EVENING, b"hello", 7, 1), ("a", EVENING, b"hello", 8, 2)]))
    lines = decode("-t", "delta", path, status=1, complaint="3 events were lost").split("\n")
    same(lines[0], "(1 event of process 7 lost here)")


def of_level(level, opcode=0, name="Order"):
    recording = Recording()
    event = recording.event("user_events", f"Shop_L{level:x}K1f", 600, EVENTHEADER)
    content = bytearray(eventheader(name, [("count", b"\x04")], struct.pack("<I", 3),
                                    level=level))
    content[6] = opcode
    recording.sample(event, 1, bytes(content))
    return save(recording.file())


def levels_and_opcodes_have_names():
    for level, name in (1, "critical"), (2, "error"), (3, "warning"), (4, "info"), \
            (5, "verbose"), (6, "6"), (255, "255"):
        same(decode("--meta", "n,level", of_level(level)),
             f"Shop:Order count=3 meta={{level={name}}}\n")
    for opcode, name in (1, "start"), (2, "stop"), (3, "collection_start"), \
            (4, "collection_stop"), (5, "extension"), (6, "reply"), (7, "resume"), \
            (8, "suspend"), (9, "send"), (10, "10"), (240, "receive"), (239, "239"):
        same(decode("--meta", "n,opcode", of_level(5, opcode)),
             f"Shop:Order count=3 meta={{opcode={name}}}\n")
    meta = json.loads(decode("-j", "--meta", "n,level,opcode", of_level(3, 1)))["meta"]
    same(meta, {"level": 3, "opcode": 1})


def a_line_has_what_a_person_needs():
    path = of_level(4, 1)
    same(decode(path), "    0.000000 100 Shop:Order count=3 meta={level=info opcode=start}\n")
    same(decode("--wide", path), "    0.000000001 [000] 100/101 Shop:Order count=3 "
         "meta={level=info keyword=0x1F opcode=start}\n")


def a_terminal_has_colour():
    for level, colour in (2, "1;31"), (3, "1;33"), (4, "1"):
        same(on_terminal(tool, "decode", "--meta", "n,time", of_level(level)),
             f"\x1b[2m    0.000000 \x1b[0m\x1b[{colour}mShop:Order\x1b[0m count=3\n")
    same(on_terminal(tool, "decode", "--meta", "n", of_level(4), NO_COLOR="1"),
         "Shop:Order count=3\n")
    shown = on_terminal(tool, "decode", "--json", of_level(4))
    assert "\x1b" not in shown, shown


def a_quoted_name_is_coloured_whole():
    shown = on_terminal(tool, "decode", "--meta", "n", of_level(4, name='a "b" c'))
    same(shown, '\x1b[1m"Shop:a \\"b\\" c"\x1b[0m count=3\n')


# JSON

def nested_json_hides_nothing():
    recording = Recording()
    event = recording.event("user_events", "tick", 500, [
        ("u32", "n", 4, 0), ("u32", "meta", 4, 0), ("u32", "time", 4, 0),
        ("u32", "fields", 4, 0), ("u32", "_n", 4, 0)])
    recording.sample(event, 1_500_000_000, recording.pack("IIIII", 1, 2, 3, 4, 5))
    path = save(recording.file())
    same(decode("--format", "jsonl-nested", path),
         '{"provider":"user_events","event":"tick","time":1.500000000,"cpu":0,"pid":100,'
         '"tid":101,"fields":{"n":1,"meta":2,"time":3,"fields":4,"_n":5}}\n')
    same(json.loads(decode("-f", "jsonl-nested", "--meta", "none", path)),
         {"fields": {"n": 1, "meta": 2, "time": 3, "fields": 4, "_n": 5}})
    same(json.loads(decode("-f", "jsonl-nested", "--meta", "common", path))["common_pid"], 101)
    same(json.loads(decode("-f", "jsonl-nested", of_level(3))),
         {"provider": "Shop", "event": "Order", "time": 1e-9, "cpu": 0, "pid": 100,
          "tid": 101, "level": 3, "keyword": "0x1F", "fields": {"count": 3}})


def nested_json_has_errors():
    recording = Recording()
    event = recording.event("user_events", "tick", 500, [("u32", "a", 4, 0),
                                                         ("u32", "b", 4, 0)])
    recording.sample(event, 1, recording.pack("I", 1))
    shown = json.loads(decode("-f", "jsonl-nested", save(recording.file()), status=1,
                              complaint="cannot decode all of 1 event"))
    same((shown["fields"]["a"], shown["error"]["name"]), (1, "value_past_end"))


# Values that people type

SPREAD = [0, 500_000_000, 1_500_000_000, 60 * SECOND, 3600 * SECOND, 7200 * SECOND]


def limits_before_the_end():
    for content in (on_dates([EVENING + time for time in SPREAD]),
                    ticks([7 * SECOND + time for time in SPREAD])):
        path = save(content)
        for limit, expected in (("-1s", [5]), ("-0.1ms", [5]), ("-3600s", [4, 5]),
                                ("-60m", [4, 5]), ("-1h", [4, 5]), ("-1.5h", [4, 5]),
                                ("-2h", [0, 1, 2, 3, 4, 5]), ("-7140s", [3, 4, 5]),
                                ("-1d", [0, 1, 2, 3, 4, 5]), ("+1s", [2, 3, 4, 5]),
                                ("+0.5", [1, 2, 3, 4, 5]), ("+1m", [3, 4, 5])):
            same(numbers("--from", limit, path), expected)
            same(numbers("--from=" + limit, "-", stdin=content), expected)
        same(numbers("--to", "-1h", path), [0, 1, 2, 3])
        same(numbers("--from", "-2h", "--to", "-1h", path), [0, 1, 2, 3])
        decode("--from", "-1h", "--to", "-2h", path, status=2, complaint="is not before --to")


def the_end_of_several_files_is_that_of_the_last():
    one = save(on_dates([EVENING + time for time in SPREAD[:3]]), "one")
    other = save(on_dates([EVENING + time for time in SPREAD[3:]]), "other")
    same(numbers("--from", "-1h", one, other), [1, 2])
    same(numbers("--to", "+1s", one, other), [0, 1])


def a_stream_of_another_kind_is_read_twice_too():
    content = capture([("a", EVENING + time, b"x", 7, 0) for time in SPREAD])
    same(numbers("--from", "-1h", "-", stdin=content), [4, 5])
    reader, writer = os.pipe()
    os.write(writer, content)
    os.close(writer)
    done = subprocess.run([tool, "decode", "--from", "-1h", f"/dev/fd/{reader}"],
                          capture_output=True, pass_fds=[reader], timeout=600)
    os.close(reader)
    same((done.returncode, done.stdout), (1, b""))
    assert b"twice" in done.stderr and b"save it as a file" in done.stderr, done.stderr


def times_of_day():
    path = save(on_dates([EVENING + time for time in SPREAD]))  # 22:13:20 to 00:13:20 UTC
    for limit, expected in (("22:13", [0, 1, 2, 3, 4, 5]), ("22:13:20", [0, 1, 2, 3, 4, 5]),
                            ("22:13:20.5", [1, 2, 3, 4, 5]), ("22:13:21Z", [2, 3, 4, 5]),
                            ("22:14", [3, 4, 5]), ("23:00", [4, 5]), ("00:00", [5]),
                            ("00:13:20", [5]), ("20:00", [0, 1, 2, 3, 4, 5])):
        same(numbers("--from", limit, path), expected)
    same(numbers("--from", "23:00", "--to", "00:10", path), [4])
    same(numbers("--to", "23:00", path), [0, 1, 2, 3])
    same(numbers("--from", "00:13", path, zone=BERLIN), [4, 5])
    same(numbers("--from", "00:14", path, zone=BERLIN), [5])
    same(numbers("--from", "23:13:21", "--to", "00:13:20", path, zone=BERLIN), [2, 3])
    same(numbers("--from", "23:13:21+01:00", path), [2, 3, 4, 5])
    same(numbers("--from", "22:13:21Z", path, zone=BERLIN), [2, 3, 4, 5])
    numbers("--from", "12:00", save(ticks([1])), status=1,
            complaint="cannot compare the times of 1 events with that given: they are seconds")


def the_first_event_as_printed_is_not_that_of_the_next_day():
    begin = EVENING + 500_000_000
    path = save(on_dates([begin, begin + 30 * 3600 * SECOND]))
    for limit in "22:13:20", "22:13", "22:13:20.5":
        same(numbers("--from", limit, path), [0, 1])
    for limit in "22:13:21", "22:12", "20:00", "03:00":
        same(numbers("--from", limit, path), [1])


def a_date_without_zone_is_local():
    path = save(on_dates([EVENING + time for time in SPREAD]))
    same(numbers("--from", "2023-11-14T23:13:21", path, zone=BERLIN), [2, 3, 4, 5])
    same(numbers("--from", "2023-11-14 22:13:21Z", path, zone=BERLIN), [2, 3, 4, 5])
    same(numbers("--from", "2023-11-14T18:43:21-03:30", path, zone=BERLIN), [2, 3, 4, 5])
    same(numbers("--from", "2023-11-15", path, zone=BERLIN), [4, 5])
    same(numbers("--from", "2023-11-15", path), [5])
    same(numbers("--from", "2023-11-15Z", path, zone=BERLIN), [5])


def of_two_moments_with_one_local_time_neither_is_hidden():
    """From 02:00 to 03:00 on this day there are two of each."""
    path = save(on_dates([BACK - 1800 * SECOND, BACK - 1, BACK, BACK + 1800 * SECOND]))
    same(numbers("--from", "2023-10-29T02:30", path, zone=BERLIN), [0, 1, 2, 3])
    same(numbers("--from", "02:30", path, zone=BERLIN), [0, 1, 2, 3])
    same(numbers("--to", "2023-10-29T02:30", path, zone=BERLIN), [0, 1, 2])
    same(numbers("--from", "2023-10-29T02:30+01:00", path, zone=BERLIN), [3])
    # and in spring this one does not exist
    same(numbers("--from", "2023-03-26T02:30", path, zone=BERLIN), [0, 1, 2, 3])


def what_is_printed_can_be_pasted():
    content = on_dates([EVENING + time * 1_234_567_891 for time in range(6)])
    path = save(content)
    for zone in "UTC", BERLIN, NEPAL:
        for options in [], ["-u"], ["--wide"], ["--wide", "-u"], ["-t", "monotonic", "--wide"], \
                ["-t", "relative"]:
            lines = decode(*options, path, zone=zone).splitlines()
            times = [line.split()[0] for line in lines if not line.startswith("--")]
            same(len(times), 6)
            for number, time in enumerate(times):
                same(numbers("--from", time, path, zone=zone), list(range(number, 6)))
    for line in decode(path, zone=BERLIN).splitlines():
        if line.startswith("--"):
            same(numbers("--from", line.split()[1], path, zone=BERLIN), list(range(6)))


def wrong_times_are_rejected():
    path = save(on_dates([EVENING]))
    for wrong in ("-1", "-", "+", "-s", "-10x", "-10 s", "10s", "--1s", "+-1s", "-1e3s", "25:00",
                  "12:60", "12:", "12:00:", "12:00x", "12:00:00.5X", "12:00+1", "12:00-",
                  "2023-11-14T12:00+25:00", "2023-11-14Zx", "-99999999999999999999s",
                  "-9999999999d", "99999999999999999999", "noon", "12.5.2023"):
        decode("--from=" + wrong, path, status=2,
               complaint=f'cannot parse the time "{wrong}": a time is 19:22:03.5')


def extreme_times_are_survived():
    for at in -2**63, 2**63 - 1:
        path = save(ticks([at % 2**64], (1, 1)))
        for limit in "-1s", "+1s", "-100000d", "12:00", "12:00Z":
            subprocess.run([tool, "decode", "--from", limit, path], capture_output=True,
                           timeout=600)
        for options in [], ["--wide"], ["-t", "relative"], ["-t", "delta"], ["-t", "monotonic"]:
            same(decode(*options, path, zone=BERLIN).count("number=0"), 1)


# Options

def wrong_options_are_rejected():
    path = save(ticks([1]))
    decode("--time", "noon", path, status=2,
           complaint='cannot print times as "noon": --time is wall, delta, relative or')
    decode("--format", "xml", path, status=2, complaint="text, json, jsonl, jsonl-nested and "
           "perf-decode")
    for command in ["run", hello], ["watch"]:
        called(command[0], "--format", "perf-decode", *command[1:], status=2,
               complaint="the formats are text, json, jsonl and jsonl-nested")


def run_has_the_same_options():
    shown = called("run", "-o", str(folder / "out"), "-f", "jsonl-nested", hello)
    same(shown, "hello 1: written\n")
    event = json.loads((folder / "out").read_text())
    same((event["provider"], event["event"], event["fields"]),
         ("user_events", "hello", {"number": 1, "square": 1}))
    assert event["pid"] and event["comm"] and "cpu" in event and "tid" in event, event
    called("run", "-o", str(folder / "out"), "--wide", "-u", hello)
    assert re.fullmatch(r"\S+Z \[\d{3}\] \w+\[(\d+)/\1\] user_events:hello number=1 square=1\n",
                        (folder / "out").read_text()), (folder / "out").read_text()
    called("run", "-o", str(folder / "out"), "-f", "json", hello)
    same(json.loads((folder / "out").read_text())[0]["number"], 1)


try:
    run([times_are_local_and_the_date_comes_before, wide_lines_have_all,
         the_date_is_printed_when_it_changes, the_time_zone_is_printed_when_it_changes,
         today_needs_no_date, times_before_1970_and_without_a_date,
         times_since_other_events, times_of_the_recordings_clock,
         times_of_two_clocks_are_not_subtracted, json_has_utc, columns_are_aligned,
         characters_are_aligned_not_bytes, unusual_lengths_are_not_followed,
         a_thread_stands_for_a_process_that_is_not_recorded,
         names_of_threads_do_not_steer_a_terminal, losses_have_lines_of_their_own,
         levels_and_opcodes_have_names, a_line_has_what_a_person_needs,
         a_terminal_has_colour, a_quoted_name_is_coloured_whole,
         nested_json_hides_nothing, nested_json_has_errors, limits_before_the_end,
         the_end_of_several_files_is_that_of_the_last,
         a_stream_of_another_kind_is_read_twice_too, times_of_day,
         the_first_event_as_printed_is_not_that_of_the_next_day,
         a_date_without_zone_is_local, of_two_moments_with_one_local_time_neither_is_hidden,
         what_is_printed_can_be_pasted, wrong_times_are_rejected, extreme_times_are_survived,
         wrong_options_are_rejected, run_has_the_same_options])
finally:
    shutil.rmtree(folder)
