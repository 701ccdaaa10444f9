#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bindings/rust. Arguments: the tool, the crate's example writer, the crate, the folder of
libuserevents.so and a folder for cargo."""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tool"))
import value_errors  # noqa: E402
from tap import run, same  # noqa: E402

tool, writer, crate, libraries, target = sys.argv[1:]
DEFINED = writer + "_defined"


def events(what=(), said="", writer=writer):
    """The events that the example writes, without their meta."""
    done = subprocess.run([tool, "run", "--json", "--", writer, *what], text=True,
                          capture_output=True, timeout=300)
    same((done.returncode, done.stderr), (1 if "lost" in said else 0, said))
    return [json.loads(line) for line in done.stdout.splitlines()]


def bare(found):
    return [{key: value for key, value in event.items() if key != "meta"} for event in found]


def values_of_rust_are_fields():
    found = events()
    request = {"n": "user_events:rs_request", "small": -1, "path": "/caf\u00e9", "code": "abcd",
               "raw": "01 ff"}
    same(bare(found), [
        {**request, "status": 200}, {**request, "status": 404},
        {"n": "RsShop:Numbers", "a": 255, "b": 65535, "c": 1 << 31, "d": 1 << 63, "e": -1,
         "f": -2, "g": -3, "h": -4, "i": 0.5, "j": 0.1, "k": True, "l": "0xFF",
         "m": "ENOENT(2)", "n_": 7, "o": "1970-01-01T00:01:00Z", "p": 80},
        {"n": "RsShop:Others", "text": "h\u00e9\0x", "json": "{}", "raw": "61 62", "none": None,
         "v4": "127.0.0.1", "v6": "::1", "id": "12121212-1212-1212-1212-121212121212",
         "gr\u00f6\u00dfe": ""},
        {"n": "RsShop:Arrays", "a": [1, 65535], "b": [True, False], "c": [], "d": ["x", "y"],
         "e": ["z"]},
        {"n": "RsShop:Structs", "from": {"city": "Rome", "at": {"x": 1}},
         "items": [{"name": "tea", "count": 2}, {"name": "milk", "count": 1}], "nothing": [],
         "last": 1},
        {"n": "RsShop:Inner", "a": 1},
        {"n": "RsShop:Outer", "before": 1, "after": 2},
        {"n": "RsShop:Start", "a;tag=0x5": 1},
        {"n": "RsShop:After"},
        {"n": "user_events:rs_request", "status": 1, "small": 2, "path": "", "code": "",
         "raw": ""}])
    meta = found[8]["meta"]
    same({key: meta[key] for key in ("id", "version", "level", "keyword", "opcode", "tag",
                                     "activity", "relatedActivity")},
         {"id": 7, "version": 1, "level": 5, "keyword": "0xFF", "opcode": 1, "tag": "0x9",
          "activity": "01010101-0101-0101-0101-010101010101",
          "relatedActivity": "02020202-0202-0202-0202-020202020202"})


def events_that_are_defined_at_compile_time_are_written():
    found = events(writer=DEFINED)
    zeros = dict.fromkeys("abcdefgh", 0)
    same(bare(found), [
        {"n": "user_events:rs_all", "a": 1, "b": 2, "c": 3, "d": 1 << 63, "e": -1, "f": -2, "g": -3,
         "h": -(1 << 63), "text": "/caf\u00e9", "raw": "01 ff", "last": 9},
        {"n": "user_events:rs_all", **zeros, "text": "", "raw": "", "last": 0},
        {"n": "user_events:rs_empty"},
        {"n": "RsDefined:Numbers", "a": 255, "b": 65535, "c": 1 << 31, "d": 1 << 63, "e": -1,
         "f": -2, "g": -3, "h": -4, "x": 0.5, "y": 0.1, "z": True},
        {"n": "RsDefined:Others", "text": "h\u00e9\0x", "raw": "61 62", "small": [1, 65535],
         "real": [0.5], "none": []},
        {"n": "RsDefined:Start", "step": 3}, {"n": "RsDefined:Start", "step": 4},
        {"n": "RsDefined:Nothing"}])
    meta = found[5]["meta"]
    same({key: meta[key] for key in ("id", "version", "level", "keyword", "opcode", "tag",
                                     "activity", "relatedActivity")},
         {"id": 7, "version": 1, "level": 5, "keyword": "0xFF", "opcode": 1, "tag": "0x9",
          "activity": "01010101-0101-0101-0101-010101010101",
          "relatedActivity": "02020202-0202-0202-0202-020202020202"})
    assert "relatedActivity" not in found[6]["meta"] and found[6]["meta"]["activity"] == meta["activity"]
    same(found[7]["meta"]["level"], 9)


def large_ones_are_written_or_counted():
    found = bare(events(["large"], "userevents: 12 events were lost: 12 too large.\n", DEFINED))
    same([len(event["raw"]) if "last" in event else len(event["text"]) for event in found],
         [number for size in (2030, 2048, 2100, 4000) for number in (size * 3 - 1, size)])
    same({event["last"] for event in found if "last" in event}, {7})


def threads_share_the_defined_ones():
    found = bare(events(["threads"], writer=DEFINED))
    same(sorted((event["thread"], event["i"]) for event in found),
         [(thread, i) for thread in range(8) for i in range(100)])


def threads_write_at_the_same_time():
    found = bare(events(["threads"]))
    same(len(found), 1600)
    same(sorted((event["thread"], event["i"]) for event in found if "i" in event),
         [(thread, i) for thread in range(8) for i in range(100)])
    same(sorted(event["all"] for event in found if "all" in event),
         [[thread, i] for thread in range(8) for i in range(100)])


def children_of_a_fork_and_threads_write_at_the_same_time():
    found = events(["fork"])
    everything = [(who, i) for who in range(8) for i in range(100)]
    for name, expected in (("user_events:rs_fork", everything + [(8, 0), (9, 0)]),
                           ("RsShop:Fork", everything), ("user_events:rs_fork_defined", everything)):
        same(sorted((event["who"], event["i"]) for event in found if event["n"] == name), expected)
    same(len({event["meta"]["pid"] for event in found}), 6)


def hostile_values_do_not_panic():
    found = bare(events(["hostile"], "userevents: 9 events were lost: 4 too large, 5 wrong descriptor or "
                                     "payload, or no memory.\n"))
    same(found[0], {"n": "user_events:rs_hostile", "a": 1, "b": "?\u00e9", "c": "a?b"})
    same((found[1]["n"], found[1]["\U0010ffff"], found[1]["least"], found[1]["p"]),
         ("RsShop:\uffff", "\0", -2**63, -1))
    same(len(found), 2)


def mistakes_are_errors():
    done = subprocess.run([tool, "run", "--json", "--", writer, "mistakes"], text=True,
                          capture_output=True, timeout=300)
    same(done.returncode, 1)  # what was refused is lost
    same(bare(map(json.loads, done.stdout.splitlines())),
         [{"n": "user_events:rs_two", "a": 1, "b": "ab"}, {"n": "RsShop:Still"}])
    assert done.stderr.startswith("byte 3: Not a type of user_events"), done.stderr


def errors_of_values_are_explained():
    value_errors.are_explained(tool, writer)


def lost_events_are_counted():
    same(events(["losses"], "userevents: 5 events were lost: 5 too large.\n"), [])


def without_user_events_nothing_is_written():
    bare_environment = {name: value for name, value in os.environ.items()
                        if not name.startswith("USEREVENTS_")}
    # A descriptor that is no number: the kernel's file is not looked for.
    for program in writer, DEFINED:
        done = subprocess.run([program, "none"], text=True, capture_output=True, timeout=300,
                              env={**bare_environment, "USEREVENTS_FD": "none"})
        same((done.returncode, done.stderr), (0, ""))
        assert program == DEFINED or done.stdout.startswith("(0, "), done.stdout


def what_is_dropped_is_unregistered():
    same([event["a"] for event in events(["closed"])], [1, 1, 2, 2, 3, 3, 4])


def run_cargo(*what, **more):
    bare_environment = {name: value for name, value in os.environ.items()
                        if not name.startswith("USEREVENTS_")}
    return subprocess.run(
        ["cargo", *what, "--offline", "--locked"], cwd=crate, text=True,
        capture_output=True, timeout=300,
        env={**more, **bare_environment, "PATH": "/usr/bin:" + os.environ["PATH"],
             "CARGO_TARGET_DIR": target, "CARGO_HOME": target + "/home", "USEREVENTS_FD": "none",
             "LIBUSEREVENTS_DIR": libraries, "LD_LIBRARY_PATH": libraries})


def cargo_test(what):
    done = run_cargo("test", what)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def a_write_does_not_wait_for_a_lock():
    assert "1 passed; 0 failed; 0 ignored" in cargo_test("--lib")


def examples_of_the_documentation_compile_and_others_do_not():
    """The latter let an event outlive its session, or its fields their closure, or expect no
    other reasons of losses."""
    said = cargo_test("--doc")
    assert "12 passed; 0 failed; 0 ignored" in said, said
    same(said.count(" - compile fail ... ok"), 7)


def the_documentation_is_built():
    done = run_cargo("doc", "--no-deps", RUSTDOCFLAGS="-D warnings")
    assert done.returncode == 0, done.stderr
    assert pathlib.Path(target, "doc/userevents/macro.event.html").exists()


if __name__ == "__main__":
    run([values_of_rust_are_fields, events_that_are_defined_at_compile_time_are_written,
         large_ones_are_written_or_counted, threads_share_the_defined_ones, threads_write_at_the_same_time,
         children_of_a_fork_and_threads_write_at_the_same_time, hostile_values_do_not_panic, mistakes_are_errors,
         errors_of_values_are_explained, lost_events_are_counted,
         without_user_events_nothing_is_written, what_is_dropped_is_unregistered,
         a_write_does_not_wait_for_a_lock,
         examples_of_the_documentation_compile_and_others_do_not, the_documentation_is_built])
