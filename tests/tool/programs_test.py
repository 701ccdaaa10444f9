#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tool and the programs that it starts for some commands. Arguments: the tool, and 1 if its
instructions may be counted."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from tap import run, same

tool = pathlib.Path(sys.argv[1]).resolve()
APART = "query", "export", "collect"
OF_LIBC = re.compile(r"(libc|libm|libdl|libpthread|ld-linux|linux-vdso|ld-musl)\b")


def call(program, *args, status=0, **more):
    done = subprocess.run([program, *args], capture_output=True, text=True, timeout=300,
                          stdin=subprocess.DEVNULL, **more)
    same((args, done.returncode, done.stderr if not status else ""), (args, status, ""))
    return done


def it_starts_with_few_libraries():
    names = [line.split()[0].rsplit("/")[-1] for line in
             subprocess.check_output(["ldd", tool], text=True).splitlines()]
    others = [name for name in names if not OF_LIBC.match(name)]
    assert len(others) <= 3, others


def it_starts_with_few_instructions():
    """The loader's work, above all. Another libc may need some more than the 0.5 million here."""
    keep = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    with tempfile.TemporaryDirectory() as own:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={own}/out", tool, "--version"],
            capture_output=True, text=True, check=True, timeout=300, env=keep)
    count = int(re.search(r"Collected : (\d+)", done.stderr)[1])
    print(f"# {count} instructions")
    assert 100_000 < count < 600_000, count


def commands_apart_are_as_others():
    for name in APART:
        same(call(tool, name, "--help").stdout, call(tool, "help", name).stdout)
        assert call(tool, name, "--help").stdout.startswith(f"Usage: userevents {name} ")
    # the arguments arrive as they were given
    assert "no format is given" in call(tool, "export", "x y", status=2).stderr


def their_programs_have_the_name_of_the_tool():
    """ps and pgrep -f show what was typed."""
    with tempfile.TemporaryDirectory() as own:
        fifo = f"{own}/fifo"
        os.mkfifo(fifo)
        child = subprocess.Popen([tool, "query", fifo, "SELECT 1"], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        with open(fifo, "wb"):  # it opened the recording
            shown = pathlib.Path(f"/proc/{child.pid}/cmdline").read_bytes().split(b"\0")
            same(shown[1:-1], [b"query", fifo.encode(), b"SELECT 1"])
        child.wait(timeout=300)


def alone_it_says_what_is_missing():
    with tempfile.TemporaryDirectory() as own:
        alone = shutil.copy(tool, own)
        environment = {**os.environ, "LD_LIBRARY_PATH": str(tool.parent.parent / "lib")}
        for name in APART:
            for args in ([name, "--help"], ["help", name], [name]):
                done = call(alone, *args, status=1, env=environment)
                same(done.stdout, "")
                same(done.stderr.splitlines(), [
                    f"userevents: cannot run {name}: userevents-{name} is not installed; install "
                    'the package that has it, or what "scripts/packages tool" prints, and build '
                    "again"])
            assert f"\n  {name} " in call(alone, "--help", env=environment).stdout
        trace = pathlib.Path(own, "trace.dat")
        trace.write_bytes(b"\x17\x08\x44tracing6\0\0\x08\0\x10\0\0")
        done = call(alone, "decode", trace, status=1, env=environment)
        assert ("it is a trace.dat file, and userevents-trace-dat, which reads such files, is not "
                "installed") in done.stderr, done.stderr


def installed_it_finds_them():
    """Beside bin/ in libexec/, wherever that is."""
    with tempfile.TemporaryDirectory() as own:
        place = pathlib.Path(own, "libexec/userevents")
        place.mkdir(parents=True)
        os.mkdir(f"{own}/bin")
        shutil.copy(tool, f"{own}/bin/userevents")
        for name in APART:
            (place / f"userevents-{name}").write_text(f'#!/bin/sh\necho "{name} $*"\nexit 7\n')
            (place / f"userevents-{name}").chmod(0o755)
            done = call(f"{own}/bin/userevents", name, "a", "b c", status=7, env={
                **os.environ, "LD_LIBRARY_PATH": str(tool.parent.parent / "lib")})
            same(done.stdout, f"{name} {name} a b c\n")


def run_alone_they_point_to_the_tool():
    for name in APART:
        said = call(tool.parent / f"userevents-{name}", status=2).stderr
        same(said, "userevents: cannot start: userevents starts this program; run userevents\n")
    assert "run userevents decode FILE" in call(tool.parent / "userevents-trace-dat",
                                                status=2).stderr


tests = [it_starts_with_few_libraries, commands_apart_are_as_others,
         their_programs_have_the_name_of_the_tool, alone_it_says_what_is_missing,
         installed_it_finds_them, run_alone_they_point_to_the_tool]
if sys.argv[2] == "1":
    tests.append(it_starts_with_few_instructions)
run(tests)
