#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What threads did below their requests: latency --cpu of random histories, against the history
itself; and what other commands do with records of the scheduler. Arguments: the program.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from recordings import Recording, TraceDat
from schedulers import (NEW, OLD, OTHER, START, STOP, Events, World, order, switch, wakeup)
from tap import run, same

tool, = sys.argv[1:]
folder = pathlib.Path(tempfile.mkdtemp())
A, B, C = (bytes([letter]) * 16 for letter in b"ABC")
PARTS = "ran", "runnable", "blocked", "uninterruptible", "unknown"
HIDDEN = ("userevents: {} records of the scheduler are no events here; -e 'sched:*' shows "
          "them.\n")


def save(content, name="recording"):
    path = folder / name
    path.write_bytes(content)
    return str(path)


def ask(*command, status=0, complaint=""):
    done = subprocess.run([tool, *command], capture_output=True, timeout=120)
    same((done.returncode, done.stderr.decode()), (status, complaint))
    return done.stdout.decode()


def latency(path, *options, **kwargs):
    """The whole answer, and of each pair by its number: how long it took, and the parts."""
    answer = json.loads(ask("latency", "--cpu", "--json", "--slowest", "1000", *options, path,
                            **kwargs))
    return answer, {pair["start"]["number"]: (pair["nanoseconds"], parts(pair["cpu"]))
                    for pair in answer["slowest"]}


def parts(cpu):
    return cpu and tuple(cpu[part] for part in PARTS)


def expected(times, duration):
    """The same of a history."""
    blocked = sum(times[state] for state in times if state not in ("running", "R"))
    ran, runnable = times["running"], times["R"]
    return ran, runnable, blocked, times["D"], duration - ran - runnable - blocked


# Random histories

def check(world, path):
    answer, found = latency(path)
    same(len(found), len(world.requests))
    sums, alone = collections.Counter(), 0
    for request in world.requests:
        duration = request.stop - request.start
        if request.tid != request.stopped_by:
            same(found[request.number], (duration, None))
            continue
        times = expected(world.known_times(request), duration)
        same((request, found[request.number]), (request, (duration, times)))
        same(times[0] + times[1] + times[2] + times[4], duration)
        sums.update(dict(zip(PARTS, times)))
        alone += 1
    same({part: answer["cpu"][part] for part in PARTS}, {part: sums[part] for part in PARTS})
    same((answer["cpu"]["pairs"], answer["cpu"]["severalThreads"]),
         (alone, len(world.requests) - alone))
    return sums


def the_states_of_random_histories_are_found():
    sums = collections.Counter()
    for seed in range(40):
        world = World(seed, kernel=(NEW, OLD, OTHER)[seed % 3])
        sums.update(check(world, save(world.file())))
    assert all(sums[part] > 50_000 for part in PARTS), sums


def trace_dat_has_the_same():
    for seed in range(40, 44):
        world = World(seed)
        check(world, save(world.trace_dat()))


def one_processor_and_many_threads():
    for seed in range(50, 56):
        world = World(seed, steps=1500, processors=1, threads=12)
        check(world, save(world.file()))


def what_losses_hide_is_unknown():
    """Records of a processor are missing, which the recorder notices when it reads on."""
    unknown = known = 0
    for seed in range(100, 130):
        world = World(seed, steps=1500)
        chance, recording = world.chance, Recording()
        events = Events(recording)
        begin, cpu = chance.randrange(200, 400), chance.randrange(3)
        lost, said, total = 0, 0, 0  # in this round; in that before, which ends with their count
        for number, record in enumerate(world.records):
            if begin <= number < begin + 90 and record.cpu == cpu and record.kind != "shop":
                lost += 1
            else:
                recording.sample(getattr(events, record.kind), record.time, record.payload,
                                 cpu=record.cpu, pid=100, tid=record.tid)
            if number % 50 == 49:
                if said:
                    recording.lost(said)
                recording.round()
                total, said, lost = total + said, lost, 0
        _, found = latency(save(recording.file()), status=1,
                           complaint=f"userevents: {total} events were lost when "
                           f"{folder}/recording was recorded.\n")
        for request in world.requests:
            duration, shown = found[request.number]
            same(duration, request.stop - request.start)
            if shown is None:
                continue
            true = expected(world.times(request), duration)
            same(shown[0] + shown[1] + shown[2] + shown[4], duration)
            assert all(one <= other for one, other in zip(shown[:4], true)), (seed, request,
                                                                            shown, true)
            before = expected(world.known_times(request), duration)
            unknown += shown[4] > before[4]
            known += shown == before
    assert unknown > 50 and known > 500, (unknown, known)


# By hand

class Machine:
    """Records on one processor."""

    def __init__(self, kernel=NEW, **kwargs):
        self.recording = Recording(**kwargs)
        self.events = Events(self.recording, kernel)

    def switch(self, time, prev, state, following, cpu=0):
        self.recording.sample(self.events.switch, time, switch(prev, state, following),
                              cpu=cpu, tid=prev)
        return self

    def wakeup(self, time, tid):
        self.recording.sample(self.events.wakeup, time, wakeup(tid), tid=0)
        return self

    def order(self, time, opcode, number=1, tid=101, activity=A, cpu=0, name="Order"):
        self.recording.sample(self.events.shop, time, order(number, opcode, activity, name),
                              cpu=cpu, tid=tid)
        return self

    def path(self):
        return save(self.recording.file())


def usual():
    """A request that runs 100, sleeps 500, waits 200, runs 300, is preempted 400, runs 50."""
    machine = Machine().switch(1000, 0, 0, 101).order(1100, START)
    machine.switch(1200, 101, 1, 0).wakeup(1700, 101).switch(1900, 0, 0, 101)
    machine.switch(2200, 101, 0x100, 102).switch(2600, 102, 2, 101)
    return machine.order(2650, STOP)


def text_has_a_table_and_a_line_for_each_of_the_slowest():
    shown = ask("latency", "--cpu", "--no-bars", usual().path())
    assert """
What threads did in 1 pair that starts and ends on one thread:
STATE      TOTAL    MEAN  PERCENT
ran       450 ns  450 ns     29.0
runnable  600 ns  600 ns     38.7
blocked   500 ns  500 ns     32.3
unknown     0 ns    0 ns      0.0
""" in shown, shown
    assert "\n  1.55 us: ran 450 ns 29%, runnable 600 ns 39%, blocked 500 ns 32%\n" in shown, shown


def groups_have_rows():
    machine = usual().order(3000, START, number=2, activity=B, name="Pay")
    machine.switch(3100, 101, 2, 0).wakeup(3500, 101).switch(3500, 0, 0, 101)
    machine.order(3600, STOP, number=2, activity=B, name="Pay").order(4000, START, number=3)
    machine.switch(4010, 101, 0x100, 102).order(4020, STOP, number=3, tid=102)
    path = machine.path()
    shown = ask("latency", "--cpu", "--no-bars", path)
    assert "in 2 pairs that start and end on one thread; 1 is on several, and left out:" in shown
    assert "\n  uninterruptible  400 ns  200 ns     18.6\n" in shown, shown
    assert """
Means and shares:
meta.event  PAIRS          RAN     RUNNABLE      BLOCKED    UNKNOWN
OrderStart      1  450 ns  29%  600 ns  39%  500 ns  32%  0 ns   0%
PayStart        1  200 ns  33%    0 ns   0%  400 ns  67%  0 ns   0%
""" in shown, shown
    assert "\n  20 ns: on several threads\n" in shown, shown
    assert "blocked 400 ns 67% (uninterruptible 400 ns)" in shown, shown
    answer, found = latency(path)
    same(found, {1: (1550, (450, 600, 500, 0, 0)), 2: (600, (200, 0, 400, 400, 0)), 3: (20, None)})
    same([(group["value"], group["cpu"]["pairs"], group["cpu"]["severalThreads"],
           parts(group["cpu"])) for group in answer["groups"]],
         [("OrderStart", 1, 1, (450, 600, 500, 0, 0)), ("PayStart", 1, 0, (200, 0, 400, 400, 0))])


def without_records_of_the_scheduler_a_sentence_says_what_to_do():
    path = Machine().order(10, START).order(20, STOP).path()
    complaint = ("userevents: cannot print what threads did in pairs: there is no record of "
                 "sched_switch; record with userevents record --sched\n")
    assert "What threads did" not in ask("latency", "--cpu", path, status=1, complaint=complaint)
    answer, found = latency(path, status=1, complaint=complaint)
    same((answer["cpu"]["recorded"], found), (False, {1: (10, (0, 0, 0, 0, 10))}))


def what_has_no_place_for_threads_is_refused():
    done = subprocess.run([tool, "latency", "--cpu", "--run", "--", "touch", str(folder / "it_ran")],
                          capture_output=True, text=True)
    same((done.returncode, done.stdout), (2, ""))
    assert "use --watch" in done.stderr, done.stderr
    assert not (folder / "it_ran").exists()


def rows_have_what_threads_did():
    """The members of JSON: of each value of --by, or of all pairs in one row."""
    machine = usual().order(3000, START, number=2, activity=B, name="Pay")
    path = machine.order(3600, STOP, number=2, activity=B, name="Pay").path()
    for words in ([], ["OrderStart", "OrderStop"]):
        answer = json.loads(ask("latency", "--cpu", "--json", *words, path))
        wanted = [flat(row) for row in answer.get("groups", [answer])]
        for form, separator, none in ("--csv", ",", ""), ("--tsv", "\t", "\\N"):
            shown = ask("latency", "--cpu", form, *words, path).splitlines()
            head, *rows = [line.split(separator) for line in shown]
            same([dict(zip(head, row)) for row in rows],
                 [{name: row.get(name, none) for name in head} for row in wanted])
            same([name[4:] for name in head if name.startswith("cpu.")][-7:],
                 ["pairs", "severalThreads", *PARTS])


def flat(item, outer=""):
    """Cells of an object: its members without arrays."""
    cells = {}
    for name, value in item.items():
        if isinstance(value, dict):
            cells |= flat(value, f"{outer}{name}.")
        elif value is not None and not isinstance(value, list):
            cells[outer + name] = value if isinstance(value, str) else json.dumps(value)
    return cells


def wakeups_alone_tell_nothing():
    path = Machine().wakeup(5, 101).order(10, START).wakeup(15, 101).order(20, STOP).path()
    same(latency(path, status=1, complaint="userevents: cannot print what threads did in pairs: "
                 "there is no record of sched_switch; record with userevents record --sched\n")[1],
         {1: (10, (0, 0, 0, 0, 10))})


def a_thread_that_is_never_switched_runs():
    """It writes an event, so it runs, from the first record of another processor on."""
    path = Machine().switch(5, 102, 1, 103, cpu=1).order(10, START).order(90, STOP).path()
    same(latency(path)[1], {1: (80, (80, 0, 0, 0, 0))})
    path = Machine().order(10, START).switch(50, 102, 1, 103, cpu=1).order(90, STOP).path()
    same(latency(path)[1], {1: (80, (0, 0, 0, 0, 80))})


def a_record_that_contradicts_makes_the_state_before_unknown():
    """It is on two processors; it ran without a switch to it; another one ran in its place."""
    for last, machine in (
            (1, Machine().switch(5, 0, 0, 101).order(10, START).switch(40, 0, 0, 101, cpu=1)),
            (0, Machine().switch(5, 0, 0, 101).order(10, START).switch(10, 101, 1, 0)
             .switch(40, 101, 1, 0).switch(40, 0, 0, 101)),
            (0, Machine().switch(5, 0, 0, 101).order(10, START).switch(40, 102, 1, 101))):
        found = latency(machine.order(100, STOP, cpu=last).path())[1]
        same(found, {1: (90, (60, 0, 0, 0, 30))})


def numbers_of_states_are_read_from_the_format():
    """1 is D on this kernel, and 2 is T."""
    for kernel, uninterruptible in (NEW, 0), (None, 0), (OTHER, 100):
        machine = Machine(kernel).switch(5, 0, 0, 101).order(10, START)
        machine.switch(20, 101, 1, 0).wakeup(120, 101).switch(130, 0, 0, 101)
        same(latency(machine.order(140, STOP).path())[1],
             {1: (130, (20, 10, 100, uninterruptible, 0))})


def nested_starts_of_a_thread_have_parts_of_their_own():
    machine = Machine().switch(5, 0, 0, 101).order(10, START, activity=None)
    machine.order(20, START, number=2, activity=None).switch(30, 101, 1, 0).wakeup(50, 101)
    machine.switch(60, 0, 0, 101).order(70, STOP, activity=None).order(90, STOP, activity=None)
    same(latency(machine.path())[1], {2: (50, (20, 10, 20, 0, 0)), 1: (80, (50, 10, 20, 0, 0))})


def the_wall_clock_does_not_matter():
    machine = Machine(clock=(1700000000 * 10**9, 500)).switch(1000, 0, 0, 101)
    machine.order(1100, START).switch(1200, 101, 1, 0).wakeup(1700, 101)
    machine.switch(1900, 0, 0, 101).order(2000, STOP)
    same(latency(machine.path())[1], {1: (900, (200, 200, 500, 0, 0))})


def threads_are_those_of_the_machine():
    """perf in a PID namespace has numbers of its own; records begin with the kernel's."""
    recording = Recording()
    events = Events(recording)
    recording.raw = lambda event, payload, pid: recording.pack(
        "HBBi", event.number, 1, 2, pid and pid + 1000) + payload
    recording.sample(events.switch, 5, switch(0, 0, 1101), tid=0)
    recording.sample(events.shop, 10, order(1, START, A), tid=101)
    recording.sample(events.switch, 20, switch(1101, 1, 0), tid=101)
    recording.sample(events.switch, 50, switch(0, 0, 1101), tid=0)
    recording.sample(events.shop, 60, order(1, STOP, A), tid=101)
    same(latency(save(recording.file()))[1], {1: (50, (20, 0, 30, 0, 0))})


def losses_of_trace_dat_count_from_their_place():
    recording = TraceDat()
    events = Events(recording)
    for time, event, payload, tid in (
            (1000, events.switch, switch(0, 0, 101), 0), (1100, events.shop, order(1, START, A), 101),
            (1200, events.shop, order(1, STOP, A), 101), (1300, events.shop, order(2, START, B), 101),
            (1400, events.shop, order(2, STOP, B), 101)):
        recording.record(event, time, payload, pid=tid)
    recording.lost = {1400}
    answer, found = latency(save(recording.file()), status=1, complaint="userevents: 1 event was "
                            f"lost when {folder}/recording was recorded.\n")
    same(found, {1: (100, (100, 0, 0, 0, 0)), 2: (100, (0, 0, 0, 0, 100))})


# Other commands

def other_commands_leave_them_out_unless_asked():
    path, hidden = usual().path(), HIDDEN.format(6)
    lines = ask("decode", path, complaint=hidden).splitlines()
    same(["OrderStart" in lines[0], "OrderStop" in lines[1], len(lines)], [True, True, 2])
    same(len(ask("decode", "-e", "sched:*", path).splitlines()), 6)
    same(len(ask("decode", "-e", "*", path).splitlines()), 8)
    assert ask("stat", path, complaint=hidden).splitlines()[-1].startswith("2 events in ")
    same(json.loads(ask("latency", "--json", path, complaint=hidden))["count"], 1)


def page(path):
    out = folder / "page.html"
    ask("report", "-o", str(out), path)
    return xml.etree.ElementTree.parse(out).getroot()


def cells(root):
    """Of the slowest, by the first number in their fields: text and bars of the last column."""
    html = "{http://www.w3.org/1999/xhtml}"
    for table in root.iter(html + "table"):
        if table.get("class") != "slowest":
            continue
        for row in table.iter(html + "tr"):
            last = row.findall(html + "td")[-1:]
            if last and last[0].get("class") == "cpu":
                number = re.search(r"number=(\d+)", "".join(row.itertext()))[1]
                yield int(number), ("".join(last[0].itertext()), [
                    (bar.get("class"), float(bar.get("width"))) for bar in last[0].iter()
                    if bar.tag.endswith("rect")])


def the_page_shows_what_the_slowest_did():
    machine = usual().order(3000, START, number=2, activity=B)
    machine.switch(3010, 101, 0x100, 102).order(3020, STOP, number=2, activity=B, tid=102)
    root = page(machine.path())
    same(dict(cells(root)), {
        1: ("ran 450 ns 29%, runnable 600 ns 39%, blocked 500 ns 32%",
            [("a1", 29.03), ("warning", 38.71), ("a7", 32.26)]),
        2: ("on several threads", [])})
    assert "ran 450 ns 29%" in ["".join(each.itertext())[:14] for each in root.iter()
                                if each.get("class") == "facts cpu"]
    same(list(cells(page(Machine().order(10, START).order(20, STOP).path()))), [])


def the_page_and_latency_agree():
    for seed in range(60, 64):
        world = World(seed)
        path = save(world.file())
        found = latency(path)[1]
        shown = dict(cells(page(path)))
        assert len(shown) == 10
        for number, (text, _) in shown.items():
            parts_ = found[number][1]
            same(text == "on several threads" or text == "unknown", parts_ is None)
            for part, nanoseconds in zip(PARTS, parts_ or ()):
                same((part in text), nanoseconds > 0)


def a_recording_of_the_scheduler_alone_says_so():
    path = Machine().switch(5, 0, 0, 101).switch(9, 101, 1, 0).path()
    same(ask("decode", path, status=1, complaint=HIDDEN.format(2)), "")
    same(len(ask("decode", "-e", "sched:sched_switch", path).splitlines()), 2)


def filters_are_for_events():
    """The states are known although -e, --where and --from leave other events out."""
    expected = {1: (1550, (450, 600, 500, 0, 0))}
    path = usual().path()
    same(latency(path, "-e", "Shop:*")[1], expected)
    same(latency(path, "--where", "number == 1")[1], expected)
    same(latency(path, "--from", "0.000001100")[1], expected)


def hostile_records_are_no_records():
    recording = Recording()
    events = Events(recording)
    odd = recording.event("sched", "sched_waking", 303, [("u32", "nothing", 4, 0)])
    for time, event, payload in ((1, events.switch, b""), (2, events.switch, bytes(20)),
                                 (3, events.wakeup, b"\xff"), (4, odd, bytes(4)),
                                 (5, events.switch, switch(0, -1, 0xffffffff - 2**32)),
                                 (6, events.switch, switch(101, 2**63 - 1, 101))):
        recording.sample(event, time, payload, cpu=2**32 - 1, tid=101)
    recording.sample(events.shop, 10, order(1, START, A), tid=101)
    recording.sample(events.shop, 20, order(1, STOP, A), tid=101)
    _, found = latency(save(recording.file()))
    same(found[1][0], 10)
    same(found[1][1][0] + found[1][1][1] + found[1][1][2] + found[1][1][4], 10)


run([the_states_of_random_histories_are_found,
     trace_dat_has_the_same,
     one_processor_and_many_threads,
     what_losses_hide_is_unknown,
     text_has_a_table_and_a_line_for_each_of_the_slowest,
     groups_have_rows,
     without_records_of_the_scheduler_a_sentence_says_what_to_do,
     rows_have_what_threads_did, wakeups_alone_tell_nothing,
     what_has_no_place_for_threads_is_refused,
     a_thread_that_is_never_switched_runs,
     a_record_that_contradicts_makes_the_state_before_unknown,
     numbers_of_states_are_read_from_the_format,
     nested_starts_of_a_thread_have_parts_of_their_own,
     the_wall_clock_does_not_matter,
     threads_are_those_of_the_machine,
     losses_of_trace_dat_count_from_their_place,
     other_commands_leave_them_out_unless_asked,
     the_page_shows_what_the_slowest_did,
     the_page_and_latency_agree,
     a_recording_of_the_scheduler_alone_says_so,
     filters_are_for_events,
     hostile_records_are_no_records])
