# SPDX-License-Identifier: MIT
"""Documents whose files and commands a test compiles and runs: their blocks, and a folder
with the tool and the libraries as they were built.

As a program, "document.py PAGE FOLDER NAME..." writes files of a page into a folder.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def files(text):
    """(name, content) of each block that follows a line with only `NAME`:"""
    return re.findall(r"^`([\w./]+)`:\n\n```\w*\n(.*?)^```$", text, re.S | re.M)


def commands_of(block):
    """(command, lines of output) of each command in a block of a console."""
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        lines = part.splitlines()
        command = [lines.pop(0)]
        while lines and lines[0].startswith("> "):
            command.append(lines.pop(0)[2:])
        yield "\n".join(command), lines


def commands(text):
    """The same of all such blocks."""
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.S | re.M):
        yield from commands_of(block)


class Workshop:
    """An empty folder, in which programs find the headers and libraries by pkg-config."""

    def __init__(self, tool, tree, library, sanitizers):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.include = pathlib.Path(tree).resolve() / "include"
        self.libraries = pathlib.Path(library).resolve()
        self.flags = "" if sanitizers == "none" else f" -fsanitize={sanitizers}"
        (self.folder / ".bin").mkdir()
        (self.folder / ".bin/userevents").symlink_to(pathlib.Path(tool).resolve())
        self.describe("libuserevents", "")
        self.describe("libuserevents-decode", "Requires: libuserevents\n")

    def describe(self, package, requires):
        (self.folder / f".bin/{package}.pc").write_text(
            f"Name: {package}\nDescription: as it was built\nVersion: 0\n{requires}"
            f"Cflags: -I{self.include}{self.flags}\n"
            f"Libs: -L{self.libraries} -l{package.removeprefix('lib')}{self.flags}\n")

    def write(self, files):
        for name, content in files:
            (self.folder / name).write_text(content)

    def shell(self, command, timeout=300):
        """Without the environment's sessions, which a test could be run under."""
        env = {key: value for key, value in os.environ.items()
               if not key.startswith("USEREVENTS_") and key not in ("MAKEFLAGS", "CFLAGS")}
        return subprocess.run(
            ["bash", "-c", command], cwd=self.folder, capture_output=True, text=True,
            timeout=timeout,
            env={**env, "PATH": f"{self.folder}/.bin:{env['PATH']}",
                 "PKG_CONFIG_PATH": f"{self.folder}/.bin", "LC_ALL": "C.UTF-8",
                 "LD_LIBRARY_PATH": str(self.libraries)})

    def run(self, command, timeout=300):
        """Its output; it must succeed, and report nothing."""
        done = self.shell(command, timeout)
        assert done.returncode == 0 and not done.stderr, (command, done)
        return done.stdout

    def prints_what_it_shows(self, text):
        """Each command of a text; returns how many."""
        count = 0
        for command, lines in commands(text):
            got = self.run(command).splitlines()
            assert got == lines, f"\n  {command}\n  shows  {lines}\n  prints {got}"
            count += 1
        return count

    def remove(self):
        shutil.rmtree(self.folder)


if __name__ == "__main__":
    shown = dict(files(pathlib.Path(sys.argv[1]).read_text()))
    for name in sys.argv[3:]:
        (pathlib.Path(sys.argv[2]) / name).write_text(shown[name])
