# SPDX-License-Identifier: MIT
"""Lines of the kernel's documents, run by a shell as they are written there.

The documents are Documentation/trace/events.rst ("events") and kprobetrace.rst ("kprobes")
of Linux. Their /sys/kernel/debug/tracing is /sys/kernel/tracing here: see where().
"""
import re
import subprocess

from control import DEADLINE, get, is_6_1, put, same, tracing

assert is_6_1 in (True, False)  # for the tests


def where(line):
    return line.replace("/sys/kernel/debug/tracing", str(tracing))


def sh(line, directory=".", fails=None):
    """Runs the line of a document in a directory of tracefs; fails: the shell's error."""
    done = subprocess.run(["bash", "-c", where(line)], cwd=tracing / directory,
                          capture_output=True, timeout=DEADLINE, stdin=subprocess.DEVNULL)
    said = done.stderr.decode()
    if fails:
        assert done.returncode and fails in said, (line, done.returncode, said)
    else:
        same((line, done.returncode, said), (line, 0, ""))
    return done.stdout.decode()


def error_log(directory="."):
    """The last entry: message, command, and the position of the caret in the command."""
    *_, head, command, caret = get(f"{directory}/error_log").rstrip("\n").split("\n")
    return head.split("error: ")[-1], command[11:], caret.index("^") - 11


def is_on(event, instance="."):
    return get(f"{instance}/events/{event.replace(':', '/')}/enable").strip()


def filter_of(event, instance="."):
    return get(f"{instance}/events/{event.replace(':', '/')}/filter").rstrip("\n")


def triggers(event, instance="."):
    text = get(f"{instance}/events/{event.replace(':', '/')}/trigger")
    return [line for line in text.splitlines() if not line.startswith("#")]


def fields(event):
    """The names of an event's own fields, each with its declaration, offset and size."""
    text = get(f"events/{event.replace(':', '/')}/format")
    found = re.findall(r"field:(.+);\toffset:(\d+);\tsize:(\d+);", text)
    return {re.sub(r"\[.*", "", declaration).split()[-1]: (declaration, int(offset), int(size))
            for declaration, offset, size in found}


def all_off():
    sh("echo > set_event")
    same(get("set_event"), "")


def empty(instance="."):
    (tracing / instance / "trace").write_text("")


def trace(instance="."):
    """The recorded lines; recording stops first, as reading may be an event, too."""
    put(f"{instance}/tracing_on", "0")
    text = [line for line in get(f"{instance}/trace").splitlines()
            if not line.startswith("#")]
    put(f"{instance}/tracing_on", "1")
    return text
