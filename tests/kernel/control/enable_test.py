#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents enable and disable: the switches of events."""
import json
import os
import re
import subprocess

from control import (DEADLINE, Program, Requests, ask, closed, ended_pid, get, instance, is_6_1,
                     lines, list_events, names, put, refused, run, same, tool, tracing, unchanged,
                     until, user_events)
from enabling import (THREE, clear, enabled, pids, read_only, rows, switch,
                      written)


# States

def each_state_is_shown():
    with unchanged(), user_events(*THREE):
        put("events/user_events/en_a/trigger", "traceoff")
        shown = rows(ask("enable", "--list", "user_events:"))
        same(shown, {("user_events", None): "X", ("user_events", "en_a"): "0*",
                     ("user_events", "en_b"): "0", ("user_events", "other"): "0"})
        same(rows(ask("enable", "en_a", "en_b")),
             {("user_events", "en_a"): "1*", ("user_events", "en_b"): "1"})
        text = ask("enable", "--list", "*")
        for meaning in ("  1*     on, and a trigger needs it, too\n", "  1      on\n",
                        "  0      off\n",
                        "  X      some of its events are on, or a trigger needs them\n"):
            assert meaning in text, (meaning, text)
        same(rows(ask("disable", "en_a", "en_b")),
             {("user_events", "en_a"): "0*", ("user_events", "en_b"): "0"})
        assert "  0*     off, but a trigger needs it: it acts and is not recorded\n" in \
            ask("enable", "-l", "en_a")
        put("events/user_events/en_a/trigger", "!traceoff")
        same(rows(ask("enable", "-l", "user_events"))["user_events", None], "0")


def a_system_is_on_when_triggers_alone_need_its_events():
    with unchanged(), user_events(THREE[0]):
        put("events/user_events/en_a/trigger", "traceoff")
        same(get("events/user_events/enable"), "1\n")
        text = ask("enable")
        assert re.search(r"user_events +1 +all of its events are on, or a trigger needs them\n",
                         text), text
        put("events/user_events/en_a/trigger", "!traceoff")


def a_system_without_switches_is_shown():
    same({event: state for (_, event), state in rows(ask("enable", "-l", "ftrace:")).items()},
         {None: "?"})


def without_words_it_shows_user_events_and_what_is_on():
    with unchanged(), user_events(*THREE):
        switch("sched/sched_switch", 1)
        switch("user_events/en_b", 1)
        before = get("set_event")
        same(rows(ask("enable")),
             {("sched", None): "X", ("sched", "sched_switch"): "1",
              ("user_events", None): "X", ("user_events", "en_a"): "0",
              ("user_events", "en_b"): "1", ("user_events", "other"): "0"})
        same(get("set_event"), before)
        switch("sched/sched_switch", 0)
        switch("user_events/en_b", 0)


def json_has_the_same():
    with unchanged(), user_events(*THREE), instance("en") as directory:
        ask("enable", "-i", "en", "--pid", str(os.getpid()), "en_b", "other")
        shown = [json.loads(line) for line in ask("enable", "-i", "en", "--json").splitlines()]
        same([(row.get("event"), row["state"]) for row in shown[:-1]],
             [(None, "X"), ("en_a", "0"), ("en_b", "1"), ("other", "1")])
        same(shown[-1], {"instance": "en", "pids": sorted(pids(directory)), "notPids": [],
                         "follow": False, "tracing": True})
        same(json.loads(ask("disable", "-i", "en", "-j", "en_b")),
             {"system": "user_events", "event": "en_b", "state": "0", "meaning": "off"})
        (directory / "tracing_on").write_text("0")
        assert "Nothing is recorded, as tracing_on is 0." in ask("enable", "-i", "en")
        ask("disable", "-i", "en", "*")


# Words

def words_of_set_event_are_understood():
    everything = {"en_a", "en_b", "other"}
    with unchanged(), user_events(*THREE):
        for words, on in [(["en_a"], {"en_a"}), (["user_events:en_b"], {"en_b"}),
                          (["user_events"], everything), (["user_events:"], everything),
                          (["user_events:*"], everything), (["*"], everything),
                          (["en_*"], {"en_a", "en_b"}), (["en_?", "!en_a"], {"en_b"}),
                          (["user_e*:o*"], {"other"}), (["en_[a]"], {"en_a"}),
                          (["*:en_a"], {"en_a"}), (["en_a en_b"], {"en_a", "en_b"}),
                          ([" user_events:\t!user_events:en_b "], everything - {"en_b"}),
                          (["!en_a", "en_a"], {"en_a"}), (["en_a", "!en_*"], set())]:
            ask("enable", *words)
            same((words, enabled()), (words, on))
            ask("disable", "user_events:")
            same(enabled(), set())
            ask("enable", "*")
            if not any("!" in word for word in words):
                ask("disable", *words)
                same((words, enabled()), (words, everything - on))
            ask("disable", "*")


def an_exclamation_mark_switches_off():
    with unchanged(), user_events(*THREE):
        ask("enable", "*")
        same(rows(ask("enable", "!en_a")), {("user_events", "en_a"): "0"})
        same(enabled(), {"en_b", "other"})
        ask("disable", "*")


def events_of_the_kernel_are_switched():
    with unchanged():
        ask("enable", "sched_switch", "irq:")
        assert set(lines("set_event")) > {"sched:sched_switch", "irq:softirq_entry"}
        ask("disable", "sched:*", "irq")
        same(lines("set_event"), [])


def all_events_of_all_systems_are_switched():
    with unchanged(), user_events(*THREE):
        ask("enable", "*:*")
        same(get("events/enable"), "1\n")
        ask("disable", "*:")
        same(lines("set_event"), [])


# Others

def settings_of_others_stay():
    with user_events(*THREE), instance("en") as directory:
        switch("user_events/other", 1)
        switch("sched/sched_switch", 1)
        put("set_event_pid", str(os.getpid()))
        put("events/user_events/en_a/filter", "x == 1")
        with unchanged():
            ask("enable", "en_a", "--pid", str(os.getppid()))
            same(pids(), {os.getpid(), os.getppid()})
            same(set(lines("set_event")),
                 {"user_events:other", "user_events:en_a", "sched:sched_switch"})
            ask("enable", "-i", "en", "en_b", "--not-pid", str(os.getpid()), "--follow")
            same((enabled(), enabled("instances/en")), ({"en_a", "other"}, {"en_b"}))
            same(pids(directory, "set_event_notrace_pid"), {os.getpid()})
            same((directory / "options/event-fork").read_text(), "1\n")
            ask("disable", "en_a", "--pid", str(os.getppid()))
            ask("disable", "-i", "en", "*", "--clear-pids", "--follow")
            same((directory / "options/event-fork").read_text(), "0\n")
        put("events/user_events/en_a/filter", "0")
        clear("set_event_pid")
        switch("sched/sched_switch", 0)
        switch("user_events/other", 0)


def a_failure_half_way_is_taken_back():
    with user_events(*THREE), read_only("events/user_events/en_b/enable"):
        put("set_event_pid", str(os.getppid()))
        with unchanged():
            refused("enable", "--register", "en_new u32 x", "--pid", str(os.getpid()),
                    "--not-pid", "1", "--follow", "en_*", "sched:sched_switch",
                    said="cannot enable user_events:en_b: Read-only file system")
            assert "en_new" not in list_events()
        switch("user_events/en_a", 1)
        with read_only("set_event_pid"):
            refused("disable", "en_a", "--clear-pids",
                    said=f"cannot write {tracing}/set_event_pid: Read-only file system")
        same((enabled(), pids()), ({"en_a"}, {os.getppid()}))
        switch("user_events/en_a", 0)
        clear("set_event_pid")


# Registering

def a_registered_event_stays_and_is_on():
    name = next(names)
    with unchanged():
        same(rows(ask("enable", "--register", f"{name} u32 x", "-r", "Shop_L4K1")),
             {("user_events", name): "1", ("user_events", "Shop_L4K1"): "1"})
        assert f"{name} u32 x\n" in list_events()
        ask("write", f"{name} u32 x", "x=1")
        same(rows(ask("disable", name, "Shop_L4K1")),
             {("user_events", name): "0", ("user_events", "Shop_L4K1"): "0"})
        # persistent, or of Linux 6.1, which never deletes events
        assert f"{name} u32 x\n" in list_events()
        ask("delete", name, "Shop_L4K1")


def events_of_a_program_that_starts_later_are_recorded():
    start = "req_start u64 id; u32 shard; __rel_loc char[] path; char[8] verb"
    with unchanged(), instance("en") as directory:
        ask("enable", "-i", "en", "--register", start)
        with Requests() as program:
            program.do("start 1 2 /a GET")
            program.do("done 1 200 -5 /a GET")
            same(written(directory, program.process.pid), 1)
            ask("disable", "-i", "en", "*")
            if is_6_1:
                program.finish()
            else:
                program.process.stdin.close()
                program.wait()
                ask("delete", "req_start")


def words_may_name_events_that_are_registered():
    with unchanged():
        same(rows(ask("enable", "-r", "en_a u32 x", "-r", "en_b u32 x", "user_events:",
                      "!*_b")), {("user_events", "en_a"): "1", ("user_events", "en_b"): "0"})
        ask("disable", "*")
        ask("delete", "en_a", "en_b")


def an_event_without_a_program_ends_when_it_is_off():
    if is_6_1:
        return  # it keeps all events
    with unchanged():
        with Program(tool, "register", "--wait", "en_a u32 x") as program:
            until(lambda: "en_a" in list_events(), "it is registered")
            ask("enable", "en_a")
            program.end()
        same(rows(ask("enable")), {("user_events", None): "1", ("user_events", "en_a"): "1"})
        ask("disable", "en_a")
        until(lambda: "en_a" not in list_events(), "the kernel deletes it")


def an_event_that_cannot_persist_stays_while_it_is_on():
    """As on Linux 6.4 to 6.6, for want of the right CAP_PERFMON."""
    if is_6_1:
        return  # it keeps all events
    with unchanged():
        done = subprocess.run(["setpriv", "--bounding-set=-perfmon,-sys_admin", tool, "enable",
                               "--register", "en_a u32 x"], capture_output=True, timeout=DEADLINE)
        same((done.returncode, done.stderr.decode()),
             (0, "userevents: en_a goes away when it is switched off and no program has it "
              "registered: this kernel (before Linux 6.7), or this user's rights, cannot make it "
              "persistent.\n"))
        same(rows(ask("enable")), {("user_events", None): "1", ("user_events", "en_a"): "1"})
        ask("disable", "en_a")
        until(lambda: "en_a" not in list_events(), "the kernel deletes it")


# Wrong input

def wrong_input_is_refused():
    alone = "A user event exists while a program has it registered. To switch it on before " \
        'that, give its definition: --register "NAME FIELDS"; for each boot, with --at-boot.'
    gone = str(ended_pid())
    with user_events(*THREE):
        for words, status, said in [
                (["enable", "nothing_like_it"], 1,
                 'cannot find the event "nothing_like_it": there is none; "userevents list"'),
                (["enable", "nothing_like_it"], 1, alone),
                (["enable", "user_events:none"], 1, alone),
                (["enable", "en_aa"], 1, 'there is none; did you mean "en_a"?'),
                (["enable", "sched:schedswitch"], 1, 'did you mean "sched:sched_switch"?'),
                (["enable", "en_a", "not_there"], 1, 'cannot find the event "not_there"'),
                (["enable", ""], 1, 'cannot enable "": it names no event'),
                (["enable", "  "], 1, 'cannot enable "": it names no event'),
                (["enable", "en_a", "!"], 1, 'cannot enable "!": one "!" stands before'),
                (["enable", "!!en_a"], 1, 'cannot enable "!!en_a": one "!" stands before the '
                 "name of what is to be switched off"),
                (["enable", ":en_a"], 1,
                 'cannot enable ":en_a": a system is missing before the ":"'),
                (["enable", "user_events/en_a"], 1, 'cannot enable "user_events/en_a": events '
                 'are named SYSTEM:EVENT, with a ":"'),
                (["enable", "a:b:c"], 1, 'cannot enable "a:b:c": there is more than one ":"'),
                (["enable", "en_a\033[2J"], 1, 'cannot find the event "en_a?[2J"'),
                (["enable", "ftrace:print"], 1, 'cannot switch "ftrace:print": what it names '
                 "has no switch; tracers of the kernel write it"),
                (["enable", "-i", "none", "en_a"], 1, 'cannot use the instance "none": there is '
                 f"none; make it with: mkdir {tracing}/instances/none"),
                (["enable", "-i", "a/b", "en_a"], 1,
                 'cannot use the instance "a/b": it is no name of a directory'),
                (["enable", "--tracefs", "/nowhere", "en_a"], 1, "cannot use /nowhere: No such"),
                (["enable", "en_a", "--pid", "abc"], 2,
                 'cannot enable: "abc" of --pid is not the number of a process'),
                (["enable", "en_a", "--pid", "0"], 2, '"0" of --pid is not the number'),
                (["enable", "en_a", "--pid", "-1"], 2, '"-1" of --pid is not the number'),
                (["enable", "en_a", "--pid", "1,2"], 2, '"1,2" of --pid is not the number'),
                (["enable", "en_a", "--pid", "4194305"], 2, '"4194305" of --pid is not the'),
                (["enable", "en_a", "--not-pid", ""], 2, '"" of --not-pid is not the number'),
                (["enable", "en_a", "--pid", "1", "--pid", gone], 1,
                 f"cannot enable: there is no process {gone}, which --pid gives"),
                (["enable", "en_a", "--pid", "1", "--not-pid", "1"], 2,
                 "cannot enable: --pid and --not-pid both name 1"),
                (["enable", "en_a", "--follow"], 2, "cannot enable: --follow is for children of "
                 "the processes that --pid or --not-pid gives, and there are none"),
                (["enable", "--list", "--pid", "1"], 2, "--list changes nothing"),
                (["enable", "--list", "en_aa"], 1, 'did you mean "en_a"?'),
                (["enable", "--register", "en_a u64 y"], 1, "cannot register en_a: "),
                (["enable", "--register", "en_n u33 y"], 2,
                 'cannot register "en_n u33 y": "u33" at byte 6: '),
                (["enable", "--register", "n u8 a", "--register", "n u8 b"], 2,
                 "cannot register n: it is given twice"),
                (["enable", "--register", "en_n u32 y", "not_there"], 1, '"not_there"'),
                (["enable", "--no-such"], 2, 'the option "--no-such" does not exist'),
                (["disable"], 2, "cannot disable: no event is given"),
                (["disable", "!en_a"], 1, 'cannot disable "!en_a": "!" means the opposite; to '
                 "switch it on: userevents enable en_a"),
                (["disable", "not_there"], 1, 'cannot find the event "not_there"'),
                (["disable", "--pid", "1"], 1, "cannot take 1 out of set_event_pid: it is not in "
                 'it; "userevents enable" prints the pids'),
                (["disable", "en_a", "--not-pid", "1"], 1,
                 "cannot take 1 out of set_event_notrace_pid"),
                (["disable", "--pid", "x"], 2, 'cannot disable: "x" of --pid is not the number'),
                (["disable", "--clear-pids", "--pid", "1"], 2,
                 "--clear-pids and --pid or --not-pid exclude each other"),
        ]:
            refused(*words, said=said, status=status)
        same(list_events().count("en_n"), 0)


def without_root_it_says_so():
    with closed(tracing) as prefix:
        done = subprocess.run([*prefix, tool, "enable", "en_a"], capture_output=True,
                              timeout=DEADLINE)
    same((done.returncode, done.stderr.decode()),
         (1, f"userevents: cannot use {tracing}: Permission denied; run as root\n"))


run([each_state_is_shown, a_system_is_on_when_triggers_alone_need_its_events,
     a_system_without_switches_is_shown, without_words_it_shows_user_events_and_what_is_on,
     json_has_the_same, words_of_set_event_are_understood, an_exclamation_mark_switches_off,
     events_of_the_kernel_are_switched, all_events_of_all_systems_are_switched,
     settings_of_others_stay, a_failure_half_way_is_taken_back,
     a_registered_event_stays_and_is_on, events_of_a_program_that_starts_later_are_recorded,
     words_may_name_events_that_are_registered, an_event_without_a_program_ends_when_it_is_off,
     an_event_that_cannot_persist_stays_while_it_is_on, wrong_input_is_refused,
     without_root_it_says_so])
