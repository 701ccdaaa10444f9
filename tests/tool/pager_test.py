#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Answers on terminals: a pager, the width of tables; and their other forms, CSV and TSV.

Arguments: the program, the example 09_slow_request.
"""
import csv
import io
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

import captures
from tap import run, same
from terminal import on_terminal

tool, server = sys.argv[1:3]
folder = pathlib.Path(tempfile.mkdtemp())
recording = str(folder / "server.uecap")


def answer(*args, status=0):
    done = subprocess.run([tool, *args], capture_output=True, timeout=300)
    same((done.returncode, done.stderr.decode()), (status, ""))
    return done.stdout.decode()


def strange():
    """A recording whose texts have all that rows must keep apart."""
    capture = captures.Capture()
    capture.definition(0, "odd __rel_loc char[] text; u32 n")
    for i, text in enumerate([b'a,"b"\tc\\', b"line\r\nend", b"", b"\xc2\x85\x01", b"plain",
                              "\u202ea\u2066\u2029\U000e0001\U0001f600".encode()]):
        payload = struct.pack("=II", (len(text) + 1) << 16 | 4, i) + text + b"\0"
        capture.event(payload, 1000 + i, 0, 1, 1)
    path = folder / "strange.uecap"
    path.write_bytes(capture.bytes)
    return str(path)


# Pagers

def a_pager_shows_what_is_printed():
    for args in (["decode", recording], ["stat", recording], ["latency", recording],
                 ["hist", "RequestStop", "bytes", recording],
                 ["query", recording, "SELECT event, count(*) FROM events GROUP BY 1"]):
        shown = on_terminal(tool, *args, USEREVENTS_PAGER="sed s/^/P:/", NO_COLOR="1")
        assert shown.startswith("P:"), (args, shown[:300])
        same({line[:2] for line in shown.splitlines()}, {"P:"})
        same(on_terminal.status, 0)
        plain = on_terminal(tool, *args, USEREVENTS_PAGER="", NO_COLOR="1")
        same([line[2:] for line in shown.splitlines()], plain.splitlines())


def there_is_none_where_nobody_pages():
    assert not answer("stat", recording).startswith("P:")
    for environment in ({"USEREVENTS_PAGER": ""}, {"USEREVENTS_PAGER": "cat"},
                        {"USEREVENTS_PAGER": "", "PAGER": "sed s/^/P:/"}):
        shown = on_terminal(tool, "stat", recording, **environment)
        assert shown.startswith("EVENT"), shown[:200]
    # PAGER counts as well; what is read while it is written has none
    environment = {key: value for key, value in os.environ.items() if key != "USEREVENTS_PAGER"}
    pid, terminal = pty.fork()
    if not pid:
        os.execve(tool, [tool, "stat", recording],
                  {**environment, "TERM": "xterm", "PAGER": "sed s/^/Q:/"})
    assert os.read(terminal, 2) == b"Q:"
    os.close(terminal)
    os.waitpid(pid, 0)
    shown = on_terminal("/bin/sh", "-c", f"cat {recording} | {tool} decode -",
                        USEREVENTS_PAGER="sed s/^/P:/")
    assert "Server:RequestStart" in shown and "P:" not in shown, shown[:200]


def messages_and_the_status_are_as_without():
    shown = on_terminal(tool, "decode", "-e", "NoSuch", recording,
                        USEREVENTS_PAGER="sed s/^/P:/")
    same(on_terminal.status, 1)
    assert shown.startswith("P:userevents: cannot find an event"), shown
    # a pager that ends at once ends the command
    on_terminal(tool, "decode", recording, USEREVENTS_PAGER="true")
    assert on_terminal.status in (0, 1, -signal.SIGPIPE), on_terminal.status


# Widths

def on_wide(columns, *args):
    """The lines on a terminal of so many columns. A sentence on columns without room is one again."""
    command = f"stty cols {columns}; exec \"$@\""
    lines = []
    for line in on_terminal("/bin/sh", "-c", command, "sh", tool, *args, NO_COLOR="1").splitlines():
        is_more = lines and lines[-1].startswith("No room for") and not lines[-1].endswith(".")
        if is_more or line.startswith("No room for"):
            assert len(line) <= columns, (columns, line)
        if is_more:
            lines[-1] += " " + line
        else:
            lines.append(line)
    return lines


def tables_fit_the_terminal():
    for args in (["stat", "--by", "activity", "--groups", "5000", recording],
                 ["query", recording, "SELECT event, activity, time, text FROM events LIMIT 5"]):
        whole = answer(*args).splitlines()
        assert max(map(len, whole)) > 100
        for columns in (100, 84):
            lines = on_wide(columns, *args)
            sentences = 1 + bool(left_out(lines)) if args[0] == "stat" else 0
            rows = lines[:len(lines) - sentences]
            assert max(map(len, rows)) <= columns, max(rows, key=len)
            same(len(lines), len(whole) + bool(left_out(lines)))
        same(on_wide(400, *args), whole)


def left_out(lines):
    """The titles of columns that a table lacks."""
    said = [line for line in lines if line.startswith("No room for ")]
    return [title for line in said for title in line[12:-1].split(", ")]


def tables(lines):
    """Each table as a list of rows of cells; its titles are in capitals."""
    found = []
    for line in lines:
        cells = re.split("  +", line.strip())
        if cells[-1].isupper() and len(cells) > 1:
            found.append([cells])
        elif found and found[-1] is not None and line and not line.startswith("No room"):
            found[-1].append(cells)
        elif found and not line:
            found.append(None)
    return [table for table in found if table]


def is_cut_of(cell, whole):
    return cell == whole or cell.endswith("…") and whole.startswith(cell[:-1])


def narrow_terminals_lack_columns_and_show_the_others():
    """Cells are those of a wide terminal, or their beginnings; what is lacking is said."""
    lacking = {}
    for args in (["stat"], ["stat", "--by", "client"], ["hist", "RequestStop", "bytes", "--by", "comm"],
                 ["latency"], ["latency", "--by", "client"], ["stat", "--by", "activity", "--groups", "9"]):
        wide = [line for line in on_wide(400, *args, recording)]
        whole = tables(wide)
        assert whole, wide
        for columns in 40, 60, 80, 200:
            lines = on_wide(columns, *args, recording)
            gone = set(left_out(lines))
            lacking[args[0], columns] = lacking.get((args[0], columns), set()) | gone
            same(len(tables(lines)), len(whole))
            for table, full in zip(tables(lines), whole):
                shown = [full[0].index(title) if title in full[0] else 0 for title in table[0]]
                same([title for title in full[0] if title in gone],
                     [title for i, title in enumerate(full[0]) if i not in shown])
                same(len(table), len(full))
                for row, all_cells in zip(table[1:], full[1:]):
                    if len(all_cells) != len(full[0]):
                        continue  # a sentence
                    same(len(row), len(shown))
                    assert all(is_cut_of(cell, all_cells[i]) for cell, i in zip(row, shown)), row
            for line in lines:
                if not re.match("No room|[0-9]+ events in|    Server:|userevents:", line):
                    assert len(line) <= columns, (args, columns, line)
    same([sorted(lacking["stat", 200]), sorted(lacking["latency", 200])], [[], []])
    assert lacking["stat", 60] == {"FIRST AFTER", "LAST AFTER", "PROCESSES"} | lacking["stat", 60]
    assert "COUNT" not in lacking["stat", 40] and lacking["latency", 40] > lacking["latency", 60]


def columns_that_leave_make_room_for_text():
    """Texts that are cut to 20 characters before a column leaves are longer again without it."""
    capture = captures.Capture()
    capture.definition(0, "request __rel_loc char[] path; u32 n")
    paths = [f"/api/v2/customers/{i:02}/orders/list/of/all" for i in range(4)]
    for i in range(20):
        path = paths[i % 4].encode()
        capture.event(struct.pack("=II", (len(path) + 1) << 16 | 4, i) + path + b"\0", 1000 + i, 0, 1, 1)
    file = folder / "paths.uecap"
    file.write_bytes(capture.bytes)
    for columns in 110, 100, 90, 80, 70:
        lines = on_wide(columns, "stat", "--by", "path", str(file))
        shown = sorted(line.split()[1] for line in lines[1:5])
        same((len(set(shown)), bool(left_out(lines))), (4, columns < 110))
        assert all(map(is_cut_of, shown, paths)), shown
        # the terminal is full unless they are whole
        same(shown == paths or {len(line) for line in lines[:5]} == {columns}, True)
        same(shown == paths, columns == 100)


def comparisons_fit_narrow_terminals():
    for args in ["stat"], ["latency"]:
        for columns in 40, 60, 80, 200:
            lines = on_wide(columns, *args, "--compare", recording, recording)
            rows = [line for line in lines if re.search(r" (noise|CHANGE|too few)", line)]
            assert len(rows) > 2 and max(map(len, rows)) <= columns, lines


def what_is_cut_of_an_activity_selects_it():
    line = on_wide(90, "stat", "--by", "activity", "-e", "RequestStart", recording)[1]
    cut = [word for word in line.split() if word.endswith("…")][-1]
    assert 4 <= len(cut) < 36, line
    found = answer("stat", "--json", "--by", "activity", "-e", "RequestStart", "-w",
                   f'activity == "{cut}"', recording)
    same([row["value"].startswith(cut[:-1]) for row in json.loads(found)["rows"]], [True])
    others = json.loads(answer("stat", "--json", "-w", f'activity != "{cut}"', recording))
    every = json.loads(answer("stat", "--json", "-w", 'activity ~ "*"', recording))
    own = json.loads(answer("stat", "--json", "-w", f'activity == "{cut}"', recording))
    same(others["count"] + own["count"], every["count"])


# CSV and TSV

def rows_have_the_members_of_json():
    for args, member in ((["stat"], "rows"), (["stat", "--by", "client"], "rows"),
                         (["latency"], "groups"), (["latency", "RequestStart", "RequestStop"], "buckets"),
                         (["hist", "RequestStop", "bytes"], "buckets"),
                         (["hist", "RequestStop", "bytes", "--by", "comm"], "groups")):
        objects = json.loads(answer(*args, "--json", recording))[member]
        objects = [{key: value for key, value in one.items() if not isinstance(value, list)}
                   for one in objects]
        read = list(csv.DictReader(io.StringIO(answer(*args, "--csv", recording))))
        same(len(read), len(objects))
        for row, one in zip(read, objects):
            same({key: value for key, value in row.items() if value != ""},
                 {key: value if isinstance(value, str) else json.dumps(value)
                  for key, value in one.items() if value is not None})
        lines = [line.split("\t") for line in answer(*args, "--tsv", recording).splitlines()]
        same([dict(zip(lines[0], line)) for line in lines[1:]],
             [{key: "\\N" if value in ("",) else value for key, value in row.items()}
              for row in read])


def nothing_has_no_rows():
    for form in "--csv", "--tsv":
        done = subprocess.run([tool, "latency", form, "-w", "duration > 100s", recording],
                              capture_output=True)
        same((done.returncode, done.stdout), (1, b""))


def strange_texts_stay_apart():
    path = strange()
    texts = ['a,"b"\tc\\', "line\r\nend", "", "\x85\x01", "plain",
             "\u202ea\u2066\u2029\U000e0001\U0001f600"]
    wanted = sorted(texts)
    values = [row["value"] for row in
              json.loads(answer("stat", "--json", "--by", "text", path))["rows"]]
    same(sorted(values), wanted)
    shown = subprocess.run([tool, "stat", "--csv", "--by", "text", path],
                           capture_output=True).stdout.decode()
    read = list(csv.DictReader(io.StringIO(shown, newline="")))
    same(sorted(row["value"] for row in read), wanted)
    lines = answer("stat", "--tsv", "--by", "text", path).split("\n")[:-1]
    cells = [line.split("\t")[2] for line in lines[1:]]
    back = [cell.replace("\\\\", "\0").replace("\\t", "\t").replace("\\n", "\n")
            .replace("\\r", "\r").replace("\0", "\\") for cell in cells]
    same(sorted(back), wanted)
    asked = subprocess.run([tool, "query", "-f", "tsv", path, "SELECT text, NULL FROM odd"],
                           capture_output=True).stdout.decode().split("\n")[1:-1]
    same(len(asked), 6)
    same({line.split("\t")[1] for line in asked}, {"\\N"})


def one_form_at_a_time():
    for args in (["--json", "--csv"], ["--csv", "--tsv"]):
        done = subprocess.run([tool, "stat", *args, recording], capture_output=True)
        same(done.returncode, 2)
        assert b"exclude each other" in done.stderr, done.stderr


def a_terminal_gets_no_control_characters():
    shown = on_terminal(tool, "stat", "--csv", "--by", "text", strange())
    assert not any(ord(c) < 32 and c != "\n" or 0x7f <= ord(c) < 0xa0 for c in shown), shown


try:
    subprocess.run([tool, "run", "--record", recording, "--", server], check=True,
                   capture_output=True)
    run([a_pager_shows_what_is_printed, there_is_none_where_nobody_pages,
         messages_and_the_status_are_as_without, tables_fit_the_terminal,
         narrow_terminals_lack_columns_and_show_the_others,
         columns_that_leave_make_room_for_text, comparisons_fit_narrow_terminals,
         what_is_cut_of_an_activity_selects_it, rows_have_the_members_of_json,
         nothing_has_no_rows, strange_texts_stay_apart, one_form_at_a_time,
         a_terminal_gets_no_control_characters])
finally:
    shutil.rmtree(folder)
