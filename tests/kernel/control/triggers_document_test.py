#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The examples of Documentation/trace/events.rst, section 6, as they are written there.

Its triggers are tied to events of the system, so each test lets the system do what makes
them fire, and takes away what it set.
"""
import contextlib
import os
import subprocess

from control import get, lines, put, run, same, tracing, until
from examples import empty, is_on, sh, trace, triggers

ENTER = "syscalls:sys_enter_read"
EXIT = "syscalls:sys_exit_read"
KMALLOC = "kmem:kmalloc"
UNPLUG = "block:block_unplug"
ISSUE = "block:block_rq_issue"
SHOWN = ":unlimited"  # behind a command without a count


def read_something():
    sh("cat README >/dev/null")


@contextlib.contextmanager
def removed(*events):
    """The triggers of these events are gone at the end, whatever happened."""
    try:
        yield
    finally:
        for event in events:
            for trigger in triggers(event):
                put(f"events/{event.replace(':', '/')}/trigger",
                    "!" + trigger.split(" if ")[0].replace(SHOWN, "")
                    .replace("count=", ""))
            same(triggers(event), [])
        put("tracing_on", "1")


def section_6_a_trigger_makes_an_event_soft():
    """"it is activated even if it isn't actually enabled, but is disabled in a soft mode"."""
    with removed("sched:sched_switch"):
        empty()
        put("events/sched/sched_switch/trigger", "stacktrace:1")
        same(is_on("sched:sched_switch"), "0*")
        sh("sleep 0.1")
        shown = trace()
        assert any("<stack trace>" in line for line in shown), shown[:5]
        same([line for line in shown if "sched_switch: " in line], [])
    same(is_on("sched:sched_switch"), "0")


def section_6_the_marker_triggers():
    """Also "events/ftrace/print/trigger": its fields are ip and buf."""
    with removed("ftrace:print"):
        put("events/ftrace/print/trigger", 'traceoff if buf ~ "*stop here*"')
        put("trace_marker", "go on")
        same(get("tracing_on"), "1\n")
        put("trace_marker", "now stop here")
        same(get("tracing_on"), "0\n")


def section_6_1_adding_and_removing():
    """
    Out of date: ">" behaves like ">>" for all triggers but hist, which it removes.
    """
    place = "events/sched/sched_switch"
    with removed("sched:sched_switch"):
        sh("echo 'stacktrace:3 if next_pid == 0' > trigger", place)
        sh("echo 'traceoff if next_pid == -7' > trigger", place)
        same(sorted(triggers("sched:sched_switch"))[1], "traceoff:unlimited if next_pid == -7")
        same(len(triggers("sched:sched_switch")), 2)
        sh("echo '!stacktrace:3' > trigger", place)  # "leaving [if filter] off"
        sh("echo '!traceoff if next_pid == -7' > trigger", place)
        same(triggers("sched:sched_switch"), [])
        sh("echo 'hist:keys=next_pid' > trigger", place)
        sh("echo 'stacktrace:1 if next_pid == -7' > trigger", place)
        same(triggers("sched:sched_switch"), ["stacktrace:count=1 if next_pid == -7"])


def section_6_2_enable_event():
    with removed(ENTER, EXIT):
        sh("""echo 'enable_event:kmem:kmalloc:1' > \\
              /sys/kernel/tracing/events/syscalls/sys_enter_read/trigger""")
        until(lambda: is_on(KMALLOC) == "1*", "a read has enabled it")
        same(triggers(ENTER), ["enable_event:kmem:kmalloc:count=0"])
        sh("""echo 'disable_event:kmem:kmalloc' > \\
              /sys/kernel/tracing/events/syscalls/sys_exit_read/trigger""")
        until(lambda: is_on(KMALLOC) == "0*", "the end of a read has disabled it")
        # once only: it stays off
        read_something()
        same(is_on(KMALLOC), "0*")
        sh("""echo '!enable_event:kmem:kmalloc:1' > \\
              /sys/kernel/tracing/events/syscalls/sys_enter_read/trigger""")
        sh("""echo '!disable_event:kmem:kmalloc' > \\
              /sys/kernel/tracing/events/syscalls/sys_exit_read/trigger""")
        same((triggers(ENTER), triggers(EXIT), is_on(KMALLOC)), ([], [], "0"))


def section_6_2_one_trigger_per_triggered_event():
    place = "events/syscalls/sys_enter_read"
    with removed(ENTER):
        sh("echo 'enable_event:kmem:kmalloc if fd == 99' > trigger", place)
        sh("echo 'enable_event:sched:sched_switch if fd == 99' > trigger", place)
        for second in "enable_event:kmem:kmalloc:1", "enable_event:kmem:kmalloc if count == 256":
            sh(f"echo '{second}' > trigger", place, fails="File exists")
        same(len(triggers(ENTER)), 2)


def section_6_2_stacktrace():
    """Out of date: two examples at once are one too many, as the text says."""
    with removed(KMALLOC):
        empty()
        sh("""echo 'stacktrace' > \\
              /sys/kernel/tracing/events/kmem/kmalloc/trigger""")
        until(lambda: any("<stack trace>" in line for line in trace()), "a stack")
        sh("""echo 'stacktrace:5 if bytes_req >= 65536' > \\
              /sys/kernel/tracing/events/kmem/kmalloc/trigger""", fails="File exists")
        sh("""echo '!stacktrace' > \\
              /sys/kernel/tracing/events/kmem/kmalloc/trigger""")
        for removal in "!stacktrace:5 if bytes_req >= 65536", "!stacktrace:5":
            sh("""echo 'stacktrace:5 if bytes_req >= 65536' > \\
                  /sys/kernel/tracing/events/kmem/kmalloc/trigger""")
            same(triggers(KMALLOC), ["stacktrace:count=5 if bytes_req >= 65536"])
            sh(f"""echo '{removal}' > \\
                   /sys/kernel/tracing/events/kmem/kmalloc/trigger""")
            same(triggers(KMALLOC), [])


@contextlib.contextmanager
def block_device():
    """A disk in memory, and a function that reads from it past its cache."""
    disk = "/dev/shm/disk"
    with open(disk, "wb") as file:
        file.truncate(32 << 20)
    device = subprocess.run(["losetup", "--show", "-f", disk], check=True, text=True,
                            capture_output=True).stdout.strip()
    try:
        yield lambda: subprocess.run(["dd", f"if={device}", "of=/dev/null", "bs=16M", "count=1",
                                      "iflag=direct", "status=none"], check=True)
    finally:
        subprocess.run(["losetup", "-d", device], check=True)
        os.unlink(disk)


def lines_on_block_unplug(command, shown, does):
    """
    The line is set and removed. Nothing guarantees two requests in one queue, so what it does
    is seen at an event that every request has.
    """
    place = "/sys/kernel/tracing/events/block/block_unplug/trigger"
    sh(f"echo '{command}' > \\\n\t\t{place}")
    same(triggers(UNPLUG), [shown])
    sh(f"echo '!{command}' > \\\n\t\t{place}")
    same(triggers(UNPLUG), [])
    put("events/block/block_rq_issue/trigger", command.replace("nr_rq > 1", "nr_sector > 0"))
    does()
    put("events/block/block_rq_issue/trigger", "!" + command.split()[0])
    same(triggers(ISSUE), [])


def section_6_2_snapshot():
    def takes_a_snapshot():
        """Each exchanges the two buffers: after some, both have events."""
        put("events/block/block_rq_issue/enable", "1")
        put("snapshot", "2")  # cleared
        same(lines("snapshot"), [])
        empty()
        put("trace_marker", "before the snapshot")
        read_disk()
        assert lines("snapshot")
        put("events/block/block_rq_issue/enable", "0")
    with removed(UNPLUG, ISSUE), block_device() as read_disk:
        lines_on_block_unplug("snapshot if nr_rq > 1", "snapshot:unlimited if nr_rq > 1",
                              takes_a_snapshot)
        lines_on_block_unplug("snapshot:1 if nr_rq > 1", "snapshot:count=1 if nr_rq > 1",
                              takes_a_snapshot)
        put("events/block/block_unplug/trigger", "snapshot:1")
        # "there can be only one snapshot trigger per triggering event"
        sh("echo snapshot > trigger", "events/block/block_unplug", fails="File exists")
    put("snapshot", "0")


def section_6_2_traceoff():
    def turns_off(times):
        seen = 0
        for _ in range(3):
            put("tracing_on", "1")
            read_disk()
            seen += get("tracing_on") == "0\n"
        put("tracing_on", "1")
        same(seen, times)
    with removed(UNPLUG, ISSUE), block_device() as read_disk:
        lines_on_block_unplug("traceoff:1 if nr_rq > 1", "traceoff:count=1 if nr_rq > 1",
                              lambda: turns_off(1))
        lines_on_block_unplug("traceoff if nr_rq > 1", "traceoff:unlimited if nr_rq > 1",
                              lambda: turns_off(3))
        # "there can be only one traceon or traceoff trigger per triggering event"
        put("events/block/block_unplug/trigger", "traceoff:1 if nr_rq > 1000000")
        for second in "traceoff", "traceon":
            sh(f"echo {second} > trigger", "events/block/block_unplug", fails="File exists")


def section_6_2_hist():
    """"keyed on one or more trace event format fields"; the document has no line of it."""
    place = "events/syscalls/sys_enter_read"
    with removed(ENTER):
        sh("echo 'hist:keys=common_pid:vals=count' > trigger", place)
        read_something()
        assert "{ common_pid: " in (tracing / place / "hist").read_text()
        sh("echo '!hist:keys=common_pid:vals=count' > trigger", place)


run([section_6_a_trigger_makes_an_event_soft, section_6_the_marker_triggers,
     section_6_1_adding_and_removing, section_6_2_enable_event,
     section_6_2_one_trigger_per_triggered_event, section_6_2_stacktrace,
     section_6_2_snapshot, section_6_2_traceoff, section_6_2_hist])
