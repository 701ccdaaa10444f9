#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record and watch with expressions: --where and --dump-when.

Arguments: the tool, the programs writer and short_threads.
"""
import contextlib
import json
import os
import pathlib
import re
import signal
import time

from recorders import (COUNT, DEADLINE, Program, Writer, decoded, expect_all, globs,
                       holder, is_recorded, listens, names, numbers, others, out, path,
                       perf_numbers, run_chosen, same, tool, until, waits, writer)
from tap import not_sanitized

EXPRESSIONS = [
    # The kernel can decide these for the classic event, not for the other.
    "number < 10", "number >= 95", "number == 7 || number == 8", "number != 0", "number & 6",
    "number > 3 && number <= 20", '!(number >= 50)', "number == 0x10",
    'text == "xxx"', 'text != "xxx"', 'text ~ "x*"', 'text ~ "*y*"', "text == 'xxx'",
    # A part of these, or nothing.
    'number < 10 && comm == "writer"', 'number < 10 || comm == "none"', 'comm == "writer"',
    'comm != "writer" && number < 5', "number < 50 && level == 4", "level == 4", "level != 4",
    'event == "Tick" && number < 7', 'provider == "user_events" || number == 2',
    "!(number < 10 && level == 4)", "cpu == 0 || number < 3", "cpu >= 0 && number == 9",
    "number == -1", "number < -1", "number > -1", "number < 4294967296", "number >= 0",
    "number < 7.5", 'number < 5 && !(text ~ "y*")',
    # Names that one event has, or none.
    'text == "xxx" || number < 3', "nothing == 1 || number == 4", "nothing != 1",
]


def the_kernel_changes_no_result():
    """The events of record --where are those that decode --where finds in all events."""
    name, whole = next(names), path("whole.data")
    with contextlib.ExitStack() as stack:
        program = stack.enter_context(Writer(name, padding=3))
        everything = stack.enter_context(Program(tool, "record", "-o", whole, *globs(name)))
        recorders = [stack.enter_context(
            Program(tool, "record", "--where", text, "-b", "64k", "-o", path(f"{index}.data"),
                    *globs(name))) for index, text in enumerate(EXPRESSIONS)]
        pid = program.process.pid
        own = stack.enter_context(
            Program(tool, "record", "-w", f"pid == {pid} && tid == {pid} && number < 3",
                    "-o", path("own.data"), *globs(name)))
        for recorder in everything, own, *recorders:
            listens(recorder)
        program.write()
        everything.end()
        own.end()
        for recorder in recorders:
            recorder.process.send_signal(signal.SIGINT)
            recorder.process.wait(DEADLINE)
        program.finish()
    expect_all(decoded(whole), name)
    same(len(decoded(path("own.data"))), 6)
    counts = set()
    for index, text in enumerate(EXPRESSIONS):
        file = path(f"{index}.data")
        found = any_status("decode", "--format", "jsonl", "--where", text, whole)
        same((text, any_status("decode", "--format", "jsonl", file)), (text, found))
        if index % 4 == 0:  # perf takes a second to start
            same(perf_numbers(file, name),
                 numbers([json.loads(line) for line in found.splitlines()],
                         f"user_events:{name}"))
        counts.add(len(found.splitlines()))
    assert {0, 10, 20, 100, 200} <= counts, counts


def what_the_kernel_leaves_out_needs_no_room():
    """Without its help most of these events would be lost, as nothing empties the ring."""
    name, file = next(names), path("small.data")
    for text, status in ("number == 150", 0), ("number == 150 || pid == 1", 1):
        with Writer(name, 200, 1000) as program:
            with Program(tool, "record", "-b", "4k", "-o", file, "-e", name, "--where",
                         text) as recorder:
                listens(recorder, 1)
                recorder.process.send_signal(signal.SIGSTOP)
                # the other event has a listener, too
                with Program(tool, "record", "-o", path("other.data"), "-e",
                             f"{name}_L4K1") as other:
                    listens(other, 1)
                    program.write()
                    other.end()
                recorder.process.send_signal(signal.SIGCONT)
                said = recorder.end(status=status)
            program.finish()
        assert ("none was lost" in said) == (status == 0), said
        if not status:
            same(numbers(decoded(file), f"user_events:{name}"), [150])


def any_status(*args):
    """
    What the tool prints, without times, as each recorder has its own; the exit status is 1
    if nothing passed.
    """
    with Program(tool, *args) as program:
        shown = program.process.stdout.read().decode()
        program.process.wait(DEADLINE)
        assert program.process.returncode in (0, 1), (args, program.process.returncode)
    return re.sub('"time":"[^"]*",', "", shown)


def watching_with_an_expression():
    name = next(names)
    with Writer(name) as keeper:
        shown = out(tool, "watch", "--json", *globs(name), "--where", "number < 5", "sh", "-c",
                    f"echo | {writer} {name} {COUNT} >/dev/null")
        keeper.finish()
    events = [json.loads(line) for line in shown.splitlines()]
    same([numbers(events, f"user_events:{name}"), numbers(events, f"{name}:Tick")],
         [list(range(5)), list(range(5))])


def an_event_writes_memory_into_a_file():
    """Each file ends behind an event that asked for it, and each event is in one file."""
    name, file = next(names), path("asked.data")
    keep = ["-r", f"{name} u32 number", "-e", name]
    out(tool, "record", "--overwrite", "1M", "--dump-when", "number == 3 || number == 5",
        "-o", file, *keep, "sh", "-c",
        f"""for i in 0 1 2 3 4 5 6; do
            {tool} write {name} number=$i
            case $i in 3) until [ -s {file} ]; do sleep 0.05; done ;;
            5) until [ -s {file}.000001 ]; do sleep 0.05; done ;; esac
        done""")
    files = sorted(pathlib.Path(file).parent.glob("asked.data*"))
    same([numbers(decoded(str(one)), f"user_events:{name}") for one in files],
         [[0, 1, 2, 3], [4, 5], [6]])


def names_of_programs_are_those_of_the_time():
    """
    A program is started by another one: both write the same event. On one processor, as names
    that the ring of another one has are taken a moment later.
    """
    name, file = next(names), path("named.data")
    tool2 = path("renamed")
    os.symlink(os.path.abspath(tool), tool2)
    for text, expected in (("comm == \"renamed\"", [1, 3]), ('comm != "renamed"', [0, 2])):
        out(tool, "record", "--where", text, "-o", file, "-r", f"{name} u32 number", "-e",
            name, "taskset", "-c", "0", "sh", "-c", "".join(
                f"{program} write {name} number={number}; "
                for number, program in enumerate([tool, tool2, tool, tool2])))
        same(numbers(decoded(file), f"user_events:{name}"), expected)


def anonymous_memory(pid):
    """In KiB."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"^RssAnon:\s+(\d+)", status, re.MULTILINE)[1])


def reads_all(pid):
    """It sleeps for a tenth of a second between two passes over its rings."""
    for _ in range(2):
        time.sleep(0.2)
        until(lambda: waits(pid), "it has read them")


@not_sanitized("it measures memory")
def names_of_threads_that_ended_are_forgotten():
    """A recorder that evaluates expressions for months needs no more memory than others."""
    name, file = next(names), path("short.data")
    with Writer(name, 5) as program, Program(
            tool, "record", "--where", 'number < 5 || comm == "none"', "-o", file,
            *globs(name)) as recorder:
        listens(recorder)
        pid = holder(recorder.process.pid)[1]
        before = anonymous_memory(pid)
        for _ in range(9):
            out(*others, "1500")
            reads_all(pid)
        program.write()
        is_recorded(file, name, 5)
        grown = anonymous_memory(pid) - before
        recorder.end()
        program.finish()
    assert grown < 1024, grown  # the names of all have more than 2 MiB


def mistakes_are_explained():
    name, file = next(names), path("wrong.data")
    pathlib.Path(file).write_bytes(b"of before")
    for option in ["--where"], ["--overwrite", "1M", "--dump-when"]:
        out(tool, "record", *option, "number ==", "-o", file, "-d", "1", status=2)
        assert "^" in out.said, out.said
        same(pathlib.Path(file).read_bytes(), b"of before")
    out(tool, "record", "--dump-when", "number == 1", "-d", "1", status=2)
    assert "--dump-when writes what --overwrite keeps; use both" in out.said, out.said
    keep = ["-o", file, "-r", f"{name} u32 number", "-e", name, tool, "write", name, "number=7"]
    out(tool, "record", "--where", "nmber == 7", *keep, status=1)
    assert "No event passed --where." in out.said, out.said
    # the kernel passes none of these events, but the tracepoint has names
    assert 'no event has a field "nmber"; did you mean "number"?' in out.said, out.said
    out(tool, "watch", "--where", "nmber == 7", *keep[2:], status=1)
    same(out.said.count('no event has a field "nmber"; did you mean "number"?'), 1)
    out(tool, "record", "--where", 'number == "a"', *keep, status=1)
    same(len(re.findall("cannot compare field", out.said)), 1)
    same(decoded(file), [])
    # the kernel can decide nothing about these, so the events show what is wrong
    out(tool, "record", "--where", "number == 7 || nmber.a == 7 || pid == 1", *keep)
    assert 'no event has a field "nmber.a"' in out.said, out.said


run_chosen([the_kernel_changes_no_result, what_the_kernel_leaves_out_needs_no_room,
            watching_with_an_expression,
            an_event_writes_memory_into_a_file, names_of_programs_are_those_of_the_time,
            names_of_threads_that_ended_are_forgotten,
            mistakes_are_explained])
