#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The server of doc/instrument-a-server.md on a kernel: its workers change their root and user
after the fork, and write all the same, in the foreground and as a daemon.

Arguments: the tool, the server.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tool"))
from tap import run, same

tool, server = (str(pathlib.Path(name).resolve()) for name in sys.argv[1:3])
FIELDS = "u8 eventheader_flags; u8 version; u16 id; u16 tag; u8 opcode; u8 level"
DEADLINE = 600

if not pathlib.Path("/sys/kernel/tracing/user_events_data").exists():
    print("1..0 # SKIP no user_events")
    sys.exit(77)
folder = tempfile.mkdtemp()


def out(*command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=DEADLINE)
    assert done.returncode == 0, (command, done)
    return done.stdout


def events_of(*command):
    """(pid, name, activity or "") of each event while the command runs."""
    out(tool, "record", "-o", "server.data", "--register", "shopd_worker_started u32 number",
        "--register", f"Shopd_L4K1 {FIELDS}", "--", *command)
    return [(int(pid), name, activity) for pid, name, activity in re.findall(
        r"shopd\[(\d+)\] +(\S+)(?:.* activity=(\S+)})?", out(tool, "decode", "server.data"))]


def has_two_workers(events):
    workers = {pid for pid, _, _ in events}
    assert (len(workers), len(events)) == (2, 6), (events, out(tool, "decode", "server.data"))
    for worker in workers:
        own = [event for event in events if event[0] == worker]
        same([name for _, name, _ in own], ["user_events:shopd_worker_started",
                                            "Shopd:RequestStart", "Shopd:RequestStop"])
        assert own[1][2] and own[1][2] == own[2][2], own


def workers_write_after_they_changed_root_and_user():
    same(os.geteuid(), 0)  # or they would change nothing
    has_two_workers(events_of(server))


def workers_of_a_daemon_do_too():
    # cat reads until the last worker has ended
    has_two_workers(events_of("sh", "-c", f"{server} --daemon | cat"))


try:
    run([workers_write_after_they_changed_root_and_user, workers_of_a_daemon_do_too])
finally:
    shutil.rmtree(folder)
