#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents trigger: each kind acts, is listed, and goes; what the kernel refuses is explained,
and what it takes for something else is warned of."""
import contextlib
import json
import re

from control import (REQUESTS, Requests, ask, get, instance, is_6_1, lines, put, refused, run,
                     same, state, tracing, unchanged, user_events)

START = "user_events:req_start"
DONE = "user_events:req_done"


def file_of(event, name="trigger", of="one"):
    return f"instances/{of}/events/{event.replace(':', '/')}/{name}"


def trigger(*arguments, **kwargs):
    return ask("trigger", "-i", "one", *arguments, **kwargs)


def added(event, *words, listed, said=None):
    """Adds a trigger, which is then listed like this."""
    same(trigger(event, *words, said=said), f"{event} {listed}\n")
    assert listed in list_folded(event), (listed, lines(file_of(event)))


def removed(event, *words, listed=None):
    """Removes it in these words; it is listed like this until then."""
    listed = listed or " ".join(words)
    same(trigger("--remove", event, *words), f"{event} {listed}\n")
    assert listed not in list_folded(event)


def list_folded(event):
    """The lines of an event's file. Linux 7.3 lists a key common_cpu, cpu or CPU with both
    names in one word, which the tool does not print."""
    return [re.sub(r"\bcommon_cpu(common_cpu|cpu|CPU)\b", "common_cpu", line)
            for line in lines(file_of(event))]


def one_line(event):
    """The line of the only trigger."""
    found = list_folded(event)
    same(len(found), 1)
    return found[0]


@contextlib.contextmanager
def events():
    """The two events exist, in an instance, too; nothing is left afterwards."""
    with unchanged(), user_events(*REQUESTS), instance("one"):
        yield


@contextlib.contextmanager
def requests():
    """The same, with the program that writes them."""
    with unchanged(), instance("one"):
        with Requests() as program:
            yield program
            program.finish()


def trace():
    return (tracing / "instances/one/trace").read_bytes().decode(errors="replace")


# Each kind acts


def enable_event_once():
    with requests() as program:
        added(START, "enable_event:user_events:req_done:1", "if", "id > 4",
              listed="enable_event:user_events:req_done:count=1 if id > 4")
        program.do("start 4 2 /a GET")
        same(get(file_of(DONE, "enable")), "0*\n")
        program.do("start 5 2 /a GET")
        same(get(file_of(DONE, "enable")), "1*\n")
        same(one_line(START), "enable_event:user_events:req_done:count=0 if id > 4")
        (tracing / file_of(DONE, "enable")).write_text("0")
        program.do("start 6 2 /a GET")
        same(get(file_of(DONE, "enable")), "0*\n")
        assert "enables user_events:req_done; never again" in trigger("--list")
        removed(START, one_line(START))


def disable_event():
    with requests() as program:
        (tracing / file_of(DONE, "enable")).write_text("1")
        added(START, "disable_event:user_events:req_done",
              listed="disable_event:user_events:req_done:unlimited")
        same(get(file_of(DONE, "enable")), "1*\n")
        program.do("start 1 2 /a GET")
        same(get(file_of(DONE, "enable")), "0*\n")
        removed(START, "disable_event:user_events:req_done",
                listed="disable_event:user_events:req_done:unlimited")
        same(get(file_of(DONE, "enable")), "0\n")


def counted():
    found = re.search(r"Hits: (\d+)", get(file_of(DONE, "hist")))
    return int(found.group(1))


def histograms_pause_and_go_on():
    hist = "hist:keys=status:vals=hitcount:sort=hitcount:size=2048"
    with requests() as program:
        trigger(START, "disable_hist:user_events:req_done",
                said=f"{DONE} has no histogram to switch yet; to add one: userevents trigger "
                f"-i one {DONE} hist:keys=FIELD")
        removed(START, "disable_hist:user_events:req_done:unlimited")
        added(DONE, "hist:keys=status", listed=f"{hist} [active]")
        program.do("done 1 200 -5 /a GET")
        same(counted(), 1)
        added(START, "disable_hist:user_events:req_done:5",
              listed="disable_hist:user_events:req_done:count=5")
        program.do("start 1 2 /a GET")
        same(one_line(DONE), f"{hist} [paused]")
        assert "counts by status; paused" in trigger("--list", DONE)
        program.do("done 1 200 -5 /a GET")
        same(counted(), 1)
        removed(START, "disable_hist:user_events:req_done:count=4")
        added(START, "enable_hist:user_events:req_done",
              listed="enable_hist:user_events:req_done:unlimited")
        program.do("start 1 2 /a GET")
        program.do("done 1 200 -5 /a GET")
        same(counted(), 2)
        removed(START, "enable_hist:user_events:req_done:unlimited")
        removed(DONE, f"{hist} [active]")


def stacktrace_shows_the_write():
    with requests() as program:
        added(START, "stacktrace:5", "if", "id > 4", listed="stacktrace:count=5 if id > 4",
              said="the stack is the kernel's, which for a user event is always its write; the "
              "program's: perf record -g -e user_events:req_start, or --user-stack "
              "in an --instance")
        program.do("start 4 2 /a GET")
        assert "<stack trace>" not in trace()
        program.do("start 5 2 /a GET")
        assert re.search(r"<stack trace>\n => user_event_ftrace\n", trace()), trace()
        assert "user_events_write" in trace()
        same(one_line(START), "stacktrace:count=4 if id > 4")
        assert "traces the kernel's stack; 4 more times" in trigger("--list")
        removed(START, one_line(START))


def user_stack_shows_the_program():
    with requests() as program:
        option = tracing / "instances/one/options/userstacktrace"
        trigger(START, "--user-stack", "traceoff", status=1,
                said="--user-stack is for stacktrace, not for traceoff")
        trigger(START, "--user-stack", "stacktrace:x", status=1, said="is no number")
        same(option.read_text(), "0\n")
        same(trigger(START, "--user-stack", "stacktrace", said="options/userstacktrace"),
             f"{START} stacktrace:unlimited\n")
        same(option.read_text(), "1\n")
        program.do("start 1 2 /a GET")
        assert "<user stack trace>" not in trace()
        (tracing / file_of(START, "enable")).write_text("1")
        program.do("start 1 2 /a GET")
        assert re.search(r"<user stack trace>\n => /\S+\[\+0x", trace()), trace()
        (tracing / file_of(START, "enable")).write_text("0")
        removed(START, "stacktrace:unlimited")


def traceoff_and_traceon():
    on = tracing / "instances/one/tracing_on"
    with requests() as program:
        added(START, "traceoff:1", "if", "shard == 7", listed="traceoff:count=1 if shard == 7")
        added(DONE, "traceon", listed="traceon:unlimited")
        program.do("start 1 2 /a GET")
        same(on.read_text(), "1\n")
        program.do("start 1 7 /a GET")
        same(on.read_text(), "0\n")
        same(get("tracing_on"), "1\n")
        assert "turns tracing off; never again" in trigger("--list", START)
        program.do("done 1 200 -5 /a GET")
        same(on.read_text(), "1\n")
        trigger("--remove", START, "traceon", status=1, said="it has none like that")
        removed(START, "traceoff", listed="traceoff:count=0 if shard == 7")
        removed(DONE, "traceon:unlimited")


def traceoff_of_the_top_instance_is_said_to_concern_all():
    with events():
        ask("trigger", START, "traceoff", said="traceoff switches tracing_on of the top "
            "instance, for all who use that; an instance of your own has one of its own "
            "(--instance)")
        same(ask("trigger", "--remove", START), f"{START} traceoff:unlimited\n")


def hist_counts():
    listed = "hist:keys=shard:vals=hitcount,id:sort=id.descending:size=1024 if id > 1 [active]"
    with requests() as program:
        added(START, "hist:keys=shard:vals=id:sort=id.descending:size=1024", "if", "id > 1",
              listed=listed)
        for number in 1, 2, 3, 4:
            program.do(f"start {number} {number % 2} /a GET")
        rows = re.findall(r"\{ shard: +(\d+) \} hitcount: +(\d+) +id: +(\d+)",
                          get(file_of(START, "hist")))
        same(rows, [("0", "2", "6"), ("1", "1", "3")])
        assert "counts by shard, and sums id" in trigger("--list", START)
        removed(START, "hist:keys=shard", listed=listed)


def hist_is_paused_and_cleared():
    listed = "hist:keys=status:vals=hitcount:sort=hitcount:size=2048"
    with requests() as program:
        added(DONE, "hist:keys=status", listed=f"{listed} [active]")
        program.do("done 1 200 -5 /a GET")
        added(DONE, "hist:keys=status:pause", listed=f"{listed} [paused]")
        program.do("done 1 200 -5 /a GET")
        same(counted(), 1)
        added(DONE, "hist:keys=status:cont", listed=f"{listed} [active]")
        same(trigger(DONE, "hist:keys=status:clear"), "")
        same(counted(), 0)
        removed(DONE, f"{listed} [active]")
        trigger(DONE, "hist:keys=status:clear", status=1, said="clear")


def every_hist_is_removed_as_it_is_listed():
    given = ["hist:keys=id.log2,shard.hex:vals=id:sort=id.descending", "hist:keys=id.buckets=10",
             "hist:keys=common_pid.execname", "hist:keys=common_cpu", "hist:keys=stacktrace",
             "hist:name=mine:keys=shard", "hist:keys=id.sym-offset", "hist:keys=id:x=shard*2",
             "hist:keys=common_timestamp.usecs", "hist:keys=id.log2:sort=id",
             "hist:keys=id.log2,shard.buckets=10:sort=shard.descending,id",
             "hist:keys=common_pid:m=id:onmax($m).save(id,shard)",
             "hist:keys=common_pid:c=shard:onchange($c).save(id)"]
    with events():
        for text in given:
            said = "changed the clock" if "timestamp" in text and \
                "[global]" not in get("instances/one/trace_clock") else None
            trigger(START, text, said=said)
        listed = list_folded(START)
        same(len(listed), len(given))
        for text in listed:
            removed(START, text)


def a_hist_of_cpu_that_others_added_is_removed():
    with events():
        for name in "cpu", "CPU", "common_cpu":
            (tracing / file_of(START)).write_text(f"hist:keys={name}")
            removed(START, "hist:keys=common_cpu", listed=one_line(START))


def a_marker_stops_the_trace():
    with unchanged(), instance("one") as directory:
        same(trigger("ftrace/print", "traceoff:1", "if", 'buf ~ "*stop*"'),
             'ftrace:print traceoff:count=1 if buf ~ "*stop*"\n')
        (directory / "trace_marker").write_text("go on")
        same((directory / "tracing_on").read_text(), "1\n")
        (directory / "trace_marker").write_text("now stop it")
        same((directory / "tracing_on").read_text(), "0\n")
        assert "ftrace:print" in trigger("--list")
        same(trigger(), trigger("--list"))
        same(trigger("--remove", "ftrace:print"),
             'ftrace:print traceoff:count=0 if buf ~ "*stop*"\n')
        trigger("ftrace:print", "hist:keys=buf", status=1, said="Couldn't find field")


def snapshot_where_the_kernel_has_it():
    if not (tracing / "snapshot").exists():
        with events():
            refused("trigger", "-i", "one", START, "snapshot:1", said="cannot add a trigger to "
                    f"{START}: this kernel has no snapshots, as it was built without "
                    "CONFIG_TRACER_SNAPSHOT; \"traceoff\" keeps the trace up to the event, too")
        return
    with requests() as program:
        (tracing / file_of(START, "enable")).write_text("1")
        added(START, "snapshot:1", "if", "id == 5", listed="snapshot:count=1 if id == 5",
              said="free it, once no trigger takes one")
        program.do("start 4 2 /a GET")
        program.do("start 5 2 /a GET")
        kept = (tracing / "instances/one/snapshot").read_bytes()
        assert kept.count(b"requests-") == 2, kept
        (tracing / file_of(START, "enable")).write_text("0")
        same(trigger("--remove", START, "snapshot", said="free its buffer with: echo 0 >"
                     "/sys/kernel/tracing/instances/one/snapshot"),
             f"{START} snapshot:count=0 if id == 5\n")
        assert "Snapshot is freed" not in get("instances/one/snapshot")
        (tracing / "instances/one/snapshot").write_text("0")
        assert "Snapshot is freed" in get("instances/one/snapshot")


# Lists and removal


def list_prints_words_and_json():
    with events():
        same(trigger("--list"), "")
        trigger(START, "traceoff:3", "if", "id > 4")
        trigger(DONE, "hist:keys=status")
        table = trigger("--list").splitlines()
        same(table[0].split(), ["EVENT", "LEFT", "MEANING", "TRIGGER"])
        same(len(table), 3)
        same(re.split("  +", table[[START in line for line in table].index(True)]),
             [START, "3", "turns tracing off; 3 more times", "traceoff:count=3 if id > 4"])
        found = [json.loads(line) for line in trigger("--list", "--json").splitlines()]
        found.sort(key=lambda item: item["event"])
        same(found[1], {"event": START, "trigger": "traceoff:count=3 if id > 4",
                        "kind": "traceoff", "filter": "id > 4", "left": 3,
                        "meaning": "turns tracing off; 3 more times"})
        same((found[0]["kind"], found[0]["paused"]), ("hist", False))
        same(len(trigger("--list", "req_s*").splitlines()), 2)
        same(ask("trigger", "--list", START), "")
        trigger("--remove", START)
        trigger("--remove", DONE)


def remove_takes_all():
    with events():
        trigger(START, "traceoff")
        trigger(START, "enable_event:user_events:req_done:1")
        trigger(START, "enable_event:sched:sched_switch")
        trigger(START, "hist:keys=id:a=shard")
        trigger(START, "hist:keys=id:b=$a")
        same(len(lines(file_of(START))), 5)
        same(len(trigger("--remove", START).splitlines()), 5)
        same(lines(file_of(START)), [])
        same(trigger("--remove", START), "")


def remove_names_the_user_of_a_variable():
    with events():
        said = None if "[global]" in get("instances/one/trace_clock") else \
            "changed the clock of /sys/kernel/tracing/instances/one to global"
        trigger(START, "hist:keys=id:ts0=common_timestamp.usecs", said=said)
        trigger(DONE, "hist:keys=id:lat=common_timestamp.usecs-$ts0")
        before = state()
        trigger("--remove", START, status=1, said=f"of {DONE} uses its variables; remove that "
                "first")
        same(state(), before)
        trigger("--remove", DONE)
        trigger("--remove", START)


def remove_wants_one():
    with events():
        trigger(START, "hist:keys=id")
        trigger(START, "hist:keys=id", "if", "id > 4")
        trigger("--remove", START, "hist:vals=hitcount", status=1, said="2 are like that; give one "
                "as --list prints it")
        trigger("--remove", START, "hist:keys=id if id > 5", status=1, said="none like that")
        trigger("--remove", START, "hist:keys=id if id > 4")
        trigger("--remove", START, "hist:keys=shard", status=1, said="none like that")
        trigger("--remove", START, "hist")


# Refusals


def common_timestamp_in_the_top_instance():
    with events():
        clock = get("trace_clock")
        other = "mono" if "[mono]" not in clock else "global"
        (tracing / "trace_clock").write_text("local")
        try:
            refused("trigger", START, "hist:keys=id:ts=common_timestamp", said='common_timestamp '
                    'changes trace_clock to "global" for all users of the top instance, and '
                    "empties its trace; use an instance: mkdir ")
            refused("trigger", START, f"hist:keys=id:ts=common_timestamp:clock={other}",
                    said=f'changes trace_clock to "{other}"')
            refused("trigger", START, "hist:keys=common_pid:x=id:onmax($x).save(common_timestamp)",
                    said='changes trace_clock to "global"')
            ask("trigger", START, "hist:keys=id:ts=common_timestamp:clock=local")
            ask("trigger", "--remove", START)
        finally:
            (tracing / "trace_clock").write_text(re.search(r"\[(.*)\]", clock).group(1))


def second_of_a_kind():
    with events():
        for first, second, said in [
                ("stacktrace:5", "stacktrace",
                 'it has "stacktrace:count=5" already, and the kernel takes one stacktrace; '
                 f"remove that first: userevents trigger -i one --remove {START} stacktrace"),
                ("traceoff", "traceon",
                 'it has "traceoff:unlimited" already, and the kernel takes one of traceon and '
                 f"traceoff; remove that first: userevents trigger -i one --remove {START} "
                 "traceoff"),
                ("enable_event:user_events:req_done:1", "disable_event:user_events:req_done",
                 'it has "enable_event:user_events:req_done:count=1" already, and the kernel '
                 "takes one of disable_event and enable_event; remove that first: "
                 f"userevents trigger -i one --remove {START} "
                 "enable_event:user_events:req_done"),
                ("hist:keys=id", "hist:keys=id:size=1024",
                 'it has "hist:keys=id:vals=hitcount:sort=hitcount:size=2048" already')]:
            trigger(START, first, said="write" if first.startswith("stack") else None)
            refused("trigger", "-i", "one", START, second,
                    said=f"cannot add a trigger to {START}: {said}")
            trigger("--remove", START)
        trigger(START, "enable_event:user_events:req_done")
        trigger(START, "enable_event:sched:sched_switch")
        trigger("--remove", START)


COUNT = "is no number; write how often it acts as in \"{}:5\", or nothing for always"
KEYS = "no key is given; write such as hist:keys=FIELD"
GAP = "a field is missing here"
FIELD = "Couldn't find field"
MODIFIER = "Invalid field modifier"
NAMES = '"bogus" is no trigger; there are enable_event, disable_event, enable_hist, ' \
        "disable_hist, stacktrace, snapshot, traceon, traceoff and hist"
ACTION = "the action is not complete; write such as onmax($x).save(field)"
BUCKETS = ".buckets wants the size of a bucket; write such as .buckets=10"
# The kernel refuses them. The caret stands where '^' is here.
MALFORMED = {
    "^stacktarce": '"stacktarce" is no trigger; did you mean "stacktrace"?',
    "^enable-event:a:b": '"enable-event" is no trigger; did you mean "enable_event"?',
    "^bogus": NAMES,
    "stacktrace:^x": f'"x" {COUNT.format("stacktrace")}',
    "stacktrace:^-1": f'"-1" {COUNT.format("stacktrace")}',
    "traceoff:^99999999999999999999": f'"99999999999999999999" {COUNT.format("traceoff")}',
    "stacktrace ^id > 4": 'a filter begins with "if", and other parts have no blanks',
    "traceon ^iffy": 'a filter begins with "if", and other parts have no blanks',
    "stacktrace ^if": 'no filter follows "if"; write such as "if id > 4", quoted for the shell',
    "enable_event^": "it names no event; write enable_event:SYSTEM:EVENT",
    "enable_event^:": "it names no event; write enable_event:SYSTEM:EVENT",
    "enable_event^:req_done": "it names no event; write enable_event:SYSTEM:EVENT",
    "enable_event:user_events:req_done:^often": f'"often" {COUNT.format("enable_event")}',
    "enable_event:ftrace:print": "the event ftrace:print cannot be enabled or disabled; give "
                                 "another one",
    "^hist": KEYS,
    "^hist:vals=id": KEYS,
    "hist:^kyes=id": 'no key is given; did you mean "keys=" by "kyes="?',
    "hist:^keys": '"keys" is no part of a histogram; there are keys=',
    "hist:^": 'there is nothing between or behind ":"; remove it',
    "hist:^keys=": "Empty assignment",
    "hist:keys=id,^": GAP,
    "hist:keys=id,^,shard": GAP,
    "hist:keys=^idd": f'{FIELD}; did you mean "id"?',
    "hist:keys=^nothing_like_it": FIELD,
    "hist:keys=id:vals=^shrad": f'{FIELD}; did you mean "shard"?',
    "hist:^keys=id,shard,common_pid,common_cpu": "there are 4 keys; kernels up to Linux 6.12 take 3",
    "hist:keys=id:^vals=id,shard,common_pid": "there are 4 values with hitcount, which always is "
                                              "one; kernels up to Linux 6.12 take 3",
    "hist:keys=id.^lgo2": f'{MODIFIER}; did you mean "log2"?',
    "hist:keys=id^.buckets": BUCKETS,
    "hist:keys=id^.buckets=-5": BUCKETS,
    "hist:keys=id.buckets=^0": MODIFIER,
    "hist:keys=id.^log2=2": MODIFIER,
    "hist:keys=id.^execname": MODIFIER,
    "hist:keys=id.^percent": MODIFIER,
    "hist:keys=id:vals=^shard.log2": MODIFIER,
    "hist:keys=id:x=^shard.log2": MODIFIER,
    "hist:keys=^$x": FIELD,
    "hist:keys=id:size=^262144": "the size is at least 128 and at most 131072",
    "hist:keys=id:size=^64": "the size is at least 128 and at most 131072",
    "hist:keys=id:size=^big": '"big" is no number; write such as size=2048',
    "hist:keys=id:^size=": "Empty assignment",
    "hist:keys=id:^vals=": "Empty assignment",
    "hist:keys=id:sort=^shard": "Sort field must be a key or a val",
    "hist:keys=id:sort=id.^up": "Invalid sort modifier",
    "hist:keys=id:sort=id.^descendign": 'Invalid sort modifier; did you mean "descending"?',
    "hist:keys=id:^sort=id,hitcount,id": "Too many sort fields (Max = 2)",
    "hist:keys=id:^sort=": "Empty assignment",
    "hist:keys=id:^sort=id,": "Empty sort field",
    "hist:keys=id:^:vals=shard": 'there is nothing between or behind ":"; remove it',
    "hist:keys=id:^": 'there is nothing between or behind ":"; remove it',
    "hist:keys=id:^puase": '"puase" is no part of a histogram; did you mean "pause"?',
    "hist:keys=id:^bogus": '"bogus" is no part of a histogram; there are keys=',
    "hist:keys=common_timestamp:clock=^sundial": "Couldn't set trace_clock; there are ",
    "hist:keys=id:^x=": "Empty assignment",
    "hist:ke^ys=id:x=id,y": "Malformed assignment",
    "hist:keys=id:^onmax($x": ACTION,
    "^hist:keys=id:onchange($x)": "No action found",
    "hist:keys=id:x=^5apples": "Expecting numeric literal",
    "hist:keys=id:x=id+^": GAP,
    "hist:keys=id:x=^*id": GAP,
    "^hist:keys=id:clear": "Can't clear or continue a nonexistent hist trigger",
}


def shows_place(marked):
    """The second line of a message has the text, and the third a caret where '^' is here."""
    place, text = marked.index("^"), marked.replace("^", "")
    shown, caret = ask.said.splitlines()[1:3]
    same((text, caret.index("^") - 4), (text, place))
    assert text.startswith(shown.strip().removesuffix("...")), shown


def malformed_triggers_name_the_part():
    assert len(MALFORMED) >= 60
    with events():
        before = state()
        for marked, said in MALFORMED.items():
            text = marked.replace("^", "")
            trigger(START, *text.split(" "), status=1, said="")
            first = ask.said.splitlines()[0]
            expected = f"userevents: cannot add a trigger to {START}: {said}"
            same((text, first[:len(expected)] if said.endswith((" ", "=")) else first),
                 (text, expected))
            if "^" in marked:
                shows_place(marked)
            same(lines(file_of(START)), [])
        same(state(), before)


LOST = 'the kernel did not take "{}" as it is; compare what it lists'
HIST = "hist:keys={}:vals=hitcount{}:sort=hitcount:size={} [active]"
MANY = ",".join(f"{letter}=1" for letter in "abcdefghijklmnop")
ON_6_1 = "is text, which this kernel does not read from user events (Linux 6.4 does); " \
         '"userevents hist" can count by it'
# The kernel takes them, perhaps for something else; '^' as above.
DOUBTFUL = {
    "traceoff:": ("traceoff:unlimited", None),
    "traceoff^:0": ("traceoff:count=0", 'it never acts; write how often as in "traceoff:5", or '
                    "nothing for always"),
    "traceoff:^010": ("traceoff:count=8", "the kernel reads 010, as it begins with 0, as octal"),
    "traceoff:5:^6": ("traceoff:count=5", LOST.format(6)),
    "traceoff: 5": ("traceoff:count=5", None),
    "hist:keys=^id:keys=shard": (HIST.format("shard", "", 2048), LOST.format("id")),
    "hist:keys=id:size=^1000": (HIST.format("id", "", 1024), LOST.format(1000)),
    "hist:keys=id:size=0x400": (HIST.format("id", "", 1024), None),
    "hist:keys=id:^clock=sundial": (HIST.format("id", "", 2048), LOST.format("clock")),
    f"hist:keys=id:{MANY},^q=1": (f"hist:keys=id:vals=hitcount:{MANY}:sort=hitcount:size=2048 "
                                  "[active]", LOST.format("q")),
    "hist:keys=cpu": (HIST.format("common_cpu", "", 2048), None),
    "hist:keys=id:vals=^path": (HIST.format("id", ",path", 2048), f'"path" {ON_6_1}' if is_6_1 else
                                '"path" is text, and the kernel adds up its addresses; give it in '
                                "keys="),
    f"hist:keys={'^' * is_6_1}path": (HIST.format("path", "", 2048),
                                      f'"path" {ON_6_1}' if is_6_1 else None),
}


def doubtful_triggers_are_taken_with_a_warning():
    with events():
        for marked, (listed, said) in DOUBTFUL.items():
            text = marked.replace("^", "")
            same(trigger(START, text, said=said and f"userevents: doubtful trigger: {said}\n"),
                 f"{START} {listed}\n")
            if said and len(text) < 48:
                shows_place(marked)
            trigger("--remove", START)
        same(trigger(START, "traceoff", "if", "shard == 5000000000",
                     said="userevents: doubtful condition: "),
             f"{START} traceoff:unlimited if shard == 5000000000\n")
        trigger("--remove", START)


def removal_is_for_remove():
    with events():
        refused("trigger", "-i", "one", START, "!stacktrace", said='it begins with "!", by which '
                "the kernel removes one; use: userevents trigger --remove EVENT TRIGGER")
        refused("trigger", "-i", "one", START, " ", said="no trigger is given; write such as")


def events_that_do_not_exist():
    with events():
        refused("trigger", "-i", "one", "req_strat", "traceoff", said='"req_strat": there is none; '
                'did you mean "req_start"?')
        refused("trigger", "-i", "one", START, "enable_event:sched:sched_swich",
                said='"sched:sched_swich": there is none; did you mean "sched:sched_switch"?')
        refused("trigger", "-i", "one", START, "enable_event:user_events:req_*",
                said='cannot take "user_events:req_*" for an event: it names 2')
        refused("trigger", "-i", "two", START, "traceoff", said='cannot use the instance "two"')
        refused("trigger", "-i", "one", START, "traceoff if nope == 1", said="nope")


def the_kernel_reports_the_rest():
    with events():
        refused("trigger", "-i", "one", START, "hist:keys=id:x=$nope", said="Couldn't find")
        assert "^" in ask.said
        refused("trigger", "-i", "one", START, "hist:keys=id:onmatch(a.b).trace(nope,id)",
                said="Invalid subsystem or event name")


def features_that_6_1_lacks():
    with events():
        for text, said in [
                ("hist:keys=id:vals=hitcount.percent", "this kernel has no hitcount.percent; remove "
                 "it, or use another field"),
                ("hist:keys=id:vals=hitcount.graph", "this kernel has no hitcount.graph; remove it, "
                 "or use another field"),
                ("hist:keys=id:vals=shard:nohitcount", "this kernel has no nohitcount; remove it"),
                ("hist:keys=id:vals=id:NOHC", "this kernel has no NOHC; remove it"),
                ("hist:keys=common_stacktrace", "this kernel has no common_stacktrace; write "
                 "stacktrace")]:
            if is_6_1:
                refused("trigger", "-i", "one", START, text,
                        said=f"cannot add a trigger to {START}: {said}")
            else:
                trigger(START, text)
        if not is_6_1:
            same(len(trigger("--remove", START).splitlines()), 5)


def wrong_usage():
    for arguments, said in [(("--remove",), "no event is given"), ((START,), "no trigger is given"),
                            (("--list", "--remove"), "exclude each other"),
                            (("--json", START, "traceoff"), "--json is for --list"),
                            (("--user-stack", START, "stacktrace"), "--user-stack is for adding")]:
        ask("trigger", *arguments, status=2, said=said)


put("events/sched/sched_switch/enable", "0")  # 6.1 enlarges the top buffer at the first one
run([enable_event_once, disable_event, histograms_pause_and_go_on, stacktrace_shows_the_write,
     user_stack_shows_the_program, traceoff_and_traceon,
     traceoff_of_the_top_instance_is_said_to_concern_all, hist_counts, hist_is_paused_and_cleared,
     every_hist_is_removed_as_it_is_listed, a_hist_of_cpu_that_others_added_is_removed,
     a_marker_stops_the_trace, snapshot_where_the_kernel_has_it, list_prints_words_and_json,
     remove_takes_all, remove_names_the_user_of_a_variable, remove_wants_one,
     common_timestamp_in_the_top_instance, second_of_a_kind, malformed_triggers_name_the_part,
     doubtful_triggers_are_taken_with_a_warning, removal_is_for_remove, events_that_do_not_exist, the_kernel_reports_the_rest,
     features_that_6_1_lacks, wrong_usage])
