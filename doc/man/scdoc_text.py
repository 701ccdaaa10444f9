# SPDX-License-Identifier: MIT
"""Plain text as scdoc, in which some characters have a meaning."""
import re


def escape(text):
    """Text that shows as it is."""
    text = re.sub(r"([\\*_])", r"\\\1", text)
    return re.sub(r"^([\[\]|#.\-`])", r"\\\1", text)


def prose(text):
    """Escaped text in one line, with the names of functions in bold."""
    text = escape(re.sub(r"\s+", " ", text.strip()))
    return re.sub(r"(?<![\w\\])(ue(?:\\_\w+)+)\(\)", r"*\1*()", text)


def literal(lines, column=0):
    """Lines that keep their breaks and blanks. column: the one that they began in."""
    shown = [(" " * column + line).expandtabs(8)[column:] for line in lines]
    shown = [line.replace("\\", "\\\\").replace("```", "'''") for line in shown]
    while shown and not shown[0].strip():
        shown.pop(0)
    while shown and not shown[-1].strip():
        shown.pop()
    if not shown:
        return ""
    margin = min(len(line) - len(line.lstrip()) for line in shown if line.strip())
    return "```\n" + "\n".join(line[margin:].rstrip() for line in shown) + "\n```\n\n"


def indented(block, by=1):
    """A block of scdoc, further to the right."""
    return "".join("\t" * by + line if line.strip() else line
                   for line in block.splitlines(keepends=True))
