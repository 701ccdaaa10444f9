#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""decode -B, -A, -C and --same, on random recordings, against the definition. Argument: the tool."""
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

from captures import Capture
from recordings import EVENTHEADER, Recording, eventheader
from tap import is_full, run, same

tool, = sys.argv[1:]
folder = pathlib.Path(tempfile.mkdtemp())
NUMBER = b"\x05"


class Event:
    def __init__(self, number, time, is_match, pid, tid, activity):
        self.number, self.time, self.is_match = number, time, is_match
        self.pid, self.tid, self.activity = pid, tid, activity


def random_events(seed, count):
    chosen = random.Random(seed)
    time, rate = 10**9, chosen.choice([1, 3, 30])
    for number in range(count):
        time += chosen.choice([0, 1, 1000, 10**6, 3 * 10**6])
        thread = chosen.randrange(4)
        yield Event(number, time, chosen.randrange(100) < rate, 10 + thread // 2, 20 + thread,
                    chosen.choice([None, 1, 2, 3]))


def save(name, events):
    recording = Recording()
    shop = recording.event("user_events", "Shop_L4K1", 600, EVENTHEADER)
    for event in events:
        activity = event.activity and bytes([event.activity]) * 16
        payload = eventheader("fail" if event.is_match else "step", [("n", NUMBER)],
                              struct.pack("<Q", event.number), level=4, activity=activity)
        recording.sample(shop, event.time, payload, pid=event.pid, tid=event.tid)
    path = folder / name
    path.write_bytes(recording.file())
    return str(path)


def decode(*args, status=0, complaint=""):
    done = subprocess.run([tool, "decode", *args], capture_output=True, timeout=120, text=True)
    same((done.stderr, done.returncode), (complaint and f"userevents: {complaint}\n", status))
    return done.stdout


def span(text):
    """(events, nanoseconds)"""
    if text.isdigit():
        return int(text), 0
    return 0, int(text.removesuffix("us").removesuffix("ms")) * (10**6 if "ms" in text else 1000)


def is_near(distance, elapsed, reach):
    events, time = reach
    return distance <= events or (time > 0 and elapsed <= time)


def expected(events, before, after, key):
    """Numbers of events, of each key in their order."""
    chains = {}
    for event in events:
        if not key:
            chains.setdefault(0, []).append(event)
        else:
            value = getattr(event, key)
            chains.setdefault((event.number,) if value is None else value, []).append(event)
    shown = {}
    for value, chain in chains.items():
        matches = [i for i, event in enumerate(chain) if event.is_match]
        shown[value] = [
            event.number for i, event in enumerate(chain)
            if any(m == i or
                   (m > i and is_near(m - i, chain[m].time - event.time, before)) or
                   (m < i and is_near(i - m, event.time - chain[m].time, after))
                   for m in matches)]
    return {value: numbers for value, numbers in shown.items() if numbers}


def near_events_are_shown_once_and_in_order():
    for seed in range(400 if is_full else 40):
        events = list(random_events(seed, 200))
        if not any(event.is_match for event in events):
            continue
        chosen = random.Random(seed)
        spans = ["0", "1", "5", "100", "1us", "2ms", "10ms"]
        before, after = chosen.choice(spans), chosen.choice(spans)
        key = chosen.choice([None, None, "tid", "pid", "activity"])
        args = ["-B", before, "-A", after, *(["--same", key] if key else [])]
        path = save("random", events)
        numbers = [json.loads(line)["_n"]
                   for line in decode("-e", "fail", "--json", *args, path).splitlines()]
        wanted = expected(events, span(before), span(after), key)
        same(sorted(numbers), sorted(n for chain in wanted.values() for n in chain))
        for chain in wanted.values():
            same([n for n in numbers if n in set(chain)], chain)
        if not key:
            same(numbers, sorted(numbers))


def gaps_are_marked_in_text():
    events = [Event(i, 10**9 + i, i in (3, 4, 9, 30), 10, 20 + i % 2, None) for i in range(40)]
    path = save("gaps", events)

    def shown(*args):
        out = decode("-e", "fail", "--meta", "none", *args, path)
        return out.replace("n=", "").split()

    same(shown("-C", "1"), ["2", "3", "4", "5", "--", "8", "9", "10", "--", "29", "30", "31"])
    same(shown("-B", "1", "--same", "tid"), ["1", "3", "--", "2", "4", "--", "7", "9", "--", "28",
                                             "30"])
    same(shown("-A", "2", "-B", "0"), ["3", "4", "5", "6", "--", "9", "10", "11", "--", "30", "31",
                                       "32"])
    same(shown("-C", "4"), [str(n) for n in range(14)] + ["--"] + [str(n) for n in range(26, 35)])


def expressions_select_and_times_limit():
    events = [Event(i, 10**9 * (i + 1), False, 10, 20, None) for i in range(10)]
    path = save("limited", events)
    same(decode("-w", "n == 5", "-C", "2", "--from", "5", "--to", "8", "--meta", "none", path)
         .split(), ["n=4", "n=5", "n=6"])


def mistakes_are_explained():
    path = save("one", [Event(0, 10**9, True, 1, 1, None)])
    decode("-e", "fail", "-B", "1x", path, status=2, complaint='cannot parse the span "1x": it is '
           "a number of events, 3, or a time, 10ms, also with ns, us, s, m or h")
    decode("-e", "fail", "-B", "-1s", path, status=2, complaint='cannot parse the span "-1s": it '
           "is a number of events, 3, or a time, 10ms, also with ns, us, s, m or h")
    decode("--same", "tid", path, status=2,
           complaint="cannot use --same: it is for -B, -A and -C")
    decode("-B", "1", "--same", "cpu", path, status=2,
           complaint='cannot compare "cpu": --same is activity, tid or pid')
    decode("-B", "1", path, status=2,
           complaint="cannot find what -B, -A and -C are about: -e or -w selects it")
    same(len(decode("-e", "fail", "-B", "1", "--same", "activity", path, complaint=
                    'no event has the property "activity", so none is before or after another; '
                    "--same tid is of threads").splitlines()), 1)
    decode("-e", "fial", "-B", "1", path, status=1, complaint='cannot find an event that "fial" '
           "matches: there is no such tracepoint or EventHeader event in what was read; did you "
           'mean "fail"?')


def a_definition_may_change_meanwhile():
    capture = Capture()
    for text, numbers in (("aaaa u32 x", (0, 1, 2)), ("bbbb u32 y", (9,))):
        capture.definition(0, text)
        for number in numbers:
            capture.event(struct.pack("=I", number), 10**18 + number)
    path = folder / "again.uecap"
    path.write_bytes(capture.bytes)
    out = decode("-e", "bbbb", "-B", "2", "--meta", "none", str(path))
    same(out.split(), ["x=1", "x=2", "y=9"])


def files_that_are_printed_apart_have_no_common_context():
    paths = [save(f"apart{i}", [Event(n, 10**9 + n, i and n == 0, 10, 20, None) for n in range(3)])
             for i in range(2)]
    got = json.loads(decode("-e", "fail", "-B", "5", "-f", "perf-decode", *paths).lstrip("\ufeff"))
    same([len(events) for events in got.values()], [0, 1])


def memory_is_bounded_and_what_is_missing_is_told():
    count = 900000
    recording = Recording()
    step = recording.event("user_events", "step", 500, [("u64", "n", 8, 0)])
    fail = recording.event("user_events", "fail", 501, [("u64", "n", 8, 0)])
    for number in range(count):
        recording.sample(step, number, struct.pack("<Q", number), tid=1 if number == 5 else 2)
    recording.sample(fail, count, struct.pack("<Q", count), tid=1)
    recording.sample(fail, count, struct.pack("<Q", count), tid=2)
    path = folder / "many"
    path.write_bytes(recording.file())
    out = decode("-e", "step", "-w", "n == 5", "-A", "1", "--same", "tid", "--meta", "none", str(path),
                 status=1, complaint="cannot show all around 1 event: more than 64 MiB of events "
                 "were between; give a smaller SPAN, or leave out --same")
    same(out, "n=5\n")
    out = decode("-e", "fail", "-B", "1", "--same", "tid", "--meta", "none", str(path), status=1,
                 complaint="cannot show all around 1 event: more than 64 MiB of events were "
                 "between; give a smaller SPAN, or leave out --same")
    same(out.split(), [f"n={count}", "--", f"n={count - 1}", f"n={count}"])


run([near_events_are_shown_once_and_in_order, gaps_are_marked_in_text,
     expressions_select_and_times_limit, mistakes_are_explained,
     a_definition_may_change_meanwhile, files_that_are_printed_apart_have_no_common_context,
     memory_is_bounded_and_what_is_missing_is_told])
