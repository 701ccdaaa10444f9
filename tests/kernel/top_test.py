#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents top on a real kernel: what it counts is what programs write.

Arguments: the tool, the program writer.
"""
import contextlib
import json
import shutil
import signal
import subprocess

from recorders import abi, folder, names, run, same, tool, until, writer
from terminal import Terminal

COUNT = 10000


@contextlib.contextmanager
def writing(name, count=COUNT):
    """A writer that has registered its events. Yields a function that lets it write."""
    process = subprocess.Popen([writer, name, str(count)], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)

    def write():
        process.stdin.write("\n")
        process.stdin.flush()
        same(process.stdout.readline(), "written\n")

    same(process.stdout.readline(), "registered\n")
    write.pid = process.pid
    try:
        yield write
    finally:
        process.stdin.close()
        same(process.wait(600), 0)
        if abi == "status-page":
            subprocess.run([tool, "delete", name, f"{name}_L4K1"], capture_output=True)


class Top:
    """Runs in the background until its with statement ends; then its last frame is known."""

    def __init__(self, *args, until=signal.SIGINT, complaint=""):
        self.path, self.until, self.complaint = folder / "frames", until, complaint
        with open(self.path, "w") as output:
            self.process = subprocess.Popen([tool, "top", "--json", "-d", "0.2", *args],
                                            stdout=output, stderr=subprocess.PIPE, text=True)

    def frames(self):
        return [json.loads(line) for line in self.path.read_text().splitlines(True)
                if line.endswith("\n")]

    def __enter__(self):
        until(self.frames)
        return self

    def __exit__(self, *_):
        if self.until:
            self.process.send_signal(self.until)
        _, said = self.process.communicate(timeout=600)
        same(self.process.returncode, 0)
        assert self.complaint in said if self.complaint else said == "", said
        self.frame = self.frames()[-1]
        self.totals = {line["name"]: line["total"] for line in self.frame["events"]}


def both(name, count=COUNT):
    return {f"user_events:{name}": count, f"user_events:{name}_L4K1": count}


def counts_are_exact():
    name = next(names)
    with writing(name) as write, Top("-e", f"{name}*") as top:
        write()
    same(top.totals, both(name))
    same((top.frame["total"], top.frame["counted"], top.frame["bytes"], top.frame["lost"]),
         (2 * COUNT, True, None, None))
    same({line["processes"] for line in top.frame["events"]}, {None})
    assert "processes" not in top.frame


def events_that_appear_later_are_counted_too():
    name = next(names)
    with Top("-e", f"{name}*") as top:
        with writing(name) as write:
            until(lambda: len(top.frames()[-1]["events"]) == 2)
            write()
            until(lambda: top.frames()[-1]["total"] == 2 * COUNT)
    same(top.totals, both(name))


def counts_of_one_process_are_exact():
    name = next(names)
    with writing(name, 300) as one, writing(name, 500) as other:
        with Top("-e", f"{name}*", "-p", str(other.pid)) as top:
            one()
            other()
        same(top.totals, both(name, 500))


def the_end_of_the_process_ends_it():
    name = next(names)
    with writing(name, 300) as write:
        top = Top("-e", f"{name}*", "-p", str(write.pid), until=None)
        top.__enter__()
        write()
    top.__exit__()
    same(top.totals, both(name, 300))


def children_are_counted_with_their_process():
    name = next(names)
    shell = subprocess.Popen(["sh", "-c", f"read line; {tool} write {name} number=1 text=x; "
                                          f"{tool} write {name} number=2 text=y; read line"],
                             stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    with writing(name, 0), Top("-e", name, "-p", str(shell.pid)) as top:
        shell.stdin.write("\n")
        shell.stdin.flush()
        until(lambda: top.frames()[-1]["total"] == 2)
    shell.communicate("\n", timeout=600)
    same(top.totals, {f"user_events:{name}": 2})


def samples_have_all_figures():
    name = next(names)
    with writing(name, 400) as write, Top("-e", f"{name}*", "--samples") as top:
        write()
        until(lambda: top.frames()[-1]["total"] == 800)
    events = {line["name"]: line for line in top.frame["events"]}
    same(set(events), {f"user_events:{name}", f"{name}:Tick"})
    for event, size in (f"user_events:{name}", 9), (f"{name}:Tick", 29):
        same((events[event]["total"], events[event]["processes"]), (400, 1))
        padded = events[event]["bytes"] / 400
        assert size <= padded < size + 8, padded
    same([(line["name"], line["pid"], line["total"]) for line in top.frame["processes"]],
         [("writer", write.pid, 800)])
    same((top.frame["counted"], top.frame["lost"]), (False, 0))


def a_view_of_processes_keeps_the_exact_counts():
    name = next(names)
    with writing(name, 400) as write, Top("-e", f"{name}*", "-v", "processes") as top:
        write()
        until(lambda: [line["total"] for line in top.frames()[-1]["processes"]] == [800])
    same(top.totals, both(name, 400))


def expressions_select():
    name = next(names)
    with writing(name, 400) as write, \
            Top("-e", f"{name}*", "--where", "number >= 390") as top:
        write()
        until(lambda: top.frames()[-1]["total"] == 20)
    same(top.frame["total"], 20)


def globs_without_events_are_reported():
    with Top("-e", "no_such_event", complaint='There was no event that "no_such_event"') as top:
        pass
    same(top.totals, {})


def a_screen_switches_between_counts_and_samples():
    one, other = next(names), next(names)
    with writing(one, 100) as write_one, writing(other, 20) as write_other:
        terminal = Terminal(tool, "top", "-d", "0.2", "-e", f"{one}*", "-e", f"{other}*")
        try:
            terminal.wait("tracepoints counted")
            write_one()
            terminal.wait("200 events")
            terminal.press("2")
            terminal.wait("every event recorded")
            terminal.wait("[2:processes]")
            while not terminal.shown().splitlines()[4].strip():
                subprocess.run([tool, "write", other, "number=1", "text=x"], check=True,
                               capture_output=True)
                terminal.read(0.3)
            write_other()
            terminal.wait(str(write_other.pid))
            terminal.press("/1\r3")
            terminal.wait("[3:threads]")
            terminal.press("1/\x15\r")
            terminal.wait("tracepoints counted")
            terminal.wait(f"user_events:{one}_L4K1")
            same(total_of(terminal, f"user_events:{one}"), 100)
            same(total_of(terminal, f"user_events:{other}_L4K1"), 20)
            terminal.press("q")
            same(terminal.end(), 0)
            assert "no event" not in terminal.before, terminal.before
        finally:
            terminal.kill()


def total_of(terminal, name):
    line, = [line.split() for line in terminal.shown().splitlines() if line.endswith(name)]
    return int(line[1])


try:
    run([counts_are_exact, events_that_appear_later_are_counted_too,
         counts_of_one_process_are_exact, the_end_of_the_process_ends_it,
         children_are_counted_with_their_process, samples_have_all_figures,
         a_view_of_processes_keeps_the_exact_counts, expressions_select,
         globs_without_events_are_reported, a_screen_switches_between_counts_and_samples])
finally:
    shutil.rmtree(folder)
