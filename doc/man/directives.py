# SPDX-License-Identifier: MIT
"""The directives of the templates: lines that begin with @ and become scdoc."""
import fnmatch
import re
from pathlib import Path

import help_text
from comments import blocks_of, items_of, show_comment
from headers import read_header
from scdoc_text import escape, indented, literal, prose

CALLS = {"OPEN": "ue_open", "CLOSE": "ue_close", "REGISTER": "ue_register",
         "UNREGISTER": "ue_unregister", "DELETE": "ue_delete", "WRITE": "ue_write",
         "BUILD": "ue_payload_...(), ue_builder_..."}


class Page:
    """One page that is being made. links: the other names that lead to it."""

    def __init__(self, source, tool, title):
        self.source, self.tool, self.title = Path(source), tool, title
        self.links, self.shown_names, self.synopsis, self.includes = [], [], [], []

    def header(self, name):
        return read_header(self.source / "include/userevents" / name)

    def entries(self, name, patterns):
        """The entries of a header that have a declaration of these names, in that order."""
        chosen = []
        entries = self.header(name)
        for pattern in patterns:
            fitting = [entry for entry in entries
                       if any(fnmatch.fnmatchcase(each, pattern) for each in entry.names())]
            if not fitting:
                raise SystemExit(f"page: cannot describe {pattern}: include/userevents/{name} "
                                 f"has no such name; correct doc/man/{self.title}")
            chosen += [entry for entry in fitting if entry not in chosen]
        return chosen

    def take_names(self, declarations, in_name):
        for declaration in declarations:
            if declaration.name not in self.links and declaration.kind != "forward":
                self.links.append(declaration.name)
            if in_name and declaration.kind in ("function", "macro", "typedef") and \
                    declaration.name not in self.shown_names:
                self.shown_names.append(declaration.name)


def wrap(prototype):
    """A prototype, broken after commas like the headers."""
    head, _, rest = prototype.partition("(")
    margin = " " * min(len(head) + 1, 30)
    lines = [head + "("]
    for part in re.split(r"(?<=,) ", rest):
        if len(lines[-1]) + len(part) > 76:
            lines.append(margin)
        elif not lines[-1].endswith("("):
            lines[-1] += " "
        lines[-1] += part
    return "\n".join(line.rstrip() for line in lines)


def usage_of(macro, comment):
    """A macro as it is written, from its comment where the definition has only "..."."""
    if "..." not in macro.text:
        return re.sub(r"\s+", " ", macro.text.replace("#define ", ""))
    found = re.search(rf"\b{macro.name}\([^()]*\)", comment)
    return re.sub(r"\s+", " ", found[0]) if found else f"{macro.name}(...)"


def show_declaration(declaration, comment):
    if declaration.kind == "function":
        return wrap(declaration.text)
    if declaration.kind == "macro":
        return wrap(usage_of(declaration, comment))
    return declaration.text


def without_internals(declaration):
    """A type without the members that belong to the library."""
    text = declaration.text
    if declaration.kind != "struct":
        return text
    own = re.search(r"\n\s*/\* The rest belongs to the library. \*/\n", text)
    if own:
        return text[:own.end()] + "\t...\n};"
    members = re.sub(r"/\*.*?\*/", "", text[text.find("{") + 1:text.rfind("}")], flags=re.S)
    members = re.sub(r"\{[^{}]*\}", "", members).split(";")[:-1]
    if members and all(re.search(r"\bue__\w+\s*(\[.*\])?\s*$", each) for each in members):
        return f"struct {declaration.name} {{ ... }};"
    return text


def code(declarations):
    """Types and constants as the header has them."""
    between = "\n" if all(each.kind == "constant" for each in declarations) else "\n\n"
    return literal(between.join(without_internals(each) for each in declarations).split("\n"))


def heading(declarations):
    """The title of a section about these declarations."""
    names = []
    for each in declarations:
        if each.kind in ("function", "macro"):
            names.append(f"{each.name}()")
        elif each.kind in ("struct", "enum", "union", "forward"):
            names.append(f"{each.text.split()[0]} {each.name}")
        else:
            names.append(each.name)
    first = names[0]
    if len(names) > 4:
        names = names[:1] + ["..."] + names[-1:]
    return escape(", ".join(names) if len(names) > 1 else first)


def describe(page, words):
    """@describe HEADER NAME...: what the header says about these names, PATTERNs too."""
    shown = ""
    for entry in page.entries(words[0], words[1:]):
        declarations = [each for each in entry.declarations if each.kind != "forward" or
                        len(entry.declarations) == 1]
        page.take_names(declarations, True)
        parameters = set().union(*(each.parameters() for each in declarations))
        for usage in re.findall(r"\bUE_\w+\(([^()]*)\)", entry.comment):
            parameters |= set(re.findall(r"\w+", usage))
        shown += f"## {heading(declarations)}\n\n"
        called = [each for each in declarations if each.kind in ("function", "macro")]
        page.synopsis += [show_declaration(each, entry.comment) for each in called]
        shown += show_comment(entry.comment, parameters)
        shown += code([each for each in declarations if each not in called])
    return shown


def name_words(page, words):
    """@name HEADER NAME...: names that the overview of the header describes."""
    for entry in page.header(words[0]):
        page.take_names([each for each in entry.declarations if
                         any(fnmatch.fnmatchcase(each.name, pattern) for pattern in words[1:])],
                        True)
    return ""


def overview(page, words):
    """@overview HEADER: the comment at the head of a header."""
    return show_comment(page.header(words[0])[0].comment, set())


def comment(page, words):
    """@comment HEADER WORDS...: a comment about no declaration, which begins so."""
    beginning = " ".join(words[1:])
    for entry in page.header(words[0]):
        if entry.comment.startswith(beginning) and not entry.declarations:
            return show_comment(entry.comment, set())
    raise SystemExit(f"page: cannot find a comment of {words[0]} that begins with: {beginning}")


def include(page, words):
    """@include HEADER: for the synopsis."""
    page.includes.append(words[0])
    return ""


def example(page, words):
    """@example FILE: a program of examples/, which the tests build and run."""
    text = (page.source / words[0]).read_text(encoding="utf-8")
    text = re.sub(r"^(/\* SPDX-License-Identifier: MIT \*/|// SPDX-License-Identifier: MIT\n//)\n", "",
                  text)
    return literal(text.split("\n"))


def tool(page, words):
    """@tool COMMAND [SUBCOMMAND...]: name, usage, description, options from --help."""
    command = words[0]
    sentence = help_text.commands(page.tool)[command].rstrip(".")
    sentence = sentence[0].lower() + sentence[1:]
    texts = [help_text.Help(help_text.ask(page.tool, *each)) for each in
             [[command]] + [[command, sub] for sub in words[1:]]]
    shown = f"# NAME\n\nuserevents-{command} - {prose(sentence)}\n\n# SYNOPSIS\n\n"
    shown += literal([line for text in texts for line in text.usage])
    shown += "# DESCRIPTION\n\n" + help_text.paragraphs(texts[0].about)
    if texts[0].options:
        shown += "# OPTIONS\n\n" + help_text.show_options(texts[0].options)
    for sub, text in zip(words[1:], texts[1:]):
        shown += f"# {command.upper()} {sub.upper()}\n\n" + help_text.paragraphs(text.about)
        shown += help_text.show_options(text.options)
    if "exit status" not in " ".join(texts[0].about):
        shown += "# EXIT STATUS\n\n0 for success, 1 for a failure, 2 for wrong usage.\n\n"
    return shown


def command_list(page, _):
    """@commands: the commands of the tool, each with its page."""
    return "".join(f"*userevents-{name}*(1)\n" + indented(f"{prose(sentence)}\n\n")
                   for name, sentence in help_text.commands(page.tool).items())


def command_pages(page, _):
    """@command-pages: references to them."""
    return ", ".join(f"*userevents-{name}*(1)" for name in help_text.commands(page.tool)) + ",\n"


def errors(page, words):
    """@errors CALL: the sentences of ue_explain() for a call."""
    text = (page.source / "lib/describe/explain.c").read_text(encoding="utf-8")
    shown = ""
    seen = set()
    for call, error, strings in re.findall(
            r"\{ UE_CALL_(\w+), (-E\w+),((?:\s*\"[^\"]*\")+) \}", text):
        if call == words[0] and error not in seen:
            seen.add(error)
            sentence = "".join(re.findall(r'"([^"]*)"', strings))
            shown += f"*{error}*\n" + indented(f"{prose(sentence)}.\n\n")
    if not shown:
        raise SystemExit(f"page: cannot list errors of {words[0]}: explain.c has none")
    return f"## {escape(CALLS[words[0]])}()\n\n" + shown


def kernel_errors(page, _):
    """@kernel-errors: the errors of functions whose cause depends on the kernel."""
    shown = ""
    for name in ("session.h", "event.h", "write.h", "status_set.h"):
        for entry in page.header(name):
            lines = [line for block in blocks_of(entry.comment) for line in block]
            for kind, term, text in items_of(lines):
                if kind == "error" and re.search(r"Linux|\b[56]\.\d|CONFIG_", text):
                    shown += f"*{escape(entry.names()[0])}*() *{escape(term)}*\n" + \
                        indented(f"{prose(text).rstrip(';.')}.\n\n")
    return shown


def plain_markdown(text):
    text = re.sub(r"\[([^\]]*)\]\(([^)]*)\)", r"\1", text)
    return text.replace("`", "")


def cells_of(row):
    return [plain_markdown(cell.strip()).strip(" |") for cell in row.strip("|").split(" | ")]


def table(page, words):
    """@table FILE HEADING...: the rows of the tables below a heading of a document."""
    text = (page.source / words[0]).read_text(encoding="utf-8")
    section = text.split(f"## {' '.join(words[1:])}\n")[1].split("\n## ")[0]
    shown = ""
    for head, rows in re.findall(r"^(\|.*)\n\|[-|]*\n((?:\|.*\n?)+)", section, re.M):
        if shown:  # what another table is of
            shown += f"{prose(cells_of(head)[0].capitalize())}:\n\n"
        for row in rows.splitlines():
            cells = cells_of(row)
            rest = ": ".join(cell for cell in cells[1:] if cell)
            shown += f"*{escape(cells[0])}*\n" + indented(f"{prose(rest)}\n\n")
    return shown


def bullets(page, words):
    """@bullets FILE HEADING...: the list below a heading of a document."""
    text = (page.source / words[0]).read_text(encoding="utf-8")
    section = text.split(f"## {' '.join(words[1:])}\n")[1].split("\n## ")[0]
    items = re.findall(r"^- (.*(?:\n  .*)*)", section, re.M)
    return "".join(f"- {prose(plain_markdown(item))}\n" for item in items) + "\n"


def picture(page, _):
    """@picture: the one of the README."""
    text = (page.source / "README.md").read_text(encoding="utf-8")
    return literal(text.split("```\n")[1].split("\n"))


DIRECTIVES = {
    "bullets": bullets, "command-pages": command_pages, "commands": command_list,
    "comment": comment, "describe": describe, "errors": errors, "example": example,
    "include": include, "kernel-errors": kernel_errors, "name": name_words,
    "overview": overview, "picture": picture, "table": table, "tool": tool,
}
