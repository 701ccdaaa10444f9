#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bindings/python, as pip installs it. Arguments: the tool, the folder of libuserevents.so
and the source of the package."""
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
from tap import run, same  # noqa: E402

tool, libraries, source = sys.argv[1:]
folder = pathlib.Path(tempfile.mkdtemp())
PYTHON = "/usr/bin/python3"  # Debian's, which has its setuptools
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(folder / "site"),
               "LIBUSEREVENTS": libraries + "/libuserevents.so",
               "PYTHONDONTWRITEBYTECODE": "1", "USEREVENTS_FD": "", "USEREVENTS_RING": ""}
del ENVIRONMENT["USEREVENTS_FD"], ENVIRONMENT["USEREVENTS_RING"]
BEGIN = "import userevents as ue, os, sys, threading\n"


def python(code, *command, **more):
    return subprocess.run([*command, PYTHON, "-W", "error", "-c", BEGIN + code], text=True,
                          capture_output=True, timeout=300, env={**ENVIRONMENT, **more})


def events(code, said="", **more):
    """The events that the code writes, without their meta."""
    done = python(code, tool, "run", "--json", "--", **more)
    same((done.returncode, done.stderr), (1 if "lost" in said else 0, said))
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return [{key: value for key, value in event.items() if key != "meta"} for event in found]


def metas(code):
    done = python(code, tool, "run", "--json", "--")
    same((done.returncode, done.stderr), (0, ""))
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return [{"n": event["n"].partition(":")[2], **event["meta"]} for event in found]


def output(code, **more):
    done = python(code, **more)
    same((done.returncode, done.stderr), (0, ""))
    return done.stdout


def pip(command, *arguments):
    return subprocess.run([PYTHON, "-m", "pip", command, "--no-build-isolation", "--no-index",
                           "--no-deps", "--no-cache-dir", "--quiet", *arguments],
                          text=True, capture_output=True, timeout=300,
                          env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1",
                               "PIP_ROOT_USER_ACTION": "ignore", "HOME": str(folder)})


def pip_installs_it_offline():
    package = folder / "source"  # pip writes into it
    shutil.copytree(source, package)
    done = pip("install", "--target", folder / "site", package)
    assert done.returncode == 0, done.stderr
    same(output("print(ue.version() >= (0, 1, 0), ue.__file__)"),
         f"True {folder}/site/userevents/__init__.py\n")


def a_classic_event_is_written():
    same(events("""
s = ue.Session(strict=True)
e = s.event("py_request u32 status; s64 at; __rel_loc char[] path; char[4] code; u8[] x"
            .replace("u8[] x", "__rel_loc u8[] raw"))
assert e.enabled
e.write(status=200, at=-5, path="/caf\u00e9", code="abcd", raw=b"\\x01\\xff")
e.write(raw=b"", path="", code="", at=0, status=2**32-1)
"""), [{"n": "user_events:py_request", "status": 200, "at": -5, "path": "/caf\u00e9",
        "code": "abcd", "raw": "01 ff"},
       {"n": "user_events:py_request", "status": 2**32 - 1, "at": 0, "path": "", "code": "",
        "raw": ""}])


def values_of_python_are_fields():
    same(events("""
import datetime, ipaddress, uuid
t = ue.Session(strict=True).tracepoint("PyShop", ue.Level.INFORMATION, 1)
t.write("All", i=-1, big=2**64-1, f=0.5, b=True, n=None, s="h\u00e9\\0x", raw=b"ab",
        id=uuid.UUID(int=1), v4=ipaddress.ip_address("127.0.0.1"), v6=ipaddress.ip_address("::1"),
        at=datetime.datetime.fromtimestamp(60), j=ue.json_text("{}"), self=1, name=2, builder=3)
t.write("Typed", a=ue.u8(255), b=ue.s16(-1), c=ue.hex32(255), d=ue.f32(0.5), e=ue.port(80),
        f=ue.errno_number(2), g=ue.pid(7), h=ue.u16([1, 2]), i=ue.boolean((True,)))
t.write("Arrays", a=[], b=[1, -2], c=[1, 2.5], d=[True, False], e=["x", "\u00e9"], f=[b"a", b""],
        g=[2**63], h=(1,))
t.write("Structs", a={"x": 1, "in": {"y": "z"}}, none={}, b=[{"n": "a", "c": 1}, {"n": "b", "c": 2}])
t.write("Nothing")
t.write("h\u00e9", **{"gr\u00f6\u00dfe": 1})
"""), [{"n": "PyShop:All", "i": -1, "big": 2**64 - 1, "f": 0.5, "b": True, "_n": None,
        "s": "h\u00e9\0x", "raw": "61 62", "id": "00000000-0000-0000-0000-000000000001",
        "v4": "127.0.0.1", "v6": "::1", "at": "1970-01-01T00:01:00Z", "j": "{}", "self": 1,
        "name": 2, "builder": 3},
       {"n": "PyShop:Typed", "a": 255, "b": -1, "c": "0xFF", "d": 0.5, "e": 80,
        "f": "ENOENT(2)", "g": 7, "h": [1, 2], "i": [True]},
       {"n": "PyShop:Arrays", "a": [], "b": [1, -2], "c": [1, 2.5], "d": [True, False],
        "e": ["x", "\u00e9"], "f": ["61", ""], "g": [2**63], "h": [1]},
       {"n": "PyShop:Structs", "a": {"x": 1, "in": {"y": "z"}},
        "b": [{"n": "a", "c": 1}, {"n": "b", "c": 2}]},
       {"n": "PyShop:Nothing"}, {"n": "PyShop:h\u00e9", "gr\u00f6\u00dfe": 1}])


def events_have_ids_opcodes_and_activities():
    meta, = metas("""
t = ue.Session(strict=True).tracepoint("PyShop", 5, 0xff, group="g")
e = t.event("Start", id=7, version=1, opcode=ue.Opcode.ACTIVITY_START, tag=9)
assert e.enabled and len(ue.Activity().id) == 16
e.write_activity(ue.Activity(bytes(15) + b"\\1"), ue.Activity(bytes(15) + b"\\2"), a=1)
""")
    same({key: meta[key] for key in ("id", "version", "level", "keyword", "opcode", "tag",
                                     "activity", "relatedActivity")},
         {"id": 7, "version": 1, "level": 5, "keyword": "0xFF", "opcode": 1, "tag": "0x9",
          "activity": "00000000-0000-0000-0000-000000000001",
          "relatedActivity": "00000000-0000-0000-0000-000000000002"})


def times_may_have_a_fraction():
    same(events("""
t = ue.Session(strict=True).tracepoint("PyShop", 4)
t.write("Times", a=ue.time(60.9), b=ue.time([60.9, 61]), c=ue.time(-0.5))
lenient = ue.Session().tracepoint("PyShop", 4)
lenient.write("No", a=ue.time(float("nan")), b=ue.time("x"))
assert (t.altered, lenient.altered) == (0, 2)
""")[0],
         {"n": "PyShop:Times", "a": "1970-01-01T00:01:00Z",
          "b": ["1970-01-01T00:01:00Z", "1970-01-01T00:01:01Z"], "c": "1969-12-31T23:59:59Z"})


def an_empty_group_is_none():
    same(events("""
s = ue.Session(strict=True)
for group in None, "", "g":
    s.tracepoint("PyShop", 4, group=group).write("E")
"""), [{"n": "PyShop:E"}] * 3)


def lengths_are_those_of_what_is_copied():
    """Of a memoryview, len() is not in bytes; a list may grow while it is packed."""
    same(events("""
import array, ctypes
s = ue.Session(strict=True)
e, t = s.event("py_raw __rel_loc u8[] raw"), s.tracepoint("PyShop", 4)
numbers = memoryview(array.array("H", [0x6161] * 3))
empty = memoryview((ctypes.c_char * 0 * 1000)())
assert (len(numbers), len(empty), empty.nbytes) == (3, 1000, 0)
for raw in numbers, empty:
    e.write(raw=raw), t.write("Raw", raw=raw)
class Grows:
    def __index__(self):
        grown.extend([0] * 1000)
        return 7
class Once(list):
    def __iter__(self):
        yield from (Grows(), 8)
grown = Once()
t.write("Grown", a=ue.u8(grown))
"""), [{"n": "user_events:py_raw", "raw": "61 61 61 61 61 61"},
        {"n": "PyShop:Raw", "raw": "61 61 61 61 61 61"},
        {"n": "user_events:py_raw", "raw": ""}, {"n": "PyShop:Raw", "raw": ""},
        {"n": "PyShop:Grown", "a": [7, 8]}])


def mistakes_are_reported():
    same(events("""
s = ue.Session(strict=True)
e = s.event("py_two u8 a; __rel_loc char[] b")
c = s.event("py_code char[4] code")
t = s.tracepoint("PyShop", 4)
def fails(kind, call, *arguments, why="", **fields):
    try:
        call(*arguments, **fields)
    except kind as error:
        assert str(error).startswith("cannot ") and why in str(error), error
    else:
        raise AssertionError((call, arguments, fields))
fails(ValueError, s.event, "py_wrong u33 x")
fails(ValueError, s.event, "py\\0 u32 x")
fails(ValueError, s.event, "")
fails(ValueError, s.tracepoint, "a b", 4)
fails(ValueError, s.tracepoint, "P", 0)
fails(ValueError, s.tracepoint, "P", 4, 2**64)
fails(ValueError, s.tracepoint, "P" * 300, 4)
fails(ValueError, t.event, "E", id=65536)
for fields in ({"a": 1}, {"a": 256, "b": ""}, {"a": -1, "b": ""}, {"a": 2**65, "b": ""},
               {"a": "1", "b": ""}, {"a": 1, "b": 1}, {"a": 1, "b": None}, {"c": 1}, {"a\\0": 1}):
    fails(ValueError, e.write, **fields)
fails(ValueError, c.write, code="12345", why=": the number does not fit the type of its field, or")
fails(ValueError, e.write, a="1", why=": the field has another type than the value")
fails(ValueError, e.write, a=1, why=": a field has no value")
fails(ValueError, t.write, "E", a={str(i): 1 for i in range(128)}, why=": a struct has more than 127")
fails(ValueError, c.write, code=b"12345")
for fields in ({"a": 2**64}, {"a": ue.u8(256)}, {"a": ue.u8("x")}, {"a\\0": 1},
               {"a": [{"x": 1}, {"y": 1}]}, {"a": [2**64]},
               {"a": ue.f32(1e300)}, {"a": ue.f64(10**400)}, {"a": [0.5, 10**400]}):
    fails(ValueError, t.write, "E", **fields)
for value in object(), [1, "a"], ["a", 1], [None], {"x": object()}:
    fails(TypeError, t.write, "E", a=value)
fails(ValueError, t.write, "E\\0")
fails(ValueError, ue.Activity, b"short")
import array
fails(ValueError, ue.Activity, memoryview(array.array("H", [1] * 16)))
try:
    ue.Activity().id = b"short"
except AttributeError:
    pass
else:
    raise AssertionError("an id was set")
fails(ValueError, ue.Session, path="/dev/null\\0x")
e.write(a=1, b="still")  # nothing is left of them
t.write("Still", a=1)
"""), [{"n": "user_events:py_two", "a": 1, "b": "still"}, {"n": "PyShop:Still", "a": 1}])


def what_owns_something_of_the_library_is_not_copied():
    """A copy would free the same event again, or close the descriptor of another object."""
    same(events("""
import copy, dataclasses, pickle
s = ue.Session(strict=True)
e, t = s.event("py_own u8 a"), s.tracepoint("PyShop", 4)
h = t.event("Own")
@dataclasses.dataclass
class Shop:
    session: ue.Session
def refuses(call, thing, name):
    try:
        call(thing)
    except TypeError as error:
        assert str(error) == f"cannot copy or pickle a {name}", error
    else:
        raise AssertionError((call, thing))
for thing in s, e, t:
    for call in copy.copy, copy.deepcopy, pickle.dumps:
        refuses(call, thing, type(thing).__name__)
refuses(dataclasses.asdict, Shop(s), "Session")
refuses(copy.deepcopy, h, "Tracepoint")
activity = ue.Activity()
assert copy.copy(activity).id == pickle.loads(pickle.dumps(activity)).id == activity.id
e.write(a=1), t.write("Own", a=1)
"""), [{"n": "user_events:py_own", "a": 1}, {"n": "PyShop:Own", "a": 1}])


def a_session_that_was_not_made_is_finalized():
    same(output("""
class Early(ue.Session):
    def __init__(self):
        raise KeyError
try:
    Early()
except KeyError:
    print("raised")
"""), "raised\n")


def a_session_is_closed_once():
    """Also when another thread closes it between any two steps of the first one."""
    same(output("""
from unittest.mock import patch
from userevents._session import library
closed = []
class Counting:
    def __getattr__(self, name):
        return closed.append if name == "ue_close" else getattr(library, name)
patch("userevents._session.library", Counting()).start()
def close_in_the_middle(session, step):
    def trace(frame, event, argument):
        nonlocal step
        frame.f_trace_opcodes = True
        step -= event == "opcode"
        if not step:
            session.close()
        return trace
    sys.settrace(trace)
    session.close()
    sys.settrace(None)
for step in range(1, 40):
    s = ue.Session(path="/nowhere")
    s._fd = 1000 + step
    close_in_the_middle(s, step)
    assert s._fd < 0
print(closed == [1000 + step for step in range(1, 40)])
"""), "True\n")


def without_user_events_nothing_is_written():
    same(output("""
s = ue.Session(path="/nowhere")
assert s.error.errno == 2 and len(s.error.strerror) > 10, s.error
e, t = s.event("py_none u8 a"), s.tracepoint("PyShop", 4)
assert not e.enabled and not t.enabled and e.error is s.error
assert e.write(b=object()) and t.write("E", a=object())
assert not e.losses
s.close()
try:
    ue.Session(path="/nowhere", strict=True)
except ue.Error as error:
    print(error.errno)
"""), "2\n")


def a_missing_library_is_named():
    done = python("", LIBUSEREVENTS="/nowhere.so")
    assert "ImportError: cannot load /nowhere.so: " in done.stderr, done.stderr
    assert "set LIBUSEREVENTS to the path" in done.stderr


def an_older_library_is_named():
    older = folder / "older.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", older, "-x", "c", "-"], check=True, text=True,
                   input="void ue_version(void) {}", timeout=300)
    done = python("", LIBUSEREVENTS=str(older))
    assert f"ImportError: {older} lacks ue_close(): it is older" in done.stderr, done.stderr


def an_isolated_python_ignores_the_environment():
    """It finds the installed library, or none; never the one that the variable names."""
    code = f"import sys; sys.path.insert(0, {str(folder / 'site')!r}); import userevents"
    done = subprocess.run([PYTHON, "-I", "-c", code], text=True, capture_output=True, timeout=300,
                          env={**ENVIRONMENT, "LIBUSEREVENTS": "/nowhere.so"})
    assert "nowhere" not in done.stderr, done.stderr
    assert done.returncode == 0 or "cannot load libuserevents.so.0: " in done.stderr, done.stderr


def values_are_written_whatever_they_are():
    """Outside of strict sessions: as text, cut, or left out, and counted."""
    *found, text = events("""
import datetime, decimal, enum, pathlib
class Colour(enum.Enum):
    RED = 1
class NoText:
    def __repr__(self): raise RuntimeError
t = ue.Session().tracepoint("PyShop", 4)
assert t.write("Texts", a=decimal.Decimal("1.5"), b=pathlib.Path("/x"), c=datetime.date(2020, 1, 2),
               d=Colour.RED)
assert t.altered == 0
assert t.write("Odd", a=1j, b=[1, "a"], c=2**64, d=ue.u8(256), f={1: 2}, g={1},
               h=datetime.datetime.min, i=[{"x": 1}, {"y": 1}], **{"n\\0": 1})
assert t.altered == 8, t.altered
deep, cycle = 1, {}
for _ in range(10):
    deep = {"d": deep}
cycle["itself"] = cycle
assert t.write("Deep", a=deep, b=cycle, c={str(i): 1 for i in range(128)})
assert t.write("E\\0")
assert t.write("At", at=datetime.datetime(1969, 12, 31, 23, 59, 59, 500000, datetime.timezone.utc))
assert t.write("Text", e=NoText())
assert t.altered == 13 and not t.losses, (t.altered, t.losses)
""")
    same(found, [
        {"n": "PyShop:Texts", "a": "1.5", "b": "/x", "c": "2020-01-02", "d": "Colour.RED"},
        {"n": "PyShop:Odd", "a": "1j", "b": "[1, 'a']", "c": str(2**64), "d": "256",
         "f": {"1": 2}, "g": "{1}",
         "h": "datetime.datetime(1, 1, 1, 0, 0)", "i": "[{'x': 1}, {'y': 1}]", "n\ufffd": 1},
        {"n": "PyShop:Deep", "a": nested(8, "{'d': {'d': 1}}"),
         "b": {"itself": nested(7, "{'itself': {'itself': {'itself': {...}}}}", "itself")},
         "c": {str(i): 1 for i in range(127)}},
        {"n": "PyShop:E\ufffd"}, {"n": "PyShop:At", "at": "1969-12-31T23:59:59Z"}])
    same(text["e"][:7], "<NoText")


def nested(depth, inner, name="d"):
    for _ in range(depth):
        inner = {name: inner}
    return inner


def values_that_are_too_long_are_cut():
    found = events("""
s = ue.Session()
t, e = s.tracepoint("PyShop", 4), s.event("py_large char[4] c; __rel_loc char[] a; __rel_loc u8[] b; u8 d")
for text in "x" * 10000, "x" * 70000, "\u00e9" * 9000:
    assert t.write("Large", text=text, last=1)
for values in ([0] * 65536, ue.u8([0] * 65536), [""] * 65536, [{"x": 1}] * 65536, b"x" * 9000):
    assert t.write("Array", values=values, last=1)
assert t.write("Many", **{str(i): i for i in range(2000)})
shared = {"x": 1}
for _ in range(10):
    shared = {str(i): shared for i in range(100)}  # 100**10 values
assert t.write("Shared", a=shared)
assert t.altered > 9 and not t.losses
assert e.write(a="x" * 70000, b=b"y" * 70000, c="12345", d=1) and e.altered == 3
assert e.write(a=5, b="y", c=None, d=300, other=1) and e.altered == 8
assert e.write(a="a\\0\\ud800", b=b"", c="", d="7") and e.altered == 9 and not s.losses
assert e.write() and e.altered == 13
""")
    for event in found[:3]:
        assert event["text"].endswith("...") and event["last"] == 1, event
        assert 1000 < len(event["text"].encode()) < 4064, len(event["text"])
    for event in found[3:8]:
        assert len(event["values"]) > 100 and event["last"] == 1, event
    assert 100 < len(found[8]) < 1000 and found[9]["a"], found[8:10]
    large, odd, text, empty = found[10:]
    assert large["a"].endswith("x...") and large["c"] == "1..." and large["d"] == 1, large
    same((odd["a"], odd["b"], odd["c"], odd["d"]), ("5", "79", "None", 255))
    same((text["a"], text["d"]), ("a\ufffd?", 7))
    same(empty, {"n": "user_events:py_large", "a": "", "b": "", "c": "", "d": 0})


def the_work_for_a_value_is_bounded():
    """Arrays of structs that differ become text, after their members were looked at."""
    found = events("""
class Counts:
    count = 0
    def __repr__(self):
        Counts.count += 1
        return "x"
made = Counts()
for _ in range(4):
    made = {str(i): [{"a": made}, {"b": made}] for i in range(5)}
assert ue.Session().tracepoint("PyShop", 4).write("Wide", a=made)
assert 0 < Counts.count < 12000, Counts.count
""")
    same([event["n"] for event in found], ["PyShop:Wide"])


def random_objects_are_written():
    """The whole test has 1000000 of them: python_fuzz.py says how it is run."""
    fuzz = pathlib.Path(__file__).with_name("python_fuzz.py")
    done = subprocess.run([tool, "run", "--json", "--", PYTHON, fuzz, "--count", "4000"], text=True,
                          capture_output=True, timeout=300, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stderr)
    same(result["lost"], {})
    assert result["altered"] > 100 and result["objects"] >= 4000, result
    same(len(done.stdout.splitlines()), result["events"])


def disabled_events_ignore_their_values():
    same(output("""
t = ue.Session(path="/nowhere").tracepoint("PyShop", 4)
assert t.write("E", a=object()) and t.event("E").write(a=object()) and t.altered == 0
assert t.event("E").write_activity(ue.Activity(), a=object())
"""), "")


def a_write_without_memory_is_a_loss():
    same(events("""
from unittest.mock import patch
s = ue.Session()
e, t = s.event("py_memory u8 a"), s.tracepoint("PyShop", 4)
with patch("userevents._classic.Layout.pack", side_effect=MemoryError), \
     patch("userevents._values.record", side_effect=MemoryError):
    assert e.write(a=1) is False and t.write("E", a=1) is False
with patch("userevents._fit.Fitter", side_effect=RuntimeError), \
     patch("userevents._session.Fitter", side_effect=RuntimeError):
    assert t.write("E", a=object()) is False
assert e.losses == {"wrong descriptor or payload, or no memory": 1}, e.losses
assert t.losses == {"wrong descriptor or payload, or no memory": 2}, t.losses
assert e.write(a=2) and t.write("E", a=2)
""", said="userevents: 3 events were lost: 3 wrong descriptor or payload, or no memory.\n"),
         [{"n": "user_events:py_memory", "a": 2}, {"n": "PyShop:E", "a": 2}])


def strict_losses_are_errors():
    same(events("""
e = ue.Session(strict=True).event("py_strict __rel_loc char[] a")
for size in 10000, 70000:
    try:
        e.write(a="x" * size)
    except ue.Error as error:
        assert error.errno == 90 and "larger than" in str(error), error
    else:
        raise AssertionError(size)
assert e.losses == {"too large": 2}
""", said="userevents: 2 events were lost: 2 too large.\n"), [])


def a_closed_session_writes_nothing():
    same(events("""
with ue.Session(strict=True) as s:
    e, t = s.event("py_closed u8 a"), s.tracepoint("PyShop", 4)
    e.write(a=1)
assert not e.enabled
e.write(a=2), t.write("E")
s.close()
s = ue.Session(strict=True)
s.event("py_closed u8 a").write(a=3)  # gone with its last reference
s.event("py_closed u8 a").write(a=4)
del s
"""), [{"n": "user_events:py_closed", "a": a} for a in (1, 3, 4)])


def children_of_a_fork_write():
    found = events("""
import logging
logging.getLogger().addHandler(ue.Handler("PyLog"))
s = ue.Session(strict=True)
e, t = s.event("py_child s32 pid"), s.tracepoint("PyShop", 4)
for i in range(5):
    if not os.fork():
        e.write(pid=i), t.write("Child", pid=i)
        logging.warning("child %d", i)
        os._exit(0)
for i in range(5):
    assert os.wait()[1] == 0
e.write(pid=-1)
""")
    same(sorted(event.get("pid", event.get("message")) for event in found if "pid" in event),
         sorted([*range(5), *range(5), -1]))
    same(sorted(event["message"] for event in found if "message" in event),
         [f"child {number}" for number in range(5)])


def threads_write_at_the_same_time():
    found = events("""
s = ue.Session(strict=True)
e, t = s.event("py_thread u32 a; __rel_loc char[] b"), s.tracepoint("PyShop", 4)
def write(number):
    for i in range(100):
        e.write(a=number, b=str(number))
        t.write("Thread", a=number, b=[number] * 3)
threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
""")
    same(len(found), 1600)
    for event in found:
        same(event["b"], [event["a"]] * 3 if event["n"] == "PyShop:Thread" else str(event["a"]))


def a_signal_handler_writes_in_the_middle_of_a_write():
    found = events("""
import signal
t = ue.Session(strict=True).tracepoint("PyShop", 4)
class Members(dict):
    def items(self):
        signal.raise_signal(signal.SIGUSR1)
        return super().items()
signal.signal(signal.SIGUSR1, lambda *_: t.write("Inner", a=1))
t.write("Outer", before=1, members=Members(x=1), after=2)
""")
    same(found, [{"n": "PyShop:Inner", "a": 1},
                 {"n": "PyShop:Outer", "before": 1, "members": {"x": 1}, "after": 2}])


def a_fork_or_a_close_in_the_middle_of_a_write_does_not_harm():
    found = events("""
s = ue.Session()
t, e = s.tracepoint("PyShop", 4), s.event("py_middle __rel_loc char[] text")
class Forks(dict):
    def items(self):
        if not os.fork():
            t.write("Child", a=1), e.write(text="child")
            os._exit(0)
        assert os.wait()[1] == 0
        return super().items()
class Closes:
    def __repr__(self):
        s.close()
        return "closed"
assert t.write("Parent", before=1, members=Forks(x=1), after=2)
assert e.write(text=Closes()) in (False, True)
assert t.write("Later") and e.write(text="later")  # disabled
""")
    same(found, [{"n": "PyShop:Child", "a": 1}, {"n": "user_events:py_middle", "text": "child"},
                 {"n": "PyShop:Parent", "before": 1, "members": {"x": 1}, "after": 2}])


def an_activity_is_current_within_its_block():
    found = metas("""
t = ue.Session(strict=True).tracepoint("PyShop", 4)
assert ue.current_activity() is None
with t.activity("Checkout", user=5) as outer:
    assert ue.current_activity() is outer
    try:
        with t.activity("Pay") as inner:
            t.write("Step", a=1)
            t.event("Other").write()
            raise KeyError("x")
    except KeyError:
        pass
    threading.Thread(target=lambda: t.write("Elsewhere")).start()
with ue.within(ue.Activity(b"\\x11" * 16)):
    t.write("Inside")
    with ue.within(None):
        t.write("Outside")
t.write("After")
t.event("Alone").write_activity(ue.Activity(b"\\x22" * 16))
""")
    outer, inner = found[0]["activity"], found[1]["activity"]
    same([(meta["n"], meta.get("opcode", 0), meta.get("activity"), meta.get("relatedActivity"))
          for meta in found if meta["n"] != "Elsewhere"], [
        ("Checkout", 1, outer, None), ("Pay", 1, inner, outer), ("Step", 0, inner, None),
        ("Other", 0, inner, None), ("Pay", 2, inner, None), ("Checkout", 2, outer, None),
        ("Inside", 0, "11111111-1111-1111-1111-111111111111", None),
        ("Outside", 0, None, None), ("After", 0, None, None),
        ("Alone", 0, "22222222-2222-2222-2222-222222222222", None)])
    assert inner != outer
    same([meta.get("activity") for meta in found if meta["n"] == "Elsewhere"], [None])


def an_activity_is_made_of_any_id_and_nothing_else_is_one():
    text = "b96d6158-9e0c-4c5b-8a4e-0f2b3c4d5e6f"
    found = metas(f"""
import uuid
text = "{text}"
t = ue.Session().tracepoint("PyShop", 4)
for id in text, uuid.UUID(text), uuid.UUID(text).bytes:
    with ue.within(ue.Activity(id)):
        t.write("Inside")
for wrong in text, uuid.UUID(text), 5:
    try:
        ue.within(wrong)
        raise SystemExit("it is taken")
    except TypeError as error:
        assert "Activity(id)" in str(error)
    t.event("Odd").write_activity(wrong, wrong)
""")
    same([(meta["n"], meta.get("activity")) for meta in found],
         [("Inside", text)] * 3 + [("Odd", None)] * 3)


def tasks_inherit_an_activity_and_do_not_leak_theirs():
    found = metas("""
import asyncio
t = ue.Session(strict=True).tracepoint("PyShop", 4)
async def work(number):
    t.write("Inherits")
    with t.activity("Work"):
        await asyncio.sleep(0)
        t.write(f"Within{number}")
        await asyncio.sleep(0)
    t.write("Inherits")
async def gives():
    with t.activity("Generator"):
        yield 1
        yield 2
async def main():
    with t.activity("Main"):
        await asyncio.gather(*(work(number) for number in range(5)))
        t.write("Inherits")
        async for _ in gives():
            break  # finalized later, in another task
    await asyncio.sleep(0)
    t.write("After")
asyncio.run(main())
t.write("After")
""")
    main = found[0]["activity"]
    same({meta["activity"] for meta in found if meta["n"] == "Inherits"}, {main})
    same([meta["n"] for meta in found].count("Inherits"), 11)
    starts = [meta for meta in found if (meta["n"], meta.get("opcode")) == ("Work", 1)]
    same({meta["relatedActivity"] for meta in starts}, {main})
    within = [meta["activity"] for meta in found if meta["n"].startswith("Within")]
    same((sorted(within), len(set(within))), (sorted(meta["activity"] for meta in starts), 5))
    same([meta.get("activity") for meta in found if meta["n"] == "After"], [None, None])


def an_activity_that_an_exception_ends_says_so():
    same([(event["n"], event.get("error")) for event in events("""
t = ue.Session(strict=True).tracepoint("PyShop", 4)
try:
    with t.activity("Fails"):
        raise KeyError("x")
except KeyError:
    pass
with t.activity("Works"):
    pass
""")], [("PyShop:Fails", None), ("PyShop:Fails", "KeyError"), ("PyShop:Works", None),
        ("PyShop:Works", None)])


def dictionaries_of_structlog_are_events():
    found = events("""
import structlog
structlog.configure(processors=[structlog.contextvars.merge_contextvars,
                                ue.StructlogProcessor("PyLog"),
                                structlog.processors.format_exc_info,
                                structlog.processors.KeyValueRenderer()],
                    logger_factory=structlog.ReturnLoggerFactory())
log = structlog.get_logger().bind(user="ann")
assert log.info("order placed", order=17, items=["tea"]) == "user='ann' order=17 items=['tea'] event='order placed'"
try:
    1 / 0
except ZeroDivisionError:
    log.exception("failed", odd=1j)
log.debug("x" * 5000)
""")
    same(found[0], {"n": "PyLog:Log", "message": "order placed", "user": "ann", "order": 17,
                    "items": ["tea"]})
    same((found[1]["odd"], found[1]["exception"]["type"]), ("1j", "builtins.ZeroDivisionError"))
    same((len(found[2]["message"]), found[2]["message"][-3:]), (1024, "..."))


def levels_of_structlog_are_levels_of_events():
    same([meta["level"] for meta in metas("""
processor = ue.StructlogProcessor("PyLog")
for method in "critical", "error", "exception", "warning", "info", "debug", "other":
    processor(None, method, {"event": method, 1: 2})
""")], [1, 2, 2, 3, 4, 5, 4])


def programs_of_the_readme_run():
    blocks = re.findall(r"```python\n(.*?)```", (pathlib.Path(source) / "README.md").read_text(), re.S)
    same(len(blocks), 4)
    for code, count in zip(blocks, (2, 6, 1, 1)):
        program = folder / "readme.py"
        program.write_text(code)
        done = subprocess.run([tool, "run", "--json", "--", PYTHON, "-W", "error", program], text=True,
                              capture_output=True, timeout=300, env=ENVIRONMENT)
        same((done.returncode, len(done.stdout.splitlines())), (0, count))
        assert "Traceback" not in done.stderr, done.stderr


def its_types_are_checked():
    done = subprocess.run(["/usr/bin/mypy", "--strict", "--cache-dir", folder / "mypy", "--python-executable",
                           PYTHON, pathlib.Path(source) / "userevents"], text=True,
                          capture_output=True, timeout=300)
    same((done.returncode, done.stderr), (0, "")), done.stdout
    program = folder / "program.py"
    program.write_text("import userevents\nuserevents.Session().event(5)\n"
                       "reveal_type(userevents.Activity().id)\n")
    done = subprocess.run(["/usr/bin/mypy", "--strict", "--cache-dir", folder / "mypy", program], text=True,
                          capture_output=True, timeout=300, cwd=folder,
                          env={**os.environ, "MYPYPATH": str(folder / "site")})
    assert 'has incompatible type "int"; expected "str"' in done.stdout, done.stdout
    assert 'Revealed type is "builtins.bytes"' in done.stdout, done.stdout


def a_wheel_is_built_offline():
    package = folder / "wheel-source"
    shutil.copytree(source, package)
    done = pip("wheel", "--wheel-dir", folder / "wheels", package)
    assert done.returncode == 0, done.stderr
    wheel, = (folder / "wheels").iterdir()
    same(wheel.name, "userevents-0.1.0-py3-none-any.whl")
    names = zipfile.ZipFile(wheel).namelist()
    for name in {path.name for path in (pathlib.Path(source) / "userevents").iterdir()
                 if path.suffix in (".py", ".typed")}:
        assert f"userevents/{name}" in names, (name, names)
    done = pip("install", "--target", folder / "from-wheel", wheel)
    assert done.returncode == 0, done.stderr
    same(output("print(ue.__file__)", PYTHONPATH=str(folder / "from-wheel")),
         f"{folder}/from-wheel/userevents/__init__.py\n")


def records_of_logging_are_events():
    found = events("""
import logging
log = logging.getLogger("shop.orders")
log.addHandler(ue.Handler("PyLog", 0x2))
log.setLevel(1)
log.propagate = False
log.info("order %d", 17, extra={"user": "ann", "n": 5, "what": [1], "none": None, "name_": 2**70})
try:
    raise KeyError("tea")
except KeyError:
    log.exception("failed", stack_info=True)
""")
    first, second = found
    same([first[key] for key in ("n", "message", "logger", "severity", "file", "function",
                                 "thread", "extra")],
         ["PyLog:Log", "order 17", "shop.orders", 20, "<string>", "<module>", "MainThread",
          {"user": "ann", "n": 5, "what": "[1]", "none": None, "name_": str(2**70)}])
    assert "exception" not in first and "stack" not in first
    same([second["exception"][key] for key in ("type", "message")],
         ["builtins.KeyError", "'tea'"])
    assert second["exception"]["traceback"].endswith("KeyError: 'tea'\n")
    assert second["stack"].startswith("Stack (most recent call last):")
    assert "extra" not in second and second["line"] > first["line"]


def levels_of_logging_are_levels_of_events():
    same([meta["level"] for meta in metas("""
import logging
logging.getLogger().addHandler(ue.Handler("PyLog"))
logging.getLogger().setLevel(1)
for level in 60, 50, 49, 40, 30, 29, 20, 10, 1:
    logging.log(level, "x")
""")], [1, 1, 2, 2, 3, 4, 4, 5, 5])


def large_records_are_cut_and_bad_ones_do_not_harm():
    found = events("""
import logging
class Bad:
    def __str__(self): raise RuntimeError("no text")
log = logging.getLogger()
handler = ue.Handler("PyLog")
log.addHandler(handler)
altered = lambda: handler.tracepoints[ue.Level.ERROR].altered
log.error("short", extra={"a": 1})
assert altered() == 0
def chain(n):
    try:
        chain(n - 1) if n else 1 / 0
    except Exception as error:
        raise ZeroDivisionError from error
try:
    chain(9)
except ZeroDivisionError:
    log.error("\u00e9" * 9000, exc_info=True, stack_info=True,
              extra={"x" * 300: "y" * 5000, "bad": Bad(), **{f"f{i}": "z" * 99 for i in range(300)}})
before = altered()
assert before == 8, before # message, traceback, a name, four values for which there is little space, and the rest
log.error("lone \\ud800", extra={"nul\\0name": 1})
logging.raiseExceptions = False
log.error("wrong %d", "x")
log.error("after")
assert altered() == before + 1
""")[1:]
    same(len(found), 3)
    large = found[0]
    assert large["message"].endswith("\u00e9..."), large["message"][-10:]
    same(len(large["message"].encode()), 1023)
    assert large["exception"]["traceback"].startswith("...")
    assert large["exception"]["traceback"].endswith("\nZeroDivisionError\n")
    same(large["extra"]["bad"], "<Bad without text: RuntimeError>")
    same([found[1]["message"], found[1]["extra"]], ["lone ?", {"nul\ufffdname": 1}])
    same(found[2]["message"], "after")


def a_formatter_is_used():
    same([event["message"] for event in events("""
import logging
handler = ue.Handler("PyLog")
handler.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
logging.getLogger().addHandler(handler)
logging.warning("hot")
""")], ["WARNING: hot"])


def a_handler_closes_its_own_session_alone():
    same(events("""
import logging
s = ue.Session(strict=True)
own, shared = ue.Handler("PyLog"), ue.Handler("PyLog", session=s)
for handler in own, shared:
    logging.getLogger().addHandler(handler)
    handler.close()
    handler.close()
assert not own.tracepoints[ue.Level.ERROR].enabled and own not in logging._handlers.values()
assert shared.tracepoints[ue.Level.ERROR].enabled
s.event("py_shared u8 a").write(a=1)
logging.error("from the shared one")
""")[1]["message"], "from the shared one")


def records_of_disabled_levels_are_not_formatted():
    same(output("""
import logging
class Never:
    def __str__(self): raise AssertionError("formatted")
logging.raiseExceptions = True
logging.getLogger().addHandler(ue.Handler("PyLog", session=ue.Session(path="/nowhere")))
logging.error("%s", Never())
"""), "")


def finalizers_at_the_end_of_the_program_may_write():
    """Python runs them in any order, so that of the event may come first."""
    for swapped in "", "late, e = e, late":
        found = events(f"""
import atexit, logging
s = ue.Session(strict=True)
e = s.event("py_last u8 a")
t = s.tracepoint("PyShop", 4)
h = ue.Handler("PyLog")
logging.getLogger().addHandler(h)
class Late:
    def __init__(self, *objects): self.objects = objects
    def __del__(self):
        self.objects[0].write(a=2), self.objects[1].write("Late", a=2)
        assert self.objects[0].losses == {{}} and self.objects[0].enabled in (False, True)
late = Late(e, t)
late.itself = late
e.itself, e.late, t.itself = e, late, t
{swapped}
s.event("py_last u8 a").write(a=1)
atexit.register(lambda: logging.warning("x"))
""")
        same(found[0], {"n": "user_events:py_last", "a": 1})
        same(found[1]["n"], "PyLog:Log")


if __name__ == "__main__":
    run([pip_installs_it_offline, a_classic_event_is_written, values_of_python_are_fields,
         events_have_ids_opcodes_and_activities, times_may_have_a_fraction, an_empty_group_is_none,
         lengths_are_those_of_what_is_copied,
         mistakes_are_reported, what_owns_something_of_the_library_is_not_copied,
         a_session_that_was_not_made_is_finalized, a_session_is_closed_once,
         without_user_events_nothing_is_written, a_missing_library_is_named,
         an_older_library_is_named,
         an_isolated_python_ignores_the_environment,
         values_are_written_whatever_they_are, values_that_are_too_long_are_cut,
         the_work_for_a_value_is_bounded, random_objects_are_written, disabled_events_ignore_their_values,
         a_write_without_memory_is_a_loss, strict_losses_are_errors,
         a_closed_session_writes_nothing, children_of_a_fork_write,
         threads_write_at_the_same_time, a_signal_handler_writes_in_the_middle_of_a_write,
         a_fork_or_a_close_in_the_middle_of_a_write_does_not_harm,
         an_activity_is_current_within_its_block,
         an_activity_is_made_of_any_id_and_nothing_else_is_one,
         tasks_inherit_an_activity_and_do_not_leak_theirs,
         an_activity_that_an_exception_ends_says_so, dictionaries_of_structlog_are_events,
         levels_of_structlog_are_levels_of_events, its_types_are_checked,
         programs_of_the_readme_run, a_wheel_is_built_offline,
         records_of_logging_are_events, levels_of_logging_are_levels_of_events,
         large_records_are_cut_and_bad_ones_do_not_harm, a_formatter_is_used,
         a_handler_closes_its_own_session_alone,
         records_of_disabled_levels_are_not_formatted,
         finalizers_at_the_end_of_the_program_may_write])
