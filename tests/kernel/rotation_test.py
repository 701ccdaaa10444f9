#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record into several files, and from memory: --rotate, --overwrite, --keep-free.

Arguments: the tool, the program writer.
"""
import contextlib
import decimal
import os
import pathlib
import re
import signal
import time

import recorders
from recorders import (Program, decoded, folder, globs, listens, names,
                       numbers, out, path, perf_numbers, perf_numbers_in, run_chosen,
                       same, tool, tracing, until)

KIB = 1 << 10


class Writer(recorders.Writer):
    """On one processor: its events are in files in the order in which it wrote them."""

    def __init__(self, *args):
        super().__init__(*args)
        os.sched_setaffinity(self.process.pid, {0})


def files_of(file):
    """The files of a recording, the oldest first."""
    place = pathlib.Path(file)
    return sorted(str(one) for one in place.parent.glob(place.name + "*"))


def ticks_in(files):
    """The EventHeader events that a recorder has written by now."""
    return sum(pathlib.Path(one).read_bytes().count(b"Tick\0") for one in files)


def stopped(recorder, write):
    """Let a program write while the recorder does nothing, so that one pass has it all."""
    recorder.process.send_signal(signal.SIGSTOP)
    write()
    recorder.process.send_signal(signal.SIGCONT)


def read_each(files, names):
    """
    The numbers of both events of each name, each file read by itself with decode and with perf,
    which agree, and name every thread.
    """
    found = [([], []) for _ in names]
    for file in files:
        events, shown = decoded(file), out("perf", "script", "-i", file)
        same(re.findall(r"(?m)^ *(\S+) +\d+ \[\d+\] +[\d.]+: +user_events:", shown),
             ["writer"] * len(events))
        for name, (classic, own) in zip(names, found):
            here = numbers(events, f"user_events:{name}")
            same(perf_numbers_in(shown, name), here)
            classic += here
            own += numbers(events, f"{name}:Tick")
    return found


def read_alone(files, name):
    return read_each(files, [name])[0]


class Ftrace:
    """Counts the events of a writer independently."""

    def __init__(self, name):
        self.name, self.place = name, tracing / "instances" / name

    def __enter__(self):
        self.place.mkdir()
        (self.place / "buffer_size_kb").write_text("16384")
        for event in self.name, f"{self.name}_L4K1":
            (self.place / "events/user_events" / event / "enable").write_text("1")
        return self

    def count(self):
        text = (self.place / "trace").read_text()
        return int(re.search(r"entries-in-buffer/entries-written: (\d+)/", text).group(1))

    def __exit__(self, *_):
        (self.place / "events/enable").write_text("0")
        self.place.rmdir()


def rotated_files_have_every_event_once():
    """Also in one pass that fills several files; descriptions and names are in each."""
    name, file, count = next(names), path("turned.data"), 800
    with Writer(name, count, 600) as program, Ftrace(name) as ftrace:
        with Program(tool, "record", "--rotate", "100k", "-o", file, *globs(name)) as recorder:
            listens(recorder)
            stopped(recorder, program.write)
            said = recorder.end()
        same(ftrace.count(), 2 * count)
        program.finish()
    files = files_of(file)
    same(files, [file] + [f"{file}.{number:06}" for number in range(1, len(files))])
    assert len(files) >= 6, files
    assert all(os.path.getsize(one) <= 100 * KIB for one in files)
    assert all(os.path.getsize(one) > 90 * KIB for one in files[:-1])
    same(read_alone(files, name), (list(range(count)), list(range(count))))
    events = decoded(*files)
    same(numbers(events, f"user_events:{name}"), list(range(count)))
    assert f"{2 * count} events of 2 tracepoints in {len(files)} files, the last one " \
        f"{files[-1]}" in said, said


def two_processors_at_once():
    """In many passes over the rings: nothing between two files is lost or doubled."""
    one, other, file, count = next(names), next(names), path("both.data"), 3000
    with Writer(one, count, 300) as first, Writer(other, count, 300) as second, \
            Ftrace(one) as ftrace:
        for number, program in enumerate([first, second]):
            os.sched_setaffinity(program.process.pid, {number % os.cpu_count()})
        with Program(tool, "record", "--rotate", "256k", "-o", file, *globs(one),
                     *globs(other)) as recorder:
            listens(recorder, 4)
            first.process.stdin.write(b"\n")
            first.process.stdin.flush()
            second.write()
            same(first.process.stdout.readline(), b"written\n")
            recorder.end()
        same(ftrace.count(), 2 * count)
        first.finish()
        second.finish()
    files = files_of(file)
    assert len(files) > 10, files
    assert read_each(files, [one, other]) == [(list(range(count)), list(range(count)))] * 2
    same(len(decoded(*files)), 4 * count)


def a_signal_begins_the_next_file():
    name, file = next(names), path("turn.data")
    with Writer(name) as program:
        with Program(tool, "record", "--rotate", "1M", "-o", file, *globs(name)) as recorder:
            listens(recorder)
            program.write()
            recorder.process.send_signal(signal.SIGUSR1)
            until(lambda: len(files_of(file)) == 2, "another file")
            recorder.end()
        program.finish()
    first, second = (read_alone([one], name) for one in files_of(file))
    same((first[0] + second[0], first[1] + second[1]), (list(range(100)), list(range(100))))
    same(first[0], list(range(100)))


def clock_of(file):
    """The wall's time that a file gives for a time of its events."""
    header = out("perf", "script", "--header-only", "-i", file)
    wall, clock = re.search(r"reference time: .* = ([\d.]+) \(TOD\) = ([\d.]+) \(",
                            header).groups()
    return decimal.Decimal(wall) - decimal.Decimal(clock)


def all_files_have_one_clock_until_it_is_set():
    """A reading of its own, with an error of its own, would put events in another order."""
    name, file, hour = next(names), path("clock.data"), 3600
    with Writer(name, 300, 500) as program:
        with Program(tool, "record", "--rotate", "64k", "-o", file, *globs(name)) as recorder:
            listens(recorder)
            program.write()
            until(lambda: ticks_in(files_of(file)) == 300, "all are written")
            before = len(files_of(file))
            assert before > 2, before
            time.clock_settime(time.CLOCK_REALTIME, time.time() + hour)
            try:
                recorder.process.send_signal(signal.SIGUSR1)
                # one that is empty has not read the clocks yet
                until(lambda: len(files_of(file)) > before and
                      os.path.getsize(files_of(file)[-1]), "another file")
            finally:
                time.clock_settime(time.CLOCK_REALTIME, time.time() - hour)
            recorder.end()
        program.finish()
    clocks = [clock_of(one) for one in files_of(file)]
    same(clocks[:before], [clocks[0]] * before)
    assert abs(clocks[-1] - clocks[0] - hour) < 60, clocks


def events_that_come_later_are_in_later_files():
    first, second = (f"turn{os.getpid()}_{number}" for number in (1, 2))
    file = path("later.data")
    with Program(tool, "record", "--rotate", "64k", "-o", file,
                 "-e", f"turn{os.getpid()}_*") as recorder:
        listens(recorder, 0)
        for number, name in enumerate((first, second)):
            with Writer(name, 300, 500) as program:
                listens(recorder, 2 * number + 2)
                program.write()
                program.finish()
        recorder.end(status=1)  # earlier events of them may be missing
    same(read_each(files_of(file), [first, second]),
         [(list(range(300)), list(range(300)))] * 2)


def the_oldest_files_are_removed():
    name, file, count = next(names), path("few.data"), 1000
    with Writer(name, count, 600) as program:
        with Program(tool, "record", "--rotate", "100k,3", "-o", file,
                     *globs(name)) as recorder:
            listens(recorder)
            program.write()
            said = recorder.end()
        program.finish()
    files = files_of(file)
    same(len(files), 3)
    classic, own = read_alone(files, name)
    for shown in classic, own:
        same(shown, list(range(count))[-len(shown):])
    removed = int(re.search(r"the oldest (\d+) removed", said).group(1))
    same(files[-1], f"{file}.{removed + 2:06}")


def no_file_is_replaced():
    name, file = next(names), path("kept.data")
    pathlib.Path(file).write_bytes(b"of before")
    pathlib.Path(f"{file}.000007").write_bytes(b"also")
    for option in ["--rotate", "64k"], ["--overwrite", "1M"]:
        out(tool, "record", *option, "-o", file, "-r", f"{name} u32 number", "-e", name,
            tool, "write", name, "number=7")
    same([os.path.basename(one) for one in files_of(file)],
         [f"kept.data{end}" for end in ("", ".000007", ".000008", ".000009")])
    same(pathlib.Path(file).read_bytes(), b"of before")
    for number in 8, 9:
        same(numbers(decoded(f"{file}.{number:06}"), f"user_events:{name}"), [7])


def a_killed_recorder_leaves_all_files():
    name, file, count = next(names), path("killed.data"), 400
    with Writer(name, count, 600) as program:
        with Program(tool, "record", "--rotate", "100k", "-o", file, *globs(name)) as recorder:
            listens(recorder)
            program.write()
            until(lambda: len(files_of(file)) > 2, "files")
            until(lambda: ticks_in(files_of(file)) == count, "all are written")
            recorder.end(signal.SIGKILL, -signal.SIGKILL)
        program.finish()
    files = files_of(file)
    classic, own = read_alone(files[:-1], name)
    events = decoded(files[-1], status=0)
    same(perf_numbers(files[-1], name), numbers(events, f"user_events:{name}"))
    same(classic + numbers(events, f"user_events:{name}"), list(range(count)))
    same(own + numbers(events, f"{name}:Tick"), list(range(count)))


def small_disk(size):
    place = folder / "small"
    place.mkdir(exist_ok=True)
    out("mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(place))
    return place


def on_small_disk(size, *options):
    """Record more than a disk has room for; what the recorder prints, and its files."""
    name, place = next(names), small_disk(size)
    try:
        file = str(place / "x.data")
        with Writer(name, 1000, 1000) as program:
            with Program(tool, "record", *options, "-o", file, *globs(name)) as recorder:
                listens(recorder)
                program.write()
                said = recorder.wait(status=1)
            program.finish()
        classic, own = read_alone(files_of(file), name)
        return said, len(files_of(file)), classic, own
    finally:
        out("umount", str(place))


def a_full_disk_leaves_complete_files():
    """perf reads them as well as decode does, with names in each."""
    for options, most in ([], 1), (["--rotate", "100k"], 9):
        said, count, classic, own = on_small_disk("512k", *options)
        assert "No space left on device" in said, said
        assert 1 <= count <= most, count
        assert len(classic) > 100, classic
        for shown in classic, own:
            same(shown, list(range(len(shown))))


def space_is_kept_free():
    """A recording of one file ends; of several, the oldest are removed until none is."""
    for keep, left in ("50%", 512 * KIB), ("256k", 256 * KIB):
        said, count, classic, own = on_small_disk("1M", "--keep-free", keep)
        same(count, 1)
        assert f"less than {keep} of its disk would be free" in said, said
        for shown in classic, own:
            same(shown, list(range(len(shown))))
            assert len(shown) * 1000 < 1024 * KIB - left


def the_oldest_files_make_space():
    name, place, count = next(names), small_disk("1M"), 1000
    try:
        file = str(place / "x.data")
        with Writer(name, count, 1000) as program:
            with Program(tool, "record", "--rotate", "100k", "--keep-free", "50%", "-o", file,
                         *globs(name)) as recorder:
                listens(recorder)
                program.write()
                recorder.end()
                disk = os.statvfs(place)
            program.finish()
        assert disk.f_bavail * 2 >= disk.f_blocks, disk
        classic, own = read_alone(files_of(file), name)
        assert len(classic) > 100
        for shown in classic, own:
            same(shown, list(range(count))[-len(shown):])
    finally:
        out("umount", str(place))


def memory_keeps_the_last_events():
    """Every event from the first one in the file on."""
    name, file, count = next(names), path("last.data"), 1000
    with Writer(name, count, 1000) as program:
        with Program(tool, "record", "--overwrite", "512k", "-b", "4M", "-o", file,
                     *globs(name)) as recorder:
            listens(recorder)
            program.write()
            said = recorder.end()
        program.finish()
    classic, own = read_alone([file], name)
    assert 300 < len(classic) < 600, len(classic)
    same(classic, list(range(count))[-len(classic):])
    same(own, list(range(count))[-len(own):])
    assert 0 <= len(own) - len(classic) <= 1
    replaced = int(re.search(r"(\d+) older ones? w\w+ replaced", said).group(1))
    same(replaced + len(classic) + len(own), 2 * count)
    assert "none was lost" in said, said


BURSTS = 10


def a_burst_keeps_the_newest():
    """
    Ten times the memory: the newest event is in the file, and all from the file's first one on.
    In every second burst the recorder cannot read at all.
    """
    name, file, count = next(names), path("burst.data"), 1200
    with contextlib.ExitStack() as stack:
        keeper = stack.enter_context(Writer(name))
        recorder = stack.enter_context(Program(tool, "record", "--overwrite", "256k", "-o", file,
                                               *globs(name)))
        listens(recorder)
        for burst in range(BURSTS):
            writers = [stack.enter_context(Writer(name, count, 1000))
                       for _ in range(os.cpu_count())]
            for number, writing in enumerate(writers):
                os.sched_setaffinity(writing.process.pid, {number})
                if burst % 2:
                    recorder.process.send_signal(signal.SIGSTOP)
                writing.process.stdin.write(b"\n")
                writing.process.stdin.flush()
            for writing in writers:
                same(writing.process.stdout.readline(), b"written\n")
                writing.finish()
            recorder.process.send_signal(signal.SIGCONT)
            recorder.process.send_signal(signal.SIGUSR1)
            until(lambda: f"N{burst + 1}" in said_so_far(recorder), "the file is complete")
            events = decoded(files_of(file)[-1])
            for writing in writers:
                for kind in f"user_events:{name}", f"{name}:Tick":
                    shown = [event["number"] for event in events if event["n"] == kind and
                             event["meta"]["pid"] == writing.process.pid]
                    same(shown, list(range(count - len(shown), count)))
            assert len(events) > 50, len(events)
            same((events[-1]["n"], events[-1]["number"]), (f"{name}:Tick", count - 1))
        said = recorder.end()
        keeper.finish()
    files, replaced, events = (int(re.search(rf"(\d+) {word}", said).group(1)) for word in
                               ("files", "older ones were replaced", "events of 2"))
    same((files, replaced + events), (BURSTS, 2 * count * os.cpu_count() * BURSTS))
    assert "none was lost" in said, said


def a_signal_writes_memory_into_a_file():
    """Each event is in one file; the recording goes on, also with events that come later."""
    names_of = [f"dump{os.getpid()}_{number}" for number in range(3)]
    file = path("dump.data")
    with Program(tool, "record", "--overwrite", "4M", "-o", file,
                 "-e", f"dump{os.getpid()}_*") as recorder:
        for number, name in enumerate(names_of):
            with Writer(name) as program:
                listens(recorder, 2 * number + 2)
                program.write()
                program.finish()
            same(len(files_of(file)), number)
            if number < 2:
                recorder.process.send_signal(signal.SIGUSR1)
                until(lambda: len(files_of(file)) > number and
                      f"N{number + 1}" in said_so_far(recorder), "the file is complete")
        said = recorder.end(status=1)  # the first events of new tracepoints may be missing
    files = files_of(file)
    same([os.path.basename(one) for one in files],
         ["dump.data", "dump.data.000001", "dump.data.000002"])
    for one, name in zip(files, names_of):
        same(read_alone([one], name), (list(range(100)), list(range(100))))
        same(len(decoded(one)), 200)
    assert "600 events of 6 tracepoints in 3 files" in said, said


def said_so_far(recorder):
    """A mark N1, N2 ... behind each line of a file that is complete."""
    size = os.fstat(recorder.said.fileno()).st_size
    text = os.pread(recorder.said.fileno(), size, 0).decode()
    return "".join(f"N{number}" for number in
                   range(1, len(re.findall(r"has \d+ events?, \d+ bytes", text)) + 1))


def a_signal_without_events_writes_no_file():
    name, file = next(names), path("silent.data")
    with Writer(name) as program:
        with Program(tool, "record", "--overwrite", "1M", "-o", file, *globs(name)) as recorder:
            listens(recorder)
            recorder.process.send_signal(signal.SIGUSR1)
            until(lambda: os.fstat(recorder.said.fileno()).st_size, "a message")
            same(files_of(file), [])
            said = recorder.end(status=1)
        program.finish()
    assert "No event came yet" in said and "no event was written" in said, said
    same(decoded(file), [])


def memory_without_room_on_disk_stays():
    """The file is not begun; with room again, the next signal writes all."""
    name, place = next(names), small_disk("256k")
    try:
        file = str(place / "x.data")
        (place / "ballast").write_bytes(b"x" * 200 * KIB)
        with Writer(name, 100, 1000) as program:
            with Program(tool, "record", "--overwrite", "1M", "-o", file,
                         *globs(name)) as recorder:
                listens(recorder)
                program.write()
                recorder.process.send_signal(signal.SIGUSR1)
                until(lambda: os.fstat(recorder.said.fileno()).st_size, "a message")
                until(lambda: not files_of(file), "the file is removed, after the message")
                (place / "ballast").unlink()
                said = recorder.end(status=1)
            program.finish()
        assert f"cannot begin {file}: No space left on device" in said, said
        same(read_alone([file], name), (list(range(100)), list(range(100))))
    finally:
        out("umount", str(place))


def threads_that_ended_before_the_file_began_have_names():
    """The record of the name is in no file, as memory replaced it, or in an earlier one."""
    name, file = next(names), path("gone.data")
    for options in ["--overwrite", "256k"], ["--rotate", "64k,2"]:
        with Writer(name, 300, 1000) as program:
            with Program(tool, "record", *options, "-b", "4M", "-o", file,
                         *globs(name)) as recorder:
                listens(recorder)
                # the program starts, writes and ends between two passes
                def write():
                    program.write()
                    program.finish()
                stopped(recorder, write)
                recorder.end()
        files = files_of(file)
        classic, _ = read_alone(files, name)
        assert classic and classic[0] > 0, classic
        for one in files:
            os.unlink(one)


def wrong_options_are_explained():
    existing = path("directory")
    os.mkdir(existing)
    for status, words, args in (
            (2, "--rotate keeps events in files and --overwrite in memory",
             ["--rotate", "1M", "--overwrite", "1M"]),
            (2, "--size ends a recording", ["--rotate", "1M", "--size", "1M"]),
            (2, "--size is of a file that grows", ["--overwrite", "1M", "--size", "1M"]),
            (2, '"1M," is not BYTES', ["--rotate", "1M,"]),
            (2, '"1M,1" is not BYTES', ["--rotate", "1M,1"]),
            (2, '"1k" is not BYTES', ["--rotate", "1k"]),
            (2, '"," is not BYTES', ["--rotate", ","]),
            (2, "overwrite", ["--overwrite", "1"]),
            (2, 'the space to keep free "0%"', ["--keep-free", "0%"]),
            (2, 'the space to keep free "100%"', ["--keep-free", "100%"]),
            (2, 'the space to keep free "much"', ["--keep-free", "much"]),
            (1, "make several files", ["--rotate", "1M", "-o", "-"]),
            (1, "make several files", ["--overwrite", "1M", "-o", existing]),
            (1, "--keep-free is for files", ["--keep-free", "5%", "-o", "-"]),
            (1, "cannot write /nonexistent/x", ["--overwrite", "1M", "-o", "/nonexistent/x"])):
        out(tool, "record", "-o", path("wrong.data"), *args, "-d", "1", status=status)
        assert words in out.said, (args, out.said)
    same(files_of(path("wrong.data")), [])


run_chosen([rotated_files_have_every_event_once, two_processors_at_once,
            a_signal_begins_the_next_file, all_files_have_one_clock_until_it_is_set,
            events_that_come_later_are_in_later_files,
            the_oldest_files_are_removed, no_file_is_replaced,
            a_killed_recorder_leaves_all_files, a_full_disk_leaves_complete_files,
            space_is_kept_free, the_oldest_files_make_space, memory_keeps_the_last_events,
            a_burst_keeps_the_newest,
            a_signal_writes_memory_into_a_file, a_signal_without_events_writes_no_file,
            memory_without_room_on_disk_stays,
            threads_that_ended_before_the_file_began_have_names,
            wrong_options_are_explained])
