# SPDX-License-Identifier: MIT
"""A collector that runs, and its metrics. The first argument of the test is the tool."""
import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

from tap import written_to
from waiting import until

tool = sys.argv[1]
folder = pathlib.Path(tempfile.mkdtemp())
DEADLINE = int(os.environ.get("UE_TEST_DEADLINE", 300))
numbers = iter(range(1000))


def places(program):
    """Where in a ring what is."""
    return json.loads(subprocess.run([program], check=True, capture_output=True).stdout)


class Values(dict):
    def lost(self):
        return {name.split('"')[1]: value for name, value in self.items()
                if name.startswith("lost_events_total") and value}


def read_metrics(text):
    values = Values()
    for line in text.splitlines():
        name, _, value = line.rpartition(" ")
        if not line.startswith("#"):
            values[name.removeprefix("userevents_")] = float(value)
    return values


def connect(address):
    if address.startswith("unix:"):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(DEADLINE)
        connection.connect(address.removeprefix("unix:"))
        return connection
    return socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), DEADLINE)


def everything(connection):
    parts = iter(lambda: connection.recv(65536), b"")
    return b"".join(parts).decode()


def page_of(address):
    """Nothing if there is no answer, or only a part of one."""
    head = body = ""
    with contextlib.suppress(OSError), connect(address) as connection:
        connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        head, _, body = everything(connection).partition("\r\n\r\n")
    return body if f"Content-Length: {len(body.encode())}" in head.splitlines() else ""


def links_in(directory):
    for one in directory.iterdir():
        with contextlib.suppress(FileNotFoundError):
            yield os.readlink(one)


class Collector:
    """It answers with its metrics of this moment; those in a file are as old as an interval."""

    def __init__(self, *args, env=None, prefix=(), pass_fds=()):
        self.metrics = folder / f"{next(numbers)}.prom"
        self.page = f"unix:{self.metrics}.socket"
        self.is_asked = True
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [*prefix, tool, "collect", "--metrics", self.metrics, "--metrics-interval", "1",
             "--metrics", self.page, *args],
            stderr=self.errors, env={**os.environ, **(env or {})}, pass_fds=pass_fds)
        until(lambda: self.values() or self.process.poll() is not None, "it is ready")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def values(self):
        """The last ones when it has ended, or does not answer."""
        text = page_of(self.page) if self.is_asked and self.process.poll() is None else ""
        if not text and self.metrics.exists():
            text = self.metrics.read_text()
        return read_metrics(text)

    def said(self):
        """But for the line that says what it does."""
        return "".join(line for line in written_to(self.errors).splitlines(True)
                       if not line.startswith("userevents: collecting "))
