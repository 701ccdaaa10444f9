#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/fleet-cost, whose figures must follow from the requests of an export. Arguments: the
script, the program."""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

from recordings import EVENTHEADER, Recording, eventheader
from tap import run, same

script, tool = sys.argv[1:3]
folder = pathlib.Path(tempfile.mkdtemp())
EVENTS = 700


def recording(count):
    made = Recording()
    event = made.event("user_events", "Shop_L5K1", 1001, EVENTHEADER)
    for i in range(count):
        made.sample(event, 10**9 + i * 1000,
                    eventheader("Done", [("id", b"\x05")], struct.pack("<Q", i), level=5))
    path = folder / f"{count}.data"
    path.write_bytes(made.file())
    return str(path)


def cost(*args):
    return subprocess.run([sys.executable, script, "--tool", tool, *args], text=True,
                          capture_output=True, timeout=300)


def row(out, name):
    """Bytes of an event, Mbit/s of a machine and of all, GB a day."""
    found = re.search(rf"^{name}  +([\d.]+)  +([\d.]+) Mbit/s  +([\d.]+) Mbit/s  +([\d.]+) GB$",
                      out, re.M)
    assert found, out
    return [float(text) for text in found.groups()]


def figures_follow_from_requests():
    path = recording(EVENTS)
    subprocess.run([tool, "export", "--to", "otlp-protobuf", "-o", str(folder / "out"), path],
                   check=True)
    size = (folder / "out/logs").stat().st_size - 4 * 2  # the lengths of two requests
    done = cost("--rate", "2000", "--machines", "20", path)
    same((done.returncode, done.stderr), (0, ""))
    each, one, fleet, day = row(done.stdout, "OTLP")
    same(each, round(size / EVENTS, 1))
    same(one, round(size / EVENTS * 2000 * 8 / 1e6, 1))
    same(fleet, round(size / EVENTS * 40000 * 8 / 1e6, 1))
    same(day, round(size / EVENTS * 40000 * 86400 / 1e9, 1))
    assert row(done.stdout, "OTLP --brief")[0] < each
    assert f"requests/s: {2000 * 2 / EVENTS:,.1f} of a machine" in done.stdout, done.stdout
    assert "at 10,000 records/s each: 4\n" in done.stdout, done.stdout


def a_recording_without_events_is_refused():
    ring = str(folder / "ring")
    subprocess.run([tool, "ring", "create", ring], check=True)
    done = cost(ring)
    same((done.returncode, done.stdout), (1, ""))
    assert "no program registered an event" in done.stderr, done.stderr


def a_recording_that_does_not_exist_is_refused():
    done = cost(str(folder / "nothing"))
    same((done.returncode, done.stdout), (1, ""))
    assert "Traceback" not in done.stderr and "nothing: No such file" in done.stderr, done.stderr


def numbers_below_one_are_refused():
    same(cost("--rate", "0").returncode, 2)


run([figures_follow_from_requests, a_recording_without_events_is_refused,
     a_recording_that_does_not_exist_is_refused,      numbers_below_one_are_refused])
