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

from control import (REQUESTS, Program, Requests, ask, get, instance, is_6_1, is_newest, is_patched,
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


def functions_and_tracepoints_have_arguments_by_name():
    """f and t, and names from type information, which the test kernels before 7 lack."""
    definitions = ["f:opened do_sys_openat2 dfd filename:ustring",
                   "f:done do_sys_openat2%return $retval",
                   "t:switched sched_switch next=next->pid"]
    if not is_newest:
        refused("probe", "add", definitions[0], said="kernel")
        return
    with unchanged(), probes(*definitions) as names:
        same(names, ["ue_probes:opened", "ue_probes:done", "ue_probes:switched"])
        file = path("opened")
        pathlib.Path(file).touch()
        said = ask("watch", "--json", "-e", "ue_probes:*", "--", "cat", file, said="")
        events = [json.loads(line) for line in said.splitlines()]
        assert {"ue_probes:done", "ue_probes:switched"} <= {event["n"] for event in events}
        assert {"dfd": -100, "filename": file} in [
            {key: event[key] for key in ("dfd", "filename")}
            for event in events if event["n"] == "ue_probes:opened"], events[:5]


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
    with probes(f"p:called {probed}:probed_call number=%di:s32", "p:wrote ksys_write size=$arg3:u64"):
        events = watched("-e", "ue_probes:*", "-e", "user_events:probed_event", "-r",
                         "probed_event u32 number", "-w", "number == 31 || size == 3",
                         number=31, text="abc", more=["event"])
        same([event["n"] for event in events if event["n"] != "ue_probes:wrote" or
              event["size"] == 3],
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
    with probes(f"p:called {probed}:probed_call", "p:wrote ksys_write first=$arg1",
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
            same(rows["wrote"]["definition"], "p:ue_probes/wrote ksys_write first=$arg1")
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


def by(new, old):
    """The words of Linux 6.12, and of 6.1."""
    return old if is_6_1 else new


# Linux 7.3 has other words for it.
OFFSET = ("File offset is not available " +
          ("for kernel probes" if is_newest else "with kprobe"))
NOWHERE = "Invalid probed address or symbol"
VARIABLE = "Invalid $-variable specified"
USED = "This argument name is already used"
TYPE = "Unknown type is specified"
MEMORY = "String accepts only memory argument; "
C_NAME = "must follow the same rules as C identifiers"
# The kernel refuses them. The caret stands where '^' is here, in the line that it got.
REFUSED_BY_THE_KERNEL = {
    "p^5:x ksys_write": by("Maxactive is only for function exit", "Maxactive is not for kprobe"),
    "r^0:x ksys_write": "Invalid maxactive number",
    "r^4097:x ksys_write": "Maxactive is too big",
    "p:^1x ksys_write": f"Event name {C_NAME}",
    "p:^a-b ksys_write": f"Event name {C_NAME}",
    "p:x ^ksys_write+abc": NOWHERE,
    "p:x ^ksys_write-4": NOWHERE,
    "p:x ksys_write^%retrun": "Invalid probed address suffix",
    "r:x ^ksys_write+4": "Retprobe address must be an function entry",
    "p:x ^0xzz": NOWHERE,
    "p:x ksys_write fd=^%rdi": 'Invalid register name; did you mean "%di"?',
    "p:x ksys_write ^$retval": '$retval is not available on probe; begin with "r", or put %return '
                               "behind the function",
    "p:x ksys_write+4 ^$arg1": by("$arg* can be used only on function entry or exit", VARIABLE),
    "p:x ksys_write ^$arg0": "Invalid argument number",
    "p:x ksys_write ^$stackx": VARIABLE,
    "p:x ksys_write ^$stack9999": "Invalid stack number",
    "p:x ksys_write ^$nope": VARIABLE,
    "p:x ksys_write a=^": "No argument expression",
    "p:x ksys_write $stack1:^x8[8]": f"{MEMORY}what is in memory is +0($stack1):x8[8]",
    f"p:x ksys_write +u0($arg2):{by('x8[^8]', '^x8[8]')}":
        f'{MEMORY}the kernel has no arrays of a program\'s memory ("u")',
    "p:x ksys_write +0(%di):x8[^65]": "Array number is too big",
    "p:x ksys_write +0(%di):x8[8^": "Array is not closed",
    "p:x ksys_write %di:^b4@30/32": "Invalid bitfield",
    "p:x ksys_write %di:^b4@30": TYPE,
    "p:x ksys_write %di:^b4@3/31": TYPE,
    "p:x ksys_write a=%di ^a=%si": USED,
    "p:x ksys_write %di ^arg1=%si": USED,
    "p:x ksys_write ^common_pid=%di": USED,
    "p:x ksys_write ^1a=%di": f"Argument name {C_NAME}",
    "p:x ksys_write %di:^int": f'{TYPE}; did you mean "s32"?',
    "p:x ksys_write %di:^x33": f'{TYPE}; did you mean "x32"?',
    "p:x ksys_write %di:^": TYPE,
    "p:x ksys_write %di:^string": f"{MEMORY}what is in memory is +0(%di):string",
    "p:x ksys_write +0(^$comm)": "$comm can not be dereferenced",
    "p:x ksys_write ^+x(%di)": "Invalid dereference offset",
    "p:x ksys_write +0(%di^": "Dereference brace is not closed",
    "p:x ksys_write ^+8": "Dereference needs a brace",
    "p:x ksys_write \\\"abc^": "String is not closed with '\"'",
    "p:x ksys_write \\^1z": "Invalid immediate value",
    "p:x ksys_write ^@+8": OFFSET,
    "p:x ^/etc:1": "Not a regular file",
    "p:x ^sched_no/such:1": "Failed to find the given file",
    "e:x ^sched_switch": "This requires both group and event name to attach",
    f"e:x sched/sched_switch {by('a=^', '^a=')}$prev_comn:string": by(
        VARIABLE, "Attached event does not have this field") + '; did you mean "$prev_comm"?',
    "e:x sched/sched_switch a=^%di": ("Invalid $-variable specified" if is_newest else
                                      "Invalid fetch argument") +
    "; an event has no registers; take its fields: $FIELD",
    f"p:x ksys_write ^{'a' * 33}=%di": "Argument name is too long",
    f"p:x ksys_write ^{'+0(' * 20}%di{')' * 20}":
        "Too many nested typecasts/dereferences" if is_newest else "Argument expression is too long",
    f"p:^{'x' * 64} ksys_write": "Event name is too long",
}
# The tool finds the reason, as the kernel's is missing or is that of another part.
EXPLAINED = {
    "^q:x ksys_write": 'the kernel has no kind "q" of probes; a definition begins with "p" (a '
                       'function\'s entry or a place), "r" (its return), "f" (a function, faster), '
                       '"t" (a tracepoint) or "e" (an event)',
    "^!p:x ksys_write": 'a definition begins with "p" (a function\'s entry or a place), "r" (its '
                       'return) or "e" (an event)',
    "p:^sched/x ksys_write": "probes of this command are in the group ue_probes; leave out "
                             '"sched/"',
    "p:x ^ksys_wrlte": 'the kernel has no function "ksys_wrlte"; did you mean "ksys_write"?',
    "p:x ksys_write^+99999": '"ksys_write" has ',
    "p:x ^get_kprobe": 'the kernel forbids probes in "get_kprobe", which probes themselves may '
                       "use; take a function that it calls, or its caller",
    "p:x ksys_write @^no_such_symbol": 'the kernel has no symbol "no_such_symbol"',
    "p:x ^/no/such:main": "cannot open /no/such: No such file or directory",
    "p:x ^/etc/passwd:main": "cannot use /etc/passwd: it is no program and no shared object (ELF)",
    "p:x /bin/sh^": ":OFFSET or :FUNCTION must follow a path",
    "p:x /bin/sh:^main+z": '"main+z" is neither an offset nor FUNCTION[+OFFSET]',
    "r^5:x /bin/sh:0x5000": "a number of instances is for functions of the kernel alone",
    "e:x ^sched/sched_swich": 'there is no event sched/sched_swich; did you mean '
                              '"sched/sched_switch"?',
}
if is_6_1:
    EXPLAINED["p:x ksys_write $comm:^u8"] = "$comm is a string; write $comm without a type"
else:
    REFUSED_BY_THE_KERNEL["p:x ksys_write $comm:^u8"] = "$comm and immediate-string only accepts " \
        "string type"
# The kernel takes them for something else.
DOUBTFUL = {
    "p:x ksys_write ^# fd=%di": "'#' begins a comment for the kernel, which ignores the rest",
    "p:x ^/etc/passwd:1": "/etc/passwd: it is no program and no shared object (ELF)",
    "p:x /bin/sh:^1": "0x1 is not the offset of code in /bin/sh",
    "p:x /bin/sh:0x6000 ^\\\"text\"": "the kernel stores an empty text in probes of programs",
    "p:x ksys_write a=+0(%di)^+10:u32": "the kernel ignores what follows \")\" here",
    "p:x ksys_write a=+0(+8(%di)^+2)": "the kernel ignores what follows \")\" here",
    "e:x sched/sched_switch a=^$prev_comm": "the field is text; write $prev_comm:string",
    "e:x sched/sched_switch a=^$comm": "$comm is a string; write $comm:string",
}


def shows_place(text, place):
    """The second line of a message has the text, and the third the caret."""
    shown, caret = ask.said.splitlines()[1:3]
    part = shown[4:].removesuffix("...")
    if part.startswith("..."):
        part = part[3:]
        same(part[caret.index("^") - 7:], text[place:][:len(part) - caret.index("^") + 7])
        assert part in text, (shown, text)
    else:
        same((text, caret.index("^") - 4), (text, place))
        assert text.startswith(part), (shown, text)


def wrong_definitions_are_refused_with_their_place():
    before = state()
    for marked, said in REFUSED_BY_THE_KERNEL.items():
        definition = marked.replace("^", "")
        ask("probe", "add", definition, status=1, said="")
        name = definition.split(" ")[0].partition(":")[2]
        same((definition, ask.said.splitlines()[0]),
             (definition, f"userevents: cannot add the probe {name}: {said}"))
        given = marked.replace(":", ":ue_probes/", 1)
        shows_place(given.replace("^", "").rstrip(), given.index("^"))
    for marked, said in EXPLAINED.items():
        definition = marked.replace("^", "")
        ask("probe", "add", definition, status=1, said=f"userevents: cannot add a probe: {said}")
        shows_place(definition, marked.index("^"))
    same(state(), before)


def doubtful_definitions_are_added_with_a_warning():
    with unchanged():
        for marked, said in DOUBTFUL.items():
            definition = marked.replace("^", "")
            same(ask("probe", "add", definition, said=f"userevents: doubtful probe: {said}\n"),
                 "ue_probes:x\n")
            shows_place(definition, marked.index("^"))
            ask("probe", "delete", "x")
        same(ask("probe", "add", "p: ksys_write"), "ue_probes:ksys_write\n")
        ask("probe", "delete", "ksys_write")


def other_wrong_definitions_are_refused():
    if not is_6_1:  # which takes 128 of them, and leaves the rest out
        refused("probe", "add", "p:x ksys_write " + "%di " * 129,
                said="oo many arguments")
        refused("probe", "add", f"p:x {probed}:probed_call %di:symbol", said=TYPE)
    refused("probe", "add", "p:x ksys_write " + " ".join(["+0(%di):x64[64]"] * 7),
            said="Event too big (too many fields?)")
    refused("probe", "add", "p:x /bin/sh:1z", said="Invalid uprobe offset")
    refused("probe", "add", "p:x /bin/sh:0x6000(0x10", said="Reference counter brace is not closed")
    refused("probe", "add", "p:x /bin/sh:0x6000(zz)", said="Invalid reference counter offset")
    refused("probe", "add", "e:x sched/sched_switch a=$prev_pid if",
            said="No filter rule after 'if'")
    refused("probe", "add", f"p:x {probed}:probed_cal",
            said='it has no function of this name; did you mean "probed_call"?')
    refused("probe", "add", f"p:x {probed}:probed_call $arg2",
            said="; in a program, argument 2 is in %si at the entry")
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


def fields_that_the_kernel_misreads_are_doubtful():
    with user_events(*REQUESTS):
        said = "this kernel does not know that the field \"path\" is text; Linux 6.4 does" \
            if is_6_1 else "the kernel looks for this field 4 bytes too early; write " \
            "+4($path):string"
        ask("probe", "add", "e:x user_events/req_start a=$path:string",
            said=f"userevents: doubtful probe: {said}\n")
        ask("probe", "delete", "x")
        with probes("e:x user_events/req_start a=$id"):
            refused("probe", "add", "e:y ue_probes/x a=$a", said="the event is that of a probe, "
                    "to which the kernel attaches no other")


def the_kernels_grammars_differ():
    for definition, said in {
            "p:x ksys_write c=\\65:char": TYPE, "r:x ksys_write a=$arg1": VARIABLE,
            "p:x vfs_fsync f=$arg1:%pD": TYPE}.items():
        if is_6_1:
            refused("probe", "add", definition, said=said)
        elif "%pD" not in definition:  # which needs CONFIG_DEBUG_INFO_BTF
            with unchanged(), probes(definition):
                pass


run([program_functions_are_seen_with_their_values, kernel_functions_are_seen_with_their_values,
     functions_and_tracepoints_have_arguments_by_name,
     they_stand_in_one_time_line_with_user_events, conditions_take_every_type_of_field,
     recordings_agree_with_perf, events_of_events_reach_tracefs,
     an_event_of_an_event_is_not_awaited_from_perf, a_run_can_have_probes_of_its_own,
     the_examples_of_the_document_work, a_killed_run_leaves_its_name,
     lists_have_hits_and_misses,
     names_are_made_and_printed, only_own_probes_are_deleted, a_probe_in_use_is_not_deleted,
     a_probe_that_is_recorded_is_not_deleted,
     an_instance_of_a_dead_command_does_not_keep_a_probe, one_refused_definition_takes_all_back,
     a_second_definition_does_not_join_the_first, wrong_definitions_are_refused_with_their_place,
     doubtful_definitions_are_added_with_a_warning,
     other_wrong_definitions_are_refused, the_kernel_finds_the_rest,
     fields_that_the_kernel_misreads_are_doubtful, the_kernels_grammars_differ])
