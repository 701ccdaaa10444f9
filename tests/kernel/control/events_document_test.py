#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The examples of Documentation/trace/events.rst, as they are written there.

Each test is a section, and says where the document differs from both kernels.
"""
import re

from control import get, instance, put, run, same, tracing
from examples import all_off, empty, error_log, fields, filter_of, is_6_1, is_on, sh, trace

KMALLOC = "kmem:kmalloc"


def section_2_1_set_event():
    sh("grep -qx sched:sched_wakeup /sys/kernel/tracing/available_events")
    sh("echo sched_wakeup >> /sys/kernel/tracing/set_event")
    same(is_on("sched:sched_wakeup"), "1")
    sh("echo sched_switch >> /sys/kernel/tracing/set_event")
    same(is_on("sched:sched_wakeup"), "1")
    # "Note '>>' is necessary, otherwise it will firstly disable all the events."
    sh("echo sched_switch > /sys/kernel/tracing/set_event")
    same((is_on("sched:sched_wakeup"), is_on("sched:sched_switch")), ("0", "1"))
    sh("echo sched_wakeup >> /sys/kernel/tracing/set_event")
    sh("echo '!sched_wakeup' >> /sys/kernel/tracing/set_event")
    same((is_on("sched:sched_wakeup"), is_on("sched:sched_switch")), ("0", "1"))
    sh("echo > /sys/kernel/tracing/set_event")
    same(is_on("sched:sched_switch"), "0")
    for everything in "*:*", "*:":
        sh(f"echo {everything} > /sys/kernel/tracing/set_event")
        same((is_on("sched"), is_on("irq"), is_on("signal")), ("1", "1", "1"))
        all_off()
    sh("echo 'irq:*' > /sys/kernel/tracing/set_event")
    same((is_on("irq"), is_on("sched")), ("1", "0"))
    all_off()


def section_2_2_enable():
    sh("echo 1 > /sys/kernel/tracing/events/sched/sched_wakeup/enable")
    same((is_on("sched:sched_wakeup"), is_on("sched")), ("1", "X"))
    sh("echo 0 > /sys/kernel/tracing/events/sched/sched_wakeup/enable")
    same((is_on("sched:sched_wakeup"), is_on("sched")), ("0", "0"))
    sh("echo 1 > /sys/kernel/tracing/events/sched/enable")
    same((is_on("sched:sched_switch"), is_on("sched")), ("1", "1"))
    sh("echo 1 > /sys/kernel/tracing/events/enable")
    same((is_on("sched"), is_on("irq")), ("1", "1"))
    all_off()


def section_2_2_four_results():
    """Out of date: "?" is in no file, and a trigger adds "*" to the others."""
    def results():
        return {path.read_text().strip() for path in
                [tracing / "events/enable", *(tracing / "events").glob("*/enable"),
                 *(tracing / "events").glob("*/*/enable")]}
    put("events/irq/enable", "1")
    same(results(), {"0", "1", "X"})
    same((tracing / "events/ftrace/enable").exists(), False)  # that would affect no event
    put("events/signal/signal_deliver/trigger", "traceoff if sig == 64")
    put("events/irq/softirq_entry/trigger", "traceoff if vec == 99")
    same(results(), {"0", "1", "0*", "1*", "X"})
    put("events/signal/signal_deliver/trigger", "!traceoff")
    put("events/irq/softirq_entry/trigger", "!traceoff")
    all_off()


def section_4_event_formats():
    """Out of date: common_tgid and success are gone, cpu is target_cpu, so offsets differ."""
    shown = sh("cat /sys/kernel/tracing/events/sched/sched_wakeup/format")
    assert shown.startswith("name: sched_wakeup\nID: "), shown
    found = fields("sched:sched_wakeup")
    for name, declaration, offset, size in (
            ("common_type", "unsigned short common_type", 0, 2),
            ("common_flags", "unsigned char common_flags", 2, 1),
            ("common_preempt_count", "unsigned char common_preempt_count", 3, 1),
            ("common_pid", "int common_pid", 4, 4)):
        same(found[name], (declaration, offset, size))
    same([(name, *found[name][1:]) for name in list(found)[4:]],
         [("comm", 8, 16), ("pid", 24, 4), ("prio", 28, 4), ("target_cpu", 32, 4)])
    assert found["comm"][0] in ("char comm[16]", "char comm[TASK_COMM_LEN]"), found
    assert ('print fmt: "comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, '
            "REC->prio, REC->target_cpu" in shown), shown


def sets(event, *filters):
    for text in filters:
        put(f"events/{event.replace(':', '/')}/filter", text)
        same(filter_of(event), text)
    put(f"events/{event.replace(':', '/')}/filter", "0")
    same(filter_of(event), "none")


def refuses(event, text, reason):
    directory = "events/" + event.replace(":", "/")
    sh(f"echo '{text}' > filter", directory, fails="Invalid argument")
    same(error_log()[0], reason)
    put(directory + "/filter", "0")


def section_5_1_expressions():
    sets("signal:signal_generate", *[f"sig {op} 10" for op in
                                     ("==", "!=", "<", "<=", ">", ">=", "&")])
    sets("sched:sched_switch", 'prev_comm == "bash"', 'prev_comm != "bash"',
         # the four examples of a glob
         'prev_comm ~ "*sh"', 'prev_comm ~ "sh*"', 'prev_comm ~ "*sh*"', 'prev_comm ~ "ba*sh"',
         # the wild cards of the sentence before them
         'prev_comm ~ "b?sh"', 'prev_comm ~ "[ab]ash"',
         '(prev_pid == 0 || prev_pid == 1) && next_pid != 2')
    refuses("sched:sched_switch", 'prev_comm < "b"', "Illegal operation for field type")
    refuses("sched:sched_switch", 'prev_pid ~ "1*"', "Expecting numeric field")
    refuses("sched:sched_switch", 'prev_comm & "b"', "Illegal operation for field type")


def section_5_1_strings_of_user_space():
    """filename.ustring ~ "password" has no wild card, so it is the whole name."""
    event = "events/syscalls/sys_enter_openat"
    for text, seen in (('filename.ustring ~ "password"', False),
                       ('filename.ustring ~ "*password*"', True)):
        put(f"{event}/filter", text)
        put(f"{event}/enable", "1")
        empty()
        sh("cat /nonexistent/password-of-mine", fails="No such file")
        put(f"{event}/enable", "0")
        same((text, any("sys_openat(" in line for line in trace())), (text, seen))
    put(f"{event}/filter", "0")


def section_5_1_functions():
    """
    Out of date: security_prepare_creds exists with CONFIG_SECURITY only. prepare_creds
    stands for it. Linux 6.3 has .function first.
    """
    if is_6_1:
        refuses(KMALLOC, "call_site.function == prepare_creds", "Invalid operator")
        return
    refuses(KMALLOC, "call_site.function == security_prepare_creds", "Function not found")
    event = "kmem:kmem_cache_alloc"
    sets(event, "call_site.function == prepare_creds", "call_site.function != prepare_creds")
    refuses(event, "call_site.function > prepare_creds", "Invalid operator")
    put("events/kmem/kmem_cache_alloc/filter", "call_site.function == prepare_creds")
    put("events/kmem/kmem_cache_alloc/enable", "1")
    empty()
    sh("su nobody -s /bin/true")
    put("events/kmem/kmem_cache_alloc/enable", "0")
    put("events/kmem/kmem_cache_alloc/filter", "0")
    lines = trace()
    assert lines and all("call_site=prepare_creds+0x" in line for line in lines), lines[:5]


def section_5_1_processors():
    """target_cpu & CPUS{17-42}, since Linux 6.6; only of processors that may exist."""
    if is_6_1:
        refuses("sched:sched_wakeup", "target_cpu & CPUS{17-42}", "Invalid value (did you "
                "forget quotes)?")
        return
    refuses("sched:sched_wakeup", "target_cpu & CPUS{17-42}", "Invalid cpulist")
    sets("sched:sched_wakeup", "target_cpu & CPUS{0-1}", "target_cpu == CPUS{0}",
         "target_cpu != CPUS{0-1}")
    refuses("sched:sched_wakeup", "target_cpu > CPUS{0}", "Illegal operation for field type")
    event = "events/sched/sched_wakeup"
    # a processor is never the same as two
    for operator, seen in ("==", False), ("&", True):
        put(f"{event}/filter", f"target_cpu {operator} CPUS{{0-1}}")
        put(f"{event}/enable", "1")
        empty()
        sh("sleep 0.2")
        put(f"{event}/enable", "0")
        same((operator, bool(trace())), (operator, seen))
    put(f"{event}/filter", "0")


def section_5_2_setting_filters():
    """
    Out of date: bash has to be quoted; the caret is not always at the beginning, and the
    message is behind "parse_error: " in the filter no more, but in error_log.
    """
    sh("""cd /sys/kernel/tracing/events/sched/sched_wakeup
          echo "common_preempt_count > 4" > filter""")
    same(filter_of("sched:sched_wakeup"), "common_preempt_count > 4")
    directory = "events/signal/signal_generate"
    sh('echo "((sig >= 10 && sig < 15) || sig == 17) && comm != bash" > filter', directory,
       fails="Invalid argument")
    same(error_log()[0], "Invalid value (did you forget quotes)?")
    sh("""echo '((sig >= 10 && sig < 15) || sig == 17) && comm != "bash"' > filter""", directory)
    same(filter_of("signal:signal_generate"),
         '((sig >= 10 && sig < 15) || sig == 17) && comm != "bash"')
    wrong = "((sig >= 10 && sig < 15) || dsig == 17) && comm != bash"
    sh(f'echo "{wrong}" > filter', directory, fails="Invalid argument")
    shown = sh("cat filter", directory)
    same(shown.splitlines()[0], wrong)
    assert "parse_error: Field not found" in shown, shown
    reason, command, caret = error_log()
    same((reason, command), ("Field not found", wrong))
    same(caret, wrong.index("dsig") + len("dsig") + 1)
    sh("echo 0 > filter", directory)
    same(filter_of("signal:signal_generate"), "none")
    sh("echo 0 > filter", "events/sched/sched_wakeup")


def section_5_4_subsystem_filters():
    """
    Out of date: an event without the field does not keep its filter, but loses it, and shows
    the error.
    """
    def both():
        return sh("cat sched_switch/filter; cat sched_wakeup/filter", "events/sched")
    sh("echo 0 > filter", "events/sched")
    same(both(), "none\nnone\n")
    sh("echo common_pid == 0 > filter", "events/sched")
    same(both(), "common_pid == 0\ncommon_pid == 0\n")
    sh("echo prev_pid == 0 > filter", "events/sched")
    same(both(), "prev_pid == 0\nprev_pid == 0\n^\nparse_error: Couldn't find or set "
         "field in one of a subsystem's events\n\n")
    put("events/sched/sched_wakeup/enable", "1")
    empty()
    sh("sleep 0.2")
    put("events/sched/sched_wakeup/enable", "0")
    assert any("sched_wakeup: comm=sleep" in line for line in trace())
    # 5.3: "write a '0' to the subsystem's filter file"
    sh("echo 0 > filter", "events/sched")
    same(both(), "none\nnone\n")


def section_5_5_pids():
    """Out of date: others are traced while they switch to the task, or wake it."""
    with instance("pids") as directory:
        here = "instances/pids"
        seen = sh("echo $$ > set_event_pid; cat set_event_pid; echo $$", here).split()
        same(seen[0], seen[1])
        sh("echo 123 244 1 >> set_event_pid", here)
        same(set(get(f"{here}/set_event_pid").split()), {seen[0], "123", "244", "1"})
        pid = sh("""echo $$ > set_event_pid
                    echo 1 > events/enable
                    cat set_event_pid
                    echo 0 > events/enable""", here).strip()
        shown = trace(here)
        own = [line for line in shown if re.match(rf" *\S+-{pid} ", line)]
        others = [line for line in shown if line not in own]
        assert any(" sys_" in line for line in own), own[:5]
        same([line for line in others if " sys_" in line], [])
        (directory / "set_event_pid").write_text("\n")


run([section_2_1_set_event, section_2_2_enable, section_2_2_four_results,
     section_4_event_formats, section_5_1_expressions, section_5_1_strings_of_user_space,
     section_5_1_functions, section_5_1_processors, section_5_2_setting_filters,
     section_5_4_subsystem_filters, section_5_5_pids])
