# SPDX-License-Identifier: MIT
"""Runs recorders and programs for the tests of recordings.

Arguments of the test: the tool, the program writer, and others.
"""
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tool"))
from tap import run, same
from waiting import children, has_ended, until

tool, writer, *others = sys.argv[1:]
tracing = pathlib.Path("/sys/kernel/tracing")
COUNT = 100
DEADLINE = int(os.environ.get("UE_TEST_DEADLINE", 600))

if not (tracing / "user_events_data").exists():
    print("1..0 # SKIP no user_events")
    sys.exit(77)
status = (tracing / "user_events_status").read_text()
abi = "status-page" if "Max:" in status else "enable-address"
print(f"# recordings: Linux {os.uname().release}, interface: {abi}")
folder = pathlib.Path(tempfile.mkdtemp())
names = iter(f"rec{os.getpid()}_{number}" for number in range(1000))


def path(name):
    return str(folder / name)


def out(*command, status=0, **kwargs):
    done = subprocess.run(command, capture_output=True, timeout=DEADLINE,
                          stdin=subprocess.DEVNULL, **kwargs)
    assert done.returncode == status, (command, done.returncode, done.stdout[-2000:],
                                       done.stderr[-2000:])
    out.said = done.stderr.decode()
    return done.stdout.decode()


def decoded(*args, status=0):
    """The events. That files have none yet, decode reports as a failure."""
    done = subprocess.run([tool, "decode", "--format", "jsonl", *args], capture_output=True,
                          timeout=DEADLINE, stdin=subprocess.DEVNULL)
    out.said = done.stderr.decode()
    if done.returncode == 1 and not done.stdout and " has no event" in out.said:
        return []
    assert done.returncode == status, (args, done)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def numbers(events, name):
    return [event["number"] for event in events if event["n"] == name]


def expect_all(events, name, count=COUNT):
    """Every event once and in order, of both kinds."""
    same(numbers(events, f"user_events:{name}"), list(range(count)))
    same(numbers(events, f"{name}:Tick"), list(range(count)))
    same(len(events), 2 * count)
    times = [event["meta"]["time"] for event in events]
    same(times, sorted(times))


def perf_numbers_in(shown, name):
    return [int(number) for number in
            re.findall(rf"user_events:{name}: +number=(\d+)", shown)]


def perf_numbers(file, name):
    return perf_numbers_in(out("perf", "script", "-i", file), name)


class Program:
    """A program in the background, which is always killed at the end."""

    def __init__(self, *command, **kwargs):
        self.said = tempfile.TemporaryFile()
        kwargs.setdefault("stdin", subprocess.PIPE)
        kwargs.setdefault("stdout", subprocess.PIPE)
        self.process = subprocess.Popen(command, stderr=self.said, **kwargs)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def end(self, number=signal.SIGINT, status=0):
        self.process.send_signal(number)
        return self.wait(status)

    def wait(self, status=0):
        self.process.wait(DEADLINE)
        self.said.seek(0)
        said = self.said.read().decode()
        same((self.process.returncode, said if self.process.returncode != status else ""),
             (status, ""))
        return said


class Writer(Program):
    """Its events exist from here on; write() makes it write them."""

    def __init__(self, name, count=COUNT, padding=0, program=writer):
        super().__init__(program, name, *([str(count), str(padding)] if program == writer
                                          else []))
        same(self.process.stdout.readline(), b"registered\n")

    def write(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        said = self.process.stdout.readline()
        if not said:
            self.wait()  # which shows why it ended
        same(said, b"written\n")

    def finish(self):
        self.process.stdin.close()
        self.wait()


def holder(pid):
    """Of a process and its child: the one that holds more perf events, and their number."""
    def count(each):
        found = 0
        for descriptor in pathlib.Path(f"/proc/{each}/fd").glob("*"):
            try:
                found += "perf_event" in os.readlink(descriptor)
            except OSError:  # it is closed
                pass
        return found
    return max(((count(each), each) for each in [pid, *children(pid)]))


def perf_descriptors(pid):
    return holder(pid)[0]


def waits(pid):
    """It sleeps, so whatever it opened is ready."""
    stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    return stat.rpartition(")")[2].split()[0] == "S"


def listens(recorder, events=2):
    """
    Waits until the recorder is attached to this many tracepoints on every processor; 0: until it
    has rings, and has looked which tracepoints exist. The first one may enable the event earlier,
    and what is written before a perf event leads to its ring is not counted.
    """
    wanted = (events + 1) * os.cpu_count()

    def is_attached():
        assert recorder.process.poll() is None, "the recorder ended"
        number, pid = holder(recorder.process.pid)
        return number >= wanted and waits(pid)
    until(is_attached, "all are recorded")


def globs(name):
    return ("-e", name, "-e", f"{name}_L4K1")


def is_recorded(file, name, count=COUNT):
    """True when the recorder has written all of them."""
    def look():
        done = subprocess.run([tool, "decode", "--format", "jsonl", file],
                              capture_output=True, timeout=DEADLINE)
        return done.stdout.count(b'"number":') == 2 * count
    until(look, f"{count} events of {name} in {file}")


def is_seen(file, name):
    """Until the file describes both events of this name: they are recorded by then."""
    def look():
        content = pathlib.Path(file).read_bytes()
        return f"name: {name}\n".encode() in content and \
            f"name: {name}_L4K1\n".encode() in content
    until(look, f"{file} has {name}")


def alone(test):
    """
    Up to Linux 6.3 events outlive their programs: a recorder with a glob that may name
    EventHeader events would take those of earlier tests, and listens() count them.
    """
    @functools.wraps(test)
    def delete_and_test():
        if not getattr(test, "looks_at_what_is_left", False):
            subprocess.run([tool, "delete", "--all"], capture_output=True, timeout=DEADLINE)
        test()
    return delete_and_test


def run_chosen(tests):
    try:
        run([alone(test) for test in tests])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
