# SPDX-License-Identifier: MIT
"""Capture files with pages: order, losses, cuts and damage. Argument: the tool."""
import re
import struct
import subprocess
import sys

from captures import Capture
import tap
from tap import same

tool, = sys.argv[1:]


def decoded(content, status=0, meta="n"):
    done = subprocess.run([tool, "decode", "--meta", meta, "-"], input=content,
                          capture_output=True, timeout=600)
    same(done.returncode, status)
    return done.stdout.decode(), done.stderr.decode()


def numbers(text):
    return [int(number) for number in re.findall(r" n=(\d+)", text)]


def n(number, thread=0, clock=None, index=0, order="="):
    """An event with its number as its time."""
    return index, thread, number if clock is None else clock, struct.pack(order + "I", number)


def begun(order="="):
    return Capture(order).definition(0, "tick u32 n").thread(8, "ticker").page()


def pages_of_a_pass_are_put_in_order():
    made = begun().page(1, cpu=1)
    made.events([n(i) for i in range(0, 40, 2)]).events([n(i) for i in range(1, 41, 2)], 1).end_pass()
    made.events([n(41), n(44)], 1).events([n(42), n(43)]).end_pass()
    same(numbers(decoded(made.bytes)[0]), list(range(40)) + [41, 42, 43, 44])


def a_pass_ends_with_the_file():
    made = begun().page(1).events([n(1), n(4)]).events([n(2), n(3)], 1)
    same(decoded(made.bytes)[1], "")
    same(numbers(decoded(made.bytes)[0]), [1, 2, 3, 4])


def both_byte_orders_are_read():
    for order in "<>":
        made = begun(order).events([n(1, clock=1500, order=order)], rate=2.0).end_pass()
        same(decoded(made.bytes, meta="n,pid,tid,cpu,comm,time"),
             ("-- 2001-09-09 +00:00\n01:46:40.000003 [000] ticker[7/8] user_events:tick n=1\n", ""))


def clocks_that_cannot_be_compared_are_merged_by_the_time():
    made = begun().page(1, clock=2, opened=10**6, at=10**18)
    made.events([n(1), n(3, clock=3000)]).events([n(2, clock=10**6 + 2000)], 1, opened=10**6)
    same(numbers(decoded(made.bytes)[0]), [1, 2, 3])


def a_place_and_numbers_of_threads_are_used_again():
    made = begun().events([n(1)]).end_pass(1)
    made.thread(9, "other").page(pid=5).events([n(2)]).end_pass()
    same([" ".join(line.split()) for line in decoded(made.bytes, meta="n,pid,tid,comm")[0].splitlines()],
         ["ticker[7/8] user_events:tick n=1", "other[5/9] user_events:tick n=2"])


def an_event_of_a_thread_without_a_name_has_that_of_its_process():
    made = begun().thread(9).events([n(1, 1)])
    same(decoded(made.bytes, meta="n,pid,tid,comm")[0], "shop[7/9] user_events:tick n=1\n")


def losses_count_once():
    """Those before an event, and those that no event has followed."""
    made = begun().page(lost=3).events([n(1)]).end_pass().lost([0, 0, 5])
    text, said = decoded(made.bytes, 1, "n,lost")
    same(text.splitlines()[0], "(3 events of process 7 lost here)")
    assert "5 events were lost" in said and "5 ring or capture full." in said, said
    made.lost([0, 0, 6], 2)
    assert "8 events were lost" in decoded(made.bytes, 1)[1]
    assert "6 ring or capture full, 2 overwritten before being read." in decoded(made.bytes, 1)[1]


def alone(made, index=0, length=4):
    return made.add(2, made.pack("IIqqIIII16s", index, 7, 10**18, 3, length, 8, 0, 0, b"ticker") +
                    n(3)[3])


def an_event_that_is_alone_follows_the_pass():
    made = alone(begun().events([n(1), n(2)]))
    made.events([n(4)])
    same(numbers(decoded(made.bytes)[0]), [1, 2, 3, 4])


def a_file_may_end_anywhere():
    made = begun().page(1).events([n(1), n(4, clock=10**9)]).events([n(2), n(3)], 1).end_pass()
    made = made.definition(1, "tock u32 n").events([n(5, index=1, clock=2 * 10**9)]).lost([1])
    before = []
    for length in range(17, len(made.bytes)):
        done = subprocess.run([tool, "decode", "--meta", "n", "-"], input=made.bytes[:length],
                              capture_output=True, timeout=600)
        found = numbers(done.stdout.decode())
        assert found == sorted(found) and set(found) >= set(before), (length, found, before)
        assert done.returncode == 0 or b"cut off at byte" in done.stderr or not found, done.stderr
        before = found
    same(before, [1, 2, 3, 4, 5])


def damage_anywhere_is_survived():
    made = begun().page(1).events([n(1), n(4)]).events([n(2), n(3)], 1).end_pass().lost([1])
    for at in range(16, len(made.bytes)):
        for byte in 0xff, made.bytes[at] ^ 1:
            wrong = made.bytes[:at] + bytes([byte]) + made.bytes[at + 1:]
            done = subprocess.run([tool, "decode", "--meta", "n", "-"], input=wrong,
                                  capture_output=True, timeout=600)
            assert done.returncode in (0, 1), (at, byte, done)


def damage_is_reported_with_what_is_before_it():
    for wrong, reason in (
            (lambda made: made.events([n(2, index=7)]), "an event was not defined before"),
            (lambda made: made.events([n(2, thread=7)]), "the thread of an event was not named"),
            (lambda made: made.events([n(2)], 7), "events are of no page, or have no rate"),
            (lambda made: made.events([n(2)], rate=0.0), "have no rate"),
            (lambda made: made.events([n(2)], rate=float("nan")), "have no rate"),
            (lambda made: made.events([n(2)], rate=1e300), "have no rate"),
            (lambda made: made.events([], count=9), "an event is longer than its record"),
            (lambda made: made.add(5, made.pack("IId", 0, 1, 1.0) + b"\xff" * 16),
             "an event is longer than its record"),
            (lambda made: alone(made, length=1000), "an event is longer than its record"),
            (lambda made: alone(made, index=7), "an event was not defined before"),
            (lambda made: made.page(9), "a page has a place that is not the next one"),
            (lambda made: made.add(4, b""), "a page is longer than its record"),
            (lambda made: made.add(3, b""), "a thread is longer than its record"),
            (lambda made: made.add(7, b""), "the counts of losses are longer")):
        made = wrong(begun().events([n(1)])).events([n(3)])
        text, said = decoded(made.bytes, 1)
        same(numbers(text), [1])
        assert "damaged at byte" in said and reason in said, (reason, said)


def unknown_records_and_older_files_are_read():
    made = Capture(version=4).definition(0, "tick u32 n").add(99, b"what")
    same(numbers(decoded(alone(made).bytes)[0]), [3])


tap.run([pages_of_a_pass_are_put_in_order, a_pass_ends_with_the_file, both_byte_orders_are_read,
         clocks_that_cannot_be_compared_are_merged_by_the_time,
         a_place_and_numbers_of_threads_are_used_again,
         an_event_of_a_thread_without_a_name_has_that_of_its_process, losses_count_once,
         an_event_that_is_alone_follows_the_pass, a_file_may_end_anywhere,
         damage_anywhere_is_survived, damage_is_reported_with_what_is_before_it,
         unknown_records_and_older_files_are_read])
