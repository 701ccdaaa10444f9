#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A command's events exist before it starts, so those of a program that ends at once are seen.

Arguments: the tool, the programs writer and brief.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess

from recorders import (Program, Writer, decoded, globs, listens, names, others, out, path,
                       run_chosen, same, tool, tracing, until)
from tap import is_full

brief, = others
ROUNDS = 20 if is_full else 5
EVENTS = ["brief_number", "brief_end", "brief_library"]


def exists(name):
    return (tracing / "events/user_events" / name).exists()


def are_gone():
    until(lambda: not any(map(exists, EVENTS)), "the events are gone")


def name_of(event):
    return event["n"].partition(":")[2]


def watch_sees_all_events_of_a_brief_program():
    for _ in range(ROUNDS):
        events = [json.loads(line) for line in
                  out(tool, "watch", "--json", "--", brief).splitlines()]
        same([name_of(event) for event in events], EVENTS)
        same(out.said, "")
        are_gone()


def watch_shows_what_was_before_an_event():
    def shown(*options):
        return [name_of(json.loads(line)) for line in
                out(tool, "watch", "--json", *options, "--", brief).splitlines()]

    same(shown("-e", EVENTS[-1], "-B", "1m", "--same", "tid"), EVENTS)
    same(shown("-e", EVENTS[-1], "-B", "1"), EVENTS[-2:])
    same(shown("-e", EVENTS[0], "-w", "number >= 0", "-A", "1"), EVENTS[:2])
    same(out.said, "")


def record_records_all_events_of_a_brief_program():
    for _ in range(ROUNDS):
        out(tool, "record", "-o", path("brief.data"), "--", brief)
        assert "3 events of 3 tracepoints" in out.said, out.said
        same([name_of(event) for event in decoded(path("brief.data"))], EVENTS)
        are_gone()


def questions_get_all_events_of_a_brief_program():
    asked = {
        ("stat", "--json"): lambda answer: [row["count"] for row in answer["rows"]] == [1, 1, 1],
        ("hist", "--json", "brief_library", "number"): lambda answer: answer["count"] == 1,
        ("latency", "--json", "brief_number", "brief_end"): lambda answer: answer["count"] == 1,
    }
    for command, is_right in asked.items():
        answer = json.loads(out(tool, *command, "--watch", "--", brief))
        assert is_right(answer), (command, answer)
        are_gone()
    shown = out(tool, "top", "--batch", "--watch", "--", brief)
    for name in EVENTS:
        assert name in shown, shown


def a_command_is_found_in_path():
    folder, name = os.path.split(brief)
    env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    shown = out(tool, "watch", "--json", name, env=env)
    same(len(shown.splitlines()), len(EVENTS))


def the_program_of_a_script_is_given_with_register():
    for wrapper in ("sh", "-c", f"{brief}; true"), ("sh", "-c", f"exec {brief}"):
        shown = out(tool, "watch", "--json", "--register", brief, "--", *wrapper)
        same([name_of(json.loads(line)) for line in shown.splitlines()], EVENTS)
        delete_registered()


def delete_registered():
    """Up to Linux 6.3, events of --register stay; later kernels may delete one at any moment."""
    for name in filter(exists, EVENTS):
        subprocess.run([tool, "delete", name], capture_output=True, timeout=300)
        until(lambda gone=name: not exists(gone))


def events_that_exist_stay():
    """Another program's event of the same name and fields is not deleted at the end."""
    with Program(tool, "register", "--wait", "brief_number u32 number") as other:
        until(lambda: exists("brief_number"))
        out(tool, "watch", "--", brief)
        assert exists("brief_number")
        other.end(status=0)
    delete_registered()


def an_event_with_other_fields_is_reported():
    with Program(tool, "register", "--wait", "brief_end u64 other") as other:
        until(lambda: exists("brief_end"))
        if "Max:" not in (tracing / "user_events_status").read_text():
            out(tool, "watch", "--", brief, status=1)
            assert "cannot register brief_end: " in out.said, out.said
        other.end(status=0)
    delete_registered()


def may_miss_events(said, name):
    words = (f"2 tracepoints appeared while events were recorded: the first events of them may "
             f"be missing (up to ", f"user_events:{name}", "--register PROGRAM")
    assert all(word in said for word in words), said


def a_tracepoint_that_appears_is_reported():
    """watch and record say which may lack events, and how long, and fail."""
    for command in ["watch", "--json"], ["record", "-o", path("late.data")]:
        name = next(names)
        with Program(tool, *command, *globs(name)) as recorder:
            listens(recorder, 0)
            with Writer(name) as program:
                listens(recorder)
                program.write()
                said = recorder.end(status=1)
                program.finish()
        may_miss_events(said, name)


def the_collector_counts_tracepoints_that_appear():
    name, existing, metrics = next(names), next(names), path("metrics.prom")
    late = "userevents_late_tracepoints_total"

    def counted(number):
        return f"{late} {number}\n" in pathlib.Path(metrics).read_text()

    with Writer(existing) as first:
        with Program(tool, "collect", "--metrics", metrics, "--metrics-interval", "1",
                     *globs(existing), *globs(name), "--register", brief,
                     "-e", "brief_*") as collector:
            listens(collector, 5)
            until(lambda: pathlib.Path(metrics).exists() and counted(0), "no late one")
            out(brief)
            with Writer(name) as program:
                until(lambda: counted(2), lambda: pathlib.Path(metrics).read_text())
                program.finish()
            said = collector.end(signal.SIGTERM)
        first.finish()
    may_miss_events(said, name)
    assert 'userevents_events_total{provider="user_events",event="brief_library"} 1\n' in \
        pathlib.Path(metrics).read_text(), pathlib.Path(metrics).read_text()
    delete_registered()


def a_program_without_events_needs_none():
    same(out(tool, "watch", "--", "/bin/true", status=1), "")
    assert "cannot register" not in out.said, out.said
    copy = path("copy")
    shutil.copy("/bin/true", copy)
    pathlib.Path(copy).write_bytes(pathlib.Path(copy).read_bytes()[:5000])
    out(tool, "record", "-o", path("cut.data"), "--register", copy, "--", "true", status=1)
    assert f"cannot register the events of {copy}: " in out.said or \
        f"cannot register all events of {copy}: " in out.said, out.said
    out(tool, "watch", "--register", path("nothing"), "--", "true", status=1)
    same(out.said, f"userevents: cannot register the events of {path('nothing')}: "
                   "No such file or directory\n")


run_chosen([
    watch_sees_all_events_of_a_brief_program,
    watch_shows_what_was_before_an_event,
    record_records_all_events_of_a_brief_program,
    questions_get_all_events_of_a_brief_program,
    a_command_is_found_in_path,
    the_program_of_a_script_is_given_with_register,
    events_that_exist_stay,
    an_event_with_other_fields_is_reported,
    a_tracepoint_that_appears_is_reported,
    the_collector_counts_tracepoints_that_appear,
    a_program_without_events_needs_none,
])
