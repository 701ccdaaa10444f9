# SPDX-License-Identifier: MIT
"""Runs the commands that control the kernel's tracing, and looks at tracefs itself.

Arguments of each test: the tool, the programs writer and requests.
"""
import contextlib
import fcntl
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from recorders import (DEADLINE, Program, Writer, abi, children, names, others, path, same,
                       tool, tracing, until, writer)
from tap import run

assert all((Program, Writer, children, names, path, run, until, writer))  # for the tests
is_6_1 = abi == "status-page"
# Later than those of which facts are known one by one.
is_newest = int(os.uname().release.split(".")[0]) >= 7
is_patched = bool(os.environ.get("UE_VM_PATCHED"))  # with the patches of doc/kernel


def ask(*arguments, status=0, said=None, **kwargs):
    """Runs the tool; its output. said: what standard error must contain, None: nothing."""
    done = subprocess.run([tool, *arguments], capture_output=True, timeout=DEADLINE,
                          stdin=subprocess.DEVNULL, **kwargs)
    ask.said = done.stderr.decode()
    assert done.returncode == status, (arguments, done.returncode, done.stdout.decode(),
                                       ask.said)
    if said is None:
        same(ask.said, "")
    else:
        assert said in ask.said, (arguments, said, ask.said)
    return done.stdout.decode()


def list_events():
    """The events that exist; a sentence on standard error says that there are none."""
    done = subprocess.run([tool, "list"], capture_output=True, timeout=DEADLINE,
                          stdin=subprocess.DEVNULL)
    shown, said = done.stdout.decode(), done.stderr.decode()
    same(done.returncode, 0)
    assert not said if shown else "no event exists: " in said, (shown, said)
    return shown


def refused(*arguments, said, status=1):
    """The tool fails with this sentence, and changes nothing."""
    before = state()
    ask(*arguments, status=status, said=said)
    same(state(), before)


def put(name, text):
    """Writes into a file of tracefs, as "echo TEXT >> FILE" does."""
    # not open(..., "a"), which seeks, and these files refuse that
    descriptor = os.open(tracing / name, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(descriptor, (text + "\n").encode())
    finally:
        os.close(descriptor)


def get(name):
    return (tracing / name).read_text(errors="replace")


def lines(name):
    return [line for line in get(name).splitlines() if line and not line.startswith("#")]


def expand_buffers():
    """The first event that is enabled, in any instance, makes the kernel enlarge all buffers."""
    size = get("buffer_size_kb")
    if "expanded" in size:
        put("buffer_size_kb", re.search(r"expanded: (\d+)", size)[1])


expand_buffers()


def delete_all():
    """All user events that are not in use, also those that have no directory in tracefs."""
    with open(tracing / "user_events_data", "rb+", buffering=0) as data:
        for line in (tracing / "user_events_status").read_bytes().split(b"\n"):
            found = re.match(rb"\d+:([^ ]*)", line)
            with contextlib.suppress(OSError):
                if found:
                    fcntl.ioctl(data, 0x40082a01, found[1] + b"\0")  # DIAG_IOCSDEL


if is_6_1:  # where events of earlier tests stay
    delete_all()
WHOLE = ["trace_clock", "tracing_on", "current_tracer", "buffer_size_kb", "set_event",
         "set_event_pid", "set_event_notrace_pid", "trace_options", "dynamic_events",
         "synthetic_events", "kprobe_events", "uprobe_events"]


def state():
    """All settings of the top instance that a command must leave alone, and the instances."""
    found = {name: get(name) for name in WHOLE if (tracing / name).exists()}
    found["instances"] = sorted(os.listdir(tracing / "instances"))
    for directory in [tracing, *(tracing / "instances").iterdir()]:
        for event in (directory / "events").glob("user_events*/*/"):
            for file in "enable", "filter", "trigger":
                # a filter that the kernel refused is shown with the error behind it
                found[f"{event}/{file}"] = (event / file).read_text(errors="replace")
    return found


@contextlib.contextmanager
def unchanged():
    """The body leaves everything as it was."""
    before = state()
    yield
    after = state()
    same({key: value for key, value in after.items() if before.get(key) != value},
         {key: value for key, value in before.items() if after.get(key) != value})


@contextlib.contextmanager
def user_events(*definitions):
    """These user events exist, through dynamic_events."""
    for definition in definitions:
        put("dynamic_events", "u:" + definition)
    try:
        yield
    finally:
        for definition in definitions:
            put("dynamic_events", "!u:" + definition)


@contextlib.contextmanager
def instance(name):
    """A tracing instance, removed at the end."""
    os.mkdir(tracing / "instances" / name)
    try:
        yield tracing / "instances" / name
    finally:
        os.rmdir(tracing / "instances" / name)


if is_6_1:  # it allocates the top instance's buffer when any instance gets its first event
    with instance("first"):
        put("instances/first/events/sched/sched_switch/enable", "1")
        put("instances/first/events/sched/sched_switch/enable", "0")


@contextlib.contextmanager
def closed(file):
    """Yields a prefix for commands that may not use the file: as root, as others may not reach
    the tool."""
    mode = os.stat(file).st_mode & 0o7777
    os.chmod(file, 0)
    try:
        yield ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    finally:
        os.chmod(file, mode)


class Requests(Program):
    """The program requests; its events exist from here on."""

    def __init__(self):
        self.is_alone = not (tracing / "events/user_events/req_done").exists()
        super().__init__(others[0])
        same(self.process.stdout.readline(), b"registered\n")

    def do(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        same(self.process.stdout.readline(), b"ok\n")

    def finish(self):
        self.process.stdin.close()
        self.wait()
        if is_6_1:  # its events do not go away with their user
            ask("delete", "req_start", "req_done")
        for _ in range(40 * self.is_alone):  # from 6.4 on they do so a moment later
            if not (tracing / "events/user_events/req_done").exists():
                break
            time.sleep(0.05)


@contextlib.contextmanager
def load():
    """A program that writes starts and ends with ids of 7 decades, in turn, throughout."""
    process = subprocess.Popen([others[0]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        same(process.stdout.readline(), b"registered\n")
        process.stdin.write(b"forever\n")
        process.stdin.flush()
        yield
    finally:
        process.kill()
        process.communicate()


def count_load(*command, enough, **expected):
    """What a command counts of it; on a busy machine it writes little in a short time."""
    for seconds in "0.2", "2", "20":
        answer = json.loads(ask(*command, "--json", "-d", seconds, **expected))
        if enough(answer):
            break
    assert enough(answer), answer
    return answer


def ended_pid():
    """The number of a process that there was; the kernel gives it to another one last of all."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


REQUESTS = ("req_start u64 id; u32 shard; __rel_loc char[] path; char[8] verb",
            "req_done u64 id; u32 status; s64 delta; __rel_loc char[] path; char[8] verb")


def leaves_nothing(test):
    @functools.wraps(test)
    def wrapped():
        with unchanged():
            test()
    return wrapped


def run_leaving_nothing(tests, requests):
    """Each of them leaves the kernel's tracing as it was."""
    try:
        run([leaves_nothing(test) for test in tests])
    finally:
        requests.finish()
