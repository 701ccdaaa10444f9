#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Processors that go offline and come online while events are recorded, counted, collected.

Arguments: the tool, the program writer.
"""
import contextlib
import json
import os
import pathlib
import re
import signal
import time

from recorders import (COUNT, Program, Writer, decoded, folder, globs, listens, names, numbers,
                       out, path, perf_descriptors, perf_numbers, run_chosen, same, tool, tracing,
                       until, writer)
from tap import is_full

LAST = os.cpu_count() - 1
switch = pathlib.Path(f"/sys/devices/system/cpu/cpu{LAST}/online")
ROUNDS = 3 if is_full else 1
MOST = 2.0  # 0.2 on a machine that has nothing else to do

if not LAST or not switch.exists():
    print("1..0 # SKIP no processor can go offline")
    raise SystemExit(77)


def put(state):
    switch.write_text(f"{state}\n")


@contextlib.contextmanager
def all_processors():
    try:
        yield
    finally:
        put(1)


class Pinned(Writer):
    """A writer on one processor."""

    def __init__(self, name, processor):
        Program.__init__(self, "taskset", "-c", str(processor), writer, name, str(COUNT))
        same(self.process.stdout.readline(), b"registered\n")


def attached(recorder, events=2, processors=LAST + 1):
    until(lambda: perf_descriptors(recorder.process.pid) == (events + 1) * processors,
          lambda: f"{perf_descriptors(recorder.process.pid)} of {(events + 1) * processors}")
    listens(recorder, events)


def off_and_on(recorder):
    """
    As fast as the kernel does it, so no look of the recorder need see it offline. Afterwards
    the descriptors are as many as before, so give it five times the 0.2 s that are promised.
    """
    put(0)
    put(1)
    time.sleep(1)
    attached(recorder)


def off_seen_and_on(recorder):
    put(0)
    attached(recorder, processors=LAST)
    put(1)
    attached(recorder)


def missed(said, times=1):
    """The sentence, and that the time was short."""
    found = re.findall(r"1 processor came online meanwhile: events that were written there in up "
                       rf"to (\d+\.\d\d) s, .* not counted: {LAST}\.", said)
    same(len(found), times)
    assert all(float(seconds) <= MOST for seconds in found), found
    print(f"# not covered for {', '.join(found)} s")


def write_on_each(name):
    """Events of each processor, 2 * COUNT."""
    for processor in 0, LAST:
        with Pinned(name, processor) as program:
            program.write()
            program.finish()


def expect_each(events, name, times):
    for kind in f"user_events:{name}", f"{name}:Tick":
        same(sorted(numbers(events, kind)), sorted([*range(COUNT)] * 2 * times))
        cpus = [event["meta"]["cpu"] for event in events if event["n"] == kind]
        same([cpus.count(cpu) for cpu in (0, LAST)], [COUNT * times] * 2)


def a_processor_that_goes_and_comes_is_recorded():
    """Wherever the recorder looks; all that is written from then on is in the file."""
    for change in (off_seen_and_on, off_and_on) * ROUNDS:
        name, file = next(names), path("processors.data")
        with Writer(name) as keeper, all_processors():
            with Program(tool, "record", "-o", file, *globs(name)) as recorder:
                attached(recorder)
                write_on_each(name)
                change(recorder)
                write_on_each(name)
                said = recorder.end(status=1)
            keeper.finish()
        missed(said)
        assert f"{8 * COUNT} events of 2 tracepoints" in said, said
        assert "none is known to be lost" in said, said
        expect_each(decoded(file), name, 2)
        same(sorted(perf_numbers(file, name)), sorted([*range(COUNT)] * 4))


def a_processor_that_was_offline_is_recorded():
    name, file = next(names), path("offline.data")
    with Writer(name) as keeper, all_processors():
        put(0)
        with Program(tool, "record", "-o", file, *globs(name)) as recorder:
            attached(recorder, processors=LAST)
            put(1)
            attached(recorder)
            write_on_each(name)
            missed(recorder.end(status=1))
        keeper.finish()
    expect_each(decoded(file), name, 1)


def a_processor_that_stays_away_is_no_gap():
    name, file = next(names), path("away.data")
    with Writer(name) as keeper, all_processors():
        with Program(tool, "record", "-o", file, *globs(name)) as recorder:
            attached(recorder)
            with Pinned(name, LAST) as program:
                program.write()
                program.finish()
            put(0)  # what is in its ring must not be lost
            attached(recorder, processors=LAST)
            said = recorder.end()
        keeper.finish()
    assert "came online" not in said and "none was lost" in said, said
    same(len(decoded(file)), 2 * COUNT)


def events_of_a_process_follow_it():
    """Those of a process are not bound to processors, so nothing is missed."""
    name, file = next(names), path("process.data")
    with all_processors():
        put(0)
        with Writer(name) as program:
            with Program(tool, "record", "-o", file, "-p", str(program.process.pid),
                         *globs(name)) as recorder:
                listens(recorder)
                put(1)
                os.sched_setaffinity(program.process.pid, {LAST})
                program.write()
                program.finish()
                recorder.wait()
    same([event["meta"]["cpu"] for event in decoded(file)], [LAST] * 2 * COUNT)


def watch_sees_a_processor_that_comes():
    name = next(names)
    with Writer(name) as keeper, all_processors():
        with Program(tool, "watch", "--json", "--where", "number >= 0", *globs(name)) as watcher:
            attached(watcher)
            off_seen_and_on(watcher)
            write_on_each(name)
            events = [json.loads(watcher.process.stdout.readline()) for _ in range(4 * COUNT)]
            missed(watcher.end(status=1))
        keeper.finish()
    expect_each(events, name, 1)


def rotated_files_are_complete():
    """Each describes the descriptors of the new processor, too."""
    name, file = next(names), path("rotated.data")
    with Writer(name) as keeper, all_processors():
        with Program(tool, "record", "--rotate", "64k", "-o", file, *globs(name)) as recorder:
            attached(recorder)
            write_on_each(name)
            off_seen_and_on(recorder)
            for _ in range(3):
                write_on_each(name)
            missed(recorder.end(status=1))
        keeper.finish()
    files = sorted(str(each) for each in pathlib.Path(folder).glob("rotated.data*"))
    assert len(files) > 1, files
    events = [event for each in files for event in decoded(each)]
    expect_each(events, name, 4)
    same(sum(len(perf_numbers(each, name)) for each in files), 8 * COUNT)


def top_counts_a_processor_that_comes():
    name = next(names)
    with Writer(name) as keeper, all_processors():
        with open(path("frames"), "w") as frames, \
                Program(tool, "top", "--batch", "--json", "-d", "0.2", *globs(name),
                        stdout=frames) as top:
            def counts_on(processors):
                until(lambda: perf_descriptors(top.process.pid) == 2 * processors, "counters")

            counts_on(LAST + 1)
            write_on_each(name)
            put(0)
            counts_on(LAST)
            put(1)
            counts_on(LAST + 1)
            write_on_each(name)
            until(lambda: f'"total":{8 * COUNT},' in pathlib.Path(path("frames")).read_text(),
                  "all are counted")
            said = top.end(signal.SIGTERM)
        keeper.finish()
    missed(said)


def khist_misses_nothing():
    """The kernel counts in a histogram that is bound to no processor."""
    name = next(names)

    def is_counting():
        return any("hist:" in trigger.read_text() for trigger in (tracing / "instances").glob(
            f"*/events/user_events/{name}/trigger"))

    def write_one_each():
        for processor in 0, LAST:
            out("taskset", "-c", str(processor), tool, "write", name, "number=1",
                "text=a")

    with Writer(name) as keeper, all_processors():
        with open(path("answer"), "w") as answer, \
                Program(tool, "khist", name, "number", "--json", stdout=answer) as khist:
            until(is_counting, "a histogram")
            write_one_each()
            put(0)
            put(1)
            write_one_each()
            same(khist.end(), "")
        keeper.finish()
    same(json.loads(pathlib.Path(path("answer")).read_text())["count"], 4)


def collect_counts_the_gap():
    name, metrics = next(names), path("metrics.prom")

    def value(series):
        text = pathlib.Path(metrics).read_text()
        return float(re.search(rf"(?m)^{re.escape(series)} (.*)$", text).group(1))

    with Writer(name) as keeper, all_processors():
        with Program(tool, "collect", "--metrics", metrics, "--metrics-interval", "1",
                     "--record", path("collected"), *globs(name)) as collector:
            attached(collector)
            until(lambda: pathlib.Path(metrics).exists(), "metrics")
            same(value("userevents_processor_gaps_seconds_total"), 0)
            off_seen_and_on(collector)
            write_on_each(name)
            said = collector.end(signal.SIGTERM)
        keeper.finish()
    missed(said)
    assert 0 < value("userevents_processor_gaps_seconds_total") <= MOST
    same(value("userevents_read_events_total"), 4 * COUNT)
    expect_each(decoded(path("collected/events.perf.data")), name, 1)


run_chosen([
    a_processor_that_goes_and_comes_is_recorded,
    a_processor_that_was_offline_is_recorded,
    a_processor_that_stays_away_is_no_gap,
    events_of_a_process_follow_it,
    watch_sees_a_processor_that_comes,
    rotated_files_are_complete,
    top_counts_a_processor_that_comes,
    khist_misses_nothing,
    collect_counts_the_gap,
])
