#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""klatency: the kernel's measurements are those of its own events, and nothing is left behind."""
import json
import math
import os
import re
import shlex
import signal
import subprocess

from control import (DEADLINE, Requests, ask, count_load, get, is_6_1, load, lines, others, put,
                     refused, run_leaving_nothing, same, state, tool, tracing, until)
from recorders import holder, perf_descriptors, waits

WRITE = ["sh", "-c", 'printf "%s\\n" "$@" | "$0" >/dev/null', others[0]]
# An emulated processor takes seconds to allocate what is usual.
SMALL = ("--size", "1024")
SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999}


def start(number, shard=1, name="/a"):
    return f"start {number} {shard} {name} GET"


def done(number, status=200, name="/a"):
    return f"done {number} {status} -1 {name} GET"


def measure(*arguments, do, size=SMALL, **kwargs):
    return json.loads(ask("klatency", "req_start", "req_done", *size, *arguments, "--json", "--",
                          *WRITE, *do, **kwargs))


def totals(answer):
    return [answer[name] for name in ("starts", "stops", "count", "neverEnded", "withoutStart",
                                      "startsDropped", "dropped")]


def pairs_are_counted_exactly():
    do = [start(1), done(1), done(1), start(2), start(2), done(2), done(77), start(3),
          "pairs 50 1000 0"]
    answer = measure("--key", "id", do=do)
    same(totals(answer), [54, 54, 52, 2, 2, 0, 0])
    same((answer["start"], answer["stop"], answer["unit"]), ("req_start", "req_done", "ns"))
    same(sum(bucket["count"] for bucket in answer["buckets"]), 52)


def times_are_those_of_the_events():
    """The kernel's synthetic events, recorded beside, have the exact times."""
    script = ('cd /sys/kernel/tracing/instances/userevents_*_hist; echo 1 >events/synthetic/'
              'enable; printf "%s\\n" "$@" | "$0" >/dev/null; cat trace >/tmp/klatency; '
              "echo 0 >events/synthetic/enable")
    do = ["pairs 300 1 0", "pairs 30 1000 100", "pairs 5 5000 20000"]
    for buckets in "auto", "exact", "log2", "10":
        size = () if buckets == "auto" else SMALL
        answer = json.loads(ask("klatency", "req_start", "req_done", "-k", "id", "-b", buckets,
                                *size, "--json", "--", "sh", "-c", script, os.path.abspath(others[0]),
                                *do))
        with open("/tmp/klatency") as trace:
            times = sorted(int(time) for time in re.findall(r" ns=(\d+)", trace.read()))
        same((len(times), answer["count"]), (335, 335))
        for bucket in answer["buckets"]:
            same(sum(bucket["low"] <= time < bucket["high"] for time in times), bucket["count"])
        for name, share in SHARES.items():
            exact = times[math.ceil(round(share * 335, 6)) - 1]
            assert abs(answer[name] - exact) <= answer[name + "Error"], (buckets, name, exact)
            if buckets == "auto":
                assert answer[name + "Error"] <= exact * 0.005
        assert times[-1] >= 20_000_000, times[-1]
        widths = {bucket["high"] - bucket["low"] for bucket in answer["buckets"]}
        if buckets in ("exact", "10"):
            same(widths, {1 if buckets == "exact" else 10_000})
        os.remove("/tmp/klatency")


def by_fields_of_both_events():
    do = [line for number in range(12) for line in
          (start(number, number % 3), done(number, 200 if number % 2 else 404))]
    answer = measure("--key", "id", "--by", "shard", "--by", "status", do=do)
    same({(group["by"]["shard"], group["by"]["status"]): group["count"]
          for group in answer["groups"]},
         {(shard, status): 2 for shard in range(3) for status in (200, 404)})


def by_a_signed_field():
    do = [start(1), "done 1 200 -7 /a GET", start(2), "done 2 200 7 /a GET"]
    answer = measure("--key", "id", "--by", "delta", do=do)
    same(sorted(group["by"]["delta"] for group in answer["groups"]), [-7, 7])


def by_the_thread_that_starts():
    answer = measure("--key", "id", "--by", "tid", do=["pairs 5 1 0"])
    same([group["count"] for group in answer["groups"]], [5])
    assert answer["groups"][0]["by"]["tid"] > 1


def keys_of_other_names():
    do = [start(1, 7), done(9, 7), start(1, 8), done(9, 7), start(1, 9), done(1, 9)]
    answer = measure("--key", "shard=status", do=do)
    same(totals(answer), [3, 3, 2, 1, 1, 0, 0])
    answer = measure("--key", "shard=status", "--key", "id", do=do)
    same(totals(answer), [3, 3, 1, 2, 2, 0, 0])


def pairs_of_a_thread():
    answer = measure("--thread", do=[start(1), done(2), done(3), "pairs 10 5 0"])
    same(totals(answer), [11, 12, 11, 0, 1, 0, 0])
    answer = measure("--thread", "--key", "id", do=[start(1), done(2), done(1)])
    same(totals(answer), [1, 2, 1, 0, 1, 0, 0])


def filters_of_both_events():
    do = [start(1, 1), done(1, 200), start(2, 2), done(2, 500), start(3, 2), done(3, 200)]
    same(totals(measure("-k", "id", "--where-start", "shard == 2", do=do)),
         [2, 3, 2, 0, 1, 0, 0])
    same(totals(measure("-k", "id", "--where-stop", "status < 500", do=do)),
         [3, 2, 2, 1, 0, 0, 0])
    same(totals(measure("-k", "id", "--where-start", "shard == 2", "--where-stop",
                        "status >= 500", do=do)), [2, 1, 1, 1, 0, 0, 0])


def texts_are_keys():
    if is_6_1:
        for arguments in ["-k", "path"], ["-k", "id", "-k", "verb"], ["-k", "id", "--by", "path"]:
            refused("klatency", "req_start", "req_done", *arguments, "-d", "0.1", said=f'by '
                    f'"{arguments[-1]}": it is a text of a user event, which kernels before 6.4')
        return
    do = [start(1, name="/a"), start(2, name="/b"), done(3, name="/b"), done(4, name="/c")]
    answer = measure("--key", "path", "--by", "path", "--by", "verb", do=do)
    same(totals(answer), [2, 2, 1, 1, 1, 0, 0])
    same(answer["groups"][0]["by"], {"path": "/b", "verb": "GET"})
    answer = measure("--key", "path", "--key", "verb", "--key", "id=id", do=do)
    same(answer["count"], 0)


def more_keys_than_room():
    do = ["pairs 3000 1 0"]
    answer = measure("--key", "id", "--size", "2000", "--by", "status", "--where-start", "id > 0",
                     do=do, status=1, said="952 events were DROPPED, so the answer is of the "
                     "others alone: the kernel keeps every key for ever, and has room for 2048; "
                     "measure in user space: userevents latency user_events:req_start "
                     "user_events:req_done --key id --by status --where 'meta.event == "
                     '"req_start" && (id > 0) || meta.event == "req_done"\' --watch\n')
    same(totals(answer), [3000, 3000, 2048, 952, 952, 952, 0])
    command = shlex.split(ask.said.split("user space: ")[1])
    # what the command says answers it
    watch = subprocess.Popen([tool, *command[1:], "--json"], stdout=subprocess.PIPE)
    until(lambda: perf_descriptors(watch.pid) >= 3 * os.cpu_count() and
          waits(holder(watch.pid)[1]))
    requests.do("pairs 3000 1 0")
    watch.send_signal(signal.SIGINT)
    same(json.loads(watch.communicate(timeout=DEADLINE)[0])["count"], 3000)
    answer = measure("--key", "id", do=do, size=())
    same(totals(answer), [3000, 3000, 3000, 0, 0, 0, 0])
    said = ask("klatency", "req_start", "req_done", "--key", "id", "--size", "1000", "--", *WRITE,
               *do, status=1, said="1976 events were DROPPED")
    same(said.splitlines()[1], "  1976 DROPPED, so the rest is about the others alone")
    same(said.splitlines()[-1], "3000 starts, 1976 without a stop in this time; 3000 "
         "stops, 1976 without a start in this time")
    measure("--key", "id", "--key", "tid", "--size", "100", do=do, status=1,
            said='room for 128; let filters pass fewer, as "userevents latency" has one key of '
            "one name\n")


def more_times_than_room():
    answer = measure("--key", "id", "--buckets", "exact", "--size", "4096",
                     do=["pairs 3000 1 0"])
    assert answer["dropped"] == 0, answer


def a_picture_in_text():
    said = ask("klatency", "req_start", "req_done", "--key", "id", *SMALL, "--", *WRITE,
               start(1), done(1), start(2))
    rows = said.splitlines()
    assert re.fullmatch("from user_events:req_start to user_events:req_done: 1 pair in [0-9.]+ s, "
                        "counted by the kernel", rows[0]), rows
    same(rows[-1], "2 starts, 1 without a stop in this time; 1 stop, 0 without a start "
         "in this time")


def left():
    return ([name for name in os.listdir(tracing / "instances") if name.startswith("userevents_")] +
            [line for line in lines("synthetic_events") if line.startswith("userevents_")])


def begin(*arguments):
    """klatency as a process that measures."""
    process = subprocess.Popen([tool, "klatency", "req_start", "req_done", "-k", "id", *SMALL,
                                *arguments],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               stdin=subprocess.DEVNULL)

    said = process.stderr.readline()
    assert said.startswith(b"userevents: counting from user_events:req_start to "), said
    return process


def starts_and_stops_count_from_one_moment():
    """Of a load that runs throughout, no more starts are without a stop than are under way."""
    with load():
        for _ in range(100 if "UE_TEST_FULL" in os.environ else 2):
            answer = count_load("klatency", "req_start", "req_done", "-k", "id", *SMALL,
                                enough=lambda answer: answer["starts"] > 10,
                                said="userevents: counting from ")
            assert abs(answer["starts"] - answer["stops"]) <= 1, answer
            assert answer["neverEnded"] <= 1 and answer["withoutStart"] <= 1, answer
            assert answer["starts"] - answer["count"] <= 1, answer


def every_signal_ends_it():
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        process = begin("--json")
        requests.do("pairs 3 1 0")
        process.send_signal(number)
        answer, said = process.communicate(timeout=DEADLINE)
        same((process.returncode, said), (0, b""))
        same(json.loads(answer)["count"], 3)
        same(left(), [])


def errors_half_way_leave_nothing():
    ask("klatency", "req_start", "req_done", "-k", "id", *SMALL, "--", "/no/such", status=127,
        said="userevents: cannot run /no/such: there is no such program\n")
    same(left(), [])
    ask("klatency", "req_start", "req_done", "-k", "id", *SMALL, "--", "sh", "-c", "exit 5",
        status=5)
    same(left(), [])


def a_killed_one_leaves_what_it_made():
    before = state()
    process = begin()
    process.kill()
    process.communicate()
    name, event = left()
    assert name.startswith(f"userevents_{process.pid}_"), name
    assert event.startswith(f"userevents_{process.pid}_"), event
    directory = tracing / "instances" / name
    for trigger in "user_events/req_done", "user_events/req_start", f"synthetic/{event.split()[0]}":
        (directory / "events" / trigger / "trigger").write_text("")  # with O_TRUNC


    def are_removed():
        """In the one order that works; the kernel frees what refers to them a moment later."""
        try:
            if directory.exists():
                os.rmdir(directory)
            put("synthetic_events", "!" + event.split()[0])
        except OSError:
            return False
        return not left()

    until(are_removed)
    same(state(), before)


KERNEL = [
    (["req_start", "req_don", "-k", "id"], 'cannot find the event "req_don": there is none; did '
     'you mean "req_done"?'),
    (["req_start", "req_start", "-k", "id"], "cannot measure from user_events:req_start to "
     'user_events:req_start: in the kernel both must be different events; "userevents latency" '
     "measures from one to the next"),
    (["req_start", "req_done", "-k", "ids"], 'cannot pair by "ids": user_events:req_start has no '
     'such field; did you mean "id"?'),
    (["req_start", "req_done", "-k", "shard"], 'cannot pair by "shard": user_events:req_done has '
     "no such field; its format is in tracefs, in events/user_events/req_done/format"),
    (["req_start", "req_done", "-k", "status"], 'cannot pair by "status": user_events:req_start '
     "has no such field; its format is in tracefs, in events/user_events/req_start/format"),
    (["req_start", "req_done", "-k", "id=status"], 'cannot pair by "id" and "status": the kernel '
     "finds them equal only if they have the same type, and they are u64 id and u32 status"),
    (["req_start", "req_done", "-k", "id=delta"], 'cannot pair by "id" and "delta": the kernel '
     "finds them equal only if they have the same type, and they are u64 id and s64 delta"),
    (["req_start", "req_done", "-k", "id="], 'cannot pair by "": user_events:req_done has no '
     "such field; its format is in tracefs, in events/user_events/req_done/format"),
    (["req_start", "req_done", "-k", "id", "-k", "id", "-k", "id", "-t"],
     "cannot pair by 4 keys: the kernel has 3"),
    (["req_start", "req_done", "-k", "id", "--by", "cpu"], 'cannot measure by "cpu": a synthetic '
     "event cannot have the processor"),
    (["req_start", "req_done", "-k", "id", "--by", "shard", "--by", "status", "--by", "tid"],
     "cannot measure by 3 fields: the kernel has 3 keys, of which one is the duration"),
    (["req_start", "req_done", "-k", "id", "--by", "statu"], 'cannot measure by "statu": '
     'user_events:req_done has no such field; did you mean "status"?'),
    (["req_start", "req_done", "-k", "id", "--by", "shart"], 'cannot measure by "shart": '
     'user_events:req_start has no such field; did you mean "shard"?'),
    (["req_start", "req_done", "-k", "id", "--where-start", "status == 3"], None),
    (["req_start", "req_done", "-k", "id", "--where-stop", "shard == 3"], None),
    (["req_start", "req_done", "-k", "id", "--where-stop", "status = 3"], None),
    (["req_start", "req_done", "-k", "id", "--where-start", "shard == 1) || (id == 2"], None),
]
USAGE = [
    (["-k", "id"], "no START and no STOP are given"),
    (["req_start", "-k", "id"], "no STOP is given"),
    (["req_start", "req_done"], "no key is given: --key FIELD or --thread"),
    (["req_start", "req_done", "ls", "-k", "id"], '"ls" is one argument too many; a COMMAND '
     'stands behind "--"'),
    (["req_start", "req_done", "-k", "id", "-d", "-1"], "the option --duration needs seconds, "
     'more than 0, not "-1"'),
    (["req_start", "req_done", "-k", "id", "--unit", "min"], "the option --unit needs ns, us, ms "
     'or s, not "min"'),
]


def wrong_questions_are_refused():
    for arguments, said in KERNEL:
        refused("klatency", *arguments, "-d", "1",
                said="userevents: cannot " if said is None else f"userevents: {said}\n")
    for arguments, said in USAGE:
        refused("klatency", *arguments, status=2, said="userevents: cannot measure in the kernel: "
                f'{said}; "userevents klatency --help" lists the options\n')
    refused("klatency", "req_start", "req_done", "-k", "id", "-b", "0", status=2,
            said="--buckets 0 is no width for this field")


def nothing_else_changes():
    """common_timestamp sets the clock of its instance, and not that of the top one."""
    clock = re.search(r"\[(.*)\]", get("trace_clock"))[1]
    put("trace_clock", "uptime")
    put("trace_marker", "still here")
    before = state()
    process = begin()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=DEADLINE)
    same(state(), before)
    assert "still here" in get("trace")
    put("trace_clock", clock)


TESTS = [pairs_are_counted_exactly, times_are_those_of_the_events, by_fields_of_both_events,
         by_a_signed_field, by_the_thread_that_starts, keys_of_other_names, pairs_of_a_thread,
         filters_of_both_events, texts_are_keys, more_keys_than_room, more_times_than_room,
         a_picture_in_text, starts_and_stops_count_from_one_moment,
         every_signal_ends_it, errors_half_way_leave_nothing,
         a_killed_one_leaves_what_it_made, wrong_questions_are_refused, nothing_else_changes]


with Requests() as requests:
    run_leaving_nothing(TESTS, requests)
