#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record --sched, and what latency --cpu makes of it; perf and trace-cmd record the same.

Arguments: the tool, the programs writer and scheduled.
"""
import json
import pathlib
import re

from recorders import (Program, Writer, decoded, globs, listens, names, others, out, path,
                       run_chosen, same, tool)
from perfetto import first, packets

scheduled, = others
SOME_NS = 20_000_000
# Clocks of the scheduler and of recordings differ by little.
MUCH_NS = SOME_NS * 9 // 10
SCHED = "sched_switch", "sched_wakeup", "sched_wakeup_new"


def pairs(*source):
    """Of each request: its duration, what its thread did, how often it was preempted."""
    answer = json.loads(out(tool, "latency", "--cpu", "--json", "--slowest", "1000",
                            "-e", "Scheduled:*", *source))
    same((answer["cpu"]["recorded"], answer["cpu"]["severalThreads"]), (True, 0))
    return {pair["start"]["work"]: (pair["nanoseconds"], pair["cpu"], pair["end"]["preempted"])
            for pair in answer["slowest"]}


def check(found):
    same(sorted(found), ["run", "share", "sleep"])
    for duration, cpu, _ in found.values():
        same((duration, cpu["unknown"]),
             (cpu["ran"] + cpu["runnable"] + cpu["blocked"], 0))
    # the machine may stand still before the thread lets go of its processor
    assert 0 < found["sleep"][1]["blocked"] <= found["sleep"][0], found
    assert found["sleep"][0] >= MUCH_NS, found
    same(found["sleep"][1]["uninterruptible"], 0)
    assert found["run"][1]["ran"] >= MUCH_NS, found
    same(found["run"][1]["blocked"], 0)
    _, cpu, preempted = found["share"]
    assert preempted >= 3 and cpu["ran"] > 0 and cpu["runnable"] > 0, found
    same(cpu["blocked"], 0)


def a_command_is_recorded_with_the_scheduler():
    file = path("command.data")
    out(tool, "record", "--sched", "-o", file, "--", scheduled)
    assert re.search(r" events of 1 tracepoint and the scheduler, .* none was lost", out.said), \
        out.said
    check(pairs(file))
    shown = out(tool, "latency", "--cpu", "--no-bars", file)
    assert "What threads did in 3 pairs that start and end on one thread:" in shown, shown
    same(len(decoded(file)), 6)
    assert re.search(r"\d+ records of the scheduler are no events here; -e 'sched:\*' shows them",
                     out.said), out.said


def perf_script_and_exports_read_it():
    file = path("read.data")
    out(tool, "record", "--sched", "-o", file, "--", scheduled)
    shown = out("perf", "script", "-i", file)
    same((shown.count("user_events:Scheduled_L4K1:"), "sched:sched_switch:" in shown), (6, True))
    out(tool, "report", "-o", path("page.html"), file)
    page = pathlib.Path(path("page.html")).read_text()
    same(page.count('<td class="cpu">'), 3)
    assert page.count("runnable ") >= 1 and "unknown" not in page.partition("Activities</h2>")[2]
    out(tool, "export", "--to", "perfetto", "-o", path("trace"), file)
    bundles = [first(packet, 1) for packet in packets(path("trace")) if first(packet, 1)]
    switches = [bundle for bundle in bundles if first(first(bundle, 2), 4)]
    same(len(switches), len(decoded("-e", "sched:sched_switch", file)))


def all_processes_are_recorded():
    file = path("all.data")
    out(tool, "record", "--sched", "-a", "-o", file, "--", scheduled)
    check(pairs(file))


def other_threads_are_there_too():
    """What ran in place of the program, whatever processes are recorded."""
    file = path("others.data")
    out(tool, "record", "--sched", "-o", file, "--", scheduled)
    found = decoded("-e", "sched:*", file)
    same({event["n"] for event in found}, {f"sched:{name}" for name in SCHED})
    shop, = {event["meta"]["pid"] for event in decoded(file)}
    assert {event["next_pid"] for event in found if "next_pid" in event} - {shop, 0}, found


def with_a_process_the_scheduler_is_recorded_of_all():
    """Events are of that process, and the switches to it are there, which perf hides from it."""
    name, file = next(names), path("process.data")
    with Writer(name) as program, Writer(name) as other:
        with Program(tool, "record", "--sched", "-o", file, "-p", str(program.process.pid),
                     *globs(name)) as recorder:
            listens(recorder, 5)
            other.write()
            program.write()
            program.finish()
            recorder.wait()
        other.finish()
    own = program.process.pid
    same({event["meta"]["pid"] for event in decoded(file)}, {own})
    switches = decoded("-e", "sched:sched_switch", file)
    assert own in {event["next_pid"] for event in switches}
    assert {event["next_pid"] for event in switches} - {own, 0}


def it_can_be_watched():
    check(pairs("--watch", "--", scheduled))


def events_of_the_program_are_chosen_and_filtered():
    """--where and -e are for these alone; the scheduler is recorded once."""
    name, file = next(names), path("chosen.data")
    with Writer(name) as program:
        with Program(tool, "record", "--sched", "-o", file, *globs(name), "-e", "sched:*switch",
                     "--where", "number < 3") as recorder:
            listens(recorder, 5)
            program.write()
            said = recorder.end()
        program.finish()
    assert "and the scheduler" in said, said
    same(len(decoded(file)), 6)
    found = decoded("-e", "sched:*", file)
    assert found and {event["n"] for event in found} <= {f"sched:{each}" for each in SCHED}


def a_recording_without_events_of_programs_fails():
    out(tool, "record", "--sched", "-o", path("none.data"), "-e", "no_such_event", "-d", "0.2",
        status=1)
    assert "There was no event that matches" in out.said, out.said


def memory_keeps_the_scheduler():
    file = path("kept.data")
    out(tool, "record", "--sched", "--overwrite", "8M", "-o", file, "--", scheduled)
    check(pairs(file))


def a_missing_tracepoint_is_a_sentence():
    out(tool, "record", "--sched", "-o", path("wrong.data"), "--tracefs", "/proc", "-d", "1",
        status=1)
    assert "cannot " in out.said and out.said.count("\n") == 1, out.said


def recorded_by(*command):
    """By a recorder that attaches to events that exist."""
    with Program(tool, "register", "--wait", "--from", scheduled) as keeper:
        same(keeper.process.stdout.readline().strip(), b"Scheduled_L4K1")
        out(*command, *(word for each in SCHED for word in ("-e", f"sched:{each}")),
            "-e", "user_events:Scheduled_L4K1", "--", scheduled)
        keeper.end()


def perf_records_the_same():
    file = path("perf.data")
    recorded_by("perf", "record", "-q", "-a", "-k", "mono", "-o", file)
    check(pairs(file))


def trace_cmd_records_the_same():
    file = path("trace.dat")
    recorded_by("trace-cmd", "record", "-q", "-C", "mono", "-o", file)
    check(pairs(file))


run_chosen([a_command_is_recorded_with_the_scheduler,
            perf_script_and_exports_read_it,
            all_processes_are_recorded,
            other_threads_are_there_too,
            with_a_process_the_scheduler_is_recorded_of_all,
            it_can_be_watched,
            events_of_the_program_are_chosen_and_filtered,
            a_recording_without_events_of_programs_fails,
            memory_keeps_the_scheduler,
            a_missing_tracepoint_is_a_sentence,
            perf_records_the_same,
            trace_cmd_records_the_same])
