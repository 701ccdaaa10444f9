#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Commands on a kernel whose tracing lacks what they need: a folder that looks like its tracefs.

Argument: the program.
"""
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

from tap import run, same

tool, = sys.argv[1:]
folder = pathlib.Path(tempfile.mkdtemp())
FORMAT = """name: tick
ID: 300
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:u64 id;\toffset:8;\tsize:8;\tsigned:0;

print fmt: "id=%llu", REC->id
"""
OPTIONS = {"kprobe_events": "CONFIG_KPROBE_EVENTS", "uprobe_events": "CONFIG_UPROBE_EVENTS",
           "synthetic_events": "CONFIG_SYNTH_EVENTS"}


def tracefs(name, *files, readme=""):
    directory = folder / name
    for part in ("events/timer/tick", "events/timer/tock", "instances"):
        (directory / part).mkdir(parents=True)
    (directory / "README").write_text(readme)
    for file in ("dynamic_events", "error_log", "available_events", *files):
        (directory / file).write_text("")
    for number, event in enumerate((directory / "events/timer").iterdir()):
        (event / "format").write_text(FORMAT.replace("tick", event.name).replace("300", f"30{number}"))
        for file, text in (("id", f"30{number}\n"), ("enable", "0\n"), ("filter", "none\n"),
                           ("trigger", "")):
            (event / file).write_text(text)
    return directory


def refuse_writes():
    """Whatever is written into a file is refused, as by a kernel."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def refused(directory, said, *command):
    before = {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}
    done = subprocess.run([tool, *command, "--tracefs", str(directory)], capture_output=True,
                          timeout=100, stdin=subprocess.DEVNULL, preexec_fn=refuse_writes)
    text = done.stderr.decode()
    same((done.returncode, done.stdout), (1, b""))
    assert text.startswith("userevents: cannot ") and "this kernel has no " in text, text
    assert said in text, (command, text)
    for bare in ("Invalid argument", "No such file"):
        assert bare not in text, text
    same({path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}, before)


def each_command_names_what_the_kernel_lacks():
    bare = tracefs("bare")
    refused(bare, "CONFIG_KPROBE_EVENTS", "probe", "add", "p:a vfs_read")
    refused(bare, "CONFIG_KPROBE_EVENTS", "probe", "add", "r:a vfs_read $retval")
    refused(bare, "CONFIG_UPROBE_EVENTS", "probe", "add", f"p:a {tool}:main")
    refused(bare, "CONFIG_DYNAMIC_EVENTS", "probe", "add", "e:a timer.tick id=$id")
    refused(bare, "CONFIG_FPROBE_EVENTS", "probe", "add", "f:a vfs_read")
    refused(bare, "CONFIG_FPROBE_EVENTS", "probe", "add", "t:a sched_switch")
    refused(bare, "CONFIG_HIST_TRIGGERS", "khist", "timer:tick", "id", "-d", "1")
    refused(bare, "CONFIG_HIST_TRIGGERS", "trigger", "timer:tick", "hist:keys=id")
    refused(bare, "CONFIG_TRACER_SNAPSHOT", "trigger", "timer:tick", "snapshot")
    refused(bare, "CONFIG_SYNTH_EVENTS", "klatency", "timer:tick", "timer:tock", "-k", "id")
    refused(bare, "CONFIG_SYNTH_EVENTS", "synth", "create", "a u64 id")
    refused(bare, "CONFIG_SYNTH_EVENTS", "synth", "list")
    refused(bare, "CONFIG_SYNTH_EVENTS", "synth", "delete", "a")
    refused(bare, "CONFIG_SYNTH_EVENTS", "synth", "delete", "--all-unused")


def what_is_there_is_not_refused():
    some = tracefs("some", "kprobe_events", "synthetic_events",
                   readme="\t   Format: p[:[<group>/][<event>]] <place> [<args>]\n")
    same(subprocess.run([tool, "synth", "list", "--tracefs", str(some)],
                        capture_output=True).returncode, 0)
    refused(some, "CONFIG_UPROBE_EVENTS", "probe", "add", f"p:a {tool}:main")
    refused(some, "CONFIG_HIST_TRIGGERS", "klatency", "timer:tick", "timer:tock", "-k", "id")


try:
    run([each_command_names_what_the_kernel_lacks, what_is_there_is_not_refused])
finally:
    shutil.rmtree(folder)
