#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents collect, of rings, with receivers that behave badly.

Arguments: the tool, the program many, the unit of systemd, scripts/npm-package, and the program
ring_places.

Each event that was written is delivered, or counted as lost, once: as the collector's metrics
say, and as the receiver got it. A collector has pauses of seconds; so the tests wait beside each
other.
"""
import json
import mmap
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time

import collectors
from collectors import (DEADLINE, connect, everything, folder, links_in, numbers,
                        read_metrics, tool, until)
from receiver import (Receiver, answer, cut_before_answer, cut_request, endless, items, of, ok,
                      partial, raw, silent)
from tap import beside, not_sanitized, run, same
from waiting import free_port

many, unit, npm_package, ring_places = sys.argv[2:]
places = collectors.places(ring_places)
SECONDS_TO_END = 60  # 5 seconds are promised, on a machine that is not busy


def new_ring(name=None, size="4M", mode="drop"):
    path = folder / (name or f"{next(numbers)}.ring")
    subprocess.run([tool, "ring", "create", "--size", size, "--mode", mode, path], check=True,
                   timeout=DEADLINE)
    return path


def write(ring, count):
    """Events of the ring; those that do not fit are lost."""
    subprocess.run([many, str(count)], env={**os.environ, "USEREVENTS_RING": str(ring)},
                   timeout=DEADLINE)


class Collector(collectors.Collector):
    def __init__(self, *args, **kwargs):
        self.has_state = "--state" in args
        super().__init__(*args, **kwargs)

    def waits_for(self, **wanted):
        until(lambda: all(self.values().get(name, 0) >= value
                          for name, value in wanted.items()), wanted)

    def writes(self, ring, count):
        """Write events that it finds together."""
        self.process.send_signal(signal.SIGSTOP)
        write(ring, count)
        self.process.send_signal(signal.SIGCONT)

    def end(self, number=signal.SIGTERM):
        """The last metrics, whose sum is right. The last line has the losses, too."""
        begun = time.monotonic()
        self.process.send_signal(number)
        same(self.process.wait(DEADLINE), 0)
        assert time.monotonic() - begun < SECONDS_TO_END
        values = self.values()
        lost = values.lost()
        same(values.get('pending_events{place="encoder"}', 0), 0)
        same(values.get('pending_events{place="queue"}', 0), 0)
        if "delivered_events_total" in values:
            same(values["read_events_total"], values["filtered_events_total"] +
                 values["delivered_events_total"] +
                 sum(lost.get(reason, 0) for reason in
                     ("filter", "rate_limit", "queue", "receiver", "restart")))
        if not self.has_state:  # then it has those of this collector alone
            same([line for line in self.said().splitlines() if "by reason" in line],
                 losses_in_words(lost))
        return values


def losses_in_words(lost):
    """By reason, in the order of the metrics."""
    reasons = ", ".join(f"{reason} {int(number)}" for reason, number in lost.items())
    number = int(sum(lost.values()))
    return [f"userevents: {number} event{' was' if number == 1 else 's were'} lost, "
            f"by reason: {reasons}"] if lost else []


def collecting(ring, *args, **kwargs):
    return Collector("--ring", ring, *args, **kwargs)


def event_name(record):
    return b"".join(of(record, 12)).decode()


def lost_of(record):
    """The count of a record userevents.lost."""
    for attribute in of(record, 6):
        if of(attribute, 1) == [b"count"]:
            return of(of(attribute, 2)[0], 3)[0]
    raise AssertionError(record)


def accepted(receiver):
    """Events that a receiver took, and those that it was told of as lost."""
    records = [item for request in receiver.accepted for item in items(request)]
    told = [lost_of(one) for one in records if event_name(one) == "userevents.lost"]
    return len(records) - len(told), sum(told)


# Receivers

def events_of_rings_arrive():
    ring = new_ring()
    with Receiver(ok) as receiver, collecting(ring, "--otlp", receiver.url) as collector:
        write(ring, 1000)
        collector.waits_for(delivered_events_total=1000)
        values = collector.end()
        same(accepted(receiver), (1000, 0))
    same(values.lost(), {})
    same(values['events_total{provider="user_events",event="step"}'], 1000)
    same(values['event_payload_bytes_total{provider="user_events",event="step"}'], 4000)
    same(collector.said(), "")


def rings_that_appear_later_are_read():
    first = new_ring("later1.ring")
    with Receiver(ok) as receiver, \
            Collector("--ring", folder / "later*.ring", "--otlp", receiver.url) as collector:
        write(first, 10)
        collector.waits_for(delivered_events_total=10)
        for name in "later2.ring", "later3.ring":
            write(new_ring(name), 10)
        collector.waits_for(delivered_events_total=30)
        first.unlink()
        write(new_ring("later1.ring"), 10)
        collector.waits_for(delivered_events_total=40)
        same(collector.end().lost(), {})
        same(accepted(receiver), (40, 0))


def a_pattern_that_matches_no_ring_is_reported_once():
    ring, pattern = new_ring("there.ring"), folder / "typo*.ring"
    with Collector("--ring", folder / "ther*.ring", "--ring", pattern) as collector:
        write(ring, 10)
        collector.waits_for(read_events_total=10)
        write(new_ring("typo1.ring"), 10)
        collector.waits_for(read_events_total=20)
        same(collector.end().lost(), {})
        same(collector.said(), f"userevents: no ring matches {pattern} yet; it is looked for "
             "every second\n")


def receivers_that_misbehave_lose_nothing_uncounted():
    """Each request is of up to 512 events; refused ones are lost, others are sent again."""
    def check(case):
        script, lost = case
        ring = new_ring()
        with Receiver(*script) as receiver, \
                collecting(ring, "--otlp", receiver.url) as collector:
            write(ring, 2000)
            until(lambda: (values := collector.values()).get("delivered_events_total", 0) +
                  values.lost().get("receiver", 0) == 2000, "all are delivered or lost")
            values = collector.end()
            taken = accepted(receiver)[0]
        at_receiver = values.lost().get("receiver", 0)
        same(set(values.lost()) - {"receiver"}, set())
        if lost is None:
            assert 0 < at_receiver <= 512, at_receiver
            same(taken, 2000 - at_receiver)
        else:
            same(at_receiver, lost)
            same(taken, 2000)

    beside(check, (
        ([answer(503, headers=["Retry-After: 1"]), ok], 0),
        ([answer(429), ok], 0), ([answer(502), cut_before_answer, ok], 0),
        ([cut_before_answer, cut_before_answer, ok], 0),
        ([answer(400), ok], None), ([answer(301), ok], None),
        ([partial(7), ok], 7)))


def a_receiver_that_is_down_is_counted_within_5_seconds():
    ring = new_ring()
    with Receiver(ok, listens=False) as receiver, \
            collecting(ring, "--otlp", receiver.url) as collector:
        write(ring, 1000)
        collector.waits_for(read_events_total=1000)
        same(collector.end().lost(), {"receiver": 1000})


def a_silent_receiver_is_counted_within_5_seconds():
    ring = new_ring()
    with Receiver(silent) as receiver, collecting(ring, "--otlp", receiver.url) as collector:
        write(ring, 1000)
        collector.waits_for(read_events_total=1000)
        same(collector.end().lost(), {"receiver": 1000})


def a_receiver_that_comes_back_is_told_what_the_queue_lost():
    ring = new_ring(size="16M")
    with Receiver(ok, listens=False) as receiver, \
            collecting(ring, "--otlp", receiver.url, "--queue", "64k") as collector:
        write(ring, 20000)
        collector.waits_for(read_events_total=20000)
        until(lambda: collector.values().lost().get("queue"), "the queue is full")
        receiver.listen()
        until(lambda: collector.values().get("delivered_events_total", 0) > 0, "it is up")
        write(ring, 1)
        collector.waits_for(read_events_total=20001)
        until(lambda: accepted(receiver)[1], "it is told of the losses")
        values = collector.end()
        taken, told = accepted(receiver)
    same(set(values.lost()), {"queue"})
    same(taken + values.lost()["queue"], 20001)
    same(told, values.lost()["queue"])


def receivers_that_answer_garbage_or_never_are_counted():
    """All is lost at the end, or refused at once; and the collector goes on."""
    head = b"HTTP/1.1 200 OK\r\n"

    def check(case):
        behaviour, is_success = case
        ring = new_ring()
        with Receiver(behaviour) as receiver, \
                collecting(ring, "--otlp", receiver.url, "--timeout", "500") as collector:
            write(ring, 1000)
            collector.waits_for(read_events_total=1000)
            if is_success:
                collector.waits_for(delivered_events_total=1000)
                same(collector.end().lost(), {})
                return
            until(lambda: receiver.arrived, "it was asked")
            write(ring, 1000)
            collector.waits_for(read_events_total=2000)
            same(collector.end().lost(), {"receiver": 2000})
            same(collector.said() != "", True)

    beside(check, [(behaviour, False) for behaviour in (
        raw(b"SSH-2.0-OpenSSH_9.2\r\n"), raw(b"\0" * 1000), raw(b"\xff" * 300000),
        raw(b"HTTP/1.1 999999 No\r\n\r\n"), raw(b""), cut_request,
        endless(b"HTTP/1.1 503 No\r\n", b"X: y\r\n", False, 0.05))] +
           [(raw(head + b"Content-Length: 50\r\n\r\n123", accepts=True), True),
            (endless(head + b"\r\n", b"x" * 5000, accepts=True), True)])


def a_certificate_that_is_refused_is_counted():
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                    "/CN=localhost", "-keyout", "key.pem", "-out", "own.pem"],
                   check=True, capture_output=True, cwd=folder)
    context, ring = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), new_ring()
    context.load_cert_chain(folder / "own.pem", folder / "key.pem")
    with Receiver(ok, context=context) as receiver, \
            collecting(ring, "--otlp", receiver.url) as collector:
        write(ring, 1000)
        collector.waits_for(read_events_total=1000)
        until(lambda: "certificate" in collector.said(), "it is reported")
        same(collector.end().lost(), {"receiver": 1000})
        same(receiver.requests, [])


# The collector's own limits

def a_rate_is_kept_and_the_rest_is_counted():
    ring = new_ring()
    with Receiver(ok) as receiver, \
            collecting(ring, "--otlp", receiver.url, "--max-rate", "10/s") as collector:
        collector.writes(ring, 1000)
        collector.waits_for(read_events_total=1000)
        values = collector.end()
        taken, told = accepted(receiver)
    same(set(values.lost()), {"rate_limit"})
    same(taken + values.lost()["rate_limit"], 1000)
    same(told, values.lost()["rate_limit"])
    assert taken % 10 == 0 and taken < 500, taken


def a_full_ring_is_counted():
    ring = new_ring(size="256k")
    with Receiver(ok) as receiver, collecting(ring, "--otlp", receiver.url) as collector:
        collector.writes(ring, 50000)
        until(lambda: (values := collector.values()).get("read_events_total", 0) +
              values.lost().get("ring", 0) == 50000, "all are read or lost")
        values = collector.end()
        taken, told = accepted(receiver)
    same(set(values.lost()), {"ring"})
    same((taken + values.lost()["ring"], told), (50000, values.lost()["ring"]))


def a_ring_that_is_full_when_it_is_found_is_counted():
    """It is new, so that all of its losses are of the time of this collector."""
    seen, late = new_ring("found1.ring"), folder / "found2.ring"
    with Receiver(ok) as receiver, \
            collecting(folder / "found*.ring", "--otlp", receiver.url) as collector:
        write(seen, 1)
        collector.waits_for(read_events_total=1)
        collector.process.send_signal(signal.SIGSTOP)
        write(new_ring(late.name, size="256k"), 50000)
        collector.process.send_signal(signal.SIGCONT)
        until(lambda: (values := collector.values()).get("read_events_total", 0) +
              values.lost().get("ring", 0) == 50001, "all are read or lost")
        values = collector.end()
        taken, told = accepted(receiver)
    same((taken + values.lost()["ring"], told), (50001, values.lost()["ring"]))


def a_burst_ten_times_the_ring_is_counted():
    """An event takes 16 bytes at least, so these are more than ten rings."""
    size, count = 256 << 10, 200000
    ring = new_ring(size=str(size))
    assert count * 16 > 10 * size
    with Receiver(ok) as receiver, collecting(ring, "--otlp", receiver.url) as collector:
        write(ring, count)
        until(lambda: (values := collector.values()).get("read_events_total", 0) +
              values.lost().get("ring", 0) == count, "all are read or lost")
        values = collector.end()
        taken, told = accepted(receiver)
    assert set(values.lost()) <= {"ring"}, values.lost()
    same((taken + values.lost().get("ring", 0), told), (count, values.lost().get("ring", 0)))


class Throttle(threading.Thread):
    """Stops a process for 95 of each 100 ms, as a quota of 5 % of a processor does."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.over = process, threading.Event()

    def run(self):
        while not self.over.is_set():
            self.process.send_signal(signal.SIGSTOP)
            time.sleep(0.095)
            self.process.send_signal(signal.SIGCONT)
            time.sleep(0.005)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()


def a_twentieth_of_a_processor_loses_nothing_uncounted():
    ring, count = new_ring(size="256k"), 100000
    with Receiver(ok) as receiver, collecting(ring, "--otlp", receiver.url) as collector:
        with Throttle(collector.process):
            write(ring, count)
            until(lambda: (values := collector.values()).get("read_events_total", 0) +
                  values.lost().get("ring", 0) == count, "all are read or lost")
        values = collector.end()
        taken, told = accepted(receiver)
    same(set(values.lost()), {"ring"})
    same((taken + values.lost()["ring"], told), (count, values.lost()["ring"]))


def another_receiver_takes_all_events():
    package = subprocess.run([npm_package, "@elastic/mockotlpserver", "0.10.0"], check=True,
                             capture_output=True, text=True, timeout=DEADLINE).stdout.strip()
    node = subprocess.Popen(["node", pathlib.Path(__file__).with_name("mock_receiver.js"),
                             package], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    ring = new_ring()
    with collecting(ring, "--otlp", node.stdout.readline().strip()) as collector:
        write(ring, 5000)
        collector.waits_for(delivered_events_total=5000)
        values = collector.end()
    same(values.lost(), {})
    requests = int(values['export_requests_total{result="delivered"}'])
    found = [json.loads(node.stdout.readline()) for _ in range(requests)]
    node.stdin.close()
    same(node.stdout.read(), "")
    same(node.wait(DEADLINE), 0)
    same(sorted(int(record["attributes"]["number"]) for request in found
                for record in request["records"]), list(range(5000)))


def an_expression_filters_and_one_that_does_not_fit_stops_nothing():
    ring = new_ring()
    with Receiver(ok) as receiver, \
            collecting(ring, "--otlp", receiver.url, "--where", "number < 100") as collector:
        write(ring, 1000)
        collector.waits_for(read_events_total=1000)
        values = collector.end()
        same(accepted(receiver), (100, 0))
        same((values["filtered_events_total"], values.lost()), (900, {}))
    with Receiver(ok) as receiver, \
            collecting(ring, "--otlp", receiver.url, "--where", 'number == "x"') as collector:
        write(ring, 1000)
        collector.waits_for(read_events_total=1000)
        same(collector.end().lost(), {"filter": 1000})
        same(collector.said().count("cannot compare"), 1)


def a_new_expression_that_does_not_fit_is_reported_too():
    ring, config = new_ring(), folder / "misfits"
    with Receiver(ok) as receiver:
        text = f"ring = {ring}\notlp = {receiver.url}\n"
        config.write_text(text + 'where = number == "x"\n')
        with Collector("--config", config) as collector:
            write(ring, 10)
            collector.waits_for(read_events_total=10)
            config.write_text(text + 'where = number == "y"\n')
            collector.process.send_signal(signal.SIGHUP)
            until(lambda: "read again" in collector.said(), "it is read again")
            write(ring, 10)
            collector.waits_for(read_events_total=20)
            same(collector.end().lost(), {"filter": 20})
        same(collector.said().count("cannot compare"), 2)


def carets_are_reported_once_too():
    ring = new_ring()
    with collecting(ring, "--where", "text == 5") as collector:
        write(ring, 500)
        collector.waits_for(read_events_total=500)
        collector.end()
        assert collector.said().count("\n") < 5, collector.said()


def a_ring_that_overwrites_and_appears_later_is_read_from_its_begin():
    old = new_ring("over1.ring", mode="overwrite")
    write(old, 5)
    with Collector("--ring", folder / "over*.ring") as collector:
        write(new_ring("over2.ring", mode="overwrite"), 3)
        collector.waits_for(read_events_total=3)
        write(old, 4)
        collector.waits_for(read_events_total=7)
        same(collector.end()["read_events_total"], 7)


def the_only_ring_may_be_cut_to_nothing():
    cut = new_ring()
    with collecting(cut) as collector:
        write(cut, 10)
        collector.waits_for(read_events_total=10)
        os.truncate(cut, 0)
        until(lambda: "became shorter" in collector.said(), "it is noticed")
        same(collector.end()["read_events_total"], 10)


def writers_that_go_on_do_not_keep_it():
    rings = [new_ring(f"busy{i}.ring") for i in range(3)]
    writers = [subprocess.Popen([many, "1000000000"],
                                env={**os.environ, "USEREVENTS_RING": str(ring)})
               for ring in rings]
    try:
        with Collector("--ring", folder / "busy*.ring") as collector:
            collector.waits_for(read_events_total=10000)
            collector.end()
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()


def a_pipe_in_place_of_the_new_metrics_is_replaced():
    ring, metrics = new_ring(), folder / "piped.prom"
    os.mkfifo(f"{metrics}.new")
    with collecting(ring, "--metrics", metrics) as collector:
        write(ring, 3)
        until(lambda: metrics.exists() and
              read_metrics(metrics.read_text()).get("read_events_total") == 3, "it is written")
        collector.end()


def counts_that_others_can_write_are_refused():
    path = folder / "shared"
    path.touch()
    path.chmod(0o666)
    done = subprocess.run([tool, "collect", "--ring", new_ring(), "--state", path,
                           "--metrics", folder / "unused.prom"], capture_output=True,
                          text=True, timeout=DEADLINE)
    same((done.returncode, done.stderr), (1, f"userevents: cannot keep counts in {path}: "
                                          "others can write to it; remove it, or name "
                                          "another file\n"))


def has(collector, ring):
    """A mapping or a descriptor of it."""
    process = pathlib.Path(f"/proc/{collector.process.pid}")
    return str(ring) in links_in(process / "fd") or str(ring) in (process / "maps").read_text()


def a_ring_that_is_cut_stops_nothing():
    cut, other = new_ring("cut1.ring"), new_ring("cut2.ring")
    with Collector("--ring", folder / "cut*.ring") as collector:
        write(cut, 10)
        write(other, 10)
        collector.waits_for(read_events_total=20)
        os.truncate(cut, 4096)
        until(lambda: "became shorter" in collector.said(), "it is noticed")
        until(lambda: not has(collector, cut), "nothing is kept of it")
        write(other, 10)
        collector.waits_for(read_events_total=30)
        collector.end()


# Killed collectors

def what_a_killed_collector_had_taken_is_counted():
    """It had sent some events, and waited with others for an answer."""
    ring, state = new_ring(), folder / "counts"
    with Receiver(ok, silent) as first:
        with collecting(ring, "--otlp", first.url, "--state", state) as collector:
            collector.writes(ring, 10)  # in one request
            collector.waits_for(delivered_events_total=10)
            write(ring, 3000)
            collector.waits_for(read_events_total=3010)
            collector.process.kill()
            collector.process.wait()
        before = accepted(first)[0]
    same(before, 10)
    write(ring, 500)  # it waits in the ring
    with Receiver(ok) as second, \
            collecting(ring, "--otlp", second.url, "--state", state) as collector:
        write(ring, 500)
        collector.waits_for(delivered_events_total=1010)
        values = collector.end()
        after, told = accepted(second)
    same((values["read_events_total"], values.lost()), (4010, {"restart": 3000}))
    same((after, told), (1000, 3000))
    with collecting(ring, "--state", state) as collector:  # it has counted all
        same(collector.end()["read_events_total"], 4010)


def losses_between_two_collectors_are_counted():
    ring, state = new_ring(size="256k"), folder / "between"
    written, rings = 0, []
    for count in 100, 50000, 100:
        write(ring, count)
        written += count
        with collecting(ring, "--state", state) as collector:
            until(lambda: (values := collector.values()).get("read_events_total", 0) +
                  values.lost().get("ring", 0) == written, "all are read or lost")
            rings.append(collector.end().lost().get("ring", 0))
    same((rings[0], rings[1] > 0, rings[2] == rings[1]), (0, True, True))


def collectors_that_are_killed_while_events_come_count_them():
    """
    Of each kill, one event at most may be counted twice, as the next collector reads it again, and
    the requests on their way may have arrived, though they are counted as lost: at most 4, of 512
    events each.
    """
    ring, state, count, kills = new_ring(), folder / "kills", 500000, 4
    with Receiver(ok) as receiver:
        writing = None
        for kill in range(kills):
            with collecting(ring, "--otlp", receiver.url, "--state", state) as collector:
                writing = writing or subprocess.Popen(
                    [many, str(count)], env={**os.environ, "USEREVENTS_RING": str(ring)})
                seen = collector.values().get("read_events_total", 0)
                collector.waits_for(read_events_total=seen + 1 if writing.poll() is None else 0)
                collector.process.kill()
                collector.process.wait()
        writing.wait(DEADLINE)
        with collecting(ring, "--otlp", receiver.url, "--state", state) as collector:
            until(lambda: (values := collector.values()).get("read_events_total", 0) +
                  values.lost().get("ring", 0) >= count, "all are read or lost")
            values = collector.end()
        taken = accepted(receiver)[0]
    lost = sum(values.lost().values())
    assert set(values.lost()) <= {"ring", "restart"}, values.lost()
    known = values["delivered_events_total"] + lost
    assert count <= known <= count + kills, (known, values)
    assert count <= taken + lost <= count + kills * (4 * 512 + 1), (taken, values)


def files_that_are_no_counts_are_refused():
    ring, state = new_ring(), folder / "state"
    state.write_text("precious")
    link = folder / "link"
    link.symlink_to(state)
    with collecting(ring, "--state", folder / "taken"):
        for path, words in (
                (state, "it is no file of counts; name another"),
                (link, "Too many levels of symbolic links"),
                (folder, "Is a directory"), (folder / "none" / "x", "No such file"),
                ("/dev/null", "it is no regular file"),
                (folder / "taken", "another collector does; give each a file of its own")):
            done = subprocess.run([tool, "collect", "--ring", ring, "--metrics", folder / "m",
                                   "--state", path], capture_output=True, text=True,
                                  timeout=DEADLINE)
            same(done.returncode, 1)
            same(done.stderr.splitlines()[0].partition(words)[:2],
                 (f"userevents: cannot keep counts in {path}: ", words))
    same(state.read_text(), "precious")


def counts_of_another_version_are_set_aside():
    """An upgraded collector starts; the old counts are not overwritten, also if they are not whole."""
    ring, state = new_ring(), folder / "upgraded"
    old = state.with_name("upgraded.old")
    with collecting(ring, "--state", state) as collector:
        write(ring, 5)
        collector.waits_for(read_events_total=5)
        same(collector.end()["state_files_set_aside_total"], 0)
    whole = state.read_bytes()
    for earlier in (bytes([whole[0] ^ 1]) + whole[1:-8], whole[:-4096]):
        state.write_bytes(earlier)
        with collecting(ring, "--state", state) as collector:
            write(ring, 7)
            collector.waits_for(read_events_total=7)
            values, said = collector.end(), collector.said()
        same((values["read_events_total"], values["state_files_set_aside_total"]), (7, 1))
        same(old.read_bytes(), earlier)
        assert f"the counts in {state} are of another version of userevents, or not whole: they are " \
            f"in {old} now, and all counts begin at 0" in said, said
        with collecting(ring, "--state", state) as collector:  # once
            values, said = collector.end(), collector.said()
        same((values["read_events_total"], values["state_files_set_aside_total"]), (7, 1))
        assert "another version" not in said, said


# Services

def the_limit_of_descriptors_is_raised_as_far_as_it_may():
    with collecting(new_ring(), prefix=("prlimit", "--nofile=64:777")) as collector:
        same(resource.prlimit(collector.process.pid, resource.RLIMIT_NOFILE), (777, 777))


def the_service_manager_is_told():
    path, ring = folder / "notify", new_ring()
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(str(path))
    manager.settimeout(DEADLINE)

    def told():
        return manager.recv(4096).decode()

    with collecting(ring, env={"NOTIFY_SOCKET": str(path),
                               "WATCHDOG_USEC": "1000000"}) as collector:
        same((told(), told(), told()), ("READY=1", "WATCHDOG=1", "WATCHDOG=1"))
        collector.process.send_signal(signal.SIGHUP)
        seen = [told()]
        while seen[-1] != "READY=1":
            seen.append(told())
        begun = [one for one in seen if one.startswith("RELOADING=1\nMONOTONIC_USEC=")]
        same(len(begun), 1)
        collector.end()
        seen = [told()]
        while seen[-1] == "WATCHDOG=1":
            seen.append(told())
        same(seen[-1], "STOPPING=1")


def other_users_can_enter_the_folder_of_the_unit():
    """systemd hides it from them if the user is a dynamic one and the folder is preserved."""
    text = pathlib.Path(unit).read_text()
    assert "\nDynamicUser=yes" not in text or "\nRuntimeDirectoryPreserve" not in text


def the_user_of_the_unit_is_made():
    root = folder / "root"
    (root / "etc").mkdir(parents=True)
    subprocess.run(["systemd-sysusers", f"--root={root}",
                    pathlib.Path(unit).with_suffix(".conf")], check=True, timeout=DEADLINE)
    assert re.search("^User=userevents$", pathlib.Path(unit).read_text(), re.M)
    for name in ("passwd", "group"):
        assert "\nuserevents:" in "\n" + (root / "etc" / name).read_text()


def the_unit_is_one_of_systemd():
    """Its program is looked for, so the tool that was built takes its place."""
    assert shutil.which("systemd-analyze"), \
        "systemd-analyze is missing; scripts/packages --install tests"
    text = pathlib.Path(unit).read_text()
    same(text.count("=/usr/bin/userevents collect "), 1)
    copy = folder / pathlib.Path(unit).name

    def verified(text):
        copy.write_text(text.replace("=/usr/bin/userevents ", f"={os.path.abspath(tool)} "))
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", copy],
                              capture_output=True, text=True, timeout=DEADLINE)
        return done.returncode, done.stdout + done.stderr

    same(verified(text), (0, ""))
    assert "Nonsense" in verified(text.replace("Nice=", "Nonsense="))[1]


def hangups_change_what_can_change():
    ring, config = new_ring(), folder / "config"
    config.write_text("\n# a comment\n  ring = " + str(ring) + "\n")

    def reload(text, words):
        config.write_text(text)
        collector.process.send_signal(signal.SIGHUP)
        until(lambda: collector.said().endswith(words + "\n"), words)

    with Collector("--config", config) as collector:
        write(ring, 100)
        collector.waits_for(read_events_total=100)
        reload(f"ring={ring}\nwhere = number < 10\nmax-rte = 5", "The settings stay as they were.")
        write(ring, 100)
        collector.waits_for(read_events_total=200)
        same(collector.values()["filtered_events_total"], 0)
        reload(f"ring={ring}\nwhere = number < 10\nevent = x", "The settings were read again.")
        write(ring, 100)
        collector.waits_for(read_events_total=300)
        same(collector.end()["filtered_events_total"], 90)
    same(collector.said(), f"""\
userevents: cannot use line 3 of {config}: there is no setting "max-rte"; did you mean "max-rate"?
userevents: The settings stay as they were.
userevents: cannot change "event" while events are collected; restart the collector for it
userevents: The settings were read again.
""")


@not_sanitized("what is freed is kept for a while")
def hangups_keep_no_old_settings():
    """Each file of them takes a megabyte; those of the first and the last one are kept."""
    ring, config = new_ring(), folder / "large"
    good = f"ring = {ring}\nevent = {'x' * (1 << 20)}\n"
    bad = "max-rte = 1\n", "rotate = 64M\n", f"metrics = unix:{folder}/none/x\n"

    def reload(text, end):
        before = collector.said().count("The settings")
        config.write_text(good + text)
        collector.process.send_signal(signal.SIGHUP)
        until(lambda: collector.said().count("The settings") > before, end)
        assert collector.said().endswith(f"{end}\n"), collector.said()[-1000:]

    def memory():
        status = pathlib.Path(f"/proc/{collector.process.pid}/status").read_text()
        return int(re.search(r"VmData:\s*(\d+)", status)[1]) << 10

    config.write_text(good)
    sizes = []
    with Collector("--config", config) as collector:
        for _ in range(5):
            for text in bad:
                reload(text, "The settings stay as they were.")
            reload("where = number < 10\n", "The settings were read again.")
            sizes.append(memory())
        collector.end()
    assert sizes[-1] - sizes[0] < 5 << 20, sizes


def hangups_without_a_file_change_nothing():
    with collecting(new_ring()) as collector:
        collector.process.send_signal(signal.SIGHUP)
        until(lambda: collector.said().count("\n") == 2, "it says so")
        same(collector.said(), """\
userevents: cannot read settings again: there is no file of --config; restart the collector with one
userevents: The settings stay as they were.
""")
        collector.end()


def wrong_lines_and_options_are_explained():
    config = folder / "wrong"
    for line, words in (
            ("max-rte = 5", 'there is no setting "max-rte"; did you mean "max-rate"?'),
            ("max-rate = x", '--max-rate "x" is not a number of events per second'),
            ("rotate = 64M", '--rotate "64M" is not BYTES,FILES'),
            ("flatten = maybe", '"maybe" is neither yes nor no'),
            ("ring", "it is not NAME = VALUE"),
            ('metrics = "x.prom"', 'values have no quotes; correct "x.prom"'),
            ("state = counts # of this machine", "a comment has a line of its own"),
            ("metrics =", "the option --metrics needs a value that is not empty"),
            ("queue = 1", "the option --queue needs at least 65536"),
            ("keep-free = much", 'the value of "keep-free" is wrong'),
            ("metrics-label = x", '--metrics-label "x" is no label: it is not NAME=VALUE'),
            ("where = a =", 'the value of "where" is wrong'),
            ("config = x", 'there is no setting "config"')):
        config.write_text(f"# one\n{line}\n")
        done = subprocess.run([tool, "collect", "--config", config, "--metrics", folder / "m"],
                              capture_output=True, text=True, timeout=DEADLINE)
        same((done.returncode, done.stdout), (2, ""))
        assert f"cannot use line 2 of {config}: {words}" in done.stderr, done.stderr
    for args, status, words in (
            ([], 2, "nothing is to be done with events"),
            (["x"], 2, '"x" is no option'),
            (["--config", "/nonexistent"], 2, "cannot read /nonexistent: No such file"),
            (["--ring", "x", "--record", "/proc/x"], 1, "cannot make the directory /proc/x"),
            (["--ring", "x", "--otlp", "http://x", "--metrics-label", "a=x"], 2,
             "--metrics-label is for --metrics FILE|ADDRESS"),
            (["--ring", "x", "--metrics", "http://localhost:9464"], 2,
             '--metrics "http://localhost:9464" is neither an address, such as :9464, nor a file'),
            (["--ring", "x", "--otlp", "http://x:4318/in/v1/logs/"], 2,
             "cannot send to the receiver that --otlp names: it has the path of one signal"),
            (["--ring", "x", "--otlp", "ftp://x"], 2,
             "cannot send to the receiver that --otlp names: only http")):
        done = subprocess.run([tool, "collect", *args], capture_output=True, text=True,
                              timeout=DEADLINE)
        same(done.returncode, status)
        assert words in done.stderr, done.stderr


def receivers_and_directories_that_cannot_be_are_explained():
    ring, file = new_ring(), folder / "a file"
    file.write_text("precious")
    for args, status, words in (
            (["--ring", ring, "--otlp", "localhost:4318"], 2, "cannot send to the receiver that"),
            (["--ring", ring, "--otlp", "http://"], 2, "cannot send to the receiver that"),
            (["--ring", ring, "--otlp", "http://[::1"], 2, "cannot send to the receiver that"),
            (["--ring", ring, "--otlp", ""], 2, "needs a value that is not empty"),
            (["--record", file], 1, f"cannot record into {file}: Not a directory"),
            (["--record", folder / "none" / "x"], 1,
             f"cannot make the directory {folder}/none/x: No such file"),
            (["--record", "/proc/x"], 1, "cannot make the directory /proc/x: No such file")):
        done = subprocess.run([tool, "collect", *args], capture_output=True, text=True,
                              timeout=DEADLINE)
        same((done.returncode, done.stdout, done.stderr.count("\n") < 4), (status, "", True))
        assert words in done.stderr, done.stderr
    same(file.read_text(), "precious")


def a_ring_has_one_collector():
    """The second one says so, and collects from others."""
    shared, other = new_ring("shared1.ring"), new_ring("shared2.ring")
    with collecting(shared) as first:
        write(shared, 10)
        first.waits_for(read_events_total=10)
        with Collector("--ring", folder / "shared*.ring") as second:
            until(lambda: f"cannot collect from {shared}: " in second.said(), "it says so")
            write(shared, 10)
            write(other, 5)
            second.waits_for(read_events_total=5)
            first.waits_for(read_events_total=20)
            same(second.end()["read_events_total"], 5)
        same(first.end()["read_events_total"], 20)


def a_ring_that_could_not_be_read_is_tried_again():
    """It is reported once."""
    ring = new_ring()
    with collecting(ring) as first, collecting(ring) as second:
        until(lambda: "cannot collect from" in second.said() + first.said(), "one is refused")
        if first.said():
            first, second = second, first
        first.end()
        write(ring, 5)
        second.waits_for(read_events_total=5)
        same(second.said().count("cannot collect from"), 1)
        second.end()


def a_removed_ring_is_read_on():
    """By its descriptor, although nothing had come before it was removed."""
    ring = new_ring("removed1.ring")
    fd = os.open(ring, os.O_RDWR)
    with Collector("--ring", folder / "removed*.ring") as collector:
        until(lambda: has(collector, ring), "it is found")
        ring.unlink()
        for number in 2, 3:  # each is found by another look at the rings
            other = new_ring(f"removed{number}.ring")
            until(lambda: has(collector, other), "another ring is found")
        subprocess.run([many, "10"], env={**os.environ, "USEREVENTS_RING": f"/dev/fd/{fd}"},
                       pass_fds=[fd], timeout=DEADLINE, check=True)
        collector.waits_for(read_events_total=10)
        collector.end()
    os.close(fd)


def more_files_than_can_be_read_are_reported():
    for i in range(1025):
        (folder / f"{i}.crowd").write_text("no ring")
    with Collector("--ring", folder / "*.crowd") as collector:
        until(lambda: "1024 files are the most" in collector.said(), "it says so")
        for file in folder.glob("*.crowd"):
            file.unlink()
        write(new_ring("real.crowd"), 3)
        collector.waits_for(read_events_total=3)
        collector.end()


def counts_that_cannot_be_are_not_added():
    """A program may write anything into a ring, but the sum is of all programs."""
    ring = new_ring()
    with collecting(ring) as collector, open(ring, "r+b") as file, \
            mmap.mmap(file.fileno(), 4096) as head:
        write(ring, 1)
        collector.waits_for(read_events_total=1)
        struct.pack_into("=Q", head, places["lost"], 5)
        until(lambda: collector.values().lost() == {"library": 5}, "what can be is added")
        for number, count in enumerate((2 ** 64 - 1, 7), 2):
            struct.pack_into("=Q", head, places["lost"], count)
            write(ring, 1)
            collector.waits_for(read_events_total=number)
        same(collector.end().lost(), {"library": 5})


def pages_of(memory):
    """Where those of a ring are that have events: the large ones follow the small ones."""
    at, = struct.unpack_from("=Q", memory, places["pages_at"])
    small, = struct.unpack_from("=I", memory, places["small_pages"])
    large = at + small * places["small"]
    for page in (*range(at, large, places["small"]),
                 *range(large, len(memory) - places["large"] + 1, places["large"])):
        if any(memory[page:page + 8]):
            yield page


def pages_tell_of_no_more_than_was_lost():
    """What a program stores into its pages hides no loss of others."""
    ring = new_ring(size="256k")
    with Receiver(ok) as receiver, collecting(ring, "--otlp", receiver.url) as collector:
        collector.process.send_signal(signal.SIGSTOP)
        write(ring, 10)
        with open(ring, "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
            pages = [*pages_of(memory)]
            assert pages
            for page in pages:
                struct.pack_into("=I", memory, page + places["lost_in_page"], 2 ** 32 - 1)
        write(ring, 50000)
        collector.process.send_signal(signal.SIGCONT)
        until(lambda: collector.values().get("read_events_total", 0) +
              collector.values().lost().get("ring", 0) == 50010, "all are read or lost")
        lost = collector.end().lost()["ring"]
        taken, told = accepted(receiver)
    same((taken + lost, told), (50010, lost))


def check_by_promtool(text):
    assert shutil.which("promtool"), "promtool is missing; scripts/packages --install tests"
    done = subprocess.run(["promtool", "check", "metrics"], input=text, text=True,
                          capture_output=True, timeout=DEADLINE)
    same((done.returncode, done.stdout, done.stderr), (0, "", ""))


def metrics_are_those_of_prometheus():
    ring = new_ring()
    with Receiver(ok) as receiver, collecting(ring, "--otlp", receiver.url) as collector:
        write(ring, 10)
        collector.waits_for(delivered_events_total=10)
        collector.end()
    check_by_promtool(collector.metrics.read_text())


def series_of(text):
    """Their names and labels."""
    return [line.rpartition(" ")[0] for line in text.splitlines() if not line.startswith("#")]


def together(*texts):
    """The page that node_exporter makes of files: each family once, with the series of all."""
    families = {}
    for text in texts:
        for part in text.split("# HELP ")[1:]:
            words, kind, *series = part.splitlines()
            families.setdefault((words, kind), []).extend(series)
    return "".join("\n".join([f"# HELP {words}", kind, *series, ""])
                   for (words, kind), series in families.items())


def a_file_of_metrics_has_one_collector():
    """Also after one was killed; and a new setting takes no file of another."""
    config = folder / f"{next(numbers)}.conf"
    with collectors.Collector("--ring", folder / "none") as first:
        until(first.metrics.exists, "it is written")
        text = first.metrics.read_text()
        done = subprocess.run([tool, "collect", "--ring", folder / "none", "--metrics",
                               first.metrics], capture_output=True, text=True, timeout=DEADLINE)
        same((done.returncode, done.stderr.splitlines()[-1]), (
            1, f"userevents: cannot write {first.metrics}: another collector does; give each a "
               "file of its own"))
        assert first.metrics.read_text().splitlines()[0] == text.splitlines()[0]
        config.write_text(f"metrics = {folder / 'own'}\nring = {folder}/none\n")
        with collectors.Collector("--config", config) as second:
            config.write_text(f"metrics = {first.metrics}\nring = {folder}/none\n")
            second.process.send_signal(signal.SIGHUP)
            until(lambda: "stay as they were" in second.said(), "it is refused")
        first.process.kill()
        first.process.wait()
        with collectors.Collector("--ring", folder / "none", "--metrics", first.metrics) as third:
            same(third.process.poll(), None)


def collectors_with_labels_share_a_page():
    config, texts = folder / "labelled", []
    with Receiver(ok) as receiver:
        for labels in (["collector=rings", r'where="a\b"'], ["collector=kernel"]):
            ring = new_ring()
            config.write_text(f"ring = {ring}\notlp = {receiver.url}\n"
                              f"metrics-label = {labels[0]}\n")
            args = [f"--metrics-label={label}" for label in labels[1:]]
            with Collector("--config", config, *args) as collector:
                write(ring, 10)
                until(lambda: collector.metrics.exists() and
                      "delivered_events_total{" in collector.metrics.read_text() and
                      collector.process.poll() is None, "it counts")
                collector.process.send_signal(signal.SIGTERM)
                same(collector.process.wait(DEADLINE), 0)
            texts.append(collector.metrics.read_text())
    assert all('{collector="rings",where="\\"a\\\\b\\""' in one for one in series_of(texts[0]))
    assert all('{collector="kernel"' in series for series in series_of(texts[1]))
    assert '\nuserevents_lost_events_total{collector="kernel",reason="ring"} 0\n' in texts[1]
    page = together(*texts)
    same(len(series_of(page)), sum(len(series_of(text)) for text in texts))
    same(len(set(series_of(page))), len(series_of(page)))
    check_by_promtool(page)


def hangups_change_labels():
    ring, config, address = new_ring(), folder / "relabelled", f"unix:{folder}/relabelled.socket"
    config.write_text(f"ring = {ring}\nmetrics = {address}\n")
    with Collector("--config", config) as collector:
        for label in "a=1", "b=2", None:
            config.write_text(f"ring = {ring}\nmetrics = {address}\n" +
                              (f"metrics-label = {label}\n" if label else ""))
            collector.process.send_signal(signal.SIGHUP)
            wanted = label.replace("=", '="').join(["{", '"}']) if label else ""
            until(lambda: f"userevents_read_events_total{wanted} 0\n" in ask(address)[1], label)
        collector.end()


def labels_that_cannot_be_are_explained():
    for labels, words in (
            (["x"], "it is not NAME=VALUE"), (["=x"], "its name is not of letters"),
            (["1a=x"], "its name is not of letters"), (["a-b=x"], "its name is not of letters"),
            (["__a=x"], "its name is not of letters"), (["\u00e4=x"], "its name is not of letters"),
            (["reason=x"], "series have a label of this name already"),
            (["quantile=x"], "series have a label of this name already"),
            (["a="], "its value is empty"), (["a=" + "x" * 257], "or longer than 256 bytes"),
            (["a=x", "a=y"], "this name is given twice"),
            ([f"a{i}=x" for i in range(9)], "8 labels are the most")):
        done = subprocess.run([tool, "collect", "--ring", "x", "--metrics", folder / "m",
                               *(f"--metrics-label={label}" for label in labels)],
                              capture_output=True, text=True, timeout=DEADLINE)
        same(done.returncode, 2)
        assert f'--metrics-label "{labels[-1]}" is no label: ' in done.stderr, done.stderr
        assert words in done.stderr, done.stderr


def long_names_are_cut_and_counted_once():
    ring = new_ring()
    with collecting(ring) as collector:
        for name in '"' * 256, '"' * 257, '"' * 2000, "\u20ac" * 86 + "a", "\u20ac" * 86 + "b":
            subprocess.run([tool, "write", "-e", name, "Shop_L4K1", "u32 a=1"], check=True,
                           timeout=DEADLINE, env={**os.environ, "USEREVENTS_RING": str(ring)})
        collector.waits_for(read_events_total=5)
        values = collector.end()
    start = 'events_total{provider="Shop",event="'
    same({name: value for name, value in values.items() if name.startswith(start)},
         {start + r'\"' * 256 + '"}': 3, start + "\u20ac" * 85 + '"}': 2})
    check_by_promtool(collector.metrics.read_text())


def ask(address, request="GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", pieces=1):
    """The head's lines, and the body."""
    with connect(address) as connection:
        for i in range(pieces):
            connection.sendall(request[i * len(request) // pieces:
                                       (i + 1) * len(request) // pieces].encode())
            time.sleep(0.01 if pieces > 1 else 0)
        head, _, body = everything(connection).partition("\r\n\r\n")
    head = head.splitlines()
    same([f"Content-Length: {len(body.encode())}"] * (not request.startswith("HEAD")),
         [line for line in head if line.startswith("Content-Length")
          and not request.startswith("HEAD")])
    return head, body


def metrics_are_answered_on_request():
    ring, addresses = new_ring(), [f":{free_port()}", f"unix:{folder}/answers"]
    with collecting(ring, "--metrics", addresses[0], "--metrics", addresses[1]) as collector:
        write(ring, 10)
        collector.waits_for(read_events_total=10)
        for address in addresses:
            for pieces in 1, 10:
                head, body = ask(address, pieces=pieces)
                same(head[0], "HTTP/1.1 200 OK")
                assert "Content-Type: text/plain; version=0.0.4; charset=utf-8" in head, head
                assert "userevents_read_events_total 10\n" in body, body
            check_by_promtool(body)
            for request, status in (
                    ("HEAD / HTTP/1.0\r\n\r\n", "200 OK"),
                    ("GET /?a HTTP/1.0\n\n", "200 OK"),
                    ("GET /metricsx HTTP/1.1\r\n\r\n", "404 Not Found"),
                    ("POST /metrics HTTP/1.1\r\n\r\n", "405 Method Not Allowed"),
                    ("GET /metrics\r\n\r\n", "400 Bad Request"),
                    ("\r\n\r\n", "400 Bad Request"), (" / HTTP/1.1\n\n", "400 Bad Request"),
                    ("\0" * 8192, "400 Bad Request")):
                head, body = ask(address, request)
                same(head[0], f"HTTP/1.1 {status}")
                same(body == "", request.startswith("HEAD"))
        collector.end()
    assert not (folder / "answers").exists()


def clients_that_are_slow_keep_nothing_waiting():
    ring, address = new_ring(), f"unix:{folder}/slow"
    with collecting(ring, "--metrics", address) as collector:
        descriptors = pathlib.Path(f"/proc/{collector.process.pid}/fd")

        def sockets():
            return sum(link.startswith("socket:") for link in links_in(descriptors))

        until(lambda: has(collector, ring), "the ring is open")
        until(lambda: sockets() == 2, "only the two that listen are open")
        slow = [connect(address) for _ in range(10)]
        for number in range(40):
            slow.append(connect(address))
            slow[-1].sendall(b"GET /metrics HTTP/1.1\r\nX: " + b"x" * number)
        for one in slow[-10:]:  # these have an answer that they do not read
            one.sendall(b"\r\n\r\n")
        write(ring, 1000)
        collector.waits_for(read_events_total=1000)
        assert "read_events_total 1000\n" in ask(address)[1]
        for one in slow[:-10]:
            same(everything(one), "")
        for one in slow:
            one.close()
        until(lambda: sockets() == 2, "all are closed")
        collector.end()


def addresses_that_do_not_work_are_explained():
    ring, path = new_ring(), folder / "address"
    with socket.create_server(("127.0.0.1", 0)) as server, \
            socket.socket(socket.AF_UNIX) as other:
        other.bind(f"{path}.used")
        other.listen()
        path.write_text("precious")
        for address, words in (
                (f"127.0.0.1:{server.getsockname()[1]}",
                 "Address already in use; stop what has it, or name another one"),
                (f"unix:{path}", "Address already in use"),
                (f"unix:{path}.used", "Address already in use"),
                (f"unix:{folder}/none/x", "No such file or directory"),
                ("unix:x", "the path must begin with /"),
                (f"unix:/{'x' * 120}", "shorter than 108 bytes"),
                ("shop.example:9464", "it is no address"), ("127.0.0.1:65536", "it is no address"),
                ("127.0.0.1:99999999999999999999", "it is no address"),
                ("[::1:9464", "it is no address"), ("192.0.2.1:9464", "Cannot assign")):
            done = subprocess.run([tool, "collect", "--ring", ring, "--metrics", address],
                                  capture_output=True, text=True, timeout=DEADLINE)
            same((done.returncode, done.stdout), (1, ""))
            assert done.stderr.startswith(f"userevents: cannot listen on {address}: {words}") \
                or words in done.stderr, done.stderr
        same(path.read_text(), "precious")
    address = f"unix:{path}.used"  # nothing listens there any more
    with collecting(ring, "--metrics", address) as collector:
        same(ask(address)[0][0], "HTTP/1.1 200 OK")
        collector.end()


def hangups_change_where_metrics_are():
    ring, config = new_ring(), folder / "listening"
    addresses = [f"unix:{folder}/first", f"unix:{folder}/second"]
    config.write_text(f"ring = {ring}\nmetrics = {addresses[0]}\n")
    with Collector("--config", config) as collector:
        same(ask(addresses[0])[0][0], "HTTP/1.1 200 OK")
        config.write_text(f"ring = {ring}\nmetrics = {addresses[1]}\n")
        collector.process.send_signal(signal.SIGHUP)
        until(lambda: "The settings" in collector.said(), "the new address")
        same(ask(addresses[1])[0][0], "HTTP/1.1 200 OK")
        assert not (folder / "first").exists()
        collector.end()


def an_address_that_does_not_work_leaves_the_old_ones():
    ring, config = new_ring(), folder / "unusable"
    old, kept, new, late = (f"unix:{folder}/{name}"
                            for name in ("old", "kept", "new", "none-yet/late"))
    file, other = folder / "unusable.prom", folder / "unusable-other.prom"
    locks = [pathlib.Path(f"{path}.lock") for path in (file, other)]

    def reload(words, *addresses):
        config.write_text(f"ring = {ring}\n" + "".join(f"metrics = {one}\n"
                                                       for one in addresses))
        before = collector.said().count("The settings")
        collector.process.send_signal(signal.SIGHUP)
        until(lambda: collector.said().count("The settings") > before, words)
        assert collector.said().endswith(words + "\n"), collector.said()

    config.write_text(f"ring = {ring}\n" + "".join(f"metrics = {one}\n"
                                                   for one in (old, kept, file)))
    with Collector("--config", config) as collector:
        inode = os.stat(folder / "kept").st_ino
        for _ in range(2):
            reload("The settings stay as they were.", kept, new, late, other)
            same([lock.exists() for lock in locks], [True, False])
            same(ask(old)[0][0], "HTTP/1.1 200 OK")
            same(ask(kept)[0][0], "HTTP/1.1 200 OK")
            assert not (folder / "new").exists()
        (folder / "none-yet").mkdir()
        reload("The settings were read again.", kept, late)
        same(ask(late)[0][0], "HTTP/1.1 200 OK")
        same(ask(kept)[0][0], "HTTP/1.1 200 OK")
        same(os.stat(folder / "kept").st_ino, inode)
        assert not (folder / "old").exists()
        collector.end()
    same(collector.said().count("cannot listen on"), 2)


def a_socket_of_another_collector_stays():
    path = folder / "of-another"
    with collecting(new_ring(), "--metrics", f"unix:{path}") as first:
        path.unlink()
        with collecting(new_ring(), "--metrics", f"unix:{path}") as second:
            first.end()
            same(ask(f"unix:{path}")[0][0], "HTTP/1.1 200 OK")
            second.end()
    assert not path.exists()


def metrics_that_cannot_be_written_stop_nothing():
    ring = new_ring()
    with Receiver(ok) as receiver:
        process = subprocess.Popen([tool, "collect", "--ring", ring, "--otlp", receiver.url,
                                    "--metrics", folder / "none" / "m.prom"],
                                   stderr=subprocess.PIPE)
        write(ring, 10)
        until(lambda: accepted(receiver)[0] == 10, "10 events")
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=DEADLINE)[1].decode()
    same((process.returncode, said.count("cannot write")), (0, 1))


def settings_can_be_checked():
    """Nothing is opened: neither the receiver nor the directory exists."""
    path = folder / "checked.conf"
    for lines, status, text in (
            ("event = Shop:*\notlp = http://192.0.2.1:4318\nrecord = /none/there\n", 0,
             f"{path}: the settings are valid\n"),
            ("recrd = /var\n", 2, f"line 1 of {path}: there is no setting \"recrd\"; did you mean"),
            ("metrics = x.prom\nwhere = a ==\n", 2, "a value is expected"),
            ("check = yes\n", 2, "there is no setting \"check\""),
            ("# nothing\n", 2, "nothing is to be done with events")):
        path.write_text(lines)
        done = subprocess.run([tool, "collect", "--check", "--config", path], text=True,
                              capture_output=True, timeout=DEADLINE)
        same(done.returncode, status)
        assert text in done.stdout + done.stderr, done
    example = pathlib.Path(unit).parents[1] / "collect.conf"
    settings = [line[1:] for line in example.read_text().splitlines()
                if line.startswith("#") and " = " in line and line[1] != " "]
    path.write_text("\n".join(line for line in settings if not line.startswith("socket")))
    subprocess.run([tool, "collect", "--check", "--config", path], check=True, timeout=DEADLINE)
    assert len(settings) > 8


try:
    run([settings_can_be_checked,
         events_of_rings_arrive,
         rings_that_appear_later_are_read,
         a_pattern_that_matches_no_ring_is_reported_once,
         receivers_that_misbehave_lose_nothing_uncounted,
         a_receiver_that_is_down_is_counted_within_5_seconds,
         a_silent_receiver_is_counted_within_5_seconds,
         a_receiver_that_comes_back_is_told_what_the_queue_lost,
         receivers_that_answer_garbage_or_never_are_counted,
         a_certificate_that_is_refused_is_counted,
         a_rate_is_kept_and_the_rest_is_counted,
         a_full_ring_is_counted,
         a_ring_that_is_full_when_it_is_found_is_counted,
         a_burst_ten_times_the_ring_is_counted,
         a_twentieth_of_a_processor_loses_nothing_uncounted,
         another_receiver_takes_all_events,
         an_expression_filters_and_one_that_does_not_fit_stops_nothing,
         a_new_expression_that_does_not_fit_is_reported_too,
         a_ring_that_is_cut_stops_nothing,
         what_a_killed_collector_had_taken_is_counted,
         losses_between_two_collectors_are_counted,
         collectors_that_are_killed_while_events_come_count_them,
         files_that_are_no_counts_are_refused,
         counts_of_another_version_are_set_aside,
         the_limit_of_descriptors_is_raised_as_far_as_it_may,
         the_service_manager_is_told,
         the_unit_is_one_of_systemd,
         other_users_can_enter_the_folder_of_the_unit,
         the_user_of_the_unit_is_made,
         carets_are_reported_once_too,
         a_ring_that_overwrites_and_appears_later_is_read_from_its_begin,
         the_only_ring_may_be_cut_to_nothing,
         writers_that_go_on_do_not_keep_it,
         a_pipe_in_place_of_the_new_metrics_is_replaced,
         counts_that_others_can_write_are_refused,
         hangups_change_what_can_change, hangups_keep_no_old_settings,
         hangups_without_a_file_change_nothing,
         wrong_lines_and_options_are_explained,
         receivers_and_directories_that_cannot_be_are_explained,
         a_ring_has_one_collector, a_ring_that_could_not_be_read_is_tried_again,
         a_removed_ring_is_read_on, more_files_than_can_be_read_are_reported,
         counts_that_cannot_be_are_not_added,
         pages_tell_of_no_more_than_was_lost,
         metrics_are_those_of_prometheus,
         long_names_are_cut_and_counted_once,
         a_file_of_metrics_has_one_collector,
         collectors_with_labels_share_a_page,
         hangups_change_labels,
         labels_that_cannot_be_are_explained,
         metrics_are_answered_on_request,
         clients_that_are_slow_keep_nothing_waiting,
         addresses_that_do_not_work_are_explained,
         hangups_change_where_metrics_are,
         an_address_that_does_not_work_leaves_the_old_ones,
         a_socket_of_another_collector_stays,
         metrics_that_cannot_be_written_stop_nothing], at_once=8)
finally:
    shutil.rmtree(folder, ignore_errors=True)
