#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The examples of the kernel's documents, by the commands that stand for their lines.

The tests beside this one, *_document_test.py, run the same lines by hand.
"""
from control import ask, lines, put, refused, run, same
from examples import filter_of, is_on, triggers

SIGNAL = "signal:signal_generate"


def events_2_1_and_2_2():
    ask("enable", "sched:sched_wakeup")
    same(is_on("sched:sched_wakeup"), "1")
    ask("enable", "!sched:sched_wakeup")
    same(is_on("sched:sched_wakeup"), "0")
    ask("enable", "irq:*")
    same((is_on("irq"), is_on("sched")), ("1", "0"))
    ask("disable", "irq:*")
    same(is_on("irq"), "0")


def events_5_filters():
    for event, text in (("sched:sched_wakeup", "common_preempt_count > 4"),
                        ("sched:sched_switch", 'prev_comm ~ "ba*sh"'),
                        ("syscalls:sys_enter_openat", 'filename.ustring ~ "password"'),
                        (SIGNAL, '((sig >= 10 && sig < 15) || sig == 17) && comm != "bash"')):
        ask("filter", event, text)
        same(filter_of(event), text)
        ask("filter", event, "--clear")
        same(filter_of(event), "none")
    refused("filter", SIGNAL, "((sig >= 10 && sig < 15) || sig == 17) && comm != bash",
            said='text is written in quotes: comm != "..."')
    refused("filter", SIGNAL, '((sig >= 10 && sig < 15) || dsig == 17) && comm != "bash"',
            said='no field "dsig"; did you mean "sig"?')
    for event, text in (("kmem:kmalloc", "call_site.function == security_prepare_creds"),
                        ("sched:sched_wakeup", "target_cpu & CPUS{17-42}")):
        refused("filter", event, text, said="cannot set the filter of ")
        same(filter_of(event), "none")


def events_5_4_subsystem_filters():
    """By the command, events without the field keep their filter, as the document says."""
    ask("filter", "sched", "common_pid == 0")
    ask("filter", "sched", "prev_pid == 0", said="stays as it was")
    same((filter_of("sched:sched_switch"), filter_of("sched:sched_wakeup")),
         ("prev_pid == 0", "common_pid == 0"))
    ask("filter", "sched", "--clear")
    same((filter_of("sched:sched_switch"), filter_of("sched:sched_wakeup")), ("none", "none"))


def events_6_triggers():
    for event, trigger in (("syscalls:sys_enter_read", "enable_event:kmem:kmalloc:1"),
                           ("syscalls:sys_exit_read", "disable_event:kmem:kmalloc"),
                           ("kmem:kmalloc", "stacktrace:5 if bytes_req >= 65536"),
                           ("block:block_unplug", "snapshot:1 if nr_rq > 1"),
                           ("block:block_unplug", "traceoff if nr_rq > 1")):
        advice = {"snapshot": "a second buffer", "traceoff": "switches tracing_on"}
        ask("trigger", event, trigger, said=advice.get(trigger.split(":")[0].split()[0]))
        same(len(triggers(event)), 1)
        ask("trigger", "--remove", event, trigger,
            said="free its buffer" if "snapshot" in trigger else None)
        same(triggers(event), [])
    put("snapshot", "0")  # the second buffer


def kprobes_usage_examples():
    ask("probe", "add", "p:myprobe do_sys_open dfd=%ax filename=%dx flags=%cx mode=+4($stack)",
        "r:myretprobe do_sys_open $retval")
    same(sorted(line.split(" ", 1)[1] for line in lines("kprobe_events")),
         ["do_sys_open arg1=$retval",
          "do_sys_open dfd=%ax filename=%dx flags=%cx mode=+4($stack)"])
    ask("probe", "delete", "--all")
    same(lines("kprobe_events"), [])
    refused("probe", "add", "p:mine do_sys_openat2 $stack1:x8[8]", said="x8[8]")


run([events_2_1_and_2_2, events_5_filters, events_5_4_subsystem_filters, events_6_triggers,
     kprobes_usage_examples])
