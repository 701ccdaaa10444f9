#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is printed selects its event: every kind of value, in each spelling of each command.

An event for each encoding and format of tests/golden/values.table, and for each type of a
classic event, has one field, v. What decode, stat --by, hist, query and export print for it is
asked for with --where, and with SQL in query. Arguments: the tool, and the table."""
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

from recordings import EVENTHEADER, Recording, eventheader
from tap import run, same

tool, table = sys.argv[1:]
folder = pathlib.Path(tempfile.mkdtemp())
FLOAT32, TEXT, COUNTED, ERRNO, HEX, TIME, BOOLEAN = (
    (4, 8), (7, 0), (10, 0), (4, 4), (5, 3), (4, 6), (4, 7))
AT_ONCE = 400  # comparisons; an expression has 1,024 at most


def payload_of(column):
    """Hex, and text in quotes."""
    out = b""
    for text, digits in re.findall(r'"([^"]*)"|([0-9a-f]{2})', column):
        out += text.encode() if text or not digits else bytes.fromhex(digits)
    return out


def formats_of(column):
    for part in column.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def rows_of_table():
    """(encoding, format, payload)"""
    for line in pathlib.Path(table).read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        kinds, little = (column.strip() for column in line.split("|")[:2])
        encoding, formats = kinds.split()
        for number in formats_of(formats):
            yield int(encoding), number, payload_of(little)


def counted(text):
    return struct.pack("<H", len(text)) + text


def more_rows():
    for number in (0.1, 1.1, 16777217e3, 1e-45, 3.4028235e38, 0.5, -0.3, 123456.79):
        yield *FLOAT32, struct.pack("<f", number)
    for text in (b"a\"'b", b"\\", b"a\\nb", b"a\nb\t", b"\"", b"'", b"null", b"nan", b"inf", b"17",
                 b"0xFF", b"true", b"ENOENT(2)", b"a && b", b"2026-01-31T12:00:00Z",
                 "e\u0301 \u20ac \U0001f600".encode(), "\u202etxt\u200b".encode(), b"x" * 300):
        yield *TEXT, text + b"\0"
    for text in (b"x\0y", b"\0", b"x", b""):
        yield *COUNTED, counted(text)
    for number in range(0, 200):
        yield *ERRNO, struct.pack("<i", number)
    for number in (2**63, 2**63 + 1, 2**64 - 1, 9300000000000000000, 10**19, 2**63 - 1):
        yield *HEX, struct.pack("<Q", number)
        yield 5, 0, struct.pack("<Q", number)
    for number in (951826596, -2**31, 2**31 - 1):
        yield *TIME, struct.pack("<i", number)
    for number in (0, 1, 2, -1, -2**31):
        yield *BOOLEAN, struct.pack("<i", number)


CLASSIC = [("u8", 1, 0, "<B", 200), ("s8", 1, 1, "<b", -100), ("u16", 2, 0, "<H", 65535),
           ("s16", 2, 1, "<h", -5), ("u32", 4, 0, "<I", 2**32 - 1), ("s32", 4, 1, "<i", -2**31),
           ("u64", 8, 0, "<Q", 2**64 - 1), ("s64", 8, 1, "<q", -2**63), ("bool", 1, 0, "<B", 1),
           ("float", 4, 1, "<f", 0.1), ("double", 8, 1, "<d", 0.1), ("char[8]", 8, 0, "8s", b"a\"b"),
           ("__rel_loc char[]", 4, 0, "<I2s", ((3 << 16), b"ab")),
           ("u8[4]", 4, 0, "4s", b"\1\2\3\xff")]


def make():
    """The file, and the number of events, which are called E0, E1, ..."""
    recording = Recording()
    shop = recording.event("user_events", "Shop_L4K1", 600, EVENTHEADER)
    count = 0
    for encoding, number, payload in [*rows_of_table(), *more_rows()]:
        kind = bytes([encoding | 0x80, number]) if number else bytes([encoding])
        recording.sample(shop, count, eventheader(f"E{count}", [("v", kind)], payload, level=4))
        count += 1
    for kind, size, is_signed, form, value in CLASSIC:
        event = recording.event("user_events", f"E{count}", 700 + count,
                                [(kind, "v", size, is_signed)])
        packed = struct.pack(form, *value) if isinstance(value, tuple) else struct.pack(form, value)
        recording.sample(event, count, packed + bytes(-len(packed) % 4))
        count += 1
    path = folder / "values.data"
    path.write_bytes(recording.file())
    return str(path), count


values, COUNT = make()


def asked(*args):
    done = subprocess.run([tool, *args], capture_output=True, timeout=120, text=True)
    same((done.stderr, done.returncode), ("", 0))
    return done.stdout


def text_of_decode():
    lines = asked("decode", values).splitlines()
    found = [re.search(r":E(\d+) v=(.*?)(?: meta=\{.*\})?$", line).groups() for line in lines]
    return {int(number): value for number, value in found}


def json_of_decode():
    lines = asked("decode", "-f", "jsonl", values).splitlines()
    found = [re.search(r'"[^"]*:E(\d+)","v":(.*?),"meta":', line).groups() for line in lines]
    return {int(number): value for number, value in found}


def all_select(spellings):
    """Each spelling selects its event, and its opposite does not."""
    same(len(spellings) > 20, True)
    numbers = sorted(spellings)
    for begin in range(0, len(numbers), AT_ONCE):
        part = numbers[begin:begin + AT_ONCE]
        terms = {sign: [f"event == E{n} && v {sign} {spellings[n]}" for n in part]
                 for sign in ("==", "!=")}
        found = asked("decode", "-f", "jsonl", "--where", " || ".join(terms["=="]), values)
        found = {int(n) for n in re.findall(r'^\{"n":"[^"]*:E(\d+)"', found, re.M)}
        same([(n, spellings[n]) for n in part if n not in found], [])
        done = subprocess.run([tool, "decode", "--where", " || ".join(terms["!="]), values],
                              capture_output=True, timeout=120, text=True)
        same(done.stdout, "")


def what_decode_prints_as_text():
    spellings = text_of_decode()
    same(len(spellings), COUNT)
    all_select(spellings)


def what_decode_prints_as_json():
    spellings = json_of_decode()
    same(len(spellings), COUNT)
    all_select(spellings)


def what_stat_groups_by():
    rows = json.loads(asked("stat", "--json", "--by", "v", "--groups", "9999", values))["rows"]
    spellings = {int(row["event"][1:]): json.dumps(row["value"], ensure_ascii=False)
                 for row in rows}
    same(len(spellings), COUNT)
    all_select(spellings)


def what_hist_calls_the_least():
    spellings = {}
    for number in range(0, COUNT, 7):
        done = subprocess.run([tool, "hist", "--json", f"E{number}", "v", values],
                              capture_output=True, text=True, timeout=60)
        if not done.returncode:
            spellings[number] = json.dumps(json.loads(done.stdout)["min"])
    all_select(spellings)


def literal(value, is_wide):
    """A value of JSON in SQL."""
    if isinstance(value, str):
        return value if is_wide else "'" + value.replace("'", "''").replace("\0", "'||char(0)||'") + "'"
    return repr(value)


def what_query_prints():
    """In --where, and in SQL."""
    sql = "; ".join(f'SELECT {n} AS n, v, typeof(v) AS type FROM E{n}' for n in range(COUNT))
    rows = [json.loads(line) for line in asked("query", "-f", "jsonl", values, sql).splitlines()]
    same(len(rows), COUNT)
    spelt, questions = {}, []
    text = json_of_decode()
    for row in rows:
        n, v = row["n"], row["v"]
        if row["type"] == "null":
            same(text[n] in ("null", '"nan"', '"-nan"'), True)
            continue
        is_wide = row["type"] == "text" and re.fullmatch(r'"?(0x[0-9A-F]{16}|\d{19,20})"?', text[n])
        wanted = f"x'{v.replace(' ', '')}'" if row["type"] == "blob" else literal(v, is_wide)
        if isinstance(v, float) and math.isinf(v) or v in ("inf", "-inf") and row["type"] == "real":
            wanted = "9e999" if str(v)[0] != "-" else "-9e999"
        spelt[n] = json.dumps(v, ensure_ascii=False) if not is_wide else v
        questions.append(f"SELECT {n} AS n, count(*) AS c FROM E{n} WHERE v = {wanted}")
    answers = [json.loads(line) for line in
               asked("query", "-f", "jsonl", values, "; ".join(questions)).splitlines()]
    same([answer["n"] for answer in answers if answer["c"] != 1], [])
    all_select(spelt)


def attribute(value):
    (kind, value), = value.items()
    if kind == "intValue":
        return str(value)
    if kind == "doubleValue" and isinstance(value, str):
        return {"Infinity": "inf", "-Infinity": "-inf", "NaN": "nan"}[value]
    if kind == "bytesValue":
        import base64
        return json.dumps(base64.b64decode(value).hex())
    return json.dumps(value, ensure_ascii=False)


def what_export_writes():
    """OTLP; other formats have the same values (the room tree)."""
    spellings = {}
    for line in asked("export", "--to", "otlp-json", "-o", "-", values).splitlines():
        for resource in json.loads(line).get("resourceLogs", []):
            for scope in resource["scopeLogs"]:
                for record in scope["logRecords"]:
                    found = {a["key"]: a["value"] for a in record["attributes"]}
                    name = record["eventName"]
                    if found.get("v"):
                        spellings[int(re.sub(r".*\bE", "", name))] = attribute(found["v"])
    same(len(spellings) > COUNT - 40, True)
    all_select(spellings)


run([what_decode_prints_as_text, what_decode_prints_as_json, what_stat_groups_by,
     what_hist_calls_the_least, what_query_prints, what_export_writes])
