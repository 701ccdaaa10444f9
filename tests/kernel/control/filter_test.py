#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents filter: each filter, right and wrong, in the kernel as well.

Arguments: as control.py, the program check_filters, and the folder of malformed_filters.txt and
doubtful_filters.txt. The tests in that folder compare all their sentences; here, the tool runs
for some, as it takes long to start in a virtual machine.
"""
import contextlib
import json
import os
import pathlib
import random
import re
import signal
import subprocess

import filter_model
from control import (DEADLINE, REQUESTS, Program, Requests, ask, get, instance, is_6_1, others,
                     path, put, refused, run, same, tool, tracing, unchanged, user_events)

check_filters, tables = others[1], pathlib.Path(others[2])
version = 6001 if is_6_1 else 6012
FIELDS = ("u64 id; u32 shard; u16 w; u8 b; s64 l; s32 i; s16 h; s8 c; char letter; char[8] verb; "
          "__rel_loc char[] path; {}unsigned char[6] mac; __rel_loc u8[] blob; struct pair s 8; "
          "struct big t 20{}")
KINDS = "kinds " + FIELDS.format("__data_loc char[] data; ", "; u64 a-b")
VALUES = ["id=1", "shard=1", "w=3", "b=44", "l=-1", "i=-2", "h=-3", "c=-56", "letter=a", "verb=GET",
          "path=/x", "mac=1,2,3,4,5,6", "blob=1,2", "s=0102030405060708", "t=" + "01" * 20]
OLD = "id == 77"


def file_of(event, directory="."):
    return f"{directory}/events/user_events/{event}/filter"


def kernel_takes(event, text):
    """Writes a filter as "echo" does; what was there is gone."""
    try:
        put(file_of(event), text)
        return True
    except OSError:
        return False


def verdicts(event, texts):
    """The verdict of the tool's check on each."""
    done = subprocess.run([check_filters, tracing / f"events/user_events/{event}/format"],
                          input="\n".join(texts) + "\n", text=True, capture_output=True,
                          timeout=DEADLINE, check=True)
    found = done.stdout.splitlines()
    same(len(found), len(texts))
    return found


def table(name):
    """Filters, with (place, sentence) of each fault, and the kernel from which on that holds."""
    since, found = 0, []
    for line in (tables / name).read_text().splitlines():
        if line.startswith("##"):
            since = int(line[2:])
        elif re.match(r" *\^ ", line):
            found[-1][1].append((line.index("^"), line[line.index("^") + 2:]))
        elif not line.startswith("#"):
            found.append((line, [], since))
    return found


def picture(text, at):
    """The lines that show a place; the places of the tables are near the beginning."""
    assert at <= 48, text
    return [f"    {text[:at + 24]}{'...' if len(text) > at + 24 else ''}", " " * (4 + at) + "^"]


def messages(text, verb, faults):
    return [line for at, sentence in faults
            for line in [f"userevents: {verb}: {sentence}", *picture(text, at)]]


# Wrong filters


def malformed_filters_are_refused_and_the_one_before_stays():
    malformed = table("malformed_filters.txt")
    with user_events(KINDS, "raw" + KINDS[len("kinds"):]):
        put(file_of("kinds"), OLD)
        for text, faults, since in malformed[::3]:
            ask("filter", "kinds", text, status=1, said="cannot set the filter of user_events:kinds: ")
            same(get(file_of("kinds")), OLD + "\n")
            if since <= version:
                same(ask.said.splitlines(),
                     messages(text, "cannot set the filter of user_events:kinds", faults))
        assert "accepted" not in verdicts("kinds", [text for text, *_ in malformed])
        same([text for text, _, since in malformed
              if since <= version and kernel_takes("raw", text)], [])


def an_empty_filter_is_refused():
    with user_events(KINDS):
        put(file_of("kinds"), OLD)
        for text in "", " ", "\n\t":
            refused("filter", "kinds", text, said="cannot set the filter of user_events:kinds: it is empty; a "
                    "filter is such as id == 1\n")
    with user_events(KINDS):
        assert not kernel_takes("kinds", "")


def a_longer_filter_than_the_kernel_reads_is_refused():
    longest = "id == 1" + " " * (4095 - 7)
    with user_events(KINDS):
        refused("filter", "kinds", longest + " ", said="it has more than 4095 bytes")
        ask("filter", "kinds", longest)
        same(get(file_of("kinds")), "id == 1\n")


def older_kernels_refuse_before_anything_is_touched():
    texts = {"path == \"/\"": "Linux 6.1 cannot compare the text of user events such as \"path\"",
             "id == 1 || verb ~ \"G*\"": "such as \"verb\"; Linux 6.4 can",
             "shard & CPUS{0}": "Linux 6.1 has no \"CPUS{}\"; Linux 6.6 has",
             "id.function == ksys_read": "Linux 6.1 has no \".function\"; Linux 6.6 has"}
    with user_events(KINDS):
        put(file_of("kinds"), OLD)
        log = get("error_log")
        for text, said in texts.items():
            if is_6_1:
                refused("filter", "kinds", text, said=said)
                same(get("error_log"), log)
            else:
                ask("filter", "kinds", text)
                same(get(file_of("kinds")), text + "\n")


# Doubtful filters


def truth_of(faults):
    """Whether the warnings say that it always or never holds."""
    said = " ".join(sentence for _, sentence in faults)
    if "never holds" in said:
        return 0
    return 1 if "always holds" in said or "holds for every" in said else None


AT_ONCE = 8


def passed(texts):
    """How many of these filters pass one event; the tool writes it for several at once."""
    found = {}
    with contextlib.ExitStack() as stack:
        inside = [stack.enter_context(instance(f"passed{number}")) for number in range(AT_ONCE)]
        for begin in range(0, len(texts), AT_ONCE):
            here = dict(zip(texts[begin:begin + AT_ONCE], inside))
            for text, directory in here.items():
                put(file_of("kinds", directory), text)
                put(directory / "events/user_events/kinds/enable", "1")
            ask("write", "kinds", *VALUES)
            for text, directory in here.items():
                shown = (directory / "trace").read_text(errors="replace")
                found[text] = len(re.findall(r"kinds: |^00000000: ", shown, re.M))
                put(directory / "events/user_events/kinds/enable", "0")
                (directory / "trace").write_text("")
    return found


def doubtful_filters_are_set_after_a_warning():
    doubtful = [row for row in table("doubtful_filters.txt") if row[2] <= version]
    with user_events(KINDS):
        for text, faults, _ in doubtful[::4]:
            ask("filter", "kinds", text, said="doubtful condition")
            same(ask.said.splitlines(), messages(text, "doubtful condition", faults))
            same(get(file_of("kinds")), text + "\n")
        same(set(verdicts("kinds", [text for text, *_ in doubtful])), {"accepted"})
        same([text for text, *_ in doubtful if not kernel_takes("kinds", text)], [])


def conditions_always_or_never_hold_as_the_warning_says():
    truths = {text: truth_of(faults) for text, faults, since in table("doubtful_filters.txt")
              if since <= version and truth_of(faults) is not None}
    assert len(truths) >= (20 if is_6_1 else 30), truths
    with user_events("kinds " + FIELDS.format("", "")):
        same(passed(list(truths)), truths)


def numbers_and_globs_are_what_the_warning_says():
    expected = {"b == 300": 1, "c == 200": 1, "b == 44": 1, "c == -56": 1, "b == 43": 0,
                "comm ~ \"*events\"": 0, "comm ~ \"*\\events\"": 1, "comm ~ \"!bash\"": 1,
                # Linux 6.1 takes the NUL for a character of the class, and reads on
                "comm ~ \"*[!a-z]\"": int(is_6_1)}
    if not is_6_1:
        expected |= {"verb ~ \"*ET\"": 0, "verb ~ \"*\\ET\"": 1, "path ~ \"*x\"": 1}
    with user_events("kinds " + FIELDS.format("", "")):
        same(passed(list(expected)), expected)


# Faults that only the kernel finds


def functions_and_processors_that_do_not_exist_leave_the_filter_before():
    if is_6_1:
        return
    with user_events(KINDS):
        for before in OLD, "0":
            put(file_of("kinds"), before)
            with unchanged():
                for text, reason, at in (
                        ("id == 1 && id.function == no_such", "Function not found", 26),
                        ("(id.function != no_such ) && b == 1", "Function not found", 16),
                        ("shard & CPUS{0,99999}", "Invalid cpulist", 8)):
                    ask("filter", "kinds", text, status=1, said="")
                    same(ask.said.splitlines(), messages(
                        text, "cannot set the filter of user_events:kinds: the kernel refuses it",
                        [(at, reason)]))


def a_filter_that_the_kernel_refused_is_none():
    with user_events(KINDS):
        for text in "id ==", "!~", "(id == 1":
            with contextlib.suppress(OSError):
                put(file_of("kinds"), text)
            assert "rror: " in get(file_of("kinds"))
            same(ask("filter"), "EVENT  FILTER\n")
            ask("filter", "kinds", OLD)
            same(get(file_of("kinds")), OLD + "\n")


# Several events

THREE = ("one u64 id; u32 a", "two u64 id; u32 b", "three u64 other")


def filters_of():
    return [get(file_of(name)).strip() for name in ("one", "two", "three")]


def events_that_lack_a_field_keep_their_filter():
    with user_events(*THREE):
        put(file_of("three"), "other == 3")
        ask("filter", "user_events", "id == 1",
            said="the filter of three stays as it was: the event has no field \"id\"\n")
        same(filters_of(), ["id == 1", "id == 1", "other == 3"])
        ask("filter", "user_events", "b == 256 || id == 2", said="the filter of ")
        assert "stays as it was: the event has no field \"b\"" in ask.said
        assert "\"b\" (u8)" not in ask.said
        same(filters_of(), ["id == 1", "b == 256 || id == 2", "other == 3"])
        ask("filter", "t*", "common_pid > 1")
        same(filters_of(), ["id == 1", "common_pid > 1", "common_pid > 1"])


def the_kernels_file_of_a_system_would_remove_it():
    with user_events(*THREE):
        put(file_of("three"), "other == 3")
        put("events/user_events/filter", "id == 1")
        assert filters_of()[2].startswith("id == 1\n"), filters_of()


def a_filter_that_no_event_can_have_changes_nothing():
    with user_events(*THREE):
        put(file_of("three"), "other == 3")
        refused("filter", "user_events", "nosuch == 1",
                said="cannot set the filter of user_events: the event has no field \"nosuch\"\n")
        refused("filter", "user_events", "id = 1", said="\"=\" is not an operator; write ==\n")
        refused("filter", "user_events:*", "id == 1 && a == 1 && b == 1",
                said="the event has no field")


@contextlib.contextmanager
def read_only(event):
    """The filter file of the event cannot be written: a file with the same text is above it."""
    name, file = path("read_only"), tracing / file_of(event)
    pathlib.Path(name).write_text(file.read_text())
    subprocess.run(["mount", "--bind", name, file], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", file], check=True)
        yield
    finally:
        subprocess.run(["umount", file], check=True)


def a_failure_half_way_is_taken_back():
    with user_events(*THREE):
        put(file_of("one"), "a == 1")
        order = [line.split()[0] for line in ask("filter", "user_events").splitlines()[1:]]
        last = order[-1]
        with read_only(last.split(":")[1]), unchanged():
            ask("filter", "user_events", "common_pid > 1", status=1,
                said=f"cannot set the filter of {last}: Read-only file system\n")
            ask("filter", "--clear", "user_events", status=1,
                said=f"cannot remove the filter of {last}: Read-only file system\n")


def events_without_filters_are_left_alone():
    with user_events("print u64 id"):
        ask("filter", "ftrace:print", "common_pid > 1", status=1,
            said="cannot set the filter of ftrace:print: the event takes no filters\n")
        ask("filter", "*:print", "common_pid > 1",
            said="the filter of print stays as it was: the event takes no filters\n")
        same(get(file_of("print")), "common_pid > 1\n")
        ask("filter", "*:print", "--clear")
        same(get(file_of("print")), "none\n")


def a_signal_takes_back_what_was_done():
    """A pipe in place of the second event's file holds the command up at this event."""
    pipe = path("pipe")
    os.mkfifo(pipe)
    with user_events(*THREE):
        put(file_of("one"), "a == 1")
        second = ask("filter", "user_events").splitlines()[2].split()[0].split(":")[1]
        before = filters_of()
        with contextlib.ExitStack() as mount:
            subprocess.run(["mount", "--bind", pipe, tracing / file_of(second)], check=True)
            mount.callback(subprocess.run, ["umount", tracing / file_of(second)], check=True)
            with Program(tool, "filter", "user_events", "common_pid > 1") as setting:
                with open(pipe, "w") as filter_before:
                    setting.process.send_signal(signal.SIGINT)
                    filter_before.write("none\n")
                with open(pipe) as written:
                    setting.wait(-signal.SIGINT)
                    same(written.read(), "common_pid > 10")  # the filter, and "0"
        same(filters_of(), before)


# Printing and removing


def filters_are_printed():
    with user_events(*THREE):
        same(ask("filter"), "EVENT  FILTER\n")
        same(ask("filter", "--json"), "")
        same(ask("filter", "one"), "EVENT            FILTER\nuser_events:one  none\n")
        ask("filter", "one", "id == 1  &&  a == 2")
        same(ask("filter"), "EVENT            FILTER\nuser_events:one  id == 1  &&  a == 2\n")
        same(json.loads(ask("filter", "--json")),
             {"event": "one", "system": "user_events", "filter": "id == 1  &&  a == 2"})
        found = [json.loads(line) for line in ask("filter", "user_events", "-j").splitlines()]
        same({event["event"]: event["filter"] for event in found},
             {"one": "id == 1  &&  a == 2", "two": None, "three": None})


def a_filter_does_not_reach_the_terminal_as_a_command():
    with user_events(*THREE):
        put(file_of("one"), "comm != \"\x1b[31m\x9b\"")
        assert "comm != \"?[31m??\"" in ask("filter"), ask("filter")
        same(json.loads(ask("filter", "--json"))["filter"], "comm != \"\x1b[31m\x9b\"")


def filters_are_removed():
    with user_events(*THREE):
        for remove in ("one", "0"), ("one", " 0 "), ("--clear", "one"), ("user_events", "-c"):
            ask("filter", "one", "id == 1")
            ask("filter", *remove)
            same(filters_of(), ["none"] * 3)
            ask("filter", *remove)


def an_instance_has_filters_of_its_own():
    with user_events(*THREE), instance("own"):
        put(file_of("one"), "id == 5")
        with unchanged():
            ask("filter", "--instance", "own", "one", "id == 1")
            same(get(file_of("one", "instances/own")), "id == 1\n")
            assert "user_events:one  id == 1\n" in ask("filter", "-i", "own")
            refused("filter", "-i", "none", "one", "id == 1", said="cannot use the instance \"none\"")
            ask("filter", "-i", "own", "one", "--clear")
        same(get(file_of("one")), "id == 5\n")


def events_of_the_kernel_have_filters():
    with unchanged():
        ask("filter", "sched:sched_switch", "prev_comm ~ \"kworker*\" && prev_prio < 120")
        same(get("events/sched/sched_switch/filter"), "prev_comm ~ \"kworker*\" && prev_prio < 120\n")
        ask("filter", "sched_switch", "prev_com == \"x\"", status=1,
            said="the event has no field \"prev_com\"; did you mean \"prev_comm\"?\n")
        ask("filter", "sched_switch", "--clear")
        same(get("events/sched/sched_switch/filter"), "none\n")


def wrong_usage_changes_nothing():
    with user_events(*THREE):
        for arguments, said in ((("one", "id", "== 1"), "put the expression into quotes"),
                                (("--clear",), "no event is given"),
                                (("--clear", "one", "id == 1"), "exclude each other"),
                                (("--json", "one", "id == 1"), "--json prints filters")):
            refused("filter", *arguments, said=said, status=2)
        refused("filter", "nosuch_event", "id == 1", said="cannot find the event \"nosuch_event\"")


# Random filters


def what_is_refused_the_kernel_refuses_and_what_is_set_it_accepts():
    source = random.Random(5)
    whole = [each.text(None) for each in filter_model.filters(4, 600, not is_6_1)]
    texts = whole[:200] + [text for text in map(lambda text: filter_model.broken(source, text),
                                                whole[200:]) if text.strip() not in ("", "0")]
    with user_events(REQUESTS[1]):
        said = verdicts("req_done", texts)
        took = ["accepted" if kernel_takes("req_done", text) else "malformed" for text in texts]
        same([(text, verdict) for text, verdict, of_kernel in zip(texts, said, took)
              if verdict not in ("unable", of_kernel)], [])
    assert min(said.count(verdict) for verdict in ("accepted", "malformed")) > 150


def write_events(program, directory):
    """Writes all events; the ids of those that passed."""
    (directory / "trace").write_text("")
    for event in filter_model.EVENTS:
        program.do("done {} {} {} {} {}".format(*event))
    text = (directory / "trace").read_text(errors="replace")
    if is_6_1:  # the bytes of a record: 8 common ones, and then the id
        return [int.from_bytes(bytes.fromhex(line)[8:16], "little") for line in
                re.findall(r"^00000000: ((?:[0-9a-f]{2} ){16})", text, re.M)]
    return [int(number, 16) for number in re.findall(r"req_done: id=0x([0-9a-f]+) ", text)]


def records(program):
    return [dict(zip(("id", "status", "delta", "path", "verb"), event), comm="requests",
                 common_pid=program.process.pid) for event in filter_model.EVENTS]


def the_kernel_passes_what_a_filter_means():
    splitting = 0
    with instance("means") as directory, Requests() as program:
        put("instances/means/events/user_events/req_done/enable", "1")
        same(len(write_events(program, directory)), len(filter_model.EVENTS))
        random_filters = filter_model.filters(3, 200, not is_6_1)
        same(set(verdicts("req_done", [each.text(None) for each in random_filters])),
             {"accepted"})
        for filter_of in random_filters:
            text = filter_of.text(None)
            put(file_of("req_done", directory), text)
            expected = [event["id"] for event in records(program) if filter_of.holds(event)]
            same((text, write_events(program, directory)), (text, expected))
            splitting += 0 < len(expected) < len(filter_model.EVENTS)
        put("instances/means/events/user_events/req_done/enable", "0")
        program.finish()
    assert splitting > 80, splitting


run([
    malformed_filters_are_refused_and_the_one_before_stays,
    an_empty_filter_is_refused,
    a_longer_filter_than_the_kernel_reads_is_refused,
    older_kernels_refuse_before_anything_is_touched,
    doubtful_filters_are_set_after_a_warning,
    conditions_always_or_never_hold_as_the_warning_says,
    numbers_and_globs_are_what_the_warning_says,
    functions_and_processors_that_do_not_exist_leave_the_filter_before,
    a_filter_that_the_kernel_refused_is_none,
    events_that_lack_a_field_keep_their_filter,
    the_kernels_file_of_a_system_would_remove_it,
    a_filter_that_no_event_can_have_changes_nothing,
    a_failure_half_way_is_taken_back,
    events_without_filters_are_left_alone,
    a_signal_takes_back_what_was_done,
    filters_are_printed,
    a_filter_does_not_reach_the_terminal_as_a_command,
    filters_are_removed,
    an_instance_has_filters_of_its_own,
    events_of_the_kernel_have_filters,
    wrong_usage_changes_nothing,
    what_is_refused_the_kernel_refuses_and_what_is_set_it_accepts,
    the_kernel_passes_what_a_filter_means,
])
