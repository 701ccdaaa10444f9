#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stacks that the kernel records, beside perf. Arguments: the tool, writer, calls."""
import pathlib
import re
import signal

from recorders import Program, folder, listens, out, others, path, run_chosen, same, tool

calls, = others
# a file may end before the ring of another processor, which has the program's mappings, is read
one_processor = "taskset", "-c", "0"


class Caller(Program):
    """Its events exist from here on; write() or finish() makes it write them."""

    def __init__(self, count=1):
        super().__init__(calls, str(count), "wait")
        same(self.process.stdout.readline(), b"registered\n")

    def write(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        same(self.process.stdout.readline(), b"written\n")

    def finish(self):
        self.process.stdin.close()
        self.wait()


def folded(file, *args):
    return out(tool, "stacks", "--folded", *args, file).splitlines()


def expect_calls(line, event, count):
    assert re.fullmatch(r"calls;(.*;)?main;outer_call;middle_call;inner_call[.\w]*;"
                        rf"user_events:{event} {count}", line), line


def stacks_are_recorded_if_asked_for():
    file = path("stacks.data")
    out(tool, "record", "--stack", "call_made", "--stack", "nothing", "-e", "call_*", "-o", file, "--",
        calls, "100")
    assert 'There was no event that --stack "nothing" matches.' in out.said, out.said
    assert "200 events of 2 tracepoints" in out.said, out.said
    line, = folded(file)
    expect_calls(line, "call_made", 100)
    seen = out("perf", "script", "-i", file)
    for name in "outer_call+", "call_made: ", "call_other: ":
        same(seen.count(name), 100)
    assert "middle_call" in out("perf", "report", "-g", "--stdio", "-i", file)


def stacks_have_at_most_so_many_frames():
    file = path("frames.data")
    out(tool, "record", "--stack", "call_made", "--frames", "3", "-o", file, "--", calls, "1")
    same(len(re.findall("^    ", out(tool, "decode", "--stack", file), re.M)), 3)
    for frames in "1", "2":
        out(tool, "record", "--stack", "call_made", "--frames", frames, "-o", file, "--", calls, "1")
        same(len(re.findall("^    ", out(tool, "decode", "--stack", file), re.M)), int(frames))
        assert "frame pointers" not in out.said, out.said


def a_kernel_may_allow_few_frames():
    """The library's frame is recorded beside those asked for only if one more is allowed."""
    limit, file = pathlib.Path("/proc/sys/kernel/perf_event_max_stack"), path("few.data")
    usual = limit.read_text()
    try:
        for allowed, most in (33, 32), (32, 32), (4, 4):
            limit.write_text(str(allowed))
            out(tool, "record", "--stack", "call_made", "-o", file, "--", calls, "1")
            frames = len(re.findall("^    ", out(tool, "decode", "--stack", file), re.M))
            assert 3 <= frames <= most, (allowed, frames)
    finally:
        limit.write_text(usual)


def watch_prints_stacks():
    text = out(tool, "watch", "--stack", "call_made", "-e", "call_*", "--", calls, "1")
    assert re.search(r"call_made .*\n( .*\n)* .* middle_call\+0x\w+ .*\n .* outer_call\+", text), text
    same(text.count("outer_call+"), 1)


def stacks_of_live_events_are_counted():
    line, = (line for line in out(tool, "stacks", "--folded", "-e", "call_made", "--watch", "--",
                                  calls, "50").splitlines())
    expect_calls(line, "call_made", 50)


def each_file_of_a_series_names_its_functions():
    out(tool, "record", "--stack", "call_*", "-r", calls, "--rotate", "64k", "-o",
        path("series.data"), *one_processor, "sh", "-c", f"{calls} 3000; {calls} 1")
    files = sorted(str(name) for name in folder.glob("series.data*"))
    assert len(files) > 3, files
    counts = {"call_made": 0, "call_other": 0}
    for line in (line for name in files for line in folded(name)):
        event, count = re.search(r"user_events:(\w+) (\d+)$", line).groups()
        expect_calls(line, event, count)
        counts[event] += int(count)
    same(counts, {"call_made": 3001, "call_other": 3001})


def expect_all_named(file):
    lines = folded(file)
    assert lines
    for line in lines:
        expect_calls(line, *re.search(r"user_events:(\w+) (\d+)$", line).groups())


def what_stays_in_memory_names_its_functions():
    """Also if the kernel overwrites records before the recorder takes them."""
    file = path("memory.data")
    with Program(tool, "record", "--stack", "call_*", "-r", calls, "--overwrite", "256k",
                 "-o", file) as recorder:
        listens(recorder, 2)
        with Caller(3000) as first, Caller(3000) as later:
            first.write()
            recorder.process.send_signal(signal.SIGSTOP)
            with Caller(3000) as last:
                later.write()
                last.write()
                recorder.process.send_signal(signal.SIGCONT)
                recorder.end()
                for program in first, later, last:
                    program.finish()
    expect_all_named(file)


def what_was_mapped_before_is_known():
    file = path("before.data")
    with Caller() as program:
        with Program(tool, "record", "--stack", "call_*", "-e", "call_*", "-o", file) as recorder:
            listens(recorder, 2)
            program.finish()
            recorder.end()
    line, = folded(file, "-e", "call_made")
    expect_calls(line, "call_made", 1)


def stacks_of_perf_are_read():
    file = path("perf.data")
    with Caller() as program:
        out("perf", "record", "-g", "-o", file, "-e", "user_events:call_made", calls, "5")
        program.finish()
    line, = folded(file)
    expect_calls(line, "call_made", 5)


run_chosen([stacks_are_recorded_if_asked_for, stacks_have_at_most_so_many_frames,
            a_kernel_may_allow_few_frames,
            watch_prints_stacks, stacks_of_live_events_are_counted,
            each_file_of_a_series_names_its_functions, what_stays_in_memory_names_its_functions,
            what_was_mapped_before_is_known, stacks_of_perf_are_read])
