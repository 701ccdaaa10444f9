#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An event is one in stat, hist, query, top, report and export, whatever its tracepoints.

A hundred random recordings have events of one name at several levels and keywords, of several
providers and systems, classic ones and those of EventHeader; all answers count alike. Arguments:
the tool, and shown_top."""
import collections
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

from recordings import EVENTHEADER, Recording, eventheader
from tap import run, same

tool, shown_top = sys.argv[1:]
folder = pathlib.Path(tempfile.mkdtemp())
U32 = b"\x04"
RECORDINGS = 100


def random_recording(seed):
    """The path of the file, and the count of each (provider, event)."""
    chosen, recording, counts = random.Random(seed), Recording(), collections.Counter()
    names = ["Order", "Refund", "order", "Stock"][:chosen.randrange(1, 5)]
    points = [(provider, level, keyword) for provider in ("Shop", "Bank") for level in (2, 4, 5)
              for keyword in (1, 8)]
    points = chosen.sample(points, chosen.randrange(1, 6))
    events = [recording.event("user_events", f"{p}_L{level}K{keyword:x}", 600 + i, EVENTHEADER)
              for i, (p, level, keyword) in enumerate(points)]
    plain = [(system, recording.event(system, "Order", 700 + i, [("u32", "v", 4, 0)]))
             for i, system in enumerate(chosen.sample(["user_events", "sched"],
                                                      chosen.randrange(0, 3)))]
    for number in range(chosen.randrange(20, 120)):
        which = chosen.randrange(len(events) + len(plain))
        if which < len(events):
            provider, level, _ = points[which]
            name = chosen.choice(names)
            payload = eventheader(name, [("v", U32)], struct.pack("<I", number), level=level)
            recording.sample(events[which], 10**9 + number, payload)
        else:
            provider, event = plain[which - len(events)]
            name = "Order"
            recording.sample(event, 10**9 + number, struct.pack("<I", number))
        counts[provider, name] += 1
    path = folder / f"{seed}.data"
    path.write_bytes(recording.file())
    return str(path), counts


def asked(*words):
    return subprocess.run(words, capture_output=True, check=True, timeout=60).stdout.decode()


FILES = [random_recording(seed) for seed in range(RECORDINGS)]


def counts_agree(counted):
    for path, counts in FILES:
        same(sorted(counted(path, counts)), sorted(counts.items()))


def the_recordings_have_events_of_several_tracepoints():
    several = 0
    for path, counts in FILES:
        levels = collections.defaultdict(set)
        for line in asked(tool, "decode", "-f", "jsonl", path).splitlines():
            event = json.loads(line)
            levels[event["n"]].add((event["meta"].get("level"), event["meta"].get("keyword")))
        several += any(len(found) > 1 for found in levels.values())
    assert several > RECORDINGS / 2, several


def stat_has_a_row_for_each():
    counts_agree(lambda path, _: [((row["provider"], row["event"]), row["count"]) for row in
                                  json.loads(asked(tool, "stat", "--json", path))["rows"]])
    path, counts = FILES[0]
    rows = [line.split()[:2] for line in asked(tool, "stat", path).splitlines()[1:-1]]
    same(sorted(rows), sorted([f"{p}:{e}", str(n)] for (p, e), n in counts.items()))


def hist_takes_all_of_it():
    counts_agree(lambda path, counts: [
        ((provider, event), json.loads(asked(tool, "hist", "--json", f"{provider}:{event}", "v",
                                             path))["count"]) for provider, event in counts])


def query_has_a_table_for_each():
    def counted(path, counts):
        sql = "; ".join(f"SELECT '{p}' AS p, '{e}' AS e, count(*) AS n, count(v) AS v FROM \"{p}:{e}\""
                        for p, e in counts)
        for line in asked(tool, "query", "--json", path, sql).splitlines():
            row = json.loads(line)
            same(row["n"], row["v"])
            yield (row["p"], row["e"]), row["n"]
    counts_agree(lambda path, counts: counted(path, distinct(counts)) if distinct(counts) == counts
                 else counts.items())


def distinct(counts):
    """SQL does not distinguish upper and lower case: such tables have numbers."""
    lowered = collections.Counter((p, e.lower()) for p, e in counts)
    return {key: n for key, n in counts.items() if lowered[key[0], key[1].lower()] == 1}


def top_has_a_row_for_each():
    frames = asked(shown_top, *[path for path, _ in FILES]).splitlines()
    for line, (_, counts) in zip(frames, FILES):
        same(sorted((row["name"], row["total"]) for row in json.loads(line)["events"]),
             sorted((f"{p}:{e}", n) for (p, e), n in counts.items()))


def the_page_has_a_row_for_each():
    def counted(path, _):
        page = asked(tool, "report", "-o", "-", path)
        table = page[page.index('id="events"'):page.index('id="fields"')]
        for cell, number in re.findall(r'<td class="name">(\w+:\w+)</td><td[^>]*>[^<]*</td>'
                                       r'<td class="n">([\d,]+)', table):
            yield tuple(cell.split(":")), int(number.replace(",", ""))
    counts_agree(counted)


def export_calls_it_by_this_name():
    def counted(path, _):
        found = collections.Counter()
        for line in asked(tool, "export", "--to", "otlp-json", "-o", "-", path).splitlines():
            for resource in json.loads(line).get("resourceLogs", []):
                for scope in resource["scopeLogs"]:
                    for record in scope["logRecords"]:
                        # that of a tracepoint has its system, too
                        found[scope["scope"]["name"], record["eventName"].split(":")[-1]] += 1
        return found.items()
    counts_agree(counted)


run([the_recordings_have_events_of_several_tracepoints, stat_has_a_row_for_each,
     hist_takes_all_of_it, query_has_a_table_for_each, top_has_a_row_for_each,
     the_page_has_a_row_for_each, export_calls_it_by_this_name])
