#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the commands of doc/guide.md that need a kernel, while a program writes requests."""
import os
import pathlib
import re
import subprocess
import threading

from control import DEADLINE, Requests, path, put, run, same, tool, unchanged

guide = (pathlib.Path(__file__).parents[3] / "doc/guide.md").read_text()
COMMANDS = [line[2:] for block in re.findall(r"<!-- kernel -->\n```console\n(.*?)```", guide, re.S)
            for line in block.splitlines()]


def called(command):
    bin_ = pathlib.Path(path("bin"))
    bin_.mkdir(exist_ok=True)
    if not (bin_ / "userevents").exists():
        (bin_ / "userevents").symlink_to(pathlib.Path(tool).resolve())
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True,
                          timeout=DEADLINE, stdin=subprocess.DEVNULL,
                          env={**os.environ, "PATH": f"{bin_}:{os.environ['PATH']}"})


def its_commands_work_and_leave_nothing_behind():
    assert len(COMMANDS) >= 10, COMMANDS
    with Requests() as program:
        stop = threading.Event()

        def write():
            first = 1
            while not stop.wait(0.05):
                program.do(f"pairs 10 {first} 100")
                first += 10
        writer = threading.Thread(target=write)
        writer.start()
        try:
            with unchanged():
                for command in COMMANDS:
                    done = called(command)
                    said = re.sub(r"(?m)^userevents: counting .*\n", "", done.stderr)
                    same((command, done.returncode, said), (command, 0, ""))
                    if " klatency " in f" {command}" or "khist" in command:
                        counts = [int(n.replace(",", "")) for n in
                                  re.findall(r"count +([\d,]+)", done.stdout)]
                        assert counts and counts[0] >= 10, (command, done.stdout)
        finally:
            stop.set()
            writer.join()
        program.finish()


# allocates the buffer, as the first event of the top instance does
put("events/sched/sched_switch/enable", "1")
put("events/sched/sched_switch/enable", "0")
run([its_commands_work_and_leave_nothing_behind])
