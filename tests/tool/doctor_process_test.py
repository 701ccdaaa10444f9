#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents doctor --pid. Arguments: the tool, the program unregistered, the same at fixed
addresses, the modules late and crowd, the program many, and a loser of 32 bits if there is one."""
import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile

from processes import libc, lines_until, running, skip_where_nothing_can_be_read
from tap import not_sanitized, run, same

tool, unregistered, fixed, late, crowd, many = sys.argv[1:7]
loser32 = sys.argv[7] if len(sys.argv) > 7 else None
PR_CAPBSET_DROP, CAP_SYS_ADMIN, CAP_CHECKPOINT_RESTORE = 24, 21, 40
CLIENT = """import ctypes, sys
ctypes.CDLL(sys.argv[1])
print("ready", flush=True)
sys.stdin.read()"""
folder = pathlib.Path(tempfile.mkdtemp())
SHUT = {name: text for name, text in os.environ.items() if name != "USEREVENTS_FD"}


def doctor(*args, status=0, said="", **kwargs):
    done = subprocess.run([tool, "doctor", *map(str, args)], capture_output=True,
                          text=True, timeout=600, **kwargs)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    assert said in done.stderr if said else not done.stderr, done.stderr
    return done.stdout


def findings(*args, **kwargs):
    """By the file of the module; without those about rings."""
    rows = [json.loads(line) for line in doctor("--json", *args, **kwargs).splitlines()]
    same({row["check"] for row in rows} - {"events", "ring"}, set())
    return {row["fact"].split(" in ")[-1].split(":")[0].split(" (")[0]: row for row in rows
            if row["check"] == "events"}


def about_events(*args, **kwargs):
    """What it says of a process under "userevents run", but for its ring."""
    lines = doctor(*args, **kwargs).splitlines(True)
    rings = [line for line in lines if " writes to a ring in memory of 64M, for " in line]
    same(len(rings), 1)
    return "".join(line for line in lines if line not in rings)


def ring_findings(*args, **kwargs):
    rows = [json.loads(line) for line in doctor("--json", *args, **kwargs).splitlines()]
    return [row for row in rows if row["check"] == "ring"]


def library():
    return next(word for word in subprocess.run(
        ["ldd", unregistered], capture_output=True, text=True).stdout.split()
        if word[0] == "/" and "libuserevents.so" in word)


def captured(*args):
    """A process whose events go to a capture."""
    return running(tool, "run", "-o", "/dev/null", "--", unregistered, *args)


def pid_of(process):
    return int(lines_until(process, "ready")[-1][0])


def events_that_are_not_registered_are_named():
    with captured("stay") as process:
        pid = pid_of(process)
        found = findings("--pid", pid, status=1)
        same(list(found), [unregistered_path()])
        row = found[unregistered_path()]
        same((row["answer"], row["problem"]), ("no", True))
        fact, names = row["fact"].rsplit(": ", 1)
        same(fact, f"Process {pid} (unregistered) has not registered 2 of 3 events in "
                   f"{unregistered_path()}")
        same(set(names.split(", ")), {"second", "third_provider_L4K1"})
        assert "ue_register_all()" in row["meaning"], row


def unregistered_path():
    return os.path.realpath(unregistered)


@not_sanitized("the program is Python, which loads the library without its sanitizer")
def a_program_without_static_events_is_a_remark():
    with running(sys.executable, "-c", CLIENT, library()) as process:
        lines_until(process, "ready")
        text = doctor("--pid", process.pid)
        assert text.startswith(f"-- Process {process.pid} ("), text
        assert " has no UE_EVENT() or UE_TRACEPOINT(): " in text, text
        same(text.count("\n"), 1)


def all_registered_is_no_problem():
    with captured("whole") as process:
        pid = pid_of(process)
        events, ring = doctor("-p", pid).splitlines()
        same(events, f"ok Process {pid} (unregistered) has registered all events in "
                     f"{unregistered_path()} (3).")
        same(ring, f"ok Process {pid} (unregistered) writes to a ring in memory of 64M, for 2184 "
                   f"processors and 4096 processes: this machine has {os.cpu_count()}, and 1 may write.")


def a_ring_is_compared_with_what_writes_to_it():
    path = folder / "some.ring"
    subprocess.run([tool, "ring", "create", "--size", "256k", "--mode", "drop", path], check=True)
    shut = {**SHUT, "USEREVENTS_RING": str(path)}
    with running(unregistered, "whole", env=shut) as process:
        pid = pid_of(process)
        if os.cpu_count() <= 4:
            row, unread = ring_findings("--pid", pid)
            same((unread["fact"], unread["problem"]), (f"nobody reads the ring {path} now", False))
            same((row["answer"], row["problem"]), ("yes", False))
            same(row["fact"], f"Process {pid} (unregistered) writes to the ring {path} of 256K, for 4 "
                              "processors and 64 processes")
        subprocess.run([many, "20000"], env=shut)  # more than it has room for
        row = ring_findings("--pid", pid, status=1)[-2]
        same((row["answer"], row["problem"]), ("no", True))
        assert re.fullmatch(fr"[0-9]+ events were lost, as the ring {path} was full",
                            row["fact"]), row
        with contextlib.ExitStack() as stack:
            for _ in range(63):
                child = stack.enter_context(running(many, "1", "wait", env=shut))
                stack.callback(child.kill)
                same(child.stdout.readline(), "ready\n")
            row = ring_findings("--pid", pid, status=1)[0]
        same((row["answer"], row["problem"]), ("no", True))
        same(row["fact"], f"Process {pid} (unregistered) writes to the ring {path} of 256K, which is for "
                          "4 processors and 64 processes")
        assert f"this machine has {os.cpu_count()}, and 64 may write; " in row["meaning"], row
        assert "M would fit (userevents ring create --size" in row["meaning"], row


@contextlib.contextmanager
def offering(path, *args):
    """A program whose ring waits for a collector."""
    with running(many, "7", "wait", env={**SHUT, "USEREVENTS_SOCKET": str(path)}) as process:
        try:
            same(process.stdout.readline(), "ready\n")
            yield process
        finally:
            process.kill()


def without_a_reader(process):
    row, = [row for row in ring_findings("--pid", process.pid, status=1) if row["problem"]]
    same(row["answer"], "no")
    return row["fact"], row["meaning"]


def a_ring_that_nobody_reads_is_a_problem():
    path = folder / "socket"
    with offering(path) as process:
        fact, why = without_a_reader(process)
        same(fact, "nobody reads a ring in memory, in which 7 events wait")
        same(why, f"no collector listens on its USEREVENTS_SOCKET, {path}: No such file or directory")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listener.bind(str(path))
        listener.listen(8)
        assert without_a_reader(process)[1].startswith(f"a process listens on {path}; it has refused"), why
        count = len(os.listdir(f"/proc/{process.pid}/fd"))
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (count, count))
        assert "it has no descriptor left" in without_a_reader(process)[1]


def a_relative_path_of_a_socket_is_a_problem():
    with offering("socket") as process:
        fact, why = without_a_reader(process)
        same(fact, f"Process {process.pid} (many) has the path socket in USEREVENTS_SOCKET")
        same(why, "it is no absolute path, so ue_open() fails")


def each_module_is_reported_and_a_malformed_event_has_its_reason():
    with captured("whole", late) as process:
        pid = pid_of(process)
        found = findings("--pid", pid, status=1)
        same(found[unregistered_path()]["problem"], False)
        row = found[os.path.realpath(late)]
        names = row["fact"].split(": ", 1)[1]
        assert " 5 of 5 events in " in row["fact"], row
        for name in "late", "older", "late_provider_L2K12", "malformed (", "high_level (":
            assert f", {name}" in f", {names}", row
        assert ".)" not in names, row
        assert "again after it loaded" in row["meaning"], row


def a_process_without_a_descriptor_is_told_from_others():
    """ue_open() failed: the variable names no descriptor of a capture."""
    with running(unregistered, "stay", env={**SHUT, "USEREVENTS_FD": "0"}) as process:
        row = findings("--pid", pid_of(process), status=1)[unregistered_path()]
        assert " 3 of 3 events in " in row["fact"], row
        assert "ue_open()" in row["meaning"], row


def a_program_at_fixed_addresses_is_read():
    with running(tool, "run", "-o", "/dev/null", "--", fixed, "stay") as process:
        row = findings("--pid", pid_of(process), status=1)[os.path.realpath(fixed)]
        assert " has not registered 2 of 3 events in " in row["fact"], row


def running_copy(name, change=None):
    """A process of a copy of the program. change(bytes) returns other bytes for the file."""
    path = folder / name
    shutil.copy(unregistered, path)
    if change:
        path.write_bytes(change(bytearray(path.read_bytes())))
    return path, running(
        tool, "run", "-o", "/dev/null", "--", str(path), "stay",
        env={**SHUT, "LD_LIBRARY_PATH": str(pathlib.Path(library()).parent)})


def without_right_to_mapped_files():
    for capability in CAP_SYS_ADMIN, CAP_CHECKPOINT_RESTORE:
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def may_open_mapped_files():
    mapped = "/proc/self/map_files"
    try:
        with open(f"{mapped}/{os.listdir(mapped)[0]}", "rb"):
            return True
    except (OSError, IndexError):
        return False


def unread(pid, name, path, reason):
    return (f"?? Process {pid} ({name}) has {path}, which cannot be read ({reason}): it may "
            "have events that are not registered.\n")


def a_deleted_program_is_read_by_root():
    path, run_it = running_copy("deleted")
    with run_it as process:
        pid = pid_of(process)
        path.unlink()
        if may_open_mapped_files():
            row = findings("--pid", pid, status=1)[str(path)]
            assert " has not registered 2 of 3 events in " in row["fact"], row
        same(about_events("--pid", pid, preexec_fn=without_right_to_mapped_files),
             unread(pid, "deleted", f"{path} (deleted)", "No such file or directory"))


def a_program_is_read_by_its_path():
    with captured("stay") as process:
        row = findings("--pid", pid_of(process), status=1,
                       preexec_fn=without_right_to_mapped_files)[unregistered_path()]
        assert " has not registered 2 of 3 events in " in row["fact"], row


def another_file_in_the_place_of_the_program_is_not_read():
    """Neither a pipe, which would wait for a writer, nor another program."""
    path, run_it = running_copy("replaced")
    place = folder / "replaced (deleted)"  # what /proc/PID/maps shows
    with run_it as process:
        pid = pid_of(process)
        path.unlink()
        for make in os.mkfifo, lambda place: shutil.copy(unregistered, place):
            make(place)
            same(about_events("--pid", pid, preexec_fn=without_right_to_mapped_files),
                 unread(pid, "replaced", place, "another file has its path"))
            place.unlink()


def a_program_whose_sections_are_missing_is_unknown():
    """And is not said to have no events."""
    word = 8 if sys.maxsize > 2**32 else 4
    at, count = (0x28, 0x3c) if word == 8 else (0x20, 0x30)

    def without(file):
        file[at:at + word] = bytes(word)
        file[count:count + 2] = bytes(2)
        return file

    def cut(file):
        """In the middle of the array of section headers, before that of the list."""
        return file[:int.from_bytes(file[at:at + word], sys.byteorder) + 100]

    for name, change, reason in (("without", without, "it has no section headers"),
                                 ("cut", cut, "it ends early")):
        path, run_it = running_copy(name, change)
        with run_it as process:
            pid = pid_of(process)
            same(about_events("--pid", pid), unread(pid, name, path, reason))


def a_list_that_is_too_long_is_shown_in_part():
    with captured("whole", crowd) as process:
        pid, path = pid_of(process), os.path.realpath(crowd)
        lines = about_events("--pid", pid, status=1).splitlines(keepends=True)
        rest = [line for line in lines if path in line]
        same(rest[0], unread(pid, "unregistered", path,
                             "the process lists more than 65,536 events"))
        assert rest[1].startswith(f"!! Process {pid} (unregistered) has not registered 12 of 12 "
                                  f"events in {path}: {'crowded, ' * 10}...: "), rest[1]
        same((len(rest), len(lines)), (2, 3))


def a_root_and_a_process_exclude_each_other():
    doctor("--root", "/", "--pid", os.getpid(), status=2, said="exclude each other")


def what_cannot_be_read_is_a_sentence():
    doctor("--pid", "4294967296", status=1, said='cannot find a process "4294967296"')
    with running("cat") as process:
        doctor("--pid", process.pid, status=1, said="(cat): it does not use libuserevents")
    process = subprocess.Popen(["true"])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it keeps its number
    doctor("--pid", process.pid, status=1, said="it has ended")
    process.wait()


def a_process_of_another_word_size_is_refused():
    if not loser32:
        return
    try:
        with running(loser32, "none") as process:
            lines_until(process, "ready")
            doctor("--pid", process.pid, status=1, said="has another word size")
    except OSError as error:
        print(f"# none can be run here: {error}")


try:
    skip_where_nothing_can_be_read()
    run([
        events_that_are_not_registered_are_named,
        all_registered_is_no_problem,
        a_program_without_static_events_is_a_remark,
        a_ring_is_compared_with_what_writes_to_it,
        a_ring_that_nobody_reads_is_a_problem,
        a_relative_path_of_a_socket_is_a_problem,
        each_module_is_reported_and_a_malformed_event_has_its_reason,
        a_process_without_a_descriptor_is_told_from_others,
        a_program_at_fixed_addresses_is_read,
        a_deleted_program_is_read_by_root,
        a_program_is_read_by_its_path,
        another_file_in_the_place_of_the_program_is_not_read,
        a_program_whose_sections_are_missing_is_unknown,
        a_list_that_is_too_long_is_shown_in_part,
        a_root_and_a_process_exclude_each_other,
        what_cannot_be_read_is_a_sentence,
        a_process_of_another_word_size_is_refused,
    ])
finally:
    shutil.rmtree(folder)
