# SPDX-License-Identifier: MIT
"""Helpers of the tests of enable and disable."""
import contextlib
import os
import re
import subprocess

from control import put, tracing

THREE = ("en_a u32 x", "en_b u32 x", "other u32 x")


def rows(text):
    """{(system, event): state} of a table; event None: the row of the system."""
    found = {}
    for line in text.splitlines()[1:]:
        words = re.match(r"(\S+) +(?:(\S+) +)?(0|1|0\*|1\*|X|\?) +(\S.*)$", line)
        if words:
            found[words[1], words[2]] = words[3]
    return found


def enabled(where=""):
    """The user events that are on."""
    return {enable.parent.name for enable in
            (tracing / where / "events/user_events").glob("*/enable")
            if enable.read_text().startswith("1")}


def switch(event, state, where=""):
    put(f"{where}events/{event}/enable", str(state))


@contextlib.contextmanager
def read_only(name):
    """Writing to this file of tracefs fails."""
    path = str(tracing / name)
    subprocess.run(["mount", "--bind", path, path], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", path], check=True)
        yield
    finally:
        subprocess.run(["umount", path], check=True)


def written(directory, pid, name="requests"):
    """How many events of a process are in the buffer of an instance."""
    text = (directory / "trace").read_text(errors="replace")
    return len(re.findall(rf" {name}-{pid} ", text))


def pids(directory=tracing, file="set_event_pid"):
    return {int(line) for line in (directory / file).read_text().split()}


def clear(file):
    os.close(os.open(tracing / file, os.O_WRONLY | os.O_TRUNC))
