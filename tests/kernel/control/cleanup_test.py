#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents cleanup: what killed commands left goes away, and nothing else does.

The leftovers are made by hand, under the names that commands give them.
"""
import contextlib
import os
import pathlib
import subprocess

from control import (REQUESTS, Program, Requests, ask, get, lines, put, run, same, tool,
                     tracing, unchanged, until, user_events)

namespace = pathlib.Path("/proc/self/ns/pid")
space = namespace.stat().st_ino if namespace.exists() else 0


def start_of(pid):
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[19])


def name_of(pid, purpose="test"):
    return f"userevents_{pid}_{start_of(pid)}_{space}_{purpose}"


def dead_name(purpose="test"):
    """The name that a process gave something before it was killed."""
    process = subprocess.Popen(["sleep", "600"])
    name = name_of(process.pid, purpose)
    process.kill()
    process.wait()
    return name


def event_names():
    return [line.split()[0] for line in lines("dynamic_events") if not line.startswith("u:")]


def make_instance(name):
    os.mkdir(tracing / "instances" / name)


def trigger(instance, event, text):
    put(f"instances/{instance}/events/{event}/trigger", text)


START, DONE = "user_events/req_start", "user_events/req_done"


def make_latency(instance, synthetic):
    """The triggers of a latency, as a command sets them."""
    make_instance(instance)
    put("synthetic_events", f"{synthetic} u64 id; u64 usecs; u32 status")
    trigger(instance, START, "hist:keys=id:ts0=common_timestamp.usecs:size=131072")
    trigger(instance, DONE, "hist:keys=id:usecs=common_timestamp.usecs-$ts0:onmatch(user_events."
                            f"req_start).trace({synthetic},id,$usecs,status)")
    trigger(instance, f"synthetic/{synthetic}", "hist:keys=usecs.log2:sort=usecs")


def cleaned(*arguments, **kwargs):
    return sorted(ask("cleanup", *arguments, **kwargs).splitlines())


def nothing_is_removed_when_nothing_was_left():
    with unchanged():
        same(cleaned(), [])
        same(cleaned("--dry-run"), [])


def the_leftovers_of_a_latency_are_removed():
    with user_events(*REQUESTS), unchanged():
        instance, synthetic = dead_name("hist"), dead_name("latency")
        make_latency(instance, synthetic)
        same(cleaned("--dry-run"), [f"would remove the instance {instance}",
                                    f"would remove the synthetic event synthetic/{synthetic}"])
        same(len(lines(f"instances/{instance}/events/{DONE}/trigger")), 1)
        same(cleaned(), [f"removed the instance {instance}",
                         f"removed the synthetic event synthetic/{synthetic}"])


def chains_of_variables_are_removed():
    """Across events, and of one event, where the kernel lists units that it does not take."""
    with user_events(*REQUESTS), unchanged():
        name = dead_name()
        make_latency(name, name)
        for text in ("hist:keys=shard:t1=common_timestamp.usecs if id > 2",
                     "hist:keys=shard:d=common_timestamp.usecs-$t1",
                     "hist:keys=shard:e=common_timestamp.usecs-$d:onmax($e).save(id)",
                     "hist:keys=id:e2=$d:onchange($e2).save(id)",
                     "hist:name=shared:keys=id", "enable_hist:user_events:req_done:5",
                     "stacktrace:3 if id == 1", "enable_event:user_events:req_done:1"):
            trigger(name, START, text)
        trigger(name, DONE, "hist:name=shared:keys=id")
        trigger(name, DONE, "hist:keys=status:f=id:pause")
        trigger(name, DONE, "hist:keys=status:g=$f if status == 500 || delta < 0")
        put(f"instances/{name}/events/user_events/enable", "1")
        put(f"instances/{name}/events/synthetic/{name}/enable", "1")
        same(cleaned(), [f"removed the instance {name}",
                         f"removed the synthetic event synthetic/{name}"])


def probes_are_removed():
    with unchanged():
        name, group = dead_name("p"), dead_name("group")
        put("synthetic_events", f"{name} u64 id")
        for line in (f"p:kprobes/{name} do_exit", f"p:{group}/exits do_exit",
                     f"r8:{group}/exited do_exit", f"e:{group}/on synthetic/{name} id=$id"):
            put("dynamic_events", line)
        make_instance(name)
        put(f"instances/{name}/events/{group}/enable", "1")
        put(f"instances/{name}/events/kprobes/{name}/enable", "1")
        same(cleaned(), sorted([f"removed the probe {group}/{one}"
                                for one in ("exits", "exited", "on")] +
                               [f"removed the probe kprobes/{name}",
                                f"removed the synthetic event synthetic/{name}",
                                f"removed the instance {name}"]))


def those_of_running_commands_are_left():
    with user_events(*REQUESTS), Program("sleep", "600") as program:
        name = name_of(program.process.pid)
        make_latency(name, name)
        put("dynamic_events", f"p:{name}/exits do_exit")
        with unchanged():
            same((cleaned("--dry-run"), cleaned()), ([], []))
        program.process.kill()
        until(lambda: b") Z " in open(f"/proc/{program.process.pid}/stat", "rb").read())
        # nobody has waited for it yet
        same(cleaned(), [f"removed the instance {name}", f"removed the probe {name}/exits",
                         f"removed the synthetic event synthetic/{name}"])


def those_of_other_namespaces_are_left_and_reported():
    name = f"userevents_7_{start_of(os.getpid())}_{space + 1}_hist"
    make_instance(name)
    put("synthetic_events", f"{name} u64 id")
    with unchanged():
        same(cleaned(said=f"leaving the instance {name}: its command ran in another pid "
                          "namespace"), [])
        assert f"leaving the synthetic event synthetic/{name}: " in ask.said, ask.said
    os.rmdir(tracing / "instances" / name)
    put("synthetic_events", f"!{name}")


def a_process_of_the_same_number_is_another():
    with unchanged(), Program("sleep", "600") as program:
        pid = program.process.pid
        name = f"userevents_{pid}_{start_of(pid) - 1}_{space}_hist"
        make_instance(name)
        same(cleaned(), [f"removed the instance {name}"])


def killed_commands_are_cleaned_up():
    with Requests() as requests:
        for events, command in (
                (0, ["khist", "req_start", "shard"]),
                (1, ["klatency", "req_start", "req_done", "--key", "id", "--by", "shard"])):
            with unchanged():
                with Program(tool, *command, "--batch") as program:
                    # it prints a line each second once all is set up
                    until(lambda: program.process.stdout.readline())
                    requests.do("pairs 5 1 0")
                    same(cleaned(), [])
                    program.process.kill()
                    program.process.wait()
                name = f"userevents_{program.process.pid}_"
                got = cleaned()
                same([name in line for line in got], [True] * (1 + events))
                assert got[0].startswith("removed the instance "), got
        requests.finish()


def names_of_others_are_left():
    dead = dead_name("a")
    number, start = dead.split("_")[1:3]
    near = [f"userevents_{number}_{start}_{space}", f"userevents_{number}_{start}_{space}_",
            f"userevents_0{number}_{start}_{space}_a", f"userevents_-{number}_{start}_{space}_a",
            f"userevents_{number}_+{start}_{space}_a", f"userevents__{start}_{space}_a",
            f"userevents_ {number}_{start}_{space}_a", f"userevents_{number}x_{start}_{space}_a",
            f"userevents_{number}_{start}_{space}_a-b", f"userevents_{number}_{start}_{space}_1",
            f"userevents_{number}_{start}_{space}_a.old", f"my{dead}", f"User{dead[4:]}",
            f"userevents_99999999999_{start}_{space}_a", f"userevents_0_{start}_{space}_a",
            f"userevents_{number}_{2 ** 70}_{space}_a", "userevents", "userevents_"]
    for name in near:
        make_instance(name)
    events = [f"my{dead}", f"userevents_{number}_{start}_{space}_1", "userevents"]
    for name in events:
        put("synthetic_events", f"{name} u64 id")
        put("dynamic_events", f"p:{name}/{name} do_exit")
    # a user event is of its program, whatever its name is
    with user_events(f"{dead} u32 a"), unchanged():
        same(cleaned(), [])
    for name in near:
        os.rmdir(tracing / "instances" / name)
    for name in events:
        put("synthetic_events", f"!{name}")
        put("dynamic_events", f"-:{name}/{name}")


@contextlib.contextmanager
def reading(path):
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield
    finally:
        os.close(descriptor)


def one_in_use_is_reported_and_removed_later():
    with unchanged():
        name, other = dead_name("one"), dead_name("other")
        make_instance(name)
        make_instance(other)
        with reading(tracing / "instances" / name / "trace_pipe"):
            same(cleaned(status=1, said=f"cannot remove the instance {name}: a program has one "
                         "of its files open, such as trace_pipe; end that first"),
                 [f"removed the instance {other}"])
        same(cleaned(), [f"removed the instance {name}"])


def events_in_use_by_others_are_reported():
    with unchanged():
        name, instance = dead_name("ev"), "someones"
        make_instance(instance)
        for file, line in (("synthetic_events", f"{name} u64 id"),
                           ("dynamic_events", f"p:{name}/exits do_exit")):
            put(file, line)
        for event in f"synthetic/{name}", f"{name}/exits":
            put(f"instances/{instance}/events/{event}/enable", "1")
        cleaned(status=1, said=f"cannot remove the synthetic event synthetic/{name}: it is in "
                               f"use in the instance {instance}; switch it off there")
        assert f"cannot remove the probe {name}/exits: it is in use in the instance " in ask.said
        same(get(f"instances/{instance}/events/synthetic/{name}/enable"), "1\n")
        os.rmdir(tracing / "instances" / instance)
        same(len(cleaned()), 2)


def wrong_words():
    ask("cleanup", "now", status=2, said="cannot clean up: it takes no arguments")
    ask("cleanup", "--tracefs", "/nonexistent", status=1, said="cannot read /nonexistent/")


run([nothing_is_removed_when_nothing_was_left, the_leftovers_of_a_latency_are_removed,
     chains_of_variables_are_removed, probes_are_removed, those_of_running_commands_are_left,
     those_of_other_namespaces_are_left_and_reported, a_process_of_the_same_number_is_another, killed_commands_are_cleaned_up,
     names_of_others_are_left, one_in_use_is_reported_and_removed_later,
     events_in_use_by_others_are_reported, wrong_words])
