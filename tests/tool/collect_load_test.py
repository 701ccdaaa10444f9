#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents collect under load: written = read + lost. Arguments: the tool, the program guests.

The runs are those of tests/bench/collect-load: a collector counts, records or exports what
programs write into one ring, in which there is what the runs before left. A process for each
processor keeps the machine busy, and the collector is stopped for a while, so each run loses
events. Whatever moment the collector is asked at, it has not read and lost more events than were
written; when the programs pause, exactly as many; and none is recorded or delivered twice. There
are 3 runs, with UE_TEST_FULL=1 100.
"""
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading

import collectors
from collectors import DEADLINE, folder, numbers, tool, until
from receiver import Receiver, items, ok
from tap import is_full, run, same

guests, = sys.argv[2:]
RUNS = 100 if is_full else 3
PROGRAMS, EVENTS = 2, 20000  # a ring of 256 KiB has 4,959
CHUNK = 500  # the program is asked for so many events at once; a pipe has few of them


@contextlib.contextmanager
def busy_machine():
    neighbours = [subprocess.Popen(["sh", "-c", "while :; do :; done"])
                  for _ in os.sched_getaffinity(0)]
    try:
        yield
    finally:
        for one in neighbours:
            one.kill()
            one.wait()


class Program:
    """It writes an event for each byte that it gets."""

    def __init__(self, ring):
        self.process = subprocess.Popen([guests, "ask"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, pipesize=4096,
                                        env={**os.environ, "USEREVENTS_RING": str(ring)})
        same(self.process.stdout.readline(), b"ready\n")
        self.asked = 0

    def write(self, count):
        for _ in range(count // CHUNK):
            self.asked += CHUNK
            os.write(self.process.stdin.fileno(), bytes(CHUNK))

    def end(self):
        """Its counts of events that it wrote, and that it could not write."""
        out, _ = self.process.communicate(timeout=DEADLINE)
        same(self.process.returncode, 0)
        return map(int, out.split())


class Run:
    """A collector, and programs that write into its ring."""

    def __init__(self, ring, *args):
        self.ring, self.observed = ring, 0
        self.collector = collectors.Collector("--ring", ring, *args)
        self.programs = []

    def __enter__(self):
        self.programs = [Program(self.ring) for _ in range(PROGRAMS)]
        return self

    def __exit__(self, *_):
        self.collector.__exit__()
        for program in self.programs:
            program.process.kill()
            program.process.communicate()

    def known(self):
        """The events that the collector knows of: never more than there can be."""
        values = self.collector.values()
        known = values.get("read_events_total", 0) + values.lost().get("ring", 0)
        asked = sum(program.asked for program in self.programs)
        assert known <= asked, (self.observed, known, asked, values)
        self.observed += 1
        return known

    @contextlib.contextmanager
    def burst(self, count):
        """All programs write at once."""
        threads = [threading.Thread(target=program.write, args=(count,))
                   for program in self.programs]
        for one in threads:
            one.start()
        yield threads
        for one in threads:
            one.join()
        self.collector.process.send_signal(signal.SIGCONT)
        asked = sum(program.asked for program in self.programs)
        until(lambda: self.known() == asked, f"{asked} events are read or lost")

    def overflow(self):
        """The ring, while the collector is stopped."""
        self.collector.process.send_signal(signal.SIGSTOP)
        with self.burst(EVENTS):
            pass

    def race(self):
        """The collector is asked all the time."""
        with self.burst(random.randrange(CHUNK, EVENTS)) as threads:
            while any(one.is_alive() for one in threads):
                self.known()

    def end(self, arrived_as):
        """The events that arrived, as the collector says at last."""
        written, dropped = map(sum, zip(*(program.end() for program in self.programs)))
        asked = sum(program.asked for program in self.programs)
        self.collector.process.send_signal(signal.SIGTERM)
        same(self.collector.process.wait(DEADLINE), 0)
        values = self.collector.values()
        same((written + dropped, values[arrived_as] + sum(values.lost().values())), (asked, asked))
        assert values.lost().get("ring"), values
        return values[arrived_as]


def finished(ring, arrived_as, *args):
    with Run(ring, *args) as one:
        for burst in one.race, one.overflow, one.race:
            burst()
        return one.end(arrived_as)


def count(ring):
    finished(ring, "read_events_total")


def record(ring):
    directory = folder / f"{next(numbers)}.records"
    arrived = finished(ring, "recorded_events_total", "--record", directory, "--keep-free", "1k")
    done = subprocess.run([tool, "decode", "--json", "--meta", "all", *sorted(directory.iterdir())],
                          capture_output=True, timeout=DEADLINE)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    same(len(found), arrived)
    same(len({(event["meta"]["pid"], event["number"]) for event in found}), arrived)


def export(ring):
    """Two events differ in their process, or in their number."""
    with Receiver(ok) as receiver:
        arrived = finished(ring, "delivered_events_total", "--otlp", receiver.url)
        taken = [item for request in receiver.accepted for item in items(request)]
    events = [item for item in taken if b"userevents.lost" not in item]
    same((len(events), len(set(events))), (arrived, arrived))


def is_each_event_read_or_lost(mode):
    ring = folder / f"{mode}.ring"
    subprocess.run([tool, "ring", "create", "--size", "256k", "--mode", mode, ring], check=True)
    with busy_machine():
        for _ in range(RUNS):
            for way in count, record, export:
                way(ring)


def each_event_is_read_or_overwritten():
    is_each_event_read_or_lost("overwrite")


def each_event_is_read_or_dropped():
    is_each_event_read_or_lost("drop")


run([each_event_is_read_or_overwritten, each_event_is_read_or_dropped])
