#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Starts and stops are paired alike by latency, report, top, query and the exports to OpenTelemetry
and Perfetto: on random recordings, against a pairing in this file. Arguments: the program, and
shown_top.

A file holds ten recordings, one after the other, that share no activity and no thread, so that a
process reads ten of them.
"""
import collections
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from captures import Capture
from perfetto import fields, first, packets
from recordings import EVENTHEADER, Recording, eventheader
from tap import run, same

tool, shown_top = sys.argv[1:]
folder = pathlib.Path(tempfile.mkdtemp())
INFO, START, STOP = 0, 1, 2
U32 = b"\x04"
WALL = 10**18
RECORDINGS, TOGETHER = 100, 10

Event = collections.namedtuple("Event", "number name opcode activity related tid wall clock lost")


# Random recordings

class Scene:
    """The events of a recording."""

    def __init__(self, number):
        self.chance = random.Random(number)
        self.place = number % TOGETHER
        self.clock = (self.place + 1) * 10**9
        self.offset = WALL  # of the wall clock
        self.activities = [struct.pack("<QQ", self.place + 1, i) for i in range(1, 7)]
        self.threads = [1000 * (self.place + 1) + i for i in range(3)]
        self.events = [self.event(i) for i in range(self.chance.randrange(80, 140))]

    def event(self, number):
        chance = self.chance
        self.clock += chance.choice((0, 1, 7, 100, 12_345, 1_000_000))
        if chance.random() < 0.02:
            self.offset -= 500_000  # the wall clock is set back
        opcode = chance.choice((START, START, STOP, STOP, STOP, INFO))
        # nine of ten have an activity; one of all zeros is none
        activity = chance.choice([*self.activities * 3, bytes(16), b""])
        related = chance.choice([b"", *self.activities]) if activity else b""
        clock = self.clock
        if opcode == STOP and any(activity) and chance.random() < 0.1:
            clock -= 40_000 * chance.randrange(1, 4)  # another processor's clock is behind
        name = f"S{self.place}" + chance.choice("ab") + {START: "Start", STOP: "Stop"}.get(opcode, "")
        return Event(number + 1000 * self.place, name, opcode, activity, related,
                     chance.choice(self.threads), clock + self.offset, clock,
                     2 if chance.random() < 0.02 else 0)


def capture_of(events):
    capture = Capture().eventheader()
    for event in events:
        payload = eventheader(event.name, [("number", U32)], struct.pack("<I", event.number),
                              activity=event.activity, opcode=event.opcode,
                              related=event.related)
        capture.event(payload, event.wall, tid=event.tid, lost=event.lost, clock_time=event.clock)
    return bytes(capture.bytes)


# The independent pairing

Pair = collections.namedtuple("Pair", "start stop duration")


def paired(events):
    pairs, counts, opened = [], collections.Counter(), {}
    for event in events:
        is_activity = any(event.activity)
        key = event.activity if is_activity else event.tid
        stack = opened.setdefault(key, [])
        if event.opcode == START:
            if is_activity and stack:
                stack.clear()
                counts["repeated"] += 1
            stack.append(event)
        elif event.opcode == STOP:
            if not stack:
                counts["withoutStart"] += 1
                continue
            start = stack.pop()
            if event.clock < start.clock:
                counts["negative"] += 1
            else:
                pairs.append(Pair(start, event, event.clock - start.clock))
    still_open = [event for stack in opened.values() for event in stack]
    counts["neverEnded"] = len(still_open)
    return pairs, counts, still_open


def numbers(pairs):
    return sorted((pair.start.number, pair.stop.number, pair.duration) for pair in pairs)


# What the tool says

def asked(*words):
    done = subprocess.run(words, capture_output=True, timeout=300)
    assert done.returncode in (0, 1), done  # 1, as events are lost
    return done.stdout


def latency(*paths):
    got = json.loads(asked(tool, "latency", "--json", "--slowest", "1000", *paths))
    found = sorted((pair["start"]["number"], pair["end"]["number"], pair["nanoseconds"])
                   for pair in got["slowest"])
    counts = {name: got[name] for name in ("neverEnded", "withoutStart", "repeated", "negative",
                                           "dropped", "withoutKey", "withoutTime", "otherClock")}
    return found, {name: count for name, count in counts.items() if count}, got


def values(attributes):
    return {attribute["key"]: int(attribute["value"].get("intValue", 0))
            for attribute in attributes}


def otlp(*paths):
    """The spans, and how many log records there are of starts and stops."""
    spans, logs = [], 0
    for line in asked(tool, "export", "--to", "otlp-json", *paths).decode().splitlines():
        for resource in json.loads(line).get("resourceSpans", []):
            for scope in resource["scopeSpans"]:
                spans += scope["spans"]
        for resource in json.loads(line).get("resourceLogs", []):
            for scope in resource["scopeLogs"]:
                logs += sum(record["eventName"].endswith(("Start", "Stop"))
                            for record in scope["logRecords"])
    return spans, logs


def numbers_of_spans(spans):
    found = []
    for span in spans:
        got = values(span["attributes"])
        found.append((got["number"], got["number#2"],
                      int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"])))
    return sorted(found)


def annotations(event):
    found = {}
    for number, annotation in fields(event):
        if number == 4:
            name = first(annotation, 10).decode()
            inner = first(annotation, 11)
            found[name] = first(annotation, 3) if inner is None else [
                first(part, 3) for part in (value for key, value in fields(annotation) if key == 11)
                if first(part, 10) == b"number"]
    return found


def perfetto(path):
    """The slices, as Perfetto finds them: by time, and on each track the innermost ends."""
    out = folder / "trace"
    asked(tool, "export", "--to", "perfetto", "-o", str(out), path)
    events = [(first(packet, 8), first(packet, 11)) for packet in packets(out)
              if first(packet, 11) is not None]
    tracks, found, is_open = collections.defaultdict(list), [], 0
    for time, event in sorted(events, key=lambda pair: pair[0]):
        kind, stack = first(event, 9), tracks[first(event, 11)]
        if kind == 1:
            stack.append((time, annotations(event)["number"]))
        elif kind == 2:
            begun, number = stack.pop()
            stop = annotations(event).get("stop")
            if stop:  # else it is an instant
                found.append((number, stop[0], time - begun))
    return sorted(found), sum(map(len, tracks.values()))


def top_of(paths):
    return [json.loads(line) for line in asked(shown_top, *paths).decode().splitlines()]


HTML = "{http://www.w3.org/1999/xhtml}"
UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}


def is_shown_as(nanoseconds, text):
    number, unit = text.split()
    return abs(float(number) * UNITS[unit] - nanoseconds) <= nanoseconds * 0.006


def own_text(cell):
    """Without what was before the event of a cell."""
    return (cell.text or "") + "".join("".join(part.itertext()) * (part.tag != HTML + "details") +
                                       (part.tail or "") for part in cell)


class Page:
    """A report: {(start, stop): (count, texts of the slowest as (duration, start, stop))}."""

    def __init__(self, *words):
        root = xml.etree.ElementTree.fromstring(asked(tool, "report", "-o", "-", *words))
        section = root.find(".//*[@id='activities']/..")
        self.said = " ".join("".join(p.itertext()) for p in section.iter(HTML + "p"))
        self.groups, name = {}, None
        for element in section.iter():
            text = "".join(element.itertext())
            if element.tag == HTML + "h3":
                name = re.fullmatch(r"Shop:(\w+) → (\w+)|Never ended", text).groups()
            elif element.get("class") == "pair":
                count = int(re.search(r"count ([\d,]+)", text)[1].replace(",", ""))
                table = element.find(f".//{HTML}table[@class='slowest']/{HTML}tbody")
                rows = [[own_text(cell) for cell in row] for row in table]
                self.groups[name] = count, [
                    (row[0], *map(int, re.findall(r"number=(\d+)", row[3]))) for row in rows if row]

    def count(self, sentence):
        found = re.search(r"([\d,]+) times? " + sentence, self.said)
        return int(found[1].replace(",", "")) if found else 0


# Tests

def files():
    """Of each file: its path and its events."""
    for begin in range(0, RECORDINGS, TOGETHER):
        events = [event for i in range(begin, begin + TOGETHER) for event in Scene(i).events]
        path = folder / f"{begin}.uecap"
        path.write_bytes(capture_of(events))
        yield str(path), events


recordings = list(files())


def the_recordings_have_all_cases():
    total, durations, nested = collections.Counter(), collections.Counter(), 0
    for _, events in recordings:
        pairs, counts, _ = paired(events)
        total.update(counts)
        durations.update(pair.duration for pair in pairs)
        nested += sum(not any(pair.start.activity) for pair in pairs)
        total["lost"] += sum(event.lost for event in events)
        total["related"] += sum(any(event.related) for event in events)
        total["set back"] += sum(pair.stop.wall - pair.start.wall < pair.duration
                                 for pair in pairs)
    assert all(total[name] > 20 for name in ("repeated", "withoutStart", "negative", "neverEnded",
                                             "lost", "related", "set back")), total
    assert nested > 100 and durations[0] > 30 and sum(durations.values()) > 1500, durations


def latency_finds_these_pairs():
    for path, events in recordings:
        pairs, counts, _ = paired(events)
        found, counted, got = latency(path)
        same(found, numbers(pairs))
        same(counted, {name: count for name, count in counts.items() if count})
        same(sum(group["count"] for group in got["groups"]), len(pairs))


def spans_are_these_pairs():
    for path, events in recordings:
        pairs, _, _ = paired(events)
        spans, logs = otlp(path)
        same(numbers_of_spans(spans), numbers(pairs))
        same(logs, sum(event.opcode != INFO for event in events) - 2 * len(pairs))
        starts = {event.number: event.wall for event in events}
        assert all(int(span["startTimeUnixNano"]) == starts[values(span["attributes"])["number"]]
                   for span in spans)
        calls = [span["spanId"] for span in spans
                 if not any(key["key"] == "eventheader.activity.id" for key in span["attributes"])]
        assert len(calls) == len(set(calls)) > 0


def slices_are_these_pairs():
    for path, events in recordings:
        pairs, counts, _ = paired(events)
        found, is_open = perfetto(path)
        same(found, numbers(pairs))
        same(is_open, counts["neverEnded"] + counts["repeated"])


def top_has_these_pairs():
    for (_, events), frame in zip(recordings, top_of([path for path, _ in recordings])):
        pairs, counts, still_open = paired(events)
        same(frame["activitySums"], {
            "open": counts["neverEnded"], "ended": len(pairs), "otherClock": 0, "leftOut": 0,
            "withoutStart": counts["withoutStart"], "restarted": counts["repeated"],
            "negative": counts["negative"]})
        same(len(frame["open"]), counts["neverEnded"])
        rows = {row["name"].split(":")[1]: row for row in frame["activities"]}
        for name, row in rows.items():
            of = [pair.duration for pair in pairs if pair.start.name == name]
            same((row["open"], row["ended"], row["max"] or 0),
                 (sum(event.name == name for event in still_open), len(of), max(of, default=0)))


def the_table_requests_has_these_pairs():
    for path, events in recordings:
        pairs, counts, _ = paired(events)
        rows = [json.loads(line) for line in asked(
            tool, "query", "--json", path, "SELECT start_fields->>'number' AS start, "
            "stop_fields->>'number' AS stop, duration FROM requests").decode().splitlines()]
        same(sorted((row["start"], row["stop"], row["duration"]) for row in rows if row["stop"]),
             numbers(pairs))
        same(sum(row["stop"] is None for row in rows),
             counts["neverEnded"] + counts["repeated"] + counts["negative"])


def the_page_has_these_pairs():
    for path, events in recordings:
        pairs, counts, _ = paired(events)
        page = Page(path)
        groups = collections.defaultdict(list)
        for pair in pairs:
            groups[pair.start.name, pair.stop.name].append(pair)
        same({name: count for name, (count, _) in page.groups.items()},
             {name: len(of) for name, of in groups.items()})
        for name, (_, rows) in page.groups.items():
            durations = {(start, stop): duration
                         for start, stop, duration in numbers(groups[name])}
            found = [durations[start, stop] for _, start, stop in rows]
            same(found, sorted(durations.values(), reverse=True)[:10])
            assert all(is_shown_as(of, text) for of, (text, _, _) in zip(found, rows)), rows
        for name, sentence in (("neverEnded", "a start had no stop"),
                               ("withoutStart", "a stop had no start"),
                               ("repeated", "an activity started again"),
                               ("negative", "the stop has an earlier time")):
            same((name, page.count(sentence)), (name, counts[name]))


def the_page_counts_pairs_that_an_expression_cuts():
    total = 0
    for path, events in recordings:
        pairs, _, _ = paired(events)
        cut = sum((pair.start.number ^ pair.stop.number) & 4 > 0 for pair in pairs)
        page = Page(path, "--where", "number & 4")
        found = re.search(r"the start or the stop of ([\d,]+) pair", page.said)
        same(int(found[1].replace(",", "")) if found else 0, cut)
        same("had no stop" in page.said and cut > 0, False)
        total += cut
    assert total > 300, total


def times_of_different_clocks_are_no_pair():
    """Of the second file, the wall clock is not known."""
    def file(name, events, **kwargs):
        made = Recording(**kwargs)
        shop = made.event("user_events", "Shop_L5K1", 500, EVENTHEADER)
        for time, number, opcode in events:
            made.sample(shop, time, eventheader(
                {START: "Start", STOP: "Stop"}[opcode], [("number", U32)], struct.pack("<I", number),
                activity=b"A" * 16, opcode=opcode))
        (folder / name).write_bytes(made.file())
        return str(folder / name)

    one = file("one", [(10, 1, START), (30, 3, STOP)], clock=(WALL, 0))
    other = file("other", [(WALL + 20, 2, STOP), (WALL + 40, 4, START), (WALL + 50, 5, STOP)])
    found, counts, _ = latency(one, other)
    same((found, counts), ([(4, 5, 10)], {"otherClock": 1, "withoutStart": 1}))
    spans, logs = otlp(one, other)
    same((spans, logs), ([], 5))


def ids_cannot_be_made_to_meet():
    """Both halves of each id are equal; nevertheless, a second or two is enough."""
    made = Capture().eventheader()
    for opcode in START, STOP:
        for i in range(60_000):
            half = (i << 32 | i) * 0x9e3779b97f4a7c15 % 2**64
            made.event(eventheader("A", [], b"", opcode=opcode,
                                   activity=struct.pack("<QQ", half, half)), WALL + i)
    path = folder / "hostile"
    path.write_bytes(made.bytes)
    for words in (["latency", "--json"], ["report", "-o", "/dev/null"],
                  ["export", "--to", "otlp-json", "-o", "/dev/null"],
                  ["export", "--to", "perfetto", "-o", "/dev/null"]):
        subprocess.run(["prlimit", "--cpu=20", "--", tool, *words, path], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)


run([the_recordings_have_all_cases, latency_finds_these_pairs, spans_are_these_pairs,
     slices_are_these_pairs, top_has_these_pairs, the_page_has_these_pairs,
     the_page_counts_pairs_that_an_expression_cuts,
     the_table_requests_has_these_pairs,
     times_of_different_clocks_are_no_pair, ids_cannot_be_made_to_meet])
