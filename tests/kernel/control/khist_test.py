#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""khist: what the kernel counts is what was written, and nothing is left behind."""
import bisect
import collections
import errno
import json
import math
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import threading
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent.parent / "tool"))
from control import (DEADLINE, Requests, ask, count_load, get, is_6_1, load, others, path, put,
                     refused, run_leaving_nothing, same, state, tool, tracing, unchanged, until,
                     user_events)
from terminal import on_terminal

WRITE = ["sh", "-c", 'printf "%s\\n" "$@" | "$0" >/dev/null', others[0]]
# An emulated processor takes a second and more to allocate what is usual.
SMALL = ("--size", "4096")
SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999}
is_full = "UE_TEST_FULL" in os.environ
MOST, LEAST = 2**63 - 1, -2**63


def done(status=0, delta=0, name="/a", verb="GET", number=1):
    return f"done {number} {status} {delta} {name} {verb}"


def unique(pairs):
    """An object, none of whose names is there twice."""
    same(len(dict(pairs)), len(pairs))
    return dict(pairs)


def count(*arguments, do, size=SMALL, **kwargs):
    """The answer in JSON; do: lines for the program that writes."""
    return json.loads(ask("khist", *size, *arguments, "--json", "--", *WRITE, *do, **kwargs),
                      object_pairs_hook=unique)


def holds(answer, numbers):
    """Each bucket has as many of these numbers as it says, and none is elsewhere."""
    numbers = sorted(numbers)
    same(answer["count"], len(numbers))
    same(sum(bucket["count"] for bucket in answer["buckets"]), len(numbers))
    for bucket in answer["buckets"]:
        below = [bisect.bisect_left(numbers, bucket[edge]) for edge in ("low", "high")]
        same(below[1] - below[0], bucket["count"])
    edges = [edge for bucket in answer["buckets"] for edge in (bucket["low"], bucket["high"])]
    same(edges, sorted(edges))
    assert answer["min"] <= numbers[0] and numbers[-1] <= answer["max"]
    for name, share in SHARES.items():
        exact = numbers[math.ceil(round(share * len(numbers), 6)) - 1]
        # a double has 53 bits
        room = answer[name + "Error"] + (abs(exact) / 2**52 if answer[name + "Error"] else 0)
        assert abs(answer[name] - exact) <= room, (name, answer[name], exact, room)
        assert answer["min"] <= answer[name] <= answer["max"], (name, answer)


def every_number_is_counted_exactly():
    values = [200] * 50 + [404] * 7 + [500, 0, 1, 2**32 - 1]
    answer = count("req_done", "status", "--buckets", "exact", do=map(done, values))
    holds(answer, values)
    same({bucket["low"]: bucket["count"] for bucket in answer["buckets"]},
         collections.Counter(values))
    same([answer[name + "Error"] for name in SHARES], [0] * 4)
    same((answer["p50"], answer["p90"], answer["p99.9"]), (200, 404, 2**32 - 1))
    same((answer["event"], answer["field"], answer["dropped"]), ("req_done", "status", 0))


def numbers_of_all_sizes():
    random.seed(1)
    values = [int(10 ** random.uniform(0, 9.6)) for _ in range(2000)] + [0, 1, 2**32 - 1]
    for buckets in "auto", "100000", "log2", "1k":
        answer = count("req_done", "status", "--buckets", buckets, do=map(done, values))
        holds(answer, values)
        if buckets == "auto":
            for bucket in answer["buckets"]:
                assert bucket["high"] - bucket["low"] <= max(1, bucket["low"] / 100), bucket


def numbers_of_64_bits():
    values = [0, 1, 999, 1000, 2**63, 2**64 - 1, 10**19, 10**19 - 1]
    for buckets in "auto", "log2", "1000000":
        answer = count("req_done", "id", "--buckets", buckets,
                       do=[done(number=value) for value in values])
        holds(answer, values)


def signed_numbers_are_signed():
    random.seed(2)
    values = [round(sign * 10 ** random.uniform(0, 18)) for sign in (1, -1) for _ in range(500)]
    values += [0, -1, 1, -5, -999, -1000, -1001, -100000, -99999, MOST, LEAST]
    for buckets in "auto", "exact", "10", "1000000007":
        holds(count("req_done", "delta", "--buckets", buckets,
                    do=[done(delta=value) for value in values]), values)


def negative_numbers_of_few_bits():
    with user_events("ue_khist s32 small; s8 tiny; u16 port"):
        for field, least, most in ("small", -2**31, 2**31 - 1), ("tiny", -128, 127):
            values = [least, -1, 0, 1, most]
            for more in [], ["--by", "tid"]:
                # each value is written by a tool of its own
                for buckets in ["auto", "50", "exact"] if is_full or more else ["exact"]:
                    script = "; ".join(
                        f'"$0" write ue_khist port=1 '
                        f"{'tiny' if field == 'small' else 'small'}=0 {field}={value}"
                        for value in values)
                    answer = json.loads(ask("khist", "ue_khist", field, "-b", buckets, *more,
                                            *SMALL, "--json", "--", "sh", "-c", script, tool))
                    holds(answer, values)


def by_two_fields():
    lines = [(number % 3, status) for number in range(9) for status in (200, 404, 404)]
    do = [done(status, delta=shard) for shard, status in lines]
    answer = count("req_done", "id", "--by", "delta", "--by", "status", do=do)
    same({(group["by"]["delta"], group["by"]["status"]): group["count"]
          for group in answer["groups"]}, collections.Counter(lines))
    same(answer["groups"][0]["count"], 6)
    for group in answer["groups"]:
        holds(group, [1] * group["count"])


def by_processor_and_thread():
    answer = count("req_done", "status", "--by", "cpu", "--by", "tid", do=[done()] * 9)
    same(sum(group["count"] for group in answer["groups"]), 9)
    same(len({group["by"]["tid"] for group in answer["groups"]}), 1)


def texts_are_values():
    if is_6_1:
        for arguments in ["path"], ["verb"], ["status", "--by", "path"]:
            name = arguments[-1]
            refused("khist", "req_done", *arguments, "-d", "0.1", said=f'"{name}": it is a '
                    "text of a user event, which kernels before 6.4 take for a number; "
                    '"userevents stat" and "userevents latency" take it for a text\n')
        return
    names = ["/a", "/b", "/a}b,c:d", "/" + "x" * 200, "/a", "{", "\u00e9", "/a"]
    answer = count("req_done", "path", "--by", "verb", do=[done(name=name) for name in names])
    same({value["value"]: value["count"] for value in answer["values"]},
         collections.Counter(names))
    same({value["by"]["verb"] for value in answer["values"]}, {"GET"})
    answer = count("req_done", "status", "--by", "path", "--by", "verb",
                   do=[done(status, name=name) for status, name in enumerate(names)])
    same({group["by"]["path"]: group["count"] for group in answer["groups"]},
         collections.Counter(names))
    answer = count("req_done", "path", do=[])
    same((answer["count"], answer["values"]), (0, []))
    said = ask("khist", "req_done", "path", "-n", "1", "--", *WRITE,
               *[done(name=name) for name in names])
    assert re.search(r"^path  COUNT   SHARE\n/a        3  37.5 %\nand 5 more with 5 events$",
                     said, re.M), said


def texts_of_other_events():
    script = ["sh", "-c", "/bin/true; /bin/true; /bin/false"]
    answer = json.loads(ask("khist", "sched:sched_process_exec", "filename", "--json", "--",
                            *script, status=1))
    counts = {value["value"]: value["count"] for value in answer["values"]}
    same((counts["/bin/true"], counts["/bin/false"]), (2, 1))


def texts_that_look_like_the_kernels_lines():
    if is_6_1:
        return
    event = "ue_khist_text __rel_loc char[] text"
    one = "x } hitcount:          7"
    forged = "x } hitcount:          7\n{ text: y"
    with user_events(event):
        write = [tool, "write", "ue_khist_text"]
        answer = json.loads(ask("khist", "ue_khist_text", "text", "--json", "--", *write,
                                f"text={one}"))
        same([(value["value"], value["count"]) for value in answer["values"]], [(one, 1)])
        answer = json.loads(ask("khist", "ue_khist_text", "text", "--json", "--", *write,
                                "text=" + "p" * 300))
        same([value["value"] for value in answer["values"]], ["p" * 255])
        said = ask("khist", "ue_khist_text", "text", "--", *write, f"text={forged}", status=1,
                   said="the kernel's histogram cannot be read; texts of events may look like")
        assert "\x1b" not in said
        said = ask("khist", "ue_khist_text", "text", "--", *write, "text=\x1b[31mred")
        assert "\x1b" not in said and "\\u001b[31mred" in said, said


def only_what_a_filter_passes():
    do = [done(status) for status in range(100)]
    holds(count("req_done", "status", "--where", "status >= 90 || status == 7", do=do),
          [7, *range(90, 100)])
    holds(count("req_done", "status", "-w", "status >= 90 || status == 7", "-b", "10", do=do),
          [7, *range(90, 100)])


def more_values_than_room():
    do = ["pairs 3000 1 0"]
    answer = count("req_done", "id", "--size", "1000", "--buckets", "exact", do=do, status=1,
                   said="cannot count id of user_events:req_done: 1976 events were dropped, as a "
                   "histogram of the size 1024 holds no more different values; give a larger "
                   '--size, or wider --buckets, or ask in user space with "userevents hist"\n')
    same((answer["count"], answer["dropped"]), (1024, 1976))
    for arguments in ["--buckets", "exact"], ["--size", "100"], []:
        is_small = arguments == ["--size", "100"]
        answer = count("req_done", "id", *arguments, do=do, size=(), status=is_small,
                       said="dropped" if is_small else None)
        if answer["dropped"] == 0:
            holds(answer, range(1, 3001))


def a_picture_in_text():
    do = [done(200)] * 3 + [done(404)]
    said = ask("khist", "req_done", "status", "--by", "cpu", "--", *WRITE, *do)
    lines = said.splitlines()
    assert re.fullmatch(r"status of user_events:req_done: 4 events in [\d.]+ s, counted by the "
                        "kernel", lines[0]), lines[0]
    same(lines[1:4], ["  count 4   min 200   max 404",
                      "  p50 200   p90 404   p99 404   p99.9 404",
                      "  (each is in this range, 1 % wide at most)"])
    rows = re.findall(r"^  (\d+)  (\d+)  \S+$", said.split("\n\ncpu")[0], re.M)
    same(rows, [("200", "3"), ("404", "1")])
    said = ask("khist", "req_done", "id", "--unit", "us", "--buckets", "100", "--", *WRITE,
               "pairs 1000 0 0")
    assert "  p50 400 us .. 500 us   p90 800 us .. 900 us   " in said, said
    rows = re.findall(r"^ +(\d+ \w+) \.\. +(\d+ \w+) +(\d+)  ", said, re.M)
    same([row[2] for row in rows], ["100"] * 10)
    same((rows[0][:2], rows[9][:2]), (("0 ns", "100 us"), ("900 us", "1 ms")))


def a_picture_as_a_file():
    file = path("picture.svg")
    space = "{http://www.w3.org/2000/svg}"
    do = [done(200)] * 3 + [done(404)] * 2
    ask("khist", "req_done", "status", "--by", "delta", "--svg", file, "--", *WRITE, *do)
    root = xml.parse(file).getroot()
    same(root.tag, space + "svg")
    same(root.find(space + "title").text, "status of user_events:req_done")
    rows = [group for group in root.iter(space + "g") if group.get("class") == "row"]
    same([[text.text for text in row.iter(space + "text")] for row in rows],
         [["200", "3"], ["404", "2"]] * 2)
    widths = [float(row.find(space + "rect").get("width")) for row in rows]
    assert abs(widths[1] / widths[0] - 2 / 3) < 0.01, widths
    ask("khist", "req_done", "status", "--svg", "/dev/full", "--", "true", status=1,
        said="userevents: cannot write /dev/full: No space left on device\n")
    if is_6_1:
        return
    ask("khist", "req_done", "path", "--svg", file, "--", *WRITE, done(name="<b>&\"'"))
    texts = [text.text for text in xml.parse(file).getroot().iter(space + "text")]
    assert "<b>&\\\"'" in texts, texts


def instances():
    return [name for name in os.listdir(tracing / "instances")
            if name.startswith("userevents_")]


def is_removed(directory):
    """False while a descriptor that was open in a killed process is still being released."""
    try:
        os.rmdir(directory)
    except OSError as error:
        assert error.errno == errno.EBUSY, error
        return False
    return True


DECADES = [10**(3 * i) for i in range(7)]  # the ids of the load
MARK = done(number=7777)


def per_decade(answer):
    return [sum(bucket["count"] for bucket in answer["buckets"]
                if decade <= bucket["high"] - 1 < 2 * decade) for decade in DECADES]


COUNTING = b"userevents: counting status of user_events:req_done\n"


def start(*arguments):
    """khist as a process that counts."""
    process = subprocess.Popen([tool, "khist", "req_done", "status", "-b", "exact", *SMALL,
                                *arguments],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               stdin=subprocess.DEVNULL)
    same(process.stderr.readline(), COUNTING)
    return process


def all_histograms_count_from_one_moment():
    """Of a load that runs throughout, each of 7 decades has its share to the event."""
    with load():
        for _ in range(100 if is_full else 2):
            answer = count_load("khist", "req_done", "id",
                                enough=lambda answer: answer["count"] > 7,
                                said="userevents: counting id of user_events:req_done\n")
            counts = per_decade(answer)
            same(sum(counts), answer["count"])
            assert max(counts) - min(counts) <= 1, counts


def count_beside_record(seconds):
    """What khist counts of each decade; what a record has of it between two marks that khist's
    command writes; and what it has in all."""
    file = path("beside.data")
    mark = f'echo "{MARK}" | "$0" >/dev/null'
    answer = ask("record", "-a", "-o", file, "-b", "64M", "-e", "req_done", "--", tool, "khist",
                 "req_done", "id", "--json", "--", "sh", "-c",
                 f"{mark}; sleep {seconds}; {mark}", others[0], said="userevents: ")
    recorded = ask("decode", file)
    inner = recorded.split(" id=7777 ")
    same(len(inner), 3)
    return per_decade(json.loads(answer)), *([text.count(f" id={decade} ") for decade in DECADES]
                                             for text in (inner[1], recorded))


def it_counts_what_a_record_beside_it_has():
    """Of a load that runs throughout: all events of its command, none that the record lacks, and
    of each decade the record's share within 1 %."""
    with load():
        for _ in range(100 if is_full else 1):
            for seconds in 0.2, 2, 20:  # on a busy machine the load writes little
                counted, inner, everything = count_beside_record(seconds)
                if sum(inner) > 700:
                    break
            assert sum(inner) > 700, inner
            for least, count, most in zip(inner, counted, everything):
                assert least <= count <= most, (inner, counted, everything)
                assert abs(count / sum(counted) - most / sum(everything)) <= 0.01, \
                    (counted, everything)


def every_signal_ends_it():
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        with unchanged():
            process = start("--json")
            requests.do(done(7))
            process.send_signal(number)
            answer, said = process.communicate(timeout=DEADLINE)
            same((process.returncode, said), (0, b""))
            holds(json.loads(answer), [7])


def a_killed_one_leaves_its_instance_alone():
    before = state()
    process = start()
    process.kill()
    process.communicate()
    left = instances()
    same(len(left), 1)
    assert left[0].startswith(f"userevents_{process.pid}_"), left
    directory = tracing / "instances" / left[0]
    (directory / "events/user_events/req_done/trigger").write_text("")  # with O_TRUNC
    until(lambda: is_removed(directory))
    same(state(), before)


def a_line_each_second():
    process = start("--batch", "-d", "2.5")
    said, errors = process.communicate(timeout=DEADLINE)
    same((process.returncode, errors), (0, b""))
    lines = said.decode().splitlines()
    assert len(lines) >= 2, lines
    for line in lines[:-1]:
        assert re.fullmatch(r"[\d.]+ s   count 0", line), line
    assert re.fullmatch(r"status of user_events:req_done: 0 events in [\d.]+ s, .*", lines[-1])


def a_picture_on_the_screen():
    """The program writes once there is a picture."""
    writers = []

    def answer(shown):
        if b"q quits" in shown and not writers:
            writers.append(subprocess.Popen([*WRITE, *[done(200)] * 3]))
        return b"q" if b"q quits" in shown and b"count 3" in shown else None

    shown = on_terminal(tool, "khist", "req_done", "status", answer=answer)
    same(writers[0].wait(), 0)
    same(on_terminal.status, 0)
    final = shown.split("\x1b[?1049l")[1]
    assert "count 3   min 200   max 200" in final, final
    assert "\x1b[?1049h" in shown


def the_commands_status_is_kept():
    for script, status in ("exit 3", 3), ("kill -9 $$", 137):
        ask("khist", "req_done", "status", *SMALL, "--", "sh", "-c", script, status=status)
    ask("khist", "req_done", "status", "--", "/no/such", status=127,
        said="userevents: cannot run /no/such: there is no such program\n")
    ask("khist", "req_done", "status", "--", "/etc/passwd", status=126,
        said="userevents: cannot run /etc/passwd: Permission denied\n")


KERNEL = [  # refused after a look at the event; arguments, the whole message
    (["req_don", "status"], 'cannot find the event "req_don": there is none; did you mean '
     '"req_done"?'),
    (["req_*", "status"], 'cannot take "req_*" for an event: it names 2; give one as '
     "SYSTEM:NAME"),
    (["req_done", "statu"], 'cannot count "statu": user_events:req_done has no such field; did '
     'you mean "status"?'),
    (["req_done", "zzzzzzzzzz"], 'cannot count "zzzzzzzzzz": user_events:req_done has no such '
     "field; its format is in tracefs, in events/user_events/req_done/format"),
    (["req_done", ""], 'cannot count "": user_events:req_done has no such field; its format is '
     "in tracefs, in events/user_events/req_done/format"),
    (["req_done", "status,id"], 'cannot count "status,id": user_events:req_done has no such '
     'field; did you mean "status"?'),
    (["req_done", "status.hex"], 'cannot count "status.hex": user_events:req_done has no such '
     'field; did you mean "status"?'),
    (["req_done", "status:size=3"], None),
    (["req_done", "status", "--by", "iid"], 'cannot count by "iid": user_events:req_done has no '
     'such field; did you mean "id"?'),
    (["req_done", "status", "--by", "id", "--by", "cpu", "--by", "tid"], "cannot count by 3 "
     "fields: the kernel has 3 keys, of which one is FIELD"),
    (["req_done", "status", "-w", "status = 3"], None),
    (["req_done", "status", "-w", "statu == 3"], None),
    (["req_done", "status", "-w", "status == 3)"], None),
    (["req_done", "status", "-w", "status == 3) || (id == 4"], None),
    (["req_done", "status", "-w", "status =="], None),
]
USAGE = [
    ([], "no event and no field are given"),
    (["req_done"], "no field is given"),
    (["req_done", "status", "ls"], '"ls" is one argument too many; a COMMAND stands behind "--"'),
    (["req_done", "status", "--"], 'no COMMAND is behind "--"'),
    (["req_done", "status", "-d", "0"], "the option --duration needs seconds, more than 0, not "
     '"0"'),
    (["req_done", "status", "-d", "1s"], "the option --duration needs seconds, more than 0, not "
     '"1s"'),
    (["req_done", "status", "-d", "nan"], "the option --duration needs seconds, more than 0, "
     'not "nan"'),
    (["req_done", "status", "-d", "1", "--", "ls"], "--duration and a COMMAND exclude each other"),
    (["req_done", "status", "--size", "200000"], "--size is at most 131072: the kernel has no "
     "larger histograms"),
    (["req_done", "status", "--size", "0"], "the option --size needs at least 1: digits, or digits with k, M or G"),
    (["req_done", "status", "--unit", "h"], 'the option --unit needs ns, us, ms or s, not "h"'),
    (["req_done", "status", "--json", "--batch"], "--json and --batch exclude each other"),
]
BUCKETS = [
    ("status", "0", "is no width for this field: it must be at least 1, and not wider than the "
     "field's type"),
    ("status", "5000000000", "is no width for this field: it must be at least 1, and not wider "
     "than the field's type"),
    ("status", "ten", "is neither a width, such as 100, nor auto, exact or log2"),
    ("status", "-5", "is neither a width, such as 100, nor auto, exact or log2"),
    ("status", "1.5", "is neither a width, such as 100, nor auto, exact or log2"),
    ("delta", "log2", "is for fields without a sign: the kernel puts all numbers below 0 into "
     "one bucket; give a width, or auto"),
]


def wrong_questions_are_refused():
    for arguments, said in KERNEL:
        refused("khist", *arguments, "-d", "1",
                said="userevents: cannot " if said is None else f"userevents: {said}\n")
    for arguments, said in USAGE:
        refused("khist", *arguments, status=2, said=f"userevents: cannot count in the kernel: "
                f'{said}; "userevents khist --help" lists the options\n')
    for field, buckets, said in BUCKETS:
        refused("khist", "req_done", field, "-b", buckets, status=2, said="userevents: cannot "
                f"count {field} of user_events:req_done: --buckets {buckets} {said}\n")
    refused("khist", "--tracefs", "/no/such", "req_done", "status", said="cannot use /no/such")
    if not is_6_1:
        refused("khist", "req_done", "path", "--unit", "us", status=2, said="cannot count path of "
                "user_events:req_done: --unit is for numbers, and the field is a text\n")
        refused("khist", "req_done", "path", "-b", "10", status=2, said="--buckets 10 is for "
                "numbers, and the field is a text\n")
        with user_events("ue_khist_types unsigned char[6] raw; struct x pair 16"):
            refused("khist", "ue_khist_types", "pair", said='cannot count "pair": it is neither '
                    "an integer nor a text\n")
            refused("khist", "ue_khist_types", "raw", said='cannot count "raw": it is neither '
                    "an integer nor a text\n")


def nothing_else_changes():
    """The top instance's clock, buffers and trace are as before, also while it counts."""
    clock = re.search(r"\[(.*)\]", get("trace_clock"))[1]
    put("trace_clock", "uptime")
    put("trace_marker", "still here")
    before = state()
    process = start()
    after = {key: value for key, value in state().items() if "instances" not in key}
    same(after, {key: value for key, value in before.items() if "instances" not in key})
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=DEADLINE)
    same(state(), before)
    assert "still here" in get("trace")
    put("trace_clock", clock)


TESTS = [every_number_is_counted_exactly, numbers_of_all_sizes, numbers_of_64_bits,
         signed_numbers_are_signed, negative_numbers_of_few_bits, by_two_fields,
         by_processor_and_thread, texts_are_values, texts_of_other_events,
         texts_that_look_like_the_kernels_lines, only_what_a_filter_passes,
         more_values_than_room, a_picture_in_text, a_picture_as_a_file, all_histograms_count_from_one_moment,
         it_counts_what_a_record_beside_it_has, every_signal_ends_it,
         a_killed_one_leaves_its_instance_alone, a_line_each_second, a_picture_on_the_screen,
         the_commands_status_is_kept, wrong_questions_are_refused, nothing_else_changes]


with Requests() as requests:
    run_leaving_nothing(TESTS, requests)
