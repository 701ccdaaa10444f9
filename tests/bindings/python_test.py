#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bindings/python, as pip installs it. Arguments: the tool, the folder of libuserevents.so
and the source of the package."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

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
    return [json.loads(line)["meta"] for line in done.stdout.splitlines()]


def output(code, **more):
    done = python(code, **more)
    same((done.returncode, done.stderr), (0, ""))
    return done.stdout


def pip_installs_it_offline():
    package = folder / "source"  # pip writes into it
    shutil.copytree(source, package)
    done = subprocess.run([PYTHON, "-m", "pip", "install", "--no-build-isolation", "--no-index",
                           "--no-deps", "--no-cache-dir", "--quiet", "--target", str(folder / "site"),
                           str(package)], text=True, capture_output=True, timeout=300,
                          env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1",
                               "PIP_ROOT_USER_ACTION": "ignore", "HOME": str(folder)})
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
from userevents._session import _Builder
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
for thing in s, e, t, _Builder():
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
                   input="void ue_builder_array(void) {}", timeout=300)
    done = python("", LIBUSEREVENTS=str(older))
    assert f"ImportError: {older} lacks ue_builder_begin(): it is older" in done.stderr, done.stderr


def an_isolated_python_ignores_the_environment():
    """It finds the installed library, or none; never the one that the variable names."""
    code = f"import sys; sys.path.insert(0, {str(folder / 'site')!r}); import userevents"
    done = subprocess.run([PYTHON, "-I", "-c", code], text=True, capture_output=True, timeout=300,
                          env={**ENVIRONMENT, "LIBUSEREVENTS": "/nowhere.so"})
    assert "nowhere" not in done.stderr, done.stderr
    assert done.returncode == 0 or "cannot load libuserevents.so.0: " in done.stderr, done.stderr


def lost_events_are_counted():
    same(events("""
s = ue.Session()
t = s.tracepoint("PyShop", 4)
assert not t.write("Large", text="x" * 10000)
assert not t.write("Larger", text="x" * 70000)
for values in ([0] * 65536, ue.u8([0] * 65536), [""] * 65536, [{"x": 1}] * 65536):
    assert not t.write("Array", values=values)
assert t.losses == {"too large": 6}, t.losses
e = s.event("py_large __rel_loc char[] a")
for size in 10000, 65535, 70000:
    assert not e.write(a="x" * size) and not e.write(a=b"x" * size)
assert e.write(a="")
assert e.losses == {"too large": 6}, e.losses
assert s.losses == {"too large": 12}, s.losses
""", said="userevents: 12 events were lost: 12 too large.\n"),
         [{"n": "user_events:py_large", "a": ""}])


def a_write_without_memory_is_a_loss():
    same(events("""
from unittest.mock import patch
from userevents._session import library
class Nothing:
    def __getattr__(self, name):
        failing = {"ue_payload_new": -12, "ue_builder_new": None}
        return (lambda *_: failing[name]) if name in failing else getattr(library, name)
s = ue.Session()
e, t = s.event("py_memory u8 a"), s.tracepoint("PyShop", 4)
with patch("userevents._session.library", Nothing()):
    assert e.write(a=1) is False and t.write("E", a=1) is False
assert e.losses == t.losses == {"wrong descriptor or payload, or no memory": 1}, (e.losses, t.losses)
assert e.write(a=2) and t.write("E", a=2)
""", said="userevents: 2 events were lost: 2 wrong descriptor or payload, or no memory.\n"),
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
log.addHandler(ue.Handler("PyLog"))
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
log.error("lone \\ud800", extra={"nul\\0name": 1})
logging.raiseExceptions = False
log.error("wrong %d", "x")
log.error("after")
""")
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
         events_have_ids_opcodes_and_activities, an_empty_group_is_none,
         lengths_are_those_of_what_is_copied,
         mistakes_are_reported, what_owns_something_of_the_library_is_not_copied,
         a_session_that_was_not_made_is_finalized, a_session_is_closed_once,
         without_user_events_nothing_is_written, a_missing_library_is_named,
         an_older_library_is_named,
         an_isolated_python_ignores_the_environment,
         lost_events_are_counted, a_write_without_memory_is_a_loss, strict_losses_are_errors,
         a_closed_session_writes_nothing, children_of_a_fork_write,
         threads_write_at_the_same_time, a_signal_handler_writes_in_the_middle_of_a_write,
         records_of_logging_are_events, levels_of_logging_are_levels_of_events,
         large_records_are_cut_and_bad_ones_do_not_harm, a_formatter_is_used,
         a_handler_closes_its_own_session_alone,
         records_of_disabled_levels_are_not_formatted,
         finalizers_at_the_end_of_the_program_may_write])
