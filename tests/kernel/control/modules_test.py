#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The kernel's own users of its API for events: the modules synth_event_gen_test and
kprobe_event_gen_test, which Documentation/trace/events.rst, section 7, describes.

scripts/vm passes their directory in UE_VM_MODULES. Both events and probes are of the top
instance, where the modules also enable them.
"""
import contextlib
import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys

from control import (DEADLINE, ask, get, is_patched, lines, path, put, refused, run, same, tool,
                     tracing)

modules = os.environ.get("UE_VM_MODULES")
if not modules:
    print("1..0 # SKIP no UE_VM_MODULES: this is not the VM")
    sys.exit(77)
libc = ctypes.CDLL(None, use_errno=True)
FINIT_MODULE, DELETE_MODULE = 313, 176


def system_call(*arguments):
    if libc.syscall(*arguments):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


@contextlib.contextmanager
def loaded(name):
    """The module is loaded; at the end it can be removed, as no one keeps it."""
    with open(pathlib.Path(modules) / f"{name}.ko", "rb") as file:
        system_call(FINIT_MODULE, file.fileno(), b"", 0)
    try:
        yield
    finally:
        system_call(DELETE_MODULE, name.encode(), os.O_NONBLOCK)
        assert name not in pathlib.Path("/proc/modules").read_text()


FIELDS = ("pid_t next_pid_field; char[16] next_comm_field; u64 ts_ns; u64 ts_ms; unsigned int "
          "cpu; char[64] my_string_field; int my_int_field")
# with synth_field_desc "char[]", a dynamic array (7.1)
CREATED = FIELDS.replace("u64 ts_ms", "char[] dynstring_field_1; u64 ts_ms").replace(
    "int my_int", "char[] dynstring_field_2; int my_int")


def event(name, pid, comm, text, number, *strings):
    fields = {"n": f"synthetic:{name}", "next_pid_field": pid, "next_comm_field": comm,
              "ts_ns": 1000000, "ts_ms": 1000, "my_string_field": text, "my_int_field": number}
    return fields | dict(zip(("dynstring_field_1", "dynstring_field_2"), strings))


TRACED = [
    # 7.1 synth_event_gen_cmd_start() with four fields, synth_event_add_field() for the
    # others, synth_event_gen_cmd_end(); 7.2.1 synth_event_trace_array()
    event("gen_synth_test", 777, "hula hoops", "thneed", 598),
    # 7.1 synth_event_gen_cmd_start() without a field
    event("empty_synth_test", 777, "tiddlywinks", "thneed_2.0", 399),
    # 7.1 synth_event_create() with an array of struct synth_field_desc
    event("create_synth_test", 777, "tiddlywinks", "thneed", 398, "xrayspecs", "kerplunk"),
    # 7.2.2 synth_event_trace_start(), synth_event_add_next_val(), synth_event_trace_end()
    event("gen_synth_test", 777, "slinky", "thneed_2.01", 395),
    # 7.2.2 synth_event_add_val(), by name
    event("gen_synth_test", 777, "silly putty", "thneed_9", 3999),
    # 7.2.1 synth_event_trace() with a number of values
    event("create_synth_test", 444, "clackers", "Thneed", 999, "viewmaster", "yoyos"),
]


def decoded_trace():
    """The events of the top instance, as a file that the tool reads."""
    subprocess.run(["trace-cmd", "extract", "-o", path("top.dat")], check=True,
                   capture_output=True, timeout=DEADLINE)
    return [json.loads(line) for line in
            ask("decode", "--format", "jsonl", path("top.dat")).splitlines()]


def synthetic_events_of_a_module():
    """trace_get_event_file() and trace_array_set_clr_event() record them into its buffer."""
    (tracing / "trace").write_text("")
    with loaded("synth_event_gen_test"):
        same(sorted(line.replace("\t", " ") for line in lines("synthetic_events")),
             sorted([f"gen_synth_test {FIELDS}", f"empty_synth_test {FIELDS}",
                     f"create_synth_test {CREATED}"]))
        found = decoded_trace()
        same([set(one.pop("meta")) >= {"time", "tid"} for one in found], [True] * 6)
        same([one.pop("cpu") < os.cpu_count() for one in found], [True] * 6)
        same(found, TRACED)
    # 7.2.1 synth_event_delete()
    same(lines("synthetic_events"), [])


def another_pid_is_traced():
    """
    7.2.2 synth_event_trace_end() after a start that was refused, as set_event_pid has another
    pid. A kernel without the patch "Do not commit an event that was not reserved" panics.
    """
    (tracing / "trace").write_text("")
    put("set_event_pid", "1")
    try:
        with loaded("synth_event_gen_test"):
            same(lines("trace"), [])
    finally:
        (tracing / "set_event_pid").write_text("")


def the_tool_does_not_keep_the_module():
    """
    perf refuses synthetic events, and up to 6.12 an attempt takes a reference of the module
    that nothing gives back: so the tool must not try.
    """
    with loaded("synth_event_gen_test"):
        for command in ["watch"], ["record", "-o", path("none.data")]:
            refused(*command, "-d", "0.3", "-e", "synthetic:*",
                    said="perf refuses synthetic events")


def kprobes_of_a_module():
    """
    7.3 kprobe_event_gen_cmd_start(), kprobe_event_add_fields(), kprobe_event_gen_cmd_end(),
    kretprobe_event_gen_cmd_start(), kretprobe_event_gen_cmd_end(), kprobe_event_delete().

    Out of date: they are on do_sys_open(), which the compiler puts into its callers. A second
    place, which has the same name and arguments, joins the event.
    """
    with loaded("kprobe_event_gen_test"):
        probe, returning = lines("kprobe_events")
        arguments = "dfd=%ax filename=%dx flags=%cx mode=+4($stack)"
        same(probe, f"p:kprobes/gen_kprobe_test do_sys_open {arguments}")
        assert re.fullmatch(r"r\d*:kprobes/gen_kretprobe_test do_sys_open arg1=\$retval",
                            returning), returning
        same((get("events/kprobes/gen_kprobe_test/enable"),
              get("events/kprobes/gen_kretprobe_test/enable")), ("1\n", "1\n"))
        put("kprobe_events", f"p:gen_kprobe_test do_sys_openat2 {arguments}")
        put("kprobe_events", "r:gen_kretprobe_test do_sys_openat2 $retval")
        done = subprocess.run([tool, "record", "-o", path("probes.data"), "-e", "kprobes:gen_*",
                               "cat", "/etc/hostname"], capture_output=True, timeout=DEADLINE,
                              stdin=subprocess.DEVNULL)
        same(done.returncode, 0)
        found = [json.loads(line) for line in
                 ask("decode", "--format", "jsonl", path("probes.data")).splitlines()]
        names = [one["n"] for one in found]
        same(set(names), {"kprobes:gen_kprobe_test", "kprobes:gen_kretprobe_test"})
        for one in found:
            same(one["meta"]["comm"], "cat")
            own = set(one) - {"n", "meta"}
            same(own, {"__probe_ip", "dfd", "filename", "flags", "mode"}
                 if one["n"] == "kprobes:gen_kprobe_test" else
                 {"__probe_func", "__probe_ret_ip", "arg1"})
        watched = ask("watch", "--json", "-e", "kprobes:gen_kretprobe_test", "cat",
                      "/etc/hostname")
        for some in found, [json.loads(line) for line in watched.splitlines()
                            if line.startswith("{")]:  # not what cat prints
            # the descriptor, which the kernel prints in hex
            assert 3 in [int(str(one.get("arg1", 0)), 0) for one in some], some
    same([line for line in lines("kprobe_events") if "gen_k" in line], [])


run([synthetic_events_of_a_module, *([another_pid_is_traced] if is_patched else []),
     the_tool_does_not_keep_the_module, kprobes_of_a_module])
