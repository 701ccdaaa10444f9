# SPDX-License-Identifier: MIT
"""A file in C: its calls, directives and edits. Comments, strings and directives are blanked, so
that a call is found only where the compiler would see one."""
import bisect
import difflib
import pathlib
import re

TOKENS = re.compile(r'/\*.*?\*/|//(?:\\\n|[^\n])*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
NAME = re.compile(r"[A-Za-z_]\w*\Z")


class Left(Exception):
    """The reason why a call stays as it is."""


# A rule raises these for a call that lacks arguments, or has others than its library takes.
WRONG = (IndexError, KeyError, TypeError, ValueError)
NOT_ITS_ARGUMENTS = "its arguments are not those that its library takes"


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


class File:
    def __init__(self, path):
        # Bytes that are no UTF-8 stay as they are, and so do the ends of lines.
        self.path, text = path, pathlib.Path(path).read_bytes().decode(errors="surrogateescape")
        self.newline = "\r\n" if text.count("\r\n") == text.count("\n") else "\n"
        self.text = text.replace(self.newline, "\n")
        self.spaced = TOKENS.sub(lambda m: '"' + blank(m)[1:-1] + '"' if m.group()[0] == '"'
                                 else blank(m), self.text)
        self.code = DIRECTIVE.sub(blank, self.spaced)
        self.edits, self.lines = [], [m.end() for m in re.finditer("\n", self.text)]
        self.writes = False  # does it need the session?

    def line(self, at):
        return bisect.bisect_right(self.lines, at) + 1

    def replace(self, start, end, text):
        self.edits.append((start, end, len(self.edits), text))

    def calls(self, pattern):
        """(start, end, name, arguments) of each macro call."""
        for match in re.finditer(rf"\b({pattern})\s*\(", self.code):
            end, starts = self.closing(match.end())
            if end:
                yield match.start(), end, match[1], [
                    TOKENS.sub(lambda m: m.group() if m.group()[0] in "\"'" else " ",
                               self.text[a:b]).strip()
                    for a, b in zip(starts, [s - 1 for s in starts[1:]] + [end - 1])]

    def closing(self, at):
        depth, starts = 0, [at]
        for i in range(at, len(self.code)):
            c = self.code[i]
            if c in "([{":
                depth += 1
            elif c in ")]}" and depth:
                depth -= 1
            elif c == ")":
                return i + 1, starts
            elif c == "," and not depth:
                starts.append(i + 1)
        return 0, []

    def includes(self, name):
        return re.search(rf'^[ \t]*#[ \t]*include[ \t]*[<"](?:[^">\n]*/)?{re.escape(name)}[>"]'
                         r'[^\n]*', self.text, re.M)

    def after_includes(self):
        """The end of the last one that is not conditional, apart from a header's guard."""
        depth, found = 0, []
        for match in DIRECTIVE.finditer(self.spaced):
            word = re.match(r"\s*#\s*(\w*)", match.group())[1]
            depth += word.startswith("if") - (word == "endif")
            if word == "include":
                found.append((depth, match.end()))
        least = min(found, default=(0, 0))[0]
        return max((end for at, end in found if at == least), default=0)

    def before_definition(self, at):
        """The start of the function around a place."""
        depth, ends, start = 0, 0, 0
        for match in re.finditer(r"[{};]|\n", self.code[:at]):
            c, i = match.group(), match.start()
            if c == "{":
                if not depth and re.search(r'(extern\s*"\s*"|namespace[\s\w:]*)\s*\Z',
                                           self.code[ends:i]):
                    ends = i + 1
                    continue
                start = start if depth else ends
                depth += 1
            elif c == "}" and depth:
                depth -= 1
                ends = i + 1
            elif c in ";}" and not depth:
                ends = i + 1
            elif c == "\n" and not depth and self.spaced[ends:i].lstrip()[:1] == "#":
                ends = i
        start = start if depth else ends
        while start < at and self.text[start] in " \t\n":
            start += 1
        return self.text.rfind("\n", 0, start) + 1

    def indentation(self, at):
        return re.match(r"[ \t]*", self.text[self.text.rfind("\n", 0, at) + 1:at])[0]

    def turned(self):
        text = self.text
        for start, end, _, new in sorted(self.edits, reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def write(self):
        text = self.turned().replace("\n", self.newline)
        pathlib.Path(self.path).write_bytes(text.encode(errors="surrogateescape"))

    def patch(self):
        """Lines of a unified diff. Only those of the files have the files' ends."""
        old, new = (text.split("\n") for text in (self.text, self.turned()))
        ends = [[line + self.newline for line in lines[:-1]] + [line for line in lines[-1:] if line]
                for lines in (old, new)]
        for line in difflib.unified_diff(*ends, f"a/{self.path}", f"b/{self.path}"):
            yield line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"


def parts(text):
    """The calls that a text consists of."""
    inner = File.__new__(File)
    inner.text = text
    inner.spaced = inner.code = TOKENS.sub(
        lambda m: '"' + blank(m)[1:-1] + '"' if m.group()[0] == '"' else blank(m), text)
    at = 0
    for start, end, name, arguments in inner.calls(r"[A-Za-z_]\w*"):
        if start < at:
            continue
        if inner.code[at:start].strip():
            raise Left(f"cannot read {text[at:start].strip()}")
        at = end
        yield name, arguments
    if inner.code[at:].strip():
        raise Left(f"cannot read {text[at:].strip()}")


def name_of(text):
    """The content of a string literal."""
    match = re.fullmatch(r'"((?:\\.|[^"\\])*)"', text)
    if not match:
        raise Left(f"the name is not a string: {text}")
    return match[1]
