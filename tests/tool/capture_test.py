# SPDX-License-Identifier: MIT
"""Capture files with pages: order, losses, cuts and damage. Argument: the tool."""
import re
import struct
import subprocess
import sys

from captures import EVENTS, LOST, PAGE, PASS, RING, THREAD, Capture
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
    made.lost([0, 0, 6], 0, 7)
    assert "13 events were lost" in decoded(made.bytes, 1)[1]
    assert "6 ring or capture full, 7 by the library in programs." in decoded(made.bytes, 1)[1]


# Several rings

def events_that_are_later_than_a_pass_wait_for_the_next():
    """The first ring was read before the second one, which has a later event."""
    made = begun().page(1, pid=9)
    made.events([n(1), n(3)]).events([n(2), n(6)], 1).end_pass(until=10**18 + 3)
    made.events([n(4), n(9)]).events([n(8)], 1).end_pass(until=10**18 + 6)
    made.events([n(7), n(10)]).events([n(11)], 1).end_pass(until=10**18 + 11)
    same(numbers(decoded(made.bytes)[0]), [1, 2, 3, 4, 6, 7, 8, 9, 10, 11])


def they_wait_for_one_pass_alone():
    """As after the wall clock was set back: no memory is needed for more."""
    made = begun()
    for number in 9, 5, 7, 3:
        made.events([n(number)]).end_pass(until=0)
    same(numbers(decoded(made.bytes)[0]), [5, 9, 3, 7])


def of_rings_with_control_groups_events_have_these():
    made = begun().ring(0, "/shop").ring(1, "/cart").page(ring=0).page(1, ring=1).page(2)
    made.events([n(1)]).events([n(2)], 1).events([n(3)], 2).end_pass()
    made.ring(0, "/other").page(ring=0).events([n(4)]).end_pass()
    lines = decoded(made.bytes, meta="n,cgroup")[0].splitlines()
    same([(re.findall(r"/\w+", line), numbers(line)) for line in lines],
         [(["/shop"], [1]), (["/cart"], [2]), ([], [3]), (["/other"], [4])])


def an_index_is_defined_again():
    made = begun().events([n(1)]).end_pass().events([n(2)]).end_pass()
    made.definition(0, "tock u32 n").events([n(3)]).end_pass()
    same(re.findall(r"t\wck", decoded(made.bytes)[0]), ["tick", "tick", "tock"])


# Damage

def a_file_may_end_anywhere():
    made = begun().ring(0, "/shop").page(1, ring=0).events([n(1), n(4, clock=10**9)])
    made.events([n(2), n(3)], 1).end_pass(until=10**18 + 2)
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
    made = begun().ring(0, "/shop").page(1, ring=0).events([n(1), n(4)]).events([n(2), n(3)], 1)
    made.end_pass(until=10**18 + 2).events([n(5)]).lost([1])
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
            (lambda made: made.add(EVENTS, made.pack("IId", 0, 1, 1.0) + b"\xff" * 16),
             "an event is longer than its record"),
            (lambda made: made.ring(1, "/shop"), "a ring has a number that is not the next one"),
            (lambda made: made.ring(0, "/sh\0op"), "a ring has no valid name"),
            (lambda made: made.add(RING, made.pack("II", 0, 2**32 - 1)), "a ring has no valid name"),
            (lambda made: made.add(PASS, made.pack("II", 0, 0)), "the end of a pass is longer"),
            (lambda made: made.page(9), "a page has a place that is not the next one"),
            (lambda made: made.add(PAGE, b""), "a page is longer than its record"),
            (lambda made: made.add(THREAD, b""), "a thread is longer than its record"),
            (lambda made: made.add(LOST, b""), "the counts of losses are longer")):
        made = wrong(begun().events([n(1)])).events([n(3)])
        text, said = decoded(made.bytes, 1)
        same(numbers(text), [1])
        assert "damaged at byte" in said and reason in said, (reason, said)


def unknown_records_are_passed_over():
    same(numbers(decoded(begun().add(99, b"what").events([n(3)]).bytes)[0]), [3])


def files_of_other_versions_are_refused():
    for version in 6, 8:
        same(decoded(Capture(version=version).definition(0, "tick u32 n").bytes, 1),
             ("", "userevents: cannot read standard input: it has version "
              f"{version}, and this tool reads version 7; use the tool that wrote it\n"))


tap.run([pages_of_a_pass_are_put_in_order, a_pass_ends_with_the_file, both_byte_orders_are_read,
         clocks_that_cannot_be_compared_are_merged_by_the_time,
         a_place_and_numbers_of_threads_are_used_again,
         an_event_of_a_thread_without_a_name_has_that_of_its_process, losses_count_once,
         events_that_are_later_than_a_pass_wait_for_the_next, they_wait_for_one_pass_alone,
         of_rings_with_control_groups_events_have_these, an_index_is_defined_again,
         a_file_may_end_anywhere,
         damage_anywhere_is_survived, damage_is_reported_with_what_is_before_it,
         unknown_records_are_passed_over, files_of_other_versions_are_refused])
