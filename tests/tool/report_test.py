#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents report, on captures made byte by byte, read as XML and by a browser.

Arguments: the program, the example 09_slow_request.
"""
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
import zlib

import captures
from tap import is_full, run, same

tool, server = sys.argv[1:3]
folder = pathlib.Path(tempfile.mkdtemp())
BEGIN = 1_700_000_000_000_000_000
U32, TEXT = b"\x04", b"\x0a"
INFO, START, STOP = 0, 1, 2
HTML = "{http://www.w3.org/1999/xhtml}"
# All that a page is made of: nothing in it can run, or load.
ELEMENTS = set("""html head meta title style body header main footer nav section h1 h2 h3 h4 p a
    dl div dt dd small span b i ul li table thead tbody tr th td details summary
    svg g path rect text tspan desc""".split())
ATTRIBUTES = set("""lang charset http-equiv content name class id href open viewBox
    preserveAspectRatio role aria-labelledby aria-hidden x y width height rx d text-anchor
    font-weight""".split())


def raw(text):
    return text if isinstance(text, bytes) else text.encode()


class Capture(captures.Capture):
    """A capture file. Fields are (name, encoding, bytes)."""

    def __init__(self):
        super().__init__()
        self.indexes = {}

    def define(self, definition):
        if definition not in self.indexes:
            self.indexes[definition] = len(self.indexes)
            self.definition(self.indexes[definition], definition)
        return self.indexes[definition]

    def write(self, definition, payload, at=0, pid=100, tid=101, lost=0, comm="worker"):
        super().event(payload, BEGIN + at, self.define(definition), pid, tid, lost=lost,
                      comm=raw(comm), clock_time=max(at, -2**63))

    def event(self, name, fields=(), at=0, level=4, opcode=INFO, activity=None, related=0,
              **kwargs):
        metadata = raw(name) + b"\0" + b"".join(
            raw(field) + b"\0" + kind for field, kind, _ in fields)
        out = struct.pack("=BBHHBB", 7, 0, 0, 0, opcode, level)
        if activity is not None:
            ids = [activity, related] if related else [activity]
            out += struct.pack("=HH", 16 * len(ids), 0x8002)
            out += b"".join(one.to_bytes(16, "big") for one in ids)
        out += struct.pack("=HH", len(metadata), 1) + metadata
        out += b"".join(value for _, _, value in fields)
        self.write(f"Shop_L{level}K1 {captures.EVENTHEADER}", out, at, **kwargs)

    def save(self, name="some.uecap"):
        path = folder / name
        path.write_bytes(self.bytes)
        return str(path)


def number(name, value):
    return name, U32, struct.pack("=I", value)


def text(name, value):
    return name, TEXT, struct.pack("=H", len(raw(value))) + raw(value)


def report(*args, status=0, complaint=None):
    """The bytes of the page."""
    done = subprocess.run([tool, "report", "-o", "-", *args], capture_output=True, timeout=300)
    said = done.stderr.decode()
    same((done.returncode, complaint is None and said or ""), (status, ""))
    assert not complaint or complaint in said, f"{complaint!r} is not in {said!r}"
    return done.stdout


class Page:
    """A page that was read as XML, and has only what pages are made of."""

    def __init__(self, content):
        self.content = content.decode()  # valid UTF-8
        assert not re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\ufeff]",
                             self.content), "there are control characters"
        self.root = xml.etree.ElementTree.fromstring(self.content)
        for element in self.root.iter():
            name = element.tag.replace(HTML, "")
            assert name in ELEMENTS, name
            assert not set(element.keys()) - ATTRIBUTES, element.keys()
            assert element.get("href", "#").startswith("#"), element.get("href")
        self.style = "".join(self.root.find(f".//{HTML}style").itertext())
        assert "url(" not in self.style and "@import" not in self.style

    def elements(self, path):
        return self.root.findall(".//" + "/".join(HTML + part for part in path.split("/")))

    def text(self, path="body"):
        return re.sub(r"\s+", " ", " ".join("".join(element.itertext())
                                             for element in self.elements(path)))

    def of_class(self, *classes):
        return [element for element in self.root.iter()
                if set(classes) <= set(element.get("class", "").split())]

    def tiles(self):
        return {tile.find(HTML + "dt").text: tile.find(HTML + "dd").text
                for tile in self.elements("dl/div")}

    def rows(self, section):
        """The rows of all tables below a heading, as texts."""
        heading = self.root.find(f".//*[@id='{section}']/..")
        return [["".join(cell.itertext()).strip() for cell in row]
                for row in heading.iter(HTML + "tr")]


def page_of(capture, *args, **kwargs):
    return Page(report(capture.save(), *args, **kwargs))


def has(row, *cells):
    return all(cell in row for cell in cells)


def activity_of(capture, start, stop, number_, **kwargs):
    capture.event("Start", [text("who", f"client{number_}")], start, opcode=START,
                  activity=number_, **kwargs)
    capture.event("Stop", [number("status", 200)], stop, opcode=STOP, activity=number_,
                  **kwargs)


# The parts of a page


def the_summary_has_counts_and_the_time():
    capture = Capture()
    for i in range(5):
        capture.event("Order", [number("count", i)], i * 1_000_000_000, level=2 if i == 3 else 4)
    # levels are in names of tracepoints, but an event with two of them is one
    capture.write("plain u32 n", struct.pack("=I", 1), 8_000_000_000, pid=7, tid=7)
    page = page_of(capture)
    tiles = page.tiles()
    same({name: tiles[name] for name in ("Events", "Duration", "Kinds of events", "Processes",
                                         "Errors", "Lost")},
         {"Events": "6", "Duration": "8 s", "Kinds of events": "2", "Processes": "2",
          "Errors": "1", "Lost": "0"})
    assert "2023-11-14 22:13:20.000000 UTC" in page.text("header"), page.text("header")
    assert "some.uecap" in page.text("header/h1")
    rows = page.rows("events")
    assert any(has(row, "Shop:Order", "error, information", "5") for row in rows), rows
    assert any(has(row, "user_events:plain", "1") for row in rows), rows


def numbers_have_a_histogram_and_texts_have_counts():
    capture = Capture()
    for i in range(200):
        capture.event("Order", [number("size_bytes", i * 1000), number("status", 200 + i % 2),
                                text("item", "tea" if i % 4 else "milk")], i)
    page = page_of(capture)
    boxes = {box.find(HTML + "h4").text: re.sub(r"\s+", " ", "".join(box.itertext()))
             for box in page.of_class("box")}
    same(sorted(boxes), ["item", "size_bytes", "status"])
    assert "max 194 KiB" in boxes["size_bytes"], boxes["size_bytes"]
    assert "201" in boxes["status"] and "50.0 %" in boxes["status"], boxes["status"]
    rows = page.rows("fields")
    assert any(has(row, "tea", "150", "75.0 %") for row in rows), rows
    assert any(has(row, "milk", "50", "25.0 %") for row in rows), rows
    same(sum(int(re.search(r": ([\d,]+)$", bar.find(HTML + "title").text)[1])
             for bar in page.of_class("histogram")[0].iter(HTML + "rect")), 200)


def frequent_values_are_found_among_many():
    capture = Capture()
    for i in range(3000):
        capture.event("Order", [text("who", "often" if i % 5 == 0 else f"client {i}")], i)
    row = [row for row in page_of(capture).rows("fields") if row[0] == "often"]
    same(row, [["often", "", "600", "20.0 %"]])


def activities_have_durations_and_the_slowest_has_its_fields():
    capture = Capture()
    for i in range(100):
        activity_of(capture, i * 10_000_000, i * 10_000_000 + (i + 1) * 1000, i + 1)
    page = page_of(capture)
    said = page.text("section")
    assert "Shop:Start → Stop" in said, said
    assert "p99 99" in said and "max 100 us" in said and "count 100" in said, said
    row = page.rows("activities")[1]
    assert has(row, "100 us", "+990 ms", "worker 100/101"), row
    assert row[3].startswith('who="client100" → status=200'), row[3]
    same(len(page.of_class("act")), 100)


def activities_without_an_end_or_a_start_are_counted():
    capture = Capture()
    activity_of(capture, 0, 10, 1)
    capture.event("Start", at=20, opcode=START, activity=2)
    capture.event("Stop", at=30, opcode=STOP, activity=3)
    capture.event("Start", at=40, opcode=START, activity=2)
    page = page_of(capture)
    said = page.text("section")
    for sentence in ("1 time a start had no stop", "1 time a stop had no start",
                     "1 time an activity started again"):
        assert sentence in said, f"{sentence!r} is not in {said!r}"
    same(len(page.of_class("act", "open")), 1)


def an_error_marks_its_activity():
    capture = Capture()
    capture.event("Start", at=0, opcode=START, activity=1)
    capture.event("Failed", [text("why", "disk")], at=5, level=2, activity=1)
    capture.event("Stop", at=10, opcode=STOP, activity=1)
    activity_of(capture, 20, 30, 2)
    page = page_of(capture)
    same(len(page.of_class("act", "fail")), 1)
    assert 'why="disk"' in "".join(page.of_class("tick", "error")[0].itertext())
    assert "1 of them with an error" in page.text("section")


def lines_before(page, id):
    """Texts of the rows of what was before an error or a slow pair, the first one first."""
    for element in page.root.iter():
        if element.get("id") == id:
            return ["|".join(" ".join("".join(cell.itertext()).split()) for cell in row)
                    for row in element.iter(f"{HTML}tr")]
    raise AssertionError(f"{id} is not on the page")


def what_was_before_an_error_is_linked():
    ms = 1_000_000
    capture = Capture()
    capture.event("Old", at=0)
    capture.event("Start", [number("id", 7)], at=3 * ms, opcode=START, activity=1)
    capture.event("Elsewhere", at=4 * ms, tid=102)
    capture.event("Other", [text("x", "<b>")], at=5 * ms, activity=2)
    capture.event("Failed", [text("why", "disk")], at=12 * ms, level=2, activity=1)
    capture.event("Stop", at=14 * ms, opcode=STOP, activity=1)
    page = page_of(capture)
    same(lines_before(page, "e1"), ["−9 ms|Shop:Start|id=7", '−7 ms|Shop:Other|x="<b>"'])
    same(lines_before(page, "a1"), ["−11 ms|Shop:Start|id=7", '−9 ms|Shop:Other|x="<b>"',
                                    '−2 ms|Shop:Failed|why="disk"'])
    own = [e for e in page.root.iter() if e.get("id") == "e1"][0]
    same([row[1].get("class") for row in own.iter(f"{HTML}tr")], ["name", None])
    links = {e.get("href") for e in page.root.iter() if e.get("href")}
    assert {"#e1", "#a1", "#errors"} <= links, links
    assert has(page.rows("errors")[1], "+12 ms", "worker 100/101", "Shop:Failed")


def errors_and_lines_before_them_are_bounded():
    capture = Capture()
    for i in range(3000):
        capture.event("Plain", [number("i", i)], at=i)
    for i in range(40):
        for kind in range(20):
            capture.event(f"Bad{kind}", at=3000 + i * 20 + kind, level=1)
    page = page_of(capture)
    errors = [e.get("id") for e in page.root.iter() if e.get("id", "")[:1] == "e"]
    same(sorted(errors), sorted(["events", "errors"] + [f"e{i}" for i in range(1, 61)]))
    same(lines_before(page, "e1")[-1], "−1 ns|Shop:Plain|i=2999")
    same(len(lines_before(page, "e1")), 21)
    same(lines_before(page, "e1")[10], "|at least 1,980 events left out")
    same(lines_before(page, "e1")[9::2][:2], ["−1.991 us|Shop:Plain|i=1009", "−10 ns|Shop:Plain|i=2990"])
    assert "Of 800 errors" in page.text()


def a_slow_request_shows_what_its_thread_did_meanwhile():
    ms = 1_000_000
    capture = Capture()
    capture.event("Before", at=0)
    capture.event("Start", at=10 * ms, opcode=START, activity=1)
    capture.event("Query", [text("table", "orders")], at=11 * ms, activity=2)
    capture.event("Stop", at=90 * ms, opcode=STOP, activity=1)
    capture.event("Start", at=95 * ms, opcode=START, activity=3)
    capture.event("Query", [text("table", "prices")], at=96 * ms, activity=4)
    capture.event("Elsewhere", at=99 * ms, tid=102)
    page = page_of(capture)
    same(lines_before(page, "a1"), ["−80 ms|Shop:Start|", '−79 ms|Shop:Query|table="orders"'])
    same(lines_before(page, "o1"), ["−4 ms|Shop:Start|", '−3 ms|Shop:Query|table="prices"'])


def what_child_activities_did_on_other_threads_is_marked():
    """A request, its child, and the child of that, on threads of their own; and another request."""
    ms = 1_000_000
    capture = Capture()
    capture.event("Start", at=0, opcode=START, activity=1)
    capture.event("Start", at=1 * ms, opcode=START, activity=9, tid=109)
    capture.event("Start", at=2 * ms, opcode=START, activity=2, related=1, tid=102)
    capture.event("Start", at=3 * ms, opcode=START, activity=3, related=2, tid=103)
    capture.event("Read", [text("file", "a")], at=4 * ms, activity=3, tid=103)
    capture.event("Read", [text("file", "b")], at=5 * ms, activity=9, tid=109)
    capture.event("Own", at=6 * ms, activity=1)
    capture.event("Stop", at=7 * ms, opcode=STOP, activity=3, tid=103)
    capture.event("Read", [text("file", "c")], at=8 * ms, activity=2, tid=101)
    capture.event("Stop", at=9 * ms, opcode=STOP, activity=2, tid=102)
    capture.event("Stop", at=10 * ms, opcode=STOP, activity=1)
    page = page_of(capture)
    same([line.removeprefix("−") for line in lines_before(page, "a3")],
         ["10 ms|Shop:Start|", "8 ms|> Shop:Start|", "7 ms|> > Shop:Start|",
          '6 ms|> > Shop:Read|file="a"', "4 ms|Shop:Own|", "3 ms|> > Shop:Stop|",
          '2 ms|> Shop:Read|file="c"', "1 ms|> Shop:Stop|"])
    assert "> is of child activities" in page.text()
    # circles end, and any number of children has a limit
    capture = Capture()
    capture.event("Start", at=0, opcode=START, activity=1, related=1)
    for i in range(20_000):
        capture.event("Step", [number("i", i)], at=1 + i, activity=2 + i, related=max(1, i % 7),
                      tid=102)
    capture.event("Step", at=20_002, activity=1, related=5)
    capture.event("Stop", at=20_003, opcode=STOP, activity=1)
    lines = lines_before(page_of(capture), "a1")
    assert len(lines) == 21 and lines[10].startswith("|at least "), lines


def own_events_do_not_hide_those_of_children():
    """Any number of events of the request, and of its children on its thread, after a child's failure."""
    for count, activity in (1000, 1), (3000, 1), (1000, 3):
        capture = Capture()
        capture.event("Start", at=0, opcode=START, activity=1)
        capture.event("Start", at=1, opcode=START, activity=2, related=1, tid=102)
        capture.event("Start", at=2, opcode=START, activity=3, related=1)
        capture.event("Disk", at=3, activity=2, tid=102)
        for i in range(count):
            capture.event("Step", at=4 + i, activity=activity)
        capture.event("Failed", at=9000, level=2, activity=1)
        capture.event("Stop", at=9001, opcode=STOP, activity=1)
        page = page_of(capture)
        for id in "e1", "a1":
            marked = [line.split("|")[1] for line in lines_before(page, id) if "> Shop:" in line]
            same(marked[:1] + marked[2:3] if count < 3000 else marked[:2], ["> Shop:Start", "> Shop:Disk"])


def reused_ids_of_children_are_those_of_their_parent():
    """Requests after each other, of a session, whose child always has the id 9, on a thread of its own or theirs."""
    for tid in 102, 101:
        capture = Capture()
        for request in 1, 2:
            at = 1000 * request
            capture.event("Start", at=at, opcode=START, activity=request, related=7)
            capture.event("Start", at=at + 1, opcode=START, activity=9, related=request, tid=tid)
            capture.event("Read", [number("of", request)], at=at + 2, activity=9, tid=tid)
            capture.event("Stop", at=at + 3, opcode=STOP, activity=9, tid=tid)
            capture.event("Failed", at=at + 4, level=2, activity=request)
            capture.event("Stop", at=at + 5, opcode=STOP, activity=request)
        page = page_of(capture)
        for error in 1, 2:
            same([line.split("|")[2] for line in lines_before(page, f"e{error}") if "> Shop:Read" in line],
                 [f"of={error}"])
        same([line.split("|")[2] for line in lines_before(page, "a4") if "> Shop:Read" in line], ["of=2"])
    # the id of a parent: former children are not its own
    capture = Capture()
    for i in range(2):
        capture.event("Start", at=100 * i, opcode=START, activity=1)
        if not i:
            capture.event("Start", at=1, opcode=START, activity=9, related=1, tid=102)
        capture.event("Stop", at=100 * i + 2, opcode=STOP, activity=1)
    capture.event("Start", at=200, opcode=START, activity=1)
    capture.event("Failed", at=201, level=2, activity=1)
    assert "> " not in "".join(lines_before(page_of(capture), "e1"))


def parents_that_are_not_followed_are_said():
    capture = Capture()
    capture.event("Start", at=0, opcode=START, activity=1, related=2)
    capture.event("Start", at=1, opcode=START, activity=2, related=1)
    for i in range(3, 25):
        capture.event("Start", at=i, opcode=START, activity=i, related=i - 1)
    said = page_of(capture).text()
    assert "1 time the parent of an activity was not followed, as it is itself or its child." in said, said
    assert "time the parent of an activity was not followed, as too many are within" in said, said
    capture = Capture()
    for i in range(2, 131_075):
        capture.event("Start", at=i, opcode=START, activity=i, related=1)
    said = page_of(capture).text()
    assert "2 times the parent of an activity was forgotten, as too many had not ended" in said, said[-3000:]
    assert "parent of an activity was not followed" not in said


def open_starts_are_listed_the_oldest_first():
    capture = Capture()
    for i in range(60):
        capture.event("Start", [number("id", i)], at=i * 1000, opcode=START, activity=i + 1)
    capture.event("Plain", at=100_000, tid=7)
    page = page_of(capture)
    rows = [row for row in page.rows("activities") if len(row) == 6][1:]
    same(len(rows), 50)
    assert has(rows[0], "100 us", "+0 ns", "worker 100/101", "Shop:Start"), rows[0]
    assert rows[0][4].startswith("id=0") and rows[49][4].startswith("id=49"), rows
    assert has(rows[49], "51 us"), rows[49]
    assert "The oldest 50 of 60" in page.text()


def recording(name, milliseconds, count=2000):
    """Of requests that take so long, of the same number each second."""
    random.seed(name)
    capture = Capture()
    for i in range(count):
        begin = i * 5_000_000
        took = int(milliseconds * 1_000_000 * random.uniform(0.5, 1.5))
        capture.event("Start", at=begin, opcode=START, activity=i + 1)
        capture.event("Stop", at=begin + took, opcode=STOP, activity=i + 1)
    capture.event("Start", at=begin, opcode=START, activity=count + 1)
    return capture.save(name)


def cells(page, section):
    return [[re.sub(r"\s+", " ", cell) for cell in row] for row in page.rows(section)]


def two_recordings_are_compared():
    before, after = recording("<b>.uecap", 1), recording("after.uecap", 2)
    page = Page(report("--compare", before, after))
    rows = {row[0]: row for row in cells(page, "activities")}
    for name in ("p50", "p90"):
        assert rows[name][6] == "differs", rows
        assert 85 < float(rows[name][3][1:-2]) < 115, rows
    assert abs(float(rows["a second"][3][:-2])) < 1, rows
    same(rows["a second"][6], "noise")
    same([row[0] for row in cells(page, "events")], ["event", "Shop:Start", "Shop:Stop"])
    assert "Starts that never ended: 1 before, 1 after." in page.text()
    # the figures are those of the commands
    answer = json.loads(subprocess.run([tool, "latency", "--compare", "--json", before, after],
                                       capture_output=True).stdout)["rows"][0]
    same(rows["p50"][3], f"{answer['p50']['change'] * 100:+.1f} %")
    same(rows["p99"][4], "{:+.1f} % to {:+.1f} %".format(answer["p99"]["low"] * 100,
                                                       answer["p99"]["high"] * 100))
    same(len(page.of_class("before-line")), 1)
    assert page.of_class("error") and not page.of_class("better")
    better = Page(report("--compare", after, before))
    assert better.of_class("better") and not better.of_class("error")
    alike = Page(report("--compare", before, recording("again.uecap", 1)))
    same({row[6] for row in cells(alike, "activities")[1:]}, {"noise"})


CLASSIC = "req_{} u64 id; u32 size"


def classic_pairs(name, slower=1, count=400):
    """Requests of classic events, 8 at a time; and how long each took, by its id."""
    chance, capture, events, took = random.Random(name), Capture(), [], {}
    for i in range(count):
        begin = i * 2_000_000 + chance.randrange(100_000)
        took[i] = chance.randrange(1_000_000, 16_000_000) * slower
        events += [(begin, "start", i), (begin + took[i], "done", i)]
    events += [(count * 2_000_000 + i, "start", 10**6 + i) for i in range(3)]  # they never end
    for at, what, i in sorted(events):
        capture.write(CLASSIC.format(what), struct.pack("=QI", i, i % 7), at, tid=101 + i % 8)
    return capture.save(name), took


PAIRS = "--start", "req_start", "--stop", "req_done", "--key", "id"


def classic_events_are_pairs_by_a_field():
    path, took = classic_pairs("classic.uecap")
    page = Page(report(*PAIRS, path))
    said = page.text("section")
    assert "user_events:req_start → req_done" in said and "count 400" in said, said
    slowest = sorted(took, key=took.get, reverse=True)[:10]
    shown = [row for row in page.rows("activities") if len(row) > 3 and "→" in row[3]]
    same([re.search(r"\bid=(\d+) .*→ id=(\d+)", row[3]).groups() for row in shown],
         [(str(i), str(i)) for i in slowest])
    opened = [row for row in page.rows("activities") if len(row) == 6 and "id=100000" in row[4]]
    same(len(opened), 3)
    assert "pairs from req_start to req_done with an equal id" in page.text()
    # as latency finds them, which has the names as options, too
    for words in (["req_start", "req_done", "--key", "id"], PAIRS):
        answer = json.loads(subprocess.run([tool, "latency", "--json", "--slowest", "10", *words, path],
                                           capture_output=True).stdout)
        same([pair["start"]["id"] for pair in answer["slowest"]], slowest)
        same((answer["count"], answer["max"]), (400, max(took.values())))
    # without the names there are none
    assert "Activities" not in page_text(path)
    # by the thread, of which several are open
    assert "req_start → req_done" in page_text(*PAIRS[:4], "--thread", path)


def page_text(*args):
    return Page(report(*args)).text()


def classic_pairs_of_two_recordings_are_compared():
    (before, _), (after, _) = classic_pairs("one.uecap"), classic_pairs("two.uecap", 3)
    page = Page(report("--compare", *PAIRS, before, after))
    rows = {row[0]: row for row in cells(page, "activities")}
    answer = json.loads(subprocess.run([tool, "latency", "--compare", "--json", *PAIRS, before, after],
                                       capture_output=True).stdout)["rows"][0]
    same((rows["p50"][3], rows["p50"][6]), (f"{answer['p50']['change'] * 100:+.1f} %", "differs"))
    assert "Starts that never ended: 3 before, 3 after." in page.text()


def wrong_pairs_are_reported():
    path, _ = classic_pairs("wrong.uecap", count=5)
    for words, status, said in (
            (["--start", "a"], 2, "--start and --stop need each other"),
            (["--key", "id", "--thread"], 2, "--key, --activity and --thread exclude each other"),
            ([*PAIRS[:5], "a["], 2, "a["),
            (["--start", "req_start", "--stop", "req_don", "--key", "id"], 1,
             'cannot find an event "req_don": there is none; did you mean "req_done"?'),
            ([*PAIRS[:5], "idd"], 1, 'did you mean "id"?')):
        out = folder / "wrong.html"
        done = subprocess.run([tool, "report", "-o", out, *words, path], capture_output=True)
        same((done.returncode, out.exists()), (status, status == 1))
        assert said in done.stderr.decode(), done.stderr
        out.unlink(missing_ok=True)


def comparing_says_what_is_wrong():
    one = recording("one.uecap", 1, 30)
    for args, said in (([one], "--compare takes two recordings"),
                       ([one, one, one], "--compare takes two recordings")):
        done = subprocess.run([tool, "report", "-o", "-", "--compare", *args],
                              capture_output=True)
        same((done.returncode, done.stdout), (2, b""))
        assert said in done.stderr.decode(), done.stderr
    assert "too few" in Page(report("--compare", one, recording("two.uecap", 1, 5))).text()


def durations_are_broken_down_by_fields_and_thread():
    capture = Capture()
    for i in range(100):
        capture.event("Start", [text("client", ("<anna>", "ben")[i % 2]), number("id", i)],
                      i * 10_000, opcode=START, activity=i + 1, comm=f"worker-{i % 4}", tid=i % 4)
        if i % 20 == 1:
            capture.event("Failed", at=i * 10_000 + 1, level=2, activity=i + 1)
        capture.event("Stop", at=i * 10_000 + (1000, 2000)[i % 2], opcode=STOP, activity=i + 1)
    page = page_of(capture)
    rows = page.rows("activities")
    assert ["by client", "count", "p50", "p99", "max", "errors"] in rows, rows
    assert ["<anna>", "50", "1 us", "1 us", "1 us", ""] in rows, rows
    assert ["ben", "50", "2 us", "2 us", "2 us", "5"] in rows, rows
    assert ["worker-3", "25", "2 us", "2 us", "2 us", ""] in rows, rows
    assert not any(row[0] == "by id" for row in rows), rows


def losses_are_where_they_happened():
    capture = Capture()
    for i in range(10):
        capture.event("Order", at=i * 1000, lost=3 if i == 4 else 0, tid=100 + i % 2)
    page = page_of(capture, status=1, complaint="3 events were lost")
    same(page.tiles()["Lost"], "3")
    assert has(page.rows("losses")[1], "3", "+4 us", "worker 100"), page.rows("losses")
    same(len(page.of_class("lost")), 2)  # in the lane and in the legend


def a_filter_is_on_the_page():
    capture = Capture()
    for i in range(10):
        capture.event("Order" if i % 2 else "Other", [number("count", i)], i)
    page = page_of(capture, "-e", "Order", "--where", "count > 3")
    same(page.tiles()["Events"], "3")
    assert "where count > 3 -e Order" in page.text("header"), page.text("header")


def kinds_of_requests(name, *fields):
    """Of 10 requests with fields in their starts alone; one of another activity never ends."""
    capture = Capture()
    for i in range(10):
        capture.event("Start", fields, i * 1000, opcode=START, activity=i + 1)
        capture.event("Stop", [number("status", 200)], i * 1000 + 10, opcode=STOP, activity=i + 1)
    capture.event("Start", [*fields, number("status", 200)], 10_000, opcode=START, activity=100)
    return capture.save(name)


def pairs_that_an_expression_cuts_are_said():
    path = kinds_of_requests("cut.uecap", text("kind", "search"))
    message = "cannot show all pairs: --where leaves out the start or the stop of {}; " \
              '"userevents latency --where" selects pairs'
    said = "leaves out the start or the stop of {} pairs"
    for where in ('kind == "search"', "opcode == stop"):
        for words, count in (([path], 10), (["--compare", path, path], 20)):
            page = Page(report("--where", where, *words, complaint=message.format(count)))
            assert said.format(count) in page.text(), page.text()
            for wrong in ("Never ended", "never ended:", "had no stop", "had no start"):
                assert wrong not in page.text(), (where, wrong, page.text())
            same(page.of_class("act"), [])
    # all events of a pair pass, or none does
    for where in ("pid == 100", 'status == 200 || kind == "search"'):
        assert "1 time a start had no stop" in page_text("--where", where, path)
        assert "Starts that never ended: 1 before, 1 after." in page_text(
            "--where", where, "--compare", path, path)
    # -e and times are not the expression
    assert "had no stop" in page_text("-e", "Start", path)


def classic_pairs_that_an_expression_cuts_are_said():
    path, _ = classic_pairs("cut_classic.uecap")
    page = Page(report(*PAIRS, "--where", 'event == "req_start"', path, status=1,
                       complaint="the start or the stop of 400;"))
    assert "Never ended" not in page.text() and "of 400 pairs" in page.text(), page.text()


def a_program_can_be_the_source():
    page = Page(report("--run", "--", server, "5"))
    same(page.tiles()["Processes"], "1")
    assert "Server:RequestStart → RequestStop" in page.text("section")
    assert any(has(row, "Server:RequestStart", "20") for row in page.rows("events"))


# Bounds


def a_hundred_thousand_events_fit_in_5_MB():
    capture = Capture()
    for i in range(50_000):
        thread = i % 64
        activity_of(capture, i * 1000, i * 1000 + 90 * (i % 1000), i + 1, tid=1000 + thread,
                    comm=f"thread-{thread}")
    content = report(capture.save())
    page = Page(content)
    assert len(content) < 5_000_000, len(content)
    same(page.tiles()["Events"], "100,000")
    said = page.text("section")
    assert re.search(r"Of 50,000 activities, the 1,\d\d\d longest are drawn", said), said
    assert "24 threads with fewer events are not drawn" in said, said
    drawn = len(page.of_class("act"))
    left = re.search(r"([\d,]+) overlapping ones? for which", said)
    same(drawn + (int(left[1].replace(",", "")) if left else 0) <= 1500, True)


def many_kinds_threads_and_fields_are_bounded():
    capture = Capture()
    for i in range(3000):
        capture.event(f"Event{i}", [number(f"field{i}", i), text("t" * 300, f"{i}" * 200)],
                      i * 1000, pid=i, tid=i, lost=1, comm=f"c{i}")
    content = report(capture.save(), status=1, complaint="3000 events were lost")
    assert len(content) < 5_000_000, len(content)
    page = Page(content)
    said = page.text("section") + page.text("header")
    for sentence in ("2,744 events of other names", "threads with fewer events are not drawn",
                     "names with fewer events are left out", "The first 30 of 3,000 places",
                     "more than 512 threads"):
        assert sentence in said, sentence
    same(page.tiles()["Kinds of events"], "3,000")
    same(page.tiles()["Lost"], "3,000")


def times_of_any_distance_are_drawn():
    for ends in ((-BEGIN - 2**62, 2**62), (0, 1), (0, 0), (-2**63 - BEGIN, 2**63 - 1 - BEGIN)):
        capture = Capture()
        for at in (*ends, sum(ends) // 2):
            capture.event("Order", at=at)
        page = page_of(capture)
        same(page.tiles()["Events"], "3")
        for shape in page.root.iter():
            for value in (shape.get("d", ""), shape.get("x", ""), shape.get("width", "")):
                assert "nan" not in value and "inf" not in value, value


# Hostile texts

HOSTILE = ['</script><script>alert(1)</script>', '"><img src=x onerror=alert(1)>',
           "' onload='alert(1)", "</title></svg><svg onload=alert(1)>", "&lt;b&gt;&amp;",
           "]]><!--", "\x1b[31mred\x1b[0m\x07\b", "\x85\x9b31m", "\u202egnp.exe",
           "\ufeff\u200b\u2028\ufffe", b"\xff\xfe\xc0\xaf\xed\xa0\x80\xf5\x80".decode(
               "utf-8", "surrogateescape"), "", " ", "%s%n%d", "a" * 5000]


def hostile_capture():
    capture = Capture()
    for i, bad in enumerate(HOSTILE):
        name = bad.encode("utf-8", "surrogateescape")
        fields = [(name or b"f", U32, struct.pack("=I", i)), text(b"t" + name, name)]
        capture.event(name, fields, i * 1000, comm=name[:15], tid=i)
        capture.event(name, fields, i * 1000 + 1, opcode=START, activity=i + 1, tid=i)
        capture.event(name, fields, i * 1000 + 500, opcode=STOP, activity=i + 1, level=2)
    return capture


def hostile_texts_stay_texts():
    page = Page(report(hostile_capture().save('"><img src=x>&.uecap')))
    said = page.text()
    for bad in HOSTILE[:6]:
        assert re.sub(r"\s+", " ", bad.split(";")[0]) in said, bad
    assert '"><img src=x>&.uecap' in page.text("header/h1")
    assert "[31mred" in said and "\ufffd" in said


def damaged_recordings_make_whole_pages():
    whole = (folder / hostile_capture().save()).read_bytes()
    for seed in range(60 if is_full else 15):
        chance, damaged = random.Random(seed), bytearray(whole)
        for _ in range(chance.choice((1, 10, 100))):
            damaged[chance.randrange(16, len(damaged))] = chance.choice((0, 1, 255,
                                                                         chance.randrange(256)))
        path = folder / "damaged.uecap"
        path.write_bytes(damaged)
        done = subprocess.run([tool, "report", "-o", "-", path], capture_output=True, timeout=300)
        assert done.returncode in (0, 1), (seed, done)
        if done.stdout:
            Page(done.stdout)


def damaged_events_are_counted():
    capture = Capture()
    capture.event("Order", [number("count", 1)])
    capture.write(f"Shop_L4K1 {captures.EVENTHEADER}", b"\7\0\0\0\0\0\0\4" + b"\xff" * 30, 5)
    capture.write(f"Shop_L4K1 {captures.EVENTHEADER}", b"", 6)
    capture.event("Cut", [("count", U32, b"\1")], 7)
    page = Page(report(capture.save()))
    assert "3 events do not match the description" in page.text("header"), page.text("header")


# The file


def a_page_is_written_by_name():
    path = folder / "page.html"
    capture = Capture()
    capture.event("Order")
    done = subprocess.run([tool, "report", "-o", str(path), capture.save()],
                          capture_output=True)
    same((done.returncode, done.stderr, done.stdout), (0, b"", b""))
    same(path.read_bytes(), report(capture.save()))
    same(path.stat().st_mode & 0o777, 0o600)


def nothing_is_written_without_events():
    path = folder / "none.html"
    for args, status, complaint in (
            ([str(folder / "absent")], 1, "cannot read"), ([], 2, "no source is given"),
            (["--run"], 2, "no program is given"), (["--run", "--", "/absent"], 127, "cannot run"),
            (["--where", "a ==", str(folder / "absent")], 2, "a ==")):
        done = subprocess.run([tool, "report", "-o", str(path), *args], capture_output=True)
        same(done.returncode, status)
        assert complaint in done.stderr.decode(), done.stderr
        assert not path.exists()
    done = subprocess.run([tool, "report", str(folder / "absent")], capture_output=True)
    same(done.returncode, 2)
    assert b"no file for the page is given" in done.stderr, done.stderr


# In a browser


def chromium(*args):
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             f"--user-data-dir={home}", *args], capture_output=True, timeout=300,
            env={**os.environ, "HOME": home})
    same(done.returncode, 0)
    return done.stdout.decode()


def pixels(path):
    """(width, height, rows of bytes of red, green and blue) of a PNG file."""
    content = path.read_bytes()
    width, height, depth, kind = struct.unpack(">IIBB", content[16:26])
    same((depth, kind in (2, 6)), (8, True))
    data, at = b"", 8
    while at < len(content):
        size, = struct.unpack(">I", content[at:at + 4])
        if content[at + 4:at + 8] == b"IDAT":
            data += content[at + 8:at + 8 + size]
        at += 12 + size
    each = 3 if kind == 2 else 4
    data, before, rows = zlib.decompress(data), bytes(width * each), []
    for y in range(height):
        line = data[y * (width * each + 1):(y + 1) * (width * each + 1)]
        before = unfilter(line[0], bytearray(line[1:]), before, each)
        rows.append(before)
    return width, height, each, rows


def unfilter(kind, line, above, each):
    for i in range(len(line)):
        left = line[i - each] if i >= each else 0
        corner = above[i - each] if i >= each else 0
        line[i] = line[i] + (0, left, above[i], (left + above[i]) // 2,
                             nearest(left, above[i], corner))[kind] & 255
    return bytes(line)


def nearest(left, above, corner):
    guess = left + above - corner
    return min((left, above, corner), key=lambda value: abs(guess - value))


def colours(path, *args):
    """How often each colour is in a picture of the page."""
    picture = folder / "picture.png"
    chromium("--window-size=1000,700", f"--screenshot={picture}", *args, path.as_uri())
    width, height, each, rows = pixels(picture)
    same((width, height), (1000, 700))
    counts = {}
    for row in rows:
        for x in range(0, width * each, each):
            counts[row[x:x + 3]] = counts.get(row[x:x + 3], 0) + 1
    return counts


def page_of_server():
    path = folder / "server.html"
    path.write_bytes(report("--run", "--", server, "50"))
    return path


def share(counts, colour):
    return counts.get(bytes.fromhex(colour), 0) / sum(counts.values())


def a_browser_shows_it_light_and_dark():
    path = page_of_server()
    light = colours(path)
    dark = colours(path, "--blink-settings=preferredColorScheme=0")
    assert len(light) > 50 and len(dark) > 50, (len(light), len(dark))
    assert 0.4 < share(light, "ffffff") < 0.97, share(light, "ffffff")
    assert 0.4 < share(dark, "0f1318") < 0.97, share(dark, "0f1318")
    # bars and activities
    assert share(light, "4f7fd0") > 0.002 and share(dark, "6f9fe8") > 0.002


def height_at(path, width):
    """Of the part of the page with the fields of the slowest, as the browser lays it out."""
    probe = path.with_name("probe.html")
    script = ("<script>document.title=[...document.querySelectorAll('.slowest .fields')]"
              ".reduce((a,e)=>Math.max(a,e.offsetHeight),0)</script>")
    page = re.sub(r"<meta http-equiv=[^>]*>", "", path.read_text())  # which forbids scripts
    probe.write_text(page + script)
    seen = chromium("--dump-dom", f"--window-size={width},900", probe.as_uri())
    return int(re.search(r"<title>(\d+)</title>", seen)[1])


def a_narrow_page_has_a_line_for_fields():
    """At 400 pixels they had a column of eight letters, and 14 to 16 lines."""
    path = page_of_server()
    assert height_at(path, 400) <= 4 * height_at(path, 1280), (height_at(path, 400),
                                                              height_at(path, 1280))


def a_browser_finds_in_it_what_was_written():
    path = page_of_server()
    written = Page(path.read_bytes())
    seen = chromium("--dump-dom", path.as_uri())
    for tag in ("rect", "path", "tr", "section", "svg", "title"):
        same(len(re.findall(f"<{tag}[ >]", seen)),
             len([1 for _ in written.root.iter(HTML + tag)]))
    assert "Server:RequestStart" in seen


def a_browser_makes_no_elements_of_hostile_texts():
    path = folder / "hostile.html"
    path.write_bytes(report(hostile_capture().save()))
    seen = chromium("--dump-dom", path.as_uri())
    tags = {tag.lower() for tag in re.findall(r"<([a-zA-Z!?][^\s/>]*)", seen)}
    same(tags - ELEMENTS - {"!doctype"}, set())
    assert "onload=" not in re.sub(r">[^<]*<", "><", seen)


try:
    run([the_summary_has_counts_and_the_time, numbers_have_a_histogram_and_texts_have_counts,
         frequent_values_are_found_among_many,
         activities_have_durations_and_the_slowest_has_its_fields,
         activities_without_an_end_or_a_start_are_counted, an_error_marks_its_activity,
         what_was_before_an_error_is_linked, errors_and_lines_before_them_are_bounded,
         a_slow_request_shows_what_its_thread_did_meanwhile,
         what_child_activities_did_on_other_threads_is_marked,
         own_events_do_not_hide_those_of_children, reused_ids_of_children_are_those_of_their_parent,
         parents_that_are_not_followed_are_said,
     open_starts_are_listed_the_oldest_first, two_recordings_are_compared,
         classic_events_are_pairs_by_a_field,
     classic_pairs_of_two_recordings_are_compared, wrong_pairs_are_reported,
     comparing_says_what_is_wrong,
         durations_are_broken_down_by_fields_and_thread,
         losses_are_where_they_happened, a_filter_is_on_the_page,
         pairs_that_an_expression_cuts_are_said,
         classic_pairs_that_an_expression_cuts_are_said, a_program_can_be_the_source,
         a_hundred_thousand_events_fit_in_5_MB, many_kinds_threads_and_fields_are_bounded,
         times_of_any_distance_are_drawn, hostile_texts_stay_texts,
         damaged_recordings_make_whole_pages, damaged_events_are_counted,
         a_page_is_written_by_name, nothing_is_written_without_events,
         a_browser_shows_it_light_and_dark, a_narrow_page_has_a_line_for_fields,
         a_browser_finds_in_it_what_was_written,
         a_browser_makes_no_elements_of_hostile_texts])
finally:
    shutil.rmtree(folder)
