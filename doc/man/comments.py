# SPDX-License-Identifier: MIT
"""Turns the comment of a public declaration into scdoc.

Comments follow CONTRIBUTING.md: paragraphs; "NAME: text" for a parameter; "Returns ..." and
the errors below it; a sentence about threads and signal handlers; "Since VERSION."
"""
import errno
import os
import re

from scdoc_text import escape, indented, literal, prose

ERROR = re.compile(r"^(?:  |\t)(-E[A-Z0-9]+(?:, -E[A-Z0-9]+)*)(?:(?:  +|\t+)(.*)|[;.]?)$")
BULLET = re.compile(r"^ {2}- (.*)$")
ENDS = re.compile(
    r"(?:^|(?<=[.;])\s+)((?:Any\s+thread|One\s+thread|Not\s+in\s+signal\s+handlers"
    r"|Signal\s+handlers\s+too|Leaves\s+errno|Threads\s+and\s+signals\s+as|Since)\b.*)$",
    re.S)
SINCE = re.compile(r"\s*\bSince\s+(\d[\d.]*\d)\.\s*$")
RETURNS = re.compile(r"(?:^|(?<=[.:])\s)Returns\b")


def blocks_of(comment):
    """Paragraphs, as lists of lines; an indented piece of text keeps its empty lines."""
    blocks = []
    for block in re.split(r"\n\n", comment):
        lines = block.split("\n")
        if blocks and is_literal(blocks[-1]) and is_literal(lines):
            blocks[-1] += [""] + lines
        else:
            blocks += split_literal(lines)
    return blocks


def is_literal(lines):
    return all(is_literal_line(line) or not line for line in lines) and \
        not any(ERROR.match(line) for line in lines)


def is_literal_line(line):
    """Code, or a row of a table."""
    return line.startswith("\t") or bool(re.match(r"^ {2}\w[^\t]*\t", line))


def split_literal(lines):
    """Cuts a paragraph where indented text begins or ends."""
    parts = []
    in_error = False
    for line in lines:
        in_error = bool(ERROR.match(line)) or in_error and line.startswith("\t\t")
        kind = is_literal_line(line) and not in_error
        if parts and parts[-1][0] == kind:
            parts[-1][1].append(line)
        else:
            parts.append((kind, [line]))
    return [part for _, part in parts]


def items_of(lines):
    """Cuts lines into plain text, errors and bullets: (kind, term, text)."""
    items = [["text", "", ""]]
    for line in lines:
        error, bullet = ERROR.match(line), BULLET.match(line)
        if error:
            items.append(["error", error[1], error[2] or ""])
        elif bullet:
            items.append(["bullet", "", bullet[1]])
        elif items[-1][0] == "error" and re.match(r"^ {2}\w", line):
            items.append(["also", "", line])
        elif items[-1][0] == "error" and not re.match(r"^(\s{3}|\t)", line):
            items.append(["text", "", line])
        elif items[-1][0] == "bullet" and not line.startswith("    "):
            items.append(["text", "", line])
        else:
            items[-1][2] += "\n" + line
    return [item for item in items if item[1] or item[2].strip()]


def names_of(errors):
    """The C library's texts of errors that the comment only names."""
    numbers = [getattr(errno, each.lstrip("-")) for each in errors.split(", ")]
    return "; ".join(os.strerror(number) for number in numbers)


def show_items(items):
    shown = ""
    for index, (kind, term, text) in enumerate(items):
        if kind == "error":
            shown += f"*{escape(term).replace(', ', '*, *')}*\n"
            text = text.strip().rstrip(";")
            shown += f"\t{prose(text or names_of(term))}\n\n"
        elif kind == "bullet":
            last = index + 1 == len(items) or items[index + 1][0] != "bullet"
            shown += f"- {prose(text).rstrip(';')}\n" + ("\n" if last else "")
        else:
            shown += f"{prose(text)}\n\n"
    return shown


def parameters_of(lines, names):
    """The parameters that a paragraph describes: (names, lines); None for other text."""
    found = []
    for line in lines:
        start = re.match(r"^(\w+(?:, \w+)*): (.*)$", line)
        if start and set(start[1].split(", ")) <= names:
            found.append((start[1], []))
            line = start[2]
        elif not found:
            return None
        # One line may describe several.
        for following in re.finditer(r"[.;] (\w+(?:, \w+)*): ", line):
            if set(following[1].split(", ")) <= names:
                before, line = line.split(following[0], 1)
                found[-1][1].append(before + following[0][0])
                found.append((following[1], []))
        found[-1][1].append(line)
    return found


def show_parameters(found):
    shown = ""
    for names, lines in found:
        term = ", ".join(f"_{escape(name)}_" for name in names.split(", "))
        shown += f"{term}\n" + indented(show_items(items_of(lines)))
    return shown


# The page about what a header has: a reader of pages looks for pages.
PAGES = {
    "bindings.h": "ue_event_new(3)",
    "builder.h": "ue_builder_begin(3)",
    "capture.h": "ue_capture_open(3)",
    "eventheader_event.h": "UE_EVENTHEADER(3)",
    "eventheader_fields.h": "ue_eventheader_fields(3)",
    "eventheader_name.h": "ue_eventheader_name(3)",
    "fields.h": "ue_fields(3)",
    "logger.h": "UE_SYSLOG(3)",
    "loss.h": "ue_event_losses(3)",
    "printf.h": "UE_PRINTF(3)",
    "ring.h": "ue_ring_create(3)",
    "status_set.h": "ue_status_set(3)",
    "tracepoint.h": "ue_tracepoint_init(3)",
}


def with_pages(comment):
    """A comment that refers to pages in place of headers."""
    return re.sub(r"(?<![\w/])(\w+\.h)\b(?!>)",
                  lambda found: PAGES.get(found[1], found[1]), comment)


class Parts:
    """A comment, sorted."""

    def __init__(self, comment, names):
        self.text, self.parameters, self.returns = "", "", ""
        self.safety, self.since = [], ""
        for lines in blocks_of(comment):
            self.add(lines, names)

    def add(self, lines, names):
        if is_literal(lines):
            self.text += literal(lines, len(" * "))
            return
        lines = self.take_ends(lines)
        if not lines:
            return
        text = "\n".join(lines)
        start = RETURNS.search(text)
        if start:
            before = text[:start.start()].rstrip()
            self.add_text(before.split("\n") if before else [], names)
            self.returns += show_items(items_of(text[start.start():].lstrip().split("\n")))
        else:
            self.add_text(lines, names)

    def add_text(self, lines, names):
        for index in range(len(lines)):
            found = parameters_of(lines[index:], names)
            if found:
                self.text += show_items(items_of(lines[:index]))
                self.parameters += show_parameters(found)
                return
        self.text += show_items(items_of(lines))

    def take_ends(self, lines):
        """Takes the sentences about safety and version off the end of a paragraph."""
        text = "\n".join(lines)
        ends = ENDS.search(text)
        while ends and any(ERROR.match(line) for line in ends[1].split("\n")):
            ends = ENDS.search(text, ends.end(1) - len(ends[1]) + 1)
        if not ends:
            return lines
        tail = ends[1]
        since = SINCE.search(tail)
        if since:
            self.since, tail = since[1], tail[:since.start()]
        if tail.strip():
            self.safety.append(tail.strip())
        return text[:ends.start()].rstrip().split("\n") if ends.start() else []


def show_comment(comment, names):
    """A comment as scdoc: text, parameters, result, safety, version."""
    parts = Parts(with_pages(comment), names)
    shown = parts.text
    if parts.parameters:
        shown += "*Parameters*\n\n" + indented(parts.parameters)
    if parts.returns:
        shown += "*Return value*\n\n" + indented(parts.returns)
    if parts.safety:
        shown += "*Threads and signals*\n\n" + \
            indented(f"{prose(' '.join(parts.safety))}\n\n")
    if parts.since:
        shown += f"Since version {parts.since}.\n\n"
    return shown
