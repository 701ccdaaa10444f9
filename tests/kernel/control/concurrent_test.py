#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two commands at once, which look and then write: none joins or loses what the other does."""
import fcntl
import os
import subprocess

from control import DEADLINE, REQUESTS, Requests, ask, get, lines, run, same, tool, tracing, until
from tap import is_full

PAIRS = 250 if is_full else 10  # of each kind


def at_once(*commands):
    """Two commands that start together: (status, what both streams said) of each."""
    started = [subprocess.Popen([tool, *command], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
               for command in commands]
    said = [process.communicate(timeout=DEADLINE)[0].decode() for process in started]
    return [(process.returncode, text) for process, text in zip(started, said)]


def one_is_refused(done, said):
    same(sorted(status for status, _ in done), [0, 1])
    [refusal] = [text for status, text in done if status]
    assert said in refusal, refusal
    return [status for status, _ in done].index(0)


def probes_of_one_name_never_join():
    for _ in range(PAIRS):
        functions = ("vfs_read", "vfs_write")
        first = one_is_refused(at_once(*(["probe", "add", f"p:twice {function}"]
                                         for function in functions)), "twice")
        found = [line for line in lines("dynamic_events") if "/twice " in line]
        same(len(found), 1)
        assert found[0].split()[1] == functions[first], found
        ask("probe", "delete", "twice")


def filters_are_whole():
    texts = ("id == 1", "shard == 2")
    with Requests():
        for _ in range(PAIRS):
            same([status for status, _ in at_once(*(["filter", "req_start", text] for text in texts))],
                 [0, 0])
            assert get("events/user_events/req_start/filter").strip() in texts
            # one that the kernel refuses puts the old one back, but not over the other command's
            ask("filter", "req_start", texts[0])
            done = at_once(["filter", "req_start", texts[1]], ["filter", "req_start", "id == \\"])
            same(done[0], (0, ""))
            assert done[1][0] != 0, done
            same(get("events/user_events/req_start/filter").strip(), texts[1])
        ask("filter", "req_start", "--clear")


def a_trigger_is_added_once():
    with Requests():
        for i in range(PAIRS):
            trigger = f"traceoff:{i + 1}"
            one_is_refused(at_once(*[["trigger", "req_start", trigger]] * 2), "traceoff")
            same([line.split(":")[0] for line in lines("events/user_events/req_start/trigger")],
                 ["traceoff"])
            # both are removed, or one finds nothing to remove
            at_once(*[["trigger", "--remove", "req_start"]] * 2)
            same(lines("events/user_events/req_start/trigger"), [])


def synthetic_events_of_one_name_never_join():
    with Requests():
        for _ in range(PAIRS):
            definitions = ("made u64 one", "made u64 two; u64 three")
            first = one_is_refused(at_once(*(["synth", "create", text] for text in definitions)),
                                   "made")
            fields = get("synthetic_events").split("\t", 1)[1].replace("\t", " ").strip()
            same(fields.replace("; ", ";").split(";")[0].strip(), ("u64 one", "u64 two")[first])
            ask("synth", "delete", "made")


def a_command_says_what_it_waits_for():
    with Requests():
        directory = os.open(tracing, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(directory, fcntl.LOCK_EX)
        waiting = subprocess.Popen([tool, "filter", "req_start", "id == 3"],
                                   stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        same(waiting.stderr.readline().decode(), "userevents: waiting for another command of "
             f"userevents that changes the kernel's tracing, of process {os.getpid()}\n")
        same(get("events/user_events/req_start/filter").strip(), "none")
        assert ask("filter", "req_start")  # reading does not wait
        os.close(directory)
        same(waiting.wait(DEADLINE), 0)
        same(get("events/user_events/req_start/filter").strip(), "id == 3")
        ask("filter", "req_start", "--clear")


run([probes_of_one_name_never_join, filters_are_whole, a_trigger_is_added_once,
     synthetic_events_of_one_name_never_join, a_command_says_what_it_waits_for])
