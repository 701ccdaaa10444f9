# SPDX-License-Identifier: MIT
"""Golden events, in the notation of tests/support/golden.h."""
import pathlib
import re


def golden_events(paths):
    """Those whose tracepoint has a name that recordings can have: [(tracepoint, bytes)]."""
    return [(name.split("\0")[0], body) for path in paths for name, body in events_of(path)
            if re.fullmatch(r"[A-Za-z0-9_.]{1,200}", name)]


def events_of(path):
    name, body = None, b""
    for line in pathlib.Path(path).read_text().splitlines() + ["event"]:
        word, _, rest = line.partition(" ")
        if word == "event":
            if name:
                yield name, body
            name, body = rest.strip(), b""
        elif word == "hex":
            body += golden_bytes(rest)


def golden_bytes(text):
    """Pairs of digits, "text", N*( ... ), # a comment; of < ... > and [ ... | ... ], the bytes
    of a little-endian machine of 64 bits."""
    found, rest = [(b"", 1)], text
    while rest := rest.strip():
        token = re.match(r'"[^"]*"|#.*|\d+\*\(|\)|[<>[]|\|[^]]*\]|[0-9a-fA-F]{2}', rest)[0]
        rest = rest[len(token):]
        if token.endswith("*("):
            found.append((b"", int(token[:-2])))
        elif token == ")":
            content, times = found.pop()
            found[-1] = (found[-1][0] + content * times, found[-1][1])
        elif token[0] not in "#<>[|":
            more = token[1:-1].encode() if token[0] == '"' else bytes.fromhex(token)
            found[-1] = (found[-1][0] + more, found[-1][1])
    return found[0][0]
