#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bindings/go. Arguments: the tool, and the module's example writer."""
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tool"))
import value_errors  # noqa: E402
from tap import run, same  # noqa: E402

tool, writer = sys.argv[1:]
# Each pointer that reaches C is checked. Go 1.21 and later refuse 2 here.
MINOR = int(re.match(r"go1\.(\d+)", subprocess.check_output(["go", "env", "GOVERSION"], text=True))[1])
ENVIRONMENT = {**os.environ, "GODEBUG": f"cgocheck={2 if MINOR < 21 else 1}"}


def events(*what, said=""):
    done = subprocess.run([tool, "run", "--json", "--", writer, *what], text=True,
                          capture_output=True, timeout=300, env=ENVIRONMENT)
    same((done.returncode, done.stderr), (1 if "lost" in said else 0, said))
    return [json.loads(line) for line in done.stdout.splitlines()]


def bare(found):
    return [{key: value for key, value in event.items() if key != "meta"} for event in found]


def values_of_go_are_fields():
    found = events()
    request = {"n": "user_events:go_request", "small": -1, "path": "/caf\u00e9", "code": "abcd",
               "raw": "01 ff", "ok": 1}
    same(bare(found), [
        {**request, "status": 200}, {**request, "status": 404},
        {"n": "user_events:go_request", "status": 1, "small": 2, "path": "a?b", "code": "",
         "raw": "", "ok": 0},
        {"n": "GoShop:Numbers", "a": 255, "b": 65535, "c": 1 << 31, "d": 1 << 63, "e": -1,
         "f": -2, "g": -3, "h": -4, "i": 0.5, "j": 0.1, "k": True, "l": "0xFF",
         "m": "ENOENT(2)", "n_": 7, "o": "1970-01-01T00:01:00Z", "p": 80, "q": -5, "r": 5,
         "s": 10**9},
        {"n": "GoShop:Others", "text": "h\u00e9\0x", "json": "{}", "raw": "61 62", "none": None,
         "empty": "", "v4": "127.0.0.1", "v6": "::", "no": None,
         "id": "00000000-0000-0000-0000-000000000001", "gr\u00f6\u00dfe": ""},
        {"n": "GoShop:Arrays", "a": [1, 65535], "b": [True, False], "c": [], "d": [-1],
         "e": [0.5], "f": ["x", ""], "g": []},
        {"n": "GoShop:Structs", "from": {"city": "Rome", "at": {"x": 1}},
         "items": [{"name": "tea", "count": 2}, {"name": "milk", "count": 1}], "nothing": [],
         "last": 1},
        {"n": "GoShop:Nothing"}, {"n": "GoShop:Start", "a;tag=0x5": 1}])
    meta = found[-1]["meta"]
    same({key: meta[key] for key in ("id", "version", "level", "keyword", "opcode", "tag",
                                     "activity", "relatedActivity")},
         {"id": 7, "version": 1, "level": 5, "keyword": "0xFF", "opcode": 1, "tag": "0x9",
          "activity": "00000000-0000-0000-0000-000000000001",
          "relatedActivity": "00000000-0000-0000-0000-000000000002"})


def lines_of_a_log_are_events():
    found = events("log")
    same({event["n"] for event in found}, {"GoLog:Log"})
    same({event["meta"]["level"] for event in found}, {3})
    messages = [event["message"] for event in found]
    same(messages[:2], ["shop: 3 left", "shop: two\nlines"])
    same(len(messages), 3)
    assert messages[2].endswith("\u00e9...") and len(messages[2].encode()) in (2047, 2048)


def goroutines_write_at_the_same_time():
    found = bare(events("goroutines"))
    everything = [[goroutine, i] for goroutine in range(8) for i in range(100)]
    same(sorted([event["goroutine"], event["i"]] for event in found if "i" in event), everything)
    same(sorted(event["all"] for event in found if "all" in event), everything)


def mistakes_are_errors():
    done = subprocess.run([tool, "run", "--json", "--", writer, "mistakes"], text=True,
                          capture_output=True, timeout=300, env=ENVIRONMENT)
    same(done.returncode, 1)  # what was refused is lost
    same(bare(map(json.loads, done.stdout.splitlines())),
         [{"n": "user_events:go_two", "a": 1, "b": "ab"}, {"n": "GoShop:Still"}])
    assert done.stderr.startswith('the definition "go u33 a", byte 3: Not a type'), done.stderr


def errors_of_values_are_explained():
    value_errors.are_explained(tool, writer, env=ENVIRONMENT)


def lost_events_are_counted():
    said = ("map[too large:2] map[too large:6] map[too large:9]\n"
            "userevents: 9 events were lost: 9 too large.\n")
    same(events("losses", said=said), [])


def without_user_events_nothing_is_written():
    done = subprocess.run([writer, "none"], text=True, capture_output=True, timeout=300,
                          env=ENVIRONMENT)
    same((done.returncode, done.stdout, done.stderr), (0, "0 true true\n", ""))


def what_is_closed_or_collected_is_unregistered():
    same([event["a"] for event in events("closed")], [1, 3, 4, 5])


if __name__ == "__main__":
    run([values_of_go_are_fields, lines_of_a_log_are_events, goroutines_write_at_the_same_time,
         mistakes_are_errors, errors_of_values_are_explained, lost_events_are_counted,
         without_user_events_nothing_is_written, what_is_closed_or_collected_is_unregistered])
