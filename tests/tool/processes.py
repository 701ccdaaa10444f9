# SPDX-License-Identifier: MIT
"""Programs that run while the tool reads their memory."""
import contextlib
import ctypes
import subprocess
import sys

libc = ctypes.CDLL(None)
PR_SET_PTRACER = 0x59616d61


def may_be_read():
    """For a process that is not a child of the tool: under Yama, it must allow this."""
    libc.prctl(PR_SET_PTRACER, ctypes.c_ulong(-1), 0, 0, 0)


@contextlib.contextmanager
def running(*args, **kwargs):
    """The process of a program that runs until its input ends."""
    process = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               preexec_fn=may_be_read, **kwargs)
    try:
        yield process
    finally:
        process.stdin.close()
        process.stdout.read()
        process.wait(600)


def skip_where_nothing_can_be_read():
    """Yama may allow it only with CAP_SYS_PTRACE, or never."""
    with running("cat") as process:
        done = subprocess.run([sys.executable, "-c", "import sys; open(sys.argv[1], 'rb')",
                               f"/proc/{process.pid}/mem"], stderr=subprocess.DEVNULL)
    if done.returncode:
        print("1..0 # SKIP this system lets no process read another")
        sys.exit(77)


def lines_until(process, last):
    lines = []
    for line in process.stdout:
        if line.strip() == last:
            return lines
        lines.append(line.split())
    raise AssertionError(f"It ended before it said {last!r}.")
