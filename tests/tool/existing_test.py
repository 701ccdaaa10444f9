#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names of threads and control groups that exist before a recording. Argument: existing."""
import ctypes
import os
import pathlib
import struct
import subprocess
import sys
import threading

from tap import run, same

existing = sys.argv[1]
libc = ctypes.CDLL(None)
PR_SET_NAME = 15
COMM, CGROUP = 3, 19


def records():
    """(type, content, end) of each; the end is that of the dummy."""
    out = subprocess.run([existing], capture_output=True, timeout=600, check=True).stdout
    at = 0
    while at < len(out):
        kind, misc, size = struct.unpack_from("=IHH", out, at)
        assert size % 8 == 0 and size >= 40, size
        yield kind, out[at + 8:at + size - 32], out[at + size - 32:at + size]
        same(misc, 0)
        at += size
    same(at, len(out))


def text(content):
    before, nul, behind = content.partition(b"\0")
    same((nul, behind.strip(b"\0")), (b"\0", b""))
    return before


def all_threads_have_names():
    begun, end = threading.Barrier(2), threading.Event()
    name = b"\xffthe\ttenth\x1b"

    def live():
        libc.prctl(PR_SET_NAME, name, 0, 0, 0)
        begun.wait()
        end.wait()

    thread = threading.Thread(target=live)
    thread.start()
    begun.wait()
    found = {}
    for kind, content, rest in records():
        if kind == COMM:
            who = struct.unpack_from("=II", content)
            found[who] = text(content[8:])
            same(rest, struct.pack("=IIQIIQ", *who, 0, 0, 0, 7))
    own = os.getpid()
    end.set()
    thread.join()
    same(found[own, thread.native_id], name)
    same(found[own, own], pathlib.Path("/proc/self/comm").read_bytes()[:-1])
    same(len({tid for _, tid in found}), len(found))


def mounted():
    """The directory of the hierarchy that samples refer to, and its group there."""
    best = None
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        words, behind = (part.split() for part in line.split(" - "))
        if behind[0] == "cgroup2" and not best:
            best = words[4], words[3]
        elif behind[0] == "cgroup" and "perf_event" in behind[2].split(","):
            return words[4], words[3]
    return best


def all_control_groups_have_names():
    """Their ids are the numbers of their directories, on machines of 64 bits."""
    top, group = mounted() or (None, None)
    made = make_groups(top) if top else []
    found = {struct.unpack_from("=Q", content)[0]: text(content[8:]).decode()
             for kind, content, _ in records() if kind == CGROUP}
    expected = {os.stat(folder).st_ino: (group.rstrip("/") + folder[len(top):]) or "/"
                for folder, _, _ in (os.walk(top) if top else [])}
    for folder in reversed(made):
        folder.rmdir()
    if not top or sys.maxsize > 2**32:
        same(found, expected)
    print(f"# {len(expected)} control groups, {len(made)} of them made for the test")


def make_groups(top):
    made = []
    for folder in (pathlib.Path(top) / f"names {os.getpid()}",
                   pathlib.Path(top) / f"names {os.getpid()}" / "below"):
        try:
            folder.mkdir()
            made.append(folder)
        except OSError as error:
            print(f"# no group of its own: {error}")
            break
    return made


run([all_threads_have_names, all_control_groups_have_names])
