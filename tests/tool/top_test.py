#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents top, without a kernel. Arguments: the tool, and the programs many and
eventheader."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from tap import run, same
from terminal import Terminal

tool, many, eventheader = sys.argv[1:]
folder = pathlib.Path(tempfile.mkdtemp())
STEP = "user_events:step"


def top(*args, status=0, complaint="", **kwargs):
    done = subprocess.run([tool, "top", *args], capture_output=True, text=True, timeout=600,
                          stdin=subprocess.DEVNULL, **kwargs)
    same(done.returncode, status)
    assert complaint in done.stderr, f"{complaint!r} is not in {done.stderr!r}"
    if not complaint:
        same(done.stderr, "")
    return done.stdout


def last(text):
    return json.loads(text.splitlines()[-1])


def only(lines):
    same(len(lines), 1)
    return lines[0]


# For scripts

def json_counts_every_event():
    frame = last(top("--json", "--run", "--", many, "5000"))
    same([frame[name] for name in ("source", "total", "bytes", "lost")],
         ["run", 5000, 20000, 0])
    event = only(frame["events"])
    del event["rate"]
    same(event, {"name": STEP, "total": 5000, "bytes": 20000, "processes": 1})


def text_counts_every_event():
    text = top("--batch", "--run", many, "77")
    lines = text.splitlines()
    assert re.fullmatch(r"\d\d:\d\d:\d\d  events: .*many: 77 events, .*/s, 308 bytes, 0 lost",
                        lines[-3]), lines[-3]
    same(lines[-2].split(), ["RATE/s", "TOTAL", "BYTES", "PROCESSES", "EVENT"])
    same(lines[-1].split()[1:], ["77", "308", "1", STEP])


def processes_and_threads_are_told_apart():
    frame = last(top("--json", "--run", "--", "sh", "-c", f"{many} 30; {many} 40"))
    same(sorted(line["total"] for line in frame["processes"]), [30, 40])
    same(sorted(line["total"] for line in frame["threads"]), [30, 40])
    same({line["name"] for line in frame["processes"]}, {"many"})
    same(only(frame["events"])["processes"], 2)
    assert all(line["tid"] == line["pid"] for line in frame["threads"])
    threads = last(top("--json", "--run", eventheader))["threads"]
    same(len({line["tid"] for line in threads}), 2)
    same(len({line["pid"] for line in threads}), 1)


def activities_have_durations():
    frame = last(top("--json", "--run", eventheader))
    rows = {line["name"]: line for line in frame["activities"]}
    same(set(rows), {"MyCompany_Shop:CheckoutStarted", "MyCompany_Shop:PaymentStarted"})
    for row in rows.values():
        same((row["open"], row["ended"]), (0, 1))
        assert row["p50"] == row["p99"] <= row["max"] * 1.004 and row["max"] > 0, row
    same(frame["open"], [])
    same(frame["activitySums"], {"open": 0, "ended": 2, "withoutStart": 0, "restarted": 0,
                                 "negative": 0, "otherClock": 0, "leftOut": 0})


def activities_without_their_other_end_are_counted():
    frame = last(top("--json", "-e", "*Started", "--run", eventheader))
    same(sorted(line["name"].split()[0] for line in frame["open"]),
         ["MyCompany_Shop:CheckoutStarted", "MyCompany_Shop:PaymentStarted"])
    for line in frame["open"]:
        assert re.fullmatch(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}",
                            line["name"].split()[1]), line
        assert 0 < line["age"] < 600e9, line
    same(frame["activitySums"]["open"], 2)
    frame = last(top("--json", "-e", "*Stopped", "--run", eventheader))
    same(frame["activitySums"]["withoutStart"], 2)


def events_are_selected():
    frame = last(top("--json", "-e", "Report", "--run", eventheader))
    same([line["name"] for line in frame["events"]], ["MyCompany_Shop:Report"])
    frame = last(top("--json", "--where", "number >= 90", "--run", many, "100"))
    same(frame["total"], 10)
    top("--json", "--where", "number >=", "--run", many, status=2, complaint="^")


def losses_are_counted():
    frame = last(top("--json", "--mode", "drop", "--buffer", "256k", "--run", "--", "sh", "-c",
                     f"kill -STOP $PPID; {many} 200000; kill -CONT $PPID",
                     status=1, complaint="ring or capture full"))
    same(frame["total"] + frame["lost"], 200000)
    assert frame["lost"] > 0


def refreshes_are_counted():
    text = top("--json", "-d", "2", "-n", "3", "--run", many, "5", "wait",
               complaint="ended by signal 15")
    frames = [json.loads(line) for line in text.splitlines()]
    totals = [frame["total"] for frame in frames]
    same((len(totals), totals[1:]), (3, [5, 5]))
    same(frames[2]["rate"], 0)


def the_exit_status_is_that_of_the_program():
    top("--batch", "--run", "--", "sh", "-c", f"{many} 2; exit 7", status=7)
    same(top("--batch", "--run", folder / "none", status=127,
             complaint="there is no such program"), "")


def a_ring_is_followed():
    ring = folder / "ring"
    subprocess.run([tool, "ring", "create", ring], check=True)
    environment = {**os.environ, "USEREVENTS_RING": str(ring)}
    subprocess.run([many, "100"], env=environment, check=True)
    with open(folder / "frames", "w") as output:
        process = subprocess.Popen([tool, "top", "--json", "-d", "0.1", ring], stdout=output)
    with contextlib.suppress(BaseException):
        wait_for(lambda: (folder / "frames").read_text().count("\n") > 0)
    subprocess.run([many, "23"], env=environment, check=True)
    wait_for(lambda: '"total":23,' in (folder / "frames").read_text())
    process.send_signal(signal.SIGINT)
    same(process.wait(600), 0)
    frame = last((folder / "frames").read_text())
    same((frame["source"], frame["total"], frame["lost"]), ("ring", 23, 0))


def wait_for(condition):
    end = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def wrong_usage_is_explained():
    for words, complaint in (
            (["--run"], "no program is given"),
            (["nothing"], '"nothing" is not a ring; --run starts a program'),
            (["-d", "0", "--run", many], "--delay needs seconds, 0.1 to 86400"),
            (["-d", "1s", "--run", many], "--delay needs seconds, 0.1 to 86400"),
            (["-d", "nan", "--run", many], "--delay needs seconds, 0.1 to 86400"),
            (["-n", "0", "--run", many], "--count"),
            (["-v", "thread", "--run", many], 'not "thread"'),
            (["-p", "1", "--run", many], "are for the kernel's events"),
            (["--samples", "--run", many], "are for the kernel's events"),
            (["--mode", "drop"], "--mode is for --run"),
            (["-o", "x"], "--output is for a program of --run or --watch"),
            (["--run", "--watch", many], "--run and --watch exclude each other"),
            (["--json", "-o", "x", "--run", many], "--output is for a screen"),
            (["--batch", "--mode", "often", "--run", many], "must be wait or drop"),
            (["--run", many], "standard input is not a terminal; use --batch or --json")):
        same(top(*words, status=2, complaint=complaint), "")


# A screen

@contextlib.contextmanager
def screen(*args, **kwargs):
    terminal = Terminal(tool, "top", *args, **kwargs)
    try:
        yield terminal
    finally:
        terminal.kill()


def q_quits_and_restores_the_terminal():
    for keys in "q", "\x03":
        with screen("--run", many, "5", "wait") as terminal:
            terminal.wait("5 events")
            terminal.wait(STEP)
            assert terminal.hides_cursor and terminal.cuts_lines
            lines = terminal.shown().splitlines()
            assert lines[2].startswith("[1:events]  2:processes"), lines[2]
            same(lines[3].split(), ["RATE/s>", "TOTAL", "BYTES", "PROCESSES", "EVENT"])
            same(lines[4].split()[1:], ["5", "20", "1", STEP])
            terminal.press(keys)
            same(terminal.end(), 0)
            assert "was ended by signal 15" in terminal.before


def a_screen_stays_when_the_program_has_ended():
    with screen("--run", "--", "sh", "-c", f"{many} 6; exit 3") as terminal:
        terminal.wait(", ended")
        terminal.wait("6 events")
        terminal.press("q")
        same(terminal.end(), 3)


def a_program_without_events_leaves_its_reason():
    with screen("--run", "true") as terminal:
        same(terminal.end(), 1)
        assert "registered no events" in terminal.before, terminal.before
    with screen("--run", "/nonexistent") as terminal:
        same(terminal.end(), 127)
        assert "there is no such program" in terminal.before, terminal.before


def views_are_switched():
    with screen("--run", eventheader) as terminal:
        terminal.wait(", ended")
        for key, view, heading in (("2", "processes", "PROCESS"), ("3", "threads", "THREAD"),
                                   ("4", "activities", "STARTED BY"),
                                   ("5", "open", "STARTED BY, ACTIVITY"),
                                   ("1", "events", "EVENT"), ("\t", "processes", "PROCESS"),
                                   ("\x1b[C", "threads", "THREAD"),
                                   ("\x1b[D", "processes", "PROCESS"),
                                   ("\x1b[Z", "events", "EVENT")):
            terminal.press(key)
            terminal.wait(f":{view}]")
            assert terminal.shown().splitlines()[3].rstrip("> ").endswith(heading)
        terminal.press("4")
        terminal.wait("MyCompany_Shop:PaymentStarted")
        terminal.wait("0 open, 2 ended")
        terminal.press("q")
        same(terminal.end(), 0)


def names(terminal):
    return [line.split()[-1] for line in terminal.shown().splitlines()[4:-1] if line.strip()]


def lines_are_sorted():
    with screen("--run", eventheader) as terminal:
        terminal.wait(", ended")
        terminal.press("<")
        terminal.wait("EVENT>")
        by_name = names(terminal)
        same(by_name, sorted(by_name))
        terminal.press("r")
        terminal.wait("EVENT<")
        same(names(terminal), by_name[::-1])
        terminal.press("r>ss")
        terminal.wait("BYTES>")
        same(names(terminal)[0], "MyCompany_Shop:basket")
        terminal.press("q")
        same(terminal.end(), 0)


def a_filter_is_typed():
    with screen("--run", eventheader) as terminal:
        terminal.wait(", ended")
        terminal.press("/*Startex\x7f\x7fed\r")
        terminal.wait("filter: *Started")
        same(sorted(names(terminal)),
             ["MyCompany_Shop:CheckoutStarted", "MyCompany_Shop:PaymentStarted"])
        terminal.press("/\x15ASK")
        terminal.wait("filter: ASK_")
        terminal.press("\r")
        terminal.wait(lambda: names(terminal) == ["MyCompany_Shop:basket"])
        terminal.press("/zzz\x1b")
        terminal.wait("filter: ASK")
        same(names(terminal), ["MyCompany_Shop:basket"])
        terminal.press("/\x15\x1b[A\x1b[3~\x0c\r")
        terminal.wait(lambda: len(names(terminal)) == 7)
        terminal.press("/" + "x" * 300 + "\r")
        terminal.wait(lambda: names(terminal) == [])
        terminal.press("/\x15\r")
        terminal.wait(lambda: len(names(terminal)) == 7)
        terminal.press("q")
        same(terminal.end(), 0)


def p_pauses():
    go = folder / "go"
    os.mkfifo(go)
    with screen("-d", "0.1", "--run", "--", "sh", "-c",
                f"{many} 5; cat {go}; {many} 10; sleep 600") as terminal:
        terminal.wait("5 events")
        terminal.press("p")
        terminal.wait("PAUSED")
        go.write_text("")
        for _ in range(10):
            terminal.read(0.1)
        assert terminal.shown().splitlines()[1].startswith("5 events"), terminal.shown()
        terminal.press("p")
        terminal.wait("15 events")
        assert "PAUSED" not in terminal.shown()
        terminal.press("q")
        same(terminal.end(), 0)


def h_shows_the_keys():
    with screen("--run", many, "5", "wait") as terminal:
        terminal.press("h")
        terminal.wait("q, Ctrl-C         quit")
        terminal.press("x")
        terminal.wait("5 events")
        terminal.press("q")
        same(terminal.end(), 0)


def a_screen_follows_its_size():
    with screen("-d", "1", "--run", eventheader) as terminal:
        terminal.wait(", ended")
        for rows, columns in ((10, 40), (50, 200), (5, 10), (3, 3), (2, 2), (1, 1), (1, 80),
                              (24, 1), (7, 30)):
            terminal.rest()
            terminal.resize(rows, columns)
            terminal.press(" ")
            terminal.rest()
            terminal.press("h")
            terminal.rest()
            terminal.press("x")
            terminal.rest()
            assert not terminal.has_scrolled
        terminal.resize(24, 80)
        terminal.wait("MyCompany_Shop:basket")
        terminal.resize(7, 80)
        terminal.press("1<")
        terminal.wait(lambda: len(names(terminal)) == 2 and "EVENT>" in terminal.shown())
        same(names(terminal)[0], "MyCompany_Shop:CheckoutStarted")
        terminal.press("\x1b[B")
        terminal.wait(lambda: names(terminal)[:1] == ["MyCompany_Shop:CheckoutStopped"])
        terminal.press("\x1b[F")
        terminal.wait(lambda: names(terminal)[1:] == ["MyCompany_Shop:basket"])
        terminal.press("\x1b[H\x1b[6~\x1b[5~")
        terminal.wait(lambda: names(terminal)[:1] == ["MyCompany_Shop:CheckoutStarted"])
        terminal.press("q")
        same(terminal.end(), 0)


def signals_restore_the_terminal():
    for number, status in ((signal.SIGTERM, None), (signal.SIGHUP, None),
                           (signal.SIGSEGV, -signal.SIGSEGV),
                           (signal.SIGABRT, -signal.SIGABRT)):
        with screen("--run", many, "5", "wait") as terminal:
            terminal.wait("5 events")
            pid = re.search(r"^ *(\d+) ", process_line(terminal), re.M).group(1)
            terminal.signal(number)
            got = terminal.end()
            assert status is None or got == status, got
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)


def process_line(terminal):
    terminal.press("2")
    terminal.wait("[2:processes]")
    return terminal.shown().splitlines()[4]


def what_a_program_prints_stays_off_the_screen():
    said = folder / "said"
    script = f"{many} 4; echo to stdout; echo to stderr >&2; cat; sleep 600"
    with screen("-o", str(said), "--run", "--", "sh", "-c", script) as terminal:
        terminal.wait("4 events")
        wait_for(lambda: "stderr\n" in said.read_text())
        terminal.press("q")
        same(terminal.end(), 0)
        assert "to std" not in terminal.before
    same(said.read_text(), "to stdout\nto stderr\n")
    with screen("--run", "--", "sh", "-c", script) as terminal:
        terminal.wait("4 events")
        assert "to std" not in terminal.shown()
        terminal.press("q")
        same(terminal.end(), 0)
        assert "to std" not in terminal.before


def a_crash_of_the_program_leaves_the_screen_alone():
    with screen("--run", "--", "sh", "-c", f"{many} 4; kill -SEGV $$") as terminal:
        terminal.wait(", ended")
        terminal.wait("was ended by signal 11")
        terminal.press("q")
        same(terminal.end(), 128 + signal.SIGSEGV)


def escapes_in_names_do_not_reach_the_screen():
    """Terminal raises on each that top does not use itself."""
    hostile = folder / "\x1b[2J\u009b31m\u00e9"
    hostile.symlink_to(os.path.abspath(many))
    with screen("--run", str(hostile), "5", "wait") as terminal:
        for view in "23":
            terminal.press(view)
            terminal.wait("?[2J??31m")
        terminal.press("/\u009b[31m")
        terminal.wait("filter: ")
        terminal.press("\r")
        terminal.press("q")
        same(terminal.end(), 0)
    for kind in "--batch", "--json":
        text = top(kind, "-v", "threads", "--run", str(hostile), "5")
        assert "\x1b" not in text and "\u009b" not in text, text
        assert "?[2J??31m" in text, text


def a_terminal_without_a_screen_is_refused():
    with screen("--run", many, environment={"TERM": "dumb"}) as terminal:
        same(terminal.end(), 2)
        assert "TERM is not set" in terminal.before


def ctrl_z_suspends():
    script = f"set -m; {tool} top --run {many} 5 wait; echo STOPPED; stty -a; fg >/dev/null"
    terminal = Terminal("bash", "-c", script)
    try:
        terminal.wait("5 events")
        terminal.press("\x1a")
        terminal.wait(lambda: "STOPPED" in terminal.before and "echo" in terminal.before)
        assert " icanon" in terminal.before and " echo " in terminal.before, terminal.before
        terminal.wait(lambda: terminal.has_other_screen)
        terminal.wait("5 events")
        terminal.press("q")
        same(terminal.end(), 0)
    finally:
        terminal.kill()


try:
    run([json_counts_every_event, text_counts_every_event, processes_and_threads_are_told_apart,
         activities_have_durations, activities_without_their_other_end_are_counted,
         events_are_selected, losses_are_counted, refreshes_are_counted,
         the_exit_status_is_that_of_the_program, a_ring_is_followed, wrong_usage_is_explained,
         q_quits_and_restores_the_terminal, a_screen_stays_when_the_program_has_ended,
         a_program_without_events_leaves_its_reason, views_are_switched, lines_are_sorted,
         a_filter_is_typed, p_pauses, h_shows_the_keys, a_screen_follows_its_size,
         signals_restore_the_terminal, what_a_program_prints_stays_off_the_screen,
         a_crash_of_the_program_leaves_the_screen_alone,
         escapes_in_names_do_not_reach_the_screen, a_terminal_without_a_screen_is_refused,
         ctrl_z_suspends], at_once=6)
finally:
    shutil.rmtree(folder)
