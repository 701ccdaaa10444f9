# SPDX-License-Identifier: MIT
"""Reads a public header: its comments, and the names that each of them describes."""
import functools
import re
from pathlib import Path

INTERNAL = "/* Everything below is internal. */"
# Words in front of a function that say nothing to its caller.
HIDDEN_WORDS = re.compile(
    r'\b(UE__PUBLIC|UE__EXTERN|UE__CALLED|static|inline|extern)\s+|\bUE__INLINE\b(?=\s+\w)\s+'
    r'|__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)\s*')


class Declaration:
    """A macro, function, type or constant: its kind, its name, and its text."""

    def __init__(self, kind, name, text):
        self.kind, self.name, self.text = kind, name, text

    def parameters(self):
        """The names that the comment may describe as "NAME: text"."""
        inside = self.text[self.text.find("(") + 1:self.text.rfind(")")] if "(" in self.text else ""
        return set(re.findall(r"(\w+)\s*(?:\[\])?\s*(?:,|$)", inside))


class Entry:
    """A comment and the declarations below it."""

    def __init__(self, comment):
        self.comment, self.declarations = comment, []

    def names(self):
        return [declaration.name for declaration in self.declarations]


def comment_text(comment):
    """The text of a comment, without its stars, tabs kept behind them."""
    inside = comment[2:-2]
    if "\n" not in inside:
        return inside.strip()
    lines = [re.sub(r"^[ \t]*\* ?", "", line).rstrip() for line in inside.split("\n")]
    return "\n".join(lines).strip("\n").strip(" ")


def end_of_code(text, start):
    """The end of the declaration or function that begins at start."""
    depth, i = 0, start
    while i < len(text):
        if text.startswith("/*", i):
            i = text.index("*/", i) + 2
            continue
        if text[i] == '"':
            i = text.index('"', i + 1)
        elif text[i] in "({[":
            depth += 1
        elif text[i] in ")}]":
            depth -= 1
            if text[i] == "}" and depth == 0 and not re.match(r"\s*[;\w]", text[i + 1:i + 3]):
                return i + 1
        elif text[i] == ";" and depth == 0:
            return i + 1
        i += 1
    return len(text)


def end_of_directive(text, start):
    """The end of a preprocessor line with its continuations and trailing comments."""
    i = start
    while i < len(text) and text[i] != "\n":
        if text.startswith("/*", i):
            i = text.index("*/", i) + 2
        else:
            i += 2 if text.startswith("\\\n", i) else 1
    return i


def prototype(text):
    """A function as its caller sees it, without its body."""
    head = text[:text.index("{")] if "{" in text else text
    head = HIDDEN_WORDS.sub("", head).strip().rstrip(";").strip()
    return re.sub(r"\* (?=\w+\()", "*", re.sub(r"\s+", " ", head)) + ";"


def declaration_of(text):
    """The declaration in a piece of code; None if it is internal."""
    type_of = re.match(r"(struct|enum|union)\s+(\w+)\s*(\{|;)", text)
    if type_of:
        name, kind, shown = type_of[2], type_of[1], text
        if type_of[3] == ";":
            kind = "forward"
    elif text.startswith("typedef"):
        name = re.search(r"(\w+)\s*(\(|;)", text.replace("typedef", "", 1))[1]
        kind, shown = "typedef", text
    else:
        plain = HIDDEN_WORDS.sub("", text)
        found = re.match(r"[\w\s*]*?(\w+)\s*\(", plain)
        if not found:
            return None
        name, kind, shown = found[1], "function", prototype(text)
    return Declaration(kind, name, shown) if name.startswith("ue_") else None


def macro_of(text):
    found = re.match(r"#define\s+(\w+)(\([^)]*\))?", text)
    if not found:
        return None
    kind = "macro" if found[2] is not None else "constant"
    return Declaration(kind, found[1], found[0] if kind == "macro" else text)


def is_public(declaration, guard):
    return declaration and not re.match(r"(UE|ue)__", declaration.name) and \
        not declaration.name.startswith("ue__") and declaration.name != guard


def pieces(text):
    """What a header consists of: ("comment" | "directive" | "code", text, after a gap)."""
    i = gap = 0
    while i < len(text):
        if text[i].isspace():
            gap += text[i] == "\n"
            i += 1
            continue
        if text.startswith("/*", i):
            kind, end = "comment", text.index("*/", i) + 2
        elif text[i] == "#":
            kind, end = "directive", end_of_directive(text, i)
        elif re.match(r'extern\s+"C(\+\+)?"\s*\{|\}', text[i:]):
            kind, end = "brace", i + re.match(r'extern\s+"C(\+\+)?"\s*\{|\}', text[i:]).end()
        else:
            kind, end = "code", end_of_code(text, i)
        yield kind, text[i:end], gap > 1
        i, gap = end, 0


def with_c_comments(text):
    """A header of C++, whose comments begin with //, with those of C; without those of members."""
    def converted(found):
        lines = found[0].rstrip("\n").split("\n")
        return "/*\n" + "".join(f" *{line[2:]}\n" for line in lines) + " */\n"
    text = re.sub(r"[ \t]//.*", "", re.sub(r"^// SPDX.*\n//\n", "", text))
    return re.sub(r"(?:^//.*\n)+", converted, text, flags=re.M)


@functools.lru_cache(None)
def read_header(path):
    """The entries of a header; the first one has the comment at its head, and no more."""
    text = Path(path).read_text(encoding="utf-8").split(INTERNAL)[0]
    if Path(path).suffix == ".hpp":
        text = with_c_comments(text)
    guard = re.search(r"#ifndef (\w+_H(?:PP)?)\b", text)[1]
    entries, seen = [], set()
    for kind, piece, after_gap in pieces(text):
        if kind == "comment":
            if not piece.startswith("/* SPDX"):
                entries.append(Entry(comment_text(piece)))
            continue
        # A comment ends with the constants that are right below it.
        if piece == f"#ifndef {guard}" or after_gap and piece.startswith("#define"):
            entries.append(Entry(""))
        reads = {"directive": macro_of, "code": declaration_of}.get(kind)
        declaration = reads(piece) if reads else None
        if is_public(declaration, guard) and (declaration.kind, declaration.name) not in seen:
            seen.add((declaration.kind, declaration.name))
            entries[-1].declarations.append(declaration)
    return entries
