#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Other languages and loggers write events to a kernel, and the tool reads them there.
Arguments: the tool, the example writers of Rust and Go, python_writer.py, bindings/python, the
folder of libuserevents.so, the example logging, the addon for Node, node_writer.js and bindings/node."""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tool"))
from tap import run, same  # noqa: E402

(tool, rust, go, python_writer, package, libraries, logging, addon, node_writer,
 node_package) = sys.argv[1:]
TRACING = pathlib.Path("/sys/kernel/tracing")
REQUEST = "u32 status; s8 small; __rel_loc char[] path; char[4] code; __rel_loc u8[] raw"
ENVIRONMENT = {**os.environ, "PYTHONPATH": package, "PYTHONDONTWRITEBYTECODE": "1",
               "LIBUSEREVENTS": libraries + "/libuserevents.so",
               "USEREVENTS_ADDON": os.path.abspath(addon)}


def watched(registered, *program, said=""):
    """The events of a program, which are enabled before it starts."""
    options = [word for event in registered for word in ("--register", event)]
    done = subprocess.run([tool, "watch", "--json", *options, "--", *program], text=True,
                          capture_output=True, timeout=300, env=ENVIRONMENT)
    same(done.returncode, 0)
    same(done.stderr, said)
    return [json.loads(line) for line in done.stdout.splitlines()]


def bare(event, *left_out):
    return {key: value for key, value in event.items() if key not in ("meta", *left_out)}


def events_of_rust():
    found = watched(["rs_request " + REQUEST, "RsShop_L4K1", "RsShop_L5KffGg"], rust)
    same(len(found), 11)
    same(bare(found[0]), {"n": "user_events:rs_request", "status": 200, "small": -1,
                          "path": "/caf\u00e9", "code": "abcd", "raw": "01 ff"})
    same([event["n"] for event in found[2:]],
         ["RsShop:" + name for name in ("Numbers", "Others", "Arrays", "Structs", "Inner",
                                        "Outer", "Start", "After")] + ["user_events:rs_request"])
    same(bare(found[4]), {"n": "RsShop:Arrays", "a": [1, 65535], "b": [True, False], "c": [],
                          "d": ["x", "y"], "e": ["z"]})


def events_of_go():
    found = watched(["go_request " + REQUEST + "; u8 ok", "GoShop_L4K1", "GoShop_L5KffGg"], go)
    same(len(found), 9)
    same(bare(found[0]), {"n": "user_events:go_request", "status": 200, "small": -1,
                          "path": "/caf\u00e9", "code": "abcd", "raw": "01 ff", "ok": 1})
    same([event["n"] for event in found[3:]],
         ["GoShop:" + name for name in ("Numbers", "Others", "Arrays", "Structs", "Nothing",
                                        "Start")])
    same(bare(found[6]), {"n": "GoShop:Structs", "from": {"city": "Rome", "at": {"x": 1}},
                          "items": [{"name": "tea", "count": 2}, {"name": "milk", "count": 1}],
                          "nothing": [], "last": 1})


def events_of_python_and_its_child():
    levels = [f"PyLog_L{level}K1" for level in range(1, 6)]
    found = watched(["py_request " + REQUEST, "PyShop_L4K1", *levels], sys.executable,
                    python_writer)
    request = {"n": "user_events:py_request", "status": 200, "small": -1, "path": "/caf\u00e9",
               "code": "abcd", "raw": "01 ff"}
    same([bare(event) for event in found[:2]],
         [request, {"n": "PyShop:All", "i": -1, "f": 0.5, "s": "text", "_n": None,
                    "a": [1, 2], "d": {"x": 1}}])
    same(bare(found[2]), {**request, "status": 404, "small": 0, "path": "child", "code": "",
                          "raw": ""})
    same([(event["n"], event["message"], event["meta"]["level"]) for event in found[3:]],
         [("PyLog:Log", "from the child", 3), ("PyLog:Log", "from the parent", 2)])
    same(found[4]["extra"], {"n": 1})
    pids = [event["meta"]["pid"] for event in found]
    assert pids[0] == pids[1] == pids[4] != pids[2] == pids[3], pids


def events_of_node_and_its_child():
    levels = [f"JsLog_L{level}K1" for level in range(1, 6)]
    found = watched(["js_request " + REQUEST, "JsShop_L4K1", *levels], "/usr/bin/node", node_writer,
                    node_package)
    request = {"n": "user_events:js_request", "status": 200, "small": -1, "path": "/caf\u00e9",
               "code": "abcd", "raw": "01 ff"}
    same([bare(event) for event in found[:3]],
         [request, {"n": "JsShop:All", "i": -1, "f": 0.5, "s": "text", "_n": None,
                    "a": [1, 2], "d": {"x": 1}},
          {**request, "status": 404, "small": 0, "path": "child", "code": "", "raw": ""}])
    same([(event["n"], event["message"], event["meta"]["level"]) for event in found[3:]],
         [("JsLog:Log", "3 left", 3)])
    pids = [event["meta"]["pid"] for event in found]
    assert pids[0] == pids[1] == pids[3] != pids[2], pids


def events_of_a_logger_and_of_formatted_text():
    levels = [f"MyCompany_Shop_L{level}K1" for level in range(1, 6)]
    found = watched([*levels, "shop_note __rel_loc char[] text"], logging,
                    said="cannot open price.list: No such file or directory\n")
    same([(event.get("message"), event.get("severity"), event.get("facility"),
           event.get("meta", {}).get("level")) for event in found[:4]],
         [("looking into 3 shelves", 7, 0, 5), ("sold 2 of tea", 6, 0, 4),
          ("cannot open price.list: No such file or directory", 3, 0, 2), ("closing", 2, 3, 1)])
    same([bare(event) for event in found[4:]],
         [{"n": "user_events:shop_note", "text": "17 customers, 2.12 per hour"}])


if __name__ == "__main__":
    if not (TRACING / "user_events_data").exists():
        print("1..0 # SKIP no user_events")
        sys.exit(77)
    run([events_of_rust, events_of_go, events_of_python_and_its_child, events_of_node_and_its_child,
         events_of_a_logger_and_of_formatted_text])
