# SPDX-License-Identifier: MIT
"""Random filters of the event req_done, and what they pass, by an evaluation of its own.

The kernel's faults are part of it: numbers are cut to the size of the field, a glob that begins
with a digit is text, one that begins with "!" is negated, and "*END" compares with the end of
an array.
"""
import random
import re

ARRAYS = {"verb": 8, "comm": 16}
SIZES = {"id": (64, False), "status": (32, False), "delta": (64, True), "common_pid": (32, True)}
NUMBERS = {
    "id": [0, 1, 2, 7, 8, 1000, 2**32, 2**63, 2**64 - 1],
    "status": [0, 1, 200, 404, 500, 501, 2**31, 2**32 - 1, 2**32 + 200, 2**40],
    "delta": [0, 1, -1, -5, 5, 10**9, -10**9, 2**63 - 1, -2**63],
    "common_pid": [0, 1, 2**31 - 1],
}
TEXTS = {
    "path": ["/", "/api", "/api/users", "/api/a.html", "1.html", "/x", "", "nosuch"],
    "verb": ["GET", "POST", "DELETE", "CONNECT", "", "G", "CONTINUES"],
    "comm": ["requests", "request", "bash", ""],
}
GLOBS = ["/*", "/api/*", "*.html", "*a*", "*", "", "/a?i*", "[/a-c]*", "[!a-z]*", "1*", "?.html",
         "!/api*", "G*", "*T", "*E*T*", "*\\T", "???", "req*", "*sts", "*\\sts", "r*q*", "/"]
EVENTS = [  # id, status, delta, path, verb
    (1, 200, -5, "/", "GET"), (2, 404, 5, "/api", "POST"), (7, 500, 0, "/api/users", "DELETE"),
    (8, 501, -1, "/api/a.html", "CONNECT"), (1000, 0, 1, "1.html", "GET"),
    (2**32, 2**32 - 1, 2**63 - 1, "/x", "G"), (2**63, 2**31, -2**63, "/abi", "PUT"),
    (2**64 - 1, 1, 10**9, "b.html", "OPTIONS"), (0, 200, -10**9, "~!'", "T"),
]


def cut(value, bits, is_signed):
    value %= 2**bits
    return value - 2**bits if is_signed and value >= 2**(bits - 1) else value


def compare(operator, a, b, bits):
    if operator == "&":
        return bool((a % 2**bits) & (b % 2**bits))
    return {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b,
            ">=": a >= b}[operator]


def glob_expression(glob):
    """A regular expression for a glob with all its special characters."""
    text, at = "", 0
    while at < len(glob):
        one = glob[at]
        if one == "[":
            end = glob.index("]", at + 2)
            text += glob[at:end + 1].replace("[!", "[^")
            at = end
        elif one == "\\":
            at += 1
            text += re.escape(glob[at])
        else:
            text += {"*": ".*", "?": "."}.get(one, re.escape(one))
        at += 1
    return text


def matches(glob, text, room):
    if glob.startswith("!"):
        return not matches(glob[1:], text, room)
    if glob[:1].isdigit() or not re.search(r"[*?[\\]", glob):
        return glob == text
    if re.fullmatch(r"\*[^*?[\\]*", glob):
        if not room:
            return text.endswith(glob[1:])
        return text.ljust(room, "\0")[:-1].endswith(glob[1:])
    return re.fullmatch(glob_expression(glob), text, re.DOTALL) is not None


class Comparison:
    def __init__(self, source, has_text):
        self.field = source.choice([*NUMBERS, *(TEXTS if has_text else ["comm"])])
        if self.field in NUMBERS:
            self.operator = source.choice(["==", "!=", "<", "<=", ">", ">=", "&"])
            self.value = source.choice(NUMBERS[self.field])
            written = [str(self.value)] + ([hex(self.value), "0" + oct(self.value)[2:]]
                                           if self.value > 0 else [])
            self.written = source.choice(written)
        else:
            self.operator = source.choice(["==", "!=", "~"])
            self.value = source.choice(GLOBS if self.operator == "~" else TEXTS[self.field])
            quote = source.choice("'\"")
            self.written = f"{quote}{self.value}{quote}"
        self.blank = source.choice(["", " "])

    def text(self, _):
        return f"{self.field}{self.blank}{self.operator}{self.blank}{self.written}"

    def holds(self, event):
        if self.field in NUMBERS:
            bits, is_signed = SIZES[self.field]
            return compare(self.operator, event[self.field], cut(self.value, bits, is_signed),
                           bits)
        if self.operator == "~":
            return matches(self.value, event[self.field], ARRAYS.get(self.field))
        return (self.value == event[self.field]) == (self.operator == "==")


class Joined:
    def __init__(self, source, has_text, depth):
        self.joint = source.choice(["&&", "||"])
        self.parts = [tree(source, has_text, depth - 1) for _ in range(source.randint(2, 3))]
        self.is_bare = source.random() < 0.7

    def text(self, around):
        inner = f" {self.joint} ".join(part.text(self.joint) for part in self.parts)
        may_be_bare = around is None or (self.joint, around) == ("&&", "||")
        return inner if may_be_bare and self.is_bare else f"({inner})"

    def holds(self, event):
        return (all if self.joint == "&&" else any)(part.holds(event) for part in self.parts)


class Not:
    def __init__(self, source, has_text, depth):
        self.part = tree(source, has_text, depth - 1)

    def text(self, _):
        return f"!{self.part.text('!')}"

    def holds(self, event):
        return not self.part.holds(event)


def tree(source, has_text, depth):
    kind = source.random()
    if not depth or kind < 0.4:
        return Comparison(source, has_text)
    return (Not if kind < 0.55 else Joined)(source, has_text, depth)


def filters(seed, count, has_text):
    source = random.Random(seed)
    return [tree(source, has_text, 3) for _ in range(count)]


def broken(source, text):
    """The text with a word left out, doubled, exchanged or replaced."""
    words = re.findall(r"\w+|\s+|\"[^\"]*\"|'[^']*'|[^\w\s]", text)
    at = source.randrange(len(words))
    word = source.choice(["&&", "||", "!", "(", ")", "==", "=", "<", "~", "&", "1", "-1", "x", "'a'",
                          "id", "path", "\"", ".ustring", " "])
    words[at:at + 1] = source.choice([[], [words[at]] * 2, [word], [words[at], word]])
    return "".join(words)
