# SPDX-License-Identifier: MIT
"""The pages of a build folder."""
import functools
import os
import re
import subprocess
import sys
from pathlib import Path

SOURCE, BUILD = Path(sys.argv[1]), Path(sys.argv[2])
sys.path.append(str(SOURCE / "tests/tool"))
TOOL = BUILD / "tools/userevents"
FOLDER = BUILD / "doc/man"
FILES = sorted(path for path in FOLDER.iterdir() if re.fullmatch(r"[\w-]+\.[137]", path.name))


def link_of(path):
    """The page that a page leads to, or None."""
    found = re.fullmatch(r"\.so (man\d)/(\S+)\n", path.read_text(encoding="utf-8"))
    return found and FOLDER / found[2]


PAGES = [path for path in FILES if not link_of(path)]


def page_of(name, section="3"):
    """The page of a name, through a link if there is one; None without."""
    path = FOLDER / f"{name}.{section}"
    if not path.exists():
        return None
    path = link_of(path) or path
    return path if path in PAGES else None


@functools.lru_cache(None)
def rendered(path):
    """A page as a terminal shows it, in lines wide enough for all. groff 1.24 indents less."""
    shown = subprocess.run(["man", "-E", "UTF-8", "-l", path], check=True, text=True,
                           stdout=subprocess.PIPE,
                           env={**os.environ, "MANWIDTH": "110", "LC_ALL": "C.UTF-8",
                                "MANROFFOPT": "-rBP=7n -rIN=7n"}).stdout
    return re.sub(r"\x1b\[[\d;]*m|.\x08", "", shown)


def section(text, title):
    """The lines of a section of a rendered page."""
    found = re.search(rf"^{title}\n((?:(?:[ \t].*)?\n)*)", text, re.M)
    return found[1] if found else ""


def pressed(text):
    """Text without its blanks, which depend on the width of the screen."""
    return re.sub(r"\s+", "", text)


def help_of(*words):
    return subprocess.run([TOOL, *words, "--help"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


@functools.lru_cache(None)
def commands():
    return re.findall(r"^  (\w+) {2,}\S", help_of(), re.M)


@functools.lru_cache(None)
def helps_of(command):
    """The --help texts of a command and of its subcommands."""
    first = help_of(command)
    words = re.findall(r"\b(?:[a-z]+\|)+[a-z]+\b", first.split("\n")[0])
    texts = [first]
    for word in words[0].split("|") if words else []:
        result = subprocess.run([TOOL, command, word, "--help"], text=True, check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if result.stdout.startswith(f"Usage: userevents {command} {word}"):
            texts.append(result.stdout)
    return texts
