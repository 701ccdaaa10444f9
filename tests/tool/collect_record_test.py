#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents collect --record of rings. Arguments: the tool, the programs many,
guests and calls.

What is recorded is read back by decode and stat, and counted once: in a file, or in none.
"""
import contextlib
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys

import collectors
from captures import DEFINITION, PAGE, PASS, RING, records
from collectors import DEADLINE, folder, numbers, tool, until
from receiver import Receiver, ok
from tap import run, same

many, guests, calls = sys.argv[2:]
folder.chmod(0o755)
hard_size = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))


class Collector(collectors.Collector):
    """One that reads rings that programs offer, and records."""

    def __init__(self, *args, **kwargs):
        self.path = folder / f"{next(numbers)}"
        self.directory = folder / f"{next(numbers)}.records"
        super().__init__("--socket", self.path, "--record", self.directory, "--keep-free", "1k",
                         *args, **kwargs)
        same(self.process.poll(), None)

    def start(self, *args, size="", **kwargs):
        return subprocess.Popen([*map(str, args)], stdout=subprocess.PIPE, stdin=subprocess.PIPE,
                                env={**os.environ, "USEREVENTS_SOCKET": str(self.path),
                                     "USEREVENTS_RING_SIZE": size}, **kwargs)

    def run(self, *args):
        return finish(self.start(*args))

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        same(self.process.wait(DEADLINE), 0)
        return self

    def recorded(self):
        return self.values().get("recorded_events_total", 0)

    def files(self):
        """The oldest one first."""
        return sorted(self.directory.iterdir())


def finish(process):
    out, _ = process.communicate(timeout=DEADLINE)
    same(process.returncode, 0)
    return out.decode()


def events(*paths, status=0):
    done = subprocess.run([tool, "decode", "--json", "--meta", "all", *paths],
                          capture_output=True, timeout=DEADLINE)
    assert done.returncode == status, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def times(found):
    return [event["meta"]["time"] for event in found]


def said_of(*paths):
    """The last line of stat, and what it reports."""
    done = subprocess.run([tool, "stat", *paths], capture_output=True, text=True,
                          timeout=DEADLINE)
    return done.stdout.splitlines()[-1] + done.stderr


@contextlib.contextmanager
def collecting(is_exported, *args):
    if not is_exported:
        with Collector(*args) as collector:
            yield collector
        return
    with Receiver(ok) as receiver, Collector("--otlp", receiver.url, *args) as collector:
        yield collector


def each_event_is_recorded(is_exported=False):
    with collecting(is_exported) as collector:
        program = collector.start(many, 1000)
        finish(program)
        collector.end()
        same(collector.said(), "")
    path, = collector.files()
    same(path.name, "events.uecap")
    same(path.stat().st_mode & 0o777, 0o600)
    found = events(path)
    same([event["number"] for event in found], list(range(1000)))
    same({(one["meta"]["pid"], one["meta"]["tid"], one["meta"]["comm"]) for one in found},
         {(program.pid, program.pid, "many")})
    values = collector.values()
    same([values[f"{name}_events_total"] for name in ("recorded", "unrecorded", "read")],
         [1000, 0, 1000])
    same((values["recording_files"], values["recorded_bytes_total"]), (1, path.stat().st_size))
    if is_exported:
        same(values["delivered_events_total"], 1000)


def so_it_is_if_it_is_exported_too():
    each_event_is_recorded(True)


def events_of_programs_at_once_are_in_order(is_exported=False):
    with collecting(is_exported) as collector:
        for program in [collector.start(many, 4000) for _ in range(6)]:
            finish(program)
        collector.end()
    found = events(*collector.files())
    same(len(found), 24000)
    same(times(found), sorted(times(found)))
    same(len({event["meta"]["pid"] for event in found}), 6)


def so_they_are_if_they_are_exported_too():
    events_of_programs_at_once_are_in_order(True)


def numbers_of_ended_programs_are_used_again():
    """So the memory of the recorder and its readers is bounded by the rings that exist."""
    with Collector("--socket-rings", "4") as collector:
        for number in range(120):
            collector.run(tool, "write", f"tick_{number} u32 number", f"number={number}")
        collector.end()
    path, = collector.files()
    content, found = path.read_bytes(), events(path)
    same([event["number"] for event in found], list(range(120)))
    same([event["meta"]["event"] for event in found], [f"tick_{number}" for number in range(120)])
    same(times(found), sorted(times(found)))
    for kind, most in (DEFINITION, 16), (PAGE, 16), (RING, 16):
        places = [int.from_bytes(content[at + 8:at + 12], sys.byteorder)
                  for at, _, one in records(content) if one == kind]
        assert len(places) == 120 or kind == RING, (kind, len(places))
        assert all(place < most for place in places), (kind, max(places))


def events_have_the_control_groups_of_their_programs():
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        mine = next((line[3:].strip() for line in file if line.startswith("0::")), "")
    with Collector() as collector:
        # It is there when the collector takes its ring, and when it looks at /proc.
        program = collector.start(many, 3, "wait")
        until(lambda: collector.recorded() == 3, "it is recorded")
        program.kill()
        program.wait(DEADLINE)
        collector.end()
    same([event["meta"].get("cgroup", "") for event in events(*collector.files())], [mine] * 3)


def all_that_e_selects_is_recorded():
    for is_exported in False, True:
        with collecting(is_exported, "-e", "step", "--where", "number < 10") as collector:
            collector.run(many, 100)
            collector.run(guests, "count", 50)
            collector.end()
            values = collector.values()
        same([event["number"] for event in events(*collector.files())], list(range(100)))
        same([values[f"{name}_events_total"] for name in ("recorded", "read", "filtered")],
             [100, 100, 90])


def losses_are_recorded():
    for is_exported in False, True:
        with collecting(is_exported) as collector:
            program = collector.start(guests, "count", 200000, size="256k")
            written, lost = map(int, finish(program).split())
            collector.end()
            values = collector.values()
        same(written + lost, 200000)
        same((values["recorded_events_total"], values.lost().get("socket", 0)), (written, lost))
        assert f"{written} events in " in said_of(*collector.files())
        assert f"{lost} event" in said_of(*collector.files()) if lost else True
        assert f", {lost} lost" in said_of(*collector.files()), (lost, said_of(*collector.files()))


def files_take_turns():
    with Collector("--rotate", "64k,4") as collector:
        for _ in range(8):
            collector.run(many, 10000)
        collector.end()
        values = collector.values()
    files = collector.files()
    same(len(files), 4)
    assert all(path.stat().st_size <= 64 << 10 for path in files)
    found = [events(path) for path in files]
    assert all(found)
    for some in found:
        same(times(some), sorted(times(some)))
    whole = events(*files)
    same(times(whole), sorted(times(whole)))
    same(len({(event["meta"]["pid"], event["number"]) for event in whole}), sum(map(len, found)))
    same([values[f"{name}_events_total"] for name in ("recorded", "unrecorded")], [80000, 0])
    same(values["recording_files"], 4)
    assert values["removed_files_total"] > 0


def a_file_may_be_cut_anywhere():
    with Collector() as collector:
        for number in range(4):
            collector.run(tool, "write", f"tick_{number} u32 n", f"n={number}")
        for program in [collector.start(many, 40) for _ in range(3)]:
            finish(program)
        collector.end()
    content, before = collector.files()[0].read_bytes(), 0
    ends = [at for at, _, kind in records(content) if kind == PASS]
    same(len(events(*collector.files())), 124)
    for length in [*range(24, len(content), 61), *ends, len(content)]:
        path = folder / "cut"
        path.write_bytes(content[:length])
        done = subprocess.run([tool, "decode", "--json", path], capture_output=True,
                              timeout=DEADLINE)
        assert done.returncode == 0 or b"cut off at byte" in done.stderr, done.stderr
        count = len(done.stdout.splitlines())
        assert length in ends or count >= before, (length, count, before)
        before = 0 if length in ends else count
    same(count, 124)


def what_is_recorded_outlives_a_kill():
    with Collector() as collector:
        program = collector.start(many, 1000, "wait")
        same(program.stdout.readline(), b"ready\n")
        until(lambda: collector.recorded() == 1000, "it is recorded")
        collector.process.kill()
        collector.process.wait()
        program.kill()
        program.communicate()
        same(len(events(*collector.files())), 1000)


def a_rate_limits_what_is_recorded():
    for more in (), ("--event", "*"):
        with Collector("--max-rate", "10/s", *more) as collector:
            collector.run(many, 3000)
            until(lambda: collector.values().get("read_events_total") == 3000, "all are read")
            collector.end()
            values = collector.values()
        lost = values.lost()
        same(set(lost), {"rate_limit"})
        same(values["recorded_events_total"] + lost["rate_limit"], 3000)
        same(sum(len(events(path)) for path in collector.files()),
             values["recorded_events_total"])


def without_space_events_are_counted():
    """A limit of files is the same as a full disk."""
    with Collector("--rotate", "1G,9") as collector:
        program = collector.start(guests, "ask")
        same(program.stdout.readline(), b"ready\n")
        resource.prlimit(collector.process.pid, resource.RLIMIT_FSIZE, (40 << 10, hard_size))
        for _ in range(4):
            program.stdin.write(b"x" * 10000)
            program.stdin.flush()
        until(lambda: collector.values().get("unrecorded_events_total"), "one is not recorded")
        resource.prlimit(collector.process.pid, resource.RLIMIT_FSIZE, (hard_size, hard_size))
        same(finish(program), "40000 0\n")
        collector.end()
        values, said = collector.values(), collector.said()
    missed = values["unrecorded_events_total"]
    same(values["recorded_events_total"] + missed, 40000)
    same(values["read_events_total"], 40000)
    assert said.endswith(f"{missed:.0f} events are in no file of {collector.directory}.\n"), said
    same(said.count("\n"), 2)
    assert "File too large" in said, said
    same(sum(len(events(path)) for path in collector.files()), values["recorded_events_total"])


def files_of_an_earlier_collector_count():
    with Collector() as collector:
        collector.run(many, 10)
        collector.end()
    first = collector.files()[0].read_bytes()
    with Collector("--rotate", "64k,2") as second:
        shutil.rmtree(second.directory)
        second.end()
    for at in range(1, 4):
        (collector.directory / f"events.uecap.00000{at}").write_bytes(first)
    done = subprocess.Popen([tool, "collect", "--socket", folder / "again", "--record",
                             collector.directory, "--rotate", "64k,2", "--keep-free", "1k"])
    until((folder / "again").is_socket, "it listens")
    subprocess.run([many, "20"], check=True,
                   env={**os.environ, "USEREVENTS_SOCKET": str(folder / "again")})
    done.terminate()
    same(done.wait(DEADLINE), 0)
    same([path.name for path in collector.files()],
         ["events.uecap.000003", "events.uecap.000004"])
    same(len(events(collector.files()[1])), 20)


def files_of_rings_are_recorded():
    for mode in "drop", "overwrite":
        path = folder / f"{mode}.ring"
        subprocess.run([tool, "ring", "create", "--size", "1M", "--mode", mode, path], check=True)
        directory = folder / f"{mode}.records"
        with collectors.Collector("--ring", folder / f"{mode}.ri*g", "--record", directory,
                                  "--keep-free", "1k") as collector:
            for _ in range(3):
                subprocess.run([many, "500"], check=True,
                               env={**os.environ, "USEREVENTS_RING": str(path)})
            collector.process.terminate()
            same(collector.process.wait(DEADLINE), 0)
        found = events(*sorted(directory.iterdir()))
        same([event["number"] for event in found], list(range(500)) * 3)
        same(collector.values()["recorded_events_total"], 1500)


def descriptions_of_code_are_no_events():
    """A ring whose stacks are wanted has them; recordings keep them for the names of functions."""
    ring, directory = folder / "stacks.ring", folder / "stacks.records"
    for command in (["create", "-m", "drop", ring], ["set", "--stack", "*", ring]):
        subprocess.run([tool, "ring", *command], check=True, capture_output=True)
    subprocess.run([many, "10"], check=True, env={**os.environ, "USEREVENTS_RING": str(ring)})
    with collectors.Collector("--ring", ring, "--record", directory) as collector:
        until(lambda: collector.values().get("recorded_events_total", 0) >= 10,
              "10 events are recorded")
        collector.process.terminate()
        same(collector.process.wait(DEADLINE), 0)
    text = collector.metrics.read_text()
    assert "ue_mapping" not in text, text
    values = collector.values()
    same((values["read_events_total"], values["recorded_events_total"]), (10, 10))
    shown = subprocess.run([tool, "stacks", "--json", *sorted(directory.iterdir())],
                           capture_output=True, timeout=DEADLINE).stdout.decode()
    same(len(events(*sorted(directory.iterdir()))), 10)
    assert pathlib.Path(many).name in shown, shown


def processes_of_two_rings_have_their_own_code(is_exported=False):
    """Both are the first process of their ring. They write in turns."""
    running = {}
    for name in ("one", "two"):
        copy, ring = folder / f"{name}{is_exported}", folder / f"{name}{is_exported}.own-ring"
        shutil.copy(calls, copy)
        for command in (["create", "-m", "drop", ring], ["set", "--stack", "*", ring]):
            subprocess.run([tool, "ring", *command], check=True, capture_output=True)
        running[copy] = subprocess.Popen([copy, "2", "wait"], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE,
                                         env={**os.environ, "USEREVENTS_RING": str(ring)})
        running[copy].stdout.readline()
    turns = [*running, *running]
    for copy in turns:
        running[copy].stdin.write(b"\n")
        running[copy].stdin.flush()
        same(running[copy].stdout.readline(), b"written\n")
    with collecting(is_exported, "--ring", folder / f"*{is_exported}.own-ring") as collector:
        until(lambda: collector.recorded() >= 16, "all are recorded")
        collector.end()
    for copy in running:
        finish(running[copy])
    done = subprocess.run([tool, "decode", "--stack", "--json", *collector.files()],
                          capture_output=True, timeout=DEADLINE, check=True)
    found = [{frame.get("module") for frame in json.loads(line)["stack"]}
             for line in done.stdout.splitlines()]
    same([[str(copy) in modules for copy in running] for modules in found],
         [[True, False]] * 4 + [[False, True]] * 4 + [[True, False]] * 4 + [[False, True]] * 4)


def so_they_have_if_they_are_exported_too():
    processes_of_two_rings_have_their_own_code(True)


def a_directory_has_one_collector():
    with Collector() as collector:
        done = subprocess.run([tool, "collect", "--ring", folder / "none", "--record",
                               collector.directory], capture_output=True, timeout=DEADLINE)
        same(done.returncode, 1)
        assert b"another collector does" in done.stderr, done.stderr
        collector.end()


run([each_event_is_recorded, so_it_is_if_it_is_exported_too,
     events_of_programs_at_once_are_in_order, so_they_are_if_they_are_exported_too,
     numbers_of_ended_programs_are_used_again, events_have_the_control_groups_of_their_programs,
     all_that_e_selects_is_recorded, losses_are_recorded, files_take_turns,
     a_file_may_be_cut_anywhere, what_is_recorded_outlives_a_kill,
     a_rate_limits_what_is_recorded, without_space_events_are_counted, files_of_an_earlier_collector_count,
     files_of_rings_are_recorded, descriptions_of_code_are_no_events,
     processes_of_two_rings_have_their_own_code, so_they_have_if_they_are_exported_too,
     a_directory_has_one_collector])
