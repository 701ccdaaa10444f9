#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents enable and disable: for which processes events are recorded."""
import os
import re
import signal
import sys

from control import (Program, Requests, ask, ended_pid, get, instance, is_6_1, put, run, same,
                     tool, unchanged, until, user_events)
from enabling import THREE, pids, written


def end(*programs):
    """From Linux 6.4 on their events go away a moment later."""
    for program in programs:
        program.process.stdin.close()
        program.wait()
    if is_6_1:
        ask("delete", "req_start", "req_done")
    until(lambda: "req_" not in get("dynamic_events"), "the events are gone")


def only_events_of_a_process_are_recorded():
    with unchanged(), instance("en") as directory, Requests() as one, Requests() as two:
        first, second = one.process.pid, two.process.pid
        text = ask("enable", "-i", "en", "--pid", str(first), "req_start")
        assert f"Recorded only for these threads: {first} (requests)\n" in text, text
        for program in one, two:
            program.do("start 1 2 /a GET")
        same((written(directory, first), written(directory, second)), (1, 0))
        ask("enable", "-i", "en", "--pid", str(second))
        same(pids(directory), {first, second})
        two.do("start 1 2 /a GET")
        same(written(directory, second), 1)
        ask("disable", "-i", "en", "--pid", str(first))
        same(pids(directory), {second})
        one.do("start 1 2 /a GET")
        same(written(directory, first), 1)
        assert "Recorded for all processes.\n" in ask("disable", "-i", "en", "--pid", str(second))
        one.do("start 1 2 /a GET")
        same(written(directory, first), 2)
        ask("disable", "-i", "en", "*")
        end(one, two)


def events_of_a_process_are_left_out():
    with unchanged(), instance("en") as directory, Requests() as one, Requests() as two:
        first, second = one.process.pid, two.process.pid
        text = ask("enable", "-i", "en", "--not-pid", str(first), "req_start")
        assert f"Not recorded for these threads: {first} (requests)\n" in text, text
        for program in one, two:
            program.do("start 1 2 /a GET")
        same((written(directory, first), written(directory, second)), (0, 1))
        ask("enable", "-i", "en", "--pid", str(first), status=1,
            said=f"cannot enable: {first} is in set_event_notrace_pid, which prevails over "
            f"--pid; take it out with: userevents disable --not-pid {first}")
        same(pids(directory), set())
        ask("disable", "-i", "en", "--not-pid", str(first))
        one.do("start 1 2 /a GET")
        same(written(directory, first), 1)
        ask("disable", "-i", "en", "*")
        end(one, two)


class Shell(Program):
    """Starts children that write events."""

    def __init__(self):
        super().__init__("sh")

    def write(self):
        self.process.stdin.write(f"{tool} write 'en_a u32 x' x=1; echo written\n".encode())
        self.process.stdin.flush()
        same(self.process.stdout.readline(), b"written\n")


def children(directory):
    text = (directory / "trace").read_text(errors="replace")
    return len(re.findall(r" userevents-\d+ ", text))


def children_are_followed_on_demand():
    with unchanged(), user_events(THREE[0]), instance("en") as directory, Shell() as shell:
        pid = str(shell.process.pid)
        ask("enable", "-i", "en", "--pid", pid, "en_a")
        shell.write()
        same(children(directory), 0)
        text = ask("enable", "-i", "en", "--follow")
        assert "Threads and children that these start are added (--follow).\n" in text, text
        shell.write()
        same(children(directory), 1)
        text = ask("disable", "-i", "en", "--follow")
        assert "--follow" not in text, text
        shell.write()
        same(children(directory), 1)
        ask("disable", "-i", "en", "--clear-pids")
        shell.write()
        same(children(directory), 2)
        ask("disable", "-i", "en", "*")


def a_list_that_ran_empty_is_explained():
    with unchanged(), user_events(THREE[0]), instance("en") as directory:
        with Shell() as shell:
            ask("enable", "-i", "en", "--pid", str(shell.process.pid), "--follow", "en_a")
            shell.end(signal.SIGTERM, -signal.SIGTERM)
        until(lambda: not pids(directory), "the kernel takes it out")
        with Shell() as shell:
            shell.write()
            same(children(directory), 0)
            assert ("If set_event_pid had threads and all have ended, events of none are\n"
                    'recorded, until "userevents disable --clear-pids".\n') in \
                ask("enable", "-i", "en")
            ask("disable", "-i", "en", "--clear-pids")
            shell.write()
            same(children(directory), 1)
            ask("disable", "-i", "en", "*", "--follow")


THREADS = """
import threading, sys
for _ in range(3):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
print("started", flush=True)
sys.stdin.read()
"""


def all_threads_of_a_process_are_taken():
    with unchanged(), Program(sys.executable, "-c", THREADS) as program:
        program.process.stdout.readline()
        pid = program.process.pid
        threads = {int(task) for task in os.listdir(f"/proc/{pid}/task")}
        same(len(threads), 4)
        put("set_event_pid", "1")
        ask("enable", "--pid", str(pid))
        same(pids(), threads | {1})
        ask("enable", "--pid", str(pid))  # again
        same(pids(), threads | {1})
        one = max(threads)
        ask("disable", "--pid", str(one))
        same(pids(), (threads | {1}) - {one})
        ask("enable", "--pid", str(one))
        same(pids(), threads | {1})
        ask("disable", "--pid", str(pid))
        same(pids(), {1})
        ask("enable", "--not-pid", str(one))  # a thread alone
        same(pids(file="set_event_notrace_pid"), {one})
        ask("disable", "--clear-pids")
        same((pids(), pids(file="set_event_notrace_pid")), (set(), set()))


def a_process_that_has_ended_can_be_taken_out():
    with unchanged():
        pid = str(ended_pid())
        put("set_event_pid", f"1 {pid}")
        assert f"{pid} (has ended)" in ask("enable")
        ask("disable", "--pid", pid)
        same(pids(), {1})
        ask("disable", "--pid", "1")


run([only_events_of_a_process_are_recorded, events_of_a_process_are_left_out,
     children_are_followed_on_demand, a_list_that_ran_empty_is_explained,
     all_threads_of_a_process_are_taken, a_process_that_has_ended_can_be_taken_out])
