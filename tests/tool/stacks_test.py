#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Stacks of recordings, captures and rings: decode --stack, stacks, report.

Arguments: the tool, calls, calls without frame pointers, slow_request, and writers as they are
compiled in several ways.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

from captures import Capture
from recordings import CALLCHAIN, IDENTIFIER, RAW, TID, TIME, Recording
from tap import is_full, run, same

tool, calls, bare_calls, server, *writers = map(os.path.abspath, sys.argv[1:])
folder = pathlib.Path(tempfile.mkdtemp())
BASE = 0x560000000000
SAMPLE = IDENTIFIER | TID | TIME | RAW
KERNEL, USER = 2**64 - 128, 2**64 - 512  # PERF_CONTEXT_*


def program(name, change=lambda content: content):
    """A copy of the program, which a test may change."""
    path = folder / name
    path.write_bytes(change(pathlib.Path(calls).read_bytes()))
    path.chmod(0o755)
    return path


def symbols(path):
    """{function: (address, size)}"""
    lines = subprocess.run(["nm", "-S", path], capture_output=True, text=True, check=True).stdout
    return {words[3]: (int(words[0], 16), int(words[1], 16)) for words in map(str.split, lines.splitlines())
            if len(words) == 4}


def build_id(path):
    text = subprocess.run(["readelf", "-n", path], capture_output=True, text=True).stdout
    return bytes.fromhex(re.search(r"Build ID: (\w+)", text)[1])


def code(path):
    """(offset, address) of the segment with code."""
    text = subprocess.run(["readelf", "-lW", path], capture_output=True, text=True).stdout
    offset, address = re.search(r"LOAD +(0x\w+) (0x\w+) .* R E ", text).groups()
    return int(offset, 16), int(address, 16)


class Stacks:
    """A recording of the events call_made, whose process has mapped a program."""

    def __init__(self):
        self.recording = Recording()
        self.event = self.recording.event("user_events", "call_made", 500, [("u32", "number", 4, 0)],
                                          ids=(7,), sample_type=SAMPLE | CALLCHAIN)
        self.bare = self.recording.event("user_events", "call_bare", 501, [("u32", "number", 4, 0)],
                                         ids=(8,), sample_type=SAMPLE)
        self.time = 1000

    def map(self, path, own=None, pid=100, begin=BASE, size=0x10000, kind=10, inode=0, misc=2):
        pack = self.recording.pack
        offset, _ = code(calls)
        identity = (pack("B3x20s", len(own), own) if own else pack("IIQQ", 8, 1, inode, 0))
        body = pack("IIQQQ", pid, pid, begin, size, offset)
        if kind == 10:
            body += identity + pack("II", 5, 2)
        body += self.recording.text(str(path)) + self.recording.end(self.time)
        self.recording.pieces.append(
            pack("IHH", kind, misc | (1 << 14 if own else 0), 8 + len(body)) + body)

    def sample(self, *chain, pid=100, tid=None, event=None):
        self.time += 1000
        self.recording.chain = chain
        self.recording.sample(event or self.event, self.time, bytes(4), pid=pid, tid=tid or pid)

    def save(self, name="stacks.data"):
        path = folder / name
        path.write_bytes(self.recording.file())
        return str(path)


def at(function, inside=1):
    """The address of an instruction there."""
    _, address = code(calls)
    return BASE + symbols(calls)[function][0] + inside - address


def chain(*functions):
    return [at(function) for function in functions]


def done(*args, status=0):
    result = subprocess.run([tool, *args], capture_output=True, timeout=60, text=True)
    same(result.returncode, status)
    return result.stdout, result.stderr


def folded(path, **kwargs):
    return done("stacks", "--folded", path, **kwargs)


def functions_are_named_by_symbols():
    stacks = Stacks()
    stacks.map(calls, build_id(calls))
    stacks.sample(*chain("inner_call", "middle_call", "outer_call", "main"))
    stacks.sample(*chain("inner_call", "middle_call", "outer_call", "main"))
    stacks.sample(*chain("middle_call", "main"))
    stacks.recording.comm(1, 100, "my shop")
    path = stacks.save()
    same(folded(path), ("my shop;main;outer_call;middle_call;inner_call;user_events:call_made 2\n"
                        "my shop;main;middle_call;user_events:call_made 1\n", ""))
    text, _ = done("stacks", path)
    same(text, """\
         2  66.7%  user_events:call_made  of my shop
                    inner_call
                    middle_call
                    outer_call
                    main
         1  33.3%  user_events:call_made  of my shop
                    middle_call
                    main
3 events with 2 different stacks
""")
    text, _ = done("stacks", "--top", "1", path)
    assert "         1  33.3%  other stacks\n" in text, text
    found = json.loads(done("stacks", "--json", path)[0])
    same(found["stacks"][1], {"count": 1, "program": "my shop", "event": "user_events:call_made",
                              "stack": ["middle_call", "main"]})


def functions_of_the_library_alone_are_left_out():
    for name, new, is_shown in (
            ("inner_call", "ue_handler", True), ("middle_call", "_ue__writer", True),
            ("inner_call", "ue__handle", False), ("middle_call", "a_ue__write", False),
            ("middle_call", "_Z6ue__ppPF", False),
            ("middle_call", "_ue__write.", False), ("inner_call", "ue_writev\0", False)):
        path = program("renamed", lambda content: content.replace(name.encode(), new.encode()))
        stacks = Stacks()
        stacks.map(path, build_id(calls))
        stacks.sample(*chain(name, "main"))
        shown = f";{new}" if is_shown else ""
        same(folded(stacks.save())[0], f"?;main{shown};user_events:call_made 1\n")


def decode_prints_frames_if_asked():
    stacks = Stacks()
    stacks.map(calls, build_id(calls))
    stacks.sample(at("inner_call", 0), at("main", 5), 0x1234)
    path = stacks.save()
    assert "inner_call" not in done("decode", path)[0]
    lines = done("decode", "--stack", path)[0].splitlines()
    same(lines[-3:], [f"    {at('inner_call', 0):x} inner_call+0x0 ({calls})",
                      f"    {at('main', 5):x} main+0x5 ({calls})", "            1234 ?"])
    for args in (["-j"], ["-f", "json"], ["-f", "jsonl-nested"], ["-f", "perf-decode"]):
        event = json.loads(done("decode", "--stack", *args, path)[0].removeprefix("\ufeff"))
        event = list(event.values())[0] if args[-1] == "perf-decode" else event
        event = event[0] if isinstance(event, list) else event
        same(event["stack"], [
            {"ip": hex(at("inner_call", 0)), "symbol": "inner_call", "offset": 0, "module": calls},
            {"ip": hex(at("main", 5)), "symbol": "main", "offset": 5, "module": calls},
            {"ip": "0x1234"}])


def a_call_at_the_end_of_a_function_is_in_it():
    stacks = Stacks()
    stacks.map(calls, build_id(calls))
    stacks.sample(at("inner_call"), at("middle_call", symbols(calls)["middle_call"][1]))
    same(folded(stacks.save())[0],
         "?;middle_call;inner_call;user_events:call_made 1\n")


def frames_of_the_kernel_are_left_out():
    stacks = Stacks()
    stacks.map(calls, build_id(calls))
    stacks.sample(KERNEL, 2**64 - 2**30, USER, *chain("inner_call", "main"))
    same(folded(stacks.save())[0], "?;main;inner_call;user_events:call_made 1\n")


def mappings_follow_processes():
    stacks = Stacks()
    recording = stacks.recording
    recording.max_stack = 1
    stacks.map(calls, build_id(calls))
    stacks.time += 10
    recording.record(7, recording.pack("IIIIQ", 200, 100, 200, 100, stacks.time)
                     + recording.end(stacks.time))
    stacks.sample(at("main"), pid=200)  # a child has the mappings of its parent
    stacks.time += 10
    recording.pieces.append(recording.pack("IHH", 3, 1 << 13, 8 + 8 + 8 + len(recording.end(0)))
                            + recording.pack("II", 200, 200) + recording.text("other")
                            + recording.end(stacks.time))
    stacks.sample(at("main"), pid=200)  # until it runs another program
    stacks.map("/nowhere/lib.so", pid=100, begin=BASE + 0x1000, size=0x1000)
    stacks.sample(BASE + 0x1004, pid=100)  # what is mapped later replaces a part
    stacks.sample(at("main"), pid=300)
    text, said = folded(stacks.save())
    same(sorted(text.splitlines()), [
        f"?;0x{at('main'):x};user_events:call_made 1",
        f"?;lib.so+0x{code(calls)[0] + 4:x};user_events:call_made 1",
        "?;main;user_events:call_made 1",
        f"other;0x{at('main'):x};user_events:call_made 1"])
    same(said, "userevents: cannot name the functions of /nowhere/lib.so (No such file or "
         "directory)\n")


def a_changed_file_is_reported_and_not_used():
    path = program("changed")
    own = bytearray(build_id(calls))
    own[3] ^= 1
    for kind in ({"own": bytes(own)}, {"inode": os.stat(path).st_ino + 1}):
        stacks = Stacks()
        stacks.map(path, **kind)
        stacks.sample(at("main"))
        text, said = folded(stacks.save())
        same(text, f"?;changed+0x{symbols(calls)['main'][0] + 1 - code(calls)[1] + code(calls)[0]:x};"
                   "user_events:call_made 1\n")
        assert said.startswith(f"userevents: cannot name the functions of {path} ("), said
    stacks = Stacks()
    stacks.map(path, inode=os.stat(path).st_ino)
    stacks.sample(at("main"))
    same(folded(stacks.save()), ("?;main;user_events:call_made 1\n", ""))


def the_older_record_of_mappings_is_read_too():
    stacks = Stacks()
    stacks.map(calls, kind=1)
    stacks.map("/data", kind=1, misc=2 | 1 << 13)
    stacks.sample(at("main"))
    same(folded(stacks.save()), ("?;main;user_events:call_made 1\n", ""))


def names_are_harmless():
    evil = program("evil", lambda content: content.replace(b"outer_call\0", b"o;<b>\n\x1b c\"\0"))
    stacks = Stacks()
    stacks.map(evil, build_id(calls))
    stacks.sample(*chain("inner_call", "outer_call"))
    path = stacks.save()
    same(folded(path)[0], '?;o:<b>?? c";inner_call;user_events:call_made 1\n')
    text = done("decode", "--stack", path)[0]
    assert "\x1b" not in text and "o;<b>??" in text, text
    event = json.loads(done("decode", "--stack", "-j", path)[0])
    same(event["stack"][1]["symbol"], 'o;<b>\n\x1b c"')
    page = done("report", "-o", "-", path)[0]
    assert "<b>??" not in page and "o:&lt;b&gt;?? c&quot;" in page, page


def hostile_files_cost_names_only():
    whole = pathlib.Path(calls).read_bytes()

    def with_number(place, number, size=8):
        return lambda content: content[:place] + number.to_bytes(size, "little") + content[place + size:]

    cases = {"empty": lambda content: b"", "short": lambda content: content[:len(whole) // 2],
             "head": lambda content: content[:40], "text": lambda content: b"#!/bin/sh\n",
             "sections": with_number(0x28, 2**64 - 64), "names": with_number(0x3e, 0xffff, 2),
             "segments": with_number(0x20, 2**63)}
    for name, change in cases.items():
        stacks = Stacks()
        stacks.map(program(name, change))
        stacks.sample(at("main"))
        text, said = folded(stacks.save())
        assert text.startswith(f"?;{name}+0x"), text
        assert f"cannot name the functions of {folder}/{name} (" in said, said
    os.mkfifo(folder / "pipe")
    for path in (folder / "pipe", "/dev/zero", folder, "[vdso]", "//anon", ""):
        stacks = Stacks()
        stacks.map(path)
        stacks.sample(at("main"))
        folded(stacks.save())


def with_large_symbols(size):
    """A change: .symtab lies in a hole behind all else. It has so many bytes of zeros."""
    def change(content):
        content = bytearray(content)
        headers = int.from_bytes(content[0x28:0x30], "little")
        for at in range(headers, len(content), 64):
            if content[at + 4] == 2:  # SHT_SYMTAB
                content[at + 24:at + 40] = struct.pack("<QQ", len(content), size)
        return bytes(content)
    return change


def with_many_segments(content):
    one = content[64:64 + 56 * content[0x38]]
    one = next(one[at:at + 56] for at in range(0, len(one), 56) if one[at] == 1)  # PT_LOAD
    return (content[:0x20] + struct.pack("<Q", len(content)) + content[0x28:0x38] +
            struct.pack("<H", 129) + content[0x3a:] + one * 129)


def files_with_holes_cost_bounded_memory():
    stacks = Stacks()
    for number, size in enumerate((300, 150, 150)):
        path = program(f"hole{number}", with_large_symbols(size << 20))
        os.truncate(path, 400 << 20)
        stacks.map(path, begin=BASE + number * 0x100000)
        stacks.sample(BASE + number * 0x100000 + 0x1000)
    segments = program("segments", with_many_segments)
    stacks.map(segments)
    stacks.sample(at("main"))
    _, said = folded(stacks.save())
    assert f"{folder}/hole0 (its symbol table is too large)" in said, said
    assert f"{folder}/hole1 (it is stripped: it names no functions)" in said, said
    assert f"{folder}/hole2 (the symbols of all files are too large together)" in said, said
    assert f"{segments} (it has more than 128 segments to load)" in said, said


def hostile_chains_cost_an_event_at_most():
    stacks = Stacks()
    stacks.map(calls, build_id(calls))
    stacks.sample(*chain("main"))
    stacks.sample(*[at("main")] * 5000)
    stacks.sample(0, 2**64 - 1, 2**63, 2**47, USER, 1)
    for count in (2**61, 2**64 - 1, 1000):
        stacks.recording.chain_count = count
        stacks.sample(*chain("main"))
    stacks.recording.chain_count = None
    stacks.map(calls, begin=2**64 - 10, size=2**63)
    stacks.map(calls, begin=0, size=2**63 - 1)
    stacks.sample(*chain("main"))
    done("stacks", stacks.save(), status=1)


def events_without_a_stack_are_counted():
    stacks = Stacks()
    stacks.map(calls, build_id(calls))
    stacks.sample(*chain("main"))
    stacks.sample(event=stacks.bare)
    text, _ = done("stacks", stacks.save())
    assert text.endswith("1 event with 1 different stack; 1 event without\n"), text
    stacks = Stacks()
    stacks.sample(event=stacks.bare)
    _, said = done("stacks", stacks.save(), status=1)
    assert "No event has a stack" in said, said


def a_page_shows_an_icicle():
    stacks = Stacks()
    stacks.map(calls, build_id(calls))
    for _ in range(3):
        stacks.sample(*chain("inner_call", "main"))
    stacks.sample(*chain("middle_call", "main"))
    page = done("report", "-o", "-", stacks.save())[0]
    same(re.findall(r'width:([\d.]+%);top:(\d+)px" title="[^"]*">(\w+_call|main)<', page),
         [("100.000%", "19", "main"), ("75.000%", "38", "inner_call"),
          ("25.000%", "38", "middle_call")])
    assert '<a href="#stacks">' in page
    bare = Stacks()
    bare.sample(event=bare.bare)
    assert "#stacks" not in done("report", "-o", "-", bare.save())[0]


def an_event_that_is_kept_keeps_its_stack():
    """decode -B copies events before it prints them."""
    stacks = Stacks()
    stacks.map(calls, build_id(calls))
    for name in ("main", "outer_call", "middle_call"):
        stacks.sample(*chain(name))
    stacks.sample(event=stacks.bare)
    text = done("decode", "--stack", "-e", "call_bare", "-B", "3", stacks.save())[0]
    same(re.findall(r"(\w+)\+0x1 ", text), ["main", "outer_call", "middle_call"])


# Rings

CALLS = r"calls;(.*;)?main;outer_call;middle_call;inner_call[.\w]*;user_events:"


def expect_calls(text, counts):
    """counts: {event: how often it has the stack}"""
    found = {}
    for line in text.splitlines():
        assert re.match(CALLS, line), line
        event, count = re.search(r"user_events:(\w+) (\d+)$", line).groups()
        found[event] = found.get(event, 0) + int(count)
    same(found, counts)


def a_program_that_is_run_writes_stacks():
    text, said = done("run", "--stack", "call_made", "--", calls, "2")
    same((text.count("outer_call+"), text.count("call_other "), said), (2, 2, ""))
    assert "ue_mapping" not in text, text
    expect_calls(done("stacks", "--folded", "-e", "call_made", "--run", calls, "3")[0],
                 {"call_made": 3})
    lines = done("run", "--stack", "call_*", "-j", "--frames", "3", "--", calls, "1")[0].splitlines()
    same([len(json.loads(line)["stack"]) for line in lines], [3, 3])


def frames_are_counted_from_the_function_that_writes():
    """However the program was compiled, and whichever way it writes."""
    ring, path = str(folder / "frames.ring"), str(folder / "frames.uecap")
    for program in writers:
        done("ring", "create", "-s", "1M", ring)
        done("ring", "set", "--stack", "*", "--frames", "2", ring)
        write_into(ring, 1, program)
        done("run", "--stack", "*", "--frames", "2", "--record", path, "--", program)
        for lines in (done("decode", "--stack", "-j", ring)[0], done("decode", "--stack", "-j", path)[0],
                      done("run", "--stack", "*", "--frames", "2", "-j", "--", program)[0]):
            found = {event["n"].split(":")[1].removeprefix("frame_"):
                     [re.sub(r"\W.*|^_ZL\d+|PFivE$|v$", "", frame["symbol"]) for frame in event["stack"]]
                     for event in map(json.loads, lines.splitlines())}
            same(found, {name: [f"write_{name}", "middle_call"] for name in
                         ("small", "text", "printed", "header", "string", "plain")})
        os.unlink(ring)


def a_capture_has_stacks():
    path = str(folder / "calls.uecap")
    done("run", "--stack", "call_made", "--record", path, "--", calls, "5000")
    expect_calls(folded(path)[0], {"call_made": 5000})
    rows = done("stat", path)[0]
    assert "ue_mapping" not in rows and "10000 events" in rows, rows
    done("run", "-e", "call_made", "--stack", "call_*", "--record", path, "--", calls, "1")
    expect_calls(folded(path)[0], {"call_made": 1})


def a_file_that_changed_since_then_gives_no_names():
    """A compiler often writes the new program into the inode of the old one."""
    own, path = str(folder / "own"), str(folder / "own.uecap")
    shutil.copy(calls, own)
    done("run", "--stack", "call_made", "--record", path, "--", own, "3")
    assert ";main;outer_call;" in folded(path)[0]
    os.utime(own)
    text, said = folded(path)
    assert "main" not in text and "outer_call" not in text, text
    same(said, f"userevents: cannot name the functions of {own} (the file was changed afterwards)\n")


def threads_are_counted_as_their_program():
    """--threads tells them apart, by their names."""
    path, names = folder / "threads.uecap", ("worker-1", "worker-2", "shop")
    capture = Capture().definition(0, "tick u32 n")
    for number, name in enumerate(names):
        capture.thread(10 + number, name)
    capture.page(process="shop").events([(0, number, 1, bytes(4)) for number in range(3)])
    path.write_bytes(capture.stacks([[0x1000]] * 3).end_pass().bytes)
    stacks = Stacks()
    for tid, name in zip((101, 102, 100), names):
        stacks.recording.comm(100, tid, name)
    for tid in 100, 101, 102:
        stacks.sample(0x1000, tid=tid)
    for source, event in (path, "tick"), (stacks.save(), "call_made"):
        same(folded(source)[0], f"shop;0x1000;user_events:{event} 3\n")
        same(sorted(done("stacks", "--threads", "--folded", source)[0].splitlines()),
             [f"{name};0x1000;user_events:{event} 1" for name in sorted(names)])
        same([one["program"] for one in json.loads(done("stacks", "--json", source)[0])["stacks"]],
             ["shop"])
        found = json.loads(done("stacks", "--threads", "--json", source)[0])["stacks"]
        same(sorted(one["thread"] for one in found), sorted(names))


def a_capture_may_be_cut_off_anywhere():
    path = folder / "whole.uecap"
    done("run", "--stack", "call_made", "--record", str(path), "--", calls, "3")
    whole = path.read_bytes()
    for length in range(0, len(whole), 1 if is_full else 7):
        (folder / "cut.uecap").write_bytes(whole[:length])
        result = subprocess.run([tool, "stacks", "--folded", str(folder / "cut.uecap")],
                                capture_output=True, timeout=60)
        assert result.returncode == 1, (length, result)


def write_into(ring, count, program=calls):
    subprocess.run([program, str(count)], check=True, timeout=60,
                   env=os.environ | {"USEREVENTS_RING": ring})


def a_ring_keeps_stacks_without_a_reader():
    for mode in "overwrite", "drop":
        ring = str(folder / f"{mode}.ring")
        done("ring", "create", "-m", mode, "-s", "1M", ring)
        with subprocess.Popen([calls, "50", "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              env=os.environ | {"USEREVENTS_RING": ring}) as program:
            program.stdout.readline()
            write_into(ring, 5)  # without stacks
            done("ring", "set", "--stack", "call_made", ring)
            program.communicate(b"\n", timeout=60)
        expect_calls(folded(ring)[0], {"call_made": 50})
        done("ring", "set", "--no-stack", "*", ring)
        write_into(ring, 5)
        expect_calls(folded(ring)[0], {"call_made": 50})


def rounds_of_two(ring, rounds):
    """Two programs write in turns, five events each. The modules of main() in their order."""
    copies = [program("one"), program("two")]
    running = [subprocess.Popen([copy, "5", "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                env=os.environ | {"USEREVENTS_RING": ring}) for copy in copies]
    for copy in running:
        copy.stdout.readline()
    for turn in range(2 * rounds):
        running[turn % 2].stdin.write(b"\n")
        running[turn % 2].stdin.flush()
        same(running[turn % 2].stdout.readline(), b"written\n")
    for copy in running:
        copy.communicate(timeout=60)
        same(copy.returncode, 0)
    return [str(copies[turn % 2]) for turn in range(2 * rounds) for _ in range(5)]


def with_equal_pids(path):
    """Store the same pid in all pages of a ring, as processes of two pid namespaces do."""
    content = bytearray(pathlib.Path(path).read_bytes())
    at, count, small = struct.unpack_from("QII", content, 112)
    for number in range(count):
        if any(content[at:at + 8]):
            content[at + 52:at + 56] = struct.pack("I", 7)
        at += 512 if number < small else 8704
    pathlib.Path(path).write_bytes(content)


def modules_of_main(path):
    events = [json.loads(line) for line in done("decode", "--stack", "-j", path)[0].splitlines()]
    same({event["meta"]["pid"] for event in events}, {7})
    return [next((frame["module"] for frame in event["stack"] if frame.get("symbol") == "main"), None)
            for event in events]


def processes_of_one_pid_have_their_own_code():
    """Of two pid namespaces, or one after the other."""
    ring, path = str(folder / "pids.ring"), str(folder / "pids.uecap")
    done("ring", "create", "-m", "drop", "-s", "2M", ring)
    done("ring", "set", "--stack", "call_made", "--disable", "call_other", ring)
    modules = rounds_of_two(ring, 3)
    with_equal_pids(ring)
    same(modules_of_main(ring), modules)
    with subprocess.Popen([tool, "record", "-o", path, ring], stderr=subprocess.PIPE,
                          text=True) as recorder:
        while not os.path.exists(path) or not os.path.getsize(path) > 16:
            assert recorder.poll() is None
            time.sleep(0.02)
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=60)
    same(modules_of_main(path), modules)


def a_ring_that_overwrites_describes_its_code_again():
    ring = str(folder / "again.ring")
    done("ring", "create", "-s", "256k", ring)
    done("ring", "set", "--stack", "*", ring)
    write_into(ring, 20000)
    lines = folded(ring)[0].splitlines()
    named = sum(int(line.split()[-1]) for line in lines if re.match(CALLS, line))
    others = sum(int(line.split()[-1]) for line in lines if not re.match(CALLS, line))
    assert named > others, lines


def a_ring_is_followed_with_stacks():
    ring, path = str(folder / "live.ring"), str(folder / "live.uecap")
    done("ring", "create", "-m", "drop", "-s", "8M", ring)
    write_into(ring, 3)
    with subprocess.Popen([tool, "record", "--stack", "call_other", "-o", path, ring],
                          stderr=subprocess.PIPE, text=True) as recorder:
        while not os.path.exists(path) or not os.path.getsize(path) > 16:
            assert recorder.poll() is None
            time.sleep(0.02)
        write_into(ring, 10)
        while b"ue_mapping" not in pathlib.Path(path).read_bytes():
            assert recorder.poll() is None
            time.sleep(0.02)
        recorder.send_signal(signal.SIGINT)
        said = recorder.communicate(timeout=60)[1]
    assert "has 26 events" in said, said
    expect_calls(folded(path)[0], {"call_other": 10})


def descriptions_are_in_no_count():
    ring, path = str(folder / "counts.ring"), str(folder / "counts.uecap")
    done("ring", "create", "-m", "drop", "-s", "1M", ring)
    done("ring", "set", "--stack", "*", ring)
    write_into(ring, 10)
    info = json.loads(done("ring", "info", "-j", ring)[0])
    same((info["events"], info["enabled"], sum(info["lost"].values())), (2, 2, 0))
    for source in ring, path:
        if source == path:
            done("run", "--stack", "*", "--record", path, "--", calls, "10")
        rows = done("stat", source)[0]
        assert "ue_mapping" not in rows and "20 events" in rows, rows
        for command in ["report", "-o", "-"], ["latency"], ["decode"], ["export", "-f", "otlp-json"]:
            result = subprocess.run([tool, *command, source], capture_output=True, text=True, timeout=60)
            assert "ue_mapping" not in result.stdout + result.stderr, (command, result)
    overwriting = str(folder / "counts-overwritten.ring")
    done("ring", "create", "-s", "256k", overwriting)
    done("ring", "set", "--stack", "*", overwriting)
    write_into(overwriting, 5000)
    overwritten = json.loads(done("ring", "info", "-j", overwriting)[0])["overwritten"]
    same(len(done("decode", overwriting)[0].splitlines()) + overwritten, 10000)


def a_program_that_registers_nothing_is_told_so():
    _, said = done("run", "--stack", "*", "--", "true", status=1)
    assert "registered no event" in said, said


def a_program_without_frame_pointers_goes_on():
    text, said = done("run", "--stack", "call_*", "--", bare_calls, "100")
    same((text.count("call_made "), said.count("frame pointers"), said.count("\n")), (100, 1, 1))
    path = str(folder / "bare.uecap")
    done("run", "--stack", "call_*", "--record", path, "--", bare_calls, "100")
    counts = [int(line.split()[-1]) for line in folded(path)[0].splitlines()]
    same(sum(counts), 200)


def code_without_frame_pointers_is_told_once():
    path, whole = str(folder / "short.uecap"), str(folder / "long.uecap")
    fix = ("userevents: Most stacks of bare_calls have no more than 2 functions, as code without frame "
           "pointers has; compile it, and its libraries, with -fno-omit-frame-pointer.\n")
    done("run", "--stack", "call_*", "--record", path, "--", bare_calls, "100")
    done("run", "--stack", "call_*", "--record", whole, "--", calls, "100")
    for command in ["stacks"], ["decode", "--stack"], ["decode", "--stack", "-j"]:
        same(done(*command, path)[1].count(fix), 1)
        assert "frame pointers" not in done(*command, whole)[1], command
    assert "frame pointers" not in done("decode", path)[1]
    same(done("report", "-o", "-", path)[0].count("Most stacks of bare_calls"), 1)
    assert "Most stacks" not in done("report", "-o", "-", whole)[0]


def is_told_to_keep_frame_pointers(*stack, path=calls, max_stack=0):
    stacks = Stacks()
    stacks.recording.max_stack = max_stack
    stacks.map(path)
    stacks.sample(*stack)
    return "with -fno-omit-frame-pointer." in folded(stacks.save())[1]


def a_stack_without_frame_pointers_leads_to_no_code():
    rubbish = 0x6ce80d30b98ca295
    for stack in [rubbish], [rubbish, 1], [at("inner_call")], [at("inner_call"), rubbish]:
        assert is_told_to_keep_frame_pointers(*stack), stack
    for stack in chain("main"), [at("main"), rubbish], [rubbish] * 3:
        assert not is_told_to_keep_frame_pointers(*stack), stack


def a_stack_that_was_asked_to_be_short_lacks_no_frame_pointers():
    one, two = chain("inner_call"), chain("inner_call", "middle_call")
    for stack, most, is_told in ((one, 1, False), (one, 2, True), (two, 2, False), (two, 3, True),
                                 ([USER, *two], 2, False), ([USER, *two], 3, True),
                                 ([KERNEL, 2**64 - 2**30, USER, *two], 3, False),
                                 ([KERNEL, 2**64 - 2**30, USER, *two], 4, True)):
        same((stack, most, is_told_to_keep_frame_pointers(*stack, max_stack=most)), (stack, most, is_told))


def a_stack_that_ends_in_the_c_library_is_whole():
    for name, is_told in (("libc.so.6", False), ("libc-2.31.so", False), ("libpthread-2.31.so", False),
                          ("ld-musl-x86_64.so.1", False), ("libc-client.so", True),
                          ("libcurl.so.4", True)):
        same((name, is_told_to_keep_frame_pointers(at("inner_call"), path=f"/nowhere/{name}")),
             (name, is_told))


def stacks_of_eventheader_events_are_asked_for_by_their_names():
    path = str(folder / "named.uecap")
    for glob in ("RequestStop", "Server:RequestStop"):
        said = done("run", "--record", path, "--stack", glob, "--stack", "Nothing*", "--",
                    server)[1]
        assert 'There was no event that --stack "Nothing*" matches.' in said, said
        assert f'"{glob}"' not in said, said
        found = json.loads(done("stacks", "--json", path)[0])
        same({one["event"] for one in found["stacks"]}, {"Server:RequestStop"})
        assert found["events"] > 10 and found["withoutStack"] > 10, found
    text = done("run", "--stack", "RequestStop", "--", server)[0]
    lines = re.findall(r"Server:(\w+).*\n    ", text)
    same(set(lines), {"RequestStop"})


def events_in(text):
    """The names of events that have a stack."""
    return {one["event"] for one in json.loads(text)["stacks"]}


def a_ring_takes_the_globs_that_run_takes():
    for glob, expected in (("Server:Request*", {"Server:RequestStart", "Server:RequestStop"}),
                           ("RequestSt?p", {"Server:RequestStop"}), ("user_events:RequestStop", set()),
                           ("user_events:Server_L*", {"Server:RequestStop"}), ("call_m*", {"user_events:call_made"}),
                           ("user_events:call_made", {"user_events:call_made"})):
        ring = str(folder / "globs.ring")
        done("ring", "create", "-s", "1M", ring)
        done("ring", "set", "--stack", glob, ring)
        write_into(ring, 1)
        write_into(ring, 1, server)
        result = subprocess.run([tool, "stacks", "--json", ring], capture_output=True, text=True, timeout=60)
        found = events_in(result.stdout) if result.returncode == 0 else set()
        assert expected <= found and ("user_events:call_other" not in found), (glob, found)
        same("user_events:call_made" in found, glob.endswith(("call_made", "call_m*")))
        if glob.startswith("Server:"):
            done("ring", "set", "--no-stack", "Server:Request*", ring)
            events = sum(map(len, [done("stacks", "--folded", ring)[0].splitlines()]))
            write_into(ring, 1, server)
            same(len(done("stacks", "--folded", ring)[0].splitlines()), events)
        os.unlink(ring)


def a_name_that_is_near_is_told():
    said = done("run", "--stack", "call_mad", "--", calls, "1")[1]
    assert '--stack "call_mad" matches; did you mean "call_made"?' in said, said
    said = done("stacks", "-e", "call_mad", "--run", calls, "1")[1]
    assert 'none that -e matches; did you mean "call_made"?' in said, said


def wrong_use_is_refused():
    _, said = done("record", "--frames", "200", "--stack", "x", "true", status=2)
    assert "--frames is at most 127" in said, said
    _, said = done("record", "--frames", "20", "true", status=2)
    assert "--frames is of --stack" in said, said
    _, said = done("stacks", "--frames", "2", "x", status=2)
    assert "--frames is of --run and --watch" in said, said
    _, said = done("stacks", "--folded", "--json", "x", status=2)
    assert "exclude each other" in said, said


try:
    run([functions_are_named_by_symbols, functions_of_the_library_alone_are_left_out,
         decode_prints_frames_if_asked,
         a_call_at_the_end_of_a_function_is_in_it, frames_of_the_kernel_are_left_out,
         mappings_follow_processes, a_changed_file_is_reported_and_not_used,
         the_older_record_of_mappings_is_read_too, names_are_harmless,
         hostile_files_cost_names_only, files_with_holes_cost_bounded_memory,
         hostile_chains_cost_an_event_at_most,
         events_without_a_stack_are_counted, a_page_shows_an_icicle,
         an_event_that_is_kept_keeps_its_stack, a_program_that_is_run_writes_stacks,
         frames_are_counted_from_the_function_that_writes, a_capture_has_stacks,
         a_file_that_changed_since_then_gives_no_names,
         threads_are_counted_as_their_program, a_capture_may_be_cut_off_anywhere,
         a_ring_keeps_stacks_without_a_reader, processes_of_one_pid_have_their_own_code,
         a_ring_that_overwrites_describes_its_code_again,
         a_ring_is_followed_with_stacks, descriptions_are_in_no_count,
         a_program_that_registers_nothing_is_told_so, a_program_without_frame_pointers_goes_on,
         code_without_frame_pointers_is_told_once,
         a_stack_without_frame_pointers_leads_to_no_code,
         a_stack_that_was_asked_to_be_short_lacks_no_frame_pointers,
         a_stack_that_ends_in_the_c_library_is_whole,
         stacks_of_eventheader_events_are_asked_for_by_their_names,
         a_ring_takes_the_globs_that_run_takes, a_name_that_is_near_is_told, wrong_use_is_refused])
finally:
    shutil.rmtree(folder)
