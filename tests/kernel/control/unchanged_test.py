#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each command leaves the top instance as it was: settings, triggers, and the trace in it.

Commands that are there to change something are followed by the one that takes it back.
"""
import contextlib
import os
import signal
import subprocess
import time

from control import (DEADLINE, Program, Requests, get, path, put, run, same, state, tool,
                     tracing, unchanged, until)

PAIR = ("req_start", "req_done")

# Commands one after the other, each with its exit status.
ROWS = {
    "record": [(1, "record -o {file} -e req_* -d 0.2")],
    "record of events that do not exist": [(1, "record -o {file} -e sched:nothing -d 0.2")],
    "watch": [(1, "watch -e req_* -d 0.2")],
    "top": [(0, "top --json -e req_* -d 0.2 -n 2")],
    "stat": [(1, "stat --watch -e req_* -d 0.2")],
    "list, status, losses": [(0, "list"), (0, "status"), (0, "losses")],
    "doctor": [(None, "doctor")],
    "write": [(0, "write req_start id=1 shard=2 path=/x verb=GET")],
    "register, delete": [(0, "register --dynamic-events same_a|u32|a"),
                         (0, "delete --dynamic-events same_a")],
    "register refused": [(2, "register --dynamic-events same_a|u32|a same_b|u9|b"),
                         (1, "register --dynamic-events same_a|u32|a req_start|u32|b")],
    "delete of one in use": [(1, "delete --dynamic-events same_none")],
    "enable, disable": [(0, "enable req_*"), (0, "enable --list"), (0, "disable req_*")],
    "enable in the instance of others": [(0, "enable -i own req_*"), (0, "disable -i own req_*")],
    "enable refused": [(1, "enable req_start nothing_of_this_name"),
                       (1, "enable -i no_instance req_start"), (1, "enable req_* -p 4000000")],
    "filter": [(0, "filter req_start id|==|3"), (0, "filter"), (0, "filter -c req_start")],
    "filter refused": [(1, "filter req_start nothing|==|3"), (1, "filter req_start id|==|"),
                       (1, "filter user_events nothing|==|1")],
    "trigger": [(0, "trigger req_start stacktrace:3"), (0, "trigger --list"),
                (0, "trigger --remove req_start stacktrace")],
    "trigger hist": [(0, "trigger req_start hist:keys=shard"),
                     (0, "trigger --remove req_start hist")],
    "trigger refused": [(1, "trigger req_start hist:keys=nothing"),
                        # where its clock is global already, as without a stable TSC, it is taken
                        *([] if "[global]" in get("trace_clock") else
                          [(1, "trigger req_start hist:keys=id:t=common_timestamp")]),
                        (1, "trigger req_start stacktrace:3 traceon:x"),
                        (1, "trigger req_start stacktrace:3|if|nothing==1")],
    "khist": [(0, "khist req_start shard -d 0.3"),
              (0, "khist req_start id -d 0.3 --by shard -b log2")],
    "khist with its command": [(3, "khist req_start shard -- sh -c exit|3")],
    "khist refused": [(1, "khist req_start nothing -d 0.3"),
                      (1, "khist req_start shard --where nothing==1 -d 0.3"),
                      (1, "khist nothing_of_this_name a -d 0.3"),
                      (127, "khist req_start shard -- /nonexistent/program")],
    "klatency": [(0, "klatency req_start req_done --key id -d 0.3"),
                 (0, "klatency req_start req_done --thread --by shard -d 0.3")],
    "klatency refused": [(1, "klatency req_start req_done --key nothing -d 0.3"),
                         (1, "klatency req_start nothing --key id -d 0.3"),
                         (1, "klatency req_start req_done --key id --where-stop x==1 -d 0.3"),
                         (1, "klatency req_start req_done --key id=status -d 0.3")],
    "synth": [(0, "synth create same_s|u64|id;|u64|usecs"), (0, "synth list"),
              (0, "synth delete same_s")],
    "synth refused": [(None, "synth create same_s|u9|id"), (None, "synth delete same_s")],
    "probe": [(0, "probe add p:same_p|do_exit"), (0, "probe list"), (0, "probe delete same_p")],
    "probe refused": [(1, "probe add p:same_p|do_exit p:same_q|no_such_function"),
                      (1, "probe add p:same_p|do_exit|a=%nothing"),
                      (1, "probe delete same_p")],
    "cleanup": [(0, "cleanup --dry-run"), (0, "cleanup")],
}


def words_of(line):
    return [word.replace("|", " ").format(file=path("out.data")) for word in line.split()]


def call(status, line):
    done = subprocess.run([tool, *words_of(line)], capture_output=True, timeout=DEADLINE,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == status or status is None and done.returncode in (0, 1, 2), (
        line, done.returncode, done.stdout, done.stderr)


@contextlib.contextmanager
def settings():
    """Settings that differ from the defaults, in the top instance and in one of others."""
    os.mkdir(tracing / "instances/own")
    put("trace_marker", "kept")
    put("events/user_events/req_done/filter", "status == 500")
    put("events/user_events/req_done/trigger", "traceoff:1 if status == 12345")
    put("instances/own/events/user_events/req_done/filter", "status == 404")
    try:
        yield
        assert "kept" in get("trace")
    finally:
        put("events/user_events/req_done/filter", "0")
        put("events/user_events/req_done/trigger", "!traceoff")
        os.rmdir(tracing / "instances/own")


def test_of(name, row):
    def test():
        with settings(), unchanged():
            for status, line in row:
                call(status, line)
                if name.endswith("refused"):
                    assert "same_" not in get("dynamic_events"), (line, get("dynamic_events"))
                    same(state()["instances"], ["own"])
    test.__name__ = name.replace(" ", "_").replace(",", "") + "_leaves_everything_as_it_was"
    return test


def signals_leave_everything_as_it_was():
    with settings():
        for command in (["khist", "req_start", "shard"],
                        ["klatency", *PAIR, "--key", "id", "--by", "shard"]):
            for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
                with unchanged(), Program(tool, *command, "--batch") as asked:
                    until(lambda: len(os.listdir(tracing / "instances")) > 1)
                    time.sleep(0.2)
                    program.do("pairs 3 1 0")
                    asked.process.send_signal(number)
                    asked.process.communicate(timeout=DEADLINE)


# allocates the buffer, as the first event of the top instance does
put("events/sched/sched_switch/enable", "1")
put("events/sched/sched_switch/enable", "0")
# One program for all tests: when an event goes away that was on, or had a trigger, the
# kernel empties the buffer
with Requests() as program:
    try:
        run([*(test_of(name, row) for name, row in ROWS.items()),
             signals_leave_everything_as_it_was])
    finally:
        program.finish()
