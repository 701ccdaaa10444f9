#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents losses. Arguments: the tool, the programs loser and hostile, the library
stall, and a loser of 32 bits if there is one."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from processes import lines_until, running, skip_where_nothing_can_be_read
from tap import run, same

tool, loser, hostile, stall = sys.argv[1:5]
loser32 = sys.argv[5] if len(sys.argv) > 5 else None
folder = pathlib.Path(tempfile.mkdtemp())
REASONS = ["tooLarge", "noRights", "captureFull", "interrupted", "other"]


def library():
    """The library file that the programs are linked with."""
    return next(word for word in subprocess.run(
        ["ldd", loser], capture_output=True, text=True).stdout.split()
        if word[0] == "/" and "libuserevents.so" in word)


def copied(path, program):
    """A copy, and an environment in which the copy finds the library."""
    shutil.copy(program, path)
    return {**os.environ, "LD_LIBRARY_PATH": str(pathlib.Path(library()).parent)}


def losses(*args, status=0, said="", **kwargs):
    done = subprocess.run([tool, "losses", *map(str, args)], capture_output=True, text=True,
                          timeout=600, **kwargs)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    if said:
        assert said in done.stderr, f"{said!r} is not in {done.stderr!r}"
    else:
        same(done.stderr, "")
    return done.stdout


def as_json(*args, **kwargs):
    return [json.loads(line) for line in losses("--json", *args, **kwargs).splitlines()]


def agrees_with(program, process):
    """The tool prints the counts that the program has itself."""
    counted = {line[0]: dict(zip(REASONS, map(int, line[1:])))
               for line in lines_until(process, "ready")}
    rows = as_json(process.pid)
    same({row.get("event") or str(row["fd"]): row["lost"] for row in rows}, counted)
    same({reason for row in rows for reason in REASONS if row["lost"][reason]},
         {"tooLarge", "captureFull", "other"})
    same({(row["pid"], row["process"]) for row in rows},
         {(process.pid, pathlib.Path(program).name)})
    same([row["kind"] for row in rows if "kind" in row], ["capture", "capture"])
    same([row["events"] for row in rows if "kind" in row], [2, 1])


def every_reason_of_a_capture_is_shown():
    with running(loser, "each") as process:
        agrees_with(loser, process)
        text = losses(process.pid).splitlines()
        first, second = [line.split()[3] for line in text if line[0].isdigit()]
        same(text, [
            f"{process.pid} loser, descriptor {first} (capture), 2 events: "
            "lost 10: 3 too large, 5 ring or capture full, 2 wrong descriptor or payload, or no memory",
            "  loser_number              lost 7: 5 ring or capture full, 2 wrong descriptor or payload, or no memory",
            "  loser_text                lost 3: 3 too large",
            f"{process.pid} loser, descriptor {second} (capture), 1 event: "
            "lost 1: 1 wrong descriptor or payload, or no memory",
            "  loser_waiting             lost 1: 1 wrong descriptor or payload, or no memory"])


def a_process_of_another_word_size_is_refused():
    if not loser32:
        return
    try:
        with running(loser32, "each") as process:
            lines_until(process, "ready")
            losses(process.pid, status=1, said="has another word size")
    except OSError as error:
        print(f"# none can be run here: {error}")


def nothing_lost_is_reported():
    with running(loser, "none") as process:
        lines_until(process, "ready")
        text = losses(process.pid).splitlines()
        same(len(text), 1)
        assert text[0].endswith(" (capture), 2 events: lost nothing"), text
        none = "lost 0: 0 too large, 0 no rights, 0 ring or capture full, 0 interrupted, " \
            "0 wrong descriptor or payload, or no memory"
        text = losses("--all", process.pid).splitlines()
        same(text[1:], [f"  loser_number              {none}",
                        f"  loser_text                {none}"])


def written_is_recorded_and_lost():
    path = folder / "recorded"
    program = folder / f"l{os.getpid()}"  # no other process has the name
    with running(tool, "run", "-o", str(path), str(program), "some", "1000",
                 env=copied(program, loser)) as process:
        lines_until(process, "written")
        session, *events = as_json(program.name)
        child = next(row for row in events if row["event"] == "loser_text")
        same(session["lost"], child["lost"])
    same(len(path.read_text().splitlines()) + child["lost"]["tooLarge"], 1000)
    same(sum(child["lost"].values()), 200)


def run_reports_lost_events():
    def told(count):
        done = subprocess.run([tool, "run", "-o", "/dev/null", loser, "some", str(count)],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, timeout=600)
        same(done.returncode, 1)
        return done.stderr

    same(told(10), "userevents: 2 events were lost: 2 too large.\n")
    # and not that none was written
    same(told(1), "userevents: 1 event was lost: 1 too large.\n")


def processes_are_found():
    """By number, by name, by glob, and without being named."""
    name = f"f{os.getpid()}"  # no other process has it
    with running(str(folder / name), "none", env=copied(folder / name, loser)) as process:
        lines_until(process, "ready")
        expected = as_json(process.pid)
        same(len(expected), 3)
        for words in ([name], ["?" + name[1:]], [name, process.pid], ["[f]" + name[1:]]):
            same(as_json(*words), expected)
        done = subprocess.run([tool, "losses", "--json"], capture_output=True, text=True,
                              timeout=600)
        rows = map(json.loads, done.stdout.splitlines())
        same([row for row in rows if row["pid"] == process.pid], expected)


def a_name_may_look_like_a_glob():
    path = folder / f"[{os.getpid()}] a"
    with running(str(path), "none", env=copied(path, loser)) as process:
        lines_until(process, "ready")
        same(len(as_json(path.name)), 3)


def a_long_name_may_be_whole():
    path = folder / f"l{os.getpid()}_of_a_very_long_name"
    with running(str(path), "none", env=copied(path, loser)) as process:
        lines_until(process, "ready")
        same(len(as_json(path.name)), 3)


def a_deleted_program_is_read():
    path = folder / "deleted"
    with running(str(path), "none", env=copied(path, loser)) as process:
        lines_until(process, "ready")
        path.unlink()
        same(len(as_json(process.pid)), 3)


def a_missing_process_is_reported():
    losses("no_such_process", status=1, said='cannot find a process "no_such_process"')
    losses("4294967296", status=1, said='cannot find a process "4294967296"')
    with running("cat") as process:
        losses(process.pid, status=1, said="(cat): it does not use libuserevents")
    losses(process.pid, status=1, said=f'cannot find a process "{process.pid}"')
    with running(loser, "none") as process:
        lines_until(process, "ready")
        text = losses(process.pid, "no_such_process", status=1, said="cannot find a process")
        assert "lost nothing" in text, text


def an_ended_process_is_reported():
    """It is no failure if the command line does not name it."""
    process = subprocess.Popen([loser, "none"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE)
    process.stdout.read()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it keeps its number
    losses(process.pid, status=1, said="it has ended")
    done = subprocess.run([tool, "losses"], capture_output=True, text=True, timeout=600)
    assert f"process {process.pid} " not in done.stderr, done.stderr
    process.wait()


def a_mapped_library_file_is_no_session():
    """A program that only maps the file has no sessions, even if writable memory with
    other content follows the mapping."""
    code = ("import ctypes,os,sys; c=ctypes.CDLL(None); f=open(sys.argv[1],'rb'); "
            "size=os.path.getsize(sys.argv[1]); room=size+(1<<20); "
            "c.mmap.restype=ctypes.c_void_p; l=ctypes.c_long; p=ctypes.c_void_p; "
            "m=c.mmap(p(0),l(room),3,0x22,-1,l(0)); ctypes.memset(m,0x41,room); "
            "m=c.mmap(p(m),l(size),1,0x12,f.fileno(),l(0)); "
            "print('ready',flush=True); sys.stdin.read()")
    stripped = folder / "stripped.so"
    subprocess.run(["strip", "-o", str(stripped), library()], check=True)
    for path in library(), str(stripped):
        with running(sys.executable, "-c", code, path) as process:
            lines_until(process, "ready")
            losses(process.pid, status=1, said="it does not use libuserevents")


def a_full_disk_is_reported():
    with running(loser, "none") as process:
        lines_until(process, "ready")
        with open("/dev/full", "w") as full:
            done = subprocess.run([tool, "losses", str(process.pid)], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=600)
        same(done.returncode, 1)
        assert "No space left on device" in done.stderr, done.stderr


def a_process_of_another_user_is_denied():
    copy = folder / "userevents"
    shutil.copy(tool, copy)
    for name in "libuserevents.so.0", "libuserevents-decode.so.0":
        shutil.copy(pathlib.Path(library()).parent / name, folder)
    folder.chmod(0o755)
    nobody = 65534
    try:  # only root can become another user, and perhaps not in a container
        subprocess.run([str(copy), "--version"], user=nobody, stdout=subprocess.DEVNULL,
                       env={**os.environ, "LD_LIBRARY_PATH": str(folder)}, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"# another user cannot run it here: {error}")
        return
    with running(loser, "none") as process:
        lines_until(process, "ready")
        call = {"user": nobody, "env": {**os.environ, "LD_LIBRARY_PATH": str(folder)},
                "capture_output": True, "text": True, "timeout": 600}
        done = subprocess.run([str(copy), "losses", str(process.pid)], **call)
        same((done.returncode, done.stdout), (1, ""))
        assert f"cannot read process {process.pid} (loser): " in done.stderr, done.stderr
        assert "root" in done.stderr, done.stderr
        doctor = subprocess.run([str(copy), "doctor", "--pid", str(process.pid)], **call)
        same((doctor.returncode, doctor.stderr), (1, done.stderr))
        done = subprocess.run([str(copy), "losses"], **call)
        same(done.returncode, 0)
        assert "cannot show" in done.stderr, done.stderr


# Hostile processes

SANE = ("PID hostile, descriptor 3 (capture), 1 event: lost 15: 1 too large, 2 no rights, "
        "3 ring or capture full, 4 interrupted, 5 wrong descriptor or payload, or no memory\n")
HONEST = "  honest                    lost 7: 7 too large\n"
NO_EVENT = SANE.replace("1 event", "0 events")


def shown_of(way, status=0, said=""):
    with running(hostile, way) as process:
        same(process.stdout.readline(), "ready\n")
        text = losses(process.pid, status=status, said=said)
        as_json(process.pid, status=status, said=said)
        return text.replace(f"{process.pid} ", "PID ")


def valid_memory_is_read():
    same(shown_of("sane"), SANE + HONEST)
    same(shown_of("other_kind"), SANE.replace("(capture)", "(ring)") + HONEST)


def damaged_lists_are_shown_up_to_the_damage():
    for way, shown in ("wild_list", ""), ("closed_session", ""), \
            ("wild_session", SANE + HONEST), ("wild_event", SANE + HONEST), \
            ("unregistered_event", SANE + HONEST), ("wild_name", NO_EVENT), \
            ("long_name", NO_EVENT):
        same(shown_of(way, 1, "a list changed meanwhile, or is damaged"), shown)


def lists_without_an_end_are_shown_in_part():
    for way in "circle_of_sessions", "circle_of_events":
        text = shown_of(way, 1, "a list changed meanwhile, or is damaged")
        assert text.startswith("PID hostile, descriptor 3 (capture), "), text[:100]


def another_version_of_the_note_is_refused():
    same(shown_of("other_version", 1, "use the tool of that version"), "")


def a_note_without_a_loaded_library_is_ignored():
    same(shown_of("not_loaded", 1, "does not use libuserevents"), "")


def names_do_not_steer_a_terminal():
    text = shown_of("escapes").encode("utf-8", "surrogateescape")
    assert b"\x1b" not in text and b"\x7f" not in text and b"\xc2\x9b" not in text, text
    same(text.count(b"\n"), 2)


def what_changes_all_the_time_is_read():
    with running(hostile, "changing") as process:
        same(process.stdout.readline(), "ready\n")
        for _ in range(20):
            assert "descriptor 3 (capture), " in losses(process.pid)


def a_process_that_blocks_its_reader_is_skipped():
    with running(loser, "none") as slow, running(loser, "none") as other:
        for process in (slow, other):
            lines_until(process, "ready")
        text = losses(slow.pid, other.pid, status=1, said="did not arrive in time",
                      env={**os.environ, "LD_PRELOAD": stall, "STALL": str(slow.pid),
                           "ASAN_OPTIONS": "verify_asan_link_order=0"})
        same([line.split()[0] for line in text.splitlines()], [str(other.pid)])


def a_reader_that_stops_early_is_no_failure():
    """As with decode and run, only the exit status reports it, even if processes follow
    the last printed one."""
    with running(loser, "each") as process, running("cat"):
        lines_until(process, "ready")
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([tool, "losses"], stdout=writer, stderr=subprocess.PIPE,
                              text=True, timeout=600)
        os.close(writer)
        same(done.returncode, 1)
        assert "could not be written" not in done.stderr, done.stderr


def a_full_disk_is_reported_once():
    """For any number of processes."""
    with running(loser, "each") as one, running(loser, "each") as other:
        for process in (one, other):
            lines_until(process, "ready")
        with open("/dev/full", "w") as full:
            done = subprocess.run([tool, "losses", "--json", str(one.pid), str(other.pid)],
                                  stdout=full, stderr=subprocess.PIPE, text=True, timeout=600)
        same((done.returncode, done.stderr.count("cannot write the output")), (1, 1))


try:
    skip_where_nothing_can_be_read()
    run([
        every_reason_of_a_capture_is_shown,
        a_process_of_another_word_size_is_refused,
        nothing_lost_is_reported,
        written_is_recorded_and_lost, run_reports_lost_events,
        processes_are_found,
        a_name_may_look_like_a_glob,
        a_long_name_may_be_whole,
        a_deleted_program_is_read,
        a_missing_process_is_reported,
        an_ended_process_is_reported,
        a_mapped_library_file_is_no_session,
        a_full_disk_is_reported,
        a_full_disk_is_reported_once,
        a_reader_that_stops_early_is_no_failure,
        a_process_of_another_user_is_denied,
        valid_memory_is_read,
        damaged_lists_are_shown_up_to_the_damage,
        lists_without_an_end_are_shown_in_part,
        another_version_of_the_note_is_refused,
        a_note_without_a_loaded_library_is_ignored,
        names_do_not_steer_a_terminal,
        what_changes_all_the_time_is_read,
        a_process_that_blocks_its_reader_is_skipped,
    ])
finally:
    shutil.rmtree(folder)
