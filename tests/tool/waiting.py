# SPDX-License-Identifier: MIT
"""Waits for conditions, and looks at other processes and ports."""
import os
import pathlib
import random
import socket
import time

DEADLINE = int(os.environ.get("UE_TEST_DEADLINE", 600))


def until(condition, what="what the test waits for", *, seconds=DEADLINE, more=str):
    """Waits, with a generous limit, until the condition holds; more() is added to a failure."""
    end, pause = time.monotonic() + seconds, 0.01
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(pause)
        pause = min(1.5 * pause, 0.1)
    raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what}{more()}")


def children(pid):
    found = set()
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                found.add(int(stat.parent.name))
        except OSError:  # it has ended
            pass
    return found


def has_ended(pid):
    """Its parent, or its new one, may not have waited for it."""
    try:
        return "\nState:\tZ" in pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True


def free_port():
    """Not one that the kernel would give to a client, which could then connect to itself."""
    while True:
        port = random.randrange(10000, 30000)
        try:
            with socket.create_server(("127.0.0.1", port)):
                return port
        except OSError:  # it is taken
            pass
