#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Probes: definitions, their events, lists, and taking them back."""
import contextlib
import errno
import json
import os
import pathlib
import re
import subprocess

from control import (REQUESTS, Program, Requests, ask, get, instance, is_6_1, is_patched,
                     lines, others, path, put, refused, run, same, state, tool, tracing,
                     unchanged, until, user_events)
from recorders import listens, out

probed = others[1]


@contextlib.contextmanager
def probes(*definitions):
    """These probes exist; yields their names."""
    names = ask("probe", "add", *definitions).split()
    try:
        yield names
    finally:
        ask("probe", "delete", *names)


def watched(*options, number=77, text="hello", more=()):
    """The events of a run of the program that watch sees."""
    said = ask("watch", "--json", *options, "--", probed, str(number), text, *more, said="")
    return [json.loads(line) for line in said.splitlines()]


def fields(event):
    return {key: value for key, value in event.items()
            if key not in ("n", "meta", "__probe_ip", "__probe_func", "__probe_ret_ip")}


def only(events, name):
    found = [event for event in events if event["n"] == name]
    same(len(found), 1)
    return fields(found[0])


ARGUMENTS = ("number=%di:s32 hex=%di:x32 text=+0(%si):string name=+0(%dx):x8[4] "
             "texts=+8(%dx):string[2] numbers=+24(%dx):u16[3] hexes=+24(%dx):x16[3] "
             "bits=+32(%dx):b4@8/32 comm=$comm wide=%di constant=\\-5:s16")
VALUES = {"number": 77, "hex": "0x4D", "text": "hello", "name": "61 62 63 64",
          "texts": ["one", "two"], "numbers": [1, 22, 65535],
          "hexes": ["0x1", "0x16", "0xFFFF"], "bits": 5, "comm": "probed", "wide": "0x4D",
          "constant": -5}


def program_functions_are_seen_with_their_values():
    with unchanged(), probes(f"p:called {probed}:probed_call {ARGUMENTS}",
                             f"r:back {probed}:probed_call ret=$retval:s64 low=$retval:x8",
                             f"p:back2 {probed}:probed_call%return $retval:s16") as names:
        same(names, ["ue_probes:called", "ue_probes:back", "ue_probes:back2"])
        events = watched("-e", "ue_probes:*")
        same(only(events, "ue_probes:called"), VALUES)
        same(only(events, "ue_probes:back"), {"ret": 2 * 77 - 1000, "low": "0xB2"})
        same(only(events, "ue_probes:back2"), {"arg1": 2 * 77 - 1000})
        [called] = [event for event in events if event["n"] == "ue_probes:called"]
        same(called["meta"]["comm"], "probed")
        assert re.fullmatch("0x[0-9A-F]+", called["__probe_ip"])


KERNEL = ("fd=$arg1:s32 text=+0($arg2):ustring same=+u0($arg2):string count=$arg3:u64 "
          "hex=%dx:x16 comm=$comm own=\\\"it\" caller=$stack0:symstr where=$stack0:symbol")


def kernel_functions_are_seen_with_their_values():
    with unchanged(), probes(f"p:wrote ksys_write {KERNEL}",
                             "r16:wrote_back ksys_write ret=$retval:s64"):
        # the program's own write alone, not its user events
        events = watched("-e", "ue_probes:*", "-w", 'text == "hello" || ret == 5')
        found = only(events, "ue_probes:wrote")
        assert re.fullmatch(r"\w+\+0x\w+/0x\w+", found.pop("caller"))
        assert re.fullmatch("0xFFFFFFFF[0-9A-F]{8}", found.pop("where"))
        assert found.pop("fd") > 2
        same(found, {"text": "hello", "same": "hello", "count": 5, "hex": "0x5",
                     "comm": "probed", "own": "it"})
        same(only(events, "ue_probes:wrote_back"), {"ret": 5})


def they_stand_in_one_time_line_with_user_events():
    with probes(f"p:called {probed}:probed_call number=%di:s32", "p:wrote ksys_write $arg3:u64"):
        events = watched("-e", "ue_probes:*", "-e", "user_events:probed_event", "-r",
                         "probed_event u32 number", "-w", "number == 31 || arg1 == 3",
                         number=31, text="abc", more=["event"])
        same([event["n"] for event in events if event["n"] != "ue_probes:wrote" or
              event["arg1"] == 3],
             ["ue_probes:called", "ue_probes:wrote", "user_events:probed_event"])
        if is_6_1:  # user events stay without a user there
            ask("delete", "probed_event")


def conditions_take_every_type_of_field():
    with probes(f"p:called {probed}:probed_call {ARGUMENTS}"):
        for condition, is_true in {
                "number == 77": 1, "number == 78": 0, "hex == 0x4d": 1, "hex == 77": 1,
                'text == "hello"': 1, 'text ~ "h*"': 1, 'text == "hell"': 0,
                "numbers[1] == 22": 1, "numbers[2] == 1": 0, "hexes[2] == 65535": 1,
                'texts[1] == "two"': 1, 'texts[0] == "two"': 0, "bits == 5": 1,
                'comm == "probed"': 1, "wide > 76": 1, "constant < 0": 1, "constant == 5": 0,
                "name[0] == 0x61": 1}.items():
            events = watched("-e", "ue_probes:called", "-w", condition) if is_true else \
                ask("watch", "--json", "-e", "ue_probes:called", "-w", condition, "--", probed,
                    "77", "hello", status=1, said="").splitlines()
            same((condition, len(events)), (condition, is_true))


def recordings_agree_with_perf():
    file = path("probes.data")
    simple = " ".join(word for word in ARGUMENTS.split() if not word.startswith("texts"))
    # perf cannot show arrays of texts
    with probes(f"p:called {probed}:probed_call {simple}",
                f"p:called_too {probed}:probed_call both=+8(%dx):string[2]"):
        ask("record", "-o", file, "-e", "ue_probes:*", "--", probed, "77", "hello", said="")
    text = out("perf", "script", "-i", file)
    # perf shows elements of two bytes as 0, and -5 as 65531
    for word in ("number=77", "hex=0x4d", 'text="hello"', "name={0x61,0x62,0x63,0x64}", "bits=5",
                 'comm="probed"', "wide=0x4d"):
        assert word in text, (word, text)
    events = [json.loads(line) for line in ask("decode", "--json", file).splitlines()]
    same(only(events, "ue_probes:called"),
         {key: value for key, value in VALUES.items() if key != "texts"})
    same(only(events, "ue_probes:called_too"), {"both": ["one", "two"]})
    line = ask("decode", file)
    for word in ("number=77 hex=0x4D", 'text="hello"', 'both=["one" "two"]', "bits=5",
                 "hexes=[0x1 0x16 0xFFFF]", "wide=0x4D constant=-5"):
        assert word in line, (word, line)
    assert '["one","two"]' in ask("query", file, "SELECT both FROM called_too")


def events_of_events_reach_tracefs():
    arguments = "id=$id hex=$shard:x32 const=\\7:u8"
    if not is_6_1:
        arguments += " path=+4($path):string verb=$verb:string who=$comm:string"
    with user_events(*REQUESTS), probes(
            f"e:slow user_events/req_start {arguments}",
            "e:some user_events/req_start id=$id:u64 if shard == 2") as names, \
            instance("of_probes") as directory:
        same(names, ["ue_probes:slow", "ue_probes:some"])
        put("instances/of_probes/events/ue_probes/enable", "1")
        try:
            with Requests() as program:
                program.do("start 5 2 /hello GET")
                program.do("start 6 3 /hello GET")
                program.process.stdin.close()
                program.wait()
            text = (directory / "trace").read_text()
        finally:
            put("instances/of_probes/events/ue_probes/enable", "0")
        found = re.findall(r"slow: \(user_events.req_start\) (.*)", text)
        # A patched kernel does not look 4 bytes too early, so the offset leaves them out.
        seen = "lo" if is_patched else "/hello"
        same(found[0], "id=0x5 hex=0x2 const=7" +
             ("" if is_6_1 else f' path="{seen}" verb="GET" who="requests"'))
        same(re.findall(r"some: \(user_events.req_start\) (.*)", text), ["id=5"])


def an_event_of_an_event_is_not_awaited_from_perf():
    with user_events(*REQUESTS), probes("e:slow user_events/req_start id=$id"):
        for command in ["watch", "-d", "1"], ["record", "-d", "1", "-o", path("none.data")]:
            ask(*command, "-e", "ue_probes:slow", status=1, said="perf gets no events of")


def the_examples_of_the_document_work():
    """Documentation/trace/kprobetrace.rst, "Usage examples". do_sys_open() is not called by
    openat(2) any more, and the group is ours instead of kprobes."""
    with unchanged(), probes("p:myprobe do_sys_open dfd=%ax filename=%dx flags=%cx "
                             "mode=+4($stack)", "r:myretprobe do_sys_open $retval"):
        text = get("events/ue_probes/myprobe/format")
        for name in "dfd", "filename", "flags", "mode":
            assert f"field:u64 {name};" in text, text
        same([row["definition"] for row in listed()],
             ["p:ue_probes/myprobe do_sys_open dfd=%ax filename=%dx flags=%cx mode=+4($stack)",
              "r" + re.search("r(\\d*):ue_probes/myretprobe", get("kprobe_events"))[1] +
              ":ue_probes/myretprobe do_sys_open arg1=$retval"])


def a_run_can_have_probes_of_its_own():
    with unchanged():
        events = watched("--probe", f"p:called {probed}:probed_call number=%di:s32",
                         "--probe", f"r {probed}:probed_call ret=$retval:s64")
        for event in events:
            group, event["n"] = event["n"].split(":")
            assert re.fullmatch(r"userevents_\d+_\d+_\d+_probes", group), group
        same([(event["n"], fields(event)) for event in events],
             [("called", {"number": 77}), ("probed_probed_call_return", {"ret": -846})])
        file = path("own.data")
        ask("record", "-o", file, "--probe", f"p:called {probed}:probed_call", "--", probed, "1",
            "x", said="1 event")
        assert ":called " in ask("decode", file)
    for options in (["p:called ksys_wri"], ["p:called ksys_write", "-w", "1 = 1"],
                    ["p:called ksys_write", "--probe", "p:called ksys_write"]):
        with unchanged():
            done = subprocess.run([tool, "watch", "--probe", *options], capture_output=True)
            assert done.returncode, done


def a_killed_run_leaves_its_name():
    with Program(tool, "watch", "--probe", f"p:called {probed}:probed_call") as watch:
        listens(watch, events=1)
        watch.process.kill()
        watch.process.wait()
    [line] = [line for line in lines("dynamic_events") if "_probes/called" in line]
    group = re.match(rf"p:(userevents_{watch.process.pid}_\d+_\d+_probes)/called ", line)[1]


    def delete():
        try:  # the kernel closes the events of a killed process a moment later
            put("dynamic_events", f"-:{group}/called")
        except OSError as error:
            same(error.errno, errno.EBUSY)
            return False
        return True

    until(delete, "the probe is free")


def listed(*options):
    return [json.loads(line) for line in ask("probe", "list", "--json", *options).splitlines()]


def lists_have_hits_and_misses():
    with probes(f"p:called {probed}:probed_call", "p:wrote ksys_write $arg1",
                "e:switched sched/sched_switch a=$prev_pid:s32"):
        put("kprobe_events", "p:foreign/wrote ksys_read")
        try:
            same([(row["event"], row["hits"], row["misses"]) for row in listed()],
                 [("called", 0, None), ("wrote", 0, 0), ("switched", None, None)])
            for _ in range(3):
                watched("-e", "ue_probes:called")
            put("events/ue_probes/wrote/enable", "1")
            with instance("of_list"):
                put("instances/of_list/events/ue_probes/wrote/enable", "1")
                rows = {row["event"]: row for row in listed()}
                same(rows["called"]["hits"], 3)
                same(rows["called"]["enabled_in"], [])
                same(rows["wrote"]["enabled_in"], [{"instance": None}, {"instance": "of_list"}])
                assert rows["wrote"]["hits"] > 0
                text = ask("probe", "list")
                put("instances/of_list/events/ue_probes/wrote/enable", "0")
            put("events/ue_probes/wrote/enable", "0")
            same(rows["wrote"]["definition"], "p:ue_probes/wrote ksys_write arg1=$arg1")
            assert re.search(rf"(?m)^- +3 +-  p:ue_probes/called {os.path.realpath(probed)}:0x\w+$", text), text
            assert re.search(r"(?m)^top,of_list +\d+ +0  p:ue_probes/wrote ", text), text
            assert "foreign" not in text
            assert "p:foreign/wrote ksys_read" in ask("probe", "list", "--all")
            same(sorted((row["system"], row["event"]) for row in listed("--all")),
                 [("foreign", "wrote"), ("ue_probes", "called"), ("ue_probes", "switched"),
                  ("ue_probes", "wrote")])
        finally:
            put("kprobe_events", "-:foreign/wrote")


def names_are_made_and_printed():
    short = os.path.basename(probed)
    definitions = ["p ksys_write", "p ksys_write", "r ksys_write", f"p {probed}:probed_call",
                   f"r {probed}:probed_call", "e sched/sched_switch a=$prev_pid"]
    with unchanged():
        same(ask("probe", "add", *definitions).split(),
             [f"ue_probes:{name}" for name in (
                 "ksys_write", "ksys_write_2", "ksys_write_return", f"{short}_probed_call",
                 f"{short}_probed_call_return", "sched_switch")])
        same(len([line for line in lines("dynamic_events") if "ue_probes/" in line]), 6)
        same(len(ask("probe", "delete", "--all").split()), 6)


def only_own_probes_are_deleted():
    put("kprobe_events", "p:foreign/wrote ksys_write")
    try:
        with unchanged():
            ask("probe", "add", "p:mine ksys_write", "p:wrote ksys_read")
            same(ask("probe", "delete", "--all"), "ue_probes:mine\nue_probes:wrote\n")
        refused("probe", "delete", "wrote", said='cannot delete "wrote": this command made no '
                'such probe; "userevents probe list" prints them')
        same(lines("kprobe_events"), ["p:foreign/wrote ksys_write"])
    finally:
        put("kprobe_events", "-:foreign/wrote")


def a_probe_in_use_is_not_deleted():
    with unchanged():
        ask("probe", "add", "p:used ksys_write")
        put("events/ue_probes/used/enable", "1")
        refused("probe", "delete", "used", said="cannot delete used: it is enabled in the top "
                "instance; switch it off: userevents disable ue_probes:used")
        put("events/ue_probes/used/enable", "0")
        with instance("of_used"):
            put("instances/of_used/events/ue_probes/used/enable", "1")
            refused("probe", "delete", "--all", said="cannot delete used: it is enabled in the "
                    "instance of_used; switch it off: userevents disable --instance of_used "
                    "ue_probes:used")
            put("instances/of_used/events/ue_probes/used/enable", "0")
        same(ask("probe", "delete", "ue_probes:used"), "ue_probes:used\n")


def a_probe_that_is_recorded_is_not_deleted():
    with unchanged():
        ask("probe", "add", f"p:used {probed}:probed_call")
        with Program(tool, "watch", "-e", "ue_probes:used") as watch:
            listens(watch, events=1)
            refused("probe", "delete", "used", said="cannot delete used: it is being recorded, "
                    'by perf or by "userevents"; end that first')
            watch.end(status=1)  # there were no events
        same(ask("probe", "delete", "used"), "ue_probes:used\n")


def an_instance_of_a_dead_command_does_not_keep_a_probe():
    namespace = pathlib.Path("/proc/self/ns/pid")
    space = namespace.stat().st_ino if namespace.exists() else 0
    ask("probe", "add", "p:used ksys_write")
    with instance(f"userevents_999999_1_{space}_test") as directory:
        put(directory.relative_to(tracing) / "events/ue_probes/used/enable", "1")
        same(ask("probe", "delete", "used"), "ue_probes:used\n")


def one_refused_definition_takes_all_back():
    for wrong, said in {"p:two ksys_read+2": "cannot add the probe two: Probe point is not an "
                        "instruction boundary",
                        "p:two ksys_writ": 'the kernel has no function "ksys_writ"',
                        "p:one ksys_read": 'there is a probe "one"'}.items():
        refused("probe", "add", "p:one ksys_write", f"p {probed}:probed_call", wrong, said=said)


def a_second_definition_does_not_join_the_first():
    with probes("p:one ksys_write"):
        refused("probe", "add", "p:one ksys_read", said='there is a probe "one", which a second '
                'definition would join; give another name, or "userevents probe delete one" '
                "first")


# The caret stands where '^' is here.
WRONG = {
    "^q:x ksys_write": 'a definition begins with "p" (a function\'s entry or a place), "r" (its '
                       'return) or "e" (an event)',
    "p^5:x ksys_write": 'a number of instances is for "r" alone',
    "r^0:x ksys_write": "the number of instances must be 1 to 4096",
    "r^4097:x ksys_write": "the number of instances must be 1 to 4096",
    "p^robe:x ksys_write": "':' and a name, or a blank, must follow \"p\"",
    "p:^ ksys_write": "a name must follow ':'",
    "p:^1x ksys_write": "the name \"1x\" is no identifier: letters, digits and '_', no digit "
                        "first",
    "p:^a-b ksys_write": "the name \"a-b\" is no identifier: letters, digits and '_', no digit "
                         "first",
    "p:^sched/x ksys_write": "probes of this command are in the group ue_probes; leave out "
                             '"sched/"',
    "p:x ksys_write ^# fd=%di": "'#' begins a comment for the kernel, which ignores the rest",
    "p:x ^ksys_wrlte": 'the kernel has no function "ksys_wrlte"; did you mean "ksys_write"?',
    "p:x ksys_write^+99999": '"ksys_write" has ',
    "p:x ksys_write+^abc": '"abc" is no offset: a decimal number, or 0x',
    "p:x ksys_write^-4": "an offset to a function is not negative",
    "p:x ksys_write^%retrun": 'only "%return" may stand here',
    "r:x ksys_write^+4": "a return is of a whole function; leave the offset out",
    "p:x ^0xzz": '"0xzz" is no address: 0x and hexadecimal digits',
    "p:x ^get_kprobe": 'the kernel forbids probes in "get_kprobe", which probes themselves may '
                       "use; take a function that it calls, or its caller",
    "p:x ksys_write fd=^%rdi": 'there is no register "rdi"; did you mean "%di"?',
    "p:x ksys_write ^$retval": '$retval is of returns: begin with "r", or put %return behind '
                               "the function",
    "p:x ksys_write+4 ^$arg1": "$argN is of the entry of a function; at an offset, take a "
                               "register",
    "p:x ksys_write ^$arg0": "an argument of a function is $arg1, $arg2, ...",
    "p:x ksys_write ^$stackx": "an entry of the stack is $stack0, $stack1, ...",
    "p:x ksys_write ^$nope": 'there is no "$nope": $argN, $retval, $stack, $stackN, $comm',
    "p:x ksys_write $stack1:^x8[8]": "an array is in memory: +0($stack1):x8[8]",
    "p:x ksys_write +u0($arg2):^x8[8]": 'the kernel has no arrays of a program\'s memory ("u")',
    "p:x ksys_write +0(%di):x8[^65]": "an array has 1 to 64 elements",
    "p:x ksys_write +0(%di):x8[8^": "']' is missing",
    "p:x ksys_write %di:^b4@30/32": "bits 30 to 33 are not in a container of 32",
    "p:x ksys_write %di:^b4@30": "a bitfield is b<BITS>@<FROM>/<SIZE>, such as b4@0/32",
    "p:x ksys_write %di:b4@3/^31": "the container of a bitfield has 8, 16, 32 or 64 bits",
    "p:x ksys_write a=%di ^a=%si": 'an argument before this one has the name "a"',
    "p:x ksys_write %di ^arg1=%si": 'an argument before this one has the name "arg1"',
    "p:x ksys_write ^1a=%di": 'the name "1a" of an argument is no identifier',
    "p:x ksys_write ^common_pid=%di": 'the kernel has a field "common_pid" in each probe',
    "p:x ksys_write %di:^int": 'there is no type "int"; did you mean "s32"?',
    "p:x ksys_write %di:^x33": 'there is no type "x33"; did you mean "x32"?',
    "p:x ksys_write %di:^string": "a string is in memory: +0(%di):string",
    "p:x ksys_write $comm:^u8": "$comm is a string; write $comm without a type",
    "p:x ksys_write +0(^$comm)": "$comm is no address",
    "p:x ksys_write +^x(%di)": '"x" is no offset: a decimal number, or 0x',
    "p:x ksys_write +0(%di^": "')' is missing",
    "p:x ksys_write ^+8": "memory is fetched by +OFFSET(ARGUMENT)",
    "p:x ksys_write \\\"abc^": "'\"' is missing; a text has no blanks, as these end an argument",
    "p:x ksys_write \\^1z": '"1z" is no number',
    "p:x ksys_write @^no_such_symbol": 'the kernel has no symbol "no_such_symbol"',
    "p:x ksys_write ^@+8": "offsets in a file are for programs; give an address or a symbol",
    "p:x ^/no/such:main": "cannot open /no/such: No such file or directory",
    "p:x ^/etc/passwd:1": "cannot use /etc/passwd: it is no program and no shared object (ELF)",
    "p:x ^/etc:1": "/etc is not a regular file",
    "p:x /bin/sh^": ":OFFSET or :SYMBOL must follow a path",
    "p:x /bin/sh:^1z": '"1z" is no offset: a decimal number, or 0x',
    "p:x /bin/sh:^1": "0x1 is not the offset of code in /bin/sh",
    "p:x /bin/sh:main(0x10^": "')' is missing",
    "p:x /bin/sh:main(^zz)": '"zz" is no offset of a counter: a decimal number, or 0x',
    "r^5:x /bin/sh:0x5000": "a number of instances is for functions of the kernel alone",
    "p:x ^sched_no/such:1": "cannot open sched_no/such: No such file or directory",
    "e:x ^sched_switch": "the event must be given as SYSTEM/EVENT",
    "e:x ^sched/sched_swich": 'there is no event sched/sched_swich; did you mean '
                              '"sched/sched_switch"?',
    "e:x sched/sched_switch a=^$prev_comn:string": 'the event has no field "prev_comn"; did you '
                                                   'mean "$prev_comm"?',
    "e:x sched/sched_switch a=^$prev_comm": "the field is text; write $prev_comm:string",
    "e:x sched/sched_switch a=^%di": "an event has no registers; take its fields: $FIELD",
    "e:x sched/sched_switch a=^$comm": "$comm is a string; write $comm:string",
    "e:x sched/sched_switch a=$prev_pid if^": "a filter must follow \"if\"",
}


def wrong_definitions_are_refused_with_their_place():
    before = state()
    for marked, said in WRONG.items():
        place = marked.index("^")
        definition = marked[:place] + marked[place + 1:]
        ask("probe", "add", definition, status=1, said=f"cannot add a probe: {said}")
        shown, caret = ask.said.splitlines()[1:3]
        same((definition, caret.index("^") - 4), (definition, place))
        assert definition.startswith(shown.strip().removesuffix("...")), shown
    same(state(), before)


def other_wrong_definitions_are_refused():
    refused("probe", "add", "p:x ksys_write " + "%di " * 129,
            said="a probe has 128 arguments at most")
    refused("probe", "add", f"p:{'x' * 64} ksys_write",
            said="a name has 63 characters at most")
    refused("probe", "add", f"p:x ksys_write {'a' * 33}=%di",
            said="the name of an argument has 32 characters at most")
    refused("probe", "add", f"p:x ksys_write {'+0(' * 20}%di{')' * 20}",
            said="the expression of an argument has 63 characters at most")
    refused("probe", "add", "p:x ksys_write " + " ".join(["+0(%di):x64[64]"] * 7),
            said="the event becomes larger than 3072 bytes here")
    refused("probe", "add", f"p:x {probed}:probed_cal",
            said='it has no function of this name; did you mean "probed_call"?')
    refused("probe", "add", f"p:x {probed}:probed_call $arg2",
            said="$argN is of functions of the kernel; in a program, argument 2 is in %si at "
                 "the entry")
    refused("probe", "add", f"p:x {probed}:probed_call %di:symbol",
            said="addresses of a program are no symbols of the kernel; use x64")
    refused("probe", "add", f'p:x {probed}:probed_call \\"text"',
            said="the kernel cannot store a text of the definition in probes of programs")
    refused("probe", "add", f"p:x {probed}:probed_call+9999", said='"probed_call" has ')
    refused("probe", "add", "p:x", status=2, said='"p:x" has no place: a definition is one '
            "argument, so quote it: 'p:NAME FUNCTION ...'")
    for arguments in [], ["add"], ["lst"], ["delete"], ["list", "x"], ["delete", "--all", "x"]:
        refused("probe", *arguments, status=2, said="userevents probe --help")


def the_kernel_finds_the_rest():
    refused("probe", "add", "p:x ksys_read+2",
            said="cannot add the probe x: Probe point is not an instruction boundary\n"
                 "    p:ue_probes/x ksys_read+2\n                  ^\n")
    refused("probe", "add", "e:x sched/sched_switch a=$prev_pid if prev_pid = 3",
            said="cannot add the probe x: Invalid operator")


def fields_that_the_kernel_misreads_are_refused():
    with user_events(*REQUESTS):
        said = "this kernel does not know that the field \"path\" is text; Linux 6.4 does" \
            if is_6_1 else "the kernel looks for this field 4 bytes too early; write " \
            "+4($path):string"
        refused("probe", "add", "e:x user_events/req_start a=$path:string", said=said)
        with probes("e:x user_events/req_start a=$id"):
            refused("probe", "add", "e:y ue_probes/x a=$a", said="the event is that of a probe, "
                    "to which the kernel attaches no other")


def the_kernels_grammars_differ():
    """The seed's README lists what a kernel has; the tool reads that."""
    for definition, said in {
            "p:x ksys_write c=\\65:char": 'this kernel does not have the type "char"; use u8',
            "r:x ksys_write a=$arg1": "this kernel has $argN at the entry of a function alone; "
                                      'add a probe "p" for it',
            "p:x vfs_fsync f=$arg1:%pD": 'this kernel does not have the type "%pD"'}.items():
        if is_6_1:
            refused("probe", "add", definition, said=said)
        elif "%pD" not in definition:  # which needs CONFIG_DEBUG_INFO_BTF
            with unchanged(), probes(definition):
                pass


run([program_functions_are_seen_with_their_values, kernel_functions_are_seen_with_their_values,
     they_stand_in_one_time_line_with_user_events, conditions_take_every_type_of_field,
     recordings_agree_with_perf, events_of_events_reach_tracefs,
     an_event_of_an_event_is_not_awaited_from_perf, a_run_can_have_probes_of_its_own,
     the_examples_of_the_document_work, a_killed_run_leaves_its_name,
     lists_have_hits_and_misses,
     names_are_made_and_printed, only_own_probes_are_deleted, a_probe_in_use_is_not_deleted,
     a_probe_that_is_recorded_is_not_deleted,
     an_instance_of_a_dead_command_does_not_keep_a_probe, one_refused_definition_takes_all_back,
     a_second_definition_does_not_join_the_first, wrong_definitions_are_refused_with_their_place,
     other_wrong_definitions_are_refused, the_kernel_finds_the_rest,
     fields_that_the_kernel_misreads_are_refused, the_kernels_grammars_differ])
