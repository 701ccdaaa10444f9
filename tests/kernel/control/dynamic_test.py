#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""register and delete --dynamic-events: user events that no process holds."""
import pathlib
import subprocess

from control import (DEADLINE, Program, ask, closed, get, is_6_1, lines, names, put, refused, run,
                     same, tool, tracing, unchanged, until, user_events)

unprivileged = ["setpriv", "--bounding-set", "-perfmon,-sys_admin", "--inh-caps",
                "-perfmon,-sys_admin"]


def create(*arguments, **kwargs):
    return ask("register", "--dynamic-events", *arguments, **kwargs)


def delete(*arguments, **kwargs):
    return ask("delete", "--dynamic-events", *arguments, **kwargs)


def ours():
    return [line for line in lines("dynamic_events") if line.startswith("u:dyn")]


def it_lasts_without_a_process_until_it_is_deleted():
    with unchanged():
        same(create("dyn_a u64 id; __rel_loc char[] path; struct point at 8"), "dyn_a\n")
        same(ours(), ["u:dyn_a u64 id; __rel_loc char[] path; struct point at 8"])
        same(ask("list", "dyn_a"), "dyn_a u64 id; __rel_loc char[] path; struct point at 8\n")
        assert "field:u64 id;" in get("events/user_events/dyn_a/format")
        same(delete("dyn_a"), "dyn_a\n")
        same((ours(), (tracing / "events/user_events/dyn_a").exists()), ([], False))
        ask("delete", "--dynamic-events", "dyn_a", status=1,
            said='cannot find an event: there is no event that "dyn_a" matches')


def a_program_writes_it():
    with unchanged():
        name = next(names)
        create(f"{name} u32 number; char[8] text")
        same(ask("watch", "--meta", "n", "-e", name, "--", tool, "write", name, "number=7",
                 "text=x"), f'user_events:{name} number=7 text="x"\n')
        delete(name)


FORMS = ("dyn_form int src; int dst; char[4] tag", "dyn_form int src;int dst;char[4] tag",
         "dyn_form   int src;  int dst; char[4] tag;", "u:dyn_form int src; int dst;char[4] tag; ",
         "u: dyn_form int src;int dst;char[4] tag")


def every_form_is_one_event():
    said = None if is_6_1 else "dyn_form exists already; if a program registered it"
    for form in FORMS:
        with unchanged():
            create(form)
            same(ours(), ["u:" + FORMS[0]])
            for other in FORMS:
                create(other, said=said)
                # the library's, through user_events_data
                with Program(tool, "register", "--wait", other) as holder:
                    same(holder.process.stdout.readline(), b"dyn_form\n")
                    holder.end()
            same(ours(), ["u:" + FORMS[0]])
            until(lambda: ask_delete("dyn_form"))


def ask_delete(name):
    """From 6.12 on the kernel drops the last user a moment after its end."""
    return subprocess.run([tool, "delete", "--dynamic-events", name], capture_output=True,
                          timeout=DEADLINE).returncode == 0


def a_line_of_the_kernel_is_taken_back():
    with unchanged():
        create("dyn_l1 u32 a; char[20] b", "dyn_l2", "dyn_L4K1")
        listed = ours()
        same(len(listed), 3)
        same(delete("dyn_*").split(), ["dyn_l1", "dyn_l2", "dyn_L4K1"])
        same(create(*listed), "dyn_l1\ndyn_l2\ndyn_L4K1\n")
        same(ours(), listed)
        delete("user_events:dyn_l[12]", "dyn_L4K1")


def others_are_left():
    with user_events("dyn_x u32 a", "other_x u32 a"):
        put("dynamic_events", "p:dyn_probes/dyn_y do_exit")
        create("dyn_y")
        same(delete("dyn_y"), "dyn_y\n")
        same([line for line in lines("dynamic_events") if "dyn_y" in line],
             ["p:dyn_probes/dyn_y do_exit"])
        put("dynamic_events", "-:dyn_probes/dyn_y")
        put("dynamic_events", "p:user_events/dyn_z do_exit")
        put("dynamic_events", "u:dyn_z")
        delete("dyn_z", status=1, said="cannot delete dyn_z: a probe has the same name")
        put("dynamic_events", "-:user_events/dyn_z")
        same([line for line in lines("dynamic_events") if "dyn_z" in line], [])
        refused("delete", "--dynamic-events", "*", status=2,
                said="that is the events of all programs")


def other_fields_are_refused_before_anything_is_created():
    with user_events("dyn_f u32 a; u32 b"):
        for definition in "dyn_f u32 a", "dyn_f", "dyn_f u32 b; u32 a", "dyn_f u32 a; u64 b":
            refused("register", "--dynamic-events", "dyn_new u8 a", definition,
                    said='cannot create dyn_f: it exists with other fields, "dyn_f u32 a; u32 '
                         'b"; delete it first')
    refused("register", "--dynamic-events", "dyn_new u8 a", "dyn_new u8 b",
            said='cannot create dyn_new: it exists with other fields, "dyn_new u8 a"')


def one_in_use_is_not_deleted():
    create("dyn_used u32 a", "dyn_free u32 a")
    put("events/user_events/dyn_used/enable", "1")
    same(delete("dyn_*", status=1, said="cannot delete dyn_used: it is in use"), "dyn_free\n")
    put("events/user_events/dyn_used/enable", "0")
    same(delete("dyn_*"), "dyn_used\n")


def rights_are_required():
    """6.12 wants CAP_PERFMON; 6.1 the right to write to the file."""
    create("dyn_r1 u32 a")
    for command, definition, verb in (("register", "dyn_r2 u32 a", "create dyn_r2"),
                                      ("delete", "dyn_r1", "delete dyn_r1")):
        done = subprocess.run([*unprivileged, tool, command, "--dynamic-events", definition],
                              capture_output=True, text=True, timeout=DEADLINE)
        same((done.returncode, done.stderr), (0, "") if is_6_1 else (
            1, f"userevents: cannot {verb}: the kernel requires CAP_PERFMON; run as root\n"))
    same(ours(), ["u:dyn_r2 u32 a"] if is_6_1 else ["u:dyn_r1 u32 a"])
    delete("dyn_r*")
    with closed(tracing / "dynamic_events") as prefix:
        done = subprocess.run([*prefix, tool, "register", "--dynamic-events", "dyn_r3 u32 a"],
                              capture_output=True, text=True, timeout=DEADLINE)
    same((done.returncode, done.stderr), (1, "userevents: cannot read /sys/kernel/tracing/"
                                          "dynamic_events: Permission denied; run as root\n"))


def one_refusal_takes_back_the_others():
    """The kernel refuses the third, as the first two are the last it has room for."""
    if is_6_1:  # without the limit
        return
    limit = pathlib.Path("/proc/sys/kernel/user_events_max")
    before = limit.read_text()
    limit.write_text(str(len(lines("user_events_status")) - 2 + 2))  # without Active, Busy
    try:
        with unchanged():
            create("dyn_t1", "dyn_t2", "dyn_t3", status=1, said="cannot create dyn_t3: ")
    finally:
        limit.write_text(before)


MALFORMED = """\
u:
u: u32 a
dyn/a u32 a
user_events/dyn u32 a
dyn:flag u32 a
dyn;a
..
dyn ;
dyn u32
dyn u32  a
dyn u32 a ; u32 b
dyn u32 a; ; u32 b
dyn u32 a;;
dyn u32\ta
dyn long a
dyn double a
dyn u32[4] a
dyn char a[20]
dyn char[0] a
dyn char[0x14] a
dyn char[1025] a
dyn struct point at
dyn struct point at 0
dyn struct point at 8 9
dyn __rel_loc char a
dyn u32 a; u64 a
dyn u32 common_pid
dyn u32 1a
""".splitlines()


def malformed_definitions_are_refused_first():
    """tests/tool/events_test.py has the sentences."""
    for definition in MALFORMED:
        refused("register", "--dynamic-events", "dyn_good u32 a", definition, status=2,
                said=" at byte ")
    refused("register", "--dynamic-events", "dyn#a u32 a", said="cannot create dyn#a: "
            "dynamic_events takes '#' for the begin of a comment")
    for option in "--wait", "--persist", "--multi-format":
        refused("register", "--dynamic-events", option, "dyn_good u32 a", status=2,
                said="--dynamic-events excludes --wait, --persist and --multi-format")


def several_formats_of_a_name_are_deleted():
    if is_6_1:
        return
    with unchanged():
        ask("register", "--persist", "--multi-format", "dyn_m u32 a", "dyn_m u32 b; u8 c")
        same(delete("dyn_m"), "dyn_m\ndyn_m\n")


run([it_lasts_without_a_process_until_it_is_deleted, a_program_writes_it,
     every_form_is_one_event, a_line_of_the_kernel_is_taken_back, others_are_left,
     other_fields_are_refused_before_anything_is_created, one_in_use_is_not_deleted,
     rights_are_required, one_refusal_takes_back_the_others,
     malformed_definitions_are_refused_first, several_formats_of_a_name_are_deleted])
