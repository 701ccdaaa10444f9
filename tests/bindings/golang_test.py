#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bindings/go. Arguments: the tool, the module's example writer, the source folder, and the folder
of libuserevents.so."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tool"))
import value_errors  # noqa: E402
from tap import run, same  # noqa: E402

tool, writer, source, libraries = sys.argv[1:]
MODULE = "example.org/libuserevents/bindings/go"
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


def children_and_goroutines_write_at_the_same_time():
    found = events("children")
    same(sorted((event["who"], event["i"]) for event in found),
         [(who, i) for who in range(8) for i in range(100)] + [(8, 0)])
    pids = {event["meta"]["pid"] for event in found if event["who"] in range(4, 8)}
    same((len(pids), len({event["meta"]["pid"] for event in found})), (4, 5))


def hostile_values_and_what_is_nil_do_not_panic():
    done = subprocess.run([tool, "run", "--json", "--", writer, "hostile"], text=True,
                          capture_output=True, timeout=300, env=ENVIRONMENT)
    same(done.stderr.splitlines(), [
        "map[]map[]map[]map[]map[]map[]map[] map[] 2",
        "map[wrong descriptor or payload, or no memory:2] "
        "map[too large:2 wrong descriptor or payload, or no memory:3] map[too large:1]",
        "userevents: 8 events were lost: 3 too large, 5 wrong descriptor or payload, or no memory."])
    first, second = bare(map(json.loads, done.stdout.splitlines()))
    same(first, {"n": "user_events:go_hostile", "a": 1, "b": "\xff?\xfe", "c": "a?\xff"})
    same((second["n"], second["\xfe"], second["least"], second["p"]),
         ("GoShop:\xff", "\xff\0\xfe", -2**63, -1))


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


def a_context_carries_the_activity():
    found = events("context")
    outer, inner = found[1]["meta"]["activity"], found[2]["meta"]["activity"]
    given = "00000000-0000-0000-0000-000000000007"
    same([(event["n"], event["meta"].get("opcode", 0), event["meta"].get("activity"),
           event["meta"].get("relatedActivity")) for event in found], [
        ("GoShop:Outside", 0, None, None), ("GoShop:Outer", 1, outer, None),
        ("GoShop:Inner", 1, inner, outer), ("GoShop:Within", 0, inner, None),
        ("GoShop:Inner", 2, inner, None), ("GoShop:Within", 0, outer, None),
        ("GoShop:Outer", 2, outer, None), ("GoShop:Given", 0, given, None)])
    assert inner != outer
    same([found[1]["user"], found[3]["a"], found[4]["b"]], ["ann", 1, 2])


def every_type_is_at_its_place():
    done = subprocess.run([tool, "run", "--json", "--", writer, "layouts"], text=True,
                          capture_output=True, timeout=300, env=ENVIRONMENT)
    same((done.returncode, done.stderr), (1, "userevents: 11 events were lost: 11 wrong descriptor or "
                                             "payload, or no memory.\n"))
    found = bare(map(json.loads, done.stdout.splitlines()))
    unsigned, signed = {1: "ab", 2: "ef", 4: "ij", 8: "m"}, {1: "c", 2: "gh", 4: "kl", 8: "n"}

    def numbers(unsigned_of, signed_of):
        return {**{name: unsigned_of(8 * size) for size, names in unsigned.items() for name in names},
                **{name: signed_of(8 * size) for size, names in signed.items() for name in names}}

    rest = {"o": "xyz", "p": "01 00", "q": "01 02 03"}
    expected = [
        {**numbers(lambda bits: 0, lambda bits: 0), "r": "", "s": ""},
        {**numbers(lambda bits: 2**bits - 1, lambda bits: 2**(bits - 1) - 1), "r": "text", "s": "61 62"},
        {**numbers(lambda bits: bits == 64 and 1 or 0, lambda bits: -2**(bits - 1)), "r": "a?b", "s": "00"}]
    for event, wanted in zip(found, expected):
        char = event.pop("d")
        wanted["_n"] = wanted.pop("n")  # "n" is the event's name
        same(event, {"n": "user_events:go_all", **wanted, **rest})
        assert char is not None
    same(found[3], {"n": "user_events:go_numbers", "a": 0x0707, "b": -2**15})
    inside = found[4]
    for _ in range(8):
        inside = inside["in"]
    same(inside, {"x": 1})


def writes_do_not_allocate():
    assert len(events("allocations")) > 3000


def records_of_slog_are_events():
    """log/slog needs Go 1.21, with which build-go.sh builds the test."""
    done = subprocess.run([tool, "run", "--json", "--", writer + "_slog"], text=True,
                          capture_output=True, timeout=300,
                          env={**os.environ, "GODEBUG": "cgocheck=1"})
    same((done.returncode, done.stderr), (0, "PASS\n"))
    found = [json.loads(line) for line in done.stdout.splitlines()]
    large_ones_of_slog_are_cut([event for event in found if event["n"] == "GoLarge:Log"])
    odd_ones_of_slog_are_events([event for event in found if event["n"] == "GoHostile:Log"])
    found = [event for event in found if event["n"] == "GoSlog:Log"]
    same([event["meta"]["level"] for event in found], [4, 3, 2, 5])
    same(found[0]["meta"]["activity"], "00000000-0000-0000-0000-000000000001")
    same(bare(found)[:2], [
        {"n": "GoSlog:Log", "message": "placed", "order": 17, "total": 99.5, "ok": True, "user": "ann",
         "took": 10**9, "error": "gone", "at": "1970-01-01T00:01:00Z",
         "item": {"name": "tea", "size": {"x": 1}}},
        {"n": "GoSlog:Log", "message": "grouped", "a": 1, "g": {"b": 2, "h": {"c": 3}}}])
    assert "PANIC" in found[2]["nul?name"] and len(found[2]["long"]) == 2048, found[2]


def odd_ones_of_slog_are_events(found):
    odd = found[0]
    same([odd[name] for name in ("map", "list", "wide", "nil", "error", "bytes")],
         ["map[string]interface {} that is too large", "[]interface {} that is too large",
          "[]uint64 that is too large", "<nil>", "*userevents.fails without text", "[1 2]"])
    assert "PANIC" in odd["panic"] and "LogValue panicked" in odd["value"] and "deep" in odd, odd
    same([event["message"] for event in found], ["odd", "endless", "inline", "utf\xff8\0", "groups", "nil", "many"])
    inside, last = found[4], found[6]
    for _ in range(8):
        inside, last = inside["g?"], last["g?"]
    same((inside["a"], inside["last"], last["a"]), (19, 2**63 - 1, 19))


def large_ones_of_slog_are_cut(found):
    """To 4064 bytes, the first ones first."""
    long = "\u00e9" * 1000
    cut, short, message, full, odd = found
    assert cut["g"]["b"].endswith("\u00e9...") and 1900 < len(cut["g"]["b"].encode()) < 2000, cut
    same((cut["a"], list(cut["g"])), (long, ["b"]))
    same((short["a"], short["g"]), (long, cut["g"]))
    same((len(message["message"]), message["a"][-5:], "g" in message), (2048, "\u00e9\u00e9...", False))
    same([len(full["message"]), odd["message"]], [2048, "y" + "x" * 2044 + "..."])


def go(folder, *command, **more):
    done = subprocess.run(
        ["go", *command], cwd=folder, text=True, capture_output=True, timeout=300,
        env={**os.environ, "PATH": "/usr/bin:" + os.environ["PATH"], "GOPROXY": f"file://{folder}/proxy",
             "GOSUMDB": "off", "GOFLAGS": "-modcacherw", "GOPATH": f"{folder}/path",
             "GOCACHE": os.path.dirname(os.path.abspath(writer)) + "/go/cache",
             "PKG_CONFIG_PATH": libraries, "CGO_CFLAGS": f"-O2 -g -Wall -Wextra -Werror -I{source}/include",
             "CGO_LDFLAGS": f"-L{libraries} -Wl,-rpath,{libraries}", **more})
    assert done.returncode == 0, done.stderr


def the_module_is_fetched_and_the_programs_of_the_readme_run():
    """From a module proxy in files, as "go get" asks any proxy."""
    folder = pathlib.Path(tempfile.mkdtemp())
    module, package = folder / "proxy" / MODULE / "@v", pathlib.Path(source) / "bindings/go"
    module.mkdir(parents=True)
    (module / "list").write_text("v0.1.0\n")
    (module / "v0.1.0.info").write_text('{"Version":"v0.1.0"}')
    (module / "v0.1.0.mod").write_text((package / "go.mod").read_text())
    with zipfile.ZipFile(module / "v0.1.0.zip", "w") as archive:
        for file in package.iterdir():
            if file.is_file():
                archive.write(file, f"{MODULE}@v0.1.0/{file.name}")
    (folder / "main.go").write_text(of_readme(r"```go\n(package main.*?)```"))
    go(folder, "mod", "init", "program")
    go(folder, "get", MODULE + "@v0.1.0")
    go(folder, "build", "-o", "program", ".")
    program_of_readme_runs(folder / "program")


def of_readme(pattern):
    text, = re.findall(pattern, (pathlib.Path(source) / "bindings/go/README.md").read_text(), re.S)
    return text


def program_of_readme_runs(program):
    done = subprocess.run([tool, "run", "--json", "--", program], text=True,
                          capture_output=True, timeout=300, env=ENVIRONMENT)
    same((done.returncode, done.stderr), (0, ""))
    same([json.loads(line)["n"] for line in done.stdout.splitlines()],
         ["user_events:shop_request", "MyCompany_Shop:OrderPlaced", "MyCompany_Shop:Checkout",
          "MyCompany_Shop:CardCharged", "MyCompany_Shop:Checkout"])


def the_installed_module_is_found():
    """As packaging/debian/rules installs it: by the lines of the README, by vendoring, and by GOPATH."""
    folder = pathlib.Path(tempfile.mkdtemp())
    installed, program = folder / "gocode/src" / MODULE, folder / "gocode/src/program"
    installed.mkdir(parents=True)
    program.mkdir()
    for file in (pathlib.Path(source) / "bindings/go").iterdir():
        if file.suffix in (".go", ".c", ".h", ".mod"):
            shutil.copy(file, installed)
    lines = of_readme(r"```\n(require .*?)```").replace("/usr/share/gocode/src/" + MODULE, str(installed))
    (program / "go.mod").write_text("module program\n\n" + lines)
    (program / "main.go").write_text(of_readme(r"```go\n(package main.*?)```"))
    for name, flags in ("replaced", "-mod=readonly"), ("changed", "-mod=mod"):
        go(program, "build", "-buildvcs=false", "-o", name, ".", GOFLAGS=flags, GOPROXY="off")
        program_of_readme_runs(program / name)
    go(program, "mod", "vendor", GOPROXY="off")
    go(program, "build", "-buildvcs=false", "-o", "vendored", ".", GOFLAGS="-mod=vendor", GOPROXY="off")
    program_of_readme_runs(program / "vendored")
    shutil.rmtree(program / "vendor")
    (program / "go.mod").unlink()
    go(program, "build", "-o", "old", ".", GO111MODULE="off", GOPATH=str(folder / "gocode"), GOFLAGS="")
    program_of_readme_runs(program / "old")


if __name__ == "__main__":
    run([values_of_go_are_fields, lines_of_a_log_are_events, goroutines_write_at_the_same_time,
         children_and_goroutines_write_at_the_same_time, hostile_values_and_what_is_nil_do_not_panic,
         mistakes_are_errors, errors_of_values_are_explained, lost_events_are_counted,
         without_user_events_nothing_is_written, what_is_closed_or_collected_is_unregistered,
         a_context_carries_the_activity, every_type_is_at_its_place, writes_do_not_allocate,
         records_of_slog_are_events, the_module_is_fetched_and_the_programs_of_the_readme_run,
         the_installed_module_is_found])
