#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents synth: events of two events, what is saved of them, and that nothing is left."""
import contextlib
import json
import re

from control import (REQUESTS, Requests, ask, get, instance, is_6_1, lines, list_events, path, put,
                     refused, same, tool, tracing, unchanged, until, user_events)
from recorders import decoded, out, run_chosen

PAIR = ("--from", "req_start", "--to", "req_done", "--key", "id")
NO_TEXTS = ("the field \"{}\" of user_events:{} is a text, which this kernel does not know of "
            "user events; Linux 6.4 does")


@contextlib.contextmanager
def created(name, *options, said=None):
    """A synthetic event of two, deleted at the end."""
    shown = ask("synth", "create", name, *options, said=said)
    try:
        yield shown
    finally:
        same(ask("synth", "delete", name), f"{name}\n")


@contextlib.contextmanager
def requests():
    program = Requests()
    with program:
        yield program
        program.finish()
    # the kernel removes them a moment after their program
    until(lambda: "req_" not in get("dynamic_events"), "the events are gone")


def trace(where="userevents"):
    """The events of an instance's buffer: [(time in us, name, text)]."""
    found = []
    for line in lines(f"instances/{where}/trace"):
        match = re.search(r" (\d+)\.(\d{6}): (\w+): ?(.*)$", line)
        if match:  # or Linux 6.1 shows the bytes of a user event
            found.append((int(match[1]) * 1000000 + int(match[2]), match[3], match[4]))
    return found


def texts(name, where="userevents"):
    return [text for _, of, text in trace(where) if of == name]


def entries(where):
    """The number of events in an instance's buffer."""
    return sum(int(re.search(r"entries: (\d+)", stats.read_text())[1])
               for stats in (tracing / "instances" / where).glob("per_cpu/*/stats"))


def recorded(where="userevents"):
    """The synthetic events of an instance's buffer, as the tool decodes a file of trace-cmd."""
    file = path(f"{where}.dat")
    out("trace-cmd", "extract", "-B", where, "-o", file)
    events = [event for event in decoded(file) if event["n"].startswith("synthetic:")]
    for event in events:  # an earlier test may have left others
        del event["meta"]
    return events


def listed(name):
    return json.loads(ask("synth", "list", "--json", name))


# Events that something else writes


def a_definition_becomes_an_event():
    with unchanged():
        same(ask("synth", "create", " lat  u64 id;unsigned int b ; char[] path;char verb[8];"),
             "lat u64 id; unsigned int b; char[] path; char[8] verb\n")
        same(lines("synthetic_events"),
             ["lat\tu64 id; unsigned int b; char[] path; char[8] verb"])
        same(ask("synth", "list"), "lat u64 id; unsigned int b; char[] path; char[8] verb\n")
        same(listed("lat"), {"event": "lat", "written_by": [],
                             "fields": "u64 id; unsigned int b; char[] path; char[8] verb"})
        same(ask("synth", "delete", "lat"), "lat\n")


def all_types_become_fields_of_the_kernel():
    types = ("u8 s8 u16 s16 u32 s32 u64 s64 bool char int long pid_t gfp_t".split() +
             ["unsigned char", "unsigned int", "unsigned long"])
    fields = "; ".join(f"{type} f{number}" for number, type in enumerate(types))
    with unchanged():
        ask("synth", "create", f"lat {fields}")
        same(lines("synthetic_events"), [f"lat\t{fields}"])
        ask("synth", "delete", "lat")


# Events of two


def an_event_of_two_has_values_of_both():
    with unchanged(), requests() as program, created(
            "lat", *PAIR, "--field", "id", "--field", "from.shard", "--field", "delta",
            "--field", "code=to.status", "--field", "cpu=from.common_cpu",
            "--field", "ns=elapsed.ns") as shown:
        same(shown, "lat u64 id; u32 shard; s64 delta; u32 code; u32 cpu; u64 ns\n"
             "It is written into the instance \"userevents\", which was made for it. "
             "To see it:\n    cat /sys/kernel/tracing/instances/userevents/trace_pipe\n")
        put("instances/userevents/events/user_events/req_start/enable", "1")
        put("instances/userevents/events/user_events/req_done/enable", "1")
        program.do("start 7 3 /a GET")
        program.do("start 8 4 /b GET")
        program.do("done 9 404 1 /c GET")   # of no start
        program.do("done 8 200 -5 /b GET")
        program.do("done 7 500 6 /a GET")
        program.do("done 7 501 6 /a GET")   # the start has its end
        events = trace()
        put("instances/userevents/events/user_events/enable", "0")
        times = [time for time, name, _ in events if name.startswith("req_")]
        found = [dict(re.findall(r"(\w+)=(\S+)", text))
                 for _, name, text in events if name == "lat"]
        elapsed = [int(event.pop("ns")) for event in found]
        assert all(event.pop("cpu") in ("0", "1") for event in found)
        same(found, [{"id": "8", "shard": "4", "delta": "-5", "code": "200"},
                     {"id": "7", "shard": "3", "delta": "6", "code": "500"}])
        if is_6_1:  # which shows user events as bytes, also newlines
            assert all(number > 0 for number in elapsed), elapsed
            return
        # the kernel prints times in microseconds
        assert abs(elapsed[0] / 1000 - (times[3] - times[1])) <= 2, (elapsed, times)
        assert abs(elapsed[1] / 1000 - (times[4] - times[0])) <= 2, (elapsed, times)


def microseconds_are_a_thousandth():
    with unchanged(), requests() as program, instance("two") as directory:
        ask("synth", "create", "inns", *PAIR, "-i", "two", "--field", "elapsed")
        ask("synth", "create", "inus", *PAIR, "-i", "two", "--field", "elapsed.us")
        program.do("pairs 3 10 2000")
        of = {name: [int(text.partition("=")[2]) for text in texts(name, "two")]
              for name in ("inns", "inus")}
        same(len(of["inns"]), 3)
        # the kernel rounds both ends
        assert all(abs(us - ns / 1000) <= 1 for us, ns in zip(of["inus"], of["inns"])), of
        same(ask("synth", "delete", "inns", "inus"), "inns\ninus\n")
        assert directory.exists()  # another made it


def keys_may_have_different_names():
    with unchanged(), requests() as program, created(
            "lat", "--from", "req_start", "--to", "req_done", "--key", "shard=status",
            "--key", "common_pid", "--field", "from.id"):
        program.do("start 1 500 /a GET")
        program.do("start 2 404 /a GET")
        program.do("done 9 404 0 /a GET")
        program.do("done 9 404 0 /a GET")   # the start has its end
        same(texts("lat"), ["id=2"])


def filters_choose_the_events():
    with unchanged(), requests() as program, created(
            "lat", *PAIR, "--field", "id", "--where-from", "shard < 5",
            "--where-to", "status >= 500 && delta == -1"):
        for id, shard, status, delta in (1, 4, 500, -1), (2, 5, 500, -1), (3, 4, 499, -1), \
                (4, 4, 500, 1):
            program.do(f"start {id} {shard} /a GET")
            program.do(f"done {id} {status} {delta} /a GET")
        same(texts("lat"), ["id=1"])


def texts_are_carried_along():
    fields = ("--field", "from.path", "--field", "end=to.path", "--field", "verb=from.verb")
    if is_6_1:
        with unchanged(), user_events(*REQUESTS):
            refused("synth", "create", "lat", *PAIR, *fields,
                    said=f"cannot create lat: {NO_TEXTS.format('path', 'req_start')}")
            refused("synth", "create", "lat", *PAIR, "--field", "id", "--key", "verb",
                    said=f"cannot create lat: {NO_TEXTS.format('verb', 'req_start')}")
            refused("synth", "create", "lat", *PAIR, "--field", "elapsed", "--on", "max",
                    "--save", "id,path",
                    said=f"cannot create lat: {NO_TEXTS.format('path', 'req_done')}")
        return
    with unchanged(), requests() as program, created("lat", *PAIR, *fields, "--field", "id"):
        same(lines("synthetic_events"), ["lat\tchar[] path; char[] end; char[] verb; u64 id"])
        program.do("start 1 2 /first/path GET")
        program.do("done 1 200 0 /last POST")
        same(texts("lat"), ["path=/first/path end=/last verb=GET id=1"])
        same(recorded(), [{"n": "synthetic:lat", "path": "/first/path", "end": "/last",
                           "verb": "GET", "id": 1}])


def texts_are_keys():
    if is_6_1:
        return
    with unchanged(), requests() as program, created(
            "lat", "--from", "req_start", "--to", "req_done", "--key", "path",
            "--key", "verb", "--field", "from.id"):
        program.do("start 1 2 /a GET")
        program.do("start 2 2 /a PUT")
        program.do("start 3 2 /aa GET")
        program.do("done 9 200 0 /a PUT")
        program.do("done 9 200 0 /aa GET")
        program.do("done 9 200 0 /aa PUT")
        same(texts("lat"), ["id=2", "id=3"])


def trace_cmd_records_what_the_tool_decodes():
    with unchanged(), requests() as program, created(
            "lat", *PAIR, "--field", "id", "--field", "status", "--field", "delta"):
        program.do("pairs 100 1 0")
        same(recorded(), [{"n": "synthetic:lat", "id": id, "status": 200, "delta": -1}
                          for id in range(1, 101)])
        shown = json.loads(out(tool, "hist", "--json", "synthetic:lat", "id",
                               path("userevents.dat")))
        same(shown["count"], 100)


def events_of_the_kernel_make_pairs():
    with unchanged(), created(
            "wakeup", "--from", "sched:sched_waking", "--to", "sched:sched_switch",
            "--key", "pid=next_pid", "--field", "next_comm", "--field", "next_pid",
            "--field", "latency=elapsed.us"):
        list_events()
        found = texts("wakeup")
        assert found and all(re.fullmatch(r"next_comm=.* next_pid=\d+ latency=\d+", text)
                             for text in found), found


# The saved fields


def the_largest_value_of_each_key_is_saved():
    with unchanged(), requests() as program, created(
            "slow", "--from", "req_start", "--to", "req_done", "--key", "shard=status",
            "--field", "id", "--field", "shard", "--on", "max:id", "--save", "id,delta"):
        for id, shard, delta in (5, 1, -5), (9, 1, -9), (7, 1, -7), (3, 2, -3):
            program.do(f"start 0 {shard} /a GET")
            program.do(f"done {id} {shard} {delta} /a GET")
        same(texts("slow"), ["id=5 shard=1", "id=9 shard=1", "id=3 shard=2"])
        found = listed("slow")["written_by"][0]
        same(found["saved"],
             [{"key": "status=1", "value": 9, "fields": {"id": 9, "delta": -9}},
              {"key": "status=2", "value": 3, "fields": {"id": 3, "delta": -3}}])
        same([found[key] for key in ("from", "to", "on", "instance", "created_by_synth",
                                     "hits", "entries", "dropped", "snapshot_of")],
             ["user_events:req_start", "user_events:req_done", "max", "userevents", True,
              4, 2, 0, None])
        same(ask("synth", "list", "slow"),
             "slow u64 id; u32 shard\n\n"
             "EVENT  FROM                   TO                    ON   INSTANCE    HITS  KEYS"
             "  DROPPED\n"
             "slow   user_events:req_start  user_events:req_done  max  userevents     4     2"
             "        0\n\n"
             "EVENT  ON   KEY       VALUE  SAVED\n"
             "slow   max  status=1      9  id=9 delta=-9\n"
             "slow   max  status=2      3  id=3 delta=-3\n")


def the_longest_time_is_saved():
    with unchanged(), requests() as program, created(
            "slow", "--from", "req_start", "--to", "req_done", "--key", "common_pid",
            "--field", "id", "--field", "ns=elapsed", "--on", "max", "--save", "id"):
        program.do("pairs 1 1 1000")
        program.do("pairs 1 2 300000")
        program.do("pairs 1 3 1000")
        found = [tuple(map(int, re.findall(r"\d+", text))) for text in texts("slow")]
        saved = listed("slow")["written_by"][0]["saved"]
        # each that is written is longer than those before, and the last one is saved
        same([ns for _, ns in found], sorted(ns for _, ns in found))
        same([(each["fields"]["id"], each["value"]) for each in saved], [found[-1]])


def a_changed_value_is_saved():
    with unchanged(), requests() as program, created(
            "changed", "--from", "req_start", "--to", "req_done", "--key", "common_pid",
            "--field", "id", "--field", "delta", "--on", "change:delta", "--save", "id"):
        for id, delta in (1, -5), (2, -5), (3, 6), (4, 6), (5, -5):
            program.do(f"start {id} 0 /a GET")
            program.do(f"done {id} 200 {delta} /a GET")
        same(texts("changed"), ["id=1 delta=-5", "id=3 delta=6", "id=5 delta=-5"])
        saved = listed("changed")["written_by"][0]["saved"]
        same([(each["value"], each["fields"]) for each in saved], [(-5, {"id": 5})])


def texts_are_saved():
    if is_6_1:
        return
    with unchanged(), requests() as program, created(
            "slow", "--from", "req_start", "--to", "req_done", "--key", "shard=status",
            "--field", "id", "--on", "max:id", "--save", "path,delta,verb"):
        program.do("start 0 1 /a GET")
        program.do("done 5 1 -5 /path:of/it PUT")
        same(listed("slow")["written_by"][0]["saved"],
             [{"key": "status=1", "value": 5,
               "fields": {"path": "/path:of/it", "delta": -5, "verb": "PUT"}}])


def a_snapshot_is_taken_of_the_largest():
    options = (*PAIR, "--field", "id", "--field", "status", "--on", "max:status",
               "--snapshot", "--save", "delta")
    if not (tracing / "snapshot").exists():
        with unchanged(), user_events(*REQUESTS):
            refused("synth", "create", "slow", *options, said="cannot create slow: this kernel "
                    "has no snapshots: it was built without CONFIG_TRACER_SNAPSHOT")
        return
    with unchanged(), requests() as program, created("slow", *options):
        program.do("start 1 0 /a GET")
        program.do("done 1 200 0 /a GET")
        program.do("start 2 0 /a GET")
        program.do("done 2 500 0 /a GET")
        program.do("start 3 0 /a GET")
        program.do("done 3 404 0 /a GET")
        same(listed("slow")["written_by"][0]["snapshot_of"], "id=2")
        shown = get("instances/userevents/snapshot")
        assert "slow: id=1 status=200" in shown and "id=3" not in shown, shown


def dropped_keys_are_reported():
    with unchanged(), requests() as program, created(
            "lat", *PAIR, "--field", "elapsed", "--size", "128"):
        program.do("pairs 1000 1 0")
        shown = ask("synth", "list", "lat", said="lat has lost ")
        dropped = int(shown.split()[-1])
        assert dropped > 100, shown
        same(ask.said, f"userevents: lat has lost {dropped} events: its histograms are full, "
             "as the kernel never forgets a key; delete it and create it again, with fewer "
             "keys or a larger --size, or use \"userevents latency\"\n")
        same(listed("lat")["written_by"][0]["dropped"], dropped)


# Deletion


def delete_leaves_what_others_made():
    with unchanged(), user_events(*REQUESTS), instance("mine"), created(
            "lat", *PAIR, "--field", "id", "--field", "elapsed"):
        with instance("other") as directory:
            put("instances/other/events/user_events/req_done/trigger",
                "hist:keys=common_pid:onmatch(user_events.req_start).trace(lat,id,id)")
            refused("synth", "delete", "lat", said="cannot delete lat: a trigger of "
                    "user_events:req_done in the instance other writes it; remove that with: "
                    "echo '!hist:keys=common_pid:")
            # what the message says helps
            found = re.search(r"echo '(.*)' >> (\S+)\n", ask.said)
            put(found[2], found[1])
            same([line for line in lines("instances/other/events/user_events/req_done/trigger")],
                 [])
            assert directory.exists()
        put("instances/mine/events/synthetic/lat/trigger", "hist:keys=id")
        refused("synth", "delete", "lat", said="cannot delete lat: a trigger of synthetic:lat "
                "in the instance mine uses it; remove that with: echo '!hist:keys=id:")
        put("instances/mine/events/synthetic/lat/trigger", "!hist:keys=id")
        put("events/synthetic/lat/enable", "1")
        refused("synth", "delete", "lat", said="cannot delete lat: it is enabled in the "
                "instance (top); disable it with: echo 0 > "
                "/sys/kernel/tracing/events/synthetic/lat/enable\n")
        put("events/synthetic/lat/enable", "0")
        # the tool's own triggers are there still, and work
        same(len(lines("instances/userevents/events/user_events/req_done/trigger")), 1)


def delete_leaves_what_needs_its_variables():
    trigger = "instances/userevents/events/user_events/req_done/trigger"
    with unchanged(), requests() as program, created("lat", *PAIR, "--field", "id"):
        before = get(trigger)
        put(trigger, "hist:keys=id:mine=$lat__pid:size=128")
        refused("synth", "delete", "lat", said="cannot delete lat: a trigger of "
                "user_events:req_done in the instance userevents uses a variable of it; remove "
                "that with: echo '!hist:keys=id:vals=hitcount:mine=$lat__pid:")
        put(trigger, "!hist:keys=id:mine=$lat__pid:size=128")
        same(get(trigger), before)
        program.do("start 1 0 /a GET")
        program.do("done 1 200 0 /a GET")
        same(texts("lat"), ["id=1"])


def delete_takes_the_unused_alone():
    with unchanged(), user_events(*REQUESTS):
        for name in "one", "two", "three":
            ask("synth", "create", f"{name} u64 id")
        put("events/synthetic/two/enable", "1")
        ask("synth", "create", "lat", *PAIR, "--field", "id")
        same(ask("synth", "delete", "--all-unused"), "one\nthree\n")
        put("events/synthetic/two/enable", "0")
        same(ask("synth", "delete", "two", "lat"), "two\nlat\n")


def events_of_one_instance_do_not_touch_each_other():
    with unchanged(), requests() as program, created("lat", *PAIR, "--field", "id"), created(
            "lat__x", *PAIR, "--field", "id"):
        with created("la", *PAIR, "--field", "id"):
            pass
        program.do("start 1 0 /a GET")
        program.do("done 1 200 0 /a GET")
        same(sorted(name for _, name, _ in trace()), ["lat", "lat__x"])


# Failures


def a_failure_half_way_is_taken_back():
    with unchanged(), user_events(*REQUESTS):
        with instance("half"):
            # the second trigger's variable is taken
            trigger = "instances/half/events/user_events/req_done/trigger"
            put(trigger, "hist:keys=id:lat__pair=common_pid")
            refused("synth", "create", "lat", *PAIR, "--field", "id", "-i", "half",
                    said="cannot create lat: user_events:req_done refuses its trigger: Variable "
                    "already defined\n")
            same(lines("synthetic_events"), [])
            put(trigger, "!hist:keys=id:lat__pair=common_pid")


def as_many_variables_as_the_kernel_has_work():
    def fields(count, source):
        return [word for number in range(count)
                for word in ("--field", f"f{number}={source}.id")]

    sentence = ("cannot create lat: it needs 17 variables, and kernels up to Linux 6.12 have 16 "
                "for a trigger; leave out some of the fields\n")
    with unchanged(), requests() as program, instance("many"):
        for most in (fields(15, "from"), fields(15, "to"),
                     [*fields(14, "from"), "--field", "elapsed", "--discard"],
                     [*fields(7, "from"), "--on", "change:f1"],
                     [*fields(9, "to"), "--on", "max:f0", "--save", "id,delta,status"]):
            with created("lat", *PAIR, *most, "-i", "many"):
                program.do("start 5 0 /a GET")
                program.do("done 5 200 0 /a GET")
                assert texts("lat", "many")[-1].startswith("f0=5 f1=5 "), texts("lat", "many")
        for many in (fields(16, "from"), fields(16, "to"),
                     [*fields(10, "to"), "--on", "max:f0", "--save", "id,delta,status"]):
            refused("synth", "create", "lat", *PAIR, *many, "-i", "many", said=sentence)


def recorded_events_are_not_discarded_unasked():
    with unchanged(), requests() as program, instance("kept"):
        put("instances/kept/events/user_events/req_start/enable", "1")
        program.do("start 1 0 /a GET")
        program.do("start 2 0 /a GET")
        refused("synth", "create", "lat", *PAIR, "--field", "elapsed", "-i", "kept",
                said="cannot create lat: to measure time, the kernel would discard the 2 "
                "recorded events of the instance \"kept\"; add --discard, or use another "
                "instance\n")
        with created("lat", *PAIR, "--field", "id", "-i", "kept"):  # no time
            same(entries("kept"), 2)
        with created("lat", *PAIR, "--field", "elapsed", "-i", "kept", "--discard"):
            same(entries("kept"), 0)
        put("instances/kept/events/user_events/req_start/enable", "0")


def perf_is_not_waited_for_in_vain():
    sentence = ("cannot record synthetic:lat: perf refuses synthetic events; record it "
                "with: trace-cmd record -B INSTANCE -e synthetic:lat, and read that file\n")
    with unchanged():
        ask("synth", "create", "lat u64 id")
        refused("record", "-e", "synthetic:lat", "-o", path("synth.data"), said=sentence)
        refused("watch", "-e", "synthetic:lat", said=sentence)
        with user_events(REQUESTS[0]):
            refused("record", "-e", "synthetic:lat", "-e", "req_start", "-o", path("both.data"),
                    "--", "true", said=sentence)
        ask("synth", "delete", "lat")


HELP = "; \"userevents synth create --help\" lists the options"
MALFORMED_PAIRS = [
    (["--field", "shrad"], "neither user_events:req_start nor user_events:req_done has a field "
     "\"shrad\"; did you mean \"shard\"?"),
    (["--field", "from.status"], "user_events:req_start has no field \"status\""),
    (["--field", "to.dleta"], "user_events:req_done has no field \"dleta\"; did you mean "
     "\"delta\"?"),
    (["--field", "1a=id"], "Illegal name\n    lat u64 1a\n            ^"),
    (["--field", "=id"], "Command must be of the form: <name> field[;field] ...\n    lat u64 \n"
     "    ^"),
    (["--field", "common_pid"], "the field's name \"common_pid\" begins with \"common_\", as "
     "those of the kernel do"),
    (["--field", "id", "--field", "from.id"], "two fields are called \"id\""),
    (["--field", "elapsed.ms"], "\"elapsed.ms\" has no unit of the kernel; write elapsed.ns or "
     "elapsed.us"),
    (["--field", "a=elapsed.ns", "--field", "b=elapsed.us"], "the kernel measures one event "
     "either in elapsed.ns or in elapsed.us, not in both"),
    (["--field", "id", "--key", "nope"], "user_events:req_start has no field \"nope\""),
    (["--field", "id", "--key", "shard=nope"], "user_events:req_done has no field \"nope\""),
    (["--field", "id", "--key", "id=delta"], "the key \"id=delta\" has different types in the "
     "two events, so the kernel finds no pair"),
    (["--field", "id", "--key", "shard=id"], "the key \"shard=id\" has different types in the "
     "two events, so the kernel finds no pair"),
    (["--field", "id", "--key", "common_pid", "--key", "common_cpu", "--key", "shard=status"],
     "there are 4 keys; kernels up to Linux 6.12 take 3"),
    (["--field", "id", "--size", "131073"], "kernels up to Linux 6.12 keep 128 to 131072 keys "
     "(--size)"),
    (["--field", "id", "--size", "64"], "kernels up to Linux 6.12 keep 128 to 131072 keys "
     "(--size)"),
    (["--field", "id", "--on", "min:id"], "there is no \"--on min:id\"; write --on match, --on "
     "max:FIELD or --on change:FIELD"),
    (["--field", "id", "--on", "max"], "it has no elapsed time to follow; write --on max:FIELD"),
    (["--field", "id", "--on", "max:status"], "it has no field \"status\" to follow; --field "
     "defines its fields"),
    (["--field", "delta", "--on", "max:delta"], "the field \"delta\" is signed, and the kernel "
     "takes -1 for the largest number; --on max follows unsigned fields"),
    (["--field", "id", "--save", "id"], "--save is for the largest or a changed value; add --on "
     "max:FIELD or --on change:FIELD"),
    (["--field", "id", "--snapshot"], "--snapshot is for the largest or a changed value; add "
     "--on max:FIELD or --on change:FIELD"),
    (["--field", "id", "--on", "max:id", "--save", "id,shard"], "user_events:req_done has no "
     "field \"shard\""),
    (["--field", "id", "--on", "max:id", "--save", ""], "user_events:req_done has no field "
     "\"\""),
]
MALFORMED_USAGE = [
    ([], "no event is given"),
    (["lat", "u64", "id"], "a definition is one argument; put it in quotes"),
    (["lat", "--from", "req_start"], "an event of two needs --to"),
    (["lat", "--to", "req_done"], "an event of two needs --from"),
    (["lat", "--from", "req_start", "--to", "req_done"], "an event of two needs --key"),
    (["lat", *PAIR], "an event of two needs a --field"),
]
FORM = "Command must be of the form: <name> field[;field] ..."
ARRAY = "Invalid array specification"
# The kernel refuses them. The caret stands where '^' is here.
MALFORMED_DEFINITIONS = {
    "^lat": FORM,
    "^lat u64": FORM,
    "^lat ; u8 b": FORM,
    "^1e u8 a": "Illegal name",
    "^a/b u8 a": "Illegal name",
    "lat u64 a; ^short b": "Invalid type; write s16",
    "lat long long ^x": "Invalid field; write s64",
    "lat ^unsigned a": "Incomplete type; write unsigned int",
    "lat ^__rel_loc char[] a": "Invalid type; write char",
    "lat u8 b; ^double a": "Invalid type",
    "lat char ^*a": "Illegal name; texts are char a[]",
    "lat u8 a ^b c d": "Invalid type",
    "lat u8 ^1a": "Illegal name",
    "lat ^u32 a[4]": "Invalid type; only char has arrays, in kernels up to Linux 6.12",
    "lat char ^a[300]": ARRAY,
    "lat char ^a[4": ARRAY,
    "lat char ^a[4]x": ARRAY,
    "lat char[4] ^a[4]": ARRAY,
    "^lat " + "; ".join(f"u8 f{number}" for number in range(65)): "Too many fields",
}


def malformed_input_is_refused_and_leaves_nothing():
    with unchanged(), user_events(*REQUESTS):
        for words, sentence in MALFORMED_PAIRS:
            refused("synth", "create", "lat", *PAIR, *words, said="")
            same(ask.said, f"userevents: cannot create lat: {sentence}\n")
        for words, sentence in MALFORMED_USAGE:
            refused("synth", "create", *words, status=2, said="")
            same(ask.said, f"userevents: cannot create a synthetic event: {sentence}{HELP}\n")
        for marked, sentence in MALFORMED_DEFINITIONS.items():
            text, place = marked.replace("^", ""), marked.index("^")
            refused("synth", "create", text, said="")
            first, shown, caret = ask.said.splitlines()
            same((text, first),
                 (text, f"userevents: cannot create {text.split()[0]}: {sentence}"))
            same((text, caret.index("^") - 4), (text, place))
            assert text.startswith(shown.strip().removesuffix("...")), shown
        refused("synth", "create", "", said="cannot create the synthetic event: it has no name; "
                "write NAME TYPE FIELD; ...\n")
        refused("synth", "create", " ; u8 a", said="it has no name; write NAME TYPE FIELD; ...\n")
        refused("synth", "create", "!lat", said="use: userevents synth delete lat\n")
        refused("synth", "create", "1lat", *PAIR, "--field", "id", said="userevents: cannot create "
                "1lat: Illegal name\n    1lat u64 id\n    ^\n")


def definitions_are_what_the_kernel_makes_of_them():
    """It takes several forms, and some that cannot be what was meant."""
    with unchanged():
        for text, shown, said in [
                ("  e  u64   id ; unsigned\tint b ;char[16] c; char[] d ; ",
                 "u64 id; unsigned int b; char[16] c; char[] d", None),
                ("e\tu64 id;\nunsigned int b;char c[16];char d[]",
                 "u64 id; unsigned int b; char[16] c; char[] d", None),
                ("e u8 a;; u8 b", "u8 a; u8 b", None),
                ("e " + "; ".join(f"u8 f{number}" for number in range(64)),
                 "; ".join(f"u8 f{number}" for number in range(64)), None),
                ("e u8 a; u16 a", "u8 a; u16 a", "doubtful definition: two fields are called \"a\""),
                ("e s32 common_pid", "s32 common_pid", "doubtful definition: the field's name "
                 "\"common_pid\" begins with \"common_\", as those of the kernel do")]:
            same(ask("synth", "create", text, said=said), f"e {shown}\n")
            ask("synth", "delete", "e")


def wrong_names_are_refused():
    with unchanged(), user_events(*REQUESTS):
        fields = "--key", "id", "--field", "id"
        refused("synth", "create", "lat", "--from", "req_strat", "--to", "req_done", *fields,
                said="cannot find the event \"req_strat\": there is none; did you mean "
                "\"req_start\"?\n")
        refused("synth", "create", "lat", "--from", "req_*", "--to", "req_done", *fields,
                said="cannot take \"req_*\" for an event: it names 2; give one as SYSTEM:NAME\n")
        refused("synth", "create", "lat", *PAIR, "--field", "id", "-i", "a/b",
                said="cannot use the instance \"a/b\": it is no name of a directory\n")
        refused("synth", "create", "lat", *PAIR, "--field", "id", "--where-to", "status = 1",
                said="cannot create lat: ")
        refused("synth", "create", "x", *PAIR, "--field", "id", "-i", "short",
                said='the kernel takes no name of one character, such as "x", in an action')
        refused("synth", "delete", "nope", said="cannot delete nope: there is no such synthetic "
                "event; \"userevents synth list\" prints them\n")
        refused("synth", "list", "nope", said="cannot list nope: there is no such synthetic "
                "event\n")
        refused("synth", "delete", status=2, said="no event is given")
        refused("synth", "delete", "--all-unused", "x", status=2, said="exclude each other")
        refused("synth", "creat", status=2, said="there is no \"creat\"; did you mean "
                "\"create\"?\n")
        refused("synth", status=2, said="neither create, list nor delete is given")
        ask("synth", "create", "lat u8 a")
        refused("synth", "create", "lat u16 a", said="cannot create lat: it exists; delete it "
                "first, with: userevents synth delete lat\n")
        refused("synth", "create", "lat", *PAIR, "--field", "id", said="cannot create lat: it "
                "exists; ")
        refused("synth", "delete", "lad", said="cannot delete lad: there is no such synthetic "
                "event; did you mean \"lat\"?\n")
        ask("synth", "delete", "lat")


assert tool
run_chosen([a_definition_becomes_an_event, all_types_become_fields_of_the_kernel,
     an_event_of_two_has_values_of_both, microseconds_are_a_thousandth,
     keys_may_have_different_names, filters_choose_the_events, texts_are_carried_along,
     texts_are_keys, trace_cmd_records_what_the_tool_decodes, events_of_the_kernel_make_pairs,
     the_largest_value_of_each_key_is_saved, the_longest_time_is_saved,
     a_changed_value_is_saved, texts_are_saved, a_snapshot_is_taken_of_the_largest,
     dropped_keys_are_reported, delete_leaves_what_others_made,
     delete_leaves_what_needs_its_variables, delete_takes_the_unused_alone,
     events_of_one_instance_do_not_touch_each_other,
     as_many_variables_as_the_kernel_has_work, a_failure_half_way_is_taken_back,
     recorded_events_are_not_discarded_unasked, perf_is_not_waited_for_in_vain,
     malformed_input_is_refused_and_leaves_nothing,
     definitions_are_what_the_kernel_makes_of_them, wrong_names_are_refused])
