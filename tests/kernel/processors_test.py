#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Processors that go offline and come online while events are recorded, counted, collected.

Arguments: the tool, the program writer, a library that takes the tool's regular looks away.
"""
import contextlib
import json
import os
import pathlib
import re
import resource
import signal

from recorders import (COUNT, DEADLINE, Program, Writer, decoded, folder, globs, listens, names,
                       numbers, others, out, path, perf_descriptors, perf_numbers, run_chosen,
                       same, tool, tracing, until, writer)
from tap import is_full, not_sanitized

no_ticks, = others

LAST = os.cpu_count() - 1
switch = pathlib.Path(f"/sys/devices/system/cpu/cpu{LAST}/online")
ROUNDS = 3 if is_full else 1
LOOKS = 20  # a few are enough

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


def opens(recorder, descriptors):
    until(lambda: perf_descriptors(recorder.process.pid) == descriptors,
          lambda: f"{perf_descriptors(recorder.process.pid)} of {descriptors}")


def attached(recorder, events=2, processors=LAST + 1):
    opens(recorder, (events + 1) * processors)
    listens(recorder, events)


def detached(recorder, events=2):
    """From the last processor, whose ring is kept."""
    opens(recorder, (events + 1) * LAST + 1)
    listens(recorder, events)


def waits_of(recorder):
    """How often it has waited, which it does once for each look, and for the kernel at times."""
    text = pathlib.Path(f"/proc/{recorder.process.pid}/status").read_text()
    return int(re.search(r"(?m)^voluntary_ctxt_switches:\s*(\d+)", text).group(1))


def off_and_on(recorder):
    """
    As fast as the kernel does it, so no look of the recorder need see it offline. Afterwards
    the descriptors are as many as before, so let it look again often enough.
    """
    put(0)
    put(1)
    before = waits_of(recorder)
    until(lambda: waits_of(recorder) >= before + LOOKS, "looks")
    attached(recorder)


def off_seen_and_on(recorder):
    put(0)
    detached(recorder)
    put(1)
    attached(recorder)


def missed(said, times=1):
    """
    The sentence. How long it takes depends on what else the machine does, so the bound is only
    a safety net: a_message_of_the_kernel_is_enough() shows that nothing waits for a look.
    """
    found = re.findall(r"1 processor came online meanwhile: events that were written there in up "
                       rf"to (\d+\.\d\d) s, .* not counted: {LAST}\.", said)
    same(len(found), times)
    assert all(float(seconds) <= DEADLINE for seconds in found), found
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
            detached(recorder)
            said = recorder.end()
        keeper.finish()
    assert "came online" not in said and "none was lost" in said, said
    same(len(decoded(file)), 2 * COUNT)


@not_sanitized("the library is loaded before theirs")
def a_message_of_the_kernel_is_enough():
    """So a processor is attached to at once, rather than at the next look."""
    name = next(names)
    env = {**os.environ, "LD_PRELOAD": os.path.abspath(no_ticks)}
    with Writer(name) as keeper, all_processors():
        for command, on_all, without_last in (
                (("record", "-o", path("messages.data")), 3 * (LAST + 1), 3 * LAST + 1),
                (("top", "--batch", "-d", "3600"), 2 * (LAST + 1), 2 * LAST)):
            with open(path("messages"), "w") as stdout, \
                    Program(tool, *command, *globs(name), stdout=stdout, env=env) as recorder:
                opens(recorder, on_all)
                put(0)
                opens(recorder, without_last)
                put(1)
                opens(recorder, on_all)
                missed(recorder.end(signal.SIGTERM, status=int(command[0] == "record")))
        keeper.finish()


def said_so_far(recorder):
    """Without moving the place at which the recorder writes."""
    return os.pread(recorder.said.fileno(), 1 << 20, 0).decode()


def leave_descriptors(pid, count):
    """The process may open so many more."""
    used = {int(each) for each in os.listdir(f"/proc/{pid}/fd")}
    least = sorted(set(range(1 << 10)) - used)[count]
    limits = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (least, limits[1]))
    return limits


def without_descriptors(recorder, left):
    """The last processor comes when the recorder can only open so many."""
    limits = leave_descriptors(recorder.process.pid, left)
    put(1)
    until(lambda: "cannot attach to processor" in said_so_far(recorder), "the failure")
    before = waits_of(recorder)
    until(lambda: waits_of(recorder) >= before + LOOKS, "further looks")
    return limits


def reported_once(said):
    missed(said)
    same(re.findall(r"cannot attach to processor .*", said),
         [f"cannot attach to processor {LAST}, which came online: Too many open files; raise the "
          f"limit with prlimit --pid={pid} --nofile=65536; trying again until it works"
          for pid in re.findall(r"--pid=(\d+)", said)[:1]])


def without_descriptors_recording_goes_on():
    """None is left to see that the processor runs, or too few for its ring and all events."""
    for left in 0, 2:
        name, file = next(names), path(f"few{left}.data")
        with Writer(name) as keeper, all_processors():
            with Program(tool, "record", "-o", file, *globs(name)) as recorder:
                attached(recorder)
                put(0)
                detached(recorder)
                limits = without_descriptors(recorder, left)
                opens(recorder, 3 * LAST + 1)
                resource.prlimit(recorder.process.pid, resource.RLIMIT_NOFILE, limits)
                attached(recorder)
                write_on_each(name)
                said = recorder.end(status=1)
            keeper.finish()
        reported_once(said)
        expect_each(decoded(file), name, 1)


def without_descriptors_counting_goes_on():
    """Also to the end."""
    for left in 0, 1:
        name = next(names)
        with Writer(name) as keeper, all_processors():
            with open(path("few"), "w") as frames, \
                    Program(tool, "top", "--batch", "--json", "-d", "0.2", *globs(name),
                            stdout=frames) as top:
                opens(top, 2 * (LAST + 1))
                put(0)
                opens(top, 2 * LAST)
                limits = without_descriptors(top, left)
                if left:
                    resource.prlimit(top.process.pid, resource.RLIMIT_NOFILE, limits)
                    opens(top, 2 * (LAST + 1))
                    write_on_each(name)
                    until(lambda: f'"total":{4 * COUNT},' in
                          pathlib.Path(path("few")).read_text(), "all are counted")
                said = top.end(signal.SIGTERM)
            keeper.finish()
        reported_once(said)


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
            opens(top, 2 * (LAST + 1))
            write_on_each(name)
            put(0)
            opens(top, 2 * LAST)
            put(1)
            opens(top, 2 * (LAST + 1))
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
            same(khist.end(), f"userevents: counting number of user_events:{name}\n")
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
    assert 0 < value("userevents_processor_gaps_seconds_total") <= DEADLINE
    same(value("userevents_read_events_total"), 4 * COUNT)
    expect_each(decoded(path("collected/events.perf.data")), name, 1)


run_chosen([
    a_processor_that_goes_and_comes_is_recorded,
    a_processor_that_was_offline_is_recorded,
    a_processor_that_stays_away_is_no_gap,
    a_message_of_the_kernel_is_enough,
    without_descriptors_recording_goes_on,
    without_descriptors_counting_goes_on,
    events_of_a_process_follow_it,
    watch_sees_a_processor_that_comes,
    rotated_files_are_complete,
    top_counts_a_processor_that_comes,
    khist_misses_nothing,
    collect_counts_the_gap,
])
