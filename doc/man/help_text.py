# SPDX-License-Identifier: MIT
"""Turns the --help text of a command into scdoc, word by word."""
import functools
import re
import subprocess

from scdoc_text import escape, indented, literal, prose

OPTION = re.compile(r'^ {2,6}((?:-\w, )?--[\w-]+)(?: ("[^"]*"|\S+))?(?: +(.*))?$')


@functools.lru_cache(None)
def ask(tool, *words):
    """The text of --help."""
    return subprocess.run([*tool, *words, "--help"], check=True, text=True,
                          stdout=subprocess.PIPE, stdin=subprocess.DEVNULL).stdout


def commands(tool):
    """The commands of the tool's own list: {name: sentence}."""
    return dict(re.findall(r"^  (\w+) {2,}(\S.*)$", ask(tool), re.M))


class Help:
    """A help text: usage lines, what stands before the options, the options, and examples,
    of which the page has its own."""

    def __init__(self, text):
        self.usage, self.about, self.options, self.examples = [], [], [], []
        part = self.usage
        for line in text.rstrip("\n").split("\n"):
            if line.startswith("Usage: ") or part is self.usage and line.startswith(" " * 7):
                line = line[len("Usage: "):]
            elif line == "Options:":
                part = self.options
                continue
            elif line == "Examples:":
                part = self.examples
                continue
            elif not line and part is self.usage:
                part = self.about
                continue
            part.append(line)


def paragraphs(lines):
    """Text; indented lines stay as they are."""
    shown, kept, text = "", [], []
    for line in lines + [""]:
        if text and (not line or line.startswith("  ")):
            shown += f"{prose(' '.join(text))}\n\n"
            text = []
        if line.startswith("  ") or not line and kept:
            kept.append(line)
        elif line:
            shown += literal(kept)
            kept = []
            text.append(line)
    return shown + literal(kept)


def split_option(line):
    """The term and the text of the first line of an option."""
    if len(line) > 27 and line[26] == " " and line[27] != " " and line[25] == " ":
        return line[:26].strip(), line[27:].strip()
    flags, argument, text = OPTION.match(line).groups()
    alone = argument is None or re.match(rf"^ +{re.escape(flags)} {{2,}}", line)
    return (flags, f"{argument or ''} {text or ''}".strip()) if alone else \
        (f"{flags} {argument}", text or "")


def options(lines):
    """(term, text) of each option; a line that is none becomes (None, line)."""
    found = []
    for line in lines:
        if OPTION.match(line):
            found.append(list(split_option(line)))
        elif found and line.startswith(" " * 10):
            found[-1][1] += " " + line.strip()
        elif line.strip():
            found.append([None, line.strip()])
    return found


def show_term(term):
    """Options in bold, what they take underlined."""
    flags = re.match(r"^((?:-\w, )?--[\w-]+)(?: (.*))?$", term)
    shown = ", ".join(f"*{escape(flag)}*" for flag in flags[1].split(", "))
    return shown + (f" {prose(flags[2])}" if flags[2] else "")


def show_options(lines):
    shown = ""
    for term, text in options(lines):
        shown += f"{show_term(term)}\n" + indented(f"{prose(text)}\n\n") if term else \
            f"{prose(text)}\n\n"
    return shown
